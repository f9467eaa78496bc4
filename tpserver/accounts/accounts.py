"""Logins, registration and changes of accounts."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, TypeVar

from argon2 import PasswordHasher
from twisted.logger import Logger

from tprules.printable import quoted
from tpserver.accounts.login_queue import LoginQueue, NoRoom
from tpserver.accounts.passwords import CannotHash, Passwords, RememberedPasswords, forms_of
from tpserver.accounts.pauses import Pair, Pauses
from tpserver.addresses import is_loopback, network_of
from tpserver.bus import Bus
from tpserver.concurrency import Executor
from tpserver.games.core.events import AccountMailQueued, LoginsRevoked
from tpserver.names import LONGEST_NAME, BadName, NamesInUse, new_name
from tpserver.network_counts import RequestCounts
from tpserver.store import Store
from tpserver.store.errors import NameTaken
from tpserver.store.people import account_mails, unused_accounts, ways_in
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import guests as stored_guests
from tpserver.store.people import identities as stored_identities
from tpserver.store.people.account_mails import Change
from tpserver.store.people.accounts import ROLES, Account
from tpserver.store.people.ways_in import NOTHING, Dropped
from tpserver.store.tables import name_key

T = TypeVar("T")
log = Logger()

Policy = Literal["open", "register", "closed", "lockdown"]
"""Policy for the creation of accounts.

