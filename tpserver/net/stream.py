"""One connection: bytes in, a conversation that answers frame by frame, bytes out.

The stream knows when bytes come and go and how many there may be; what a frame means is the conversation's to say.

*   Answers leave in the order of their requests.  One that is not ready yet (a Deferred) holds back those after it.
*   All answers that are ready after one piece of input leave in one write.
*   A client that does not read its answers is not read from either, and is dropped if that does not help.
*   Nothing is parsed after a refusal that closes, and the refusal arrives: see `Connection._close`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IAddress,
    IHalfCloseableProtocol,
    ILoggingContext,
    INegotiated,
    IProtocol,
    IProtocolFactory,
    IPushProducer,
    ISSLTransport,
    ITCPTransport,
)
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tpproto.dialects import Dialect
from tpproto.stream import BadFrame, Event, FrameReader, NotTP, RawFrame, UnknownVersion
from tpproto.stream import Limits as ReaderLimits
from tpserver.net.budgets import Admission, Limits
from tpserver.net.deadlines import Clock, Deadlines, DelayedCall


class Session(Protocol):
    """One connection's conversation, as the stream needs it."""

    @property
    def closing(self) -> bool:
        """Set by `answer` or `refuse`, or by the time an answer's Deferred fires: send that answer, then close."""
        ...

    @property
    def logged_in(self) -> bool:
        """Whether the client has said who it is, so that it may be silent for longer."""
        ...

    @property
    def use(self) -> Dialect | None:
        """The form of its dialect that the client uses from the next piece of input on, as TP04 with padded strings."""
        ...

    def answer(self, frame: RawFrame) -> bytes | Deferred[bytes]:
        """The whole encoded answer to a request.  Never raises; the Deferred never fails."""
        ...

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """An encoded Fail frame for what the stream found wrong."""
        ...

    def lost(self) -> None:
        """The connection has gone."""
        ...


class SessionFactory(Protocol):
    """Makes the conversation of a new connection.

    `address` is the client's IP address, empty on a Unix socket; `secure` says whether the connection is encrypted.
    `send` takes encoded frames that nobody asked for; it may be called in the reactor's thread at any time, without
    effect once the connection has gone.
    """

    def __call__(self, address: str, secure: bool, send: Callable[[bytes], None]) -> Session: ...


class Transport(Protocol):
    """What the stream uses of a Twisted transport: ITransport, IConsumer, IPushProducer, and ITCPTransport if there."""

    def write(self, data: bytes) -> None: ...
    def loseConnection(self) -> None: ...
    def loseWriteConnection(self) -> None: ...
    def abortConnection(self) -> None: ...
    def getPeer(self) -> IAddress: ...
    def registerProducer(self, producer: object, streaming: bool) -> None: ...
    def unregisterProducer(self) -> None: ...
    def pauseProducing(self) -> None: ...
    def resumeProducing(self) -> None: ...
    def setTcpNoDelay(self, enabled: bool) -> None: ...
    def setTcpKeepAlive(self, enabled: bool) -> None: ...


def is_secure(transport: object) -> bool:
    """Whether what is written to a transport travels encrypted; one that wraps another says it itself."""
    said = getattr(transport, "secure", None)
    return INegotiated.providedBy(transport) or ISSLTransport.providedBy(transport) if said is None else bool(said)


class _Answer:
    """An answer in its place in the line; None: not ready."""

    __slots__ = ("data",)

    def __init__(self, data: bytes | None) -> None:
        self.data = data


# The life of a connection.  Only OPEN looks at what arrives.  ENDING answers what it has, then closes; CLOSING has said
# its last word and waits for the other side; GONE takes part in nothing.
OPEN, ENDING, CLOSING, GONE = range(4)

TURNED_AWAY = 64
"""How many connections that are one too many may be shown the door politely at once; more are cut off."""


