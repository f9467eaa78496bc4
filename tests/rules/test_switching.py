"""Threads that compute turns share the interpreter with the reactor."""

from __future__ import annotations

import sys
from typing import Any, cast

import pytest
from twisted.internet.task import Clock

from tpserver.server import running
from tpserver.server.assembly import App
from tpserver.server.running import run_reactor


class Reactor(Clock):
    """Calls what is to be called as it begins, and stops at once."""

    running = False

    def addSystemEventTrigger(self, *_: object) -> None:
        """Nothing is triggered here."""

    def callWhenRunning(self, call: Any) -> None:
        self.callLater(0, call)

    def run(self) -> None:
        self.advance(0)


class Nothing:
    """A server that does nothing."""

    async def start(self) -> None:
        pass


def test_a_turn_that_loops_keeps_the_interpreter_for_half_a_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order needs it dozens of times; with Python's five milliseconds it took half a second beside two turns."""
    monkeypatch.setattr(running, "collect_garbage_rarely", lambda: None)
    monkeypatch.setattr(running, "give_back_large_blocks", lambda: None)
    before = sys.getswitchinterval()

    async def main() -> int:
        return round(1e6 * sys.getswitchinterval())

    try:
        assert run_reactor(Reactor(), cast(App, Nothing()), main) == 500
    finally:
        sys.setswitchinterval(before)
