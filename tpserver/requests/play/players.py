"""Requests about players, the time remaining, and finishing a turn."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tpserver.games.core import time_notices
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import REQUESTED
from tpserver.games.turns import order_intake
from tpserver.requests.session import refusals
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.paging import Ids, after, get_ids
from tpserver.requests.session.responses import Answer, Frames, okay
from tpserver.requests.session.session import Session, time_payload
from tpserver.store.idempotency import beside

PLAYER = BY_NAME["player"].number
NOBODY = 2**32 - 1
"""The player number -1 as an unsigned one: the owner of neutral pieces."""

HUMAN, BOT, VACANT, GUEST = "Human", "Bot", "Vacant", "Guest"
"""The races of players, which clients show after their names."""


def get_time_remaining(session: Session, message: tp.GetTimeRemaining) -> Answer:
    left = time_notices.time_left(session.seeing(), REQUESTED, session.host.registry.now())
    return [time_payload(session.dialect, left)]


def quick_time_remaining(session: Session, frame: RawFrame) -> bytes | None:
    """Respond to a well-formed GetTimeRemaining.

    Return None if calling the rules has changed the game, which must be saved.
    """
    game, dialect = session.game, frame.dialect
    if frame.body or game is None:
        return None
    left = time_notices.time_left(game, REQUESTED, session.host.registry.now())
    return dialect.join_payloads(frame.sequence, (time_payload(dialect, left),)) if game.saving.all_saved() else None


handles("get_time_remaining", quick=quick_time_remaining)(get_time_remaining)


@handles("finished_turn")
def finished_turn(session: Session, message: tp.FinishedTurn) -> Answer:
    """Mark the player's turn as finished.

    The response is sent when the mark is durable, without waiting for the end of the turn. Raises RequestError if the
    request names another turn.
    """
    game, seat = session.playing()
    refusals.check_turn(message, game.state.turn)
    if game.roll_is_called():
        session.host.registry.seat_changes.back(game, seat)  # old clients report their presence only by this
        return [okay(session.dialect, "You are here; the game begins when all are")]
    hint = order_intake.hint_for(game, seat)
    if not hint and game.started and not game.over and game.turn_clock.waits():
        hint = "the turn waits for its end, also if all are done before"
    registry = session.host.registry
    turn = game.state
    with beside():  # the request itself comes after it
        registry.seat_changes.back(game, seat)
    if game.state is turn:  # unless the return has ended the turn, as the bot had finished it already
        registry.turns.finished(game, seat)
    return [okay(session.dialect, f"You are done with this turn; {hint}" if hint else "You are done with this turn")]


@handles("unfinish_turn")
def unfinish_turn(session: Session, message: tp.UnfinishTurn) -> Answer:
    """Revoke FinishedTurn. Raises Refusal if the turn is being computed, RequestError if it is another one."""
    game, seat = session.playing()
    refusals.check_turn(message, game.state.turn)
    registry = session.host.registry
    taken_back = registry.turns.unfinished(game, seat)
    registry.seat_changes.back(game, seat)
    return [
        okay(session.dialect, "You are not done with this turn" if taken_back else "You were not done with this turn")
    ]


def player_ids(session: Session, fromtime: int) -> tuple[Ids, int]:
    game = session.seeing()
    ids = [(seat + 1, game.player_time(seat)) for seat in sorted(game.taken_for(session.seat))]
    return after(ids, fromtime), game.players_told()


handles("get_player_ids")(get_ids("player_ids", player_ids))


@handles("get_player")
def get_player(session: Session, message: tp.GetWithID) -> Frames:
    game = session.seeing()

    def one(number: int) -> bytes:
        found = (
            _neutral(game, number)
            or _spectator(session, number)
            or player_frame(session, game, session.number_of(number))
        )
        if found is None:
            return session.fail_payload(refusals.no_such("player", number, refusals.PLAYER))
        return session.payload(PLAYER, found)

    return Frames(session.dialect, len(message.ids), map(one, message.ids))


def _neutral(game: Game, number: int) -> tp.Player | None:
    """Return the owner of neutral pieces, who is in no list of players.

    Programs of 2010 fetch the player -1 of such a piece, and crash if the server refuses.
    """
    if number != NOBODY:
        return None
    return tp.Player(id=NOBODY, name="Neutral", modtime=int(game.row.created))


def _spectator(session: Session, number: int) -> tp.Player | None:
    """Return the spectator as a player, visible only to its own connection."""
    mine = session.number_of(0)
    if session.seat is not None or session.game is None or session.account is None or number not in (0, mine):
        return None
    return tp.Player(id=mine, name=session.account.name, race="Spectator", modtime=session.game.modtime)


def player_frame(session: Session, game: Game, number: int) -> tp.Player | None:
    """Return the player with a number as a message, or None."""
    seat = number - 1
    if seat not in game.taken_for(session.seat):
        return None
    registry = session.host.registry
    is_bot = registry.labels.is_bot(player := game.players[seat], game.hides_players) and not game.hides_seats
    race = BOT if is_bot else VACANT if player.record.vacant else HUMAN
    if race == HUMAN and not game.hides_players and registry.labels.is_guest(player):
        race = GUEST
    return tp.Player(id=number, name=game.name_for(seat, session.seat), race=race, modtime=game.player_time(seat))
