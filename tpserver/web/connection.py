"""Connections of browsers, within the budgets of the server, whatever they speak.

HTTP is spoken by Twisted's channel and WebSocket by autobahn's protocol, both without limits of the kind that is needed
here: how much of what arrives they see, and when, is for the connection between them and the real transport to say.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from twisted.internet.interfaces import IAddress, ISSLTransport, ITCPTransport
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface import noLongerProvides  # type: ignore[import-untyped] # zope.interface has no annotations

from tpserver.net.connection import READ_AT_ONCE
from tpserver.net.factory import ConnectionFactory

IDLE_SECONDS = 60.0
"""How long a connection may stay open without a request: browsers keep some for the next page."""

TEXT = "text/plain; charset=utf-8"
log = Logger()

# Twisted annotates some of these and not others, and its own subclasses do not keep to the annotations.
_Wrapper: Any = ProtocolWrapper
_Wrapping: Any = WrappingFactory


class Reader(Protocol):
    """Who reads what arrives on a connection: a `Channel`, later a WebSocket."""

    @property
    def payer(self) -> Hashable:
        """Whose time it takes to read, as the scheduler has it."""
        ...

    @property
    def is_held_up(self) -> bool:
        """Whether nothing is to be looked at before the client has read, or what is awaited is here."""
        ...

    @property
    def is_paused(self) -> bool:
        """Whether nothing is to be read from the client."""
        ...

    @property
    def unread_bytes(self) -> int:
        """How many bytes it keeps of a request that is not complete."""
        ...

    def note_arrival(self) -> None:
        """Something has arrived."""
        ...

    def work(self, until: float) -> bool:
        """Answer what was looked at until `Scheduler.seconds()` is `until`; return whether there is more of it."""
        ...

    def next_piece(self, arrived: bytes) -> int:
        """Return how many of these bytes to look at next: all of them complete at most one request."""
        ...

    def dataReceived(self, data: bytes) -> None: ...

    def connectionLost(self, reason: Failure) -> None: ...


class WebConnection(_Wrapper):  # type: ignore[misc] # see above
    """One connection that begins with HTTP: between the real transport and its reader.

    It is counted like any, and watched like any. What arrives is stored, and given to the reader when the scheduler
    says so, in pieces that complete at most one request: what is behind waits here until that is answered, and read.
    """

    transport: Any
    factory: WebFactory
    wrappedProtocol: Reader

    def __init__(self, factory: WebFactory, reader: Reader) -> None:
        super().__init__(factory, reader)
        self.slot = 0  # of Timeouts
        self.queued = False  # of Scheduler
        self.address = ""
        self.is_secure = False
        """Whether the connection is encrypted."""
        self._arrived = b""  # not yet looked at
        self._working = False
        self._paused = False  # we do not read
        self._over = False  # nothing more is looked at
        self._counted = False
        self._deadline = 0.0
        self._producing = False  # the transport has a producer
        self._speaking = False  # what the reader writes is for the client
        self._aside: list[bytes] = []  # what it has written meanwhile

    # --- IProtocol

    def makeConnection(self, transport: Any) -> None:
        connection_factory = self.factory.connection_factory
        self.address = str(getattr(transport.getPeer(), "host", "") or "")
        self.is_secure = bool(ISSLTransport.providedBy(transport))
        super().makeConnection(transport)
        if self.is_secure:
            # Autobahn takes whatever provides this for Twisted's own class of it.
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

    def dataReceived(self, data: bytes) -> None:
        if not self._over:
            self.wrappedProtocol.note_arrival()
            self._arrived += data
            self.submit()

    def connectionLost(self, reason: Failure) -> None:
        self._over = True
        self._arrived = b""
        self._aside = []
        self.leave()
        super().connectionLost(reason)

    # --- Task: what the scheduler gives time to

    @property
    def payer(self) -> Hashable:
        return self.address if self._over else self.wrappedProtocol.payer

    @property
    def unread_bytes(self) -> int:
        """How much of what has arrived is no message yet."""
        return len(self._arrived) + self.wrappedProtocol.unread_bytes

    def submit(self) -> None:
        """Ask for time to work."""
        self.factory.connection_factory.scheduler.submit(self)
        self.update_reading()

    def go_on(self) -> None:
        """The reader may be ready for more."""
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
        """Let the reader look at what has arrived, piece by piece, and answer it."""
        seconds = self.factory.connection_factory.scheduler.seconds
        while not self._over:
            reader = self.wrappedProtocol  # which another one may replace
            if reader.work(until):
                return True
            if reader.is_held_up or not self._arrived:
                return False  # it submits us again
            end = reader.next_piece(self._arrived)
            piece, self._arrived = self._arrived[:end], self._arrived[end:]
            reader.dataReceived(piece)
            self._say_aside()
            if seconds() >= until:
                return True
        return False

    def update_reading(self) -> None:
        """Read from the client if, and only if, all that has arrived is looked at and the reader wants more."""
        if self._over:
            return
        paused = bool(self._arrived) or self.wrappedProtocol.is_paused
        if paused is not self._paused:
            self._paused = paused
            if paused:
                self.transport.pauseProducing()
            else:
                self.transport.resumeProducing()

    # --- what the reader asks of its transport

    def pauseProducing(self) -> None:
        self.update_reading()

    def resumeProducing(self) -> None:
        self.update_reading()

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
        # Both autobahn and the connection behind it do this when they close.
        if self._producing:
            self._producing = False
            super().unregisterProducer()

    def speak(self) -> None:
        """Send what is written from now on: it belongs to an answer."""
        self._say_aside()
        self._speaking = True

    def fall_silent(self) -> None:
        """Keep what is written from now on until it is clear whether it is "100 Continue" or begins a refusal."""
        self._speaking = False

    def _say_aside(self) -> None:
        if self._aside:
            self.transport.writeSequence(self._aside)
            self._aside = []

    def refuse(self, code: int, title: str, sentence: str) -> None:
        """Answer without a request that could be answered, and close."""
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
        """Be ready for another reader: what it writes is sent, and it brings its own producer.

        Until it calls `leave` it has little time: a handshake that is refused must end, too, though nobody reads it.
        """
        self.unregisterProducer()
        self._speaking = True
        self.allow(self.factory.connection_factory.limits.farewell_seconds)

    # --- budgets

    def allow(self, seconds: float) -> None:
        """Cut the connection off after so many seconds, unless something else is said before."""
        connection_factory = self.factory.connection_factory
        self._deadline = connection_factory.seconds() + seconds
        connection_factory.timeouts.watch(self, self._deadline)

    def check(self, now: float) -> float | None:
        """Cut off what takes too long (see Timeouts)."""
        if now < self._deadline:
            return self._deadline
        self.cut_off()
        return None

    def leave(self) -> None:
        """Count and watch this connection no more, because it has gone or is counted and watched as another kind."""
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
    """Makes the connections of browsers: the Twisted factory of their listeners.

    `site` is Twisted's factory of their first readers. The connections share budgets, deadlines and clock with
    `connection_factory`; `protocols` are those that speak HTTP.
    """

    protocol = WebConnection
    noisy = False

    def __init__(self, connection_factory: ConnectionFactory, site: Any) -> None:
        super().__init__(site)
        self.connection_factory = connection_factory
        self._closed = False

    def buildProtocol(self, address: IAddress | None) -> WebConnection | None:
        if self._closed:
            return None
        connection: WebConnection = super().buildProtocol(address)
        return connection

    def unregisterProtocol(self, connection: WebConnection) -> None:
        self.protocols.pop(connection, None)

    def close(self) -> None:
        """Cut off what is connected, and take no more; what has become something else is not ours any more."""
        self._closed = True
        for connection in tuple(self.protocols):
            connection.cut_off()
