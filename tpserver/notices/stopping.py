"""Links by which whoever gets notices at an address stops them, without logging in (RFC 8058)."""

from __future__ import annotations

import hashlib
import hmac

from tpserver.store import Store
from tpserver.store import notices as stored_notices

PATH = "stop-notices"
LONGEST_TOKEN = 100


def token_of(address: int, secret: str) -> str:
    """Return the token of an address, which nobody can tell who does not know its secret."""
    digest = hmac.new(secret.encode(), f"stop {address}".encode(), hashlib.sha256).hexdigest()
    return f"{address}-{digest[:40]}"


def stop_link(site: str, address: int, secret: str) -> str:
    """Return the link by which an address gets no more notices; empty if nobody knows the server's address."""
    return f"{site.rstrip('/')}/{PATH}/{token_of(address, secret)}" if site else ""


async def stop(store: Store, token: str) -> bool:
    """Remove the address of a token, durably; return whether there was one.  Raises StoreError."""
    number, _, digest = token[:LONGEST_TOKEN].partition("-")
    if not (number.isascii() and number.isdigit() and len(number) < 10 and digest):
        return False
    address = store.read(stored_notices.by_id, int(number))
    if address is None or not hmac.compare_digest(token_of(address.id, address.secret).encode(), token.encode()):
        return False
    return await store.write(stored_notices.remove, address.account, address.id)
