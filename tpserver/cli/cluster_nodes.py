"""``tpserver node list``: the nodes of the cluster."""

from __future__ import annotations

import argparse

from tpserver.admin.columns import when
from tpserver.admin.listing import Listing, Row
from tpserver.cli.log import be_quiet
from tpserver.cli.options import Failed, config_of
from tpserver.cli.output import say_list
from tpserver.store import StoreError
from tpserver.store.database import ReadOnly
from tpserver.store.games import nodes
from tpserver.store.games.nodes import NodeRow


def _state(node: NodeRow) -> str:
    if node.left <= 0:
        return "dead"
    return "draining" if node.draining else "lives"


def _row(node: NodeRow) -> Row:
    state = _state(node)
    return Row(
        {
            "node": node.id,
            "address": node.address,
            "version": node.version,
            "started": node.started,
            "state": state,
            "games": node.games,
        },
        (node.id, node.address, node.version, when(node.started), state, node.games),
    )


def list_all(options: argparse.Namespace) -> int:
    """List the stored nodes of the cluster, with those that died within the last day."""
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
    rows = [_row(node) for node in found if node.left > -nodes.KEPT_SECONDS or node.games]
    head = ("NODE", "ADDRESS", "VERSION", "STARTED", "STATE", "GAMES")
    return say_list(Listing(("node", "address"), rows, head), options)
