"""Print recorded or captured bytes as one JSON line for each frame."""

import json
from collections.abc import Iterator
from operator import attrgetter
from typing import Any

from google.protobuf.message import Message

from tpproto import tp_pb2
from tpproto.codegen.layout import option
from tpproto.descriptions import Descriptions, object_parameters
from tpproto.dialects import TP03, Dialect
from tpproto.errors import FrameError
from tpproto.stream import BadFrame, NotTP, RawFrame, UnknownVersion
from tpproto.tools.transcript import Said, Transcript, pieces, read_input

MOST_SHOWN = 64
"""Maximum bytes shown of a frame that cannot be read."""


def dump(name: str, dialect: Dialect | None = None) -> Iterator[str]:
    """Yield the lines for the frames of a file (`-`: standard input). Raises InputError.

    `dialect` applies if the bytes do not identify it, as with Protocol Buffers without their greeting. A frame that
    cannot be read becomes a line with an error, and readable frames after it follow.
    """
    transcript = Transcript()
    for said in transcript.read(pieces(name, read_input(name)), dialect):
        yield json.dumps(_line(said, transcript.known), ensure_ascii=False)


def _line(said: Said, known: Descriptions) -> dict[str, Any]:
    line: dict[str, Any] = {}
    if said.piece.connection:
        line["connection"] = said.piece.connection
    if said.piece.sender:
        line["from"] = said.piece.sender
    event = said.event
    if isinstance(event, RawFrame):
        _frame(line, event, said, known)
    elif isinstance(event, BadFrame | UnknownVersion):
        line["dialect"] = event.dialect.name
        line["sequence"] = event.sequence
        line["error"] = _error(event.error, said)
    elif isinstance(event, NotTP):
        line["error"] = _error(event.error, said)
        line["start"] = event.start.decode("latin-1")
    else:
        text = f"The bytes end in the middle of a frame: {said.left} bytes of it are there."
        line["error"] = _error(FrameError(text), said)
    if said.piece.note:
        line["note"] = said.piece.note
    return line


def _frame(line: dict[str, Any], raw: RawFrame, said: Said, known: Descriptions) -> None:
    line["dialect"] = raw.dialect.name
    line["sequence"] = raw.sequence
    line["number"] = raw.kind
    kind = raw.dialect.kinds.get(raw.kind)
    if kind:
        line["frame"] = kind.field
    try:
        line["fields"] = _readable(said.message(), known, TP03.version if raw.dialect is TP03 else 0)
    except FrameError as error:
        line["error"] = _error(error, said)
        line["body"] = raw.body[:MOST_SHOWN].hex() + ("..." if len(raw.body) > MOST_SHOWN else "")


def _error(error: FrameError, said: Said) -> dict[str, Any]:
    return {"code": error.code.name.lower(), "text": error.text, "where": said.piece.where}


def _readable(message: Message, known: Descriptions, version: int) -> dict[str, Any]:
    """Return the fields of a frame's message as JSON-able data.

    `known` gives typed parameters their names. `version` 3 leaves out the fields that TP03 lacks, 0 none.
    """
    fields = _fields(message, version)
    if isinstance(message, tp_pb2.Order):
        order = known.orders.get(message.otype)
        fields["parameters"] = _named(message.parameters, list(order.parameters) if order else [], version)
        if order:
            fields["otype"] = {"id": message.otype, "name": order.name}
    elif isinstance(message, tp_pb2.Object):
        thing = known.objects.get(message.otype)
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
