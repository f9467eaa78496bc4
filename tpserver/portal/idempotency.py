"""Idempotency keys for relayed requests.

A request is carried out once, even if several processes receive it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from twisted.internet.defer import Deferred

from tpproto.errors import FailCode
from tpproto.stream import RawFrame
from tpserver.concurrency import Timer, Timers
from tpserver.requests import retries
from tpserver.requests.session.error_codes import request_error
from tpserver.requests.session.responses import Reply
from tpserver.requests.session.session import Session
from tpserver.store import Store, StoreError, idempotency
from tpserver.store.idempotency import KEPT_SECONDS, REQUEST

FORGET_SECONDS = 60.0
"""Seconds between removals of old request ids."""

MOST_BEGUN = 100_000
"""Maximum remembered requests that began here within the last one or two of these intervals."""


T = TypeVar("T")


@dataclass(slots=True)
class RelayedRequest:
    """A request from a link, or of a local connection in the same form."""

    number: int
    """Counted from 1 for each connection."""
    frame: RawFrame
    again: bool
    """True if an earlier process may have carried it out."""
    turn: int | None = None
    """The last turn that the client knew when it sent the request; None: unknown."""
    following: int = 0
    """Number of later requests of the connection in the same retry."""


async def whole(reply: Reply) -> bytes:
    """Return a response in one piece."""
    if isinstance(reply, Iterator):
        return b"".join([piece if isinstance(piece, bytes) else await piece for piece in reply])
    return reply if isinstance(reply, bytes) else await reply


class Idempotency:
    """Carries out requests once; `now` returns unix seconds."""

    def __init__(self, store: Store, timers: Timers, now: Callable[[], float]) -> None:
        self._store = store
        self._timers = timers
        self._now = now
        self._begun: set[str] = set()
        """Ids of requests that began here recently."""
        self._begun_before: set[str] = set()
        self.running: dict[str, list[Deferred[None]]] = {}
        """By id of a request without a response so far: the waiters for its end."""
        self._timer: Timer | None = timers.callLater(0, self._forget)

    def answer(self, connection: str, session: Session, asked: RelayedRequest) -> Reply:
        """Return the response to a request.

        Its id consists of its connection and its number. It may also reach this process twice: a link without traffic
        was given up, and delivers its stored data later.
        """
        frame, request = asked.frame, f"{connection}:{asked.number}"
        if asked.again and retries.is_logged_in(session, frame):
            return retries.welcome_again(session, frame)
        if frame.kind not in retries.ONCE:
            return session.answer(frame)
        if asked.again and session.ended:
            return self._answer_ended(request, session, frame)
        if request in self.running:
            ended: Deferred[None] = Deferred()
            self.running[request].append(ended)
            session.occupied = True  # if it was not carried out, later requests must not be carried out before it

            def go_on(_: None) -> Deferred[bytes]:
                session.occupied = False
                return Deferred.fromCoroutine(whole(self.answer(connection, session, replace(asked, again=True))))

            return ended.addCallback(go_on)
        if (asked.again or request in self._begun or request in self._begun_before) and session.may_ask(frame.kind):
            try:
                changes = self._store.read(idempotency.changes_of, request)
                is_overtaken = not changes and self._is_overtaken(connection, asked)
            except StoreError as error:
                refused = request_error(session, error)
                return session.refuse(refused.code, refused.text, frame.sequence, frame.dialect)
            if changes:
                return retries.answer(session, frame, changes)
            refusal = retries.TOO_LATE if retries.is_too_late(session, frame, asked.turn) else ""
            if is_overtaken:
                refusal = retries.OVERTAKEN
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
            self.running[request] = []
            return self._pieces(request, reply)
        if isinstance(reply, Deferred) and not reply.called:
            self.running[request] = []
            reply.addBoth(self._ended, request)
        return reply

    def _answer_ended(self, request: str, session: Session, frame: RawFrame) -> Reply:
        """Respond to a request of a session that could not continue.

        It must not refuse a request that was carried out.
        """
        ended = session.ended
        try:
            if self._store.read(idempotency.changes_of, request):
                session.ended = retries.DONE_BUT.format(why=ended)
        except StoreError:
            session.ended = retries.UNKNOWN.format(why=ended)
        try:
            return session.answer(frame)
        finally:
            session.ended = ended

    def _is_overtaken(self, connection: str, asked: RelayedRequest) -> bool:
        """Return whether a later request of the client was carried out, or is being carried out.

        So this request was refused, or had no effect. Now it would come in the wrong order.
        """
        later = [f"{connection}:{asked.number + ahead}" for ahead in range(1, asked.following + 1)]
        return any(one in self.running for one in later) or (
            bool(later) and self._store.read(idempotency.is_one_done, later)
        )

    def _ended(self, result: T, request: str) -> T:
        for waiting in self.running.pop(request, ()):
            self._timers.callLater(0, waiting.callback, None)  # after this response has left
        return result

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pieces(self, request: str, pieces: Iterator[bytes | Deferred[bytes]]) -> Iterator[bytes | Deferred[bytes]]:
        """Attribute changes during a long response to its request, too."""
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
        finally:  # or the receiver of the pieces is gone
            self._ended(None, request)

    def _forget(self) -> None:
        self._timer = self._timers.callLater(FORGET_SECONDS, self._forget)
        self._begun, self._begun_before = set(), self._begun
        # The store logs its failures.
        self._store.write(idempotency.forget, self._now() - KEPT_SECONDS).addErrback(lambda _: None)
