"""Engine's end of the link: sessions of connections in the portal.

A `Relay` represents such a connection. It responds to requests like `tpserver.wire.net.connection.Connection`: in
slices of time, in order, and no faster than the client reads. But it gets frames instead of bytes, and names the
request of each response.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import ClientFactory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpproto.errors import FailCode
from tpproto.stream import RawFrame
from tpserver.concurrency import Clock, Throttle, Timer
from tpserver.events import EVENTS
from tpserver.games.core.errors import GameElsewhere, NotNow
from tpserver.portal import link_pb2 as link
from tpserver.portal.framing import MOST_MESSAGE_BYTES, LinkEnd, LinkError
from tpserver.portal.idempotency import RelayedRequest
from tpserver.portal.portal_session import DIALECTS, PIPELINE
from tpserver.portal.session_state import Carried, resume
from tpserver.requests.session.responses import FromElsewhere, Reply
from tpserver.requests.session.session import Session
from tpserver.store import StoreError
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.listeners import HTTP, EndpointSpec, Listener
from tpserver.wire.net.scheduling import Scheduler

MOST_ANSWER_BYTES = MOST_MESSAGE_BYTES - (1 << 20)
"""Maximum bytes of a response, so that its message can be sent."""

RETRY_SECONDS = 0.1
"""Seconds between attempts to reach the portal."""

LEAVE_SECONDS = 1.0
"""Maximum seconds in which a stopping engine completes responses. The next one gets the other requests."""

STATUS_SECONDS = 1.0
"""Seconds between checks whether the public status has changed."""

log = Logger()

Answering = Callable[[str, Session, RelayedRequest], Reply]

Calls = Mapping[str, Callable[[str], Awaitable[link.Result]]]
"""Functions for requests of pages over HTTP, by name; each gets one argument."""


@dataclass(slots=True, eq=False)
class Answer:
    """A response, or a piece of one, in order; `data` is None until it is ready."""

    number: int
    frame: RawFrame
    data: bytes | None = None
    more: bool = False
    left: int = 0
    closing: bool = False


class Relay:
    """A connection in the portal: a task of the scheduler with the session of its client."""

    def __init__(self, holder: Holder, opened: link.Open) -> None:
        self.queued = False  # kept by Scheduler
        self.number = opened.connection
        self._holder = holder
        self._address = opened.address
        self._asked: deque[RelayedRequest] = deque()
        self._answers: deque[Answer] = deque()
        self._long: Iterator[bytes | Deferred[bytes]] | None = None
        self._long_of: tuple[int, RawFrame]
        self._inside = False  # a piece of a long response was sent, but not the last one
        self._aside: list[bytes] = []  # unrequested frames, kept back meanwhile
        self._sent = self._taken = 0
        self._resuming = False
        self._over = False  # no more responses are sent
        self._is_ending = False  # the connection is closed after the current response
        self._working = False
        self._carried = Carried()
        self._moved = False  # another node must take the session
        self.session: Session = holder.session_factory(opened.address, opened.secure, self.send, opened.token)
        self.session.over_http = opened.over_http
        if holder.cluster:
            self.session.route = self
        if opened.state:
            self._resuming = True
            Deferred.fromCoroutine(self._resume(opened.state)).addErrback(self._not_resumed).addBoth(self._resumed)

    # --- called by the link

    def ask(self, request: link.Request) -> None:
        """Accept a request. Raises LinkError."""
        dialect = DIALECTS.get(request.dialect)
        if dialect is None:
            raise LinkError(f"There is no dialect {request.dialect[:40]!r}.")
        if len(self._asked) + len(self._answers) >= PIPELINE:
            raise LinkError(f"More than {PIPELINE} requests of one connection wait.")
        frame = RawFrame(dialect, request.sequence, request.kind, request.body)
        if not self._is_ending:
            turn = request.turn if request.HasField("turn") else None
            self._asked.append(RelayedRequest(request.number, frame, request.again, turn, request.following))
        if request.taken:
            self._taken = request.taken
        self._submit()

    def take(self, taken: int) -> None:
        """Record the number of bytes that the client has read."""
        self._taken = taken
        self._submit()

    def lose(self) -> None:
        """End the session, as the client is gone, or another process has its session."""
        self._over = True
        self._asked.clear()
        self._answers.clear()
        self._long = None
        self.session.connection_lost()

    @property
    def is_busy(self) -> bool:
        """True if a request has begun without a complete response so far."""
        return bool(self._answers or self._long is not None)

    # --- Task

    @property
    def payer(self) -> Hashable:
        account = self.session.account_id
        return self._address if account is None else account

    def work(self, until: float) -> bool:
        seconds = self._holder.scheduler.seconds
        self._working = True
        try:
            while self._may_go_on():
                if self._long is not None:
                    self._next_piece(self._long)
                elif self._asked and not self._holder.is_leaving:
                    asked = self._asked.popleft()
                    number, frame = asked.number, asked.frame
                    reply = self._holder.answer(self, asked)
                    if isinstance(reply, (bytes, Deferred)):
                        self._line_up(Answer(number, frame), reply)
                    else:
                        self._long, self._long_of = reply, (number, frame)
                else:
                    break
                if seconds() >= until:
                    break
        except Exception:
            log.failure("The conversation with {address} failed", address=self._address)
            self._holder.give_up(self)
            return False
        finally:
            self._working = False
        self._send_ready()
        self._holder.flush()
        return self._may_go_on() and (self._long is not None or (bool(self._asked) and not self._holder.is_leaving))

    def _may_go_on(self) -> bool:
        return not (
            self._over
            or self._is_ending
            or self._moved
            or self._resuming
            or self.session.occupied
            or self._sent - self._taken > self._holder.limits.pause_bytes
            or len(self._answers) >= self._holder.limits.pipeline
        )

    def _submit(self) -> None:
        if (self._asked or self._long is not None) and self._may_go_on():
            self._holder.scheduler.submit(self)

    # --- responses

    def _next_piece(self, pieces: Iterator[bytes | Deferred[bytes]]) -> None:
        piece = next(pieces, None)
        if piece is None:
            self._long = None
            self._line_up(Answer(*self._long_of), b"")
        else:
            self._line_up(Answer(*self._long_of, None, True, self.session.left), piece)

    def _line_up(self, answer: Answer, reply: bytes | Deferred[bytes]) -> None:
        self._answers.append(answer)
        if isinstance(reply, bytes):
            self._fill(reply, answer)
        else:
            reply.addCallbacks(self._ready, self._failed, callbackArgs=(answer,))

    def _fill(self, data: bytes, answer: Answer) -> None:
        if len(data) > MOST_ANSWER_BYTES:
            text = f"the answer of {len(data)} bytes is too long for this server"
            frame = answer.frame
            data = self.session.refuse(FailCode.UNAVAILABLE_PERMANENTLY, text, frame.sequence, frame.dialect)
        answer.data = data
        if self.session.closing and not answer.more:
            # This is the last response. Responses to later requests are dropped.
            answer.closing = self._is_ending = True
            self._asked.clear()
            while self._answers[-1] is not answer:
                self._answers.pop()
        self._sent += len(data)

    def _ready(self, data: bytes, answer: Answer) -> None:
        if self._over:
            return
        self._fill(data, answer)
        if not self._working:
            self._send_ready()
            self._holder.flush_soon()
            self._submit()

    def _failed(self, failure: Failure) -> None:
        if not self._over:
            log.failure("The conversation with {address} failed", failure, address=self._address)
            self._holder.give_up(self)

    def _send_ready(self) -> None:
        """Send the responses up to the first that is not ready."""
        answers, holder = self._answers, self._holder
        while answers and (data := answers[0].data) is not None and not self._over:
            answer = answers.popleft()
            if isinstance(data, FromElsewhere):
                self._give_back()
                break
            response = link.Response(connection=self.number, number=answer.number, data=data)
            if answer.more:
                self._inside = True
                response.more, response.left = True, answer.left
                holder.put(response=response)
                continue
            self._inside = False
            session = self.session
            response.facts.closing = answer.closing
            response.facts.padded = session.use is not None
            if (account := session.account_id) is not None:
                response.facts.logged_in, response.facts.account = True, account
            response.state = self._carried.news(session)
            holder.put(response=response)
            if answer.closing:
                self.lose()
                holder.forget(self)
            elif self._aside:
                aside, self._aside = self._aside, []
                self._push(b"".join(aside))
        if holder.is_leaving:
            holder.look_whether_done()

    def send(self, data: bytes) -> None:
        """Send unrequested frames, between responses and never inside one."""
        EVENTS.notices += 1
        if self._inside or self._long is not None:
            self._aside.append(data)
        elif not self._over:
            self._push(data)

    def _push(self, data: bytes) -> None:
        self._sent += len(data)
        state = b"" if self._resuming else self._carried.news(self.session)
        self._holder.say(push=link.Push(connection=self.number, data=data, state=state))

    # --- Route: another node must take the session

    def elsewhere(self, session: Session, frame: RawFrame, error: GameElsewhere) -> bytes | Deferred[bytes] | None:
        """Give the session back in place of the response to this request."""
        if session.game is not None or not error.address:
            return None
        self._moved = True
        return FromElsewhere()

    def unspoken(self, session: Session, frame: RawFrame) -> bytes | Deferred[bytes] | None:
        """Give the session back in place of the response to this request."""
        self._moved = True
        return FromElsewhere()

    def moved(self, session: Session) -> None:
        """Give the session back with all requests whose responses are not ready."""
        self._moved = True
        self._send_ready()
        self._give_back()

    def _give_back(self) -> None:
        """Let the portal find the node at which the session continues."""
        if not self._over:
            self.lose()
            self._holder.forget(self)
            self._holder.say(moved=link.Moved(connection=self.number))

    # --- the session of an earlier process

    async def _resume(self, state: bytes) -> None:
        if self._holder.throttle is not None:
            await self._holder.throttle.admit()
        if not self._over:
            await resume(self.session, state)

    def _not_resumed(self, failure: Failure) -> None:
        if isinstance(failure.value, (GameElsewhere, NotNow, StoreError)) and self._holder.cluster:
            self.moved(self.session)
            return
        log.failure("The session of {address} could not go on", failure, address=self._address)
        self.session.end("the server could not go on with this connection; log in again")

    def _resumed(self, _: object) -> None:
        self._resuming = False
        if self._sent and not self._over and (state := self._carried.news(self.session)):
            # The client was notified of the new turn on the way. The next engine must not repeat that.
            self._holder.say(push=link.Push(connection=self.number, state=state))
        self._submit()


class Holder:
    """All connections of the portal, in the engine.

    `session_factory` creates the session of each. `status` returns the public status. With `cluster` both ends are
    nodes of that cluster. The portal's end gets back sessions of games at other nodes.
    """

    def __init__(
        self,
        session_factory: Callable[[str, bool, Callable[[bytes], None], str], Session],
        scheduler: Scheduler,
        clock: Clock,
        limits: Limits,
        status: Callable[[], link.Status] = link.Status,
        calls: Calls | None = None,
        cluster: str = "",
        answering: Answering = lambda connection, session, asked: session.answer(asked.frame),
    ) -> None:
        self.session_factory = session_factory
        self.cluster = cluster
        self.scheduler = scheduler
        self.limits = limits
        self.relays: dict[int, Relay] = {}
        self.places: list[link.Place] = []
        """Listeners of the portal, once it has sent them."""
        self.is_leaving = False
        self.end: EdgeEnd | None = None
        self.calls: Calls = calls or {}
        self.clock = clock
        self.answering = answering
        """Function that responds to a request, from the id of its connection and its session."""
        self.throttle: Throttle | None = None
        """Spreads the reads of sessions that continue here. Thousands may arrive when a node is drained or dies."""
        self._status = status
        self._said: link.Status | None = None
        self._edge = ""
        self._is_ready = False
        self._done: Deferred[None] | None = None
        self._timers: dict[str, Timer] = {}

    # --- called by the server

    def listeners(self, *, web: bool) -> tuple[Listener, ...]:
        """Return the portal's listeners for browsers, or for other clients."""
        schemes = HTTP if web else EndpointSpec("").schemes
        return tuple(
            Listener(EndpointSpec("", schemes=schemes), place.host, place.port, place.secure, None)
            for place in self.places
            if place.web is web
        )

    def serve(self, calls: Calls | None = None, answering: Answering | None = None) -> None:
        """Accept requests from now on, also from later portals. With None the responses stay as before."""
        self.calls, self.answering = calls or self.calls, answering or self.answering
        self._is_ready = True
        if self.end is not None and self.end.agreed:
            self._begin()

    def leave(self) -> Deferred[None]:
        """Accept no more requests. The Deferred fires when the begun ones have responses, or after LEAVE_SECONDS."""
        self.is_leaving = True
        self._done = Deferred()
        following: Deferred[None] = Deferred()
        self._done.chainDeferred(following)
        for timer in self._timers.values():
            if timer.active():
                timer.cancel()
        self._timers = {}
        self.say(leaving=link.Leaving())
        self.flush()
        if self.look_whether_done():
            return following
        self._timers["patience"] = self.clock.callLater(LEAVE_SECONDS, self._finish)
        return following

    def reload(self) -> None:
        """Make the portal read its configuration again."""
        self.say(reload=link.Reload())

    def close(self) -> None:
        """End the sessions and the link."""
        for relay in list(self.relays.values()):
            relay.lose()
        self.relays.clear()
        if self.end is not None:
            self.end.close()

    # --- called by relays

    def answer(self, relay: Relay, asked: RelayedRequest) -> Reply:
        """Return the response to a request. Its id consists of the portal, the connection and its number."""
        return self.answering(f"{self._edge}:{relay.number}", relay.session, asked)

    def say(self, **content: Any) -> None:
        if self.end is not None and self.end.agreed:
            self.end.say(**content)

    def put(self, **content: Any) -> None:
        """Like `say`, but the caller calls `flush` or `flush_soon` afterwards."""
        if self.end is not None and self.end.agreed:
            self.end.put(**content)

    def flush_soon(self) -> None:
        if self.end is not None:
            self.end.flush_soon()

    def flush(self) -> None:
        if self.end is not None:
            self.end.flush()

    def give_up(self, relay: Relay) -> None:
        """Send no more responses on a connection whose session has failed."""
        relay.lose()
        self.forget(relay)
        self.say(closed=link.Closed(connection=relay.number))

    def forget(self, relay: Relay) -> None:
        self.relays.pop(relay.number, None)

    def look_whether_done(self) -> bool:
        """Return whether all begun requests have responses while the server leaves."""
        if any(relay.is_busy for relay in self.relays.values()):
            return False
        self._finish()
        return True

    # --- called by the end of the link

    def begin(self, end: EdgeEnd, hello: link.Hello) -> None:
        self.end, self._edge = end, hello.edge
        self.places = list(hello.places)
        if self._is_ready and not self.is_leaving:
            self._begin()

    def lost(self, end: EdgeEnd) -> None:
        """The portal is gone, and all connections with it."""
        if self.end is end:
            self.end = None
            for relay in list(self.relays.values()):
                relay.lose()
            self.relays.clear()
            if self.is_leaving:
                self._finish()

    # --- helpers

    def _begin(self) -> None:
        self._said = None
        self.say(ready=link.Ready())
        self._tell_status()

    def _tell_status(self) -> None:
        if self.is_leaving or self.end is None:
            return
        status = self._status()
        if status != self._said:
            self._said = status
            self.say(status=status)
        self._timers["status"] = self.clock.callLater(STATUS_SECONDS, self._tell_status)

    def _finish(self) -> None:
        timer = self._timers.pop("patience", None)
        if timer is not None and timer.active():
            timer.cancel()
        if self._done is not None and not self._done.called:
            self._done.callback(None)


