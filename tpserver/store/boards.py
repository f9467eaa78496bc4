"""Message boards: turn reports and what players write to each other."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from tpserver.store.errors import StoreError
from tpserver.store.tables import boards, messages


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message.

    ``board`` is the owner's player number (seat + 1); ``number`` rises on each board and is never used again, also not
    after the message was removed. ``sender`` is a player number, None for the game itself; ``references`` are pairs of
    kind and id.
    """

    game: int
    board: int
    number: int
    turn: int
    at: float
    sender: int | None
    subject: str
    body: str
    references: list[list[int]]


# Made once: to put a statement together costs more than to run it, and every turn of every game runs these.
_LAST = (
    select(boards.c.board, boards.c.last_number)
    .where(boards.c.game == bindparam("which_game"))
    .order_by(boards.c.board)
)
_RAISE = (
    update(boards)
    .where(boards.c.game == bindparam("which_game"), boards.c.board == bindparam("which_board"))
    .values(last_number=bindparam("last"))
)
_BEGIN = insert(boards)
_POST = insert(messages)


def post_all(c: Connection, posted: Iterable[StoredMessage]) -> None:
    """Add messages in their order. Raises StoreError, code ``number``, if a number does not rise on its board."""
    rows: list[dict[str, Any]] = []
    before: dict[int, dict[int, int]] = {}
    last: dict[tuple[int, int], int] = {}
    for message in posted:
        if message.game not in before:
            before[message.game] = last_numbers(c, message.game)
        board = (message.game, message.board)
        highest = last.get(board, before[message.game].get(message.board, -1))
        if message.number <= highest:
            raise StoreError(
                f"Message {message.number} cannot be put on board {message.board} of game {message.game}: "
                f"its numbers have reached {highest} and are never used again.",
                code="number",
            )
        last[board] = message.number
        rows.append({field.name: getattr(message, field.name) for field in fields(message)})
    if not rows:
        return
    old = [(key, number) for key, number in last.items() if key[1] in before[key[0]]]
    new = [(key, number) for key, number in last.items() if key[1] not in before[key[0]]]
    if old:
        changes = [{"which_game": game, "which_board": board, "last": number} for (game, board), number in old]
        c.execute(_RAISE, changes)
    if new:
        c.execute(_BEGIN, [{"game": game, "board": board, "last_number": number} for (game, board), number in new])
    c.execute(_POST, rows)


def all(c: Connection, game: int) -> list[StoredMessage]:  # noqa: A001 - always read as boards.all
    """Return every message of a game, ordered by board and number."""
    query = select(messages).where(messages.c.game == game).order_by(messages.c.board, messages.c.number)
    return [StoredMessage(**row._asdict()) for row in c.execute(query)]


def remove(c: Connection, game: int, board: int, number: int) -> bool:
    """Remove a message; return False if it is not there."""
    where = (messages.c.game == game) & (messages.c.board == board) & (messages.c.number == number)
    return c.execute(delete(messages).where(where)).rowcount == 1


def last_numbers(c: Connection, game: int) -> dict[int, int]:
    """Return the highest number that each board of a game has ever had, removed messages included."""
    rows = c.execute(_LAST, {"which_game": game})
    return {row.board: row.last_number for row in rows}
