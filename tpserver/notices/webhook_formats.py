"""Formats of webhooks: the request, and the message id in the response."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from tpserver import __version__
from tpserver.notices.content import Letter, iso
from tpserver.store.games.outbox import Notice

LONGEST_TEXT = 1800
"""Maximum characters of a message: Discord takes 2,000."""
LONGEST_MESSAGE = 255
"""Maximum characters of a receiver's message id."""

CHANGES_MESSAGES = ("discord", "matrix")
"""Kinds of receivers whose messages can be changed later."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request to a receiver."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes


def request_of(notice: Notice, letter: Letter, now: float) -> HttpRequest:
    """Return the request that delivers a notification. With ``notice.message`` it changes that message."""
    url, method = notice.target, "POST"
    headers = {"Content-Type": "application/json", "User-Agent": f"tpserver/{__version__}", "Accept": "*/*"}
    if notice.channel == "discord":
        body: dict[str, Any] = {"content": _markdown(letter), "allowed_mentions": {"parse": []}}
        if notice.message:
            method, url = "PATCH", _with_path(url, f"/messages/{quote(notice.message, safe='')}")
        else:
            url = _with_query(url, "wait=true")
    elif notice.channel == "slack":
        body = {"text": _slack(letter), "mrkdwn": False}
    elif notice.channel == "matrix":
        # The server of a Matrix room recognizes a transaction, so that it shows nothing twice.
        method, url = "PUT", _with_path(url, f"/{notice.notice}")
        headers["Authorization"] = f"Bearer {notice.secret}"
        body = {"msgtype": "m.text", "body": _plain(letter)}
        if notice.message:
            edit = {"rel_type": "m.replace", "event_id": notice.message}
            body = {**body, "body": f"* {body['body']}", "m.new_content": body, "m.relates_to": edit}
    else:
        data = {**letter.data, "subject": letter.subject, "text": letter.text}
        body = {"type": letter.kind, "timestamp": iso(notice.created), "data": data}
    encoded = json.dumps(body, separators=(",", ":")).encode()
    if notice.channel != "matrix":
        headers |= signature(notice.secret, notice.notice, int(now), encoded)
    return HttpRequest(method, url, headers, encoded)


def signature(secret: str, notice: str, at: int, body: bytes) -> dict[str, str]:
    """Return the headers that identify a notification and its sender.

    They are those of Standard Webhooks. ``secret`` is "whsec_" and the key in base64. ``at`` is the time of this try in
    unix seconds.
    """
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = secret.encode()
    signed = hmac.new(key, f"{notice}.{at}.".encode() + body, hashlib.sha256).digest()
    return {
        "webhook-id": notice,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


def message_of(channel: str, answer: bytes) -> str:
    """Return the receiver's message id from its response, or an empty text."""
    name = {"discord": "id", "matrix": "event_id"}.get(channel)
    if name is None:
        return ""
    try:
        told = json.loads(answer)
    except (ValueError, RecursionError):
        return ""
    found = told.get(name) if isinstance(told, dict) else None
    return found if isinstance(found, str) and found.isprintable() and len(found) <= LONGEST_MESSAGE else ""


def _plain(letter: Letter) -> str:
    return f"{letter.subject}\n{letter.text}"[:LONGEST_TEXT]


def _markdown(letter: Letter) -> str:
    """Return the text for Discord, with markup and mentions escaped."""

    def escaped(text: str) -> str:
        return re.sub(r"([\\*_~`|>#\[\]()<@-])", r"\\\1", text)

    lines = [
        f"**{escaped(letter.subject)}**",
        *map(escaped, letter.lines),
        *([f"<{letter.link}>"] if letter.link else []),
    ]
    return "\n".join(lines)[:LONGEST_TEXT]


def _slack(letter: Letter) -> str:
    """Return the text for Slack, with its three special characters escaped."""
    return _plain(letter).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _with_path(url: str, more: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path=parts.path.rstrip("/") + more))


def _with_query(url: str, more: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=f"{parts.query}&{more}" if parts.query else more))
