"""Requests about the seats of a game: who plays them and who is away, and what the game does about that."""

from __future__ import annotations

from collections.abc import Sequence

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tprules.api.bots import has_bot
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.game import Game, Player
from tpserver.games.seat_changes import check_open
from tpserver.games.seating import RULES, SeatPolicy, policy_from, record_from
from tpserver.requests.game_setup import row_of
from tpserver.requests.login import saved
from tpserver.requests.responses import Frames, okay
from tpserver.requests.session import Answer, Session
from tpserver.store import creations as stored_creations
from tpserver.store import games as stored_games
from tpserver.store import reliability as stored_reliability

SEATS = BY_NAME["seats"].number


def policy_of(message: tp.SeatPolicy) -> SeatPolicy:
    """Return the policy that a client names; its bounds are not checked."""
    return SeatPolicy(absent_after=message.absent_after, absent=message.absent or RULES)


def policy_message(policy: SeatPolicy) -> tp.SeatPolicy:
    return tp.SeatPolicy(absent_after=policy.absent_after, absent=policy.absent)


def get_seats(session: Session, message: tp.GetSeats) -> Frames:
    """Return who plays the seats of a game.  Raises Refused, GameError, and NotAdmitted of a game for others.

    What is told of it must be durable.
    """
    row, registry = row_of(session, message.game, "GetSeats"), session.host.registry
    game = registry.games.get(row.id)
    players: Sequence[Player]
    if game is None:  # it is over, held or paused
        policy, seats = policy_from(row.policy), registry.store.read(stored_games.seats, row.id)
        players = [Player(one.seat, one.name, one.account, one.bot, record=record_from(one.record)) for one in seats]
    else:
        policy, players = game.policy, game.players
    told = tp.Seats(game=row.name, policy=policy_message(policy), words=policy.words())
    account = session.account
    told.owned = account is not None and registry.store.read(stored_creations.creator_of, row.id) == account.id
    rules = registry.rulesets.usable.get(row.ruleset)
    told.has_bot = rules is not None and has_bot(rules)
    accounts = [player.account for player in players if player.account is not None]
    of_all = registry.store.read(stored_reliability.of_accounts, accounts)
    awaited = [] if game is None or game.closing else game.awaited()
    for player in players:
        due, kept = of_all.get(player.account or 0, (0, 0))
        told.seats.add(
            player=player.seat + 1,
            name=player.name,
            bot=player.bot,
            awaited=player.seat in awaited,
            absent=game is not None and game.is_absent(player.seat),
            missed=player.record.missed,
            due=player.record.due,
            kept=player.record.kept,
            due_of_all=due,
            kept_of_all=kept,
            autopilot=player.record.autopilot,
            bot_plays=player.bot if game is None else game.bot_plays(player.seat),
        )
    frames = iter([session.payload(SEATS, told)])
    return Frames(session.dialect, 1, frames, settled=lambda: saved([] if game is None else [game]))


async def set_seat_policy(session: Session, message: tp.SetSeatPolicy) -> Answer:
    """Have a game do something else about absent players.  Raises NotAdmitted, GameError, NotNow."""
    game, name = made_by_account(session, message.game, "decides what becomes of absent players")
    await session.host.registry.seat_changes.set_policy(game, policy_of(message.policy), name, maker=True)
    game = session.host.registry.named(game.name)
    return [okay(session.dialect, f"In {game.name} now: {game.policy.words()}; all are told")]


def say_here(session: Session, message: tp.SayHere) -> Answer:
    """Note that an absent player is back.  Raises GameError, NotNow."""
    game, seat = session.playing("SayHere")
    if not game.is_absent(seat) and not game.players[seat].record.autopilot:
        return [okay(session.dialect, "The game waits for you as for all others")]
    check_open(game)
    session.host.registry.seat_changes.back(game, seat)
    return [okay(session.dialect, "You are back, and all are told")]


async def set_autopilot(session: Session, message: tp.SetAutopilot) -> Answer:
    """Leave the seat to the bot of the rules for some turns.  Raises GameError, NotNow."""
    game, seat = session.playing("SetAutopilot")
    await session.host.registry.seat_changes.set_autopilot(game, seat, message.turns)
    if not message.turns:
        return [okay(session.dialect, "You play yourself")]
    count = "this turn" if message.turns == 1 else f"{message.turns} turns, beginning with this one,"
    return [
        okay(session.dialect, f"The bot of the rules plays {count} for you, unless you give an order; all are told")
    ]


def made_by_account(session: Session, name: str, does: str) -> tuple[Game, str]:
    """Return a game that the account has made, and the account's name.  Raises NotAdmitted, GameError.

    ``does`` is what only such an account does, for the refusal.
    """
    registry, account = session.host.registry, session.account
    assert account is not None  # only who is logged in gets here
    game = registry.named(name)
    if registry.store.read(stored_creations.creator_of, game.row.id) != account.id:
        raise NotAdmitted(f"only who has made the game {game.name!r} {does}")
    return game, account.name
