"""OpenID Connect identities: accounts by issuer and subject.

No other data identifies an account.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, insert, select, update

from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people.accounts import Account
from tpserver.store.tables import identities


@dataclass(frozen=True, slots=True)
class Identity:
    """A subject of an issuer that logs in to an account. ``created`` and ``used`` are in UTC unix seconds."""

    issuer: str
    subject: str
    account: int
    created: float
    used: float


_SELECT = select(*(identities.c[each.name] for each in fields(Identity)))


def account_of(c: Connection, issuer: str, subject: str) -> Account | None:
    """Return the account of a subject, or None."""
    mine = (identities.c.issuer == issuer) & (identities.c.subject == subject)
    account = c.scalar(select(identities.c.account).where(mine))
    return None if account is None else stored_accounts.by_id(c, account)


def of_account(c: Connection, account: int) -> list[Identity]:
    """Return the identities of an account."""
    query = _SELECT.where(identities.c.account == account).order_by(identities.c.created, identities.c.issuer)
    return [Identity(*row) for row in c.execute(query)]


def connect(c: Connection, account: int, issuer: str, subject: str, now: float) -> bool:
    """Connect a subject to an account.

    Returns False, without changes, if the subject belongs to an account already, or another subject of the issuer to
    this one.
    """
    if account_of(c, issuer, subject) is not None:
        return False
    if any(one.issuer == issuer for one in of_account(c, account)):
        return False
    c.execute(insert(identities).values(issuer=issuer, subject=subject, account=account, created=now, used=now))
    return True


def add_account(c: Connection, name: str, issuer: str, subject: str, now: float) -> Account | None:
    """Add an account without a password for a subject; None if the subject has one already.

    Raises NameTaken if a name differs from this one only in case.
    """
    if account_of(c, issuer, subject) is not None:
        return None
    account = stored_accounts.add(c, name, "", now=now)
    connect(c, account.id, issuer, subject, now)
    return account


def note_use(c: Connection, issuer: str, subject: str, now: float) -> None:
    """Set the time of the last login of a subject."""
    mine = (identities.c.issuer == issuer) & (identities.c.subject == subject)
    c.execute(update(identities).where(mine).values(used=now))


def disconnect(c: Connection, account: int, issuer: str) -> bool:
    """Remove the identity of an issuer from an account; return whether it existed."""
    mine = (identities.c.account == account) & (identities.c.issuer == issuer)
    return c.execute(delete(identities).where(mine)).rowcount > 0
