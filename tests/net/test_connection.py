"""A connection without sockets, from bytes to responses."""

from __future__ import annotations

import gc
import itertools
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IWriteDescriptor
from zope.interface import implementer

from tests.support.connections import Transport
from tpproto.dialects import PB, TP03, TP04
from tpserver.wire.net.connection import Connection

HEADER = struct.Struct(">4sIII")


def frame(sequence: int, kind: int = 27, body: bytes = b"", magic: bytes = b"TP03") -> bytes:
    return HEADER.pack(magic, sequence, kind, len(body)) + body


def frames_in(data: bytes) -> list[tuple[int, int, bytes]]:
    found = []
    while data:
        _, sequence, kind, length = HEADER.unpack_from(data)
        assert len(data) >= 16 + length, "half a frame was sent"
        found.append((sequence, kind, data[16 : 16 + length]))
        data = data[16 + length :]
    return found


def sequences(data: bytes) -> list[int]:
    return [sequence for sequence, _, _ in frames_in(data)]


class Later:
    """A reply that is ready when the test says so."""

    def __init__(self) -> None:
        self.waiting: dict[int, Deferred[bytes]] = {}

    def __call__(self, request: Any) -> Deferred[bytes]:
        self.waiting[request.sequence] = Deferred()
        return self.waiting[request.sequence]

    def fire(self, sequence: int, body: bytes = b"") -> None:
        self.waiting.pop(sequence).callback(frame(sequence, 0, body))


@pytest.fixture
def later() -> Later:
    return Later()


# --- frames in, answers out


def test_bytes_that_arrive_one_by_one_are_answered_like_any_other(server: Any) -> None:
    wire = server.connect()
    for byte in frame(7, 27, b"abc") + frame(8, 27, b"de"):
        wire.protocol.dataReceived(bytes([byte]))
    assert frames_in(wire.read()) == [(7, 0, b"abc"), (8, 0, b"de")]


def test_answers_to_many_frames_in_one_piece_leave_in_one_write(server: Any) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(b"".join(frame(number) for number in range(1, 501)))
    assert wire.writes == 1
    assert sequences(wire.read()) == list(range(1, 501))


@pytest.mark.parametrize("cut", range(1, 16 + 5))
def test_a_frame_that_is_cut_anywhere_is_one_frame(server: Any, cut: int) -> None:
    wire = server.connect()
    data = frame(3, 27, b"hello")
    wire.protocol.dataReceived(frame(2) + data[:cut])
    wire.protocol.dataReceived(data[cut:] + frame(4))
    assert sequences(wire.read()) == [2, 3, 4]


@given(cuts=st.lists(st.integers(0, 400), max_size=12), bodies=st.lists(st.binary(max_size=40), max_size=8))
def test_however_a_stream_is_cut_the_answers_are_the_same(
    make_net_server: Any, cuts: list[int], bodies: list[bytes]
) -> None:
    """Answers depend on the bytes, not on how they were split into segments."""
    server = make_net_server()
    wire = server.connect()
    data = b"".join(frame(number, 27, body) for number, body in enumerate(bodies))
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for start, end in itertools.pairwise(edges):
        wire.protocol.dataReceived(data[start:end])
    assert frames_in(wire.read_all()) == [(number, 0, body) for number, body in enumerate(bodies)]


def test_sequence_numbers_need_not_rise_or_be_unique(server: Any) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(frame(5) + frame(5) + frame(0) + frame(4294967295))
    assert sequences(wire.read()) == [5, 5, 0, 4294967295]


def test_the_session_is_told_the_address_and_whether_the_line_is_secure(server: Any) -> None:
    server.connect("198.51.100.7")
    assert (server.sessions[0].address, server.sessions[0].secure) == ("198.51.100.7", False)


def test_each_request_comes_with_the_dialect_of_its_client(server: Any) -> None:
    three, four, buffers = server.connect(), server.connect(), server.connect()
    three.protocol.dataReceived(frame(1))
    four.protocol.dataReceived(frame(1, magic=b"TP\x04\0"))
    buffers.protocol.dataReceived(b"TPPB" + struct.pack(">I", 5) + bytes.fromhex("0801da0200"))
    assert [session.asked[0].dialect for session in server.sessions] == [TP03, TP04, PB]


