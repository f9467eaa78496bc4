"""Guests, guest rules of games, and OpenID Connect identities, all empty."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0017"
down_revision: str | None = "0016"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the columns and the table."""
    op.add_column("accounts", sa.Column("guest", sa.Double))
    op.add_column("games", sa.Column("guests", sa.Text))
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("used", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("issuer", "subject", name="pk_identities"),
        sa.UniqueConstraint("account", "issuer", name="uq_identities_account_issuer"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_identities_account"),
    )
