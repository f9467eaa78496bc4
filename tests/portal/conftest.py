"""Fixtures: a portal in memory, with a game of two."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.portal.nodes_in_memory import ClusterInMemory
from tests.portal.portal_in_memory import EdgeServer
from tests.support.server_in_memory import DIALECTS, Server

SPOKEN = [name for name in DIALECTS if name != "json"]
"""JSON in memory is a list of messages; over the link goes its stream form, which WebSockets use."""


@pytest.fixture
def at(make_server: Callable[..., Any]) -> EdgeServer:
    """A portal whose server has taken over, with a game of ann and ben that has started."""
    return EdgeServer.with_a_game(make_server())


@pytest.fixture(params=["tp03", "pb"])
def dialect(request: pytest.FixtureRequest) -> str:
    """A binary dialect and Protocol Buffers in turn."""
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
