"""The server as a whole: builds and connects all parts, from a configuration to listeners and games."""

from __future__ import annotations

import gc
import os
import socket
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock, LoopingCall
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.threadpool import ThreadPool

from tpserver import __version__
from tpserver.accounts import login_queue
from tpserver.accounts.accounts import Accounts
from tpserver.addresses import is_loopback
from tpserver.admin import reloading, roles
from tpserver.admin import socket_server as socket_server
from tpserver.admin.backup_schedule import BackupSchedule
from tpserver.admin.backups import made_in, time_of
from tpserver.admin.console import ConsoleError, Consoles, read_password
from tpserver.admin.guest_expiry import GuestExpiry
from tpserver.admin.offline import backup_directory, make_directory, node_of, open_store, remove_if_empty
from tpserver.admin.operations import AdminContext
from tpserver.admin.operator_notices import DiskWatch, OperatorNotices, begin_running, end_running
from tpserver.admin.other_processes import OtherProcesses
from tpserver.admin.socket_client import somebody_listens
from tpserver.admin.socket_protocol import PathTooLong, Refused, SocketPath
from tpserver.bots import Bots
from tpserver.cluster.node import Node
from tpserver.concurrency import Executor, Timer, result_now
from tpserver.config import Config
from tpserver.events import EVENTS
from tpserver.games import verdicts
from tpserver.games.holding import carry_out
from tpserver.games.registry import GameRegistry
from tpserver.games.retention import parse_rule
from tpserver.games.thinning import Thinning
from tpserver.games.turn_timers import steady_seconds
from tpserver.games.verdicts import Verdict
from tpserver.names import load_tables
from tpserver.net.connection import Session as AnySession
from tpserver.net.errors import CertificateError, ListenError
from tpserver.net.factory import ConnectionFactory
from tpserver.net.limits import allow_open_files
from tpserver.net.listeners import (
    NOTHING,
    EndpointSpec,
    Listener,
    Listeners,
    listen,
    plain,
    web,
)
from tpserver.net.proxies import ProxiedFactory, Proxies
from tpserver.net.sharing import NOBODY, Counts, SharedPort
from tpserver.notices import calendar
from tpserver.notices.book import Terms
from tpserver.notices.channels import MAIL, PUSH, WEBHOOKS, Later, NoticeChannel
from tpserver.notices.delivery import NoticeDelivery
from tpserver.notices.reset_mail import ResetMail
from tpserver.notices.stopping import stop as stop_notices
from tpserver.parent import alone
from tpserver.places import places_of, web_places_of
from tpserver.processes import give_back_large_blocks, memory_of
from tpserver.publishing.lan import At, Lan, NoZeroconf, Service, services_of
from tpserver.publishing.listing import Location, PublicGame, public_games
from tpserver.publishing.listing import locations as locations_of
from tpserver.repeated import Repeated
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.login import check_lockdown, saved
from tpserver.requests.objects import compile_encoders
from tpserver.requests.rechecking import Rechecks
from tpserver.requests.session import Host, Making, Peer, Session
from tpserver.rules.descriptions import description_of
from tpserver.rules.discovery import Rulesets
from tpserver.rules.watchdog import LOAD_SECONDS, WATCHDOG, Caller
from tpserver.store import Store, StoreError
from tpserver.store.outbox import state_of as outbox_state

if TYPE_CHECKING:
    from tpserver.edge.holding import Holder
    from tpserver.edge.link_pb2 import Status
    from tpserver.edge.node_links import NodeLinks
    from tpserver.edge.once import Once
    from tpserver.notices.push import ServerKey
    from tpserver.notices.webhooks import Webhooks
    from tpserver.publishing.publisher import Publisher
    from tpserver.web.browsers import Browsers
    from tpserver.web.login_tokens import Credentials
    from tpserver.web.metrics import Closings, Figure

log = Logger()

COMPUTING_THREADS = 2
BOT_THREADS = 2
GARBAGE_THRESHOLDS = (50_000, 20, 50)
"""Numbers of new objects, and of collections of each younger generation, that start a collection
(`gc.set_threshold`)."""
NAME_TABLES_SECONDS = 3.0
"""Seconds after the start when the tables for the names of new accounts are read, in a thread: a tenth of a second in
which the first new account would keep everybody waiting."""
LOOK_SECONDS = 0.5
"""Seconds between checks, on an idle server, that its database still exists."""
LEAST_SILENCE = 2.0
"""Minimum seconds without a word from another node after which the link to it is closed; usually half of a lease."""
COUNT_SECONDS = 0.25
"""Seconds after which the other processes of the server are told how many connections this one has."""
LOCK_PATIENCE = 5.0
"""Maximum seconds that a starting server waits for a command line to release the store."""


class CannotStart(Exception):
    """The server cannot start; everything done so far is undone.  The message is one sentence."""


CANNOT_START = (ListenError, StoreError, PathTooLong, socket_server.AdminSocketError, ConsoleError, NoZeroconf)
"""What keeps a server from starting; the message of each is a sentence for the operator."""


def admin_places_of(config: Config) -> list[EndpointSpec]:
    """Return the endpoints at which to listen for administration consoles: one, or none."""
    return [plain(config.admin.port, config.admin.address)] if config.admin.user else []


