"""Migration of a database to the tables of this version, with Alembic.

The migrations are part of the package. A database without tables gets those of ``tables`` directly, which are the same.
Alembic is imported only for a migration, as its import takes a fifth of the server's start.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from tpserver.store.errors import StoreError
from tpserver.store.tables import clusters, metadata

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).parent / "migrations"
_ADDS_ONLY = re.compile("^ADDS_ONLY = True", re.MULTILINE)

# Alembic's table under a name of our own, by which a database of tpserver is recognised.
VERSION_TABLE = "tpserver_version"
_VERSIONS = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)


def configuration() -> Config:
    """Return Alembic's configuration for the migrations of the package; no file is read."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def newest_version() -> str:
    """Return the version of the newest migration, from its file name v<version>_<what it does>.py."""
    return max(file.stem[1:].partition("_")[0] for file in (MIGRATIONS / "versions").glob("v*.py"))


def only_adds_since(version: str) -> bool:
    """Return whether nodes that know the tables of a version can continue during and after this migration."""
    return oldest_version() <= version


def oldest_version() -> str:
    """Return the oldest version of the tables that is compatible with this one.

    That is the version of the newest migration without ADDS_ONLY = True. With ADDS_ONLY a migration declares that it
    only adds data that older programs can ignore.
    """
    files = (MIGRATIONS / "versions").glob("v*.py")
    others = [file.stem[1:].partition("_")[0] for file in files if not _ADDS_ONLY.search(file.read_text("utf-8"))]
    return max(others)


def bring_up_to_date(
    connection: Connection, label: str, before_migration: Callable[[str], object] = lambda version: None
) -> None:
    """Create the tables, or run the missing migrations, in the connection's transaction.

    The caller commits it. Tables of a newer node of a cluster stay as they are, if this program is compatible with
    them. ``before_migration`` is called with the version of the tables before they are changed. Its errors are raised.

    Raises StoreError with one of these codes. ``foreign``: the tables are of another program. ``newer``: a newer
    tpserver made them. ``damaged``: they have lost their version. ``migration``: a migration failed.
    """
    tables = inspect(connection).get_table_names()
    _check_own(tables, label)
    if not tables:
        metadata.create_all(connection)
        put_version(connection, newest_version())
        return
    version = _known_version(connection, label)
    if version >= newest_version():
        return
    before_migration(version)
    from alembic import command

    config = configuration()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except SQLAlchemyError:
        raise  # a fault of the database, which its backend can name
    except Exception as error:
        raise StoreError(
            f"The tables of the database {label} (version {version}) could not be brought up to date: "
            f"{type(error).__name__}: {error}. Nothing has been changed: the tpserver that made them can go on with "
            "them.",
            code="migration",
        ) from error


def lock_version(connection: Connection, version: str, label: str) -> None:
    """Wait until no other process migrates the tables.

    Raises StoreError, code ``migration``, if their version has changed.
    """
    now = connection.execute(select(_VERSIONS.c.version_num).with_for_update()).scalar()
    if now != version:
        raise StoreError(
            f"The tables of the database {label} were brought up to date by another node just now. Start this one "
            "again.",
            code="migration",
        )


def check_readable(connection: Connection, label: str) -> frozenset[str]:
    """Return the columns that the tables lack, as "table.column".

    Tables of this version lack none. Tables of all older versions can be read, as no migration has changed a column
    yet. Readers of games omit the added ones (`tpserver.store.games.rows`). Raises StoreError if the tables cannot be
    read, with the codes of ``bring_up_to_date``.
    """
    tables = inspect(connection).get_table_names()
    _check_own(tables, label)
    if not tables:
        raise StoreError(f"The database {label} is empty.", code="empty")
    if _known_version(connection, label) >= newest_version():
        return frozenset()
    there = {
        f"{name}.{column['name']}"
        for name in metadata.tables.keys() & set(tables)
        for column in inspect(connection).get_columns(name)
    }
    wanted = {f"{table.name}.{column.name}" for table in metadata.tables.values() for column in table.c}
    return frozenset(wanted - there)


def put_version(connection: Connection, version: str) -> None:
    """Record the version of the tables that were created in an empty database."""
    _VERSIONS.create(connection)
    connection.execute(_VERSIONS.insert().values(version_num=version))


def version_of(connection: Connection) -> str:
    """Return the version of the tables of a database that is readable (`check_readable`)."""
    return str(connection.execute(select(_VERSIONS.c.version_num)).scalar_one())


def touch(connection: Connection) -> None:
    """Write the version of the tables as it is: a change that changes nothing."""
    connection.execute(_VERSIONS.update().values(version_num=_VERSIONS.c.version_num))


def _check_own(tables: list[str], label: str) -> None:
    if tables and VERSION_TABLE not in tables:
        raise StoreError(
            f"The database {label} belongs to something else (it has a table {min(tables)!r}). "
            "tpserver needs a database of its own; this one has been left alone.",
            code="foreign",
        )


def _known_version(connection: Connection, label: str) -> str:
    """Return the version of the tables.

    Raises StoreError if it is missing, or newer than any migration and not compatible with this program. A newer
    compatible version occurs while a cluster is upgraded.
    """
    version = connection.execute(select(_VERSIONS.c.version_num)).scalar()
    if version is None:
        raise StoreError(
            f"The database {label} has lost the version of its tables: {VERSION_TABLE} is empty. Put the database back "
            "from a backup; this one has been left alone.",
            code="damaged",
        )
    if version > newest_version():
        oldest = connection.execute(select(clusters.c.oldest)).scalar()
        if oldest is not None and oldest <= newest_version():
            return str(version)
        raise StoreError(
            f"The database {label} was made by a newer tpserver (its tables are of version {version}, this program "
            f"knows up to {newest_version()}). Install that tpserver; the database has been left alone.",
            code="newer",
        )
    return str(version)
