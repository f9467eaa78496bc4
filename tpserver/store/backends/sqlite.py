"""SQLite backend: a database in one file."""

import errno
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError

from tpserver.store.backends.backend import Backend, driver_connection
from tpserver.store.errors import StoreError

# Seconds that a statement waits for another program (a backup, sqlite3 by hand) to release the file.
BUSY_SECONDS = 5.0

FILE_START = b"SQLite format 3\0"

# Written to the lock file after the process id once a database has existed beside it.
MADE = b"made"

PUT_BACK = "Put it back from a backup (tpserver restore FILE), or begin with an empty one: --new."
"""Advice to an operator whose database is lost."""

_BEGIN_WRITING = "BEGIN IMMEDIATE"

Identity = tuple[int, int]  # device and inode number, which identify a file whatever its name

# Primary result codes (https://sqlite.org/rescode.html) of faults of the file or the disk, not of a statement.
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


def has_been_made(path: Path) -> bool:
    """Return whether this file holds a database, or has held one."""
    try:
        return path.exists() or _is_noted(path)
    except OSError:
        return False


def _is_noted(path: Path) -> bool:
    """Return whether the lock file says that this file has held a database."""
    try:
        return MADE in _lock_of(path).read_bytes()
    except OSError:
        return False


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + ".lock")


