"""Stored data of one turn: snapshot, orders, and the board of that time.

Snapshots are never removed, but may be thinned. Then the result includes the data to compute the turn again.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from tpserver.store import tables
from tpserver.store.games import boards, journal, snapshots
from tpserver.store.games import rows as games
from tpserver.store.games.journal import JournalEntry
from tpserver.store.games.rows import GameRow, SeatRow
from tpserver.store.games.snapshots import Snapshot

MOST_STEPS = 250
"""Maximum turns that are computed again for a later one."""

MOST_ENTRIES = 50_000
"""Maximum entries of the journal for such a computation."""


@dataclass(frozen=True, slots=True)
class Way:
    """Data from which a turn with a thinned snapshot is computed again."""

    start: Snapshot
    """The newest kept turn before it, or one that the caller has computed."""
    earlier: Snapshot | None
    """The turn before ``start``, if needed: the closing of ``start`` refers to it."""
    entries: list[JournalEntry]
    """The journal after ``start``, up to the closing that began the turn."""
    digests: dict[int, str]
    """The digests of the turns after ``start``, by turn."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn of a game, for one seat."""

    row: GameRow
    """The present row of the game."""
    seats: list[SeatRow]
    turns: list[int]
    """All turns with a snapshot, in order, if the requested turn does not exist; else empty."""
    snapshot: Snapshot | None
    """The game as the turn began; None if the turn does not exist."""
    orders: list[JournalEntry]
    """The changes of orders in the turn until it closed, or until now for the newest turn."""
    listed: list[boards.Listed]
    """Messages on the seat's board that existed when the turn closed."""
    way: Way | None
    """Data to compute a thinned turn again. None if the snapshot is complete, or the computation is too long."""


def stored_turn(
    c: Connection, game: int, turn: int | None, seat: int | None, known: tuple[Snapshot, Snapshot | None] | None = None
) -> StoredTurn | None:
    """Return the stored data of a turn, or None for an unknown game.

    With ``turn`` None only the existing turns are returned. Orders and messages are read for a seat only; without one,
    both are empty. ``known`` is a turn of the game that was computed again, and the turn before it. A computation from
    there may be shorter.
    """
    row = games.by_id(c, game)
    if row is None:
        return None
    found = None if turn is None else snapshots.by_turn(c, game, turn)
    orders: list[JournalEntry] = []
    listed: list[boards.Listed] = []
    if found is not None and seat is not None:
        closed = snapshots.closed_by(c, game, found.turn)
        orders = journal.orders_between(c, game, found.journal_number, closed)
        listed = boards.listing_until(c, game, seat + 1, found.turn)
    turns = snapshots.turns(c, game) if found is None else []
    way = None if found is None or not found.thinned else _way(c, found, known)
    return StoredTurn(row, games.seats(c, game), turns, found, orders, listed, way)


def _way(c: Connection, found: Snapshot, known: tuple[Snapshot, Snapshot | None] | None) -> Way | None:
    """Return the data to compute a thinned turn again; None if there are more than MOST_STEPS or MOST_ENTRIES."""
    start, earlier = _start(c, found)
    if known is not None and start is not None and start.turn < known[0].turn <= found.turn:
        start, earlier = known
    if start is None or found.turn - start.turn > MOST_STEPS:
        return None
    where = (tables.journal.c.game == found.game) & tables.journal.c.number.between(
        start.journal_number + 1, found.journal_number
    )
    if (c.scalar(select(func.count()).select_from(tables.journal).where(where)) or 0) > MOST_ENTRIES:
        return None
    entries = journal.between(c, found.game, start.journal_number, found.journal_number)
    return Way(start, earlier, entries, snapshots.digests_between(c, found.game, start.turn, found.turn))


def _start(c: Connection, found: Snapshot) -> tuple[Snapshot | None, Snapshot | None]:
    """Return the newest kept turn before one from which a replay can start, and its predecessor if needed."""
    start = snapshots.kept_before(c, found.game, found.turn)
    while start is not None:
        number = snapshots.closed_by(c, found.game, start.turn)
        closing = None if number is None else journal.by_number(c, found.game, number)
        if closing is None or not isinstance(closing.body, dict) or "back" not in closing.body:
            return start, None
        earlier = snapshots.by_turn(c, found.game, start.turn - 1)
        if earlier is not None and not earlier.thinned:
            return start, earlier
        start = snapshots.kept_before(c, found.game, start.turn)
    return None, None
