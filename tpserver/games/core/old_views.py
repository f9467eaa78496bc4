"""Old views and queues of a seat that a connection still reads.

A connection that has listed ids keeps a reference to the view or queue in which it saw them
(`tpserver.requests.session.repeatable_reads`). This module only counts old views, by weak references. An old view lives
as long as a connection still has ids of it. If there are too many, the oldest is emptied.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, NamedTuple, TypeVar
from weakref import ref

from tprules.api import Oid
from tpserver.games.core.views import Queue, View, VisibleObject

MOST_OLD_VIEWS = 16
"""Maximum earlier views kept for each seat. Clients with an emptied one get responses from the present view."""

MOST_OLD_ORDERS = 16_384
"""Maximum orders in earlier queues kept for each seat. The same applies to their clients."""

MOST_VANISHED = 1024
"""Maximum recently vanished queues for each seat; the oldest are dropped."""

LISTED_SECONDS = 60.0
"""Seconds for which listed objects can be fetched in their old state."""


def is_fresh(since: float, now: float) -> bool:
    """Return whether less than LISTED_SECONDS have passed; False if the clock was set back."""
    return 0 <= now - since <= LISTED_SECONDS


F = TypeVar("F", View, Queue)


class WeakBudget(Generic[F]):
    """Objects that live while they are referenced elsewhere, with a total weight of at most ``most``."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: deque[tuple[ref[F], int]] = deque()
        self._weight = 0

    def add(self, thing: F, weight: int) -> None:
        """Add an outdated object. The oldest are emptied if the total weight is too large."""
        self._kept.append((ref(thing), weight))
        self._weight += weight
        if self._weight <= self.most:
            return
        self._kept = deque((kept, heavy) for kept, heavy in self._kept if kept() is not None)
        self._weight = sum(heavy for _, heavy in self._kept)
        while self._weight > self.most:
            oldest, heavy = self._kept.popleft()
            self._weight -= heavy
            old = oldest()
            if old is not None:
                old.forget()

    def living(self) -> list[F]:
        """Return the objects that are still referenced, the oldest first."""
        return [thing for kept, _ in self._kept if (thing := kept()) is not None]


class Vanished(NamedTuple):
    """The last state of the order queue of an object that its seat no longer commands."""

    born: int
    """The first turn of the queue, or any earlier turn if that is more than LISTED_SECONDS ago."""
    turn: int
    """The first turn without the queue."""
    at: float
    """Time when that turn began, in unix seconds."""
    seen: VisibleObject
    time: int
    """The modification time of the queue that clients got."""
    queue: Queue | None


class Past:
    """Earlier views and queues of one seat. ``views`` and ``queues`` contain those that are still read."""

    __slots__ = ("_born", "queues", "vanished", "views")

    def __init__(self) -> None:
        self.views: WeakBudget[View] = WeakBudget(MOST_OLD_VIEWS)
        self.queues: WeakBudget[Queue] = WeakBudget(MOST_OLD_ORDERS)
        self.vanished: dict[Oid, Vanished] = {}
        self._born: dict[Oid, tuple[int, float]] = {}
        """Queues that are newer than LISTED_SECONDS, with their first turn and the time of its beginning."""

    def replaced(self, old: View, new: View | None, turn: int, now: float) -> None:
        """Record that a view is outdated; ``new`` replaces it from ``turn`` on."""
        if old.listed:
            self.views.add(old, 1)
        for oid, queue in old.queues.items():
            if new is None or new.queues.get(oid) is not queue:
                self.changed(queue)
        self._note_queues(old, new, turn, now)

    def changed(self, queue: Queue) -> None:
        """Record that these orders of a queue are outdated."""
        if queue.told:
            self.queues.add(queue, len(queue.orders))

    def _note_queues(self, old: View, new: View | None, turn: int, now: float) -> None:
        self.vanished = {oid: gone for oid, gone in self.vanished.items() if is_fresh(gone.at, now)}
        self._born = {oid: born for oid, born in self._born.items() if is_fresh(born[1], now)}
        if new is None:
            return
        for oid in sorted(new.lost_queues):
            born, _ = self._born.pop(oid, (0, now))
            self.vanished.pop(oid, None)
            self.vanished[oid] = Vanished(born, turn, now, old.objects[oid], old.time(oid), old.queues.get(oid))
        self._born.update(dict.fromkeys(new.new_queues, (turn, now)))
        while len(self.vanished) > MOST_VANISHED:
            del self.vanished[next(iter(self.vanished))]
