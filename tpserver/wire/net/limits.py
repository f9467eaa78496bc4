"""Limits of a client: bytes, time and connections."""

from __future__ import annotations

import resource
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from tpserver.addresses import network_of
from tpserver.config_keys import amount, declare, whole
from tpserver.network_counts import NETWORKS, HeldCounts, customer_of

KIB = 1024
MIB = 1024 * KIB

EARLY_FRAME_BYTES = 4096
"""Maximum bytes of a frame's body before login; requests allowed then are shorter."""

MESSAGE_BYTES, MESSAGE_VALUES = 256 * KIB, 20_000
"""Maximum bytes, and values, of a request in Protocol Buffers or JSON, which is decoded in one step."""

TRANSPORT_BYTES = 64 * KIB
"""Bytes that a Twisted transport buffers before it pauses its producer (`FileDescriptor.bufferSize`)."""

SPARE_FILES = 64
"""Open files that the process needs besides its connections: listeners, store, log, reactor."""

LEAST_PER_NETWORK = 4
"""Connections that each network may have, as long as the server has any left."""

TOLD = 100
"""Maximum refused addresses that are logged until a connection is closed; a flood may come from any number of them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a connection, and of all connections together.

    Times are in seconds, sizes in bytes; an optional limit is off at 0.
    """

    frame_bytes: int = declare(MIB, "the longest frame", whole(KIB, 64 * MIB))
    frame_seconds: float = declare(30.0, "how long a frame may be incomplete", amount("seconds", 1, 3600))
    login_seconds: float = declare(
        120.0, "how long a connection may be silent before login", amount("seconds", 1, 86400)
    )
    idle_seconds: float = declare(0.0, "the same after login", amount("seconds", 1, 31_536_000, zero="no limit"))
    connections: int = declare(10_000, "all connections", whole(1, 1_000_000))
    connections_per_address: int = declare(
        1_000, "an address of IPv6 is its /64 network; fewer as the server fills up", whole(1, 1_000_000)
    )
    pipeline: int = declare(256, "pending responses; with more, the server reads no requests", whole(1, 65536))
    pause_bytes: int = declare(
        256 * KIB, "unread responses; with more, the server reads no requests", whole(KIB, 64 * MIB)
    )
    unsent_bytes: int = declare(
        4 * MIB, "unread responses that end a connection; at least pause_bytes", whole(KIB, 1024 * MIB)
    )
    waiting_bytes: int = declare(
        32 * MIB, "requests and responses in memory, of all connections", whole(MIB, 1024 * 1024 * MIB)
    )
    unread_seconds: float = declare(
        60.0, "how long a client may take to read the next pause_bytes", amount("seconds", 1, 3600)
    )
    farewell_seconds: float = declare(
        5.0, "how long a connection lingers after the server closed it", amount("seconds", 0.1, 60)
    )
    memory_bytes: int = declare(
        2048 * MIB,
        "memory of the server; with more it is replaced",
        whole(128 * MIB, 1024 * 1024 * MIB),
        applied="restart",
    )


class ConnectionLimiter:
    """Counts connections, and refuses those over the limits.

    The limits are for all connections, and per network. When half of the places are taken, a network gets at most a
    quarter of the free ones. So however many addresses a stranger has, some places are left for others. The last
    twentieth is for networks of accounts that have logged in. Nothing is reserved if one network may have all
    connections.

    Each `admit` that returned None is followed by one `leave` with the same address. Unix sockets and other transports
    without an address count under an empty one, which has no separate limit.
    """

    def __init__(
        self,
        limits: Limits,
        is_proxy: Callable[[str], bool] = lambda address: False,
        is_trusted: Callable[[str], bool] = lambda address: False,
        make_room: Callable[[str], object] = lambda network: None,
    ) -> None:
        """Create a limiter without connections.

        ``is_proxy`` returns whether an address is a proxy with connections of many clients. ``is_trusted`` returns
        whether an address may have ``connections_per_address`` even if the server is full.

        ``make_room`` is called before a connection is refused. It gets the network that has reached its limit, or on a
        full server the network of the new connection. It may close a connection. If one was not enough, it is called
        again.
        """
        self.limits = limits
        self.is_proxy = is_proxy
        self.is_trusted = is_trusted
        self.make_room = make_room
        self.held = HeldCounts()
        """The connections of each network."""
        self._known: OrderedDict[str, None] = OrderedDict()
        self._told: set[str] = set()
        self.count = 0

    def admit(self, address: str) -> str | None:
        """Count a new connection and return None; or return the reason for refusing it, as a sentence."""
        while (refusal := self._refusal(address)) is not None:
            reason, network = refusal
            before = self.count
            self.make_room(network)
            if self.count >= before:
                return reason
        if self._is_counted(address):
            self.held.add(address)
        self.count += 1
        return None

    def _is_counted(self, address: str) -> bool:
        return bool(address) and not self.is_proxy(address)

    def _refusal(self, address: str) -> tuple[str, str] | None:
        """Return why there is no place for a connection now, and the network to make room; None if there is one."""
        limits, free = self.limits, self.limits.connections - self.count
        if free <= 0:
            return f"The server is full: it serves {limits.connections} connections at once.", network_of(address)
        if not self._is_counted(address):
            return None
        most = limits.connections_per_address
        if most < limits.connections and 2 * self.count >= limits.connections and not self.is_trusted(address):
            most = min(most, max(LEAST_PER_NETWORK, free // 4))
            if free <= limits.connections // 20 and customer_of(address) not in self._known:
                text = "The server is almost full: its last places are for known players. Try again later."
                return text, network_of(address)
        full = self.held.is_full(address, most)
        return (f"Too many connections from {full}: {most} at once are allowed.", full) if full else None

    def leave(self, address: str) -> None:
        """Stop counting a connection that was admitted."""
        self.count -= 1
        if self._is_counted(address):
            self.held.remove(address)
        # The address and the server may have room again: the next refusal is logged.
        self._told.clear()

    def note_login(self, address: str) -> None:
        """Record a login to an account from an address."""
        network = customer_of(address)
        self._known[network] = None
        self._known.move_to_end(network)
        while len(self._known) > NETWORKS:
            self._known.popitem(last=False)

    def is_news(self, address: str) -> bool:
        """Return whether to log the refusal of this address: only its first since a connection was closed."""
        network = network_of(address)
        if network in self._told or len(self._told) >= TOLD:
            return False
        self._told.add(network)
        return True


def allow_open_files(connections: int) -> int:
    """Raise this process's limit of open files so that `connections` fit, as far as the system allows.

    Return how many connections fit, at most `connections`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return min(connections, allowed - SPARE_FILES)
