"""Accounts of people and bots."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from tpserver.store import tables
from tpserver.store.errors import NameTaken
from tpserver.store.people import blocks, notices
from tpserver.store.tables import accounts, logins, name_key

ROLES = ("player", "moderator", "operator", "bot")
"""Roles of accounts. A bot is a program, and is shown as a bot."""
GUEST = "guest"
"""The role of a guest's account, which cannot be assigned."""


@dataclass(frozen=True, slots=True)
class Account:
    """One account. ``password_hash`` is opaque here (argon2 in the server).

    Times are in UTC unix seconds, or None. Since ``disabled`` logins are refused. At ``removed`` its personal data were
    removed. Since ``guest`` it is a guest's (`tpserver.store.people.guests`). At ``unused_since`` a client created it;
    None after its first login (`tpserver.store.people.unused_accounts`). With ``email_resets`` a forgotten password may
    be reset by ``email``.
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
    email_resets: bool = False
    unused_since: float | None = None

    @property
    def is_guest(self) -> bool:
        """True for a guest, who has no password and may do less."""
        return self.guest is not None

    @property
    def role(self) -> str:
        """One of ROLES, or GUEST."""
        return GUEST if self.is_guest else "bot" if self.bot else self.rank or "player"

    @property
    def may_log_in(self) -> bool:
        """True if the account is neither disabled nor removed."""
        return self.disabled is None and self.removed is None


_SELECT = select(*(accounts.c["role" if each.name == "rank" else each.name] for each in fields(Account)))
_BY_NAME = _SELECT.where(accounts.c.name_key == bindparam("key"))  # built once, for each login reads it


def add(
    c: Connection,
    name: str,
    password_hash: str,
    *,
    email: str = "",
    comment: str = "",
    now: float,
    is_unused: bool = False,
) -> Account:
    """Add an account and return it; an unused one expires.

    Raises NameTaken if another name differs only in case.
    """
    _check_free(c, name)
    values: dict[str, Any] = {"name": name, "password_hash": password_hash, "email": email, "comment": comment}
    values |= {"created": now, "bot": False, "unused_since": now if is_unused else None}
    result = c.execute(insert(accounts).values(name_key=name_key(name), **values).returning(accounts.c.id))
    return Account(id=result.scalar_one(), **values)


def by_id(c: Connection, account: int) -> Account | None:
    """Return the account with this id; None if there is none."""
    row = c.execute(_SELECT.where(accounts.c.id == account)).first()
    return None if row is None else Account(*row)


def with_ids(c: Connection, ids: Iterable[int]) -> dict[int, Account]:
    """Return the existing ones of these accounts, by id."""
    return {row.id: Account(*row) for row in c.execute(_SELECT.where(accounts.c.id.in_(list(ids))))}


def by_name(c: Connection, name: str) -> Account | None:
    """Return the account of this name, ignoring case; None if there is none."""
    row = c.execute(_BY_NAME, {"key": name_key(name)}).first()
    return None if row is None else Account(*row)


def replace_hash(c: Connection, account: int, before: str, password_hash: str) -> bool:
    """Replace the account's password hash, and return whether ``before`` still was its hash."""
    of_account = (accounts.c.id == account) & (accounts.c.password_hash == before)
    return c.execute(update(accounts).where(of_account).values(password_hash=password_hash)).rowcount == 1


def set_hash(c: Connection, account: int, password_hash: str) -> bool:
    """Give an account another password, and revoke its other logins; return whether the account exists."""
    changed = c.execute(update(accounts).where(accounts.c.id == account).values(password_hash=password_hash))
    end_access(c, account)
    return changed.rowcount == 1


def end_access(c: Connection, account: int) -> None:
    """Remove the kept logins and tokens of an account, and the codes by which its password could be reset."""
    for table in (logins, tables.tokens):
        c.execute(delete(table).where(table.c.account == account))
    # The rows stay: they count.
    reset = update(tables.resets).where(tables.resets.c.account == account)
    c.execute(reset.values(digest=None, next_try=None, target=""))


def stop_email_resets(c: Connection, account: int) -> bool:
    """Stop resets of a forgotten password by the account's own address; return whether there could be any."""
    could = (accounts.c.id == account) & accounts.c.email_resets
    return c.execute(update(accounts).where(could).values(email_resets=False)).rowcount == 1


def set_role(c: Connection, account: int, role: str) -> None:
    """Set the role of an account, one of ROLES."""
    rank = None if role in ("player", "bot") else role
    c.execute(update(accounts).where(accounts.c.id == account).values(role=rank, bot=role == "bot"))


def disable(c: Connection, account: int, reason: str, now: float) -> None:
    """Refuse logins to an account, and end its kept logins and tokens."""
    c.execute(update(accounts).where(accounts.c.id == account).values(disabled=now, disabled_reason=reason))
    end_access(c, account)


def enable(c: Connection, account: int) -> None:
    """Let an account log in again."""
    c.execute(update(accounts).where(accounts.c.id == account).values(disabled=None, disabled_reason=None))


def rename(c: Connection, account: int, name: str) -> None:
    """Give an account, and its seats, another name. Raises NameTaken if another account has it, ignoring case."""
    _check_free(c, name, account)
    c.execute(update(accounts).where(accounts.c.id == account).values(name=name, name_key=name_key(name)))
    c.execute(update(tables.seats).where(tables.seats.c.account == account).values(name=name))


def remove(c: Connection, account: int, now: float) -> str:
    """Remove all personal data of an account, and return the new name of its seats.

    The account stays without a name, and so do its seats, orders and messages. So its games can be replayed to the same
    turns.
    """
    there = by_id(c, account)
    before = "" if there is None else there.name
    name, number = f"removed player {account}", 1  # `names.REMOVED`
    while (other := by_name(c, name)) is not None and other.id != account:
        number += 1
        name = f"removed player {account}-{number}"
    rename(c, account, name)
    empty: dict[str, Any] = {
        "password_hash": "",
        "email": "",
        "comment": "",
        "role": None,
        "disabled": None,
        "disabled_reason": None,
    }
    empty |= {"guest": None, "email_resets": False}
    c.execute(update(accounts).where(accounts.c.id == account).values(**empty, removed=now))
    end_access(c, account)
    notices.forget(c, account)
    _forget_name(c, account, before, name)  # needs to know where it has looked
    personal = (tables.identities, tables.looks, tables.reliability, tables.hidden_turns, tables.calendar_links)
    for table in (*personal, tables.vacations, tables.creations, tables.account_mails):
        c.execute(delete(table).where(table.c.account == account))
    blocks.forget(c, account)
    return name


def _forget_name(c: Connection, account: int, before: str, name: str) -> None:
    """Rename an account in the journals of games.

    They are those in which it has, or had, a seat. Earlier and later players of the seat keep their names.
    """
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
    """Return accounts from an id on whose names contain a text, the oldest first."""
    query = _SELECT.where(accounts.c.id >= start).order_by(accounts.c.id).limit(most)
    if text:
        query = query.where(accounts.c.name_key.contains(name_key(text), autoescape=True))
    return [Account(*row) for row in c.execute(query)]


def seat_counts(c: Connection) -> dict[int, int]:
    """Return the number of seats by account, of those that have some; anonymous games count when they are over."""
    seats, games = tables.seats, tables.games
    counts = seats.c.account.is_not(None) & (games.c.anonymous.is_not(True) | (games.c.state == "over"))
    query = select(seats.c.account, func.count()).join(games, games.c.id == seats.c.game).where(counts)
    query = query.group_by(seats.c.account)
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
