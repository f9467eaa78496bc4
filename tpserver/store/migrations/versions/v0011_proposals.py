"""Tables of proposals, their votes, and vacations."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0011"
down_revision: str | None = "0010"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "proposals",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("seconds", sa.Integer, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("votes", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_proposals_game"),
        sa.PrimaryKeyConstraint("game", "number", name="pk_proposals"),
        sa.CheckConstraint("state IN ('open', 'agreed', 'refused', 'withdrawn', 'lapsed')", name="state"),
    )
    op.create_table(
        "vacations",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("begins", sa.Double, nullable=False),
        sa.Column("ends", sa.Double, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_vacations_account"),
        sa.PrimaryKeyConstraint("id", name="pk_vacations"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_vacations_account", "vacations", ["account"])
