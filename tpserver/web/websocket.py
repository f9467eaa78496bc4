"""WebSocket: a frame is a message of its own, between autobahn's protocol and a connection like any other.

Inside the server such a connection speaks the stream form of its dialect, each frame after its length, so that an
answer of several frames comes apart again here.  No other module knows autobahn.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import txaio
from autobahn.twisted.websocket import WebSocketServerFactory, WebSocketServerProtocol
from autobahn.websocket.types import ConnectionDeny, ConnectionRequest
from twisted.internet.interfaces import IAddress
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto.dialects import JSON_STREAM, PB, Dialect
from tpproto.errors import FailCode, FrameError
from tpproto.stream import BadFrame, read_message
from tpserver.net.connection import Connection
from tpserver.net.deadlines import Clock
from tpserver.net.streams import Streams

SUBPROTOCOLS: dict[str, tuple[Dialect, bool]] = {"tp.json": (JSON_STREAM, False), "tp.pb": (PB, True)}
"""Name -> the dialect, and whether its messages are binary."""

MOST_FRAGMENTS = 1024
"""WebSocket frames of one message: their number is bounded by nothing else, for they may be empty."""

HANDSHAKE_SECONDS = 10
NORMAL, GOING_AWAY, POLICY, TOO_BIG, FAULT = 1000, 1001, 1008, 1009, 1011
"""Close codes of RFC 6455."""

_Deny: Any = ConnectionDeny
_txaio: Any = txaio
_LENGTH_BYTES = 4
_LONGEST_REASON = 123
log = Logger()


class _Quiet:
    """Autobahn's log: what clients do wrong is no news to the operator."""

    def debug(self, *args: Any, **keywords: Any) -> None: ...

    info = warn = trace = debug

    def error(self, text: str = "", **keywords: Any) -> None:
        log.error("autobahn: {text}", text=str(text))


# Autobahn's annotations are few, and not meant for who overrides what they stand on.
_Protocol: Any = WebSocketServerProtocol
_Factory: Any = WebSocketServerFactory


