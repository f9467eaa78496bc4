"""Start times for the expiry of unused accounts and games.

A game counts as unused until another player or a bot takes a seat. The times of existing rows begin now.
"""

import time
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "0026"
down_revision: str | None = "0025"
branch_labels: Sequence[str] | None = None
depends_on: Sequence[str] | None = None

# Accounts and games of older nodes of a cluster do not expire.
ADDS_ONLY = True


def upgrade() -> None:
    """Add the columns, and mark accounts and games without a trace of use.

    An older account has no other trace of a login.
    """
    op.add_column("accounts", sa.Column("unused_since", sa.Double))
    op.add_column("creations", sa.Column("alone_since", sa.Double))
    now: sa.BindParameter[float] = sa.bindparam("now", time.time())
    # The audit has the names of accounts, as JSON, that the operator has created.
    unused = """
        UPDATE accounts SET unused_since = :now
        WHERE NOT bot AND role IS NULL AND guest IS NULL AND removed IS NULL AND disabled IS NULL
        AND id NOT IN (SELECT account FROM logins)
        AND id NOT IN (SELECT account FROM tokens)
        AND id NOT IN (SELECT account FROM identities)
        AND id NOT IN (SELECT account FROM looks)
        AND id NOT IN (SELECT account FROM creations)
        AND id NOT IN (SELECT account FROM seats WHERE account IS NOT NULL)
    """
    alone = """
        UPDATE creations SET alone_since = :now
        WHERE game NOT IN (
            SELECT seats.game FROM seats JOIN creations AS made ON made.game = seats.game
            WHERE seats.name != '' AND (seats.account IS NULL OR seats.account != made.account)
        )
        AND game NOT IN (SELECT game FROM removals)
    """
    for statement in (unused, alone):
        op.get_bind().execute(sa.text(statement).bindparams(now))
