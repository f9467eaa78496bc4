"""Tables of notifications: contacts, choices and the outbox.

No account has a contact yet.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0009"
down_revision: str | None = "0008"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Create the tables and the indexes."""
    op.create_table(
        "notice_addresses",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("target", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("code", sa.Text, nullable=False),
        sa.Column("wrong", sa.Integer, nullable=False),
        sa.Column("problem", sa.Text, nullable=False),
        sa.Column("rest", sa.Double, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notice_addresses"),
        sa.UniqueConstraint("account", "id", name="uq_notice_addresses_account_id"),
        sa.CheckConstraint("state IN ('unverified', 'verified', 'failing')", name="state"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_notice_addresses_account"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "notice_wishes",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("hours", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("account", "game", name="pk_notice_wishes"),
        sa.CheckConstraint("mode IN ('off', 'turn', 'digest')", name="mode"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_notice_wishes_account"),
    )
    op.create_table(
        "notice_times",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("zone", sa.Text, nullable=False),
        sa.Column("quiet_from", sa.Integer, nullable=False),
        sa.Column("quiet_to", sa.Integer, nullable=False),
        sa.Column("digest", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_notice_times"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_notice_times_account"),
    )
    op.create_table(
        "notice_codes",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("target", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notice_codes"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_notice_codes_account"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("address", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("notice", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("next_try", sa.Double),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("taken", sa.Boolean, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("game", "address", "kind", name="uq_outbox_game_address_kind"),
        sa.CheckConstraint("kind IN ('turn', 'deadline', 'over', 'digest', 'code')", name="kind"),
        sa.ForeignKeyConstraint(["address"], ["notice_addresses.id"], name="fk_outbox_address"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_outbox_address", "outbox", ["address"])
    op.create_index("ix_outbox_next_try", "outbox", ["next_try"])
