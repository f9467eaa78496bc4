"""HTTP from an attacker: unread pipelines, odd lengths, dead handshakes.

Bytes that are no text are covered, too.
"""

from __future__ import annotations

import gc
import json
import weakref
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred
from twisted.logger import LogEvent
from web_in_memory import HOST, Socket, WebServer, read_answer

from tpserver.wire.net.limits import Limits
from tpserver.wire.web.connection import IDLE_SECONDS
from tpserver.wire.web.http import BODY_BYTES, HEADER_BYTES, HEADERS
from tpserver.wire.web.resources import ONCE

GET = f"GET /big.txt HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
HANDSHAKE = (
    f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: tp.pb\r\n"
)


@pytest.fixture
def server(tmp_path: Path) -> WebServer:
    (tmp_path / "index.html").write_text("<p>here</p>")
    (tmp_path / "big.txt").write_bytes(bytes(range(256)) * 120)
    return WebServer(tmp_path)


def answers(data: bytes) -> int:
    return data.count(b"HTTP/1.1 200 OK\r\n")


def test_answers_do_not_pile_up_for_who_asks_and_does_not_read(server: WebServer) -> None:
    """A pipeline of requests, in few pieces or many, has a few answers and no more until the client reads."""
    for times, together in ((1, 300), (40, 5)):
        wire = server.connect()
        for _ in range(times):
            if wire.producerState == "producing":
                wire.protocol.dataReceived(GET * together)
        assert len(wire.unread) < 2 * wire.room
        assert wire.producerState == "paused"
        wire.hang_up()


@pytest.mark.parametrize("together", [1, 20, 10_000])
def test_answers_are_made_one_at_a_time(server: WebServer, together: int) -> None:
    """However short the requests are, and however many come in one piece: a long answer is waited for by the next."""
    (server.directory / "long.txt").write_bytes(bytes(range(256)) * 400)  # type: ignore[operator] # it has one
    shortest = b"GET /long.txt HTTP/1.1\r\n\r\n"
    wire = server.connect()
    data = shortest * 20
    for start in range(0, len(data), together):
        if wire.producerState == "producing":
            wire.protocol.dataReceived(data[start : start + together])
    assert answers(wire.unread) == 1
    if together == len(data):
        assert answers(wire.read_all()) == 20


def test_what_is_behind_a_body_is_answered_one_at_a_time_too(server: WebServer) -> None:
    """Also while the answer to that is being made."""
    (server.directory / "long.txt").write_bytes(bytes(range(256)) * 400)  # type: ignore[operator] # it has one
    slow: Deferred[dict[str, str]] = Deferred()

    async def make() -> dict[str, str]:
        return await slow

    for token in ("unknown", server.links.offer(make)):
        body = json.dumps({"token": token}).encode()
        head = f"POST /link HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        wire = server.connect()
        wire.protocol.dataReceived(head.encode() + body + b"GET /long.txt HTTP/1.1\r\n\r\n" * 20)
        if token != "unknown":
            assert wire.unread == b""
            slow.callback({})
        assert wire.unread.count(b"HTTP/1.1 ") == 2
        assert wire.read_all().count(b"HTTP/1.1 ") == 21


def test_who_reads_has_its_time_again(tmp_path: Path) -> None:
    """An answer has to be read within its time; then the next request may take as long as any."""
    (tmp_path / "big.txt").write_bytes(bytes(100_000))
    server = WebServer(tmp_path, limits=Limits(unread_seconds=10))
    reads, rests = server.connect(), server.connect()
    for wire in (reads, rests):
        wire.protocol.dataReceived(GET)
    server.clock.advance(8)
    assert answers(reads.read_all()) == 1
    server.clock.advance(4)
    assert rests.gone
    server.clock.advance(IDLE_SECONDS - 6)
    assert not reads.gone
    server.clock.advance(4)
    assert reads.gone


def test_what_follows_a_body_at_once_is_the_next_request(server: WebServer) -> None:
    """It waits for the answer to the one before, and whatever it is gets its own."""
    body = b'{"token":"x"}'
    post = f"POST /link HTTP/1.1\r\nHost: {HOST}\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n"
    wire = server.connect()
    wire.protocol.dataReceived(post.encode() + body + GET + post.encode() + body + b"nonsense\r\n\r\n")
    *parts, last = wire.read_all().split(b"HTTP/1.1 ")[1:]
    assert [part[:3] for part in parts] == [b"403", b"200", b"403"]
    assert last.startswith(b"400 Bad Request\r\n")
    assert last.endswith(f"or its header is longer than {HEADER_BYTES} bytes or {HEADERS} lines.\n".encode())
    assert wire.gone


def test_who_asks_whether_to_go_on_is_told(server: WebServer) -> None:
    """Before its body, and only if that is not too long anyway."""
    post = f"POST /link HTTP/1.1\r\nHost: {HOST}\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n"
    wire = server.connect()
    wire.protocol.dataReceived(f"{post}Content-Length: 13\r\n\r\n".encode())
    assert wire.read() == b"HTTP/1.1 100 Continue\r\n\r\n"
    wire.protocol.dataReceived(b'{"token":"x"}')
    assert read_answer(wire.read()).code == 403
    wire.protocol.dataReceived(f"{post}Content-Length: 0\r\n\r\n".encode())
    assert wire.read().startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 400 ")
    wire.protocol.dataReceived(f"{post}Content-Length: {BODY_BYTES + 1}\r\n\r\n".encode())
    assert read_answer(wire.read()).code == 413


