"""One-time login links: a token logs in the first client that redeems it.

Tokens are valid while the server that created them runs. Only their hashes are kept. A redeemed token is compared with
all of them in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tpserver.typed_codes import plain_code

TOKEN_BYTES = 16
LIFETIME = 24 * 3600.0
"""Seconds for which a link is valid."""

LONGEST_TOKEN = 200

Credentials = Mapping[str, str]
"""User, password and game."""


class NotLinked(Exception):
    """A login link is not valid. The message is one sentence for the visitor."""


@dataclass(slots=True)
class _Link:
    digest: bytes
    ends: float
    follow: Callable[[], Awaitable[Credentials]]
    used: bool = False


class LoginTokens:
    """The login links of a server; `now` returns seconds of any clock that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.links: list[_Link] = []
        """All links, also used and expired ones; with digests instead of tokens."""

    def offer(self, follow: Callable[[], Awaitable[Credentials]]) -> str:
        """Return the token of a new link.

        `follow` returns the credentials for its visitor, and may raise NotLinked.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self.links.append(_Link(_digest(token), self._now() + LIFETIME, follow))
        return token

    async def redeem(self, token: str) -> Credentials:
        """Return the credentials of a link, once. Raises NotLinked. After a failure the link can be used again."""
        digest = _digest(plain_code(token[:LONGEST_TOKEN]))
        found = None
        for link in self.links:
            if hmac.compare_digest(link.digest, digest):
                found = link
        if found is None:
            raise NotLinked("This login link is unknown; use the newest one that the server has printed.")
        if found.used:
            raise NotLinked("This login link has been used; use the new one in the terminal of the server.")
        if self._now() >= found.ends:
            raise NotLinked("This login link has expired; start the game again to get another.")
        found.used = True
        try:
            return await found.follow()
        except BaseException:
            found.used = False
            raise


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="replace")).digest()
