"""Tokens with which bots and scripts log in instead of a password.

A token is 256 random bits, so it needs no slow hash. The store has its SHA-256. The time of a lookup does not depend on
the token.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable

from tpserver.accounts.accounts import NotAdmitted, check_may_log_in
from tpserver.store import Store
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import tokens as stored_tokens
from tpserver.store.people.accounts import Account
from tpserver.store.people.tokens import Token
from tpserver.store.tables import name_key

PREFIX = "tpt_"
"""Prefix of tokens: other passwords need no lookup, and a lost token is recognizable."""
TOKEN_BYTES = 32
LENGTH = len(PREFIX) + 43
"""Characters of a token."""
LONGEST_LABEL = 100
MOST_TOKENS = 20
"""Maximum tokens of an account."""
MOST_DAYS = 366
"""Maximum days for which a token is valid."""
EXACTNESS = 3600.0
"""Seconds after which a use is recorded again, so that not every reconnect is a write."""


class Tokens:
    """The tokens of all accounts; ``now`` returns unix seconds."""

    def __init__(self, store: Store, now: Callable[[], float]) -> None:
        self._store = store
        self._now = now

    async def create(
        self, account: int, label: str, game: int | None, read_only: bool, days: int
    ) -> tuple[Token, str] | None:
        """Create a token, durably, and return it with its text; None if the account has MOST_TOKENS.

        The text is not stored. ``game`` is the only game that it opens; None: all games of the account.
        """
        secret, digest = new_secret()
        now = self._now()
        added = await self._store.write(
            stored_tokens.add, account, digest, label, game, read_only, ends=now + days * 86400.0,
            most=MOST_TOKENS, now=now,
        )  # fmt: skip
        return None if added is None else (added, secret)

    async def login(self, name: str, password: str) -> tuple[Account, Token] | None:
        """Return the account and the token if a password is a token of the account of this name; else None.

        Raises NotAdmitted, StoreError.
        """
        if len(password) != LENGTH or not password.startswith(PREFIX):
            return None
        token = self._store.read(stored_tokens.by_digest, _digest(password))
        account = None if token is None else self._store.read(stored_accounts.by_id, token.account)
        if token is None or account is None or name_key(account.name) != name_key(name):
            return None
        check_may_log_in(account)
        now = self._now()
        if token.ends <= now:
            raise NotAdmitted("this token has expired; make another one")
        if now >= (token.used or 0.0) + EXACTNESS and not await self._store.write(
            stored_tokens.note_use, token.id, now
        ):
            raise NotAdmitted("this token has just been revoked")
        return account, token

    def all(self, account: int) -> list[Token]:
        """Return the valid tokens of an account, the newest first."""
        now = self._now()
        return [token for token in self._store.read(stored_tokens.of_account, account) if token.ends > now]

    async def revoke(self, account: int, token: int) -> bool:
        """End a token of an account, durably; return whether it existed."""
        return await self._store.write(stored_tokens.remove, account, token)


def new_secret() -> tuple[str, bytes]:
    """Return the text of a new token, and its digest."""
    secret = PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    return secret, _digest(secret)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode(errors="replace")).digest()
