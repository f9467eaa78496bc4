"""Which web pages may use the server.

Browsers send the origin of the requesting page with each WebSocket and POST.  Pages of the server itself are allowed;
others, such as one in another tab, are not: they would act with the visitor's access.  Other programs send no origin.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

_USUAL_PORTS = {"http": "80", "https": "443"}


class Origins:
    """Allows the server's own pages, and those from `others`: origins such as https://games.example.org."""

    def __init__(self, others: Iterable[str] = ()) -> None:
        self._others = frozenset(other.lower() for other in others)

    def problem(self, origin: str | None, host: str, loopback: bool) -> str:
        """Return why a request is refused, or an empty text.

        `origin` and `host` are the request's headers; `loopback`: it arrived at a loopback address.
        """
        if origin is None or origin.lower() in self._others:
            return ""
        if not _is_same(origin, host):
            return (
                f"Pages from {_shown(origin)} may not talk to this server; its operator can allow them with "
                "web.origins in the configuration."
            )
        if loopback and not _is_local_name(host):
            # A foreign domain name that resolves to this machine would get around the rule (DNS rebinding).
            return (
                f"This server is for this machine only and does not go by the name {_shown(host)}; its operator can "
                "allow the name with web.origins in the configuration."
            )
        return ""


def _is_same(origin: str, host: str) -> bool:
    try:
        parts = urlsplit(origin.lower())
    except ValueError:
        return False
    usual = _USUAL_PORTS.get(parts.scheme)
    if usual is None or not parts.netloc or parts.path or parts.query or "@" in parts.netloc:
        return False
    return parts.netloc.removesuffix(f":{usual}") == host.lower().removesuffix(f":{usual}")


def _is_local_name(host: str) -> bool:
    """Return whether a Host header is an address, or a name that no other machine can have."""
    name = host.lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    else:
        name = name.partition(":")[0]
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _shown(text: str) -> str:
    text = "".join(letter for letter in text if letter.isprintable())
    return text if len(text) <= 100 else f"{text[:100]}…"
