"""Orders by name: the frames that clients send are built from an OrderDesc and arguments under its parameters' names.

What fits each type of parameter is told in `parameters`.
"""

from collections.abc import Mapping

from tpproto import tp_pb2
from tpproto.descriptions import Descriptions

from .errors import UnknownName
from .parameters import Value, build, type_in

OrderType = str | tp_pb2.OrderDesc
"""An order type, or its name."""

Arguments = Mapping[str, Value]
"""The values of an order's parameters, by their names."""

APPEND = -1
"""The slot that means the end of the queue."""


def order_type(descriptions: Descriptions, kind: OrderType) -> tp_pb2.OrderDesc:
    """The description of an order type; of those with one name, that with the lowest id. Raises UnknownName."""
    if not isinstance(kind, str):
        return kind
    found = [description for description in descriptions.orders.values() if description.name == kind]
    if not found:
        known = ", ".join(sorted({description.name for description in descriptions.orders.values()})) or "none"
        raise UnknownName(f"There is no order type {kind!r}; there are: {known}.")
    return min(found, key=lambda description: description.id)


def build_order(
    description: tp_pb2.OrderDesc, queue: int, arguments: Arguments | None = None, slot: int = APPEND
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
        order.parameters.append(build(description.name, parameter, given.get(parameter.name)))
    return order


def choices(order: tp_pb2.Order) -> tuple[object, ...]:
    """What the player chose in an order: its type, and of each parameter the value without what only the server says.

    Two orders with the same choices are the same order, though one of them may tell what else could be chosen.
    """
    return (order.otype, *(type_in(parameter).choice(parameter) for parameter in order.parameters))


def is_unfinished(order: tp_pb2.Order) -> bool:
    """Whether an order that the server sent is, or may be, a draft: something in it has not been chosen yet.

    A number that was not chosen is shown as the lowest. So an order may be a draft that takes no turns, as drafts do,
    and in which nothing is anything else than what is shown before a choice.
    """
    if any(type_in(parameter).is_unset(parameter) for parameter in order.parameters):
        return True
    may_be_unset = (type_in(parameter).may_be_unset(parameter) for parameter in order.parameters)
    return not order.turns and bool(order.parameters) and all(may_be_unset)
