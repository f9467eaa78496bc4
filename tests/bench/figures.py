"""Figures, and how they are taken."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured value beside what it is compared with."""

    name: str
    value: float
    unit: str
    target: str = ""
    old: str = ""
    note: str = ""

    def line(self) -> str:
        shown = f"{self.value:,.0f}" if self.value >= 1000 else f"{self.value:.3g}"
        note = f"   ({self.note})" if self.note else ""
        return f"  {self.name:50} {shown + ' ' + self.unit:>14}   {self.target:>14}   {self.old}{note}"


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
