"""What one client may take: bytes, time and connections."""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tpserver.addresses import network_of

KIB = 1024
MIB = 1024 * KIB

EARLY_FRAME_BYTES = 4096
"""The longest frame before login: all that may be asked then is shorter."""

MESSAGE_BYTES, MESSAGE_VALUES = 256 * KIB, 20_000
"""How long a request of Protocol Buffers or JSON may be, and how much may be in it: it is taken apart at once."""

TRANSPORT_BYTES = 64 * KIB
"""How much a Twisted transport holds before it asks its producer to pause (`FileDescriptor.bufferSize`)."""

SPARE_FILES = 64
"""Open files that the process needs besides its connections: listeners, the store, the log, the reactor."""


TOLD = 100
"""How many refused addresses are logged before somebody leaves: a flood may come from any number of them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The budgets of a connection, and of all of them together.

    Times are seconds, sizes bytes; an optional limit is off at 0.
    """

    frame_bytes: int = MIB
    """The longest body of a frame; a longer one is refused and the connection closed."""
    frame_seconds: float = 30.0
    """How long a frame may stay incomplete after its first byte."""
    login_seconds: float = 120.0
    """How long a client that has not logged in may stay silent: long enough for a person to type a password."""
    idle_seconds: float = 0.0
    """How long a client that has logged in may stay silent; 0: for ever."""
    connections: int = 10_000
    """How many connections at once."""
    connections_per_address: int = 1_000
    """How many of them from one address; for IPv6 from one network of 64 bits, which is what one customer gets."""
    pipeline: int = 256
    """How many requests of a connection may await their answers before no more are read."""
    pause_bytes: int = 256 * KIB
    """Above this many bytes of unread answers no more requests are read."""
    unsent_bytes: int = 4 * MIB
    """Above this many bytes of unread answers, reached while above `pause_bytes` already, the connection is dropped."""
    unread_seconds: float = 60.0
    """How long a client may take for the next `pause_bytes` of its answers before the connection is dropped."""
    waiting_bytes: int = 32 * MIB
    """Above this many bytes of requests and answers that wait in memory, over all connections, those of whoever has
    most waiting are closed."""
    farewell_seconds: float = 5.0
    """How long a connection that the server closes waits for the client to take note of it."""
    memory_bytes: int = 2048 * MIB
    """How much memory the whole server may hold; with more it is ended, and another takes over."""


class Waiting(Protocol):
    """A connection for which something waits in memory."""

    @property
    def payer(self) -> Hashable:
        """Whose connection it is: an account's, before login an address's."""
        ...

    @property
    def logged_in(self) -> bool: ...


W = TypeVar("W", bound=Waiting)


class Memory(Generic[W]):
    """What waits in memory for all connections together, in bytes; at most `most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.total = 0
        self._sizes: dict[W, int] = {}

    def weigh(self, connection: W, size: int) -> None:
        """Take note of how much waits for a connection."""
        self.total += size - self._sizes.pop(connection, 0)
        if size:
            self._sizes[connection] = size

    def who_must_go(self) -> list[W]:
        """Return whose bytes there is no room for: the largest of the payers that have most, until a sixteenth is free.

        What waits for somebody who has not logged in counts twice.
        """
        if self.total <= self.most:
            return []
        sums: Counter[Hashable] = Counter()
        theirs: dict[Hashable, list[W]] = {}
        for connection, size in sorted(self._sizes.items(), key=lambda item: item[1]):
            payer = connection.payer
            sums[payer] += size if connection.logged_in else 2 * size
            theirs.setdefault(payer, []).append(connection)
        going: list[W] = []
        left = self.total
        while left > self.most * 15 // 16:
            payer = max(sums, key=sums.__getitem__)
            connection = theirs[payer].pop()
            size = self._sizes[connection]
            sums[payer] -= size if connection.logged_in else 2 * size
            left -= size
            going.append(connection)
        return going


class ConnectionLimiter:
    """Who may connect: counts the connections there are, in all and for each address.

    `admit` and `leave` come in pairs with the same address.  Unix sockets and other transports without an address count
    under an empty one, which has no limit of its own.
    """

    __slots__ = ("_limits", "_per_network", "_told", "count")

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._per_network: Counter[str] = Counter()
        self._told: set[str] = set()
        self.count = 0

    def admit(self, address: str) -> str | None:
        """Count a new connection and return None; or return a sentence saying why it is one too many."""
        if self.count >= self._limits.connections:
            return f"The server is full: it serves {self._limits.connections} connections at once."
        network = network_of(address)
        if network and self._per_network[network] >= self._limits.connections_per_address:
            return f"Too many connections from {network}: {self._limits.connections_per_address} at once are allowed."
        self._per_network[network] += 1
        self.count += 1
        return None

    def leave(self, address: str) -> None:
        """Count a connection that was admitted as gone."""
        network = network_of(address)
        self.count -= 1
        self._per_network[network] -= 1
        if not self._per_network[network]:
            del self._per_network[network]
        # Both the address and the server have room again, so that the next refusal is news.
        self._told.clear()

    def is_news(self, address: str) -> bool:
        """Whether a refusal of this address deserves a line in the log: its first since somebody left."""
        network = network_of(address)
        if network in self._told or len(self._told) >= TOLD:
            return False
        self._told.add(network)
        return True


def allow_open_files(connections: int) -> int:
    """Raise this process's limit of open files, as far as the system allows, so that `connections` fit.

    Returns how many connections do fit, at most `connections`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE_FILES
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return min(connections, allowed - SPARE_FILES)
