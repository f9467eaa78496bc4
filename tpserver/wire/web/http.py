"""HTTP: requests of limited size for resources, one at a time.

The resources create the responses. This module limits requests and sets the headers of every response.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from twisted.logger import Logger
from twisted.web.http import NOT_MODIFIED, HTTPChannel
from twisted.web.http import Request as TwistedRequest
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Site

from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.web.connection import IDLE_SECONDS, TEXT, WebConnection

HEADER_BYTES = 16 * 1024
"""Maximum bytes of request line and headers together."""

HEADERS = 100
BODY_BYTES = 1024
"""Maximum bytes of a request's body. Clients only send a login token in it."""

LINE_PIECE = 512
"""Maximum bytes of a line that are parsed before the clock is checked."""

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Sources from which pages may load; connect-src includes the WebSocket of the same host."""

GUARD_HEADERS: Mapping[str, str] = {
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every response."""

DOCUMENT_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Headers of documents, which browsers can show.

Scripts and style sheets go without them. They have no effect there, and are longer than many of those files.
"""

PARTS = ("text/javascript", "text/css")
"""Content types of parts of a page, which browsers never show as documents (they are sent with nosniff)."""

UPGRADE_REQUIRED = 426
_PHRASES = {UPGRADE_REQUIRED: b"Upgrade Required"}
"""Reason phrases of codes that Twisted does not know."""

log = Logger()

# Twisted annotates only some of these, and its own subclasses do not conform to the annotations.
_Request: Any = TwistedRequest
_Channel: Any = HTTPChannel
_Site: Any = Site


HEALTH_PATH = b"/healthz"

AWAY_SECONDS = 3
"""Seconds after which the client should try again while the engine is being replaced."""


class Request(_Request):  # type: ignore[misc] # see above
    """One request for a resource of the site; its body is short and in memory.

    It is not a `twisted.web.server.Request`: it has no sessions, no error pages in HTML, and no header with the
    server's name.
    """

    channel: Any
    """The `Channel`; None if the client no longer waits for the response."""
    path: bytes
    method: bytes
    code: int

    def __init__(self, channel: Channel, queued: object = False) -> None:
        super().__init__(channel, queued, parsePOSTFormSubmission=False)
        self.address = channel.transport.address

    def gotLength(self, length: int) -> None:
        self.content = BytesIO()

    def process(self) -> None:
        """Have the resource at the path respond; on an error, respond with a sentence."""
        # A proxy adds to a header, or adds another one with the same name.
        connection = self.channel.transport
        values = self.requestHeaders.getRawHeaders(connection.factory.proxies.header)
        named = b", ".join(values).decode(errors="replace") if values else None
        refusal = connection.stands_for(named, is_check=self.path == HEALTH_PATH)
        self.address = connection.address
        if refusal:
            self.end(self.sentence(503, refusal))
            return
        self.prepath: list[bytes] = []
        self.postpath = [unquote_to_bytes(segment) for segment in self.path[1:].split(b"/")]
        try:
            resource: Any = self.channel.site.getResourceFor(self)
            body = resource.render(self)
        except Exception:
            log.failure("a request of {address} for {path} failed", address=self.address, path=self.path)
            if not self.startedWriting:
                self.end(self.sentence(500, "The server failed to answer this; its log says more."))
        else:
            if body is not NOT_DONE_YET:
                self.end(body)

    def header(self, name: str) -> str | None:
        """Return the last value of a request header, or None. Bytes that are not UTF-8 are replaced."""
        value: bytes | None = self.getHeader(name.encode())
        return None if value is None else value.decode(errors="replace")

    def begin(self, code: int, headers: Mapping[str, str]) -> None:
        """Set the status and all headers of the response except its length."""
        self.setResponseCode(code, _PHRASES.get(code))
        shown = {} if headers.get("Content-Type", "").startswith(PARTS) else DOCUMENT_HEADERS
        for name, value in {**GUARD_HEADERS, **shown, **headers}.items():
            self.setHeader(name, value)

    def sentence(self, code: int, text: str, **headers: str) -> bytes:
        """Begin a response of one sentence, and return its body."""
        self.begin(code, {"Content-Type": TEXT, "Cache-Control": "no-store", **headers})
        return f"{text}\n".encode()

    def away(self) -> bytes:
        """Begin the response to a request that the client must repeat (`HolderAway`), and return its body."""
        text = "The server is being replaced; ask again in a moment."
        return self.sentence(503, text, **{"Retry-After": str(AWAY_SECONDS)})

    def end(self, body: bytes) -> None:
        """Send the response with this body, if the client is still connected."""
        if self.channel is None:
            return
        if self.code != NOT_MODIFIED:
            self.setHeader("Content-Length", str(len(body)))
        self.write(body)
        self.finish()


class Channel(_Channel):  # type: ignore[misc] # see above
    """Twisted's HTTP channel, as the reader of a `WebConnection`."""

    transport: WebConnection
    site: Any
    totalHeadersSize = HEADER_BYTES
    maxHeaders = HEADERS
    MAX_LENGTH = HEADER_BYTES
    unread_bytes = 0  # at most HEADER_BYTES, so not counted

    def __init__(self, connection_factory: ConnectionFactory, longest_body: int = BODY_BYTES) -> None:
        super().__init__()
        self._connection_factory = connection_factory
        self._longest_body = longest_body
        self._begun = False  # a request has begun to arrive
        self._body_left = 0  # bytes of its body still to be parsed
        self._answering = False  # the request is complete and has no response yet
        self._blocked = False  # the transport's send buffer is full

    # --- Reader

    @property
    def payer(self) -> Hashable:
        return self.transport.address

    @property
    def is_held_up(self) -> bool:
        return self._answering or self._blocked

    @property
    def is_paused(self) -> bool:
        return self._blocked

    def note_arrival(self) -> None:
        if not self._begun and not self._answering:
            self._begun = True
            self.transport.allow(self._connection_factory.limits.frame_seconds)

    def work(self, until: float) -> bool:
        return False  # a complete request gets its response at once

    def next_piece(self, arrived: bytes) -> int:
        if self._body_left:
            end = min(self._body_left, len(arrived))
            self._body_left -= end
            return end
        return arrived.find(b"\n", 0, LINE_PIECE) + 1 or min(LINE_PIECE, len(arrived))

    # --- called by Twisted's channel

    def headerReceived(self, line: bytes) -> bool:
        try:
            return bool(super().headerReceived(line))
        except ValueError:
            # The length has more digits than Python converts to a number.
            self.loseConnection()
            return False

    def allHeadersReceived(self) -> None:
        length: int | None = self.length
        if length is None:
            self.transport.refuse(411, "Length Required", "A request with a body has to say how long it is.")
        elif length > self._longest_body:
            said = f"A request of {length} bytes is too long; {self._longest_body} are the most."
            self.transport.refuse(413, "Content Too Large", said)
        else:
            self._body_left = length
            super().allHeadersReceived()

    def allContentReceived(self) -> None:
        self._answering = True
        self.transport.speak()
        super().allContentReceived()

    def requestDone(self, request: object) -> None:
        super().requestDone(request)
        self._begun = self._answering = False
        self.transport.fall_silent()
        self.transport.allow(self._connection_factory.limits.unread_seconds if self._blocked else IDLE_SECONDS)
        self.transport.go_on()

    def lineLengthExceeded(self, line: bytes) -> None:
        self.loseConnection()

    def loseConnection(self) -> None:
        if self._answering:
            super().loseConnection()
        else:
            # Twisted has written a refusal without a reason. It was held back, and this one replaces it.
            said = f"This is not an HTTP request, or its header is longer than {HEADER_BYTES} bytes or {HEADERS} lines."
            self.transport.refuse(400, "Bad Request", said)

    # --- IPushProducer: called by the transport about its send buffer

    def pauseProducing(self) -> None:
        super().pauseProducing()
        self._blocked = True
        self.transport.update_reading()

    def resumeProducing(self) -> None:
        super().resumeProducing()
        self._blocked = False
        if not self._begun:
            self.transport.allow(IDLE_SECONDS)
        self.transport.go_on()


class WebSite(_Site):  # type: ignore[misc] # see above
    """The resources below `root`, for connections with the limits of `connection_factory`.

    It has no access log, and so needs no timer for the timestamps. `longest_body` is the maximum bytes of a request's
    body.
    """

    noisy = False

    def __init__(
        self, connection_factory: ConnectionFactory, root: Resource, clock: Any, longest_body: int = BODY_BYTES
    ) -> None:
        super().__init__(root, requestFactory=Request, timeout=None, reactor=clock)
        self._connection_factory = connection_factory
        self._longest_body = longest_body

    def protocol(self) -> Channel:
        return Channel(self._connection_factory, self._longest_body)

    def startFactory(self) -> None: ...

    def stopFactory(self) -> None: ...

    def log(self, request: TwistedRequest) -> None: ...
