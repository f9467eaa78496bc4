"""The administration protocol, spoken byte by byte as the console of 2008."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tests.support.connections import Transport
from tests.support.process import Process, ProcessFailed
from tests.support.server import free_port
from tests.support.server_in_memory import Server
from tpserver.admin.commands import COMMANDS
from tpserver.admin.console import (
    LIMITS,
    LOGIN_SECONDS,
    MOST_ATTEMPTS,
    YOUNG_SECONDS,
    ConsoleError,
    Consoles,
    read_password,
)
from tpserver.admin.console_commands import NUMBERED
from tpserver.admin.context import AdminContext
from tpserver.admin.log_stream import MOST_LINES
from tpserver.config import ConfigError, load
from tpserver.wire.net.limits import LEAST_PER_NETWORK

USER, PASSWORD = "operator", "correct-horse-battery"
HEADER = struct.Struct(">4sIII")
OKAY, FAIL, SEQUENCE = 0, 1, 2
log = Logger(namespace="tpserver.test")


def text(words: str) -> bytes:
    data = words.encode()
    return struct.pack(">I", len(data)) + data


class Body:
    """Reads a body as the console does: field after field."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def number(self, code: str = "I") -> int:
        size = struct.calcsize(f">{code}")
        (value,) = struct.unpack(f">{code}", self.data[:size])
        self.data = self.data[size:]
        return int(value)

    def text(self) -> str:
        length = self.number()
        value, self.data = self.data[:length].decode(), self.data[length:]
        return value


class OldConsole:
    """The console of 2008: `exchange` sends bytes and returns the response."""

    def __init__(self, exchange: Callable[[bytes], bytes], magic: bytes = b"TP\x04\0") -> None:
        self.exchange = exchange
        self.magic = magic
        self.sequence = 0
        self.log: list[tuple[int, str]] = []
        self.rest = b""

    def ask(self, kind: int, body: bytes = b"") -> list[tuple[int, Body]]:
        """Send a request and return the frames of its answer; lines of the log are put into `log`."""
        self.sequence += 1
        answers: list[tuple[int, Body]] = []
        self.rest += self.exchange(HEADER.pack(self.magic, self.sequence, kind, len(body)) + body)
        for sequence, number, content in self.frames():
            if sequence == 0 and number == 1000:
                assert content.number("Q") > 1_000_000_000
                self.log.append((content.number(), content.text()))
            else:
                assert sequence == self.sequence
                answers.append((number, content))
        return answers

    def frames(self) -> list[tuple[int, int, Body]]:
        found = []
        while len(self.rest) >= 16:
            magic, sequence, number, length = HEADER.unpack_from(self.rest)
            if len(self.rest) < 16 + length:
                break
            assert magic == self.magic
            found.append((sequence, number, Body(self.rest[16 : 16 + length])))
            self.rest = self.rest[16 + length :]
        return found

    def connect(self) -> list[tuple[int, Body]]:
        return self.ask(3, text("libtpproto-cpp/0.2.0 tpadmin-cpp/0.1.0 (admin)"))

    def login(self, user: str = USER, password: str = PASSWORD) -> tuple[int, Body]:
        (answer,) = self.ask(4, text(user) + text(password))
        return answer

    def ids(self) -> list[int]:
        since = b"\xff" * 8 if self.magic == b"TP\x04\0" else b""
        ((number, body),) = self.ask(1004, struct.pack(">III", 0xFFFFFFFF, 0, 8737) + since)
        assert number == 1005
        assert body.number() != 0xFFFFFFFF
        assert body.number() == 0
        ids = [(body.number(), body.number("Q"))[0] for _ in range(body.number())]
        if since:
            body.number("Q")
        assert body.data == b""
        return ids

    def describe(self, command: int) -> tuple[str, str, list[tuple[str, int, str]]]:
        ((number, body),) = self.ask(1002, struct.pack(">II", 1, command))
        assert number == 1003
        assert body.number() == command
        name, words = body.text(), body.text()
        parameters = [(body.text(), body.number(), body.text()) for _ in range(body.number())]
        assert body.number("Q") > 0
        assert body.data == b""
        return name, words, parameters

    def command(self, line: str) -> tuple[int, str]:
        """Type a line: split at spaces, sent only with all parameters, as texts and numbers."""
        typed, *words = line.split()
        for command in self.ids():
            name, _, parameters = self.describe(command)
            if name == typed:
                break
        else:
            raise AssertionError(f"there is no command {typed}")
        assert len(words) == len(parameters)
        body = b"".join(
            struct.pack(">I", int(word)) if kind == 1 else text(word)
            for word, (_, kind, _) in zip(words, parameters, strict=True)
        )
        ((number, result),) = self.ask(1006, struct.pack(">I", command) + body)
        assert number == 1007
        return result.number(), result.text()


