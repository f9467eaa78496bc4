"""Warnings about a proxy whose requests do not name the client."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from twisted.logger import Logger

log = Logger()

NOTE = "proxy-header-missing"
"""A file in the data directory, for ``tpserver doctor``."""
WARN_SECONDS = 3600.0
NOTE_DAYS = 1.0
"""Days for which ``tpserver doctor`` repeats a warning."""


class MissingHeaders:
    """Warns, at most once an hour, that requests of a proxy lack a header. ``steady`` is a monotonic clock."""

    def __init__(self, directory: Path, header: str, steady: Callable[[], float]) -> None:
        self._file = directory / NOTE
        self._header = header
        self._steady = steady
        self._silent_until = float("-inf")

    def note(self, peer: str) -> None:
        """Warn of a request of the proxy at an address."""
        if self._steady() < self._silent_until:
            return
        self._silent_until = self._steady() + WARN_SECONDS
        text = missing(peer, self._header)
        log.warn("{text}", text=text)
        with suppress(OSError):  # the log has the warning
            self._file.write_text(text, "utf-8")


def noted(directory: Path) -> str | None:
    """Return the warning of the last day in a data directory, or None."""
    try:
        file = directory / NOTE
        is_recent = abs(time.time() - file.stat().st_mtime) < NOTE_DAYS * 86400
        return file.read_text("utf-8", "replace")[:1000] if is_recent else None
    except OSError:
        return None


def missing(peer: str, header: str) -> str:
    """Return the warning and its remedy as sentences."""
    other = "" if header.lower() == "forwarded" else ' If it sets only Forwarded, set client_header = "Forwarded".'
    return (
        f"A request of the proxy {peer} came without {header}, so all its clients count as one. Have the proxy set "
        f"{header}, or name the header that it sets as [proxy] client_header.{other}"
    )
