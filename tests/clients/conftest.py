"""The real server for tests of clients, in memory or listening in a thread, and a shell for the plain commands."""

import io
from collections.abc import Callable, Iterator

import pytest

from tests.clients.bot_boards import fake_game, fake_server, refused, tae_game  # noqa: F401
from tests.requests.server_in_memory import SMALL_BOARD, making_servers
from tests.support.memory_client import MemoryServer, Served
from tpclient.cli import main


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
def workshop(served: Served) -> Served:
    """A server that listens, with a game of the workshop for ann and ben."""
    served.do(served.server.begin, "ann", "ben")
    return served


@pytest.fixture
def tae(served: Served) -> Served:
    """A server that listens, with a game of TaE on a board of 4 x 3 systems for ann and ben."""
    served.do(served.server.begin, "ann", "ben", ruleset="tae", options={"board": SMALL_BOARD})
    return served


class Shell:
    """Types plain commands: `shell(served, "status")` gives exit code, output and errors."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.monkeypatch = monkeypatch
        self.capsys = capsys
        for name in ("ADDRESS", "USER", "PASSWORD"):
            monkeypatch.delenv(f"TPCLIENT_{name}", raising=False)
        monkeypatch.delenv("COLUMNS", raising=False)

    def __call__(
        self, served: Served | str, *words: str, user: str = "ann", typed: str = "", dialect: str = "tp04"
    ) -> tuple[int, str, str]:
        address = served if isinstance(served, str) else served.address
        self.monkeypatch.setenv("TPCLIENT_ADDRESS", address)
        self.monkeypatch.setenv("TPCLIENT_USER", user)
        self.monkeypatch.setenv("TPCLIENT_PASSWORD", f"{user.partition('@')[0]}'s word")
        self.monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        try:
            code = main([*words, "--dialect", dialect])
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = end.code
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)
