"""Accounts of people and bots."""

from dataclasses import dataclass

from sqlalchemy import Connection, Row, insert, select, update

from tpserver.store.errors import NameTaken
from tpserver.store.tables import accounts, name_key


@dataclass(frozen=True, slots=True)
class Account:
    """One account. ``password_hash`` is opaque here (argon2 in the server); ``created`` is in UTC unix seconds."""

    id: int
    name: str
    password_hash: str
    email: str
    comment: str
    created: float
    bot: bool


_SELECT = select(*(column for column in accounts.c if column is not accounts.c.name_key))


def _account(row: Row[tuple[object, ...]]) -> Account:
    return Account(**row._asdict())


def add(
    c: Connection,
    name: str,
    password_hash: str,
    *,
    email: str = "",
    comment: str = "",
    now: float,
) -> Account:
    """Add an account and return it. Raises NameTaken if a name differs from this one only in case."""
    if by_name(c, name) is not None:
        raise NameTaken("an account", name)
    values = {
        "name": name,
        "password_hash": password_hash,
        "email": email,
        "comment": comment,
        "created": now,
        "bot": False,
    }
    result = c.execute(insert(accounts).values(name_key=name_key(name), **values).returning(accounts.c.id))
    return Account(id=result.scalar_one(), name=name, password_hash=password_hash, email=email, comment=comment,
                   created=now, bot=False)  # fmt: skip


def by_name(c: Connection, name: str) -> Account | None:
    """Return the account of this name, ignoring case; None if there is none."""
    row = c.execute(_SELECT.where(accounts.c.name_key == name_key(name))).one_or_none()
    return None if row is None else _account(row)


def by_id(c: Connection, account: int) -> Account | None:
    """Return the account with this id; None if there is none."""
    row = c.execute(_SELECT.where(accounts.c.id == account)).one_or_none()
    return None if row is None else _account(row)


def set_password(c: Connection, account: int, password_hash: str, *, instead_of: str | None = None) -> bool:
    """Set the account's password hash; return False if there is no such account.

    With ``instead_of`` only if that is still its hash, as the password may have been changed since.
    """
    change = update(accounts).where(accounts.c.id == account).values(password_hash=password_hash)
    if instead_of is not None:
        change = change.where(accounts.c.password_hash == instead_of)
    return c.execute(change).rowcount == 1


def all(c: Connection) -> list[Account]:  # noqa: A001 - always read as accounts.all
    """Return every account, oldest first."""
    return [_account(row) for row in c.execute(_SELECT.order_by(accounts.c.id))]
