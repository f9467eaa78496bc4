"""Fixtures: the real server in memory or in a thread, and a shell.

Tests of plain commands type into the shell.
"""

import asyncio
import io
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.memory_client import MemoryServer, Served
from tests.support.server_in_memory import SMALL_BOARD, making_servers
from tpclient.cli import main
from tpclient.connection import Connection

PROGRAM = Path(sys.executable).with_name("tpserver")


@pytest.fixture
def make_server() -> Iterator[Callable[..., MemoryServer]]:
    """Make servers in memory, each on a database of its own."""
    with making_servers(MemoryServer) as make:
        yield make


@pytest.fixture
def server(make_server: Callable[..., MemoryServer]) -> MemoryServer:
    """A server in memory without games, where any name makes an account."""
    return make_server()


@pytest.fixture
def make_served() -> Iterator[Callable[..., Served]]:
    """Make servers that listen, each in a thread of its own."""
    with making_servers(Served) as make:
        yield make


@pytest.fixture
def served(make_served: Callable[..., Served]) -> Served:
    """A server that listens, without games, where any name makes an account."""
    return make_served()


@pytest.fixture
def owned(served: Served) -> Served:
    """A server with a game that ann has made, and in which ben plays."""

    def make(server: MemoryServer) -> None:
        ann = server.connect("pb")
        ann.ask("create_account", username="ann", password="ann's word")
        ann.ask("login_account", username="ann", password="ann's word")
        clock = "interval:7200 grace:60 bank:600"
        assert ann.ask("create_game", name="mine", ruleset="auction", seats=2, clock=clock).name == "okay"
        server.player("ben", game="mine")

    served.do(make, served.server)
    return served


@pytest.fixture
def mastered(served: Served) -> Served:
    """A server with a game of which ann is the game master, and in which dan and ben play."""

    def make(server: MemoryServer) -> None:
        ann = server.connect("pb")
        ann.ask("create_account", username="ann", password="ann's word")
        ann.ask("login_account", username="ann", password="ann's word")
        clock = "interval:7200"
        made = ann.ask("create_game", name="mine", ruleset="auction", seats=2, clock=clock, master=True)
        assert made.name == "okay"
        server.player("dan", game="mine"), server.player("ben", game="mine")

    served.do(make, served.server)
    return served


@pytest.fixture
def workshop(served: Served) -> Served:
    """A server that listens, with a game of the workshop for ann and ben."""
    served.do(served.server.begin, "ann", "ben")
    return served


@pytest.fixture
def tae(served: Served) -> Served:
    """A server that listens, with a game of TaE on a board of 4 x 3 systems for ann and ben."""
    served.do(served.server.begin, "ann", "ben", ruleset="tae", options={"board": SMALL_BOARD})
    return served


async def join(where: str) -> None:
    """Take the open seat, and wait until the game has begun."""
    async with await Connection.open(where) as connection:
        await connection.connect()
        await connection.login("me", "me's word")
        clock = await connection.time_remaining()
        while not clock.waiting:
            await connection.wait_for_change(0.5)
            clock = await connection.time_remaining()


@contextmanager
def opened(game: str) -> Iterator[str]:
    """The address of a throw-away server with one game that has begun, a bot in one of two seats."""
    words = ["play", game, "--seats", "2", "--bots", "1", "--seed", "7", "--port", "0", "--web", "off"]
    with subprocess.Popen([str(PROGRAM), *words], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            where = next(
                (found[1] for line in server.stdout if (found := re.search(r"listens on tp://(\S+\d)", line))), ""
            )
            assert where, "the server has ended without saying where it listens"
            asyncio.run(join(where))
            yield where
        finally:
            server.send_signal(signal.SIGINT)
            server.communicate(timeout=240)


class Shell:
    """Types plain commands: `shell(served, "status")` gives exit code, output and errors."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys
        for name in ("ADDRESS", "USER", "PASSWORD"):
            monkeypatch.delenv(f"TPCLIENT_{name}", raising=False)
        monkeypatch.delenv("COLUMNS", raising=False)

    def __call__(
        self, served: Served | str, *words: str, user: str = "ann", typed: str = "", dialect: str | None = "tp04"
    ) -> tuple[int, str, str]:
        address = served if isinstance(served, str) else served.address
        self.monkeypatch.setenv("TPCLIENT_ADDRESS", address)
        self.monkeypatch.setenv("TPCLIENT_USER", user)
        self.monkeypatch.setenv("TPCLIENT_PASSWORD", f"{user.partition('@')[0]}'s word")
        self.monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        try:
            code = main([*words, *(["--dialect", dialect] if dialect is not None else [])])
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = end.code
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)
