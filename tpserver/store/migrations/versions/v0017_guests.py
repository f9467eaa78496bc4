"""Guests: accounts without a password, and the games that they may join.  Before, there were none."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | None = "0014"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns."""
    op.add_column("accounts", sa.Column("guest", sa.Double))
    op.add_column("games", sa.Column("guests", sa.Text))
