"""Order queues that are carried out one unit after the other, each unit until it is done or can do no more."""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
Item = TypeVar("Item")


class Verdict(enum.Enum):
    """What became of the order at the head of a queue."""

    DONE = enum.auto()
    """It is over, carried out or not: it leaves the queue, and the next one follows."""
    STOPS = enum.auto()
    """It stays where it is, and the unit does no more this time."""
    LAST = enum.auto()
    """It is over, and the unit's turn comes again after all others."""


def run_queues(
    units: Iterable[K],
    queues: dict[K, list[Item]],
    execute: Callable[[K, Item], Verdict],
    exists: Callable[[K], bool],
) -> None:
    """Carry out the queues of ``units`` in their order; what is over leaves its queue, the rest stays.

    A unit that ``exists`` no more does nothing.  It ends if every order is over, or stops its unit, sooner or later.
    """
    waiting = deque(units)
    while waiting:
        unit = waiting.popleft()
        while exists(unit) and queues.get(unit):
            verdict = execute(unit, queues[unit][0])
            if verdict is Verdict.STOPS:
                break
            del queues[unit][0]
            if verdict is Verdict.LAST:
                waiting.append(unit)
                break
