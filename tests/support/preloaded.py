"""Programs of the server that begin in a copy of a process which has loaded their modules already.

Loading them is two thirds of what the start of a server costs, and the tests start hundreds.  What it does from there
on is its own: arguments, environment, outputs, exit code, signals.  Tests of the start itself, and of several
processes that watch each other, start the program as its users do.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from pathlib import Path
from typing import Any

MODULES = (
    "autobahn.nvx",
    "cryptography.x509",
    "sqlalchemy.dialects.sqlite",
    "tprules.antshouse",
    "tprules.colony_battle",
    "tprules.swarm",
    "tprules.tae",
    "tprules.taller_ants",
    "tpserver.accounts.accounts",
    "tpserver.admin.console",
    "tpserver.admin.operations",
    "tpserver.cli.options",
    "tpserver.config",
    "tpserver.games.registry",
    "tpserver.net.factory",
    "tpserver.publishing.lan",
    "tpserver.requests.dispatch",
    "tpserver.rules.discovery",
    "tpserver.store",
    "tpserver.web.http",
)
"""What every server loads, but for Twisted's reactor, which must not be shared, and for what needs to know of TLS."""

TESTS = Path(__file__).parents[1]
"""What the tests add to the path of modules is not there for a server."""

_made: list[Any] = []


class Preloaded:
    """What `subprocess.Popen` is for a program: `pid`, `poll`, `wait`, `send_signal`, `kill`."""

    def __init__(self, arguments: list[str], log: Path, environment: dict[str, str]) -> None:
        if not _made:
            _made.append(multiprocessing.get_context("forkserver"))
            _made[0].set_forkserver_preload(list(MODULES))
        self._process = _made[0].Process(target=_tpserver, args=(arguments, str(log), environment), daemon=True)
        self._process.start()
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        code: int | None = self._process.exitcode
        return code

    def wait(self, seconds: float) -> None:
        self._process.join(seconds)

    def send_signal(self, by: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, by)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _tpserver(arguments: list[str], log: str, environment: dict[str, str]) -> None:
    """Become ``tpserver`` with these arguments; all that it says is added to the file `log`."""
    os.environ.clear()
    os.environ.update(environment)
    named = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = dict.fromkeys([*named, *(path for path in sys.path if not Path(path).is_relative_to(TESTS))])
    outputs = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
    for output in (1, 2):
        os.dup2(outputs, output)
    os.close(outputs)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(write_through=True)  # type: ignore[union-attr] # both are text files
    sys.argv = ["tpserver", *arguments]
    from tpserver.cli import main

    sys.exit(main())
