"""Urgent notifications to the operator, at the operator's addresses.

A separate process (`operator_message`) sends each message, so a slow library or receiver cannot block the server. The
database does not store these messages: they concern this server now, and must go out if the database fails.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.printable import printable
from tpserver.concurrency import Timer
from tpserver.periodic import Repeated

log = Logger()

COMMAND = (sys.executable, "-m", "tpserver.admin.operator_message")
SECONDS = 60.0
"""Maximum seconds of a process that delivers a message."""
TRIES = 4
FIRST_PAUSE = 60.0
"""Seconds before a failed message is tried again; each later pause is four times as long."""
MOST_WAITING = 20
"""Maximum waiting messages; the log has those beyond it, too."""
QUIET_SECONDS = 6 * 3600.0
"""Minimum seconds between two messages about the same subject."""
MOST_REMEMBERED = 1000
LONGEST_TEXT = 1000
LOOK_SECONDS = 600.0
"""Seconds between looks at the disk."""
RUNNING = "tpserver.running"
"""A file in the data directory while a server runs.

A requested stop removes it. It contains the time of the operator's last notification of a crash. Each of several
processes has a file.
"""
CRASH_SECONDS = 600.0
"""Seconds without a notification of another crash."""


class OperatorNotices:
    """Sends messages to the operator's ``addresses``, one after the other.

    Each gets at most TRIES tries. ``server`` is the name of the server. Used on the reactor's thread.
    """

    def __init__(self, reactor: Any, addresses: Sequence[str], server: str, command: Sequence[str] = COMMAND) -> None:
        self._reactor = reactor
        self._addresses = list(addresses)
        self._server = server
        self._command = command
        self._waiting: deque[tuple[str, str]] = deque()
        self._told: OrderedDict[str, float] = OrderedDict()
        self._sending: _Sending | None = None
        self._pause: Timer | None = None
        self._stopped = False

    def tell(self, about: str, subject: str, text: str) -> None:
        """Send a message, unless one ``about`` the same was sent within QUIET_SECONDS. Does not wait."""
        now = self._reactor.seconds()
        if self._stopped or not self._addresses or now - self._told.get(about, float("-inf")) < QUIET_SECONDS:
            return
        if len(self._waiting) >= MOST_WAITING:
            log.warn("too many notices to the operator are waiting, so this one is dropped: {subject}", subject=subject)
            return
        self._told[about] = now
        self._told.move_to_end(about)
        if len(self._told) > MOST_REMEMBERED:
            self._told.popitem(last=False)
        self._waiting.append((f"{self._server}: {printable(subject, 200)}", printable(text, LONGEST_TEXT)))
        self._next()

    def stop(self) -> None:
        """Send nothing more, and cancel the current message."""
        self._stopped = True
        if self._pause is not None and self._pause.active():
            self._pause.cancel()
        if self._sending is not None:
            self._sending.kill("the server stops")

    def _next(self) -> None:
        if not self._stopped and self._sending is None and self._pause is None and self._waiting:
            self._try(*self._waiting.popleft(), tries=1)

    def _try(self, subject: str, text: str, tries: int) -> None:
        self._pause = None
        if self._stopped:
            return
        told = {"addresses": self._addresses, "title": subject, "body": text}
        self._sending = _Sending(self._reactor, lambda problem: self._ended(problem, subject, text, tries))
        self._sending.begin(self._command, json.dumps(told).encode())

    def _ended(self, problem: str, subject: str, text: str, tries: int) -> None:
        self._sending = None
        if self._stopped:
            return
        if problem and tries < TRIES:
            wait = FIRST_PAUSE * 4 ** (tries - 1)
            self._pause = self._reactor.callLater(wait, self._try, subject, text, tries + 1)
            return
        if problem:
            log.error("the operator could not be notified of {subject}: {problem}", subject=subject, problem=problem)
        self._next()


class _Sending(ProcessProtocol):
    """A process that delivers one message; ``ended`` is called with its error, or with an empty text."""

    transport: Any = None

    def __init__(self, reactor: Any, ended: Callable[[str], None]) -> None:
        self._reactor = reactor
        self._ended = ended
        self._late: Timer | None = None
        self._problem = ""
        self._said = b""
        self._input = b""

    def begin(self, command: Sequence[str], told: bytes) -> None:
        self._input = told
        try:
            self._reactor.spawnProcess(self, command[0], command, env=os.environ)
        except Exception as error:
            self._ended(f"no process could be begun: {error}")
            return
        self._late = self._reactor.callLater(SECONDS, self.kill, f"not done after {SECONDS:g} s")

    def kill(self, why: str) -> None:
        self._problem = why
        if self.transport is not None:
            with contextlib.suppress(ProcessExitedAlready):
                self.transport.signalProcess("KILL")

    def connectionMade(self) -> None:
        # By its input, as all users of this machine see the arguments of a command.
        self.transport.write(self._input)
        self.transport.closeStdin()

    def outReceived(self, data: bytes) -> None:
        self._said = (self._said + data)[-LONGEST_TEXT:]

    errReceived = outReceived

    def processEnded(self, reason: Failure) -> None:
        if self._late is not None and self._late.active():
            self._late.cancel()
        lines = self._said.decode(errors="replace").split("\n")
        said = next((line for line in reversed(lines) if line.strip()), "it said nothing")
        self._ended(self._problem or ("" if isinstance(reason.value, ProcessDone) else printable(said, 200)))


class DiskWatch:
    """Calls ``low`` with a directory and its free bytes as long as these are less than ``least``."""

    def __init__(self, reactor: Any, places: Sequence[Path], least: int, low: Callable[[Path, int], None]) -> None:
        self._places = places
        self._least = least
        self._low = low
        self._looking = Repeated(reactor, LOOK_SECONDS, self.look)

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        self._looking.stop()

    def look(self) -> None:
        for place in self._places:
            with contextlib.suppress(OSError):  # the directory of backups may not exist yet
                free = shutil.disk_usage(place).free
                if free < self._least:
                    self._low(place, free)


def _running(data: Path, process: int) -> Path:
    return data / (f"{RUNNING}-{process}" if process else RUNNING)


def begin_running(data: Path, now: float, process: int = 0) -> bool:
    """Record in the data directory that a server process runs; return whether an earlier one crashed.

    ``process`` is the number of the process. A process has crashed if its record still exists. The result is True at
    most once in CRASH_SECONDS.
    """
    file = _running(data, process)
    there, told = file.exists(), 0.0
    with contextlib.suppress(OSError, ValueError):
        told = float(file.read_text() or 0)
    is_news = there and not 0 <= now - told < CRASH_SECONDS
    with contextlib.suppress(OSError):
        file.write_text(str(now if is_news else told))
    return is_news


def end_running(data: Path, process: int = 0) -> None:
    """Record that the server stops on request."""
    with contextlib.suppress(OSError):
        _running(data, process).unlink(missing_ok=True)
