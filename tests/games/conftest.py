"""Fixtures: servers on stored databases, and the lines of the log."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from twisted.logger import formatEvent, globalLogPublisher

from tests.support.server_in_memory import Server


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
    """Log entries during the test, a line an event."""
    lines: list[str] = []

    def observe(event: dict[str, object]) -> None:
        lines.append(formatEvent(event))

    globalLogPublisher.addObserver(observe)
    yield lines
    globalLogPublisher.removeObserver(observe)
