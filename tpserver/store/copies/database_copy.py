"""Copies of a whole database in one SQLite file, and their restore.

A copy holds one state of the database, despite concurrent changes. For a SQLite file it is SQLite's online copy. For a
PostgreSQL database it contains all rows of one transaction. Neither copy stops the server.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Integer, column, func, insert, inspect, select, table
from sqlalchemy.types import TypeDecorator

from tpserver.files import sync
from tpserver.store import tables
from tpserver.store.backends.backend import Backend
from tpserver.store.backends.sqlite import SqliteFile
from tpserver.store.backends.urls import backend_of, sqlite_url
from tpserver.store.errors import StoreError
from tpserver.store.schema import check_readable, put_version, version_of
from tpserver.store.writer import Writer

SPARE_BYTES = 64 * 1024 * 1024
"""Bytes that a copy leaves free on a disk for the running server."""

ROWS_AT_ONCE = 200
"""Maximum rows in memory while tables are copied. A world may have megabytes."""

MOST_FAULTS = 3
"""Maximum reported faults of a damaged file."""


@dataclass(frozen=True, slots=True)
class Content:
    """Amount of data in a database."""

    games: int
    accounts: int


def copy(url: str, target: Path) -> None:
    """Copy the database of a URL into a new SQLite file, which is on disk when this returns.

    Raises StoreError and leaves no file: code "full" if the disk has no room, "exists" if the file exists.
    """
    backend = backend_of(url)
    try:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        raise StoreError(f"There is a file {target} already; it has been left alone.", code="exists") from None
    except OSError as error:
        raise _not_written(target, error) from None
    try:
        if isinstance(backend, SqliteFile):
            _check_room(target, _size(backend))
            _copy_file(backend.path, target)
        else:
            _copy_rows(backend, target)
        sync(target)
    except BaseException as error:
        remove(target)
        if isinstance(error, OSError):
            raise _not_written(target, error) from None
        raise


def remove(file: Path) -> None:
    """Remove a SQLite file and the files that SQLite may have put beside it."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        with contextlib.suppress(OSError):
            Path(f"{file}{suffix}").unlink(missing_ok=True)


def put_in_place(file: Path, name: Path) -> None:
    """Rename a complete file to its final name. Raises StoreError, also if the name is taken."""
    try:
        if name.exists():
            raise StoreError(f"There is a file {name} already; it has been left alone.", code="exists")
        file.rename(name)
        sync(name.parent)
    except OSError as error:
        raise _not_written(name, error) from None


def faults(connection: Connection) -> list[str]:
    """Return the damage in the SQLite file of a connection: at most MOST_FAULTS sentences, [] for none."""
    found = [str(row[0]) for row in connection.exec_driver_sql(f"PRAGMA integrity_check({MOST_FAULTS})")]
    if found == ["ok"]:
        found = []
    loose = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchmany(MOST_FAULTS)
    found += [f"a row of {row[0]} names a row of {row[2]} that is not there" for row in loose]
    return found[:MOST_FAULTS]


def content(connection: Connection) -> Content:
    """Return the amount of data in a database."""
    count = [connection.scalar(select(func.count()).select_from(one)) or 0 for one in (tables.games, tables.accounts)]
    return Content(*count)


def check_nothing_there(url: str) -> None:
    """Raise StoreError like ``fill`` for a SQLite file: code "exists", or "in-use" while a server runs."""
    backend = backend_of(url)
    if isinstance(backend, SqliteFile):
        backend.lock_to_restore()
        backend.unlock()


def fill(source: Path, url: str) -> None:
    """Create the database of a URL from a SQLite file that ``copy`` has written.

    Raises StoreError without any change: code "exists" if the database exists, "in-use" while a server runs.
    """
    backend = backend_of(url)
    if isinstance(backend, SqliteFile):
        _fill_file(source, backend)
    else:
        _fill_tables(source, backend)


# --- SQLite -----------------------------------------------------------------------------------------------------------


def _size(backend: SqliteFile) -> int:
    """Return the bytes of a database with its log. Raises StoreError if there is none."""
    try:
        size = backend.path.stat().st_size
    except OSError as error:
        raise StoreError(f"The database {backend.label} cannot be read: {error.strerror}.", code="gone") from None
    with contextlib.suppress(OSError):
        size += Path(f"{backend.path}-wal").stat().st_size
    return size


