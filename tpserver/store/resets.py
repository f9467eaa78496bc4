"""Passwords that somebody has asked to reset by mail.  Rows are kept for an hour, also if there is no such account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.store import accounts as stored_accounts
from tpserver.store.tables import accounts, encode, notice_addresses, resets

SECONDS = 3600.0
"""Seconds for which a request counts, and for which the code that was sent for it is good."""
MOST_ACCOUNTS = 5
"""Maximum accounts of one mail address for which a request is."""

MOST_OF_TARGET = 6
"""Maximum mails to one address within SECONDS, whatever the accounts: anybody may make some that name somebody's."""


@dataclass(frozen=True, slots=True)
class Reset:
    """A mail that is to be sent, for an account: when it was asked for (UTC unix seconds), and the number of tries."""

    id: int
    at: float
    account: int
    target: str
    tries: int


_SELECT = select(*(resets.c[each.name] for each in fields(Reset)))


def count(c: Connection, since: float) -> int:
    """Return how many requests there were after a time."""
    return c.scalar(select(func.count()).select_from(resets).where(resets.c.at > since)) or 0


def ask(
    c: Connection, asked: str, is_address: Callable[[str], bool], *, most: int, most_of_account: int, now: float
) -> bool:
    """Note that somebody asks for the account of a name, or those of a mail address, and return whether that is noted.

    It is not if there were ``most`` within SECONDS; of an account there are ``most_of_account`` mails in that time, and
    MOST_OF_TARGET to an address.  ``is_address`` says whether a mail can be sent to a text.
    """
    c.execute(delete(resets).where(resets.c.at <= now - SECONDS))
    if count(c, now - SECONDS) >= most:
        return False
    found = _of_address(c, asked) if "@" in asked else _of_name(c, asked)
    noted = False
    for account, target in found:
        if is_address(target) and _sent(c, account) < most_of_account and _sent_to(c, target) < MOST_OF_TARGET:
            c.execute(insert(resets).values(at=now, tries=0, account=account, target=target, next_try=now))
            noted = True
    if not noted:  # to a stranger it all looks alike
        c.execute(insert(resets).values(at=now, tries=0, account=None, target="", next_try=None))
    return True


def _of_name(c: Connection, name: str) -> list[tuple[int, str]]:
    account = stored_accounts.by_name(c, name)
    if account is None or not account.may_log_in:
        return []
    verified = (notice_addresses.c.kind == "mail") & (notice_addresses.c.state == "verified")
    mine = select(notice_addresses.c.target).where(notice_addresses.c.account == account.id, verified)
    shown: str | None = c.scalar(mine.order_by(notice_addresses.c.id).limit(1))
    return [(account.id, shown or account.email)]


def _of_address(c: Connection, address: str) -> list[tuple[int, str]]:
    """Return the accounts that name this address, or have shown that it is theirs, with the address as they have it."""
    there = accounts.c.disabled.is_(None) & accounts.c.removed.is_(None)
    # The texts are JSON, of ASCII letters only.
    wanted = func.lower(encode(address))
    of_account = select(accounts.c.id, accounts.c.email).where(there, func.lower(accounts.c.email) == wanted)
    verified = (notice_addresses.c.kind == "mail") & (notice_addresses.c.state == "verified")
    shown = (
        select(accounts.c.id, notice_addresses.c.target)
        .join(accounts, accounts.c.id == notice_addresses.c.account)
        .where(there, verified, func.lower(notice_addresses.c.target) == wanted)
    )
    found = {
        account: target for query in (of_account, shown) for account, target in c.execute(query.limit(MOST_ACCOUNTS))
    }
    return list(found.items())[:MOST_ACCOUNTS]


def _sent(c: Connection, account: int) -> int:
    return c.scalar(select(func.count()).select_from(resets).where(resets.c.account == account)) or 0


def _sent_to(c: Connection, target: str) -> int:
    # The texts are JSON, see `_of_address`.
    same = func.lower(resets.c.target) == func.lower(encode(target))
    return c.scalar(select(func.count()).select_from(resets).where(same)) or 0


def due(c: Connection, now: float, most: int) -> list[Reset]:
    """Return mails that are to be sent now, the oldest first."""
    query = _SELECT.where(resets.c.next_try <= now, resets.c.at > now - SECONDS).order_by(resets.c.id).limit(most)
    return [Reset(*row) for row in c.execute(query)]


def next_try(c: Connection, now: float) -> float | None:
    """Return when the next mail is to be sent; None: there is none."""
    found: float | None = c.scalar(select(func.min(resets.c.next_try)).where(resets.c.at > now - SECONDS))
    return found


def take(c: Connection, reset: int, tries: int, digest: bytes, until: float) -> bool:
    """Give a mail that is about to be sent its code; it is tried again at ``until``.

    Return whether it is wanted, and nobody else has tried it since there were so many ``tries``.
    """
    taken = update(resets).where(resets.c.id == reset, resets.c.next_try.is_not(None), resets.c.tries == tries)
    return c.execute(taken.values(digest=digest, next_try=until, tries=resets.c.tries + 1)).rowcount == 1


def sent(c: Connection, reset: int) -> None:
    """Note that a mail is on its way, or given up, and not to be tried again."""
    c.execute(update(resets).where(resets.c.id == reset).values(next_try=None))


def account_of(c: Connection, digest: bytes, now: float) -> int | None:
    """Return the account that a code is good for; None if there is none."""
    good = (resets.c.digest == digest) & (resets.c.at > now - SECONDS)
    found: int | None = c.scalar(select(resets.c.account).where(good))
    return found


def redeem(c: Connection, digest: bytes, password_hash: str, now: float) -> int | None:
    """Give the account of a code another password, once; return it, None if the code is good no more."""
    account = account_of(c, digest, now)
    found = None if account is None else stored_accounts.by_id(c, account)
    if account is None or found is None or not found.may_log_in:
        return None
    stored_accounts.set_hash(c, account, password_hash)
    return account
