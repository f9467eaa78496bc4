"""View of each seat, with the time of the last change of each object.

Each view is compared with the previous one. A changed object gets a new modification time, a missing one leaves a
tombstone. So rulesets need not mark changes.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from tprules.api import Amount, Oid, Order, OrderType, Ruleset, Seat, Shown
from tprules.api.advance import RulesFault
from tprules.api.order_checks import State
from tprules.api.ruleset import find_order_type, find_phase
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.rules.descriptions import Description

ROOT: Oid = 0

LONGEST_NAME = 1000
"""Maximum characters of an object's name."""

LONGEST_DESCRIPTION = 16_384
"""Maximum characters of an object's description."""


class VisibleObject(NamedTuple):
    """One object as one seat sees it, with all data of its frames."""

    shown: Shown
    parent: Oid
    contains: tuple[Oid, ...]
    order_types: tuple[int, ...]
    """Numbers of the order types that the seat may give it; empty for objects that are not its own."""
    orders: int
    """The number of the seat's orders in its queue."""
    has_queue: bool
    """True if the seat commands it, so that it has an order queue with its id."""
    turn: int
    """The turn for the root object; 0 for all others."""


@dataclass(slots=True, weakref_slot=True, eq=False)
class Queue:
    """The orders in one queue at one time; they are never changed in place."""

    orders: Sequence[Order]
    told: bool = False
    """True if a client got the number of orders, and so may read each slot."""

    def forget(self) -> None:
        """Drop the orders: clients that know their number get the present ones."""
        self.orders = ()


@dataclass(slots=True, weakref_slot=True)
class View:
    """The view of one seat.

    All times are in unix seconds. They increase with every change and never decrease. The view of the current turn
    changes with the seat's own orders. That of an earlier turn does not change.
    """

    seat: Seat | None
    objects: dict[Oid, VisibleObject] = field(default_factory=dict)
    begun: int = 0
    """The time of all objects that are not in ``changed``: most of a board never changes."""
    changed: dict[Oid, int] = field(default_factory=dict)
    gone: dict[Oid, int] = field(default_factory=dict)
    """Times when visible objects vanished."""
    encoded: dict[str, dict[Oid, bytes]] = field(default_factory=dict)
    """By dialect: payloads of Object frames."""
    told: int = 0
    """The newest time from which a client may request changes; later changes must be newer."""
    marks: dict[Oid, tuple[Amount, ...]] = field(default_factory=dict)
    """Amounts that the seat's own orders add to the resources of objects, after their other resources."""
    queues: dict[Oid, Queue] = field(default_factory=dict)
    """The seat's order queues that are not empty."""
    new_queues: Set[Oid] = frozenset()
    """Objects with an order queue that had none in the view before."""
    lost_queues: Set[Oid] = frozenset()
    """Objects without an order queue that had one in the view before."""
    listed: bool = False
    """True if a client has listed ids of this view, and so may fetch each."""
    forgotten: bool = False
    """True if it was emptied; clients that have listed ids of it get the present objects."""

    def forget(self) -> None:
        """Empty an earlier view. References to its old mappings remain usable."""
        self.forgotten = True
        self.objects, self.changed, self.gone, self.encoded, self.queues = {}, {}, {}, {}, {}

    def time(self, oid: Oid) -> int:
        """Return when an object in it last changed."""
        return self.changed.get(oid, self.begun)

    def newest(self) -> int:
        """Return the newest of all times, and record that a client got it."""
        self.told = self.latest()
        return self.told

    def latest(self) -> int:
        """Return the newest of all times, without recording it."""
        newest = max(self.told, max(self.changed.values(), default=0), max(self.gone.values(), default=0))
        return max(newest, self.begun) if self.objects else newest

    def tell(self, oid: Oid) -> None:
        """Record that a client may have got the time of an object."""
        if oid in self.objects:
            self.told = max(self.told, self.time(oid))

    def touch(self, oid: Oid, seen: VisibleObject, now: int) -> None:
        """Replace an object and give it a new time."""
        self.changed[oid] = max(now, self.told + 1, self.time(oid) + 1)
        self.objects[oid] = seen
        for encoded in self.encoded.values():
            encoded.pop(oid, None)


