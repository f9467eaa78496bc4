"""Has every relayed request done once, whichever process does it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

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


class Once:
    """Answers requests; `now` gives unix seconds."""

    def __init__(self, store: Store, timers: Timers, now: Callable[[], float]) -> None:
        self._store = store
        self._timers = timers
        self._now = now
        self._timer: Timer | None = timers.callLater(0, self._forget)

    def answer(self, request: str, session: Session, frame: RawFrame, again: bool) -> Reply:
        """Return the answer to a request with this id; `again`: an earlier process may have done it."""
        if frame.kind not in done_before.ONCE:
            return session.answer(frame)
        if again and session.may_ask(frame.kind):
            try:
                changes = self._store.read(done_requests.changes_of, request)
            except StoreError as error:
                refused = session.refused(error)
                return session.refuse(refused.code, refused.text, frame.sequence, frame.dialect)
            if changes:
                return done_before.answer(session, frame, changes)
            if done_before.is_too_late(session, frame):
                code = FailCode.UNAVAILABLE_TEMPORARILY
                return session.refuse(code, done_before.TOO_LATE, frame.sequence, frame.dialect)
        token = REQUEST.set(request)
        try:
            reply = session.answer(frame)
        finally:
            REQUEST.reset(token)
        return self._pieces(request, reply) if isinstance(reply, Iterator) else reply

    def stop(self) -> None:
        """Cancel the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _pieces(self, request: str, pieces: Iterator[bytes | Deferred[bytes]]) -> Iterator[bytes | Deferred[bytes]]:
        """Have what is done while a long answer is produced belong to its request, too."""
        while True:
            token = REQUEST.set(request)
            try:
                piece = next(pieces, None)
            finally:
                REQUEST.reset(token)
            if piece is None:
                return
            yield piece

    def _forget(self) -> None:
        self._timer = self._timers.callLater(FORGET_SECONDS, self._forget)
        # What the store says of a failure is in the log.
        self._store.write(done_requests.forget, self._now() - KEPT_SECONDS).addErrback(lambda _: None)
