"""Cheapest paths with integer costs and a fixed choice between equals."""

from __future__ import annotations

from collections.abc import Callable, Iterable

Place = int

Ways = Callable[[Place], Iterable[tuple[Place, int]]]
"""Takes a place and returns the steps from it (or to it): the other place, and the cost, 1 or more."""


def costs_to(target: Place, ways_to: Ways, start: Place) -> dict[Place, int]:
    """Return the cost of reaching ``target`` from ``start``, and from every place with a lower cost.

    ``ways_to(place)`` returns the places from which one step leads to ``place``. If there is no path, ``start`` is not
    in the result.
    """
    return _costs(target, ways_to, start, None)


def costs_from(start: Place, ways_from: Ways, most: int) -> dict[Place, int]:
    """Return the cost of reaching each place from ``start``, up to ``most``, cheapest first."""
    return _costs(start, ways_from, None, most)


def _costs(first: Place, ways: Ways, last: Place | None, most: int | None) -> dict[Place, int]:
    costs: dict[Place, int] = {}
    waiting: dict[int, set[Place]] = {0: {first}}
    """Cost -> places that may cost so much.  Only a few different costs wait at a time."""
    while waiting:
        cost = min(waiting)
        for place in sorted(waiting.pop(cost)):
            if place in costs:
                continue
            costs[place] = cost
            if place == last:
                return costs
            for near, step in ways(place):
                if near not in costs and (most is None or cost + step <= most):
                    waiting.setdefault(cost + step, set()).add(near)
    return costs


def next_step(costs: dict[Place, int], place: Place, ways_from: Ways) -> tuple[Place, int] | None:
    """Return the next place of a cheapest path, and the cost of the step; None if there is no path.

    ``costs`` is the result of ``costs_to``. Of equal paths, the first in ``ways_from(place)`` counts.
    """
    if place not in costs:
        return None
    for after, step in ways_from(place):
        if after in costs and costs[after] == costs[place] - step:
            return after, step
    return None
