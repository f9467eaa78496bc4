"""Repeatable reads: ids that a connection has listed and not yet fetched.

Reading is repeatable (wire.md, "What must fit together"). A client lists ids and then fetches them in several requests,
while turns close in between. Therefore, for a minute:

*   A listed object or order queue can be fetched once in the state that it had in the turn of the list. It may have
    changed or vanished since. Orders of the player in that turn are included.
*   A listed board can be fetched once in its listed state, unless the client knows it already.
*   Each slot of an order queue can be read once in the state that it had when the client got the queue's length. The
    length is in an OrderQueue frame, or in TP03 in an Object frame.
*   Each slot of the own board in a Board frame gets one response. A message that the player has removed since, over any
    connection, is not shown. The messages after it have moved up. For each slot at the end, the response is a
    substitute message that explains this.
*   The queue of a listed object that no longer belongs to the player can be fetched once in its last state.

A second fetch shows the present state. So does a fetch of data that the connection itself has changed. Listing an id
again replaces its record. Ids of older lists that are missing in the new list can still be fetched.

The recorded state is a view of the seat, shared by all its connections. It lives while a connection still has ids of
it. The number of old views for each seat is limited (`tpserver.games.core.old_views`). Clients of the oldest get the
present state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tprules.api import Oid, Order
from tpserver.concurrency import Timers
from tpserver.games.core.old_views import Past, Vanished, is_fresh
from tpserver.games.core.views import Queue, View

SWEEP_SECONDS = 10.0
"""Seconds between removals of expired lists, which are not used in between either."""

SWEPT_AT_ONCE = 20_000
"""Maximum ids examined before other work runs."""


@dataclass(slots=True, eq=False)
class Pin:
    """Common data of the ids of one list: the view in which they were listed, and the time."""

    view: View
    since: float

    def source(self, present: View, now: float) -> View:
        """Return the view for the response about such an id."""
        return self.view if self.is_alive(now) else present

    def is_alive(self, now: float) -> bool:
        return not self.view.forgotten and is_fresh(self.since, now)


Pins = dict[Oid, Pin]


@dataclass(slots=True, eq=False)
class ListedQueue:
    """An order queue whose length the client knows, and the slots that it has read since."""

    queue: Queue
    since: float
    read: set[int] = field(default_factory=set)

    def order(self, slot: int) -> Order | None:
        """Return the order in a slot if it exists and was not read yet."""
        orders = self.queue.orders
        return orders[slot] if slot < len(orders) and slot not in self.read else None

    def is_alive(self, now: float) -> bool:
        return len(self.read) < len(self.queue.orders) and is_fresh(self.since, now)


class BoardState(NamedTuple):
    """State of a board that the client knows: number of messages, modification time, and time of the response."""

    messages: int
    modtime: int
    since: float


@dataclass(slots=True, eq=False)
class Reading:
    """Ids that one connection has listed and not yet fetched."""

    objects: Pins = field(default_factory=dict)
    queues: Pins = field(default_factory=dict)
    told: dict[Oid, ListedQueue] = field(default_factory=dict)
    _seen_turn: int = 0
    """The turn of the last list of all objects."""
    _seen_at: float | None = None
    """Time of that listing; None if it is no longer valid."""
    _queues_fetched: set[Oid] = field(default_factory=set)
    """Queues fetched since that listing."""
    _boards: dict[int, BoardState] = field(default_factory=dict)
    """Boards listed and not fetched, by number."""
    _board_times: dict[int, int] = field(default_factory=dict)
    """Modification times sent with boards, by number."""
    _mail: BoardState | None = None
    """The player's own board at its last fetch."""
    _stood_in: set[int] = field(default_factory=set)
    """Empty slots of it that were answered with a substitute message."""

    def __len__(self) -> int:
        return len(self.objects) + len(self.queues) + len(self.told) + len(self._queues_fetched)

    # --- listing

    def list_ids(self, pins: Pins, view: View, ids: Iterable[Oid], now: float) -> None:
        """Record that these ids were listed; ``pins`` is ``objects`` or ``queues``."""
        view.listed = True
        pins.update(dict.fromkeys(ids, Pin(view, now)))

    def saw_all(self, turn: int, now: float) -> None:
        """Record that all objects, or all changed ones, were listed."""
        self._seen_turn, self._seen_at = turn, now
        self._queues_fetched.clear()

    def vanished(self, past: Past, now: float) -> dict[Oid, Vanished]:
        """Return the vanished queues that still exist for this client, until it lists the objects again."""
        if self._seen_at is None or not is_fresh(self._seen_at, now):
            return {}
        return {
            oid: gone
            for oid, gone in past.vanished.items()
            if gone.born <= self._seen_turn < gone.turn and oid not in self._queues_fetched
        }

    # --- fetching

    def sources(self, pins: Pins, ids: Sequence[Oid], present: View, now: float) -> list[View]:
        """Return for each id the view for the response."""
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
        """Return the one view for the response about all these objects, or None if they need several."""
        pins = set(map(self.objects.get, ids))
        views = [present if pin is None else pin.source(present, now) for pin in pins]
        first = views[0] if views else present
        if any(view is not first for view in views):
            return None
        return first if first is present or len(set(ids)) == len(ids) else None

    def fetched(self, pins: Pins, ids: Iterable[Oid]) -> None:
        """Record that these ids were fetched. The next responses about them show the present state."""
        if pins:
            for oid in ids:
                pins.pop(oid, None)

    def fetched_queues(self, ids: Iterable[Oid], now: float) -> None:
        """Record that these queues were fetched. If they vanish after that, the client knows them already."""
        if self._seen_at is not None and is_fresh(self._seen_at, now):
            self._queues_fetched.update(ids)

    # --- orders

    def tell(self, oid: Oid, queue: Queue, now: float) -> None:
        """Record that the client got a queue's length."""
        queue.told = True
        self.told[oid] = ListedQueue(queue, now)

    def told_of(self, oid: Oid, now: float) -> ListedQueue | None:
        """Return a queue whose length the client got; None if all orders were read, or the time is over."""
        told = self.told.get(oid)
        return told if told is not None and told.is_alive(now) else None

    def read(self, oid: Oid, slots: Iterable[int]) -> None:
        """Record that the orders in these slots were read."""
        told = self.told.get(oid)
        if told is not None:
            told.read.update(slot for slot in slots if slot < len(told.queue.orders))
            if len(told.read) >= len(told.queue.orders):
                del self.told[oid]

    # --- boards

    def list_board(self, number: int, board: BoardState) -> None:
        """Record that a board was listed, unless the client has fetched it with the same modification time."""
        if self._board_times.get(number) == board.modtime:
            self._boards.pop(number, None)
        else:
            self._boards[number] = board

    def listed_board(self, number: int, now: float) -> BoardState | None:
        """Return the listed state of a board; None if it was not listed, was fetched since, or has expired."""
        board = self._boards.get(number)
        return board if board is not None and is_fresh(board.since, now) else None

    def fetched_board(self, number: int, board: BoardState, *, own: bool) -> None:
        """Record the state of a board that the client got."""
        self._boards.pop(number, None)
        self._board_times[number] = board.modtime
        if own:
            self._mail = board
            self._stood_in.clear()

    def stand_in(self, slot: int, now: float) -> bool:
        """Return whether to send a substitute for an empty slot of the own board, once for each listed slot."""
        mail = self._mail
        if mail is None or not is_fresh(mail.since, now) or not slot < mail.messages or slot in self._stood_in:
            return False
        self._stood_in.add(slot)
        return True

    def removed_messages(self, number: int) -> None:
        """Forget the listed state of the player's board, as the client has removed messages from it."""
        self._boards.pop(number, None)
        self._mail = None
        self._stood_in.clear()

    # --- ending

    def changed(self, oid: Oid) -> None:
        """Forget the listed state of an object and its queue, as the client has changed the queue."""
        for mapping in (self.objects, self.queues, self.told):
            mapping.pop(oid, None)

    def reloaded(self) -> None:
        """Forget the listed state of orders and boards, as it may never have been saved."""
        self.told.clear()
        self._boards.clear()
        self._seen_at = None

    def sweep(self, now: float) -> None:
        """Drop expired lists."""
        self.objects = _alive(self.objects, now)
        self.queues = _alive(self.queues, now)
        self.told = {oid: told for oid, told in self.told.items() if told.is_alive(now)}
        if self._seen_at is None or not is_fresh(self._seen_at, now):
            self._queues_fetched.clear()


