"""Measured values, and functions that measure them."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

_MICROSECONDS = {"us CPU": 1.0, "us": 1.0, "ms": 1e3, "ms CPU": 1e3, "s CPU": 1e6}


@dataclass(frozen=True)
class Figure:
    """One measured value.

    ``target`` is in its unit, on the machine on which the targets were set; ``theirs`` is what the old C++ server takes
    for the same, which keeps nothing on disk.
    """

    name: str
    value: float
    unit: str
    target: float | None = None
    theirs: str = ""
    note: str = ""
    slower: float | None = None
    """The factor by which the machine was slower than when the target was set, if measured with the figure itself."""

    @property
    def is_rate(self) -> bool:
        """True if more is better."""
        return self.unit.endswith("/s")

    def multiple(self, loop: float) -> float | None:
        """Return the number of loops of ``loop`` microseconds that it takes, or None if it is no time."""
        if self.is_rate:
            return 1e6 / self.value / loop
        micro = _MICROSECONDS.get(self.unit)
        return None if micro is None else self.value * micro / loop

    def target_here(self, slower: float) -> float | None:
        """The target on a machine that takes ``slower`` times as long as the one on which it was set."""
        slower = slower if self.slower is None else self.slower
        if self.target is None:
            return None
        if self.is_rate:
            return self.target / slower
        return self.target * slower if self.unit in _MICROSECONDS else self.target

    def misses(self, slower: float) -> bool:
        """True if its target is not reached."""
        target = self.target_here(slower)
        return target is not None and (self.value < target if self.is_rate else self.value > target)

    def line(self, loop: float, slower: float, before: float | None) -> str:
        """The figure for people; ``before`` is its multiple (for what is no time, its value) in a kept run."""
        multiple = self.multiple(loop)
        target = self.target_here(slower)
        columns = [
            f"  {self.name:52}{_shown(self.value)} {self.unit}".ljust(80),
            f"{'' if multiple is None else f'{multiple:.3g}':>9}",
            f"{'' if target is None else _shown(target):>9} {'MISSED' if self.misses(slower) else '':6}",
            f"{self.theirs:>12}",
        ]
        if before is not None:
            factor = (self.value if multiple is None else multiple) / before
            columns.append(f"{factor:>7.2f}x {'SLOWER' if factor > NOISE else ''}")
        return " ".join(columns).rstrip() + (f"   ({self.note})" if self.note else "")


NOISE = 1.05
"""A figure that grew by less against a kept run is not marked."""


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def cpu_per_call(call: Callable[[], object], quick: bool, inner: int = 1) -> float:
    """Return the median CPU time of one call in microseconds; ``inner`` is how many operations one call is."""
    rounds = 3 if quick else 9
    count = 1
    while True:
        begun = time.process_time()
        for _ in range(count):
            call()
        used = time.process_time() - begun
        if used > (0.01 if quick else 0.05):
            break
        count *= 2
    results = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            begun = time.process_time()
            for _ in range(count):
                call()
            results.append((time.process_time() - begun) / count / inner * 1e6)
    finally:
        gc.enable()
    return statistics.median(results)
