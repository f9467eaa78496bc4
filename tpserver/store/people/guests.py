"""Guests: accounts without a password, removed after an absence.

Only a token logs a guest in.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.network_counts import may_take
from tpserver.store import audit, tables
from tpserver.store.audit import AuditEntry
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import tokens
from tpserver.store.people.accounts import Account
from tpserver.store.people.tokens import Token
from tpserver.store.tables import accounts, name_key

GOES_ON = ("running", "paused", "held")
"""States of games that have begun and are not over."""


def count(c: Connection) -> int:
    """Return the number of guests."""
    return c.scalar(select(func.count()).select_from(accounts).where(accounts.c.guest.is_not(None))) or 0


def add(
    c: Connection,
    digest: bytes,
    label: str,
    named: Callable[[int], Iterable[str]],
    *,
    most: int,
    is_new: bool,
    ends: float,
    now: float,
) -> tuple[Account, Token] | None:
    """Add a guest and its login token, or return None if there are too many guests.

    The limit is ``most``, or half of it for a network that is not ``is_new``. ``named`` yields names for an account id,
    which no other account ever has. The guest gets the first free one.
    """
    if not may_take(count(c), most, is_new=is_new, is_known=is_new):
        return None
    # The name contains the id, which exists only after the insert. Until then the guest has a name that no client can
    # type.
    held = f"\n{secrets.token_hex(16)}"
    values = {"password_hash": "", "email": "", "comment": "", "created": now, "bot": False, "guest": now}
    added = c.execute(insert(accounts).values(name=held, name_key=held, **values).returning(accounts.c.id))
    account = added.scalar_one()
    name = next(name for name in named(account) if stored_accounts.by_name(c, name) is None)
    c.execute(update(accounts).where(accounts.c.id == account).values(name=name, name_key=name_key(name)))
    token = tokens.add(c, account, digest, label, None, False, ends=ends, most=1, now=now)
    found = stored_accounts.by_id(c, account)
    assert found is not None and token is not None  # both were just added
    return found, token


def promote(c: Connection, account: int, name: str, password_hash: str, email: str, now: float) -> bool:
    """Give a guest a name and a password, and revoke its earlier logins.

    Return whether the account was a guest's. Raises NameTaken if another account has the name, ignoring case.
    """
    before = stored_accounts.by_id(c, account)
    if before is None or not before.is_guest or not before.may_log_in:
        return False
    stored_accounts.rename(c, account, name)
    c.execute(update(accounts).where(accounts.c.id == account).values(guest=None, email=email))
    stored_accounts.set_hash(c, account, password_hash)
    audit.add(c, AuditEntry(now, before.name, "account become", name))
    return True


def away(c: Connection, since: float) -> list[Account]:
    """Return the guests without a login since a time.

    Guests in a game that has begun and is not over are omitted. The longest absent guests are first. The time of a
    login is exact to the hour, for kept logins and for tokens.
    """
    used = {one.id: one.created for one in stored_accounts.of_guests(c)}
    for table in (tables.logins, tables.tokens):
        last = select(table.c.account, func.max(table.c.used)).where(table.c.account.in_(used))
        for account, at in c.execute(last.group_by(table.c.account)):
            used[account] = max(used[account], at or 0.0)
    seats, games = tables.seats, tables.games
    playing = set(
        c.scalars(
            select(seats.c.account)
            .join(games, games.c.id == seats.c.game)
            .where(seats.c.account.in_(used), games.c.state.in_(GOES_ON))
        )
    )
    gone = sorted((at, account) for account, at in used.items() if at <= since and account not in playing)
    return [one for _, account in gone if (one := stored_accounts.by_id(c, account)) is not None]


def remove_traceless(c: Connection, account: int) -> bool:
    """Remove the account of a guest without a trace in any game; return whether it was removed."""
    found = stored_accounts.by_id(c, account)
    if found is None or not found.is_guest:
        return False
    own = [tables.logins, tables.tokens]
    for table in tables.metadata.tables.values():
        mine = [column for column in table.c if any(key.column is accounts.c.id for key in column.foreign_keys)]
        for column in mine:
            if table not in own and c.scalar(select(column).where(column == account).limit(1)) is not None:
                return False
    for table in own:
        c.execute(delete(table).where(table.c.account == account))
    c.execute(delete(accounts).where(accounts.c.id == account))
    return True
