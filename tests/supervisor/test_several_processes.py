"""A server of three real processes on one PostgreSQL database."""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.support.orders import number, order, text
from tests.support.postgres import drop_tables
from tests.support.process import SECONDS, TPSERVER, is_running, run
from tests.support.server import HOST, PING, ServerProcess, free_ports, short_directory
from tests.support.wire import Client, Failed
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04
from tpserver.admin.socket_client import ask, ask_running
from tpserver.admin.socket_protocol import SocketPath, socket_name

PROCESSES = 3
HOME = 2
LISTENS = "00010000"
"""The kernel's flag for a Unix socket with a listener."""


class SeveralProcesses(ServerProcess):
    """A server of three processes."""

    def __init__(self, data: Path, database: str) -> None:
        self.cluster_port = free_ports(PROCESSES)
        self.configuration = data.with_suffix(".toml")
        self.configuration.write_text(
            f'[server]\nstore = "{database}"\n[cluster]\naddress = "{HOST}:{self.cluster_port}"\n'
            f"processes = {PROCESSES}\n"
        )
        super().__init__(data, "--config", str(self.configuration))
        self.told_ready: tuple[str, list[int | None]] = ("", [])
        """The message to the service manager when the server was ready, and the serving processes then."""

    def numbered(self) -> list[int]:
        """The numbers of the processes that serve, as the system counts them, in the order of the server's."""
        return [found for number in range(PROCESSES) if (found := self.process(number)) is not None]

    def process(self, number: int) -> int | None:
        """The process that listens at a control socket; None if nobody does."""
        place = str(self.data / socket_name(number))
        lines = (line.split() for line in Path("/proc/net/unix").read_text().splitlines())
        listens = {words[6] for words in lines if words[-1] == place and words[3] == LISTENS}
        found = (child for child in self.children() if listens & self.open_sockets(child))
        return next(found, None)

    @staticmethod
    def open_sockets(process: int) -> set[str]:
        """The inodes of the sockets that a process has."""
        found = set()
        with suppress(OSError):  # it has ended
            for file in Path(f"/proc/{process}/fd").iterdir():
                with suppress(OSError):  # closed meanwhile
                    opened = re.fullmatch(r"socket:\[(\d+)\]", str(file.readlink()))
                    found |= {opened[1]} if opened else set()
        return found

    def be_whole(self) -> list[int]:
        """Wait until all processes serve, and return their numbers."""
        found: list[int] = []

        def look() -> bool:
            found[:] = self.numbered()
            return len(found) == PROCESSES

        self.wait_until(look, "does not serve with all processes")
        for process in range(PROCESSES):
            self.ask(process, "audit", most=1)  # the socket is there a little sooner than anybody is answered
        return found

    def ask(self, process: int, operation: str, **arguments: object) -> list[str]:
        """Have one of the processes perform an operation."""
        with SocketPath(self.data, socket_name(process)) as path:
            return ask(path, operation, arguments)

    def connections(self, process: int) -> set[int]:
        """The ports of the clients that are connected to a process."""
        inodes = {}
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            words = line.split()
            ours, theirs = (int(words[place].partition(":")[2], 16) for place in (1, 2))
            if ours == self.port and theirs:
                inodes[words[9]] = theirs
        return {inodes[inode] for inode in self.open_sockets(process) & inodes.keys()}

    def connect(self, number: int) -> list[socket.socket]:
        """Connect so many times, one after the other; each is answered."""
        made = []
        for _ in range(number):
            made.append(socket.create_connection((HOST, self.port), 60))
            assert answers(made[-1])
        return made


def answers(connection: socket.socket) -> bool:
    """Return True if the server answers a ping; False if it has closed the connection."""
    try:
        connection.sendall(PING)
        return connection.recv(1000)[:4] == b"TP03"
    except OSError:
        return False


