"""Kept logins: browsers that stay logged in.

A browser has a token of 256 random bits. The store has only its SHA-256, so a reader of the database cannot log in. The
time of a lookup does not depend on the token.

A connection with a login gets a ticket, and its browser exchanges the ticket for the token over HTTP. Only a response
over HTTP can set a cookie that no script can read.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tpserver.accounts.accounts import NotAdmitted, check_may_log_in
from tpserver.network_counts import keep_newest
from tpserver.store import Store
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import logins as stored_logins
from tpserver.store.people.accounts import Account
from tpserver.store.people.logins import KeptLogin

TOKEN_BYTES = 32
LONGEST_TOKEN = 100
"""Maximum characters of a token or ticket that are read."""
LONGEST_LABEL = 100
LIFETIME = 90 * 24 * 3600.0
"""Seconds for which a login is kept after its last use."""
MOST_LOGINS = 16
"""Maximum kept logins of an account. A new one replaces the one with the oldest last use."""
EXACTNESS = 3600.0
"""Seconds after which a use is recorded again, so that not every reconnect is a write."""
TICKET_SECONDS = 60
MOST_TICKETS = 1024
"""Maximum tickets of all accounts that are not exchanged yet. A connection has at most one."""


class Owner(Protocol):
    """A connection whose browser keeps a login. Revoking that login ends the connection, too."""

    kept_login: int


@dataclass(frozen=True, slots=True)
class _Ticket:
    account: int
    label: str
    ends: float
    owner: Owner


class KeptLogins:
    """The kept logins, and tickets for new ones.

    ``now`` returns unix seconds, ``seconds`` those of a monotonic clock. ``tag`` returns the prefix of tickets, which
    on a cluster node names the node.
    """

    def __init__(
        self, store: Store, now: Callable[[], float], seconds: Callable[[], float], tag: Callable[[], str] = str
    ) -> None:
        self.tag = tag
        self._store = store
        self._now = now
        self._seconds = seconds
        self.tickets: dict[bytes, _Ticket] = {}
        """By the digests of the tickets, the oldest first."""

    # --- tickets

    def ticket(self, account: int, label: str, owner: Owner) -> str:
        """Return a ticket that ``redeem`` accepts once within TICKET_SECONDS.

        It replaces an earlier one of ``owner``. If too many are not exchanged yet, the account with most of them loses
        its oldest one.
        """
        now = self._seconds()
        self.tickets = {
            digest: each for digest, each in self.tickets.items() if each.ends > now and each.owner is not owner
        }
        ticket = self.tag() + secrets.token_urlsafe(TOKEN_BYTES)
        new = _Ticket(account, label, now + TICKET_SECONDS, owner)
        keep_newest(self.tickets, _digest(ticket), new, MOST_TICKETS, lambda kept: kept.account)
        return ticket

    async def redeem(self, ticket: str) -> str:
        """Return the token of a new login for a ticket; the login is durable. Raises NotAdmitted, StoreError."""
        found = self.tickets.pop(_digest(ticket), None)
        if found is None or found.ends <= self._seconds():
            raise NotAdmitted("This saved login was already used or has expired. Log in again.")
        token, found.owner.kept_login = await self._add(found.account, found.label)
        return token

    async def keep(self, account: int, label: str) -> str:
        """Return the token of a new login to an account through a provider; the login is durable. Raises StoreError."""
        return (await self._add(account, label, self._now()))[0]

    async def _add(self, account: int, label: str, signed_in: float | None = None) -> tuple[str, int]:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        now = self._now()
        added = await self._store.write(
            stored_logins.add, account, _digest(token), label, most=MOST_LOGINS, since=now - LIFETIME, now=now,
            signed_in=signed_in,
        )  # fmt: skip
        return token, added.id

    # --- logins

    async def login(self, token: str) -> tuple[Account, KeptLogin]:
        """Return the account and the login of a token. Raises NotAdmitted, StoreError."""
        now = self._now()
        kept = self._store.read(stored_logins.by_digest, _digest(token)) if token else None
        account = None if kept is None else self._store.read(stored_accounts.by_id, kept.account)
        if kept is None or account is None or kept.used + LIFETIME <= now:
            raise NotAdmitted("this browser is no longer logged in; log in with your name and password")
        check_may_log_in(account)
        if now >= kept.used + EXACTNESS and not await self._store.write(stored_logins.note_use, kept.id, now):
            raise NotAdmitted("this browser has just been logged out; log in with your name and password")
        return account, kept

    def all(self, account: int) -> list[KeptLogin]:
        """Return the valid logins of an account, the most recently used first."""
        since = self._now() - LIFETIME
        return [kept for kept in self._store.read(stored_logins.of_account, account) if kept.used > since]

    async def revoke(self, account: int, login: int | None) -> list[int]:
        """End a login of an account, or with None all of them, durably; return the ids of the ended ones."""
        if login is None:
            self.forget_tickets(account)
        return await self._store.write(stored_logins.remove, account, login)

    def forget_tickets(self, account: int) -> None:
        """Revoke all tickets of an account."""
        self.tickets = {digest: each for digest, each in self.tickets.items() if each.account != account}

    async def revoke_token(self, token: str) -> int | None:
        """End the login of a token, durably; return its id, or None."""
        kept = self._store.read(stored_logins.by_digest, _digest(token))
        if kept is None:
            return None
        await self._store.write(stored_logins.remove, kept.account, kept.id)
        return kept.id


def _digest(token: str) -> bytes:
    return hashlib.sha256(token[:LONGEST_TOKEN].encode(errors="replace")).digest()
