"""Marks of thinned snapshots, whose worlds were removed.

The operator's rule keeps only some of the old worlds.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0022"
down_revision: str | None = "0021"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# Older nodes of a cluster refuse to show a thinned turn, with a sentence. Otherwise they work. Thinning is off unless
# the operator sets it.
ADDS_ONLY = True


def upgrade() -> None:
    """Add the column."""
    op.add_column("snapshots", sa.Column("thinned", sa.Boolean))
