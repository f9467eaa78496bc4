"""Password hashing, and a cache of recently verified passwords."""

from __future__ import annotations

import base64
import hmac
import os
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError

from tpserver.store.people.accounts import Account

MEMORY_KIB, ITERATIONS, LANES = 19 * 1024, 2, 1
"""Parameters of Argon2id (OWASP, Password Storage Cheat Sheet): about 30 ms of processor time."""

NETWORKS = 16
"""Maximum networks of an account that are remembered with its password."""
REMEMBERED = 10_000
"""Maximum accounts whose passwords are remembered, without the permanently remembered ones."""
MISMATCHES = 10
"""Number of different wrong passwords after which a remembered one is dropped.

A comparison with it costs a stranger nothing.
"""


def forms_of(password: str) -> tuple[str, ...]:
    """Return a password in the form of new hashes, and in its typed form if that differs.

    The first form is that of RFC 8265, 4.2 (OpaqueString), so that a password is the same from every keyboard. Old
    hashes are of the typed form. So are those of passwords that the RFC does not allow.
    """
    if password.isascii():
        return (password,)
    import precis_i18n  # here, as its tables take 0.1 s to read

    try:
        form: str = precis_i18n.get_profile("OpaqueString").enforce(password)
    except UnicodeError:
        return (password,)
    return (form,) if form == password else (form, password)


class CannotHash(Exception):
    """Out of memory while hashing a password. The password may be right or wrong."""


class Passwords:
    """Hashes passwords with Argon2id. All methods may be called in any thread; hashing takes processor time."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher(ITERATIONS, MEMORY_KIB, LANES)
        self.nobody = _hash_of_no_password(self._hasher)
        """A hash that no password matches. It takes the same time as any other."""

    def hash(self, password: str) -> str:
        """Return the hash of the first form of a password, for the store. Raises CannotHash."""
        try:
            return self._hasher.hash(forms_of(password)[0])
        except (HashingError, MemoryError) as error:
            raise CannotHash(str(error)) from None

    def fits(self, stored: str, password: str) -> bool:
        """Return whether a stored hash matches a password; False for an invalid hash. Raises CannotHash."""
        try:
            return self._hasher.verify(stored, password)
        except (VerifyMismatchError, InvalidHashError):
            return False
        except (VerificationError, MemoryError) as error:
            raise CannotHash(str(error)) from None

    def matching(self, stored: str, password: str) -> str | None:
        """Return the form of a password that matches a stored hash, or None. Raises CannotHash.

        All forms are tried with one hash each, so the time depends only on the typed password.
        """
        found = [form for form in forms_of(password) if self.fits(stored, form)]
        return found[0] if found else None

    def is_outdated(self, stored: str) -> bool:
        """Return whether a stored hash has other parameters than new ones."""
        return self._hasher.check_needs_rehash(stored)


def _hash_of_no_password(hasher: PasswordHasher) -> str:
    salt, digest = (
        base64.b64encode(os.urandom(size)).decode().rstrip("=") for size in (hasher.salt_len, hasher.hash_len)
    )
    return f"$argon2id$v=19$m={hasher.memory_cost},t={hasher.time_cost},p={hasher.parallelism}${salt}${digest}"


@dataclass(slots=True)
class _Verified:
    proof: bytes
    mismatches: set[bytes] = field(default_factory=set)
    """The proofs of wrong passwords. A program gains no guess by repeating one."""
    networks: list[str] = field(default_factory=list)
    """The networks that sent it most recently."""


class RememberedPasswords:
    """Passwords verified in this process, so that a reconnect needs no hashing.

    A keyed digest of account, stored hash and password is stored. The key never leaves the process. A digest does not
    match another account, or one whose password was changed. The accounts with the most recent logins are kept.
    """

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._key = os.urandom(32)
        self.recent: OrderedDict[int, _Verified] = OrderedDict()
        """By account, the one that logged in last at the end."""

    def __len__(self) -> int:
        return len(self.recent)

    def keep(self, account: Account, password: str, network: str = "") -> None:
        """Remember a password from a network, in the form that matches the account's stored hash."""
        before = self.recent.get(account.id)
        verified = self.recent[account.id] = _Verified(self._proof(account, password))
        if before is not None and hmac.compare_digest(before.proof, verified.proof):
            verified.networks = before.networks
        _add_network(verified, network)
        self.recent.move_to_end(account.id)
        while len(self.recent) > self._most:
            self.recent.popitem(last=False)

    def was_given_from(self, account: Account, network: str) -> bool:
        """Return whether the remembered password of an account was sent from a network."""
        verified = self.recent.get(account.id)
        return verified is not None and network in verified.networks

    def knows(self, account: Account, password: str, network: str = "") -> bool:
        """Return whether the password is known to match the account's stored hash; False means unknown."""
        verified = self.recent.get(account.id)
        if verified is None:
            return False
        proofs = [self._proof(account, form) for form in forms_of(password)]
        if any(hmac.compare_digest(verified.proof, proof) for proof in proofs):
            _add_network(verified, network)
            self.recent.move_to_end(account.id)
            return True
        verified.mismatches.add(proofs[0])
        if len(verified.mismatches) >= MISMATCHES:
            del self.recent[account.id]
        return False

    def _proof(self, account: Account, password: str) -> bytes:
        digest = blake2b(key=self._key, digest_size=32)
        for part in (str(account.id), account.password_hash, password):
            data = part.encode()
            digest.update(len(data).to_bytes(8, "big") + data)
        return digest.digest()


def _add_network(verified: _Verified, network: str) -> None:
    others = [one for one in verified.networks if one != network]
    verified.networks = [*others[1 - NETWORKS :], network]