def _check_room(target: Path, size: int) -> None:
    free = shutil.disk_usage(target.parent).free
    if free < size + SPARE_BYTES:
        raise StoreError(
            f"There is no room in {target.parent} for a copy of {_megabytes(size)}: {_megabytes(free)} are free, and "
            f"{_megabytes(SPARE_BYTES)} of them are left for the server. Free some space, or name another directory.",
            code="full",
        )


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def _copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite file that others may be writing.

    All pages are read in one transaction. In a database with a write-ahead log, that blocks no other process.
    """
    try:
        with (
            closing(sqlite3.connect(_uri(source, "rw"), uri=True)) as reading,
            closing(sqlite3.connect(_uri(target, "rw"), uri=True, isolation_level=None)) as writing,
        ):
            reading.execute("PRAGMA query_only=ON")
            reading.backup(writing)
            # The copy is one file, without a log beside it.
            writing.execute("PRAGMA journal_mode=DELETE")
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF == sqlite3.SQLITE_FULL:
            raise _not_written(target, OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))) from None
        if code in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE):
            # SQLite does not say which file failed. During a copy it is mostly the disk of the copy that is full.
            raise StoreError(f"{target} cannot be written ({error}): is its disk full?", code="full") from None
        raise SqliteFile.of(source).translate_error(error) or StoreError(
            f"The database {source} cannot be copied ({error}).", code="damaged"
        ) from None


def _uri(path: Path, mode: str) -> str:
    return f"file:{quote(str(path))}?mode={mode}"


def _fill_file(source: Path, backend: SqliteFile) -> None:
    new = Path(f"{backend.path}.restoring")
    backend.lock_to_restore()
    try:
        remove(new)  # the rest of an attempt that was killed
        try:
            os.close(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
            _check_room(new, source.stat().st_size)
            _copy_file(source, new)
            sync(new)
        except OSError as error:
            raise _not_written(new, error) from None
        put_in_place(new, backend.path)
        backend.opened()
    except BaseException:
        remove(new)
        raise
    finally:
        backend.unlock()


# --- tables -----------------------------------------------------------------------------------------------------------


def _copy_rows(backend: Backend, target: Path) -> None:
    writer = SqliteFile.of(target).writer_of_copy()
    reader = backend.reader()
    try:
        with reader.connect() as reading, writer.connect() as writing, writing.begin():
            check_readable(reading, backend.label)
            _transfer(reading, writing)
    except StoreError:
        raise
    except Exception as error:
        fault = backend.translate_error(error) or SqliteFile.of(target).translate_error(error)
        if fault is None:
            raise
        raise fault from error
    finally:
        reader.dispose()
        writer.dispose()


def _fill_tables(source: Path, backend: Backend) -> None:
    backend.lock()
    writer = Writer(backend)
    reader = backend_of(sqlite_url(source)).reader()
    try:
        connection = writer.connection()
        with reader.connect() as reading, connection.begin():
            if inspect(connection).get_table_names():
                raise StoreError(
                    f"The database {backend.label} has tables already; it has been left alone. Name an empty one.",
                    code="exists",
                )
            _transfer(reading, connection)
            _go_on_counting(connection)
    except StoreError:
        raise
    except Exception as error:
        fault = backend.translate_error(error)
        if fault is None:
            raise
        raise fault from error
    finally:
        reader.dispose()
        writer.close()
        backend.unlock()


def _transfer(reading: Connection, writing: Connection) -> None:
    """Create the tables of one database in the other, of the same version, with all rows.

    An older version may have fewer tables, columns and indexes. Migrations create the others.
    """
    seen = inspect(reading)
    there = set(seen.get_table_names())
    chosen = [one for one in tables.metadata.sorted_tables if one.name in there]
    tables.metadata.create_all(writing, tables=chosen)
    names = {one.name: {each["name"] for each in seen.get_columns(one.name)} for one in chosen}
    quoted = writing.dialect.identifier_preparer.quote
    for one in chosen:
        known = {index["name"] for index in seen.get_indexes(one.name)}
        for index in one.indexes:
            if index.name not in known:
                index.drop(writing)
        for each in one.columns:
            if each.name not in names[one.name]:
                writing.exec_driver_sql(f"ALTER TABLE {quoted(one.name)} DROP COLUMN {quoted(each.name)}")
    put_version(writing, version_of(reading))
    for one in chosen:
        # The stored form is copied, so packed values need not be unpacked.
        columns = [
            column(each.name, each.type.impl_instance if isinstance(each.type, TypeDecorator) else each.type)
            for each in one.columns
            if each.name in names[one.name]
        ]
        stored = table(one.name, *columns)
        rows = reading.execution_options(yield_per=ROWS_AT_ONCE).execute(select(stored)).mappings()
        for some in rows.partitions():
            writing.execute(insert(stored), [dict(row) for row in some])


def _go_on_counting(connection: Connection) -> None:
    """Set the counters of new ids after the copied rows. PostgreSQL counts separately from the rows."""
    there = set(inspect(connection).get_table_names())
    for one in tables.metadata.sorted_tables:
        for key in one.primary_key.columns if one.name in there else ():
            if key.name != "id" or not isinstance(key.type, Integer):
                continue
            highest = connection.scalar(select(func.max(key))) or 0
            sequence = func.pg_get_serial_sequence(one.name, key.name)
            connection.execute(select(func.setval(sequence, max(1, highest), highest > 0)))


def _not_written(path: Path, error: OSError) -> StoreError:
    code = "full" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "directory"
    return StoreError(f"{path} cannot be written: {(error.strerror or str(error)).lower()}.", code=code)
