"""Known accounts, which may use the last reserve of shared resources.

`tpserver.network_counts` has the limits.
"""

from sqlalchemy import Connection, select

from tpserver.store.tables import accounts, seats

DAY = 86400.0
"""Age from which an account may be known. A stranger can create accounts and their games within minutes."""


def is_known(c: Connection, account: int, now: float) -> bool:
    """Return whether an account is older than a day and plays, or played, with another person."""
    mine, theirs = seats.alias(), seats.alias()
    query = (
        select(mine.c.game)
        .join(theirs, (theirs.c.game == mine.c.game) & (theirs.c.account != mine.c.account) & ~theirs.c.bot)
        .join(accounts, accounts.c.id == mine.c.account)
        .where(mine.c.account == account, accounts.c.created < now - DAY)
    )
    return c.scalar(query.limit(1)) is not None