class Desk:
    """The consoles of a server in memory."""

    def __init__(self, server: Server, **limits: Any) -> None:
        self.server = server
        context = AdminContext(server.registry, server.accounts)
        self.consoles = Consoles(
            server.clock,
            lambda work: server.clock.callLater(0, work),
            lambda: context,
            USER,
            PASSWORD,
            "info",
            server.now,
            replace(LIMITS, **limits),
        )

    def transport(self, address: str = "127.0.0.1") -> Transport:
        return Transport(self.consoles.factory.buildProtocol(None), address)

    def console(self, magic: bytes = b"TP\x04\0", address: str = "127.0.0.1") -> OldConsole:
        transport = self.transport(address)

        def exchange(data: bytes) -> bytes:
            transport.protocol.dataReceived(data)
            for _ in range(5):
                self.server.clock.advance(0)
            return transport.read_all()

        console = OldConsole(exchange, magic)
        console.transport = transport  # type: ignore[attr-defined]
        return console

    def logged_in(self, magic: bytes = b"TP\x04\0") -> OldConsole:
        console = self.console(magic)
        assert console.connect()[0][0] == OKAY
        assert console.login()[0] == OKAY
        return console


@pytest.fixture
def desk(server: Server) -> Desk:
    return Desk(server)


def failed(answer: tuple[int, Body]) -> tuple[int, str]:
    number, body = answer
    assert number == FAIL
    return body.number(), body.text()


@pytest.mark.parametrize("magic", [b"TP\x04\0", b"TP03"])
def test_the_console_of_2008_administers_games(desk: Desk, magic: bytes) -> None:
    """It connects, logs in, learns the commands and gives them, in both forms of the header."""
    console = desk.logged_in(magic)
    assert console.ids() == list(range(len(NUMBERED)))
    assert console.command("account-add ann secret") == (0, "Account ann added.")
    done, lines = console.command("game-create friday auction 2 - - - - 0")
    assert (done, lines.splitlines()[0]) == (0, "Game friday made: auction, 2 seats, clock all-done.")
    assert "friday" in console.command("game-list")[1]
    assert console.command("game-invite friday ann")[0] == 0
    assert console.command("game-extend friday 60")[0] == 1
    refused, why = console.command("game-show thursday")
    assert (refused, "there is no game" in why) == (1, True)


def test_every_operation_is_a_command_that_describes_itself_but_what_stays_on_the_machine(desk: Desk) -> None:
    """Roles of accounts, and operations with files, stay there. Each command is one word, with known parameters."""
    console = desk.logged_in()
    described = [console.describe(command) for command in console.ids()]
    stay = {"game import", "account export", "account remove", "account role", "game delete", "game archive", "restart"}
    stay |= {"node drain", "node undrain"}
    assert {name for name, _, _ in described} == {name.replace(" ", "-") for name in set(COMMANDS) - stay}
    for name, words, parameters in described:
        assert words.startswith(name)
        assert all(parameter and kind in (0, 1) and about for parameter, kind, about in parameters)
    extend = next(parameters for name, _, parameters in described if name == "game-extend")
    assert [(name, kind) for name, kind, _ in extend] == [("name", 0), ("seconds", 1)]


def test_the_audit_has_what_a_console_has_done(desk: Desk) -> None:
    console = desk.logged_in()
    console.command("account-add ann secret")
    console.command("account-disable ann spam")
    lines = console.command("audit - 10")[1].splitlines()
    assert [line.split("a console  ")[1].split()[:3] for line in lines[1:]] == [
        ["account", "add", "ann"],
        ["account", "disable", "ann"],
    ]
    assert lines[-1].endswith("spam")


def test_options_are_pairs_with_commas(desk: Desk) -> None:
    console = desk.logged_in()
    assert console.command("game-create friday auction 2 nonsense - - - 0") == (
        1,
        "write options as K=V, with commas between, or - for none",
    )
    assert console.command("game-create friday auction 2 a=1,a=2 - - - 0")[1] == "the option 'a' is given twice"
    assert "nonsense" in console.command("game-create friday auction 2 nonsense=1 - - - 0")[1]


