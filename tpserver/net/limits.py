"""Limits of a client: bytes, time and connections."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from tpserver.addresses import network_of

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


TOLD = 100
"""Maximum refused addresses that are logged until a connection is closed; a flood may come from any number of them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a connection, and of all connections together.

    Times are in seconds, sizes in bytes; an optional limit is off at 0.
    """

    frame_bytes: int = MIB
    """Maximum bytes of a frame's body; a longer one is refused and the connection closed."""
    frame_seconds: float = 30.0
    """Maximum seconds from a frame's first byte to its last."""
    login_seconds: float = 120.0
    """Maximum seconds of silence before login: long enough to type a password."""
    idle_seconds: float = 0.0
    """Maximum seconds of silence after login; 0: no limit."""
    connections: int = 10_000
    """Maximum connections."""
    connections_per_address: int = 1_000
    """Maximum connections per IPv4 address or IPv6 /64 network, which is what one customer gets."""
    pipeline: int = 256
    """Maximum pending responses per connection; with more, no requests are read."""
    pause_bytes: int = 256 * KIB
    """Bytes of unread responses above which no more requests are read."""
    unsent_bytes: int = 4 * MIB
    """Bytes of unread responses above which a connection that was over `pause_bytes` already is dropped."""
    unread_seconds: float = 60.0
    """Maximum seconds that a client may take to read the next `pause_bytes` before the connection is dropped."""
    waiting_bytes: int = 32 * MIB
    """Maximum bytes of requests and responses waiting in memory, over all connections; above it, connections of the
    payers with most waiting are closed."""
    farewell_seconds: float = 5.0
    """Seconds that a connection closed by the server waits for the client to close its side."""
    memory_bytes: int = 2048 * MIB
    """Maximum bytes of memory of the whole server; above it the process is ended and another takes over."""


class ConnectionLimiter:
    """Counts connections, in all and per network, and refuses those over the limits.

    Each `admit` that returned None is followed by one `leave` with the same address.  Unix sockets and other transports
    without an address count under an empty one, which has no limit of its own.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._per_network: Counter[str] = Counter()
        self._told: set[str] = set()
        self.is_proxy: Callable[[str], bool] = lambda address: False
        """Whether an address is that of a proxy, whose connections are those of many."""
        self.count = 0

    def admit(self, address: str) -> str | None:
        """Count a new connection and return None; or return the reason for refusing it, as a sentence."""
        if self.count >= self.limits.connections:
            return f"The server is full: it serves {self.limits.connections} connections at once."
        network = network_of(address)
        full = self._per_network[network] >= self.limits.connections_per_address
        if network and full and not self.is_proxy(address):
            return f"Too many connections from {network}: {self.limits.connections_per_address} at once are allowed."
        self._per_network[network] += 1
        self.count += 1
        return None

    def leave(self, address: str) -> None:
        """Stop counting a connection that was admitted."""
        network = network_of(address)
        self.count -= 1
        self._per_network[network] -= 1
        if not self._per_network[network]:
            del self._per_network[network]
        # The address and the server may have room again: the next refusal is logged.
        self._told.clear()

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