class SqliteFile(Backend):
    """A file, its write-ahead log beside it, and ``<file>.lock`` with the id of the process that writes."""

    path: Path

    def __init__(self, url: URL) -> None:
        if not url.database or url.database == ":memory:" or url.query:
            raise StoreError(
                "An SQLite database must be a file, named by its path alone: sqlite:////directory/file.sqlite.",
                code="url",
            )
        self.path = Path(url.database).absolute()
        self.label = str(self.path)
        self._url = URL.create("sqlite", database=str(self.path))
        self._lock_path = _lock_of(self.path)
        self._lock: int | None = None
        self.is_made = False
        self._had_database = False
        self._file: int | None = None
        self._opened: Identity | None = None
        self._connected = False
        self._logs = tuple(f"{self.path}{suffix}" for suffix in ("-wal", "-shm"))
        self._log: dict[str, Identity] = {}

    @classmethod
    def of(cls, path: Path) -> "SqliteFile":
        """Return the database in a file."""
        return cls(URL.create("sqlite", database=str(path.absolute())))

    def lock(self, *, is_new: bool = False) -> None:
        with self._locking():
            if is_new and not self.is_there:
                self._had_database = False
                self._set_logs_aside()
            self._check_not_lost()
            self._note(self._lock, str(os.getpid()))
            self._make_file()

    def lock_to_restore(self) -> None:
        """Ensure that no other process writes here, and that there is nothing: neither a database nor its log.

        Raises StoreError, code "exists" if there is something.
        """
        with self._locking():
            there = [path for path in (self.label, *self._logs) if Path(path).exists()]
            if there:
                raise StoreError(
                    f"{there[0]} exists, and is not overwritten. If it is damaged, move it away first, with "
                    f"{self.path.name}-wal and {self.path.name}-shm where they are: mv {self.label}* ELSEWHERE",
                    code="exists",
                )
            self._note(self._lock, str(os.getpid()))

    @contextmanager
    def _locking(self) -> Iterator[None]:
        """Hold the lock, and release it if locking or the body fails. Raises StoreError."""
        try:
            self._check_backend()
            self._take_lock()
            yield
        except OSError as error:
            self.unlock()
            raise self._not_writable(error) from error
        except StoreError:
            self.unlock()
            raise

    def _take_lock(self) -> None:
        lock = os.open(self._lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(lock, 64).decode("ascii", "replace").partition("\n")[0]
            os.close(lock)
            if not isinstance(error, BlockingIOError):
                raise
            raise StoreError(
                f"The database {self.label} is in use by process {holder or 'of unknown number'}. "
                "Stop that one first, or give this one another data directory.",
                code="in-use",
            ) from None
        self._lock = lock
        self._had_database = MADE in os.read(lock, 64)

    def _note(self, lock: int | None, process: str) -> None:
        """Write to the lock file the process that holds it, and whether a database has existed."""
        assert lock is not None
        note = f"{process}\n".encode("ascii") + (MADE + b"\n" if self._had_database else b"")
        # In this order: on a full disk the file keeps what it says of the database.
        os.pwrite(lock, note, 0)
        os.ftruncate(lock, len(note))

    @property
    def is_there(self) -> bool:
        """True if the file exists and is not empty."""
        return self.path.exists() and self.path.stat().st_size > 0

    def leftovers(self) -> list[Path]:
        """Return the traces of a database that is missing now: its logs, and the note in the lock file.

        The empty file of a first start that was killed is no trace. Neither is the journal of its first change.
        """
        if self.is_there:
            return []
        logs = [path for path in map(Path, self._logs) if path.exists()]
        journal = Path(f"{self.path}-journal")
        if journal.exists() and not (self.path.exists() and _is_of_empty(journal)):
            logs.append(journal)
        return [*logs, *([self._lock_path] if not logs and _is_noted(self.path) else [])]

    def _set_logs_aside(self) -> None:
        """Give the logs of a lost database other names: SQLite would put their content into a new one."""
        for path in self.leftovers():
            if path != self._lock_path:
                number = next(number for number in count(1) if not path.with_name(f"{path.name}.{number}").exists())
                path.rename(path.with_name(f"{path.name}.{number}"))

    def _check_not_lost(self) -> None:
        """Raise StoreError if a database has existed and is missing now: creating an empty one would hide the loss."""
        if self._had_database and not self.is_there:
            what = "is empty" if self.path.exists() else "is gone"
            raise StoreError(
                f"The database {self.label} {what}, though games have been saved in it. {PUT_BACK}",
                code="gone",
            )

    def _check_backend(self) -> None:
        directory = self.path.parent
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

    def _make_file(self) -> None:
        # Created here and not by SQLite, so that other users of the machine cannot read password hashes. The log
        # inherits the file's mode.
        self.is_made = not self.path.exists()
        # Kept open until the end: closing it would release SQLite's own locks on the file.
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        self._opened = _identity(self._file)

    def unlock(self) -> None:
        if self._lock is not None:
            # The file stays: removing it while another process waits for the lock would let two processes in.
            lock, self._lock = self._lock, None
            with suppress(OSError):  # a full disk: then it names a process that has ended, which is ignored
                self._note(lock, "")
            os.close(lock)
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def discard(self) -> None:
        if self.is_made:
            for path in (self.label, *self._logs):
                Path(path).unlink(missing_ok=True)

    def opened(self) -> None:
        self._had_database = True
        # Without it a database that is lost later would not be missed, which is no reason to do without this one.
        with suppress(OSError):
            self._note(self._lock, str(os.getpid()))

    def gone(self) -> StoreError | None:
        """Return an error if the database file or its log was removed, replaced or overwritten.

        Both are compared by name with the opened files. If they differ, a crash would lose all later changes.
        """
        if self._file is None:
            return None
        try:
            start = os.pread(self._file, len(FILE_START), 0)
        except OSError as error:
            return StoreError(f"The database {self.label} cannot be read ({error.strerror}). Look after its disk.")
        if _identity(self.label) != self._opened:
            return self._not_the_same(self.label)
        if start != FILE_START:
            return StoreError(
                f"The database {self.label} was overwritten by something else while the server ran; nothing is "
                "saved now. Stop the server, put the database back from a backup, and start it again.",
                code="gone",
            )
        if self._connected:
            for path in self._logs:
                now = _identity(path)
                if self._log.get(path, now) != now:
                    return self._not_the_same(path)
                if now is not None:
                    self._log[path] = now
        return None

    def _not_the_same(self, path: str) -> StoreError:
        return StoreError(
            f"The file {path} was removed, moved or replaced while the server ran; nothing is saved now. "
            f"Stop the server, put the database {self.label} back, and start it again.",
            code="gone",
        )

    def reader(self) -> Engine:
        return self._engine("BEGIN", ("query_only=ON", "foreign_keys=ON"))

    def writer(self) -> Engine:
        # With a log as FULL; where the file system allows none, the end of a rollback journal is synced, too.
        return self._engine(_BEGIN_WRITING, ("journal_mode=WAL", "synchronous=EXTRA", "foreign_keys=ON"))

    def writer_of_copy(self) -> Engine:
        """Return an engine that fills a new file, which is not used before it is complete and on disk."""
        return self._engine(_BEGIN_WRITING, ("journal_mode=MEMORY", "synchronous=OFF", "foreign_keys=ON"))

    def _engine(self, begin: str, pragmas: tuple[str, ...]) -> Engine:
        # "rw": a missing file is not created by a reader.
        name = f"file:{quote(str(self.path))}?mode=rw"

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)

        engine = create_engine(self._url, creator=connect)

        @event.listens_for(engine, "connect")
        def connected(driver: Any, _record: Any) -> None:
            # The driver's own transactions leave out definitions and reads, so they are begun explicitly.
            driver.isolation_level = None
            for pragma in pragmas:
                driver.execute(f"PRAGMA {pragma}").fetchall()  # to its end, where it writes, or says why it cannot

        @event.listens_for(engine, "begin")
        def begun(connection: Connection) -> None:
            driver_connection(connection).execute(begin)

        return engine

    def begin(self, driver: Any) -> None:
        driver.execute(_BEGIN_WRITING)

    def prepare_writer(self, connection: Connection) -> None:
        # No check is needed: `lock` has excluded other writers. The log is there from the first transaction on; from
        # now on it must stay the same one.
        driver = driver_connection(connection)
        driver.execute(_BEGIN_WRITING)
        driver.execute("COMMIT")
        self._connected = True
        if gone := self.gone():
            raise gone

    def disconnecting(self) -> None:
        # SQLite removes its log with the last connection, and creates it again with the next.
        self._connected = False
        self._log.clear()

    def still_open(self, connection: Connection) -> bool:
        return bool(driver_connection(connection).in_transaction)

    def may_be_committed(self, error: BaseException) -> bool:
        # All of it is in the log when that cannot be synced. Nobody reads it from there, and the next transaction
        # takes its place; but if the process ends before, it is found as a committed one.
        return _code(error) == sqlite3.SQLITE_IOERR

    def takes_no_changes(self, error: BaseException) -> bool:
        # Where a file cannot be opened for writing, if only for a moment, SQLite opens it for reading.
        return _code(error) == sqlite3.SQLITE_READONLY

    def translate_error(self, error: BaseException) -> StoreError | None:
        code = _code(error)
        if code not in _FAULTS:
            return None
        cause = error.orig if isinstance(error, DBAPIError) else error
        if code == sqlite3.SQLITE_FULL:
            return self.full()
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
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return self.full()
        return StoreError(
            f"The database {self.label} cannot be opened for writing: {error.strerror}. "
            "The server must be allowed to write both the file and its directory.",
            code="directory",
        )


def _code(error: BaseException) -> int | None:
    """Return SQLite's primary result code; None if the error is none of SQLite's."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF if isinstance(cause, sqlite3.Error) else None


def _identity(file: str | int) -> Identity | None:
    """Return the identity of a file by its name or descriptor; None if there is none. Called for each commit."""
    try:
        found = os.stat(file)  # noqa: PTH116 - a Path costs as much again
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_of_empty(journal: Path) -> bool:
    """Return whether a rollback journal leads back to an empty database: a first start was killed as it wrote."""
    with journal.open("rb") as file:
        # Bytes 16 to 20 are the number of pages before the transaction.
        return not any(file.read(20)[16:])
