"""Export of everything stored about a game, as rows of JSON.

The rows do not contain the number of the game or the numbers of accounts.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    Integer,
    LargeBinary,
    Table,
    Text,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError

from tpserver.store import tables
from tpserver.store.copies.database_copy import ROWS_AT_ONCE
from tpserver.store.errors import NameTaken, StoreError
from tpserver.store.games import journal
from tpserver.store.games import rows as games
from tpserver.store.games.rows import GameRow
from tpserver.store.tables import LARGEST_INTEGER, Document, PackedDocument, name_key

TABLES: Mapping[str, Table] = {
    one.name: one
    for one in (
        tables.games,
        tables.seats,
        tables.journal,
        tables.snapshots,
        tables.views,
        tables.summaries,
        tables.scores,
        tables.boards,
        tables.messages,
        tables.proposals,
    )
}
"""Tables with rows of a game, in the order in which they can be filled.

Data of this server only is omitted: the owner, last-seen markers, and messages of spectators.
"""

_LEFT_OUT = {"games": ("id", "name_key", "wake", "resting", "node", "epoch")}
_LATER = {
    "games": ("policy", "press", "anonymous", "watch_delay", "guests"),
    "seats": ("record",),
    "snapshots": ("thinned",),
    "proposals": ("arguments",),
}
"""Columns that files of older versions lack; they are empty then."""

_SHAPES: Mapping[tuple[str, str], Any] = {
    ("games", "options"): dict,
    ("games", "policy"): dict | None,
    ("seats", "record"): dict | None,
    ("snapshots", "state"): dict,
    ("snapshots", "events"): list,
    ("summaries", "reports"): list,
    ("scores", "figures"): list,
    ("messages", "subject"): str,
    ("messages", "body"): str,
    ("messages", "references"): list,
    ("proposals", "votes"): list,
    ("proposals", "arguments"): dict | None,
}
"""Types of the documents in columns, by table and column. Other columns may have any type."""

Row = dict[str, Any]


class BadRow(ValueError):
    """A row does not fit its table. The message completes "it is refused because"."""


def _columns(one: Table) -> list[Column[Any]]:
    """Return the exported columns of a table: all except the number of the game."""
    left_out = _LEFT_OUT.get(one.name, ("game",))
    return [column for column in one.columns if column.name not in left_out]


def rows_of(c: Connection, game: int) -> Iterator[tuple[str, Row]]:
    """Yield table and row of all stored data of a game, in an order for its restore.

    A seat has the name of its account.
    """
    names = {row.id: row.name for row in c.execute(select(tables.accounts.c.id, tables.accounts.c.name))}
    for name, one in TABLES.items():
        columns = _columns(one)
        key = one.c.id if name == "games" else one.c.game
        query = select(*columns).where(key == game).order_by(*one.primary_key.columns)
        # An option of the statement, not of the connection: its later statements, even to delete, would be read through
        # a cursor.
        for found in c.execute(query, execution_options={"yield_per": ROWS_AT_ONCE}):
            row = {column.name: _told(column, value) for column, value in zip(columns, found, strict=True)}
            if name == "seats":
                row["account"] = None if row["account"] is None else names[row["account"]]
            yield name, row


def _told(column: Column[Any], value: Any) -> Any:
    return base64.b64encode(value).decode() if isinstance(column.type, LargeBinary) and value is not None else value


def check(name: str, row: object) -> Row:
    """Return a row for the table, without numbers of games and accounts. Raises BadRow."""
    one = TABLES.get(name)
    if one is None:
        raise BadRow(f"there is no table {name!r} of games")
    columns = {column.name: column for column in _columns(one)}
    if isinstance(row, dict):
        row = {**dict.fromkeys(_LATER.get(name, ())), **row}
    if not isinstance(row, dict) or row.keys() != columns.keys():
        raise BadRow(f"a row of {name} has {', '.join(columns)}")
    return {key: _checked(name, columns[key], value) for key, value in row.items()}


def _checked(name: str, column: Column[Any], value: Any) -> Any:
    kind: Any = column.type
    if isinstance(kind, (Document, PackedDocument)):
        if not isinstance(value, _SHAPES.get((name, column.name), object)):
            raise BadRow(f"{column.name} of {name} cannot be {value!r:.60}")
        return value
    if (name, column.name) == ("journal", "kind") and value not in journal.KINDS:
        raise BadRow(f"there are no journal entries of the kind {value!r:.60}")
    if value is None and column.nullable:
        return None
    if (name, column.name) == ("seats", "account"):
        fits = isinstance(value, str)
    elif isinstance(kind, Boolean):
        fits = isinstance(value, bool)
    elif isinstance(kind, Integer):
        fits = type(value) is int and -LARGEST_INTEGER <= value <= LARGEST_INTEGER
    elif isinstance(kind, Double):
        fits = type(value) in (int, float) and math.isfinite(value)
    elif isinstance(kind, LargeBinary):
        try:
            return base64.b64decode(value, validate=True)
        except (TypeError, ValueError, binascii.Error):
            fits = False
    else:
        fits = isinstance(kind, Text) and isinstance(value, str) and "\0" not in value
    if not fits:
        raise BadRow(f"{column.name} of {name} cannot be {value!r:.60}")
    return value


def put(
    c: Connection,
    rows: Iterable[tuple[str, Row]],
    name: str,
    accounts: Mapping[str, tuple[int, str]],
    now: float,
    taken_at: float,
) -> GameRow:
    """Add a game from rows that ``check`` has returned, and return its own row.

    ``name`` is its new name. ``accounts`` are number and name here of the accounts that the seats name. A game that was
    running at ``taken_at`` is paused with the time that its turn had left then. Raises NameTaken, and StoreError, code
    "entry", if the rows contradict each other.
    """
    if games.by_name(c, name) is not None:
        raise NameTaken("a game", name)
    game = 0
    waiting: list[Row] = []
    at = ""
    try:
        for where, row in rows:
            if (where == "games") != (game == 0):
                raise StoreError("There is one row of games, and it comes first.", code="entry")
            if where != at or len(waiting) >= ROWS_AT_ONCE:
                _insert(c, at, waiting)
                waiting, at = [], where
            if where == "games":
                row = {**row, "name": name, "name_key": name_key(name)}
                game = c.execute(insert(tables.games).values(row).returning(tables.games.c.id)).scalar_one()
                continue
            if where == "seats" and row["account"] is not None:
                number, called = accounts[row["account"]]
                row = {**row, "account": number, "name": called}
            waiting.append({**row, "game": game})
        _insert(c, at, waiting)
    except IntegrityError as error:
        raise StoreError(f"The rows of {at} contradict others ({error.orig}).", code="entry") from None
    made = games.by_id(c, game)
    if made is None:
        raise StoreError("There is no row of games.", code="entry")
    if made.state == "running":
        left = None if made.due is None else made.due - taken_at
        games.update(c, game, state="paused", deadline=None, left=left)
        entry = journal.last_number(c, game) + 1
        journal.append(c, journal.JournalEntry(game, entry, made.turn, now, None, "pause", None))
        made = games.by_id(c, game)
        assert made is not None
    return made


def _insert(c: Connection, name: str, rows: Sequence[Row]) -> None:
    if rows:
        c.execute(insert(TABLES[name]), list(rows))
