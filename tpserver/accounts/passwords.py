"""Passwords: hashing, and a cache of those that were verified in this process."""

from __future__ import annotations

import base64
import hmac
import os
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError

from tpserver.store.accounts import Account

MEMORY_KIB, ITERATIONS, LANES = 19 * 1024, 2, 1
"""Parameters of Argon2id (OWASP, Password Storage Cheat Sheet): about 30 ms of processor time."""

REMEMBERED = 10_000
"""Maximum accounts whose passwords are remembered, besides those remembered permanently."""
MISMATCHES = 10
"""Number of wrong passwords after which a remembered one is forgotten, as comparing costs an attacker nothing."""


class CannotHash(Exception):
    """There was no memory to hash a password, which may be right or wrong."""


class Passwords:
    """Hashes passwords with Argon2id.  All methods may be called in any thread; hashing takes processor time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(ITERATIONS, MEMORY_KIB, LANES)
        self.nobody = _hash_of_no_password(self._hasher)
        """A hash that costs what any other costs and that no password matches."""

    def hash(self, password: str) -> str:
        """Return the hash of a password, to be stored.  Raises CannotHash."""
        try:
            return self._hasher.hash(password)
        except (HashingError, MemoryError) as error:
            raise CannotHash(str(error)) from None

    def fits(self, stored: str, password: str) -> bool:
        """Return whether a stored hash matches a password; False if it is no hash.  Raises CannotHash."""
        try:
            return self._hasher.verify(stored, password)
        except (VerifyMismatchError, InvalidHashError):
            return False
        except (VerificationError, MemoryError) as error:
            raise CannotHash(str(error)) from None

    def is_outdated(self, stored: str) -> bool:
        """Return whether a stored hash was made with other parameters than new ones."""
        return self._hasher.check_needs_rehash(stored)


def _hash_of_no_password(hasher: PasswordHasher) -> str:
    salt, digest = (
        base64.b64encode(os.urandom(size)).decode().rstrip("=") for size in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v=19$m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}${salt}${digest}"


@dataclass(slots=True)
class _Verified:
    proof: bytes
    mismatches: int = 0


class RememberedPasswords:
    """Passwords that were verified in this process, so that a reconnect needs no hashing.

    Stored is a keyed digest of account, stored hash and password; the key never leaves the process.  A digest does not
    match another account, or one whose password was changed.  The accounts that logged in last are kept.
    """

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._key = os.urandom(32)
        self._recent: OrderedDict[int, _Verified] = OrderedDict()

    def __len__(self) -> int:
        return len(self._recent)

    def keep(self, account: Account, password: str) -> None:
        """Remember a password that matches the account's stored hash."""
        self._recent[account.id] = _Verified(self._proof(account, password))
        self._recent.move_to_end(account.id)
        while len(self._recent) > self._most:
            self._recent.popitem(last=False)

    def knows(self, account: Account, password: str) -> bool:
        """Return whether the password is known to match the account's stored hash; False means unknown."""
        verified = self._recent.get(account.id)
        if verified is None:
            return False
        if hmac.compare_digest(verified.proof, self._proof(account, password)):
            self._recent.move_to_end(account.id)
            return True
        verified.mismatches += 1
        if verified.mismatches >= MISMATCHES:
            del self._recent[account.id]
        return False

    def _proof(self, account: Account, password: str) -> bytes:
        digest = blake2b(key=self._key, digest_size=32)
        for part in (str(account.id), account.password_hash, password):
            data = part.encode()
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.digest()
