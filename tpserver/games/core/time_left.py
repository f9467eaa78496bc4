"""Time remaining in a turn, as sent to clients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Reason = Literal[0, 1, 2, 3, 4, 5]
"""Reason for a TimeRemaining frame (TP04, TimeRemaining).

In order: requested, timer started, warning, all finished, threshold reached, end of turn started.
"""

REQUESTED: Reason = 0
TIMER_STARTED: Reason = 1
WARNING: Reason = 2
ALL_FINISHED: Reason = 3
THRESHOLD: Reason = 4
END_OF_TURN: Reason = 5


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The content of a TimeRemaining frame."""

    seconds: int
    reason: Reason
    turn: int
    title: str
    waiting: tuple[int, ...]
    """Numbers of the awaited players."""
    delay: int = 0
    """Turns by which spectators see this later; 0 without delay, or for a player."""
    present: int = 0
    """With a delay, the turn of the players."""
    encoded: dict[str, bytes] = field(default_factory=dict, compare=False, repr=False)
    """Cache: its payload by dialect."""
