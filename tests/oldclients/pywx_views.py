"""Panels and map overlays of the old Python clients, drawn from a cache.

A panel that raises an error shows nothing or half of its content. A map overlay stops at the first object that it
cannot draw. Each such place is reported as one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pywx_cache import OWN, ROOT, Cache

from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03

# --- names that become attributes -----------------------------------------------------------------------------------

_FRAME = frozenset(("protocol", "majorv", "minorv", "sequence", "length", "data", "no", "struct", "pack"))
_ORDER = _FRAME | {"id", "slot", "turns", "resources", "type", "subtype", "substruct", "properties", "names", "name"}
_OBJECT = _FRAME | {"id", "type", "subtype", "name", "desc", "parent", "contains", "modify_time", "properties"}
_GROUP = frozenset(("structures", "indexof", *(name for name in dir(list) if not name.startswith("__"))))
"""Attributes that objects of these classes have already."""

POSITION, VELOCITY, QUEUE, RESOURCES, REFERENCE, QUANTITIES = 0, 1, 4, 5, 6, 7
LAST_OBJECT_PARAMETER = 10
LAST_ORDER_PARAMETER = 11
BROKEN_ORDER_PARAMETERS = (3, 11)
"""Player and quantity list: the classes of the TP04 version for them raise when they are made, whatever is said."""


def unusable_order_type(description: tp.OrderDesc, classic: bool) -> Iterator[str]:
    """Say what keeps the client from making its class for an order type."""
    names = [parameter.name for parameter in description.parameters]
    for parameter in description.parameters:
        if parameter.name in _ORDER or names.count(parameter.name) > 1:
            yield f"order type {description.name}: the parameter {parameter.name} is an attribute already"
        if parameter.type > (7 if classic else LAST_ORDER_PARAMETER):
            yield f"order type {description.name}: parameter type {parameter.type} is unknown to it"
        elif not classic and parameter.type in BROKEN_ORDER_PARAMETERS:
            yield f"order type {description.name}: its own class for parameter type {parameter.type} raises"


def unusable_object_type(description: tp.ObjectDesc) -> Iterator[str]:
    """Say what keeps the client from making its class for an object type, or from finding what is in its objects."""
    groups = [group.name for group in description.property_groups]
    for group in description.property_groups:
        if group.name in _OBJECT or groups.count(group.name) > 1:
            yield f"object type {description.name}: the group {group.name} is an attribute already"
        names = [parameter.name for parameter in group.parameters]
        for parameter in group.parameters:
            where = f"object type {description.name}, group {group.name}: the parameter {parameter.name}"
            if parameter.name in _GROUP or names.count(parameter.name) > 1:
                yield f"{where} is an attribute already"
            if "_" in parameter.name:
                yield f"{where} is never found, for only what follows an underscore is compared"
            if parameter.type > LAST_OBJECT_PARAMETER:
                yield f"{where} is of type {parameter.type}, which is unknown to it"


# --- what an object shows -------------------------------------------------------------------------------------------


class Fault(Exception):
    """An error that the client would raise."""


class Shown(NamedTuple):
    """One parameter of an object, or in TP03 the part of it that the views use."""

    group: str
    name: str
    type: int
    value: Any


class Things:
    """The objects of a cache as the overlays ask about them."""

    def __init__(self, cache: Cache) -> None:
        self.cache = cache
        self.classic = cache.version.dialect is TP03
        self._owners: dict[int, int] = {}
        self._shown: dict[int, list[Shown]] = {}

    def shown(self, number: int) -> list[Shown]:
        """Return the parameters of an object with the names of their groups (TP04)."""
        if number not in self._shown:
            thing = self.cache.objects[number]
            groups = self.cache.wire.known.objects[thing.otype].property_groups
            described = [(group.name, one) for group in groups for one in group.parameters]
            self._shown[number] = [
                Shown(group, one.name, one.type, getattr(value, value.WhichOneof("value")))
                for (group, one), value in zip(described, thing.parameters, strict=True)
            ]
        return self._shown[number]

    def of_type(self, number: int, kind: int) -> list[Shown]:
        return [one for one in self.shown(number) if one.type == kind]

    def name(self, number: int) -> str:
        return f"{self.cache.objects[number].name} ({number})"

    def is_top(self, number: int) -> bool:
        """Return True if an object is the universe or a galaxy. In TP04 the names of its groups show it."""
        thing = self.cache.objects[number]
        if self.classic:
            return thing.otype in (0, 1)
        parent = self.cache.parents.get(number, thing.parent)
        if number == ROOT:
            return True
        if parent not in self.cache.objects:
            raise Fault(f"{self.name(number)}: its parent {parent} does not exist")
        groups = self.cache.wire.known.objects[thing.otype].property_groups
        return parent == ROOT and all(group.name in ("Positional", "Informational", "Media") for group in groups)

    def is_fleet(self, number: int) -> bool:
        if self.classic:
            return bool(self.cache.objects[number].otype == 4)
        return any(one.name == "Ship List" for one in self.shown(number))

    def is_wormhole(self, number: int) -> bool:
        return self.classic and self.cache.objects[number].otype == 5

    def positions(self, number: int) -> list[tuple[int, int, int]]:
        if self.classic:
            at = self.cache.objects[number].position
            return [(at.x, at.y, at.z)]
        found = []
        for one in (*self.of_type(number, VELOCITY), *self.of_type(number, POSITION)):
            if one.value.relative:
                raise Fault(f"{self.name(number)}: a relative {one.name} is looked up in a cache that is not there")
            if one.type == POSITION:
                found.append((one.value.vector.x, one.value.vector.y, one.value.vector.z))
        return found

    def owner(self, number: int) -> int:
        """Return the owner, -1 if there is none."""
        if number not in self._owners:
            self._owners[number] = self._owner(number)
        return self._owners[number]

    def _owner(self, number: int) -> int:
        thing = self.cache.objects[number]
        if self.classic:
            detail = thing.WhichOneof("detail")
            return int(getattr(thing, detail).owner) if detail in ("planet", "fleet") else -1
        owners = [one for one in self.of_type(number, REFERENCE) if "Owner" in one.group]
        return next((one.value.id for one in owners if one.value.type == 7), -1)

    def resources(self, number: int) -> list[tuple[int, int]]:
        """Return (resource, sum of the three columns) of each row of an object itself."""
        thing = self.cache.objects[number]
        if self.classic:
            rows = list(thing.planet.resources) if thing.WhichOneof("detail") == "planet" else []
        else:
            rows = [row for one in self.of_type(number, RESOURCES) for row in one.value.resources]
        return [(row.id, row.stored + row.minable + row.unavailable) for row in rows]

    def queues(self, number: int) -> list[int]:
        """Return the order queues of an object; in TP03 that is the object itself."""
        return [number] if self.classic else [one.value.queue_id for one in self.of_type(number, QUEUE)]

    def order_types(self, queue: int) -> list[int]:
        holders, of = (self.cache.objects, "objects") if self.classic else (self.cache.queues, "queues")
        if queue not in holders:
            raise Fault(f"order queue {queue} is not among the {of}")
        return list(holders[queue].order_types)

    def within(self, number: int) -> Iterator[int]:
        """Return all that an object contains, at any depth."""
        for inner in self.cache.objects[number].contains:
            yield inner
            yield from self.within(inner)


# --- the panels -----------------------------------------------------------------------------------------------------


def panel_faults(cache: Cache) -> Iterator[str]:
    """Say what the panels for objects, the system tree, messages, designs and players would raise."""
    things = Things(cache)
    for number, thing in cache.objects.items():
        try:
            for queue in things.queues(number):
                _look_at_queue(things, queue)
            if not things.classic:
                parent = cache.parents.get(number, thing.parent)
                if parent not in cache.objects:
                    raise Fault(f"its parent {parent} does not exist")
                for one in things.shown(number):
                    _look_at_parameter(cache, one)
        except Fault as fault:
            yield f"panels: {things.name(number)}: {fault}"
    if OWN not in cache.messages:
        yield "panels: no message is ever shown, for no board is listed as 0"
    for board, messages in cache.messages.items():
        for message in messages:
            for reference in message.references:
                yield from _unreadable(f"panels: message {message.slot} of board {board}", reference)
    for number, design in cache.designs.items():
        gone = [one for one in design.categories if one not in cache.categories]
        gone += [one.id for one in design.components if one.id not in cache.components]
        gone += [one.id for one in design.properties if one.id not in cache.properties]
        if gone:
            yield f"panels: design {number} names the categories, components or properties {gone}, which do not exist"


def _look_at_queue(things: Things, queue: int) -> None:
    for otype in things.order_types(queue):
        if otype not in things.cache.order_types:
            raise Fault(f"queue {queue} takes order type {otype}, which has no description")
    if queue not in things.cache.orders:
        raise Fault(f"the orders of queue {queue} are looked for and are not there")


def _look_at_parameter(cache: Cache, one: Shown) -> None:
    if one.type == REFERENCE:
        _look_up(cache, one.value.type, one.value.id)
    elif one.type == QUANTITIES:
        for reference in one.value.references:
            _look_up(cache, reference.type, reference.id)
    elif one.type == RESOURCES:
        for row in one.value.resources:
            if row.id not in cache.resources:
                raise Fault(f"resource {row.id} does not exist")


def _look_up(cache: Cache, kind: int, number: int) -> None:
    """The information panel's text for a reference. An unknown player is "Unknown" and no fault."""
    kept: dict[int, dict[int, Any]] = {1: cache.objects, 3: cache.orders, 6: cache.resources, 9: cache.designs}
    if kind not in _REFERENCES:
        raise Fault(f"a reference of type {kind} is unknown to it")
    if kind in kept and number not in kept[kind]:
        raise Fault(f"it refers to {_REFERENCES[kind]} {number}, which does not exist")