def test_after_the_session_has_taken_filters_frames_are_read_with_them(server: Any) -> None:
    wire = server.connect()
    session = server.sessions[0]

    def set_filters(request: Any) -> bytes:
        session.use = TP04.padded
        return frame(request.sequence, 0)

    session.replies[64] = set_filters
    wire.protocol.dataReceived(frame(1, 64, magic=b"TP\x04\0"))
    wire.protocol.dataReceived(frame(2, magic=b"TP\x04\0"))
    assert [request.dialect for request in session.asked] == [TP04, TP04.padded]


# --- order of answers


def test_answers_that_are_ready_in_another_order_leave_in_the_order_of_the_requests(server: Any, later: Later) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12) + frame(2, 12) + frame(3) + frame(4, 12) + frame(5))
    assert wire.read() == b""
    later.fire(4)
    later.fire(2)
    assert wire.read() == b"", "the first answer holds back the others"
    later.fire(1)
    assert sequences(wire.read()) == [1, 2, 3, 4, 5]


def test_what_was_waited_for_leaves_together_with_what_it_held_back(server: Any, later: Later) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12) + b"".join(frame(number) for number in range(2, 50)))
    later.fire(1)
    assert wire.writes == 1
    assert sequences(wire.read()) == list(range(1, 50))


def test_requests_behind_a_slow_one_are_worked_on_meanwhile(server: Any, later: Later) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12))
    wire.protocol.dataReceived(frame(2))
    assert [request.sequence for request in server.sessions[0].asked] == [1, 2]


@implementer(IWriteDescriptor)
class SendingTransport(Transport):
    """Records the bytes written so far at each request to send."""

    def __init__(self, *words: Any, **more: Any) -> None:
        self.sent: list[list[int]] = []
        super().__init__(*words, **more)

    def doWrite(self) -> None:
        self.sent.append(sequences(self.read()))


def test_what_is_written_is_sent_at_once_but_not_while_more_of_a_commit_follows(server: Any, later: Later) -> None:
    """Waiting for the reactor's next turn would be a third of a request's cost."""
    wire = SendingTransport(server.connection_factory.buildProtocol(None))
    session = server.sessions[-1]
    wire.protocol.dataReceived(frame(1) + frame(2))
    assert wire.sent == [[1, 2]]
    session.replies[5] = later
    wire.protocol.dataReceived(frame(3) + frame(4, 5) + frame(5, 5) + frame(6))
    assert wire.sent == [[1, 2], [3]]
    later.fire(4)
    assert wire.sent == [[1, 2], [3]], "5 is of the same commit"
    later.fire(5)
    assert wire.sent == [[1, 2], [3], [4, 5, 6]]
    session.send(frame(0))
    assert len(wire.sent) == 3, "an unrequested frame is not urgent"


def test_what_a_full_transport_has_is_left_to_the_reactor(server: Any) -> None:
    wire = SendingTransport(server.connection_factory.buildProtocol(None))
    wire.room = 0
    wire.protocol.dataReceived(frame(1))
    assert wire.sent == []


def test_an_encrypted_transport_is_left_to_the_reactor(server: Any) -> None:
    """Its `doWrite` is that of the transport below."""

    class Encrypted(SendingTransport):
        secure = True

    wire = Encrypted(server.connection_factory.buildProtocol(None))
    wire.protocol.dataReceived(frame(1))
    assert wire.sent == []


def test_a_deferred_that_has_fired_already_costs_no_waiting(server: Any) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = lambda request: succeed(frame(request.sequence, 0))
    wire.protocol.dataReceived(frame(1, 12) + frame(2) + frame(3, 12))
    assert (wire.writes, sequences(wire.read())) == (1, [1, 2, 3])


