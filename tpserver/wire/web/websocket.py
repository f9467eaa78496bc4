"""WebSocket: one frame per message, over an ordinary connection.

It stands between autobahn's protocol and the connection. Internally such a connection uses the stream form of its
dialect, with a length before each frame. So this module can split a response of several frames into messages. No other
module uses autobahn.
"""

from __future__ import annotations

from collections.abc import Hashable
from os import SEEK_END
from typing import Any

import txaio
from autobahn.twisted.resource import WebSocketResource
from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.websocket.types import ConnectionDeny, ConnectionRequest
from twisted.internet.interfaces import IAddress
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto.dialects import JSON_STREAM, PB, Dialect
from tpproto.errors import FailCode, FrameError
from tpproto.stream import BadFrame, read_message
from tpserver.concurrency import Clock
from tpserver.wire.net.connection import Connection
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.web.connection import WebConnection
from tpserver.wire.web.http import Request

SUBPROTOCOLS: dict[str, tuple[Dialect, bool]] = {"tp.json": (JSON_STREAM, False), "tp.pb": (PB, True)}
"""By name: the dialect, and whether its messages are binary."""

MOST_FRAGMENTS = 1024
"""Maximum WebSocket frames per message; they may be empty, so that nothing else limits their number."""

MOST_HEAD_BYTES = 14
"""Maximum bytes of a WebSocket frame before its payload."""

NORMAL, GOING_AWAY, POLICY, TOO_BIG, FAULT = 1000, 1001, 1008, 1009, 1011
"""Close codes of RFC 6455."""

_Deny: Any = ConnectionDeny
_txaio: Any = txaio
_LENGTH_BYTES = 4
_LONGEST_REASON = 123
log = Logger()


class _Quiet:
    """Autobahn's log, discarded: errors of clients do not concern the operator."""

    def debug(self, *args: Any, **keywords: Any) -> None: ...

    info = warn = trace = debug

    def error(self, text: str = "", **keywords: Any) -> None:
        log.error("autobahn: {text}", text=str(text))


# Autobahn's few annotations do not cover overriding its internals.
_Protocol: Any = WebSocketServerProtocol
_Factory: Any = WebSocketServerFactory
_Resource: Any = WebSocketResource