def test_nothing_is_told_or_done_before_login(desk: Desk) -> None:
    """Not even what commands there are, nor a line of the log."""
    console = desk.console()
    console.connect()
    for kind, body in ((1004, struct.pack(">IIIq", 0xFFFFFFFF, 0, 9, -1)), (1002, struct.pack(">II", 1, 0))):
        assert failed(console.ask(kind, body)[0]) == (3, "Log in first.")
    assert failed(console.ask(1006, struct.pack(">I", 2))[0]) == (3, "Log in first.")
    log.info("for the operator only")
    assert console.ask(27)[0][0] == OKAY
    assert console.log == []


def test_a_wrong_password_is_refused_and_whoever_guesses_has_to_pause(desk: Desk) -> None:
    """A pause counts by address, over connections; the right password does not end it, and others need not wait."""
    console = desk.console()
    console.connect()
    for wrong in (("operator", "wrong"), ("root", PASSWORD), ("", "")):
        assert failed(console.login(*wrong)) == (5, "Wrong user name or password.")
    assert failed(desk.console().login())[0] == 3
    assert desk.console(address="192.0.2.7").login()[0] == OKAY
    desk.server.clock.advance(61)
    assert console.login()[0] == OKAY


def test_many_wrong_passwords_close_the_connection(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it may last before its login."""
    monkeypatch.setattr("tpserver.admin.console.LOGIN_SECONDS", 3600.0)
    console = desk.console()
    for _ in range(MOST_ATTEMPTS):
        desk.server.clock.advance(61)
        console.login("operator", "wrong")
    assert console.transport.is_ending  # type: ignore[attr-defined]


def test_lines_of_the_log_come_with_their_level(desk: Desk) -> None:
    """From the level of the log on; libraries are heard when they warn; one line each."""
    console = desk.logged_in()
    console.ask(27)
    console.log.clear()
    log.debug("not wanted")
    log.info("two\nlines of {name}\x1b[31m", name="ann")
    log.warn("look")
    log.error("mend")
    Logger(namespace="twisted.internet").info("a port was opened")
    try:
        raise KeyError("lost")
    except KeyError:
        log.failure("it failed")
    console.ask(27)
    levels = [level for level, _ in console.log]
    assert levels == [1, 2, 3, 3]
    first, *_, last = [line for _, line in console.log]
    assert first.startswith("two | lines of ann")
    assert "\x1b" not in first
    assert last == "it failed: KeyError: 'lost'"
    desk.consoles.stream.set_level("debug")
    log.debug("wanted")
    console.ask(27)
    assert console.log[-1] == (0, "wanted")


def test_the_log_is_no_longer_read_when_nobody_watches(desk: Desk) -> None:
    console = desk.logged_in()
    assert desk.consoles.stream.started
    console.transport.hang_up()  # type: ignore[attr-defined]
    assert not desk.consoles.stream.started
    assert desk.consoles.watching == set()


def test_more_lines_than_fit_are_counted(desk: Desk) -> None:
    console = desk.logged_in()
    console.ask(27)
    console.log.clear()
    for number in range(MOST_LINES + 7):
        log.info("line {number}", number=number)
    console.ask(27)
    assert console.log[0] == (2, "7 lines were left out here; the server's own log has them")
    assert [line for _, line in console.log[1:]] == [f"line {number}" for number in range(7, MOST_LINES + 7)]


@pytest.mark.thorough
def test_a_console_that_does_not_read_is_dropped(server: Server) -> None:
    """The log is kept for nobody: above the limit of unread bytes the connection ends, and the others go on."""
    desk = Desk(server, pause_bytes=64 * 1024, unsent_bytes=128 * 1024)
    other, console = desk.logged_in(), desk.logged_in()
    lazy: Transport = console.transport  # type: ignore[attr-defined]
    for _ in range(30):
        for _ in range(MOST_LINES):
            log.info("x" * 200)
        server.clock.advance(0)
        other.ask(27)
    assert lazy.disconnected or lazy.disconnecting
    assert other.ask(27)[0][0] == OKAY


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        (9, b"", 1),
        (1003, b"", 1),
        (1006, struct.pack(">I", 999), 4),
        (1006, struct.pack(">I", 1) + text("x"), 1),
        (1006, struct.pack(">I", 2) + b"more", 1),
        (1002, struct.pack(">I", 0xFFFFFFFF), 1),
        (1002, struct.pack(f">{len(NUMBERED) + 2}I", len(NUMBERED) + 1, *range(len(NUMBERED) + 1)), 1),
        (1002, struct.pack(">II", 1, 999), 4),
        (1004, struct.pack(">IIIq", 77, 0, 9, -1), 3),
        (1004, struct.pack(">IIIq", 0xFFFFFFFF, 99, 9, -1), 1),
        (4, text(USER) + text(PASSWORD), 2),
    ],
)
def test_what_cannot_be_understood_is_refused_and_the_console_goes_on(
    desk: Desk, kind: int, body: bytes, code: int
) -> None:
    console = desk.logged_in()
    assert failed(console.ask(kind, body)[0])[0] == code
    assert console.ask(27)[0][0] == OKAY


def test_commands_are_performed_one_after_the_other(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one does not begin before the first has ended, though both have come; the log goes on meanwhile."""
    begun: list[Deferred[list[str]]] = []

    async def slow(context: AdminContext) -> list[str]:
        begun.append(Deferred())
        return await begun[-1]

    monkeypatch.setitem(COMMANDS, "game list", replace(COMMANDS["game list"], perform=slow))
    console = desk.logged_in()
    request = struct.pack(">I", COMMANDS["game list"].console)
    assert console.ask(1006, request) == []
    assert console.ask(1006, request) == []
    assert len(begun) == 1
    log.info("meanwhile")
    assert console.ask(27) == []
    assert console.log[-1] == (1, "meanwhile")
    begun[0].callback(["first"])
    desk.server.clock.advance(0)
    assert len(begun) == 2
    begun[1].callback(["second"])
    desk.server.clock.advance(0)
    console.rest += console.transport.read_all()  # type: ignore[attr-defined]
    results = [(body.number(), body.text()) for _, number, body in console.frames() if number == 1007]
    assert results == [(0, "first"), (0, "second")]


def test_several_descriptions_come_after_their_number(desk: Desk) -> None:
    console = desk.logged_in()
    answers = console.ask(1002, struct.pack(">IIII", 3, 0, 999, 2))
    assert [number for number, _ in answers] == [SEQUENCE, 1003, FAIL, 1003]
    assert answers[0][1].number() == 3


def test_the_list_can_be_had_in_parts_and_by_what_has_changed(desk: Desk) -> None:
    console = desk.logged_in()
    ((_, body),) = console.ask(1004, struct.pack(">IIIq", 0xFFFFFFFF, 2, 3, -1))
    body.number()
    assert body.number() == len(NUMBERED) - 5
    assert body.number() == 3
    assert body.number() == 2
    ((_, body),) = console.ask(1004, struct.pack(">IIIq", 0xFFFFFFFF, 0, 9, desk.consoles.modtime))
    assert body.data[4:12] == bytes(8)


def test_a_game_client_is_told_where_it_is(desk: Desk) -> None:
    """Protocol Buffers have no administration, and what is no frame at all gets a line."""
    for first in (b"TPPB" + struct.pack(">I", 2) + b"\x9a\x02", b"GET / HTTP/1.0\r\n\r\n      "):
        transport = desk.transport()
        transport.protocol.dataReceived(first)
        for _ in range(3):
            desk.server.clock.advance(0)
        assert transport.read_all()
        assert transport.is_ending


def test_too_many_consoles_are_turned_away(desk: Desk) -> None:
    consoles = [desk.console() for _ in range(LIMITS.connections_per_address)]
    assert all(console.connect()[0][0] == OKAY for console in consoles)
    assert desk.transport().is_ending


def test_operators_behind_one_address_have_their_places_however_many_are_elsewhere(desk: Desk) -> None:
    """Their network is no stranger's; that of a connection without a login has its share."""
    operators = [desk.logged_in() for _ in range(LEAST_PER_NETWORK)]
    others = [desk.transport("10.0.1.1") for _ in range(LIMITS.connections // 2 - LEAST_PER_NETWORK)]
    assert desk.transport("10.0.1.1").is_ending
    operators.append(desk.logged_in())
    assert all(operator.connect()[0][0] == OKAY for operator in operators)
    assert not any(other.is_ending for other in others)


def test_silent_connections_do_not_keep_the_operator_out(desk: Desk) -> None:
    """An old one gives way: of the same network, or of that which has most if the server is full.

    A login takes at most two minutes.
    """
    clock = desk.server.clock
    operator = desk.logged_in()
    silent = [desk.transport() for _ in range(LIMITS.connections_per_address - 1)]
    clock.advance(YOUNG_SECONDS)
    assert desk.logged_in().connect()[0][0] == OKAY
    assert [one.is_ending for one in silent] == [True] + [False] * (len(silent) - 1)
    assert operator.connect()[0][0] == OKAY
    others = [desk.transport("10.0.1.1") for _ in range(LEAST_PER_NETWORK)]
    assert desk.transport("10.0.1.1").is_ending, "its network has its share, and others make no room for it"
    others += [desk.transport("10.0.2.1") for _ in range(LEAST_PER_NETWORK)]
    assert not any(one.is_ending for one in (*silent[1:], *others))
    clock.advance(YOUNG_SECONDS)
    last = desk.console(address="192.168.1.1")
    assert last.connect()[0][0] == OKAY
    assert [one.is_ending for one in silent[1:]] == [True] + [False] * (len(silent) - 2)
    assert not any(one.is_ending for one in others)
    assert desk.logged_in().connect()[0][0] == OKAY, "as many old ones of its network give way as have to"
    clock.advance(LOGIN_SECONDS)
    assert all(one.is_ending for one in (*silent, *others))
    assert last.transport.is_ending  # type: ignore[attr-defined]
    assert operator.connect()[0][0] == OKAY


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "first line has to be a password of 12"),
        (b"short\n", "first line has to be a password of 12"),
        (b"with a space in it\n", "without spaces"),
        (b"x" * 2000, "to 1024 characters"),
        (b"\xff" * 20, "not UTF-8"),
        (None, "cannot be read: no such file"),
    ],
)
def test_a_password_that_is_none_is_refused(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "password"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConsoleError, match=reason):
        read_password(file)