def test_too_many_unanswered_requests_stop_the_reading_until_half_are_answered(
    make_net_server: Any, later: Later
) -> None:
    server = make_net_server(pipeline=4)
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(b"".join(frame(number, 12) for number in range(1, 9)))
    assert not wire.is_reading
    assert len(server.sessions[0].asked) == 4
    later.fire(1)
    assert len(server.sessions[0].asked) == 4
    later.fire(2)
    assert len(server.sessions[0].asked) == 6, "half are answered: as many more are looked at"
    for number in (3, 4, 5, 6, 7, 8):
        later.fire(number)
    assert wire.is_reading
    assert sequences(wire.read()) == list(range(1, 9))


def test_a_frame_that_nobody_asked_for_goes_between_answers(server: Any, later: Later) -> None:
    wire = server.connect()
    session = server.sessions[0]

    def push_and_answer(request: Any) -> bytes:
        session.send(frame(0, 15))
        return frame(request.sequence, 0)

    session.replies[63] = push_and_answer
    session.replies[12] = later
    session.send(frame(0, 15))
    wire.protocol.dataReceived(frame(1) + frame(2, 63) + frame(3))
    assert [pair[:2] for pair in frames_in(wire.read())] == [(0, 15), (1, 0), (0, 15), (2, 0), (3, 0)]
    wire.protocol.dataReceived(frame(4, 12))
    session.send(frame(0, 15))
    assert sequences(wire.read()) == [0], "a slow answer does not hold back what nobody asked for"


# --- what is no frame


def test_an_unknown_version_is_refused_and_connect_works_afterwards(server: Any, logged: Any) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(frame(1, 3, b"\0\0\0\1x", magic=b"TP02") + frame(2, 3, b"\0\0\0\1x"))
    ((code, text, sequence, dialect),) = server.sessions[0].refused
    assert (code, sequence, dialect) == (0, 1, TP03)
    assert "TP02" in text
    assert [pair[:2] for pair in frames_in(wire.read())] == [(1, 1), (2, 0)]
    assert not wire.is_ending
    assert logged == []


@pytest.mark.parametrize(
    "garbage", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"\0", b"Tx", b"TQ03" * 10]
)
def test_what_is_not_the_protocol_gets_one_line_of_text_and_is_closed(server: Any, logged: Any, garbage: bytes) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(garbage)
    text = wire.read()
    assert text.endswith(b"\r\n")
    assert text.count(b"\n") == 1
    assert b"Thousand Parsec" in text
    assert wire.is_ending
    assert server.sessions[0].asked == server.sessions[0].refused == []
    assert [event["address"] for event in logged] == ["192.0.2.1"]


def test_garbage_behind_a_frame_is_refused_in_the_protocol(server: Any) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(frame(1) + b"garbage that is longer than a header")
    assert [kind for _, kind, _ in frames_in(wire.read())] == [0, 1]
    assert wire.is_ending


def test_a_frame_that_is_too_long_is_refused_by_its_header_alone(make_net_server: Any, logged: Any) -> None:
    server = make_net_server(frame_bytes=1024)
    wire = server.connect()
    wire.protocol.dataReceived(frame(1, 27, bytes(1024)))
    assert not wire.is_ending, "1024 bytes are just right"
    wire.read()
    wire.protocol.dataReceived(HEADER.pack(b"TP03", 9, 27, 1025))
    ((sequence, kind, text),) = frames_in(wire.read())
    assert (sequence, kind) == (9, 1)
    assert b"1025" in text
    assert wire.is_ending
    assert len(logged) == 1


def test_nothing_is_parsed_after_a_refusal_that_closes(server: Any) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(frame(1) + HEADER.pack(b"TP03", 2, 27, 0xFFFFFFFF) + frame(3) + frame(4))
    wire.protocol.dataReceived(frame(5) + b"anything")
    assert sequences(wire.read()) == [1, 2]
    assert [request.sequence for request in server.sessions[0].asked] == [1]
    wire.protocol.dataReceived(frame(6))
    assert wire.read() == b""


def test_nothing_is_parsed_after_the_session_has_closed(server: Any) -> None:
    wire = server.connect()
    session = server.sessions[0]

    def refuse_and_close(request: Any) -> bytes:
        session.closing = True
        return frame(request.sequence, 1)

    session.replies[4] = refuse_and_close
    wire.protocol.dataReceived(frame(1) + frame(2, 4) + frame(3))
    wire.protocol.dataReceived(frame(4))
    assert sequences(wire.read()) == [1, 2]
    assert len(session.asked) == 2
    assert wire.is_ending


