"""The canonical JSON that we write ourselves is protobuf's, for every frame and every parameter type."""

import importlib.util
import json
from pathlib import Path

import pytest
from google.protobuf import json_format

from tpproto import body_of, tp_pb2
from tpproto.dialects.canonical_json import as_canonical
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
