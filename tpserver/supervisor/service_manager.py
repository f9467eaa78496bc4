"""Messages to a service manager such as systemd.

They report that the server is ready, alive, reloading or stopping. The protocol is that of sd_notify(3): a datagram of
lines NAME=value to the socket that the environment names.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import MutableMapping

from tprules.printable import printable

LONGEST_STATUS = 200
"""Maximum characters of a status."""

_VARIABLES = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class ServiceManager:
    """The service manager of this process. Without one, no messages are sent.

    ``environment`` is that of the process. The variables are removed from it, so that no child process reports in its
    name.
    """

    def __init__(self, environment: MutableMapping[str, str] | None = None) -> None:
        given = os.environ if environment is None else environment
        path, microseconds, process = (given.pop(name, "") for name in _VARIABLES)
        self._path = f"\0{path[1:]}" if path.startswith("@") else path if path.startswith("/") else ""
        mine = not process or process == str(os.getpid())
        self.watchdog_seconds = int(microseconds) / 1e6 if mine and microseconds.isdigit() else 0.0
        """Seconds without a sign of life after which the service manager ends this process; 0: no limit."""
        self._alive_at = float("-inf")

    def ready(self, status: str) -> None:
        """Report that the server serves; also after a reload."""
        self._send("READY=1", f"STATUS={printable(status, LONGEST_STATUS)}")

    def status(self, status: str) -> None:
        self._send(f"STATUS={printable(status, LONGEST_STATUS)}")

    def reloading(self) -> None:
        self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> None:
        self._send("STOPPING=1", "STATUS=stopping")

    def alive(self, now: float) -> None:
        """Send a sign of life if one is due; ``now`` is the time of a monotonic clock in seconds.

        Call it at least four times in `watchdog_seconds`.
        """
        if self.watchdog_seconds and now - self._alive_at >= self.watchdog_seconds / 4:
            self._alive_at = now
            self._send("WATCHDOG=1")

    def _send(self, *lines: str) -> None:
        if not self._path:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.setblocking(False)  # a manager that does not read must not stop the server
                sender.sendto("\n".join(lines).encode(), self._path)
        except OSError:
            return
