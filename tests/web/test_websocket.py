"""WebSocket connections: the same frames as in any stream, in messages.

Any other input is covered, too.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.internet.defer import Deferred
from web_in_memory import HOST, MESSAGE_FORMS, Socket, WebServer, read_answer
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from tests.support.connections import okay
from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME, kind_of
from tpproto.stream import RawFrame
from tpserver.wire.net.limits import Limits
from tpserver.wire.web.websocket import MOST_FRAGMENTS, MOST_HEAD_BYTES, frame_bytes

PING = BY_NAME["ping"].number
subprotocols = pytest.mark.parametrize("subprotocol", list(MESSAGE_FORMS))


def texts(socket: Socket) -> list[tuple[int, str]]:
    """Sequence number and text of each Okay or Fail that has come."""
    return [(frame.sequence, getattr(frame, kind_of(frame).field).result) for frame in socket.frames()]


def refusal(server: WebServer, **headers: str) -> tuple[int, str]:
    """Return the response to a handshake with other headers."""
    given = {
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec_WebSocket_Key": "KeiUI30wvvGfvUvsmVt8ig==",
        "Sec_WebSocket_Version": "13",
        "Sec_WebSocket_Protocol": "tp.json",
        "Origin": f"http://{HOST}",
        **headers,
    }
    answer = server.get("/ws", **{name: value for name, value in given.items() if value})
    return answer.code, answer.body.decode()


# --- the handshake


@subprotocols
def test_both_sub_protocols_are_spoken_without_extensions(subprotocol: str) -> None:
    server = WebServer()
    socket = server.socket(subprotocol)
    assert socket.rules.subprotocol == subprotocol
    assert socket.rules.extensions == []
    assert server.sessions[0].address == "127.0.0.1"
    assert not server.sessions[0].secure


def test_the_first_sub_protocol_that_is_known_is_taken() -> None:
    wire = WebServer().connect()
    given = ["Upgrade: websocket", "Connection: keep-alive, Upgrade", "Sec-WebSocket-Key: KeiUI30wvvGfvUvsmVt8ig=="]
    given += ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: chat, tp.pb, tp.json"]
    wire.protocol.dataReceived("\r\n".join(["GET /ws HTTP/1.1", f"Host: {HOST}", *given, "", ""]).encode())
    answer = read_answer(wire.read())
    assert answer.code == 101
    assert answer.headers["sec-websocket-protocol"] == "tp.pb"


@pytest.mark.parametrize(
    ("headers", "code", "sentence"),
    [
        ({"Sec_WebSocket_Protocol": ""}, 400, "speaks the sub-protocols tp.json and tp.pb; none was offered."),
        ({"Sec_WebSocket_Protocol": "chat"}, 400, "speaks the sub-protocols tp.json and tp.pb; 'chat' was offered."),
        ({"Origin": "https://evil.example"}, 403, "Pages from https://evil.example may not talk to this server"),
        ({"Origin": "null"}, 403, "Pages from null may not talk to this server"),
        ({"Origin": f"http://{HOST}.evil.example"}, 403, "may not talk to this server"),
        ({"Upgrade": ""}, 426, "Here is a WebSocket; it speaks the sub-protocols tp.json and tp.pb."),
        ({"Sec_WebSocket_Key": "short"}, 400, "This is not the beginning of a WebSocket: bad Sec-WebSocket-Key"),
        ({"Sec_WebSocket_Key": ""}, 400, "Sec-WebSocket-Key header missing"),
        ({"Sec_WebSocket_Version": "8"}, 400, "version 8 not supported (supported versions: 13)"),
        ({"Connection": "close"}, 400, "Connection headers do not include"),
    ],
)
def test_other_handshakes_are_refused_with_a_sentence(headers: dict[str, str], code: int, sentence: str) -> None:
    """No conversation has begun, and the closed connection does not count."""
    server = WebServer()
    got, said = refusal(server, **headers)
    assert got == code
    assert sentence in said
    assert said.count("\n") == 1
    assert server.sessions == []
    assert server.connection_factory.limiter.count in (0, 1)  # the connection may stay open for another request


@pytest.mark.parametrize("name", ["Host", "Origin", "Sec-WebSocket-Key", "Sec-WebSocket-Version"])
def test_a_handshake_is_not_ambiguous(name: str) -> None:
    given = {
        "Host": HOST,
        "Origin": f"http://{HOST}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "KeiUI30wvvGfvUvsmVt8ig==",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": "tp.json",
    }
    lines = [f"{key}: {value}" for key, value in given.items()]
    answer = WebServer().ask("\r\n".join(["GET /ws HTTP/1.1", *lines, f"{name}: {given[name]}", "", ""]))
    assert answer.code == 400
    said = f"HTTP {name} header appears more than once in opening handshake request"
    assert answer.body.decode() == f"This is not the beginning of a WebSocket: {said}.\n"


@pytest.mark.parametrize("method", ["HEAD", "POST"])
def test_a_web_socket_begins_with_get(method: str) -> None:
    server = WebServer()
    wire = server.connect()
    rules = ClientProtocol(parse_uri(f"ws://{HOST}/ws"), subprotocols=["tp.pb"])
    rules.send_request(rules.connect())
    wire.protocol.dataReceived(b"".join(rules.data_to_send()).replace(b"GET", method.encode(), 1))
    answer = read_answer(wire.read(), head=method == "HEAD")
    assert (answer.code, answer.headers["allow"]) == (405, "GET")
    assert server.sessions == []


def test_the_body_of_a_handshake_means_nothing() -> None:
    """It is no message."""
    server = WebServer()
    wire = server.connect()
    rules = ClientProtocol(parse_uri(f"ws://{HOST}/ws"), subprotocols=["tp.pb"])
    rules.send_request(rules.connect())
    (head,) = rules.data_to_send()
    message = b"\x82\x84\0\0\0\0abcd"
    length = f"\r\nContent-Length: {len(message)}\r\n\r\n".encode()
    wire.protocol.dataReceived(head.removesuffix(b"\r\n\r\n") + length + message)
    assert wire.read().endswith(b"\r\n\r\n")
    assert len(server.sessions) == 1


def test_a_web_socket_is_one_connection_and_leaves_as_one() -> None:
    """It is counted once, before, during and after the handshake."""
    server = WebServer()
    wire = server.connect()
    assert server.connection_factory.limiter.count == 1
    socket = Socket(wire, "tp.json")
    socket.messages()
    assert server.connection_factory.limiter.count == 1
    assert len(server.connection_factory.connections) == 1
    assert server.site.protocols == {}
    wire.hang_up()
    assert server.connection_factory.limiter.count == 0
    assert len(server.connection_factory.connections) == 0
    assert server.sessions[0].times_lost == 1


def test_one_connection_too_many_gets_a_sentence() -> None:
    server = WebServer(limits=Limits(connections_per_address=1))
    server.socket()
    answer = read_answer(server.connect().read())
    assert answer.code == 503
    assert answer.body == b"Too many connections from 127.0.0.1: 1 at once are allowed.\n"
    assert len(server.connection_factory.connections) == 1


# --- the conversation


@subprotocols
def test_requests_are_answered_in_order_one_message_a_frame(subprotocol: str) -> None:
    """An answer of three frames is three messages; one that is not ready holds back those after it."""
    server = WebServer()
    socket = server.socket(subprotocol)
    later: Deferred[bytes] = Deferred()

    def three(request: RawFrame) -> bytes:
        return b"".join(okay(request.dialect, request.sequence, f"part {part}") for part in range(3))

    server.sessions[0].replies[BY_NAME["get_features"].number] = three
    server.sessions[0].replies[BY_NAME["get_games"].number] = lambda request: later
    socket.ask(1, "ping", tp.Ping())
    socket.ask(2, "get_features", tp.GetFeatures())
    socket.ask(3, "get_games", tp.GetGames())
    socket.ask(4, "ping", tp.Ping())
    assert texts(socket) == [(1, "answer 1"), (2, "part 0"), (2, "part 1"), (2, "part 2")]
    later.callback(okay(server.sessions[0].asked[2].dialect, 3, "late"))
    assert texts(socket) == [(3, "late"), (4, "answer 4")]


def test_what_was_asked_with_the_handshake_is_answered() -> None:
    """A client that does not wait for the server's yes."""
    server = WebServer()
    wire = server.connect()
    held: list[bytes] = []
    real, wire.protocol.dataReceived = wire.protocol.dataReceived, held.append
    socket = Socket(wire, "tp.json")
    # One masked text message: {"sequence":5,"ping":{}} with a mask of zeros.
    text = b'{"sequence":5,"ping":{}}'
    wire.protocol.dataReceived = real
    real(b"".join(held) + bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text)
    assert texts(socket) == [(5, "answer 1")]


