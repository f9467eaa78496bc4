"""Roles of accounts, those that are disabled or removed, and the audit.  Before, all are players."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0012"
down_revision: str | None = "0009"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("accounts", sa.Column("role", sa.Text))
    op.add_column("accounts", sa.Column("disabled", sa.Double))
    op.add_column("accounts", sa.Column("disabled_reason", sa.Text))
    op.add_column("accounts", sa.Column("removed", sa.Double))
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
        sqlite_autoincrement=True,
    )
