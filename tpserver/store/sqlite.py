"""A database in one SQLite file."""

import fcntl
import os
import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from tpserver.store.errors import StoreError
from tpserver.store.places import Place, driver_connection

# How long a statement waits for another program (a backup, sqlite3 by hand) to let go of the file, in seconds.
BUSY_SECONDS = 5.0

FILE_START = b"SQLite format 3\0"

# Primary result codes, https://sqlite.org/rescode.html: faults of the file or the disk, not of a statement.
_FAULTS = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    }
)


class SqliteFile(Place):
    """A file, its write-ahead log beside it, and ``<file>.lock`` with the number of the process that writes."""

    def __init__(self, url: URL) -> None:
        if not url.database or url.database == ":memory:" or url.query:
            raise StoreError(
                "An SQLite database must be a file, named by its path alone: sqlite:////directory/file.sqlite.",
                code="url",
            )
        self.path = Path(url.database).absolute()
        self.label = str(self.path)
        self._url = URL.create("sqlite", database=str(self.path))
        self._lock_path = self.path.with_name(self.path.name + ".lock")
        self._lock: int | None = None
        self._made = False

    def lock(self) -> None:
        self._check_place()
        try:
            lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._not_writable(error) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(lock, 32).decode("ascii", "replace").strip()
            os.close(lock)
            raise StoreError(
                f"The database {self.label} is in use by process {holder or 'of unknown number'}. "
                "Stop that one first, or give this one another data directory.",
                code="in-use",
            ) from None
        except OSError as error:
            os.close(lock)
            raise self._not_writable(error) from error
        os.ftruncate(lock, 0)
        os.pwrite(lock, f"{os.getpid()}\n".encode("ascii"), 0)
        self._lock = lock
        self._make_file()

    def _check_place(self) -> None:
        directory = self.path.parent
        try:
            if not directory.exists():
                raise StoreError(
                    f"The directory {directory} for the database does not exist. Make it, or name another one.",
                    code="directory",
                )
            if not directory.is_dir():
                raise StoreError(f"{directory} is not a directory; the database {self.label} cannot be made in it.",
                                 code="directory")  # fmt: skip
            if self.path.is_dir():
                raise StoreError(f"{self.label} is a directory; the database must be a file.", code="directory")
            if self.path.exists():
                with self.path.open("rb") as file:
                    start = file.read(len(FILE_START))
                if start not in (b"", FILE_START):
                    raise self._not_a_database()
        except OSError as error:
            raise self._not_writable(error) from error

    def _make_file(self) -> None:
        # Made here and not by SQLite, so that nobody else on the machine can read password hashes. The log takes the
        # mode of the file.
        try:
            self._made = not self.path.exists()
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        except OSError as error:
            self.unlock()
            raise self._not_writable(error) from error

    def unlock(self) -> None:
        if self._lock is not None:
            # The file stays: removing it while another process waits at the door would let two in.
            os.ftruncate(self._lock, 0)
            os.close(self._lock)
            self._lock = None

    def discard(self) -> None:
        if self._made:
            for suffix in ("", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def reader(self) -> Engine:
        return self._engine("BEGIN", ("query_only=ON", "foreign_keys=ON"))

    def writer(self) -> Engine:
        return self._engine("BEGIN IMMEDIATE", ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"))

    def _engine(self, begin: str, pragmas: tuple[str, ...]) -> Engine:
        engine = create_engine(self._url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})

        @event.listens_for(engine, "connect")
        def connected(driver: Any, _record: Any) -> None:
            # The driver's own idea of when a transaction begins leaves out definitions and reads: we say it ourselves.
            driver.isolation_level = None
            for pragma in pragmas:
                driver.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def begun(connection: Connection) -> None:
            connection.exec_driver_sql(begin)

        return engine

    def claim(self, connection: Connection) -> None:
        """Nothing to do: the lock file has said it all."""

    def still_open(self, connection: Connection) -> bool:
        return bool(driver_connection(connection).in_transaction)

    def explain(self, error: BaseException) -> StoreError | None:
        cause = error.orig if isinstance(error, DBAPIError) else error
        if not isinstance(cause, sqlite3.Error):
            return None
        code = getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code not in _FAULTS:
            return None
        if code == sqlite3.SQLITE_FULL:
            return StoreError(
                f"The disk of the database {self.label} is full: nothing more can be saved. "
                "Free some space; the server goes on by itself.",
                code="full",
            )
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return StoreError(
                f"The database {self.label} is locked by another program. End what that one does, and try again.",
                code="in-use",
            )
        if code == sqlite3.SQLITE_NOTADB:
            return self._not_a_database()
        if code == sqlite3.SQLITE_CORRUPT:
            return StoreError(
                f"The database {self.label} is damaged ({cause}). Stop the server and restore the file from a backup.",
                code="damaged",
            )
        return StoreError(
            f"The database {self.label} cannot be read or written ({cause}). Look after its disk and its permissions.",
            code="unavailable",
        )

    def _not_a_database(self) -> StoreError:
        return StoreError(
            f"The file {self.label} is not a database of tpserver. Name another file; this one has been left alone.",
            code="foreign",
        )

    def _not_writable(self, error: OSError) -> StoreError:
        return StoreError(
            f"The database {self.label} cannot be opened for writing: {error.strerror}. "
            "The server must be allowed to write both the file and its directory.",
            code="directory",
        )
