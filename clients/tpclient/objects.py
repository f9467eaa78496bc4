"""An object of the map, read by its description.

It has an owner, a place, resources, ships, an order queue and named numbers.

In TP04 and Protocol Buffers, an object is a list of parameters that its ObjectDesc names (TP04, Object and ObjectDesc
frames). In TP03 it is of one of six fixed kinds (TP03, Object frame). Both become the same form.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tpproto import tp_pb2
from tpproto.descriptions import Descriptions

PLAYER = 7
"""The reference type of a player (TP04, the generic reference system)."""
DESIGN = 9
"""The reference type of a design."""

UNIVERSE, GALAXY = 0, 1
"""The object types that contain icons and have none themselves (TP03, Object frame)."""

NOBODY = 0
"""The owner of an object without an owner. Players' ids start at 1."""

_NOBODY_ON_THE_WIRE = (-1, 0, 0xFFFFFFFF)

CLASSIC_KINDS = ("Universe", "Galaxy", "Star System", "Planet", "Fleet", "Wormhole")
"""The object types of TP03, 0 to 5."""


@dataclass(frozen=True, slots=True)
class Amount:
    """Amounts of a resource: on the surface, minable, and not yet minable."""

    stored: int
    minable: int
    unavailable: int

    @property
    def total(self) -> int:
        return self.stored + self.minable + self.unavailable


@dataclass(frozen=True, slots=True)
class SpaceObject:
    """An object as this player sees it.

    `kind` is the name of its description ("Star System", "Fleet"), `role` the id of that description. `owner` is a
    player id or 0. `queue` is the id of its order queue, or 0 if the player cannot see one. `resources` are by resource
    id, `ships` are counts by design id, `numbers` are by (group name, number name).
    """

    id: int
    role: int
    kind: str
    name: str
    parent: int
    contains: tuple[int, ...]
    modified: int
    position: tuple[int, int, int] = (0, 0, 0)
    size: int = 0
    owner: int = NOBODY
    queue: int = 0
    resources: Mapping[int, Amount] = field(default_factory=lambda: MappingProxyType({}))
    ships: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))
    numbers: Mapping[tuple[str, str], int] = field(default_factory=lambda: MappingProxyType({}))


def read_object(frame: tp_pb2.Object, descriptions: Descriptions) -> SpaceObject:
    """Read an object by its description. Without a description, only the common fields are set."""
    description = descriptions.objects.get(frame.otype)
    found: dict[str, Any] = {}
    resources: dict[int, Amount] = {}
    ships: Counter[int] = Counter()
    numbers: dict[tuple[str, str], int] = {}
    values = iter(frame.parameters)
    for group in description.property_groups if description is not None else ():
        for parameter, value in zip(group.parameters, values, strict=False):
            which = value.WhichOneof("value")
            if which == "position":
                vector = value.position.vector
                found.setdefault("position", (vector.x, vector.y, vector.z))
            elif which == "size":
                found["size"] = value.size.size
            elif which == "reference" and value.reference.type == PLAYER:
                found.setdefault("owner", _owner(value.reference.id))
            elif which == "order_queue":
                found["queue"] = value.order_queue.queue_id
            elif which == "resource_list":
                resources |= _amounts(value.resource_list.resources)
            elif which == "reference_quantity_list":
                for entry in value.reference_quantity_list.references:
                    if entry.type == DESIGN:
                        ships[entry.id] += entry.number
            elif which == "integer":
                numbers[group.name, parameter.name] = value.integer.value
    return SpaceObject(
        id=frame.id,
        role=frame.otype,
        kind=description.name if description is not None else "",
        name=frame.name,
        parent=frame.parent,
        contains=tuple(frame.contains),
        modified=frame.modtime,
        resources=MappingProxyType(resources),
        ships=MappingProxyType(ships),
        numbers=MappingProxyType(numbers),
        **found,
    )


def read_classic(frame: tp_pb2.ClassicObject) -> SpaceObject:
    """Read an object of TP03. The frame does not name its parent, so the parent is the root."""
    # Only the fields of the object's kind are set.
    ships: Counter[int] = Counter()
    for ship in frame.fleet.ships:
        ships[ship.type] += ship.count
    numbers: dict[tuple[str, str], int] = {}
    if frame.HasField("universe"):
        numbers["Informational", "Year"] = frame.universe.age
    elif frame.HasField("fleet"):
        numbers["Ships", "Damage"] = frame.fleet.damage
    return SpaceObject(
        id=frame.id,
        role=frame.otype,
        kind=CLASSIC_KINDS[frame.otype],
        name=frame.name,
        parent=0,
        contains=tuple(frame.contains),
        modified=frame.modtime,
        position=(frame.position.x, frame.position.y, frame.position.z),
        size=frame.size,
        owner=_owner(frame.planet.owner or frame.fleet.owner),
        queue=frame.id if frame.order_types or frame.orders else 0,
        resources=MappingProxyType(_amounts(frame.planet.resources)),
        ships=MappingProxyType(ships),
        numbers=MappingProxyType(numbers),
    )


def _owner(number: int) -> int:
    return NOBODY if number in _NOBODY_ON_THE_WIRE else number


def _amounts(rows: Iterable[tp_pb2.ObjectResource]) -> dict[int, Amount]:
    return {row.id: Amount(row.stored, row.minable, row.unavailable) for row in rows}
