"""Table of games created by accounts. The operator created all old games."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0005"
down_revision: str | None = "0004"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Create the table and its index."""
    op.create_table(
        "creations",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("invitation", sa.LargeBinary),
        sa.PrimaryKeyConstraint("game", name="pk_creations"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_creations_game"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_creations_account"),
    )
    op.create_index("ix_creations_account", "creations", ["account"])