def test_a_closing_refusal_waits_for_the_answers_before_it(server: Any, later: Later) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12) + frame(2) + HEADER.pack(b"TP03", 3, 27, 0xFFFFFFFF))
    assert not wire.is_ending
    later.fire(1)
    assert sequences(wire.read()) == [1, 2, 3]
    assert wire.is_ending


def test_an_answer_that_closes_and_comes_later_is_the_last_one(server: Any, later: Later) -> None:
    wire = server.connect()
    session = server.sessions[0]
    session.replies[4] = later
    wire.protocol.dataReceived(frame(1, 4) + frame(2) + frame(3, 4))
    session.closing = True
    later.fire(1)
    assert sequences(wire.read()) == [1]
    assert wire.is_ending
    later.fire(3)
    assert wire.read() == b""


def test_a_string_of_4_gigabytes_before_login_is_an_ordinary_frame_to_the_stream(server: Any) -> None:
    """The length of the frame is right, that of the string in it is the session's business: nothing is allocated."""
    wire = server.connect()
    wire.protocol.dataReceived(frame(1, 4, b"\xff\xff\xff\xff") + frame(2))
    assert sequences(wire.read()) == [1, 2]
    assert server.sessions[0].asked[0].body == b"\xff\xff\xff\xff"


def test_a_session_that_raises_costs_its_own_connection_only(server: Any, logged: Any) -> None:
    one, other = server.connect(), server.connect()
    server.sessions[0].replies[5] = lambda request: 1 / 0  # type: ignore[assignment,return-value] # it never returns
    one.protocol.dataReceived(frame(1) + frame(2, 5) + frame(3))
    other.protocol.dataReceived(frame(1))
    assert one.disconnected
    assert sequences(other.read()) == [1]
    assert "log_failure" in logged[0]


def test_a_session_that_cannot_be_made_costs_its_own_connection_only(
    server: Any, logged: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(server.connection_factory, "session_factory", lambda *_: 1 / 0)
        failed = server.connect()
    assert failed.disconnected
    failed.hang_up()
    other = server.connect()
    other.protocol.dataReceived(frame(1))
    assert sequences(other.read()) == [1]
    assert (len(server.connection_factory.connections), server.connection_factory.limiter.count) == (1, 1)
    assert len(logged) == 1


def test_a_deferred_that_fails_costs_its_own_connection_only(server: Any, logged: Any, later: Later) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12) + frame(2))
    later.waiting[1].errback(RuntimeError("no disk"))
    assert wire.disconnected
    assert wire.read() == b""
    assert "log_failure" in logged[0]


@settings(max_examples=100)
@given(
    pieces=st.lists(st.one_of(st.binary(max_size=64), st.integers(0, 77).map(lambda kind: frame(1, kind))), max_size=10)
)
def test_any_bytes_at_all_are_answered_or_refused_and_never_raise(make_net_server: Any, pieces: list[bytes]) -> None:
    server = make_net_server()
    wire = server.connect()
    for piece in pieces:
        wire.protocol.dataReceived(piece)
    wire.read_all()
    wire.hang_up()
    assert server.sessions[0].times_lost == 1
    assert len(server.connection_factory.connections) == 0


# --- clients that do not read


def _ask_for_much(server: Any, size: int) -> None:
    server.sessions[0].replies[28] = lambda request: frame(request.sequence, 31, bytes(size))


def test_a_client_that_does_not_read_is_not_read_from_either(make_net_server: Any) -> None:
    server = make_net_server(pause_bytes=256 * 1024, unsent_bytes=4 << 20)
    wire = server.connect()
    _ask_for_much(server, 60_000)
    wire.protocol.dataReceived(b"".join(frame(number, 28) for number in range(1, 1001)))
    assert not wire.is_reading
    assert len(server.sessions[0].asked) == 5, "five answers of 60 kB are more than 256 KiB"
    assert len(wire.unread) <= 256 * 1024


