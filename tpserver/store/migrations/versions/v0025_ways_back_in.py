"""Mail addresses for password resets, and mails about account changes.

Every address that could receive a reset before stays allowed: the address of each account, and each verified mail
address.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0025"
down_revision: str | None = "0024"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# Older nodes of a cluster work as before: their resets go to every verified address.
ADDS_ONLY = True


def upgrade() -> None:
    """Add the columns and the table, and mark the addresses."""
    op.add_column("accounts", sa.Column("email_resets", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("notice_addresses", sa.Column("resets", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("logins", sa.Column("signed_in", sa.Double))
    accounts = sa.table("accounts", sa.column("email", sa.Text), sa.column("email_resets", sa.Boolean))
    # The texts are JSON.
    op.execute(sa.update(accounts).where(accounts.c.email != '""').values(email_resets=True))
    addresses = sa.table(
        "notice_addresses",
        sa.column("kind", sa.Text),
        sa.column("state", sa.Text),
        sa.column("resets", sa.Boolean),
    )
    can_reset = (addresses.c.kind == "mail") & (addresses.c.state == "verified")
    op.execute(sa.update(addresses).where(can_reset).values(resets=True))
    op.create_table(
        "account_mails",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("next_try", sa.Double),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_account_mails"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_account_mails_account"),
        sqlite_autoincrement=True,
    )