_REFERENCES = {
    -1000: "server specific action",
    -5: "design action",
    -4: "player action",
    -3: "message action",
    -2: "order action",
    -1: "object action",
    0: "misc",
    1: "object",
    2: "order type",
    3: "order",
    4: "board",
    5: "message",
    6: "resource",
    7: "player",
    8: "category",
    9: "design",
}
_ACTIONS = {0: 4, -1: 1, -2: 4, -4: 3}
"""The number of values of each kind of action. The others have no names at all."""


def _unreadable(where: str, reference: tp.Reference) -> Iterator[str]:
    if reference.type not in _REFERENCES:
        yield f"{where}: a reference of type {reference.type} is unknown to it"
    elif reference.type <= 0 and not 1 <= reference.id <= _ACTIONS.get(reference.type, 0):
        yield f"{where}: {_REFERENCES[reference.type]} {reference.id} has no name"


# --- the map --------------------------------------------------------------------------------------------------------


class Pie(NamedTuple):
    """One icon of the resource view. Source: wire.md, "The two views of the map"."""

    diameter: float
    slices: tuple[int, ...]


@dataclass
class Map:
    """The two views. Icons, colours and pies are by object; ``paths`` are the corners of each object's way."""

    icons: dict[int, tuple[int, int]] = field(default_factory=dict)
    colours: dict[int, str] = field(default_factory=dict)
    pies: dict[int, Pie] = field(default_factory=dict)
    paths: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


