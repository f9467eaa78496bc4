"""The frame reader: detection of the dialect, refusals, and what follows."""

import struct

import pytest

from tpproto import (
    PB,
    TP03,
    TP04,
    BadFrame,
    FailCode,
    FrameError,
    FrameReader,
    Limits,
    NotTP,
    RawFrame,
    UnknownVersion,
    frame,
    tp_pb2,
)

PING = frame(7, "ping", tp_pb2.Ping())
CONNECT = frame(1, "connect", tp_pb2.Connect(client="a test"))


def header(magic: bytes, sequence: int, kind: int, length: int) -> bytes:
    return magic + struct.pack(">III", sequence, kind, length)


@pytest.mark.parametrize("dialect", [TP03, TP04, PB])
def test_the_first_bytes_decide(dialect) -> None:
    reader = FrameReader()
    data = dialect.greeting + dialect.encode(CONNECT) + dialect.encode(PING)
    first, second = reader.feed(data)
    assert (first.dialect, first.sequence, first.kind, second.sequence, second.kind) == (dialect, 1, 3, 7, 27)
    assert first.decode() == tp_pb2.Connect(client="a test")
    assert reader.dialect is dialect
    assert reader.incomplete() == 0


@pytest.mark.parametrize("dialect", [TP03, TP04, PB])
def test_a_client_is_told_its_dialect_and_gets_no_greeting(dialect) -> None:
    (okay,) = FrameReader(dialect=dialect).feed(dialect.encode(frame(1, "okay", tp_pb2.Okay(result="hello"))))
    assert okay.decode() == tp_pb2.Okay(result="hello")


@pytest.mark.parametrize(("magic", "version"), [(b"TP02", "TP02"), (b"TP\x05\0", "TP version 5"), (b"TPxy", "TPxy")])
def test_an_unknown_version_is_skipped_and_another_connect_may_follow(magic: bytes, version: str) -> None:
    """A client may try again in a version that is spoken: the connection stays open for another Connect."""
    reader = FrameReader()
    (event,) = reader.feed(header(magic, 5, 3, 4) + b"abcd")
    assert isinstance(event, UnknownVersion)
    assert (event.dialect, event.version, event.sequence) == (TP03, version, 5)
    assert event.error.code == FailCode.PROTOCOL
    assert not event.error.closes
    (connect,) = reader.feed(TP04.encode(CONNECT))
    assert isinstance(connect, RawFrame)
    assert connect.dialect is TP04


def test_a_header_of_characters_in_place_of_tp04_says_which_bytes_are_right() -> None:
    """TP04 begins with two letters and two numbers; "TP04" is as wrong as TP02, and "only TP04" would not help."""
    (event,) = FrameReader().feed(header(b"TP04", 5, 3, 0))
    assert isinstance(event, UnknownVersion)
    assert str(event.error) == "A header of TP04 begins with the bytes 54 50 04 00, not with the characters TP04."


def test_the_body_of_an_unknown_version_is_skipped_however_it_arrives() -> None:
    reader = FrameReader()
    data = header(b"TP02", 5, 3, 1000) + bytes(1000) + TP03.encode(PING)
    events = [event for index in range(len(data)) for event in reader.feed(data[index : index + 1])]
    assert [type(event) for event in events] == [UnknownVersion, RawFrame]


