"""Columns for hibernated games: their summary and their next load.

The next server loads all unfinished games, as none of them has these values yet.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0018"
down_revision: str | None = "0017"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns, their index, and the table of clock times."""
    op.add_column("games", sa.Column("wake", sa.Double))
    op.add_column("games", sa.Column("resting", sa.Text))
    op.create_index("ix_games_wake", "games", ["wake"])
    op.create_table(
        "game_clocks",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("ran", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_game_clocks"),
    )
