"""Execute order queues unit by unit.

Each unit acts until its queue is empty or it can do no more.
"""

from __future__ import annotations

import enum
from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

K = TypeVar("K")
Item = TypeVar("Item")


class Verdict(enum.Enum):
    """The result of executing the order at the head of a queue."""

    DONE = enum.auto()
    """The order is finished, successful or not. It leaves the queue, and the next one is executed."""
    STOPS = enum.auto()
    """The order stays in the queue, and the unit does nothing more this time."""
    LAST = enum.auto()
    """The order is finished and leaves the queue. The unit acts again after all others."""


def run_queues(
    units: Iterable[K], queues: dict[K, list[Item]], execute: Callable[[K, Item], Verdict], exists: Callable[[K], bool]
) -> None:
    """Execute the queues of ``units`` in the order of ``units``. Finished orders leave their queue, others stay.

    ``execute(unit, order)`` returns the verdict. A unit for which ``exists`` is False does nothing. The call returns
    only if each order sooner or later is finished or stops its unit.
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
