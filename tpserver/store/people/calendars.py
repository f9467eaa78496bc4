"""Calendar links: secret tokens that show an account's deadlines."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from tpserver.store.tables import accounts, calendar_links


def set_link(c: Connection, account: int, digest: bytes, now: float) -> None:
    """Give an account a calendar link in place of its earlier one; ``digest`` is that of the token."""
    c.execute(delete(calendar_links).where(calendar_links.c.account == account))
    c.execute(insert(calendar_links).values(account=account, digest=digest, made=now))


def remove_link(c: Connection, account: int) -> bool:
    """Remove the link of an account; return whether it existed."""
    return c.execute(delete(calendar_links).where(calendar_links.c.account == account)).rowcount == 1


def owner(c: Connection, digest: bytes) -> int | None:
    """Return the account of a link; None if there is no such link, or the account may not log in."""
    lets_in = accounts.c.disabled.is_(None) & accounts.c.removed.is_(None)
    of_account = calendar_links.join(accounts, accounts.c.id == calendar_links.c.account)
    query = select(calendar_links.c.account).select_from(of_account)
    return c.scalar(query.where(calendar_links.c.digest == digest, lets_in))


def made(c: Connection, account: int) -> float | None:
    """Return the creation time of an account's link in unix seconds, or None."""
    return c.scalar(select(calendar_links.c.made).where(calendar_links.c.account == account))