@implementer(IProtocol, IHalfCloseableProtocol, IPushProducer, ILoggingContext)
class Connection:
    """The Twisted protocol of one connection.

    There may be thousands that do nothing, so it has slots, and its queues are made when they are needed.
    """

    __slots__ = (
        "_address",
        "_backlog",
        "_blocked",
        "_blocked_since",
        "_given",
        "_heard",
        "_held",
        "_held_bytes",
        "_incomplete_since",
        "_kept_bytes",
        "_paused",
        "_read_lost",
        "_reader",
        "_replies",
        "_secure",
        "_session",
        "_state",
        "_streams",
        "_transport",
        "_waiting",
        "slot",
    )

    def __init__(self, streams: Streams) -> None:
        self.slot = 0  # of Deadlines
        self._streams = streams
        self._state = GONE
        self._transport: Transport
        self._session: Session
        self._address = ""
        self._secure = False
        self._reader: FrameReader | None = None
        self._backlog: deque[Event] | None = None  # parsed, not yet answered: while paused
        self._waiting: deque[_Answer] | None = None  # the first of them is not ready
        self._kept_bytes = 0  # of the answers in _waiting that are ready
        self._replies: list[bytes] | None = None  # of the piece of input that is being answered right now
        self._held: deque[bytes] | None = None  # not given to the transport yet
        self._held_bytes = 0
        self._blocked = False  # the transport has more than enough to send
        self._given = 0  # bytes of the last write, which is the one that blocked the transport
        self._blocked_since = 0.0
        self._paused = False  # we do not read
        self._read_lost = False  # the client sends nothing any more
        self._heard = 0.0
        self._incomplete_since: float | None = None  # None: between frames

    # --- IProtocol

    def makeConnection(self, transport: Transport) -> None:
        streams = self._streams
        self._transport = transport
        self._secure = is_secure(transport)
        self._address = str(getattr(transport.getPeer(), "host", "") or "")
        transport.registerProducer(self, True)
        refusal = streams.admission.admit(self._address)
        if refusal is not None:
            self._turn_away(refusal)
            return
        try:
            self._session = streams.session_factory(self._address, self._secure, self.send)
        except Exception:
            streams.admission.leave(self._address)
            streams.log.failure("The conversation with {address} could not begin", address=self._address)
            transport.abortConnection()
            return
        streams.connections.add(self)
        self._state = OPEN
        if ITCPTransport.providedBy(transport):
            # Answers are whole writes already, so that waiting to fill a segment gains nothing; and a client whose
            # machine has vanished is noticed some day.
            transport.setTcpNoDelay(True)
            transport.setTcpKeepAlive(True)
        self._heard = streams.seconds()
        streams.deadlines.watch(self, self._heard + streams.limits.login_seconds)

    def dataReceived(self, data: bytes) -> None:
        if self._state != OPEN:
            return  # thrown away
        reader = self._reader
        if reader is None:
            reader = self._reader = FrameReader(self._streams.reader_limits)
        use = self._session.use
        if use is not None and use is not reader.dialect:
            reader.use(use)
        self.receive(reader.feed(data), reader.incomplete() > 0)

    def receive(self, events: Sequence[Event], incomplete: bool) -> None:
        """Take in what has been read; `incomplete`: the beginning of another frame has arrived, too."""
        if self._state != OPEN:
            return
        streams = self._streams
        if events:
            self._heard = streams.seconds()
        if incomplete:
            if events or self._incomplete_since is None:
                self._incomplete_since = streams.seconds()
                streams.deadlines.watch(self, self._incomplete_since + streams.limits.frame_seconds)
        else:
            self._incomplete_since = None
        if self._paused:
            # Bytes that were on their way when reading paused, as TLS delivers them.
            if self._backlog is None:
                self._backlog = deque()
            self._backlog.extend(events)
        elif events and self._take(events):
            self._go_on()

    def connectionLost(self, reason: Failure) -> None:
        streams = self._streams
        self._state = GONE
        streams.deadlines.forget(self)
        self._reader = self._backlog = self._waiting = self._held = None
        del self._transport  # no circle is left for the garbage collector
        if self in streams.connections:
            streams.admission.leave(self._address)
            self._session.lost()
            del self._session
            streams.forget(self)
        elif self in streams.turned_away:
            streams.turned_away.discard(self)

    def logPrefix(self) -> str:
        return "tp"

    # --- IHalfCloseableProtocol

    def readConnectionLost(self) -> None:
        """The client says no more, but may still listen: it gets the answers to what it has said."""
        self._read_lost = True
        if self._state == CLOSING:
            self._transport.loseConnection()
        elif self._state == OPEN:
            self._state = ENDING
            self._close_when_done()

    def writeConnectionLost(self) -> None:
        """We have said that we say no more."""

    # --- IPushProducer: what the transport tells about the bytes that it was given

    def pauseProducing(self) -> None:
        if not self._blocked:
            self._blocked = True
            self._blocked_since = self._streams.seconds()
            self._streams.deadlines.watch(self, self._blocked_since + self._streams.limits.unread_seconds)

    def resumeProducing(self) -> None:
        self._blocked = False
        self._given = 0
        if self._state == OPEN or self._state == ENDING:
            self._pump()
            self._go_on()

    def stopProducing(self) -> None:
        """The transport takes no more bytes; `connectionLost` follows."""

    @property
    def is_blocked(self) -> bool:
        """Whether the client has more unread than the transport likes to hold."""
        return self._blocked

    @property
    def is_paused(self) -> bool:
        """Whether we do not read from the client."""
        return self._paused

    # --- answering

    def _take(self, events: Iterable[Event]) -> bool:
        """Answer what has been asked, until there is enough to be sent or awaited; return whether that was so."""
        session, limits = self._session, self._streams.limits
        answer = session.answer
        replies = self._replies = []
        size = self._unsent() + self._kept_bytes
        remaining = iter(events)
        try:
            for event in remaining:
                reply: bytes | Deferred[bytes]
                if event.__class__ is RawFrame:  # which is faster than isinstance
                    reply = answer(event)
                    last = session.closing
                else:
                    reply, last = self._refusal(event)
                if isinstance(reply, Deferred):
                    reply = _result_of(reply)
                if reply.__class__ is bytes and not self._waiting:
                    replies.append(reply)
                    size += len(reply)
                else:
                    size += self._line_up(reply)
                if last:
                    self._state = max(self._state, ENDING)
                    break
                if size > limits.pause_bytes or (self._waiting and len(self._waiting) >= limits.pipeline):
                    self._pause()
                    self._backlog = deque(remaining)
                    break
        except Exception:
            self._streams.log.failure("The conversation with {address} failed", address=self._address)
            self._drop("the conversation failed")
            return False
        finally:
            self._replies = None
        if replies:
            self._write(b"".join(replies))
        if self._state == ENDING:
            self._close_when_done()
        return self._paused

    def _refusal(self, event: Event) -> tuple[bytes, bool]:
        """The answer to what is no frame, and whether it is the last one."""
        if isinstance(event, NotTP):
            self._log(f"{event.error.text[:-1]}, but with {event.start!r}")
            return f"{event.error.text}\r\n".encode(), True
        assert isinstance(event, (BadFrame, UnknownVersion))
        error = event.error
        reply = self._session.refuse(error.code, error.text, event.sequence, event.dialect)
        last = error.closes or self._session.closing
        if last:
            self._log(error.text)
        return reply, last

    def _line_up(self, reply: bytes | Deferred[bytes]) -> int:
        """Put an answer behind those that are waited for, and return how many bytes of it are there."""
        waiting = self._waiting
        if waiting is None:
            waiting = self._waiting = deque()
        if isinstance(reply, bytes):
            waiting.append(_Answer(reply))
            self._kept_bytes += len(reply)
            return len(reply)
        place = _Answer(None)
        waiting.append(place)
        reply.addCallbacks(self._ready, self._failed, callbackArgs=(place,))
        return 0

    def _ready(self, data: bytes, place: _Answer) -> None:
        """An answer that was waited for is here: send what has become sendable."""
        if self._state >= CLOSING or self._waiting is None:
            return
        place.data = data
        self._kept_bytes += len(data)
        if self._session.closing:
            self._backlog = None
            if self._state == OPEN:
                # This is the last answer; those to later requests are not waited for.
                self._state = ENDING
                while self._waiting[-1] is not place:
                    self._kept_bytes -= len(self._waiting.pop().data or b"")
        ready = []
        while self._waiting and (first := self._waiting[0].data) is not None:
            ready.append(first)
            self._waiting.popleft()
            self._kept_bytes -= len(first)
        if self._replies is not None:
            self._replies += ready
        elif ready:
            self._write(b"".join(ready))
            self._go_on()

    def _failed(self, failure: Failure) -> None:
        if self._state < CLOSING:
            self._streams.log.failure("The conversation with {address} failed", failure, address=self._address)
            self._drop("the conversation failed")

    def _pause(self) -> None:
        if not self._paused:
            self._paused = True
            if not self._read_lost:
                self._transport.pauseProducing()

    def _go_on(self) -> None:
        """After some answers have left: take up reading again, or close, if it is time."""
        streams = self._streams
        while self._paused and self._state < CLOSING:
            if self._blocked or self._held or (self._waiting and self._is_half_full(self._waiting)):
                return
            if self._backlog:
                backlog, self._backlog = self._backlog, None
                self._take(backlog)
                continue
            self._paused = False
            if not self._read_lost:
                if self._incomplete_since is not None:
                    # A frame of which we did not want to see the end has its full time again.
                    self._incomplete_since = streams.seconds()
                    streams.deadlines.watch(self, self._incomplete_since + streams.limits.frame_seconds)
                self._transport.resumeProducing()
        if self._state == ENDING:
            self._close_when_done()

    def _is_half_full(self, waiting: deque[_Answer]) -> bool:
        """Whether too much is waited for to take on more; half of what stops us, so that we do not stop each time."""
        limits = self._streams.limits
        return len(waiting) > limits.pipeline // 2 or self._kept_bytes > limits.pause_bytes // 2

    # --- sending

    def send(self, data: bytes) -> None:
        """Send frames that nobody asked for; between answers, never into one."""
        if self._replies is not None:
            self._replies.append(data)
        elif self._state < CLOSING:
            self._write(data)

    def _write(self, data: bytes) -> None:
        limits = self._streams.limits
        if not self._blocked and len(data) <= limits.pause_bytes:
            self._given = len(data)
            self._transport.write(data)
            return
        before = self._unsent()
        if before > limits.pause_bytes and before + len(data) > limits.unsent_bytes:
            self._drop(f"it does not read its answers; {before + len(data)} bytes are waiting to be sent")
            return
        if self._held is None:
            self._held = deque()
        size = limits.pause_bytes
        self._held.extend(data[start : start + size] for start in range(0, len(data), size))
        self._held_bytes += len(data)
        self._pump()

    def _pump(self) -> None:
        """Give the transport what is held, in pieces small enough that each says something about the client's pace."""
        while self._held and not self._blocked:
            piece = [self._held.popleft()]
            size = len(piece[0])
            while self._held and size + len(self._held[0]) <= self._streams.limits.pause_bytes:
                piece.append(self._held.popleft())
                size += len(piece[-1])
            self._held_bytes -= size
            self._given = size
            self._transport.write(b"".join(piece))

    def _unsent(self) -> int:
        """How many bytes are on their way to the client, give or take what the transport holds without a word."""
        return self._held_bytes + (self._given if self._blocked else 0)

    # --- ending

    def finish(self) -> None:
        """Close from our side, after the answers that are being awaited and read."""
        self._backlog = None
        if self._state == OPEN:
            self._state = ENDING
            self._close_when_done()

    def abort(self) -> None:
        """Close at once, whatever has not been sent."""
        if self._state != GONE:
            self._state = GONE
            self._transport.abortConnection()

    def check(self, now: float) -> float | None:
        """Drop the connection if one of its deadlines has passed, else return the next (see Deadlines)."""
        limits = self._streams.limits
        if self._state == GONE:
            return None
        if self._state == CLOSING:
            # `_heard` is when it began.
            if now < self._heard + limits.farewell_seconds:
                return self._heard + limits.farewell_seconds
            self.abort()
            return None
        due: list[tuple[float, str]] = []
        if self._blocked:
            due.append((self._blocked_since + limits.unread_seconds, "it does not read its answers"))
        elif self._state == OPEN:
            ours = self._paused or bool(self._waiting)  # it is the client who waits
            if self._incomplete_since is not None and not self._paused:
                due.append((self._incomplete_since + limits.frame_seconds, "it stopped in the middle of a frame"))
            if not self._session.logged_in:
                silent = limits.login_seconds
            else:
                silent = limits.idle_seconds
            if silent and ours:
                due.append((now + silent, ""))
            elif silent:
                due.append((self._heard + silent, f"it has said nothing for {silent:g} seconds"))
        if not due:
            return None
        following, reason = min(due)
        if following <= now:
            self._drop(reason)
            return None
        return following

    def _close_when_done(self) -> None:
        if not (self._backlog or self._waiting or self._held or self._blocked or self._replies is not None):
            self._close()

    def _close(self) -> None:
        """Close once the transport has sent what it has.

        A TCP socket that is closed with unread input discards its output too, and the client would not learn why.  So
        only our direction is closed, and what still arrives is thrown away until the client has closed its own.
        """
        transport = self._transport
        self._state = CLOSING
        self._heard = self._streams.seconds()
        self._streams.deadlines.watch(self, self._heard + self._streams.limits.farewell_seconds)
        transport.unregisterProducer()
        if self._paused and not self._read_lost:
            self._paused = False
            transport.resumeProducing()
        if not self._read_lost and not self._secure and ITCPTransport.providedBy(transport):
            transport.loseWriteConnection()
        else:
            transport.loseConnection()

    def _turn_away(self, reason: str) -> None:
        """One too many: one line of text, then close.  Encrypted there is nobody yet who could read it."""
        streams = self._streams
        if streams.admission.is_news(self._address):
            self._log(reason)
        self._state = ENDING
        if self._secure or len(streams.turned_away) >= TURNED_AWAY:
            self.abort()
        else:
            streams.turned_away.add(self)
            self._write(f"{reason}\r\n".encode())
            self._close()

    def _drop(self, reason: str) -> None:
        """Close at once, because the client leaves no other way."""
        if self._state != GONE:
            self._log(reason)
            tell = getattr(self._transport, "cut_off", None)
            if tell is None:
                self.abort()
            else:
                self._state = GONE
                tell(reason)

    def _log(self, reason: str) -> None:
        self._streams.log.info("Closed the connection of {address}: {reason}", address=self._address, reason=reason)


