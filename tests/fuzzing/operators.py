"""Fuzzing targets for operators and proxies.

They cover the control socket, consoles, and headers with a client's address.
"""

from __future__ import annotations

import ipaddress
import json
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import patch

from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from tests.fuzzing import worlds
from tests.fuzzing.browsers import settle
from tests.fuzzing.target import Bytes, Target, always, expect, expect_sentence, pieces
from tests.support.connections import Transport
from tpproto import TP03, TP04, FrameReader
from tpproto import tp_pb2 as tp
from tpproto.dialects import ADMIN_DIALECTS, Dialect
from tpproto.frames import ADMIN
from tpproto.stream import RawFrame
from tpserver.admin import console, socket_protocol
from tpserver.admin.commands import COMMANDS
from tpserver.admin.commands.declaration import OperatorCommand
from tpserver.admin.console import Consoles
from tpserver.admin.console_commands import NUMBERED, parameters
from tpserver.admin.context import AdminContext
from tpserver.admin.socket_protocol import OperationError
from tpserver.admin.socket_server import AdminSocket, Conversation
from tpserver.wire.net import proxies
from tpserver.wire.net.proxies import BadHeader, ProxiedFactory, Proxies

CONTEXT = cast(AdminContext, SimpleNamespace(others=None))

USER, PASSWORD = "operator", "correct-horse-battery"

# --- the control socket -----------------------------------------------------------------------------------------------


def make_control(stack: ExitStack) -> Callable[[bytes], None]:
    async def echo(
        context: AdminContext, text: str, number: int = 0, options: dict[str, Any] | None = None
    ) -> list[str]:
        return [text, str(number), str(options)]

    async def refuse(context: AdminContext, text: str = "") -> list[str]:
        raise OperationError(f"this is refused: {text}")

    operations = {one.__name__: OperatorCommand(one.__name__, "", one, audit="never") for one in (echo, refuse)}
    stack.enter_context(patch("tpserver.admin.operations.COMMANDS", operations))
    clock = Clock()
    control = AdminSocket(clock, CONTEXT, socket_protocol.SocketPath(worlds.folder(stack)))

    def answers(data: bytes, how: int) -> list[bytes]:
        conversation, transport = Conversation(control), StringTransport()
        conversation.makeConnection(transport)
        for piece in pieces(data, how):
            conversation.dataReceived(piece)
        told = transport.value()
        conversation.connectionLost()
        expect(not control.conversations, "A conversation is kept that is gone.")
        return cast(list[bytes], told.splitlines(keepends=True))

    def take(data: bytes) -> None:
        """One byte: how it is cut; what follows comes over the socket."""
        given = Bytes(data)
        how, sent = given.number(), given.rest()
        told = answers(sent, how)
        expect(told == answers(sent, 0), "Cut otherwise there are other answers.")
        for line in told:
            kind, content = socket_protocol.parse_reply(line)
            expect(kind != "fault", f"The server failed: {content}")
            if kind == "refused":
                expect(len(content) > 8, f"This is no sentence: {content!r}")

    return take


def lines() -> Iterator[bytes]:
    for how, line in enumerate(
        (
            {"tpserver": 1, "operation": "echo", "arguments": {"text": "x", "number": 5, "options": {"a": "b"}}},
            {"tpserver": 1, "operation": "refuse", "arguments": {"text": "é"}, "actor": "another"},
            {"tpserver": 1, "operation": "nothing"},
            {"tpserver": 2, "operation": "echo"},
        )
    ):
        text = json.dumps(line, ensure_ascii=how % 2 == 0).encode()
        yield bytes((how,)) + text + b"\n" + text + b"\r\n"
    yield b"\0[]\n"
    yield b"\0" + b"\n" * 40
    yield b"\0" + '{"tpserver":1}'.encode("utf-16") + b"\n"


# --- operations -------------------------------------------------------------------------------------------------------

LEFT_OUT = ("game import", "game archive", "game delete", "reload", "restart", "node drain", "node undrain")
"""Operations about files, or about the process."""

