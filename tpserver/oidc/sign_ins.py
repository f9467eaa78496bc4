"""Signing in through a provider: what is under way, and what becomes of who comes back.

Whoever begins gets a cookie, and its browser is sent to the provider with a state; only the browser with that cookie
comes back with that state, once. So nobody is logged in to somebody else's account by a link. What has come of it waits
for the page under the same cookie; nothing of it is in an address.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from twisted.logger import Logger

from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.accounts.accounts import LOCKDOWN, Accounts, Busy, NotAdmitted, Requester, check_may_log_in
from tpserver.accounts.kept_logins import KeptLogins
from tpserver.accounts.request_counts import RequestCounts
from tpserver.names import LONGEST_NAME
from tpserver.oidc.discovery import ProviderFault
from tpserver.oidc.provider import OidcProvider
from tpserver.oidc.terms import Provider
from tpserver.store import accounts as stored_accounts
from tpserver.store import audit as stored_audit
from tpserver.store import identities as stored_identities
from tpserver.store.accounts import Account
from tpserver.store.audit import AuditEntry

T = TypeVar("T")
log = Logger()

TOKEN_BYTES = 32
LONGEST_TOKEN = 100
"""Maximum characters of a cookie, state or ticket that are looked at."""
LONGEST_CODE = 4096
"""Maximum characters of a provider's code."""
SECONDS = 600.0
"""Seconds within which somebody comes back, and then chooses a name."""
TICKET_SECONDS = 60
MOST = 1024
"""Maximum sign-ins, outcomes and tickets that are remembered; the oldest is dropped for another."""
MOST_OF_NETWORK, NETWORK_SECONDS = 20, 60.0
"""How many sign-ins a network begins, and names it tries, in so many seconds."""
MOST_ASKING = 32
"""Maximum requests that wait for a provider at the same time."""

IN, NAME, CONNECTED, FAILED = "in", "name", "connected", "failed"
"""What comes of a sign-in: the browser is logged in; a name is to be chosen; an account is connected; a sentence."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What has come of a sign-in: ``text`` is the proposed name, or why it has failed; ``account`` is who is in."""

    state: str
    provider: Provider
    text: str = ""
    account: int = 0
    subject: str = ""
    ends: float = 0.0


@dataclass(frozen=True, slots=True)
class _Begun:
    """A sign-in that is under way, for an account that is to be connected, or None."""

    browser: bytes
    provider: OidcProvider
    nonce: str
    verifier: str
    account: int | None
    ends: float


@dataclass(frozen=True, slots=True)
class _Ticket:
    account: int
    provider: str
    ends: float


