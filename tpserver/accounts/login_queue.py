"""Who may have a password hashed, and when: a fair queue, and pauses after wrong passwords."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Callable

from twisted.internet.defer import Deferred, succeed

WIDTH = 2
"""How many turns there are at the same time: threads that hash."""
WAITING = 1024
"""Maximum requests that wait in all: at two threads some fifteen seconds."""
WAITING_PER_NETWORK = 256
WAITING_PER_PAIR = 8
"""Maximum requests of one network for one account that wait."""
TURN_SECONDS = 0.03
"""About what a turn takes, to say when to try again."""

FREE_ATTEMPTS = 3
"""Wrong passwords of one network for one account before the first pause."""
LONGEST_PAUSE = 60
"""Seconds; the first pause is one second, and each is twice as long as the one before."""
FORGOTTEN_AFTER = 900.0
"""Seconds after a pause has ended until its wrong passwords are forgotten."""
PAUSES = 10_000
"""Maximum pauses that are remembered.  Each took a hash, so that an old one has ended before it is pushed out."""

Pair = tuple[str, str]
"""A network and the key of an account's name, whether there is such an account or not."""


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


class Pauses:
    """Wrong passwords, and how long a network must wait before it may try the same account again.

    Other networks and other accounts do not wait for it.  ``seconds`` is a clock that nobody sets.
    """

    def __init__(self, seconds: Callable[[], float], most: int = PAUSES) -> None:
        self._seconds = seconds
        self._most = most
        self._wrong: OrderedDict[Pair, tuple[int, float]] = OrderedDict()
        """How many wrong passwords there were, and when the pause after the last one ends; the oldest first."""

    def __len__(self) -> int:
        return len(self._wrong)

    def left(self, pair: Pair) -> int:
        """Return the whole seconds that a pair still has to wait, 0 if it may try."""
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
        """Forget a pair's wrong passwords: the right one was given."""
        self._wrong.pop(pair, None)
