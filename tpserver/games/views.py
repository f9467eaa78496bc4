"""How each seat sees its game, and when each thing in it last changed.

A view is compared with the one before: what looks different has a new modification time, what is gone leaves a
tombstone.  So the times are right by construction, and no ruleset has to mark anything.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tprules.api import Amount, Oid, Order, OrderType, Ruleset, Seat, Shown
from tprules.api.advance import RulesFault
from tprules.api.order_checks import State
from tprules.printable import KEPT_FOR_PLAYERS, printable
from tpserver.rules.descriptions import Description

ROOT: Oid = 0

LONGEST_NAME = 1000
"""Characters of an object's name."""

LONGEST_DESCRIPTION = 16_384
"""Characters of its description."""


class VisibleObject(NamedTuple):
    """One object as one seat sees it, with all that its frames say."""

    shown: Shown
    parent: Oid
    contains: tuple[Oid, ...]
    order_types: tuple[int, ...]
    """Numbers of the order types that the seat may give it; empty for objects that are not its own."""
    orders: int
    """Orders of the seat in its queue."""
    has_queue: bool
    """Whether the seat commands it, so that it has an order queue with its number."""
    turn: int
    """The turn, in the root; 0 in all others."""


class Queue:
    """The orders in one queue at one time; they are never changed in place."""

    __slots__ = ("__weakref__", "orders", "told")

    def __init__(self, orders: Sequence[Order]) -> None:
        self.orders = orders
        self.told = False
        """Whether a client was told how many they are, so that it may ask for each."""

    def forget(self) -> None:
        """Let go of the orders: whoever was told of them sees the present."""
        self.orders = ()


@dataclass(slots=True, weakref_slot=True)
class View:
    """What one seat sees.  ``times`` are unix seconds; they rise with every change and never go back.

    The view of the present turn changes with the seat's own orders; that of an earlier turn changes no more.
    """

    seat: Seat | None
    objects: dict[Oid, VisibleObject] = field(default_factory=dict)
    times: dict[Oid, int] = field(default_factory=dict)
    gone: dict[Oid, int] = field(default_factory=dict)
    """When objects that were once seen went out of sight."""
    encoded: dict[str, dict[Oid, bytes]] = field(default_factory=dict)
    """By dialect: objects as they go out, without what differs from answer to answer."""
    told: int = 0
    """The newest time that a client was told to ask from next; later changes must be newer."""
    marks: dict[Oid, tuple[Amount, ...]] = field(default_factory=dict)
    """What the seat's own orders add to the resources of objects, behind their other resources."""
    queues: dict[Oid, Queue] = field(default_factory=dict)
    """The seat's order queues that are not empty."""
    new_queues: Set[Oid] = frozenset()
    """Objects that have an order queue, and had none in the view before."""
    lost_queues: Set[Oid] = frozenset()
    """Objects that have none, and had one."""
    listed: bool = False
    """Whether a client was told of ids in it, so that it may ask for each."""
    forgotten: bool = False
    """Whether it cannot be read any more; who has listed something in it sees the present."""

    def forget(self) -> None:
        """Let go of all that an old view holds.  Who has hold of one of its mappings may go on reading that."""
        self.forgotten = True
        self.objects, self.times, self.gone, self.encoded, self.queues = {}, {}, {}, {}, {}

    def newest(self) -> int:
        """Return the newest of all times, and remember that it was told."""
        self.told = self.latest()
        return self.told

    def latest(self) -> int:
        """Return what ``newest`` would, and remember nothing."""
        return max(self.told, max(self.times.values(), default=0), max(self.gone.values(), default=0))

    def tell(self, oid: Oid) -> None:
        """Remember that the time of an object may have been told."""
        self.told = max(self.told, self.times.get(oid, 0))

    def touch(self, oid: Oid, seen: VisibleObject, now: int) -> None:
        """Put a changed object in its place."""
        self.times[oid] = max(now, self.told + 1, self.times.get(oid, 0) + 1)
        self.objects[oid] = seen
        for encoded in self.encoded.values():
            encoded.pop(oid, None)


def dump_view(view: View, mark: str) -> bytes:
    """Return what must be kept of a view: its times.  All else follows from the world.

    ``mark`` names the versions of software and rules, with which an object may look different.
    """
    data = {"mark": mark, "times": sorted(view.times.items()), "gone": sorted(view.gone.items()), "told": view.newest()}
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 1)


def restore_times(view: View, data: bytes, mark: str) -> None:
    """Give a freshly projected view the times that it had when ``data`` was dumped; with another mark all are new."""
    kept = json.loads(zlib.decompress(data))
    times = dict(kept["times"]) if kept["mark"] == mark else {}
    view.gone = {oid: when for oid, when in kept["gone"] if oid not in view.objects}
    view.told = kept["told"]
    view.times = {oid: times.get(oid, view.told + 1) for oid in view.objects}


