"""Delivery of notifications to browsers: RFC 8030, 8188, 8291, 8292.

A browser names an address at its vendor's push service, and keys that hide the content from that service. The server
identifies itself by a key (VAPID). Requests go through the HTTP client of the webhooks. This module needs http-ece and
py-vapid.
"""

from __future__ import annotations

import base64
import binascii
import fcntl
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from twisted.internet.defer import Deferred

from tpserver import __version__
from tpserver.files import write_whole
from tpserver.notices.channels import NotDelivered
from tpserver.notices.contacts import PUSH_KEYS
from tpserver.notices.content import Letter
from tpserver.notices.webhook_formats import HttpRequest
from tpserver.notices.webhooks import Webhooks, wait_of
from tpserver.store.games.outbox import Notice

KEY_FILE = "vapid.pem"
"""The server's key, in its data directory; with a new key each browser must give its permission again."""
KEY_SECONDS = 12 * 3600
"""Seconds for which a request proves its origin; services accept a day at most."""
KEEP_SECONDS = 3 * 24 * 3600
"""Seconds for which a service keeps a notice for a browser that is offline."""
TITLE_BYTES, TEXT_BYTES = 400, 2200
"""Maximum bytes of title and text; services take 4096 of all, encrypted."""


class NoPush(Exception):
    """Web Push is not possible; the message is one sentence, without its end."""


def keys_of(text: str) -> tuple[bytes, bytes] | None:
    """Return the public key and the secret of a browser; None if the text is invalid.

    The text is ``p256dh.auth``, both in base64url.
    """
    if not PUSH_KEYS.fullmatch(text):
        return None
    public, secret = (base64.urlsafe_b64decode(f"{part}{'=' * (-len(part) % 4)}") for part in text.split("."))
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    except ValueError:
        return None
    return public, secret


def _make(file: Path, kind: Any) -> None:
    """Create a key, unless another process of this server has done so meanwhile. Raises OSError."""
    lock = os.open(f"{file}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not file.exists():
            made = kind()
            made.generate_keys()
            write_whole(file, made.private_pem())
    finally:
        os.close(lock)


class ServerKey:
    """The key that identifies the server to push services. Raises NoPush."""

    def __init__(self, file: Path) -> None:
        """Read the key from its file. A missing file is created, readable by its owner only."""
        try:
            from py_vapid import Vapid02  # type: ignore[import-untyped] # it has no annotations
        except ImportError:
            raise NoPush("notices.push needs its libraries: pip install 'tpserver[push]'") from None
        try:
            if not file.exists():
                _make(file, Vapid02)
            self._vapid: Any = Vapid02.from_pem(file.read_bytes())
        except (OSError, ValueError, binascii.Error) as error:
            raise NoPush(f"notices.push needs the key in {file}, and that cannot be read or made: {error}") from None
        point = self._vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.public = base64.urlsafe_b64encode(point).decode().rstrip("=")
        """The part that browsers need: the point in base64url."""

    def headers(self, url: str, contact: str, now: float) -> dict[str, str]:
        """Return the header that identifies the server to a service; ``contact`` is a URL of its operator."""
        parts = urlsplit(url)
        claims = {"aud": f"{parts.scheme}://{parts.netloc}", "sub": contact, "exp": int(now) + KEY_SECONDS}
        return dict(self._vapid.sign(claims))


class Push:
    """The channel of browsers; ``contact`` is a URL of the operator for push services."""

    def __init__(self, webhooks: Webhooks, key: ServerKey, contact: str, now: Callable[[], float]) -> None:
        self._webhooks = webhooks
        self._key = key
        self._contact = contact
        self._now = now

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        """Deliver a notice, see `NoticeChannel`."""
        return Deferred.fromCoroutine(self._send(notice, letter))

    async def _send(self, notice: Notice, letter: Letter) -> str:
        code, headers, _ = await self._webhooks.asked(self._request(notice, letter))
        if code in (404, 410):
            raise NotDelivered(f"the browser no longer takes notices ({code})", final=True, gone=True)
        if not 200 <= code < 300:
            raise NotDelivered(f"the browser's service answers with an error ({code})", wait=wait_of(headers))
        return ""

    def _request(self, notice: Notice, letter: Letter) -> HttpRequest:
        import http_ece  # type: ignore[import-untyped] # it has no annotations

        keys = keys_of(notice.secret)
        if keys is None:
            raise NotDelivered("the keys of the browser are none", final=True, gone=True)
        # A newer notice about a game takes the place of an older one, at the service and on the screen.
        topic = hashlib.sha256(f"{notice.address} {notice.game} {notice.kind}".encode()).hexdigest()[:32]
        told = {
            "title": _cut(letter.subject, TITLE_BYTES),
            "body": _cut("\n".join(letter.lines), TEXT_BYTES),
            "tag": topic,
            "id": notice.notice,
            "url": letter.link,
        }
        if notice.code:
            told["code"] = notice.code
        body = http_ece.encrypt(
            json.dumps(told, ensure_ascii=False).encode(),
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=keys[0],
            auth_secret=keys[1],
            version="aes128gcm",
        )
        headers = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(KEEP_SECONDS),
            "Topic": topic,
            "Urgency": "normal",
            "User-Agent": f"tpserver/{__version__}",
            **self._key.headers(notice.target, self._contact, self._now()),
        }
        return HttpRequest("POST", notice.target, headers, body)


def _cut(text: str, most: int) -> str:
    return text.encode()[:most].decode(errors="ignore")
