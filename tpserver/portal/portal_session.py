"""Portal's end of the link: sessions whose requests the engine answers.

A `RelayedSession` is the session of a `Connection`. It sends requests over the link, and keeps those without a
response. If the engine is replaced, the next engine gets the last state of the session and these requests again.
Without an engine requests wait. Their number and size have the usual limits of requests in progress.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from google.protobuf.message import DecodeError
from twisted.internet.defer import Deferred, fail
from twisted.logger import Logger

from tpproto.dialects import JSON_STREAM, PB, TP03, TP04, Dialect
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tpserver.concurrency import Clock, Timer
from tpserver.fault_points import reached
from tpserver.portal import link_pb2 as link
from tpserver.portal.framing import LinkEnd, LinkError
from tpserver.requests.session.refusals import RequestError
from tpserver.requests.session.responses import failed
from tpserver.wire.net.errors import HolderAway

DIALECTS = {dialect.name: dialect for dialect in (TP03, TP04, TP04.padded, PB, JSON_STREAM)}
"""The dialects of clients by their names on the link."""

SET_FILTERS = BY_NAME["set_filters"].number

KEPT_BYTES = 64 * 1024
"""Bytes of unanswered requests of a connection from which no more are taken."""

PIPELINE = 1024
"""Maximum unanswered requests of a connection, whatever `limits.pipeline` says: the engine takes no more."""

PATIENCE = 60.0
"""Seconds without an engine after which clients get a refusal."""

TAKEN_BYTES = 32 * 1024
"""Bytes read by a client after which the engine gets their number, if no request carries it."""

MOST_CALLS = 256
"""Maximum requests over HTTP that wait for the engine at once."""

NOT_THERE = "the server is restarting; your request may have been done or not, so look before you ask again"

log = Logger()


@dataclass(slots=True, eq=False)
class Unanswered:
    """A request without a complete response.

    `left` is the number of frames still missing from a long response. It is None before the first piece was relayed.
    """

    number: int
    frame: RawFrame
    answer: Deferred[bytes]
    was_sent: bool = False
    left: int | None = None
    turn: int | None = None
    """The last turn that the client knew; None outside of games, or if unknown."""


class EngineLink(Protocol):
    """Where a session is relayed to, as the session uses it."""

    has_given_up: bool

    @property
    def holder(self) -> HolderEnd | None: ...

    def forget(self, session: RelayedSession) -> None: ...


class NoEngineLink:
    """Stand-in for the link while the target of a session is unknown: its requests wait."""

    has_given_up = False
    holder = None

    def forget(self, session: RelayedSession) -> None: ...


@dataclass(slots=True, eq=False)
class RelayedSession:
    """The session of a connection, which another process has; see `tpserver.wire.net.connection.Session`."""

    edge: EngineLink
    number: int
    address: str
    secure: bool
    send: Callable[[bytes], None]
    token: str = ""
    over_http: bool = False
    closing: bool = False
    logged_in: bool = False
    account_id: int | None = None
    use: Dialect | None = None
    state: bytes = b""
    turn_told: int | None = None
    """The last turn of the game that the client knows, as the state has it."""
    unanswered: deque[Unanswered] = field(default_factory=deque)
    kept_bytes: int = 0
    """The bytes of unanswered requests."""
    is_opened: bool = False
    """True if the current engine knows the connection."""
    was_served: bool = False
    """True if an engine has sent something to the client."""
    _asked: int = 0
    _taken: int = 0
    """Bytes of responses and pushes that the client has taken since the engine knows the connection."""
    _told: int = 0
    """The part of them that the engine knows of."""
    _untaken: int = 0
    """Bytes that were relayed while the client did not read, and are not counted in `_taken`."""
    _is_behind: bool = False
    _is_gone: bool = False

    # --- Session: called by the connection

    @property
    def occupied(self) -> bool:
        """True while no further request may be sent.

        Before login, and after SetFilters, each request waits for the previous response. The number and bytes of
        unanswered requests are limited, too.
        """
        waiting = self.unanswered
        if not waiting:
            return False
        return (
            not self.logged_in
            or self.kept_bytes > KEPT_BYTES
            or len(waiting) >= PIPELINE
            or waiting[-1].frame.kind == SET_FILTERS
        )

    def answer(self, frame: RawFrame) -> bytes | Deferred[bytes]:
        """Send a request to the current or next engine.

        The Deferred fires with the whole response, or its last piece.
        """
        edge = self.edge
        if edge.has_given_up:
            return self._not_there(frame)
        self._asked += 1
        request = Unanswered(self._asked, frame, Deferred(), turn=self.turn_told)
        self.unanswered.append(request)
        self.kept_bytes += len(frame.body)
        holder = edge.holder
        if holder is not None:
            self._ask(holder, request)
            holder.flush()
        return request.answer

    def refuse(self, code: int, text: str, sequence: int, dialect: Dialect) -> bytes:
        return dialect.join_payloads(sequence, [failed(dialect, RequestError(FailCode(code), text))])

    def connection_lost(self) -> None:
        self._is_gone = True
        self.unanswered.clear()
        self.edge.forget(self)

    def note_reading(self, is_behind: bool) -> None:
        """Record that the client stops reading, or that it has read everything and the engine may send more."""
        self._is_behind = is_behind
        if not is_behind and self._untaken:
            self._taken += self._untaken
            self._untaken = 0
            self._tell()

    # --- called by the link

    def resume(self, holder: HolderEnd) -> None:
        """Open the connection at a new engine, and repeat unanswered requests.

        It gets all of them marked as repeated, even those that were never sent: their turn may have ended without an
        engine.
        """
        self.is_opened = False
        if not self.state and not self.unanswered:
            return  # told at the first request
        self._open(holder)
        waiting = list(self.unanswered)
        for following, request in zip(range(len(waiting) - 1, -1, -1), waiting, strict=True):
            request.was_sent = True
            self._ask(holder, request, following)

    def holder_lost(self) -> None:
        """Complete a partly sent long response with refusals, as another engine may have another one."""
        self.is_opened = False
        if self.unanswered and (left := self.unanswered[0].left) is not None:
            frame = self.unanswered[0].frame
            said = "the server was replaced in the middle of this answer; ask for the rest again"
            self.end_request(self.refuse(FailCode.UNAVAILABLE_TEMPORARILY, said, frame.sequence, frame.dialect) * left)

    def give_up(self) -> None:
        """Tell the client that no engine returns; its pending requests are not sent again."""
        while self.unanswered:
            self.end_request(self._not_there(self.unanswered[0].frame))

    def respond(self, response: link.Response) -> None:
        """Relay a response, or a piece of it. Raises LinkError."""
        if self._is_gone:
            return
        self.was_served = True
        request = self.unanswered[0] if self.unanswered else None
        if request is None or request.number != response.number or not request.was_sent:
            raise LinkError(f"Request {response.number} of connection {self.number} was answered, which nobody asks.")
        if response.more:
            request.left = response.left
            self._pass_on(response.data)
            return
        facts = response.facts
        self.logged_in = facts.logged_in
        self.account_id = facts.account if facts.logged_in else None
        self.closing = facts.closing
        self.use = TP04.padded if facts.padded else None
        if response.state:
            self.take_state(response.state)
        self._count(len(response.data))
        self.end_request(response.data)

    def fail(self) -> None:
        """Drop the connection if it waits for a response, as the session has failed elsewhere."""
        self.is_opened = False
        self.kept_bytes = 0
        waiting, self.unanswered = self.unanswered, deque()
        for request in waiting:
            request.answer.errback(ConnectionError("the session has failed"))

    def push(self, push: link.Push) -> None:
        """Relay frames that were not requested. Raises LinkError."""
        if self._is_gone:
            return
        if push.state:
            self.take_state(push.state)
        if push.data:
            self._pass_on(push.data)

    def take_state(self, state: bytes) -> None:
        """Keep the last state of the session from an engine. Raises LinkError."""
        try:
            told = link.State.FromString(state)
        except DecodeError:
            raise LinkError(f"What was said of connection {self.number} is no state of a session.") from None
        self.state = state
        self.turn_told = told.turn if told.game else None

    # --- inside

    def _open(self, holder: HolderEnd) -> None:
        self.is_opened = True
        self._taken = self._told = self._untaken = 0
        holder.put(
            open=link.Open(
                connection=self.number,
                address=self.address,
                secure=self.secure,
                over_http=self.over_http,
                token=self.token,
                state=self.state,
            )
        )

    def _ask(self, holder: HolderEnd, request: Unanswered, following: int = 0) -> None:
        if not self.is_opened:
            self._open(holder)
        frame = request.frame
        self._told = self._taken
        holder.put(
            request=link.Request(
                connection=self.number,
                number=request.number,
                dialect=frame.dialect.name,
                sequence=frame.sequence,
                kind=frame.kind,
                body=frame.body,
                again=request.was_sent,
                taken=self._taken,
                turn=request.turn,
                following=following,
            )
        )
        request.was_sent = True
        reached("relay: passed on")

    def end_request(self, data: bytes) -> None:
        """Relay the whole response to the oldest pending request, or its last piece."""
        request = self.unanswered.popleft()
        self.kept_bytes -= len(request.frame.body)
        request.answer.callback(data)

    def _not_there(self, frame: RawFrame) -> bytes:
        return self.refuse(FailCode.UNAVAILABLE_TEMPORARILY, NOT_THERE, frame.sequence, frame.dialect)

    def _pass_on(self, data: bytes) -> None:
        self.send(data)
        self._count(len(data))

    def _count(self, size: int) -> None:
        """Count bytes as taken, unless the client does not read."""
        if self._is_behind:
            self._untaken += size
        else:
            self._taken += size
            if self._taken - self._told >= TAKEN_BYTES:
                self._tell()

    def _tell(self) -> None:
        holder = self.edge.holder
        if holder is not None and self.is_opened:
            self._told = self._taken
            holder.say(taken=link.Taken(connection=self.number, bytes=self._taken))


class Edge:
    """The sessions of all connections, and the link to the engine.

    `listening` returns the portal's listeners, for the engine. `reload` makes the portal read its configuration again.
    `patience` is in seconds; None: clients get no refusal while there is no engine. `cluster` is that of the link.
    """

    def __init__(
        self,
        clock: Clock,
        listening: Callable[[], Iterable[link.Place]] = tuple,
        reload: Callable[[], object] = lambda: None,
        patience: float | None = PATIENCE,
        cluster: str = "",
    ) -> None:
        self.id = secrets.token_hex(8)
        """Part of the id of each request, see `tpserver.store.idempotency`."""
        self.holder: HolderEnd | None = None
        """The link to the current engine, which takes requests; None while there is none."""
        self.has_given_up = False
        """True if the engine has been away for so long that requests are refused."""
        self.answering: HolderEnd | None = None
        """The link whose responses are taken: to the current engine, or to one that leaves and still responds."""
        self.status = link.Status()
        self.sessions: dict[int, RelayedSession] = {}
        self.listening = listening
        self.reload = reload
        self.clock = clock
        self._patience = patience
        self._calls: dict[int, Deferred[link.Result]] = {}
        self._last_connection = self._last_call = 0
        self.cluster = cluster
        self.heard = clock.seconds()
        """Time of the last message from the engine, by the clock."""
        self._timer: Timer | None = None
        self._wait()

    def session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> RelayedSession:
        """Create the session of a new connection: a `tpserver.wire.net.connection.SessionFactory`."""
        self._last_connection += 1
        session = RelayedSession(self, self._last_connection, address, secure, send, token)
        self.sessions[session.number] = session
        return session

    def forget(self, session: RelayedSession) -> None:
        """Called when a connection is gone."""
        self.sessions.pop(session.number, None)
        if self.holder is not None and session.is_opened:
            self.holder.say(closed=link.Closed(connection=session.number))

    def call(self, name: str, argument: str) -> Deferred[link.Result]:
        """Relay a call over HTTP to the engine; fails with HolderAway if that is not possible."""
        if self.holder is None or len(self._calls) >= MOST_CALLS:
            return fail(HolderAway())
        self._last_call += 1
        waiting = self._calls[self._last_call] = Deferred()
        self.holder.say(call=link.Call(number=self._last_call, name=name, argument=argument))
        return waiting

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- called by the ends of the link

    def use(self, holder: HolderEnd) -> None:
        """Send requests to this engine from now on."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        before = self.answering
        if before is not None:  # it leaves, and has answered what it could
            self.lost(before)
            before.close()
        self.holder, self.answering, self.has_given_up = holder, holder, False
        for session in list(self.sessions.values()):
            session.resume(holder)
        holder.flush_soon()

    def leave(self, holder: HolderEnd) -> None:
        """Send no more requests to this engine; it may still respond to earlier ones."""
        if self.holder is holder:
            self.holder = None
            self.status = link.Status()
            self._wait()

    def lost(self, holder: HolderEnd) -> None:
        """End the relaying of responses from this engine."""
        if self.answering is not holder:
            return
        self.leave(holder)
        self.answering = None
        for session in list(self.sessions.values()):
            session.holder_lost()
        calls, self._calls = self._calls, {}
        for waiting in calls.values():
            waiting.errback(HolderAway())

    def answered(self, result: link.Result) -> None:
        waiting = self._calls.pop(result.number, None)
        if waiting is None:
            raise LinkError(f"Call {result.number} was answered, which nobody makes.")
        waiting.callback(result)

    def give_back(self, session: RelayedSession) -> None:
        """Take back a session that continues elsewhere. Raises LinkError where there is no other node."""
        raise LinkError("Only a node of a cluster gives sessions back.")

    def _wait(self) -> None:
        if self._patience is not None:
            self._timer = self.clock.callLater(self._patience, self._give_up)

    def _give_up(self) -> None:
        self._timer = None
        self.has_given_up = True
        log.error("no process has taken the games for {seconds:g} s; clients get an error", seconds=self._patience)
        for session in list(self.sessions.values()):
            session.give_up()


