"""HTTP: requests of a bounded size for resources, answered one at a time.

What is answered is for the resources to say; here is what a request may be like, and what every answer carries.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import NOT_MODIFIED, HTTPChannel
from twisted.web.http import Request as TwistedRequest
from twisted.web.resource import Resource
from twisted.web.server import NOT_DONE_YET, Site

from tpserver.net.factory import ConnectionFactory
from tpserver.web.connection import IDLE_SECONDS, TEXT, WebConnection

HEADER_BYTES = 16 * 1024
"""The longest request line and headers together."""

HEADERS = 100
BODY_BYTES = 1024
"""The longest body of a request: a login token is all that is ever sent to us."""

LINE_PIECE = 512
"""Bytes of a line of a request that are looked at before the clock is."""

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",  # which means the WebSocket of the same host, too
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

GUARD_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""What every answer carries."""

UPGRADE_REQUIRED = 426
_PHRASES = {UPGRADE_REQUIRED: b"Upgrade Required"}
"""Of those codes that Twisted has no words for."""

log = Logger()

# Twisted annotates some of these and not others, and its own subclasses do not keep to the annotations.
_Request: Any = TwistedRequest
_Channel: Any = HTTPChannel
_Site: Any = Site


class Request(_Request):  # type: ignore[misc] # see above
    """One request for a resource of the site; its body is in memory and short.

    It is no `twisted.web.server.Request`: there are no sessions here, no pages in HTML about faults, and no header that
    names the server.
    """

    channel: Channel
    path: bytes
    method: bytes
    code: int
    gone = False
    """Whether nobody waits for the answer any more."""

    def __init__(self, channel: Channel, queued: object = False) -> None:
        super().__init__(channel, queued, parsePOSTFormSubmission=False)
        self.address = channel.transport.address

    def gotLength(self, length: int) -> None:
        self.content = BytesIO()

    def process(self) -> None:
        """Let the resource at the path answer; whatever goes wrong, with a sentence."""
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

    def connectionLost(self, reason: Failure) -> None:
        self.gone = True
        super().connectionLost(reason)

    def header(self, name: str) -> str | None:
        """Return the last value of a header of the request, or None; what is not UTF-8 shows as such."""
        value: bytes | None = self.getHeader(name.encode())
        return None if value is None else value.decode(errors="replace")

    def begin(self, code: int, headers: Mapping[str, str]) -> None:
        """Set the status and all headers of the answer but its length."""
        self.setResponseCode(code, _PHRASES.get(code))
        for name, value in {**GUARD_HEADERS, **headers}.items():
            self.setHeader(name, value)

    def sentence(self, code: int, text: str, **headers: str) -> bytes:
        """Begin an answer of one sentence, and return its body."""
        self.begin(code, {"Content-Type": TEXT, "Cache-Control": "no-store", **headers})
        return f"{text}\n".encode()

    def end(self, body: bytes) -> None:
        """Send the answer that was begun, with this body; to nobody if the client has gone."""
        if self.gone:
            return
        if self.code != NOT_MODIFIED:
            self.setHeader("Content-Length", str(len(body)))
        self.write(body)
        self.finish()


class Channel(_Channel):  # type: ignore[misc] # see above
    """Twisted's HTTP, as the reader of a connection."""

    transport: WebConnection
    site: Any
    totalHeadersSize = HEADER_BYTES
    maxHeaders = HEADERS
    MAX_LENGTH = HEADER_BYTES
    unread_bytes = 0  # no more than the longest header

    def __init__(self, connection_factory: ConnectionFactory) -> None:
        super().__init__()
        self._connection_factory = connection_factory
        self._begun = False  # a request has begun to arrive
        self._body_left = 0  # bytes of its body that are still to be looked at
        self._answering = False  # it is whole, and its answer is not
        self._blocked = False  # the client has more unread than the transport likes to hold

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
        return False  # a request is answered as soon as it is whole

    def next_piece(self, arrived: bytes) -> int:
        if self._body_left:
            end = min(self._body_left, len(arrived))
            self._body_left -= end
            return end
        return arrived.find(b"\n", 0, LINE_PIECE) + 1 or min(LINE_PIECE, len(arrived))

    # --- what Twisted's channel calls

    def headerReceived(self, line: bytes) -> bool:
        try:
            return bool(super().headerReceived(line))
        except ValueError:
            # A length of more digits than Python makes a number of.
            self.loseConnection()
            return False

    def allHeadersReceived(self) -> None:
        length: int | None = self.length
        if length is None:
            self.transport.refuse(411, "Length Required", "A request with a body has to say how long it is.")
        elif length > BODY_BYTES:
            said = f"A request of {length} bytes is too long; {BODY_BYTES} are the most."
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
            # Twisted has said to the connection, without a word of why, that this is no request; it goes unsaid.
            said = f"This is not an HTTP request, or its header is longer than {HEADER_BYTES} bytes or {HEADERS} lines."
            self.transport.refuse(400, "Bad Request", said)

    # --- IPushProducer: what the transport tells about the bytes that it was given

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

    It has no access log, and so needs no clock for it.
    """

    noisy = False

    def __init__(self, connection_factory: ConnectionFactory, root: Resource, clock: Any) -> None:
        super().__init__(root, requestFactory=Request, timeout=None, reactor=clock)
        self._connection_factory = connection_factory

    def protocol(self) -> Channel:
        return Channel(self._connection_factory)

    def startFactory(self) -> None: ...

    def stopFactory(self) -> None: ...

    def log(self, request: TwistedRequest) -> None: ...
