"""A server in memory for tests of requests: see `server_in_memory.py`, which tests beside this file import."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from server_in_memory import DIALECTS, Server, making_servers  # its folder is known from here on


@pytest.fixture
def make_server() -> Iterator[Callable[..., Server]]:
    """Make servers, each on a database of its own; all are stopped after the test."""
    with making_servers() as make:
        yield make


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    """A server without games, where any name makes an account."""
    return make_server()


@pytest.fixture(params=list(DIALECTS))
def dialect(request: pytest.FixtureRequest) -> str:
    """Each dialect in turn."""
    return str(request.param)