def _result_of(answer: Deferred[bytes]) -> bytes | Deferred[bytes]:
    """The result of a Deferred that has one already and need not be waited for; else the Deferred."""
    if answer.called and not answer.paused:
        result = answer.result
        if isinstance(result, bytes):
            return result
    return answer


@implementer(IProtocolFactory, ILoggingContext)
class Streams:
    """All connections of the server, whichever listener they came in by, and the Twisted factory that makes them.

    `clock` is the reactor; `session_factory` makes the conversation of each new connection.
    """

    log = Logger()

    def __init__(self, session_factory: SessionFactory, limits: Limits, clock: Clock) -> None:
        self.session_factory = session_factory
        self.limits = limits
        self.reader_limits = ReaderLimits(frame=limits.frame_bytes)
        self.seconds = clock.seconds
        self.deadlines = Deadlines(clock, min(1.0, limits.farewell_seconds))
        self.admission = Admission(limits)
        self.connections: set[Connection] = set()
        self.turned_away: set[Connection] = set()
        self._clock = clock
        self._closed: Deferred[None] | None = None
        self._patience: DelayedCall | None = None

    @property
    def is_closed(self) -> bool:
        """Whether the server stops."""
        return self._closed is not None

    def __len__(self) -> int:
        """How many connections there are."""
        return len(self.connections)

    def buildProtocol(self, address: IAddress | None) -> Connection | None:
        return None if self._closed is not None else Connection(self)

    def doStart(self) -> None:
        """A listener has begun to use this factory."""

    def doStop(self) -> None:
        """A listener has stopped using this factory."""

    def logPrefix(self) -> str:
        return "tp"

    def close(self) -> Deferred[None]:
        """Close all connections, each after the answers that it awaits; fires when they have gone.

        What is not over after `Limits.farewell_seconds` is cut off.
        """
        if self._closed is None:
            self._closed = Deferred()
            for connection in tuple(self.connections):
                connection.finish()
            if self.connections:
                self._patience = self._clock.callLater(self.limits.farewell_seconds, self._abort)
            else:
                self._finish()
        following: Deferred[None] = Deferred()
        self._closed.chainDeferred(following)
        return following

    def forget(self, connection: Connection) -> None:
        """A connection has gone."""
        self.connections.discard(connection)
        if self._closed is not None and not self.connections:
            self._finish()

    def _abort(self) -> None:
        self._patience = None
        for connection in tuple(self.connections):
            connection.abort()

    def _finish(self) -> None:
        for connection in tuple(self.turned_away):
            connection.abort()
        self.deadlines.stop()
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if self._closed is not None and not self._closed.called:
            self._closed.callback(None)
