"""Scheduled backups of a running server.

A separate process makes each backup, so it shares no memory with the reactor and the rules.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.admin.backups import made_until, time_of
from tpserver.concurrency import Timer
from tpserver.periodic import Repeated

log = Logger()

LOOK_SECONDS = 60.0
"""Seconds between checks whether a backup is due.

That depends on the time of the newest one, so restarts do not matter.
"""

RETRY_SECONDS = 3600.0
"""Seconds between a failed backup and the next try."""

LONGEST_SECONDS = 3600.0
"""Maximum seconds of a backup before it is killed, as rules that it replays may hang."""

MOST_OUTPUT = 64 * 1024
"""Maximum bytes of a backup's output that are kept."""


class BackupSchedule:
    """Starts a backup by ``command`` whenever the newest in a directory is ``seconds`` old.

    ``now`` returns unix seconds. ``failed`` is called with the reason of a failure. Used on the reactor's thread.
    """

    def __init__(
        self,
        reactor: Any,
        command: Sequence[str],
        directory: Path,
        seconds: float,
        now: Callable[[], float],
        failed: Callable[[str], None] = lambda why: None,
    ) -> None:
        self._reactor = reactor
        self._command = command
        self._directory = directory
        self._seconds = seconds
        self._now = now
        self._failed = failed
        self._not_before = float("-inf")
        self._running: _Run | None = None
        self._stopped = False
        self._looking = Repeated(reactor, LOOK_SECONDS, self._look)

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        """Make no more backups, and kill a running one."""
        self._looking.stop()
        self._stopped = True
        if self._running is not None:
            self._running.kill()

    def _look(self) -> None:
        if self._running is not None or self._reactor.seconds() < self._not_before:
            return
        now = self._now()
        newest = next(iter(made_until(self._directory, now)), None)
        if newest is not None and now - time_of(newest) < self._seconds:
            return
        self._running = _Run(self._reactor)
        self._running.ended.addCallback(self._ended)
        self._running.begin(self._command)

    def _ended(self, problem: str) -> None:
        output = self._running.output if self._running is not None else b""
        self._running = None
        if self._stopped:
            return
        lines = output.decode(errors="replace").splitlines()
        if problem:
            self._not_before = self._reactor.seconds() + min(RETRY_SECONDS, self._seconds)
            said = (lines or ["it said nothing"])[-1].removeprefix("tpserver: ")
            log.error("the backup failed ({problem}): {said}", problem=problem, said=said)
            self._failed(f"{problem}: {said}")
            return
        for line in lines:
            log.info("backup: {line}", line=line)


class _Run(ProcessProtocol):
    """One backup; ``ended`` fires with the reason of its failure, or with an empty text."""

    transport: Any

    def __init__(self, reactor: Any) -> None:
        self.output = b""
        self.ended: Deferred[str] = Deferred()
        self._reactor = reactor
        self._late: Timer | None = None
        self._problem = ""

    def begin(self, command: Sequence[str]) -> None:
        try:
            self._reactor.spawnProcess(self, command[0], command, env=os.environ)
        except Exception as error:
            self.ended.callback(f"it could not be begun: {error}")
            return
        self._late = self._reactor.callLater(LONGEST_SECONDS, self.kill, f"not done after {LONGEST_SECONDS:g} s")

    def kill(self, why: str = "it was ended") -> None:
        self._problem = why
        if self.transport is not None:
            with contextlib.suppress(ProcessExitedAlready):
                self.transport.signalProcess("KILL")

    def outReceived(self, data: bytes) -> None:
        self.output = (self.output + data)[-MOST_OUTPUT:]

    errReceived = outReceived

    def processEnded(self, reason: Failure) -> None:
        if self._late is not None and self._late.active():
            self._late.cancel()
        done = isinstance(reason.value, ProcessDone)
        problem = self._problem or ("" if done else reason.getErrorMessage().rstrip("."))
        self.ended.callback(problem)