- open: a Login with an unknown name creates one.
- register: only CreateAccount does.
- closed: only the operator does.
- lockdown: likewise. Only moderators, operators and accounts with a seat in a game may log in. They take no other seat.
"""

LOCKDOWN: Policy = "lockdown"

LONGEST_PASSWORD = 1024
MOST_CREATED, CREATED_SECONDS = 30, 3600
"""Maximum accounts that clients of a network create in so many seconds, unless the operator sets another limit."""
MOST_UNUSED = 10_000
"""Maximum accounts that clients have created and that had no login."""
UNUSED_AT_ONCE = 50
"""Maximum accounts that expire at once."""
NO_MEMORY_SECONDS = 5
"""Seconds after which a client should try again if there was no memory to hash a password."""


class NotAdmitted(Exception):
    """A login or a new account is refused; the message is for the client. ``known`` is never sent to it."""


class PasswordNeeded(NotAdmitted):
    """The request adds a login method, and needs the password, as the login is too old."""


class NameIsTaken(NotAdmitted):
    """The name belongs to another account."""


class Busy(NotAdmitted):
    """The password was not checked; the message says why, and when to try again."""

    def __init__(self, why: str, seconds: int) -> None:
        super().__init__(f"{why}; try again in {seconds} second{'' if seconds == 1 else 's'}")


@dataclass(frozen=True, slots=True)
class Requester:
    """Author of a request: a network, as returned by ``addresses.network_of``, and whether the client is gone."""

    network: str
    is_gone: Callable[[], bool] = lambda: False


OPERATOR = Requester("")
"""The server itself, or its operator."""


class Accounts:
    """The accounts of a server.

    ``hashing`` runs work that takes processor time away from the reactor's thread and returns a Deferred of its result.
    Passwords are stored only as Argon2 hashes. ``now`` gives unix seconds, ``seconds`` those of a monotonic clock.
    """

    def __init__(
        self,
        store: Store,
        policy: Policy,
        hashing: Executor,
        now: Callable[[], float],
        hasher: PasswordHasher | None = None,
        *,
        seconds: Callable[[], float] = time.monotonic,
        bus: Bus | None = None,
    ) -> None:
        self.store = store
        self.bus = bus or Bus()
        self.policy = policy
        self._hashing = hashing
        self._now = now
        self._passwords = Passwords(hasher)
        self._remembered = RememberedPasswords()
        self._queue = LoginQueue()
        self._pauses = Pauses(seconds)
        self.created = RequestCounts(MOST_CREATED, CREATED_SECONDS, seconds)
        """The accounts that networks have made recently."""
        self._names: NamesInUse | None = None
        self.mails_changes = False
        """True if owners of accounts get mails about changes of their accounts."""

    async def login(self, name: str, password: str, caller: Requester = OPERATOR) -> Account:
        """Return the account with this name and password. Raises NotAdmitted.

        An unknown name takes as long as a wrong password, and gets the same response. Raises Busy if the password was
        not checked.
        """
        account = self._account(name) if len(name) <= LONGEST_NAME else None
        if account is None and self.policy == "open":
            if not _is_here(caller.network):  # where such a policy is for trials and bots
                self._count_new(caller)
            return await self.add(name, password, caller=caller)
        if len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD:
            raise self._wrong()
        pair = caller.network, name_key(name)
        # Wrong passwords of a network do not keep out one that is known to be right there.
        if account is None or not self._remembered.was_given_from(account, caller.network):
            self._check_pause(pair)
        if account is None or not self._remembered.knows(account, password, caller.network):
            account = await self._verified(pair, name, password, caller)
        if not self._pauses.left(pair):  # else others of the network, who guess, go on pausing
            self._pauses.forget(pair)
        check_may_log_in(account)
        if account.unused_since is not None:
            await self.store.write(unused_accounts.note_login, account.id)
            account = replace(account, unused_since=None)
        return account

    async def _verified(self, pair: Pair, name: str, password: str, caller: Requester) -> Account:
        """Return the account after checking the password by its hash. Raises NotAdmitted."""
        fresh = ""
        async with self._in_turn(pair, caller):
            # Other requests for this pair may have run since, and the account may have changed.
            account = self._account(name)
            if account is None or not self._remembered.was_given_from(account, caller.network):
                self._check_pause(pair)
            if account is not None and self._remembered.knows(account, password, caller.network):
                return account
            self._check_pause(pair)
            stored = (account and account.password_hash) or self._passwords.nobody
            form = await self._hashed(lambda: self._passwords.matching(stored, password))
            if account is not None and form is not None:
                # It may have been given another password, or been disabled, while this one was checked.
                account = self._account(name)
                if account is not None and account.password_hash != stored:
                    form = None
            if account is None or form is None:
                self._pauses.add_wrong(pair)
                raise self._wrong()
            self._remembered.keep(account, form, caller.network)
            # Two hashes are the most of an attempt: after both forms of a password there is no third.
            if self._passwords.is_outdated(stored) and len(forms_of(password)) == 1:
                fresh = await self._hashed(lambda: self._passwords.hash(password))
        if fresh:
            account = await self._with_hash(account, fresh)
            self._remembered.keep(account, form, caller.network)
        return account

    async def register(
        self, name: str, password: str, email: str, comment: str, caller: Requester = OPERATOR
    ) -> Account:
        """Create an account for a client that requests one. Raises NotAdmitted."""
        if self.policy in ("closed", LOCKDOWN):
            raise NotAdmitted("only the operator creates accounts on this server; ask the operator for one")
        is_new = self.created.is_new(caller.network)
        self._count_new(caller)
        if not self.store.read(unused_accounts.has_room, MOST_UNUSED, is_new):
            raise Busy("this server has too many new accounts without a login", CREATED_SECONDS)
        return await self.add(name, password, email=email, comment=comment, caller=caller, is_unused=True)

    def _count_new(self, caller: Requester) -> None:
        """Count a new account for its network. Raises Busy."""
        if caller.network and (left := self.created.add(caller.network)):
            raise Busy("too many accounts were created from your network", left)

    async def add(
        self,
        name: str,
        password: str,
        *,
        email: str = "",
        comment: str = "",
        caller: Requester = OPERATOR,
        is_unused: bool = False,
        has_authority: bool = False,
    ) -> Account:
        """Create an account; it is durable when this returns. One that is unused expires. Raises NotAdmitted.

        With ``has_authority`` it may have a name that claims to speak for the server.
        """
        _check_length(password)
        async with self._reserved(name, has_authority) as name:
            hashed = await self.hashed(password, caller, name)
            now = self._now()
            account = await self.store.write(
                stored_accounts.add, name, hashed, email=email, comment=comment, now=now, is_unused=is_unused
            )
        self._pauses.forget((caller.network, name_key(name)))
        self._remembered.keep(account, forms_of(password)[0], caller.network)
        return account

    async def add_signed_in(self, name: str, issuer: str, subject: str) -> Account:
        """Create an account without a password for a subject of an issuer, durably. Raises NotAdmitted."""
        async with self._reserved(name) as name:
            account = await self.store.write(stored_identities.add_account, name, issuer, subject, self._now())
            if account is None:
                raise NotAdmitted("you already have an account here; sign in again")
        return account

    async def become(
        self, guest: Account, name: str, password: str, email: str, caller: Requester, spare: object = None
    ) -> Account:
        """Turn a guest's account into a registered one, durably, and return it.

        Its seats and games stay. All logins of the guest end, except the session ``spare``. Raises NotAdmitted.
        """
        if self.policy in ("closed", LOCKDOWN):
            raise NotAdmitted("only the operator creates accounts on this server; ask the operator for one")
        if not guest.is_guest:
            raise NotAdmitted("this is not a guest account")
        _check_length(password)
        async with self._reserved(name) as name:
            hashed = await self.hashed(password, caller, name)
            if not await self.store.write(stored_guests.promote, guest.id, name, hashed, email, self._now()):
                raise NotAdmitted("this account is no longer a guest account; log in again")
        self.names_in_use().remove(guest.name)
        self.revoke_logins(guest.id, f"this guest is called {name} now; log in with that name", spare)
        account = self.store.read(stored_accounts.by_id, guest.id)
        assert account is not None  # accounts with seats stay
        self._remembered.keep(account, forms_of(password)[0], caller.network)
        return account

    @asynccontextmanager
    async def _reserved(self, wanted: str, has_authority: bool = False) -> AsyncIterator[str]:
        """Reserve a name for an account that is being saved, and yield its stored form. Raises NotAdmitted."""
        try:
            name = new_name(wanted, has_authority=has_authority)
        except BadName as error:
            raise NotAdmitted(str(error)) from None
        if self._account(name) is not None:
            raise NameIsTaken(f"the name {name!r} is taken")
        names = self.names_in_use()
        other = names.alike(name)
        if other is not None:
            like = "" if other == name else f"looks like {other!r}, which "
            raise NameIsTaken(f"the name {name!r} {like}is taken")
        names.add(name)
        try:
            yield name
        except BaseException as error:
            names.remove(name)
            if isinstance(error, NameTaken):
                raise NameIsTaken(f"the name {name!r} is taken") from None
            raise

    async def make_change(self, account: int, text: str, unit: Callable[..., T], *args: Any, **more: Any) -> T:
        """Return the result of a unit of work, and mail the owner about it.

        ``text`` is a sentence, or empty for no mails. There are none if the unit returns False or None, as nothing was
        changed then.
        """
        change = Change(account, text, self._now()) if self.mails_changes and text else None
        result: T = await self.store.write(account_mails.making, change, unit, *args, **more)
        if change is not None:
            self.bus.publish(AccountMailQueued())
        return result

    def revoke_logins(self, account: int, why: str, spare: object = None) -> None:
        """End all sessions of an account except ``spare``, as their logins are no longer valid."""
        self.bus.publish(LoginsRevoked(account, why, spare))

    # --- changes of an account ----------------------------------------------------------------------------------------

    def named(self, name: str) -> Account:
        """Return the account of this name, ignoring case. Raises NotAdmitted if there is none."""
        found = self._account(name)
        if found is None or found.removed is not None:
            alone = "; give the name alone, without the game" if "@" in name else ""
            raise NotAdmitted(f"there is no account {quoted(name)}{alone}")
        return found

    async def change_password(
        self,
        account: Account,
        old: str,
        new: str,
        caller: Requester,
        spare: object = None,
        *,
        dropped: Dropped = NOTHING,
        is_fresh: bool = False,
    ) -> None:
        """Change the password of an account for its owner, who gives the old one; see ``set_password``.

        An account without a password needs ``is_fresh``: its provider has just logged the owner in. Raises NotAdmitted.
        """
        _check_length(new)
        stored = self.store.read(stored_accounts.by_id, account.id)
        if stored is not None and not stored.password_hash and not stored.is_guest:
            # It was made as somebody signed in through another server.
            if old:
                raise NotAdmitted("this account has no password yet; leave the old one empty")
            if not is_fresh:
                raise no_fresh_login(stored)
            await self.set_password(stored, new, "it has a password now", caller, spare, dropped)
            return
        if not await self.is_password_of(account, old, caller):
            raise NotAdmitted("the old password is wrong")
        await self.set_password(account, new, "its password was changed", caller, spare, dropped)

    async def is_password_of(self, account: Account, password: str, caller: Requester) -> bool:
        """Return whether a password is that of an account; a wrong one counts as at a login. Raises Busy."""
        try:
            await self.login(account.name, password, caller)
        except Busy:
            raise
        except NotAdmitted:
            return False
        return True

    async def set_password(
        self,
        account: Account,
        password: str,
        why: str = "the operator has set another password",
        caller: Requester = OPERATOR,
        spare: object = None,
        dropped: Dropped = NOTHING,
    ) -> None:
        """Give an account another password, durably.

        All logins by the old one end: kept logins of browsers, and connections except ``spare``. Their clients get
        ``why``. Other ways into the account are revoked as in ``dropped``. Raises NotAdmitted.
        """
        _check_no_guest(account)
        hashed = await self.hashed(password, caller, account.name)
        text = f"{why[:1].upper()}{why[1:]}."
        await self.make_change(account.id, text, ways_in.set_password, account.id, hashed, dropped)
        self.revoke_logins(account.id, f"{why}; log in with the new one", spare)

    async def hashed(self, password: str, caller: Requester = OPERATOR, name: str = "") -> str:
        """Return the hash of a new password, when it is the caller's turn. Raises NotAdmitted."""
        _check_length(password)
        async with self._in_turn((caller.network, name_key(name)), caller):
            return await self._hashed(lambda: self._passwords.hash(password))

    async def rename(self, account: Account, wanted: str) -> str:
        """Rename an account, and return it as stored; the old name becomes free. Raises NotAdmitted."""
        _check_no_guest(account)
        names = self.names_in_use()
        names.remove(account.name)
        try:
            name = new_name(wanted)
            other = names.alike(name)
            if other is not None:
                raise NameIsTaken(f"the name {name!r} looks like {other!r}, which is taken")
            names.add(name)
            try:
                await self.store.write(stored_accounts.rename, account.id, name)
            except BaseException:
                names.remove(name)
                raise
        except BadName as error:
            names.add(account.name)
            raise NotAdmitted(str(error)) from None
        except NameTaken:
            names.add(account.name)
            raise NameIsTaken(f"the name {wanted!r} is taken") from None
        except BaseException:
            names.add(account.name)
            raise
        self.revoke_logins(account.id, f"this account is called {name} now; log in with that name")
        return name

    async def disable(self, account: Account, reason: str) -> None:
        """Refuse logins to an account, and end its connections, durably. Raises NotAdmitted."""
        if account.disabled is not None:
            raise NotAdmitted(f"the account {account.name} is already disabled")
        await self.store.write(stored_accounts.disable, account.id, reason, self._now())
        self.revoke_logins(account.id, _disabled(reason))

    async def enable(self, account: Account) -> None:
        """Let an account log in again, durably. Raises NotAdmitted."""
        if account.disabled is None:
            raise NotAdmitted(f"the account {account.name} is not disabled")
        await self.store.write(stored_accounts.enable, account.id)

    async def set_role(self, account: Account, role: str) -> None:
        """Set the role of an account, durably. Raises NotAdmitted."""
        if role not in ROLES:
            raise NotAdmitted(f"a role is {', '.join(ROLES[:-1])} or {ROLES[-1]}, not {quoted(role)}")
        _check_no_guest(account)
        await self.store.write(stored_accounts.set_role, account.id, role)

    async def remove(self, account: Account) -> str:
        """Remove all personal data of an account, durably; return the new name of its seats.

        The name of the account becomes free.
        """
        name = await self.store.write(stored_accounts.remove, account.id, self._now())
        self.names_in_use().remove(account.name)
        self.names_in_use().add(name)
        self.revoke_logins(account.id, "this account was removed")
        return name

    async def remove_unused(self) -> list[str]:
        """Remove accounts that were never used for a login and have expired, durably, and return their names."""
        removed = []
        for account in self.store.read(unused_accounts.expired, self._now(), UNUSED_AT_ONCE):
            if name := await self.store.write(unused_accounts.remove, account):
                self.names_in_use().remove(name)
                removed.append(name)
        return removed

    async def add_numbered(self, name: str, password: str) -> Account:
        """Create an account with this name, or if it is taken with name-2, name-3 and so on."""
        for number in count(2):
            try:
                return await self.add(name if number == 2 else f"{name}-{number - 1}", password)
            except NameIsTaken:
                continue
        raise AssertionError("there is always another number")

    def names_in_use(self) -> NamesInUse:
        """Return the names of all accounts; the first call takes time, as it reads them."""
        if self._names is None:
            self._names = NamesInUse(self.store.read(stored_accounts.names))
        return self._names

    def _account(self, name: str) -> Account | None:
        return self.store.read(stored_accounts.by_name, name)

    def _wrong(self) -> NotAdmitted:
        hint = "; register a new account if you have none" if self.policy == "register" else ""
        return NotAdmitted(f"wrong user name or password{hint}")

    async def _with_hash(self, account: Account, fresh: str) -> Account:
        """Store a hash with the present parameters, unless the password was changed since."""
        changed = await self.store.write(stored_accounts.replace_hash, account.id, account.password_hash, fresh)
        return replace(account, password_hash=fresh) if changed else account

    # --- queue and threads --------------------------------------------------------------------------------------------

    def _check_pause(self, pair: Pair) -> None:
        seconds = self._pauses.left(pair)
        if seconds:
            raise Busy("there were too many wrong passwords for this name", seconds)

    @asynccontextmanager
    async def _in_turn(self, pair: Pair, caller: Requester) -> AsyncIterator[None]:
        """Wait for the turn to hash passwords, and give it back in the end. Raises Busy."""
        try:
            await self._queue.turn(pair)
        except NoRoom as full:
            raise Busy("the server has too many passwords to check", full.seconds) from None
        try:
            if caller.is_gone():
                raise Busy("nobody waits for the answer", 1)
            yield
        finally:
            self._queue.done()

    async def _hashed(self, work: Callable[[], T]) -> T:
        try:
            return await self._hashing(work)
        except CannotHash as error:
            log.error("a password could not be hashed: {why}", why=error)
            raise Busy("the server has no memory left to check a password", NO_MEMORY_SECONDS) from None


