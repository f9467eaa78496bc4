"""Counts by network: limits for strangers on shared resources.

A customer of a provider has one IPv4 address, or an IPv6 network of 2 to the 64 addresses or more. So an address counts
for each network that may belong to one customer. A wider network may take a few times as much as a narrow one.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

NETWORKS = 10_000
"""Maximum networks whose requests are counted; beyond it, the oldest count is dropped."""

WIDTHS_6 = ((64, 1), (56, 2), (48, 4))
WIDTHS_4 = ((32, 1), (24, 8))
"""Bits of the networks that are counted, and how many times as much as an address each may take.

An IPv4 network of 256 addresses is that of many, so it may take more."""


def levels_of(address: str) -> Iterator[tuple[str, int]]:
    """Yield the networks of an address, with the factor of each limit.

    The narrowest is first. The address may be a network. Other texts count as one network: a Unix socket, or the server
    itself.
    """
    try:
        found = ipaddress.ip_address(address.partition("/")[0].partition("%")[0])
    except ValueError:
        yield address, 1
        return
    found = getattr(found, "ipv4_mapped", None) or found
    for width, times in WIDTHS_4 if found.version == 4 else WIDTHS_6:
        yield (str(found) if width == 32 else str(ipaddress.ip_network((found, width), strict=False))), times


def customer_of(network: str) -> str:
    """Return the widest network that one customer may have: an IPv4 address, or the /48 network of an IPv6 address."""
    *_, (widest, _) = levels_of(network)
    return network if widest.endswith("/24") else widest


def may_take(used: int, most: int, *, is_new: bool, is_known: bool) -> bool:
    """Return whether a place of a pool is available.

    It has ``most`` places, and ``used`` of them are taken. Half of them are for everybody. The next quarter is kept for
    networks without recent requests and for known accounts, the last quarter for known accounts.
    """
    if used < max(1, most // 2):
        return True
    return used < most and (is_known or (is_new and used < most - most // 4))


class RequestCounts:
    """Request counts by network, with a limit of ``most`` requests in ``seconds``.

    ``now`` returns the seconds of a monotonic clock.
    """

    def __init__(self, most: int, seconds: float, now: Callable[[], float]) -> None:
        self.most = most
        self._seconds = seconds
        self._now = now
        self._networks: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By network: how many requests there were, and when those are forgotten."""

    def __len__(self) -> int:
        return len(self._networks)

    def is_new(self, network: str) -> bool:
        """Return whether the widest network of this one has made no recent request."""
        return not self.count_of_widest(network)

    def count_of_widest(self, network: str) -> int:
        """Return how many requests of the widest network of this one count now."""
        *_, (widest, _) = levels_of(network)
        return self.count(widest)

    def count(self, network: str) -> int:
        """Return how many requests of a network count now."""
        return self._state(network)[0]

    def add(self, network: str) -> int:
        """Count a request and return 0, or return the seconds until another is allowed.

        A refused request is not counted: neighbors in a wider network do not pay for it.
        """
        now = self._now()
        counts = [(one, *self._state(one), self.most * times) for one, times in levels_of(network)]
        for _, requests, until, most in counts:
            if requests >= most:
                return int(until - now) + 1
        for one, requests, until, _ in counts:
            self._networks[one] = requests + 1, until
            self._networks.move_to_end(one)
        while len(self._networks) > NETWORKS:
            self._networks.popitem(last=False)
        return 0

    def _state(self, network: str) -> tuple[int, float]:
        now = self._now()
        requests, until = self._networks.get(network, (0, 0.0))
        return (requests, until) if now < until else (0, now + self._seconds)


class HeldCounts:
    """Present use of a resource by network; each `add` is followed by one `remove` of the same address."""

    def __init__(self) -> None:
        self._held: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._held)

    def is_full(self, address: str, most: int) -> str:
        """Return the narrowest network of an address that has reached its limit; empty if none has."""
        return next((one for one, times in levels_of(address) if self._held[one] >= most * times), "")

    def is_new(self, address: str) -> bool:
        """Return whether the widest network of an address has nothing."""
        *_, (widest, _) = levels_of(address)
        return not self._held[widest]

    def add(self, address: str) -> None:
        self._held.update(one for one, _ in levels_of(address))

    def remove(self, address: str) -> None:
        for one, _ in levels_of(address):
            self._held[one] -= 1
            if self._held[one] <= 0:
                del self._held[one]


def keep_newest(where: MutableMapping[K, V], key: K, value: V, most: int, payer_of: Callable[[V], object]) -> None:
    """Keep a value as the newest of ``most``; beyond it, the payer with most of them loses its oldest one."""
    where.pop(key, None)
    where[key] = value
    while len(where) > most:
        payers: Iterable[object] = map(payer_of, where.values())
        ((largest, _),) = Counter(payers).most_common(1)
        del where[next(one for one, kept in where.items() if payer_of(kept) == largest)]
