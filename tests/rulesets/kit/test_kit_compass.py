"""Eight directions, distances with diagonals, and cheapest paths."""

from __future__ import annotations

from tprules.kit.compass import DIRECTIONS, OFF, compass, distance, touching
from tprules.kit.dijkstra import costs_from, costs_to, next_step


def test_directions_are_named_and_opposite():
    """Going in a direction and in the one four further leads back; the corner has three ways."""
    ways = compass(4, 3)
    assert dict(zip(DIRECTIONS, ways[5], strict=True)) == {
        "N": 1,
        "NE": 2,
        "E": 6,
        "SE": 10,
        "S": 9,
        "SW": 8,
        "W": 4,
        "NW": 0,
    }
    assert [way for way in ways[0] if way != OFF] == [1, 5, 4]
    for square, row in enumerate(ways):
        assert all(ways[way][(number + 4) % 8] == square for number, way in enumerate(row) if way != OFF)


def test_what_touches_is_at_a_distance_of_one():
    """Itself included, in rising order, as the distance says."""
    for square, near in enumerate(touching(5, 4)):
        assert list(near) == [other for other in range(20) if distance(5, square, other) <= 1]


def _lane(prices):
    """Return ways along a row of places; to leave a place costs its price."""

    def ways_from(place):
        return [(other, prices[place]) for other in (place + 1, place - 1) if 0 <= other < len(prices)]

    def ways_to(place):
        return [(other, prices[other]) for other in (place + 1, place - 1) if 0 <= other < len(prices)]

    return ways_from, ways_to


def test_costs_to_a_place():
    """The entered place decides the cost. Without a path the start is missing."""
    ways_from, ways_to = _lane([1, 5, 2, 1, 1])
    costs = costs_to(4, ways_to, 0)
    assert costs == {4: 0, 3: 1, 2: 3, 1: 8, 0: 9}
    assert next_step(costs, 0, ways_from) == (1, 1)
    assert 0 not in costs_to(4, lambda place: [], 0)
    assert next_step({4: 0}, 0, ways_from) is None


def test_of_equal_paths_the_first_way_is_taken():
    """Two ways around cost the same: the order of the ways decides, not that of the numbers."""
    ring = {0: [(3, 1), (1, 1)], 1: [(2, 1), (0, 1)], 2: [(1, 1), (3, 1)], 3: [(0, 1), (2, 1)]}
    costs = costs_to(2, ring.__getitem__, 0)
    assert next_step(costs, 0, ring.__getitem__) == (3, 1)


def test_what_can_be_reached_with_so_much():
    """Nothing that costs more is in it, and cheap places come first."""
    ways_from, _ = _lane([1, 5, 2, 1, 1])
    assert list(costs_from(0, ways_from, 6).items()) == [(0, 0), (1, 1), (2, 6)]
