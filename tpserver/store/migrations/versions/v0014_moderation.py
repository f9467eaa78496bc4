"""Press rules of games, and blocks. Before, each player could write to all."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0014"
down_revision: str | None = "0013"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Add the column and the tables."""
    op.add_column("games", sa.Column("press", sa.Text))
    op.create_table(
        "blocks",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("other", sa.Integer, nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("account", "other", "game", name="pk_blocks"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_blocks_account"),
        sa.ForeignKeyConstraint(["other"], ["accounts.id"], name="fk_blocks_other"),
    )
    op.create_table(
        "mutes",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("game", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("account", "game", name="pk_mutes"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_mutes_account"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_mutes_game"),
    )
    op.create_table(
        "silences",
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("until", sa.Double, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("account", name="pk_silences"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_silences_account"),
    )
    op.create_table(
        "reported_letters",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("account", sa.Integer, nullable=False),
        sa.Column("writer", sa.Integer),
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("board", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("sender", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("written", sa.Double, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("decision", sa.Text, nullable=False),
        sa.Column("closed", sa.Double),
        sa.Column("closed_by", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_reported_letters"),
        sa.UniqueConstraint("game", "board", "number", name="uq_reported_letters_game_board_number"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_reported_letters_account"),
        sa.ForeignKeyConstraint(["writer"], ["accounts.id"], name="fk_reported_letters_writer"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reported_letters_decision_id", "reported_letters", ["decision", "id"])
