"""Nodes of a cluster, and the lease holder of each game.

Before, one server held all games.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0019"
down_revision: str | None = "0018"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the tables and columns."""
    op.create_table(
        "nodes",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("started", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_nodes"),
    )
    op.create_table(
        "writers",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("committed", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_writers"),
    )
    op.add_column("games", sa.Column("node", sa.Text))
    op.add_column("games", sa.Column("epoch", sa.Integer, nullable=False, server_default=sa.text("0")))
    op.create_index("ix_games_node", "games", ["node"])
