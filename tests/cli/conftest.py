"""Fixtures: commands in this process or in another, and running servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.support.process import TPSERVER, Ended, Process, run
from tpserver.cli import main

Run = Callable[..., Ended]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory that does not exist yet."""
    return tmp_path / "data"


@pytest.fixture
def tpserver(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process; its whole way but the start of Python."""

    def run(*arguments: object) -> Ended:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        return Ended(code, *capfd.readouterr())

    return run


@pytest.fixture
def process() -> Run:
    """Run a command in a process of its own."""
    return partial(run, TPSERVER)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Start a process that goes on; killed after the test if it still runs."""
    with ExitStack() as stack:
        logs = (tmp_path / f"process{number}.log" for number in range(100))

        def start(*arguments: object, preloaded: bool = False) -> Process:
            started = stack.enter_context(Process(TPSERVER, *arguments, log=next(logs), preloaded=preloaded))
            started.spawn()
            return started

        yield start


@pytest.fixture
def serve(start: Callable[..., Process], data: Path) -> Callable[..., Process]:
    """Start ``tpserver run`` on the data directory, without a supervisor, and wait until it listens."""

    def serve(*arguments: object) -> Process:
        words = ["run", "--no-parent", "--data", data, "--port", "0", "--web-port", "0", *arguments]
        server = start(*words, preloaded=True)
        server.wait_for(r"listens on (.+?); data in")
        return server

    return serve
