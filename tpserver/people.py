"""Accounts: who may come in, and how that is checked."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import count
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError
from sqlalchemy import Connection

from tpserver.elsewhere import Elsewhere
from tpserver.store import Store
from tpserver.store import accounts as stored_accounts
from tpserver.store.accounts import Account
from tpserver.store.errors import NameTaken

Policy = Literal["open", "register", "closed"]
"""open: an unknown name at Login makes an account.  register: only CreateAccount does.  closed: only the operator."""

LONGEST_NAME = 32
LONGEST_PASSWORD = 1024


class NotAdmitted(Exception):
    """Somebody may not come in, or may not have an account; the message is for them.  ``known`` is never told."""


class NameIsTaken(NotAdmitted):
    """Somebody else has an account of this name."""


class People:
    """The accounts of a server.

    ``hashing`` runs work that burns processor time away from the reactor's thread and returns a Deferred of its result.
    Passwords are kept as Argon2 hashes only.
    """

    def __init__(
        self,
        store: Store,
        policy: Policy,
        hashing: Elsewhere,
        now: Callable[[], float],
        hasher: PasswordHasher | None = None,
    ) -> None:
        self.store = store
        self.policy = policy
        self._hashing = hashing
        self._now = now
        self._hasher = hasher or PasswordHasher()
        self._nobody: str | None = None

    async def login(self, name: str, password: str) -> Account:
        """Return the account of somebody who knows its password, or raise NotAdmitted.

        An unknown name takes as long as a wrong password, and gets the same answer.
        """
        account = self.store.read(lambda connection: stored_accounts.by_name(connection, name))
        if account is None and self.policy == "open":
            return await self.add(name, password)
        stored = account.password_hash if account is not None else await self._hash_of_nobody()
        right = await self._hashing(lambda: self._fits(stored, password))
        if account is None or not right:
            hint = "; CreateAccount makes a new account" if self.policy == "register" else ""
            raise NotAdmitted(f"wrong user name or password{hint}")
        if self._hasher.check_needs_rehash(stored):
            fresh = await self._hashing(lambda: self._hasher.hash(password))
            number = account.id
            await self.store.write(lambda connection: stored_accounts.set_password(connection, number, fresh))
        return account

    async def register(self, name: str, password: str, email: str, comment: str) -> Account:
        """Make an account for somebody who asks for one, or raise NotAdmitted."""
        if self.policy == "closed":
            raise NotAdmitted("accounts on this server are made by its operator only")
        return await self.add(name, password, email=email, comment=comment)

    async def add(self, name: str, password: str, *, email: str = "", comment: str = "", bot: bool = False) -> Account:
        """Make an account, or raise NotAdmitted; it is durable when this returns."""
        problem = name_problem(name) or password_problem(password)
        if problem:
            raise NotAdmitted(problem)
        hashed = await self._hashing(lambda: self._hasher.hash(password))
        now = self._now()

        def unit(connection: Connection) -> Account:
            return stored_accounts.add(connection, name, hashed, email=email, comment=comment, bot=bot, now=now)

        try:
            return await self.store.write(unit)
        except NameTaken:
            raise NameIsTaken(f"the name {name!r} is taken") from None

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
        hashed = await self._hashing(lambda: self._hasher.hash(password))
        await self.store.write(lambda connection: stored_accounts.set_password(connection, account.id, hashed))

    async def _hash_of_nobody(self) -> str:
        if self._nobody is None:
            self._nobody = await self._hashing(lambda: self._hasher.hash("nobody has this password"))
        return self._nobody

    def _fits(self, hashed: str, password: str) -> bool:
        if len(password) > LONGEST_PASSWORD:
            return False
        try:
            return self._hasher.verify(hashed, password)
        except (Argon2Error, InvalidHashError):
            return False


def name_problem(name: str) -> str:
    """Return why nobody can have this name, or an empty string."""
    if not 1 <= len(name) <= LONGEST_NAME:
        return f"a name has 1 to {LONGEST_NAME} characters, not {len(name)}"
    if name != name.strip() or "@" in name or "{" in name or "}" in name:
        return "a name has no @, no braces, and no spaces at its ends"
    if any(unicodedata.category(letter)[0] in "CZ" and letter != " " for letter in name):
        return "a name has no control characters and no other space than the plain one"
    return ""


def password_problem(password: str) -> str:
    """Return why this cannot be a password, or an empty string."""
    if not 1 <= len(password) <= LONGEST_PASSWORD:
        return f"a password has 1 to {LONGEST_PASSWORD} characters"
    return ""
