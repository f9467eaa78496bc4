"""A server in memory, the one that the tests of requests have, and clients as old graphical programs are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "requests"))
sys.path.insert(0, str(Path(__file__).parent))

from server_in_memory import Server, making_servers  # its folder is known from here on


@pytest.fixture
def make_server() -> Iterator[Callable[..., Server]]:
    """Make servers, each on a database of its own; all are stopped after the test."""
    with making_servers() as make:
        yield make
