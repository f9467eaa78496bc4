"""A web server without sockets, with HTTP and WebSocket clients for it.

HTTP requests are written by hand. The WebSocket client uses the rules of the library `websockets`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from twisted.internet.task import Clock
from websockets.client import ClientProtocol
from websockets.frames import Close, Frame, Opcode
from websockets.uri import parse_uri

from tests.support.connections import StubSession, Transport
from tpproto import tp_pb2 as tp
from tpproto.dialects import ENVELOPE, JSON, Dialect
from tpproto.frames import frame as make_frame
from tpproto.stream import Limits as ReaderLimits
from tpproto.stream import RawFrame, read_message
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits
from tpserver.wire.web.connection import WebFactory
from tpserver.wire.web.files import Files
from tpserver.wire.web.http import WebSite
from tpserver.wire.web.login_tokens import LoginTokens
from tpserver.wire.web.resources import Origins, Root
from tpserver.wire.web.websocket import WebSocketFactory

HOST = "127.0.0.1:8080"
MESSAGE_FORMS: Mapping[str, Dialect] = {"tp.json": JSON, "tp.pb": ENVELOPE}
"""Sub-protocol -> the dialect of its messages as the client sees them."""


@dataclass
class Answer:
    """The response to one HTTP request."""

    code: int
    headers: dict[str, str]
    body: bytes
    pairs: list[tuple[str, str]] = field(default_factory=list)
    """All headers, as they came."""

    def all_of(self, header: str) -> list[str]:
        """Return all values of a header, whose name is in small letters."""
        return [value for name, value in self.pairs if name == header]


class Socket:
    """A WebSocket client in memory: the rules of the `websockets` library, the bytes of a wire."""

    def __init__(self, wire: Transport, subprotocol: str, cookie: str = "", **keywords: Any) -> None:
        self.wire = wire
        self.form = MESSAGE_FORMS.get(subprotocol, JSON)
        self.rules = ClientProtocol(parse_uri(f"ws://{HOST}/ws"), subprotocols=[subprotocol], max_size=None, **keywords)
        handshake = self.rules.connect()
        if cookie:
            handshake.headers["Cookie"] = cookie
        self.rules.send_request(handshake)
        self.pongs: list[bytes] = []
        self.send_all()

    def send_all(self) -> None:
        for data in self.rules.data_to_send():
            if data and not self.wire.gone:
                self.wire.protocol.dataReceived(data)

    def say(self, message: bytes | str) -> None:
        """Send one message of the kind that the argument has."""
        if isinstance(message, str):
            self.rules.send_text(message.encode())
        else:
            self.rules.send_binary(message)
        self.send_all()

    def ask(self, sequence: int, kind: str, message: Any) -> None:
        data = self.form.encode(make_frame(sequence, kind, message))
        self.say(data.decode() if self.form is JSON else data)

    def messages(self) -> list[bytes]:
        """All messages that have come; control frames are answered as the rules say."""
        found = []
        while True:
            data = self.wire.read()
            if data:
                self.rules.receive_data(data)
            elif self.wire.gone:
                self.rules.receive_eof()
            for event in self.rules.events_received():
                if isinstance(event, Frame):
                    if event.opcode in (Opcode.TEXT, Opcode.BINARY):
                        assert event.fin
                        assert (event.opcode is Opcode.TEXT) == (self.form is JSON)
                        found.append(bytes(event.data))
                    elif event.opcode is Opcode.PONG:
                        self.pongs.append(bytes(event.data))
            self.send_all()
            if not data and not self.wire.unread:
                return found

    def frames(self) -> list[tp.Frame]:
        """The same, decoded."""
        found = []
        for message in self.messages():
            raw = read_message(self.form, message, ReaderLimits(frame=1 << 30))
            assert isinstance(raw, RawFrame), raw
            found.append(self.form.decode(raw.sequence, raw.kind, raw.body))
        return found

    @property
    def closed_with(self) -> Close | None:
        """The server's close frame, if one has come."""
        self.messages()
        return self.rules.close_rcvd


@dataclass
class WebServer:
    """A server for browsers without sockets."""

    directory: Path | None = None
    limits: Limits = field(default_factory=Limits)
    origins: Origins = field(default_factory=Origins)
    clock: Clock = field(default_factory=Clock)
    ping_seconds: float = 30.0
    health: Callable[[], Mapping[str, object] | None] = lambda: {"games": 0}
    sessions: list[StubSession] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.connection_factory = ConnectionFactory(self._session, self.limits, self.clock)
        self.sockets = WebSocketFactory(self.connection_factory, self.clock, self.ping_seconds)
        self.links = LoginTokens(self.clock.seconds)
        self.root = Root(Files(self.directory), self.sockets, self.origins, self._tell_health, self.links)
        self.site = WebFactory(self.connection_factory, WebSite(self.connection_factory, self.root, self.clock))

    def _tell_health(self) -> Mapping[str, object] | None:
        return self.health()

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> StubSession:
        self.sessions.append(StubSession(address, secure, send, token))
        return self.sessions[-1]

    def connect(self, address: str = "127.0.0.1", here: str = "127.0.0.1") -> Transport:
        return Transport(self.site.buildProtocol(None), address, here, polite=True)

    def ask(self, request: bytes | str, **wire: str) -> Answer:
        """Send one request on a connection of its own and return the answer to it."""
        line = self.connect(**wire)
        line.protocol.dataReceived(request if isinstance(request, bytes) else request.encode())
        return read_answer(line.read_all(), head=request[:4] in (b"HEAD", "HEAD"))

    def get(self, path: str, method: str = "GET", **headers: str) -> Answer:
        lines = [f"{method} {path} HTTP/1.1", f"Host: {HOST}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return self.ask("\r\n".join([*lines, "", ""]))

    def post(self, path: str, body: bytes, **headers: str) -> Answer:
        given = {"Content_Type": "application/json", "Content_Length": str(len(body)), **headers}
        lines = [f"POST {path} HTTP/1.1", f"Host: {HOST}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in given.items()]
        return self.ask("\r\n".join([*lines, "", ""]).encode() + body)

    def socket(self, subprotocol: str = "tp.json", address: str = "127.0.0.1", **keywords: Any) -> Socket:
        """Open a WebSocket; the handshake has been answered when this returns."""
        socket = Socket(self.connect(address), subprotocol, **keywords)
        socket.messages()
        return socket


def read_answer(data: bytes, head: bool = False) -> Answer:
    """Take one HTTP answer apart; it has to have the length that it says."""
    top, _, body = data.partition(b"\r\n\r\n")
    status, *lines = top.decode().split("\r\n")
    pairs = [(name.lower(), value) for name, _, value in (line.partition(": ") for line in lines)]
    headers = dict(pairs)
    once = [name for name, _ in pairs if name != "set-cookie"]
    assert len(set(once)) == len(once), f"a header came twice: {lines}"
    code = int(status.split()[1])
    if not head and code not in (101, 304):
        assert int(headers["content-length"]) == len(body)
    else:
        assert not body
    return Answer(code, headers, body, pairs)
