"""The log: one readable line on standard error per event, printable and limited in length."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any, TextIO

from twisted.logger import (
    FilteringLogObserver,
    LogEvent,
    LogLevel,
    LogLevelFilterPredicate,
    formatEvent,
    globalLogBeginner,
    globalLogPublisher,
)
from twisted.python.failure import Failure

from tprules.printable import LONGEST_LINE, printable
from tpserver.rules.watchdog import CHECK_SECONDS, WATCHDOG, what_it_says

MOST_TRACE_LINES = 200


class Lines:
    """Writes events as lines: time in UTC, level, text; of a failure the error and place, and its traceback if
    wanted."""

    def __init__(self, out: TextIO, tracebacks: bool) -> None:
        self._out = out
        self._tracebacks = tracebacks

    def __call__(self, event: LogEvent) -> None:
        level = event.get("log_level")
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(event.get("log_time", time.time())))
        text = " | ".join(formatEvent(event)[: 2 * LONGEST_LINE].splitlines())
        failure = event.get("log_failure")
        if isinstance(failure, Failure):
            text = f"{printable(text, LONGEST_LINE // 2)}: {_what(failure)}"
        name = level.name if level is not None else "info"
        print(moment, f"{name:<8}", printable(text), file=self._out, flush=True)
        if isinstance(failure, Failure) and self._tracebacks:
            for line in _traceback(failure):
                print(printable(line), file=self._out)
            self._out.flush()


@cache
def be_quiet() -> None:
    """Log nothing until ``begin``: a command that only runs briefly reports errors in its one sentence.

    Twisted's default would print tracebacks.
    """
    globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)


def begin(level: str, tracebacks: bool) -> Callable[[str], None]:
    """Log events of ``level`` and above to standard error from now on; return a function that changes the level."""
    predicate = LogLevelFilterPredicate(defaultLogLevel=LogLevel.levelWithName(level))
    # Messages of the libraries about each factory and port do not concern the operator.
    for library in ("twisted", "log_legacy"):
        predicate.setLogLevelForNamespace(library, LogLevel.warn)
    filtered: Callable[..., Any] = FilteringLogObserver  # its interfaces are zope's, which mypy does not understand
    be_quiet()
    globalLogPublisher.addObserver(filtered(Lines(sys.stderr, tracebacks), [predicate]))
    return lambda name: predicate.setLogLevelForNamespace("", LogLevel.levelWithName(name))


def _what(failure: Failure) -> str:
    frames = failure.frames
    where = f" ({frames[-1][1].rsplit('/', 1)[-1]} line {frames[-1][2]})" if frames else ""
    return f"{'unknown' if failure.value is None else what_it_says(failure.value)}{where}"


def _traceback(failure: Failure) -> list[str]:
    """Return the lines of a traceback; of a long one, the beginning and the end."""
    try:
        lines = WATCHDOG.call(CHECK_SECONDS, failure.getTraceback).splitlines()
    except Exception:
        return ["the traceback cannot be shown"]
    half = MOST_TRACE_LINES // 2
    return lines if len(lines) <= MOST_TRACE_LINES else [*lines[:half], "...", *lines[-half:]]
