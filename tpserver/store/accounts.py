"""Accounts of people and bots."""

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

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


_SELECT = select(*(accounts.c[each.name] for each in fields(Account)))
_BY_NAME = _SELECT.where(accounts.c.name_key == bindparam("key"))  # built once, for each login reads it


def add(c: Connection, name: str, password_hash: str, *, email: str = "", comment: str = "", now: float) -> Account:
    """Add an account and return it. Raises NameTaken if a name differs from this one only in case."""
    if by_name(c, name) is not None:
        raise NameTaken("an account", name)
    values: dict[str, Any] = {"name": name, "password_hash": password_hash, "email": email, "comment": comment}
    values |= {"created": now, "bot": False}
    result = c.execute(insert(accounts).values(name_key=name_key(name), **values).returning(accounts.c.id))
    return Account(id=result.scalar_one(), **values)


def by_id(c: Connection, account: int) -> Account | None:
    """Return the account with this id; None if there is none."""
    row = c.execute(_SELECT.where(accounts.c.id == account)).first()
    return None if row is None else Account(*row)


def by_name(c: Connection, name: str) -> Account | None:
    """Return the account of this name, ignoring case; None if there is none."""
    row = c.execute(_BY_NAME, {"key": name_key(name)}).first()
    return None if row is None else Account(*row)


def replace_hash(c: Connection, account: int, before: str, password_hash: str) -> bool:
    """Replace the account's password hash, and return whether ``before`` still was its hash."""
    of_account = (accounts.c.id == account) & (accounts.c.password_hash == before)
    return c.execute(update(accounts).where(of_account).values(password_hash=password_hash)).rowcount == 1


def all(c: Connection) -> list[Account]:  # noqa: A001 - always read as accounts.all
    """Return every account, oldest first."""
    return [Account(*row) for row in c.execute(_SELECT.order_by(accounts.c.id))]
