"""Orders and their parameters in a line each."""

from typing import Any

from tpproto import tp_pb2 as tp
from tprules.api import Number, ObjectRef, Param, Selection, String


def order(on: int, otype: int, *parameters: tp.OrderParameter, slot: int = -1) -> tp.Order:
    """An order for the end of a queue, unless another slot is named."""
    return tp.Order(id=on, slot=slot, otype=otype, parameters=parameters)


def number(value: int) -> tp.OrderParameter:
    return tp.OrderParameter(range=tp.OrderRange(value=value))


def text(value: str) -> tp.OrderParameter:
    return tp.OrderParameter(string=tp.OrderString(string=value))


def target(value: int) -> tp.OrderParameter:
    return tp.OrderParameter(object=tp.OrderObject(object_id=value))


def chosen(*selections: tuple[int, int]) -> tp.OrderParameter:
    return tp.OrderParameter(list=tp.OrderList(selection=[tp.Selection(id=i, number=n) for i, n in selections]))


def written(param: Param, value: Any) -> tp.OrderParameter:
    """An argument of an order as clients send it."""
    match param:
        case ObjectRef():
            return target(value)
        case Number():
            return number(value)
        case String():
            return text(value)
        case Selection():
            return chosen(*value)
    raise TypeError(f"no client writes {param}")


def argument(param: Param, value: tp.OrderParameter) -> Any:
    """Return the value that `written` has converted."""
    match param:
        case ObjectRef():
            return value.object.object_id
        case Number():
            return value.range.value
        case String():
            return value.string.string
        case Selection():
            return [[item.id, item.number] for item in value.list.selection]
    raise TypeError(f"no client reads {param}")
