"""What one connection has listed and not fetched yet.

Reading is repeatable (wire.md, "What must fit together"): a client lists ids and then fetches them, in several
requests, while turns go on.  So for a minute

*   an object or order queue that was listed can be fetched once as it was in the turn in which it was listed, also if
    it has changed or gone since; with what its seat has ordered in that turn, which is the player's own doing;
*   a board that was listed can be fetched once as it was then, unless the client knows it already;
*   each slot of an order queue can be read once as it was when the client was told of the queue's length: by an
    OrderQueue frame, in TP03 by an Object frame;
*   each slot of the own board that a Board frame told of is answered once.  A message that was removed meanwhile is
    gone for good, through whatever connection the player removed it: those behind it have moved up, and a message that
    says so stands in for the slots at the end;
*   the queue of an object that was listed, and that is not the player's any more, can be fetched once as it was last.

Whatever is fetched again, or was changed by the connection itself, is answered as it is now.  To list an id again
begins anew for that id; what was listed before and is not in the new list can still be fetched.

The picture is a view of the seat that all its connections share.  It lives as long as somebody has ids of it left, and
a seat has at most so many of them (`games.past`): who reads the oldest sees the present.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from tprules.api import Oid, Order
from tpserver.concurrency import Timers
from tpserver.games.past import Past, Vanished, is_fresh
from tpserver.games.views import Queue, View

SWEEP_SECONDS = 10.0
"""How often what was not fetched in time is thrown away; nobody sees it before that, either."""

SWEPT_AT_ONCE = 20_000
"""Ids that may be looked at before other work is let in."""


class Pin:
    """What the ids of one list have in common: the view in which they were listed, and when."""

    __slots__ = ("since", "view")

    def __init__(self, view: View, since: float) -> None:
        self.view = view
        self.since = since

    def source(self, present: View, now: float) -> View:
        """Return from which view such an id is to be answered."""
        return self.view if self.is_alive(now) else present

    def is_alive(self, now: float) -> bool:
        return not self.view.forgotten and is_fresh(self.since, now)


Pins = dict[Oid, Pin]


class Told:
    """An order queue of whose length a client was told, and which of its slots have been read since."""

    __slots__ = ("queue", "read", "since")

    def __init__(self, queue: Queue, since: float) -> None:
        self.queue = queue
        self.since = since
        self.read: set[int] = set()

    def order(self, slot: int) -> Order | None:
        """Return the order in a slot that has not been read."""
        orders = self.queue.orders
        return orders[slot] if slot < len(orders) and slot not in self.read else None

    def is_alive(self, now: float) -> bool:
        return len(self.read) < len(self.queue.orders) and is_fresh(self.since, now)


class BoardState(NamedTuple):
    """How a board was told of: the number of its messages, its modification time, and when."""

    messages: int
    modtime: int
    since: float


class Reading:
    """What one connection has listed and not fetched yet."""

    __slots__ = (
        "_board_times",
        "_boards",
        "_mail",
        "_queues_fetched",
        "_seen_at",
        "_seen_turn",
        "_stood_in",
        "objects",
        "queues",
        "told",
    )

    def __init__(self) -> None:
        self.objects: Pins = {}
        self.queues: Pins = {}
        self.told: dict[Oid, Told] = {}
        self._seen_turn = 0
        """The turn in which all objects were listed last."""
        self._seen_at: float | None = None
        """When that was; None if it does not count any more."""
        self._queues_fetched: set[Oid] = set()
        """Queues fetched since."""
        self._boards: dict[int, BoardState] = {}
        """Boards that were listed and not fetched."""
        self._board_times: dict[int, int] = {}
        """The modification times that were told with boards."""
        self._mail: BoardState | None = None
        """The own board as it was fetched last."""
        self._stood_in: set[int] = set()
        """Slots of it that were answered though nothing is in them any more."""

    def __len__(self) -> int:
        return len(self.objects) + len(self.queues) + len(self.told) + len(self._queues_fetched)

    # --- listing

    def list_ids(self, pins: Pins, view: View, ids: Iterable[Oid], now: float) -> None:
        """Remember that these ids were listed; ``pins`` is ``objects`` or ``queues``."""
        view.listed = True
        pins.update(dict.fromkeys(ids, Pin(view, now)))

    def saw_all(self, turn: int, now: float) -> None:
        """Remember that all objects, or all that had changed, were listed."""
        self._seen_turn, self._seen_at = turn, now
        self._queues_fetched.clear()

    def vanished(self, past: Past, now: float) -> dict[Oid, Vanished]:
        """Return the queues that objects had which this client believes to be there, until it lists them anew."""
        if self._seen_at is None or not is_fresh(self._seen_at, now):
            return {}
        return {
            oid: gone
            for oid, gone in past.vanished.items()
            if gone.born <= self._seen_turn < gone.turn and oid not in self._queues_fetched
        }

    # --- fetching

    def sources(self, pins: Pins, ids: Sequence[Oid], present: View, now: float) -> list[View]:
        """Return from which view each of these ids is to be answered."""
        if not pins:
            return [present] * len(ids)
        found = []
        before: set[Oid] = set()
        for oid in ids:
            pin = None if oid in before else pins.get(oid)
            before.add(oid)
            found.append(present if pin is None else pin.source(present, now))
        return found

    def only_source(self, ids: Sequence[Oid], present: View, now: float) -> View | None:
        """Return from which view all these objects are to be answered; None if it is not one for all."""
        pins = set(map(self.objects.get, ids))
        views = [present if pin is None else pin.source(present, now) for pin in pins]
        first = views[0] if views else present
        if any(view is not first for view in views):
            return None
        return first if first is present or len(set(ids)) == len(ids) else None

    def fetched(self, pins: Pins, ids: Iterable[Oid]) -> None:
        """Remember that these ids were fetched: the next time they are answered as they are then."""
        if pins:
            for oid in ids:
                pins.pop(oid, None)

    def fetched_queues(self, ids: Iterable[Oid], now: float) -> None:
        """Remember that these queues were fetched: if they vanish now the client knows them already."""
        if self._seen_at is not None and is_fresh(self._seen_at, now):
            self._queues_fetched.update(ids)

    # --- orders

    def tell(self, oid: Oid, queue: Queue, now: float) -> None:
        """Remember that the client was told how long a queue is."""
        queue.told = True
        self.told[oid] = Told(queue, now)

    def told_of(self, oid: Oid, now: float) -> Told | None:
        """Return the queue of whose length the client was told, as long as there is something in it to be read."""
        told = self.told.get(oid)
        return told if told is not None and told.is_alive(now) else None

    def read(self, oid: Oid, slots: Iterable[int]) -> None:
        """Remember that the orders in these slots were read."""
        told = self.told.get(oid)
        if told is not None:
            told.read.update(slot for slot in slots if slot < len(told.queue.orders))
            if len(told.read) >= len(told.queue.orders):
                del self.told[oid]

    # --- boards

    def list_board(self, number: int, board: BoardState) -> None:
        """Remember that a board was listed; one that the client has fetched as it is has nothing new to be told."""
        if self._board_times.get(number) == board.modtime:
            self._boards.pop(number, None)
        else:
            self._boards[number] = board

    def listed_board(self, number: int, now: float) -> BoardState | None:
        """Return how a board was listed, if it was and has not been fetched since."""
        board = self._boards.get(number)
        return board if board is not None and is_fresh(board.since, now) else None

    def fetched_board(self, number: int, board: BoardState, *, own: bool) -> None:
        """Remember what the client was told of a board."""
        self._boards.pop(number, None)
        self._board_times[number] = board.modtime
        if own:
            self._mail = board
            self._stood_in.clear()

    def stand_in(self, slot: int, now: float) -> bool:
        """Return whether a slot of the own board that is empty was told of; such a question is answered once."""
        mail = self._mail
        if mail is None or not is_fresh(mail.since, now) or not slot < mail.messages or slot in self._stood_in:
            return False
        self._stood_in.add(slot)
        return True

    def removed_messages(self, number: int) -> None:
        """The client itself has removed messages of its own board."""
        self._boards.pop(number, None)
        self._mail = None
        self._stood_in.clear()

    # --- ending

    def changed(self, oid: Oid) -> None:
        """The client itself has changed the queue of an object."""
        for mapping in (self.objects, self.queues, self.told):
            mapping.pop(oid, None)

    def reloaded(self) -> None:
        """What was told of orders may never have been saved."""
        self.told.clear()
        self._boards.clear()
        self._seen_at = None

    def sweep(self, now: float) -> None:
        """Throw away what was not fetched in time."""
        self.objects = _alive(self.objects, now)
        self.queues = _alive(self.queues, now)
        self.told = {oid: told for oid, told in self.told.items() if told.is_alive(now)}
        if self._seen_at is None or not is_fresh(self._seen_at, now):
            self._queues_fetched.clear()


def _alive(pins: Pins, now: float) -> Pins:
    dead = {pin for pin in set(pins.values()) if not pin.is_alive(now)}
    return {oid: pin for oid, pin in pins.items() if pin not in dead} if dead else pins


class Readers:
    """All connections that have something left to fetch.  One timer for all throws away what is not fetched in time."""

    def __init__(self, timers: Timers, now: Callable[[], float]) -> None:
        self._timers = timers
        self._now = now
        self._all: set[Reading] = set()
        self._waits = False

    def add(self, reading: Reading) -> None:
        """A connection has something to fetch."""
        self._all.add(reading)
        if not self._waits:
            self._waits = True
            self._timers.callLater(SWEEP_SECONDS, lambda: self._sweep(list(self._all)))

    def remove(self, reading: Reading) -> None:
        """A connection fetches nothing any more."""
        self._all.discard(reading)

    def _sweep(self, left: list[Reading]) -> None:
        now, looked_at = self._now(), 0
        while left and looked_at < SWEPT_AT_ONCE:
            reading = left.pop()
            looked_at += 1 + len(reading)
            reading.sweep(now)
            if not reading:
                self._all.discard(reading)
        if left:
            self._timers.callLater(0, lambda: self._sweep(left))
        elif self._all:
            self._timers.callLater(SWEEP_SECONDS, lambda: self._sweep(list(self._all)))
        else:
            self._waits = False
