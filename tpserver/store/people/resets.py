"""Password resets requested by mail.

Rows are kept for an hour, even if no account matches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.network_counts import may_take
from tpserver.store import known_accounts
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.tables import accounts, encode, notice_addresses, resets

SECONDS = 3600.0
"""Seconds for which a request counts and its code is valid."""
MOST_ACCOUNTS = 5
"""Maximum accounts of one mail address that a request includes."""

MOST_IDLE = 1000
"""Maximum rows of requests without a mail. They only make such a request take as long as others."""

MOST_OF_TARGET = 6
"""Maximum mails to one address within SECONDS for all accounts. Any client can create accounts with that address."""


@dataclass(frozen=True, slots=True)
class Reset:
    """A pending mail for an account.

    It has the time of its request (UTC unix seconds) and the number of tries.
    """

    id: int
    at: float
    account: int
    target: str
    tries: int


_SELECT = select(*(resets.c[each.name] for each in fields(Reset)))


def count(c: Connection, since: float) -> int:
    """Return the number of mails since a time."""
    mails = select(func.count()).select_from(resets).where(resets.c.at > since, resets.c.account.is_not(None))
    return c.scalar(mails) or 0


def ask(
    c: Connection,
    asked: str,
    is_address: Callable[[str], bool],
    *,
    most: int,
    most_of_account: int,
    is_new: bool,
    now: float,
) -> bool:
    """Add a request for the account of a name, or for those of a mail address.

    The limits within SECONDS are ``most`` mails in total, ``most_of_account`` of an account to one address, and
    MOST_OF_TARGET to one address. `may_take` gives the share of known accounts, and of a network that ``is_new``: it
    has requested nothing recently. ``is_address`` checks whether a text is a mail address. Return whether there was
    room for all requests.
    """
    c.execute(delete(resets).where(resets.c.at <= now - SECONDS))
    found = _of_address(c, asked) if "@" in asked else _of_name(c, asked)
    noted, has_room = False, True
    for account, target in found:
        if not is_address(target):
            continue
        if _sent_to(c, target, account) < most_of_account and _sent_to(c, target) < MOST_OF_TARGET:
            is_known = is_new and known_accounts.is_known(c, account, now) and not _sent_to(c, target, account)
            if may_take(count(c, now - SECONDS), most, is_new=is_new, is_known=is_known):
                c.execute(insert(resets).values(at=now, tries=0, account=account, target=target, next_try=now))
                noted = True
            else:
                has_room = False
    if not noted:  # a stranger cannot tell the difference
        c.execute(insert(resets).values(at=now, tries=0, account=None, target="", next_try=None))
        idle = select(resets.c.id).where(resets.c.account.is_(None)).order_by(resets.c.id.desc())
        c.execute(delete(resets).where(resets.c.id.in_(idle.offset(MOST_IDLE).limit(1))))
    return has_room


# A verified mail address that its owner has chosen for resets.
_CAN_RESET = (
    (notice_addresses.c.kind == "mail") & (notice_addresses.c.state == "verified") & notice_addresses.c.resets.is_(True)
)


def _of_name(c: Connection, name: str) -> list[tuple[int, str]]:
    """Return every reset address of an account, with its own address first."""
    account = stored_accounts.by_name(c, name)
    if account is None or not account.may_log_in:
        return []
    mine = select(notice_addresses.c.target).where(notice_addresses.c.account == account.id, _CAN_RESET)
    own = [account.email] if account.email_resets else []
    found = {target.lower(): target for target in (*own, *c.scalars(mine.order_by(notice_addresses.c.id)))}
    return [(account.id, target) for target in found.values()]


def _of_address(c: Connection, address: str) -> list[tuple[int, str]]:
    """Return the accounts that use this reset address, with their spelling of it."""
    there = accounts.c.disabled.is_(None) & accounts.c.removed.is_(None)
    # The texts are JSON, with ASCII letters only.
    wanted = func.lower(encode(address))
    own = accounts.c.email_resets.is_(True) & (func.lower(accounts.c.email) == wanted)
    of_account = select(accounts.c.id, accounts.c.email).where(there, own)
    marked = (
        select(accounts.c.id, notice_addresses.c.target)
        .join(accounts, accounts.c.id == notice_addresses.c.account)
        .where(there, _CAN_RESET, func.lower(notice_addresses.c.target) == wanted)
    )
    found = {
        account: target for query in (of_account, marked) for account, target in c.execute(query.limit(MOST_ACCOUNTS))
    }
    return list(found.items())[:MOST_ACCOUNTS]


def _sent_to(c: Connection, target: str, account: int | None = None) -> int:
    """Return the number of mails to an address, for one account or for all."""
    # The texts are JSON, see `_of_address`.
    same = func.lower(resets.c.target) == func.lower(encode(target))
    if account is not None:
        same &= resets.c.account == account
    return c.scalar(select(func.count()).select_from(resets).where(same)) or 0


def due(c: Connection, now: float, most: int) -> list[Reset]:
    """Return the due mails, the oldest first."""
    query = _SELECT.where(resets.c.next_try <= now, resets.c.at > now - SECONDS).order_by(resets.c.id).limit(most)
    return [Reset(*row) for row in c.execute(query)]


def next_try(c: Connection, now: float) -> float | None:
    """Return the time of the next mail, or None."""
    found: float | None = c.scalar(select(func.min(resets.c.next_try)).where(resets.c.at > now - SECONDS))
    return found


def take(c: Connection, reset: int, tries: int, digest: bytes, until: float) -> bool:
    """Store the code of a mail that is about to be sent.

    Its next try is at ``until``. Return whether the mail is still needed and still has ``tries`` tries.
    """
    taken = update(resets).where(resets.c.id == reset, resets.c.next_try.is_not(None), resets.c.tries == tries)
    return c.execute(taken.values(digest=digest, next_try=until, tries=resets.c.tries + 1)).rowcount == 1


def sent(c: Connection, reset: int) -> None:
    """Record that a mail was sent or given up, so that it is not tried again."""
    c.execute(update(resets).where(resets.c.id == reset).values(next_try=None))


def account_of(c: Connection, digest: bytes, now: float) -> int | None:
    """Return the account of a valid code, or None."""
    good = (resets.c.digest == digest) & (resets.c.at > now - SECONDS)
    found: int | None = c.scalar(select(resets.c.account).where(good))
    return found


def redeem(c: Connection, digest: bytes, password_hash: str, now: float) -> int | None:
    """Set another password for the account of a code, once; return it, or None if the code is no longer valid."""
    account = account_of(c, digest, now)
    found = None if account is None else stored_accounts.by_id(c, account)
    if account is None or found is None or not found.may_log_in:
        return None
    stored_accounts.set_hash(c, account, password_hash)
    return account
