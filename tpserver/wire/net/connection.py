"""Connection of a client: bytes in, frames to its session, responses out.

The connection handles bytes and limits. The session interprets the frames.

*   Received bytes are stored. The scheduler decides when the connection may process them, and for how long. The
    connection stops reading while it has input to process, or more to send than its client reads.
*   Responses are sent in the order of their requests. A response that is not ready yet (a Deferred) delays the later
    ones.
*   All responses that are ready in one scheduler turn are sent in one write.
*   If a client does not read its responses, the connection stops reading from it, and drops it if that does not help.
*   After a refusal that closes the connection nothing more is parsed. The refusal is delivered: see
    `Connection._close`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IAddress,
    IHalfCloseableProtocol,
    ILoggingContext,
    INegotiated,
    IProtocol,
    IPushProducer,
    ISSLTransport,
    ITCPTransport,
    IWriteDescriptor,
)
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tpproto.dialects import TP03, Dialect
from tpproto.errors import FailCode
from tpproto.stream import BadFrame, Event, FrameReader, NotTP, RawFrame, UnknownVersion
from tpproto.stream import Limits as ReaderLimits
from tpserver.addresses import network_of
from tpserver.concurrency import Clock
from tpserver.events import EVENTS
from tpserver.wire.net.limits import (
    EARLY_FRAME_BYTES,
    MESSAGE_BYTES,
    MESSAGE_VALUES,
    TRANSPORT_BYTES,
    ConnectionLimiter,
    Limits,
)
from tpserver.wire.net.memory import Memory
from tpserver.wire.net.queues import PendingResponse, ResponseQueue, SendBuffer
from tpserver.wire.net.scheduling import Scheduler, Task
from tpserver.wire.net.timeouts import Timeouts


class Session(Protocol):
    """The session of one connection, as the connection uses it."""

    @property
    def closing(self) -> bool:
        """Set by `answer` or `refuse`, or before a response's Deferred fires: close after sending that response."""
        ...

    @property
    def logged_in(self) -> bool:
        """True if the client has logged in and so may be silent for longer."""
        ...

    over_http: bool
    """Set after the session is created: whether the connection has come through a listener for browsers."""

    @property
    def occupied(self) -> bool:
        """True while a login or a read of the store is in progress.

        A login decides which requests are allowed. Until the work ends `answer` must not be called.
        """
        ...

    @property
    def account_id(self) -> int | None:
        """The id of the account that has logged in, if any: its connections share one share of the server's time."""
        ...

    @property
    def use(self) -> Dialect | None:
        """The variant of its dialect that the client uses from the next input on, such as TP04 with padded strings."""
        ...

    def answer(self, frame: RawFrame) -> bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]:
        """Return the encoded response to a request, whole or in pieces, which are taken as limits and time permit.

        Never raises; a Deferred never fails. The next request is not answered before all pieces are taken.
        """
        ...

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        """Return an encoded Fail frame for an error that the connection found."""
        ...

    def note_reading(self, is_behind: bool) -> None:
        """Called when the client stops reading, and when it has read everything."""
        ...

    @property
    def kept_bytes(self) -> int:
        """The bytes that the session keeps of requests whose response is pending."""
        ...

    def connection_lost(self) -> None:
        """Called when the connection is gone."""
        ...


SessionFactory = Callable[[str, bool, Callable[[bytes], None], str], Session]
"""Creates the session of a new connection.

The first argument is the client's IP address, empty on a Unix socket. The second one says whether the connection is
encrypted. The third is a function that sends encoded frames which were not requested. The last is the token of the kept
login with which the connection began, or empty. The function may be called in the reactor's thread at any time and does
nothing once the connection is gone.
"""


class Transport(Protocol):
    """The part of a Twisted transport that is used: ITransport, IConsumer and IPushProducer."""

    def write(self, data: bytes) -> None: ...
    def loseConnection(self) -> None: ...
    def loseWriteConnection(self) -> None: ...
    def abortConnection(self) -> None: ...
    def getPeer(self) -> IAddress: ...
    def registerProducer(self, producer: object, streaming: bool) -> None: ...
    def unregisterProducer(self) -> None: ...
    def pauseProducing(self) -> None: ...
    def resumeProducing(self) -> None: ...