@pytest.mark.parametrize("data", [b"G", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01", b"tp03", b"TX03", b"\0" * 40])
def test_what_is_no_tp_at_all_ends_the_stream(data: bytes) -> None:
    reader = FrameReader()
    (event,) = reader.feed(data)
    assert isinstance(event, NotTP)
    assert event.start == data[:64]
    assert event.error.closes
    assert reader.closed
    assert reader.feed(TP03.encode(PING)) == []
    assert reader.incomplete() == 0


def test_the_other_version_in_mid_connection_is_refused_and_skipped() -> None:
    """The frame is answered with Fail in the connection's own version; what follows is read."""
    reader = FrameReader()
    first, refused, last = reader.feed(TP03.encode(CONNECT) + TP04.encode(CONNECT) + TP03.encode(PING))
    assert isinstance(refused, BadFrame)
    assert (refused.dialect, refused.sequence, refused.error.code) == (TP03, 1, FailCode.PROTOCOL)
    assert not refused.error.closes
    assert isinstance(first, RawFrame)
    assert isinstance(last, RawFrame)


@pytest.mark.parametrize("after", [b"TPPB", b"garbage", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_after_bytes_that_are_no_frame_nothing_is_read(after: bytes) -> None:
    reader = FrameReader()
    first, broken = reader.feed(TP04.encode(CONNECT) + after + bytes(16) + TP04.encode(PING))
    assert isinstance(first, RawFrame)
    assert isinstance(broken, BadFrame)
    assert broken.error.closes
    assert reader.feed(TP04.encode(PING)) == []


def test_frame_versions_other_than_0_are_refused() -> None:
    reader = FrameReader()
    refused, ping = reader.feed(header(b"TP\x04\x01", 3, 27, 2) + b"xx" + TP04.encode(PING))
    assert isinstance(refused, BadFrame)
    assert (refused.dialect, refused.sequence) == (TP04, 3)
    assert refused.error.code == FailCode.FRAME_VERSION_NOT_SUPPORTED
    assert isinstance(ping, RawFrame)


@pytest.mark.parametrize(
    "start",
    [
        header(b"TP03", 9, 12, 101),
        header(b"TP\x04\0", 9, 12, 0x7FFFFFFF),
        header(b"TP02", 9, 3, 101),
        b"TPPB" + struct.pack(">I", 101),
    ],
)
def test_a_frame_beyond_the_limit_ends_the_stream(start: bytes) -> None:
    reader = FrameReader(Limits(frame=100))
    (event,) = reader.feed(start)
    assert isinstance(event, BadFrame)
    assert event.error.closes
    assert "100 are the most" in event.error.text
    assert event.sequence == (0 if start.startswith(b"TPPB") else 9)
    assert reader.feed(bytes(200)) == []


def test_a_frame_of_exactly_the_limit_is_read() -> None:
    reader = FrameReader(Limits(frame=100))
    (event,) = reader.feed(header(b"TP03", 9, 12, 100) + bytes(100))
    assert event == RawFrame(TP03, 9, 12, bytes(100))


def test_incomplete_tells_of_half_frames() -> None:
    """So that a server can close a connection on which a frame does not become complete."""
    reader = FrameReader()
    data = TP03.encode(CONNECT)
    assert reader.incomplete() == 0
    for index in range(len(data) - 1):
        assert reader.feed(data[index : index + 1]) == []
        assert reader.incomplete() == index + 1
    assert len(reader.feed(data[-1:])) == 1
    assert reader.incomplete() == 0
    reader.feed(header(b"TP02", 5, 3, 4))
    assert reader.incomplete() == 1


def test_protocol_buffers_that_are_no_frame_are_refused_one_by_one() -> None:
    """The length in front keeps the stream readable. The refusal has the sequence number if that could be read."""
    reader = FrameReader()
    nothing = tp_pb2.Frame(sequence=4).SerializeToString()
    classic = frame(6, "classic_object", tp_pb2.ClassicObject()).SerializeToString()
    data = b"TPPB"
    for piece in (b"\xff\xff", nothing, classic):
        data += struct.pack(">I", len(piece)) + piece
    *refused, ping = reader.feed(data + PB.encode(PING))
    assert [(event.sequence, event.error.closes) for event in refused] == [(0, False), (4, False), (6, False)]
    assert isinstance(ping, RawFrame)


def test_the_greeting_of_protocol_buffers_comes_once() -> None:
    """A second one reads as a length beyond every limit. A reader with a fixed dialect accepts the first one."""
    reader = FrameReader()
    assert reader.feed(b"TPPB") == []
    (event,) = reader.feed(b"TPPB")
    assert isinstance(event, BadFrame)
    assert event.error.closes
    (ping,) = FrameReader(dialect=PB).feed(b"TPPB" + PB.encode(PING))
    assert isinstance(ping, RawFrame)


def test_padded_strings_are_a_form_of_tp04() -> None:
    """Feature 0x1D00: after its Okay strings fill up to a multiple of four bytes, in both directions."""
    reader = FrameReader()
    reader.feed(TP04.encode(CONNECT))
    reader.use(TP04.padded)
    login = frame(2, "login", tp_pb2.Login(username="padded-user", password="secret"))
    data = bytes.fromhex("5450040000000002000000040000001c0000000b7061646465642d7573657200000000067365637265740000")
    assert TP04.padded.encode(login) == data
    (raw,) = reader.feed(data)
    assert raw.dialect is TP04.padded
    assert raw.decode() == login.login


def test_readers_take_any_kind_of_bytes() -> None:
    data = TP03.encode(CONNECT)
    for form in (bytes, bytearray, memoryview):
        (raw,) = FrameReader().feed(form(data))
        assert raw.decode() == CONNECT.connect


def test_a_frame_type_that_does_not_exist_is_refused_on_decoding() -> None:
    (raw,) = FrameReader().feed(header(b"TP03", 1, 1000, 0))
    with pytest.raises(FrameError, match="no frame type 1000"):
        raw.decode()