GIVEN: dict[type, Any] = {str: "alice", int: 1, bool: True, dict: {"duration": "5"}}
"""Arguments to begin with, by their type."""


def make_operations(stack: ExitStack) -> Callable[[bytes], None]:
    server = worlds.server(stack)
    server.create("first", "auction")
    context = AdminContext(server.registry, server.accounts)
    control = AdminSocket(server.clock, context, socket_protocol.SocketPath(worlds.folder(stack)))

    def take(data: bytes) -> None:
        """Bytes on the socket of a server with a game. Operations on files and processes are left out."""
        if any(name.encode() in data for name in LEFT_OUT) or b"\\u" in data.partition(b'"arguments"')[0]:
            return
        conversation, transport = Conversation(control), StringTransport()
        conversation.makeConnection(transport)
        conversation.dataReceived(data)
        settle(server.clock)
        conversation.connectionLost()
        for line in transport.value().splitlines():
            kind, content = socket_protocol.parse_reply(line)
            expect(kind != "fault", f"The server failed: {content}")
            expect(kind == "lines" or len(content) > 8, f"This is no sentence: {content!r}")

    return take


def operations() -> Iterator[bytes]:
    for name, command in COMMANDS.items():
        if name not in LEFT_OUT:
            given = {key: GIVEN[one.type] for key, one in command.arguments.items()}
            given |= {"name": "first"} if name.startswith("game") and "name" in given else {}
            given |= (
                {"name": "second", "ruleset": "auction", "seats": 2, "clock": "manual"} if name == "game create" else {}
            )
            yield socket_protocol.request_line(name, given)
            few = {key: value for key, value in given.items() if command.arguments[key].is_required}
            yield socket_protocol.request_line(name, few)


# --- consoles ---------------------------------------------------------------------------------------------------------


async def _perform(context: object, operation: str, arguments: dict[str, Any], actor: str) -> list[str]:
    expect(operation in COMMANDS and actor == console.BY_CONSOLE, "An operation is performed that is none.")
    if "refused" in arguments.values():
        raise OperationError(f"{operation} is refused")
    return [f"{name}={value}" for name, value in arguments.items()]


def _login(dialect: Dialect) -> bytes:
    admin = ADMIN_DIALECTS[dialect]
    body = admin.encode_body(4, tp.Login(username=USER, password=PASSWORD))
    return admin.header(9, 4, len(body)) + body


LOGINS = {dialect: _login(dialect) for dialect in (TP03, TP04)}


def make_console(stack: ExitStack) -> Callable[[bytes], None]:
    stack.enter_context(patch("tpserver.admin.console.perform", _perform))
    clock = Clock()
    clock.advance(1_700_000_000)

    def answers(dialect: Dialect, sent: bytes, how: int, logs_in: bool) -> tuple[bytes, bool]:
        consoles = Consoles(
            clock, lambda work: clock.callLater(0, work), lambda: CONTEXT, USER, PASSWORD, "critical", clock.seconds
        )
        wire = Transport(consoles.factory.buildProtocol(None), polite=True)
        told = b""
        for piece in [*([LOGINS[dialect]] if logs_in else []), *pieces(sent, how)]:
            if wire.gone:
                break
            wire.protocol.dataReceived(piece)
            settle(clock)
            told += wire.read_all()
        is_over = wire.gone
        wire.hang_up()
        expect(not consoles.factory.connections and not consoles.watching, "A console is kept that is gone.")
        consoles.close()
        settle(clock)
        return told, is_over

    def take(data: bytes) -> None:
        """One byte: the dialect; one: how it is cut; one: whether it is logged in; what follows is the stream."""
        given = Bytes(data)
        dialect, how, logs_in = (TP03, TP04)[given.number(1)], given.number(), bool(given.number(1))
        sent = given.rest()
        told = answers(dialect, sent, how, logs_in)
        expect(told == answers(dialect, sent, 0, logs_in), "Cut otherwise there are other answers.")
        if logs_in:
            _expect_frames(told[0], ADMIN_DIALECTS[dialect])

    return take


