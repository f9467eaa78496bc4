"""HTTP tunnels for programs of 2005 to 2010.

They send an empty POST, then frames go in both directions.
"""

from __future__ import annotations

import http.client
import socket
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.interfaces import IHalfCloseableProtocol
from web_in_memory import HOST, Answer, WebServer, read_answer

from tests.support.connections import Transport
from tests.support.server import preloaded_server
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP03, TP04, Dialect
from tpproto.frames import frame
from tpproto.stream import FrameReader, RawFrame
from tpserver.server.publishing import ways_of
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.proxies import Proxies
from tpserver.wire.web.tunnel import HEAD

PATH = "/x7Gq0aBzR4tY"
POST = (
    f"POST {PATH} HTTP/1.0\r\nHost: {HOST}\r\nUser-Agent: Python-urllib/1.17\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n\r\n"
).encode()
"""The request of Python's library of 2008 for `FancyURLopener().open(url, "")`."""


def connect_frame(sequence: int = 1, dialect: Dialect = TP04) -> bytes:
    return dialect.encode(frame(sequence, "connect", tp.Connect(client="old")))


def replies(data: bytes, dialect: Dialect = TP04) -> list[RawFrame]:
    return [event for event in FrameReader(dialect=dialect).feed(data) if isinstance(event, RawFrame)]


@pytest.fixture
def server() -> WebServer:
    made = WebServer()
    made.root.files.tunnels = True
    return made


def opened(server: WebServer, **wire: str) -> Transport:
    line = server.connect(**wire)
    line.protocol.dataReceived(POST)
    assert line.read_all() == HEAD
    return line


def refused(server: WebServer, request: bytes) -> Answer:
    line = server.connect()
    line.protocol.dataReceived(request)
    assert server.sessions == []
    return read_answer(line.read_all())


@pytest.mark.parametrize("dialect", [TP03, TP04])
def test_frames_go_both_ways_after_the_head_of_the_answer(server: WebServer, dialect: Dialect) -> None:
    """Whatever the dialect; the server may speak unasked as well, and the session knows which way it came."""
    line = opened(server)
    for sequence in (1, 2):
        line.protocol.dataReceived(connect_frame(sequence, dialect))
        server.clock.advance(0)
        (answer,) = replies(line.read_all(), dialect)
        assert answer.sequence == sequence
    (session,) = server.sessions
    assert session.over_http
    session.send(b"unasked")
    assert line.read_all() == b"unasked"


def test_frames_that_come_with_the_request_are_answered(server: WebServer) -> None:
    line = server.connect()
    line.protocol.dataReceived(POST + connect_frame(7))
    server.clock.advance(0)
    told = line.read_all()
    assert told.startswith(HEAD)
    assert [answer.sequence for answer in replies(told[len(HEAD) :])] == [7]


def test_a_tunnel_is_a_connection_like_any(server: WebServer) -> None:
    """It is counted once, watched by the same timeouts, and closed after a frame that is too long."""
    line = opened(server)
    assert server.connection_factory.limiter.count == 1
    assert server.site.protocols == {}
    line.protocol.dataReceived(struct.pack(">4sIII", b"TP\x04\0", 1, 3, 1 << 24))
    server.clock.advance(0)
    assert replies(line.read_all())[0].kind == 1
    assert line.is_ending
    silent = opened(server)
    server.clock.advance(server.connection_factory.limits.login_seconds + 1)
    assert silent.gone
    assert server.connection_factory.limiter.count == 0
    assert all(session.times_lost == 1 for session in server.sessions)


def test_tunnels_over_the_limit_are_turned_away() -> None:
    server = WebServer(limits=Limits(connections=1))
    server.root.files.tunnels = True
    opened(server)
    line = server.connect()
    assert read_answer(line.read_all()).code == 503


def test_who_has_said_all_still_hears_the_answers(server: WebServer) -> None:
    """A client may close its direction, as on the other port."""
    line = opened(server)
    line.protocol.dataReceived(connect_frame())
    IHalfCloseableProtocol(line.protocol).readConnectionLost()
    server.clock.advance(0)
    assert [answer.sequence for answer in replies(line.read_all())] == [1]
    assert line.is_ending


def test_a_tunnel_ends_with_the_server(server: WebServer) -> None:
    """As the connections of the other port do, after their answers, and no new one is opened."""
    line, later = opened(server), server.connect()
    server.site.close()
    assert not line.gone
    ended: list[Any] = []
    server.connection_factory.close().addCallback(ended.append)
    assert line.is_ending
    line.read_all()
    assert ended == [None]
    assert later.gone


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (POST.replace(b"Content-Type", b"Origin: http://evil.example\r\nContent-Type"), 403),
        (POST.replace(b"Content-Type", f"Origin: http://{HOST}\r\nContent-Type".encode()), 403),
        (POST.replace(b"Length: 0", b"Length: 3") + b"abc", 400),
        (POST.replace(PATH.encode(), b"/"), 405),
        (POST.replace(PATH.encode(), b"/index.html"), 405),
        (POST.replace(PATH.encode(), b"/" + b"x" * 65), 405),
        (POST.replace(b"POST", b"PUT"), 405),
        (POST.replace(PATH.encode(), b"/healthz"), 405),
    ],
)
def test_what_asks_for_no_tunnel_gets_none(server: WebServer, request_: bytes, code: int) -> None:
    """Pages get none, whose ever they are; nor does what an old program does not send."""
    assert refused(server, request_).code == code


