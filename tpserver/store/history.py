"""What the store holds of one turn of a game: its snapshot, what was ordered in it, and what was on a board by then.

Snapshots are never removed, so every turn since the opening can be read.
"""

from dataclasses import dataclass

from sqlalchemy import Connection

from tpserver.store import boards, games, journal, snapshots
from tpserver.store.games import GameRow, SeatRow
from tpserver.store.journal import JournalEntry
from tpserver.store.snapshots import Snapshot


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One turn of a game, for one seat."""

    row: GameRow
    """The game as it is now."""
    seats: list[SeatRow]
    turns: list[int]
    """If there is no such turn: all of which there is a snapshot, in order; else empty."""
    snapshot: Snapshot | None
    """The game as the turn began; None if there is no such turn."""
    orders: list[JournalEntry]
    """The changes of orders in the turn, until it closed; of the newest turn, until now."""
    listed: list[boards.Listed]
    """What is on the seat's board and was there when the turn closed."""


def stored_turn(c: Connection, game: int, turn: int | None, seat: int | None) -> StoredTurn | None:
    """Return what is stored of a turn (None: only which turns there are); None if there is no such game.

    Orders and messages are read for a seat only: without one, both are empty.
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
    return StoredTurn(row, games.seats(c, game), turns, found, orders, listed)
