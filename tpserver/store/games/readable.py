"""Check whether stored games can be read, as loading reads them."""

from sqlalchemy import Connection, select

from tpserver.store import tables
from tpserver.store.errors import StoreError
from tpserver.store.games import changes as game_changes
from tpserver.store.games import rows as games


def names(connection: Connection) -> dict[int, str]:
    """Return the names of the unfinished games by id, or of all games if all are over."""
    columns = select(tables.games.c.id, tables.games.c.name).order_by(tables.games.c.id)
    going_on = columns.where(tables.games.c.state != "over")
    return {row.id: row.name for row in connection.execute(going_on).all() or connection.execute(columns)}


def check(connection: Connection, game: int) -> None:
    """Read everything that loading a game reads. Raises StoreError, or an error of decoding."""
    if connection.dialect.name == "sqlite":
        # Pages in SQLite's memory would hide damaged pages of the file.
        connection.exec_driver_sql("PRAGMA shrink_memory").close()
    if games.by_id(connection, game) is not None and game_changes.stored_game(connection, game) is None:
        raise StoreError(f"Game number {game} has no turn in the database.", code="damaged")
