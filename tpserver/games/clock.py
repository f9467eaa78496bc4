"""The clock of a game: when its turns close.  Deadlines are absolute times in the store; timers hold no state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

NO_DEADLINE = 2147483647
"""Seconds reported if there is no deadline; 0 would mean that the turn is being computed (TP04, TimeRemaining)."""

LONGEST = 31_536_000
FORMS = "manual, all-done, interval:SECONDS or threshold:PERCENT:SECONDS"


class ClockError(ValueError):
    """The text names no valid clock; the message says what is allowed."""


@dataclass(frozen=True)
class Clock:
    """What closes a turn, besides the operator.

    ``manual``: nothing.  ``all-done``: all awaited seats have finished.  ``interval``: that, or ``seconds`` have passed
    since the turn began.  ``threshold``: that, or ``seconds`` have passed since ``percent`` of the awaited seats
    finished.
    """

    kind: Literal["manual", "all-done", "interval", "threshold"]
    seconds: int = 0
    percent: int = 0

    def __str__(self) -> str:
        if self.kind == "interval":
            return f"interval:{self.seconds}"
        if self.kind == "threshold":
            return f"threshold:{self.percent}:{self.seconds}"
        return self.kind

    def closes_when_all_are_done(self) -> bool:
        return self.kind != "manual"

    def deadline_of_new_turn(self, now: float) -> float | None:
        """Return the deadline of a turn that begins at ``now``; None if it has none."""
        return now + self.seconds if self.kind == "interval" else None

    def deadline_after_mark(self, done: int, awaited: int, now: float) -> float | None:
        """Return the deadline that begins when ``done`` seats of ``awaited`` have finished; None if none does."""
        if self.kind == "threshold" and awaited and done * 100 >= self.percent * awaited:
            return now + self.seconds
        return None


def parse_clock(text: str) -> Clock:
    """Return the clock that ``text`` names.  Raises ClockError."""
    kind, *numbers = text.strip().lower().split(":")
    if kind in ("manual", "all-done") and not numbers:
        return Clock("manual" if kind == "manual" else "all-done")
    if kind == "interval" and len(numbers) == 1:
        return Clock("interval", _number(text, numbers[0], "seconds", 1, LONGEST))
    if kind == "threshold" and len(numbers) == 2:
        percent = _number(text, numbers[0], "percent", 1, 100)
        return Clock("threshold", _number(text, numbers[1], "seconds", 1, LONGEST), percent)
    raise ClockError(f"{text!r} is not a clock; say {FORMS}")


def seconds_left(deadline: float | None, now: float) -> int:
    """Return the seconds to report before a deadline: at least 1, as 0 means that the turn is being computed."""
    if deadline is None:
        return NO_DEADLINE
    return max(1, min(NO_DEADLINE, math.ceil(deadline - now)))


def _number(text: str, number: str, name: str, low: int, high: int) -> int:
    if not number.isascii() or not number.isdigit() or len(number) > 12 or not low <= int(number) <= high:
        raise ClockError(f"clock {text[:80]!r}: {name} go from {low} to {high}, not {number[:40]!r}")
    return int(number)