def test_a_user_needs_a_password() -> None:
    with pytest.raises(ConfigError, match=r"admin\.password, the file with the password, is not"):
        load(None, {"admin.user": "operator"})


def test_the_port_is_there_only_with_a_password(serve: Callable[..., Process], tmp_path: Path) -> None:
    """A server as its operator runs it: local, with what its log says, and without a password no port at all."""
    port = free_port()
    (tmp_path / "secret").write_text(f"{PASSWORD}\n")
    config = tmp_path / "tpserver.toml"
    config.write_text(f'[admin]\nport = {port}\nuser = "{USER}"\npassword = "secret"\n')
    server = serve("--config", config)
    assert f"administration consoles: tp://127.0.0.1:{port}" in server.log.read_text()
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:

        def exchange(data: bytes) -> bytes:
            connection.sendall(data)
            received = b""
            while True:
                received += connection.recv(65536)
                whole, rest = 0, received
                while len(rest) >= 16 and len(rest) >= 16 + HEADER.unpack_from(rest)[3]:
                    whole += HEADER.unpack_from(rest)[1] != 0
                    rest = rest[16 + HEADER.unpack_from(rest)[3] :]
                if whole and not rest:
                    return received

        console = OldConsole(exchange)
        console.connect()
        assert console.login()[0] == OKAY
        assert console.command("game-create friday tae 2 - - - - 0")[0] == 0
        assert "friday" in console.command("game-list")[1]
        assert any("commands as operator: game create" in line for _, line in console.log)
    assert PASSWORD not in server.log.read_text()


def test_a_server_warns_of_consoles_that_others_reach_and_starts(serve: Callable[..., Process], tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(f"{PASSWORD}\n")
    config = tmp_path / "tpserver.toml"
    config.write_text(f'[admin]\naddress = "0.0.0.0"\nport = 0\nuser = "{USER}"\npassword = "secret"\n')
    said = serve("--config", config).log.read_text()
    assert "administration consoles: tp://0.0.0.0:" in said
    assert "[admin] address is 0.0.0.0: others can try passwords" in said


@pytest.mark.thorough
def test_a_bad_password_file_keeps_the_server_from_starting(start: Callable[..., Process], tmp_path: Path) -> None:
    config = tmp_path / "tpserver.toml"
    config.write_text('[admin]\nuser = "operator"\npassword = "nowhere"\n')
    server = start("run", "--no-parent", "--data", tmp_path / "data", "--port", "0", "--config", config, "--web", "off")
    with pytest.raises(ProcessFailed):
        server.wait_for("listens on")
    assert "admin.password is" in server.log.read_text()
