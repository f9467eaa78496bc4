"""Properties of all messages and all bytes.

Messages survive round trips, refusals are sentences, and memory is bounded.
"""

import contextlib
import itertools
import json
import random
import struct
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tpproto import (
    ENVELOPE,
    JSON,
    PB,
    TP03,
    TP04,
    BadFrame,
    Descriptions,
    Dialect,
    FrameError,
    FrameReader,
    Limits,
    NotTP,
    RawFrame,
    frame,
    read_message,
    tp_pb2,
)
from tpproto.codegen.layout import Layout, Many, Padding, Part, Typed, has_types, layout_of, option, typed_step
from tpproto.codegen.packers import Row
from tpproto.dialects.binary import BinaryDialect, chosen
from tpproto.frames import KINDS, FrameKind
from tpproto.tools.transcript import Transcript, read_input, recorded

DIALECTS = [TP03, TP04, TP04.padded, PB, ENVELOPE, JSON]
CASES = [
    pytest.param(dialect, kind, id=f"{dialect.name}-{kind.field}")
    for dialect in DIALECTS
    for kind in KINDS
    if dialect.kinds.get(kind.number) is kind
]
TYPED = ("object", "classic_object", "order", "order_insert")
quick = settings(max_examples=1, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)

# A byte string that ends in NUL loses it when read, as old programs send one.
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).filter(lambda text: not text.endswith("\0"))
RANGES = {
    (13, 0): (0, 2**32 - 1),
    (5, 0): (-(2**31), 2**31 - 1),
    (4, 0): (0, 2**64 - 1),
    (3, 0): (-(2**63), 2**63 - 1),
    (3, tp_pb2.SEMI32): (-1, 2**32 - 2),
    (3, tp_pb2.SEMI64): (-1, 2**63 - 1),
}


def scalars(field: Any) -> st.SearchStrategy[Any]:
    if field.type == field.TYPE_STRING:
        return TEXTS
    if field.type == field.TYPE_BOOL:
        return st.booleans()
    low, high = RANGES[field.type, option(field, tp_pb2.integer)]
    return st.sampled_from([low, high, 0 if low <= 0 else low]) | st.integers(low, high)


@st.composite
def messages(draw: st.DrawFn, descriptor: Any, new: Any, version: int) -> Any:
    """A message with arbitrary fields as a version has them (0: all), but without typed parameters."""
    message = new()
    for field in descriptor.fields:
        if field.containing_oneof is not None or option(field, tp_pb2.parameter_types):
            continue
        if version and option(field, tp_pb2.only) not in (0, version):
            if option(field, tp_pb2.otherwise):
                setattr(message, field.name, option(field, tp_pb2.otherwise))
            continue
        if field.message_type is not None and field.is_repeated:
            for _ in range(draw(st.integers(0, 3))):
                item = draw(messages(field.message_type, type(getattr(message, field.name).add()), version))
                del getattr(message, field.name)[-1]
                getattr(message, field.name).append(item)
        elif field.message_type is not None:
            part = getattr(message, field.name)
            part.CopyFrom(draw(messages(field.message_type, type(part), version)))
            part.SetInParent()
        elif field.is_repeated:
            getattr(message, field.name).extend(draw(st.lists(scalars(field), max_size=4)))
        else:
            setattr(message, field.name, draw(scalars(field)))
    return message


@st.composite
def bodies(draw: st.DrawFn, kind: FrameKind, dialect: Dialect) -> tuple[Any, Descriptions]:
    """A message of a frame type with the descriptions that it needs."""
    version = {"TP03": 3, "TP04": 4, "TP04 padded": 4}.get(dialect.name, 0)
    message = draw(messages(kind.message.DESCRIPTOR, kind.message, version))
    known = Descriptions()
    layout = layout_of(kind.message.DESCRIPTOR, version or 4)
    if not has_types(layout):
        return message, known
    step = typed_step(layout)
    if step.single:
        message.otype = draw(st.sampled_from(sorted(step.alternatives)))
        targets = [(message, message.otype)]
    else:
        types = draw(st.lists(st.sampled_from(sorted(step.alternatives)), max_size=6))
        described = [tp_pb2.ParameterDesc(type=type_id) for type_id in types]
        known.learn_order(tp_pb2.OrderDesc(id=message.otype, parameters=described))
        known.learn_object(
            tp_pb2.ObjectDesc(id=message.otype, property_groups=[tp_pb2.PropertyGroup(parameters=described)])
        )
        targets = [(message.parameters.add(), type_id) for type_id in types]
    for target, type_id in targets:
        part = getattr(target, step.alternatives[type_id].name)
        part.CopyFrom(draw(messages(part.DESCRIPTOR, type(part), version)))
        part.SetInParent()
    return message, known


