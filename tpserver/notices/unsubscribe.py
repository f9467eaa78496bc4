"""Unsubscribe links: stop notifications without a login (RFC 8058)."""

from __future__ import annotations

import hashlib
import hmac

from tpserver.accounts.accounts import Accounts
from tpserver.notices.content import shown
from tpserver.store.people import notices as stored_notices

PATH = "stop-notices"
LONGEST_TOKEN = 100


def token_of(address: int, secret: str) -> str:
    """Return the token of a contact. It cannot be guessed without the contact's secret."""
    digest = hmac.new(secret.encode(), f"stop {address}".encode(), hashlib.sha256).hexdigest()
    return f"{address}-{digest[:40]}"


def stop_link(site: str, address: int, secret: str) -> str:
    """Return the link that stops notifications to a contact; empty if the server's address is unknown."""
    return f"{site.rstrip('/')}/{PATH}/{token_of(address, secret)}" if site else ""


async def stop(accounts: Accounts, token: str) -> bool:
    """Remove the contact of a token, durably; return whether it existed. Raises StoreError."""
    number, _, digest = token[:LONGEST_TOKEN].partition("-")
    if not (number.isascii() and number.isdigit() and len(number) < 10 and digest):
        return False
    address = accounts.store.read(stored_notices.by_id, int(number))
    if address is None or not hmac.compare_digest(token_of(address.id, address.secret).encode(), token.encode()):
        return False
    text = f"The address {shown(address.kind, address.target)} was removed by a link in a notice."
    remove = stored_notices.remove, address.account, address.id
    return await accounts.make_change(address.account, text, *remove)
