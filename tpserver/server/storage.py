"""Opening of the database, and of its cluster, by a starting server."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, Any

from twisted.internet.task import Clock
from twisted.logger import Logger

from tpserver.admin import socket_server
from tpserver.admin.offline import node_of, open_store
from tpserver.admin.socket_client import somebody_listens
from tpserver.cluster.node import Node
from tpserver.concurrency import result_now
from tpserver.config import Config
from tpserver.games.core import crash_record
from tpserver.games.core.crash_record import Verdict
from tpserver.games.turns.suspension import carry_out
from tpserver.requests.session.session import Session
from tpserver.server.process import Process
from tpserver.server.shutdown import Stage
from tpserver.store import Store, StoreError
from tpserver.supervisor import unsupervised
from tpserver.wire.net.scheduling import Scheduler

if TYPE_CHECKING:
    from tpserver.portal.peer_links import NodeLinks

log = Logger()

LocalSession = Callable[[str, bool, Callable[[bytes], None], str], Session]

LEAST_SILENCE = 2.0
"""Minimum seconds of silence of another node after which the link to it is closed. Usually it is half of a lease."""
LOCK_PATIENCE = 5.0
"""Maximum seconds that a starting server waits for a command line to release the store."""


def open_patiently(config: Config, reactor: Any) -> Store:
    """Open the store; wait if a command line is using it, but not for another server."""
    give_up = time.monotonic() + LOCK_PATIENCE
    while True:
        try:
            return open_store(config, reactor, as_node=True)
        except StoreError as error:
            if error.code != "in-use" or time.monotonic() > give_up or somebody_listens(config.server.data):
                raise
        time.sleep(0.1)


def carry_out_verdicts(config: Config, process: int) -> None:
    """Suspend the games whose rules ended the previous server, before calling any of their rules."""
    data, cluster = config.server.data, config.cluster

    def mine() -> list[Verdict]:
        return crash_record.read(data).of_process(process, cluster.processes)

    if not unsupervised.has_left(data) and not mine():
        return
    with closing(open_patiently(config, None)) as store:
        unsupervised.take_up(data)
        clock: Any = Clock()  # the node exists only for a moment, without timers
        node = node_of(config, store, clock)
        after: list[str] = []
        if node is not None:
            # These processes have ended, as they left verdicts. Their games are suspended before other nodes may take
            # them.
            ended = {process, *(verdict.process for verdict in mine())}
            after = [cluster.address_of(number - process) for number in ended]
            result_now(node.start())
        carry_out(store, crash_record.read(data), time.time(), node, mine(), after)
        if node is not None:
            for address in after:
                node.bury(address)
            result_now(node.stop())


def check_alone(config: Config, process: int) -> None:
    """Raise AdminSocketError if another server of this data directory runs, as nodes share the database."""
    data = config.server.data
    if somebody_listens(data, process):
        what = f"another server runs on the data directory {data}; each node of a cluster has one of its own"
        raise socket_server.AdminSocketError(what)


def end_if_gone_back(store: Store, node: Node | None) -> None:
    """End this process at once, as if killed, if it is a node whose database has lost changes.

    Its memory is invalid. An orderly stop would also close the listening sockets for the next process.
    """
    if node is not None and store.gone is not None:
        node.note()
        log.error("this process ends, so that the next one reads everything from the database as it is now")
        os._exit(1)


def link_nodes(process: Process, node: Node, store: Store, session: LocalSession, scheduler: Scheduler) -> NodeLinks:
    """Listen for the other nodes, and open links to them on demand."""
    from tpserver.portal.idempotency import Idempotency
    from tpserver.portal.peer_links import NodeLinks

    config, reactor, shutdown = process.config, process.reactor, process.shutdown
    chosen, certificates = config.cluster, None
    if chosen.certificate is not None and chosen.authority is not None:
        from tpserver.wire.net.tls import node_options

        certificates = node_options(chosen.certificate, chosen.key, chosen.authority)
    once = Idempotency(store, reactor, time.time)
    shutdown.add(Stage.IDEMPOTENCY, once.stop)
    links = NodeLinks(
        reactor,
        chosen.address,
        node.cluster_id(),
        session,
        once,
        scheduler,
        config.limits,
        max(LEAST_SILENCE, chosen.lease_seconds / 2),
        certificates,
        listen_at=chosen.listen,
        holders=node.holders_of,
    )
    shutdown.add(Stage.LINKS_LEAVE, links.leave)
    shutdown.add(Stage.LINKS_CLOSE, links.close)
    links.listen()
    return links


def is_cut_off(node: Node | None) -> bool:
    """Return whether a node may not send data from its memory now."""
    return node is not None and not node.may_speak()


async def leave_cluster(node: Node, store: Store) -> None:
    """Save pending changes, and release all games of a node."""
    # The pending changes belong to games that stay held until they are saved. Their own Deferreds report the result.
    await store.write(lambda connection: None).addErrback(lambda failure: None)
    await node.stop()
