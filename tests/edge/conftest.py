"""An edge with a game of two in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.edge.edge_in_memory import EdgeServer
from tests.edge.nodes_in_memory import ClusterInMemory
from tests.requests.server_in_memory import DIALECTS, Server, making_servers

SPOKEN = [name for name in DIALECTS if name != "json"]
"""JSON in memory is a list of messages; over the link goes its stream form, which WebSockets use."""


@pytest.fixture(scope="session")
def make_server() -> Iterator[Callable[..., Any]]:
    with making_servers() as make:
        yield make


@pytest.fixture
def at(make_server: Callable[..., Any]) -> EdgeServer:
    """An edge whose server has taken over, with a game of ann and ben that has started."""
    return EdgeServer.with_a_game(make_server())


@pytest.fixture(params=SPOKEN)
def dialect(request: pytest.FixtureRequest) -> str:
    """Each dialect in turn."""
    return str(request.param)


@pytest.fixture
def cluster(cleared_postgres: str, tmp_path: Path) -> Iterator[ClusterInMemory]:
    """A cluster without nodes."""
    opened: list[Server] = []

    def open_server(name: str, **more: Any) -> Server:
        server = Server(tmp_path / name, cluster=cleared_postgres, **more)
        opened.append(server)
        server.registry.load_all()
        server.settle()
        return server

    made = ClusterInMemory(cleared_postgres, open_server)
    yield made
    for server in opened:
        server.stop()
    made.close()
