"""The first tables: accounts, games, seats, journal, snapshots, views, boards.

A migration describes the tables as they were then: it uses plain column types and never imports ``tables``.
"""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0001"
down_revision: str | None = None
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None


def upgrade() -> None:
    """Create the tables in an empty database."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_key", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("bot", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("name_key", name="uq_accounts_name_key"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "games",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("name_key", sa.Text, nullable=False),
        sa.Column("ruleset", sa.Text, nullable=False),
        sa.Column("ruleset_version", sa.Integer, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("seed", sa.LargeBinary, nullable=False),
        sa.Column("clock", sa.Text, nullable=False),
        sa.Column("join", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("held_reason", sa.Text, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("started", sa.Double),
        sa.Column("deadline", sa.Double),
        sa.Column("left", sa.Double),
        sa.Column("bots", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.UniqueConstraint("name_key", name="uq_games_name_key"),
        sa.CheckConstraint("\"join\" IN ('open', 'invited')", name=op.f("ck_games_join")),
        sa.CheckConstraint(
            "state IN ('waiting', 'running', 'paused', 'held', 'over')",
            name=op.f("ck_games_state"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "seats",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("account", sa.Integer),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("bot", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("game", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_seats_game"),
        sa.ForeignKeyConstraint(["account"], ["accounts.id"], name="fk_seats_account"),
        sa.UniqueConstraint("game", "account", name="uq_seats_game_account"),
    )
    op.create_table(
        "journal",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("seat", sa.Integer),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", "number", name="pk_journal"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_journal_game"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "snapshots",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("journal_number", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("phase", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("digest", sa.Text, nullable=False),
        sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("events", sa.LargeBinary, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", "turn", name="pk_snapshots"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_snapshots_game"),
    )
    op.create_table(
        "views",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("game", "seat", name="pk_views"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_views_game"),
    )
    op.create_table(
        "boards",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("board", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("game", "board", name="pk_boards"),
        sa.ForeignKeyConstraint(["game"], ["games.id"], name="fk_boards_game"),
    )
    op.create_table(
        "messages",
        sa.Column("game", sa.Integer, nullable=False),
        sa.Column("board", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("at", sa.Double, nullable=False),
        sa.Column("sender", sa.Integer),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("references", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("game", "board", "number", name="pk_messages"),
        sa.ForeignKeyConstraint(["game", "board"], ["boards.game", "boards.board"], name="fk_messages_game_board"),
    )
