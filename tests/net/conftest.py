"""A conversation to talk to, transports in memory, and the clock they share."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.logger import globalLogPublisher
from twisted.python.failure import Failure
from zope.interface import implementer

from tpproto.dialects import Dialect
from tpproto.stream import RawFrame
from tpserver.net.connection import Connection
from tpserver.net.factory import ConnectionFactory
from tpserver.net.limits import Limits

HEADER = struct.Struct(">4sIII")


def frame(sequence: int, kind: int, body: bytes) -> bytes:
    return HEADER.pack(b"TP03", sequence, kind, len(body)) + body


class Talk:
    """A session that answers with frame 0 and the request's body, unless `replies` has something for its kind."""

    def __init__(self, address: str, secure: bool, send: Callable[[bytes], None]) -> None:
        self.address = address
        self.secure = secure
        self.send = send
        self.closing = False
        self.logged_in = False
        self.occupied = False
        self.account_id: int | None = None
        self.use: Dialect | None = None
        self.asked: list[RawFrame] = []
        self.refused: list[tuple[int, str, int, Dialect]] = []
        self.times_lost = 0
        self.replies: dict[int, Callable[[RawFrame], bytes | Deferred[bytes]]] = {}

    def answer(self, request: RawFrame) -> bytes | Deferred[bytes]:
        self.asked.append(request)
        reply = self.replies.get(request.kind)
        return reply(request) if reply else frame(request.sequence, 0, request.body)

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        self.refused.append((int(code), text, sequence, dialect))
        return frame(sequence, 1, text.encode())

    def connection_lost(self) -> None:
        self.times_lost += 1


@implementer(ITCPTransport)
class Wire(StringTransport):
    """A TCP transport whose client reads only what `read` says; above 64 KiB it tells its producer to pause."""

    room = 65536

    def __init__(self, protocol: Connection, address: str = "192.0.2.1") -> None:
        super().__init__(peerAddress=Peer(address), lenient=True)
        self.protocol = protocol
        self.writes = 0
        self.unread = b""
        self.was_read = b""
        self.half_closed = False
        self.gone = False

    def write(self, data: bytes) -> None:
        assert isinstance(data, bytes)
        assert not self.half_closed, "written after the end"
        self.writes += 1
        self.unread += data
        if self.producer is not None and len(self.unread) > self.room:
            self.producer.pauseProducing()

    def read(self, amount: int | None = None) -> bytes:
        """What the client reads; when it has everything, the producer is asked for more."""
        amount = len(self.unread) if amount is None else amount
        taken, self.unread = self.unread[:amount], self.unread[amount:]
        self.was_read += taken
        if not self.unread and self.producer is not None:
            self.producer.resumeProducing()
        return taken

    def read_all(self) -> bytes:
        taken = b""
        while self.unread:
            taken += self.read()
        return taken

    def loseWriteConnection(self) -> None:
        self.half_closed = True

    def setTcpNoDelay(self, enabled: bool) -> None: ...

    def setTcpKeepAlive(self, enabled: bool) -> None: ...

    @property
    def is_reading(self) -> bool:
        return self.producerState == "producing"

    @property
    def is_ending(self) -> bool:
        """Whether the server has closed its direction at least."""
        return self.half_closed or self.disconnecting

    def hang_up(self) -> None:
        """The client, or the network, ends the connection."""
        if not self.gone:
            self.gone = True
            self.protocol.connectionLost(Failure(ConnectionDone()))


class Peer:
    def __init__(self, host: str) -> None:
        self.host = host


@dataclass
class House:
    """A server without sockets."""

    limits: Limits
    clock: Clock = field(default_factory=Clock)
    seconds: Callable[[], float] | None = None
    """What measures the time that work takes; the clock, by which none passes, unless something is given."""
    talks: list[Talk] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection_factory = ConnectionFactory(self._talk, self.limits, self.clock, self.seconds)

    def _talk(self, address: str, secure: bool, send: Callable[[bytes], None]) -> Talk:
        self.talks.append(Talk(address, secure, send))
        return self.talks[-1]

    def connect(self, address: str = "192.0.2.1") -> Wire:
        connection = self.connection_factory.buildProtocol(None)
        assert connection is not None
        wire = Wire(connection, address)
        connection.makeConnection(wire)
        return wire


@pytest.fixture(scope="session")
def make_house() -> Callable[..., House]:
    def make(seconds: Callable[[], float] | None = None, **limits: Any) -> House:
        return House(Limits(**limits), seconds=seconds)

    return make


@pytest.fixture
def house(make_house: Callable[..., House]) -> House:
    return make_house()


@pytest.fixture
def logged() -> Iterator[list[dict[str, Any]]]:
    """The events that net logs during the test."""
    events: list[dict[str, Any]] = []

    def observe(event: dict[str, Any]) -> None:
        if str(event.get("log_namespace", "")).startswith("tpserver.net"):
            events.append(event)

    globalLogPublisher.addObserver(observe)
    yield events
    globalLogPublisher.removeObserver(observe)
