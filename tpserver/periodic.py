"""Repeated work while a server runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.task import LoopingCall

from tpserver.concurrency import Clock


class Repeated:
    """Repeats a call every ``seconds`` by ``clock``, first at its start.

    It waits for the Deferred of a call, and ends after a call that raises.
    """

    def __init__(self, clock: Clock, seconds: float, call: Callable[[], Any]) -> None:
        self._seconds = seconds
        self._calls = LoopingCall(call)
        self._calls.clock = clock  # type: ignore[assignment] # a reactor, which is more than is used

    def start(self) -> None:
        self._calls.start(self._seconds)

    def stop(self) -> bool:
        """Stop the calls; return whether another one was due."""
        was_running: bool = self._calls.running
        if was_running:
            self._calls.stop()
        return was_running
