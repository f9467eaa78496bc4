"""Correction of stored times that are too far in the future.

It runs at the start of a server and every hour (`tpserver.store.future_times`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

import tpserver
from tpserver.periodic import Repeated
from tpserver.store import Store, future_times

log = Logger()

LOOK_SECONDS = 3600.0
"""Seconds between two checks."""


def installed() -> float:
    """Return the installation time of this version in unix seconds. A clock with an earlier time is wrong itself."""
    try:
        return Path(tpserver.__file__).stat().st_mtime
    except OSError:
        return 0.0


class TimeBounds:
    """Bounds the stored times of a running server.

    Used on the reactor's thread. ``now`` returns unix seconds. While the clock shows a time before ``since``, nothing
    is changed. After its battery has failed, a machine starts with a wrong year. Then all stored times seem to be in
    the future.
    """

    def __init__(self, reactor: Any, store: Store, now: Callable[[], float], since: float) -> None:
        self._store = store
        self._now = now
        self._since = since
        self._looking = Repeated(reactor, LOOK_SECONDS, self._look)

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        self._looking.stop()

    def _look(self) -> Deferred[None] | None:
        now = self._now()
        if self._store.closed or now < self._since:
            return None
        # A failed check reports nothing, as the store logs its errors.
        return self._store.write(future_times.bound_all, now).addCallbacks(self._bounded, lambda failure: None)

    def _bounded(self, found: Mapping[str, int]) -> None:
        if found:
            what = ", ".join(f"{table}: {number}" for table, number in sorted(found.items()))
            log.warn(
                "stored times were in the future, as the clock was wrong once, and were bounded ({what})", what=what
            )
