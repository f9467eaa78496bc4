"""The whole server: builds, connects, starts and stops all parts."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.accounts.accounts import Accounts
from tpserver.admin import exposure, roles, socket_server
from tpserver.admin.console import ConsoleError
from tpserver.admin.context import AdminContext
from tpserver.admin.expiry import Expiry
from tpserver.admin.guest_expiry import GuestExpiry
from tpserver.admin.offline import backup_directory, make_directory, node_of, remove_if_empty
from tpserver.admin.operator_notices import end_running
from tpserver.admin.socket_protocol import PathTooLong, SocketPath
from tpserver.admin.store_health import StoreHealth
from tpserver.admin.time_bounds import TimeBounds, installed
from tpserver.client_ports import ClientPorts
from tpserver.cluster.node import Node
from tpserver.config import Config
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.service.thinning import Thinning
from tpserver.games.terms.snapshot_retention import parse_rule
from tpserver.games.turns.turn_timers import steady_seconds
from tpserver.periodic import Repeated
from tpserver.publishing.lan import NoZeroconf
from tpserver.requests.session.revocation import Rechecks
from tpserver.requests.session.session import Peer, Session
from tpserver.rules.discovery import Rulesets
from tpserver.server import storage
from tpserver.server.commands import ServerCommands, other_processes
from tpserver.server.operator_ports import OperatorPorts
from tpserver.server.operator_watch import OperatorWatch
from tpserver.server.pages import Pages
from tpserver.server.process import Launch, Process
from tpserver.server.publishing import Ways, publish, reachable, ways_of
from tpserver.server.services import Services, build_services
from tpserver.server.shutdown import Stage
from tpserver.store import Store, StoreError
from tpserver.wire.net.connection import Session as AnySession
from tpserver.wire.net.errors import ListenError
from tpserver.wire.net.listeners import Listener
from tpserver.wire.net.sharing import NOBODY

if TYPE_CHECKING:
    from tpserver.portal.engine_link import Holder
    from tpserver.portal.link_pb2 import Status
    from tpserver.portal.peer_links import NodeLinks
    from tpserver.wire.web.login_tokens import Credentials
    from tpserver.wire.web.metrics import Closings, Figure

log = Logger()

LOOK_SECONDS = 0.5
"""Seconds between checks, on an idle server, that its database still exists."""


class CannotStart(Exception):
    """The server cannot start. All steps so far are undone. The message is one sentence."""


CANNOT_START = (ListenError, StoreError, PathTooLong, socket_server.AdminSocketError, ConsoleError, NoZeroconf)
"""Errors that prevent a server's start. The message of each is a sentence for the operator."""


