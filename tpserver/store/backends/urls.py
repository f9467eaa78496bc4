"""Database URLs, and the backend of each."""

from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from tpserver.store.backends.backend import Backend, Timeouts
from tpserver.store.backends.sqlite import SqliteFile
from tpserver.store.errors import StoreError

_ALLOWED = "Allowed are sqlite:////directory/file.sqlite and postgresql+psycopg://user:password@host/database."


NO_CLUSTER = "SQLite is for one server: a cluster needs a database on a PostgreSQL server"


def backend_of(url: str, timeouts: Timeouts | None = None) -> Backend:
    """Return the backend for an SQLAlchemy URL; with ``timeouts``, for a node of a cluster.

    Raises StoreError, code ``url`` or ``driver``.
    """
    from tpserver.store.backends.postgres import PostgresDatabase  # the driver is loaded only where it is used

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The URL is not repeated, as it may contain a password.
        raise StoreError(f"The database URL cannot be read. {_ALLOWED}", code="url") from None
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        if timeouts is not None:
            raise StoreError(f"{NO_CLUSTER}. Name one, or leave [cluster] out.", code="url")
        return SqliteFile(parsed)
    if parsed.drivername in ("postgresql", "postgresql+psycopg"):
        return PostgresDatabase(parsed.set(drivername="postgresql+psycopg"), timeouts)
    raise StoreError(f"There is no support for databases of the kind {parsed.drivername!r}. {_ALLOWED}", code="url")


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite file."""
    return URL.create("sqlite", database=str(path.absolute())).render_as_string()