def dump_view(view: View, mark: str) -> bytes:
    """Return the stored form of a view: its times. All else follows from the world.

    ``mark`` identifies the versions of server and ruleset; with others, an object may look different.
    """
    times = [(oid, view.time(oid)) for oid in sorted(view.objects)]
    data = {"mark": mark, "times": times, "gone": sorted(view.gone.items()), "told": view.newest()}
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 1)


def restore_times(view: View, data: bytes, mark: str) -> None:
    """Restore the times of a newly projected view from ``data``; with another mark all objects get a new time."""
    kept = json.loads(zlib.decompress(data))
    times = dict(kept["times"]) if kept["mark"] == mark else {}
    view.gone = {oid: when for oid, when in kept["gone"] if oid not in view.objects}
    view.told = kept["told"]
    view.begun = min(times.values(), default=view.told + 1)
    view.changed = {oid: time for oid in view.objects if (time := times.get(oid, view.told + 1)) != view.begun}


Plain: TypeAlias = Mapping[str, Mapping[Oid, VisibleObject]]
"""By level and object: the object as it looks to seats that do not own it."""


@dataclass(slots=True, eq=False)
class SharedView:
    """Common part of the views of seats that see the same objects in the same places."""

    sight: Mapping[Oid, str]
    """Visible objects and levels of the first such seat; others may see other levels."""
    contains: dict[Oid, tuple[Oid, ...]]
    before: Plain
    """``plain`` of the turn before."""
    plain: defaultdict[str, dict[Oid, VisibleObject]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(slots=True, eq=False)
class Projector:
    """Projects one state of a game for one seat after the other; shared data is computed once.

    ``before`` is the result of `done` for the turn before. Unchanged data stays the same object, so that comparing
    views is cheap.
    """

    rules: Ruleset[Any]
    description: Description
    state: State[Any]
    before: Sequence[Plain] = ()
    shown: defaultdict[str, dict[Oid, Shown]] = field(default_factory=lambda: defaultdict(dict))
    """By level and object: what the rules show."""
    shared_views: list[SharedView] = field(default_factory=list)

    def view(self, seat: Seat | None, before: View | None, now: int) -> View:
        """Return the view of ``seat`` (None: spectators); ``before`` is not changed."""
        sight = self.state.sight(self.rules, seat)
        shared = self._shared_view(sight)
        plain = shared.plain
        objects: dict[Oid, VisibleObject] = {}
        own: list[Oid] = []
        for oid, level in sight.items():
            seen = plain[level].get(oid)
            if seen is None:
                seen = self._plain(shared, oid, level)
            objects[oid] = seen
            if seen.shown.owner == seat:
                own.append(oid)
        queues: dict[Oid, Queue] = {}
        if seat is not None:
            self._add_orders(seat, own, objects)
            queues = self._queues(own, {} if before is None else before.queues)
        marks = {} if seat is None else marks_of(self.rules, self.state, seat)
        for oid, amounts in marks.items():
            objects[oid] = _remarked(objects[oid], (), amounts)
        view = changed_view(seat, objects, before, now)
        view.queues = queues
        view.marks = marks
        return view

    def done(self) -> tuple[Plain, ...]:
        """Return ``before`` for the next projection.

        The data of each seat is dropped. It takes microseconds to compute again for a seat that gives orders. For all
        seats it would take a sixth of a game's memory.
        """
        self.state.seen.clear()
        return tuple(shared.plain for shared in self.shared_views)

    def _look(self, oid: Oid, level: str) -> Shown:
        shown = self.shown[level].get(oid)
        if shown is None:
            shown = self.shown[level][oid] = self._shown(oid, level)
        return shown

    def _shown(self, oid: Oid, level: str) -> Shown:
        """Return an object's appearance with texts that clients can show; the same object as before if equal."""
        was = self._was_shown(oid, level)
        shown = self.rules.show(self.state.world, oid, level)
        if was is not None and shown == was:
            return was
        shown = self._printable(oid, shown)
        if was is None:
            return self.description.shared(shown)
        return was if shown == was else shown

    def _was_shown(self, oid: Oid, level: str) -> Shown | None:
        """Return how an object looked in the projection before; None if it was in no view."""
        for plain in self.before:
            seen = plain[level].get(oid) if level in plain else None
            if seen is not None:
                return seen.shown
        return None

    def _printable(self, oid: Oid, shown: Shown) -> Shown:
        """Return an object with texts that clients can show.

        Raises RulesFault if the name is longer than LONGEST_NAME.
        """
        if len(shown.name) > LONGEST_NAME:
            raise RulesFault(f"{self.rules.name}: the name of object {oid} has {len(shown.name)} characters")
        name = printable(shown.name, LONGEST_NAME, KEPT_FOR_PLAYERS)
        description = printable(shown.description, LONGEST_DESCRIPTION, f"{KEPT_FOR_PLAYERS}\n\t")
        if (name, description) == (shown.name, shown.description):
            return shown
        return shown._replace(name=name, description=description)

    def _shared_view(self, sight: Mapping[Oid, str]) -> SharedView:
        for shared in self.shared_views:
            if shared.sight.keys() == sight.keys() and self._lie_alike(shared.sight, sight):
                return shared
        contains: dict[Oid, list[Oid]] = {}
        for oid in sorted(sight):
            if oid != ROOT:
                contains.setdefault(self._look(oid, sight[oid]).parent, []).append(oid)
        place = len(self.shared_views)
        before = self.before[place] if place < len(self.before) else {}
        made = SharedView(sight, {oid: tuple(children) for oid, children in contains.items()}, before)
        self.shared_views.append(made)
        return made

    def _lie_alike(self, one: Mapping[Oid, str], other: Mapping[Oid, str]) -> bool:
        """Return whether each object has the same parent in both; the parent may depend on the level."""
        return all(
            self._look(oid, level).parent == self._look(oid, one[oid]).parent
            for oid, level in other.items()
            if level != one[oid]
        )

    def _plain(self, shared: SharedView, oid: Oid, level: str) -> VisibleObject:
        shown, contains = self._look(oid, level), shared.contains.get(oid, ())
        turn = self.state.turn if oid == ROOT else 0
        was = shared.before[level].get(oid) if level in shared.before else None
        if was is not None and was.shown is shown and was.contains == contains and was.turn == turn:
            seen = was
        else:
            seen = VisibleObject(shown, shown.parent, contains, (), 0, False, turn)
            if was is None:
                seen = self.description.shared(seen)
        shared.plain[level][oid] = seen
        return seen

    def _add_orders(self, seat: Seat, own: list[Oid], objects: dict[Oid, VisibleObject]) -> None:
        """Add to a seat's own objects what only it sees of them: their order types and queues."""
        types = orders_taken(self.rules, self.state, seat)
        for oid in own:
            seen = objects[oid]
            if seen.shown.kind in self.description.carriers:
                shown, world = seen.shown, self.state.world
                offered = sorted(
                    kind.number for kind in types if shown.kind in kind.kinds and kind.offered(world, seat, oid, shown)
                )
                orders = len(self.state.queues.get(oid, ()))
                objects[oid] = VisibleObject(shown, seen.parent, seen.contains, tuple(offered), orders, True, 0)

    def _queues(self, own: list[Oid], before: Mapping[Oid, Queue]) -> dict[Oid, Queue]:
        """Return the order queues of these objects; one with the same orders as before stays the same object."""
        queues: dict[Oid, Queue] = {}
        for oid in own:
            orders = self.state.queues.get(oid)
            if orders:
                was = before.get(oid)
                queues[oid] = was if was is not None and was.orders == orders else Queue(orders)
        return queues


def changed_view(seat: Seat | None, objects: dict[Oid, VisibleObject], before: View | None, now: int) -> View:
    """Return a view of ``objects`` with times that follow from the differences to ``before``."""
    if before is None:
        return View(seat, objects, now)
    # Clients may get all these times while the turn is being computed; its changes must be newer.
    told = before.latest()
    now = max(now, told + 1)
    old = before.objects
    changed: list[Oid] = []
    for oid, seen in objects.items():
        was = old.get(oid)
        if was is not seen and was != seen:
            changed.append(oid)
    lost = [oid for oid in old if oid not in objects]
    # Now is newer than all times before, as clients may have got all of them.
    if 2 * len(changed) < len(objects):
        begun, times = before.begun, {oid: when for oid, when in before.changed.items() if oid in objects}
        times.update((oid, now) for oid in changed)
    else:
        renewed = set(changed)
        begun, times = now, {oid: before.time(oid) for oid in objects if oid not in renewed}
    had = {oid for oid in (*changed, *lost) if oid in old and old[oid].has_queue}
    has = {oid for oid in changed if objects[oid].has_queue}
    gone = {oid: when for oid, when in before.gone.items() if oid not in objects}
    gone.update((oid, now) for oid in lost)
    encoded = {}
    for dialect, tails in list(before.encoded.items()):  # copied in one step, as another thread may be adding a dialect
        kept = dict(tails)
        for oid in (*changed, *lost):
            kept.pop(oid, None)
        encoded[dialect] = kept
    return View(seat, objects, begun, times, gone, encoded, told, new_queues=has - had, lost_queues=had - has)


def waiting_view(rules: Ruleset[Any], seat: Seat | None, now: int) -> View:
    """Return the view of a game that waits for players: only its root object."""
    kind = next(name for name, kind in rules.kinds.items() if kind.role == 0)
    numbers = sum(len(group.fields) for group in rules.kinds[kind].groups)
    root = Shown(kind, "The Universe", numbers=(0,) * numbers)
    return View(seat, {ROOT: VisibleObject(root, ROOT, (), (), 0, False, 0)}, now)


def orders_taken(rules: Ruleset[Any], state: State[Any], seat: Seat | None) -> Sequence[OrderType[Any]]:
    """Return the order types that ``seat`` may give in the present phase."""
    if seat is None or state.over:
        return ()
    phase = find_phase(rules, state.phase)
    if seat not in phase.active(state.world) and seat not in phase.planners(state.world):
        return ()
    found = (find_order_type(rules, kind.name) for kind in phase.takes())
    return [kind for kind in found if kind is not None]


def after_order(view: View, oid: Oid, queue: Sequence[Order], now: int) -> Queue | None:
    """Update a seat's own view to the new order ``queue`` of object ``oid``; return the previous queue."""
    was = view.queues.pop(oid, None)
    seen = view.objects.get(oid)
    if seen is not None:
        if queue:
            view.queues[oid] = Queue(queue)
        view.touch(oid, seen._replace(orders=len(queue)), now)
    return was


def marks_of(rules: Ruleset[Any], state: State[Any], seat: Seat) -> dict[Oid, tuple[Amount, ...]]:
    """Return the amounts that a seat's orders add to the resources of objects it sees; usually none."""
    if type(rules).marks is Ruleset.marks:
        return {}
    found = rules.marks(state.plan(seat))
    sight = state.sight(rules, seat)
    return {oid: tuple(amounts) for oid, amounts in found.items() if amounts and oid in sight}


def after_marks(view: View, marks: dict[Oid, tuple[Amount, ...]], now: int) -> None:
    """Update a seat's own view with the amounts that its orders now add to resources of objects."""
    for oid in sorted({*view.marks, *marks}):
        was, amounts = view.marks.get(oid, ()), marks.get(oid, ())
        if was != amounts and oid in view.objects:
            view.touch(oid, _remarked(view.objects[oid], was, amounts), now)
            view.tell(oid)  # so that the times are the same after restoring from the journal
    view.marks = marks


def _remarked(seen: VisibleObject, was: tuple[Amount, ...], amounts: tuple[Amount, ...]) -> VisibleObject:
    own = seen.shown.resources[: len(seen.shown.resources) - len(was)]
    return seen._replace(shown=seen.shown._replace(resources=own + amounts))