@dataclass(slots=True, eq=False)
class SharedView:
    """What seats that see the same objects in the same places have in common."""

    sight: Mapping[Oid, str]
    """Of the first of them; others may see other levels."""
    contains: dict[Oid, tuple[Oid, ...]]
    before: Mapping[tuple[Oid, str], VisibleObject]
    """``plain`` of the turn before."""
    plain: dict[tuple[Oid, str], VisibleObject] = field(default_factory=dict)
    """By object and level: how it looks to whom it does not belong."""


@dataclass(slots=True, eq=False)
class Projector:
    """Projects one state of a game for one seat after the other; what several see alike is worked out once.

    ``before`` is the projector of the turn before: what has not changed stays the same object, so that comparing views
    costs next to nothing.
    """

    rules: Ruleset[Any]
    description: Description
    state: State[Any]
    before: Projector | None = None
    shown: dict[tuple[Oid, str], Shown] = field(default_factory=dict)
    shared_views: list[SharedView] = field(default_factory=list)

    def view(self, seat: Seat | None, before: View | None, now: int) -> View:
        """Return the view of ``seat`` (None: a spectator); ``before`` is left as it was."""
        sight = self.state.sight(self.rules, seat)
        shared = self._shared_view(sight)
        plain = shared.plain
        objects: dict[Oid, VisibleObject] = {}
        own: list[Oid] = []
        for item in sight.items():
            seen = plain.get(item)
            if seen is None:
                seen = self._plain(shared, *item)
            objects[item[0]] = seen
            if seen.shown.owner == seat:
                own.append(item[0])
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

    def done(self) -> Projector:
        """Return this projector for use as ``before``, without what only the present needs."""
        self.before = None
        for shared in self.shared_views:
            shared.before = {}
        return self

    def _look(self, oid: Oid, level: str) -> Shown:
        key = (oid, level)
        shown = self.shown.get(key)
        if shown is None:
            shown = self.rules.show(self.state.world, oid, level)
            if len(shown.name) > LONGEST_NAME:
                raise RulesFault(f"{self.rules.name}: the name of object {oid} has {len(shown.name)} characters")
            name = printable(shown.name, LONGEST_NAME, KEPT_FOR_PLAYERS)
            description = printable(shown.description, LONGEST_DESCRIPTION, f"{KEPT_FOR_PLAYERS}\n\t")
            if (name, description) != (shown.name, shown.description):
                shown = shown._replace(name=name, description=description)
            if self.before is not None:
                was = self.before.shown.get(key)
                if was == shown:
                    shown = was
            self.shown[key] = shown
        return shown

    def _shared_view(self, sight: Mapping[Oid, str]) -> SharedView:
        for shared in self.shared_views:
            if shared.sight.keys() == sight.keys() and self._lie_alike(shared.sight, sight):
                return shared
        contains: dict[Oid, list[Oid]] = {}
        for oid in sorted(sight):
            if oid != ROOT:
                contains.setdefault(self._look(oid, sight[oid]).parent, []).append(oid)
        place = len(self.shared_views)
        last = self.before.shared_views if self.before is not None else []
        before = last[place].plain if place < len(last) else {}
        made = SharedView(sight, {oid: tuple(children) for oid, children in contains.items()}, before)
        self.shared_views.append(made)
        return made

    def _lie_alike(self, one: Mapping[Oid, str], other: Mapping[Oid, str]) -> bool:
        """Return whether each object has the same parent in both; where it lies may depend on the level."""
        return all(
            self._look(oid, level).parent == self._look(oid, one[oid]).parent
            for oid, level in other.items()
            if level != one[oid]
        )

    def _plain(self, shared: SharedView, oid: Oid, level: str) -> VisibleObject:
        shown = self._look(oid, level)
        turn = self.state.turn if oid == ROOT else 0
        seen = VisibleObject(shown, shown.parent, shared.contains.get(oid, ()), (), 0, False, turn)
        was = shared.before.get((oid, level))
        if was == seen:
            seen = was
        shared.plain[oid, level] = seen
        return seen

    def _add_orders(self, seat: Seat, own: list[Oid], objects: dict[Oid, VisibleObject]) -> None:
        """Give the objects that a seat commands what only it sees of them: their order types and queues."""
        types = orders_taken(self.rules, self.state, seat)
        for oid in own:
            seen = objects[oid]
            if seen.shown.kind in self.description.carriers:
                offered = offered_types(types, self.state.world, seat, oid, seen.shown)
                orders = len(self.state.queues.get(oid, ()))
                objects[oid] = VisibleObject(seen.shown, seen.parent, seen.contains, offered, orders, True, 0)

    def _queues(self, own: list[Oid], before: Mapping[Oid, Queue]) -> dict[Oid, Queue]:
        """Return the order queues of these objects; one that holds the same as before stays the same object."""
        queues: dict[Oid, Queue] = {}
        for oid in own:
            orders = self.state.queues.get(oid)
            if orders:
                was = before.get(oid)
                queues[oid] = was if was is not None and was.orders == orders else Queue(orders)
        return queues