@pytest.fixture(scope="module")
def started(postgres: str) -> Iterator[SeveralProcesses]:
    drop_tables(postgres)
    with (
        short_directory() as directory,
        SeveralProcesses(directory / "data", postgres) as server,
        closing(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)) as manager,
    ):
        manager.bind(str(directory / "notify"))
        manager.settimeout(SECONDS)
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("NOTIFY_SOCKET", str(directory / "notify"))
            server.start()
        while "READY=1" not in (told := manager.recv(4096).decode()):
            pass
        server.told_ready = told, [server.process(number) for number in range(PROCESSES)]
        yield server
        server.kill()
        server.wait_until(lambda: not server.numbered(), "leaves processes behind") if server.is_running else None
    drop_tables(postgres)


@pytest.fixture
def server(started: SeveralProcesses) -> SeveralProcesses:
    """A server that is whole."""
    if not started.is_running:
        started.start()
    started.be_whole()
    return started


@pytest.fixture
def connections(server: SeveralProcesses) -> Iterator[list[socket.socket]]:
    """Connections to it, which are closed afterwards."""
    made = server.connect(30)
    yield made
    for each in made:
        each.close()


@pytest.mark.thorough
def test_a_service_manager_is_told_when_all_serve(started: SeveralProcesses) -> None:
    told, processes = started.told_ready
    assert f"STATUS=3 processes serve ({', '.join(map(str, processes))})" in told.splitlines()


@pytest.mark.thorough
def test_connections_are_spread_over_the_processes(server: SeveralProcesses, connections: list[socket.socket]) -> None:
    """Each is a node of its own."""
    spread = [len(server.connections(process)) for process in server.numbered()]
    assert sum(spread) == len(connections) and min(spread) >= len(connections) // PROCESSES - 5, spread
    listed = server.command("node", "list", "--config", server.configuration)
    living = {words[1] for line in listed.splitlines() if (words := line.split())[-2] == "lives"}
    assert living == {f"{HOST}:{server.cluster_port + number}" for number in range(PROCESSES)}


@pytest.mark.parametrize(
    "which", [0, *(pytest.param(which, marks=pytest.mark.thorough) for which in range(1, PROCESSES))]
)
def test_a_process_that_is_killed_costs_its_own_connections_and_is_replaced(
    server: SeveralProcesses, connections: list[socket.socket], which: int
) -> None:
    """Also the first one, which has opened the ports."""
    before = server.numbered()
    lost = server.connections(before[which])
    begun = time.monotonic()
    os.kill(before[which], signal.SIGKILL)
    server.wait_until(lambda: not is_running(before[which]), "has a process that cannot be killed")
    assert ask_running(server.data, "audit", {"most": 1}), "another one performs commands meanwhile"
    after = server.be_whole()
    took = time.monotonic() - begun
    assert [old == new for old, new in zip(before, after, strict=True)] == [
        number != which for number in range(PROCESSES)
    ]
    still = {each.getsockname()[1] for each in connections if answers(each)}
    assert still == {each.getsockname()[1] for each in connections} - lost
    print(f"process {which} was replaced after {took:.1f} s")
    more = server.connect(30)
    assert len(server.connections(after[which])) > 0, "it accepts as the others do"
    for each in more:
        each.close()


@pytest.mark.thorough
def test_rules_that_hang_end_the_process_that_has_the_game_and_no_other(
    server: SeveralProcesses, connections: list[socket.socket]
) -> None:
    """The game is held, and nothing else has changed for the others."""
    before = server.numbered()
    name = f"bad{before[2]}"
    server.ask(2, "game create", name=name, ruleset="rotten", seats=1, clock="manual")
    kept = [each for each in connections if each.getsockname()[1] not in server.connections(before[2])]
    client = logged_in(server, f"ann@{name}")
    client.learn_orders()
    client.begin("order_insert", order(HOME, 1, number(0), text("check in-c")))
    server.wait_until(lambda: server.process(2) not in (before[2], None), "has not replaced the process")
    assert server.be_whole()[:2] == before[:2]
    assert all(map(answers, kept))
    client.socket.close()
    assert "is held: a call of its rules did not end" in server.said
    assert "held" in server.command("game", "show", name)


