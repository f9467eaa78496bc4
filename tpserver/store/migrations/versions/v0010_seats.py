"""Seat policies, seat records, reliability and removed players."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0010"
down_revision: str | None = "0009"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns and create the tables. Earlier turns are unknown."""
    op.add_column("games", sa.Column("policy", sa.Text))
    op.add_column("seats", sa.Column("record", sa.Text))
    op.create_table(
        "reliability",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("due", sa.Integer, nullable=False),
        sa.Column("kept", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_reliability"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_reliability_account"),
    )
    op.create_table(
        "removals",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("game", "account", name="pk_removals"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_removals_game"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_removals_account"),
    )
