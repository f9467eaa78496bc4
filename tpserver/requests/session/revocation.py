"""Detection of account changes that other nodes of a cluster have made.

A node ends sessions at once when it changes an account itself. It finds changes by other nodes in the database, some
seconds later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.concurrency import Clock
from tpserver.periodic import Repeated
from tpserver.requests.session.session import ACCOUNT_CHANGED, LOGGED_OUT, TOKEN_REVOKED, Host, Session
from tpserver.store import StoreError
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import logins as stored_logins
from tpserver.store.people import tokens as stored_tokens
from tpserver.store.people.accounts import Account

T = TypeVar("T")

LOOK_SECONDS = 2.0
"""Seconds between checks."""

AT_ONCE = 500
"""Maximum rows of one read."""

log = Logger()


class Rechecks:
    """Checks the accounts, tokens and kept logins of all sessions of this node, and the names in its games."""

    def __init__(self, host: Host, clock: Clock) -> None:
        self._host = host
        self._looks = Repeated(clock, LOOK_SECONDS, self.look)
        self.start, self.stop = self._looks.start, self._looks.stop

    async def _look(self) -> None:
        store, registry = self._host.registry.store, self._host.registry
        with_account = {id(session): session.account for session in self._host.sessions if session.account is not None}
        players = {
            player.account: player.account_name
            for game in registry.living()
            for player in game.players
            if player.account is not None
        }
        numbers = sorted({account.id for account in with_account.values()} | players.keys())
        found: dict[int, Account] = {}
        for some in _batches(numbers):
            found |= await store.read_later(stored_accounts.with_ids, some)
        tokens = await self._gone(stored_tokens.there, (one.token.id for one in self._sessions() if one.token))
        logins = await self._gone(stored_logins.there, (one.kept_login for one in self._sessions() if one.kept_login))
        bots, guests = await store.read_later(stored_accounts.bots), await store.read_later(stored_accounts.of_guests)
        for session in self._sessions():
            account = session.account
            if account is not None and with_account.get(id(session)) is account:
                self._check(session, account, found.get(account.id))
            if session.token is not None and session.token.id in tokens:
                session.end(TOKEN_REVOKED)
            if session.kept_login in logins:
                session.end(LOGGED_OUT)
        for number, name in players.items():
            now = found.get(number)
            if now is not None and now.name != name:
                registry.labels.renamed(number, now.name)
        registry.labels.replace(bots, {guest.id for guest in guests})

    def look(self) -> Deferred[None]:
        """Check once. If the database cannot be read, a later check follows."""
        return Deferred.fromCoroutine(self._look()).addErrback(self._failed)

    def _failed(self, failure: Any) -> None:
        if not isinstance(failure.value, StoreError):  # the store logs the error
            log.failure("the accounts of the sessions could not be looked at", failure)

    def _sessions(self) -> list[Session]:
        return list(self._host.sessions)

    def _check(self, session: Session, account: Account, now: Account | None) -> None:
        if now is not None and (now.password_hash, now.may_log_in) == (account.password_hash, True):
            if now != account:
                session.account = now
            return
        # The data may be older than the session, so it is read again.
        latest = self._host.registry.store.read(stored_accounts.by_id, account.id)
        if latest is None or latest.password_hash != account.password_hash or not latest.may_log_in:
            session.end(ACCOUNT_CHANGED)

    async def _gone(self, read: Callable[[Any, list[int]], set[int]], numbers: Iterable[int]) -> set[int]:
        """Return those of these numbers that no longer exist."""
        gone = set(numbers)
        for some in _batches(sorted(gone)):
            gone -= await self._host.registry.store.read_later(read, some)
        return gone


def _batches(numbers: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(numbers)
    while some := list(islice(rest, AT_ONCE)):
        yield some
