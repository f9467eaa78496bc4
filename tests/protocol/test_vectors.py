"""Golden vectors: at least one for every frame and dialect, all exact."""

import importlib.util
import json
from pathlib import Path

import pytest
from google.protobuf import json_format

from tpproto import BY_NAME, ENVELOPE, JSON, Descriptions, FrameReader, RawFrame, body_of, read_message, tp_pb2
from tpproto.codegen.layout import layout_of, typed_step
from tpproto.frames import KINDS
from tpproto.tools.vectors import FILES, differences

VECTORS = Path(importlib.util.find_spec("tpproto").origin).parent.parent / "vectors"


def rows(file: str) -> list[dict]:
    return [json.loads(line) for line in (VECTORS / file).read_text("utf-8").splitlines()]


def test_the_files_are_what_the_code_writes() -> None:
    """`python -m tpproto vectors protocol/vectors` would change nothing."""
    assert differences(VECTORS) == []


@pytest.mark.parametrize("file", FILES)
def test_every_frame_of_the_dialect_has_a_vector(file: str) -> None:
    covered = {row["frame"] for row in rows(file)}
    assert covered == {kind.field for kind in KINDS if FILES[file].kinds.get(kind.number) is kind}


@pytest.mark.parametrize("file", FILES)
def test_every_parameter_type_has_a_vector(file: str) -> None:
    dialect = FILES[file]
    covered: dict[str, set[str]] = {}
    for row in rows(file):
        frame = json_format.ParseDict(row["json"], tp_pb2.Frame())
        body = body_of(frame)
        if isinstance(body, tp_pb2.ClassicObject):
            covered.setdefault("ClassicObject", set()).add(str(body.WhichOneof("detail")))
        elif isinstance(body, tp_pb2.Order | tp_pb2.Object):
            found = covered.setdefault(type(body).__name__, set())
            found.update(str(parameter.WhichOneof("value")) for parameter in body.parameters)
    version = 3 if dialect.name == "TP03" else 4
    messages = (tp_pb2.Order, tp_pb2.ClassicObject) if version == 3 else (tp_pb2.Order, tp_pb2.Object)
    for message in messages:
        alternatives = typed_step(layout_of(message.DESCRIPTOR, version)).alternatives
        assert covered[message.__name__] == {part.name for part in alternatives.values()}


@pytest.mark.parametrize("file", FILES)
def test_every_vector_decodes_and_encodes_exactly(file: str) -> None:
    dialect, known = FILES[file], Descriptions()
    for row in rows(file):
        data = bytes.fromhex(row["hex"])
        (raw,) = FrameReader(dialect=dialect).feed(data)
        assert isinstance(raw, RawFrame), row["name"]
        frame = dialect.decode(raw.sequence, raw.kind, raw.body, known)
        known.learn(frame)
        written = json_format.ParseDict(row["json"], tp_pb2.Frame())
        assert frame == written, row["name"]
        assert dialect.encode(written, known) == data, row["name"]
        assert frame.WhichOneof("body") == row["frame"]
        assert BY_NAME[row["frame"]].number == row["number"] == raw.kind


def test_every_vector_is_its_canonical_json() -> None:
    """The JSON dialect writes what the vectors say, and reads it back to the same message."""
    for row in rows("pb.jsonl"):
        written = json_format.ParseDict(row["json"], tp_pb2.Frame())
        text = JSON.encode(written)
        assert json.loads(text) == row["json"], row["name"]
        raw = read_message(JSON, text)
        assert isinstance(raw, RawFrame)
        assert JSON.decode(raw.sequence, raw.kind, raw.body) == written, row["name"]


def test_a_protocol_buffers_message_is_the_serialized_frame() -> None:
    """Any protobuf library reads and writes our envelopes: there is nothing of our own in them."""
    for row in rows("pb.jsonl"):
        data = bytes.fromhex(row["hex"])
        frame = tp_pb2.Frame.FromString(data[4:])
        assert json_format.MessageToDict(frame) == row["json"]
        assert int.from_bytes(data[:4], "big") == len(data) - 4
        assert ENVELOPE.encode(frame) == data[4:]
        raw = read_message(ENVELOPE, frame.SerializeToString())
        assert isinstance(raw, RawFrame)
        assert ENVELOPE.decode(raw.sequence, raw.kind, raw.body) == frame
