"""Accounts that clients have created without a login so far."""

from sqlalchemy import Connection, Table, delete, func, select, update

from tpserver.network_counts import may_take
from tpserver.store import tables
from tpserver.store.people.accounts import Account, by_id
from tpserver.store.tables import accounts

DAYS = 30
"""Days after which such an account is removed."""


def has_room(c: Connection, most: int, is_new: bool) -> bool:
    """Return whether a network may create another one. Half of ``most`` is reserved for new networks."""
    count = c.scalar(select(func.count()).select_from(accounts).where(accounts.c.unused_since.is_not(None))) or 0
    return may_take(count, most, is_new=is_new, is_known=is_new)


def note_login(c: Connection, account: int) -> None:
    """Record a login to an account, so that it does not expire."""
    c.execute(update(accounts).where(accounts.c.id == account).values(unused_since=None))


def expired(c: Connection, now: float, most: int) -> list[int]:
    """Return accounts that have been unused for DAYS, the oldest first."""
    since = accounts.c.unused_since
    query = select(accounts.c.id).where(since <= now - DAYS * 86400.0).order_by(since).limit(most)
    return list(c.scalars(query))


def remove(c: Connection, account: int) -> str:
    """Remove an unused account and return its name; if it is used, record that and return an empty name."""
    found = by_id(c, account)
    if found is None or found.unused_since is None:
        return ""
    if has_traces(c, found):
        note_login(c, account)
        return ""
    remove_with(c, account, _OWN)
    return found.name


def has_traces(c: Connection, account: Account) -> bool:
    """Return whether any lasting data refers to an account, such as a seat or a provider."""
    if account.rank is not None or account.bot:
        return True
    for table in tables.metadata.tables.values():
        mine = [column for column in table.c if any(key.column is accounts.c.id for key in column.foreign_keys)]
        if table not in _OWN and any(
            c.scalar(select(column).where(column == account.id).limit(1)) is not None for column in mine
        ):
            return True
    return False


def remove_with(c: Connection, account: int, own: tuple[Table, ...]) -> None:
    """Remove an account, and its rows in these tables."""
    for table in own:
        c.execute(delete(table).where(table.c.account == account))
    c.execute(delete(accounts).where(accounts.c.id == account))


_OWN = (tables.resets,)
"""Tables with rows that others may have created for an account."""
