"""HTTP tunnel for the protocols of the other port.

They are TP03, TP04 and Protocol Buffers. A client sends an empty POST to a path of random letters and digits, and reads
the head of the response. From then on it is an ordinary connection: frames go both ways until it is closed. Programs of
2005-2010 use it for http:// and https:// addresses. It needs hosts that pass on bytes at once, so it does not work
through a reverse proxy.
"""

from __future__ import annotations

import re

from twisted.web.server import NOT_DONE_YET

from tpserver.wire.web.http import Request

PATH = re.compile(rb"/[A-Za-z0-9]{1,64}")
"""Paths of tunnels; programs of 2005-2010 use twelve letters and digits."""

HEAD = (
    b"HTTP/1.0 200 OK\r\n"
    b"Content-Type: application/octet-stream\r\n"
    b"Cache-Control: no-store, no-cache, must-revalidate\r\n"
    b"Pragma: no-cache\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
    b"\r\n"
)
"""Head before the first frame; a body without a length lasts until the connection ends."""


def open_tunnel(request: Request) -> bytes | int:
    """Turn the connection of a POST into a tunnel, or begin a response with the reason and return its body."""
    web = request.channel.transport
    if request.header("origin") is not None:
        return request.sentence(403, "A page has no use for a tunnel; a WebSocket at /ws carries frames.")
    if request.content.read(1):
        return request.sentence(400, "A tunnel begins with an empty POST; frames follow the head of the answer.")
    if web.is_proxied:
        return request.sentence(501, "A tunnel cannot go through a proxy of this server; a WebSocket at /ws can.")
    request.channel.requests.clear()  # the connection responds, and may stay open for days
    web.open_tunnel(HEAD)
    return NOT_DONE_YET