def test_once_it_reads_everything_comes_in_order(make_net_server: Any) -> None:
    server = make_net_server()
    wire = server.connect()
    _ask_for_much(server, 60_000)
    wire.protocol.dataReceived(b"".join(frame(number, 28) for number in range(1, 101)))
    assert sequences(wire.read_all()) == list(range(1, 101))
    assert wire.is_reading
    wire.protocol.dataReceived(frame(101))
    assert sequences(wire.read()) == [101]


def test_one_answer_may_be_longer_than_all_limits(make_net_server: Any) -> None:
    """A universe is downloaded with one request; limits are for those who ask for more without reading."""
    server = make_net_server(pause_bytes=64 * 1024, unsent_bytes=128 * 1024)
    wire = server.connect()
    _ask_for_much(server, 10_000_000)
    wire.protocol.dataReceived(frame(1, 28) + frame(2))
    assert [(number, len(body)) for number, _, body in frames_in(wire.read_all())] == [(1, 10_000_000), (2, 0)]
    assert not wire.is_ending


def test_a_slow_reader_is_kept_as_long_as_it_makes_progress(make_net_server: Any) -> None:
    server = make_net_server(pause_bytes=100_000, unread_seconds=60)
    wire = server.connect()
    server.sessions[0].logged_in = True
    _ask_for_much(server, 1_000_000)
    wire.protocol.dataReceived(frame(1, 28))
    for _ in range(9):
        server.clock.pump([1] * 50)
        wire.read()
    assert not wire.disconnected
    assert wire.unread


def test_a_client_that_reads_nothing_is_dropped_after_the_time_limit_and_logged_once(
    make_net_server: Any, logged: Any
) -> None:
    server = make_net_server(unread_seconds=60)
    wire = server.connect("203.0.113.9")
    server.sessions[0].logged_in = True
    _ask_for_much(server, 100_000)
    wire.protocol.dataReceived(frame(1, 28))
    server.clock.pump([1] * 59)
    assert not wire.disconnected
    server.clock.pump([1] * 2)
    assert wire.disconnected
    server.clock.pump([1] * 300)
    wire.hang_up()
    assert [(event["address"], event["reason"]) for event in logged] == [
        ("203.0.113.9", "it does not read its answers")
    ]
    assert server.sessions[0].times_lost == 1


def test_a_client_that_reads_nothing_while_frames_are_pushed_is_dropped_above_the_size_limit(
    make_net_server: Any, logged: Any
) -> None:
    server = make_net_server(pause_bytes=64 * 1024, unsent_bytes=1 << 20)
    wire = server.connect()
    for _ in range(3000):
        server.sessions[0].send(frame(0, 15, bytes(1000)))
    assert wire.disconnected
    assert len(logged) == 1
    assert "does not read" in logged[0]["reason"]


def test_answers_behind_a_slow_one_count_as_unread(make_net_server: Any, later: Later) -> None:
    """Otherwise a client could have the server keep any amount of ready answers behind one that takes its time."""
    server = make_net_server(pause_bytes=100_000)
    wire = server.connect()
    _ask_for_much(server, 30_000)
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12) + b"".join(frame(number, 28) for number in range(2, 200)))
    assert len(server.sessions[0].asked) == 5
    later.fire(1)
    assert sequences(wire.read_all()) == list(range(1, 200))


def test_it_counts_what_earlier_pieces_of_input_have_made(make_net_server: Any, later: Later) -> None:
    """A client cannot get past the limit by sending its requests one at a time."""
    server = make_net_server(pause_bytes=100_000)
    for slow_first in (True, False):
        wire = server.connect()
        session = server.sessions[-1]
        session.replies[28] = lambda request: frame(request.sequence, 31, bytes(30_000))
        session.replies[12] = later
        if slow_first:
            wire.protocol.dataReceived(frame(1, 12))
        for number in range(2, 100):
            if wire.is_reading:
                wire.protocol.dataReceived(frame(number, 28))
        assert not wire.is_reading
        assert len(session.asked) == 5 + (not slow_first)


