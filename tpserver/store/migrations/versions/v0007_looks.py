"""Table of last-seen markers. Existing turns and messages count as seen."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0007"
down_revision: str | None = "0006"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

SEEN = """
    INSERT INTO looks (game, account, turn, letter)
    SELECT games.id, seats.account, games.turn, COALESCE(boards.last_number, 0)
    FROM seats
    JOIN games ON games.id = seats.game
    LEFT JOIN boards ON boards.game = seats.game AND boards.board = seats.seat + 1
    WHERE seats.account IS NOT NULL AND games.started IS NOT NULL
"""
"""Earlier visits are unknown, and an account should not see all of an old game as new."""


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "looks",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("letter", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_looks_game"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_looks_account"),
        sa.PrimaryKeyConstraint("game", "account", name="pk_looks"),
    )
    op.execute(SEEN)