def is_secure(transport: object) -> bool:
    """Return whether a transport is encrypted; one that wraps another says so in its attribute `secure`."""
    said = getattr(transport, "secure", None)
    return INegotiated.providedBy(transport) or ISSLTransport.providedBy(transport) if said is None else bool(said)


# States of a connection.  OPEN is the only one that processes input.  ENDING sends the responses it has, then closes;
# CLOSING has sent everything and waits for the client to close; GONE does nothing.
OPEN, ENDING, CLOSING, GONE = range(4)

PIECE = 4096
"""Maximum bytes that are parsed into frames at once; frames not answered in the same scheduler turn stay in memory."""

READ_AT_ONCE = 16 * 1024
"""Maximum bytes per read from a socket; they may all wait to be parsed. Twisted's default of 64 KiB is too much for a
thousand connections."""

WRITTEN_AT_ONCE = TRANSPORT_BYTES + 1
"""Maximum bytes per write to the transport: just enough for it to pause its producer. Time spent on sending is not
measured by the scheduler."""

TOO_MUCH = "more waits in the memory of this server than it has room for, and most of it is yours"

TURNED_AWAY = 64
"""Maximum connections over the limit that still get a line with the reason before they are closed; more are aborted."""


class ConnectionContext:
    """Common data of all connections of a server.

    `clock` is the reactor; `session_factory` creates the session of each new connection. `seconds` is the clock by
    which the scheduler measures work (default: that of `clock`). `limiter` counts the connections (default: a new one).
    """

    log = Logger()

    def __init__(
        self,
        session_factory: SessionFactory,
        limits: Limits,
        clock: Clock,
        seconds: Callable[[], float] | None,
        limiter: ConnectionLimiter | None,
    ) -> None:
        self.session_factory = session_factory
        self._set_limits(limits)
        self.seconds = clock.seconds
        self.timeouts = Timeouts(clock, min(1.0, limits.farewell_seconds))
        self.scheduler = Scheduler(clock, seconds or clock.seconds)
        self.limiter = limiter or ConnectionLimiter(limits)
        self.memory: Memory[Connection] = Memory(limits.waiting_bytes)
        self.connections: set[Connection] = set()
        self.turned_away: set[Connection] = set()

    def _set_limits(self, limits: Limits) -> None:
        self.limits = limits
        self.reader_limits = ReaderLimits(frame=limits.frame_bytes, message=MESSAGE_BYTES, values=MESSAGE_VALUES)
        early = min(limits.frame_bytes, EARLY_FRAME_BYTES)
        self.early_limits = replace(self.reader_limits, frame=early, when=" before login")

    def use(self, limits: Limits) -> None:
        """Apply other limits from now on; connections within the old ones are not dropped."""
        self._set_limits(limits)
        self.limiter.limits = limits
        self.memory.most = limits.waiting_bytes

    def forget(self, connection: Connection) -> None:
        """Called when a connection is gone."""
        self.connections.discard(connection)


