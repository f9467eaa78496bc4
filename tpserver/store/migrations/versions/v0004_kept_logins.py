"""Empty table of kept logins, and an index of seats by account."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0004"
down_revision: str | None = "0003"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Create the table and the index."""
    op.create_table(
        "logins",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("used", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_logins"),
        sa.UniqueConstraint("digest", name="uq_logins_digest"),
        sa.UniqueConstraint("account", "id", name="uq_logins_account_id"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_logins_account"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_seats_account", "seats", ["account"])