def _expect_frames(told: bytes, admin: Any) -> None:
    reader = FrameReader()
    for event in reader.feed(told):
        expect(isinstance(event, RawFrame), f"This is no frame: {event}")
        assert isinstance(event, RawFrame)
        message = admin.decode_body(event.kind, event.body, KNOWN.known)
        if isinstance(message, tp.Fail):
            expect_sentence(message.result, message.code, is_shown=False)
    expect(not reader.incomplete(), "An answer ends in the middle of a frame.")


KNOWN = Consoles(Clock(), lambda work: None, lambda: CONTEXT, USER, PASSWORD, "critical", lambda: 0.0)


def console_streams() -> Iterator[bytes]:
    for place, dialect in enumerate((TP03, TP04)):
        admin = ADMIN_DIALECTS[dialect]

        def said(kind: int, message: Any, admin: Any = admin) -> bytes:
            body = admin.encode_body(kind, message, KNOWN.known)
            return bytes(admin.header(kind, kind, len(body)) + body)

        yield (
            bytes((place, 3, 0))
            + said(3, tp.Connect(client="c"))
            + said(27, tp.Ping())
            + said(4, tp.Login(username="x", password="y")) * 2
        )
        yield (
            bytes((place, 4, 1))
            + said(1004, tp.GetIDSequence(key=-1, amount=-1))
            + said(1002, tp.GetWithID(ids=[0, 1, 99]))
        )
        for command in NUMBERED:
            some = [
                tp.CommandParameter(number=tp.CommandNumber(number=5))
                if one.type is int
                else tp.CommandParameter(text=tp.CommandText(text="a=b" if one.type is dict else "refused"))
                for one in parameters(command)
            ]
            yield bytes((place, command.console, 1)) + said(1006, tp.Command(otype=command.console, parameters=some))
    yield b"\0\0\1TPPB\0\0\0\0"
    yield b"\0\0\0GET / HTTP/1.1\r\n\r\n"


# --- proxies ----------------------------------------------------------------------------------------------------------


class Behind(Protocol):
    """The protocol behind a proxy, which records its input."""

    def __init__(self, told: list[Any]) -> None:
        self.told = told

    def connectionMade(self) -> None:
        peer = self.transport.getPeer()  # type: ignore[union-attr] # there is one
        self.told.append((peer.host, peer.port))

    def dataReceived(self, data: bytes) -> None:
        self.told.append(data)


class BehindFactory:
    def __init__(self) -> None:
        self.told: list[Any] = []
        self.numPorts = 0

    def buildProtocol(self, address: object) -> Behind:
        return Behind(self.told)

    def doStart(self) -> None: ...

    def doStop(self) -> None: ...


NAMED = [Proxies(["198.51.100.0/24", "::1"], header) for header in ("X-Forwarded-For", "Forwarded")]


def proxied(data: bytes, how: int) -> tuple[Any, bytes, bool]:
    """Return whose connection it was said to be, what came to whom is behind, and whether it was refused."""
    clock, behind = Clock(), BehindFactory()
    factory = ProxiedFactory(behind, NAMED[0], clock, 5)
    wire = Transport(factory.buildProtocol(None), "198.51.100.7", polite=True)
    for piece in pieces(data, how):
        if wire.gone:
            break
        wire.protocol.dataReceived(piece)
    is_refused = wire.gone
    wire.hang_up()
    expect(not clock.getDelayedCalls() and not factory.protocols, "Something is left of a connection that is gone.")
    told = behind.told
    return (told[0] if told else None), b"".join(told[1:]), is_refused


