"""The control socket of a running server: ownership and hostile input."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from tpserver.admin import socket_client, socket_protocol
from tpserver.admin.commands import COMMANDS
from tpserver.admin.commands.declaration import OperatorCommand
from tpserver.admin.context import AdminContext
from tpserver.admin.socket_protocol import OperationError
from tpserver.admin.socket_server import MOST_CONNECTIONS, SILENCE_SECONDS, YOUNG_SECONDS, AdminSocket, Conversation

Run = Callable[..., Any]
NO_CONTEXT = cast(AdminContext, SimpleNamespace(others=None))


class Desk:
    """A conversation over a transport in memory, whose operation ``slow`` ends when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.clock = Clock()
        self.control = AdminSocket(self.clock, NO_CONTEXT, socket_protocol.SocketPath(tmp_path))
        self.slow: list[Deferred[list[str]]] = []

        async def slow(context: AdminContext) -> list[str]:
            self.slow.append(Deferred())
            return await self.slow[-1]

        async def echo(context: AdminContext, text: str) -> list[str]:
            return [text]

        async def faulty(context: AdminContext) -> list[str]:
            raise RuntimeError("secret internals")

        made = {one.__name__: OperatorCommand(one.__name__, "", one, audit="never") for one in (slow, echo, faulty)}
        monkeypatch.setattr("tpserver.admin.operations.COMMANDS", made)

    def connect(self) -> tuple[Conversation, StringTransport]:
        conversation, transport = Conversation(self.control), StringTransport()
        conversation.makeConnection(transport)
        return conversation, transport


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    return Desk(monkeypatch, tmp_path)


def _ask(operation: str, **arguments: Any) -> bytes:
    return socket_protocol.request_line(operation, arguments)


def _answers(transport: StringTransport) -> list[dict[str, Any]]:
    return [json.loads(line) for line in transport.value().splitlines()]


def test_requests_are_answered_in_their_order(desk: Desk) -> None:
    """Requests after a slow one wait for it."""
    conversation, transport = desk.connect()
    conversation.dataReceived(_ask("slow") + _ask("echo", text="second"))
    assert _answers(transport) == []
    desk.slow[0].callback(["first"])
    assert _answers(transport) == [{"tpserver": 1, "lines": ["first"]}, {"tpserver": 1, "lines": ["second"]}]