@pytest.mark.parametrize(
    ("dialect", "kind"),
    [
        case if case.values[0] in (TP03, JSON) else pytest.param(*case.values, id=case.id, marks=pytest.mark.thorough)
        for case in CASES
    ],
)
@quick
@given(data=st.data(), sequence=st.integers(0, 2**32 - 1))
def test_every_message_survives_every_dialect(
    dialect: Dialect, kind: FrameKind, data: st.DataObject, sequence: int
) -> None:
    """The reader finds each encoded message. It decodes to the same message, and that to the same bytes."""
    message, known = data.draw(bodies(kind, dialect))
    whole = frame(sequence, kind.field, message)
    encoded = dialect.encode(whole, known)
    if dialect in (ENVELOPE, JSON):
        raw = read_message(dialect, encoded)
    else:
        (raw,) = FrameReader(dialect=dialect).feed(encoded)
    assert isinstance(raw, RawFrame)
    assert (raw.sequence, raw.kind) == (sequence, kind.number)
    assert raw.decode(known) == message
    assert dialect.decode(raw.sequence, raw.kind, raw.body, known) == whole
    assert dialect.encode(dialect.decode(raw.sequence, raw.kind, raw.body, known), known) == encoded


def row_of(message: Any, layout: Layout, parts: list[Part]) -> Row:
    """The values of a message as a row; `parts` are the layouts of its typed parameters."""
    row: list[Any] = []
    for step in layout.steps:
        if isinstance(step, Padding):
            continue
        if isinstance(step, Typed):
            given = [message] if step.single else message.parameters
            rows = [row_of(getattr(one, part.name), part.layout, []) for one, part in zip(given, parts, strict=True)]
            row.append(rows[0] if step.single else rows)
            continue
        value = getattr(message, step.name)
        if isinstance(step, Many) and isinstance(step.item, Layout):
            value = [row_of(item, step.item, []) for item in value]
        elif isinstance(step, Part):
            value = row_of(value, step.layout, [])
        row.append(value)
    return tuple(row)


@pytest.mark.parametrize(
    ("dialect", "kind"),
    [case for case in CASES if case.values[0].name.startswith("TP0") and case.values[1].field in TYPED],
)
@settings(quick, max_examples=12)
@given(data=st.data())
def test_a_row_is_written_as_the_message_of_its_values(
    dialect: BinaryDialect, kind: FrameKind, data: st.DataObject
) -> None:
    message, known = data.draw(bodies(kind, dialect))
    layout = layout_of(kind.message.DESCRIPTOR, 3 if dialect is TP03 else 4)
    if typed_step(layout).single:
        types: tuple[int, ...] = (message.otype,)
    else:
        of_type = known.object_parameters if kind.message is tp_pb2.Object else known.order_parameters
        types = of_type[message.otype]
    row = row_of(message, layout, chosen(layout, types))
    assert dialect.encode_row(kind.number, row, types) == dialect.encode_body(kind.number, message, known)


def test_a_row_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(FrameError, match="owner is 4294967295; it may be -1 or"):
        TP03.encode_row(7, (1, 3, "", 0, (0, 0, 0), (0, 0, 0), (), (), 0, 0, (2**32 - 1, ())), (3,))
    with pytest.raises(FrameError, match="has 1 parameters; its type is described with 2"):
        TP04.encode_row(7, (1, 3, "", "", 0, (), 0, [(1,)]), (8, 8))
    with pytest.raises(struct.error):
        TP04.encode_row(7, (-1, 3, "", "", 0, (), 0, []), ())


