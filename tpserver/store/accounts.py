"""Accounts of people and bots."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from tpserver.store import hearing, notices, tables
from tpserver.store.errors import NameTaken
from tpserver.store.tables import accounts, logins, name_key

ROLES = ("player", "moderator", "operator", "bot")
"""What an account may be: who plays; who keeps order; who looks after the server; a program, which others are told."""
GUEST = "guest"
"""The role of a guest's account, which nobody gives."""


@dataclass(frozen=True, slots=True)
class Account:
    """One account. ``password_hash`` is opaque here (argon2 in the server); times are in UTC unix seconds.

    ``disabled`` is since when nobody can log in to it, ``removed`` when its personal data were removed, ``guest`` since
    when it is a guest's (`tpserver.store.guests`); None: none of that.
    """

    id: int
    name: str
    password_hash: str
    email: str
    comment: str
    created: float
    bot: bool
    rank: str | None = None
    disabled: float | None = None
    disabled_reason: str | None = None
    removed: float | None = None
    guest: float | None = None

    @property
    def is_guest(self) -> bool:
        """Whether it is a guest's: it has no password, and less is let do."""
        return self.guest is not None

    @property
    def role(self) -> str:
        """One of ROLES, or GUEST."""
        return GUEST if self.is_guest else "bot" if self.bot else self.rank or "player"

    @property
    def may_log_in(self) -> bool:
        """Whether it is neither disabled nor removed."""
        return self.disabled is None and self.removed is None


_SELECT = select(*(accounts.c["role" if each.name == "rank" else each.name] for each in fields(Account)))
_BY_NAME = _SELECT.where(accounts.c.name_key == bindparam("key"))  # built once, for each login reads it


def add(c: Connection, name: str, password_hash: str, *, email: str = "", comment: str = "", now: float) -> Account:
    """Add an account and return it. Raises NameTaken if a name differs from this one only in case."""
    _check_free(c, name)
    values: dict[str, Any] = {"name": name, "password_hash": password_hash, "email": email, "comment": comment}
    values |= {"created": now, "bot": False}
    result = c.execute(insert(accounts).values(name_key=name_key(name), **values).returning(accounts.c.id))
    return Account(id=result.scalar_one(), **values)


def by_id(c: Connection, account: int) -> Account | None:
    """Return the account with this id; None if there is none."""
    row = c.execute(_SELECT.where(accounts.c.id == account)).first()
    return None if row is None else Account(*row)


def with_ids(c: Connection, ids: Iterable[int]) -> dict[int, Account]:
    """Return those of these accounts that are there, by id."""
    return {row.id: Account(*row) for row in c.execute(_SELECT.where(accounts.c.id.in_(list(ids))))}


def by_name(c: Connection, name: str) -> Account | None:
    """Return the account of this name, ignoring case; None if there is none."""
    row = c.execute(_BY_NAME, {"key": name_key(name)}).first()
    return None if row is None else Account(*row)


def replace_hash(c: Connection, account: int, before: str, password_hash: str) -> bool:
    """Replace the account's password hash, and return whether ``before`` still was its hash."""
    of_account = (accounts.c.id == account) & (accounts.c.password_hash == before)
    return c.execute(update(accounts).where(of_account).values(password_hash=password_hash)).rowcount == 1


def set_hash(c: Connection, account: int, password_hash: str) -> None:
    """Give an account another password, and end all that let somebody in without the old one."""
    c.execute(update(accounts).where(accounts.c.id == account).values(password_hash=password_hash))
    end_access(c, account)


def end_access(c: Connection, account: int) -> None:
    """Remove the kept logins and tokens of an account, and the codes by which its password could be reset."""
    for table in (logins, tables.tokens):
        c.execute(delete(table).where(table.c.account == account))
    # The rows stay: they count.
    reset = update(tables.resets).where(tables.resets.c.account == account)
    c.execute(reset.values(digest=None, next_try=None, target=""))


def set_role(c: Connection, account: int, role: str) -> None:
    """Set the role of an account, one of ROLES."""
    rank = None if role in ("player", "bot") else role
    c.execute(update(accounts).where(accounts.c.id == account).values(role=rank, bot=role == "bot"))


def disable(c: Connection, account: int, reason: str, now: float) -> None:
    """Let nobody log in to an account, and end its kept logins and tokens."""
    c.execute(update(accounts).where(accounts.c.id == account).values(disabled=now, disabled_reason=reason))
    end_access(c, account)


