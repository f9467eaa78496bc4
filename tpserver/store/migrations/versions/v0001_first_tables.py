"""The first tables: accounts, games, seats, journal, snapshots, views, boards.

Every database is made from ``tables`` and has the version of that day, so that the first migration to run is a later
one.  `tests/store` keeps these tables as SQL and tries the later migrations on them.
"""

from collections.abc import Sequence

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Raise RuntimeError: there is nothing from which this could lead to those tables."""
    raise RuntimeError("An empty database gets its tables from tpserver.store.tables, when Store.open opens it.")
