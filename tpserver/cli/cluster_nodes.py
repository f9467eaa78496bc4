"""``tpserver node``."""

from __future__ import annotations

import argparse

from tpserver.admin.columns import table
from tpserver.admin.game_listing import when
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say
from tpserver.store import StoreError, nodes
from tpserver.store.database import ReadOnly
from tpserver.store.nodes import NodeRow


def _state(node: NodeRow) -> str:
    if node.left <= 0:
        return "dead"
    return "draining" if node.draining else "lives"


def list_all(options: argparse.Namespace) -> int:
    """List the nodes of the cluster, those that have died within the last day among them, as the database has them."""
    be_quiet()
    config = config_of(options)
    if not config.cluster.address:
        raise Failed("this server is in no cluster: the configuration has no [cluster] address")
    try:
        database = ReadOnly(config.server.store)
        try:
            found = database.read(nodes.all_nodes)
        finally:
            database.close()
    except StoreError as error:
        raise Failed(error.sentence) from None
    rows = [
        (node.id, node.address, node.version, when(node.started), _state(node), str(node.games))
        for node in found
        if node.left > -nodes.KEPT_SECONDS or node.games
    ]
    say(*table(("NODE", "ADDRESS", "VERSION", "STARTED", "STATE", "GAMES"), rows))
    return 0
