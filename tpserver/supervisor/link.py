"""Server's end of the socket to its supervisor.

The server inherits it, and reports there that it serves. It also passes its listening sockets to the supervisor, so
that they stay open when it ends.
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
from collections.abc import Collection, Mapping

from tpserver.rules.call_limits import WATCHDOG
from tpserver.rules.footprint import Footprint
from tpserver.rules.page import SIZE, Page
from tpserver.supervisor.child import FILES_CLOSED, LATE_SIGNAL, TRACE_SIGNAL, receive, send

BEAT_SECONDS = 0.25


class SupervisorLink:
    """The connection to the supervisor. Call ``begin`` before importing any rulesets."""

    def __init__(self, number: int) -> None:
        self._socket = socket.socket(fileno=number)
        self._number = number
        self._file = os.fstat(number)
        self._trace = -1
        self.sockets: Mapping[str, int] = {}
        """Sockets of the previous server, by key of the endpoint."""
        self.unusable: Mapping[str, str] = {}
        """Rulesets that must not be imported, with the reasons."""
        self.number = 0
        """Number of this process in the server."""
        self.follows = False
        """True if an earlier process of this number has served and ended."""
        self.counts: mmap.mmap | None = None
        """Memory for `tpserver.wire.net.sharing.Counts`, if there are other processes."""

    def begin(self) -> None:
        """Wait until the supervisor lets this server begin. Raises Orphan if the supervisor is gone."""
        said, files = receive(self._socket)
        page, self._trace, *sockets = files
        if len(sockets) > len(said["places"]):
            counts = sockets.pop()
            self.counts = mmap.mmap(counts, 0)
            os.close(counts)
        self.sockets = dict(zip(said["places"], sockets, strict=True))
        self.unusable = said["unusable"]
        self.number, self.follows = said["number"], said["follows"]
        WATCHDOG.use(Page(mmap.mmap(page, SIZE)))
        with contextlib.suppress(OSError):  # not available on every system
            WATCHDOG.footprint = Footprint(WATCHDOG.page, lambda: os._exit(FILES_CLOSED))
        os.close(page)
        faulthandler.enable(file=self._trace)  # it names the thread of a crash
        faulthandler.register(TRACE_SIGNAL, file=self._trace, all_threads=True)
        WATCHDOG.use_signal(LATE_SIGNAL)
        limit_memory(said["memory"])
        threading.Thread(target=self._outlive, name="line to the parent", daemon=True).start()

    def ready(self, sockets: Mapping[str, int], shared: Collection[str] = ()) -> None:
        """Report that the server serves at these sockets. The ``shared`` ones belong to all its processes."""
        send(self._socket, {"places": list(sockets), "shared": list(shared)}, list(sockets.values()))

    def loaded(self) -> None:
        """Report that the modules are loaded, before `begin`. Raises no error if the supervisor is gone."""
        with contextlib.suppress(OSError):
            send(self._socket, {"loaded": True}, [])

    def ask_for_successor(self) -> None:
        """Ask the supervisor to start another server and to stop this one."""
        send(self._socket, {"successor": True}, [])

    def beat(self) -> None:
        """Record that the reactor is alive; call it every BEAT_SECONDS. Ends the server if its files were closed."""
        try:
            is_there = os.path.samestat(os.fstat(self._number), self._file)
        except OSError:
            is_there = False
        if not is_there:
            os._exit(FILES_CLOSED)
        WATCHDOG.page.beat(time.monotonic())

    def _outlive(self) -> None:
        """End the server when the supervisor is gone, on systems that do not do that."""
        with contextlib.suppress(OSError):
            self._socket.recv(1)
        os._exit(1)


def limit_memory(most: int) -> None:
    """Make a single huge allocation fail at once. The supervisor detects slow growth."""
    with contextlib.suppress(OSError, ValueError):
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        wanted = 2 * most
        if hard == resource.RLIM_INFINITY or wanted <= hard:
            resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
