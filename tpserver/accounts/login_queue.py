"""Queue for password hashing, fair among networks and accounts."""

from __future__ import annotations

import math
from collections import OrderedDict, deque

from twisted.internet.defer import Deferred, succeed

from tpserver.accounts.pauses import Pair
from tpserver.network_counts import customer_of

WIDTH = 2
"""Maximum turns at the same time: threads that hash."""
WAITING = 1024
"""Maximum waiting requests in all; about fifteen seconds of work for two threads."""
WAITING_PER_NETWORK = 256
WAITING_PER_PAIR = 8
"""Maximum waiting requests of one network for one account."""
TURN_SECONDS = 0.03
"""Approximate seconds of a turn, for the time of the next try in responses."""


class NoRoom(Exception):
    """The queue has no room for a request; ``seconds`` (at least 1) is the time until the next try."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


class LoginQueue:
    """Assigns turns for hashing a password, in rotation.

    The rotation is among networks, and within a network among accounts. A network is the address range of one customer
    (`customer_of`). While another network waits, a network gets at most every second turn. The same applies to an
    account within its network. In a full queue, a request of the largest network or account is dropped for one with
    fewer requests.
    """

    def __init__(
        self,
        width: int = WIDTH,
        waiting: int = WAITING,
        per_network: int = WAITING_PER_NETWORK,
        per_pair: int = WAITING_PER_PAIR,
    ) -> None:
        self._width = width
        self._waiting = waiting
        self._per_network = per_network
        self._per_pair = per_pair
        self._lines: OrderedDict[str, OrderedDict[str, deque[Deferred[None]]]] = OrderedDict()
        """Waiting requests by network and account. The first of each has the next turn."""
        self._sizes: dict[str, int] = {}
        self._count = 0
        self._taken = 0
        self._giving = False

    def __len__(self) -> int:
        """Return the number of waiting requests."""
        return self._count

    def turn(self, pair: Pair) -> Deferred[None]:
        """Return a Deferred that fires at the request's turn; the caller ends the turn with ``done``.

        The Deferred fails with NoRoom if the request is dropped for another one. Raises NoRoom if the queue is full.
        """
        if self._taken < self._width and not self._count:
            self._taken += 1
            return succeed(None)
        network, account = pair = customer_of(pair[0]), pair[1]
        self._make_room(pair)
        waiter: Deferred[None] = Deferred()
        self._lines.setdefault(network, OrderedDict()).setdefault(account, deque()).append(waiter)
        self._sizes[network] = self._sizes.get(network, 0) + 1
        self._count += 1
        return waiter

    def done(self) -> None:
        """End a turn; the next waiting request gets it."""
        self._taken -= 1
        if self._giving:
            return  # called from within the loop below, which continues
        self._giving = True
        try:
            while self._taken < self._width and self._count:
                self._taken += 1
                self._next().callback(None)
        finally:
            self._giving = False

    def _next(self) -> Deferred[None]:
        network, accounts = next(iter(self._lines.items()))
        account, line = next(iter(accounts.items()))
        waiter = line.popleft()
        accounts.move_to_end(account)
        self._lines.move_to_end(network)
        self._left(network, account)
        return waiter

    def _left(self, network: str, account: str) -> None:
        """Count a request less, and remove empty entries."""
        self._count -= 1
        self._sizes[network] -= 1
        accounts = self._lines[network]
        if not accounts[account]:
            del accounts[account]
        if not accounts:
            del self._lines[network], self._sizes[network]

    def _make_room(self, pair: Pair) -> None:
        """Drop a request of the largest group.

        Raises NoRoom if no group is larger than the new request's group would be.
        """
        network, account = pair
        accounts = self._lines.get(network, OrderedDict[str, deque[Deferred[None]]]())
        mine, of_network = len(accounts.get(account, ())), self._sizes.get(network, 0)
        if mine >= self._per_pair:
            raise NoRoom(self._wait(of_network))
        if of_network >= self._per_network:
            longest = max(accounts, key=lambda other: len(accounts[other]))
            if len(accounts[longest]) <= mine + 1:
                raise NoRoom(self._wait(of_network))
            self._push_out(network, longest)
        elif self._count >= self._waiting:
            largest = max(self._sizes, key=lambda other: self._sizes[other])
            if self._sizes[largest] <= of_network + 1:
                raise NoRoom(self._wait(self._count))
            lines = self._lines[largest]
            self._push_out(largest, max(lines, key=lambda other: len(lines[other])))

    def _push_out(self, network: str, account: str) -> None:
        waiter = self._lines[network][account].pop()
        seconds = self._wait(self._sizes[network])
        self._left(network, account)
        waiter.errback(NoRoom(seconds))

    def _wait(self, ahead: int) -> int:
        return 1 + math.ceil(ahead * TURN_SECONDS / self._width)
