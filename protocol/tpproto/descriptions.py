"""What the description frames say about the parameters of orders and objects.

Typed parameters have no tags on the TP03 and TP04 wire: who reads or writes an Order or an Object has to know the types
of its parameters beforehand, from the OrderDesc and ObjectDesc frames.
"""

from collections.abc import Sequence
from typing import Protocol

from . import tp_pb2


class Lookup(Protocol):
    """Where a dialect finds the parameter type ids of an order type or object type. None: there is no such type.

    A tuple is answered fastest, because it is the key under which the packers are kept.
    """

    def order_parameters(self, order_type: int) -> Sequence[int] | None: ...

    def object_parameters(self, object_type: int) -> Sequence[int] | None: ...


class Descriptions:
    """A lookup that learns from the description frames it is shown."""

    def __init__(self) -> None:
        self.orders: dict[int, tp_pb2.OrderDesc] = {}
        self.objects: dict[int, tp_pb2.ObjectDesc] = {}
        self._order_parameters: dict[int, tuple[int, ...]] = {}
        self._object_parameters: dict[int, tuple[int, ...]] = {}

    def learn(self, frame: tp_pb2.Frame) -> None:
        """Take in a frame; all but OrderDesc and ObjectDesc are ignored. A later description replaces the earlier."""
        body = frame.WhichOneof("body")
        if body == "order_desc":
            self.learn_order(frame.order_desc)
        elif body == "object_desc":
            self.learn_object(frame.object_desc)

    def learn_order(self, description: tp_pb2.OrderDesc) -> None:
        self.orders[description.id] = description
        self._order_parameters[description.id] = tuple(parameter.type for parameter in description.parameters)

    def learn_object(self, description: tp_pb2.ObjectDesc) -> None:
        self.objects[description.id] = description
        self._object_parameters[description.id] = tuple(parameter.type for parameter in object_parameters(description))

    def order_parameters(self, order_type: int) -> tuple[int, ...] | None:
        return self._order_parameters.get(order_type)

    def object_parameters(self, object_type: int) -> tuple[int, ...] | None:
        return self._object_parameters.get(object_type)


def object_parameters(description: tp_pb2.ObjectDesc) -> list[tp_pb2.ParameterDesc]:
    """The parameters of all groups of a description in the order in which they lie in the Object frame."""
    return [parameter for group in description.property_groups for parameter in group.parameters]


class _Nothing:
    def order_parameters(self, order_type: int) -> None:
        return None

    def object_parameters(self, object_type: int) -> None:
        return None


NOTHING: Lookup = _Nothing()
"""A lookup that knows no types: enough for every frame but orders and TP04 objects."""