def test_two_conversations_do_not_wait_for_each_other(desk: Desk) -> None:
    one, slow = desk.connect()
    other, quick = desk.connect()
    one.dataReceived(_ask("slow"))
    other.dataReceived(_ask("echo", text="here"))
    assert _answers(quick) == [{"tpserver": 1, "lines": ["here"]}]
    assert _answers(slow) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"\n", "one JSON object"),
        (b"garbage\n", "one JSON object"),
        (b"\xff\xfe\x00\n", "one JSON object"),
        (b"[" * 100_000 + b"\n", "one JSON object"),
        (b"[1]\n", "one JSON object"),
        (b'{"tpserver":1,"operation":"echo","arguments":{"text":"\\ud800"}}\n', "one JSON object in UTF-8"),
        (b'{"operation": "echo"}\n', '"tpserver": 1'),
        (b'{"tpserver": 2, "operation": "echo"}\n', "version 2 of the control socket's language is not spoken here"),
        (b'{"tpserver": 1}\n', '"operation"'),
        (b'{"tpserver": 1, "operation": 7}\n', '"operation"'),
        (b'{"tpserver": 1, "operation": "echo", "arguments": []}\n', '"arguments"'),
        (b"x" * (socket_protocol.LONGEST_LINE + 2), "longer than"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_garbage_is_refused_and_hung_up_on(desk: Desk, line: bytes, reason: str) -> None:
    """One sentence says what was wrong, nothing after it is read, and others are still served."""
    conversation, transport = desk.connect()
    conversation.dataReceived(line)
    conversation.dataReceived(_ask("echo", text="ignored"))
    (answer,) = _answers(transport)
    assert reason in answer["refused"]
    assert transport.disconnecting
    other, good = desk.connect()
    other.dataReceived(_ask("echo", text="well"))
    assert _answers(good)[0]["lines"] == ["well"]


def test_an_unknown_operation_is_refused_and_the_conversation_goes_on(desk: Desk) -> None:
    conversation, transport = desk.connect()
    conversation.dataReceived(_ask("ecko") + _ask("echo", text="well"))
    refused, done = _answers(transport)
    assert "there is no operation 'ecko'; did you mean 'echo'?" in refused["refused"]
    assert done["lines"] == ["well"]


def test_a_fault_is_told_without_its_inside(desk: Desk) -> None:
    conversation, transport = desk.connect()
    conversation.dataReceived(_ask("faulty"))
    (answer,) = _answers(transport)
    assert "unexpected error" in answer["fault"]
    assert "secret" not in answer["fault"]


def test_silence_ends_a_conversation_but_not_a_slow_operation(desk: Desk) -> None:
    conversation, transport = desk.connect()
    conversation.dataReceived(_ask("slow"))
    desk.clock.advance(10 * SILENCE_SECONDS)
    assert not transport.disconnecting
    desk.slow[0].callback([])
    desk.clock.advance(SILENCE_SECONDS - 1)
    assert not transport.disconnecting
    desk.clock.advance(2)
    assert transport.disconnecting


def test_connections_and_waiting_requests_are_bounded(desk: Desk) -> None:
    """The first one above the bound is refused with a sentence. Earlier ones are served."""
    first, _ = desk.connect()
    for _ in range(MOST_CONNECTIONS - 1):
        desk.connect()
    _, transport = desk.connect()
    assert "connections at once" in _answers(transport)[0]["refused"]
    first.dataReceived(_ask("slow") * (2 * MOST_CONNECTIONS))
    assert len(desk.slow) == 1


def test_a_silent_connection_gives_way_to_another(desk: Desk) -> None:
    """The oldest; one whose request is being performed stays."""
    busy, _ = desk.connect()
    busy.dataReceived(_ask("slow"))
    silent = [desk.connect()[1] for _ in range(MOST_CONNECTIONS - 1)]
    desk.clock.advance(YOUNG_SECONDS)
    other, transport = desk.connect()
    other.dataReceived(_ask("echo", text="well"))
    assert _answers(transport)[0]["lines"] == ["well"]
    assert [one.disconnecting for one in silent] == [True] + [False] * (len(silent) - 1)


def test_closing_answers_what_is_being_done(desk: Desk) -> None:
    """A server that stops finishes the operation, and takes no other."""
    conversation, transport = desk.connect()
    _, idle = desk.connect()
    conversation.dataReceived(_ask("slow") + _ask("echo", text="never"))
    desk.control.close()
    assert idle.disconnecting
    assert not transport.disconnecting
    desk.slow[0].callback(["done"])
    assert _answers(transport) == [{"tpserver": 1, "lines": ["done"]}]
    assert transport.disconnecting


@pytest.mark.thorough
@pytest.mark.parametrize("operation", COMMANDS)
@pytest.mark.parametrize("arguments", [{}, {"name": 7}, {"name": None}, {"name": ["x"]}, {"name": "x", "seats": "two"}])
def test_arguments_of_wrong_types_are_refused(operation: str, arguments: dict[str, Any], data: Path) -> None:
    """Whatever comes over the socket, an operation answers or refuses; it never fails otherwise."""
    from tpserver.admin.offline import offline_context
    from tpserver.admin.operations import perform
    from tpserver.concurrency import result_now
    from tpserver.config import load
    from tpserver.rules.discovery import discover

    with offline_context(load(None, {"server.data": data}), discover()) as context:
        if operation in ("account list", "audit", "game list", "report list"):  # they need no arguments
            with suppress(OperationError):
                assert result_now(perform(context, operation, arguments))
        else:
            with pytest.raises(OperationError):
                result_now(perform(context, operation, arguments))


def test_the_socket_of_a_server_is_its_owners_and_survives_anything(serve: Any, data: Path, tpserver: Run) -> None:
    """Mode 0600; garbage, half lines and a peer that hangs up do no harm; it is gone after the server."""
    server = serve()
    path = data / socket_protocol.SOCKET
    mode = path.stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600
    for garbage in (b"\x00" * 1000, b"GET / HTTP/1.0\r\n\r\n", b'{"tpserver": 1, "operation": "game list"', b""):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            connection.sendall(garbage)
    with socket.socket(socket.AF_UNIX) as idle:
        idle.connect(str(path))
        assert tpserver("game", "list", "--data", data).code == 0
        assert socket_client.ask(str(path), "account add", {"name": "ada", "password": "x"}) == ["Account ada added."]
    assert server.stop() == 0
    assert "Traceback" not in server.said
    assert not path.exists()
    with pytest.raises(socket_client.NoServer):
        socket_client.ask(str(path), "game list", {})


def test_a_stale_socket_is_no_obstacle(serve: Any, data: Path, tpserver: Run) -> None:
    """A killed server leaves its socket: commands go to the store, and the next server replaces it."""
    import signal

    server = serve()
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    assert (data / socket_protocol.SOCKET).exists()
    assert tpserver("account", "add", "ada", "--password", "x", "--data", data).code == 0
    serve()
    assert tpserver("account", "add", "bob", "--password", "x", "--data", data).lines == ["Account bob added."]


@pytest.mark.thorough
def test_a_long_path_is_no_obstacle(start: Any, tmp_path: Path, tpserver: Run) -> None:
    """The path of a Unix socket is short, that of a data directory need not be."""
    data = tmp_path / ("d" * 120) / "data"
    server = start("run", "--data", data, "--port", "0", "--web", "off")
    server.wait_for("listens on")
    assert tpserver("account", "add", "ada", "--password", "x", "--data", data).code == 0
    assert (data / socket_protocol.SOCKET).exists()
    assert server.stop() == 0
    assert not (data / socket_protocol.SOCKET).exists()


def test_a_path_that_is_too_long_for_the_system_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(socket_protocol, "OPEN_FILES", tmp_path / "none")
    with pytest.raises(socket_protocol.PathTooLong, match=r"too long by \d+ bytes"):
        socket_protocol.SocketPath(tmp_path / ("d" * 120))


def test_a_long_request_is_refused_before_it_is_sent(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match="bytes are allowed"):
        socket_client.ask(
            str(tmp_path / "none"), "game create", {"options": {"board": "x" * socket_protocol.LONGEST_LINE}}
        )
