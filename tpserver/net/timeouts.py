"""One timer for the deadlines of all connections."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Protocol


class DelayedCall(Protocol):
    """Twisted's IDelayedCall, as far as it is needed."""

    def cancel(self) -> None: ...


class Clock(Protocol):
    """Twisted's IReactorTime, as far as it is needed: the reactor, or `twisted.internet.task.Clock`."""

    def seconds(self) -> float: ...

    def callLater(self, delay: float, call: Callable[[], object], /) -> DelayedCall: ...


class Watched(Protocol):
    """Something that must be looked at when a time has come."""

    slot: int
    """Kept by Timeouts; 0 while nothing is due."""

    def check(self, now: float) -> float | None:
        """Do what is due at `now` and return the time of the next look, or None if there need not be one."""


class Timeouts:
    """Calls `check` of what it watches once its time has come, up to `resolution` seconds late.

    A later deadline costs nothing: whoever is looked at too early answers with the time that holds by then.  So a busy
    connection moves its deadlines on by an assignment, and the one timer of the reactor fires only for the earliest.
    """

    __slots__ = ("_call", "_called_for", "_clock", "_order", "_resolution", "_slots")

    def __init__(self, clock: Clock, resolution: float = 1.0) -> None:
        self._clock = clock
        self._resolution = resolution
        self._slots: dict[int, set[Watched]] = {}
        self._order: list[int] = []
        self._call: DelayedCall | None = None
        self._called_for = 0

    def watch(self, watched: Watched, deadline: float) -> None:
        """See to it that `watched` is looked at when `deadline` (seconds of the clock) has come, or before."""
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
        """Look at `watched` no more."""
        if watched.slot:
            self._slots[watched.slot].discard(watched)
            watched.slot = 0

    def stop(self) -> None:
        """Look at nothing any more."""
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
                    # Never the same moment again, whatever was answered: the loop has to end.
                    self.watch(watched, max(following, now + self._resolution / 2))
        self._arrange()
