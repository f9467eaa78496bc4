"""Games, accounts and sessions of a server, with the bots and notifications for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from twisted.logger import Logger

from tpserver import __version__
from tpserver.accounts import login_queue
from tpserver.accounts.accounts import Accounts
from tpserver.admin.operator_notices import OperatorNotices
from tpserver.bots import Bots
from tpserver.cluster.node import Node
from tpserver.config import Config
from tpserver.games.core import crash_record
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.turns.turn_timers import steady_seconds
from tpserver.names import load_tables
from tpserver.notices import calendar
from tpserver.notices.contacts import Terms
from tpserver.notices.delivery import NoticeDelivery
from tpserver.notices.mail_queue import MailQueue
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.play.objects import compile_encoders
from tpserver.requests.session import pipeline
from tpserver.requests.session.session import CreationPolicy, Host
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG, Caller
from tpserver.rules.descriptions import description_of
from tpserver.rules.discovery import Rulesets
from tpserver.server.notices import build_delivery, channels_of, push_key_of
from tpserver.server.pages import sign_ins_of
from tpserver.server.process import Process
from tpserver.server.shutdown import Stage
from tpserver.store import Store
from tpserver.subscriptions import (
    subscribe_bots,
    subscribe_mail,
    subscribe_notices,
    subscribe_operator,
    subscribe_sessions,
)

log = Logger()

COMPUTING_THREADS = 2
BOT_THREADS = 2
NAME_TABLES_SECONDS = 3.0
"""Seconds after the start when a thread reads the tables of names.

Otherwise the first new account would block the server for a tenth of a second.
"""


@dataclass(frozen=True)
class Services:
    """All services of one process."""

    registry: GameRegistry
    accounts: Accounts
    host: Host
    bots: Bots
    notices: NoticeDelivery
    account_mail: Sequence[MailQueue[Any]]

    def use(self, config: Config) -> None:
        """Apply the keys that need no restart."""
        self.accounts.policy = config.accounts.policy
        self.host.accounts.created.most = config.accounts.created_per_hour
        terms, chosen = self.host.guests.terms, config.accounts
        terms.allowed, terms.most, terms.days = chosen.guests, chosen.guests_most, chosen.guest_days
        self.host.lock_down()
        making = self.host.making
        making.allowed = config.games.create == "accounts"
        making.most_open, making.clock = config.games.created_open, config.games.clock
        self.registry.order_entries = config.server.order_entries
        self.registry.idle.seconds = 60.0 * config.games.idle_minutes
        for game in self.registry.games.values():
            game.most_entries = config.server.order_entries

    def subscribe(self, operator: OperatorNotices) -> None:
        """Subscribe all parts to events, in the order of their calls."""
        bus = self.registry.bus
        subscribe_sessions(bus, self.host)
        subscribe_bots(bus, self.bots)
        subscribe_notices(bus, self.notices)
        for queue in self.account_mail:
            subscribe_mail(bus, queue)
        subscribe_operator(bus, operator)

    def compile_encoders(self, rulesets: Rulesets) -> None:
        """Prepare the encoders for the objects of running games."""
        for name in sorted(
            {row.ruleset for row in self.registry.directory.rows() if row.state in ("running", "waiting")}
        ):
            if (rules := rulesets.usable.get(name)) is not None:
                try:
                    compile_encoders(WATCHDOG.call(LOAD_SECONDS, partial(description_of, rules), Caller(0, name)))
                except Exception:
                    log.failure("the objects of ruleset {name} cannot be described", name=name)


def build_services(
    process: Process,
    rulesets: Rulesets,
    store: Store,
    node: Node | None,
    addresses: Callable[[], Sequence[tuple[str, str, int]]],
    has_pages: bool,
) -> Services:
    """Build the services; none of them begins to run. ``addresses`` are those of `Host`. Raises ListenError."""
    config, reactor = process.config, process.reactor
    push_key = push_key_of(config)
    compute, hashing = process.pool("rules", COMPUTING_THREADS), process.pool("passwords", login_queue.WIDTH)
    registry = GameRegistry(
        store,
        rulesets,
        reactor,
        compute,
        time.time,
        steady_seconds,
        config.server.order_entries,
        crash_record.read(config.server.data),
        node,
    )
    process.shutdown.add(Stage.GAMES, registry.stop)
    bus, policy = registry.bus, config.accounts.policy
    accounts = Accounts(store, policy, hashing, time.time, seconds=steady_seconds, bus=bus)
    accounts.names_in_use()  # read now, while no client waits
    later = reactor.callLater(NAME_TABLES_SECONDS, hashing, load_tables)
    process.shutdown.add(Stage.TIMERS, lambda: later.active() and later.cancel())
    host = Host(
        registry=registry,
        accounts=accounts,
        version=__version__,
        addresses=addresses,
        requests=REQUESTS,
        answer=pipeline.answer,
        making=CreationPolicy(bring_bots=lambda game: bots.look(game)),
        notice_terms=Terms(
            channels_of(config),
            config.notices.own_network == "allowed",
            push_key="" if push_key is None else push_key.public,
            calendar=has_pages and config.notices.calendar == "on" and calendar.is_there(),
            site=config.notices.site,
        ),
        may_speak=None if node is None else node.may_speak,
        tag=str if node is None else node.tag,
    )
    delivery, account_mail = build_delivery(process, host, push_key)
    host.sign_ins = sign_ins_of(process, host)
    bots = Bots(registry, reactor, process.pool("bots", BOT_THREADS))
    process.shutdown.add(Stage.BOTS, bots.stop)
    services = Services(registry, accounts, host, bots, delivery, account_mail)
    services.use(config)
    return services