class Messages(_Protocol):  # type: ignore[misc] # see above
    """One WebSocket.  `leave` is called when the connection is counted as one of the streams'."""

    log = _Quiet()
    factory: Sockets

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__()
        self.queued = False  # of Scheduler
        self._leave = leave
        self._connection: Connection | None = None
        self._address = ""
        self._reading = True
        self._dialect: Dialect = PB
        self._binary = True
        self._fragments = 0
        self._producing = False
        self._close_code = 0
        self._close_text = ""

    # --- what autobahn tells

    def connectionMade(self) -> None:
        super().connectionMade()
        self._address = str(getattr(self.transport.getPeer(), "host", "") or "")

    def consumeData(self) -> None:
        """What has arrived is in `data`: look at it when it is our turn, see `work`."""
        self.factory.streams.scheduler.submit(self)
        self.update_reading()

    def onConnect(self, request: ConnectionRequest) -> str:
        for name in request.protocols:
            if name in SUBPROTOCOLS:
                self._dialect, self._binary = SUBPROTOCOLS[name]
                return str(name)
        raise _Deny(400, "None of the sub-protocols is spoken here")

    def onOpen(self) -> None:
        connection = self.factory.streams.buildProtocol(None)
        if connection is None:
            self.say_farewell()
            return
        self._leave()
        self._connection = connection
        connection.makeConnection(_Link(self))

    def onMessageBegin(self, isBinary: bool) -> None:
        super().onMessageBegin(isBinary)
        self._fragments = 0
        if self._connection is not None:
            self._connection.receive((), True)

    def onMessageFrameBegin(self, length: int) -> None:
        self._fragments += 1
        if self._fragments > MOST_FRAGMENTS and not self.failedByMe:
            self._refuse(POLICY, f"A message in more than {MOST_FRAGMENTS} fragments is not taken.")
        super().onMessageFrameBegin(length)

    def _max_message_size_exceeded(self, size: int, most: int, reason: str) -> None:
        when = "" if self._connection is None else self._connection.reader_limits.when
        self._refuse(TOO_BIG, f"A frame of {size} bytes is too long; {most} are the most{when}.")

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
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
        # To a client that does not read, answers would only pile up.
        if self._connection is not None and not self._connection.is_blocked:
            super().onPing(payload)

    def onAutoPingTimeout(self) -> None:
        if self._connection is not None and self._connection.is_paused:
            # It is us who do not read: the answer may be there already.
            self.autoPingTimeoutCall = None
            self._sendAutoPing()
        else:
            super().onAutoPingTimeout()

    def onCloseFrame(self, code: int | None, reasonRaw: bytes | None) -> bool | None:
        done: bool | None = super().onCloseFrame(code, reasonRaw)
        if self._connection is not None:
            self._connection.readConnectionLost()
        return done

    def connectionLost(self, reason: Failure) -> None:
        connection, self._connection = self._connection, None
        super().connectionLost(reason)
        if connection is not None:
            connection.connectionLost(reason)

    def sendHttpErrorResponse(self, code: int, reason: str, responseHeaders: Any = None) -> None:
        """A handshake that is none is refused with a sentence that people can read."""
        body = f"This is not the beginning of a WebSocket: {reason}.\n".encode()
        lines = [f"HTTP/1.1 {code} Refused", "Content-Type: text/plain; charset=utf-8", "Connection: close"]
        lines += [f"Content-Length: {len(body)}", *(f"{name}: {value}" for name, value in responseHeaders or ())]
        self.sendData("\r\n".join([*lines, "", ""]).encode() + body)

    # --- Task: what the scheduler gives time to

    @property
    def payer(self) -> Hashable:
        return self._address if self._connection is None else self._connection.payer

    def work(self, until: float) -> bool:
        """Take messages out of what has arrived, each to be answered before the next is looked at."""
        try:
            more = self._work(until)
        except Exception:
            log.failure("A WebSocket of {address} failed", address=self.peer)
            self.transport.abortConnection()
            return False
        self.update_reading()
        if self._connection is not None:
            self._connection.weigh()
        return more

    @property
    def unread_bytes(self) -> int:
        """How much of what has arrived is no message yet."""
        return len(self.data) + getattr(self, "message_data_total_length", 0)

    def _work(self, until: float) -> bool:
        seconds = self.factory.streams.scheduler.seconds
        while True:
            connection = self._connection
            if connection is not None:
                if connection.work(until):
                    return True
                if connection.is_held_up:
                    return False  # it submits us again
                self.maxFramePayloadSize = self.maxMessagePayloadSize = connection.reader_limits.frame
            if not self._look():
                return False
            if seconds() >= until:
                return True

    def _look(self) -> bool:
        """Let autobahn take one step, of at most a frame; return whether another may lead to something."""
        if self.state in (self.STATE_OPEN, self.STATE_CLOSING):
            return bool(self.processData()) or bool(self._connection and self._connection.has_input)
        before = len(self.data)
        super().consumeData()
        return 0 < len(self.data) < before

    def update_reading(self) -> None:
        """Read from the client unless there is something that is not yet looked at."""
        connection = self._connection
        wanted = not (self.queued or (connection is not None and connection.is_paused))
        if wanted is not self._reading and self.transport is not None:
            self._reading = wanted
            if wanted:
                self.transport.resumeProducing()
            else:
                self.transport.pauseProducing()

    # --- what the connection asks

    def registerProducer(self, producer: object, streaming: bool) -> None:
        self._producing = True
        super().registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        # Both autobahn and the connection do this when they close.
        if self._producing:
            self._producing = False
            super().unregisterProducer()

    def send(self, payload: bytes) -> None:
        """Send one message; nothing happens when the WebSocket is not open any more."""
        if self.state == self.STATE_OPEN:
            self.sendPreparedMessage(self.factory.prepareMessage(payload, self._binary, True))

    def say_farewell(self) -> None:
        """Begin to close; the client is told why if it is not obvious."""
        code, text = self._close_code, self._close_text
        if not code:
            stops = self.factory.streams.is_closed
            code, text = (GOING_AWAY, "The server stops.") if stops else (NORMAL, "That was the last answer.")
        self.sendCloseFrame(code, _cut(text), False)

    def cut_off(self, reason: str) -> None:
        """Close at once; with a reason, the client is told if it reads at all."""
        if reason and self.state == self.STATE_OPEN and self._connection and not self._connection.is_blocked:
            self.sendCloseFrame(POLICY, _cut(f"{reason[:1].upper()}{reason[1:]}."), False)
        else:
            self.transport.abortConnection()

    def _refuse(self, code: int, sentence: str) -> None:
        """Send a Fail frame, and close after it; the rest of the message is thrown away."""
        self.failedByMe = True
        self._close_code, self._close_text = code, sentence
        if self._connection is not None:
            self._connection.receive((BadFrame(self._dialect, 0, FrameError(sentence, closes=True)),), False)


