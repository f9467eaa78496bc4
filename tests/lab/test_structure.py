"""Callbacks between rooms are recognized, and do not become more."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.lab.structure import MOST_CALLBACKS, ROOT, callbacks, sources

DECLARED = """
from collections.abc import Callable

class Clock:
    on_ring: Callable[[], None] | None = None

    def __init__(self) -> None:
        self.listeners: list[Callable[[], None]] = []
        self.name = ""
        self.on_ring = None
"""

PLANTED = {
    "clock.on_ring = self.ring": ["assigned"],
    "self.clock.on_ring = lambda: None": ["assigned"],
    "clock.on_ring = ring": ["assigned"],
    "clock.listeners.append(self.ring)": ["appended"],
    "clock.on_ring = None": [],
    "self.on_ring = self.ring": [],
    "clock.name = self.name": [],
    "clock.name = ring": [],
}
"""Statement -> the callbacks in it."""


@pytest.mark.parametrize("statement", PLANTED)
def test_planted_callback_is_found(statement: str) -> None:
    user = f"""
class Alarm:
    def ring(self) -> None: ...

    def use(self, clock: Clock, ring: Callable[[], None]) -> None:
        {statement}
"""
    trees = {Path("clock.py"): ast.parse(DECLARED), Path("alarm.py"): ast.parse(user)}
    found = list(callbacks(Path(), trees))
    assert [kind for kind, _ in found] == PLANTED[statement]
    assert all(place.endswith(f": {statement}") for _, place in found)


@pytest.mark.thorough
def test_callbacks_do_not_become_more() -> None:
    found = list(callbacks(ROOT, {path: ast.parse(text) for path, text in sources(ROOT).items()}))
    counts = Counter(kind for kind, _ in found)
    for kind, most in MOST_CALLBACKS.items():
        places = "\n".join(place for known, place in found if known == kind)
        assert counts[kind] <= most, f"publish an event instead of one of these callbacks:\n{places}"
