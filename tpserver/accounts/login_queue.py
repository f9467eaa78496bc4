"""The queue for hashing passwords, fair among networks and accounts, and pauses after wrong passwords."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed

WIDTH = 2
"""Maximum turns at the same time: threads that hash."""
WAITING = 1024
"""Maximum waiting requests in all; about fifteen seconds of work for two threads."""
WAITING_PER_NETWORK = 256
WAITING_PER_PAIR = 8
"""Maximum waiting requests of one network for one account."""
TURN_SECONDS = 0.03
"""Approximate seconds of a turn, for telling clients when to try again."""

FREE_ATTEMPTS = 3
"""Number of wrong passwords of one network for one account at which the pauses begin."""
LONGEST_PAUSE = 60
"""Maximum seconds of a pause; the first is one second, and each is twice as long as the one before."""
FORGOTTEN_AFTER = 900.0
"""Seconds after the end of a pause until its wrong passwords are forgotten."""
PAUSES = 10_000
"""Maximum pauses that are remembered.  Each took a hash, so the oldest has ended before it is dropped."""

Pair = tuple[str, str]
"""A network and the key of an account's name, whether the account exists or not."""


class NoRoom(Exception):
    """The queue has no room for a request; ``seconds`` (at least 1) is the time until the next attempt."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"try again in {seconds} s")
        self.seconds = seconds


class LoginQueue:
    """Assigns turns for hashing a password, in rotation among networks, and within a network among accounts.

    So while another network waits, a network gets at most every second turn, and likewise an account within its
    network. When the queue is full, a request of the largest network or account is dropped for one with fewer requests.
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
        """Waiting requests by network and account; the first of each has the next turn."""
        self._sizes: dict[str, int] = {}
        self._count = 0
        self._taken = 0
        self._giving = False

    def __len__(self) -> int:
        """Return the number of waiting requests."""
        return self._count

    def turn(self, pair: Pair) -> Deferred[None]:
        """Return a Deferred that fires when it is the request's turn; the caller ends the turn with ``done``.

        The Deferred fails with NoRoom if the request is dropped for another one.  Raises NoRoom if the queue is full.
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
        """End a turn; the next waiting request gets it."""
        self._taken -= 1
        if self._giving:
            return  # called from within the loop below, which goes on
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
        """Drop a request of the largest group.  Raises NoRoom if none is larger than this request's would be."""
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


class Pauses:
    """Wrong passwords, and how long a network must wait before it may try the same account again.

    Other networks and other accounts need not wait.  ``seconds`` is a monotonic clock.
    """

    def __init__(self, seconds: Callable[[], float], most: int = PAUSES) -> None:
        self._seconds = seconds
        self._most = most
        self._wrong: OrderedDict[Pair, tuple[int, float]] = OrderedDict()
        """The number of wrong passwords, and when the pause after the last one ends; the oldest first."""

    def __len__(self) -> int:
        return len(self._wrong)

    def left(self, pair: Pair) -> int:
        """Return the seconds, rounded up, that a pair must still wait; 0 if it may try."""
        attempts, end = self._wrong.get(pair, (0, 0.0))
        left = end - self._seconds()
        if attempts and left < -FORGOTTEN_AFTER:
            del self._wrong[pair]
        return max(0, math.ceil(left))

    def add_wrong(self, pair: Pair) -> None:
        """Count a wrong password."""
        attempts = self._wrong.get(pair, (0, 0.0))[0] + 1
        pause = 0 if attempts < FREE_ATTEMPTS else min(LONGEST_PAUSE, 1 << min(attempts - FREE_ATTEMPTS, 16))
        self._wrong[pair] = attempts, self._seconds() + pause
        self._wrong.move_to_end(pair)
        while len(self._wrong) > self._most:
            self._wrong.popitem(last=False)

    def forget(self, pair: Pair) -> None:
        """Forget a pair's wrong passwords, as the right one was given."""
        self._wrong.pop(pair, None)
