"""Both ends of the network layer in memory: stub sessions and transports.

The test chooses the responses of the sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from zope.interface import implementer

from tpproto import tp_pb2 as tp
from tpproto.dialects import Dialect
from tpproto.frames import frame
from tpproto.stream import RawFrame


def okay(dialect: Dialect, sequence: int, text: str) -> bytes:
    return dialect.encode(frame(sequence, "okay", tp.Okay(result=text)))


class StubSession:
    """A session that says Okay with a number to every request, unless `replies` has something for its kind."""

    def __init__(self, address: str, secure: bool, send: Callable[[bytes], None], token: str = "") -> None:
        self.address = address
        self.secure = secure
        self.token = token
        self.send = send
        self.closing = False
        self.logged_in = False
        self.occupied = False
        self.over_http = False
        self.kept_bytes = 0
        self.account_id: int | None = None
        self.use: Dialect | None = None
        self.asked: list[RawFrame] = []
        self.times_lost = 0
        self.replies: dict[int, Callable[[RawFrame], bytes | Deferred[bytes]]] = {}

    def answer(self, request: RawFrame) -> bytes | Deferred[bytes]:
        self.asked.append(request)
        return self.replies.get(request.kind, self.usual)(request)

    def usual(self, request: RawFrame) -> bytes:
        return okay(request.dialect, request.sequence, f"answer {len(self.asked)}")

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        return dialect.encode(frame(sequence, "fail", tp.Fail(code=int(code), result=text)))

    def note_reading(self, is_behind: bool) -> None: ...

    def connection_lost(self) -> None:
        self.times_lost += 1


@implementer(ITCPTransport)
class Transport(StringTransport):
    """A TCP transport whose client reads only in `read`; above 64 KiB it asks its producer to pause.

    A client that is `polite` hangs up when it has read that the server has ended the connection.
    """

    room = 65536

    def __init__(
        self, protocol: Any, address: str = "192.0.2.1", here: str = "127.0.0.1", *, polite: bool = False
    ) -> None:
        host, peer = IPv4Address("TCP", here, 8080), IPv4Address("TCP", address, 50000)
        super().__init__(hostAddress=host, peerAddress=peer, lenient=True)
        self.protocol = protocol
        self.polite = polite
        self.writes = 0
        self.unread = b""
        self.was_read = b""
        self.half_closed = False
        self.gone = False
        protocol.makeConnection(self)

    def write(self, data: bytes) -> None:
        assert isinstance(data, bytes)
        assert not self.half_closed, "written after the end"
        self.writes += 1
        self.unread += data
        if self.producer is not None and len(self.unread) > self.room:
            self.producer.pauseProducing()

    def writeSequence(self, data: Iterable[bytes]) -> None:
        self.write(b"".join(data))

    def read(self, amount: int | None = None) -> bytes:
        """Return the bytes that the client reads. When it has everything, the producer is asked for more."""
        amount = len(self.unread) if amount is None else amount
        taken, self.unread = self.unread[:amount], self.unread[amount:]
        self.was_read += taken
        if taken and not self.unread and self.producer is not None:
            self.producer.resumeProducing()
        if self.polite and self.is_ending and not self.unread:
            self.hang_up()
        return taken

    def read_all(self) -> bytes:
        taken = b""
        while piece := self.read():
            taken += piece
        return taken

    def loseWriteConnection(self) -> None:
        self.half_closed = True

    def abortConnection(self) -> None:
        super().abortConnection()
        if self.polite:
            self.hang_up()

    def setTcpNoDelay(self, enabled: bool) -> None: ...

    def setTcpKeepAlive(self, enabled: bool) -> None: ...

    @property
    def is_reading(self) -> bool:
        return self.producerState == "producing"

    @property
    def is_ending(self) -> bool:
        """True if the server has closed at least its direction."""
        return self.half_closed or self.disconnecting

    def hang_up(self) -> None:
        """The client, or the network, ends the connection."""
        if not self.gone:
            self.gone = True
            self.protocol.connectionLost(Failure(ConnectionDone()))
