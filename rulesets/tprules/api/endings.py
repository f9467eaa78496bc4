"""Ends of a game apart from its rules: players resign or agree on a draw."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from tprules.api.types import Seat


@dataclass(frozen=True)
class Outcome:
    """The end of a game.

    ``places`` has the place of each seat: 1 is best, and seats may share a place. ``why`` is the reason of the end.
    ``figures`` is the final table: seat -> column -> value.
    """

    places: Mapping[Seat, int]
    why: str
    figures: Mapping[Seat, Mapping[str, int]] = field(default_factory=dict)

    def winners(self) -> list[Seat]:
        """Return the seats in place 1, in rising order."""
        return sorted(seat for seat, place in self.places.items() if place == 1)

    def ranked(self) -> list[tuple[Seat, int]]:
        """Return (seat, place) of each seat, best place first. Seats that share a place are in the order of seats."""
        return sorted(self.places.items(), key=lambda item: (item[1], item[0]))

    def without(self, resigned: Collection[Seat]) -> Outcome:
        """Return the outcome without these seats in the running.

        The other seats keep their order and move up. These seats share the place after all of them.
        """
        left = {seat: place for seat, place in self.places.items() if seat not in resigned}
        if not left or len(left) == len(self.places):
            return self
        places = {seat: 1 + sum(other < place for other in left.values()) for seat, place in left.items()}
        last = 1 + len(left)
        return Outcome({seat: places.get(seat, last) for seat in self.places}, self.why, self.figures)


def shared(
    seats: int, resigned: Collection[Seat], why: str, figures: Mapping[Seat, Mapping[str, int]] | None = None
) -> Outcome:
    """Return the outcome in which all of ``seats`` seats share the first place, except those that have resigned."""
    return Outcome(dict.fromkeys(range(seats), 1), why, figures or {}).without(resigned)