def test_what_arrives_although_we_do_not_read_waits_for_its_turn(make_net_server: Any, later: Later) -> None:
    """TLS may have decrypted more already when reading pauses."""
    server = make_net_server(pipeline=2)
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12) + frame(2, 12) + frame(3) + frame(4)[:3])
    assert not wire.is_reading
    wire.protocol.dataReceived(frame(4)[3:] + frame(5))
    assert len(server.sessions[0].asked) == 2
    later.fire(1)
    later.fire(2)
    assert sequences(wire.read()) == [1, 2, 3, 4, 5]
    assert wire.is_reading


# --- time


def test_half_a_frame_is_waited_for_for_a_while(make_net_server: Any, logged: Any) -> None:
    server = make_net_server(frame_seconds=30, login_seconds=3600)
    wire = server.connect()
    wire.protocol.dataReceived(frame(1) + frame(2, 27, b"abc")[:-1])
    server.clock.pump([1] * 29)
    assert not wire.disconnected
    server.clock.pump([1] * 2)
    assert wire.disconnected
    assert [event["reason"] for event in logged] == ["it stopped in the middle of a frame"]


def test_dribbling_bytes_do_not_extend_the_time_of_a_frame(make_net_server: Any) -> None:
    server = make_net_server(frame_seconds=30, login_seconds=3600)
    wire = server.connect()
    for byte in frame(1, 27, bytes(100)):
        wire.protocol.dataReceived(bytes([byte]))
        server.clock.advance(1)
    assert wire.disconnected


def test_frames_that_end_in_time_keep_the_connection(make_net_server: Any) -> None:
    """A client under load always has half a frame on its way; what counts is how old that frame is."""
    server = make_net_server(frame_seconds=30, login_seconds=3600)
    wire = server.connect()
    server.sessions[0].logged_in = True
    wire.protocol.dataReceived(frame(0)[:8])
    for number in range(100):
        server.clock.advance(10)
        wire.protocol.dataReceived(frame(number)[8:] + frame(number + 1)[:8])
    assert not wire.disconnected
    assert len(frames_in(wire.read())) == 100


def test_a_client_that_does_not_log_in_may_not_stay_silent(make_net_server: Any, logged: Any) -> None:
    server = make_net_server(login_seconds=120)
    wire = server.connect()
    for _ in range(5):
        server.clock.pump([1] * 100)
        wire.protocol.dataReceived(frame(1))
    server.clock.pump([1] * 119)
    assert not wire.disconnected
    server.clock.pump([1] * 2)
    assert wire.disconnected
    assert [event["reason"] for event in logged] == ["it has said nothing for 120 seconds"]


def test_a_client_that_has_logged_in_may_be_silent_for_ever(make_net_server: Any) -> None:
    server = make_net_server(login_seconds=120)
    wire = server.connect()
    server.sessions[0].logged_in = True
    server.clock.pump([60] * 10_000)
    assert not wire.disconnected
    assert server.clock.getDelayedCalls() == [], "and nothing is left that wakes the server for it"


def test_unless_the_operator_says_how_long(make_net_server: Any, logged: Any) -> None:
    server = make_net_server(login_seconds=120, idle_seconds=1000)
    wire = server.connect()
    server.sessions[0].logged_in = True
    for _ in range(5):
        server.clock.pump([10] * 99)
        wire.protocol.dataReceived(frame(1))
    assert not wire.disconnected
    server.clock.pump([10] * 101)
    assert wire.disconnected
    assert logged[0]["reason"] == "it has said nothing for 1000 seconds"


@pytest.mark.parametrize("pipeline", [1, 256])
def test_a_client_is_not_blamed_for_waiting_for_an_answer(make_net_server: Any, later: Later, pipeline: int) -> None:
    server = make_net_server(login_seconds=10, pipeline=pipeline)
    wire = server.connect()
    server.sessions[0].replies[4] = later
    wire.protocol.dataReceived(frame(1, 4))
    server.clock.pump([1] * 100)
    assert not wire.disconnected
    later.fire(1)
    server.clock.pump([1] * 30)
    assert wire.disconnected


