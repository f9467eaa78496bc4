"""The first tables: accounts, games, seats, journal, snapshots, views, boards.

Every database is made from ``tables`` and has the version of that day, so that the first migration to run is a later
one.  `tests/store` keeps these tables as SQL and tries the later migrations on them.
"""

from collections.abc import Sequence

from tpserver.store.errors import StoreError
from tpserver.store.schema import VERSION_TABLE

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Refuse a database whose version is lost: it may be any, and has tables."""
    raise StoreError(
        f"The database has lost the version of its tables: {VERSION_TABLE} is empty. Put the database back from a "
        "backup; this one has been left alone.",
        code="damaged",
    )