def _alive(pins: Pins, now: float) -> Pins:
    dead = {pin for pin in set(pins.values()) if not pin.is_alive(now)}
    return {oid: pin for oid, pin in pins.items() if pin not in dead} if dead else pins


@dataclass(eq=False)
class Readers:
    """All connections with listed ids, with one timer that drops expired ones."""

    timers: Timers
    now: Callable[[], float]
    readings: set[Reading] = field(default_factory=set)
    _waits: bool = False

    def add(self, reading: Reading) -> None:
        """Add a connection with listed ids."""
        self.readings.add(reading)
        if not self._waits:
            self._waits = True
            self.timers.callLater(SWEEP_SECONDS, lambda: self._sweep(list(self.readings)))

    def remove(self, reading: Reading) -> None:
        """Remove a connection."""
        self.readings.discard(reading)

    def _sweep(self, left: list[Reading]) -> None:
        now, looked_at = self.now(), 0
        while left and looked_at < SWEPT_AT_ONCE:
            reading = left.pop()
            looked_at += 1 + len(reading)
            reading.sweep(now)
            if not reading:
                self.readings.discard(reading)
        if left:
            self.timers.callLater(0, lambda: self._sweep(left))
        elif self.readings:
            self.timers.callLater(SWEEP_SECONDS, lambda: self._sweep(list(self.readings)))
        else:
            self._waits = False