def test_while_we_do_not_read_half_a_frame_does_not_age(make_net_server: Any) -> None:
    server = make_net_server(frame_seconds=30, unread_seconds=3000, login_seconds=3600)
    wire = server.connect()
    server.sessions[0].logged_in = True
    _ask_for_much(server, 300_000)
    wire.protocol.dataReceived(frame(1, 28) + frame(2)[:5])
    server.clock.pump([1] * 100)
    assert not wire.disconnected
    wire.read_all()
    server.clock.pump([1] * 29)
    assert not wire.disconnected
    wire.protocol.dataReceived(frame(2)[5:])
    assert sequences(wire.read()) == [2]


# --- the end


def test_a_client_that_half_closes_gets_all_its_answers_before_the_end(make_net_server: Any, later: Later) -> None:
    server = make_net_server(pipeline=4)
    wire = server.connect()
    server.sessions[0].replies[12] = later
    _ask_for_much(server, 300_000)
    wire.protocol.dataReceived(frame(1, 12) + frame(2, 28) + frame(3) + frame(4) + frame(5) + frame(6))
    wire.protocol.readConnectionLost()
    assert not wire.is_ending
    later.fire(1)
    assert sequences(wire.read_all()) == [1, 2, 3, 4, 5, 6]
    assert wire.disconnecting


def test_nothing_more_is_parsed_after_a_closing_answer_to_a_client_that_has_half_closed(
    make_net_server: Any, later: Later
) -> None:
    server = make_net_server(pipeline=1)
    wire = server.connect()
    session = server.sessions[0]
    session.replies[4] = later
    wire.protocol.dataReceived(frame(1, 4) + frame(2) + frame(3))
    wire.protocol.readConnectionLost()
    session.closing = True
    later.fire(1)
    assert sequences(wire.read()) == [1]
    assert len(session.asked) == 1
    assert wire.disconnecting


def test_a_client_that_half_closes_with_nothing_open_is_closed(server: Any) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(frame(1))
    wire.protocol.readConnectionLost()
    assert wire.disconnecting
    assert sequences(wire.read()) == [1]


def test_a_client_that_goes_with_answers_unsent_leaves_nothing_behind(server: Any, later: Later) -> None:
    wire = server.connect()
    server.sessions[0].replies[12] = later
    _ask_for_much(server, 300_000)
    wire.protocol.dataReceived(frame(1, 28) + frame(2, 12) + frame(3))
    wire.hang_up()
    for sequence in list(later.waiting):
        later.fire(sequence)
    server.sessions[0].send(frame(0, 15))
    server.clock.pump([1] * 200)
    assert server.sessions[0].times_lost == 1
    assert len(server.connection_factory.connections) == 0
    assert server.clock.getDelayedCalls() == []


def test_a_connection_that_has_gone_is_freed_at_once(server: Any) -> None:
    """Circles would have to wait for the garbage collector, which may take minutes to come to them."""
    gc.collect()
    gc.disable()
    try:
        before = sum(isinstance(thing, Connection) for thing in gc.get_objects())
        for _ in range(20):
            wire = server.connect()
            wire.protocol.dataReceived(frame(1) + frame(2)[:5])
            wire.hang_up()
            server.sessions.clear()
            del wire
        assert sum(isinstance(thing, Connection) for thing in gc.get_objects()) == before
    finally:
        gc.enable()


def test_after_a_refusal_input_is_thrown_away_until_the_client_has_closed(server: Any) -> None:
    """Closing a TCP socket that has unread input discards the refusal on its way to the client."""
    wire = server.connect()
    wire.protocol.dataReceived(HEADER.pack(b"TP03", 1, 27, 0xFFFFFFFF))
    assert wire.half_closed
    assert wire.producer is None, "a transport with a producer waits for more of it before it closes"
    assert not wire.disconnecting
    assert wire.is_reading
    wire.protocol.dataReceived(bytes(100_000))
    wire.protocol.readConnectionLost()
    assert wire.disconnecting


def test_a_client_that_never_closes_is_cut_off(make_net_server: Any) -> None:
    server = make_net_server(farewell_seconds=5)
    wire = server.connect()
    wire.protocol.dataReceived(b"garbage")
    server.clock.pump([1] * 4)
    assert not wire.disconnected
    server.clock.pump([1] * 2)
    assert wire.disconnected