def take_proxied(data: bytes) -> None:
    """One byte: how it is cut; what follows is what a proxy sends."""
    given = Bytes(data)
    how, sent = given.number(), given.rest()
    whole = proxied(sent, 0)
    expect(proxied(sent, how) == whole, f"Cut otherwise something else is heard: {whole}")
    try:
        header = proxies.read_header(sent)
    except BadHeader:
        expect(whole[2] and whole[0] is None, "Who says nothing of a client is let in.")
        return
    if header is None:
        expect(whole == (None, b"", False), "Half a header is taken for one.")
        return
    expect(whole[1] == sent[header.size :], "What follows a header is another than was sent.")
    if header.address:
        ipaddress.ip_address(header.address)
        expect(whole[0] == (header.address, header.port), "The address of a client is another than was said.")
    else:
        expect(whole[0] == ("198.51.100.7", 50000), "A proxy's own connection is another's.")


def take_forwarded(data: bytes) -> None:
    """One byte: which header; what follows is its value."""
    given = Bytes(data)
    which, value = given.number(1), given.rest().decode(errors="replace")
    named = NAMED[which]
    for peer in ("198.51.100.7", "::1"):
        client = named.client_of(peer, value)
        expect(str(ipaddress.ip_address(client)) == client, f"{client!r} is no address.")
    expect(named.client_of("192.0.2.1", value) == "192.0.2.1", "A stranger is believed.")


def headers() -> Iterator[bytes]:
    block = proxies.SIGNATURE
    for how, sent in enumerate(
        (
            b"PROXY TCP4 192.0.2.1 192.0.2.2 5000 6923\r\nTP03",
            b"PROXY TCP6 2001:db8::1 ::1 5000 6923\r\nTP03",
            b"PROXY UNKNOWN\r\nTP03",
            b"PROXY UNKNOWN ffff:f...f:ffff 65535 65535\r\n",
            b"PROXY TCP4 192.0.2.1 192.0.2.2 5000",
            block + struct.pack(">BBH", 0x21, 0x11, 12) + bytes((192, 0, 2, 1, 192, 0, 2, 2)) + b"\x13\x88\x1b\x0bTP03",
            block + struct.pack(">BBH", 0x21, 0x21, 40) + bytes(36) + b"\0\1\0\2xyz\0TP03",
            block + struct.pack(">BBH", 0x20, 0, 0) + b"TP03",
            b"TP03",
        )
    ):
        yield bytes((how,)) + sent


def hops() -> Iterator[bytes]:
    yield b'\0for="[2001:db8:cafe::17]:4711";proto=http;by=203.0.113.43, for=198.51.100.17'
    yield b"\1 192.0.2.1, ::ffff:192.0.2.2,198.51.100.3:80, [::1]:1, fe80::1%eth0"
    yield b"\2for=unknown, for=_hidden;for=1.2.3.4"
    yield b"\1" + b"198.51.100.3," * 40


TARGETS = (
    Target(
        "control",
        "the control socket",
        make_control,
        lines,
        (b'{"tpserver":1,', b'"operation":', b'"arguments":{', b'"actor":', b'"echo"', b'"refuse"', b"\n", b"\\ud800"),
    ),
    Target(
        "operations",
        "what an operator may have done",
        make_operations,
        operations,
        (b'"name":', b'"first"', b'"alice"', b"\\ud800", b"\\u0000", b"-1", b"9" * 20, b"1e400"),
        seconds=0.5,
    ),
    Target(
        "console",
        "the old administration protocol",
        make_console,
        console_streams,
        (b"TP03", b"TP\x04\0", *(struct.pack(">I", number) for number in ADMIN)),
    ),
    Target(
        "proxied",
        "what a proxy sends before a connection",
        always(take_proxied),
        headers,
        (
            proxies.SIGNATURE,
            b"PROXY ",
            b"TCP4 ",
            b"TCP6 ",
            b"UNKNOWN",
            b"\r\n",
            b"\x21\x11",
            b"\x21\x21",
            b"::ffff:192.0.2.1",
        ),
    ),
    Target(
        "forwarded",
        "the headers with which a proxy names a client",
        always(take_forwarded),
        hops,
        (b"for=", b'"[', b']"', b"::ffff:", b"192.0.2.1", b"198.51.100.3", b", ", b";", b"%", b"unknown"),
    ),
)