@implementer(IProtocol, IHalfCloseableProtocol, IPushProducer, ILoggingContext)
class Connection:
    """The Twisted protocol of one connection.

    There may be thousands of idle connections: hence slots, and queues that are created only when needed.
    """

    __slots__ = (
        "_address",
        "_arrived",
        "_blocked_since",
        "_context",
        "_events",
        "_flush",
        "_given",
        "_heard",
        "_held",
        "_incomplete_since",
        "_long",
        "_over_http",
        "_parsed",
        "_read_lost",
        "_reader",
        "_replies",
        "_secure",
        "_state",
        "_task",
        "_transport",
        "_unasked",
        "_waiting",
        "_weight",
        "is_blocked",
        "is_held_up",
        "is_paused",
        "queued",
        "session",
        "slot",
    )

    def __init__(self, context: ConnectionContext, over_http: bool = False) -> None:
        self._over_http = over_http
        self.slot = 0  # kept by Timeouts
        self.queued = False  # kept by Scheduler
        self._context = context
        self._state = GONE
        self._weight = 0  # bytes waiting in memory for this connection, as last reported to Memory
        self._transport: Transport
        self.session: Session
        self._address = ""
        self._secure = False
        self._reader: FrameReader | None = None
        self._flush: Callable[[], object] | None = None  # makes the transport send at once, if it can
        self._task: Task | None = None  # submitted to the scheduler instead of this connection: its transport
        self._arrived = b""  # received, not yet parsed
        self._events: deque[Event] | None = None  # parsed, not yet answered
        self._parsed = 0  # bytes of the frames in it, counting those answered until it is empty
        self._waiting: ResponseQueue | None = None  # responses that are not ready, or behind one that is not
        self._long: Iterator[bytes | Deferred[bytes]] | None = None  # the rest of a long response
        self._unasked: list[bytes] | None = None  # unrequested frames, kept back while a long response is being sent
        self._replies: list[bytes] | None = None  # responses to the input that is being processed
        self._held: SendBuffer | None = None  # not yet given to the transport
        self.is_blocked = False  # the transport's send buffer is full
        self._given = 0  # bytes of the last write, which filled the transport's buffer
        self._blocked_since = 0.0
        self.is_held_up = False  # too much is unsent or pending: no more requests are answered
        self.is_paused = False  # not reading from the transport
        self._read_lost = False  # the client has closed its direction
        self._heard = 0.0
        self._incomplete_since: float | None = None  # None: not inside a frame

    # --- IProtocol

    def makeConnection(self, transport: Transport) -> None:
        context = self._context
        self._transport = transport
        self._secure = is_secure(transport)
        self._task = getattr(transport, "task", None)
        self._address = str(getattr(transport.getPeer(), "host", "") or "")
        transport.registerProducer(self, True)
        refusal = context.limiter.admit(self._address)
        if refusal is not None:
            self._turn_away(refusal)
            return
        try:
            token = str(getattr(transport, "token", ""))
            self.session = context.session_factory(self._address, self._secure, self.send, token)
        except Exception:
            context.limiter.leave(self._address)
            context.log.failure("The conversation with {address} could not begin", address=self._address)
            transport.abortConnection()
            return
        if self._over_http:
            self.session.over_http = True
        context.connections.add(self)
        self._state = OPEN
        if ITCPTransport.providedBy(transport):
            # Every write holds whole responses, so delaying small segments gains nothing; keep-alive detects dead
            # clients.
            tcp: Any = transport
            tcp.bufferSize = READ_AT_ONCE
            tcp.setTcpNoDelay(True)
            tcp.setTcpKeepAlive(True)
            if IWriteDescriptor.providedBy(transport) and not self._secure:
                self._flush = tcp.doWrite
        self._heard = context.seconds()
        context.timeouts.watch(self, self._heard + context.limits.login_seconds)

    def dataReceived(self, data: bytes) -> None:
        if self._state != OPEN:
            return  # discarded
        self._arrived = self._arrived + data if self._arrived else data
        self._submit()
        self.weigh()

    def receive(self, events: Sequence[Event], incomplete: bool) -> None:
        """Queue parsed events to be answered by `work`; `incomplete`: the start of another frame has arrived."""
        if self._state >= CLOSING or (self._state == ENDING and not self._read_lost):
            return
        context = self._context
        if events:
            self._heard = context.seconds()
            if not self._events:
                self._events, self._parsed = deque(), 0
            self._events.extend(events)
            self._parsed += sum(len(event.body) for event in events if isinstance(event, RawFrame))
        if incomplete:
            if events or self._incomplete_since is None:
                self._incomplete_since = context.seconds()
                context.timeouts.watch(self, self._incomplete_since + context.limits.frame_seconds)
        else:
            self._incomplete_since = None

    def connectionLost(self, reason: Failure) -> None:
        context = self._context
        self._state = GONE
        context.timeouts.forget(self)
        self._forget()
        self._task = self._flush = None
        del self._transport  # breaks a reference cycle
        self._leave()
        context.turned_away.discard(self)

    def _leave(self) -> None:
        """Free the place of the connection, if it has one."""
        context = self._context
        if self in context.connections:
            context.limiter.leave(self._address)
            if self.session.logged_in:
                context.limiter.note_login(self._address)
            self.session.connection_lost()
            del self.session
            context.forget(self)

    @property
    def network(self) -> str:
        """The network from which the client has come, as connections are counted."""
        return network_of(self._address)

    @property
    def is_silent(self) -> bool:
        """True if it is open, and its client has not logged in."""
        return self in self._context.connections and not self.session.logged_in

    def give_way(self) -> None:
        """Close at once, discarding unsent bytes, and free the place for another connection now."""
        self.abort()
        self._leave()

    def logPrefix(self) -> str:
        return "tp"

    # --- IHalfCloseableProtocol

    def readConnectionLost(self) -> None:
        """The client has closed its direction but may still read: send the responses to its requests, then close."""
        self._read_lost = True
        if self._state == CLOSING:
            self._transport.loseConnection()
        elif self._state == OPEN:
            self._state = ENDING
            self._close_when_done()

    def writeConnectionLost(self) -> None:
        """Our direction is closed; nothing to do."""

    # --- IPushProducer: called by the transport about its send buffer

    def pauseProducing(self) -> None:
        if not self.is_blocked:
            self.is_blocked = True
            self._blocked_since = self._context.seconds()
            self._context.timeouts.watch(self, self._blocked_since + self._context.limits.unread_seconds)
            if self in self._context.connections:
                self.session.note_reading(True)

    def resumeProducing(self) -> None:
        self.is_blocked = False
        self._given = 0
        if self._state == OPEN or self._state == ENDING:
            if self._held:
                self._submit()  # sending takes time, too, and is scheduled: a thousand clients may read at once
            elif self in self._context.connections:
                self.session.note_reading(False)
            self._go_on()
            self.weigh()

    def stopProducing(self) -> None:
        """The transport accepts no more bytes; `connectionLost` follows."""

    @property
    def logged_in(self) -> bool:
        """True if the client has logged in."""
        return self._state < CLOSING and self.session.logged_in

    @property
    def reader_limits(self) -> ReaderLimits:
        """The limits for frames in the present state: stricter before login."""
        return self._context.reader_limits if self.logged_in else self._context.early_limits

    # --- Task: called by the scheduler

    @property
    def payer(self) -> Hashable:
        """The account whose time and bytes are used, or the address before login."""
        account = self.session.account_id if self._state < CLOSING else None
        return self._address if account is None else account

    def work(self, until: float) -> bool:
        """Process input until the time `until`; return whether there is more that can be processed now."""
        if self._state >= CLOSING:
            return False
        session, context = self.session, self._context
        if self._held:
            self._pump()
            if not self._held and not self.is_blocked:
                session.note_reading(False)
        if self.is_held_up and self._has_room():
            self.is_held_up = False
        limits, seconds, answer = context.limits, context.scheduler.seconds, session.answer
        replies = self._replies = []
        size = self._unsent() + (self._waiting.size if self._waiting else 0)
        more = False
        try:
            while not self.is_held_up:
                reply: bytes | Deferred[bytes] | Iterator[bytes | Deferred[bytes]]
                event: Event
                if self._long is not None:
                    piece = next(self._long, None)
                    if piece is None:
                        self._long = None
                        replies += self._unasked or ()
                        self._unasked = None
                        continue
                    reply, last = piece, False
                elif not self._events:
                    if not self._arrived:
                        self._events = None
                        break
                    self._parse()
                    continue
                elif (event := self._events.popleft()).__class__ is RawFrame:  # faster than isinstance
                    reply = answer(event)
                    last = session.closing
                else:
                    reply, last = self._refusal(event)
                if isinstance(reply, Deferred):
                    reply = _result_of(reply)
                if isinstance(reply, bytes) and not self._waiting:
                    replies.append(reply)
                    size += len(reply)
                elif not isinstance(reply, (bytes, Deferred)):
                    self._long = reply
                else:
                    size += self._line_up(reply)
                if last:
                    self._throw_input_away()
                    self._state = max(self._state, ENDING)
                elif (
                    size > limits.pause_bytes
                    or (self._waiting and len(self._waiting) >= limits.pipeline)
                    or session.occupied
                ):
                    self.is_held_up = True
                elif seconds() >= until:
                    more = self.has_input
                    break
        except Exception:
            context.log.failure("The conversation with {address} failed", address=self._address)
            self._drop("the conversation failed")
            return False
        finally:
            self._replies = None
        if replies:
            self._write(b"".join(replies))
            self._send_now()
        if self._state == ENDING:
            self._close_when_done()
        self._update_reading()
        self.weigh()
        return more or (self.is_held_up and self._has_room())

    @property
    def has_input(self) -> bool:
        """True if there is input to process, ignoring limits on unsent and pending responses."""
        return bool(self._arrived or self._events or self._long is not None)

    def weigh(self) -> None:
        """Report the bytes in memory for this connection.

        If that exceeds the server's limit, connections are closed.
        """
        if self._state == GONE:
            return
        size = len(self._arrived) + self._unsent()
        if self._waiting:
            size += self._waiting.size
        if self._reader is not None:
            size += self._reader.incomplete()
        if self._events:
            size += self._parsed
        if self._task is not None:
            size += getattr(self._task, "unread_bytes", 0)
        if self._state == OPEN:
            size += self.session.kept_bytes
        if size != self._weight:
            memory = self._context.memory
            self._weight = size
            memory.weigh(self, size)
            for connection in memory.who_must_go():
                connection.make_room()

    def make_room(self) -> None:
        """Close this connection, because the server's limit of waiting bytes is exceeded."""
        if self._state >= CLOSING or self._replies is not None or self.is_blocked or self._waiting or self._long:
            self._drop(TOO_MUCH)
        else:
            dialect = TP03 if self._reader is None or self._reader.dialect is None else self._reader.dialect
            code = int(FailCode.UNAVAILABLE_TEMPORARILY)
            self._transport.write(self.session.refuse(code, TOO_MUCH, 0, dialect))
            self._log(TOO_MUCH)
            self._close()
        self._forget()

    def _forget(self) -> None:
        """Discard everything that waits in memory."""
        self._reader = self._events = self._waiting = self._held = self._long = self._unasked = None
        self._arrived = b""
        self._context.memory.weigh(self, 0)
        self._weight = 0

    def _parse(self) -> None:
        """Parse the next `PIECE` bytes of input into events."""
        piece, self._arrived = self._arrived[:PIECE], self._arrived[PIECE:]
        reader = self._reader
        if reader is None:
            reader = self._reader = FrameReader()
        reader.limits = self.reader_limits
        use = self.session.use
        if use is not None and use is not reader.dialect:
            reader.use(use)
        events = reader.feed(piece)
        self.receive(events, reader.incomplete() > 0)

    def _throw_input_away(self) -> None:
        """Discard unanswered input; a long response that has begun is still completed."""
        self._arrived = b""
        self._events = None

    def _submit(self) -> None:
        """Ask the scheduler for time to work."""
        self._context.scheduler.submit(self._task or self)
        self._update_reading()

    def _update_reading(self) -> None:
        """Pause or resume reading: read only while all input is answered and the responses are read."""
        if self._state >= CLOSING:
            return
        wanted = not (self.is_held_up or self.has_input)
        if wanted is not self.is_paused:
            return
        self.is_paused = not wanted
        if self._read_lost:
            return
        if self.is_paused:
            self._transport.pauseProducing()
            return
        if self._incomplete_since is not None:
            # While reading was paused the rest of the frame could not arrive: its timeout starts again.
            context = self._context
            self._incomplete_since = context.seconds()
            context.timeouts.watch(self, self._incomplete_since + context.limits.frame_seconds)
        self._transport.resumeProducing()

    # --- responses

    def _refusal(self, event: Event) -> tuple[bytes, bool]:
        """Return the response to an event that is not a frame, and whether the connection closes after it."""
        if isinstance(event, NotTP):
            self._log(f"{event.error.text[:-1]}, but with {event.start!r}")
            return f"{event.error.text}\r\n".encode(), True
        assert isinstance(event, (BadFrame, UnknownVersion))
        error = event.error
        reply = self.session.refuse(error.code, error.text, event.sequence, event.dialect)
        last = error.closes or self.session.closing
        if last:
            self._log(error.text)
        return reply, last

    def _line_up(self, reply: bytes | Deferred[bytes]) -> int:
        """Append a response to the queue of pending ones; return the number of its bytes that are ready."""
        waiting = self._waiting
        if waiting is None:
            waiting = self._waiting = ResponseQueue()
        if isinstance(reply, bytes):
            waiting.put(reply)
            return len(reply)
        pending = waiting.put(None)
        reply.addCallbacks(self._ready, self._failed, callbackArgs=(pending,))
        return 0

    def _ready(self, data: bytes, pending: PendingResponse) -> None:
        """Store a response that has become ready, and send the responses that waited behind it."""
        waiting = self._waiting
        if self._state >= CLOSING or waiting is None:
            return
        waiting.fill(pending, data)
        if self.session.closing:
            self._throw_input_away()
            if self._state == OPEN:
                # This is the last response; those to later requests are dropped.
                self._state = ENDING
                waiting.end_at(pending)
        ready = waiting.take_ready()
        if self._replies is not None:
            self._replies += ready
        else:
            if ready:
                self._write(b"".join(ready))
                if not waiting:
                    self._send_now()  # else others are ready soon, mostly those of the same commit
                self._go_on()
            if not ready or self._held or not waiting:
                self.weigh()  # else nothing more waits than before, and others follow

    def _failed(self, failure: Failure) -> None:
        if self._state < CLOSING:
            self._context.log.failure("The conversation with {address} failed", failure, address=self._address)
            self._drop("the conversation failed")

    def _go_on(self) -> None:
        """After responses were sent or became ready: process more input, or close if nothing is left in ENDING."""
        if self.is_held_up and self._has_room():
            self._submit()
        if self._state == ENDING:
            self._close_when_done()

    def _has_room(self) -> bool:
        """True if few enough bytes and responses wait to answer more requests.

        The bound is half of the limits that stop the connection, so as not to stop each time.
        """
        if self._state >= CLOSING or self.is_blocked or self._held or self.session.occupied:
            return False
        waiting, limits = self._waiting, self._context.limits
        return not waiting or (len(waiting) <= limits.pipeline // 2 and waiting.size <= limits.pause_bytes // 2)

    # --- sending

    def send(self, data: bytes) -> None:
        """Send frames that were not requested: between responses, never inside one."""
        EVENTS.notices += 1
        if self._long is not None:
            self._unasked = [*(self._unasked or ()), data]
        elif self._replies is not None:
            self._replies.append(data)
        elif self._state < CLOSING:
            self._write(data)

    def _write(self, data: bytes) -> None:
        limits = self._context.limits
        if not self.is_blocked and not self._held and len(data) <= WRITTEN_AT_ONCE:
            self._given = len(data)
            self._transport.write(data)
            return
        before = self._unsent()
        if before > limits.pause_bytes and before + len(data) > limits.unsent_bytes:
            self._drop(f"it does not read its answers; {before + len(data)} bytes are waiting to be sent")
            return
        if self._held is None:
            self._held = SendBuffer(min(limits.pause_bytes, WRITTEN_AT_ONCE))
        self._held.put(data)
        self._pump()

    def _send_now(self) -> None:
        """Let the transport send at once, without asking the reactor first.

        For one request at a time that saves a third of its cost. The reactor sees an error as well.
        """
        if self._flush is not None and not self.is_blocked:
            self._flush()

    def _pump(self) -> None:
        """Give held bytes to the transport, in pieces small enough that each shows how fast the client reads."""
        while self._held and not self.is_blocked:
            piece = self._held.take()
            self._given = len(piece)
            self._transport.write(piece)

    def _unsent(self) -> int:
        """The bytes not yet sent to the client, except those the transport buffers without pausing its producer."""
        return (self._held.size if self._held else 0) + (self._given if self.is_blocked else 0)

    # --- ending

    def finish(self) -> None:
        """Close after the pending responses are sent and read."""
        self._throw_input_away()
        if self._state == OPEN:
            self._state = ENDING
            self._close_when_done()

    def abort(self) -> None:
        """Close at once, discarding unsent bytes."""
        if self._state != GONE:
            self._state = GONE
            self._transport.abortConnection()

    def check(self, now: float) -> float | None:
        """Drop the connection if one of its deadlines has passed; else return the next one, None if there is none."""
        limits = self._context.limits
        if self._state == GONE:
            return None
        if self._state == CLOSING:
            # `_heard` is when CLOSING began.
            if now < self._heard + limits.farewell_seconds:
                return self._heard + limits.farewell_seconds
            self.abort()
            return None
        due: list[tuple[float, str]] = []
        if self.is_blocked:
            due.append((self._blocked_since + limits.unread_seconds, "it does not read its answers"))
        elif self._state == OPEN:
            ours = self.is_paused or bool(self._waiting)  # the client is waiting for the server
            if self._incomplete_since is not None and not self.is_paused:
                due.append((self._incomplete_since + limits.frame_seconds, "it stopped in the middle of a frame"))
            if not self.session.logged_in:
                silent = limits.login_seconds
            else:
                silent = limits.idle_seconds
                self._context.limiter.note_login(self._address)
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
        if not (self.has_input or self._waiting or self._held or self.is_blocked or self._replies is not None):
            self._close()

    def _close(self) -> None:
        """Close once the transport has sent its output.

        Closing a TCP socket with unread input discards its output, too, so that the client would not see the last
        response. Therefore only the sending direction is closed, and input is discarded until the client closes the
        other one.
        """
        transport = self._transport
        self._state = CLOSING
        self._heard = self._context.seconds()
        self._context.timeouts.watch(self, self._heard + self._context.limits.farewell_seconds)
        transport.unregisterProducer()
        if self.is_paused and not self._read_lost:
            self.is_paused = False
            transport.resumeProducing()
        if not self._read_lost and not self._secure and ITCPTransport.providedBy(transport):
            transport.loseWriteConnection()
        else:
            transport.loseConnection()

    def _turn_away(self, reason: str) -> None:
        """Refuse a connection over the limit: send one line and close. With TLS abort, before the handshake."""
        context = self._context
        if context.limiter.is_news(self._address):
            self._log(reason)
        self._state = ENDING
        if self._secure or len(context.turned_away) >= TURNED_AWAY:
            self.abort()
        else:
            context.turned_away.add(self)
            self._write(f"{reason}\r\n".encode())
            self._close()

    def _drop(self, reason: str) -> None:
        """Close at once and log the reason."""
        if self._state != GONE:
            self._log(reason)
            tell = getattr(self._transport, "cut_off", None)
            if tell is None:
                self.abort()
            else:
                self._state = GONE
                tell(reason)

    def _log(self, reason: str) -> None:
        self._context.log.info("Closed the connection of {address}: {reason}", address=self._address, reason=reason)


def _result_of(answer: Deferred[bytes]) -> bytes | Deferred[bytes]:
    """Return the result of a Deferred that has fired already, else the Deferred."""
    if answer.called and not answer.paused:
        result = answer.result
        if isinstance(result, bytes):
            return result
    return answer
