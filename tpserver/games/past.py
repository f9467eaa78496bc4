"""What a seat saw before, as far as somebody still reads it.

Connections that have listed something hold on to the view, or the queue, in which they saw it (`requests.reading`).
Here it is only counted, by weak references: an old view lives exactly as long as somebody has ids of it left, and the
oldest is emptied when there are too many of them.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, NamedTuple, Protocol, TypeVar
from weakref import ref

from tprules.api import Oid
from tpserver.games.views import Queue, View, VisibleObject

MOST_OLD_VIEWS = 16
"""Old views of one seat that may be kept; with more, who reads the oldest sees the present."""

MOST_OLD_ORDERS = 16_384
"""Orders in old queues of one seat that may be kept, likewise."""

MOST_VANISHED = 1024
"""Queues that vanished lately, of one seat; the oldest are forgotten."""

LISTED_SECONDS = 60.0
"""How long what was listed can be fetched as it was."""


def is_fresh(since: float, now: float) -> bool:
    """Return whether a minute has not passed; if the clock was set back, it has."""
    return 0 <= now - since <= LISTED_SECONDS


class Forgettable(Protocol):
    """Something old that can be told to let go of what it holds."""

    def forget(self) -> None: ...


F = TypeVar("F", bound=Forgettable)


class Kept(Generic[F]):
    """Old things that live as long as somebody holds them, and weigh at most ``most`` together."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: deque[tuple[ref[F], int]] = deque()
        self._weight = 0

    def add(self, thing: F, weight: int) -> None:
        """Count a thing that is not the present any more; the oldest are emptied if all weigh too much."""
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
        """Return what is still held, the oldest first."""
        return [thing for kept, _ in self._kept if (thing := kept()) is not None]


class Vanished(NamedTuple):
    """The order queue of an object that its seat does not command any more, as it was in the end."""

    born: int
    """The turn in which it was there first, or any before that if that was more than a minute ago."""
    turn: int
    """The turn that began without it."""
    at: float
    """When that was, in unix seconds."""
    seen: VisibleObject
    time: int
    """The modification time that was told of it."""
    queue: Queue | None


class Past:
    """What one seat saw before.  ``views`` and ``queues`` are those that somebody still reads."""

    __slots__ = ("_born", "queues", "vanished", "views")

    def __init__(self) -> None:
        self.views: Kept[View] = Kept(MOST_OLD_VIEWS)
        self.queues: Kept[Queue] = Kept(MOST_OLD_ORDERS)
        self.vanished: dict[Oid, Vanished] = {}
        self._born: dict[Oid, tuple[int, float]] = {}
        """Queues that are there since less than a minute: since which turn, and when that began."""

    def replaced(self, old: View, new: View | None, turn: int, now: float) -> None:
        """Take note that a view is of the past; ``new`` is what the seat sees from ``turn`` on."""
        if old.listed:
            self.views.add(old, 1)
        for oid, queue in old.queues.items():
            if new is None or new.queues.get(oid) is not queue:
                self.changed(queue)
        self._note_queues(old, new, turn, now)

    def changed(self, queue: Queue) -> None:
        """Take note that a queue does not hold these orders any more."""
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
            self.vanished[oid] = Vanished(born, turn, now, old.objects[oid], old.times[oid], old.queues.get(oid))
        self._born.update(dict.fromkeys(new.new_queues, (turn, now)))
        while len(self.vanished) > MOST_VANISHED:
            del self.vanished[next(iter(self.vanished))]
