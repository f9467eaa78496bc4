"""Pending OpenID Connect sign-ins and the provider callback.

The start of a sign-in sets a cookie and sends the browser to the provider with a state. Only a browser with that cookie
may return with that state, and only once. So a link cannot log a user in to another person's account. The result waits
for the page under the same cookie. No address contains any of it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twisted.logger import Logger

from tprules.printable import KEPT_FOR_PLAYERS, printable, quoted
from tpserver.accounts.accounts import LOCKDOWN, Accounts, Busy, NotAdmitted, Requester, check_may_log_in
from tpserver.accounts.kept_logins import KeptLogins
from tpserver.accounts.oidc.discovery import ProviderFault
from tpserver.accounts.oidc.provider import OidcProvider
from tpserver.accounts.oidc.terms import Provider
from tpserver.names import LONGEST_NAME
from tpserver.network_counts import RequestCounts, customer_of, keep_newest, may_take
from tpserver.store import audit as stored_audit
from tpserver.store.audit import AuditEntry
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import identities as stored_identities
from tpserver.store.people.accounts import Account

log = Logger()

TOKEN_BYTES = 32
LONGEST_TOKEN = 100
"""Maximum characters of a cookie, state or ticket that are read."""
LONGEST_CODE = 4096
"""Maximum characters of a provider's code."""
SECONDS = 600.0
"""Seconds within which a browser must return, and then choose a name."""
TICKET_SECONDS = 60
MOST = 1024
"""Maximum remembered sign-ins, results and tickets.

A new one replaces one of the network or account with most of them.
"""
MOST_OF_NETWORK, NETWORK_SECONDS = 20, 60.0
"""Maximum started sign-ins and tried names of a network, in these seconds."""
MOST_ASKING = 32
"""Maximum requests that wait for a provider at the same time."""

IN, NAME, CONNECTED, FAILED = "in", "name", "connected", "failed"
"""Results of a sign-in: logged in, a name to choose, an account connected, failed with a sentence."""


@dataclass(frozen=True, slots=True)
class SignInResult:
    """Result of a sign-in.

    ``text`` is the proposed name, or the reason of a failure. ``account`` is the account that was logged in.
    """

    state: str
    provider: Provider
    text: str = ""
    account: int = 0
    subject: str = ""
    ends: float = 0.0
    network: str = ""


@dataclass(frozen=True, slots=True)
class _Begun:
    """A pending sign-in, with the account to connect, or None."""

    browser: bytes
    provider: OidcProvider
    nonce: str
    verifier: str
    account: int | None
    ends: float
    network: str


@dataclass(frozen=True, slots=True)
class _Ticket:
    account: int
    provider: str
    ends: float


