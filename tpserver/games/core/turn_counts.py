"""Counts of actions with a limit in each turn, of players and the owner."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tprules.api import Seat


@dataclass(slots=True)
class TurnCounts:
    """Limited actions in the present turn of a game. Each turn begins with zero."""

    unfinished: Counter[Seat] = field(default_factory=Counter)
    """Number of times each seat has taken back its finished mark."""
    autopilots: Counter[Seat] = field(default_factory=Counter)
    """Number of times each seat was left to the bot."""
    policy_changes: int = 0
    """Number of changes of the seat policy by the owner."""
    clock_changes: int = 0
    """Number of extensions and clock changes by the owner."""
    given: list[int] = field(default_factory=list)
    """Seconds of each extension by the owner, without revoked ones."""

    def note_given(self, seconds: int) -> None:
        """Record an extension by the owner, or a negative number of seconds revoked from the last one."""
        if seconds < 0:
            seconds += self.given.pop()
        if seconds:
            self.given.append(seconds)

    def forget_player(self, seat: Seat) -> None:
        """Reset the counts of a seat, as another player takes it."""
        del self.unfinished[seat], self.autopilots[seat]