class WebSocket(_Protocol):  # type: ignore[misc] # see above
    """One WebSocket: the reader of a `WebConnection`, and the lower side of the transport of a `Connection`."""

    log = _Quiet()
    factory: WebSocketFactory
    transport: WebConnection

    def __init__(self) -> None:
        super().__init__()
        self.slot = 0  # kept by Timeouts
        self._connection: Connection | None = None
        self._dialect: Dialect = PB
        self._binary = True
        self._head = b""  # the beginning of a frame, while its length is not known
        self._frame_left = 0  # bytes of a frame still to be parsed
        self._fragments = 0  # frames of the present message
        self._announced = 0  # bytes of the present message, by the headers of its frames
        self._kept = 0  # bytes of it that were received
        self._heard = 0.0
        self._pinged = 0.0
        self._close_code = 0
        self._close_text = ""

    # --- Reader

    @property
    def payer(self) -> Hashable:
        return self.transport.address if self._connection is None else self._connection.payer

    @property
    def is_held_up(self) -> bool:
        return self._connection is not None and self._connection.is_held_up

    @property
    def is_paused(self) -> bool:
        return self._connection is not None and self._connection.is_paused

    @property
    def unread_bytes(self) -> int:
        return self._kept

    def note_arrival(self) -> None:
        self._heard = self.factory.connection_factory.seconds()

    def work(self, until: float) -> bool:
        return self._connection is not None and self._connection.work(until)

    def next_piece(self, arrived: bytes) -> int:
        if not self._frame_left:
            head = self._head + arrived[:MOST_HEAD_BYTES]
            size = frame_bytes(head)
            if size is None:
                self._head = head
                return len(arrived)
            self._frame_left = size - len(self._head)
            self._head = b""
        end = min(self._frame_left, len(arrived))
        self._frame_left -= end
        return end

    # --- called by autobahn

    def onConnect(self, request: ConnectionRequest) -> tuple[str, dict[str, list[str]]]:
        for name in request.protocols:
            if name in SUBPROTOCOLS:
                self._dialect, self._binary = SUBPROTOCOLS[name]
                return str(name), {"Set-Cookie": self.transport.cookies}
        raise _Deny(400, "None of the sub-protocols is spoken here")

    def onOpen(self) -> None:
        connection_factory = self.factory.connection_factory
        connection = connection_factory.build_over_http()
        if connection is None:
            self.say_farewell()
            return
        self.transport.leave()
        self._connection = connection
        connection.makeConnection(FrameTransport(self))
        self.note_arrival()
        connection_factory.timeouts.watch(self, self._heard + self.factory.ping_seconds)

    def onMessageBegin(self, isBinary: bool) -> None:
        super().onMessageBegin(isBinary)
        self._fragments = self._announced = 0
        if self._connection is not None:
            self._connection.receive((), True)

    def onMessageFrameBegin(self, length: int) -> None:
        super().onMessageFrameBegin(length)
        self._fragments += 1
        self._announced += length
        if self._connection is None or self.failedByMe:
            return
        limits = self._connection.reader_limits
        if self._fragments > MOST_FRAGMENTS:
            self._refuse(POLICY, f"A message in more than {MOST_FRAGMENTS} fragments is not taken.")
        elif self._announced > limits.frame:
            said = f"A frame of {self._announced} bytes is too long; {limits.frame} are the most{limits.when}."
            self._refuse(TOO_BIG, said)

    def onMessageFrameData(self, payload: bytes) -> None:
        super().onMessageFrameData(payload)
        if not self.failedByMe:
            self._kept += len(payload)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        self._kept = 0
        connection = self._connection
        if connection is None:
            return
        if isBinary is not self._binary:
            kinds = ("binary", "text") if isBinary else ("text", "binary")
            problem = f"This connection takes {kinds[1]} messages; that one was {kinds[0]}."
            connection.receive((BadFrame(self._dialect, 0, FrameError(problem, FailCode.PROTOCOL)),), False)
        else:
            connection.receive((read_message(self._dialect, payload, connection.reader_limits),), False)

    def onPing(self, payload: bytes) -> None:
        # For a client that does not read, pongs would only pile up.
        if self._connection is not None and not self._connection.is_blocked:
            super().onPing(payload)

    def onCloseFrame(self, code: int | None, reasonRaw: bytes | None) -> bool | None:
        done: bool | None = super().onCloseFrame(code, reasonRaw)
        if self._connection is not None:
            self._connection.readConnectionLost()
        return done

    def connectionLost(self, reason: Failure) -> None:
        self.factory.connection_factory.timeouts.forget(self)
        connection, self._connection = self._connection, None
        super().connectionLost(reason)
        if connection is not None:
            connection.connectionLost(reason)

    def sendHttpErrorResponse(self, code: int, reason: str, responseHeaders: Any = None) -> None:
        """Refuse a handshake with a sentence that people can read."""
        body = f"This is not the beginning of a WebSocket: {reason}.\n".encode()
        lines = [f"HTTP/1.1 {code} Refused", "Content-Type: text/plain; charset=utf-8", "Connection: close"]
        lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in responseHeaders or ())]
        self.sendData("\r\n".join([*lines, "", ""]).encode() + body)

    # --- timeouts

    def check(self, now: float) -> float | None:
        """Ping a silent client, and drop one that does not answer.

        Return the time of the next check, None if the connection is closed.
        """
        connection, patience = self._connection, self.factory.ping_seconds
        if connection is None or self.state != self.STATE_OPEN:
            return None
        if connection.is_paused:
            self._heard = now  # reading is paused, so the answer may be waiting in the socket
        asked = self._pinged > self._heard
        following = (self._pinged if asked else self._heard) + patience
        if now < following:
            return following
        if asked:
            self.transport.cut_off()
            return None
        self.sendPing()
        self._pinged = now
        return now + patience

    # --- called by the connection

    def send(self, payload: bytes) -> None:
        """Send one message; does nothing if the WebSocket is no longer open."""
        if self.state == self.STATE_OPEN:
            self.sendPreparedMessage(self.factory.prepareMessage(payload, self._binary, True))

    def say_farewell(self) -> None:
        """Begin to close, telling the client the reason."""
        code, text = self._close_code, self._close_text
        if not code:
            stops = self.factory.connection_factory.is_closed
            code, text = (GOING_AWAY, "The server stops.") if stops else (NORMAL, "That was the last answer.")
        self.sendCloseFrame(code, _cut(text), False)

    def cut_off(self, reason: str) -> None:
        """Close at once. With a reason the client gets it, unless it does not read."""
        if reason and self.state == self.STATE_OPEN and self._connection and not self._connection.is_blocked:
            self.sendCloseFrame(POLICY, _cut(f"{reason[:1].upper()}{reason[1:]}."), False)
        else:
            self.transport.cut_off()

    def _refuse(self, code: int, sentence: str) -> None:
        """Send a Fail frame and close; the rest of the message is discarded."""
        self.failedByMe = True
        self._kept = 0
        self._close_code, self._close_text = code, sentence
        if self._connection is not None:
            self._connection.receive((BadFrame(self._dialect, 0, FrameError(sentence, closes=True)),), False)


