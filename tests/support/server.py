"""A server process with a data directory and local ports.

It runs as an operator would run it.
"""

from __future__ import annotations

import random
import re
import shutil
import socket
import struct
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.process import SECONDS, TPSERVER, Process, ProcessFailed, run
from tpserver.admin.socket_client import ask_running

HOST = "127.0.0.1"
PING = b"TP03" + struct.pack(">III", 1, 27, 0)


_reserved: deque[socket.socket] = deque()


def free_port() -> int:
    """A port of 127.0.0.1 where nobody listens, and which no other test of this machine gets meanwhile.

    Between the look and the start of a server others look, too, so the number is held in UDP, where nobody needs it,
    until 64 others were taken. It is below the range from which systems take the ports of outgoing connections.
    """
    for port in random.SystemRandom().sample(range(20_000, 32_000), 200):
        reservation = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            reservation.bind((HOST, port))
            with socket.socket() as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind((HOST, port))
        except OSError:
            reservation.close()
            continue
        _reserved.append(reservation)
        if len(_reserved) > 64:
            _reserved.popleft().close()
        return port
    raise ProcessFailed("no port of this machine is free")


def free_ports(number: int) -> int:
    """The first of so many ports one after the other, likewise."""
    while True:
        first = free_port()
        try:
            for port in range(first + 1, first + number):
                with socket.socket() as trial:
                    trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    trial.bind((HOST, port))
            return first
        except OSError:
            continue


class ServerProcess(Process):
    """`tpserver run` on a data directory; anybody may log in by any name unless `arguments` say otherwise.

    Browsers have a port, too, unless there is a `--web` among the arguments.
    """

    def __init__(self, data: Path, *arguments: str, preloaded: bool = False) -> None:
        self.port = free_port()
        self.web_port = 0 if "--web" in arguments else free_port()
        web = ["--web-port", self.web_port] if self.web_port else []
        accounts = [] if "--accounts" in arguments else ["--accounts", "open"]
        words = ["run", "--data", data, "--port", self.port, *web, *accounts, *arguments]
        super().__init__(TPSERVER, *words, log=data.parent / f"{data.name}.log", preloaded=preloaded)
        self._data_word = self.command_line.index("--data") + 1

    def __enter__(self) -> ServerProcess:
        return self

    @property
    def data(self) -> Path:
        """The data directory."""
        return Path(self.command_line[self._data_word])

    @data.setter
    def data(self, other: Path) -> None:
        """Serve another directory from the next start on, at the same address."""
        self.command_line[self._data_word] = str(other)

    @property
    def database(self) -> Path:
        return self.data / "tpserver.sqlite"

    @property
    def url(self) -> str:
        """Where browsers get their page."""
        return f"http://{HOST}:{self.web_port}/"

    def start(self) -> float:
        """Start the process, wait until it answers, and return the seconds that took."""
        begun = time.monotonic()
        self.spawn()
        self.wait_until(self._answers, "does not answer")
        return time.monotonic() - begun

    def _answers(self) -> bool:
        with socket.socket() as trial:
            trial.settimeout(SECONDS)
            try:
                trial.connect((HOST, self.port))
                trial.sendall(PING)
                return trial.recv(4) == b"TP03"
            except OSError:
                return False

    def serving(self) -> int:
        """The number of the process that serves; if it has a supervisor, that is the one that was started."""
        return self.pid if "--no-parent" in self.command_line else self.children()[0]

    def cpu_seconds(self) -> float:
        """The processor time that it has used, user and system, without its supervisor."""
        return cpu_seconds(self.serving())

    def memory(self) -> int:
        """The resident memory in bytes."""
        (size,) = re.findall(r"^VmRSS:\s*(\d+) kB$", Path(f"/proc/{self.serving()}/status").read_text(), re.MULTILINE)
        return int(size) * 1024

    def command(self, *arguments: object) -> str:
        """Run another `tpserver` command on the data and return what it prints. Raises ProcessFailed."""
        done = run(TPSERVER, *arguments, "--data", self.data)
        if done.code:
            raise ProcessFailed(f"tpserver {arguments} ended with {done.code}:\n{done.out}{done.err}")
        return done.out

    def create_game(
        self, name: str, ruleset: str, seats: int, *, clock: str = "all-done", seed: str = "", **options: object
    ) -> None:
        """Make a game: by the running server, asked directly as the command would, else by the command itself."""
        if self.is_running:
            arguments = {"name": name, "ruleset": ruleset, "seats": seats, "clock": clock}
            arguments |= {"seed": seed} if seed else {}
            arguments["options"] = {option: str(value) for option, value in options.items()}
            if ask_running(self.data, "game create", arguments) is not None:
                return
        words = ["--ruleset", ruleset, "--seats", seats, "--clock", clock, *(["--seed", seed] if seed else [])]
        words += [word for option, value in options.items() for word in ("--option", f"{option}={value}")]
        self.command("game", "create", name, *words)


def cpu_seconds(pid: int) -> float:
    """The processor time of a process by the kernel's scheduler: all threads that have not ended, to the nanosecond."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


@contextmanager
def short_directory(parent: Path | None = None) -> Iterator[Path]:
    """A directory that vanishes, with a short path: a control socket has to fit."""
    directory = Path(tempfile.mkdtemp(prefix="tp-", dir=parent))
    try:
        yield directory
    finally:
        shutil.rmtree(directory, ignore_errors=True)


@contextmanager
def running_server(*arguments: str) -> Iterator[ServerProcess]:
    """A server in a directory of its own, which runs and is killed at the end."""
    with short_directory() as directory, ServerProcess(directory / "data", *arguments) as server:
        server.start()
        yield server


@contextmanager
def preloaded_server(*arguments: str) -> Iterator[ServerProcess]:
    """The same for tests that are not about the start: without a supervisor, whose spare server costs as much again."""
    words = ("--no-parent", *arguments)
    with short_directory() as directory, ServerProcess(directory / "data", *words, preloaded=True) as server:
        server.start()
        yield server
