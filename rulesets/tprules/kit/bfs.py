"""Breadth-first search: what can be reached, in which order it is found, and the first shortest path to it."""

from __future__ import annotations

from collections.abc import Container, Sequence

Coordinates = int


def found_from(
    start: Coordinates, beside: Sequence[Sequence[Coordinates]], blocked: Container[Coordinates]
) -> dict[Coordinates, Coordinates]:
    """Return each place that can be reached from ``start``, nearest first, with the place before it on the way.

    ``beside[place]`` are the neighbours in the order in which they are tried, so the path that the places before lead
    back along is the first one in this order among the shortest.  ``blocked`` places are not entered; ``start``, which
    is found first and comes before itself, may be one.
    """
    before = {start: start}
    places = [start]
    for place in places:  # grows while it is read
        for near in beside[place]:
            if near not in before and near not in blocked:
                before[near] = place
                places.append(near)
    return before


def path_to(place: Coordinates, before: dict[Coordinates, Coordinates]) -> list[Coordinates]:
    """Return the steps from the start to ``place``, the start left out; ``before`` is what ``found_from`` gave."""
    path = []
    while before[place] != place:
        path.append(place)
        place = before[place]
    return path[::-1]