def test_a_handshake_waits_for_the_answers_before_it() -> None:
    """And what comes behind it, in one piece with all, is answered as messages."""
    server = WebServer()
    wire = server.connect()
    rules = ClientProtocol(parse_uri(f"ws://{HOST}/ws"), subprotocols=["tp.json"])
    rules.send_request(rules.connect())
    text = b'{"sequence":5,"ping":{}}'
    message = bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
    before = f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode() * 2
    wire.protocol.dataReceived(before + b"".join(rules.data_to_send()) + message * 2)
    data = wire.read()
    assert data.count(b"HTTP/1.1 200 ") == 2
    end = data.rindex(b"HTTP/1.1 101 ")
    rules.receive_data(data[end:])
    frames = [event.data for event in rules.events_received() if isinstance(event, Frame)]
    assert [b"answer 1" in frames[0], b"answer 2" in frames[1], len(frames)] == [True, True, 2]


@pytest.mark.parametrize("length", [125, 126])
def test_what_was_asked_before_nonsense_is_answered(length: int) -> None:
    """However the bytes are cut: no frame is looked at before the one in front of it is answered."""
    ask = b'{"sequence":5,"ping":{}}'.ljust(length + 10)
    size = bytes([0x80 | len(ask)]) if len(ask) < 126 else bytes([0xFE]) + len(ask).to_bytes(2, "big")
    data = b"\x81" + size + bytes(4) + ask + b"\x81\x02{}"
    for cut in range(len(data)):
        server = WebServer()
        socket = server.socket()
        for piece in (data[:cut], data[cut:]):
            if piece:
                socket.wire.protocol.dataReceived(piece)
        assert texts(socket) == [(5, "answer 1")], cut
        close = socket.closed_with
        assert close is not None
        assert (close.code, close.reason) == (1002, "unmasked client-to-server frame")


