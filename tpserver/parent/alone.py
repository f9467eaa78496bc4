"""A server without a parent: it ends by itself when it is frozen, and leaves behind for the next one whose rules ran.

The timer is that of ``faulthandler``, which needs no interpreter.  Its trace and the page of calls are files of the
data directory; a server that was killed, or stopped, leaves no trace, and then the page says nothing.
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
from tpserver.rules.sandbox import LOAD_SECONDS, WATCHDOG

PAGE, TRACE = "rules.page", "rules.trace"
FROZEN_SECONDS = LOAD_SECONDS + 3.0
"""Without a turn of the reactor for so long the process ends: the longest call there has LOAD_SECONDS."""

BEAT_SECONDS = 1.0


class Alone:
    """What sees to it in a server that has begun to serve; ``directory`` is that of its data."""

    def __init__(self, directory: Path) -> None:
        self._page, self._trace = directory / PAGE, directory / TRACE
        self._page.write_bytes(bytes(SIZE))
        with self._page.open("r+b") as page:
            WATCHDOG.use(Page(mmap.mmap(page.fileno(), SIZE)))
        WATCHDOG.use_signal(LATE_SIGNAL)
        self._file = self._trace.open("wb")

    def beat(self) -> None:
        """The reactor is alive; to be called every BEAT_SECONDS."""
        faulthandler.dump_traceback_later(FROZEN_SECONDS, exit=True, file=self._file)

    def stop(self) -> None:
        """The server stops as it was told."""
        faulthandler.cancel_dump_traceback_later()
        self._file.close()
        for path in (self._page, self._trace):
            path.unlink(missing_ok=True)


def has_left(directory: Path) -> bool:
    """Return whether a server without a parent was here and has not stopped as it was told, or runs."""
    return (directory / PAGE).exists()


def take_up(directory: Path) -> None:
    """Turn what a frozen server has left behind into a verdict.  Raises OSError if that cannot be kept."""
    page, left = directory / PAGE, directory / TRACE
    with contextlib.suppress(OSError, ValueError):
        trace = left.read_text(errors="replace")
        with page.open("r+b") as file:
            calls = [call for call in Page(mmap.mmap(file.fileno(), SIZE)).noted() if call.running]
        if trace and calls:
            call = min(calls, key=lambda call: call.until)
            where = traces.place(trace, call.thread)
            reason = f"its rules froze the server{f' ({where})' if where else ''}, which ended"
            verdicts.change(directory, lambda record: record.add(Verdict(call.game, call.ruleset, reason)))
    for path in (page, left):
        path.unlink(missing_ok=True)
