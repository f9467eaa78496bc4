"""A browser as a push service sees it: its keys, and its decryption."""

from __future__ import annotations

import base64
import json
from typing import Any

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.support.receivers import Received


def in_base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Browser:
    """A browser's keys, and what it makes of what comes."""

    def __init__(self) -> None:
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.secret = bytes(range(16))
        public = self.private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.token = f"{in_base64(public)}.{in_base64(self.secret)}"

    def read(self, came: Received) -> Any:
        assert came.headers["content-encoding"] == "aes128gcm"
        body = http_ece.decrypt(came.body, private_key=self.private, auth_secret=self.secret, version="aes128gcm")
        return json.loads(body)