@pytest.mark.parametrize("length", [0, 1, 125, 126, 65_535, 65_536, 1 << 40])
@pytest.mark.parametrize("masked", [False, True])
def test_the_length_of_a_frame_is_known_from_its_first_bytes(length: int, masked: bool) -> None:
    if length < 1 << 20:
        frame = Frame(Opcode.BINARY, bytes(length)).serialize(mask=masked)
        head = frame[: len(frame) - length]
        assert frame_bytes(frame) == len(frame)
    else:
        head = bytes([0x82, 127 | 128 * masked]) + length.to_bytes(8, "big") + bytes(4 * masked)
    assert frame_bytes(head) == len(head) + length
    assert len(head) <= MOST_HEAD_BYTES
    assert [frame_bytes(head[:end]) for end in range(len(head))] == [None] * len(head)


@subprotocols
def test_frames_that_nobody_asked_for_arrive(subprotocol: str) -> None:
    server = WebServer()
    socket = server.socket(subprotocol)
    socket.ask(1, "ping", tp.Ping())
    dialect = server.sessions[0].asked[0].dialect
    server.sessions[0].send(dialect.encode(tp.Frame(time_remaining=tp.TimeRemaining(time=7, reason=1))))
    first, second = socket.frames()
    assert first.sequence == 1
    assert (second.sequence, second.time_remaining.time) == (0, 7)


def test_json_is_the_canonical_form_without_white_space() -> None:
    """A browser gets the same as from protobuf's own JSON."""
    socket = WebServer().socket("tp.json")
    socket.say(' {"ping" : {} , "sequence": 9}')
    assert socket.messages() == [b'{"sequence":9,"okay":{"result":"answer 1"}}']


@subprotocols
def test_long_answers_arrive_whole(subprotocol: str) -> None:
    """Longer than a frame of a client may be, and longer than what the transport is given at once."""
    server = WebServer()
    socket = server.socket(subprotocol)
    long = "long " * 600_000
    server.sessions[0].replies[PING] = lambda request: okay(request.dialect, request.sequence, long)
    socket.ask(1, "ping", tp.Ping())
    assert texts(socket) == [(1, long)]


# --- what is wrong


