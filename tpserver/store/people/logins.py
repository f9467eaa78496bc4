"""Kept logins of browsers, by the digests of their tokens."""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, insert, select, update

from tpserver.store.tables import logins


@dataclass(frozen=True, slots=True)
class KeptLogin:
    """A browser that stays logged in to an account.

    ``label`` is its name in lists. ``created`` and ``used`` are in UTC unix seconds. So is ``signed_in``, the time of
    its sign-in through a provider (None: no provider).
    """

    id: int
    account: int
    label: str
    created: float
    used: float
    signed_in: float | None = None


_SELECT = select(*(logins.c[each.name] for each in fields(KeptLogin)))


def add(
    c: Connection,
    account: int,
    digest: bytes,
    label: str,
    *,
    most: int,
    since: float,
    now: float,
    signed_in: float | None = None,
) -> KeptLogin:
    """Add a login, and remove old ones of the account.

    These are the logins last used before ``since``, and those above ``most``. The most recently used ones stay.
    """
    values = {"account": account, "label": label, "created": now, "used": now}
    row = insert(logins).values(digest=digest, signed_in=signed_in, **values)
    added = c.execute(row.returning(logins.c.id)).scalar_one()
    mine = logins.c.account == account
    c.execute(delete(logins).where(mine, logins.c.used < since))
    newest = select(logins.c.id).where(mine).order_by(logins.c.used.desc(), logins.c.id.desc()).limit(most)
    c.execute(delete(logins).where(mine, logins.c.id.not_in(newest)))
    return KeptLogin(id=added, account=account, label=label, created=now, used=now, signed_in=signed_in)


def by_digest(c: Connection, digest: bytes) -> KeptLogin | None:
    """Return the login with this digest, or None."""
    row = c.execute(_SELECT.where(logins.c.digest == digest)).first()
    return None if row is None else KeptLogin(*row)


def there(c: Connection, ids: Iterable[int]) -> set[int]:
    """Return the existing logins among these ids."""
    return set(c.scalars(select(logins.c.id).where(logins.c.id.in_(list(ids)))))


def of_account(c: Connection, account: int) -> list[KeptLogin]:
    """Return the logins of an account, the most recently used first."""
    query = _SELECT.where(logins.c.account == account).order_by(logins.c.used.desc(), logins.c.id.desc())
    return [KeptLogin(*row) for row in c.execute(query)]


def note_use(c: Connection, login: int, now: float) -> bool:
    """Set the time of the last use of a login; return whether the login exists."""
    return c.execute(update(logins).where(logins.c.id == login).values(used=now)).rowcount == 1


def remove(c: Connection, account: int, login: int | None) -> list[int]:
    """Remove a login of the account, or with None all of them; return the ids of the removed ones."""
    meant = logins.c.account == account
    if login is not None:
        meant &= logins.c.id == login
    return list(c.scalars(delete(logins).where(meant).returning(logins.c.id)))
