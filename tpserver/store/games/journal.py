"""Journal of a game: its events in order, such as orders and closings.

The state of a game is its newest snapshot plus the entries with higher numbers than the snapshot's. Entries are never
changed. But one entry with the result may replace the entries about orders since the newest snapshot.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sqlalchemy import Connection, Dialect, delete, func, insert, select

from tpserver.store.errors import StoreError
from tpserver.store.tables import encode, journal

ORDER_KINDS = INSERT, REMOVE, REPLACE, QUEUES = ("insert", "remove", "replace", "queues")
"""Kinds of entries about the order queues."""

LATE, MORE_TIME, OTHER_CLOCK = "late", "more time", "clock"
"""Kinds of entries about the clock.

A turn is past its time and waits for late players, the turn got more time, or the game got another clock.
"""

BACK, SEAT_POLICY, AUTOPILOT, PLAYER, ROLL_CALL = "back", "seat policy", "autopilot", "player", "roll call"
SILENT = "silent"
"""Kinds of entries about seats and their players.

An absent player is back, the game has another seat policy, or a player leaves the seat to the bot for some turns. A
seat has another player, a bot, or nobody. All players are asked before the start whether they are present. The game no
longer waits for a silent player.
"""

PROPOSAL, VOTE, LAPSED, RESIGNED, NUDGED = "proposal", "vote", "lapsed", "resigned", "nudged"
"""Kinds of entries about agreements of the players.

A player has made a proposal, voted or withdrawn it, resigned, or reminded others, or a proposal has lapsed. The effect
of an agreement has its usual kind of entry, with the proposal's number.
"""

ON_VACATION = "vacation"
"""Kind of entry: a player sets or ends a vacation, in which turns wait."""

OF_PLAYERS = (PROPOSAL, VOTE, LAPSED, RESIGNED, NUDGED, ON_VACATION)
OF_SEATS = (BACK, SEAT_POLICY, AUTOPILOT, PLAYER, ROLL_CALL, SILENT)
ABORT = "abort"
"""Kind of entry: the owner or the operator has ended the game without a result."""

OF_GAMES = ("seat", "start", "finished", "unfinished", "close", "pause", "resume", "hold", ABORT)
KINDS = frozenset({*ORDER_KINDS, *OF_GAMES, *OF_PLAYERS, *OF_SEATS, LATE, MORE_TIME, OTHER_CLOCK})
"""All kinds of entries."""

# The values of a row for the driver, in the order of the table's columns.
JournalValues = tuple[int, int, int, float, int | None, str, str]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One entry of the journal of a game.

    ``number`` is chosen by the caller and increases by one per game from 1. ``at`` is in UTC unix seconds. ``kind`` is
    one of ``KINDS``. The kind "queues" replaces all earlier changes of orders in its turn; their numbers are missing.
    ``body`` depends on the kind and is stored as JSON.
    """

    game: int
    number: int
    turn: int
    at: float
    seat: int | None
    kind: str
    body: Any

    def values(self) -> JournalValues:
        """Return the parameters for ``insertion``. Raises what ``tables.encode`` raises."""
        return (self.game, self.number, self.turn, self.at, self.seat, self.kind, encode(self.body))


_SELECT = select(journal).order_by(journal.c.number)
_insertions: dict[tuple[str, int], str] = {}

AT_ONCE = (512, 64, 8, 1)
"""Numbers of rows per INSERT statement; the last is 1. 512 rows of seven values are within SQLite's limit of
32,766."""


def insertion(dialect: Dialect, rows: int = 1) -> str:
    """Return the driver's INSERT statement for that many rows.

    Its parameters are ``JournalEntry.values()`` of each row, one after the other. The statement is compiled once and
    run through ``exec_driver_sql``. SQLAlchemy's expression language costs more per row than the database does. The
    dialect's parameters must be positional, as the store's engines are set up.
    """
    statement = _insertions.get((dialect.paramstyle, rows))
    if statement is None:
        compiled = insert(journal).compile(dialect=dialect)
        if getattr(compiled, "positiontup", None) != [column.name for column in journal.c]:
            raise TypeError(f"the parameters of {dialect.name} are not positional: {compiled}")
        head, values = str(compiled).split(" VALUES ", 1)
        statement = _insertions[dialect.paramstyle, rows] = f"{head} VALUES {', '.join([values] * rows)}"
    return statement


def append_all(execute: Callable[[str, Any], Any], dialect: Dialect, rows: Sequence[JournalValues]) -> None:
    """Add entries in as few statements as possible.

    ``execute`` runs a statement with its parameters, and its errors are raised. The driver releases the interpreter
    lock during each statement and must acquire it again. On a busy server that takes longer than the statement, so one
    statement per row would be too slow.
    """
    start = 0
    for size in AT_ONCE:
        while len(rows) - start >= size:
            values = tuple(chain.from_iterable(rows[start : start + size]))
            execute(insertion(dialect, size), values)
            start += size


def append(c: Connection, entry: JournalEntry) -> None:
    """Add an entry in the present transaction. Raises sqlalchemy's IntegrityError if its number exists already."""
    c.exec_driver_sql(insertion(c.dialect), entry.values())


def replace_orders(c: Connection, entry: JournalEntry, body: str, after: int, replaced: int) -> None:
    """Replace the entries about orders with numbers between ``after`` and that of ``entry`` by ``entry``.

    ``body`` is its body as ``tables.encode`` returns it; that in ``entry`` is ignored. Raises StoreError, code
    ``entry``, if there are not exactly ``replaced`` of them: then memory and journal disagree.
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
    """Return the entries with numbers above ``number``, in order."""
    rows = c.execute(_SELECT.where(journal.c.game == game, journal.c.number > number))
    return [JournalEntry(*row) for row in rows]


def between(c: Connection, game: int, after: int, until: int) -> list[JournalEntry]:
    """Return the entries with numbers above ``after`` and up to ``until``, in order."""
    rows = c.execute(_SELECT.where(journal.c.game == game, journal.c.number.between(after + 1, until)))
    return [JournalEntry(*row) for row in rows]


def orders_between(c: Connection, game: int, after: int, before: int | None) -> list[JournalEntry]:
    """Return the entries about orders with numbers above ``after`` and, unless that is None, below ``before``."""
    where = (journal.c.game == game) & (journal.c.number > after) & journal.c.kind.in_(ORDER_KINDS)
    if before is not None:
        where &= journal.c.number < before
    return [JournalEntry(*row) for row in c.execute(_SELECT.where(where))]


def newest(c: Connection, game: int, kind: str) -> JournalEntry | None:
    """Return the newest entry of a kind; None if there is none."""
    where = (journal.c.game == game) & (journal.c.kind == kind)
    found = c.execute(select(journal).where(where).order_by(journal.c.number.desc()).limit(1)).first()
    return None if found is None else JournalEntry(*found)


def by_number(c: Connection, game: int, number: int) -> JournalEntry | None:
    """Return the entry with this number; None if there is none."""
    found = c.execute(select(journal).where(journal.c.game == game, journal.c.number == number)).first()
    return None if found is None else JournalEntry(*found)


def last_number(c: Connection, game: int) -> int:
    """Return the number of the newest entry, 0 if there is none."""
    number = c.execute(select(func.max(journal.c.number)).where(journal.c.game == game)).scalar_one()
    return 0 if number is None else int(number)
