"""How each seat sees its game, and when each thing in it last changed.

A view is compared with the one before: what looks different has a new modification time, what is gone leaves a
tombstone.  So the times are right by construction, and no ruleset has to mark anything.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tprules.api import Oid, Order, OrderType, Ruleset, Seat, Shown
from tprules.api.intake import State
from tpserver.rules.describe import Description

ROOT: Oid = 0


class Seen(NamedTuple):
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


@dataclass(slots=True)
class View:
    """What one seat sees.  ``times`` are unix seconds; they rise with every change and never go back."""

    seat: Seat | None
    objects: dict[Oid, Seen] = field(default_factory=dict)
    times: dict[Oid, int] = field(default_factory=dict)
    gone: dict[Oid, int] = field(default_factory=dict)
    """When objects that were once seen went out of sight."""
    encoded: dict[str, dict[Oid, bytes]] = field(default_factory=dict)
    """By dialect: objects as they go out, without what differs from answer to answer."""
    serial: int = 0
    """Counts changes; lists made for one serial hold for it."""
    told: int = 0
    """The newest time that a client was told to ask from next; later changes must be newer."""

    def newest(self) -> int:
        """Return the newest of all times, and remember that it was told."""
        self.told = max(self.told, max(self.times.values(), default=0), max(self.gone.values(), default=0))
        return self.told

    def touch(self, oid: Oid, seen: Seen, now: int) -> None:
        """Put a changed object in its place."""
        self.times[oid] = max(now, self.told + 1, self.times.get(oid, 0) + 1)
        self.objects[oid] = seen
        self.serial += 1
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


@dataclass(frozen=True, slots=True)
class Projector:
    """Projects one state of a game for one seat after the other; what several see alike is shown once."""

    rules: Ruleset[Any]
    description: Description
    state: State[Any]
    shown: dict[tuple[Oid, str], Shown] = field(default_factory=dict)

    def view(self, seat: Seat | None, before: View | None, now: int) -> View:
        """Return the view of ``seat`` (None: a spectator); ``before`` is left as it was."""
        rules, world = self.rules, self.state.world
        sight = rules.sight(world, seat)
        shown: dict[Oid, Shown] = {}
        known = self.shown
        for oid, level in sight.items():
            key = (oid, level)
            one = known.get(key)
            if one is None:
                one = known[key] = rules.show(world, oid, level)
            shown[oid] = one
        contains: dict[Oid, list[Oid]] = {}
        for oid in sorted(shown):
            if oid != ROOT:
                contains.setdefault(shown[oid].parent, []).append(oid)
        types = orders_taken(rules, self.state, seat)
        turn = self.state.turn
        objects: dict[Oid, Seen] = {}
        for oid, one in shown.items():
            children = tuple(contains[oid]) if oid in contains else ()
            if one.owner is not None and one.owner == seat and one.kind in self.description.carriers:
                offered = offered_types(types, world, seat, oid, one)
                orders = len(self.state.queues.get(oid, ()))
                objects[oid] = Seen(one, one.parent, children, offered, orders, True, 0)
            else:
                objects[oid] = Seen(one, one.parent, children, (), 0, False, turn if oid == ROOT else 0)
        return changed_view(seat, objects, before, now)


def changed_view(seat: Seat | None, objects: dict[Oid, Seen], before: View | None, now: int) -> View:
    """Return a view of ``objects`` whose times follow from what looked different ``before``."""
    if before is None:
        return View(seat, objects, dict.fromkeys(objects, now))
    now = max(now, before.told + 1)
    old, old_times = before.objects, before.times
    times: dict[Oid, int] = {}
    changed: list[Oid] = []
    for oid, seen in objects.items():
        if old.get(oid) == seen:
            times[oid] = old_times[oid]
        else:
            times[oid] = max(now, old_times.get(oid, 0) + 1, before.gone.get(oid, 0) + 1)
            changed.append(oid)
    lost = [oid for oid in old if oid not in objects]
    gone = {oid: when for oid, when in before.gone.items() if oid not in objects}
    gone.update((oid, max(now, old_times[oid] + 1)) for oid in lost)
    encoded = {}
    for dialect, tails in before.encoded.items():
        kept = dict(tails)
        for oid in (*changed, *lost):
            kept.pop(oid, None)
        encoded[dialect] = kept
    return View(seat, objects, times, gone, encoded, before.serial + 1, before.told)


def waiting_view(rules: Ruleset[Any], seat: Seat | None, before: View | None, now: int) -> View:
    """Return the view of a game that waits for players: its root object alone."""
    kind = next(name for name, kind in rules.kinds.items() if kind.role == 0)
    numbers = sum(len(group.fields) for group in rules.kinds[kind].groups)
    root = Shown(kind, rules.root_name, numbers=(0,) * numbers)
    return changed_view(seat, {ROOT: Seen(root, ROOT, (), (), 0, False, 0)}, before, now)


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


def after_order(view: View, oid: Oid, queue: Sequence[Order], now: int) -> None:
    """Note in a seat's own view that the order queue of its object ``oid`` is now ``queue``."""
    seen = view.objects.get(oid)
    if seen is not None:
        view.touch(oid, seen._replace(orders=len(queue)), now)