class FrameTransport:
    """The transport of a `Connection`: splits the bytes written to it into messages by their lengths."""

    __slots__ = ("_rest", "_socket", "secure", "task", "token")

    def __init__(self, socket: WebSocket) -> None:
        self.task = socket.transport  # what the scheduler runs
        self._socket = socket
        self._rest = bytearray()
        self.secure = socket.transport.is_secure
        self.token = socket.transport.token

    def write(self, data: bytes) -> None:
        rest = self._rest
        rest += data
        position, end = 0, len(rest)
        while end - position >= _LENGTH_BYTES:
            start = position + _LENGTH_BYTES
            stop = start + int.from_bytes(rest[position:start], "big")
            if stop > end:
                break
            self._socket.send(bytes(rest[start:stop]))
            position = stop
        del rest[:position]

    def loseConnection(self) -> None:
        self._socket.say_farewell()

    loseWriteConnection = loseConnection

    def abortConnection(self) -> None:
        self.task.cut_off()

    def cut_off(self, reason: str) -> None:
        self._socket.cut_off(reason)

    def getPeer(self) -> IAddress:
        peer: IAddress = self.task.getPeer()
        return peer

    def registerProducer(self, producer: object, streaming: bool) -> None:
        self.task.registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        self.task.unregisterProducer()

    def pauseProducing(self) -> None:
        self.task.update_reading()

    resumeProducing = pauseProducing


class WebSocketFactory(_Factory):  # type: ignore[misc] # see above
    """Creates the protocol of each WebSocket; their connections belong to `connection_factory`.

    A ping is sent after `ping_seconds` of silence. A client that does not answer within as many seconds is dropped.
    Autobahn's other defaults are right here. It takes any origin, which `tpserver.wire.web.resources` has checked
    before. It does not compress, which would save little in single frames and cost memory per connection.
    """

    protocol = WebSocket
    log = _Quiet()
    noisy = False

    def __init__(self, connection_factory: ConnectionFactory, clock: Clock, ping_seconds: float) -> None:
        _txaio.config.loop = clock
        super().__init__(protocols=list(SUBPROTOCOLS), server="", reactor=clock)
        self.connection_factory = connection_factory
        self.ping_seconds = ping_seconds
        self.setProtocolOptions(
            versions=[13],
            webStatus=False,
            failByDrop=False,
            openHandshakeTimeout=0,  # see WebConnection.give_way
            closeHandshakeTimeout=max(1, round(connection_factory.limits.farewell_seconds)),
        )


class SocketResource(_Resource):  # type: ignore[misc] # see above
    """Autobahn's resource, for a connection that has its own readers."""

    def render(self, request: Request) -> bytes | int:
        channel = request.channel
        channel.transport.give_way()
        channel.requests.clear()  # answered by the WebSocket, which may stay open for days
        request.content.seek(0, SEEK_END)  # autobahn would read a body as messages
        answer: bytes | int = super().render(request)
        return answer


def frame_bytes(head: bytes) -> int | None:
    """Return the length of the WebSocket frame with these first bytes; None if its header is incomplete."""
    if len(head) < 2:
        return None
    length = head[1] & 0x7F
    more = {126: 2, 127: 8}.get(length, 0)
    before = 2 + more + (4 if head[1] & 0x80 else 0)
    if len(head) < before:
        return None
    return before + (int.from_bytes(head[2 : 2 + more], "big") if more else length)


def _cut(text: str) -> bytes:
    """Return as much of a text as fits into a close frame."""
    return text.encode()[:_LONGEST_REASON].decode(errors="ignore").encode()
