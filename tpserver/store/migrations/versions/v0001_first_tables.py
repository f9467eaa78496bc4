"""The first tables: accounts, games, seats, journal, snapshots, boards.

A new database is created directly from ``tables``, with the newest version. So the first migration to run is a later
one. `tests/store` keeps these tables as SQL and tests the later migrations on them.
"""

from collections.abc import Sequence

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Raise RuntimeError: no older tables exist."""
    raise RuntimeError("An empty database gets its tables from tpserver.store.tables, when Store.open opens it.")