class App:
    """A server.  Call ``start`` on the reactor's thread, and ``stop`` before the reactor stops."""

    registry: GameRegistry
    accounts: Accounts
    host: Host
    bots: Bots
    notices: NoticeDelivery
    context: AdminContext

    def __init__(
        self,
        config: Config,
        rulesets: Rulesets,
        reactor: Any,
        inherited: Mapping[str, int] = NOTHING,
        backup_command: Sequence[str] = (),
        read_config: Callable[[], Config] | None = None,
        set_log_level: Callable[[str], None] = lambda level: None,
    ) -> None:
        """``inherited`` are sockets that are listening already, by ``EndpointSpec.key``; ``backup_command`` is what
        makes a backup of this server, run as ``config.backup`` says; ``read_config`` reads the configuration again, and
        raises Refused."""
        self.config = config
        self._read_config = read_config
        self._set_log_level = set_log_level
        self._backup_command = backup_command
        self._backups: BackupSchedule | None = None
        self._inherited = inherited
        self.rulesets = rulesets
        self.reactor = reactor
        # Twisted's timers use time.time, and would stop for a day if the system's clock was set back by a day.
        reactor.seconds = steady_seconds
        self._store: Store | None = None
        self._node: Node | None = None
        self._admin_socket: socket_server.AdminSocket | None = None
        self._listeners = Listeners(())
        self._pools: list[ThreadPool] = []
        self._connection_factory = ConnectionFactory(self._session_of, config.limits, reactor, time.perf_counter)
        self._proxies = Proxies(config.proxy.addresses)
        self._connection_factory.limiter.is_proxy = self._proxies.has
        self._browsers: Browsers | None = None
        self._web_listeners = Listeners(())
        self._metrics_listeners = Listeners(())
        self._consoles: Consoles | None = None
        self._console_listeners = Listeners(())
        self._lan: Lan | None = None
        self._publisher: Publisher | None = None
        self._stopping: Deferred[None] | None = None
        self._looking: LoopingCall | None = None
        self._later: Timer | None = None
        self._operator = OperatorNotices(reactor, config.notices.operator, config.server.name)
        self._disks: DiskWatch | None = None
        self._push_key: ServerKey | None = None
        self._holder: Holder | None = None
        self._once: Once | None = None
        self._links: NodeLinks | None = None
        self._rechecks: Rechecks | None = None
        self._ask_for_successor: Callable[[], object] | None = None
        self._process = 0
        self._follows = False
        self._counts: Counts | None = None
        self._counting: Repeated | None = None

    def be_process(self, number: int, *, follows: bool, counts: Counts | None = None) -> None:
        """Be one of the processes that `cluster.processes` says, counted from 0; to be called before `start`.

        Whether it `follows` another one of this number, which has served and ended.  `counts` are the connections of
        all of them, if there are several.  The configuration is that of this process (`tpserver.config.of_process`).
        """
        self._process, self._follows, self._counts = number, follows, counts

    def be_behind_edge(self, ask_for_successor: Callable[[], object]) -> None:
        """Have clients connected to an edge, which listens for them (`tpserver.edge`); to be called before `start`.

        `ask_for_successor` has another process started, and this one stopped.
        """
        self._ask_for_successor = ask_for_successor

    @property
    def unsaved(self) -> str:
        """Why the latest changes may be lost for the next server; empty if everything is saved."""
        return "" if self._store is None or self._store.gone is None else self._store.gone.sentence

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """The listeners for clients, with the real ports; behind an edge they are its."""
        return self._listeners.all if self._holder is None else self._holder.listeners(web=False)

    @property
    def web_listener(self) -> Listener | None:
        """The listener for browsers, with the real port; None if there is none."""
        all_listeners = self._web_listeners.all if self._holder is None else self._holder.listeners(web=True)
        return next(iter(all_listeners), None)

    @property
    def console_listener(self) -> Listener | None:
        """The listener for administration consoles, with the real port; None if there is none."""
        return next(iter(self._console_listeners.all), None)

    def sockets(self) -> dict[str, int]:
        """Return the sockets at which the next server can listen, by ``EndpointSpec.key``."""
        groups = (self._listeners, self._web_listeners, self._metrics_listeners, self._console_listeners)
        return {key: number for listeners in groups for key, number in listeners.sockets().items()}

    def shared(self) -> set[str]:
        """Return the keys of those of `sockets` at which all processes of the server listen."""
        return {*self._listeners.sockets(), *self._web_listeners.sockets()}

    def login_link(self, follow: Callable[[], Awaitable[Credentials]]) -> str | None:
        """Return a URL that logs its first visitor in with what `follow` returns; None if there are no pages."""
        if self._browsers is None or self.web_listener is None:
            return None
        return self._browsers.login_link(self.web_listener, follow)

    async def start(self) -> None:
        """Open listeners and store, begin to look after the games, and start the bots.  Raises CannotStart."""
        for name, problem in self.rulesets.problems.items():
            log.error("ruleset {name} cannot be used: {problem}", name=name, problem=problem)
        try:
            await self._start()
        except CANNOT_START as error:
            await self.stop()
            raise CannotStart(str(error)) from None

    async def _start(self) -> None:
        config = self.config
        # The ports come first: if one is taken, no data directory has been created yet.  No client is served before
        # this function ends, as the reactor does not run in between.
        outside: Callable[[Any], Any] = lambda factory: factory  # noqa: E731 - of one line either way
        if config.proxy.header:
            outside = partial(
                ProxiedFactory, proxies=self._proxies, clock=self.reactor, seconds=config.limits.frame_seconds
            )
        if self._ask_for_successor is None:
            self._listeners = await listen(
                self.reactor, self._connection_factory, places_of(config), self._inherited, outside
            )
            self._web_listeners = await self._listen_for_browsers()
        else:
            await self._reach_edge()
        self._metrics_listeners = await self._listen_for_metrics()
        self._console_listeners = await self._listen_for_consoles()
        if self._counts is not None:
            self._share_ports(self._counts)
        for key in self._inherited.keys() - self.sockets().keys():
            os.close(self._inherited[key])  # which the configuration does not name any more
        made = make_directory(config.server.data)
        try:
            self._carry_out_verdicts()
            self._store = self._open_store(self.reactor)
            known = {name: rules.version for name, rules in self.rulesets.usable.items()}
            self._node = node_of(config, self._store, self.reactor, known)
            if self._node is not None:
                self._check_alone()
                if self._follows:
                    self._node.bury()  # so that nobody need wait for the end of its lease
                await self._node.start()
                self._join_cluster(self._node, self._store)
        except StoreError:
            if made:
                remove_if_empty(config.server.data)
            raise
        if config.notices.push == "on":
            from tpserver.notices.push import KEY_FILE, NoPush, ServerKey

            try:
                self._push_key = ServerKey(config.server.data / KEY_FILE)
            except NoPush as error:
                raise ListenError(str(error)) from None
        self._looking = LoopingCall(self._look_at_store)
        self._looking.clock = self.reactor
        self._looking.start(LOOK_SECONDS)
        compute, hashing = self._pool("rules", COMPUTING_THREADS), self._pool("passwords", login_queue.WIDTH)
        self.registry = GameRegistry(
            self._store,
            self.rulesets,
            self.reactor,
            compute,
            time.time,
            steady_seconds,
            config.server.order_entries,
            verdicts.read(config.server.data),
            self._node,
        )
        self.registry.idle.seconds = 60.0 * config.games.idle_minutes
        self.accounts = Accounts(self._store, config.accounts.policy, hashing, time.time, seconds=steady_seconds)
        self.accounts.names_in_use()  # read now, while no client waits
        self._later = self.reactor.callLater(NAME_TABLES_SECONDS, hashing, load_tables)
        self.host = Host(
            registry=self.registry,
            accounts=self.accounts,
            version=__version__,
            addresses=self._addresses,
            requests=REQUESTS,
            making=Making(
                config.games.create == "accounts",
                config.games.created_open,
                config.games.clock,
                lambda game: self.bots.look(game),
            ),
            notice_terms=Terms(
                self._channels(),
                config.notices.own_network == "allowed",
                push_key="" if self._push_key is None else self._push_key.public,
                calendar=self.web_listener is not None and config.notices.calendar == "on" and calendar.is_there(),
                site=config.notices.site,
            ),
            may_speak=None if self._node is None else self._node.may_speak,
        )
        mail = Later(self._mail)
        self.notices = self._deliver_notices(mail)
        self._reset_mail = ResetMail(self.registry, self.host.resets, mail, config.server.name, config.notices.site)
        feed = calendar.CalendarFeed(self.registry, time.time, config.server.name, config.notices.site)
        stop = partial(stop_notices, self._store)
        if self._links is not None and self._node is not None:
            from tpserver.edge.node_pages import NodeLogins
            from tpserver.edge.pages import calls

            self.host.logins.tag = self._node.tag
            self._links.calls = calls(self.host.logins, self.host.end_logins, stop, feed)
            if self._browsers is not None:
                logins = NodeLogins(self.host.logins, self._node, self._links)
                self._browsers.keep_logins(logins, self.host.end_logins)
        elif self._browsers is not None:
            self._browsers.keep_logins(self.host.logins, self.host.end_logins)
        if self._browsers is not None:
            self._browsers.stop_notices(stop)
            self._browsers.show_calendars(feed)
        elif self._holder is not None and self.web_listener is not None:
            from tpserver.edge.pages import calls

            self._holder.calls = calls(self.host.logins, self.host.end_logins, stop, feed)
        self._sign_in()
        self.bots = Bots(self.registry, self.reactor, self._pool("bots", BOT_THREADS))
        self.context = AdminContext(
            self.registry,
            self.accounts,
            config.games.clock,
            config.games.join,
            self.bots.look,
            self.reload,
            self.restart,
            self._drain,
            lambda: self.host.guests.are_taken,
            self._other_processes(),
        )
        self.host.administration = roles.administration(self.context)
        self._take_guests(config)
        self._guest_expiry = GuestExpiry(self.reactor, self.host.guests, self.context)
        self._thinning = Thinning(self.registry, self.reactor, parse_rule(config.games.keep_snapshots))
        self._admin_socket = socket_server.listen(self.reactor, config.server.data, self.context, self._process)
        fitting = allow_open_files(config.limits.connections)
        if fitting < config.limits.connections:
            log.warn(
                "the system allows this process files for {fitting} connections only, not {wanted}",
                fitting=fitting,
                wanted=config.limits.connections,
            )
        self.registry.load_all()
        self._compile_encoders()
        self.bots.look_at_all()
        self._schedule_backups()
        if self._process == 0:  # once is enough, and two would get in each other's way
            self._guest_expiry.start()
            self._thinning.start()
        self.notices.start()
        self._announce()
        self._publish()
        if self.host.resets.offered:
            self._reset_mail.look()
        self._begin_to_tell_operator()
        if self._links is not None:
            self._links.serve()
            self._rechecks = Rechecks(self.host, self.reactor)
            self._rechecks.start()
        if self._holder is not None:
            from tpserver.edge.once import Once

            self._once = Once(self._store, self.reactor, time.time)
            self._holder.answering = self._once.answer
            self._holder.serve()

    def _join_cluster(self, node: Node, store: Store) -> None:
        """Listen for the other nodes, and open links to them when they are needed."""
        from tpserver.edge.node_links import NodeLinks
        from tpserver.edge.once import Once

        chosen, certificates = self.config.cluster, None
        if chosen.certificate is not None and chosen.authority is not None:
            from tpserver.net.tls import node_options

            certificates = node_options(chosen.certificate, chosen.key, chosen.authority)
        self._once = Once(store, self.reactor, time.time)
        self._links = NodeLinks(
            self.reactor,
            chosen.address,
            node.cluster_id(),
            self._session,
            self._once,
            self._connection_factory.scheduler,
            self.config.limits,
            max(LEAST_SILENCE, chosen.lease_seconds / 2),
            certificates,
            listen_at=chosen.listen,
            holders=node.holders_of,
        )
        self._links.listen()

    async def _drain(self, draining: bool) -> list[str]:
        """Hand all games over to other nodes, or take games again.  Raises Refused."""
        if self._node is None:
            raise Refused("this server is in no cluster: the configuration has no [cluster] address")
        if not draining:
            await self._node.drain(False)
            return ["This node takes games again."]
        siblings = () if self.context.others is None else self.context.others.addresses
        # All processes of a server are drained together.
        if not set(self._node.others()).difference(siblings):
            raise Refused("there is no other node that could take the games of this one; see tpserver node list")
        count = await self.registry.drain()
        games = "1 game was" if count == 1 else f"{count} games were"
        if not self._node.draining:
            return [f"{games} handed over before this node was told to take games again, which it does."]
        return [f"{games} handed over; this node takes none until tpserver node undrain, or a restart."]

    async def _reach_edge(self) -> None:
        """Wait until the edge has said where it listens."""
        from tpserver.edge.holding import Holder, reach
        from tpserver.edge.process import SOCKET

        scheduler, limits = self._connection_factory.scheduler, self.config.limits
        self._holder = Holder(self._session, scheduler, self.reactor, limits, status=self._status)
        self._edge_socket = SocketPath(self.config.server.data, SOCKET)
        await reach(self.reactor, self._edge_socket.path, self._holder)

    def _status(self) -> Status:
        from tpserver.edge.link_pb2 import Status

        health = self._health() or {}
        return Status(games=int(str(health.get("games", 0))), problem=str(health.get("problem", "")))

    async def restart(self) -> list[str]:
        """Have the parent replace this process by another one; connections are kept.  Raises Refused."""
        if self._node is not None:
            raise Refused(
                "a node of a cluster keeps no connections over a restart: tpserver node drain hands its games over, "
                "then have the service manager restart it (systemctl restart tpserver)"
            )
        if self._ask_for_successor is None:
            raise Refused(
                "this server ends all connections when it restarts, so it does not by this command: have the service "
                "manager restart it (systemctl restart tpserver), or say keep_connections = true in [server] of the "
                "configuration and restart it so once (connections are then kept, see HOSTING.md)"
            )
        waiting: list[str] = []
        with suppress(Refused):  # the next process says what is wrong in the configuration
            waiting = self._kept_back()
        self._ask_for_successor()
        return ["The next process is started, and takes over as soon as it can; connections are kept.", *waiting]

    def _kept_back(self) -> list[str]:
        """Return a line for each key that has changed and that the next process does not take over either.

        Raises Refused if the configuration cannot be read.
        """
        if self._read_config is None:
            return []
        new = self._read_config()
        by_tls = self.config.tls.certificate is not None
        keys = [key for key in reloading.changed(self.config, new) if reloading.waits_for_edge(key, by_tls=by_tls)]
        return reloading.told(keys, new, by_tls=by_tls, kept=True)

    def _compile_encoders(self) -> None:
        """Prepare what encodes the objects of the games that go on."""
        usable = self.rulesets.usable
        for name in sorted({row.ruleset for row in self.registry.rows() if row.state in ("running", "waiting")}):
            if name in usable:
                try:
                    compile_encoders(
                        WATCHDOG.call(LOAD_SECONDS, partial(description_of, usable[name]), Caller(0, name))
                    )
                except Exception:
                    log.failure("the objects of ruleset {name} cannot be described", name=name)

    def _begin_to_tell_operator(self) -> None:
        """Tell the operator at addresses of his own what should not wait, if there are any."""
        config = self.config
        if not config.notices.operator:
            return
        from tpserver.admin.doctor import FREE_BYTES

        tell = self._operator.tell
        if begin_running(config.server.data, time.time(), self._process):
            held = [row.name for row in self.registry.rows() if row.state == "held"]
            text = "The server before did not stop as it was asked to; this one has taken its place. The log says more."
            tell("crash", "started after a crash", f"{text} Held games: {', '.join(held[:10]) or 'none'}.")
        if self._node is not None and self._node.went_back:
            tell("database", "the database has gone back", self._node.went_back)
        self.registry.lifecycle.held.append(
            lambda game, reason: tell(
                f"held {game.row.id}", f"the game {game.name} is held", f"Its rules failed: {reason}"
            )
        )
        places = [config.server.data, backup_directory(config)]
        self._disks = DiskWatch(
            self.reactor,
            places,
            4 * FREE_BYTES,
            lambda place, free: tell(
                f"disk {place}", "the disk is almost full", f"{free / 1e9:.1f} GB are free at {place}."
            ),
        )
        self._disks.start()

    async def reload(self) -> list[str]:
        """Read the configuration and the certificates again, and take over what can be without a restart.

        Return lines for the operator.  Raises Refused, then nothing has changed.  No connection is dropped.
        """
        if self._read_config is None:
            raise Refused("this server has no configuration to read again")
        new, old = self._read_config(), self.config
        keys = reloading.changed(old, new)
        certificate = next((at.place.tls for at in self.listeners if at.place.tls is not None), None)
        by_tls = certificate is not None or (self._holder is not None and old.tls.certificate is not None)
        lines = reloading.told(keys, new, by_tls=by_tls, kept=self._holder is not None) or [
            "Nothing has changed in the configuration."
        ]
        if by_tls and new.tls.certificate is not None:
            from tpserver.net.tls import certificate_options, days_left

            try:
                options, days = certificate_options(new.tls.certificate, new.tls.key), days_left(new.tls.certificate)
            except CertificateError as error:
                raise Refused(str(error)) from None
            if certificate is not None:  # otherwise it is the edge's, which reads it, too
                certificate.renew(options)
            lines.append(f"The certificate {new.tls.certificate} was read again; it is good for {days:.0f} days.")
        self._connection_factory.use(replace(new.limits, memory_bytes=old.limits.memory_bytes))
        if self._holder is not None:
            self._holder.limits = new.limits
            self._holder.reload()
        self.accounts.policy = new.accounts.policy
        self._take_guests(new)
        self.host.lock_down()
        self.context.clock, self.context.join = new.games.clock, new.games.join
        making = self.host.making
        making.allowed = new.games.create == "accounts"
        making.most_open, making.clock = new.games.created_open, new.games.clock
        self.registry.order_entries = new.server.order_entries
        self.registry.idle.seconds = 60.0 * new.games.idle_minutes
        self._thinning.rule = parse_rule(new.games.keep_snapshots)
        for game in self.registry.games.values():
            game.most_entries = new.server.order_entries
        if self._browsers is not None:
            self._browsers.origins.allow(new.web.origins)
        self._set_log_level(new.log.level)
        if self._consoles is not None:
            self._consoles.stream.set_level(new.log.level)
        # What waits for a restart is told again by the next reload.
        self.config = reloading.taken_over(old, new, by_tls=by_tls)
        if any(key.startswith("backup.") for key in keys):
            if self._backups is not None:
                self._backups.stop()
                self._backups = None
            self._schedule_backups()
        for line in lines:
            log.info("reload: {line}", line=line)
        return lines

    def reload_by_signal(self) -> None:
        """Reload, as the operator has said by SIGHUP; the log has what came of it."""
        if self._stopping is None and hasattr(self, "context"):
            doing = Deferred.fromCoroutine(self.reload())
            doing.addErrback(lambda failure: log.error("reload: {why}", why=failure.getErrorMessage()))

    def _sign_in(self) -> None:
        """Let accounts be logged in to through providers, if the operator names some."""
        chosen = self.config.oidc
        if not chosen.providers:
            return
        try:
            from tpserver.oidc.provider import OidcProvider
            from tpserver.oidc.sign_ins import SignIns
        except ImportError:
            text = "oidc.providers is set, but joserfc is not installed: pip install 'tpserver[oidc]'"
            raise ListenError(text) from None
        from tpserver.http_client import HttpClient  # it loads TLS

        host = self.host
        providers = [
            OidcProvider(one, HttpClient(self.reactor, own_network=one.own_network), time.time, steady_seconds)
            for one in chosen.providers
        ]
        site = chosen.site or self.config.notices.site
        check = partial(check_lockdown, host)
        host.sign_ins = SignIns(providers, self.accounts, host.logins, site, check, time.time, steady_seconds)
        if self._links is not None and self._node is not None:
            from tpserver.edge.node_pages import NodeSignIns
            from tpserver.edge.pages import sign_in_call

            host.sign_ins.tag = self._node.tag
            self._links.calls = {**self._links.calls, **sign_in_call(host.sign_ins)}
            if self._browsers is not None:
                self._browsers.sign_in(NodeSignIns(host.sign_ins, self._node, self._links))
        elif self._browsers is not None:
            self._browsers.sign_in(host.sign_ins)
        elif self._holder is not None:
            from tpserver.edge.pages import sign_in_call

            self._holder.calls = {**self._holder.calls, **sign_in_call(host.sign_ins)}

    def _take_guests(self, config: Config) -> None:
        terms, chosen = self.host.guests.terms, config.accounts
        terms.allowed, terms.most, terms.days = chosen.guests, chosen.guests_most, chosen.guest_days

    def _schedule_backups(self) -> None:
        chosen = self.config.backup
        if chosen.every_hours and self._backup_command:
            directory, seconds = backup_directory(self.config), 3600 * chosen.every_hours
            self._backups = BackupSchedule(
                self.reactor,
                self._backup_command,
                directory,
                seconds,
                time.time,
                lambda why: self._operator.tell("backup", "a backup has failed", why),
            )
            self._backups.start()

    def _channels(self) -> list[str]:
        """Return the kinds of addresses to which notices go."""
        chosen = self.config.notices
        return [*([MAIL] if chosen.mail_server else []), *(WEBHOOKS if chosen.webhooks == "on" else ()),
                *([PUSH] if chosen.push == "on" else [])]  # fmt: skip

    def _mail(self) -> NoticeChannel:
        from tpserver.notices import mail

        chosen = self.config.notices
        server = mail.mail_server(
            chosen.mail_server, chosen.mail_tls, chosen.mail_from, chosen.mail_user, chosen.mail_password
        )
        return mail.Mail(server, self._pool("mail", mail.THREADS), self.reactor)

    def _deliver_notices(self, mail: NoticeChannel) -> NoticeDelivery:
        chosen, registry = self.config.notices, self.registry

        def webhooks() -> Webhooks:
            from tpserver.notices.webhooks import Webhooks  # it loads TLS

            return Webhooks(self.reactor, time.time, own_network=chosen.own_network == "allowed")

        def push() -> NoticeChannel:
            from tpserver.notices.push import Push

            assert self._push_key is not None  # made as the server started
            contact = chosen.site if chosen.site.startswith("https:") else f"mailto:{chosen.mail_from}"
            return Push(webhooks(), self._push_key, contact, time.time)

        hooks = Later(webhooks)
        made = {MAIL: mail, PUSH: Later(push)}
        channels = {name: made.get(name, hooks) for name in self._channels()}
        delivery = NoticeDelivery(registry, self.host.is_online, channels, self.config.server.name, chosen.site)
        self.host.notices.changed = delivery.look
        return delivery

    def _carry_out_verdicts(self) -> None:
        """Hold the games whose rules ended the previous server, before any of their rules is called."""
        data, cluster = self.config.server.data, self.config.cluster

        def mine() -> list[Verdict]:
            return verdicts.read(data).of_process(self._process, cluster.processes)

        if not alone.has_left(data) and not mine():
            return
        with closing(self._open_store(None)) as store:
            alone.take_up(data)
            clock: Any = Clock()  # the node is one for a moment only, in which no timer rings
            node = node_of(self.config, store, clock)
            after: list[str] = []
            if node is not None:
                # They have ended, as they have left verdicts.  Their games are held before others may take them, who
                # are asked what has ended them as soon as they do.
                ended = {self._process, *(verdict.process for verdict in mine())}
                after = [cluster.address_of(process - self._process) for process in ended]
                result_now(node.start())
            carry_out(store, verdicts.read(data), time.time(), node, mine(), after)
            if node is not None:
                for address in after:
                    node.bury(address)
                result_now(node.stop())

    def _share_ports(self, counts: Counts) -> None:
        """Accept connections as one of several processes."""

        def connections() -> int:
            return self._connection_factory.limiter.count

        for listener in (*self._listeners.all, *self._web_listeners.all):
            SharedPort(self.reactor, listener.listening, counts, connections)
        self._counting = Repeated(self.reactor, COUNT_SECONDS, lambda: counts.put(connections()))
        self._counting.start()

    def _check_alone(self) -> None:
        """Raise AdminSocketError if another server of this data directory runs: nodes share the database."""
        data = self.config.server.data
        if somebody_listens(data, self._process):
            what = f"another server runs on the data directory {data}; each node of a cluster has one of its own"
            raise socket_server.AdminSocketError(what)

    def _other_processes(self) -> OtherProcesses | None:
        cluster, own = self.config.cluster, self._process
        if cluster.processes == 1:
            return None
        addresses = [cluster.address_of(number - own) for number in range(cluster.processes)]
        return OtherProcesses(self.reactor, self.config.server.data, addresses, own)

    def _open_store(self, reactor: Any) -> Store:
        """Open the store; wait if a command line is using it, but not for another server."""
        give_up = time.monotonic() + LOCK_PATIENCE
        while True:
            try:
                return open_store(self.config, reactor, as_node=True)
            except StoreError as error:
                if error.code != "in-use" or time.monotonic() > give_up or somebody_listens(self.config.server.data):
                    raise
            time.sleep(0.1)

    def _look_at_store(self) -> None:
        """Look whether the database is there; a node whose database has gone back ends, for the next to begin anew.

        At once, as if it was killed: nothing that is in memory is true, and listening sockets that are closed in order
        would be closed for the next process, too.
        """
        assert self._store is not None
        self._store.look()
        if self._node is not None and self._store.gone is not None and self._stopping is None and self.reactor.running:
            self._node.note()
            log.error("this process ends, so that the next one reads everything from the database as it is now")
            os._exit(1)

    async def stop(self) -> None:
        """Close everything, dependants first; the store last, after saving everything that is pending.

        A second call waits for the first to finish.
        """
        if self._stopping is not None:
            following: Deferred[None] = Deferred()
            self._stopping.chainDeferred(following)
            await following
            return
        self._stopping = Deferred()
        try:
            await self._stop()
        finally:
            self._stopping.callback(None)

    async def _stop(self) -> None:
        if self._counts is not None and self._counting is not None:
            self._counting.stop()
            self._counts.put(NOBODY)
        await self._listeners.close()
        await self._web_listeners.close()
        await self._metrics_listeners.close()
        await self._console_listeners.close()
        if self._holder is not None:
            await self._holder.leave()
        if self._links is not None:
            await self._links.leave()
        if self._lan is not None:
            await self._lan.stop()
        if self._publisher is not None:
            self._publisher.stop()
        if self._browsers is not None:
            self._browsers.close()
        if self._backups is not None:
            self._backups.stop()
        if self._disks is not None:
            self._disks.stop()
        self._operator.stop()
        if self._admin_socket is not None:
            await self._admin_socket.close()
        if hasattr(self, "_guest_expiry"):
            self._guest_expiry.stop()
        if hasattr(self, "_thinning"):
            self._thinning.stop()
        if hasattr(self, "bots"):
            self.bots.stop()
        if hasattr(self, "notices"):
            self.notices.stop()
            self._reset_mail.stop()
        if hasattr(self, "registry"):
            self.registry.stop()
        await self._connection_factory.close()
        if self._holder is not None:
            self._holder.close()
            self._edge_socket.close()
        if self._links is not None:
            self._links.close()
        if self._rechecks is not None:
            self._rechecks.stop()
        if self._once is not None:
            self._once.stop()
        if self._consoles is not None:
            await self._consoles.close()
        if self._store is not None:
            self._store.look()
            if self._node is not None:
                # What is pending is of games that are held until it is saved; whether it is, its own Deferreds tell.
                await self._store.write(lambda connection: None).addErrback(lambda failure: None)
                await self._node.stop()
            await self._store.close()
            end_running(self.config.server.data, self._process)
        if self._looking is not None and self._looking.running:
            self._looking.stop()
        if self._later is not None and self._later.active():
            self._later.cancel()
        for pool in self._pools:
            # Not waited for: results of threads that still compute are not used any more.
            threading.Thread(target=pool.stop, daemon=True).start()

    def _session_of(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> AnySession:
        """Return the session of a new connection, wherever its game is."""
        create = self._session if self._links is None else self._links.session
        return create(address, secure, send, token)

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
        return Session(self.host, Peer(address or "this machine", secure, token), send)

    def _pool(self, name: str, threads: int) -> Executor:
        pool = ThreadPool(0, threads, name)
        # A working thread must not keep the process alive.
        pool.threadFactory = partial(threading.Thread, daemon=True)  # type: ignore[assignment]
        pool.start()
        self._pools.append(pool)
        return partial(deferToThreadPool, self.reactor, pool)

    async def _listen_for_browsers(self) -> Listeners:
        places = web_places_of(self.config)
        if not places:
            return Listeners(())
        from tpserver.web.browsers import Browsers  # a tenth of a second, and 10 MB

        self._browsers = Browsers(
            self._connection_factory,
            self.reactor,
            self.config.web.ping_seconds,
            self.config.web.origins,
            self._health,
            self._proxies,
            self.config.web.tunnel == "on",
        )
        try:
            listeners: Listeners = await listen(self.reactor, self._browsers.factory, places, self._inherited)
        except ListenError as error:
            raise ListenError(f"{error} (browsers: --web-port PORT, or --web off)") from None
        return listeners

    async def _listen_for_metrics(self) -> Listeners:
        chosen = self.config.metrics
        if chosen.port is None:
            return Listeners(())
        from tpserver.web.metrics import NoMetrics, metrics_factory

        try:
            factory = metrics_factory(self._figures)
            place = web(chosen.port, chosen.address)
            listeners: Listeners = await listen(self.reactor, factory, [place], self._inherited)
        except (ListenError, NoMetrics) as error:
            raise ListenError(f"{error} ([metrics] in the configuration)") from None
        log.info("metrics: {where}/metrics", where=str(listeners.all[0]))
        return listeners

    async def _listen_for_consoles(self) -> Listeners:
        chosen, places = self.config.admin, admin_places_of(self.config)
        if not places or chosen.password is None:
            return Listeners(())
        self._consoles = Consoles(
            self.reactor,
            self.reactor.callFromThread,
            lambda: self.context,
            chosen.user,
            read_password(chosen.password),
            self.config.log.level,
            time.time,
        )
        try:
            listeners: Listeners = await listen(self.reactor, self._consoles.factory, places, self._inherited)
        except ListenError as error:
            raise ListenError(f"{error} ([admin] in the configuration)") from None
        log.info("administration consoles: {where}", where=str(listeners.all[0]))
        if not is_loopback(chosen.address):
            log.warn("what administration consoles say to {address} is not encrypted", address=chosen.address)
        return listeners

    def _announce(self) -> None:
        """Announce the games on the local network, if the operator wants that."""
        chosen = self.config.lan
        if chosen.announce == "on":
            self._lan = Lan(self.reactor, self._pool("lan", 1), self._services, chosen.interface)
            self._lan.start()
            if not chosen.interface and all(map(_is_here, self.listeners)):
                log.warn("lan.announce is on, but only this machine reaches the server; [listen] address says where")

    def _publish(self) -> None:
        """Publish the games at a metaserver, if the operator names one."""
        chosen = self.config.metaserver
        if not chosen.url:
            return
        from tpserver.http_client import HttpClient  # it loads TLS
        from tpserver.publishing.publisher import Publisher, read_secret

        try:
            secret = read_secret(self.config.server.data)
        except OSError as error:
            log.error("the games are not published: no secret can be kept: {why}", why=error.strerror or str(error))
            return
        client = HttpClient(self.reactor, own_network=True)  # it is the operator who names the host
        every = chosen.every_seconds
        self._publisher = Publisher(self.reactor, client, chosen.url, secret, every, self._published)
        self._publisher.start()
        if not self._public_ways():
            log.warn("metaserver.url is set, but only this machine reaches the server; [listen] address says where")

    def _public_ways(self) -> list[Location]:
        """Return the ways to the games that a metaserver is told."""
        host = self.config.metaserver.host
        # Who gives 127.0.0.1 as the public host has a metaserver for this machine.
        found = [(kind, listener) for kind, listener in self._ways() if is_loopback(host) or not _is_here(listener)]
        return locations_of((kind, host, listener.port) for kind, listener in found)

    def _published(self) -> Deferred[tuple[Sequence[PublicGame], Sequence[Location]]]:
        """Return what a metaserver is told, when all that it shows is saved."""
        told = public_games(self.registry, __version__, self.config.server.name), self._public_ways()
        waiting = saved(self.registry.games.values())
        return succeed(told) if waiting is None else waiting.addCallback(lambda _: told)

    def _services(self) -> Deferred[list[Service]]:
        """Return what is announced on the local network, when all that it shows is saved."""
        found = [At(kind, listener.host, listener.port) for kind, listener in self._ways()]
        games = public_games(self.registry, __version__, self.config.server.name)
        services = services_of(games, found, self.config.lan.interface)
        waiting = saved(self.registry.games.values())
        return succeed(services) if waiting is None else waiting.addCallback(lambda _: services)

    def _figures(self) -> tuple[list[Figure], Closings]:
        """Return what Prometheus is told."""
        from tpserver.web.metrics import Closings, Figure

        figures = [
            Figure("connections", "Open connections.", "gauge", self._connections()),
            Figure("frames", "Requests of clients.", "counter", EVENTS.frames),
            Figure("notices", "Frames that no client has requested.", "counter", EVENTS.notices),
            Figure("orders", "Orders that were accepted.", "counter", EVENTS.orders),
            Figure("logins", "Logins.", "counter", EVENTS.logins),
            Figure("refused_logins", "Logins that were refused.", "counter", EVENTS.refused_logins),
            Figure("seats_taken", "Seats that were taken.", "counter", EVENTS.seats),
            Figure("games_held", "Games held because their rules failed.", "counter", EVENTS.holds),
            Figure("memory_bytes", "Memory of this process.", "gauge", memory_of(os.getpid())),
        ]
        newest = next(iter(made_in(backup_directory(self.config))), None)
        backup = 0.0 if newest is None else time_of(newest)
        figures.append(Figure("backup_timestamp_seconds", "When the newest backup was begun.", "gauge", backup))
        if self._store is not None and hasattr(self, "context"):
            states = Counter(row.state for row in self.registry.rows())
            killed = self.registry.killed_rules
            figures += [
                Figure("store_queue", "Changes that are not saved yet.", "gauge", self._store.pending),
                Figure("store_gone", "Whether nothing can be saved any more.", "gauge", self._store.gone is not None),
                Figure("games", "Games.", "gauge", states, "state"),
                Figure("rules_killed", "Servers that rules have ended since the games were resumed.", "gauge", killed),
                *self._figures_of_notices(self._store),
            ]
        return figures, Closings(list(EVENTS.turns), EVENTS.turn_seconds)

    def _figures_of_notices(self, store: Store) -> list[Figure]:
        from tpserver.web.metrics import Figure

        down, now = self.notices.down(), time.time()
        delivered = {name: EVENTS.delivered[name] for name in down}
        undelivered = {name: EVENTS.undelivered[name] for name in down}
        figures = [
            Figure("channels_down", "Whether a channel can deliver nothing.", "gauge", down, "channel"),
            Figure("deliveries", "Notices that arrived.", "counter", delivered, "channel"),
            Figure("failed_deliveries", "Tries that failed.", "counter", undelivered, "channel"),
        ]
        try:
            outbox = store.read(outbox_state, now)
        except StoreError:  # the other figures say what is wrong with the store
            return figures
        oldest = 0.0 if outbox.oldest is None else max(0.0, now - outbox.oldest)
        return [
            *figures,
            Figure("outbox_waiting", "Notices that are to be sent, now or later.", "gauge", outbox.waiting),
            Figure("outbox_due", "Notices whose time has come.", "gauge", outbox.due),
            Figure("outbox_failed", "Notices that were tried in vain and wait.", "gauge", outbox.failed),
            Figure("outbox_failed_seconds", "Age of the oldest notice that was tried in vain.", "gauge", oldest),
            Figure("addresses_given_up", "Addresses of players that get no notices.", "gauge", outbox.given_up),
        ]

    def _health(self) -> dict[str, object] | None:
        """Return the public status while the server serves, else None; "problem" tells why it cannot go on."""
        if self._stopping is not None or self._store is None or not hasattr(self, "context"):
            return None
        if self._store.gone is not None:
            return {"problem": "the database is gone, and nothing is saved"}
        running = sum(row.state == "running" for row in self.registry.rows())
        return {"games": running, "connections": self._connections()}

    def _connections(self) -> int:
        return self._connection_factory.limiter.count if self._holder is None else len(self._holder.relays)

    def _addresses(self) -> list[tuple[str, str, int]]:
        """Return (type, host, port) of the listeners for clients, and of that for tunnels."""
        return [(kind, _reachable(listener.host), listener.port) for kind, listener in self._ways()]

    def _ways(self) -> list[tuple[str, Listener]]:
        """Return the listeners by which clients reach the games, and the types of these ways."""
        found = [("tps" if listener.secure else "tp", listener) for listener in self.listeners if listener.port]
        tunnel = self.web_listener if self.config.web.tunnel == "on" else None
        # What only this machine reaches is not named to others.
        if tunnel is not None and tunnel.port and (not is_loopback(tunnel.host) or all(map(_is_here, self.listeners))):
            found.append(("tp+https" if tunnel.secure else "tp+http", tunnel))
        return found


def run_reactor(reactor: Any, app: App, main: Callable[[], Awaitable[int | None]]) -> int:
    """Start a server and run ``main`` until it returns an exit code, or until a signal ends the server with code 0.

    If ``main`` returns None the server runs until a signal comes.

    Raises what starting or ``main`` raises, after everything is closed.
    """
    outcome: list[int] = []
    errors: list[BaseException] = []

    async def everything() -> None:
        try:
            give_back_large_blocks()
            await app.start()
            collect_garbage_rarely()
            code = await main()
            if code is None:
                return
            outcome.append(code)
        except Exception as error:
            errors.append(error)
        if reactor.running:
            reactor.stop()

    reactor.addSystemEventTrigger("before", "shutdown", lambda: Deferred.fromCoroutine(app.stop()))
    reactor.callWhenRunning(lambda: Deferred.fromCoroutine(everything()))
    reactor.run()
    if errors:
        raise errors[0]
    return outcome[0] if outcome else 0


def collect_garbage_rarely() -> None:
    """Make garbage collections rarer, and exclude all present objects from them.

    Thousands of requests that wait for one commit are many new objects but no garbage; a collection every 700
    allocations takes a fifth of the time of an order.  Reference counting is not affected.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)


def _is_here(listener: Listener) -> bool:
    """Return whether only this machine reaches a listener."""
    return not listener.port or is_loopback(listener.host)


def _reachable(host: str) -> str:
    """Return a name by which other machines may reach a listener at ``host``."""
    return socket.gethostname() if host in ("0.0.0.0", "::") else host
