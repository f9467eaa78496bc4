"""Links of this node to the other nodes of its cluster.

The node opens a link as a portal, and accepts links as an engine. Each node listens at its address. Both ends show a
certificate from the cluster's certificate authority. Without certificates, nodes connect only on one machine, by
loopback.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, gatherResults, maybeDeferred, succeed
from twisted.internet.error import CannotListenError
from twisted.internet.protocol import ClientFactory, Factory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.concurrency import Clock, Throttle
from tpserver.periodic import Repeated
from tpserver.portal import link_pb2 as link
from tpserver.portal.engine_link import Calls, EdgeEnd, Holder
from tpserver.portal.framing import LinkEnd
from tpserver.portal.idempotency import Idempotency
from tpserver.portal.portal_session import MOST_CALLS, Edge, HolderEnd, RelayedSession
from tpserver.portal.routing import NOWHERE, RETRY_SECONDS, RoutedSession
from tpserver.requests.session.session import Session
from tpserver.wire.net.errors import HolderAway, ListenError
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.scheduling import Scheduler

PING_SECONDS = 1.0
"""Seconds between pings of the other end."""

TOLD_SECONDS = 60.0
"""Seconds after which the log repeats that a node cannot be reached."""

SLICE_SECONDS = 0.01
"""Seconds that sessions may take at a time to find their place, or to continue, before others are served."""

RETRIES_A_SECOND = 5000
"""Sessions without a place above which each of them waits longer before its next try."""

GAMES_AT_ONCE = 500
"""Maximum games whose lease holders are looked up in one read."""

CONNECT_SECONDS = 3.0
"""Maximum seconds for a link to be opened."""

HELLO_SECONDS = 5.0
"""Maximum seconds until another node has said Hello, TLS included."""
STRANGERS, STRANGERS_PER_ADDRESS = 64, 8
"""Maximum links that lack a Hello, in all and of an address."""

CLOSED: Failure = Failure(ConnectionError("it was closed"))  # type: ignore[no-untyped-call]

log = Logger()


class NodeLink(Edge):
    """The link to another node, with the sessions in games of that node.

    Their connections are here. It is opened once. When it ends, all its sessions return, and a new one is created when
    needed. It is closed after ``silence`` seconds without data from the other end.
    """

    def __init__(self, links: NodeLinks, address: str, silence: float) -> None:
        super().__init__(links.clock, patience=None, cluster=links.cluster)
        self.id = links.id
        self.address = address
        self._links = links
        self._silence = silence
        self._end: NodeHolderEnd | None = None
        self._calls_to_make: list[tuple[str, str, Deferred[link.Result]]] = []
        self._pings = Repeated(links.clock, PING_SECONDS, self._ping)

    def opened(self, end: NodeHolderEnd) -> None:
        """Called when there is a connection; the other end says when it serves."""
        self._end, self.heard = end, self.clock.seconds()
        self._pings.start()

    def call(self, name: str, argument: str) -> Deferred[link.Result]:
        """Have the other node do an operation requested over HTTP, as soon as the link is open."""
        if self.holder is not None:
            return super().call(name, argument)
        waiting: Deferred[link.Result] = Deferred()
        if len(self._calls_to_make) >= MOST_CALLS:
            waiting.errback(HolderAway())
        else:
            self._calls_to_make.append((name, argument, waiting))
        return waiting

    def use(self, holder: HolderEnd) -> None:
        super().use(holder)
        calls, self._calls_to_make = self._calls_to_make, []
        for name, argument, waiting in calls:
            super().call(name, argument).chainDeferred(waiting)

    def give_back(self, session: RelayedSession) -> None:
        """Let a session continue elsewhere."""
        del self.sessions[session.number]
        self._links.given_back(session)

    def forget(self, session: RelayedSession) -> None:
        """Called when a connection is gone."""
        super().forget(session)
        self._links.unfollow(session)

    def lost(self, holder: HolderEnd) -> None:
        self.over()

    def over(self) -> None:
        """Give all sessions back, as the link is closed or could not be opened."""
        if self.answering is not None:
            super().lost(self.answering)
        calls, self._calls_to_make = self._calls_to_make, []
        for _, _, waiting in calls:
            waiting.errback(HolderAway())
        self._pings.stop()
        self._links.forget(self)
        for session in list(self.sessions.values()):
            self.give_back(session)

    def not_opened(self, reason: Failure) -> None:
        """Log why the link could not be opened, but not for each try."""
        self._links.tell_once(f"the node at {self.address} cannot be reached: {reason.getErrorMessage()}")

    def close(self) -> None:
        """Close the link; the sessions are given back as it ends."""
        if self._end is not None:
            self._end.abort()

    def _ping(self) -> None:
        if self._end is None:
            return
        silent = self.clock.seconds() - self.heard
        if silent >= self._silence:
            log.warn("the node at {address} has said nothing for {silent:.1f} s", address=self.address, silent=silent)
            self.close()
        elif self._end.agreed:
            self._end.say(ping=link.Ping())


class NodeHolderEnd(HolderEnd):
    """The end of a link to an engine, on this node."""

    def __init__(self, link_to: NodeLink) -> None:
        super().__init__(link_to)
        self.who = f"the node at {link_to.address}"
        self._link = link_to

    def connectionMade(self) -> None:
        super().connectionMade()
        self._link.opened(self)

    def connectionLost(self, reason: Failure = CLOSED) -> None:
        if not self.agreed:
            self._link.not_opened(reason)
        super().connectionLost(reason)

    def abort(self) -> None:
        """Close the link at once."""
        self.is_open = False
        self.transport.abortConnection()


class NodeEdgeEnd(EdgeEnd):
    """The end of a link that another node has opened, on this node.

    It closes after ``silence`` seconds without a message, as the other machine may have failed. Without that, the
    sessions of that node would stay for ever.
    """

    who = "a node that keeps connections"

    def __init__(self, holder: Holder, links: NodeLinks, silence: float) -> None:
        super().__init__(holder, over=lambda: links.ended(holder))
        self._links = links
        self._silence = silence
        self._waited = 0.0  # seconds for Hello, likewise
        self._silent = 0.0  # seconds by looks, so that those do not count in which this process was stopped itself
        self._looks = Repeated(links.clock, PING_SECONDS, self._look)

    def begin(self) -> None:
        """Say nothing yet: the other node must first send its cluster's id, which only the database has."""
        self._looks.start()

    def on_hello(self, hello: link.Hello) -> None:
        self._links.verified(self)
        self.say(hello=self.hello())
        super().on_hello(hello)

    def abort(self) -> None:
        """Close the link at once."""
        self.is_open = False
        self.transport.abortConnection()

    def dataReceived(self, data: bytes) -> None:
        self._silent = 0.0
        super().dataReceived(data)

    def connectionLost(self, reason: Failure = CLOSED) -> None:
        self._looks.stop()
        self._links.verified(self)
        super().connectionLost(reason)

    def _look(self) -> None:
        if not self.agreed and self._waited > HELLO_SECONDS:
            self._looks.stop()
            self._links.tell_once("a connection from a stranger, who is no node of this cluster, is closed")
            self.abort()
            return
        self._waited += PING_SECONDS
        if self._silent > self._silence:
            self._looks.stop()
            log.warn("a node that keeps connections has said nothing for {silent:g} s", silent=self._silent)
            self.abort()
        self._silent += PING_SECONDS


