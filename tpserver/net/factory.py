"""The connections of the server, whichever listener they came through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.logger import Logger

from tpproto.stream import Limits as ReaderLimits
from tpserver.concurrency import Clock, Timer
from tpserver.net.connection import Connection, SessionFactory
from tpserver.net.limits import EARLY_FRAME_BYTES, MESSAGE_BYTES, MESSAGE_VALUES, ConnectionLimiter, Limits, Memory
from tpserver.net.scheduling import Scheduler
from tpserver.net.timeouts import Timeouts


class ConnectionFactory(Factory):
    """The connections of the server, whichever listener they came through, and the Twisted factory that creates them.

    `clock` is the reactor; `session_factory` creates the session of each new connection.  `seconds` is the clock by
    which the scheduler measures work (default: that of `clock`).
    """

    log = Logger()
    noisy = False

    def __init__(
        self,
        session_factory: SessionFactory,
        limits: Limits,
        clock: Clock,
        seconds: Callable[[], float] | None = None,
    ) -> None:
        self.session_factory = session_factory
        self.limits = limits
        self.reader_limits = ReaderLimits(frame=limits.frame_bytes, message=MESSAGE_BYTES, values=MESSAGE_VALUES)
        early = min(limits.frame_bytes, EARLY_FRAME_BYTES)
        self.early_limits = replace(self.reader_limits, frame=early, when=" before login")
        self.seconds = clock.seconds
        self.timeouts = Timeouts(clock, min(1.0, limits.farewell_seconds))
        self.scheduler = Scheduler(clock, seconds or clock.seconds)
        self.limiter = ConnectionLimiter(limits)
        self.memory = Memory(limits.waiting_bytes)
        self.connections: set[Connection] = set()
        self.turned_away: set[Connection] = set()
        self._clock = clock
        self._closed: Deferred[None] | None = None
        self._patience: Timer | None = None

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed is not None

    def buildProtocol(self, address: IAddress | None) -> Connection | None:  # type: ignore[override] # it is one
        return None if self._closed is not None else Connection(self)

    def logPrefix(self) -> str:
        return "tp"

    def close(self) -> Deferred[None]:
        """Close all connections, each after its pending responses; the Deferred fires when they are gone.

        Connections still there after `Limits.farewell_seconds` are aborted.
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
        """Called when a connection is gone."""
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
        self.timeouts.stop()
        self.scheduler.stop()
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
        if self._closed is not None and not self._closed.called:
            self._closed.callback(None)
