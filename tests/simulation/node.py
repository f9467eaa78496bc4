"""One life of a node: a server process that shares its database.

It has no sockets and threads. It is put together as in `tpserver.server`, without the parts that no simulated client
uses, such as the check for changed accounts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tests.simulation.links import Port
from tests.simulation.server import LIMITS, ORDER_ENTRIES, Life, Reactor
from tests.simulation.shared_database import TIMEOUTS, URL
from tests.simulation.threads import keep
from tests.support.server_in_memory import CHEAP, rulesets
from tpserver.accounts.accounts import Accounts
from tpserver.bots import Bots
from tpserver.cluster.node import Node
from tpserver.concurrency import result_now
from tpserver.games.hall.registry import GameRegistry
from tpserver.periodic import Repeated
from tpserver.portal.idempotency import Idempotency
from tpserver.portal.peer_links import NodeLinks
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session import pipeline
from tpserver.requests.session.session import Host
from tpserver.store import Store, StoreError
from tpserver.store.writer import Fence
from tpserver.subscriptions import subscribe_bots, subscribe_sessions
from tpserver.wire.net.factory import ConnectionFactory

LEASE_SECONDS = 10.0
IDLE_SECONDS = 40.0
"""Seconds after which a game that nobody is in leaves memory."""
LOOK_SECONDS = 0.5


@dataclass
class Machine:
    """Where one node after the other runs: its clocks, and what is written there."""

    number: int
    file: Path
    beginning: float
    boot_at_beginning: float
    rate: float
    """Seconds of the clock that nobody sets in a second of the world."""
    wrong_by: float = 0.0
    """Seconds by which the system's clock is ahead of the world's."""
    last_was_ended: bool = True
    """True if the starter of the next process knows that the last one has ended."""

    @property
    def address(self) -> str:
        return f"node{self.number}:6926"

    def boot(self, time: float) -> float:
        """Return what the clock that nobody sets says at a time of the world."""
        return self.boot_at_beginning + self.rate * (time - self.beginning)

    def time_of(self, boot: float) -> float:
        """Return the time of the world at which that clock says so, or a moment after it."""
        return self.beginning + (boot - self.boot_at_beginning) / self.rate + 1e-6


class NodeReactor(Reactor):
    """The timers of a node, and its links to others."""

    def __init__(self, life: NodeLife) -> None:
        world, machine = life.world, life.machine
        super().__init__(lambda: machine.boot(world.time))
        self._life = life
        self.listening: Any = None

    def connectTCP(self, host: str, port: int, factory: Any, timeout: float) -> None:
        self._life.world.open_link(self._life, int(host.removeprefix("node")), factory, timeout)

    def listenTCP(self, port: int, factory: Any, interface: str = "") -> Port:
        self.listening = factory
        return Port(self)


class NodeLife(Life):
    """A process that is a node on a machine; it ``follows`` if it buries the one before."""

    reactor: NodeReactor
    node: Node
    links: NodeLinks
    once: Idempotency

    def __init__(self, world: Any, name: str, machine: Machine, *, follows: bool) -> None:
        self.machine = machine
        self.follows = follows
        self.is_up = False
        self.is_stopping = False
        self.has_stopped = False
        self.frozen_until = 0.0
        self.fences: set[Fence | None] = set()
        """Those under which the newest group of the writer was written; None: without any."""
        self.has_outlived = False
        """True if the database was restored to older data in its life."""
        self.may_be_older = False
        """True if the database was restored, and this node has not looked since."""
        self.must_notice = False
        """True if it then lacks a change that it has confirmed to this node."""
        self.beats_before = 0
        super().__init__(world, name, world.database.path)

    def now(self) -> float:
        return float(self.world.time + self.machine.wrong_by)

    def _make_reactor(self) -> NodeReactor:
        return NodeReactor(self)

    def _start(self) -> None:
        try:
            self._begin()
        except StoreError as error:
            self.world.cannot_start(self, str(error))

    def _begin(self) -> None:
        self.store = Store.open(URL, reactor=self, timeouts=TIMEOUTS)  # type: ignore[arg-type] # all that is used
        self._watch_writer()
        steady = self.reactor.seconds
        known = {name: rules.version for name, rules in rulesets().usable.items()}
        self.node = Node(
            self.store, self.reactor, self.machine.address, "1.2.3", LEASE_SECONDS, steady, known, self.now,
            self.machine.file,
        )  # fmt: skip
        if self.follows:
            self.node.bury()
        result_now(self.node.start())
        self.connections = ConnectionFactory(lambda *words: self.links.session(*words), LIMITS, self.reactor)
        self.once = Idempotency(self.store, self.reactor, self.now)
        self.links = NodeLinks(
            self.reactor, self.machine.address, self.node.cluster_id(), self._session, self.once,
            self.connections.scheduler, LIMITS, LEASE_SECONDS / 2, holders=self.node.holders_of,
        )  # fmt: skip
        self.links.listen()
        self.registry = GameRegistry(
            self.store, rulesets(), self.reactor, self.compute, self.now, steady, ORDER_ENTRIES, None, self.node
        )
        self.registry.idle.seconds = IDLE_SECONDS
        self.registry.idle.clock = steady
        bus = self.registry.bus
        self.accounts = Accounts(self.store, "open", self.compute, self.now, CHEAP, seconds=steady, bus=bus)
        self.host = Host(
            self.registry, self.accounts, "1.2.3", REQUESTS, pipeline.answer, list, may_speak=self.node.may_speak,
            tag=self.node.tag,
        )  # fmt: skip
        self.bots = Bots(self.registry, self.reactor, self.compute, steady)
        subscribe_sessions(bus, self.host)
        subscribe_bots(bus, self.bots)
        self.registry.load_all()
        self.bots.look_at_all()
        self.links.serve()
        self._looks = Repeated(self.reactor, LOOK_SECONDS, self._look)
        self._looks.start()
        self.is_up = True

    def _watch_writer(self) -> None:
        writer = self.store.writer
        begin_group: Callable[..., None] = writer.begin_group

        def begun(execute: Any, jobs: Any) -> None:
            begin_group(execute, jobs)
            self.fences = {job.fence for job in jobs if job.error is None}

        was_committed: Callable[[float], bool] = writer.was_committed

        def found_out(seconds: float) -> bool:
            try:
                return was_committed(seconds)
            except StoreError:
                self.world.cannot_find_out()
                raise

        writer.begin_group = begun  # type: ignore[method-assign]
        writer.was_committed = found_out  # type: ignore[method-assign]

    def _look(self) -> None:
        """End, if the database has gone back, as a process of the server does."""
        self.store.look()
        if self.store.gone is not None and not self.is_stopping:
            self.node.note()
            self.world.ends_itself(self)
            keep()

    @property
    def serves(self) -> bool:
        """True if clients can connect."""
        return self.is_up and not (self.is_dead or self.is_standing or self.is_stopping)

    # --- what an operator does

    def drain(self, draining: bool) -> None:
        async def drain() -> None:
            if draining and not self.node.others():
                return
            if draining:
                assert self.registry.cluster is not None
                await self.registry.cluster.drain()
            else:
                await self.node.drain(False)

        self.do(lambda: Deferred.fromCoroutine(drain()).addErrback(_expected))

    def stop(self) -> None:
        async def stop() -> None:
            await self.links.leave()
            self.bots.stop()
            self.registry.stop()
            await self.connections.close()
            self.links.close()
            self.once.stop()
            self._looks.stop()
            self.store.look()
            await self.store.write(lambda connection: None).addErrback(lambda failure: None)
            await self.node.stop()
            await self.store.close()
            self.has_stopped = True

        self.is_stopping = True
        self.do(lambda: Deferred.fromCoroutine(stop()))


def _expected(failure: Failure) -> None:
    """Accept the message to an operator that the database has failed."""
    failure.trap(StoreError)
