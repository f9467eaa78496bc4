"""Ids of relayed requests that were carried out.

The writer saves an id in the transaction of the request's changes, so no caller can forget it. Only relayed requests
have an id. They may arrive twice, if their process was replaced before it responded (`tpserver.portal`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import Connection, Dialect, delete, select

from tpserver.store.tables import done_requests

REQUEST: ContextVar[str] = ContextVar("request", default="")
"""The id of the current request; empty: it has none. `Store` gives it to each job."""


@contextmanager
def beside() -> Iterator[None]:
    """Exclude the changes inside the block from those of the current request.

    They are side effects or consequences. The request itself may still be refused, or be lost.
    """
    token = REQUEST.set("")
    try:
        yield
    finally:
        REQUEST.reset(token)


KEPT_SECONDS = 300.0
"""Seconds for which an id is kept: several times the portal's wait for an engine."""

_AT_ONCE = (64, 8, 1)
"""Numbers of rows per INSERT statement; the last is 1."""

_SELECT = select(done_requests.c.changes)


def note_all(execute: Callable[[str, Any], Any], dialect: Dialect, requests: Iterable[str], at: float) -> None:
    """Add a change to each of these requests, in the present transaction.

    ``execute`` runs a statement of the driver with its parameters; ``at`` is in UTC unix seconds.
    """
    rows = list(Counter(requests).items())
    start = 0
    for size in _AT_ONCE:
        while len(rows) - start >= size:
            values = [value for request, changes in rows[start : start + size] for value in (request, at, changes)]
            execute(_statement(dialect, size), tuple(values))
            start += size


def _statement(dialect: Dialect, rows: int) -> str:
    mark = "?" if dialect.paramstyle == "qmark" else "%s"
    values = ", ".join([f"({mark}, {mark}, {mark})"] * rows)
    return (
        f"INSERT INTO done_requests (id, at, changes) VALUES {values} "
        "ON CONFLICT (id) DO UPDATE SET changes = done_requests.changes + excluded.changes"
    )


def changes_of(c: Connection, request: str) -> int:
    """Return the number of committed changes of a request; 0: none, or too long ago."""
    return c.scalar(_SELECT.where(done_requests.c.id == request)) or 0


def is_one_done(c: Connection, requests: Sequence[str]) -> bool:
    """Return whether a change of any of these requests was committed recently."""
    return c.scalar(select(done_requests.c.id).where(done_requests.c.id.in_(requests)).limit(1)) is not None


def forget(c: Connection, before: float) -> None:
    """Remove requests from before a time, in UTC unix seconds."""
    c.execute(delete(done_requests).where(done_requests.c.at < before))