def logged_in(server: SeveralProcesses, user: str) -> Client:
    """A client that is logged in, through whichever process lets it."""
    for _ in range(200):
        client = Client(server.port, TP04)
        client.one("connect", tp.Connect(client="test"), tp.Okay)
        try:
            client.one("login", tp.Login(username=user, password="secret"), tp.Okay)
            return client
        except Failed as refused:
            client.socket.close()
            assert "is played on another node" in refused.text
    raise AssertionError("no process lets anybody in")


def test_commands_reach_the_process_that_has_the_game(server: SeveralProcesses) -> None:
    """Whichever is asked, what is done is done once, and so written down."""
    for process in range(PROCESSES):
        name = f"of{process}x{server.pid}"
        server.ask(process, "game create", name=name, ruleset="auction", seats=2, clock="manual")
    for asked in range(PROCESSES):
        for process in range(PROCESSES):
            name = f"of{process}x{server.pid}"
            assert server.ask(asked, "game show", name=name)[0].startswith(name)
    server.command("game", "rename", f"of2x{server.pid}", f"new{server.pid}")
    assert f"new{server.pid}: " in server.command("game", "show", f"new{server.pid}")
    audit = server.command("audit", f"of2x{server.pid}")
    assert audit.count("game rename") == 1 and "the operator" in audit


def test_a_command_that_was_passed_on_is_not_passed_on_again(server: SeveralProcesses) -> None:
    """Two processes that each take the other for the holder would ask each other for ever."""
    name = f"once{server.pid}"
    server.ask(1, "game create", name=name, ruleset="auction", seats=2, clock="manual")
    with SocketPath(server.data, socket_name(0)) as path, socket.socket(socket.AF_UNIX) as asking:
        asking.connect(path)
        asking.sendall(
            b'{"tpserver":1,"operation":"game show","arguments":{"name":"%s"},"actor":"me"}\n' % name.encode()
        )
        reply = asking.makefile().readline()
    assert f"it is played on the node at {HOST}:{server.cluster_port + 1}; give the command to that server" in reply


def test_reload_reaches_all_processes(server: SeveralProcesses) -> None:
    """By the command, and by a signal."""
    text_before = server.configuration.read_text()
    try:
        server.configuration.write_text(f"{text_before}[server2]\n")
        ended = run(TPSERVER, "reload", "--data", server.data)
        assert ended.code != 0 and "there is no section [server2]" in ended.err
        server.configuration.write_text(f"{text_before}[limits]\npipeline = 77\n")
        said = len(server.said)
        assert "limits.pipeline is 77 now" in server.command("reload")
        assert server.said[said:].count("reload: limits.pipeline is 77 now") == PROCESSES
        server.configuration.write_text(text_before)
        said = len(server.said)
        server.send_signal(signal.SIGHUP)
        again = "reload: limits.pipeline is"
        server.wait_until(lambda: server.said[said:].count(again) == PROCESSES, "has not told all processes")
    finally:
        server.configuration.write_text(text_before)


@pytest.mark.thorough
def test_one_signal_stops_all(server: SeveralProcesses) -> None:
    """Pending requests are answered and saved, and no node is left for the others to wait for."""
    processes = server.numbered()
    said = len(server.said)
    assert server.stop() == 0
    assert not any(map(is_running, processes))
    assert server.said[said:].count("stopped; everything is saved") == PROCESSES
    assert "lives" not in server.command("node", "list", "--config", server.configuration)
    assert not list(server.data.glob("*.socket"))


@pytest.mark.thorough
def test_a_configuration_that_changes_meanwhile_stops_no_process_that_serves(server: SeveralProcesses) -> None:
    """A process that cannot start, as it is no longer a node, is tried again. The others go on."""
    before, text_before = server.numbered(), server.configuration.read_text()
    said = len(server.said)
    try:
        server.configuration.write_text(re.sub(r"(?s)\[cluster\].*", "", text_before))
        os.kill(before[1], signal.SIGKILL)
        server.wait_for("is one of several processes", said)
        assert server.process(0) == before[0] and server.process(2) == before[2]
        for each in server.connect(5):
            each.close()
    finally:
        server.configuration.write_text(text_before)
    server.be_whole()
