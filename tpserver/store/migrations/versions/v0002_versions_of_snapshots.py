"""Ruleset version of a game: that of its newest snapshot, not the first.

No table changes: the state in each snapshot has always named the version of the ruleset that wrote it.
"""

import json
import zlib
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0002"
down_revision: str | None = "0001"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

games = sa.table("games", sa.column("id", sa.Integer), sa.column("ruleset_version", sa.Integer))
snapshots = sa.table(
    "snapshots", sa.column("game", sa.Integer), sa.column("turn", sa.Integer), sa.column("state", sa.LargeBinary)
)


def upgrade() -> None:
    """Set the version of every game to that of its newest snapshot."""
    connection = op.get_bind()
    for game, version in connection.execute(sa.select(games.c.id, games.c.ruleset_version)).all():
        newest = sa.select(snapshots.c.state).where(snapshots.c.game == game).order_by(snapshots.c.turn.desc()).limit(1)
        state = connection.execute(newest).scalar()
        if state is None:
            continue
        written = json.loads(zlib.decompress(state))["version"]
        if written != version:
            connection.execute(sa.update(games).where(games.c.id == game).values(ruleset_version=written))
