"""One timer for the deadlines of all connections."""

from __future__ import annotations

import heapq
import math
from typing import Protocol

from tpserver.concurrency import Clock, Timer


class Watched(Protocol):
    """An object with deadlines."""

    slot: int
    """Kept by Timeouts; 0 while no deadline is set."""

    def check(self, now: float) -> float | None:
        """Act on deadlines at `now`; return the time of the next check, or None."""


class Timeouts:
    """Calls `check` of watched objects when their deadlines have passed, up to `resolution` seconds late.

    A later deadline needs no call: an object that is checked too early returns its present deadline. So a busy
    connection only assigns an attribute, and the reactor's one timer is set for the earliest deadline.
    """

    def __init__(self, clock: Clock, resolution: float = 1.0) -> None:
        self._clock = clock
        self._resolution = resolution
        self._slots: dict[int, set[Watched]] = {}
        self._order: list[int] = []
        self._call: Timer | None = None
        self._called_for = 0

    def watch(self, watched: Watched, deadline: float) -> None:
        """Have `watched` checked at `deadline` (seconds of the clock) or earlier."""
        slot = max(1, math.ceil(deadline / self._resolution))
        if watched.slot:
            if watched.slot <= slot:
                return
            self._slots[watched.slot].discard(watched)
        watched.slot = slot
        together = self._slots.get(slot)
        if together is None:
            together = self._slots[slot] = set()
            heapq.heappush(self._order, slot)
            self._arrange()
        together.add(watched)

    def forget(self, watched: Watched) -> None:
        """Stop checking `watched`."""
        if watched.slot:
            self._slots[watched.slot].discard(watched)
            watched.slot = 0

    def stop(self) -> None:
        """Stop all checks."""
        for together in self._slots.values():
            for watched in together:
                watched.slot = 0
        self._slots.clear()
        self._order.clear()
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _arrange(self) -> None:
        if not self._order:
            return
        first = self._order[0]
        if self._call is not None:
            if self._called_for <= first:
                return
            self._call.cancel()
        self._called_for = first
        self._call = self._clock.callLater(max(0.0, first * self._resolution - self._clock.seconds()), self._look)

    def _look(self) -> None:
        self._call = None
        now = self._clock.seconds()
        while self._order and self._order[0] * self._resolution <= now:
            due = self._slots.pop(heapq.heappop(self._order))
            for watched in due:
                watched.slot = 0
            for watched in due:
                following = watched.check(now)
                if following is not None:
                    # Always later than now, for any result of `check`, so that the loop ends.
                    self.watch(watched, max(following, now + self._resolution / 2))
        self._arrange()
