"""HTTP connections: Twisted's channel within the budgets of the server, and the change to another protocol.

What is answered is `answer`'s to say; here is how long a request may be, and how long it may take.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from io import BytesIO
from typing import Any, Protocol

from twisted.internet.interfaces import IAddress, ISSLTransport, ITCPTransport
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, HTTPFactory
from twisted.web.http import Request as TwistedRequest

from tpserver.net.connection import READ_AT_ONCE
from tpserver.net.streams import Streams

HEADER_BYTES = 16 * 1024
"""The longest request line and headers together."""

HEADERS = 100
BODY_BYTES = 1024
"""The longest body of a request: a login link is all that is ever sent to us."""

PIECE = 256
"""Bytes that are looked at before the clock is: a dozen of the shortest requests at most."""

IDLE_SECONDS = 60.0
"""How long a connection may stay open without a request: browsers keep some for the next page."""


# Twisted annotates some of these and not others, and its own subclasses do not keep to the annotations.
_Request: Any = TwistedRequest
_Channel: Any = HTTPChannel
_Factory: Any = HTTPFactory


class Request(_Request):  # type: ignore[misc] # see above
    """One request; its body is in memory and short."""

    channel: Channel
    path: bytes
    uri: bytes
    method: bytes

    def __init__(self, channel: Channel, queued: object = False) -> None:
        super().__init__(channel, queued, parsePOSTFormSubmission=False)

    def gotLength(self, length: int | None) -> None:
        self.content = BytesIO()
        if length is None:
            self.channel.refuse(411, "Length Required", "A request with a body has to say how long it is.")
        elif length > BODY_BYTES:
            said = f"A request of {length} bytes is too long; {BODY_BYTES} are the most."
            self.channel.refuse(413, "Content Too Large", said)

    def process(self) -> None:
        self.channel.site.answer(self)

    @property
    def gone(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return bool(self._disconnected)

    def header(self, name: str) -> str | None:
        """Return the last value of a header of the request, or None; what is not UTF-8 shows as such."""
        value: bytes | None = self.getHeader(name.encode())
        return None if value is None else value.decode(errors="replace")

    def finish(self) -> None:
        """End the answer; the next request of the connection waits until the client takes more of the answers."""
        if self.channel.is_blocked:
            self.channel.hold(self)
        else:
            super().finish()


class Successor(Protocol):
    """Twisted's IProtocol, as far as it is needed."""

    def makeConnection(self, transport: Any) -> None: ...
    def dataReceived(self, data: bytes) -> None: ...
    def connectionLost(self, reason: Failure) -> None: ...


