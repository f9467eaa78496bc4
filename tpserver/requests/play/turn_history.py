"""Turn history: access rules, and the request to show an old turn."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import Seat
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.core import phases
from tpserver.games.core.delayed_turn import newest_shown, not_yet
from tpserver.games.core.game import Game, durable
from tpserver.games.stored.history import NoSuchTurn, PastGame
from tpserver.games.terms.delay import UNWATCHED, delay_of, is_shown_later, later
from tpserver.requests.session.handlers import handles
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import Answer
from tpserver.requests.session.session import Session
from tpserver.store.people.accounts import Account

LAST_TURN = 999_999_999
"""No game has a turn after this one."""


TURN_SHOWN = BY_NAME["turn_shown"].number


async def opened(
    session: Session, account: Account, game: Game, turn: int | None, before: PastGame | None = None
) -> tuple[PastGame, Seat | None]:
    """Return a turn of a game that an account may see, and its seat.

    ``turn`` None is a turn that cannot exist. ``before`` is the turn that the session shows now. Raises NotAdmitted,
    and the errors of ``History.open``.
    """
    seat = game.seat_of(account.id)
    if seat is None and delay_of(game.row):
        await durable(game)  # an unsaved end may be lost, and then everything is still hidden
        game = session.host.registry.with_id(game.row.id)
        seat = game.seat_of(account.id)
    if seat is None and game.row.join != "open" and not session.owns(game.row.id, account):
        raise NotAdmitted(f"the game {game.name!r} is for invited players only; its turns are not shown to others")
    if seat is None and is_shown_later(game.row):
        _check_shown(game, turn)
    if before is not None and seat != session.seat:
        raise NotAdmitted(f"your seat in {game.name!r} has changed since you logged in; log in again to see its turns")
    history = session.host.history
    return await history.open(session, account.id, game, seat, turn, lambda: not session.gone, before), seat


def _check_shown(game: Game, turn: int | None) -> None:
    """Raise GameError unless spectators of a delayed game may see a turn of it."""
    newest = newest_shown(game)
    if delay_of(game.row) == UNWATCHED:
        raise NotAdmitted(f"spectators of the game {game.name!r} see its turns only after it is over")
    if newest is None:
        raise NoSuchTurn(not_yet(game))
    if turn is None or turn > newest:
        shows = f"the game {game.name} shows its turns to spectators {later(delay_of(game.row))}"
        raise NoSuchTurn(f"{shows}; the newest that can be seen now is turn {newest}")


@handles("show_turn")
async def show_turn(session: Session, message: tp.ShowTurn) -> Answer:
    """Show another turn. Raises RequestError, and then still shows the earlier turn."""
    before, account = session.seeing(), session.account
    if not isinstance(before, PastGame) or before.is_watched or account is None:
        name = "name" if account is None else account.name
        text = f"this connection does not show an old turn; log in as {name}@{before.name}/turn/{message.turn}"
        raise RequestError(FailCode.UNAVAILABLE_PERMANENTLY, text)
    game = session.host.registry.with_id(before.row.id)
    turn = message.turn if message.turn <= LAST_TURN else None
    shown, _ = await opened(session, account, game, turn, before)
    session.show(shown)
    return [session.payload(TURN_SHOWN, tp.TurnShown(turn=shown.turn, turn_name=phases.title(shown)))]
