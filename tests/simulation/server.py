"""One life of a whole server process, without sockets and threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, DelayedCall

import tpserver.store.database as database
from tests.simulation.threads import Process, Queue, Thread
from tests.support.server_in_memory import CHEAP, rulesets
from tpserver.accounts.accounts import Accounts
from tpserver.bots import Bots
from tpserver.concurrency import Slices, Throttle
from tpserver.games.hall import registry
from tpserver.games.hall.registry import GameRegistry
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session import pipeline
from tpserver.requests.session.session import Host, Peer, Session
from tpserver.rules.call_limits import NOBODY, WATCHDOG, Caller
from tpserver.store import Store
from tpserver.subscriptions import subscribe_bots, subscribe_sessions
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits

T = TypeVar("T")

LIMITS = Limits(
    frame_seconds=10.0, login_seconds=30.0, idle_seconds=120.0, pipeline=16, pause_bytes=65536, unsent_bytes=262144,
    unread_seconds=20.0, farewell_seconds=5.0,
)  # fmt: skip
"""Small enough that clients come to them."""
IDLE_SECONDS = 90.0
"""Seconds after which a game that nobody is in leaves memory."""
ORDER_ENTRIES = 4
"""Entries about orders in a turn at which the journal is made shorter."""


class Reactor(Clock):
    """The timers of a process, by simulated time. Due timers fire when the test says so."""

    def __init__(self, seconds: Callable[[], float]) -> None:
        super().__init__()
        self._seconds = seconds

    def seconds(self) -> float:
        return self._seconds()

    def next(self) -> float | None:
        """The time at which the next timer fires."""
        return self.calls[0].getTime() if self.calls else None

    def due(self) -> list[DelayedCall]:
        """Take the timers that are due now."""
        now = self.seconds()
        return [call for call in self.calls if call.getTime() <= now]

    def ring(self) -> int:
        """Let those timers ring that are due now, but not those that they set; return how many there were."""
        due = self.due()
        for call in due:
            if call.active():
                self.calls.remove(call)
                call.called = 1
                call.func(*call.args, **call.kw)
        return len(due)


class Life(Process):
    """A server process on the database file ``path``; ``world`` has the time and decides what fails."""

    def __init__(self, world: Any, name: str, path: Path) -> None:
        super().__init__(name)
        self.world = world
        self.path = path
        self.reactor = self._make_reactor()
        self.store: Store
        self.registry: GameRegistry
        self.do(self._start)

    def _make_reactor(self) -> Reactor:
        return Reactor(lambda: float(self.world.time))

    def now(self) -> float:
        """The time of the wall clock."""
        return float(self.world.time + self.world.clock_is_wrong_by)

    def _open(self) -> Store:
        return Store.open(f"sqlite:///{self.path}", reactor=self)  # type: ignore[arg-type] # all that is used of it

    def _start(self) -> None:
        self.store = self._open()
        steady = self.reactor.seconds
        self.registry = GameRegistry(
            self.store, rulesets(), self.reactor, self.compute, self.now, steady, ORDER_ENTRIES
        )
        self.registry.idle.seconds = IDLE_SECONDS
        self.registry.idle.clock = steady
        bus = self.registry.bus
        self.accounts = Accounts(self.store, "open", self.compute, self.now, CHEAP, seconds=steady, bus=bus)
        self.host = Host(self.registry, self.accounts, "1.2.3", REQUESTS, pipeline.answer, list)
        self.connections = ConnectionFactory(self._session, LIMITS, self.reactor)
        self.bots = Bots(self.registry, self.reactor, self.compute, steady)
        subscribe_sessions(bus, self.host)
        subscribe_bots(bus, self.bots)
        self.registry.load_all()
        self.bots.look_at_all()

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
        return Session(self.host, Peer(address, secure, token), send)

    def stop(self) -> None:
        """Stop in good order."""

        def stop() -> None:
            self.bots.stop()
            self.registry.stop()
            self.connections.close()
            self.store.close()

        self.do(stop)


class NoThreads:
    """Simulated replacements of threads, time and the watchdog that the server uses."""

    def __init__(self, world: Any) -> None:
        self._world = world

    @contextmanager
    def replaced(self) -> Iterator[None]:
        world = self._world
        before = database.Thread, database.SimpleQueue, Slices.__init__.__defaults__, Throttle.__init__.__defaults__

        def call(seconds: float, work: Callable[[], T], whose: Caller = NOBODY) -> T:
            world.rules_are_called(whose)
            return work()

        database.Thread, database.SimpleQueue = Thread, Queue  # type: ignore[misc,assignment] # stand-ins
        Slices.__init__.__defaults__ = Throttle.__init__.__defaults__ = (lambda: world.time,)
        # How long it takes to read a game decides when it is tried again.
        registry.time = SimpleNamespace(monotonic=lambda: world.time)  # type: ignore[assignment]
        WATCHDOG.call = call  # type: ignore[method-assign]
        try:
            yield
        finally:
            del WATCHDOG.call
            registry.time = time  # type: ignore[assignment]
            database.Thread, database.SimpleQueue = before[:2]  # type: ignore[misc]
            Slices.__init__.__defaults__, Throttle.__init__.__defaults__ = before[2:]


def fired(deferred: Deferred[Any], then: Callable[[bool, str], None]) -> None:
    """Call ``then`` with whether it has succeeded, and what was said, when it fires."""
    deferred.addCallbacks(lambda result: then(True, ""), lambda failure: then(False, failure.getErrorMessage()))