class _Link:
    """The transport that a Connection sees: bytes that it writes become messages at their lengths."""

    __slots__ = ("_rest", "_transport", "secure", "task")

    bufferSize: int = 0  # of TCP only

    def __init__(self, messages: Messages) -> None:
        self.task = messages
        self._transport: Any = messages.transport
        self._rest = bytearray()
        self.secure = bool(messages.transport_details.is_secure)

    def write(self, data: bytes) -> None:
        rest = self._rest
        rest += data
        position, end = 0, len(rest)
        while end - position >= _LENGTH_BYTES:
            start = position + _LENGTH_BYTES
            stop = start + int.from_bytes(rest[position:start], "big")
            if stop > end:
                break
            self.task.send(bytes(rest[start:stop]))
            position = stop
        del rest[:position]

    def loseConnection(self) -> None:
        self.task.say_farewell()

    def loseWriteConnection(self) -> None:
        self.task.say_farewell()

    def abortConnection(self) -> None:
        self._transport.abortConnection()

    def cut_off(self, reason: str) -> None:
        self.task.cut_off(reason)

    def getPeer(self) -> IAddress:
        peer: IAddress = self._transport.getPeer()
        return peer

    def registerProducer(self, producer: object, streaming: bool) -> None:
        self.task.registerProducer(producer, streaming)

    def unregisterProducer(self) -> None:
        self.task.unregisterProducer()

    def pauseProducing(self) -> None:
        self.task.update_reading()

    def resumeProducing(self) -> None:
        self.task.update_reading()

    def setTcpNoDelay(self, enabled: bool) -> None:
        self._transport.setTcpNoDelay(enabled)

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self._transport.setTcpKeepAlive(enabled)


class Sockets(_Factory):  # type: ignore[misc] # see above
    """Makes the protocol of each WebSocket; their connections are among `streams`.

    A client that does not answer a ping within `ping_seconds`, which is also how often one is sent, is dropped.
    """

    log = _Quiet()

    def __init__(self, streams: Streams, clock: Clock, ping_seconds: float) -> None:
        _txaio.config.loop = clock
        super().__init__(protocols=list(SUBPROTOCOLS), server="", reactor=clock)
        limits = streams.limits
        self.streams = streams
        self.setProtocolOptions(
            versions=[13],
            webStatus=False,
            utf8validateIncoming=True,
            requireMaskedClientFrames=True,
            maskServerFrames=False,
            maxFramePayloadSize=limits.frame_bytes,
            maxMessagePayloadSize=limits.frame_bytes,
            failByDrop=False,
            echoCloseCodeReason=False,
            openHandshakeTimeout=HANDSHAKE_SECONDS,
            closeHandshakeTimeout=max(1, round(limits.farewell_seconds)),
            tcpNoDelay=True,
            # Compression is off: what it saves is little in single frames, and it costs memory for each connection.
            perMessageCompressionAccept=lambda offers: None,
            autoPingInterval=ping_seconds,
            autoPingTimeout=ping_seconds,
            autoPingSize=16,
            autoPingRestartOnAnyTraffic=True,
            serveFlashSocketPolicy=False,
            # The origin has been looked at before autobahn sees the request: see `tpserver.web.origins`.
            allowedOrigins=["*"],
            allowNullOrigin=True,
            maxConnections=limits.connections,
        )

    def messages(self, leave: Callable[[], None]) -> Messages:
        """The protocol of a new WebSocket."""
        made = Messages(leave)
        made.factory = self
        return made


def _cut(text: str) -> bytes:
    """As much of a text as a close frame holds."""
    return text.encode()[:_LONGEST_REASON].decode(errors="ignore").encode()
