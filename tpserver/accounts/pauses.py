"""Pauses after wrong passwords."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable

FREE_ATTEMPTS = 3
"""Number of wrong passwords of one network for one account at which the pauses begin."""
LONGEST_PAUSE = 60
"""Maximum seconds of a pause. The first lasts one second, and each is twice as long as the one before."""
FORGOTTEN_AFTER = 900.0
"""Seconds after the end of a pause until its wrong passwords are forgotten."""
PAUSES = 10_000
"""Maximum remembered pauses.

Each took a hash, so the oldest has ended before it is dropped.
"""

Pair = tuple[str, str]
"""A network and the key of an account's name; the account may not exist."""


class Pauses:
    """Wrong passwords, and the waits of networks before the next try for the same account.

    Other networks and other accounts need not wait. ``seconds`` is a monotonic clock.
    """

    def __init__(self, seconds: Callable[[], float], most: int = PAUSES) -> None:
        self._seconds = seconds
        self._most = most
        self._wrong: OrderedDict[Pair, tuple[int, float]] = OrderedDict()
        """The number of wrong passwords, and the end of the pause after the last one; the oldest first."""

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
        """Forget a pair's wrong passwords after the right one."""
        self._wrong.pop(pair, None)
