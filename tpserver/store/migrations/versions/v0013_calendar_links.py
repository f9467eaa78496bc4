"""Empty table of calendar links."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0013"
down_revision: str | None = "0012"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "calendar_links",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False),
        sa.Column("made", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_calendar_links"),
        sa.UniqueConstraint("digest", name="uq_calendar_links_digest"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_calendar_links_account"),
    )