def enable(c: Connection, account: int) -> None:
    """Let an account log in again."""
    c.execute(update(accounts).where(accounts.c.id == account).values(disabled=None, disabled_reason=None))


def rename(c: Connection, account: int, name: str) -> None:
    """Give an account, and its seats, another name.  Raises NameTaken if another account has it, ignoring case."""
    _check_free(c, name, account)
    c.execute(update(accounts).where(accounts.c.id == account).values(name=name, name_key=name_key(name)))
    c.execute(update(tables.seats).where(tables.seats.c.account == account).values(name=name))


def remove(c: Connection, account: int, now: float) -> str:
    """Remove all that is kept of a person, and return what its seats are called from now on.

    The account itself stays, without anything personal, and so do its seats, orders and messages: games that it played
    can be run again, and lead to the same turns.
    """
    there = by_id(c, account)
    before = "" if there is None else there.name
    name, number = f"removed player {account}", 1  # `names.REMOVED`
    while (other := by_name(c, name)) is not None and other.id != account:
        number += 1
        name = f"removed player {account}-{number}"
    rename(c, account, name)
    empty = {"password_hash": "", "email": "", "comment": "", "role": None, "disabled": None, "disabled_reason": None}
    empty |= {"guest": None}
    c.execute(update(accounts).where(accounts.c.id == account).values(**empty, removed=now))
    end_access(c, account)
    notices.forget(c, account)
    _forget_name(c, account, before, name)  # needs to know where it has looked
    for table in (tables.identities, tables.looks, tables.reliability, tables.calendar_links, tables.vacations):
        c.execute(delete(table).where(table.c.account == account))
    hearing.forget(c, account)
    return name


def _forget_name(c: Connection, account: int, before: str, name: str) -> None:
    """Give an account another name in the journals of games in which it has, or had, a seat; those who had the seat
    before or after it stay who they are."""
    games: set[int] = set()
    for table in (tables.seats, tables.removals, tables.looks):
        games |= set(c.scalars(select(table.c.game).where(table.c.account == account)))
    journal = tables.journal
    for game in sorted(games):
        taking = (journal.c.game == game) & journal.c.kind.in_(("seat", "player"))
        for number, body in c.execute(select(journal.c.number, journal.c.body).where(taking)).all():
            if not isinstance(body, dict):
                continue
            named = {"name": name} if body.get("account") == account else {}
            named |= {key: name for key in ("by", "owner") if key in body and body[key] == before}
            if named:
                one = (journal.c.game == game) & (journal.c.number == number)
                c.execute(update(journal).where(one).values(body={**body, **named}))


def some(c: Connection, start: int, text: str, most: int) -> list[Account]:
    """Return accounts from an id on, the oldest first, whose name has a text in it."""
    query = _SELECT.where(accounts.c.id >= start).order_by(accounts.c.id).limit(most)
    if text:
        query = query.where(accounts.c.name_key.contains(name_key(text), autoescape=True))
    return [Account(*row) for row in c.execute(query)]


def seat_counts(c: Connection) -> dict[int, int]:
    """Return the number of seats by account, of those that have some."""
    seats = tables.seats
    query = select(seats.c.account, func.count()).where(seats.c.account.is_not(None)).group_by(seats.c.account)
    return {account: int(count) for account, count in c.execute(query)}


def bots(c: Connection) -> set[int]:
    """Return the ids of the accounts that are labelled as programs."""
    return set(c.scalars(select(accounts.c.id).where(accounts.c.bot)))


def of_guests(c: Connection) -> list[Account]:
    """Return the accounts of guests, oldest first."""
    return [Account(*row) for row in c.execute(_SELECT.where(accounts.c.guest.is_not(None)).order_by(accounts.c.id))]


def _check_free(c: Connection, name: str, account: int | None = None) -> None:
    other = by_name(c, name)
    if other is not None and other.id != account:
        raise NameTaken("an account", name)


def names(c: Connection) -> list[str]:
    """Return the names of all accounts, oldest first; which takes far less than all accounts."""
    return list(c.scalars(select(accounts.c.name).order_by(accounts.c.id)))


def all(c: Connection) -> list[Account]:  # noqa: A001 - always read as accounts.all
    """Return every account, oldest first."""
    return [Account(*row) for row in c.execute(_SELECT.order_by(accounts.c.id))]