class Channel(_Channel):  # type: ignore[misc] # see above
    """One connection that begins with HTTP; it is counted like any, and watched like any."""

    site: Site
    totalHeadersSize = HEADER_BYTES
    maxHeaders = HEADERS
    MAX_LENGTH = HEADER_BYTES

    def __init__(self) -> None:
        super().__init__()
        self.slot = 0  # of Deadlines
        self.queued = False  # of Scheduler
        self._arrived = b""  # not yet looked at
        self._dataBuffer: list[bytes] = []
        self.address = ""
        self._counted = False
        self._over = False  # nothing more is read
        self._successor: Successor | None = None
        self._begun = False  # a request has begun to arrive
        self._since = 0.0
        self._held: Request | None = None  # answered, but not ended before there is room

    @property
    def secure(self) -> bool:
        """Whether the connection is encrypted."""
        return bool(ISSLTransport.providedBy(self.transport))

    # --- IProtocol

    def connectionMade(self) -> None:
        streams = self.site.streams
        self.address = str(getattr(self.transport.getPeer(), "host", "") or "")
        super().connectionMade()
        if ITCPTransport.providedBy(self.transport):
            self.transport.bufferSize = READ_AT_ONCE
        refusal = streams.admission.admit(self.address)
        if refusal is not None:
            if streams.admission.is_news(self.address):
                streams.log.info("Refused {address}: {reason}", address=self.address, reason=refusal)
            if self.secure:
                self._over = True
                self.transport.abortConnection()
            else:
                self.refuse(503, "Service Unavailable", refusal)
        else:
            self._counted = True
        self.site.channels.add(self)
        self._from_now()

    def dataReceived(self, data: bytes) -> None:
        if self._successor is not None:
            self._successor.dataReceived(data)
        elif not self._over:
            if not self._begun and not self._handlingRequest:
                self._begun = True
                self._from_now()
            self._arrived += data
            self._go_on()
            if self._arrived:
                self._networkProducer.pauseProducing()

    def setLineMode(self, extra: bytes = b"") -> None:
        # Twisted plays back what came behind a request; it comes before what has not been looked at.
        super().setLineMode()
        self._arrived = extra + self._arrived

    def lineReceived(self, line: bytes) -> None:
        if not self._over:
            super().lineReceived(line)

    def rawDataReceived(self, data: bytes) -> None:
        if self._successor is not None:
            self._successor.dataReceived(data)
        elif not self._over:
            super().rawDataReceived(data)

    def connectionLost(self, reason: Failure) -> None:
        self._over = True
        self._held = None
        self._arrived = b""
        self.leave()
        super().connectionLost(reason)
        if self._successor is not None:
            self._successor.connectionLost(reason)
            self._successor = None

    # --- Task: what the scheduler gives time to

    @property
    def payer(self) -> Hashable:
        return self.address

    def work(self, until: float) -> bool:
        """Look at what has arrived, a piece at a time; not beyond a request that is not answered yet."""
        while self._arrived and not self._over and not self._handlingRequest:
            piece, self._arrived = self._arrived[:PIECE], self._arrived[PIECE:]
            super().dataReceived(piece)
            if self.site.streams.scheduler.seconds() >= until:
                break
        if self._over:
            self._arrived = b""
        if not self._arrived and self._successor is None and not self.is_blocked and not self._over:
            self._networkProducer.resumeProducing()
        return bool(self._arrived) and not self._handlingRequest

    def _go_on(self) -> None:
        if self._arrived:
            self.site.streams.scheduler.submit(self)

    # --- IPushProducer: what the transport tells about the bytes that it was given

    def pauseProducing(self) -> None:
        super().pauseProducing()
        # Twisted goes on reading, and answering, while a request is at work; who asks and never reads would fill us up.
        self._networkProducer.pauseProducing()

    def resumeProducing(self) -> None:
        super().resumeProducing()
        held, self._held = self._held, None
        if held is not None:
            held.finish()

    @property
    def is_blocked(self) -> bool:
        """Whether the client has more unread than the transport likes to hold."""
        return bool(self._waitingForTransport)

    def hold(self, request: Request) -> None:
        """End the answer to a request when there is room again."""
        self._held = request
        self._from_now(self.site.streams.limits.unread_seconds)

    # --- requests

    def headerReceived(self, line: bytes) -> bool:
        try:
            return bool(super().headerReceived(line))
        except ValueError:
            # A length of more digits than Python makes a number of.
            self._respondToBadRequestAndDisconnect()
            return False

    def requestDone(self, request: object) -> None:
        self._begun = False
        self._from_now()
        super().requestDone(request)
        self._go_on()

    def lineLengthExceeded(self, line: bytes) -> None:
        self._respondToBadRequestAndDisconnect()

    def _respondToBadRequestAndDisconnect(self) -> None:
        said = f"This is not an HTTP request, or its header is longer than {HEADER_BYTES} bytes or {HEADERS} lines."
        self.refuse(400, "Bad Request", said)

    def _send100Continue(self) -> None:
        if not self._over:
            super()._send100Continue()

    def refuse(self, code: int, title: str, sentence: str) -> None:
        """Answer without a request that could be answered, and close."""
        if self._over:
            return
        self._over = True
        body = f"{sentence}\n".encode()
        head = f"HTTP/1.1 {code} {title}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
        self.transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self._from_now(self.site.streams.limits.farewell_seconds)
        self.loseConnection()

    # --- budgets

    def leave(self) -> None:
        """Count and watch this connection no more, because it has gone or is counted and watched as another kind."""
        self.site.streams.deadlines.forget(self)
        self.site.channels.discard(self)
        if self._counted:
            self._counted = False
            self.site.streams.admission.leave(self.address)

    def check(self, now: float) -> float | None:
        """Cut off what takes too long (see Deadlines)."""
        deadline = self._since + self._patience
        if now < deadline:
            return deadline
        self._over = True
        self.transport.abortConnection()
        return None

    def _from_now(self, patience: float | None = None) -> None:
        streams = self.site.streams
        self._since = streams.seconds()
        if patience is None:
            patience = streams.limits.frame_seconds if self._begun else IDLE_SECONDS
        self._patience = patience
        streams.deadlines.watch(self, self._since + patience)

    # --- becoming something else

    def give_way(self, successor: Successor, first: bytes) -> None:
        """Let another protocol have the connection from now on; `first` is what it is to read at once.

        Until it calls `leave` it has little time: a handshake that is refused must end, too, though nobody reads it.
        """
        self._networkProducer.unregisterProducer()
        self._successor = successor
        self._from_now(self.site.streams.limits.farewell_seconds)
        self.requests.clear()  # the one that led here is answered by the successor, which may stay for days
        successor.makeConnection(self.transport)
        waiting, self._dataBuffer = b"".join([*self._dataBuffer, self._arrived]), []
        if self._arrived:
            self._arrived = b""
            self.transport.resumeProducing()
        successor.dataReceived(first + waiting)

    def cut_off(self) -> None:
        """Close at once; for a server that stops."""
        self._over = True
        self.transport.abortConnection()


class Site(_Factory):  # type: ignore[misc] # see above
    """All HTTP connections of the server, and the Twisted factory that makes them.

    `answer` is called with each request and has to finish it, at once or later.  The connections share budgets,
    deadlines and clock with `streams`.
    """

    protocol = Channel
    noisy = False

    def __init__(self, streams: Streams, answer: Callable[[Request], None], clock: Any) -> None:
        super().__init__(timeout=None, reactor=clock)
        self.streams = streams
        self.answer = answer
        self.channels: set[Channel] = set()
        self._closed = False

    def buildProtocol(self, address: IAddress | None) -> Channel | None:
        if self._closed:
            return None
        channel: Channel = super().buildProtocol(address)
        channel.requestFactory = Request
        channel.site = self
        return channel

    def close(self) -> None:
        """Cut off what is connected, and take no more; what has become something else is not ours any more."""
        self._closed = True
        for channel in tuple(self.channels):
            channel.cut_off()

    def startFactory(self) -> None:
        """No access log, and so no clock for it."""

    def stopFactory(self) -> None:
        """As above."""

    def log(self, request: TwistedRequest) -> None:
        """As above."""
