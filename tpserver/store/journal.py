"""The journal: every order insertion, removal, finished mark and change of the clock of a game.

The truth of a game is its newest snapshot and the entries with a larger number than the snapshot's. Entries are never
changed; those about orders since the newest snapshot may together be replaced by one that says what came of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Dialect, delete, func, insert, select

from tpserver.store.documents import encode
from tpserver.store.errors import StoreError
from tpserver.store.tables import journal

ORDER_KINDS = INSERT, REMOVE, REPLACE, QUEUES = ("insert", "remove", "replace", "queues")
"""The kinds of entries that say what is in the order queues."""

# What one row is for the driver; the order is that of the table's columns.
JournalValues = tuple[int, int, int, float, int | None, str, str]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One entry. ``number`` rises by one per game from 1 and is chosen by the caller; ``at`` is UTC unix seconds.

    ``kind`` says what happened: "seat", "start", "insert", "replace", "remove", "finished", "close", "pause", "resume"
    or "hold"; "queues" stands for all changes of orders in its turn before it (numbers that are missing were theirs).
    ``body`` is whatever the kind needs, as JSON has it.
    """

    game: int
    number: int
    turn: int
    at: float
    seat: int | None
    kind: str
    body: Any

    def values(self) -> JournalValues:
        """Return the row for ``insertion``. Raises what ``documents.encode`` raises."""
        return (self.game, self.number, self.turn, self.at, self.seat, self.kind, encode(self.body))


_SELECT = select(journal).order_by(journal.c.number)
_insertions: dict[tuple[str, int], str] = {}

AT_ONCE = (512, 64, 8, 1)
"""How many entries one statement may insert; the last is 1.  512 rows of seven values are within SQLite's 32,766."""


def insertion(dialect: Dialect, rows: int = 1) -> str:
    """Return the driver's INSERT for so many ``JournalEntry.values()``, one after the other as its parameters.

    Compiled once and run through ``exec_driver_sql``: going through the expression language costs more for each row
    than the database does. The dialect's parameters must be positional, as the store's engines are set up.
    """
    statement = _insertions.get((dialect.paramstyle, rows))
    if statement is None:
        compiled = insert(journal).compile(dialect=dialect)
        if getattr(compiled, "positiontup", None) != [column.name for column in journal.c]:
            raise TypeError(f"the parameters of {dialect.name} are not positional: {compiled}")
        head, values = str(compiled).split(" VALUES ", 1)
        statement = _insertions[dialect.paramstyle, rows] = f"{head} VALUES {', '.join([values] * rows)}"
    return statement


def append_all(c: Connection, rows: Sequence[JournalValues]) -> None:
    """Add entries in as few statements as may be. Raises sqlalchemy's IntegrityError as ``append`` does.

    A driver lets other threads run during each statement and then waits for its turn to go on, which on a busy server
    costs more than the statement: a statement for each row makes the writer's thread crawl.
    """
    start = 0
    for size in AT_ONCE:
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            c.exec_driver_sql(insertion(c.dialect, size), values)
            start += size


def append(c: Connection, entry: JournalEntry) -> None:
    """Add an entry as part of a unit of work. Raises sqlalchemy's IntegrityError if its number is there already."""
    c.exec_driver_sql(insertion(c.dialect), entry.values())


def replace_orders(c: Connection, entry: JournalEntry, body: str, after: int, replaced: int) -> None:
    """Put ``entry`` in the place of the entries about orders with numbers between ``after`` and its own.

    ``body`` is its body as ``documents.encode`` gives it; the one in ``entry`` is not looked at. Raises StoreError,
    code ``entry``, if there are not exactly ``replaced`` of them: then memory and journal do not say the same.
    """
    where = (
        (journal.c.game == entry.game)
        & journal.c.number.between(after + 1, entry.number - 1)
        & journal.c.kind.in_(ORDER_KINDS)
    )
    found = c.execute(delete(journal).where(where)).rowcount
    if found != replaced:
        what = f"Entry {entry.number} of game {entry.game}"
        raise StoreError(f"{what} stands for {replaced} others and cannot take the place of {found}.", code="entry")
    c.exec_driver_sql(insertion(c.dialect), (*entry.values()[:-1], body))


def after(c: Connection, game: int, number: int) -> list[JournalEntry]:
    """Return the entries with a larger number than ``number``, in order."""
    rows = c.execute(_SELECT.where(journal.c.game == game, journal.c.number > number))
    return [JournalEntry(*row) for row in rows]


def all(c: Connection, game: int) -> Iterator[JournalEntry]:  # noqa: A001 - always read as journal.all
    """Yield every entry in order, a few hundred in memory at a time; take them before the connection is given back."""
    rows = c.execution_options(yield_per=500).execute(_SELECT.where(journal.c.game == game))
    for row in rows:
        yield JournalEntry(*row)


def last_number(c: Connection, game: int) -> int:
    """Return the number of the newest entry, 0 if there is none."""
    number = c.execute(select(func.max(journal.c.number)).where(journal.c.game == game)).scalar_one()
    return 0 if number is None else int(number)
