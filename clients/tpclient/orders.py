"""Orders by name: frames built from an OrderDesc and named arguments.

`parameters` has the values that each type of parameter takes.
"""

from collections.abc import Mapping, Sequence

from tpclient.errors import BadArgument, UnknownName
from tpclient.parameters import Value, build, type_in
from tpproto import tp_pb2
from tpproto.descriptions import Descriptions

OrderType = str | int | tp_pb2.OrderDesc | tp_pb2.LegalOrder
"""An order type: its description, its name, its id, or a legal order of this type."""

Arguments = Mapping[str, Value] | Sequence[Value]
"""The values of an order's parameters: by their names, or in the order of the description."""

APPEND = -1
"""The slot that means the end of the queue."""


def order_type(descriptions: Descriptions, kind: OrderType) -> tp_pb2.OrderDesc:
    """Return the description of an order type. Raises UnknownName.

    Of several with one name, it is that with the lowest id.
    """
    if isinstance(kind, tp_pb2.OrderDesc):
        return kind
    if isinstance(kind, tp_pb2.LegalOrder):
        kind = kind.otype
    if isinstance(kind, int):
        found = [descriptions.orders[kind]] if kind in descriptions.orders else []
    else:
        found = [description for description in descriptions.orders.values() if description.name == kind]
    if not found:
        known = ", ".join(sorted({description.name for description in descriptions.orders.values()})) or "none"
        raise UnknownName(f"There is no order type {kind!r}; there are: {known}.")
    return min(found, key=lambda description: description.id)


def build_order(
    description: tp_pb2.OrderDesc, queue: int, arguments: Arguments | None = None, slot: int = APPEND
) -> tp_pb2.Order:
    """Return an order for `queue`, the id of an order queue (TP03: of an object).

    Lists and texts are optional. Raises UnknownName for an argument that the type does not have. Raises BadArgument for
    a missing or wrong argument, or for too many.
    """
    names = [parameter.name for parameter in description.parameters]
    if arguments is None or isinstance(arguments, Mapping):
        given = arguments or {}
    else:
        if len(arguments) > len(names):
            problem = f"{description.name} takes {len(names)} values, not {len(arguments)}."
            raise BadArgument(problem)
        given = dict(zip(names, arguments, strict=False))
    unknown = [name for name in given if name not in names]
    if unknown:
        known = ", ".join(map(repr, names)) or "none"
        raise UnknownName(f"{description.name} has no parameter {', '.join(map(repr, unknown))}; it has: {known}.")
    order = tp_pb2.Order(id=queue, slot=slot, otype=description.id)
    for parameter in description.parameters:
        order.parameters.append(build(description.name, parameter, given.get(parameter.name)))
    return order


def choices(order: tp_pb2.Order) -> tuple[object, ...]:
    """Return the choices of a player in an order.

    They are its type, and the value of each parameter without additions of the server. Two orders with the same choices
    are the same order, even if one of them has more of these additions.
    """
    return (order.otype, *(type_in(parameter).choice(parameter) for parameter in order.parameters))


def is_unfinished(order: tp_pb2.Order) -> bool:
    """Return whether an order from the server is, or may be, a draft.

    A draft lacks a choice. A number without a choice is shown as the lowest. Drafts take no turns. So an order may be a
    draft if it takes no turns and has only values that are shown before a choice.
    """
    if any(type_in(parameter).is_unset(parameter) for parameter in order.parameters):
        return True
    may_be_unset = (type_in(parameter).may_be_unset(parameter) for parameter in order.parameters)
    return not order.turns and bool(order.parameters) and all(may_be_unset)
