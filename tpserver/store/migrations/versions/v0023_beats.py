"""Count of beats of each node, to detect a database that has lost changes."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0023"
down_revision: str | None = "0022"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# Older nodes of a cluster neither count nor read beats.
ADDS_ONLY = True


def upgrade() -> None:
    """Add the column."""
    op.add_column("nodes", sa.Column("beats", sa.BigInteger, nullable=False, server_default=sa.text("0")))
