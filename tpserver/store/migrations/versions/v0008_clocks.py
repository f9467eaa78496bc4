"""Columns for turn clocks: clock times, due times, and time banks."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0008"
down_revision: str | None = "0007"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns. The existing turns were due at their deadlines."""
    op.add_column("games", sa.Column("due", sa.Double))
    op.add_column("games", sa.Column("ran", sa.Double))
    op.add_column("seats", sa.Column("bank", sa.Double))
    op.execute("UPDATE games SET due = deadline")