def test_a_connection_that_fails_is_cut_off(server: WebServer, errors: list[LogEvent]) -> None:
    """With a line in the log; the next one is served."""

    def fail(data: bytes) -> None:
        raise RuntimeError("a fault")

    wire = server.connect()
    wire.protocol.wrappedProtocol.dataReceived = fail
    wire.protocol.dataReceived(GET)
    assert wire.gone
    assert [event["log_format"] for event in errors] == ["A connection of {address} failed"]
    assert server.connection_factory.limiter.count == 0
    assert server.get("/").code == 200


@pytest.mark.parametrize("name", ONCE)
def test_headers_that_are_no_text_are_no_fault_of_the_server(
    server: WebServer, errors: list[LogEvent], name: str
) -> None:
    """A handshake with such a header is answered, or refused, as any; nothing of it gets into the log as a fault."""
    wire = server.connect()
    wire.protocol.dataReceived(HANDSHAKE.encode() + name.encode() + b": \xff\xfe\r\n\r\n")
    assert wire.read().split()[1] in (b"400", b"403")
    assert errors == []


def test_a_pipeline_is_answered_whole_once_it_is_read(server: WebServer) -> None:
    """Requests that were held back are answered in order, and the connection goes on as before."""
    wire = server.connect()
    wire.protocol.dataReceived(GET * 25 + f"GET / HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    data = wire.read_all()
    assert answers(data) == 26
    assert data.endswith(b"<p>here</p>")
    assert wire.producerState == "producing"
    wire.protocol.dataReceived(GET)
    assert answers(wire.read_all()) == 1


def test_the_last_of_a_pipeline_closes_once_it_is_read(server: WebServer) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(GET * 4 + GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n") + GET)
    assert not wire.gone
    assert answers(wire.read_all()) == 5
    assert wire.gone


def test_who_never_reads_a_pipeline_is_cut_off(server: WebServer) -> None:
    """However much has been asked: after its time the connection is gone, and no timer of it is left."""
    wire = server.connect()
    wire.protocol.dataReceived(GET * 20)
    server.clock.advance(IDLE_SECONDS + 2)
    assert wire.gone
    assert server.connection_factory.limiter.count == 0


def test_a_connection_that_breaks_while_answers_are_held_back(server: WebServer, errors: list[LogEvent]) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(GET * 20)
    wire.hang_up()
    server.clock.advance(IDLE_SECONDS + 2)
    assert server.connection_factory.limiter.count == 0
    assert errors == []


@pytest.mark.parametrize("digits", [5000, 15_000])
def test_a_length_of_very_many_digits_is_refused(server: WebServer, errors: list[LogEvent], digits: int) -> None:
    """Python makes no number of it: no traceback, but an answer."""
    answer = server.ask(f"POST /link HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {'9' * digits}\r\n\r\n")
    assert answer.code == 400
    assert errors == []


@pytest.mark.parametrize(
    "header",
    [
        "Accept-Encoding",
        "If-None-Match",
        "If-Modified-Since",
        "Host",
        "Origin",
        "Upgrade",
        "Sec-WebSocket-Protocol",
        "Content-Type",
    ],
)
@pytest.mark.parametrize("request_line", ["GET /", "GET /ws", "POST /link", "GET /healthz"])
def test_bytes_that_are_no_text_are_no_fault_of_ours(
    server: WebServer, errors: list[LogEvent], header: str, request_line: str
) -> None:
    """A header may hold any bytes; the answer is never that the server failed, and the log stays quiet."""
    host = "" if header == "Host" else f"Host: {HOST}\r\n"
    head = f"{request_line} HTTP/1.1\r\n{host}Content-Length: 0\r\n{header}: ".encode()
    answer = server.ask(head + b"\xff\xfe\r\n\r\n")
    assert answer.code in (200, 400, 403, 415, 426)
    assert errors == []


def test_a_refused_handshake_ends_though_nobody_reads(server: WebServer) -> None:
    """It is among the connections that have their time, and that a stopping server cuts off."""
    for stops in (False, True):
        wire = server.connect()
        wire.protocol.dataReceived(f"{HANDSHAKE}\r\n".encode())
        assert read_answer(wire.unread).code == 400
        assert not wire.gone
        if stops:
            server.site.close()
        else:
            server.clock.advance(server.limits.farewell_seconds + 2)
        assert wire.gone
        assert server.connection_factory.limiter.count == 0


def test_a_web_socket_is_not_watched_as_http(server: WebServer) -> None:
    """The time of a handshake is over with it, and closing what speaks HTTP leaves it alone; its request is let go."""
    wire = server.connect()
    channel = weakref.ref(wire.protocol.wrappedProtocol)
    gc.disable()  # what is let go needs nobody who looks for it
    try:
        socket = Socket(wire, "tp.pb")
        socket.messages()
        assert channel() is None
    finally:
        gc.enable()
    server.clock.advance(server.limits.farewell_seconds + 2)
    server.site.close()
    assert not socket.wire.gone
    socket.wire.hang_up()
    assert server.connection_factory.limiter.count == 0


def test_this_machine_is_known_by_its_mapped_address_too(server: WebServer) -> None:
    """A listener of all addresses shows 127.0.0.1 as ::ffff:127.0.0.1; the guard against renamed hosts holds there."""
    request = (
        f"{HANDSHAKE.replace(HOST, 'evil.example:8080')}Sec-WebSocket-Key: KeiUI30wvvGfvUvsmVt8ig==\r\n"
        "Origin: http://evil.example:8080\r\n\r\n"
    )
    for here in ("127.0.0.1", "::ffff:127.0.0.1", "::1"):
        answer = server.ask(request, here=here)
        assert answer.code == 403
        assert b"does not go by the name evil.example:8080" in answer.body


def test_upgrade_required_is_called_so(server: WebServer) -> None:
    wire = server.connect()
    wire.protocol.dataReceived(f"GET /ws HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    assert wire.read().startswith(b"HTTP/1.1 426 Upgrade Required\r\n")