def changed_view(seat: Seat | None, objects: dict[Oid, VisibleObject], before: View | None, now: int) -> View:
    """Return a view of ``objects`` whose times follow from what looked different ``before``."""
    if before is None:
        return View(seat, objects, dict.fromkeys(objects, now))
    # Whoever asks while the turn is being computed is told of all these times; its changes come behind them.
    told = before.latest()
    now = max(now, told + 1)
    old, old_times = before.objects, before.times
    times: dict[Oid, int] = {}
    changed: list[Oid] = []
    for oid, seen in objects.items():
        was = old.get(oid)
        if was is seen or was == seen:
            times[oid] = old_times[oid]
        else:
            times[oid] = max(now, old_times.get(oid, 0) + 1, before.gone.get(oid, 0) + 1)
            changed.append(oid)
    lost = [oid for oid in old if oid not in objects]
    had = {oid for oid in (*changed, *lost) if oid in old and old[oid].has_queue}
    has = {oid for oid in changed if objects[oid].has_queue}
    gone = {oid: when for oid, when in before.gone.items() if oid not in objects}
    gone.update((oid, max(now, old_times[oid] + 1)) for oid in lost)
    encoded = {}
    for dialect, tails in list(before.encoded.items()):  # at once: another thread may be answering in a new dialect
        kept = dict(tails)
        for oid in (*changed, *lost):
            kept.pop(oid, None)
        encoded[dialect] = kept
    return View(seat, objects, times, gone, encoded, told, new_queues=has - had, lost_queues=had - has)


def waiting_view(rules: Ruleset[Any], seat: Seat | None, before: View | None, now: int) -> View:
    """Return the view of a game that waits for players: its root object alone."""
    kind = next(name for name, kind in rules.kinds.items() if kind.role == 0)
    numbers = sum(len(group.fields) for group in rules.kinds[kind].groups)
    root = Shown(kind, rules.root_name, numbers=(0,) * numbers)
    return changed_view(seat, {ROOT: VisibleObject(root, ROOT, (), (), 0, False, 0)}, before, now)


def orders_taken(rules: Ruleset[Any], state: State[Any], seat: Seat | None) -> Sequence[OrderType[Any]]:
    """Return the order types that ``seat`` may give in the present phase."""
    if seat is None or state.over:
        return ()
    phase = rules.phase(state.phase)
    if seat not in phase.active(state.world) and seat not in phase.planners(state.world):
        return ()
    found = (rules.order_type(kind.name) for kind in phase.takes())
    return [kind for kind in found if kind is not None]


def offered_types(types: Sequence[OrderType[Any]], world: Any, seat: Seat, oid: Oid, shown: Shown) -> tuple[int, ...]:
    return tuple(
        sorted(kind.number for kind in types if shown.kind in kind.kinds and kind.offered(world, seat, oid, shown))
    )


def after_order(view: View, oid: Oid, queue: Sequence[Order], now: int) -> Queue | None:
    """Note in a seat's own view that the order queue of its object ``oid`` is now ``queue``; return what it was."""
    was = view.queues.pop(oid, None)
    seen = view.objects.get(oid)
    if seen is not None:
        if queue:
            view.queues[oid] = Queue(queue)
        shown, parent, contains, order_types, _, has_queue, turn = seen
        view.touch(oid, VisibleObject(shown, parent, contains, order_types, len(queue), has_queue, turn), now)
    return was


def marks_of(rules: Ruleset[Any], state: State[Any], seat: Seat) -> dict[Oid, tuple[Amount, ...]]:
    """Return what the rules make of a seat's orders in what it sees; most rules make nothing of them."""
    if type(rules).marks is Ruleset.marks:
        return {}
    found = rules.marks(state.plan(seat))
    sight = state.sight(rules, seat)
    return {oid: tuple(amounts) for oid, amounts in found.items() if amounts and oid in sight}


def after_marks(view: View, marks: dict[Oid, tuple[Amount, ...]], now: int) -> None:
    """Note in a seat's own view what its orders add now to the resources of objects."""
    for oid in sorted({*view.marks, *marks}):
        was, amounts = view.marks.get(oid, ()), marks.get(oid, ())
        if was != amounts and oid in view.objects:
            view.touch(oid, _remarked(view.objects[oid], was, amounts), now)
            view.tell(oid)  # so that the times are the same when the journal is read again
    view.marks = marks


def _remarked(seen: VisibleObject, was: tuple[Amount, ...], amounts: tuple[Amount, ...]) -> VisibleObject:
    own = seen.shown.resources[: len(seen.shown.resources) - len(was)]
    return seen._replace(shown=seen.shown._replace(resources=own + amounts))
