"""The types of the parameters of orders and objects, from the description frames.

In TP03 and TP04, typed parameters are encoded without their type: to read or write an Order or Object, one must know
the types of its parameters from the OrderDesc and ObjectDesc frames.
"""

from collections.abc import Sequence
from typing import Protocol

from . import tp_pb2


class Lookup(Protocol):
    """Gives a dialect the parameter type ids of an order type or object type. None: there is no such type.

    Returning a tuple is fastest, because a tuple is the key under which the packers are cached.
    """

    def order_parameters(self, order_type: int) -> Sequence[int] | None: ...

    def object_parameters(self, object_type: int) -> Sequence[int] | None: ...


class Descriptions:
    """A lookup that is filled from description frames."""

    def __init__(self) -> None:
        self.orders: dict[int, tp_pb2.OrderDesc] = {}
        self.objects: dict[int, tp_pb2.ObjectDesc] = {}
        self._order_parameters: dict[int, tuple[int, ...]] = {}
        self._object_parameters: dict[int, tuple[int, ...]] = {}

    def learn(self, frame: tp_pb2.Frame) -> None:
        """Store a description; frames other than OrderDesc and ObjectDesc are ignored. A later one replaces it."""
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
    """The parameters of all groups of a description, in the order in which the Object frame has them."""
    return [parameter for group in description.property_groups for parameter in group.parameters]


NOTHING: Lookup = Descriptions()
"""A lookup without any types; it suffices for all frames but orders and TP04 objects."""
