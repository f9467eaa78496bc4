"""Requests about the clock of a game: what it says, and its changes by whoever has made the game."""

from __future__ import annotations

from contextlib import suppress

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.games.clock import Clock, ClockError, duration, known_clock, parse_clock
from tpserver.games.game import Game, GameError, NotNow
from tpserver.requests.game_setup import row_of
from tpserver.requests.login import saved
from tpserver.requests.manuals import named_rules
from tpserver.requests.responses import Frames, okay
from tpserver.requests.seats import made_by_account
from tpserver.requests.session import Answer, Session
from tpserver.store import creations as stored_creations

CHANGES = "changes its clock"
CLOCK, CLOCK_GROUPS = BY_NAME["clock"].number, BY_NAME["clock_groups"].number


def clock_for_players(text: str) -> Clock:
    """Return the clock that a player names.  Raises GameError, also for one that needs the operator."""
    try:
        clock = parse_clock(text)
    except ClockError as error:
        raise GameError(str(error)) from None
    if clock.needs_operator():
        raise GameError("only the operator ends the turns of a game with the clock manual; take another one")
    return clock


def get_clock(session: Session, message: tp.GetClock) -> Frames:
    """Return what the clock of a game says now.  Raises Refused, GameError, and NotAdmitted of a game for others.

    What is told of it must be durable.
    """
    row, registry = row_of(session, message.game, "GetClock"), session.host.registry
    clock = known_clock(row.clock)
    told = tp.Clock(game=row.name, clock=row.clock, words=row.clock if clock is None else clock.words())
    account = session.account
    told.owned = account is not None and registry.store.read(stored_creations.creator_of, row.id) == account.id
    game = registry.games.get(row.id)
    if game is None and clock is not None and clock.bank is not None and row.state in ("waiting", "running", "paused"):
        with suppress(GameError, NotNow):  # all else is known
            game = registry.with_id(row.id)  # the rules know who uses up its time now
    if row.state == "running" and row.due is not None and row.deadline is not None:
        told.due, told.ends = int(row.due), int(row.deadline)
    if game is not None:
        _tell_banks(told, game, registry.now())
    frames = iter([session.payload(CLOCK, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([] if game is None else [game]))


async def extend_turn(session: Session, message: tp.ExtendTurn) -> Answer:
    """Give the present turn more time.  Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, CHANGES)
    await session.host.registry.lifecycle.give_time(game, message.seconds, name, maker=True)
    return [okay(session.dialect, f"This turn has {duration(message.seconds)} more, and all are told")]


async def set_clock(session: Session, message: tp.SetClock) -> Answer:
    """Give a game another clock.  Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, CHANGES)
    clock = clock_for_players(message.clock)
    await session.host.registry.lifecycle.set_clock(game, clock, name, maker=True)
    return [okay(session.dialect, f"The clock of {game.name} says now: {clock.words()}; all are told")]


def get_clock_groups(session: Session, message: tp.GetClockGroups) -> Answer:
    """Return the turns of a ruleset that may have a clock of their own.  Raises Refused for one that is not there."""
    rules = named_rules(session, message.ruleset, "GetClockGroups")
    groups = [tp.ClockGroup(name=name, help=words) for name, words in rules.clock_groups.items()]
    return [session.payload(CLOCK_GROUPS, tp.ClockGroups(ruleset=rules.name, groups=groups))]


def _tell_banks(told: tp.Clock, game: Game, now: float) -> None:
    if game.clock.bank is None:
        return
    for player in game.players:
        left = game.bank(player.seat) - (game.bank_used(player.seat, now) if game.started and not game.over else 0.0)
        told.banks.add(player=player.seat + 1, seconds=max(0, round(left)))
