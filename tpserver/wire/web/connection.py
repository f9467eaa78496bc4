"""Connections of browsers, for HTTP and WebSocket, with server limits.

Twisted's HTTP channel and autobahn's WebSocket protocol have no limits of the kind needed here. So a `WebConnection`
stands between them and the real transport. It decides how much input they get, and when.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from twisted.internet.address import IPv4Address, IPv6Address
from twisted.internet.interfaces import IAddress, IHalfCloseableProtocol, ISSLTransport, ITCPTransport
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface import alsoProvides, noLongerProvides  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.wire.net.connection import READ_AT_ONCE, Connection
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.proxies import Proxies

IDLE_SECONDS = 60.0
"""Maximum seconds without a request. Browsers keep connections open for the next page."""

TEXT = "text/plain; charset=utf-8"
log = Logger()

# Twisted annotates only some of these, and its own subclasses do not conform to the annotations.
_Wrapper: Any = ProtocolWrapper
_Wrapping: Any = WrappingFactory


class Reader(Protocol):
    """The protocol that reads the input of a connection: a `Channel`, later a WebSocket."""

    @property
    def payer(self) -> Hashable:
        """The payer that the scheduler charges for the time."""
        ...

    @property
    def is_held_up(self) -> bool:
        """True to process no more input until the client has read, or until a pending response is ready."""
        ...

    @property
    def is_paused(self) -> bool:
        """True to stop reading from the client."""
        ...

    @property
    def unread_bytes(self) -> int:
        """The bytes of an incomplete request in memory."""
        ...

    def note_arrival(self) -> None:
        """Called when input has arrived."""
        ...

    def work(self, until: float) -> bool:
        """Answer parsed requests until `Scheduler.seconds()` reaches `until`; return whether there are more."""
        ...

    def next_piece(self, arrived: bytes) -> int:
        """Return the number of bytes to parse next. A piece completes at most one request."""
        ...

    def dataReceived(self, data: bytes) -> None: ...

    def connectionLost(self, reason: Failure) -> None: ...


class WebConnection(_Wrapper):  # type: ignore[misc] # see above
    """A connection that begins with HTTP, between the real transport and its reader.

    It is counted and has timeouts, like every connection. Its input is stored until the scheduler runs this task. The
    reader gets it in pieces that complete at most one request. The rest waits until the client has read the response.
    """

    transport: Any
    factory: WebFactory
    wrappedProtocol: Reader

    def __init__(self, factory: WebFactory, reader: Reader) -> None:
        super().__init__(factory, reader)
        self.slot = 0  # kept by Timeouts
        self.queued = False  # kept by Scheduler
        self.address = ""
        self.is_secure = False
        """True if the connection is encrypted."""
        self.token = ""
        """The token of a kept login from the handshake of a WebSocket; it may be any text."""
        self.cookies: list[str] = []
        """Values of Set-Cookie for the response to that handshake."""
        self._client: Any = None  # the client behind a proxy
        self._tunnelled: Connection | None = None  # gets all bytes instead of the reader
        self._arrived = b""  # not yet given to the reader
        self._working = False
        self._paused = False  # not reading from the transport
        self._over = False  # no more input is processed
        self._counted = False
        self._deadline = 0.0
        self._producing = False  # the transport has a producer
        self._speaking = False  # output of the reader is sent at once
        self._aside: list[bytes] = []  # output of the reader that is held back until then

    # --- IProtocol

    def makeConnection(self, transport: Any) -> None:
        connection_factory = self.factory.connection_factory
        self.address = str(getattr(transport.getPeer(), "host", "") or "")
        self.is_secure = bool(ISSLTransport.providedBy(transport))
        super().makeConnection(transport)
        if self.is_secure:
            # Autobahn would take any provider of this interface for Twisted's own class.
            noLongerProvides(self, ISSLTransport)
        if ITCPTransport.providedBy(transport):
            transport.bufferSize = READ_AT_ONCE
        self.allow(IDLE_SECONDS)
        refusal = connection_factory.limiter.admit(self.address)
        if refusal is None:
            self._counted = True
            return
        if connection_factory.limiter.is_news(self.address):
            log.info("Refused {address}: {reason}", address=self.address, reason=refusal)
        if self.is_secure:
            self.cut_off()
        else:
            self.refuse(503, "Service Unavailable", refusal)

    def getPeer(self) -> Any:
        return self.transport.getPeer() if self._client is None else self._client

    def stands_for(self, value: str | None, is_check: bool = False) -> str:
        """Count the connection for the client that one of our proxies names in its header (`Proxies.header`).

        A check of the server's health may lack the header. Return why that client cannot be served, or an empty text.
        """
        peer = str(getattr(self.transport.getPeer(), "host", "") or "")
        proxies = self.factory.proxies
        if value is None and not is_check and proxies.has(peer):
            proxies.note_missing(peer)
        client = proxies.client_of(peer, value)
        if client == self.address and self._counted:
            return ""
        limiter = self.factory.connection_factory.limiter
        if self._counted:
            limiter.leave(self.address)
        refusal = limiter.admit(client)
        self._counted = refusal is None
        if refusal is not None:  # the proxy may keep the connection for other clients
            return refusal
        self.address = client
        kind = IPv6Address if ":" in client else IPv4Address
        self._client = None if client == peer else kind("TCP", client, 0)
        return ""

    def dataReceived(self, data: bytes) -> None:
        if self._tunnelled is not None:
            self._tunnelled.dataReceived(data)
        elif not self._over:
            self.wrappedProtocol.note_arrival()
            self._arrived += data
            self.submit()

    def connectionLost(self, reason: Failure) -> None:
        self._over = True
        self._arrived = b""
        self._aside = []
        self.leave()
        super().connectionLost(reason)
        tunnelled, self._tunnelled = self._tunnelled, None
        if tunnelled is not None:
            tunnelled.connectionLost(reason)

    # --- IHalfCloseableProtocol, for the tunnel

    def readConnectionLost(self) -> None:
        if self._tunnelled is not None:
            self._tunnelled.readConnectionLost()

    def writeConnectionLost(self) -> None:
        if self._tunnelled is not None:
            self._tunnelled.writeConnectionLost()

    # --- Task: called by the scheduler

    @property
    def payer(self) -> Hashable:
        return self.address if self._over else self.wrappedProtocol.payer

    @property
    def unread_bytes(self) -> int:
        """The bytes received that are not yet a complete message."""
        return len(self._arrived) + self.wrappedProtocol.unread_bytes

    def submit(self) -> None:
        """Ask the scheduler for time to work."""
        self.factory.connection_factory.scheduler.submit(self)
        self.update_reading()

    def go_on(self) -> None:
        """Continue with the input, as the reader may be ready for more."""
        if self._arrived and not self._working:
            self.submit()
        else:
            self.update_reading()

    def work(self, until: float) -> bool:
        self._working = True
        try:
            more = self._work(until)
        except Exception:
            log.failure("A connection of {address} failed", address=self.address)
            self.cut_off()
            return False
        finally:
            self._working = False
        self.update_reading()
        return more

    def _work(self, until: float) -> bool:
        """Give input to the reader piece by piece; return whether more can be processed now."""
        seconds = self.factory.connection_factory.scheduler.seconds
        while not self._over:
            reader = self.wrappedProtocol  # may be replaced by another reader
            if reader.work(until):
                return True
            if reader.is_held_up or not self._arrived:
                return False  # the reader submits this task again
            end = reader.next_piece(self._arrived)
            piece, self._arrived = self._arrived[:end], self._arrived[end:]
            reader.dataReceived(piece)
            self._say_aside()
            if seconds() >= until:
                return True
        return False

    def update_reading(self) -> None:
        """Pause or resume reading: read only while all input is processed and the reader wants more."""
        if self._over:
            return
        paused = bool(self._arrived) or self.wrappedProtocol.is_paused
        if paused is not self._paused:
            self._paused = paused
            if paused:
                self.transport.pauseProducing()
            else:
                self.transport.resumeProducing()

    # --- ITransport: called by the reader

    def pauseProducing(self) -> None:
        self.update_reading()

    resumeProducing = pauseProducing

    def write(self, data: bytes) -> None:
        if self._speaking:
            self.transport.write(data)
        else:
            self._aside.append(data)

    def loseConnection(self) -> None:
        self._over = True
        super().loseConnection()

    def registerProducer(self, producer: object, streaming: bool) -> None:
        self._producing = True
        super().registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        # Autobahn and the connection behind it both do this when they close.
        if self._producing:
            self._producing = False
            super().unregisterProducer()

    def speak(self) -> None:
        """Send output of the reader from now on: it is part of a response."""
        self._say_aside()
        self._speaking = True

    def fall_silent(self) -> None:
        """Hold output of the reader back from now on: a "100 Continue", or a refusal to be replaced."""
        self._speaking = False

    def _say_aside(self) -> None:
        if self._aside:
            self.transport.writeSequence(self._aside)
            self._aside = []

    def refuse(self, code: int, title: str, sentence: str) -> None:
        """Send a response to an invalid request, and close."""
        if self._over:
            return
        self._over = True
        self._aside = []
        body = f"{sentence}\n".encode()
        head = f"HTTP/1.1 {code} {title}\r\nContent-Type: {TEXT}\r\nConnection: close\r\n"
        self.transport.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        self.allow(self.factory.connection_factory.limits.farewell_seconds)
        self.unregisterProducer()
        super().loseConnection()

    def give_way(self) -> None:
        """Prepare for another reader: its output is sent, and it registers its own producer.

        The connection is cut off after `Limits.farewell_seconds` unless the new reader calls `leave`. So a refused
        handshake ends even if the client does not read the refusal.
        """
        self.unregisterProducer()
        self._speaking = True
        self.allow(self.factory.connection_factory.limits.farewell_seconds)

    @property
    def is_proxied(self) -> bool:
        """True if the connection comes from a trusted proxy."""
        return self.factory.proxies.has(str(getattr(self.transport.getPeer(), "host", "") or ""))

    def open_tunnel(self, head: bytes) -> None:
        """Send the head of a response, and pass all bytes to a new connection with the usual limits."""
        connection = self.factory.connection_factory.build_over_http()
        if connection is None:
            self.refuse(503, "Service Unavailable", "The server stops.")
            return
        self.unregisterProducer()
        self.leave()
        self._over = True
        rest, self._arrived, self._aside = self._arrived, b"", []
        if self._paused:
            self.transport.resumeProducing()
        self.transport.write(head)
        self._tunnelled = connection
        alsoProvides(self, IHalfCloseableProtocol)
        connection.makeConnection(self.transport)
        if rest:
            connection.dataReceived(rest)

    # --- limits

    def allow(self, seconds: float) -> None:
        """Set the deadline: the connection is cut off after these seconds unless this is called again."""
        connection_factory = self.factory.connection_factory
        self._deadline = connection_factory.seconds() + seconds
        connection_factory.timeouts.watch(self, self._deadline)

    def check(self, now: float) -> float | None:
        """Cut the connection off if its deadline has passed; else return the deadline."""
        if now < self._deadline:
            return self._deadline
        self.cut_off()
        return None

    def leave(self) -> None:
        """Stop counting this connection and checking its deadline, as it is gone or counted elsewhere."""
        self.factory.connection_factory.timeouts.forget(self)
        self.factory.unregisterProtocol(self)
        if self._counted:
            self._counted = False
            self.factory.connection_factory.limiter.leave(self.address)

    def cut_off(self) -> None:
        """Close at once."""
        self._over = True
        self.transport.abortConnection()


class WebFactory(_Wrapping):  # type: ignore[misc] # see above
    """Creates the connections of browsers: the Twisted factory of their listeners.

    `site` is Twisted's factory of their first readers. The connections share the limits, timeouts and clock of
    `connection_factory`. `protocols` are those with HTTP.
    """

    protocol = WebConnection
    noisy = False

    def __init__(self, connection_factory: ConnectionFactory, site: Any) -> None:
        super().__init__(site)
        self.connection_factory = connection_factory
        self.proxies = Proxies()
        """The trusted proxies."""
        self._closed = False

    def buildProtocol(self, address: IAddress | None) -> WebConnection | None:
        if self._closed:
            return None
        connection: WebConnection = super().buildProtocol(address)
        return connection

    def unregisterProtocol(self, connection: WebConnection) -> None:
        self.protocols.pop(connection, None)

    def close(self) -> None:
        """Cut off all HTTP connections, and accept no more. `connection_factory` handles the WebSockets."""
        self._closed = True
        for connection in tuple(self.protocols):
            connection.cut_off()
