"""``tpserver run``: run a server until it is stopped."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tpserver import __version__, log_lines
from tpserver.admin.offline import DATABASE
from tpserver.admin.socket_protocol import OperationError
from tpserver.cli import log as server_log
from tpserver.cli.arguments import UsageError
from tpserver.cli.options import Failed, config_of
from tpserver.config import Config, of_process
from tpserver.endpoints import web_places_of
from tpserver.games.terms.clock import parse_clock
from tpserver.reactors import can_encrypt
from tpserver.rules.call_limits import WATCHDOG
from tpserver.rules.discovery import discover
from tpserver.server.assembly import App, CannotStart
from tpserver.server.process import Launch
from tpserver.server.running import run_reactor
from tpserver.store import Store
from tpserver.store.backends.urls import sqlite_url
from tpserver.supervisor import unsupervised
from tpserver.supervisor.child import Orphan
from tpserver.supervisor.link import BEAT_SECONDS, SupervisorLink
from tpserver.supervisor.service_manager import ServiceManager
from tpserver.supervisor.supervisor import has_terminal
from tpserver.supervisor.unsupervised import Alone
from tpserver.wire.net.sharing import Counts

log = Logger()

AS_IT_STARTED = "; the running server knows the rulesets as they were when it started: restart it to use a newer one"


def warm_up(config: Config) -> None:
    """Import the modules for a store and browsers, so that a waiting spare server starts faster."""
    if web_places_of(config):
        import tpserver.wire.web.browsers  # noqa: F401 - App uses it
    with tempfile.TemporaryDirectory(prefix="tpserver-") as directory:
        Store.open(sqlite_url(Path(directory) / DATABASE), reactor=None).close()


def backup_command(options: argparse.Namespace, config: Config) -> list[str]:
    """Return the command with which a server starts its backups. The URL of its database stays in the file."""
    command = [
        sys.executable,
        "-P",
        "-m",
        "tpserver.cli",
        "backup",
        "--gently",
        "--data",
        str(config.server.data.absolute()),
    ]
    return [*command, *(["--config", str(options.config.absolute())] if options.config is not None else [])]


def run(options: argparse.Namespace) -> int:
    """Run until SIGINT or SIGTERM.

    Then close the listeners, answer pending requests, save, and return 0. Under a supervisor it begins when the
    supervisor allows it.
    """
    server_log.be_quiet()
    link = None if options.child_of is None else SupervisorLink(options.child_of)
    from twisted.internet import reactor as twisted_reactor

    reactor: Any = twisted_reactor  # Twisted's annotations are too narrow
    if link is not None:
        warm_up(config_of(options))
        link.loaded()
        try:
            link.begin()
        except Orphan:
            return 0
    number = 0 if link is None else link.number
    config = of_process(config_of(options), number)
    if link is not None:
        config = server_log.as_parent(config)
    log_lines.use(config.log.format)
    if link is None and config.cluster.processes > 1:
        raise Failed(
            f"cluster.processes is {config.cluster.processes}, but without a parent process (--no-parent) there is one"
        )
    if number and not config.cluster.address:
        raise Failed("the configuration no longer has [cluster], but this is one of several processes")
    if config.may_encrypt and not can_encrypt():  # the file was changed while this process waited as a spare
        raise Failed("the configuration has asked for TLS since this process has loaded its modules without it")
    set_log_level = server_log.begin(
        config.log.level,
        options.debug or config.log.level == "debug",
        config.log.format,
        number if config.cluster.processes > 1 else None,
    )

    def read_again() -> Config:
        try:
            new = of_process(config_of(options), number)
        except UsageError as error:
            raise OperationError(str(error)) from None
        # A debugging operator sees everything, regardless of the file.
        return replace(new, log=replace(new.log, level="debug")) if options.debug else new

    rulesets = replace(discover(unusable={} if link is None else link.unusable), hint=AS_IT_STARTED)
    launch = Launch(backup_command=backup_command(options, config), read_config=read_again, set_log_level=set_log_level)
    if link is not None:
        launch = replace(
            launch,
            number=number,
            follows=link.follows,
            counts=None if link.counts is None else Counts(link.counts, number),
            sockets=link.sockets,
            ask_for_successor=link.ask_for_successor if config.server.keep_connections else None,
        )
    elif config.server.keep_connections:
        log.warn("server.keep_connections is set, but without a parent process there is nobody to keep them")
    app = App(config, rulesets, reactor, launch)

    if link is not None or not has_terminal():
        signal.signal(signal.SIGHUP, lambda *_: reactor.callFromThread(app.reload_by_signal))
    guards: list[Alone] = []
    manager = ServiceManager({} if link is not None else None)  # a parent speaks for itself
    reactor.addSystemEventTrigger("before", "shutdown", manager.stopping)

    async def ready() -> None:
        if link is not None:
            link.ready(app.sockets(), app.shared())
            LoopingCall(link.beat).start(BEAT_SECONDS)
        else:
            guards.append(Alone(config.server.data))
            LoopingCall(guards[0].beat).start(unsupervised.BEAT_SECONDS)
            if manager.watchdog_seconds:
                LoopingCall(lambda: manager.alive(time.monotonic())).start(manager.watchdog_seconds / 8)
            manager.ready("serves")
        where = ", ".join(str(listener) for listener in app.listeners)
        log.info(
            "tpserver {version} listens on {where}; data in {data}; {browsers}; accounts: {accounts}; games: {games}",
            version=__version__,
            where=where,
            browsers="no browsers" if app.web_listener is None else f"browsers: {app.web_listener}",
            data=str(config.server.data),
            accounts=config.accounts.policy,
            games=", ".join(row.name for row in app.registry.directory.rows()) or "none",
        )

    for note in parse_clock(config.games.clock).notes():
        log.warn("games.clock in the configuration: {note}", note=note)
    try:
        code = run_reactor(reactor, app, ready)
        WATCHDOG.page.beat(-1.0)
        for guard in guards:
            guard.stop()
    except CannotStart as error:
        raise Failed(str(error)) from None
    if app.unsaved:
        log.error("stopped, but not everything is saved. {why}", why=app.unsaved)
        return 1
    log.info("stopped; everything is saved")
    return code
