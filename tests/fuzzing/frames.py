"""Fuzzing targets for frames: found in bytes, read, and written again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from tests.fuzzing.target import Bytes, Target, always, expect, expect_sentence, pieces
from tpproto import ENVELOPE, JSON, PB, TP03, TP04, Descriptions, FrameError, FrameReader, Limits, frame, tp_pb2
from tpproto.dialects import ADMIN_DIALECTS, METASERVER_DIALECT, Dialect
from tpproto.dialects.binary import BinaryDialect
from tpproto.stream import BadFrame, Event, NotTP, RawFrame, UnknownVersion, read_message

STREAMS: tuple[Dialect | None, ...] = (None, TP03, TP04, PB)
"""The dialects given to a reader. None stands for the dialect of the first bytes."""

MESSAGES: tuple[Dialect, ...] = (ENVELOPE, JSON)
"""The dialects whose frames come as messages of their own."""

CODECS: tuple[Dialect, ...] = (
    TP03,
    TP04,
    TP04.padded,
    PB,
    JSON,
    ADMIN_DIALECTS[TP03],
    ADMIN_DIALECTS[TP04],
    METASERVER_DIALECT,
)

LIMITS = (Limits(), Limits(frame=64, message=48, values=12, when=" before login"))
VECTORS = Path(__file__).parents[2] / "protocol" / "vectors"


def everything() -> Descriptions:
    """Return descriptions of a type for each type of parameter, which has two of it, and of one that has all."""
    known = Descriptions()
    for number in range(13):
        types = [number] * 2 if number < 12 else [one for one in range(12) if one != 4]
        parameters = [tp_pb2.ParameterDesc(type=one) for one in types]
        known.learn_order(tp_pb2.OrderDesc(id=number, parameters=parameters))
        known.learn_object(tp_pb2.ObjectDesc(id=number, property_groups=[tp_pb2.PropertyGroup(parameters=parameters)]))
        known.learn_command(
            tp_pb2.CommandDesc(id=number, parameters=[tp_pb2.CommandParameterDesc(type=one % 2) for one in types])
        )
    return known


KNOWN = everything()


def vectors(*names: str) -> Iterator[tuple[int, bytes]]:
    """Yield the frame number and the bytes of each golden vector in these files."""
    for name in names:
        for line in (VECTORS / f"{name}.jsonl").read_text().splitlines():
            vector = json.loads(line)
            yield vector["number"], bytes.fromhex(vector["hex"])


def strip(message: Message) -> None:
    """Remove the zeros at the end of all texts: of those, each reading of TP03 and TP04 takes one away."""
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING and field.is_repeated:
            value[:] = [text.rstrip("\0") for text in value]
        elif field.type == field.TYPE_STRING:
            setattr(message, field.name, value.rstrip("\0"))
        elif field.type == field.TYPE_MESSAGE:
            for inner in value if field.is_repeated else (value,):
                strip(inner)


def read_back(dialect: Dialect, kind: int, body: bytes) -> Message | None:
    """Read a body, and write and read again what is in it; return the message, or None if it is refused."""
    try:
        message = dialect.decode_body(kind, body, KNOWN)
    except FrameError as error:
        expect_sentence(error.text, error.code, is_shown=False)
        return None
    if isinstance(dialect, BinaryDialect):
        strip(message)
    written = dialect.encode_body(kind, message, KNOWN)
    again = dialect.decode_body(kind, written, KNOWN)
    expect(again == message, f"A message of {dialect.name} is another one when it is written and read again.")
    expect(dialect.encode_body(kind, again, KNOWN) == written, "The same message is written in two ways.")
    return message


# --- bodies -----------------------------------------------------------------------------------------------------------


def take_body(data: bytes) -> None:
    """One byte: the dialect; one: the frame; what follows is its body."""
    given = Bytes(data)
    dialect = CODECS[given.number(len(CODECS) - 1)]
    numbers = sorted(dialect.kinds)
    kind = numbers[given.number(len(numbers) - 1)]
    message = read_back(dialect, kind, given.rest())
    if message is None or dialect not in (PB, JSON):
        return
    # The other of the two has the same messages.
    other = JSON if dialect is PB else PB
    message.DiscardUnknownFields()  # type: ignore[no-untyped-call] # google.protobuf has no annotation of it
    there = other.decode_body(kind, other.encode_body(kind, message), KNOWN)
    expect(there == message, f"A message of {dialect.name} is another one in {other.name}.")
    whole = frame(7, dialect.kind(kind).field, message)
    split = read_message(ENVELOPE, ENVELOPE.encode(whole))
    expect(isinstance(split, RawFrame) and split.decode() == message, "A frame cannot be split that was written.")


def bodies() -> Iterator[bytes]:
    for place, (dialect, name) in enumerate(zip(CODECS, ("tp03", "tp04", "tp04-padded", "pb"), strict=False)):
        numbers = sorted(dialect.kinds)
        for count, (number, data) in enumerate(vectors(name)):
            event = FrameReader(dialect=TP04 if dialect is TP04.padded else dialect).feed(data)[0]
            if count % 3 or not isinstance(event, RawFrame):
                continue
            yield bytes((place, numbers.index(number))) + event.body
            if dialect is PB and count % 2:
                message = PB.decode_body(number, event.body)
                yield bytes((4, numbers.index(number))) + JSON.encode_body(number, message)


# --- streams ----------------------------------------------------------------------------------------------------------


def found(events: list[Event], reader: FrameReader) -> list[Any]:
    """Return what a reader has found, so that it can be compared, and what state it is in."""
    told: list[Any] = []
    for event in events:
        if isinstance(event, RawFrame):
            told.append(event)
        elif isinstance(event, NotTP):
            told.append(("no TP", event.error.text, event.error.code, event.error.closes))
        else:
            assert isinstance(event, UnknownVersion | BadFrame)
            error = event.error
            told.append((event.dialect, event.sequence, error.text, error.code, error.closes))
        if not isinstance(event, RawFrame):
            expect_sentence(event.error.text, event.error.code, is_shown=False)
    return [*told, reader.closed, reader.incomplete(), reader.dialect]


def take_stream(data: bytes) -> None:
    """Four bytes: the dialect of the reader, how the stream is cut, its limits, strings; what follows is the stream."""
    given = Bytes(data)
    told, how, limits, padded = given.number(3), given.number(), LIMITS[given.number(1)], given.number(1)
    stream = given.rest()
    results = []
    for cut in dict.fromkeys((0, how, 1)):
        dialect = STREAMS[told]
        reader = FrameReader(limits, TP04.padded if dialect is TP04 and padded else dialect)
        events: list[Event] = []
        for piece in pieces(stream, cut):
            events += reader.feed(piece)
            expect(reader.incomplete() < 16 + limits.frame, "More than a frame is held.")
        results.append(found(events, reader))
        if cut == 0:
            whole = [event for event in events if isinstance(event, RawFrame)]
    expect(all(result == results[0] for result in results), f"Cut otherwise there are other frames: {results}")
    for event in whole:
        message = read_back(event.dialect, event.kind, event.body)
        if message is not None:
            again = frame(event.sequence, event.dialect.kind(event.kind).field, message)
            reader = FrameReader(dialect=TP04 if event.dialect is TP04.padded else event.dialect)
            (raw,) = reader.feed(event.dialect.encode(again, KNOWN))
            expect(isinstance(raw, RawFrame), "A frame cannot be read that was written.")
            assert isinstance(raw, RawFrame)
            same = event.dialect.decode(raw.sequence, raw.kind, raw.body, KNOWN)
            expect(same == again, "A frame is another one when it is written and read again.")


def streams() -> Iterator[bytes]:
    for place, name in enumerate(("tp03", "tp04", "pb")):
        some = [data for _, data in vectors(name)]
        greeting = (b"", b"", PB.greeting)[place]
        for start in range(0, len(some), 12):
            yield bytes((0, start % 7, 0, 0)) + greeting + b"".join(some[start : start + 4])
        yield bytes((place + 1, 5, 1, 1)) + greeting + b"".join(some[:2])
    yield b"\0\2\0\0" + b"TP02" + bytes(11) + b"\4abcd" + TP04.encode(frame(1, "ping", tp_pb2.Ping()))
    yield b"\0\2\0\0" + b"TP\x04\x01" + bytes(16)
    yield b"\0\0\0\0GET / HTTP/1.1\r\n\r\n"


# --- messages ---------------------------------------------------------------------------------------------------------


def take_message(data: bytes) -> None:
    """One byte: the dialect; one: the limits; what follows is one message."""
    given = Bytes(data)
    dialect, limits = MESSAGES[given.number(1)], LIMITS[given.number(1)]
    raw = read_message(dialect, given.rest(), limits)
    if isinstance(raw, BadFrame):
        expect_sentence(raw.error.text, raw.error.code, is_shown=False)
        return
    message = read_back(dialect, raw.kind, raw.body)
    if message is None:
        return
    whole = dialect.decode(raw.sequence, raw.kind, raw.body)
    again = read_message(dialect, dialect.encode(whole))
    expect(isinstance(again, RawFrame), "A message cannot be read that was written.")
    assert isinstance(again, RawFrame)
    expect(again.decode() == message and again.sequence == raw.sequence, "A message is another one when read again.")


def messages() -> Iterator[bytes]:
    for count, (_, data) in enumerate(vectors("pb")):
        if count % 6:
            continue
        event = FrameReader(dialect=PB).feed(data)[0]
        assert isinstance(event, RawFrame)
        whole = PB.decode(event.sequence, event.kind, event.body)
        for place, dialect in enumerate(MESSAGES):
            yield bytes((place, 0)) + dialect.encode(whole)
    for text in (
        '{"sequence":"5","ping":{}}',
        '{"sequence":5.0,"ping":null}',
        '{"ping":{},"ping":{}}',
        '{"login":{"username":"\\ud800"}}',
    ):
        yield b"\1\0" + text.encode()


_JSON_WORDS = tuple(
    f'"{kind.message.DESCRIPTOR.fields[0].json_name}"'.encode()
    for kind in JSON.kinds.values()
    if kind.message.DESCRIPTOR.fields
)
_WORDS = (b"TP03", b"TP\x04\0", b"TPPB", b"\xff\xff\xff\xff", b"\xff\xff\xff\xfe", b"\0\0\0\0", b"\x7f\xff\xff\xff")


TARGETS = (
    Target(
        "bodies",
        "the body of a frame, in each dialect",
        always(take_body),
        bodies,
        (*_WORDS, *sorted(set(_JSON_WORDS))),
    ),
    Target("streams", "bytes in which frames are found, cut in any way", always(take_stream), streams, _WORDS),
    Target(
        "messages",
        "a message of Protocol Buffers or JSON",
        always(take_message),
        messages,
        (*_WORDS, *sorted(set(_JSON_WORDS)), b'"sequence":'),
    ),
)
