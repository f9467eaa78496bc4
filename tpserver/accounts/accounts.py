"""Accounts: who may come in, and how that is checked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal, TypeVar

from argon2 import PasswordHasher
from twisted.logger import Logger

from tpserver.accounts.login_queue import LoginQueue, NoRoom
from tpserver.accounts.passwords import CannotHash, Passwords, RememberedPasswords
from tpserver.accounts.pauses import Pair, Pauses
from tpserver.concurrency import Executor
from tpserver.names import LONGEST_NAME, BadName, NamesInUse, new_name
from tpserver.store import Store
from tpserver.store import accounts as stored_accounts
from tpserver.store.accounts import Account
from tpserver.store.documents import name_key
from tpserver.store.errors import NameTaken

T = TypeVar("T")
log = Logger()

Policy = Literal["open", "register", "closed"]
"""open: an unknown name at Login makes an account.  register: only CreateAccount does.  closed: only the operator."""

LONGEST_PASSWORD = 1024
NO_MEMORY_SECONDS = 5
"""After how long to try again where there was no memory to hash a password."""


class NotAdmitted(Exception):
    """Somebody may not come in, or may not have an account; the message is for them.  ``known`` is never told."""


class NameIsTaken(NotAdmitted):
    """Somebody else has an account of this name."""


class Busy(NotAdmitted):
    """The password was not looked at; the message says why, and when to try again."""

    def __init__(self, why: str, seconds: int) -> None:
        super().__init__(f"{why}; try again in {seconds} second{'' if seconds == 1 else 's'}")


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks to come in: a network, as ``addresses.network_of`` has it, and whether it has hung up meanwhile."""

    network: str
    is_gone: Callable[[], bool] = _never


OPERATOR = Caller("")
"""The server itself, or its operator."""


