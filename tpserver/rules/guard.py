"""Keeping a ruleset within its time.

Rules are pure Python, so an exception raised in their thread from outside ends even an endless loop.  Checks of single
orders run on the reactor's thread, where an endless loop would hold every game; a watchdog thread frees it.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

CHECK_SECONDS = 2.0
"""What the check of one order, or a look at the choices of one, may take."""

TURN_SECONDS = 60.0
"""What closing a turn may take."""


class TooSlow(Exception):
    """The ruleset took longer than it may."""


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    reason = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), reason)


class Watchdog:
    """Ends whatever runs inside ``call`` for longer than its limit, by raising TooSlow in its thread."""

    def __init__(self, interval: float = 0.25) -> None:
        self._interval = interval
        self._lock = threading.Lock()
        self._watched: dict[int, float] = {}
        self._thread: threading.Thread | None = None

    def call(self, seconds: float, work: Callable[[], T]) -> T:
        """Return ``work()``, which may take about ``seconds``; raises TooSlow or what ``work`` raises.

        It does not nest.
        """
        me = threading.get_ident()
        if self._thread is None:
            self._start()
        self._watched[me] = time.monotonic() + seconds
        try:
            return work()
        finally:
            if self._watched.pop(me, None) is None:
                # The watchdog has fired, perhaps in this very moment: take back what has not been raised yet.
                with self._lock:
                    _raise_in(me, None)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watchdog of the rules", daemon=True)
                self._thread.start()

    def _watch(self) -> None:
        while True:
            time.sleep(self._interval)
            now = time.monotonic()
            with self._lock:
                for thread, limit in self._watched.copy().items():
                    if now > limit and self._watched.pop(thread, None) is not None:
                        _raise_in(thread, TooSlow)


WATCHDOG = Watchdog()
