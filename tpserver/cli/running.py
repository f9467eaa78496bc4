"""``tpserver run``: a server until it is told to stop."""

from __future__ import annotations

import argparse
from dataclasses import replace

from twisted.logger import Logger

from tpserver import __version__
from tpserver.app import App, CannotStart, run_reactor
from tpserver.cli import log as log_lines
from tpserver.cli.commands import Failed, config_of
from tpserver.rules.discovery import discover

log = Logger()

AS_IT_STARTED = "; the running server knows the rulesets as they were when it started: restart it to use a newer one"


def run(options: argparse.Namespace) -> int:
    """Run until SIGINT or SIGTERM; then close the listeners, answer what was asked, save, and return 0."""
    said = {
        "listen.port": options.port,
        "listen.endpoints": options.listen,
        "web.endpoint": options.web,
        "web.port": options.web_port,
        "accounts.policy": options.accounts,
    }
    config = config_of(options, said)
    log_lines.begin(config.log.level, options.debug or config.log.level == "debug")
    from twisted.internet import reactor  # the best for this system: epoll on Linux

    app = App(config, replace(discover(), hint=AS_IT_STARTED), reactor)

    async def ready() -> None:
        where = ", ".join(str(listener) for listener in app.listeners)
        log.info(
            "tpserver {version} listens on {where}; data in {data}; {browsers}; accounts: {accounts}; games: {games}",
            version=__version__,
            where=where,
            browsers="no browsers" if app.web_listener is None else f"browsers: {app.web_listener}",
            data=str(config.server.data),
            accounts=config.accounts.policy,
            games=", ".join(row.name for row in app.shelf.rows()) or "none",
        )

    try:
        code = run_reactor(reactor, app, ready)
    except CannotStart as error:
        raise Failed(str(error)) from None
    if app.unsaved:
        log.error("stopped, but not everything is saved. {why}", why=app.unsaved)
        return 1
    log.info("stopped; everything is saved")
    return code