def reach(reactor: Any, path: str, holder: Holder) -> Deferred[None]:
    """Connect an engine to the portal at a Unix socket.

    It connects again after each loss, until the engine leaves. The Deferred fires when the portal has sent Hello for
    the first time.
    """
    reached: Deferred[None] = Deferred()

    def began() -> None:
        if not reached.called:
            reached.callback(None)

    class Reaching(ClientFactory):
        noisy = False

        def buildProtocol(self, address: object) -> EdgeEnd:
            return EdgeEnd(holder, began)

        def clientConnectionFailed(self, connector: Any, reason: Failure) -> None:
            if not holder.is_leaving:
                reactor.callLater(RETRY_SECONDS, connector.connect)

        clientConnectionLost = clientConnectionFailed

    reactor.connectUNIX(path, Reaching())
    return reached


class EdgeEnd(LinkEnd):
    """The engine's end of the link."""

    who = "the process that keeps the connections"

    def __init__(
        self, holder: Holder, began: Callable[[], object] = lambda: None, over: Callable[[], object] = lambda: None
    ) -> None:
        super().__init__(holder.clock)
        self.cluster = holder.cluster
        self._holder = holder
        self._began = began
        self._over = over

    def on_hello(self, hello: link.Hello) -> None:
        self._holder.begin(self, hello)
        self._began()

    def on_open(self, opened: link.Open) -> None:
        if opened.connection in self._holder.relays:
            raise LinkError(f"Connection {opened.connection} is opened twice.")
        if len(self._holder.relays) >= 2 * self._holder.limits.connections:
            self.say(closed=link.Closed(connection=opened.connection))  # of another node, which allows more
            return
        self._holder.relays[opened.connection] = Relay(self._holder, opened)

    def on_request(self, request: link.Request) -> None:
        relay = self._holder.relays.get(request.connection)
        if relay is not None and not self._holder.is_leaving:
            relay.ask(request)

    def on_taken(self, taken: link.Taken) -> None:
        relay = self._holder.relays.get(taken.connection)
        if relay is not None:
            relay.take(taken.bytes)

    def on_closed(self, closed: link.Closed) -> None:
        relay = self._holder.relays.pop(closed.connection, None)
        if relay is not None:
            relay.lose()

    def on_ping(self, ping: link.Ping) -> None:
        self.say(pong=link.Pong())
        self.flush()

    def on_call(self, call: link.Call) -> None:
        doing = Deferred.fromCoroutine(self._called(call))
        doing.addErrback(lambda failure: log.failure("{name} over HTTP failed", failure, name=call.name[:40]))

    async def _called(self, call: link.Call) -> None:
        perform = self._holder.calls.get(call.name)
        try:
            result = link.Result(outcome=link.OUTCOME_NOTHING) if perform is None else await perform(call.argument)
        except Exception:
            log.failure("{name} over HTTP failed", name=call.name[:40])
            result = link.Result(outcome=link.OUTCOME_NOT_SAVED)
        result.number = call.number
        self.say(result=result)
        self.flush()

    def lost(self) -> None:
        self._holder.lost(self)
        self._over()