def test_a_server_may_have_none(server: WebServer) -> None:
    server.root.files.tunnels = False
    assert refused(server, POST).code == 405


def test_none_goes_through_a_proxy_of_ours(server: WebServer) -> None:
    """The proxy would read the frames as further requests of any client."""
    server.site.proxies = Proxies(["127.0.0.1"])
    assert refused(server, POST).code == 501
    assert refused(server, POST.replace(b"Content-Type", b"X-Forwarded-For: 192.0.2.9\r\nContent-Type")).code == 501


# --- what the Features frame says -------------------------------------------------------------------------------------


@dataclass
class At:
    """An open listener."""

    host: str
    port: int = 1
    secure: bool = False


@pytest.mark.parametrize(
    ("plain", "web", "tunnel", "kinds"),
    [
        ("127.0.0.1", "127.0.0.1", "on", ["tp", "tp+http"]),
        ("0.0.0.0", "192.0.2.1", "on", ["tp", "tp+http"]),
        ("0.0.0.0", "127.0.0.1", "on", ["tp"]),
        ("0.0.0.0", "::1", "on", ["tp"]),
        ("127.0.0.1", "127.0.0.1", "off", ["tp"]),
    ],
)
def test_only_what_can_be_reached_is_named(plain: str, web: str, tunnel: str, kinds: list[str]) -> None:
    """Neither a tunnel that is switched off, nor one that only this machine reaches, to those who are elsewhere."""
    listeners: Any = (At(plain),)
    shown: Any = At(web) if tunnel == "on" else None
    assert [kind for kind, _ in ways_of(listeners, shown)] == kinds


class Tunnelled:
    """A client that does what tp.netlib does: the library of its time reads the head, then it takes the socket."""

    def __init__(self, port: int) -> None:
        library = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        library.request("POST", PATH, "", {"Content-Length": "0"})
        assert library.sock is not None
        self.socket: socket.socket = library.sock
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.socket.recv(1)
        assert head.startswith(b"HTTP/1.0 200 OK\r\n")
        self.reader = FrameReader(dialect=TP04)

    def ask(self, kind: str, message: Any) -> Any:
        self.socket.sendall(TP04.encode(frame(5, kind, message)))
        while True:
            data = self.socket.recv(65536)
            assert data
            for event in self.reader.feed(data):
                assert isinstance(event, RawFrame)
                if event.sequence:
                    return event.decode()


def test_a_program_of_2008_plays_through_http() -> None:
    """Over real sockets: it connects, hears that tunnelling is here, and logs in; at the other port it is elsewhere."""
    with preloaded_server() as server:
        server.create_game("lots", "tae", 2)
        line = Tunnelled(server.web_port)
        assert line.ask("connect", tp.Connect(client="tp.netlib")).result.startswith("Welcome")
        features = line.ask("get_features", tp.GetFeatures()).features
        assert {3, 4} & set(features) == {3}
        assert isinstance(line.ask("login", tp.Login(username="ann@lots", password="secret")), tp.Okay)
        assert isinstance(line.ask("get_objects_by_id", tp.GetWithID(ids=[0])), tp.Sequence)
        line.socket.close()
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain:
            plain.sendall(TP04.encode(frame(1, "get_features", tp.GetFeatures())))
            (answer,) = replies(plain.recv(65536))
            assert {3, 4} & set(answer.decode().features) == {4}  # type: ignore[attr-defined]


def test_a_server_without_tunnels_tells_of_none(directory: Path) -> None:
    """Over real sockets: neither the Features frame nor the list of games names what is not there."""
    config = directory / "tpserver.toml"
    config.write_text('[web]\ntunnel = "off"\n')
    with preloaded_server("--config", str(config)) as server:
        server.create_game("lots", "tae", 2)
        library = http.client.HTTPConnection("127.0.0.1", server.web_port, timeout=30)
        library.request("POST", PATH, "", {"Content-Length": "0"})
        assert library.getresponse().status == 405
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as plain:
            plain.sendall(TP04.encode(frame(1, "get_features", tp.GetFeatures())))
            (answer,) = replies(plain.recv(65536))
            assert {3, 4} & set(answer.decode().features) == set()  # type: ignore[attr-defined]
            plain.sendall(TP04.encode(frame(2, "get_games", tp.GetGames())))
            (listed,) = replies(plain.recv(65536))
            assert [way.type for way in listed.decode().connections] == ["tp"]  # type: ignore[attr-defined]
