"""Scores and regions of a turn that a seat may see."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from tprules.api import Oid, Region, Ruleset, Seat
from tprules.api.appearance import fit_figures, fit_regions


@dataclass(frozen=True, slots=True)
class Standing:
    """Scores and regions of the world of a turn that a seat may see."""

    scores: Mapping[Seat, Mapping[str, int]] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()


NO_STANDING = Standing()


def standing_of(rules: Ruleset[Any], world: Any, seats: int, seat: Seat | None, seen: Container[Oid]) -> Standing:
    """Return scores and regions that a seat (None: spectators) may see.

    ``seen`` are the objects that the seat sees. Raises the errors of the rules, and ValueError for values that clients
    cannot show.
    """
    scores = fit_figures(rules.scores(world, seat), seats)
    regions: list[Region] = []
    for region in fit_regions(rules.regions(world, seat), seats):
        places = tuple(oid for oid in region.places if oid in seen)  # hidden places stay hidden
        if places:
            regions.append(region._replace(places=places))
    return Standing(scores, tuple(regions))


VisibleScores = Mapping[Seat | None, Mapping[Seat, Mapping[str, int]]]
"""Scores that each seat (None: spectators) may see."""


def scores_of(rules: Ruleset[Any], world: Any, seats: int) -> VisibleScores:
    """Return the scores that each seat, and spectators, may see.

    Raises the errors of the rules, and ValueError for values that clients cannot show.
    """
    return {seat: fit_figures(rules.scores(world, seat), seats) for seat in (None, *range(seats))}
