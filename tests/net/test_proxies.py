"""Client addresses from proxies: believed only from configured proxies.

They are bounded, too.
"""

from __future__ import annotations

import re
import socket
import ssl
import struct
from collections.abc import Callable
from http.client import HTTPResponse
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.address import IPv4Address
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.web.resource import Resource

from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.server import HOST, PING, ServerProcess, free_port
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.proxies import (
    LONGEST_BLOCK,
    SIGNATURE,
    BadHeader,
    Header,
    ProxiedFactory,
    Proxies,
    read_header,
)
from tpserver.wire.web.connection import WebFactory
from tpserver.wire.web.http import WebSite


def block(address: str, port: int = 1234, more: bytes = b"", command: int = 0x21) -> bytes:
    """A header of version 2."""
    packed = ip_address(address).packed
    body = packed + packed + struct.pack(">HH", port, 6923) + more
    return SIGNATURE + struct.pack(">BBH", command, 0x11 if len(packed) == 4 else 0x21, len(body)) + body


GOOD = [
    (b"PROXY TCP4 203.0.113.7 10.0.0.1 1234 6923\r\n", "203.0.113.7", 1234),
    (b"PROXY TCP6 2001:db8::7 ::1 65535 6923\r\n", "2001:db8::7", 65535),
    (b"PROXY UNKNOWN\r\n", "", 0),
    (b"PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n", "", 0),
    (block("203.0.113.7"), "203.0.113.7", 1234),
    (block("2001:db8::7", more=b"\x01\x00\x02tp"), "2001:db8::7", 1234),
    (block("203.0.113.7", command=0x20), "", 0),
    (SIGNATURE + b"\x21\x00\x00\x00", "", 0),
    (SIGNATURE + b"\x21\x31\x00\x02ab", "", 0),
]


@pytest.mark.parametrize(("data", "address", "port"), GOOD)
def test_a_header_is_read_however_it_arrives(data: bytes, address: str, port: int) -> None:
    """No part of it is one, and what follows it is left."""
    for size in range(len(data)):
        assert read_header(data[:size]) is None
    assert read_header(data + b"TP03 and more") == Header(address, port, len(data))


@pytest.mark.parametrize(
    "data",
    [
        PING,
        b"PROXX",
        b"PROXY TCP4 203.0.113.7 10.0.0.1 1234\r\n",
        b"PROXY TCP4 2001:db8::7 ::1 1234 6923\r\n",
        b"PROXY TCP4 203.0.113.999 10.0.0.1 1234 6923\r\n",
        b"PROXY TCP4 203.0.113.7 10.0.0.1 70000 6923\r\n",
        b"PROXY TCP4 203.0.113.7 10.0.0.1 -1 6923\r\n",
        b"PROXY UNIX /tmp/x\r\n",
        b"PROXY " + b"x" * 101,
        SIGNATURE + b"\x11\x11\x00\x0c" + bytes(12),
        SIGNATURE + b"\x21\x11\x00\x0b" + bytes(11),
        SIGNATURE + b"\x21\x11" + struct.pack(">H", LONGEST_BLOCK + 1),
    ],
)
def test_what_is_no_header(data: bytes) -> None:
    with pytest.raises(BadHeader):
        read_header(data)


@given(st.binary(max_size=200) | st.binary(max_size=60).map(SIGNATURE.__add__) | st.binary().map(b"PROXY ".__add__))
def test_any_bytes_are_a_header_or_none(data: bytes) -> None:
    try:
        header = read_header(data)
    except BadHeader:
        return
    assert header is None or header.size <= len(data)


PROXIES = Proxies(["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"])
BY_FORWARDED = Proxies(["127.0.0.1", "10.0.0.0/8"], "Forwarded")


