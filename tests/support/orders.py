"""Orders and their parameters in a line each."""

from tpproto import tp_pb2 as tp


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
