"""How many requests of a kind networks have made of late."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

NETWORKS = 10_000
"""Maximum networks whose requests are counted; the count of the one that came first is dropped for another."""


class RequestCounts:
    """Counts the requests of networks: each makes ``most`` in ``seconds``.  ``now`` gives seconds of a monotonic
    clock."""

    def __init__(self, most: int, seconds: float, now: Callable[[], float]) -> None:
        self._most = most
        self._seconds = seconds
        self._now = now
        self._networks: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """By network: how many requests there were, and when those are forgotten."""

    def __len__(self) -> int:
        return len(self._networks)

    def add(self, network: str) -> int:
        """Count a request, and return 0, or if it is one too many the seconds until there may be another."""
        now = self._now()
        requests, until = self._networks.pop(network, (0, 0.0))
        if now >= until:
            requests, until = 0, now + self._seconds
        self._networks[network] = requests + 1, until
        while len(self._networks) > NETWORKS:
            self._networks.popitem(last=False)
        return 0 if requests < self._most else int(until - now) + 1
