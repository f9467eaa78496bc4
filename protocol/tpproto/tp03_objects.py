"""Converts between the Object of TP04 and the ClassicObject of TP03.

TP04 describes an object's parameters; TP03 has six fixed kinds of object. The fields of TP03 are found among the
described parameters by type, and by name if there may be several of a type. Upper and lower case do not matter:

    position            the first position that is not named "End"
    velocity, size      the first of their type
    owner               the reference named "Owner", else the first reference; its type is 7, a player
    resources           the first resource list
    ships               the first list of references and quantities; those whose type is 9, a design
    damage              the integer named "Damage"
    age                 the first integer of the group named "Informational": the turn
    end of a wormhole   the position named "End"

The number of orders and the order types come from the order queue, which is not part of a TP04 object. Everything else
in an Object is lost in TP03: description, parent, media, other integers and references.
"""

from enum import IntEnum

from . import tp_pb2
from .codegen.layout import option
from .descriptions import object_parameters

PLAYER = 7
"""The type of a generic reference to a player."""

DESIGN = 9
"""The type of a generic reference to a design."""

NOBODY = -1
"""The owner of an object without owner. In a TP04 reference it is player id 0; all bits set is accepted too."""

_ALL_BITS = 0xFFFFFFFF

_KINDS: dict[int, str] = {
    option(field, tp_pb2.parameter): field.name
    for field in tp_pb2.ObjectParameter.DESCRIPTOR.oneofs_by_name["value"].fields
}


class Role(IntEnum):
    """The object types of TP03."""

    UNIVERSE = 0
    GALAXY = 1
    STAR_SYSTEM = 2
    PLANET = 3
    FLEET = 4
    WORMHOLE = 5


def to_classic(
    thing: tp_pb2.Object, description: tp_pb2.ObjectDesc, role: int, queue: tp_pb2.OrderQueue | None = None
) -> tp_pb2.ClassicObject:
    """The TP03 form of an object.

    `description` describes its type, `role` is its kind in TP03 (0 to 5), and `queue` its order queue, if it has one.
    Raises ValueError for a role that TP03 lacks, for parameters that do not follow the description, and for a position
    relative to an object other than the root, because TP03 has only absolute positions.
    """
    role = Role(role)
    kinds = [_kind(parameter) for parameter in object_parameters(description)]
    given = [parameter.WhichOneof("value") for parameter in thing.parameters]
    if kinds != given:
        raise ValueError(f"Object {thing.id} has the parameters {given}; its type is described with {kinds}.")
    found = {meaning: thing.parameters[index] for meaning, index in _meanings(description).items()}
    nothing = tp_pb2.ObjectParameter()
    classic = tp_pb2.ClassicObject(
        id=thing.id,
        otype=role,
        name=thing.name,
        size=found.get("size", nothing).size.size,
        position=_absolute(thing, found.get("position", nothing).position),
        velocity=_absolute(thing, found.get("velocity", nothing).velocity),
        contains=thing.contains,
        modtime=thing.modtime,
    )
    if queue is not None:
        classic.orders = queue.num_orders
        classic.order_types.extend(queue.order_types)
    detail = getattr(classic, Role(role).name.lower())
    detail.SetInParent()
    if role in (Role.PLANET, Role.FLEET):
        detail.owner = _owner(found.get("owner", nothing).reference)
    if role == Role.UNIVERSE:
        detail.age = found.get("age", nothing).integer.value
    elif role == Role.PLANET:
        detail.resources.extend(found.get("resources", nothing).resource_list.resources)
    elif role == Role.FLEET:
        for ship in found.get("ships", nothing).reference_quantity_list.references:
            if ship.type == DESIGN:
                detail.ships.add(type=ship.id, count=ship.number)
        detail.damage = found.get("damage", nothing).integer.value
    elif role == Role.WORMHOLE:
        detail.end.CopyFrom(_absolute(thing, found.get("end", nothing).position))
    return classic


