"""Table of relayed requests that were carried out.

The next process does not repeat them.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0020"
down_revision: str | None = "0019"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "done_requests",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("changes", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_done_requests"),
    )
    op.create_index("ix_done_requests_at", "done_requests", ["at"])