EVERYTHING = Descriptions()
for _type in range(12):
    EVERYTHING.learn_order(tp_pb2.OrderDesc(id=_type, parameters=[tp_pb2.ParameterDesc(type=_type)] * 2))
    EVERYTHING.learn_object(
        tp_pb2.ObjectDesc(
            id=_type, property_groups=[tp_pb2.PropertyGroup(parameters=[tp_pb2.ParameterDesc(type=_type)] * 2)]
        )
    )

PREFIXES = st.sampled_from([b"", b"TP03", b"TP\x04\0", b"TPPB", b"TP02", b"TP\x05\0", b"T", b"GET / HTTP/1.1\r\n"])


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Bytes that get past the first check more often than bare chance."""
    pieces = []
    for _ in range(draw(st.integers(1, 4))):
        body = draw(st.binary(max_size=60))
        shape = draw(st.integers(0, 3))
        if shape == 0:
            pieces.append(draw(PREFIXES) + body)
        else:
            magic = draw(st.sampled_from([b"TP03", b"TP\x04\0", b"TP\x04\0", b"TP02"]))
            kind = draw(st.integers(0, 80))
            length = len(body) if shape < 3 else draw(st.sampled_from([0, 3, 2**20, 2**20 + 1, 2**32 - 1]))
            pieces.append(magic + struct.pack(">III", draw(st.integers(0, 9)), kind, length) + body)
    return b"".join(pieces)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=streams())
def test_any_bytes_end_in_frames_or_refusals(data: bytes) -> None:
    """The reader never raises, and a body decodes or raises FrameError: nothing else."""
    reader = FrameReader()
    for event in reader.feed(data):
        if isinstance(event, RawFrame):
            try:
                again = event.dialect.encode_body(event.kind, event.decode(EVERYTHING), EVERYTHING)
            except FrameError as error:
                assert error.text.endswith(".")
            else:
                assert len(again) <= len(event.body)
        else:
            assert event.error.text.endswith(".")
    assert reader.incomplete() <= len(data)
    if reader.closed:
        assert reader.feed(b"TP03") == []


@settings(max_examples=300, deadline=None, derandomize=True)
@given(data=st.binary(max_size=80) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
def test_any_message_of_a_websocket_is_a_frame_or_a_refusal(data: bytes) -> None:
    for dialect in (ENVELOPE, JSON):
        event = read_message(dialect, data)
        if isinstance(event, RawFrame):
            try:
                event.decode()
            except FrameError:
                continue


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    sequence=st.integers() | st.text() | st.none(),
    name=st.sampled_from([kind.field for kind in KINDS]) | st.text(max_size=5),
    content=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["id", "ids", "name", "key", "slot", "parameters"]), inner, max_size=3)
        ),
        max_leaves=6,
    ),
)
def test_any_json_is_a_frame_or_a_refusal(sequence: object, name: str, content: object) -> None:
    event = read_message(JSON, json.dumps({"sequence": sequence, name: content}).encode())
    if isinstance(event, RawFrame):
        try:
            event.decode()
        except FrameError as error:
            assert error.text.endswith(".")
    else:
        assert event.error.text.endswith(".")


@settings(max_examples=100, deadline=None, derandomize=True)
@given(data=streams(), cuts=st.lists(st.integers(0, 400), max_size=8))
def test_a_split_at_any_point_gives_the_same(data: bytes, cuts: list[int]) -> None:
    """One piece, several pieces, and single bytes: the same events, and the same is left over."""

    def told(pieces: list[bytes]) -> tuple[list[object], int, bool]:
        reader, events = FrameReader(), []
        for piece in pieces:
            events += reader.feed(piece)
        shown = [
            (type(event).__name__, event[:-1] if not isinstance(event, RawFrame) else event, str(event[-1]))
            for event in events
            if not isinstance(event, NotTP)  # what it shows of the start depends on how much was there
        ]
        return shown, reader.incomplete(), reader.closed

    points = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    whole = told([data])
    assert told([data[a:b] for a, b in itertools.pairwise(points)]) == whole
    assert told([data[index : index + 1] for index in range(len(data))]) == whole


@pytest.mark.parametrize("count", [0x20000000, 0xFFFFFFFF])
@pytest.mark.parametrize(("dialect", "kind"), [case for case in CASES if case.values[0] in (TP03, TP04, TP04.padded)])
def test_large_counts_are_refused_before_anything_is_allocated(dialect: Dialect, kind: FrameKind, count: int) -> None:
    """A body in which every number is the same large count: wherever a count or length lies, it is refused at once."""
    body = struct.pack(">I", count) * 64
    known = Descriptions()
    known.learn_order(tp_pb2.OrderDesc(id=count, parameters=[tp_pb2.ParameterDesc(type=t) for t in (6, 9, 7)]))
    known.learn_object(
        tp_pb2.ObjectDesc(
            id=count,
            property_groups=[tp_pb2.PropertyGroup(parameters=[tp_pb2.ParameterDesc(type=t) for t in (5, 7, 10)])],
        )
    )
    tracemalloc.start()
    try:
        with pytest.raises(FrameError):
            dialect.decode_body(kind.number, body, known)
        # The functions are compiled by now: only the refusal itself is measured.
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        with pytest.raises(FrameError):
            dialect.decode_body(kind.number, body, known)
        assert tracemalloc.get_traced_memory()[1] - before < 20_000
    finally:
        tracemalloc.stop()


def test_the_reader_holds_no_more_than_one_frame() -> None:
    """A frame of the largest length, a piece at a time, and a stream of refused lengths: memory stays in bounds."""
    limits = Limits(frame=1 << 16)
    tracemalloc.start()
    try:
        for length in (1 << 16, (1 << 16) + 1, 0x20000000, 0x7FFFFFFF, 0xFFFFFFFF):
            for start in (b"TP03" + struct.pack(">III", 1, 5, length), b"TPPB" + struct.pack(">I", length)):
                reader = FrameReader(limits)
                events = reader.feed(start)
                if length > limits.frame:
                    assert isinstance(events[0], BadFrame)
                    assert events[0].error.closes
                    assert len(events) == 1
                for _ in range(200):
                    more = reader.feed(bytes(1024))
                    assert length <= limits.frame or more == []
                    assert reader.incomplete() <= limits.frame + 16
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@settings(max_examples=200, deadline=None, derandomize=True)
@given(text=TEXTS, extra=st.integers(1, 3))
def test_one_trailing_nul_is_stripped(text: str, extra: int) -> None:
    """Old programs count the NUL behind a string: one is taken away, more are content."""
    assume(text)
    data = text.encode() + b"\0" * extra
    message = TP03.decode_body(24, struct.pack(">I", len(data)) + data)
    assert message == tp_pb2.Redirect(uri=text + "\0" * (extra - 1))


def test_a_seeded_mutation_run_raises_nothing_else() -> None:
    """50,000 damaged frames, made from the recordings: each is refused or decodes, and nothing grows."""
    chance = random.Random(20100704)
    seeds, known = [], Descriptions()
    for file in sorted((Path(__file__).parent / "golden").iterdir()):
        transcript = Transcript()
        for said in transcript.read(recorded(file.name, read_input(str(file)))):
            seeds.append(said.piece.data)
            with contextlib.suppress(FrameError):
                said.message()
        if transcript.known.objects:
            known = transcript.known
    outcomes: Counter[str] = Counter()
    for _ in range(50_000):
        data = bytearray(chance.choice(seeds))
        for _ in range(chance.randint(1, 3)):
            place = chance.randrange(len(data))
            what = chance.randrange(5)
            if what == 0:
                data[place] ^= 1 << chance.randrange(8)
            elif what == 1:
                data[place : place + 4] = chance.choice([b"\xff" * 4, b"\x20\0\0\0", b"\x40\0\0\0", bytes(4)])
            elif what == 2:
                del data[place + 1 :]
            elif what == 3:
                data += bytes(chance.randrange(20))
            elif len(data) >= 16:
                data[12:16] = (len(data) - 16).to_bytes(4, "big")
        for event in FrameReader().feed(data):
            if isinstance(event, RawFrame):
                try:
                    event.dialect.encode_body(event.kind, event.decode(known), known)
                    outcomes["read"] += 1
                except FrameError:
                    outcomes["refused"] += 1
            else:
                outcomes["no frame"] += 1
    assert min(outcomes["read"], outcomes["refused"], outcomes["no frame"]) > 1000