def test_a_refusal_is_sent_after_what_the_client_has_yet_to_read(make_net_server: Any) -> None:
    server = make_net_server()
    wire = server.connect()
    _ask_for_much(server, 200_000)
    wire.protocol.dataReceived(frame(1, 28) + HEADER.pack(b"TP03", 2, 27, 0xFFFFFFFF))
    assert not wire.is_ending
    assert sequences(wire.read_all()) == [1, 2]
    assert wire.is_ending


# --- how many


def test_one_connection_too_many_gets_one_line_of_text(make_net_server: Any, logged: Any) -> None:
    server = make_net_server(connections=2)
    first, _, third = server.connect("192.0.2.1"), server.connect("192.0.2.2"), server.connect("192.0.2.3")
    assert len(server.sessions) == len(server.connection_factory.connections) == 2
    text = third.read()
    assert text.count(b"\r\n") == 1
    assert b"2 connections" in text
    assert third.is_ending
    third.protocol.dataReceived(frame(1))
    assert third.read() == b""
    third.hang_up()
    first.hang_up()
    fourth = server.connect("192.0.2.4")
    fourth.protocol.dataReceived(frame(1))
    assert sequences(fourth.read()) == [1]
    assert [event["address"] for event in logged] == ["192.0.2.3"]


def test_connections_of_one_address_are_counted_apart(make_net_server: Any) -> None:
    server = make_net_server(connections_per_address=2)
    mine = [server.connect("192.0.2.1") for _ in range(3)]
    other = server.connect("192.0.2.2")
    assert [wire.is_ending for wire in mine] == [False, False, True]
    assert not other.is_ending
    mine[0].hang_up()
    assert not server.connect("192.0.2.1").is_ending


def test_a_flood_of_connections_is_logged_once_and_soon_cut_off_without_a_word(
    make_net_server: Any, logged: Any
) -> None:
    server = make_net_server(connections=1)
    server.connect()
    flood = [server.connect() for _ in range(200)]
    assert len(logged) == 1
    assert sum(wire.disconnected for wire in flood) > 100
    assert len(server.connection_factory.turned_away) < 100
    server.clock.pump([1] * 10)
    assert all(wire.disconnected for wire in flood)


# --- shutting down


def test_closing_the_server_lets_awaited_answers_out_first(server: Any, later: Later) -> None:
    idle, busy = server.connect(), server.connect()
    server.sessions[1].replies[12] = later
    busy.protocol.dataReceived(frame(1, 12))
    closed: list[None] = []
    server.connection_factory.close().addCallback(closed.append)
    assert idle.is_ending
    assert not busy.is_ending
    later.fire(1)
    assert sequences(busy.read()) == [1]
    assert busy.is_ending
    idle.hang_up()
    assert closed == []
    busy.hang_up()
    assert closed == [None]
    assert server.connection_factory.buildProtocol(None) is None
    assert server.clock.getDelayedCalls() == []


def test_a_request_that_closes_the_server_is_answered(server: Any) -> None:
    wire = server.connect()

    def close_all(request: Any) -> bytes:
        server.connection_factory.close()
        return frame(request.sequence, 0)

    server.sessions[0].replies[99] = close_all
    wire.protocol.dataReceived(frame(1) + frame(2, 99))
    assert sequences(wire.read()) == [1, 2]
    assert wire.is_ending


def test_closing_the_server_does_not_wait_for_ever(make_net_server: Any, later: Later) -> None:
    server = make_net_server(farewell_seconds=5)
    wire = server.connect()
    server.sessions[0].replies[12] = later
    wire.protocol.dataReceived(frame(1, 12))
    server.connection_factory.close()
    server.clock.advance(5)
    assert wire.disconnected


def test_closing_a_server_without_connections_is_done_at_once(server: Any) -> None:
    closed: list[None] = []
    server.connection_factory.close().addCallback(closed.append)
    server.connection_factory.close().addCallback(closed.append)
    assert closed == [None, None]
