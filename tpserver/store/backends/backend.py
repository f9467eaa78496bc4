"""Interface of a database backend: opening, locking and errors."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine

from tpserver.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds that a cluster node and its database wait for each other.

    A node that is frozen within a transaction blocks its games for other nodes until ``idle`` has passed since its last
    statement. Then the database ends the transaction, and its COMMIT fails. The writer may compute for as long between
    two statements.
    """

    connect: float = 5.0
    statement: float = 30.0
    """The longest statement; short ones about nodes and lease holders have ``lock``."""
    lock: float = 10.0
    """For a row that another transaction has locked; more than ``idle``, so that a wait for a frozen node succeeds."""
    idle: float = 5.0
    unanswered: float = 10.0
    """Until a connection is given up over which sent bytes are not acknowledged."""
    unknown: float = 20.0
    """For finding the result of a COMMIT without a response; then it counts as failed."""


class Backend(ABC):
    """One database: its engines, its lock, and its errors as sentences."""

    label: str
    """The name of the database in messages; never contains a password."""
    path: Path | None = None
    """The file of the database; None if it is on a server."""
    is_made: bool = False
    """True if this process has created the file of the database."""
    timeouts: Timeouts | None = None
    """Those of a node of a cluster; None: one server has the database for itself."""

    @abstractmethod
    def lock(self, *, is_new: bool = False) -> None:
        """Ensure that no other process writes to this database. Raises StoreError, also if it cannot be used.

        ``is_new``: begin with an empty database although one is lost; a database that is there stays.
        """

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

    def engine_apart(self) -> Engine:
        """Return an engine for short transactions of a node apart from the writer."""
        raise NotImplementedError("only a database of several nodes has that")

    @abstractmethod
    def prepare_writer(self, connection: Connection) -> None:
        """Prepare a new writing connection. Raises StoreError if another process writes here."""

    def begin(self, driver: Any) -> None:  # noqa: B027 - psycopg begins by itself
        """Begin a transaction on the driver's writing connection."""

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

    def in_doubt(self) -> bool:
        """Return whether transactions since the last call may still be lost although they are committed."""
        return False

    def may_be_committed(self, error: BaseException) -> bool:
        """Return whether a transaction may be saved although its COMMIT has ended with this error."""
        return False

    def takes_no_changes(self, error: BaseException) -> bool:
        """Return whether an error says that the server of this connection is read-only.

        Then another connection may reach a server that accepts changes.
        """
        return False

    def is_conflict(self, error: BaseException) -> bool:
        """Return whether an error is only a conflict between transactions.

        The transaction was rolled back and may be repeated.
        """
        return False

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


def driver_connection(connection: Connection) -> Any:
    """Return the driver's connection below SQLAlchemy's."""
    return connection.connection.dbapi_connection
