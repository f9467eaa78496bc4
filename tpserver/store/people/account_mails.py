"""Mails to the owner of an account about a change of the account.

They are written in the transaction of the change. They go to all known mail addresses of the account, from before and
after the change. Rows are valid for a day, and kept while their mails are tried.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from sqlalchemy import Connection, delete, func, insert, select, update

from tpserver.store.people import accounts as stored_accounts
from tpserver.store.tables import account_mails, encode, notice_addresses

T = TypeVar("T")

DAY = 24 * 3600.0
KEPT = 3 * DAY
"""Seconds after which a mail is given up and its row removed."""
MOST_OF_TARGET = 20
"""Maximum mails to an address within a day. Any client can create an account with a stranger's address."""


@dataclass(frozen=True, slots=True)
class Change:
    """A change of an account, in a sentence for its owner; ``at`` is in UTC unix seconds."""

    account: int
    text: str
    at: float


@dataclass(frozen=True, slots=True)
class AccountMail:
    """A pending mail: the account, the sentence, the target, and the number of tries."""

    id: int
    at: float
    account: int
    target: str
    text: str
    tries: int


_SELECT = select(*(account_mails.c[each.name] for each in fields(AccountMail)))


def making(c: Connection, change: Change | None, unit: Callable[..., T], *args: Any, **more: Any) -> T:
    """Return the result of a unit of work, and add mails about its change.

    Both are in this transaction. There are no mails without a change, or if the unit returns False or None: it has
    changed nothing then.
    """
    if change is None:
        return unit(c, *args, **more)
    before = _known(c, change.account)
    result = unit(c, *args, **more)
    if result is not False and result is not None:
        _put(c, change, {**before, **_known(c, change.account)})
    return result


def _known(c: Connection, account: int) -> dict[str, str]:
    """Return the mail addresses of an account by their lower-case form: its own, and all that were ever verified."""
    found = stored_accounts.by_id(c, account)
    shown = (notice_addresses.c.kind == "mail") & (notice_addresses.c.state != "unverified")
    mine = select(notice_addresses.c.target).where(notice_addresses.c.account == account, shown)
    own = [] if found is None or not found.email else [found.email]
    return {target.lower(): target for target in (*own, *c.scalars(mine))}


def _put(c: Connection, change: Change, targets: dict[str, str]) -> None:
    c.execute(delete(account_mails).where(account_mails.c.at <= change.at - KEPT))
    values = {"at": change.at, "account": change.account, "text": change.text, "next_try": change.at, "tries": 0}
    for target in targets.values():
        # The texts are JSON.
        same = func.lower(account_mails.c.target) == func.lower(encode(target))
        sent = select(func.count()).select_from(account_mails).where(same, account_mails.c.at > change.at - DAY)
        if (c.scalar(sent) or 0) < MOST_OF_TARGET:
            c.execute(insert(account_mails).values(target=target, **values))


def of_account(c: Connection, account: int) -> list[AccountMail]:
    """Return the mails of an account whose rows are kept, the oldest first."""
    query = _SELECT.where(account_mails.c.account == account).order_by(account_mails.c.id)
    return [AccountMail(*row) for row in c.execute(query)]


def due(c: Connection, now: float, most: int) -> list[AccountMail]:
    """Return the due mails, the oldest first."""
    query = _SELECT.where(account_mails.c.next_try <= now).order_by(account_mails.c.id).limit(most)
    return [AccountMail(*row) for row in c.execute(query)]


def next_try(c: Connection, now: float) -> float | None:
    """Return the time of the next mail, or None."""
    found: float | None = c.scalar(select(func.min(account_mails.c.next_try)))
    return found


def take(c: Connection, mail: int, tries: int, until: float) -> bool:
    """Record that a mail is about to be sent; its next try is at ``until``.

    Return whether the mail is still needed and still has ``tries`` tries.
    """
    wanted = (account_mails.c.id == mail) & account_mails.c.next_try.is_not(None) & (account_mails.c.tries == tries)
    return c.execute(update(account_mails).where(wanted).values(next_try=until, tries=tries + 1)).rowcount == 1


def sent(c: Connection, mail: int) -> None:
    """Record that a mail was sent or given up, so that it is not tried again."""
    c.execute(update(account_mails).where(account_mails.c.id == mail).values(next_try=None))
