"""Fuzzing targets for browsers: HTTP, tunnels through it, and WebSockets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from google.protobuf.message import Message
from twisted.internet.task import Clock
from web_in_memory import HOST, MESSAGE_FORMS, Socket, WebServer
from websockets.frames import Frame, Opcode

from tests.fuzzing import worlds
from tests.fuzzing.frames import vectors
from tests.fuzzing.target import Bytes, Finding, Target, expect, expect_sentence, pieces
from tests.support.connections import Transport
from tpproto import ENVELOPE, JSON, PB, TP03, TP04, FrameReader, frame, read_message, tp_pb2
from tpproto.stream import RawFrame
from tpserver.accounts.accounts import NotAdmitted
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.proxies import Proxies
from tpserver.wire.web.tunnel import HEAD

LIMITS = Limits(frame_bytes=2048)
"""A frame is too long soon, so that inputs can be."""

CLOSINGS = (1000, 1001, 1002, 1007, 1008, 1009)
"""The codes with which a WebSocket is closed, as tpserver/docs/browsers.md lists them."""


FAULTS = (1002, 1007, 1008, 1009)
"""Those for what a client must not say."""

NO_TP = b"This is not the Thousand Parsec protocol"


class Logins:
    """Knows one ticket and one token."""

    async def redeem(self, ticket: str) -> str:
        if ticket != "good":
            raise NotAdmitted("this ticket is not good any more; log in once more")
        return "token"

    async def revoke_token(self, token: str) -> int | None:
        return 1 if token == "good" else None


async def _stop(token: str) -> bool:
    return token == "good"


def make_server(directory: Path | None = None) -> WebServer:
    server = WebServer(directory, LIMITS)
    server.root.files.tunnels = True
    server.root.stop_notices(_stop)
    server.root.keep_logins(Logins(), lambda gone: None)
    return server


def settle(clock: Clock) -> None:
    """Let all that is due now happen."""
    for _ in range(1000):
        due = [call for call in clock.getDelayedCalls() if call.getTime() <= clock.seconds()]
        if not due:
            return
        clock.advance(0)
    raise Finding("The server does not come to rest.")


def speak(server: WebServer, wire: Transport, data: bytes, how: int) -> bytes:
    """Send bytes in pieces to a peer that reads all, and return its response."""
    told = b""
    for piece in pieces(data, how):
        if wire.gone:
            break
        wire.protocol.dataReceived(piece)
        settle(server.clock)
        told += wire.read_all()
    settle(server.clock)
    return told + wire.read_all()


def leave(server: WebServer, wire: Transport) -> None:
    """Hang up; then nothing may be left of the connection."""
    wire.hang_up()
    settle(server.clock)
    factory = server.connection_factory
    expect(not factory.connections and not server.site.protocols, "A connection is kept that is gone.")
    expect(factory.limiter.count == 0, "A connection is counted that is gone.")
    server.sessions.clear()


# --- HTTP -------------------------------------------------------------------------------------------------------------

_STATUS = re.compile(rb"HTTP/1\.[01] ([0-9]{3}) [A-Za-z -]+\r\n")
_DATE = re.compile(rb"\r\n(Date|Last-Modified): [^\r]*")


def answers(data: bytes) -> list[tuple[int, bytes]]:
    """Take what a server has sent apart: code and body of each answer. Raises Finding for what is none."""
    found = []
    while data:
        status = _STATUS.match(data)
        expect(status, f"This is no answer: {data[:80]!r}")
        assert status is not None
        head, end, rest = data.partition(b"\r\n\r\n")
        expect(end, f"An answer has no end of its header: {data[:200]!r}")
        code, headers = int(status[1]), head.lower()
        if code == 101:
            return [*found, (code, rest)]
        length = re.findall(rb"\r\ncontent-length: ([0-9]+)", headers)
        expect(len(length) == (0 if code in (100, 304) else 1), f"An answer does not say its length: {head!r}")
        size = int(length[0]) if length else 0
        # Nothing says whether an answer is one to HEAD, which has no body.
        if not rest or _STATUS.match(rest):
            size = 0
        expect(len(rest) >= size, f"An answer is shorter than it says: {data[:200]!r}")
        found.append((code, rest[:size]))
        data = rest[size:]
    return found


def http(data: bytes, server: WebServer) -> None:
    """One byte: how it is cut; one: whether it comes through a proxy; what follows is what a browser sends."""
    given = Bytes(data)
    how, proxied = given.number(), given.number(1)
    sent = given.rest()
    results = []
    for cut in dict.fromkeys((0, how)):
        wire = server.connect(*(("198.51.100.7", "192.0.2.80") if proxied else ()))
        told = _DATE.sub(b"", speak(server, wire, sent, cut))
        is_tunnel, told_before = HEAD in told, told.partition(HEAD)[0]
        results.append((told, wire.gone))
        leave(server, wire)
        for code, body in answers(told_before if is_tunnel else told):
            expect(code not in (500, 501) or proxied or code == 501, "The server has failed to answer.")
            if code >= 400 and body.startswith(b"{"):
                expect_sentence(json.loads(body)["error"])
            elif code >= 400 and body:
                expect_sentence(body.decode().removesuffix("\n"))
    expect(all(result == results[0] for result in results), f"Cut otherwise the answers differ: {results}")


def make_http(stack: ExitStack) -> Callable[[bytes], None]:
    folder = worlds.folder(stack)
    (folder / "index.html").write_text("<p>here</p>")
    (folder / "big.txt").write_bytes(bytes(range(256)) * 20)
    server = make_server(folder)
    server.site.proxies = Proxies(["198.51.100.7"])
    wire = server.connect()
    speak(server, wire, b"GET /big.txt HTTP/1.1\r\n\r\n", 0)  # the files are read once
    leave(server, wire)
    return lambda data: http(data, server)


def requests() -> Iterator[bytes]:
    host = f"Host: {HOST}\r\n"
    origin = f"Origin: http://{HOST}\r\n"
    posts = [
        ("link", "token"),
        ("login", "ticket"),
        ("logout", "x"),
        ("sign-in/begin", "provider"),
        ("stop-notices/good", "x"),
    ]
    texts = [
        f"GET {path} HTTP/1.1\r\n{host}\r\n"
        for path in ("/", "/big.txt", "/healthz", "/ws", "/calendar/x.ics", "/stop-notices/x", "/%00%ff")
    ]
    texts += [
        f"HEAD / HTTP/1.1\r\n{host}\r\nGET /nothing HTTP/1.0\r\n\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ]
    for path, field in posts:
        body = json.dumps({field: "good"})
        head = (
            f"POST /{path} HTTP/1.1\r\n{host}{origin}Cookie: tp-login-8080=good\r\nContent-Type: application/json\r\n"
        )
        texts.append(f"{head}Content-Length: {len(body)}\r\n\r\n{body}GET / HTTP/1.1\r\n\r\n")
        texts.append(f"{head}Expect: 100-continue\r\nContent-Length: 1025\r\n\r\n")
    texts.append(
        f"GET / HTTP/1.1\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n{host}Accept-Encoding: gzip;q=0\r\n\r\n"
    )
    texts.append(f"GET /big.txt HTTP/1.1\r\nIf-None-Match: *\r\n{host}\r\n")
    texts.append(
        f'GET / HTTP/1.1\r\n{host}Forwarded: for="[2001:db8::1]:80";by=x, for=192.0.2.9\r\n'
        "X-Forwarded-For: 1.2.3.4, ::ffff:9.8.7.6\r\n\r\n"
    )
    texts.append(f"POST /abc HTTP/1.1\r\n{host}\r\nTP03")
    texts.append(f"GET /ws HTTP/1.1\r\n{host}{_HANDSHAKE}\r\n")
    for number, text in enumerate(texts):
        yield bytes((number * 3 % 11, number % 3 == 2)) + text.encode()


_HANDSHAKE = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: tp.json\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)

HTTP_WORDS = (
    b"GET |POST |HEAD | HTTP/1.1\r\n| HTTP/1.0\r\n|HTTP/2.0|\r\n\r\n|Content-Length: |Transfer-Encoding: chunked\r\n|"
    b"Connection: close\r\n|Host: |Origin: |Cookie: tp-login|Content-Type: application/json\r\n|Upgrade: websocket\r\n|"
    b"Connection: Upgrade\r\n|Sec-WebSocket-Protocol: tp.pb\r\n|Sec-WebSocket-Version: 13\r\n|Expect: 100-continue\r\n|"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n|If-None-Match: |If-Modified-Since: |Accept-Encoding: |"
    b"Forwarded: for=|X-Forwarded-For: |/ws|/link|/login|/logout|/healthz|/calendar/|/stop-notices/|/sign-in/"
).split(b"|")


# --- tunnels ----------------------------------------------------------------------------------------------------------


def tunnel(data: bytes, server: WebServer) -> None:
    """One byte: how it is cut; what follows goes through a tunnel, and over a connection without one."""
    given = Bytes(data)
    how, stream = given.number(), given.rest()
    wire = server.connect("192.0.2.1")
    told = speak(server, wire, f"POST /abc HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode() + stream, how)
    through, is_over = told.removeprefix(HEAD), wire.gone
    leave(server, wire)
    expect(told.startswith(HEAD), f"There is no tunnel: {told[:100]!r}")
    wire = Transport(server.connection_factory.buildProtocol(None), polite=True)
    straight = speak(server, wire, stream, 0)
    expect((through, is_over) == (straight, wire.gone), f"A tunnel changes the answers: {through!r}, {straight!r}")
    leave(server, wire)
    for message in messages(straight):
        _expect_answer(message)


def messages(data: bytes) -> Iterator[Message]:
    """Yield the messages of answers. Raises Finding for what is none.

    A client that is refused for its version may go on in any other, so that each answer may be in another dialect.
    """
    while data:
        if data.startswith(NO_TP):
            expect_sentence(data.decode().removesuffix("\r\n"))
            return
        dialect = {TP03.magic: TP03, TP04.magic: TP04}.get(data[:4], PB)
        head = 4 if dialect is PB else 16
        size = head + int.from_bytes(data[head - 4 : head], "big")
        (event,) = FrameReader(dialect=dialect).feed(data[:size]) or [None]
        expect(isinstance(event, RawFrame), f"This is no frame: {data!r}")
        assert isinstance(event, RawFrame)
        yield event.decode()
        data = data[size:]


def _expect_answer(message: object) -> None:
    if isinstance(message, tp_pb2.Fail):
        expect_sentence(message.result, message.code)
    else:
        expect(isinstance(message, tp_pb2.Okay), f"This is no answer: {message}")


def streams() -> Iterator[bytes]:
    for place, (name, dialect) in enumerate((("tp03", TP03), ("tp04", TP04), ("pb", PB))):
        some = [data for _, data in vectors(name)]
        for start in range(0, len(some), 40):
            yield bytes((start % 5,)) + dialect.greeting + b"".join(some[start : start + 3])
        yield bytes((place,)) + dialect.greeting + some[0] + b"nonsense" + some[1]
    yield b"\0GET / HTTP/1.1\r\n\r\n"
    yield b"\0TP02" + bytes(12)


# --- WebSockets -------------------------------------------------------------------------------------------------------

SUBPROTOCOLS = tuple(MESSAGE_FORMS)
RECORDS, RAW = range(2)


def client_frame(first: int, payload: bytes, mask: bytes = bytes(4)) -> bytes:
    """Return a WebSocket frame as clients send it; with a mask of zeros its payload is as it is."""
    size = len(payload)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return bytes((first,)) + length + mask + payload


def frames_of(given: Bytes) -> bytes:
    """Return WebSocket frames: the first byte of each, its length in one byte or, after 255, two, and its payload."""
    found = b""
    while not given.is_empty:
        first, size = given.number(), given.number()
        found += client_frame(first, given.some(given.wide() if size == 255 else size))
    return found


def websocket(data: bytes, server: WebServer) -> None:
    """Send a WebSocket server frames or any bytes, cut in two ways.

    The first byte chooses the sub-protocol, the second the cut. The third chooses between frames with correct lengths
    and any bytes.
    """
    given = Bytes(data)
    subprotocol, how, form = SUBPROTOCOLS[given.number(1)], given.number(), given.number(1)
    sent = frames_of(given) if form == RECORDS else given.rest()
    results = []
    for cut in dict.fromkeys((0, how)):
        socket = server.socket(subprotocol)
        wire = socket.wire
        messages = []
        for piece in pieces(sent, cut):
            if wire.gone:
                break
            wire.protocol.dataReceived(piece)
            settle(server.clock)
            messages += _messages(socket)
        settle(server.clock)
        messages += _messages(socket)
        closed, pongs = socket.rules.close_rcvd, socket.pongs
        if closed is not None and closed.code in FAULTS:
            # Of two faults in one message, of which the server has told one, either may be the first.
            said = messages[:-1] if messages and _is_fail(socket, messages[-1]) else messages
            results.append((said, "closed for a fault", pongs, True))
        else:
            results.append((messages, closed, pongs, closed is not None or wire.gone))
        expect(socket.rules.parser_exc is None, f"A WebSocket client does not understand: {socket.rules.parser_exc!r}")
        if closed is not None:
            expect(closed.code in CLOSINGS or not closed.reason, f"A WebSocket is closed with {closed}.")
            server.clock.advance(LIMITS.farewell_seconds + 1)
            socket.wire.read_all()
            expect(wire.gone, "A WebSocket that is closed does not end.")
        for message in messages:
            raw = read_message(socket.form, message)
            expect(isinstance(raw, RawFrame), f"This is no frame: {message!r}")
            assert isinstance(raw, RawFrame)
            _expect_answer(raw.decode())
        leave(server, wire)
    expect(all(result == results[0] for result in results), f"Cut otherwise the answers differ: {results}")


def _is_fail(socket: Socket, message: bytes) -> bool:
    raw = read_message(socket.form, message)
    return isinstance(raw, RawFrame) and isinstance(raw.decode(), tp_pb2.Fail)


def _messages(socket: Socket) -> list[bytes]:
    """Return what has come; the client of the tests says nothing by itself, so that only the input speaks."""
    found = []
    while data := socket.wire.read():
        socket.rules.receive_data(data)
        for event in socket.rules.events_received():
            if isinstance(event, Frame):
                if event.opcode in (Opcode.TEXT, Opcode.BINARY):
                    expect(
                        event.fin and (event.opcode is Opcode.TEXT) == (socket.form is JSON),
                        f"A strange message: {event}",
                    )
                    found.append(bytes(event.data))
                elif event.opcode is Opcode.PONG:
                    socket.pongs.append(bytes(event.data))
        socket.rules.data_to_send()
    return found


def _of_server(take: Callable[[bytes, WebServer], None]) -> Callable[[ExitStack], Callable[[bytes], None]]:
    def make(stack: ExitStack) -> Callable[[bytes], None]:
        server = make_server()
        return lambda data: take(data, server)

    return make


def sockets() -> Iterator[bytes]:
    for place, dialect in enumerate((JSON, ENVELOPE)):
        one = 0x81 + place
        ping = dialect.encode(frame(1, "ping", tp_pb2.Ping()))
        login = dialect.encode(frame(2, "login", tp_pb2.Login(username="ann", password="x" * 140)))
        for how, records in enumerate(
            [
                [(one, ping), (one, ping)],
                [(one - 0x80, ping[:5]), (0x89, b"p"), (0, b""), (0x80, ping[5:])],
                [(one, login), (0x88, b"\x03\xe8bye")],
                [(one, ping), (0x88, b"")],
                [(0x83 - place, ping), (0x8A, b""), (one, b"{}")],
                [(0x80, b"x")],
                [(one, b"\xff\xfe")],
                [(one, b"x" * 2100), (one, ping)],
                [(one - 0x80, b"")] + [(0, b"")] * 1030,
                [(0xC1, ping)],
                [(0x88, b"\x03\xe8\xff\xff")],
            ]
        ):
            head = bytes((place, how, RECORDS))
            yield head + b"".join(bytes((first, 255)) + len(data).to_bytes(2, "big") + data for first, data in records)
            raw = b"".join(client_frame(first, data) for first, data in records[:40])
            yield bytes((place, how, RAW)) + raw
        yield bytes((place, 3, RAW)) + b"\x81\xff" + b"\x7f" + bytes(11)
        yield bytes((place, 3, RAW)) + b"\x81\x05hello"


TARGETS = (
    Target("http", "what a browser sends, cut in any way", make_http, requests, HTTP_WORDS),
    Target(
        "tunnel",
        "frames through HTTP, against the same without it",
        _of_server(tunnel),
        streams,
        (b"TP03", b"TP\x04\0", b"TPPB"),
    ),
    Target(
        "websocket",
        "what comes over a WebSocket, cut in any way",
        _of_server(websocket),
        sockets,
        (b"\x81", b"\x88", b"\x89", b"\x01", b"\xff", b"\x03\xe8", b'{"ping":{}}', b'"sequence":'),
        seconds=0.5,
    ),
)
