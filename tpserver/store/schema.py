"""Brings a database to the tables of this version: Alembic's migrations, which ship inside the package."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from tpserver.store.errors import StoreError

MIGRATIONS = Path(__file__).parent / "migrations"

# Alembic's table under a name of our own: this is how we tell our database from somebody else's.
VERSION_TABLE = "tpserver_version"


def configuration() -> Config:
    """Return Alembic's configuration for the migrations of the package; no file is read."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def bring_up_to_date(connection: Connection, label: str) -> None:
    """Run the missing migrations inside the connection's transaction, which the caller commits.

    Raises StoreError, code ``foreign`` if the tables are somebody else's, ``newer`` if a newer tpserver made them.
    """
    tables = inspect(connection).get_table_names()
    if tables and VERSION_TABLE not in tables:
        raise StoreError(
            f"The database {label} belongs to something else (it has a table {min(tables)!r}). "
            "tpserver needs a database of its own; this one has been left alone.",
            code="foreign",
        )
    scripts = ScriptDirectory.from_config(configuration())
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    there = set(context.get_current_heads())
    if unknown := there - {script.revision for script in scripts.walk_revisions()}:
        raise StoreError(
            f"The database {label} was made by a newer tpserver (its tables are of version {min(unknown)}, "
            f"this program knows up to {scripts.get_current_head()}). Install that tpserver; "
            "the database has been left alone.",
            code="newer",
        )
    if there == set(scripts.get_heads()):
        return
    config = configuration()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
