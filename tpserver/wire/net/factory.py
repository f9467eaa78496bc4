"""Factory and set of all client connections, from every listener."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory

from tpserver.concurrency import Clock, Timer
from tpserver.wire.net.connection import Connection, ConnectionContext, SessionFactory
from tpserver.wire.net.limits import ConnectionLimiter, Limits


class ConnectionFactory(ConnectionContext, Factory):
    """The connections from all listeners, and the Twisted factory that creates them.

    Its arguments are those of `ConnectionContext`.
    """

    noisy = False

    def __init__(
        self,
        session_factory: SessionFactory,
        limits: Limits,
        clock: Clock,
        seconds: Callable[[], float] | None = None,
        limiter: ConnectionLimiter | None = None,
    ) -> None:
        super().__init__(session_factory, limits, clock, seconds, limiter)
        self._clock = clock
        self._closed: Deferred[None] | None = None
        self._patience: Timer | None = None

    @property
    def is_closed(self) -> bool:
        """True after `close` was called."""
        return self._closed is not None

    def buildProtocol(self, address: IAddress | None) -> Connection | None:  # type: ignore[override] # it is one
        return None if self._closed is not None else Connection(self)

    def build_over_http(self) -> Connection | None:
        """Return a new connection from a listener for browsers, or None while the server stops."""
        return None if self._closed is not None else Connection(self, over_http=True)

    def logPrefix(self) -> str:
        return "tp"

    def close(self) -> Deferred[None]:
        """Close all connections, each after its pending responses. The Deferred fires when they are closed.

        Connections that are still open after `Limits.farewell_seconds` are aborted.
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
        super().forget(connection)
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
