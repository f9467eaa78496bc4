"""Contents of a database, read for comparison."""

from __future__ import annotations

from sqlalchemy import Connection, select

from tpserver.store.games.boards import StoredMessage
from tpserver.store.tables import messages


def all_messages(connection: Connection, game: int) -> list[StoredMessage]:
    """Every message of a game, by board and number."""
    query = select(messages).where(messages.c.game == game).order_by(messages.c.board, messages.c.number)
    return [StoredMessage(**row._asdict()) for row in connection.execute(query)]
