"""Log output: one printable line of limited length per event.

It goes to standard error.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal, TextIO

from twisted.logger import (
    FilteringLogObserver,
    LogEvent,
    Logger,
    LogLevel,
    LogLevelFilterPredicate,
    formatEvent,
    globalLogBeginner,
    globalLogPublisher,
)
from twisted.python.failure import Failure

from tprules.printable import LONGEST_LINE, printable
from tpserver.concurrency import failure_of
from tpserver.config import Config
from tpserver.log_lines import form_in_use, say
from tpserver.rules.call_limits import CHECK_SECONDS, WATCHDOG, what_it_says

log = Logger()

MOST_TRACE_LINES = 200
MOST_FACTS = 20
LONGEST_FACT = 500
"""Maximum facts of an event, and characters of each, in a log of JSON."""


class Lines:
    """Writes events as lines: time in UTC, level, ``prefix`` and text.

    The line of a failure also has the error and its place. The traceback follows if `tracebacks` is set.
    """

    def __init__(self, out: TextIO, tracebacks: bool, prefix: str = "") -> None:
        self._out = out
        self._tracebacks = tracebacks
        self._prefix = prefix

    def __call__(self, event: LogEvent) -> None:
        level = event.get("log_level")
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(event.get("log_time", time.time())))
        text = " | ".join(formatEvent(event)[: 2 * LONGEST_LINE].splitlines())
        failure = event.get("log_failure")
        if isinstance(failure, Failure):
            text = f"{printable(text, LONGEST_LINE // 2)}: {_what(failure)}"
        name = level.name if level is not None else "info"
        # At once, as other processes of the server may write there, too.
        self._out.write(f"{moment} {name:<8} {self._prefix}{printable(text)}\n")
        self._out.flush()
        if isinstance(failure, Failure) and self._tracebacks:
            for line in _traceback(failure):
                print(printable(line), file=self._out)
            self._out.flush()


class JsonLines:
    """Writes events as one JSON object per line: time in UTC, level, text, source and facts.

    ``facts`` are the numbers and texts of the event, at most MOST_FACTS. A failure has ``error``, and on request its
    traceback as a list of lines. With a ``server`` number, each line has that, too.
    """

    def __init__(self, out: TextIO, tracebacks: bool, server: int | None = None) -> None:
        self._out = out
        self._tracebacks = tracebacks
        self._server = {} if server is None else {"server": server}

    def __call__(self, event: LogEvent) -> None:
        level = event.get("log_level")
        said: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(event.get("log_time", time.time()))),
            "level": level.name if level is not None else "info",
            "text": printable(formatEvent(event)[: 2 * LONGEST_LINE]),
            "from": str(event.get("log_namespace", "")),
            **self._server,
        }
        failure = event.get("log_failure")
        if isinstance(failure, Failure):
            said["error"] = printable(_what(failure))
            if self._tracebacks:
                said["traceback"] = [printable(line) for line in _traceback(failure)]
        facts = {
            key: printable(value, LONGEST_FACT) if isinstance(value, str) else value
            for key, value in event.items()
            if not key.startswith("log_") and isinstance(value, (str, int, float)) and key.isidentifier()
        }
        said["facts"] = dict(list(facts.items())[:MOST_FACTS])
        self._out.write(f"{json.dumps(said, ensure_ascii=False)}\n")
        self._out.flush()


@cache
def be_quiet() -> None:
    """Log nothing until ``begin``: a command that only runs briefly reports errors in its one sentence.

    Twisted's default would print tracebacks.
    """
    globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)


def begin(
    level: str, tracebacks: bool, form: Literal["text", "json"] = "text", server: int | None = None
) -> Callable[[str], None]:
    """Log events of ``level`` and above to standard error from now on; return a function that changes the level.

    ``server`` is the number of this process, if there are several that log there.
    """
    predicate = LogLevelFilterPredicate(defaultLogLevel=LogLevel.levelWithName(level))
    # Messages of the libraries about each factory and port do not concern the operator.
    for library in ("twisted", "log_legacy"):
        predicate.setLogLevelForNamespace(library, LogLevel.warn)
    filtered: Callable[..., Any] = FilteringLogObserver  # its interfaces are zope's, which mypy does not understand
    be_quiet()
    prefix = "" if server is None else f"server {server}: "
    written = JsonLines(sys.stderr, tracebacks, server) if form == "json" else Lines(sys.stderr, tracebacks, prefix)
    globalLogPublisher.addObserver(filtered(written, [predicate]))
    # Python would print uncaught errors as text of several lines.
    threading.excepthook = _uncaught
    sys.unraisablehook = _uncaught
    return lambda name: predicate.setLogLevelForNamespace("", LogLevel.levelWithName(name))


def as_parent(config: Config) -> Config:
    """Return a configuration with the supervisor's form of log lines: all processes of a server write the same."""
    form = form_in_use()
    if form == config.log.format:
        return config
    say(
        "warn",
        f"log.format is {config.log.format!r} now, which waits until the server is stopped and started",
        __name__,
    )
    return replace(config, log=replace(config.log, format=form))


def _uncaught(raised: threading.ExceptHookArgs | sys.UnraisableHookArgs) -> None:
    if raised.exc_value is None or isinstance(raised.exc_value, SystemExit):
        return
    log.failure("an exception that nothing catches", failure_of(raised.exc_value))


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
