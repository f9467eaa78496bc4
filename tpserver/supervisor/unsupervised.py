"""Self-control of a server without a supervisor: it ends when frozen.

It records the rules that ran, for the next server. ``faulthandler`` provides the timer, which works without the
interpreter. Its trace and the page of calls are files in the data directory. A server that was killed or stopped leaves
no trace. Then the page is ignored.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
from pathlib import Path

from tpserver.games.core import crash_record
from tpserver.games.core.crash_record import Verdict
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG
from tpserver.rules.page import SIZE, Page
from tpserver.supervisor import traces
from tpserver.supervisor.child import LATE_SIGNAL

PAGE, TRACE = "rules.page", "rules.trace"
FROZEN_SECONDS = LOAD_SECONDS + 3.0
"""Seconds without an iteration of the reactor after which the process ends.

They are above LOAD_SECONDS, the longest limit.
"""

BEAT_SECONDS = 1.0


class Alone:
    """The timer and files of a server that serves; ``directory`` is its data directory."""

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
    """Return whether a server without a supervisor runs here, or did not stop as requested."""
    return (directory / PAGE).exists()


def take_up(directory: Path) -> None:
    """Turn the files of a frozen server into a verdict. Raises OSError if that cannot be saved."""
    page, left = directory / PAGE, directory / TRACE
    with contextlib.suppress(OSError, ValueError):
        trace = left.read_text(errors="replace")
        with page.open("r+b") as file:
            calls = [call for call in Page(mmap.mmap(file.fileno(), SIZE)).noted() if call.running]
        if trace and calls:
            # The threads were not measured. The newest call is the most likely one, as the others ran well before it.
            call = max(calls, key=lambda call: call.begun)
            where = traces.place(trace, call.thread)
            reason = f"its rules froze the server{f' ({where})' if where else ''}, which ended"
            crash_record.read(directory).add(Verdict(call.game, call.ruleset, reason))
    for path in (page, left):
        path.unlink(missing_ok=True)
