"""``tpserver metaserver``: run a metaserver until it is stopped."""

from __future__ import annotations

import argparse
from typing import Any

from tpserver.cli import log as log_lines
from tpserver.cli.options import Failed
from tpserver.metaserver.service import Metaserver, MetaserverError
from tpserver.metaserver.service import run as run_reactor
from tpserver.wire.net.errors import ListenError


def metaserver(options: argparse.Namespace) -> int:
    """Run until SIGINT or SIGTERM; then save the list and return 0."""
    log_lines.be_quiet()
    from twisted.internet import reactor as twisted_reactor

    reactor: Any = twisted_reactor  # Twisted's annotations are too narrow
    log_lines.begin("info", options.debug)
    try:
        made = Metaserver(reactor, options.file, options.proxy)
    except ValueError as error:
        raise Failed(f"--proxy: {error}") from None
    try:
        run_reactor(reactor, made, options.address, options.port)
    except (ListenError, MetaserverError) as error:
        raise Failed(str(error)) from None
    return 0
