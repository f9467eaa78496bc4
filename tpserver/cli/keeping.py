"""``tpserver run --edge``: the portal, as the supervisor starts it."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from tpserver import log_lines
from tpserver.admin.socket_protocol import OperationError
from tpserver.cli import log as server_log
from tpserver.cli.arguments import UsageError
from tpserver.cli.options import Failed, config_of
from tpserver.config import Config
from tpserver.portal.portal import CannotKeep, EdgeProcess
from tpserver.reactors import run
from tpserver.rules.call_limits import WATCHDOG
from tpserver.supervisor.child import Orphan
from tpserver.supervisor.link import BEAT_SECONDS, SupervisorLink

log = Logger()


def keep(options: argparse.Namespace) -> int:
    """Keep connections until SIGTERM; then close the listeners, answer pending requests, and return 0."""
    server_log.be_quiet()
    link = SupervisorLink(options.child_of)
    from twisted.internet import reactor as twisted_reactor

    reactor: Any = twisted_reactor  # Twisted's annotations are too narrow
    try:
        link.begin()
    except Orphan:
        return 0
    config = server_log.as_parent(config_of(options))
    log_lines.use(config.log.format)
    set_log_level = server_log.begin(config.log.level, options.debug or config.log.level == "debug", config.log.format)

    def read_again() -> Config:
        try:
            new = config_of(options)
        except UsageError as error:
            raise OperationError(str(error)) from None
        return replace(new, log=replace(new.log, level="debug")) if options.debug else new

    process = EdgeProcess(config, reactor, link.sockets, read_again, set_log_level)

    async def ready() -> None:
        link.ready(process.sockets())
        LoopingCall(link.beat).start(BEAT_SECONDS)
        where = ", ".join(str(listener) for listener in process.listeners)
        log.info("connections are kept by a process of their own, which listens on {where}", where=where)

    try:
        run(reactor, process, ready)
    except CannotKeep as error:
        raise Failed(str(error)) from None
    WATCHDOG.page.beat(-1.0)
    return 0
