"""Has every relayed request done once, whichever process does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from twisted.internet.defer import Deferred

from tpproto.errors import FailCode
from tpproto.stream import RawFrame
from tpserver.concurrency import Timer, Timers
from tpserver.requests import done_before
from tpserver.requests.session import Reply, Session
from tpserver.store import Store, StoreError, done_requests
from tpserver.store.done_requests import KEPT_SECONDS, REQUEST

FORGET_SECONDS = 60.0
"""Seconds between removals of requests that need not be known any more."""

MOST_BEGUN = 100_000
"""Maximum requests of the last one or two of these times of which it is known that they were begun here."""


T = TypeVar("T")


@dataclass(slots=True)
class Asked:
    """A request as it came over a link, or would have."""

    number: int
    """Counted from 1 on each connection."""
    frame: RawFrame
    again: bool
    """Whether an earlier process may have done it."""
    turn: int | None = None
    """The turn of which the client had been told last when it asked; None: nobody knows."""
    following: int = 0
    """How many later requests of the connection come again with it."""


async def whole(reply: Reply) -> bytes:
    """Return an answer in one piece."""
    if isinstance(reply, Iterator):
        return b"".join([piece if isinstance(piece, bytes) else await piece for piece in reply])
    return reply if isinstance(reply, bytes) else await reply


class Once:
    """Answers requests; `now` gives unix seconds."""

    def __init__(self, store: Store, timers: Timers, now: Callable[[], float]) -> None:
        self._store = store
        self._timers = timers
        self._now = now
        self._begun: set[str] = set()
        """The ids of requests that were begun here of late, and of those before."""
        self._begun_before: set[str] = set()
        self._running: dict[str, list[Deferred[None]]] = {}
        """By id of a request that is not answered yet: what waits for its end."""
        self._timer: Timer | None = timers.callLater(0, self._forget)

    def answer(self, connection: str, session: Session, asked: Asked) -> Reply:
        """Return the answer to a request; its id is that of its connection with its number.

        It may also come twice to this process: by a link that was given up, as nothing came over it, and which carries
        then what it has kept.
        """
        frame, request = asked.frame, f"{connection}:{asked.number}"
        if asked.again and done_before.is_logged_in(session, frame):
            return done_before.welcome_again(session, frame)
        if frame.kind not in done_before.ONCE:
            return session.answer(frame)
        if asked.again and session.ended:
            return self._answer_ended(request, session, frame)
        if request in self._running:
            ended: Deferred[None] = Deferred()
            self._running[request].append(ended)
            session.occupied = True  # if it was not done after all, what was asked later must not be done before

            def go_on(_: None) -> Deferred[bytes]:
                session.occupied = False
                return Deferred.fromCoroutine(whole(self.answer(connection, session, replace(asked, again=True))))

            return ended.addCallback(go_on)
        if (asked.again or request in self._begun or request in self._begun_before) and session.may_ask(frame.kind):
            try:
                changes = self._store.read(done_requests.changes_of, request)
                is_overtaken = not changes and self._is_overtaken(connection, asked)
            except StoreError as error:
                refused = session.refused(error)
                return session.refuse(refused.code, refused.text, frame.sequence, frame.dialect)
            if changes:
                return done_before.answer(session, frame, changes)
            refusal = done_before.TOO_LATE if done_before.is_too_late(session, frame, asked.turn) else ""
            if is_overtaken:
                refusal = done_before.OVERTAKEN
            if refusal:
                return session.refuse(FailCode.UNAVAILABLE_TEMPORARILY, refusal, frame.sequence, frame.dialect)
        self._begun.add(request)
        if len(self._begun) >= MOST_BEGUN:
            self._begun, self._begun_before = set(), self._begun
        token = REQUEST.set(request)
        try:
            reply = session.answer(frame)
        finally:
            REQUEST.reset(token)
        if isinstance(reply, Iterator):
            self._running[request] = []
            return self._pieces(request, reply)
        if isinstance(reply, Deferred) and not reply.called:
            self._running[request] = []
            reply.addBoth(self._ended, request)
        return reply

    def _answer_ended(self, request: str, session: Session, frame: RawFrame) -> Reply:
        """Answer a request of a session that could not go on: to refuse what was done as if it were not would be
        wrong."""
        ended = session.ended
        try:
            if self._store.read(done_requests.changes_of, request):
                session.ended = done_before.DONE_BUT.format(why=ended)
        except StoreError:
            session.ended = done_before.UNKNOWN.format(why=ended)
        try:
            return session.answer(frame)
        finally:
            session.ended = ended

    def _is_overtaken(self, connection: str, asked: Asked) -> bool:
        """Return whether something was done that the client has asked for later, or is being done.

        So this one was refused, or had nothing to change; done now it would be done in another order than it was asked.
        """
        later = [f"{connection}:{asked.number + ahead}" for ahead in range(1, asked.following + 1)]
        return any(one in self._running for one in later) or (
            bool(later) and self._store.read(done_requests.is_one_done, later)
        )

    def _ended(self, result: T, request: str) -> T:
        for waiting in self._running.pop(request, ()):
            self._timers.callLater(0, waiting.callback, None)  # when this answer is on its way
        return result

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pieces(self, request: str, pieces: Iterator[bytes | Deferred[bytes]]) -> Iterator[bytes | Deferred[bytes]]:
        """Have what is done while a long answer is produced belong to its request, too."""
        try:
            while True:
                token = REQUEST.set(request)
                try:
                    piece = next(pieces, None)
                finally:
                    REQUEST.reset(token)
                if piece is None:
                    return
                yield piece
        finally:  # or whoever took the pieces is gone
            self._ended(None, request)

    def _forget(self) -> None:
        self._timer = self._timers.callLater(FORGET_SECONDS, self._forget)
        self._begun, self._begun_before = set(), self._begun
        # What the store says of a failure is in the log.
        self._store.write(done_requests.forget, self._now() - KEPT_SECONDS).addErrback(lambda _: None)