def check_may_log_in(account: Account) -> None:
    """Raise NotAdmitted if an account may not log in."""
    if account.disabled is not None:
        raise NotAdmitted(_disabled(account.disabled_reason or ""))
    if account.removed is not None:
        raise NotAdmitted("this account was removed")


def no_fresh_login(account: Account) -> PasswordNeeded:
    """Return the refusal of a request that adds a login method long after the login."""
    if account.password_hash:
        return PasswordNeeded("this changes who can log in; give your password with it")
    return PasswordNeeded("this changes who can log in; sign in again through your provider first")


def _is_here(network: str) -> bool:
    """Return whether a network is this machine itself."""
    return network == network_of("::1") or is_loopback(network)


def _check_no_guest(account: Account) -> None:
    """Raise NotAdmitted for a guest, whose name and password only the guest chooses."""
    if account.is_guest:
        raise NotAdmitted(f"{account.name} is a guest, until it chooses a name and a password")


def _disabled(reason: str) -> str:
    told = f": {reason}" if reason else ""
    return f"the operator of this server has disabled this account{told}"


def _check_length(password: str) -> None:
    if not 1 <= len(password) <= LONGEST_PASSWORD:
        raise NotAdmitted(f"a password has 1 to {LONGEST_PASSWORD} characters")
