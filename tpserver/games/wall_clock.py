"""Notices that the system's clock was set, by a clock that nobody sets."""

from __future__ import annotations

import time
from collections.abc import Callable

from tpserver.concurrency import Timer, Timers

LOOK_SECONDS = 5.0
"""How often to look by itself."""
TOLERANCE = 1.0
"""Seconds between two looks that are drift, which times follow, and not a clock that was set."""

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady_seconds() -> float:
    """Return seconds from some beginning; nobody sets this clock, and it runs on while the machine sleeps."""
    return time.clock_gettime(_STEADY)


class WallClock:
    """Compares the clock of the system with a steady one.

    ``jumped`` is called with the seconds by which ``now`` was set forward, or back if they are negative.  Without
    ``steady`` nothing is noticed: for the command line, which does not run for long.
    """

    def __init__(
        self,
        timers: Timers,
        now: Callable[[], float],
        steady: Callable[[], float] | None,
        jumped: Callable[[float], None],
    ) -> None:
        self._timers = timers
        self._now = now
        self._steady = steady
        self._jumped = jumped
        self._offset = 0.0 if steady is None else now() - steady()
        self._timer: Timer | None = None

    def watch(self) -> None:
        """Look every few seconds from now on."""
        self.stop()
        self.look()
        if self._steady is not None:
            self._timer = self._timers.callLater(LOOK_SECONDS, self.watch)

    def stop(self) -> None:
        """Look no more by itself."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def look(self) -> None:
        """Find out now whether the clock was set; whoever is about to compare a time with ``now`` does."""
        if self._steady is None:
            return
        offset = self._now() - self._steady()
        before, self._offset = self._offset, offset
        if abs(offset - before) > TOLERANCE:
            self._jumped(offset - before)
