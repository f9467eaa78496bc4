"""A server in memory for tests of games: the one that the tests of requests have, in the folder beside this one."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from twisted.logger import formatEvent, globalLogPublisher

sys.path.insert(0, str(Path(__file__).parents[1] / "requests"))

from server_in_memory import Server, making_servers  # its folder is known from here on


@pytest.fixture
def make_server() -> Iterator[Callable[..., Server]]:
    """Make servers, each on a database of its own; all are stopped after the test."""
    with making_servers() as make:
        yield make


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    """A server without games, where any name makes an account."""
    return make_server()


@pytest.fixture
def open_stored(make_server: Callable[..., Server]) -> Iterator[Callable[[str], Server]]:
    """Return a server on a copy of a stored database of this folder, with its games loaded."""
    opened: list[Server] = []

    def open_stored(name: str) -> Server:
        path = make_server().path.with_name("stored.sqlite")
        path.write_bytes(gzip.decompress(Path(__file__).with_name(name).read_bytes()))
        server = Server(path)
        opened.append(server)
        server.registry.load_all()
        server.settle()
        return server

    yield open_stored
    for server in opened:
        server.stop()


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """What is logged during the test, a line an event."""
    lines: list[str] = []

    def observe(event: dict[str, object]) -> None:
        lines.append(formatEvent(event))

    globalLogPublisher.addObserver(observe)
    yield lines
    globalLogPublisher.removeObserver(observe)
