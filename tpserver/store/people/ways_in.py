"""Password changes that also revoke the other ways into an account."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete

from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import calendars, notices
from tpserver.store.tables import identities


@dataclass(frozen=True, slots=True)
class Dropped:
    """Ways into an account that a password change also ends: all addresses, providers, and calendar links.

    Kept logins and tokens always end with it.
    """

    addresses: bool = False
    providers: bool = False
    links: bool = False


NOTHING = Dropped()


def set_password(c: Connection, account: int, password_hash: str, dropped: Dropped) -> bool:
    """Give an account another password, and revoke other ways into it; return whether the account exists."""
    if dropped.addresses:
        notices.remove_all(c, account)
        stored_accounts.stop_email_resets(c, account)
    if dropped.providers:
        c.execute(delete(identities).where(identities.c.account == account))
    if dropped.links:
        calendars.remove_link(c, account)
    return stored_accounts.set_hash(c, account, password_hash)