@pytest.mark.parametrize(
    ("subprotocol", "message", "sequence", "sentence"),
    [
        ("tp.json", "{", 0, "The message is not JSON"),
        ("tp.json", "[]", 0, "The message has to be a JSON object"),
        ("tp.json", '{"sequence":8}', 8, "there are 0 names"),
        ("tp.json", '{"sequence":8,"shout":{}}', 8, "There is no frame 'shout'."),
        ("tp.json", '{"sequence":-1,"ping":{}}', 0, "from 0 to 4294967295"),
        ("tp.json", '{"sequence":1e400,"ping":{}}', 0, "whole number"),
        ("tp.json", "[" * 3_000, 0, "The message is not JSON"),
        ("tp.json", b"{}", 0, "This connection takes text messages; that one was binary."),
        ("tp.pb", "{}", 0, "This connection takes binary messages; that one was text."),
        ("tp.pb", b"\xff\xff", 0, "The message is not a serialized Frame."),
        ("tp.pb", b"", 0, "frame"),
    ],
)
def test_what_is_no_frame_gets_a_fail_and_the_connection_stays(
    subprotocol: str, message: str | bytes, sequence: int, sentence: str
) -> None:
    """With the request's sequence number where it can be read."""
    socket = WebServer().socket(subprotocol)
    socket.say(message)
    ((got, said),) = texts(socket)
    assert got == sequence
    assert sentence in said
    socket.ask(2, "ping", tp.Ping())
    assert texts(socket) == [(2, "answer 1")]


@subprotocols
@pytest.mark.parametrize("pieces", [1, 3])
def test_a_message_that_is_too_long_gets_a_fail_and_a_close(subprotocol: str, pieces: int) -> None:
    """At once, not when all of it has been sent: in one piece, or grown too long in several."""
    server = WebServer(limits=Limits(frame_bytes=2048))
    socket = server.socket(subprotocol)
    if pieces == 1:
        socket.say("x" * 2049 if subprotocol == "tp.json" else b"x" * 2049)
    else:
        send = socket.rules.send_text if subprotocol == "tp.json" else socket.rules.send_binary
        send(b"x" * 2000, fin=False)
        socket.rules.send_continuation(b"x" * 49, fin=False)
        socket.send_all()
    assert texts(socket) == [(0, "A frame of 2049 bytes is too long; 2048 are the most before login.")]
    close = socket.closed_with
    assert close is not None
    assert (close.code, close.reason) == (1009, "A frame of 2049 bytes is too long; 2048 are the most before login.")
    assert server.sessions[0].asked == []
    assert socket.wire.gone


def test_a_message_in_very_many_pieces_is_refused() -> None:
    """Empty fragments would otherwise be taken in for ever."""
    server = WebServer()
    socket = server.socket()
    socket.rules.send_text(b"", fin=False)
    for _ in range(MOST_FRAGMENTS):
        socket.rules.send_continuation(b"", fin=False)
    socket.send_all()
    assert texts(socket) == [(0, f"A message in more than {MOST_FRAGMENTS} fragments is not taken.")]
    assert socket.closed_with is not None
    assert socket.wire.gone