@pytest.mark.parametrize(
    ("peer", "value", "client"),
    [
        ("198.51.100.1", "203.0.113.7", "198.51.100.1"),  # nobody's proxy
        ("127.0.0.1", None, "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "1.1.1.1, 203.0.113.7, 10.1.2.3", "203.0.113.7"),  # 1.1.1.1 is what the client says
        ("::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "203.0.113.7, ::FFFF:10.1.2.3", "203.0.113.7"),
        ("2001:db8:1::9", "[2001:db8:2::7]:4711", "2001:db8:2::7"),
        ("127.0.0.1", "203.0.113.7:4711", "203.0.113.7"),
        ("127.0.0.1", "nonsense", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7, unknown", "127.0.0.1"),
        ("", "203.0.113.7", ""),
    ],
)
def test_whose_request_it_is(peer: str, value: str | None, client: str) -> None:
    """The last address that is no proxy of ours: what is before it the client may have written itself."""
    assert PROXIES.client_of(peer, value) == client


@pytest.mark.parametrize(
    ("value", "client"),
    [
        (None, "127.0.0.1"),
        ('for=1.1.1.1, for="[2001:db8:2::7]:80";proto=https', "2001:db8:2::7"),
        ("For=203.0.113.7;by=10.0.0.1, for=10.0.0.9", "203.0.113.7"),
        ("for=_hidden", "127.0.0.1"),
        ("", "127.0.0.1"),
        ("for=1.1.1.1, proto=https", "127.0.0.1"),  # the proxy names nobody; the client may have named anybody
        ("for=1.1.1.1;for=2.2.2.2", "127.0.0.1"),
        ('for="1.1.1.1, for=203.0.113.7', "203.0.113.7"),  # the client leaves a quotation mark open
        ('for=203.0.113.7;host="a, for=1.1.1.1;", for=10.0.0.9', "203.0.113.7"),
        ('for=203.0.113.7;host="a\\", for=1.1.1.1"', "203.0.113.7"),
        ("203.0.113.7", "127.0.0.1"),
    ],
)
def test_whose_request_it_is_by_forwarded(value: str | None, client: str) -> None:
    """Only the proxy's own part of the header is believed, however the client has begun it."""
    assert BY_FORWARDED.client_of("127.0.0.1", value) == client


@given(st.text())
def test_any_header_names_an_address(value: str) -> None:
    for proxies in (PROXIES, BY_FORWARDED):
        ip_address(proxies.client_of("127.0.0.1", value))


def test_the_documented_nginx_sets_one_header_and_clears_the_other() -> None:
    """So a client's own Forwarded never arrives."""
    page = Path(__file__).parents[2] / "tpserver" / "HOSTING.md"
    headers = dict(re.findall(r"proxy_set_header (\S+) ([^;]+);", page.read_text()))
    assert (headers["X-Forwarded-For"], headers["Forwarded"]) == ("$proxy_add_x_forwarded_for", '""')


@pytest.mark.parametrize(("chosen", "client"), [("X-Forwarded-For", 7), ("Forwarded", 8), ("X-Real-IP", 9)])
def test_only_the_header_that_the_operator_names_is_read(chosen: str, client: int) -> None:
    """A proxy passes the others on as the client has written them. One that sends no such header is noted."""
    noted: list[str] = []
    sent = {"Forwarded": "for=203.0.113.8", "X-Forwarded-For": "203.0.113.7", "X-Real-IP": "203.0.113.9"}
    asked: list[str] = []
    for headers in (sent, {name: value for name, value in sent.items() if name != chosen}):
        asked.append(asked_from(Proxies(["127.0.0.1"], chosen, noted.append), "/", headers))
    asked.append(asked_from(Proxies(["127.0.0.1"], chosen, noted.append), "/healthz", {}))  # no browser's request
    assert asked == [f"203.0.113.{client}", "127.0.0.1", "127.0.0.1"]
    assert noted == ["127.0.0.1"]


class Shown(Resource):
    """A page that says which address asks for it."""

    isLeaf = True

    def render(self, request: Any) -> bytes:
        return bytes(request.sentence(200, f"<{request.address}>"))


def asked_from(proxies: Proxies, path: str, headers: dict[str, str]) -> str:
    """Return the address that a page sees of a request of a proxy at 127.0.0.1."""
    clock = Clock()
    connections = ConnectionFactory(no_session, Limits(), clock)
    factory = WebFactory(connections, WebSite(connections, Shown(), clock))
    factory.proxies = proxies
    connection, wire = factory.buildProtocol(None), StringTransport(peerAddress=IPv4Address("TCP", "127.0.0.1", 5))
    connection.makeConnection(wire)
    lines = [f"GET {path} HTTP/1.1", "Host: x", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    connection.dataReceived("\r\n".join(lines).encode())
    clock.advance(0)
    found = re.search("<(.*)>", wire.value().decode())
    assert found is not None, wire.value()
    return found[1]


def no_session(address: str, secure: bool, send: object, token: str) -> Any:
    raise AssertionError("no frames are spoken here")


class Heard(Protocol):
    """The protocol behind the header."""

    data = b""
    peer: Any = None

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.peer = self.transport.getPeer()

    def dataReceived(self, data: bytes) -> None:
        self.data += data


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def connect(clock: Clock) -> Callable[[str], tuple[Any, Heard, StringTransport]]:
    def connect(address: str) -> tuple[Any, Heard, StringTransport]:
        heard = Heard()
        factory = ProxiedFactory(Factory.forProtocol(lambda: heard), PROXIES, clock, 30.0)
        protocol = factory.buildProtocol(IPv4Address("TCP", address, 5))
        transport = StringTransport(peerAddress=IPv4Address("TCP", address, 5))
        protocol.makeConnection(transport)
        return protocol, heard, transport

    return connect


def test_what_is_behind_sees_the_client_and_only_what_follows(connect: Any) -> None:
    protocol, heard, _ = connect("10.0.0.1")
    for byte in b"PROXY TCP4 203.0.113.7 10.0.0.1 1234 6923\r\nTP":
        protocol.dataReceived(bytes([byte]))
    assert heard.peer == IPv4Address("TCP", "203.0.113.7", 1234)
    assert heard.data == b"TP"


def test_who_is_no_proxy_is_taken_as_it_comes(connect: Any) -> None:
    """A header from it is data, which is no frame."""
    protocol, heard, _ = connect("198.51.100.1")
    assert heard.peer.host == "198.51.100.1"
    protocol.dataReceived(b"PROXY TCP4 203.0.113.7 10.0.0.1 1234 6923\r\n")
    assert heard.data.startswith(b"PROXY ")


def test_a_proxy_without_a_header_is_cut_off_and_told_once(connect: Any, clock: Clock, logged: list[Any]) -> None:
    """At once if it says something else, after a while if it says nothing."""
    for _ in range(2):
        protocol, heard, transport = connect("10.0.0.1")
        protocol.dataReceived(PING)
        assert transport.disconnected
        assert heard.peer is None
    protocol, heard, transport = connect("10.0.0.1")
    clock.advance(29.9)
    assert not transport.disconnected
    clock.advance(0.2)
    assert transport.disconnected
    assert clock.getDelayedCalls() == []
    assert len(logged) == 3, "one for each factory, of which a listener has one"


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    key = new_key()
    (tmp_path / "server.pem").write_bytes(certificate_pem(key) + private_pem(key))
    return tmp_path / "server.pem"


def login(client: socket.socket, name: str) -> None:
    def frame(kind: int, body: bytes) -> bytes:
        return b"TP03" + struct.pack(">III", 1, kind, len(body)) + body

    def text(word: bytes) -> bytes:
        return struct.pack(">I", len(word)) + word

    client.sendall(frame(3, text(b"test")) + frame(4, text(name.encode()) + text(b"word")))


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_a_server_behind_a_proxy_knows_its_players(
    live: Callable[..., ServerProcess], tmp_path: Path, pem: Path, secure: bool
) -> None:
    """The header comes before TLS. The log has the client's address, and a direct client needs no header."""
    port = free_port()
    (tmp_path / "tp.toml").write_text(
        f'[proxy]\naddresses = ["127.0.0.1"]\nheader = true\n[tls]\ncertificate = "{pem}"\nport = {port}\n'
    )
    server = live("--config", str(tmp_path / "tp.toml"), "--web", "off")
    server.spawn()
    server.wait_for("listens on")
    server.create_game("lots", "auction", 3)
    with socket.create_connection((HOST, port if secure else server.port), timeout=240) as client:
        client.sendall(b"PROXY TCP4 203.0.113.7 10.0.0.1 1234 6923\r\n")
        if secure:
            context = ssl.create_default_context()
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            client = context.wrap_socket(client)
        login(client, "ann@lots")
        server.wait_for(r"ann has logged in from 203\.0\.113\.7 to lots, player 1")
        client.close()
    with socket.create_connection((HOST, server.port), timeout=240, source_address=("127.0.0.2", 0)) as client:
        login(client, "bob@lots")
        server.wait_for(r"bob has logged in from 127\.0\.0\.2")


def test_browsers_behind_a_proxy_are_counted_by_their_own_addresses(
    live: Callable[..., ServerProcess], tmp_path: Path
) -> None:
    """The proxy may have many connections, each client only its own number; a header from anybody else is not read."""
    (tmp_path / "tp.toml").write_text('[proxy]\naddresses = ["127.0.0.1"]\n[limits]\nconnections_per_address = 2\n')
    server = live("--config", str(tmp_path / "tp.toml"))
    server.spawn()
    server.wait_for("listens on")

    def ask_for(client: socket.socket, address: str) -> None:
        client.sendall(f"GET /healthz HTTP/1.1\r\nHost: {HOST}\r\nX-Forwarded-For: {address}\r\n\r\n".encode())

    def open_for(address: str, source: str = HOST) -> socket.socket:
        """Ask for the health, keep the connection, and return it."""
        client = socket.create_connection((HOST, server.web_port), timeout=240, source_address=(source, 0))
        ask_for(client, address)
        return client

    def status(client: socket.socket) -> bytes:
        response = HTTPResponse(client)
        response.begin()
        response.read()
        return str(response.status).encode()

    kept = [open_for(address) for address in ("203.0.113.7", "203.0.113.7", "203.0.113.8", "203.0.113.8")]
    assert [status(client) for client in kept] == [b"200"] * 4
    late = open_for("1.2.3.4, 203.0.113.7")
    assert status(late) == b"503"
    for address, expected in (("203.0.113.7", b"503"), ("203.0.113.9", b"200"), ("203.0.113.8", b"503")):
        ask_for(late, address)  # the proxy keeps the connection
        assert status(late) == expected
    others = [open_for(f"203.0.113.{number}", "127.0.0.2") for number in (20, 21)]
    assert [status(client) for client in others] == [b"200"] * 2
    third = open_for("203.0.113.22", "127.0.0.2")
    assert status(third) == b"503"
    for client in (*kept, late, *others, third):
        client.close()
    with pytest.raises(HTTPError):
        urlopen(Request(f"{server.url}nowhere", headers={"Forwarded": "for=203.0.113.9"}), timeout=60)