class NodeLinks:
    """All links of a node; see `tpserver.portal.routing.Nodes`.

    ``local`` creates the sessions of this node, ``address`` is where others reach it, ``cluster`` the cluster's id.
    ``certificates`` makes TLS of both kinds of links, None: none. ``silence`` is that of each link. ``holders`` looks
    up the addresses of the other nodes that hold games, by game.
    ``listen_at`` is where this node listens, if not at ``address``.
    """

    def __init__(
        self,
        reactor: Any,
        address: str,
        cluster: str,
        local: Callable[[str, bool, Callable[[bytes], None], str], Session],
        once: Idempotency,
        scheduler: Scheduler,
        limits: Limits,
        silence: float,
        certificates: Any = None,
        calls: Calls | None = None,
        listen_at: str = "",
        holders: Callable[[list[int]], Deferred[dict[int, str]]] = lambda games: succeed({}),
    ) -> None:
        self.id = secrets.token_hex(8)
        """Part of the id of each request that is relayed."""
        self.cluster = cluster
        self.clock: Clock = reactor
        self.local = local
        self.once = once
        self.throttle = Throttle(reactor, SLICE_SECONDS)
        self.calls: Calls = calls or {}
        self._reactor = reactor
        self.address = address
        self._listen_at = listen_at or address
        self._scheduler = scheduler
        self._limits = limits
        self._silence = silence
        self._certificates = certificates
        self.peers: dict[str, NodeLink] = {}
        """The links that this node has opened, by the address of the other node."""
        self.routed: dict[int, RoutedSession] = {}
        """The sessions that other nodes have, by number."""
        self.without_place: set[RoutedSession] = set()
        """The sessions that look for the lease holder of their game."""
        self._holders_of = holders
        self.lookups: dict[int, list[Deferred[str]]] = {}
        """By game: calls that wait for its lease holder, which is not looked up yet."""
        self.holders: dict[Holder, None] = {}
        """The ends of links that other nodes have opened, the oldest first."""
        self._strangers: dict[NodeEdgeEnd, str] = {}
        """Links that other nodes have opened and that lack a Hello, the oldest first, with their addresses."""
        self._last_connection = 0
        self._port: Any = None
        self._serves = False
        self._is_leaving = False
        self._told: dict[str, float] = {}

    # --- sessions

    def session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> RoutedSession:
        """Create the session of a new connection: a `tpserver.wire.net.connection.SessionFactory`."""
        self._last_connection += 1
        number = self._last_connection
        relayed = RelayedSession(NOWHERE, number, address, secure, send)
        return RoutedSession(self, relayed, address, secure, token)

    def connection_id(self, number: int) -> str:
        return f"{self.id}:{number}"

    def link_to(self, address: str) -> NodeLink:
        found = self.peers.get(address)
        if found is None:
            found = self.peers[address] = NodeLink(self, address, self._silence)
            self._connect(found)
        return found

    @property
    def retry_seconds(self) -> float:
        return max(RETRY_SECONDS, len(self.without_place) / RETRIES_A_SECOND)

    def place(self, session: RoutedSession, found: bool) -> None:
        """Record whether a session has found a place."""
        (self.without_place.discard if found else self.without_place.add)(session)

    def holder_of(self, game: int) -> Deferred[str]:
        """Fire with the address of the other node that holds a game.

        The address is empty if none does. Fails with StoreError. One read, for which nothing here waits, answers all
        calls in the same turn of the reactor.
        """
        told: Deferred[str] = Deferred()
        if not self.lookups:
            self.clock.callLater(0, self._look_up)
        self.lookups.setdefault(game, []).append(told)
        return told

    def _look_up(self) -> None:
        wanted, self.lookups = self.lookups, {}
        numbers = list(wanted)
        for first in range(0, len(numbers), GAMES_AT_ONCE):
            some = numbers[first : first + GAMES_AT_ONCE]
            self._holders_of(some).addBoth(self._tell, {number: wanted[number] for number in some})

    def _tell(self, found: dict[int, str] | Failure, wanted: dict[int, list[Deferred[str]]]) -> None:
        for game, waiting in wanted.items():
            for told in waiting:
                if isinstance(found, Failure):
                    told.errback(found)
                else:
                    told.callback(found.get(game, ""))

    def follow(self, session: RelayedSession, routed: RoutedSession) -> None:
        """Remember the routed session of a session that another node has."""
        self.routed[session.number] = routed

    def unfollow(self, session: RelayedSession) -> None:
        self.routed.pop(session.number, None)

    def given_back(self, session: RelayedSession) -> None:
        self.routed.pop(session.number).given_back()

    def forget(self, ended: NodeLink) -> None:
        if self.peers.get(ended.address) is ended:
            del self.peers[ended.address]

    def tell_once(self, text: str) -> None:
        """Write a warning to the log, unless it was written within the last TOLD_SECONDS."""
        now = self.clock.seconds()
        self._told = {known: at for known, at in self._told.items() if now - at < TOLD_SECONDS}
        if self._told.setdefault(text, now) == now:
            log.warn("{text}", text=text)

    def _connect(self, link_to: NodeLink) -> None:
        class Connecting(ClientFactory):
            noisy = False

            def buildProtocol(self, address: object) -> LinkEnd:
                return NodeHolderEnd(link_to)

            def clientConnectionFailed(self, connector: Any, reason: Failure) -> None:
                link_to.not_opened(reason)
                link_to.over()

        host, port = parted(link_to.address)
        if self._certificates is None:
            self._reactor.connectTCP(host, port, Connecting(), CONNECT_SECONDS)
        else:
            self._reactor.connectSSL(host, port, Connecting(), self._certificates, CONNECT_SECONDS)

    # --- the server

    def listen(self) -> None:
        """Listen for other nodes, which are served after `serve`. Raises ListenError."""
        links = self

        class Accepting(Factory):
            noisy = False

            def buildProtocol(self, address: Any) -> LinkEnd | None:
                return links.accepted(str(getattr(address, "host", "")))

        host, port = parted(self._listen_at)
        interface = host if is_number(host) else ""
        try:
            if self._certificates is None:
                self._port = self._reactor.listenTCP(port, Accepting(), interface=interface)
            else:
                self._port = self._reactor.listenSSL(port, Accepting(), self._certificates, interface=interface)
        except CannotListenError as error:
            why = getattr(error.socketError, "strerror", None) or error.socketError
            raise ListenError(f"cannot listen for other nodes at {self._listen_at} ([cluster]): {why}") from None

    def accepted(self, address: str = "") -> LinkEnd | None:
        """Return the end of a link that another node opens; None if too many links of that address lack a Hello.

        If there are too many in all, the oldest is closed: a node says Hello at once.
        """
        if address and list(self._strangers.values()).count(address) >= STRANGERS_PER_ADDRESS:
            return None
        while len(self._strangers) >= STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.abort()
        holder = Holder(
            self.local,
            self._scheduler,
            self.clock,
            self._limits,
            calls=self.calls,
            cluster=self.cluster,
            answering=self.once.answer,
        )
        holder.throttle = self.throttle
        if self._serves and not self._is_leaving:
            holder.serve()
        self.holders[holder] = None
        end = NodeEdgeEnd(holder, self, self._silence)
        self._strangers[end] = address
        return end

    def verified(self, end: NodeEdgeEnd) -> None:
        """Record that the other end of a link has said Hello, or is gone."""
        self._strangers.pop(end, None)

    def ended(self, holder: Holder) -> None:
        """Called when a link that another node has opened is closed."""
        self.holders.pop(holder, None)

    def serve(self) -> None:
        """Accept requests from other nodes from now on."""
        self._serves = True
        for holder in self.holders:
            holder.serve(self.calls)

    async def leave(self) -> None:
        """Accept no more links and requests; return when all begun requests are answered."""
        self._is_leaving = True
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        waiting: list[Deferred[None]] = [holder.leave() for holder in self.holders if holder.end is not None]
        await gatherResults(waiting)

    def close(self) -> None:
        """Close all links."""
        for holder in list(self.holders):
            holder.close()
        for one in list(self.peers.values()):
            one.close()


def parted(address: str) -> tuple[str, int]:
    """Return host and port of an address such as 10.0.0.5:6926 or [fd00::5]:6926."""
    host, _, port = address.rpartition(":")
    return host.strip("[]"), int(port)


def is_number(host: str) -> bool:
    """Return whether a host is given as an IP address."""
    return ":" in host or host.replace(".", "").isdigit()