SCALE, LEAST, SMALL = 60, 10, 0.10


def drawn(cache: Cache) -> Map:
    """Compute all overlays."""
    things, found = Things(cache), Map()
    for number in cache.objects:
        for draw in (_icon, _path):
            try:
                draw(things, number, found)
            except Fault as fault:
                found.faults.append(f"map: {fault}")
    _pies(things, found)
    if not found.icons:
        found.faults.append("map: there is no icon")
    return found


def _icon(things: Things, number: int, found: Map) -> None:
    """Draw what lies directly in a top-level object, as a fleet, a wormhole or a system, in its owners' colour."""
    thing = things.cache.objects[number]
    if things.is_top(number) or number == ROOT:
        return
    if number not in things.cache.parents:
        if things.classic:
            return
        raise Fault(f"{things.name(number)} is in nothing")
    if not things.is_top(things.cache.parents[number]):
        return
    positions = things.positions(number)
    if things.is_fleet(number):
        if thing.contains:
            raise Fault(f"{things.name(number)} is a fleet and contains something")
        if not positions:
            raise Fault(f"{things.name(number)} is a fleet without a position")
    elif things.is_wormhole(number):
        if thing.contains:
            raise Fault(f"{things.name(number)} is a wormhole and contains something")
    elif not positions:
        raise Fault(f"{things.name(number)} has no position")
    elif things.classic and thing.otype != 2:
        raise Fault(f"{things.name(number)} is drawn as a star system and is none")
    found.icons[number] = positions[0][:2]
    owners = {things.owner(inner) for inner in (number, *things.within(number))} - {-1, 0}
    unknown = owners - things.cache.players.keys()
    if unknown and not things.classic:
        raise Fault(f"{things.name(number)}: the owners {sorted(unknown)} are no players")
    mine = things.cache.me in owners
    found.colours[number] = ("yellow" if len(owners) > 1 else "green") if mine else "red" if owners else "white"


