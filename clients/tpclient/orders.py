"""Orders by name: the frames that clients send are built from an OrderDesc and arguments under its parameters' names.

The values that fit each parameter type (TP04, Order frame):

    coordinates           (x, y, z)
    time                  a number of turns
    object, player        an id
    relative coordinates  (object id, (x, y, z))
    range                 a number
    list                  ids, or {id: how many}; nothing at all makes the order a draft that asks what can be selected
    string                text
    reference             an id
    reference list        ids
    resource list         {resource id: quantity}
    quantity list         ids, or {id: how many}

An OrderParameter that was made by hand fits everywhere.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any

from tpproto import tp_pb2
from tpproto.descriptions import Descriptions

from .errors import BadArgument, UnknownName

APPEND = -1
"""The slot that means the end of the queue."""

Value = Any


class Kind(IntEnum):
    """The parameter types of orders (TP04, Order frame)."""

    COORDINATES = 0
    TIME = 1
    OBJECT = 2
    PLAYER = 3
    RELATIVE_COORDINATES = 4
    RANGE = 5
    LIST = 6
    STRING = 7
    REFERENCE = 8
    REFERENCE_LIST = 9
    RESOURCE_LIST = 10
    QUANTITY_LIST = 11


def order_type(descriptions: Descriptions, name: str) -> tp_pb2.OrderDesc:
    """The description of the order type with this name; the lowest id if several have it. Raises UnknownName."""
    found = [description for description in descriptions.orders.values() if description.name == name]
    if not found:
        known = ", ".join(sorted({description.name for description in descriptions.orders.values()})) or "none"
        raise UnknownName(f"There is no order type {name!r}; there are: {known}.")
    return min(found, key=lambda description: description.id)


def build_order(
    description: tp_pb2.OrderDesc, queue: int, arguments: Mapping[str, Value] | None = None, slot: int = APPEND
) -> tp_pb2.Order:
    """An order for `queue`, the id of an order queue (TP03: of an object).

    Lists and texts may be left out. Raises UnknownName for an argument that the type does not have, BadArgument for one
    that is missing or does not fit.
    """
    given = arguments or {}
    names = [parameter.name for parameter in description.parameters]
    unknown = [name for name in given if name not in names]
    if unknown:
        known = ", ".join(map(repr, names)) or "none"
        raise UnknownName(f"{description.name} has no parameter {', '.join(map(repr, unknown))}; it has: {known}.")
    order = tp_pb2.Order(id=queue, slot=slot, otype=description.id)
    for parameter in description.parameters:
        order.parameters.append(_parameter(description.name, parameter, given.get(parameter.name)))
    return order


def choices(order: tp_pb2.Order) -> tuple[object, ...]:
    """What the player chose in an order: its type, and of each parameter the value without what only the server says.

    Two orders with the same choices are the same order, though one of them may tell what else could be chosen.
    """
    return (order.otype, *(_choice(parameter) for parameter in order.parameters))


def is_unset(parameter: tp_pb2.OrderParameter) -> bool:
    """Whether an object or player of an order that the server sent has not been chosen yet: id 0, where that is none.

    Object 0 may be meant where universes, whose type is 0, may be chosen, or where the server tells no types.
    """
    if parameter.HasField("object"):
        kinds = parameter.object.valid_types
        return not parameter.object.object_id and bool(kinds) and 0 not in kinds
    return parameter.HasField("player") and not parameter.player.player_id


def is_unfinished(order: tp_pb2.Order) -> bool:
    """Whether an order that the server sent is, or may be, a draft: something in it has not been chosen yet.

    A number that was not chosen is shown as the lowest. So an order may be a draft that takes no turns, as drafts do,
    and in which nothing is anything else than what is shown before a choice.
    """
    if any(map(is_unset, order.parameters)):
        return True
    return not order.turns and bool(order.parameters) and all(map(_may_be_unset, order.parameters))


def _may_be_unset(parameter: tp_pb2.OrderParameter) -> bool:
    if parameter.HasField("range"):
        return parameter.range.value == parameter.range.min_value
    return parameter.HasField("time") or _choice(parameter) in (0, "", (), (0, 0, 0))


def _choice(parameter: tp_pb2.OrderParameter) -> object:
    which = parameter.WhichOneof("value")
    if which == "coordinates":
        return _place(parameter.coordinates)
    if which == "time":
        return parameter.time.turns
    if which == "object":
        return parameter.object.object_id
    if which == "player":
        return parameter.player.player_id
    if which == "relative_coordinates":
        return parameter.relative_coordinates.object_id, _place(parameter.relative_coordinates.pos)
    if which == "range":
        return parameter.range.value
    if which == "list":
        return tuple((row.id, row.number) for row in parameter.list.selection)
    if which == "string":
        return parameter.string.string
    if which == "reference":
        return parameter.reference.reference
    if which == "reference_list":
        return tuple(parameter.reference_list.references)
    if which == "resource_list":
        return tuple((row.resource_id, row.quantity) for row in parameter.resource_list.selected)
    if which == "quantity_list":
        return tuple((row.id, row.number) for row in parameter.quantity_list.selection)
    return None


def _place(vector: tp_pb2.Vector) -> tuple[int, int, int]:
    return vector.x, vector.y, vector.z


def _parameter(order: str, parameter: tp_pb2.ParameterDesc, value: Value) -> tp_pb2.OrderParameter:
    if isinstance(value, tp_pb2.OrderParameter):
        return value
    known = _BUILDERS.get(parameter.type)
    if known is None:
        raise BadArgument(f"{order}: parameter {parameter.name!r} has type {parameter.type}, which nobody has defined.")
    wanted, build, empty = known
    if value is None:
        value = empty
        if value is None:
            raise BadArgument(f"{order}: parameter {parameter.name!r} is missing; give {wanted}.")
    try:
        return build(value)
    except (TypeError, ValueError, AttributeError, OverflowError):
        raise BadArgument(f"{order}: parameter {parameter.name!r} has to be {wanted}, not {value!r}.") from None


def _vector(value: Sequence[int]) -> tp_pb2.Vector:
    x, y, z = value
    return tp_pb2.Vector(x=x, y=y, z=z)


def _counted(value: Mapping[int, int] | Sequence[int]) -> list[tuple[int, int]]:
    if isinstance(value, Mapping):
        return [(int(key), int(number)) for key, number in value.items()]
    return [(int(key), 1) for key in value]


def _selections(value: Mapping[int, int] | Sequence[int]) -> list[tp_pb2.Selection]:
    return [tp_pb2.Selection(id=key, number=number) for key, number in _counted(value)]


def _coordinates(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(coordinates=_vector(value))


def _time(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(time=tp_pb2.OrderTime(turns=value))


def _object(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(object=tp_pb2.OrderObject(object_id=value))


def _player(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(player=tp_pb2.OrderPlayer(player_id=value))


def _relative(value: Value) -> tp_pb2.OrderParameter:
    object_id, place = value
    relative = tp_pb2.OrderRelativeCoordinates(object_id=object_id, pos=_vector(place))
    return tp_pb2.OrderParameter(relative_coordinates=relative)


def _range(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(range=tp_pb2.OrderRange(value=value))


def _list(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(list=tp_pb2.OrderList(selection=_selections(value)))


def _string(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(string=tp_pb2.OrderString(string=value))


def _reference(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(reference=tp_pb2.OrderReference(reference=value))


def _references(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(reference_list=tp_pb2.OrderReferenceList(references=list(value)))


def _resources(value: Value) -> tp_pb2.OrderParameter:
    rows = [tp_pb2.ResourceQuantity(resource_id=key, quantity=number) for key, number in _counted(value)]
    return tp_pb2.OrderParameter(resource_list=tp_pb2.OrderResourceList(selected=rows))


def _quantities(value: Value) -> tp_pb2.OrderParameter:
    return tp_pb2.OrderParameter(quantity_list=tp_pb2.OrderQuantityList(selection=_selections(value)))


# By parameter type: what to ask for, how to build it, and what stands for an argument that was left out.
_BUILDERS: dict[int, tuple[str, Callable[[Value], tp_pb2.OrderParameter], Value]] = {
    Kind.COORDINATES: ("coordinates (x, y, z)", _coordinates, None),
    Kind.TIME: ("a number of turns", _time, None),
    Kind.OBJECT: ("the id of an object", _object, None),
    Kind.PLAYER: ("the id of a player", _player, None),
    Kind.RELATIVE_COORDINATES: ("(object id, (x, y, z))", _relative, None),
    Kind.RANGE: ("a whole number", _range, None),
    Kind.LIST: ("ids, or {id: how many}", _list, ()),
    Kind.STRING: ("text", _string, ""),
    Kind.REFERENCE: ("an id", _reference, None),
    Kind.REFERENCE_LIST: ("ids", _references, ()),
    Kind.RESOURCE_LIST: ("{resource id: quantity}", _resources, ()),
    Kind.QUANTITY_LIST: ("ids, or {id: how many}", _quantities, ()),
}
