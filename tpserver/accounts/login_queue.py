"""Who may have a password hashed, and when: a fair queue."""

from __future__ import annotations

import math
from collections import OrderedDict, deque

from twisted.internet.defer import Deferred, succeed

from tpserver.accounts.pauses import Pair

WIDTH = 2
"""How many turns there are at the same time: threads that hash."""
WAITING = 1024
"""Maximum requests that wait in all: at two threads some fifteen seconds."""
WAITING_PER_NETWORK = 256
WAITING_PER_PAIR = 8
"""Maximum requests of one network for one account that wait."""
TURN_SECONDS = 0.03
"""About what a turn takes, to say when to try again."""


class NoRoom(Exception):
    """The queue is full for whoever asks; ``seconds`` (at least 1) says when to try again."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


class LoginQueue:
    """Gives turns to hash a password: network after network, and within a network account after account.

    So one network has at most every second turn if another one waits, and one account of a network at most every
    second turn of that network.  When there is no more room the longest line gives way to a shorter one.
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
        """By network and account; what is in front has its turn next."""
        self._sizes: dict[str, int] = {}
        self._count = 0
        self._taken = 0
        self._giving = False

    def __len__(self) -> int:
        """Return how many wait."""
        return self._count

    def turn(self, pair: Pair) -> Deferred[None]:
        """Return a Deferred that fires when it is this pair's turn; whoever got a turn ends it with ``done``.

        It fails with NoRoom if the line gives way to a shorter one.  Raises NoRoom.
        """
        if self._taken < self._width and not self._count:
            self._taken += 1
            return succeed(None)
        self._make_room(pair)
        network, account = pair
        waiter: Deferred[None] = Deferred()
        self._lines.setdefault(network, OrderedDict()).setdefault(account, deque()).append(waiter)
        self._sizes[network] = self._sizes.get(network, 0) + 1
        self._count += 1
        return waiter

    def done(self) -> None:
        """End a turn that was given; the next in line gets it."""
        self._taken -= 1
        if self._giving:
            return  # a turn that ended at once: the loop below goes on
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
        """Count one less in a line, and forget what is empty."""
        self._count -= 1
        self._sizes[network] -= 1
        accounts = self._lines[network]
        if not accounts[account]:
            del accounts[account]
        if not accounts:
            del self._lines[network], self._sizes[network]

    def _make_room(self, pair: Pair) -> None:
        """Let the longest line give way, or raise NoRoom if there is none that is longer than this one would be."""
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
