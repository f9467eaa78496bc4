"""Message boards: turn reports, and messages between players."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Text, bindparam, delete, func, insert, select, type_coerce, update

from tpserver.store.errors import StoreError
from tpserver.store.tables import boards, encode, messages, values_of


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """One message.

    ``board`` is the owner's player number (seat + 1). ``number`` increases on each board and is never reused, not even
    after the message was removed. ``sender`` is a player number, None for the game itself. ``references`` are pairs of
    type and id.
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

    @property
    def size(self) -> int:
        """Size in the store, in bytes."""
        return stored_size(self.subject, self.body, self.references)


@dataclass(frozen=True, slots=True)
class Listed:
    """A message without its text; ``size`` is its bytes in the store."""

    board: int
    number: int
    sender: int | None
    size: int


@dataclass(frozen=True, slots=True)
class Delivery:
    """Messages that one transaction puts on the boards of a game.

    Each of ``notes`` replaces the message with its number and all older ones on its board.
    """

    messages: Sequence[StoredMessage]
    notes: Sequence[StoredMessage] = ()


def stored_size(subject: str, body: str, references: list[list[int]]) -> int:
    """Return the bytes that a message with these texts takes in the store."""
    return len(encode(subject)) + len(encode(body)) + len(encode(references))


# Compiled once: building a statement takes longer than running it. These run in every turn of every game.
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
_OF_GAME = messages.c.game == bindparam("which_game")
_OF_BOARD = _OF_GAME & (messages.c.board == bindparam("which_board"))
_REMOVE = delete(messages).where(_OF_BOARD, messages.c.number == bindparam("which_number"))
_DISPLACE = delete(messages).where(_OF_BOARD, messages.c.number <= bindparam("which_number"))
_TEXTS = (
    select(messages)
    .where(_OF_BOARD, messages.c.number.in_(bindparam("numbers", expanding=True)))
    .order_by(messages.c.number)
)
# The texts are stored as ASCII, so their lengths are bytes.
_LISTED = select(
    messages.c.board,
    messages.c.number,
    messages.c.sender,
    (
        func.length(type_coerce(messages.c.subject, Text))
        + func.length(type_coerce(messages.c.body, Text))
        + func.length(type_coerce(messages.c.references, Text))
    ).label("size"),
).order_by(messages.c.board, messages.c.number)
_LISTING = _LISTED.where(_OF_GAME)
_LISTING_UNTIL = _LISTED.where(_OF_BOARD, messages.c.turn <= bindparam("last_turn"))


def deliver(c: Connection, delivery: Delivery) -> None:
    """Put messages on their boards, after making room for them. Raises the errors of ``post_all``."""
    for note in delivery.notes:
        c.execute(_DISPLACE, {"which_game": note.game, "which_board": note.board, "which_number": note.number})
    if delivery.notes:
        c.execute(_POST, [values_of(note) for note in delivery.notes])
    post_all(c, delivery.messages)


def post_all(c: Connection, posted: Iterable[StoredMessage]) -> None:
    """Add messages in order. Raises StoreError, code ``number``, if a number does not increase on its board."""
    posted = list(posted)
    before = {
        (game, board): number
        for game in {message.game for message in posted}
        for board, number in last_numbers(c, game).items()
    }
    last = dict(before)
    for message in posted:
        highest = last.get((message.game, message.board), -1)
        if message.number <= highest:
            raise StoreError(
                f"Message {message.number} cannot be put on board {message.board} of game {message.game}: "
                f"its numbers have reached {highest} and are never used again.",
                code="number",
            )
        last[message.game, message.board] = message.number
    changed = [(board, number) for board, number in last.items() if before.get(board) != number]
    if old := [(board, number) for board, number in changed if board in before]:
        c.execute(_RAISE, [{"which_game": game, "which_board": board, "last": number} for (game, board), number in old])
    if new := [(board, number) for board, number in changed if board not in before]:
        c.execute(_BEGIN, [{"game": game, "board": board, "last_number": number} for (game, board), number in new])
    if posted:
        c.execute(_POST, [values_of(message) for message in posted])


def listing(c: Connection, game: int) -> list[Listed]:
    """Return all messages on the boards of a game without their texts, ordered by board and number."""
    return [Listed(*row) for row in c.execute(_LISTING, {"which_game": game})]


def listing_until(c: Connection, game: int, board: int, turn: int) -> list[Listed]:
    """Return the messages of a board up to a turn, without their texts, ordered by number."""
    rows = c.execute(_LISTING_UNTIL, {"which_game": game, "which_board": board, "last_turn": turn})
    return [Listed(*row) for row in rows]


def texts(c: Connection, game: int, board: int, numbers: Collection[int]) -> dict[int, StoredMessage]:
    """Return the existing messages among these numbers of a board."""
    rows = c.execute(_TEXTS, {"which_game": game, "which_board": board, "numbers": list(numbers)})
    return {row.number: StoredMessage(**row._asdict()) for row in rows}


def remove(c: Connection, game: int, board: int, numbers: Iterable[int]) -> None:
    """Remove messages; numbers without a message are ignored."""
    rows = [{"which_game": game, "which_board": board, "which_number": number} for number in numbers]
    if rows:
        c.execute(_REMOVE, rows)


def last_numbers(c: Connection, game: int) -> dict[int, int]:
    """Return the highest number ever used on each board of a game, removed messages included."""
    rows = c.execute(_LAST, {"which_game": game})
    return {row.board: row.last_number for row in rows}
