"""A server as its operator runs it: a process of its own, a data directory, a port of this machine."""

from __future__ import annotations

import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

PLUGINS = Path(__file__).parents[1] / "plugins"
PROGRAM = Path(sys.executable).with_name("tpserver")
HOST = "127.0.0.1"
DATABASE = "tpserver.sqlite"
PING = b"TP03" + struct.pack(">III", 1, 27, 0)

START_SECONDS = 240.0
"""What a start may take, however busy the machine is."""

STOP_SECONDS = 240.0


class ServerFailed(Exception):
    """The server ended, or did not do in time what was waited for; the message has the end of its log."""


def environment() -> dict[str, str]:
    """The environment of every process: the test rulesets are found like installed ones, output is not held back."""
    paths = [str(PLUGINS), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(filter(None, paths))), "PYTHONUNBUFFERED": "1"}


def free_port() -> int:
    """A port of 127.0.0.1 where nobody listens.

    Below the range from which systems take the ports of outgoing connections, so that no client gets it meanwhile.
    """
    for port in random.SystemRandom().sample(range(20_000, 32_000), 200):
        with socket.socket() as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((HOST, port))
            except OSError:
                continue
            return port
    raise ServerFailed("no port of this machine is free")


class LiveServer:
    """`tpserver run` on a data directory; to be used as a context manager, which kills whatever still runs."""

    def __init__(self, data: Path, *arguments: str, port: int | None = None) -> None:
        self.data = data
        self.port = port or free_port()
        self.web = () if any(word.startswith("--web") for word in arguments) else ("--web-port", "0")
        self.arguments = arguments
        self.log = data.parent / f"{data.name}.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def database(self) -> Path:
        return self.data / DATABASE

    def __enter__(self) -> LiveServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the process and do not wait for it."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [str(PROGRAM), "run", "--data", str(self.data), "--port", str(self.port), *self.web, *self.arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(),
            )
        return self.process

    def start(self) -> float:
        """Start the process, wait until it answers, and return the seconds that took."""
        begun = time.monotonic()
        self.spawn()
        self.wait_until_it_answers()
        return time.monotonic() - begun

    def wait_until_it_answers(self) -> None:
        """Raises ServerFailed if the process ends, or takes longer than START_SECONDS."""
        self.wait_until(self._answers, "does not answer")

    def wait_until(self, test: Callable[[], bool], otherwise: str) -> None:
        """Look again and again until something has come about. Raises ServerFailed as above."""
        give_up = time.monotonic() + START_SECONDS
        while not test():
            if not self.is_running:
                raise ServerFailed(f"the server has ended and {otherwise}:\n{self.tail()}")
            if time.monotonic() > give_up:
                raise ServerFailed(f"the server {otherwise} after {START_SECONDS:g} seconds:\n{self.tail()}")
            time.sleep(0.005)

    def _answers(self) -> bool:
        with socket.socket() as trial:
            trial.settimeout(START_SECONDS)
            try:
                trial.connect((HOST, self.port))
                trial.sendall(PING)
                return trial.recv(4) == b"TP03"
            except OSError:
                return False

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def children(self) -> list[int]:
        """The numbers of the processes that the server has started."""
        return children_of(self.serving())

    def serving(self) -> int:
        """The number of the process that serves; the one that was started is its parent, the first to be asked."""
        assert self.process is not None
        return children_of(self.process.pid)[0]

    def kill(self) -> None:
        """End the process at once, as a power cut would; nothing happens if it does not run."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(STOP_SECONDS)

    def stop(self) -> int:
        """Ask the process to end, as an operator does, and return its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise ServerFailed(f"the server does not stop within {STOP_SECONDS:g} seconds:\n{self.tail()}") from None

    def tail(self, lines: int = 40) -> str:
        """The end of what the server has said."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def create_game(
        self, name: str, ruleset: str, seats: int, *, clock: str = "all-done", seed: str = "", **options: object
    ) -> None:
        """Make a game; the running server does it if there is one."""
        arguments = ["game", "create", name, "--ruleset", ruleset, "--seats", str(seats), "--clock", clock]
        if seed:
            arguments += ["--seed", seed]
        for option, value in options.items():
            arguments += ["--option", f"{option}={value}"]
        command(*arguments, data=self.data)


def children_of(process: int) -> list[int]:
    """The numbers of the processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    """Whether there is a process of this number that has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def command(*arguments: str, data: Path, seconds: float = 240.0) -> str:
    """Run `tpserver` with these arguments on a data directory and return what it prints.

    Raises ServerFailed if it does not succeed.
    """
    code, output = attempt([*arguments, "--data", str(data)], seconds)
    if code:
        raise ServerFailed(f"tpserver {' '.join(arguments)} ended with {code}:\n{output}")
    return output


def attempt(
    arguments: Iterable[str], seconds: float = 240.0, more_environment: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Run `tpserver` and return its exit code and all that it prints. Raises ServerFailed if it takes too long."""
    arguments = list(arguments)
    try:
        done = subprocess.run(
            [str(PROGRAM), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**environment(), **(more_environment or {})},
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        said = (late.output or b"").decode(errors="replace")
        raise ServerFailed(f"tpserver {' '.join(arguments)} is stuck after {seconds:g} seconds:\n{said}") from None
    return done.returncode, done.stdout.decode(errors="replace")
