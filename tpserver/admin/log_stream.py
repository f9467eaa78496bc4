"""Live stream of log lines, for consoles that follow the log."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent, globalLogPublisher
from twisted.python.failure import Failure
from zope.interface import implementer  # type: ignore[import-untyped] # zope.interface has no annotations

from tprules.printable import LONGEST_LINE, printable
from tpserver.rules.call_limits import what_it_says

MOST_LINES = 500
"""Maximum lines that wait until the reactor has time to send them. Older lines are dropped."""

LEVELS = {"debug": 0, "info": 1, "warn": 2, "error": 3, "critical": 3}
"""The number of each level in the administration protocol."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: time in unix seconds, severity from 0 (debug) to 3 (error), and a printable text of limited length."""

    time: int
    level: int
    text: str


@implementer(ILogObserver)
class LogStream:
    """Collects log events of any thread while started.

    It passes them to `tell` on the reactor's thread. It never does so while an event is being logged: `tell` may log,
    and may be the source of the event.
    """

    def __init__(
        self, in_reactor: Callable[[Callable[[], None]], object], tell: Callable[[Sequence[LogLine]], None], level: str
    ) -> None:
        """`in_reactor` calls a function on the reactor's thread soon; it is called on any thread."""
        self._in_reactor = in_reactor
        self._tell = tell
        self._waiting: deque[LogLine] = deque(maxlen=MOST_LINES)
        self._lock = Lock()
        self._left_out = 0
        self._scheduled = False
        self.started = False
        self.set_level(level)

    def set_level(self, level: str) -> None:
        """Collect events of this level (debug, info, warn, error or critical) and above."""
        self._level: Any = LogLevel.levelWithName(level)

    def start(self) -> None:
        """Begin; a second call does nothing."""
        if not self.started:
            self.started = True
            globalLogPublisher.addObserver(self)  # type: ignore[arg-type] # zope's interfaces are none for mypy

    def stop(self) -> None:
        """Stop, and drop lines that were not passed on yet."""
        if self.started:
            self.started = False
            globalLogPublisher.removeObserver(self)  # type: ignore[arg-type] # see above
            self._waiting.clear()

    def __call__(self, event: LogEvent) -> None:
        level = event.get("log_level") or LogLevel.info
        # As in the server's own log, messages of libraries about each factory and port are left out.
        library = str(event.get("log_namespace", "")).partition(".")[0] in ("twisted", "log_legacy")
        if level < (max(self._level, LogLevel.warn) if library else self._level):
            return
        text = " | ".join(formatEvent(event)[: 2 * LONGEST_LINE].splitlines())
        failure = event.get("log_failure")
        if isinstance(failure, Failure) and failure.value is not None:
            text = f"{printable(text, LONGEST_LINE // 2)}: {what_it_says(failure.value)}"
        line = LogLine(int(event.get("log_time", 0)), LEVELS[level.name], printable(text))
        with self._lock:
            self._left_out += len(self._waiting) == MOST_LINES
            self._waiting.append(line)
            scheduled, self._scheduled = self._scheduled, True
        if not scheduled:
            self._in_reactor(self._flush)

    def _flush(self) -> None:
        with self._lock:
            lines, left_out = list(self._waiting), self._left_out
            self._waiting.clear()
            self._left_out, self._scheduled = 0, False
        if left_out and lines:
            text = f"{left_out} lines were left out here; the server's own log has them"
            lines.insert(0, LogLine(lines[0].time, LEVELS["warn"], text))
        if lines and self.started:
            self._tell(lines)
