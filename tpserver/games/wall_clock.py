"""Detects that the system's clock was set, by comparing it with a monotonic clock."""

from __future__ import annotations

import time
from collections.abc import Callable

from tpserver.concurrency import Timer, Timers

LOOK_SECONDS = 5.0
"""Seconds between regular checks."""
TOLERANCE = 1.0
"""Maximum seconds of difference between two checks that count as drift; deadlines are not moved for it."""

_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady_seconds() -> float:
    """Return seconds of a monotonic clock, which also runs while the machine sleeps."""
    return time.clock_gettime(_STEADY)


class WallClock:
    """Compares the system's clock with a monotonic one.

    ``jumped`` is called with the seconds by which ``now`` was set forward, or back if they are negative.  Without
    ``steady`` nothing is detected: for the command line, which runs only briefly.
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
        """Begin to check every LOOK_SECONDS."""
        self.stop()
        self.look()
        if self._steady is not None:
            self._timer = self._timers.callLater(LOOK_SECONDS, self.watch)

    def stop(self) -> None:
        """Stop the regular checks."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def look(self) -> None:
        """Check now; to be called before a time is compared with ``now``."""
        if self._steady is None:
            return
        offset = self._now() - self._steady()
        before, self._offset = self._offset, offset
        if abs(offset - before) > TOLERANCE:
            self._jumped(offset - before)
