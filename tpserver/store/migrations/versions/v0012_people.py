"""Roles, disabled and removed accounts, the audit, tokens, and resets."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0012"
down_revision: str | None = "0011"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns and the tables."""
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
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("game", sa.Integer),
        sa.Column("read_only", sa.Boolean, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("ends", sa.Double, nullable=False),
        sa.Column("used", sa.Double),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
        sa.UniqueConstraint("account", "id", name="uq_tokens_account_id"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_tokens_account"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "resets",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("account", sa.Integer),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("digest", sa.LargeBinary),
        sa.Column("next_try", sa.Double),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_resets"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_resets_account"),
        sqlite_autoincrement=True,
    )
