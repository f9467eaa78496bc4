"""Browsers that stay logged in.

A browser has a token of 256 random bits; the store has its SHA-256, so that who reads the database cannot log in with
it, and looking one up takes no time that depends on the token.  A connection that is logged in gets a ticket, which
its browser exchanges for the token over HTTP, where alone a cookie can be set that no script reads.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tpserver.accounts.accounts import Busy, NotAdmitted, check_may_log_in
from tpserver.store import Store
from tpserver.store import accounts as stored_accounts
from tpserver.store import logins as stored_logins
from tpserver.store.accounts import Account
from tpserver.store.logins import KeptLogin

TOKEN_BYTES = 32
LONGEST_TOKEN = 100
"""Maximum characters of a token or ticket that are looked at."""
LONGEST_LABEL = 100
LIFETIME = 90 * 24 * 3600.0
"""Seconds after its last use for which a login is kept."""
MOST_LOGINS = 16
"""Maximum logins kept of an account; a new one takes the place of that whose last use is longest ago."""
EXACTNESS = 3600.0
"""Seconds after which a use is recorded again, so that reconnecting does not write each time."""
TICKET_SECONDS = 60
MOST_TICKETS = 1024
"""Maximum tickets that are not exchanged yet, of all accounts; one of each connection."""


class Owner(Protocol):
    """A connection for whose browser a login is kept; revoking that ends the connection, too."""

    kept_login: int


@dataclass(frozen=True, slots=True)
class _Ticket:
    account: int
    label: str
    ends: float
    owner: Owner


class KeptLogins:
    """The logins that are kept, and tickets for new ones.

    ``now`` gives unix seconds, ``seconds`` those of a monotonic clock.
    """

    def __init__(self, store: Store, now: Callable[[], float], seconds: Callable[[], float]) -> None:
        self._store = store
        self._now = now
        self._seconds = seconds
        self._tickets: dict[bytes, _Ticket] = {}
        """By the digests of the tickets, the oldest first."""
        self.tag: Callable[[], str] = str
        """Returns what tickets begin with; of a node of a cluster that tells which one has made them."""

    # --- tickets

    def ticket(self, account: int, label: str, owner: Owner) -> str:
        """Return a ticket, which ``redeem`` takes once within TICKET_SECONDS; an earlier one of ``owner`` ends.

        Raises Busy if too many are not exchanged yet.
        """
        now = self._seconds()
        self._tickets = {
            digest: each for digest, each in self._tickets.items() if each.ends > now and each.owner is not owner
        }
        if len(self._tickets) >= MOST_TICKETS:
            raise Busy("too many browsers are being logged in", TICKET_SECONDS)
        ticket = self.tag() + secrets.token_urlsafe(TOKEN_BYTES)
        self._tickets[_digest(ticket)] = _Ticket(account, label, now + TICKET_SECONDS, owner)
        return ticket

    async def redeem(self, ticket: str) -> str:
        """Return the token of a new login, durably kept, for a ticket.  Raises NotAdmitted, StoreError."""
        found = self._tickets.pop(_digest(ticket), None)
        if found is None or found.ends <= self._seconds():
            raise NotAdmitted("This way to stay logged in was used already or is too old; log in once more.")
        token, found.owner.kept_login = await self._add(found.account, found.label)
        return token

    async def keep(self, account: int, label: str) -> str:
        """Return the token of a new login to an account, durably kept.  Raises StoreError."""
        return (await self._add(account, label))[0]

    async def _add(self, account: int, label: str) -> tuple[str, int]:
        token = secrets.token_urlsafe(TOKEN_BYTES)
        now = self._now()
        added = await self._store.write(
            stored_logins.add, account, _digest(token), label, most=MOST_LOGINS, since=now - LIFETIME, now=now
        )
        return token, added.id

    # --- logins

    async def login(self, token: str) -> tuple[Account, int]:
        """Return the account that a token logs in to, and the id of its login.  Raises NotAdmitted, StoreError."""
        now = self._now()
        kept = self._store.read(stored_logins.by_digest, _digest(token)) if token else None
        account = None if kept is None else self._store.read(stored_accounts.by_id, kept.account)
        if kept is None or account is None or kept.used + LIFETIME <= now:
            raise NotAdmitted("this browser is not logged in any more; log in with your name and password")
        check_may_log_in(account)
        if now >= kept.used + EXACTNESS and not await self._store.write(stored_logins.note_use, kept.id, now):
            raise NotAdmitted("this browser has just been logged out; log in with your name and password")
        return account, kept.id

    def all(self, account: int) -> list[KeptLogin]:
        """Return the logins of an account that are valid, the one that was used last first."""
        since = self._now() - LIFETIME
        return [kept for kept in self._store.read(stored_logins.of_account, account) if kept.used > since]

    async def revoke(self, account: int, login: int | None) -> list[int]:
        """End a login of an account, or with None all of them, durably; return the ids of those that were there."""
        if login is None:
            self.forget_tickets(account)
        return await self._store.write(stored_logins.remove, account, login)

    def forget_tickets(self, account: int) -> None:
        """Let no ticket of an account be exchanged any more."""
        self._tickets = {digest: each for digest, each in self._tickets.items() if each.account != account}

    async def revoke_token(self, token: str) -> int | None:
        """End the login of a token, durably; return its id, None if there was none."""
        kept = self._store.read(stored_logins.by_digest, _digest(token))
        if kept is None:
            return None
        await self._store.write(stored_logins.remove, kept.account, kept.id)
        return kept.id


def _digest(token: str) -> bytes:
    return hashlib.sha256(token[:LONGEST_TOKEN].encode(errors="replace")).digest()
