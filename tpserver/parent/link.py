"""The server's end of the line to its parent: what it inherits, and how it says that it serves.

The server hands over the sockets at which it listens, so that they stay open when it ends.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import os
import resource
import socket
import threading
import time
from collections.abc import Mapping

from tpserver.parent.child import FILES_CLOSED, LATE_SIGNAL, TRACE_SIGNAL
from tpserver.parent.lines import receive, send
from tpserver.rules.footprint import Footprint
from tpserver.rules.page import SIZE, Page
from tpserver.rules.sandbox import WATCHDOG

BEAT_SECONDS = 0.25


class Link:
    """The line to the parent; ``begin`` before anything is imported from rulesets."""

    def __init__(self, number: int) -> None:
        self._socket = socket.socket(fileno=number)
        self._number = number
        self._file = os.fstat(number)
        self._trace = -1
        self.sockets: Mapping[str, int] = {}
        """By place: sockets at which the server before this one listened."""
        self.unusable: Mapping[str, str] = {}
        """Rulesets that must not be imported, and why."""

    def begin(self) -> None:
        """Wait until the parent wants this server to begin.  Raises Orphan if it has gone."""
        said, files = receive(self._socket)
        page, self._trace, *sockets = files
        self.sockets = dict(zip(said["places"], sockets, strict=True))
        self.unusable = said["unusable"]
        WATCHDOG.use(Page(mmap.mmap(page, SIZE)))
        with contextlib.suppress(OSError):  # a system that tells nobody what a process holds
            WATCHDOG.footprint = Footprint(WATCHDOG.page, lambda: os._exit(FILES_CLOSED))
        os.close(page)
        faulthandler.register(TRACE_SIGNAL, file=self._trace, all_threads=True)
        WATCHDOG.use_signal(LATE_SIGNAL)
        limit_memory(said["memory"])
        threading.Thread(target=self._outlive, name="line to the parent", daemon=True).start()

    def ready(self, sockets: Mapping[str, int]) -> None:
        """Say that the server serves, and where it listens."""
        send(self._socket, {"places": list(sockets)}, list(sockets.values()))

    def beat(self) -> None:
        """The reactor is alive; to be called every BEAT_SECONDS.  Ends a server whose files somebody has closed."""
        try:
            is_there = os.path.samestat(os.fstat(self._number), self._file)
        except OSError:
            is_there = False
        if not is_there:
            os._exit(FILES_CLOSED)
        WATCHDOG.page.beat(time.monotonic())

    def _outlive(self) -> None:
        """End when the parent has gone; where the system does not see to it, this does."""
        with contextlib.suppress(OSError):
            self._socket.recv(1)
        os._exit(1)


def limit_memory(most: int) -> None:
    """Have one huge allocation fail: where it is made, and at once.  What grows slowly, the parent sees."""
    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = 2 * most
        if hard == resource.RLIM_INFINITY or wanted <= hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
