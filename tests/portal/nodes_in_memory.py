"""Nodes of a cluster on PostgreSQL, with links and clients in memory."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from sqlalchemy import create_engine
from twisted.internet import error
from twisted.python.failure import Failure

from tests.portal.portal_in_memory import EdgeClient, Link
from tests.support.server_in_memory import Server, rulesets
from tpserver.portal.http_calls import NodeLogins, calls
from tpserver.portal.idempotency import Idempotency
from tpserver.portal.peer_links import NodeLinks
from tpserver.requests.session.session import Peer, Session
from tpserver.rules.descriptions import description_of
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits


async def _nothing(token: str) -> bool:
    """Of what pages ask for only logins are here."""
    return False


class NodeInMemory:
    """A node, which clients connect to as to an `EdgeServer`; its reactor is that of its server, and opens links."""

    def __init__(self, cluster: ClusterInMemory, server: Server, name: str) -> None:
        self.cluster = cluster
        self.server = server
        self.name = name
        assert server.node is not None
        self.is_dead = False
        self.limits = Limits()
        once = Idempotency(server.store, server.clock, server.now)
        self.connections = ConnectionFactory(self._session, self.limits, server.clock)
        scheduler = self.connections.scheduler
        self.links = NodeLinks(
            self,
            f"{name}:6926",
            cluster.id,
            self._local,
            once,
            scheduler,
            self.limits,
            silence=5.0,
            holders=server.node.holders_of,
        )
        server.host.logins.tag = server.node.tag
        self.links.calls = calls(server.host.logins, server.host.end_logins, _nothing, _nothing)  # type: ignore[arg-type]
        self.logins = NodeLogins(server.host.logins, server.node, self.links)
        self.links.serve()

    def _session(self, *words: Any) -> Any:
        return self.links.session(*words)

    def _local(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
        return Session(self.server.host, Peer(address, secure, token), send)

    # --- a reactor

    def callLater(self, delay: float, call: Callable[..., Any], *words: Any) -> Any:
        return self.server.clock.callLater(delay, call, *words)

    def seconds(self) -> float:
        return self.server.clock.seconds()

    def connectTCP(self, host: str, port: int, factory: Any, timeout: float) -> None:
        self.callLater(0, self._connect, host, factory)

    def _connect(self, host: str, factory: Any) -> None:
        other = self.cluster.nodes.get(host)
        if other is None or other.is_dead:
            factory.clientConnectionFailed(None, Failure(error.ConnectionRefusedError()))
        else:
            link = Link(factory.buildProtocol(None), other.links.accepted())
            self.cluster.links.append((self, other, link))

    # --- clients

    def pump(self) -> None:
        self.cluster.pump()

    def game(self) -> Any:
        """The facts about the game that a client needs, at any node."""
        return SimpleNamespace(description=description_of(rulesets().named("auction")))

    def connect(self, dialect: str = "tp04", *, name: str = "", game: str = "") -> EdgeClient:
        """Return a connection; with a name it is logged in."""
        client = EdgeClient(self, dialect)
        if name:
            answer = client.ask("login", username=f"{name}@{game}" if game else name, password=f"{name}'s word")
            assert answer.name == "okay", answer
        return client


class ClusterInMemory:
    """The nodes by name, and the links between them."""

    def __init__(self, url: str, open_server: Callable[..., Server]) -> None:
        self.id = "the cluster"
        self.nodes: dict[str, NodeInMemory] = {}
        self.links: list[tuple[NodeInMemory, NodeInMemory, Link]] = []
        self._engine = create_engine(url)
        self._open_server = open_server

    def add(self, name: str, **more: Any) -> NodeInMemory:
        self.nodes[name] = NodeInMemory(self, self._open_server(name, **more), name)
        return self.nodes[name]

    def pump(self) -> None:
        """Let everything arrive that is on its way."""
        busy = True
        while busy:
            for node in self.nodes.values():
                if not node.is_dead:
                    node.server.settle()
            busy = sum(link.pump() for _, _, link in self.links) > 0

    def pass_time(self, seconds: float) -> None:
        """Let time pass for all nodes that are not dead, a tenth of a second at a time."""
        for _ in range(round(10 * seconds)):
            for node in self.nodes.values():
                if not node.is_dead:
                    node.server.pass_time(0.1)
            self.pump()

    def expire(self, node: NodeInMemory) -> None:
        """For the database the lease of a node has run out."""
        assert node.server.node is not None
        with self._engine.begin() as connection:
            connection.exec_driver_sql(
                "UPDATE nodes SET until = extract(epoch FROM clock_timestamp()) - 1 WHERE id = %s",
                (node.server.node.id,),
            )

    def kill(self, node: NodeInMemory, *, answers_are_lost: bool = False) -> None:
        """End a node as a power cut would.

        Requests that it has not read are lost. With ``answers_are_lost`` it carries them out, and only the answers are
        lost.
        """
        for _, holder, link in self.links:
            if holder is node and link.is_open:
                if answers_are_lost:
                    written, link.transports[0].written = link.transports[0].written, []
                    for data in written:
                        link.ends[1].dataReceived(data)
                    node.server.settle()
                    assert link.transports[1].written, "there are no answers"
                link.transports[0].written.clear()
                link.transports[1].written.clear()
        node.is_dead = True
        for edge, holder, link in self.links:
            if node in (edge, holder):
                link.cut()

    def close(self) -> None:
        self._engine.dispose()