class Accounts:
    """The accounts of a server.

    ``hashing`` runs work that burns processor time away from the reactor's thread and returns a Deferred of its result.
    Passwords are kept as Argon2 hashes only.  ``now`` gives unix seconds, ``seconds`` a clock that nobody sets.
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
    ) -> None:
        self.store = store
        self.policy = policy
        self._hashing = hashing
        self._now = now
        self._passwords = Passwords(hasher)
        self._remembered = RememberedPasswords()
        self._queue = LoginQueue()
        self._pauses = Pauses(seconds)
        self._names: NamesInUse | None = None

    async def login(self, name: str, password: str, caller: Caller = OPERATOR) -> Account:
        """Return the account of somebody who knows its password, or raise NotAdmitted.

        An unknown name takes as long as a wrong password, and gets the same answer.  Raises Busy if the password was
        not looked at.
        """
        account = self._account(name) if len(name) <= LONGEST_NAME else None
        if account is None and self.policy == "open":
            return await self.add(name, password, caller=caller)
        if len(name) > LONGEST_NAME or len(password) > LONGEST_PASSWORD:
            raise self._wrong()
        if account is not None and self._remembered.made_here(account, password):
            return account
        pair = caller.network, name_key(name)
        self._check_pause(pair)
        if account is None or not self._remembered.knows(account, password):
            account = await self._verified(pair, name, password, caller)
        self._pauses.forget(pair)
        return account

    async def _verified(self, pair: Pair, name: str, password: str, caller: Caller) -> Account:
        """Return the account after its password was hashed, or raise NotAdmitted."""
        fresh = ""
        await self._turn(pair)
        try:
            # Meanwhile others of this pair had their turn, and the account may have changed.
            self._check_pause(pair)
            if caller.is_gone():
                raise Busy("nobody waits for the answer", 1)
            account = self._account(name)
            if account is not None and self._remembered.knows(account, password):
                return account
            stored = self._passwords.nobody if account is None else account.password_hash
            right = await self._hashed(lambda: self._passwords.fits(stored, password))
            if account is None or not right:
                self._pauses.add_wrong(pair)
                raise self._wrong()
            self._remembered.keep(account, password)
            if self._passwords.is_outdated(stored):
                fresh = await self._hashed(lambda: self._passwords.hash(password))
        finally:
            self._queue.done()
        if fresh:
            account = await self._with_hash(account, fresh)
            self._remembered.keep(account, password)
        return account

    async def register(self, name: str, password: str, email: str, comment: str, caller: Caller = OPERATOR) -> Account:
        """Make an account for somebody who asks for one, or raise NotAdmitted."""
        if self.policy == "closed":
            raise NotAdmitted("accounts on this server are made by its operator only")
        return await self.add(name, password, email=email, comment=comment, caller=caller)

    async def add(
        self,
        name: str,
        password: str,
        *,
        email: str = "",
        comment: str = "",
        bot: bool = False,
        caller: Caller = OPERATOR,
    ) -> Account:
        """Make an account, or raise NotAdmitted; it is durable when this returns."""
        try:
            name = new_name(name)
        except BadName as error:
            raise NotAdmitted(str(error)) from None
        problem = password_problem(password)
        if problem:
            raise NotAdmitted(problem)
        if self._account(name) is not None:
            raise NameIsTaken(f"the name {name!r} is taken")
        names = self.names_in_use()
        other = names.alike(name)
        if other is not None:
            like = "" if other == name else f"looks like {other!r}, which "
            raise NameIsTaken(f"the name {name!r} {like}is taken")
        pair = caller.network, name_key(name)
        names.add(name)  # nobody else gets one like it meanwhile
        try:
            hashed = await self._hash_in_turn(pair, password, caller)
            now = self._now()
            account = await self.store.write(
                stored_accounts.add, name, hashed, email=email, comment=comment, bot=bot, now=now
            )
        except BaseException as error:
            names.remove(name)
            if isinstance(error, NameTaken):
                raise NameIsTaken(f"the name {name!r} is taken") from None
            raise
        self._pauses.forget(pair)
        self._remember_new(account, password)
        return account

    async def add_guest(self, name: str, password: str) -> Account:
        """Make an account with this name, or one like it if it is taken: name-2, name-3 and so on."""
        for number in count(2):
            try:
                return await self.add(name if number == 2 else f"{name}-{number - 1}", password)
            except NameIsTaken:
                continue
        raise AssertionError("there is always another number")

    async def set_password(self, account: Account, password: str) -> None:
        """Give an account another password, or raise NotAdmitted; it is durable when this returns."""
        problem = password_problem(password)
        if problem:
            raise NotAdmitted(problem)
        hashed = await self._hash_in_turn((OPERATOR.network, name_key(account.name)), password, OPERATOR)
        await self.store.write(stored_accounts.set_password, account.id, hashed)
        self._remember_new(replace(account, password_hash=hashed), password)

    def names_in_use(self) -> NamesInUse:
        """Return how the names of all accounts look; reading them takes time, the first time."""
        if self._names is None:
            self._names = NamesInUse(account.name for account in self.store.read(stored_accounts.all))
        return self._names

    def _account(self, name: str) -> Account | None:
        return self.store.read(stored_accounts.by_name, name)

    def _wrong(self) -> NotAdmitted:
        hint = "; CreateAccount makes a new account" if self.policy == "register" else ""
        return NotAdmitted(f"wrong user name or password{hint}")

    def _remember_new(self, account: Account, password: str) -> None:
        """Remember a password that was just stored; the server itself has made those of bots."""
        if account.bot:
            self._remembered.keep_for_good(account, password)
        else:
            self._remembered.keep(account, password)

    async def _with_hash(self, account: Account, fresh: str) -> Account:
        """Store a password's hash with the parameters of today, unless the password was changed meanwhile."""
        number, before = account.id, account.password_hash
        changed = await self.store.write(stored_accounts.set_password, number, fresh, instead_of=before)
        return replace(account, password_hash=fresh) if changed else account

    # --- turns and threads ------------------------------------------------------------------------------------------

    def _check_pause(self, pair: Pair) -> None:
        seconds = self._pauses.left(pair)
        if seconds:
            raise Busy("there were too many wrong passwords for this name", seconds)

    async def _turn(self, pair: Pair) -> None:
        try:
            await self._queue.turn(pair)
        except NoRoom as full:
            raise Busy("the server has too many passwords to check", full.seconds) from None

    async def _hash_in_turn(self, pair: Pair, password: str, caller: Caller) -> str:
        await self._turn(pair)
        try:
            if caller.is_gone():
                raise Busy("nobody waits for the answer", 1)
            return await self._hashed(lambda: self._passwords.hash(password))
        finally:
            self._queue.done()

    async def _hashed(self, work: Callable[[], T]) -> T:
        try:
            return await self._hashing(work)
        except CannotHash as error:
            log.error("a password could not be hashed: {why}", why=error)
            raise Busy("the server has no memory left to check a password", NO_MEMORY_SECONDS) from None


def password_problem(password: str) -> str:
    """Return why this cannot be a password, or an empty string."""
    if not 1 <= len(password) <= LONGEST_PASSWORD:
        return f"a password has 1 to {LONGEST_PASSWORD} characters"
    return ""
