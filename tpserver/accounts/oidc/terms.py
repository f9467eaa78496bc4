"""Settings of a provider, from the operator's configuration."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

LONGEST_SECRET = 4096


class NoSecret(Exception):
    """The secret of a provider cannot be read. The message has the reason."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider of OpenID Connect."""

    id: str
    """A word for addresses."""
    name: str
    """A name for people."""
    issuer: str
    client_id: str
    secret: Path | None = None
    """The file whose first line is the secret. Without it and ``secret_env`` only PKCE is used."""
    secret_env: str = ""
    """The environment variable with the secret."""
    scopes: tuple[str, ...] = ("openid", "profile")
    name_claim: str = "preferred_username"
    """The claim of the ID token that proposes the name of a new account."""
    makes_accounts: bool = True
    """True to create an account at a first sign-in; otherwise only connected accounts may sign in."""
    own_network: bool = False
    """True if it is in the server's own network, where it may be without TLS."""

    def read_secret(self) -> str:
        """Return the secret, or an empty text without one. Raises NoSecret."""
        if self.secret_env:
            found = os.environ.get(self.secret_env, "")
            if not found:
                raise NoSecret(f"the environment variable {self.secret_env} is not set")
            return found
        if self.secret is None:
            return ""
        try:
            with self.secret.open(encoding="utf-8-sig") as file:
                found = file.readline(LONGEST_SECRET).strip()
        except (OSError, UnicodeDecodeError) as error:
            raise NoSecret(f"{self.secret} cannot be read: {getattr(error, 'strerror', None) or error}") from None
        if not found:
            raise NoSecret(f"{self.secret} has no secret in its first line")
        return found
