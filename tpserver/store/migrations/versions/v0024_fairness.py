"""Hidden turn counts, arguments of proposals, games of removed accounts.

The turns of anonymous games count at their end.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0024"
down_revision: str | None = "0023"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the table and the column, and give the games of removed accounts to the operator."""
    op.create_table(
        "hidden_turns",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("due", sa.Integer, nullable=False),
        sa.Column("kept", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("game", "account", name="pk_hidden_turns"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_hidden_turns_game"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_hidden_turns_account"),
    )
    op.add_column("proposals", sa.Column("arguments", sa.Text))
    op.execute("DELETE FROM creations WHERE account IN (SELECT id FROM accounts WHERE removed IS NOT NULL)")
