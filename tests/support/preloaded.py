"""Server programs that start as a fork of a process with loaded modules.

Loading the modules is two thirds of the cost of a start, and the tests start hundreds of servers. After the fork a
program has its own arguments, environment, outputs, exit code and signals. Tests of the start itself, and of several
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
    "tpserver.games.hall.registry",
    "tpserver.wire.net.factory",
    "tpserver.publishing.lan",
    "tpserver.requests.dispatch",
    "tpserver.rules.discovery",
    "tpserver.store",
    "tpserver.wire.web.http",
)
"""Modules of every server, except Twisted's reactor, which must not be shared, and modules that need to know of TLS."""

TESTS = Path(__file__).parents[1]
"""A server does not see the additions of the tests to the path of modules."""

_made: list[Any] = []


class Preloaded:
    """A stand-in for `subprocess.Popen`: `pid`, `poll`, `wait`, `send_signal`, `kill`."""

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