@pytest.mark.parametrize(
    ("data", "code", "why"),
    [
        (b"\x81\x02{}", 1002, "unmasked"),
        (b"\xc1\x82\0\0\0\0{}", 1002, "RSV"),
        (b"\x83\x82\0\0\0\0{}", 1002, "reserved opcode"),
        (b"\x80\x82\0\0\0\0{}", 1002, "continuation"),
        (b"\x89\xfe\0\x80\0\0\0\0", 1002, "control frame"),
        (b"\x81\x82\0\0\0\0\xff\xfe", 1007, "UTF-8"),
        (b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\0\0\0\0", 1009, "too long"),
    ],
)
def test_what_is_no_web_socket_frame_closes_with_a_sentence(data: bytes, code: int, why: str) -> None:
    server = WebServer()
    socket = server.socket()
    socket.wire.protocol.dataReceived(data)
    close = socket.closed_with
    assert close is not None
    assert close.code == code
    assert why in close.reason
    server.clock.advance(server.limits.farewell_seconds + 2)
    assert socket.wire.gone
    assert server.connection_factory.limiter.count == 0


def test_answers_to_pings_do_not_pile_up_for_who_does_not_read() -> None:
    server = WebServer()
    socket = server.socket()
    server.sessions[0].replies[PING] = lambda request: okay(request.dialect, request.sequence, "x" * 100_000)
    socket.ask(1, "ping", tp.Ping())
    before = len(socket.wire.unread)
    for _ in range(100):
        socket.rules.send_ping(b"still there?")
        socket.send_all()
    assert len(socket.wire.unread) == before
    socket.messages()
    socket.rules.send_ping(b"and now?")
    socket.send_all()
    socket.messages()
    assert socket.pongs == [b"and now?"]


# --- time


@subprotocols
def test_a_client_that_does_not_read_is_dropped(subprotocol: str) -> None:
    """After `unread_seconds`, and before it memory does not grow: it is not read from either."""
    server = WebServer(limits=Limits(pause_bytes=70_000, unsent_bytes=200_000, unread_seconds=10))
    socket = server.socket(subprotocol)
    server.sessions[0].replies[PING] = lambda request: okay(request.dialect, request.sequence, "x" * 50_000)
    for sequence in range(1, 100):
        socket.ask(sequence, "ping", tp.Ping())
    assert len(server.sessions[0].asked) < 10
    assert len(socket.wire.unread) < 300_000
    assert not socket.wire.gone
    server.clock.advance(11)
    assert socket.wire.gone
    assert server.connection_factory.limiter.count == 0


def test_a_client_that_does_not_answer_pings_is_dropped() -> None:
    """One that does answer stays, for as long as it likes."""
    server = WebServer(ping_seconds=20, limits=Limits(login_seconds=10_000))
    mute, awake = server.socket(), server.socket()
    for _ in range(50):
        server.clock.advance(1)
        awake.messages()
    assert mute.wire.gone
    assert not awake.wire.gone
    for _ in range(500):
        server.clock.advance(1)
        awake.messages()
    assert not awake.wire.gone


def test_who_waits_for_the_server_need_not_answer_pings() -> None:
    """While it is the server that does not read, the answer may be there already."""
    server = WebServer(ping_seconds=20)
    socket = server.socket()
    server.sessions[0].replies[PING] = lambda request: Deferred()
    server.sessions[0].occupied = True
    socket.ask(1, "ping", tp.Ping())
    assert socket.wire.producerState == "paused"
    for _ in range(100):
        server.clock.advance(1)
    assert not socket.wire.gone


def test_what_waits_of_a_message_is_counted() -> None:
    """Among the bytes that wait for all connections: what has come of it, not what was announced."""
    server = WebServer()
    socket = server.socket("tp.pb")
    message = Frame(Opcode.BINARY, b"\xff" * 4000).serialize(mask=True)
    socket.wire.protocol.dataReceived(message[:50])
    assert server.connection_factory.memory.total < 100
    socket.wire.protocol.dataReceived(message[50:3000])
    assert 2900 < server.connection_factory.memory.total < 3100
    socket.wire.protocol.dataReceived(message[3000:])
    assert texts(socket) == [(0, "The message is not a serialized Frame.")]
    assert server.connection_factory.memory.total == 0


def test_a_message_that_does_not_end_is_given_up() -> None:
    """With a sentence, though pings are answered all the time."""
    server = WebServer(limits=Limits(frame_seconds=10))
    socket = server.socket()
    socket.rules.send_text(b'{"ping":', fin=False)
    socket.send_all()
    for _ in range(9):
        server.clock.advance(1)
        socket.messages()
    assert not socket.wire.gone
    server.clock.advance(3)
    close = socket.closed_with
    assert close is not None
    assert (close.code, close.reason) == (1008, "It stopped in the middle of a frame.")


def test_a_client_that_never_logs_in_is_told_and_dropped() -> None:
    server = WebServer(limits=Limits(login_seconds=10))
    socket = server.socket()
    server.clock.advance(12)
    close = socket.closed_with
    assert close is not None
    assert (close.code, close.reason) == (1008, "It has said nothing for 10 seconds.")
    assert socket.wire.gone


def test_a_client_that_ignores_the_close_is_cut_off() -> None:
    server = WebServer(limits=Limits(login_seconds=10, farewell_seconds=2))
    socket = server.socket()
    server.clock.advance(12)
    assert not socket.wire.gone
    server.clock.advance(4)
    assert socket.wire.gone


def test_a_server_that_stops_says_so() -> None:
    server = WebServer()
    socket = server.socket()
    over: list[None] = []
    server.connection_factory.close().addCallback(over.append)
    close = socket.closed_with
    assert close is not None
    assert (close.code, close.reason) == (1001, "The server stops.")
    assert over == [None]


def test_the_clients_close_is_answered() -> None:
    """And what it has asked before is answered first."""
    server = WebServer()
    socket = server.socket()
    socket.rules.send_text(b'{"sequence":3,"ping":{}}')
    socket.rules.send_close(1000, "bye")
    socket.send_all()
    assert texts(socket) == [(3, "answer 1")]
    assert socket.closed_with is not None
    assert socket.wire.gone
    assert server.sessions[0].times_lost == 1


def test_the_last_answer_closes() -> None:
    """As after too many wrong passwords."""
    server = WebServer()
    socket = server.socket()

    def last(request: RawFrame) -> bytes:
        server.sessions[0].closing = True
        return okay(request.dialect, request.sequence, "enough")

    server.sessions[0].replies[PING] = last
    socket.ask(1, "ping", tp.Ping())
    assert texts(socket) == [(1, "enough")]
    close = socket.closed_with
    assert close is not None
    assert close.code == 1000


# --- anything at all

_numbers = st.integers(-(2**70), 2**70)
_json = st.recursive(
    st.none() | st.booleans() | _numbers | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_names = st.sampled_from(["ping", "login", "orderInsert", "getObjectsById", "getObjectIds", "okay", "sequence", "x"])
_texts = st.text(max_size=200) | _json.map(json.dumps) | st.dictionaries(_names, _json, max_size=3).map(json.dumps)


@pytest.mark.thorough
@given(messages=st.lists(_texts | st.binary(max_size=200), min_size=1, max_size=8), binary=st.booleans())
@settings(max_examples=25)
def test_any_messages_are_answered_each(messages: list[str | bytes], binary: bool) -> None:
    """One answer or one Fail a message, whatever it is, and the connection stays."""
    server = WebServer()
    socket = server.socket("tp.pb" if binary else "tp.json")
    for message in messages:
        socket.say(message)
        assert len(texts(socket)) == 1
    assert not socket.wire.gone


@given(data=st.lists(st.binary(max_size=300), max_size=6))
@settings(max_examples=30)
def test_any_bytes_end_in_silence_an_answer_or_a_close(data: list[bytes]) -> None:
    """Nothing raises, nobody else notices, and in the end the connection is given up."""
    server = WebServer(limits=Limits(frame_bytes=1024, login_seconds=60))
    other = server.socket("tp.pb")
    socket = server.socket()
    for piece in data:
        if not socket.wire.gone:
            socket.wire.protocol.dataReceived(piece)
    socket.wire.read_all()
    other.ask(7, "ping", tp.Ping())
    assert texts(other) == [(7, "answer 1")]
    for _ in range(4):
        server.clock.advance(31)
        other.ask(8, "ping", tp.Ping())
        assert [sequence for sequence, _ in texts(other)] == [8]
        socket.wire.read_all()
    assert socket.wire.gone


_opcodes = st.sampled_from([0, 1, 2, 8, 9, 10, 3, 11])


@given(frames=st.lists(st.tuples(_opcodes, st.booleans(), st.binary(max_size=130)), max_size=12))
@settings(max_examples=30)
def test_any_web_socket_frames_do_no_harm(frames: list[tuple[int, bool, bytes]]) -> None:
    """Well-formed headers with any opcode, fragments in any order, masked; the other connection is served."""
    server = WebServer(limits=Limits(frame_bytes=1024))
    other = server.socket("tp.pb")
    socket = server.socket()
    for opcode, last, payload in frames:
        if socket.wire.gone:
            break
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else bytes([0xFE]) + len(payload).to_bytes(2, "big")
        socket.wire.protocol.dataReceived(bytes([opcode | (0x80 if last else 0)]) + length + b"\0\0\0\0" + payload)
    socket.wire.read_all()
    other.ask(7, "ping", tp.Ping())
    assert texts(other) == [(7, "answer 1")]
    socket.wire.hang_up()
    assert len(server.connection_factory.connections) == 1


@pytest.mark.thorough
def test_hostile_bytes_are_no_fault_of_ours(logged: list[dict[str, Any]]) -> None:
    """A seeded run of mutated frames: not one of them makes the server log a failure."""
    import random

    dice = random.Random(7)
    good = bytes([0x81, 0x80 | 24, 0, 0, 0, 0]) + b'{"sequence":5,"ping":{}}'
    for _ in range(1500):
        server = WebServer(limits=Limits(frame_bytes=1024))
        socket = server.socket()
        for _ in range(3):
            frame = bytearray(good)
            for _ in range(dice.randint(1, 4)):
                frame[dice.randrange(len(frame))] = dice.randrange(256)
            if not socket.wire.gone:
                socket.wire.protocol.dataReceived(bytes(frame))
        socket.wire.hang_up()
        assert server.connection_factory.limiter.count == 0
    assert [event for event in logged if "log_failure" in event] == []


def test_nothing_of_one_connection_reaches_another() -> None:
    server = WebServer()
    first, second = server.socket("tp.json"), server.socket("tp.pb")
    first.ask(1, "login", tp.Login(username="ada", password="secret"))
    assert len(first.messages()) == 1
    assert second.messages() == []
    assert server.sessions[1].asked == []
