"""Cheapest paths with whole costs, and which of several equally cheap ones is taken."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

Coordinates = int

Ways = Callable[[Coordinates], Iterable[tuple[Coordinates, int]]]
"""Gives the places at the other end of the steps from (or to) a place, with what each step costs, 1 or more."""


def costs_to(target: Coordinates, ways_to: Ways, start: Coordinates) -> dict[Coordinates, int]:
    """Return what it costs to reach ``target`` from ``start`` and from every place at which it costs less.

    ``ways_to(place)`` gives the places from which one step leads to ``place``.  Without a path ``start`` is missing.
    """
    costs: dict[Coordinates, int] = {}
    nearest = [(0, target)]
    while nearest:
        cost, place = heapq.heappop(nearest)
        if place in costs:
            continue
        costs[place] = cost
        if place == start:
            break
        for before, step in ways_to(place):
            if before not in costs:
                heapq.heappush(nearest, (cost + step, before))
    return costs


def costs_from(start: Coordinates, ways_from: Ways, most: int) -> dict[Coordinates, int]:
    """Return what it costs to reach each place that costs at most ``most``, the cheapest places first."""
    costs: dict[Coordinates, int] = {}
    nearest = [(0, start)]
    while nearest:
        cost, place = heapq.heappop(nearest)
        if place in costs:
            continue
        costs[place] = cost
        for after, step in ways_from(place):
            if after not in costs and cost + step <= most:
                heapq.heappush(nearest, (cost + step, after))
    return costs


def next_step(costs: dict[Coordinates, int], place: Coordinates, ways_from: Ways) -> tuple[Coordinates, int] | None:
    """Return the first of the ``ways_from(place)``, in their order, that is the beginning of a cheapest path, and its
    cost; ``costs`` are those of ``costs_to``.  None if there is no path."""
    if place not in costs:
        return None
    for after, step in ways_from(place):
        if after in costs and costs[after] == costs[place] - step:
            return after, step
    return None
