"""The protocol of the server's other port, in TP03, TP04 or Protocol Buffers, tunnelled through HTTP.

A client asks with an empty POST for a path of random letters and digits, reads the head of the answer, and from then on
the connection is one like any: frames go both ways, and nothing ends them but its end.  That is what programs of
2005-2010 mean by http:// and https:// addresses.  Only what passes bytes on as they come can stand between, so no
reverse proxy can.
"""

from __future__ import annotations

import re

from twisted.web.server import NOT_DONE_YET

from tpserver.web.http import Request

PATH = re.compile(rb"/[A-Za-z0-9]{1,64}")
"""The paths of tunnels; programs of 2005-2010 take twelve letters and digits."""

HEAD = (
    b"HTTP/1.0 200 OK\r\n"
    b"Content-Type: application/octet-stream\r\n"
    b"Cache-Control: no-store, no-cache, must-revalidate\r\n"
    b"Pragma: no-cache\r\n"
    b"X-Content-Type-Options: nosniff\r\n"
    b"\r\n"
)
"""What comes before the first frame; a body without a length goes on until the connection ends."""


def open_tunnel(request: Request) -> bytes | int:
    """Turn the connection of a POST into a tunnel, or begin the response that says why not and return its body."""
    web = request.channel.transport
    if request.header("origin") is not None:
        return request.sentence(403, "A page has no use for a tunnel; a WebSocket at /ws carries frames.")
    if request.content.read(1):
        return request.sentence(400, "A tunnel begins with an empty POST; frames follow the head of the answer.")
    if web.is_proxied:
        return request.sentence(501, "A tunnel cannot go through a proxy of this server; a WebSocket at /ws can.")
    request.channel.requests.clear()  # answered by the connection, which may stay open for days
    web.open_tunnel(HEAD)
    return NOT_DONE_YET
