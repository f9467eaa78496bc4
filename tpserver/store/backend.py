"""Database backends: how SQLite and PostgreSQL are opened and locked, and what their errors mean."""

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError

from tpserver.store.errors import StoreError


class Backend(ABC):
    """One database: its engines, its lock, and its errors as sentences."""

    label: str
    """The name of the database in messages; never contains a password."""

    @abstractmethod
    def lock(self) -> None:
        """Ensure that no other process writes to this database. Raises StoreError, also if it cannot be used."""

    def unlock(self) -> None:  # noqa: B027 - a server's lock ends with the writing connection
        """Release the lock."""

    def discard(self) -> None:  # noqa: B027 - a server has rolled back
        """Remove what opening has created, because opening has failed."""

    @abstractmethod
    def reader(self) -> Engine:
        """Return an engine whose connections read one consistent state and cannot write."""

    @abstractmethod
    def writer(self) -> Engine:
        """Return an engine for the one connection that writes."""

    @abstractmethod
    def prepare_writer(self, connection: Connection) -> None:
        """Prepare a new writing connection. Raises StoreError if another process writes here."""

    @abstractmethod
    def still_open(self, connection: Connection) -> bool:
        """Return whether the transaction is still open; a database may end it by itself after an error."""

    def opened(self) -> None:  # noqa: B027 - needed only for files, which can be removed
        """Called when the tables are up to date."""

    def disconnecting(self) -> None:  # noqa: B027 - as above
        """Called before the writing connection is closed."""

    def gone(self) -> StoreError | None:
        """Return why nothing more may be saved, since it would be lost; None if all is well."""
        return None

    def full(self) -> StoreError:
        """Return the error of a full disk."""
        return StoreError(
            f"The disk of the database {self.label} is full: nothing more can be saved. "
            "Free some space; the server goes on by itself.",
            code="full",
        )

    @abstractmethod
    def translate_error(self, error: BaseException) -> StoreError | None:
        """Return the StoreError for an error of the database itself (disk full, gone, damaged).

        None means that the statement caused the error, and that the database is well.
        """


def backend_of(url: str) -> Backend:
    """Return the backend for an SQLAlchemy URL. Raises StoreError, code ``url`` or ``driver``."""
    from tpserver.store.postgres import PostgresDatabase
    from tpserver.store.sqlite import SqliteFile

    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        # The URL is not repeated: it may hold a password.
        raise StoreError(f"The database URL cannot be read. {_ALLOWED}", code="url") from None
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        return SqliteFile(parsed)
    if parsed.drivername in ("postgresql", "postgresql+psycopg"):
        return PostgresDatabase(parsed.set(drivername="postgresql+psycopg"))
    raise StoreError(f"There is no support for databases of the kind {parsed.drivername!r}. {_ALLOWED}", code="url")


def sqlite_url(path: Path) -> str:
    """Return the URL of a SQLite file."""
    return URL.create("sqlite", database=str(path.absolute())).render_as_string()


_ALLOWED = "Allowed are sqlite:////directory/file.sqlite and postgresql+psycopg://user:password@host/database."


def shown(url: URL) -> str:
    """Return a URL for display, with its password hidden."""
    return url.render_as_string(hide_password=True)


def driver_connection(connection: Connection) -> Any:
    """Return the driver's connection below SQLAlchemy's."""
    return connection.connection.dbapi_connection
