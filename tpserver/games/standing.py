"""How all stand in a turn, as one seat may know it: scores and regions."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from tprules.api import Oid, Region, Ruleset, Seat
from tprules.api.appearance import fit_figures, fit_regions


@dataclass(frozen=True, slots=True)
class Standing:
    """What the rules tell a seat of the world of a turn."""

    scores: Mapping[Seat, Mapping[str, int]] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()


NO_STANDING = Standing()


def standing_of(rules: Ruleset[Any], world: Any, seats: int, seat: Seat | None, seen: Container[Oid]) -> Standing:
    """Return how all stand as ``seat`` (None: spectators), who sees the objects ``seen``, may know it.

    Raises what the rules raise, and ValueError for what clients cannot show.
    """
    scores = fit_figures(rules.scores(world, seat), seats)
    regions: list[Region] = []
    for region in fit_regions(rules.regions(world, seat), seats):
        places = tuple(oid for oid in region.places if oid in seen)  # what is hidden stays hidden
        if places:
            regions.append(region._replace(places=places))
    return Standing(scores, tuple(regions))


Told = Mapping[Seat | None, Mapping[Seat, Mapping[str, int]]]
"""The scores that each seat (None: spectators) is told."""


def scores_of(rules: Ruleset[Any], world: Any, seats: int) -> Told:
    """Return the scores as each seat, and spectators, may know them.

    Raises what the rules raise, and ValueError for what clients cannot show.
    """
    return {seat: fit_figures(rules.scores(world, seat), seats) for seat in (None, *range(seats))}