class App:
    """A server. Call ``start`` on the reactor's thread, and ``stop`` before the reactor stops."""

    context: AdminContext
    _services: Services
    _thinning: Thinning

    def __init__(self, config: Config, rulesets: Rulesets, reactor: Any, launch: Launch | None = None) -> None:
        self.reactor = reactor
        self._rulesets = rulesets
        # Twisted's timers use time.time, and would stop for a day if the system's clock was set back by a day.
        reactor.seconds = steady_seconds
        self._process = process = Process(config, reactor, launch or Launch())
        self._ports = ClientPorts(config, reactor, process.launch.sockets, self._session_of)
        self._operator_ports = OperatorPorts(process)
        self._operator = OperatorWatch(process)
        self._store: Store | None = None
        self._store_health: StoreHealth | None = None
        self._links: NodeLinks | None = None
        self._holder: Holder | None = None
        self._commands: ServerCommands | None = None
        process.shutdown.add(Stage.PORTS, self._ports.close)
        process.shutdown.add(Stage.BROWSERS, self._ports.close_browsers)
        process.shutdown.add(Stage.CONNECTIONS, self._ports.connections.close)

    @property
    def registry(self) -> GameRegistry:
        """The games, once the server has started."""
        return self._services.registry

    @property
    def accounts(self) -> Accounts:
        """The accounts, once the server has started."""
        return self._services.accounts

    @property
    def unsaved(self) -> str:
        """The reason why the next server may lack the latest changes; empty if everything is saved."""
        return "" if self._store is None or self._store.gone is None else self._store.gone.sentence

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """The listeners for clients, with the real ports. Behind a portal they are the portal's."""
        return self._ports.listeners.all if self._holder is None else self._holder.listeners(web=False)

    @property
    def web_listener(self) -> Listener | None:
        """The listener for browsers, with the real port, or None."""
        found = self._ports.web_listeners.all if self._holder is None else self._holder.listeners(web=True)
        return next(iter(found), None)

    def sockets(self) -> dict[str, int]:
        """Return the sockets that the next server can take over, by ``EndpointSpec.key``."""
        return {**self._ports.sockets(), **self._operator_ports.sockets()}

    def shared(self) -> set[str]:
        """Return the keys of those `sockets` that all processes of the server share."""
        return set(self._ports.sockets())

    def login_link(self, follow: Callable[[], Awaitable[Credentials]]) -> str | None:
        """Return a URL that logs its first visitor in with the result of `follow`, or None without pages."""
        if self._ports.browsers is None or self.web_listener is None:
            return None
        return self._ports.browsers.login_link(self.web_listener, follow)

    def reload_by_signal(self) -> None:
        """Reload after the operator's SIGHUP; the log has the result."""
        if self._commands is not None and not self._process.shutdown.has_begun:
            doing = Deferred.fromCoroutine(self._commands.reload())
            doing.addErrback(lambda failure: log.error("reload: {why}", why=failure.getErrorMessage()))

    async def stop(self) -> None:
        """Close everything in the order of `Stage`. A second call waits for the first to finish."""
        await self._process.shutdown.run()

    async def start(self) -> None:
        """Open listeners and store, start the games and the bots. Raises CannotStart."""
        for name, problem in self._rulesets.problems.items():
            log.error("ruleset {name} cannot be used: {problem}", name=name, problem=problem)
        try:
            # The ports come first: if one is taken, no data directory has been created yet.  No client is served
            # before this function ends, as the reactor does not run in between.
            await self._open_ports()
            store, node = await self._open_store()
            self._process.start(Stage.TIMERS, Repeated(self.reactor, LOOK_SECONDS, partial(self._look, store, node)))
            self._services = build_services(
                self._process, self._rulesets, store, node, self._addresses, self.web_listener is not None
            )
            self._listen_for_commands()
            self._begin()
            self._serve()
        except CANNOT_START as error:
            await self.stop()
            raise CannotStart(str(error)) from None

    async def _open_ports(self) -> None:
        launch = self._process.launch
        if launch.ask_for_successor is None:
            await self._ports.open(self._health)
        else:
            await self._reach_portal()
        await self._operator_ports.open(self._figures, lambda: self.context)
        for _, problem in exposure.warnings(self._process.config):
            log.warn("{problem}", problem=problem)
        if launch.counts is not None:
            sharing = self._ports.share(launch.counts)
            self._process.shutdown.add(Stage.SHARING, sharing.stop, partial(launch.counts.put, NOBODY))
        for key in launch.sockets.keys() - self.sockets().keys():
            os.close(launch.sockets[key])  # of an address that the configuration no longer has

    async def _reach_portal(self) -> None:
        """Wait until the portal has sent its listeners."""
        from tpserver.portal.engine_link import Holder, reach
        from tpserver.portal.portal import SOCKET

        config, shutdown = self._process.config, self._process.shutdown
        scheduler = self._ports.connections.scheduler
        self._holder = Holder(self._session, scheduler, self.reactor, config.limits, status=self._status)
        shutdown.add(Stage.LINKS_LEAVE, self._holder.leave)
        shutdown.add(Stage.LINKS_CLOSE, self._holder.close)
        portal_socket = SocketPath(config.server.data, SOCKET)
        shutdown.add(Stage.LINKS_CLOSE, portal_socket.close)
        await reach(self.reactor, portal_socket.path, self._holder)

    async def _open_store(self) -> tuple[Store, Node | None]:
        config, launch, shutdown = self._process.config, self._process.launch, self._process.shutdown
        made = make_directory(config.server.data)
        try:
            storage.carry_out_verdicts(config, launch.number)
            self._store = store = storage.open_patiently(config, self.reactor)
            shutdown.add(Stage.LAST_LOOK, store.look)
            shutdown.add(Stage.STORE, store.close, partial(end_running, config.server.data, launch.number))
            if store.made is not None:
                log.info("{file} is a new database; there was nothing of one before", file=str(store.made))
            known = {name: rules.version for name, rules in self._rulesets.usable.items()}
            node = node_of(config, store, self.reactor, known)
            if node is not None:
                shutdown.add(Stage.NODE, partial(storage.leave_cluster, node, store))
                storage.check_alone(config, launch.number)
                if launch.follows:
                    node.bury()  # so that no node waits for the end of its lease
                await node.start()
                scheduler = self._ports.connections.scheduler
                self._links = storage.link_nodes(self._process, node, store, self._session, scheduler)
        except StoreError:
            if made:
                remove_if_empty(config.server.data)
            raise
        return store, node

    def _listen_for_commands(self) -> None:
        config, services, ask_node = self._process.config, self._services, None
        if self._links is not None:
            from tpserver.portal.node_commands import OtherNodes

            ask_node = OtherNodes(self._links).ask
        others = other_processes(self._process)
        self._commands = ServerCommands(self._process, self._ports, services.registry, others, self._apply)
        self.context = AdminContext(
            services.registry,
            services.accounts,
            config.games.clock,
            config.games.join,
            services.bots.look,
            self._commands.reload,
            self._commands.restart,
            self._commands.drain,
            lambda: services.host.guests.are_taken,
            others,
            ask_node,
        )
        services.host.administration = roles.administration(self.context)
        number = self._process.launch.number
        admin_socket = socket_server.listen(self.reactor, config.server.data, self.context, number)
        self._process.shutdown.add(Stage.ADMIN_SOCKET, admin_socket.close)

    def _begin(self) -> None:
        """Load the games, and start all repeated work."""
        process, services, reactor = self._process, self._services, self.reactor
        registry = services.registry
        guest_expiry, expiry = GuestExpiry(reactor, services.host.guests, self.context), Expiry(reactor, self.context)
        self._thinning = Thinning(registry, reactor, parse_rule(process.config.games.keep_snapshots))
        process.shutdown.add(Stage.EXPIRY, guest_expiry.stop, expiry.stop, self._thinning.stop)
        self._ports.check_open_files()
        services.subscribe(self._operator.notices)
        registry.load_all()
        services.compile_encoders(self._rulesets)
        services.bots.look_at_all()
        self._operator.schedule_backups()
        if process.is_first:  # once is enough, and two would disturb each other
            guest_expiry.start()
            self._thinning.start()
        expiry.start()  # in each process, as each has its own games
        services.notices.start()
        publish(process, registry, self._ways)
        if services.host.resets.offered:
            for queue in services.account_mail:
                queue.look()
        self._operator.start(registry)
        health = StoreHealth(reactor, registry.store, self._operator.tell, partial(storage.is_cut_off, registry.node))
        self._store_health = process.start(Stage.CHECKS, health)
        if process.is_first:
            process.start(Stage.CHECKS, TimeBounds(reactor, registry.store, time.time, installed()))

    def _serve(self) -> None:
        """Serve browsers, and the processes with separate connections."""
        registry, pages = self._services.registry, Pages(self._process.config, self._services.host)
        if self._ports.browsers is not None:
            pages.serve(self._ports.browsers, registry.node, self._links)
        if self._links is not None:
            from tpserver.portal.node_commands import operation_call

            self._links.calls = {**pages.calls(), **operation_call(self.context)}
            self._links.serve()
            self._process.start(Stage.RECHECKS, Rechecks(self._services.host, self.reactor))
        if self._holder is not None:
            from tpserver.portal.idempotency import Idempotency

            once = Idempotency(registry.store, self.reactor, time.time)
            self._process.shutdown.add(Stage.IDEMPOTENCY, once.stop)
            self._holder.serve(pages.calls(), once.answer)

    def _apply(self) -> None:
        """Apply a configuration that was read again to the parts that support it without a restart."""
        config = self._process.config
        self._ports.use(config)
        if self._holder is not None:
            self._holder.limits = config.limits
            self._holder.reload()
        self._services.use(config)
        self.context.clock, self.context.join = config.games.clock, config.games.join
        self._thinning.rule = parse_rule(config.games.keep_snapshots)
        self._process.launch.set_log_level(config.log.level)
        if self._operator_ports.consoles is not None:
            self._operator_ports.consoles.stream.set_level(config.log.level)
        self._operator.schedule_backups()

    def _look(self, store: Store, node: Node | None) -> None:
        """Check that the database exists and has not lost changes."""
        store.look()
        if self.reactor.running and not self._process.shutdown.has_begun:
            storage.end_if_gone_back(store, node)

    def _session_of(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> AnySession:
        """Return the session of a new connection, at any location of its game."""
        create = self._session if self._links is None else self._links.session
        return create(address, secure, send, token)

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
        return Session(self._services.host, Peer(address or "this machine", secure, token), send)

    def _figures(self) -> tuple[list[Figure], Closings]:
        """Return the figures for Prometheus."""
        from tpserver.server import figures

        store, health, config = self._store, self._store_health, self._process.config
        places = {"data": config.server.data, "backups": backup_directory(config)}
        if store is not None and store.file is not None:
            places["database"] = store.file.parent
        found = figures.of_process(self._connections(), places)
        if store is not None and health is not None:
            found += figures.of_store(store, health, self.registry)
            found += figures.of_notices(store, self._services.notices)
        return found, figures.closings()

    def _health(self) -> dict[str, object] | None:
        """Return the public status while the server serves, else None.

        "failing" is the reason why it cannot work, "problem" a problem that does not stop it.
        """
        if self._process.shutdown.has_begun or self._store_health is None:
            return None
        if failing := self._store_health.failing():
            return {"failing": failing}
        try:
            running = sum(row.state == "running" for row in self._services.registry.directory.rows())
        except StoreError:  # in a cluster each call reads the games
            return {"failing": "the database cannot be read"}
        problem = self._store_health.problem()
        return {"games": running, "connections": self._connections(), **({"problem": problem} if problem else {})}

    def _status(self) -> Status:
        from tpserver.portal.link_pb2 import Status

        health = self._health() or {}
        failing, problem = str(health.get("failing", "")), str(health.get("problem", ""))
        return Status(games=int(str(health.get("games", 0))), problem=failing, less=problem)

    def _connections(self) -> int:
        return self._ports.connections.limiter.count if self._holder is None else len(self._holder.relays)

    def _addresses(self) -> list[tuple[str, str, int]]:
        """Return (type, host, port) of the listeners for clients, and of that for tunnels."""
        return [(kind, reachable(at.host), at.port) for kind, at in self._ways()]

    def _ways(self) -> Ways:
        return ways_of(self.listeners, self.web_listener if self._process.config.web.tunnel == "on" else None)
