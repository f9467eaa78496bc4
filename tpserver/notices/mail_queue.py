"""Loop that sends mails about accounts, a few at once, with retries."""

from __future__ import annotations

from typing import Any, Generic, Protocol, TypeVar

from twisted.internet import defer
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.concurrency import Timer
from tpserver.games.hall.registry import GameRegistry
from tpserver.notices.channels import NotDelivered, NoticeChannel
from tpserver.notices.content import Letter
from tpserver.store import StoreError
from tpserver.store.games.outbox import Notice

log = Logger()

AT_ONCE = 2
"""Maximum mails in delivery at once."""
SEND_SECONDS = 60.0
"""Maximum seconds of a try."""
LONGEST_WAIT = 60.0
"""Maximum seconds between two reads of the queue."""


class Waiting(Protocol):
    """A pending mail, as the store has it."""

    @property
    def id(self) -> int: ...


W = TypeVar("W", bound=Waiting)


class MailQueue(Generic[W]):
    """Sends mails by ``channel``. Used on the reactor's thread.

    A subclass finds the due mails and handles each. ``what`` names them for the log.
    """

    what = "a mail"

    def __init__(self, registry: GameRegistry, channel: NoticeChannel) -> None:
        self._store = registry.store
        self._now = registry.now
        self._clock: Any = registry.timers  # a reactor, whose zope interface mypy does not understand
        self._channel = channel
        self._sending: set[int] = set()
        self._timer: Timer | None = None
        self._stopped = False

    def _due(self, now: float, most: int) -> list[W]:
        """Return the due mails, the oldest first. Raises StoreError."""
        raise NotImplementedError

    def _next_try(self, now: float) -> float | None:
        """Return the time of the next mail, or None. Raises StoreError."""
        raise NotImplementedError

    async def _send(self, mail: W) -> None:
        """Send a mail, and record the result."""
        raise NotImplementedError

    def stop(self) -> None:
        """Send no more."""
        self._stopped = True
        self._cancel()

    def look(self) -> None:
        """Read the due mails; to be called when there may be some."""
        self._cancel()
        free = AT_ONCE - len(self._sending)
        if self._stopped or free <= 0:
            return  # the end of a delivery reads again
        now = self._now()
        try:
            due = self._due(now, free + len(self._sending))
            following = self._next_try(now)
        except StoreError:
            due, following = [], now + LONGEST_WAIT
        for mail in [one for one in due if one.id not in self._sending][:free]:
            self._sending.add(mail.id)
            sending = Deferred.fromCoroutine(self._send(mail))
            sending.addErrback(self._failed).addBoth(self._done, mail)
        if following is not None and not self._sending:
            wait = max(0.1, min(LONGEST_WAIT, following - now))
            self._timer = self._clock.callLater(wait, self.look)

    async def _deliver(self, notice: Notice, letter: Letter) -> bool:
        """Return whether a mail need not be tried again: it is on its way, or cannot be delivered."""
        try:
            sending = self._channel.send(notice, letter)
            sending.addTimeout(SEND_SECONDS, self._clock)
            await sending
        except (NotDelivered, defer.TimeoutError) as problem:
            log.warn("{what} did not arrive: {why}", what=self.what, why=str(problem))
            return isinstance(problem, NotDelivered) and problem.final
        return True

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def _failed(self, failure: Failure) -> None:
        if not isinstance(failure.value, StoreError):  # the store has logged that
            log.failure("{what} could not be sent", failure, what=self.what)

    def _done(self, result: object, mail: W) -> None:
        self._sending.discard(mail.id)
        self.look()
