"""The edge's side: sessions whose requests are answered by the process that holds the games, whichever it is.

A `RelayedSession` is what a `Connection` knows of the session.  It sends requests over the link, and keeps those that
are not answered; if the holder is replaced, the next one gets the last state of the session and these requests again.
While there is no holder, requests wait, as many and as large as a connection may have in progress anyway.
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
from tpserver.edge import link_pb2 as link
from tpserver.edge.framing import LinkEnd, LinkError
from tpserver.fault_points import reached
from tpserver.net.errors import HolderAway
from tpserver.requests.refusals import Refused
from tpserver.requests.responses import failed

DIALECTS = {dialect.name: dialect for dialect in (TP03, TP04, TP04.padded, PB, JSON_STREAM)}
"""The dialects of clients by their names on the link."""

SET_FILTERS = BY_NAME["set_filters"].number

KEPT_BYTES = 64 * 1024
"""Bytes of unanswered requests of a connection from which no more are taken."""

PIPELINE = 1024
"""Maximum unanswered requests of a connection, whatever `limits.pipeline` says: the holder takes no more."""

PATIENCE = 60.0
"""Seconds without a holder after which clients are told that it is not there."""

TAKEN_BYTES = 32 * 1024
"""Bytes that a client has read from which the holder is told, if no request tells it."""

MOST_CALLS = 256
"""Maximum requests over HTTP that wait for the holder at once."""

NOT_THERE = (
    "the server is being replaced and has not come back yet; what was asked may have been done or not, so look before "
    "you ask again"
)

log = Logger()


@dataclass(slots=True, eq=False)
class Unanswered:
    """A request that has no answer yet; `left` is None until a piece of a long answer was passed on, then the number
    of frames that are missing."""

    number: int
    frame: RawFrame
    answer: Deferred[bytes]
    was_sent: bool = False
    left: int | None = None
    turn: int | None = None
    """The turn that the client had been told of last; None outside of games, and if nobody knows."""


class At(Protocol):
    """Where a session is relayed to, as the session uses it."""

    has_given_up: bool

    @property
    def holder(self) -> HolderEnd | None: ...

    def forget(self, session: RelayedSession) -> None: ...


class Nowhere:
    """Where sessions are while nobody knows where they go on: their requests wait."""

    has_given_up = False
    holder = None

    def forget(self, session: RelayedSession) -> None: ...


@dataclass(slots=True, eq=False)
class RelayedSession:
    """The session of a connection, which another process has; see `tpserver.net.connection.Session`."""

    edge: At
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
    """The turn of the game that the client was told of last, as the state has it."""
    unanswered: deque[Unanswered] = field(default_factory=deque)
    kept_bytes: int = 0
    """The bytes of unanswered requests."""
    is_opened: bool = False
    """Whether the present holder has been told of the connection."""
    was_served: bool = False
    """Whether a holder has said something to the client."""
    _asked: int = 0
    _taken: int = 0
    """Bytes of responses and pushes that the client has taken since the holder was told of the connection."""
    _told: int = 0
    """The part of them that the holder knows of."""
    _untaken: int = 0
    """Bytes that were passed on while the client did not read, and are not counted in `_taken`."""
    _is_behind: bool = False
    _is_gone: bool = False

    # --- Session: called by the connection

    @property
    def occupied(self) -> bool:
        """Whether no further request may be asked: before login, and behind what changes how frames are read, each one
        waits for the answer before it."""
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
        """Ask the holder, or the next one; the Deferred fires with the whole answer, or the last piece of it."""
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
        return dialect.join_payloads(sequence, [failed(dialect, Refused(FailCode(code), text))])

    def connection_lost(self) -> None:
        self._is_gone = True
        self.unanswered.clear()
        self.edge.forget(self)

    def note_reading(self, is_behind: bool) -> None:
        """Take that the client does not read what was sent to it, or that it has read all, and the holder may send
        more."""
        self._is_behind = is_behind
        if not is_behind and self._untaken:
            self._taken += self._untaken
            self._untaken = 0
            self._tell()

    # --- called by the link

    def resume(self, holder: HolderEnd) -> None:
        """Tell a new holder of the connection, and ask it what is not answered.

        All of it comes again for that one, also what was not sent before: the turn for which it was meant may have
        ended while there was no holder.
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
        """End a long answer that was passed on in part with refusals: another holder may have another one."""
        self.is_opened = False
        if self.unanswered and (left := self.unanswered[0].left) is not None:
            frame = self.unanswered[0].frame
            said = "the server was replaced in the middle of this answer; ask for the rest again"
            self.end_request(self.refuse(FailCode.UNAVAILABLE_TEMPORARILY, said, frame.sequence, frame.dialect) * left)

    def give_up(self) -> None:
        """Tell the client that the holder does not come back; what it has asked is not asked again."""
        while self.unanswered:
            self.end_request(self._not_there(self.unanswered[0].frame))

    def respond(self, response: link.Response) -> None:
        """Pass an answer on, or a piece of it.  Raises LinkError."""
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
        """The session has failed where it was: the connection is dropped if it waits for an answer."""
        self.is_opened = False
        self.kept_bytes = 0
        waiting, self.unanswered = self.unanswered, deque()
        for request in waiting:
            request.answer.errback(ConnectionError("the session has failed"))

    def push(self, push: link.Push) -> None:
        """Pass frames on that were not requested.  Raises LinkError."""
        if self._is_gone:
            return
        if push.state:
            self.take_state(push.state)
        if push.data:
            self._pass_on(push.data)

    def take_state(self, state: bytes) -> None:
        """Keep what a holder has said last of the session.  Raises LinkError."""
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
        """Pass on the whole response to the oldest request that has none, or the last piece of it."""
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
    """The sessions of all connections, and the link to the process that holds the games.

    `listening` returns where the edge listens, for the holder; `reload` has the edge read its configuration again.
    `patience` is in seconds, None: nobody is told that there is no holder.  `cluster` is that of the link.
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
        """Part of the id of each request, see `tpserver.store.done_requests`."""
        self.holder: HolderEnd | None = None
        """The link to the present holder, which takes requests; None while there is none."""
        self.has_given_up = False
        """Whether there was no holder for so long that requests are refused."""
        self.answering: HolderEnd | None = None
        """The link whose answers are taken: to the present holder, or to one that leaves and has not gone yet."""
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
        """When the holder has said something last, by the clock."""
        self._timer: Timer | None = None
        self._wait()

    def session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> RelayedSession:
        """Create the session of a new connection: a `tpserver.net.connection.SessionFactory`."""
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
        """Have the holder do something that was asked for over HTTP; fails with HolderAway if that is not possible."""
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
        """Ask this holder from now on."""
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
        """Ask this holder nothing more; it may still answer what it has begun."""
        if self.holder is holder:
            self.holder = None
            self.status = link.Status()
            self._wait()

    def lost(self, holder: HolderEnd) -> None:
        """This holder answers nothing more."""
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
        """Take a session that goes on elsewhere.  Raises LinkError where there is no other node."""
        raise LinkError("Only a node of a cluster gives sessions back.")

    def _wait(self) -> None:
        if self._patience is not None:
            self._timer = self.clock.callLater(self._patience, self._give_up)

    def _give_up(self) -> None:
        self._timer = None
        self.has_given_up = True
        log.error("no process has taken the games for {seconds:g} s; clients are told", seconds=self._patience)
        for session in list(self.sessions.values()):
            session.give_up()


class HolderEnd(LinkEnd):
    """The edge's end of the link to one holder."""

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
        """The other end is there, as `dataReceived` has noted."""

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
    """Creates the edge's ends: the Twisted factory of the socket at which holders arrive."""

    noisy = False

    def __init__(self, edge: Edge) -> None:
        self._edge = edge

    def buildProtocol(self, address: Any) -> HolderEnd:
        return HolderEnd(self._edge)

    def doStart(self) -> None: ...

    def doStop(self) -> None: ...
