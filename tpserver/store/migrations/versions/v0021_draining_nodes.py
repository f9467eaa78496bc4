"""Rulesets and draining of nodes, and the id of their cluster.

Nodes recognize each other by that id.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0021"
down_revision: str | None = "0020"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("nodes", sa.Column("rulesets", sa.Text, nullable=False, server_default=sa.text("'{}'")))
    op.add_column("nodes", sa.Column("draining", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.create_table(
        "clusters",
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("oldest", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_clusters"),
    )
