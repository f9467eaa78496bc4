"""Parameter types of orders and objects, from the description frames.

TP03 and TP04 encode typed parameters without their type. So reading or writing an Order or Object needs the types from
the OrderDesc and ObjectDesc frames.
"""

from collections.abc import Mapping
from typing import Protocol

from google.protobuf.message import Message

from tpproto import tp_pb2


class Lookup(Protocol):
    """Gives a dialect the parameter types, as numbers, of each known order type and object type."""

    @property
    def order_parameters(self) -> Mapping[int, tuple[int, ...]]: ...

    @property
    def object_parameters(self) -> Mapping[int, tuple[int, ...]]: ...

    @property
    def command_parameters(self) -> Mapping[int, tuple[int, ...]]: ...


class Descriptions:
    """A lookup that learns from description frames."""

    def __init__(self) -> None:
        self.orders: dict[int, tp_pb2.OrderDesc] = {}
        self.objects: dict[int, tp_pb2.ObjectDesc] = {}
        self.order_parameters: dict[int, tuple[int, ...]] = {}
        self.object_parameters: dict[int, tuple[int, ...]] = {}
        self.command_parameters: dict[int, tuple[int, ...]] = {}

    def learn(self, message: Message) -> None:
        """Store a description, alone or in its frame, in place of an earlier one. Other messages are ignored."""
        if isinstance(message, tp_pb2.Frame):
            body = message.WhichOneof("body")
            message = getattr(message, body) if body else message
        if isinstance(message, tp_pb2.OrderDesc):
            self.learn_order(message)
        elif isinstance(message, tp_pb2.ObjectDesc):
            self.learn_object(message)
        elif isinstance(message, tp_pb2.CommandDesc):
            self.learn_command(message)

    def learn_order(self, description: tp_pb2.OrderDesc) -> None:
        self.orders[description.id] = description
        self.order_parameters[description.id] = tuple(parameter.type for parameter in description.parameters)

    def learn_object(self, description: tp_pb2.ObjectDesc) -> None:
        self.objects[description.id] = description
        self.object_parameters[description.id] = tuple(parameter.type for parameter in object_parameters(description))

    def learn_command(self, description: tp_pb2.CommandDesc) -> None:
        self.command_parameters[description.id] = tuple(parameter.type for parameter in description.parameters)


def object_parameters(description: tp_pb2.ObjectDesc) -> list[tp_pb2.ParameterDesc]:
    """Return the parameters of all groups of a description, in the order of the Object frame."""
    return [parameter for group in description.property_groups for parameter in group.parameters]


NOTHING: Lookup = Descriptions()
"""A lookup without types. It suffices for all frames except orders and TP04 objects."""