class SignIns:
    """The sign-ins of a server.

    ``site`` is the public address of its page. ``check`` raises NotAdmitted for an account that may not log in now.
    ``now`` returns unix seconds, ``steady`` those of a monotonic clock.
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
        self.begun: dict[bytes, _Begun] = {}
        """By the digests of their states, the oldest first."""
        self._outcomes: dict[bytes, SignInResult] = {}
        """By the digests of the cookies, the oldest first."""
        self._tickets: dict[bytes, _Ticket] = {}
        self._of_networks = RequestCounts(MOST_OF_NETWORK, NETWORK_SECONDS, steady)
        self._asking = 0
        self._asking_of: Counter[str] = Counter()
        """The requests that wait for a provider, by network."""

    @property
    def offered(self) -> list[Provider]:
        """The providers of the operator's configuration."""
        return [one.terms for one in self._providers.values()]

    # --- beginning

    def ticket(self, account: Account, provider: str) -> str:
        """Return a ticket with which a browser can connect an account once, within TICKET_SECONDS.

        Raises AlreadyConnected, and KeyError for an unknown provider.
        """
        terms = self._providers[provider].terms
        if any(one.issuer == terms.issuer for one in self.identities(account.id)):
            raise AlreadyConnected(f"this account is connected with {terms.name} already")
        ticket = self._logins.tag() + secrets.token_urlsafe(TOKEN_BYTES)
        new = _Ticket(account.id, provider, self._steady() + TICKET_SECONDS)
        keep_newest(self._tickets, _digest(ticket), new, MOST, lambda kept: kept.account)
        return ticket

    async def begin(self, provider: str, caller: Requester, account: int | None = None) -> tuple[str, str]:
        """Return the cookie of a browser that begins a sign-in, and the address at the provider. Raises NotAdmitted.

        ``account`` is the account to connect, if any.
        """
        if left := self._of_networks.add(caller.network):
            raise Busy("too many sign-ins were begun from here", left)
        chosen = self._providers.get(provider)
        if chosen is None:
            raise NotAdmitted(f"there is no provider {quoted(provider[:40])} here")
        browser, state, nonce, verifier = (secrets.token_urlsafe(TOKEN_BYTES) for _ in range(4))
        browser = self._logins.tag() + browser
        network = customer_of(caller.network)
        url = await self._asked(chosen, network, lambda: chosen.address(self.back_of(provider), state, nonce, verifier))
        begun = _Begun(_digest(browser), chosen, nonce, verifier, account, self._steady() + SECONDS, network)
        keep_newest(self.begun, _digest(state), begun, MOST, lambda kept: kept.network)
        return browser, url

    async def begin_connecting(self, ticket: str, caller: Requester) -> tuple[str, str]:
        """Do the same for the account and the provider of a ticket, once. Raises NotAdmitted."""
        found = self._tickets.pop(_digest(ticket), None)
        if found is None or found.ends <= self._steady():
            raise NotAdmitted("this link to connect an account was already used or has expired; try again")
        return await self.begin(found.provider, caller, found.account)

    def back_of(self, provider: str) -> str:
        """Return the callback address of a provider, which must be registered there."""
        return f"{self.site}sign-in/back/{provider}"

    # --- callback

    async def come_back(self, provider: str, browser: str, given: Mapping[str, str]) -> None:
        """Handle a provider's callback with its parameters.

        `outcome` returns the result. Raises NotAdmitted, without effects, if this browser has not begun with this
        state.
        """
        state = _digest(given.get("state", ""))
        begun = self.begun.get(state)
        if begun is None or begun.browser != _digest(browser) or begun.provider.terms.id != provider:
            raise NotAdmitted("This sign-in was not started in this browser, or has already ended. Start it again.")
        del self.begun[state]
        terms = begun.provider.terms
        try:
            if begun.ends <= self._steady():
                raise NotAdmitted("the sign-in took too long; begin again")
            found = await self._claims(begun, given)
            outcome = await self._welcome(begun, found)
        except NotAdmitted as error:
            text = str(error)
            outcome = SignInResult(FAILED, terms, f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}")
        outcome = replace(outcome, ends=self._steady() + SECONDS, network=begun.network)
        keep_newest(self._outcomes, begun.browser, outcome, MOST, lambda kept: kept.network)

    async def _claims(self, begun: _Begun, given: Mapping[str, str]) -> Mapping[str, Any]:
        terms = begun.provider.terms
        if given.get("iss", terms.issuer) != terms.issuer:  # RFC 9207
            raise NotAdmitted(f"the response does not come from {terms.name}")
        if "error" in given:
            why = printable(given["error"], 60, KEPT_FOR_PLAYERS)
            raise NotAdmitted(f"{terms.name} rejected the sign-in ({why})")
        code = given.get("code", "")
        if not 1 <= len(code) <= LONGEST_CODE:
            raise NotAdmitted(f"{terms.name} has sent you back without a code")
        redirect = self.back_of(terms.id)
        found: Mapping[str, Any] = await self._asked(
            begun.provider, begun.network, lambda: begun.provider.claims(code, redirect, begun.nonce, begun.verifier)
        )
        return found

    async def _welcome(self, begun: _Begun, claims: Mapping[str, Any]) -> SignInResult:
        """Return the result of a successful login at the provider. Raises NotAdmitted."""
        terms, subject = begun.provider.terms, str(claims["sub"])
        if begun.account is not None:
            return await self._connect(begun.account, terms, subject)
        store = self._accounts.store
        account = store.read(stored_identities.account_of, terms.issuer, subject)
        if account is not None:
            check_may_log_in(account)
            self._check(account)
            await store.write(stored_identities.note_use, terms.issuer, subject, self._now())
            return SignInResult(IN, terms, account=account.id)
        if not terms.makes_accounts:
            raise NotAdmitted(
                f"no account here is connected with this one of {terms.name}; log in, and connect it under Account"
            )
        if self._accounts.policy == LOCKDOWN:
            raise NotAdmitted("this server is in lockdown; no accounts can be created")
        proposed = claims.get(terms.name_claim)
        name = printable(proposed, LONGEST_NAME, KEPT_FOR_PLAYERS) if isinstance(proposed, str) else ""
        return SignInResult(NAME, terms, name, subject=subject)

    async def _connect(self, number: int, terms: Provider, subject: str) -> SignInResult:
        store = self._accounts.store
        account = store.read(stored_accounts.by_id, number)
        if account is None:
            raise NotAdmitted("this account no longer exists")
        check_may_log_in(account)
        now = self._now()
        text = f"It was connected with {terms.name}, which logs in to it now."
        connect = stored_identities.connect, account.id, terms.issuer, subject, now
        if not await self._accounts.make_change(account.id, text, *connect):
            raise NotAdmitted(
                f"this login at {terms.name} belongs to another account, or your account is already connected"
            )
        await store.write(stored_audit.add, AuditEntry(now, account.name, "account connect", account.name,
                                                       {"provider": terms.id}))  # fmt: skip
        return SignInResult(CONNECTED, terms)

    # --- result

    async def outcome(self, browser: str, label: str) -> tuple[SignInResult, str]:
        """Return the result of a browser's sign-in, and the token of its login.

        The token is empty unless the browser was logged in. The result is available once, unless the user has to choose
        a name. Raises NotAdmitted.
        """
        found = self._outcomes.get(_digest(browser))
        if found is None or found.ends <= self._steady():
            raise NotAdmitted("The server has no sign-in of this browser; start it again.")
        if found.state != NAME:
            del self._outcomes[_digest(browser)]
        if found.state != IN:
            return found, ""
        account = self._accounts.store.read(stored_accounts.by_id, found.account)
        if account is None:
            raise NotAdmitted("this account no longer exists")
        check_may_log_in(account)  # it may have been disabled meanwhile
        self._check(account)
        return found, await self._logins.keep(account.id, label)

    async def choose_name(self, browser: str, name: str, label: str, caller: Requester) -> str:
        """Create the account of a browser that has to choose a name, and return the token of its login.

        Raises NotAdmitted; then another name is possible.
        """
        found = self._outcomes.get(_digest(browser))
        if found is None or found.state != NAME or found.ends <= self._steady():
            raise NotAdmitted("The server has no sign-in of this browser; start it again.")
        if left := self._of_networks.add(caller.network):
            raise Busy("too many names were tried from here", left)
        if self._accounts.policy == LOCKDOWN:
            raise NotAdmitted("this server is in lockdown; no accounts can be created")
        terms = found.provider
        account = await self._accounts.add_signed_in(name, terms.issuer, found.subject)
        self._outcomes.pop(_digest(browser), None)
        log.info("{name} is a new account, by {provider}", name=account.name, provider=terms.name, event="account")
        return await self._logins.keep(account.id, label)

    # --- accounts

    def identities(self, account: int) -> list[stored_identities.Identity]:
        """Return the identities of an account at providers that are still offered."""
        offered = {one.issuer for one in self.offered}
        every = self._accounts.store.read(stored_identities.of_account, account)
        return [one for one in every if one.issuer in offered]

    async def disconnect(self, account: Account, provider: str) -> None:
        """Disconnect a provider from an account, durably.

        Raises LastWay, and KeyError if it is not connected.
        """
        terms, mine = self._providers[provider].terms, self.identities(account.id)
        if all(one.issuer != terms.issuer for one in mine):
            raise KeyError(provider)
        now = self._accounts.store.read(stored_accounts.by_id, account.id)
        if len(mine) == 1 and (now is None or not now.password_hash):
            raise LastWay(f"{terms.name} is the only way to log in to your account; set a password first")
        store, at = self._accounts.store, self._now()
        text = f"It was disconnected from {terms.name}, which no longer logs in to it."
        await self._accounts.make_change(account.id, text, stored_identities.disconnect, account.id, terms.issuer)
        await store.write(stored_audit.add, AuditEntry(at, account.name, "account disconnect", account.name,
                                                       {"provider": terms.id}))  # fmt: skip

    def forget(self, account: int) -> None:
        """Cancel pending sign-ins that would connect an account or log in to it."""
        self._tickets = {key: one for key, one in self._tickets.items() if one.account != account}
        self.begun = {key: one for key, one in self.begun.items() if one.account != account}
        self._outcomes = {key: one for key, one in self._outcomes.items() if one.account != account}

    async def _asked(self, provider: OidcProvider, network: str, ask: Callable[[], Any]) -> Any:
        """Return a provider's response to ``ask``. Raises NotAdmitted; the log has the reason."""
        name = provider.terms.name
        is_new = not self._asking_of[network]
        if not may_take(self._asking, MOST_ASKING, is_new=is_new, is_known=is_new):
            raise Busy("too many sign-ins wait for their providers", 20)
        self._asking += 1
        self._asking_of[network] += 1
        try:
            return await ask()
        except ProviderFault as fault:
            log.warn("{name} {why}", name=name, why=str(fault), event="provider")
            raise NotAdmitted(f"sign-in through {name} is not possible now: it {fault}") from None
        finally:
            self._asking -= 1
            self._asking_of[network] -= 1
            self._asking_of += Counter()  # removes zero counts


class AlreadyConnected(NotAdmitted):
    """The account is connected with the provider already."""


class LastWay(NotAdmitted):
    """No other login to the account exists."""


def _digest(token: str) -> bytes:
    return hashlib.sha256(token[:LONGEST_TOKEN].encode(errors="replace")).digest()
