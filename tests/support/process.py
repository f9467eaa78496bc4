"""Programs of this project as separate processes: run, watched, ended."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.support.preloaded import Preloaded

PLUGINS = Path(__file__).parents[1] / "plugins"
TPSERVER, TPCLIENT = (Path(sys.executable).with_name(name) for name in ("tpserver", "tpclient"))
SECONDS = 240.0
"""Maximum seconds for any expected action of a process on a busy machine."""


class ProcessFailed(Exception):
    """A process ended, or did not do in time what was waited for; the message has the end of what it said."""


class Ended(NamedTuple):
    """The exit of a process, and its output."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def environment(**more: str) -> dict[str, str]:
    """The environment of every process: the test rulesets are found like installed ones, output is not held back."""
    paths = os.pathsep.join(dict.fromkeys(filter(None, [str(PLUGINS), os.environ.get("PYTHONPATH", "")])))
    return {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1", **more}


def run(*command: object, stdin: str = "", seconds: float = SECONDS) -> Ended:
    """Run a program to its end. Raises ProcessFailed if it takes too long."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, input=stdin, capture_output=True, text=True, env=environment(), timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired as late:
        said = (late.output or b"").decode(errors="replace")
        raise ProcessFailed(f"{' '.join(words)} is stuck after {seconds:g} seconds:\n{said}") from None
    return Ended(done.returncode, done.stdout, done.stderr)


class Process:
    """A program that runs until it is stopped, and can be started again. A `with` block kills it at its end.

    All its output of all its lives is added to the file `log`. A `preloaded` one begins in a copy of a process which
    has loaded the modules of `tpserver`. It can be no other program.
    """

    def __init__(self, *command: object, log: Path, preloaded: bool = False, **more_environment: str) -> None:
        self.command_line = [str(word) for word in command]
        self.log = log
        self.preloaded = preloaded and sys.platform == "linux"
        self.more_environment = more_environment
        self._process: subprocess.Popen[bytes] | Preloaded | None = None

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def spawn(self) -> None:
        """Start the process and do not wait for it."""
        if self.preloaded:
            self.log.touch()
            self._process = Preloaded(self.command_line[1:], self.log, environment(**self.more_environment))
            return
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command_line,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment(**self.more_environment),
            )

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    # --- what it says and does

    @property
    def said(self) -> str:
        return self.log.read_text(errors="replace")

    def tail(self, lines: int = 40) -> str:
        """The end of what the process has said."""
        return "\n".join(self.said.splitlines()[-lines:])

    def wait_for(self, pattern: str, after: int = 0) -> re.Match[str]:
        """Return the first match in what the process has said or will say, from a position on. Raises ProcessFailed."""
        wanted = re.compile(pattern, re.MULTILINE)
        self.wait_until(lambda: wanted.search(self.said, after) is not None, f"has not said {pattern!r}")
        found = wanted.search(self.said, after)
        assert found is not None
        return found

    def wait_until(self, test: Callable[[], bool], otherwise: str) -> None:
        """Poll until a condition is true. Raises ProcessFailed if it can no longer become true."""
        give_up = time.monotonic() + SECONDS
        while True:
            was_running = self.is_running
            if test():
                return
            if not was_running:
                raise ProcessFailed(f"the process has ended and {otherwise}:\n{self.tail()}")
            if time.monotonic() > give_up:
                raise ProcessFailed(f"the process {otherwise} after {SECONDS:g} seconds:\n{self.tail()}")
            time.sleep(0.005)

    def children(self) -> list[int]:
        """The numbers of the processes that this one has started."""
        return children_of(self.pid)

    # --- its end

    def send_signal(self, by: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(by)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Ask the process to end, as an operator does, and return its exit code; all that it started has ended, too."""
        family = self._family()
        self.send_signal(by)
        return self._ended(family)

    def end(self) -> int:
        """Wait until the process has ended by itself, with all that it started; return its exit code.

        Raises ProcessFailed.
        """
        return self._ended(self._family())

    def _family(self) -> list[int]:
        """The process and those that it has started, and so on."""
        found = [self.pid] if self.is_running else []
        for process in found:
            with suppress(OSError):
                found += children_of(process)
        return found

    def _ended(self, family: list[int]) -> int:
        assert self._process is not None
        give_up = time.monotonic() + SECONDS
        while (code := self._process.poll()) is None or any(map(is_running, family)):
            if time.monotonic() > give_up:
                raise ProcessFailed(f"the process does not end within {SECONDS:g} seconds:\n{self.tail()}")
            time.sleep(0.005)
        return code

    def kill(self) -> None:
        """End the process at once, as a power cut would, and not wait for what it started."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(SECONDS)


def children_of(process: int) -> list[int]:
    """The numbers of the processes that a process has started."""
    return [int(word) for word in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    """Return True if a process of this number has not ended. Its first thread may end before the others."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z" or len(list(Path(f"/proc/{process}/task").iterdir())) > 1
    except OSError:
        return False
