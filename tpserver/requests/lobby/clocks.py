"""Requests about the turn clock: reading it, and changes by the owner."""

from __future__ import annotations

from contextlib import suppress

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.seats.proposals import CLOCK as CLOCK_KIND
from tpserver.games.seats.proposals import EXTENSION
from tpserver.games.terms.clock import Clock, ClockError, duration, known_clock, parse_clock
from tpserver.games.turns import turn_time
from tpserver.requests.entry.login import saved
from tpserver.requests.lobby.game_setup import row_of
from tpserver.requests.lobby.seats import consent_is_needed, made_by_account
from tpserver.requests.play.manuals import named_rules
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session
from tpserver.store.games import ownership as stored_ownership

CHANGES = "can change its clock"
LEAST_SECONDS = 30
"""Minimum seconds of a turn under a clock that a player chooses."""
CLOCK, CLOCK_GROUPS = BY_NAME["clock"].number, BY_NAME["clock_groups"].number


def clock_for_players(text: str) -> Clock:
    """Return the clock that a player names. Raises GameError, also for one that needs the operator."""
    try:
        clock = parse_clock(text)
    except ClockError as error:
        raise GameError(str(error)) from None
    if clock.needs_operator():
        raise GameError("only the operator ends the turns of a game with the clock manual; take another one")
    forms = (clock, *(form for _, form in clock.phases))
    if any(form.kind in ("interval", "threshold") and form.seconds < LEAST_SECONDS for form in forms):
        raise GameError(f"the time of a turn is too short; take {LEAST_SECONDS} seconds or more")
    bank = clock.bank
    if bank is not None and bank.plus < LEAST_SECONDS and any(form.kind == "all-done" for form in forms):
        raise GameError(f"a bank under all-done needs {LEAST_SECONDS} seconds or more for each turn; add more")
    return clock


@handles("get_clock")
def get_clock(session: Session, message: tp.GetClock) -> Frames:
    """Return the state of a game's clock, which must be durable.

    Raises RequestError, GameError, and NotAdmitted for a game that is closed to the account.
    """
    row, registry = row_of(session, message.game), session.host.registry
    clock = known_clock(row.clock)
    told = tp.Clock(game=row.name, clock=row.clock, words=row.clock if clock is None else clock.words())
    account = session.account
    told.owned = account is not None and registry.store.read(stored_ownership.creator_of, row.id) == account.id
    game = registry.games.get(row.id)
    if game is None and clock is not None and clock.bank is not None and row.state in ("waiting", "running", "paused"):
        with suppress(GameError, NotNow):  # all other values are known
            game = registry.with_id(row.id)  # the rules know which players use their time now
    if told.owned and account is not None:
        told.needs_consent = consent_is_needed(session, row, account.id)
    if row.state == "running" and row.due is not None and row.deadline is not None:
        told.due, told.ends = int(row.due), int(row.deadline)
    if game is not None:
        _tell_banks(told, game, registry.now())
        told.given = sum(game.counts.given)
        if told.owned and told.due:
            told.most = registry.clock_changes.most_time(game)
    frames = iter([session.payload(CLOCK, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([] if game is None else [game]))


@handles("extend_turn")
async def extend_turn(session: Session, message: tp.ExtendTurn) -> Answer:
    """Extend the current turn, or revoke the last extension.

    Raises NotAdmitted, GameError, NotNow, RequestError.
    """
    game, name = made_by_account(session, message.game, CHANGES, EXTENSION)
    refusals.check_turn(message, game.state.turn)
    if message.take_back:
        taken = await session.host.registry.clock_changes.take_time_back(game, name)
        return [okay(session.dialect, f"{duration(taken)} of this turn are taken back, and all players are notified")]
    await session.host.registry.clock_changes.give_time(game, message.seconds, name, maker=True)
    return [okay(session.dialect, f"This turn has {duration(message.seconds)} more, and all players are notified")]


@handles("set_clock")
async def set_clock(session: Session, message: tp.SetClock) -> Answer:
    """Give a game another clock. Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, CHANGES, CLOCK_KIND)
    clock = clock_for_players(message.clock)
    await session.host.registry.clock_changes.set_clock(game, clock, name, maker=True)
    text = f"The clock of {game.name} says now: {clock.words()}; all players are notified"
    return [okay(session.dialect, clock.with_notes(text, game.policy.absent_after))]


@handles("get_clock_groups")
def get_clock_groups(session: Session, message: tp.GetClockGroups) -> Answer:
    """Return the turns of a ruleset that may have a separate clock. Raises RequestError for an unknown ruleset."""
    rules = named_rules(session, message.ruleset)
    groups = [tp.ClockGroup(name=name, help=words) for name, words in rules.clock_groups.items()]
    return [session.payload(CLOCK_GROUPS, tp.ClockGroups(ruleset=rules.name, groups=groups))]


def _tell_banks(told: tp.Clock, game: Game, now: float) -> None:
    if game.clock.bank is None:
        return
    for player in game.players:
        used = turn_time.bank_used(game, player.seat, now) if game.started and not game.over else 0.0
        left = turn_time.bank_of(game, player.seat) - used
        told.banks.add(player=player.seat + 1, seconds=max(0, round(left)))