class SignIns:
    """The sign-ins of a server.

    ``site`` is the address of its page for the world.  ``check`` raises NotAdmitted for an account that does not come
    in now.  ``now`` gives unix seconds, ``steady`` those of a monotonic clock.
    """

    def __init__(
        self,
        providers: Sequence[OidcProvider],
        accounts: Accounts,
        logins: KeptLogins,
        site: str,
        check: Callable[[Account], None],
        now: Callable[[], float],
        steady: Callable[[], float],
    ) -> None:
        self._providers = {one.terms.id: one for one in providers}
        self._accounts = accounts
        self._logins = logins
        self.site = site if site.endswith("/") else f"{site}/"
        self._check = check
        self._now = now
        self._steady = steady
        self._begun: dict[bytes, _Begun] = {}
        """By the digests of their states, the oldest first."""
        self._outcomes: dict[bytes, Outcome] = {}
        """By the digests of the cookies, likewise."""
        self._tickets: dict[bytes, _Ticket] = {}
        self._of_networks = RequestCounts(MOST_OF_NETWORK, NETWORK_SECONDS, steady)
        self._asking = 0
        self.tag: Callable[[], str] = str
        """Returns what tickets and cookies begin with; of a node of a cluster that tells which one has made them."""

    @property
    def offered(self) -> list[Provider]:
        """The providers, as the operator has them."""
        return [one.terms for one in self._providers.values()]

    # --- beginning

    def ticket(self, account: Account, provider: str) -> str:
        """Return a ticket, with which a browser begins once, within TICKET_SECONDS, to connect an account.

        Raises AlreadyConnected, and KeyError for a provider that is not there.
        """
        terms = self._providers[provider].terms
        if any(one.issuer == terms.issuer for one in self.identities(account.id)):
            raise AlreadyConnected(f"this account is connected with {terms.name} already")
        ticket = self.tag() + secrets.token_urlsafe(TOKEN_BYTES)
        _keep(self._tickets, _digest(ticket), _Ticket(account.id, provider, self._steady() + TICKET_SECONDS))
        return ticket

    async def begin(self, provider: str, caller: Requester, account: int | None = None) -> tuple[str, str]:
        """Return the cookie of a browser that begins to sign in, and the address at the provider.  Raises NotAdmitted.

        ``account`` is one that is to be connected.
        """
        if left := self._of_networks.add(caller.network):
            raise Busy("too many sign-ins were begun from here", left)
        chosen = self._providers.get(provider)
        if chosen is None:
            raise NotAdmitted(f"there is no provider {quoted(provider[:40])} here")
        browser, state, nonce, verifier = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(4))
        browser = self.tag() + browser
        url = await self._asked(chosen, lambda: chosen.address(self.back_of(provider), state, nonce, verifier))
        begun = _Begun(_digest(browser), chosen, nonce, verifier, account, self._steady() + SECONDS)
        _keep(self._begun, _digest(state), begun)
        return browser, url

    async def begin_connecting(self, ticket: str, caller: Requester) -> tuple[str, str]:
        """Likewise, for the account and the provider of a ticket, once.  Raises NotAdmitted."""
        found = self._tickets.pop(_digest(ticket), None)
        if found is None or found.ends <= self._steady():
            raise NotAdmitted("this way to connect an account was used already or is too old; try again")
        return await self.begin(found.provider, caller, found.account)

    def back_of(self, provider: str) -> str:
        """Return where a provider sends browsers back to, which it has to know."""
        return f"{self.site}sign-in/back/{provider}"

    # --- coming back

    async def come_back(self, provider: str, browser: str, given: Mapping[str, str]) -> None:
        """Take what a provider has sent a browser back with; `outcome` tells what has come of it.

        Raises NotAdmitted if this browser has not begun with this state: then nothing has happened.
        """
        state = _digest(given.get("state", ""))
        begun = self._begun.get(state)
        if begun is None or begun.browser != _digest(browser) or begun.provider.terms.id != provider:
            raise NotAdmitted("This sign-in was not begun in this browser, or has ended already; begin again.")
        del self._begun[state]
        terms = begun.provider.terms
        try:
            if begun.ends <= self._steady():
                raise NotAdmitted("the sign-in took too long; begin again")
            found = await self._claims(begun, given)
            outcome = await self._welcome(begun, found)
        except NotAdmitted as error:
            text = str(error)
            outcome = Outcome(FAILED, terms, f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}")
        _keep(self._outcomes, begun.browser, replace(outcome, ends=self._steady() + SECONDS))

    async def _claims(self, begun: _Begun, given: Mapping[str, str]) -> Mapping[str, Any]:
        terms = begun.provider.terms
        if given.get("iss", terms.issuer) != terms.issuer:  # RFC 9207
            raise NotAdmitted(f"what has come back is not from {terms.name}")
        if "error" in given:
            why = printable(given["error"], 60, KEPT_FOR_PLAYERS)
            raise NotAdmitted(f"{terms.name} has not let you in ({why})")
        code = given.get("code", "")
        if not 1 <= len(code) <= LONGEST_CODE:
            raise NotAdmitted(f"{terms.name} has sent you back without a code")
        redirect = self.back_of(terms.id)
        found: Mapping[str, Any] = await self._asked(
            begun.provider, lambda: begun.provider.claims(code, redirect, begun.nonce, begun.verifier)
        )
        return found

    async def _welcome(self, begun: _Begun, claims: Mapping[str, Any]) -> Outcome:
        """Return what becomes of somebody whom the provider has let in.  Raises NotAdmitted."""
        terms, subject = begun.provider.terms, str(claims["sub"])
        if begun.account is not None:
            return await self._connect(begun.account, terms, subject)
        store = self._accounts.store
        account = store.read(stored_identities.account_of, terms.issuer, subject)
        if account is not None:
            check_may_log_in(account)
            self._check(account)
            await store.write(stored_identities.note_use, terms.issuer, subject, self._now())
            return Outcome(IN, terms, account=account.id)
        if not terms.makes_accounts:
            raise NotAdmitted(
                f"no account here is connected with this one of {terms.name}; log in, and connect it under Account"
            )
        if self._accounts.policy == LOCKDOWN:
            raise NotAdmitted("this server is locked down: nobody gets an account")
        proposed = claims.get(terms.name_claim)
        name = printable(proposed, LONGEST_NAME, KEPT_FOR_PLAYERS) if isinstance(proposed, str) else ""
        return Outcome(NAME, terms, name, subject=subject)

    async def _connect(self, number: int, terms: Provider, subject: str) -> Outcome:
        store = self._accounts.store
        account = store.read(stored_accounts.by_id, number)
        if account is None:
            raise NotAdmitted("this account is not there any more")
        check_may_log_in(account)
        now = self._now()
        if not await store.write(stored_identities.connect, account.id, terms.issuer, subject, now):
            raise NotAdmitted(f"this one of {terms.name} logs in to another account, or yours is connected already")
        await store.write(stored_audit.add, AuditEntry(now, account.name, "account connect", account.name,
                                                       {"provider": terms.id}))  # fmt: skip
        return Outcome(CONNECTED, terms)

    # --- what has come of it

    async def outcome(self, browser: str, label: str) -> tuple[Outcome, str]:
        """Return what has come of the sign-in of a browser, and the token of its login if it is let in.

        It is told once, unless a name is to be chosen.  Raises NotAdmitted.
        """
        found = self._outcomes.get(_digest(browser))
        if found is None or found.ends <= self._steady():
            raise NotAdmitted("Nothing is known here of a sign-in of this browser; begin again.")
        if found.state != NAME:
            del self._outcomes[_digest(browser)]
        if found.state != IN:
            return found, ""
        account = self._accounts.store.read(stored_accounts.by_id, found.account)
        if account is None:
            raise NotAdmitted("this account is not there any more")
        check_may_log_in(account)  # it may have been disabled meanwhile
        self._check(account)
        return found, await self._logins.keep(account.id, label)

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str:
        """Make the account of a browser that is to choose a name, and return the token of its login.

        Raises NotAdmitted; then another name may be chosen.
        """
        found = self._outcomes.get(_digest(browser))
        if found is None or found.state != NAME or found.ends <= self._steady():
            raise NotAdmitted("Nothing is known here of a sign-in of this browser; begin again.")
        if left := self._of_networks.add(caller.network):
            raise Busy("too many names were tried from here", left)
        if self._accounts.policy == LOCKDOWN:
            raise NotAdmitted("this server is locked down: nobody gets an account")
        terms = found.provider
        account = await self._accounts.add_signed_in(name, terms.issuer, found.subject)
        self._outcomes.pop(_digest(browser), None)
        log.info("{name} is a new account, by {provider}", name=account.name, provider=terms.name, event="account")
        return await self._logins.keep(account.id, label)

    # --- accounts

    def identities(self, account: int) -> list[stored_identities.Identity]:
        """Return who signs in to an account, through providers that are offered still."""
        offered = {one.issuer for one in self.offered}
        every = self._accounts.store.read(stored_identities.of_account, account)
        return [one for one in every if one.issuer in offered]

    async def disconnect(self, account: Account, provider: str) -> None:
        """Let a provider log in to an account no more, durably.  Raises LastWay; KeyError if it does not."""
        terms, mine = self._providers[provider].terms, self.identities(account.id)
        if all(one.issuer != terms.issuer for one in mine):
            raise KeyError(provider)
        now = self._accounts.store.read(stored_accounts.by_id, account.id)
        if len(mine) == 1 and (now is None or not now.password_hash):
            raise LastWay(f"{terms.name} is the only way to log in to your account; set a password first")
        store, at = self._accounts.store, self._now()
        await store.write(stored_identities.disconnect, account.id, terms.issuer)
        await store.write(stored_audit.add, AuditEntry(at, account.name, "account disconnect", account.name,
                                                       {"provider": terms.id}))  # fmt: skip

    def forget(self, account: int) -> None:
        """Let nothing that is under way connect an account, or log in to it, any more."""
        self._tickets = {key: one for key, one in self._tickets.items() if one.account != account}
        self._begun = {key: one for key, one in self._begun.items() if one.account != account}
        self._outcomes = {key: one for key, one in self._outcomes.items() if one.account != account}

    async def _asked(self, provider: OidcProvider, ask: Callable[[], Any]) -> Any:
        """Return what a provider is asked for.  Raises NotAdmitted; the log has why."""
        name = provider.terms.name
        if self._asking >= MOST_ASKING:
            raise Busy("too many sign-ins wait for their providers", 20)
        self._asking += 1
        try:
            return await ask()
        except ProviderFault as fault:
            log.warn("{name} {why}", name=name, why=str(fault), event="provider")
            raise NotAdmitted(f"nobody can sign in through {name} now: it {fault}") from None
        finally:
            self._asking -= 1


class AlreadyConnected(NotAdmitted):
    """The account is connected with the provider already."""


class LastWay(NotAdmitted):
    """Nothing else logs in to the account."""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token[:LONGEST_TOKEN].encode(errors="replace")).digest()


def _keep(where: dict[bytes, T], key: bytes, value: T) -> None:
    """Keep something as the newest of MOST."""
    where.pop(key, None)
    where[key] = value
    while len(where) > MOST:
        del where[next(iter(where))]