def from_classic(
    classic: tp_pb2.ClassicObject, description: tp_pb2.ObjectDesc, parent: int = 0, queue: int | None = None
) -> tp_pb2.Object:
    """The TP04 form of a TP03 object, with the parameters of `description`; those that TP03 lacks are 0 or empty.

    `parent` is the id of the object that contains it, `queue` the id of its order queue (by default its own id).
    Raises ValueError for a description with a parameter type that does not exist.
    """
    thing = tp_pb2.Object(
        id=classic.id,
        otype=description.id,
        name=classic.name,
        parent=parent,
        contains=classic.contains,
        modtime=classic.modtime,
    )
    for parameter in object_parameters(description):
        target = thing.parameters.add()
        kind = _kind(parameter)
        getattr(target, kind).SetInParent()
        if kind in ("position", "velocity", "acceleration"):
            getattr(target, kind).vector.SetInParent()
        elif kind == "order_queue":
            target.order_queue.queue_id = classic.id if queue is None else queue
    for meaning, index in _meanings(description).items():
        _fill(thing.parameters[index], meaning, classic)
    return thing


def _fill(target: tp_pb2.ObjectParameter, meaning: str, classic: tp_pb2.ClassicObject) -> None:
    """Fill a parameter from the TP03 field with the same meaning."""
    if meaning == "position":
        target.position.vector.CopyFrom(classic.position)
    elif meaning == "velocity":
        target.velocity.vector.CopyFrom(classic.velocity)
    elif meaning == "size":
        target.size.size = classic.size
    elif meaning == "owner":
        owner = classic.planet.owner if classic.HasField("planet") else classic.fleet.owner
        owned = classic.HasField("planet") or classic.HasField("fleet")
        target.reference.type = PLAYER
        target.reference.id = owner if owned and owner != NOBODY else 0
    elif meaning == "resources":
        target.resource_list.resources.extend(classic.planet.resources)
    elif meaning == "ships":
        for ship in classic.fleet.ships:
            target.reference_quantity_list.references.add(type=DESIGN, id=ship.type, number=ship.count)
    elif meaning == "damage":
        target.integer.value = classic.fleet.damage
    elif meaning == "age":
        target.integer.value = classic.universe.age
    else:
        target.position.vector.CopyFrom(classic.wormhole.end)


def _meanings(description: tp_pb2.ObjectDesc) -> dict[str, int]:
    """For each meaning listed above: the index, from 0, of the described parameter that has it."""
    found: dict[str, int] = {}
    references: list[int] = []
    index = 0
    for group in description.property_groups:
        for parameter in group.parameters:
            kind, name = _kind(parameter), parameter.name.casefold()
            if kind == "position":
                found.setdefault("end" if name == "end" else "position", index)
            elif kind in ("velocity", "size"):
                found.setdefault(kind, index)
            elif kind == "resource_list":
                found.setdefault("resources", index)
            elif kind == "reference_quantity_list":
                found.setdefault("ships", index)
            elif kind == "reference":
                references.append(index)
                if name == "owner":
                    found.setdefault("owner", index)
            elif kind == "integer" and name == "damage":
                found.setdefault("damage", index)
            elif kind == "integer" and group.name.casefold() == "informational":
                found.setdefault("age", index)
            index += 1
    if references:
        found.setdefault("owner", references[0])
    return found


def _kind(parameter: tp_pb2.ParameterDesc) -> str:
    kind = _KINDS.get(parameter.type)
    if kind is None:
        raise ValueError(f"The parameter {parameter.name!r} has type {parameter.type}; there are 0 to {max(_KINDS)}.")
    return kind


def _owner(reference: tp_pb2.Reference) -> int:
    return reference.id if reference.type == PLAYER and reference.id not in (0, _ALL_BITS) else NOBODY


def _absolute(thing: tp_pb2.Object, vector: tp_pb2.RelativeVector) -> tp_pb2.Vector:
    if vector.relative:
        raise ValueError(
            f"Object {thing.id} has a position or velocity relative to object {vector.relative}; "
            "TP03 knows only those relative to object 0."
        )
    return vector.vector
