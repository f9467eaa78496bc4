"""Old turns: who may look at one, and the request for another one in its place."""

from __future__ import annotations

from tpproto import tp_pb2 as tp
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tprules.api import Seat
from tpserver.accounts.accounts import NotAdmitted
from tpserver.games.delay import UNWATCHED, delay_of, is_shown_later, later, newest_shown, not_yet
from tpserver.games.game import Game, durable
from tpserver.games.history import NoSuchTurn, PastGame
from tpserver.requests.refusals import Refused
from tpserver.requests.session import Answer, Session
from tpserver.store.accounts import Account

LAST_TURN = 999_999_999
"""No game has a turn after this one."""


TURN_SHOWN = BY_NAME["turn_shown"].number


async def opened(
    session: Session, account: Account, game: Game, turn: int | None, before: PastGame | None = None
) -> tuple[PastGame, Seat | None]:
    """Return a turn of a game as an account may see it, and the account's seat; ``turn`` None is one that there cannot
    be, ``before`` is what the session shows now.  Raises NotAdmitted, and what ``History.open`` raises."""
    seat = game.seat_of(account.id)
    if seat is None and delay_of(game.row):
        await durable(game)  # an end that is not saved yet may come to nothing, and then all is still hidden
        game = session.host.registry.with_id(game.row.id)
        seat = game.seat_of(account.id)
    if seat is None and game.row.join != "open" and not session.owns(game.row.id, account):
        raise NotAdmitted(f"the game {game.name!r} is for invited players only; nobody else may see its turns")
    if seat is None and is_shown_later(game.row):
        _check_shown(game, turn)
    if before is not None and seat != session.seat:
        raise NotAdmitted(
            f"your seat in {game.name!r} is another one since you logged in; log in again to see its turns"
        )
    history = session.host.history
    return await history.open(session, account.id, game, seat, turn, lambda: not session.gone, before), seat


def _check_shown(game: Game, turn: int | None) -> None:
    """Raise GameError unless a turn is one of those that whoever has no seat sees of a game that is shown later."""
    newest = newest_shown(game)
    if delay_of(game.row) == UNWATCHED:
        raise NotAdmitted(f"whoever has no seat in the game {game.name!r} sees its turns when it is over")
    if newest is None:
        raise NoSuchTurn(not_yet(game))
    if turn is None or turn > newest:
        shows = f"the game {game.name} shows its turns {later(delay_of(game.row))} to whoever has no seat in it"
        raise NoSuchTurn(f"{shows}; the newest that can be seen now is turn {newest}")


async def show_turn(session: Session, message: tp.ShowTurn) -> Answer:
    """Show another turn in place of the one that the session looks at.  Raises Refused, and then shows that still."""
    before, account = session.seeing("ShowTurn"), session.account
    if not isinstance(before, PastGame) or before.is_watched or account is None:
        name = "name" if account is None else account.name
        text = f"ShowTurn is for who looks at an old turn; log in as {name}@{before.name}/turn/{message.turn}"
        raise Refused(FailCode.UNAVAILABLE_PERMANENTLY, text)
    game = session.host.registry.with_id(before.row.id)
    turn = message.turn if message.turn <= LAST_TURN else None
    shown, _ = await opened(session, account, game, turn, before)
    session.show(shown)
    return [session.payload(TURN_SHOWN, tp.TurnShown(turn=shown.turn, turn_name=shown.title()))]
