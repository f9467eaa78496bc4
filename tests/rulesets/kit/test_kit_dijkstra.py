"""Cheapest paths, compared with a search through all simple paths.

The search shares nothing with the code. Of equally cheap paths it takes the one whose edges come first.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tprules.kit.dijkstra import costs_from, costs_to, next_step

PLACES = 5
TRAIL, WALK, HAZARD = 2**10 - 1, 2**10, 2**10 + 2**5
"""Costs like those of a game in which a step over a trail is just a little cheaper."""

Ways = dict[int, list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Ways:
    """Ways between a few places, each with its cost, in the order in which they are tried."""
    costs = draw(st.sampled_from([(1, 2, 4), (TRAIL, WALK), (TRAIL, WALK, HAZARD)]))
    ways = st.lists(
        st.tuples(st.integers(0, PLACES - 1), st.sampled_from(costs)),
        min_size=1,
        max_size=4,
        unique_by=lambda way: way[0],
    )
    return {place: draw(ways) for place in range(PLACES)}


def _paths(graph: Ways, path: list[int], target: int):
    """All paths without a circle: (cost, numbers of the ways, places)."""
    if path[-1] == target:
        yield 0, [], [target]
        return
    for number, (after, cost) in enumerate(graph[path[-1]]):
        if after not in path:
            for rest, numbers, places in _paths(graph, [*path, after], target):
                yield cost + rest, [number, *numbers], [path[-1], *places]


def _best(graph: Ways, start: int, target: int):
    return min(_paths(graph, [start], target), key=lambda path: path[:2], default=None)


def _backwards(graph: Ways) -> Ways:
    return {
        place: [(before, cost) for before in graph for after, cost in graph[before] if after == place]
        for place in graph
    }


@settings(max_examples=100)
@given(graphs(), st.integers(0, PLACES - 1), st.integers(0, PLACES - 1))
def test_the_steps_are_those_of_the_first_cheapest_path(graph: Ways, start: int, target: int):
    """Step after step, and none where no path leads."""
    costs = costs_to(target, _backwards(graph).__getitem__, start)
    best = _best(graph, start, target)
    if best is None:
        assert start not in costs
        assert next_step(costs, start, graph.__getitem__) is None
        return
    assert costs[start] == best[0]
    place, walked = start, [start]
    while place != target:
        step = next_step(costs, place, graph.__getitem__)
        assert step is not None, f"no step leads on from {place}"
        assert step in graph[place]
        place = step[0]
        walked.append(place)
    assert walked == best[2]


@given(graphs(), st.integers(0, PLACES - 1), st.integers(0, 4 * WALK))
def test_what_can_be_reached_is_what_a_path_leads_to(graph: Ways, start: int, most: int):
    """Each place with the cost of its cheapest path, none beyond what may be spent, the cheap ones first."""
    found = costs_from(start, graph.__getitem__, most)
    expected = {place: best[0] for place in graph if (best := _best(graph, start, place)) and best[0] <= most}
    assert found == expected
    assert list(found.values()) == sorted(found.values())


def test_a_way_that_is_too_dear_is_no_step_of_the_path():
    """A place of which nothing is known is not one that costs one less than nothing."""
    graph = {0: [(1, WALK), (2, TRAIL)], 1: [], 2: []}
    costs = costs_to(2, _backwards(graph).__getitem__, 0)
    assert next_step(costs, 0, graph.__getitem__) == (2, TRAIL)
