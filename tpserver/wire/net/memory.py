"""Memory limit for waiting requests and responses of all connections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar


class Waiting(Protocol):
    """A connection as `Memory` sees it."""

    @property
    def payer(self) -> Hashable:
        """The account that pays for the bytes, or the address before login."""
        ...

    @property
    def logged_in(self) -> bool: ...


W = TypeVar("W", bound=Waiting)


class Memory(Generic[W]):
    """Counts the bytes waiting in memory for all connections; `most` is the limit."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.total = 0
        self._sizes: dict[W, int] = {}

    def weigh(self, connection: W, size: int) -> None:
        """Set the number of bytes waiting for a connection."""
        self.total += size - self._sizes.pop(connection, 0)
        if size:
            self._sizes[connection] = size

    def who_must_go(self) -> list[W]:
        """Return the connections to close; none while the limit is kept.

        They are the largest connections of the payers with most bytes. Together they free a sixteenth of the limit.
        Bytes of connections without a login count twice.
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
