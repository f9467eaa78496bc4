"""Delay and messages of spectators.

Before, spectators saw every game without delay, and wrote no messages.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0016"
down_revision: str | None = "0015"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column("games", sa.Column("watch_delay", sa.Integer))
    op.create_table(
        "spectator_letters",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", "number", name="pk_spectator_letters"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_spectator_letters_game"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_spectator_letters_account"),
    )
    op.create_index("ix_spectator_letters_account", "spectator_letters", ["account"])
