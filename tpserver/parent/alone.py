"""A server without a parent: it ends itself when it is frozen, and records whose rules ran for the next server.

The timer is that of ``faulthandler``, which works without the interpreter.  Its trace and the page of calls are files
in the data directory; a server that was killed, or stopped, leaves no trace, and then the page is ignored.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
from pathlib import Path

from tpserver.games import verdicts
from tpserver.games.verdicts import Verdict
from tpserver.parent import traces
from tpserver.parent.child import LATE_SIGNAL
from tpserver.rules.page import SIZE, Page
from tpserver.rules.watchdog import LOAD_SECONDS, WATCHDOG

PAGE, TRACE = "rules.page", "rules.trace"
FROZEN_SECONDS = LOAD_SECONDS + 3.0
"""Seconds without an iteration of the reactor after which the process ends: above LOAD_SECONDS, the longest limit."""

BEAT_SECONDS = 1.0


class Alone:
    """The timer and files of a server that has begun to serve; ``directory`` is its data directory."""

    def __init__(self, directory: Path) -> None:
        self._page, self._trace = directory / PAGE, directory / TRACE
        self._page.write_bytes(bytes(SIZE))
        with self._page.open("r+b") as page:
            WATCHDOG.use(Page(mmap.mmap(page.fileno(), SIZE)))
        WATCHDOG.use_signal(LATE_SIGNAL)
        self._file = self._trace.open("wb")

    def beat(self) -> None:
        """Restart the timer, as the reactor is alive; to be called every BEAT_SECONDS."""
        faulthandler.dump_traceback_later(FROZEN_SECONDS, exit=True, file=self._file)

    def stop(self) -> None:
        """Record that the server stops as requested."""
        faulthandler.cancel_dump_traceback_later()
        self._file.close()
        for path in (self._page, self._trace):
            path.unlink(missing_ok=True)


def has_left(directory: Path) -> bool:
    """Return whether a server without a parent runs here, or has run and not stopped as requested."""
    return (directory / PAGE).exists()


def take_up(directory: Path) -> None:
    """Turn the files that a frozen server has left into a verdict.  Raises OSError if that cannot be saved."""
    page, left = directory / PAGE, directory / TRACE
    with contextlib.suppress(OSError, ValueError):
        trace = left.read_text(errors="replace")
        with page.open("r+b") as file:
            calls = [call for call in Page(mmap.mmap(file.fileno(), SIZE)).noted() if call.running]
        if trace and calls:
            call = min(calls, key=lambda call: call.until)
            where = traces.place(trace, call.thread)
            reason = f"its rules froze the server{f' ({where})' if where else ''}, which ended"
            verdicts.read(directory).add(Verdict(call.game, call.ruleset, reason))
    for path in (page, left):
        path.unlink(missing_ok=True)
