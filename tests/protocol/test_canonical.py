"""Our canonical JSON equals that of protobuf, for all frames and types."""

import importlib.util
import json
import random
from pathlib import Path

import pytest
from google.protobuf import json_format
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from tpproto import body_of, tp_pb2
from tpproto.dialects.json import as_canonical
from tpproto.frames import KINDS
from tpproto.tools.vectors import FILES

VECTORS = Path(importlib.util.find_spec("tpproto").origin).parent.parent / "vectors"


@pytest.mark.parametrize("file", FILES)
def test_every_vector_is_written_as_protobuf_writes_it(file: str) -> None:
    """Down to the order of the names; the vectors have each frame and each kind of parameter."""
    for line in (VECTORS / file).read_text("utf-8").splitlines():
        body = body_of(json_format.ParseDict(json.loads(line)["json"], tp_pb2.Frame()))
        assert json.dumps(as_canonical(body)) == json.dumps(json_format.MessageToDict(body)), line


def test_every_field_of_every_frame_can_be_written() -> None:
    """A field of a type that the canonical JSON here does not know would raise: fill each with something."""

    def fill(message, depth: int) -> None:
        for field in message.DESCRIPTOR.fields:
            if field.message_type is not None:
                if depth:
                    part = getattr(message, field.name)
                    part = part.add() if field.is_repeated else part
                    part.SetInParent()
                    fill(part, depth - 1)
            else:
                value = "text" if field.type == field.TYPE_STRING else 7
                if field.is_repeated:
                    getattr(message, field.name).append(value)
                else:
                    setattr(message, field.name, value)

    for kind in KINDS:
        message = kind.message()
        fill(message, 4)
        assert as_canonical(message) == json_format.MessageToDict(message)


def filled(message: Message, dice: random.Random, depth: int) -> Message:
    """Give some fields values at the edges."""
    for field in message.DESCRIPTOR.fields:
        if dice.random() < 0.4:
            continue
        values = [_value(field, dice, depth) for _ in range(dice.randint(1, 3) if field.is_repeated else 1)]
        for value in values:
            if isinstance(value, Message):
                part = getattr(message, field.name)
                (part.add() if field.is_repeated else part).CopyFrom(value)
                if not field.is_repeated:
                    getattr(message, field.name).SetInParent()
            elif value is not None:
                if field.is_repeated:
                    getattr(message, field.name).append(value)
                else:
                    setattr(message, field.name, value)
    return message


def _value(field: FieldDescriptor, dice: random.Random, depth: int) -> object:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        kind = getattr(tp_pb2, field.message_type.name, None)
        return filled(kind(), dice, depth - 1) if depth and kind is not None else None
    if field.type == FieldDescriptor.TYPE_STRING:
        return dice.choice(["", "\0", "a\u2028b", '"\\/', "🐜", "\x7f\x1f", "</script>"])
    if field.type == FieldDescriptor.TYPE_BOOL:
        return dice.choice([True, False])
    bits = 64 if field.cpp_type in _LONG else 32
    signed = field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
    edges = [0, 1, 2 ** (bits - 1) - 1, *([-1, -(2 ** (bits - 1))] if signed else [2**bits - 1])]
    return dice.choice(edges)


_LONG = (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64)


@pytest.mark.parametrize(
    "field", list(tp_pb2.Frame.DESCRIPTOR.oneofs_by_name["body"].fields), ids=lambda field: field.name
)
def test_our_canonical_json_is_that_of_protobuf(field: FieldDescriptor) -> None:
    """Of every frame, with values at the edges of their types: the same as `json_format` makes of it."""
    dice = random.Random(field.number)
    for _ in range(20):
        message = filled(getattr(tp_pb2, field.message_type.name)(), dice, 3)
        assert as_canonical(message) == json_format.MessageToDict(message)
