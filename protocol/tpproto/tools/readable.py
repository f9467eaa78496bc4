"""Messages as plain data for people to read: all fields, also those that are 0, and parameters with their names."""

from operator import attrgetter
from typing import Any

from google.protobuf.message import Message

from .. import tp_pb2
from ..codegen.layout import TP03, option
from ..descriptions import Descriptions, object_parameters
from ..frames import FrameKind


def readable(kind: FrameKind, message: Message, known: Descriptions | None = None, version: int = 0) -> dict[str, Any]:
    """The fields of a frame's message as JSON-able data.

    `known` gives typed parameters their names, `version` (3 or 4) leaves out the fields that this version lacks.
    """
    fields = _fields(message, version)
    if isinstance(message, tp_pb2.Order):
        order = known.orders.get(message.otype) if known else None
        fields["parameters"] = _named(message.parameters, list(order.parameters) if order else [], version)
        if order:
            fields["otype"] = {"id": message.otype, "name": order.name}
    elif isinstance(message, tp_pb2.Object):
        thing = known.objects.get(message.otype) if known else None
        fields["parameters"] = _named(message.parameters, object_parameters(thing) if thing else [], version)
        if thing:
            fields["otype"] = {"id": message.otype, "name": thing.name}
    return fields


def _fields(message: Message, version: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    described: Any = message.DESCRIPTOR.fields
    for field in sorted(described, key=attrgetter("number")):
        only = option(field, tp_pb2.only)
        if version and only not in (tp_pb2.EVERY, version):
            continue
        if field.containing_oneof is not None and not message.HasField(field.name):
            continue
        value = getattr(message, field.name)
        if field.message_type is None:
            fields[field.name] = list(value) if field.is_repeated else value
        elif field.is_repeated:
            fields[field.name] = [_fields(item, version) for item in value]
        else:
            fields[field.name] = _fields(value, version)
    return fields


def _named(given: Any, described: list[tp_pb2.ParameterDesc], version: int) -> list[dict[str, Any]]:
    rows = []
    for position, parameter in enumerate(given):
        row: dict[str, Any] = {"name": described[position].name} if position < len(described) else {}
        row.update(_fields(parameter, version))
        rows.append(row)
    return rows


def version_of(dialect_name: str) -> int:
    """The version whose fields a dialect shows: 3 for TP03; 0, meaning all, for the others."""
    return TP03 if dialect_name == "TP03" else 0
