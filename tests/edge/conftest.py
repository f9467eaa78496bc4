"""An edge with a game of two in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.edge.edge_in_memory import EdgeServer
from tests.requests.server_in_memory import DIALECTS, making_servers

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