class HolderEnd(LinkEnd):
    """The portal's end of the link to one engine."""

    who = "the process that holds the games"

    def __init__(self, edge: Edge) -> None:
        super().__init__(edge.clock)
        self.cluster = edge.cluster
        self._edge = edge

    def dataReceived(self, data: bytes) -> None:
        self._edge.heard = self._edge.clock.seconds()
        super().dataReceived(data)

    def hello(self) -> link.Hello:
        hello = super().hello()
        hello.edge = self._edge.id
        hello.places.extend(self._edge.listening())
        return hello

    def on_ready(self, ready: link.Ready) -> None:
        if self._edge.holder is not None:
            raise LinkError("Another process holds the games already.")
        self._edge.use(self)

    def on_response(self, response: link.Response) -> None:
        session = self._edge.sessions.get(response.connection)
        if session is not None and self._edge.answering is self:
            session.respond(response)

    def on_push(self, push: link.Push) -> None:
        session = self._edge.sessions.get(push.connection)
        if session is not None and self._edge.answering is self:
            session.push(push)

    def on_closed(self, closed: link.Closed) -> None:
        session = self._edge.sessions.get(closed.connection)
        if session is not None and self._edge.answering is self:
            session.fail()

    def on_moved(self, moved: link.Moved) -> None:
        session = self._edge.sessions.get(moved.connection)
        if session is not None and self._edge.answering is self:
            self._edge.give_back(session)

    def on_pong(self, pong: link.Pong) -> None:
        """The other end is alive, as `dataReceived` has recorded."""

    def on_leaving(self, leaving: link.Leaving) -> None:
        self._edge.leave(self)

    def on_reload(self, reload: link.Reload) -> None:
        self._edge.reload()

    def on_status(self, status: link.Status) -> None:
        if self._edge.holder is self:
            self._edge.status = status

    def on_result(self, result: link.Result) -> None:
        if self._edge.answering is self:
            self._edge.answered(result)

    def lost(self) -> None:
        self._edge.lost(self)


class HolderEndFactory:
    """Creates the portal's ends: the Twisted factory of the socket for engines."""

    noisy = False

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    def buildProtocol(self, address: Any) -> HolderEnd:
        return HolderEnd(self._edge)

    def doStart(self) -> None: ...

    def doStop(self) -> None: ...
