"""The command line as an operator meets it: commands in this process or one of their own, and servers beside them."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tpserver.cli import main

PROGRAM = Path(sys.executable).with_name("tpserver")
SECONDS = 240.0
"""What any process may take, however busy the machine is."""


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Said]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data directory that does not exist yet."""
    return tmp_path / "data"


@pytest.fixture
def tpserver(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process; its whole way but the start of Python."""

    def run(*arguments: object) -> Said:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return run


@pytest.fixture
def process() -> Run:
    """Run a command in a process of its own."""

    def run(*arguments: object, stdin: str = "", seconds: float = SECONDS) -> Said:
        command = [str(PROGRAM), *(str(argument) for argument in arguments)]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=seconds, check=False)
        return Said(done.returncode, done.stdout, done.stderr)

    return run


class Server:
    """A process that goes on until it is told to stop; what it says is read as it comes."""

    def __init__(self, *arguments: object) -> None:
        self.said = ""
        self._process = subprocess.Popen(
            [str(PROGRAM), *(str(argument) for argument in arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the first match of ``pattern`` in what the process has said or is going to say."""
        give_up = time.monotonic() + SECONDS
        while (found := re.search(pattern, self.said)) is None:
            assert self._hear(give_up - time.monotonic()), f"it ended without {pattern!r}:\n{self.said}"
        return found

    def _hear(self, seconds: float) -> bool:
        assert self._process.stdout is not None
        out = self._process.stdout.fileno()
        ready, _, _ = select.select([out], [], [], max(0.0, seconds))
        assert ready, f"nothing more came in time:\n{self.said}"
        data = os.read(out, 65536)
        self.said += data.decode(errors="replace")
        return bool(data)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal and return the exit code."""
        self._process.send_signal(by)
        return self.end()

    def end(self) -> int:
        """Wait for the process to end by itself and return its exit code."""
        give_up = time.monotonic() + SECONDS
        while self._process.stdout and not self._process.stdout.closed and self._hear(give_up - time.monotonic()):
            pass
        return self._process.wait(SECONDS)

    def stop_listening(self) -> None:
        """Close our end of what the process says."""
        assert self._process.stdout is not None
        self._process.stdout.close()

    def clean_up(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(SECONDS)
        if self._process.stdout is not None:
            self._process.stdout.close()


@pytest.fixture
def start() -> Iterator[Callable[..., Server]]:
    """Start a process that goes on; killed after the test if it still runs."""
    started: list[Server] = []

    def run(*arguments: object) -> Server:
        started.append(Server(*arguments))
        return started[-1]

    yield run
    for server in started:
        server.clean_up()


@pytest.fixture
def serve(start: Callable[..., Server], data: Path) -> Callable[..., Server]:
    """Start ``tpserver run`` on the data directory and wait until it listens."""

    def run(*arguments: object) -> Server:
        server = start("run", "--data", data, "--port", "0", "--web-port", "0", *arguments)
        server.wait_for(r"listens on (.+?); data in")
        return server

    return run
