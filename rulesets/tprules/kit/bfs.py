"""Breadth-first search: reachable places, and a shortest path to each.

Of several shortest paths it takes the first.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

Place = int


def found_from(start: Place, beside: Sequence[Sequence[Place]], blocked: Container[Place]) -> dict[Place, Place]:
    """Return all places that can be reached from ``start``, nearest first: place -> the place before it on its path.

    ``beside[place]`` are the neighbors of a place in the order of the trials. Among the shortest paths, the first in
    this order is found. ``blocked`` places are not entered, but ``start`` may be one of them. ``start`` is the first
    key, and its value is itself.
    """
    before = {start: start}
    places = [start]
    for place in places:  # the list grows during the loop
        for near in beside[place]:
            if near not in before and near not in blocked:
                before[near] = place
                places.append(near)
    return before


def path_to(place: Place, before: dict[Place, Place]) -> list[Place]:
    """Return the path from the start to ``place``, without the start. ``before`` is the result of ``found_from``."""
    path = []
    while before[place] != place:
        path.append(place)
        place = before[place]
    return path[::-1]