def _path(things: Things, number: int, found: Map) -> None:
    """Follow the destinations of an object's orders."""
    positions = things.positions(number)
    if not positions:
        raise Fault(f"{things.name(number)} has no position")
    corners = [positions[0]]
    for queue in things.queues(number):
        if queue not in things.cache.orders:
            raise Fault(f"the orders of queue {queue} of {things.name(number)} are not there")
        for order in things.cache.orders[queue]:
            if things.classic and len(order.parameters) != 1:
                continue
            for parameter in order.parameters:
                corners += _destination(things, order, parameter)
    if len(corners) == 1:
        return
    if not things.classic and not any(one[:2] == ("Positional", "Position") for one in things.shown(number)):
        raise Fault(f"{things.name(number)} has a path and no Position in a group Positional")
    found.paths[number] = corners


def _destination(things: Things, order: tp.Order, parameter: tp.OrderParameter) -> list[tuple[int, int, int]]:
    if parameter.WhichOneof("value") == "coordinates":
        at = parameter.coordinates
        return [(at.x, at.y, at.z)]
    if parameter.WhichOneof("value") == "object":
        target = parameter.object.object_id
        if target not in things.cache.objects:
            raise Fault(f"order {order.slot} of queue {order.id} names object {target}, which does not exist")
        return things.positions(target)[:1]
    return []


def _pies(things: Things, found: Map) -> None:
    """Draw a pie for each star system: its size from all that is in it, its slices from its direct contents."""
    cache = things.cache
    amounts: dict[int, int] = {}

    def amount(number: int) -> int:
        if number not in amounts:
            inner = sum(amount(one) for one in cache.objects[number].contains)
            amounts[number] = inner + sum(count for _, count in things.resources(number))
        return amounts[number]

    compared = [amount(number) for number, thing in cache.objects.items() if thing.otype > 1]
    if not compared:
        found.faults.append("map: the resource view has nothing to compare")
        return
    spread = max(compared) - min(compared) or 1
    for number in found.icons:
        total = amount(number)
        slices: dict[int, int] = {}
        for inner in cache.objects[number].contains:
            for resource, count in things.resources(inner):
                if resource not in cache.resources:
                    found.faults.append(f"map: {things.name(inner)} has resource {resource}, which does not exist")
                elif count:
                    slices[resource] = slices.get(resource, 0) + count
        large = sorted((count for count in slices.values() if count > total * SMALL), reverse=True)
        small = sum(count for count in slices.values() if count <= total * SMALL)
        diameter = max(SCALE * total / spread, LEAST) if total else 0.0
        found.pies[number] = Pie(diameter, tuple([*large, small] if small else large))


def home_of(cache: Cache) -> Iterable[int]:
    """Return the player's objects that have a resource named "Home Planet", which the map shows first."""
    homes = {number for number, one in cache.resources.items() if one.singular_name == "Home Planet"}
    things = Things(cache)
    for number in cache.objects:
        if things.owner(number) == cache.me and any(row in homes and count for row, count in things.resources(number)):
            yield number
