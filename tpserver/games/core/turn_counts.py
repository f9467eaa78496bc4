"""Counts of what players and the owner may do only so often in a turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tprules.api import Seat


@dataclass(slots=True)
class TurnCounts:
    """Limited actions in the present turn of a game; each turn begins without any."""

    unfinished: Counter[Seat] = field(default_factory=Counter)
    """Number of times each seat has taken back its finished mark."""
    autopilots: Counter[Seat] = field(default_factory=Counter)
    """Number of times each seat was left to the bot."""
    policy_changes: int = 0
    """Number of changes of the seat policy by the owner."""
    clock_changes: int = 0
    """Number of times that the owner has extended the turn or has changed the turn clock."""
    given: list[int] = field(default_factory=list)
    """Seconds of each extension by the owner, without those taken back."""

    def note_given(self, seconds: int) -> None:
        """Record an extension by the owner, or a negative number of seconds taken back from the last."""
        if seconds < 0:
            seconds += self.given.pop()
        if seconds:
            self.given.append(seconds)

    def forget_player(self, seat: Seat) -> None:
        """Reset the counts of a seat, as another player takes it."""
        del self.unfinished[seat], self.autopilots[seat]
