"""Breadth-first search: order of places, and the first shortest path."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tprules.kit.bfs import found_from, path_to
from tprules.kit.compass import OFF, compass

ROWS = compass(4, 3)
BESIDE = tuple(tuple(near for near in row[::2] if near != OFF) for row in ROWS)
"""North, east, south, west on a board of four columns and three rows."""


def test_the_first_shortest_path_is_taken():
    """Of all equally short paths the one whose steps come first in the order of the neighbours."""
    before = found_from(8, BESIDE, ())
    assert path_to(3, before) == [4, 0, 1, 2, 3]
    assert path_to(8, before) == []


def test_places_are_found_nearest_first():
    """Each with the place before it; the start comes before itself."""
    before = found_from(0, BESIDE, ())
    assert list(before)[:4] == [0, 1, 4, 2]
    assert before[0] == 0
    assert len(before) == 12
    lengths = [len(path_to(place, before)) for place in before]
    assert lengths == sorted(lengths)


def test_blocked_places_are_gone_around_or_hide_others():
    """The start may be blocked itself."""
    assert path_to(3, found_from(0, BESIDE, {0, 1, 5})) == [4, 8, 9, 10, 6, 2, 3]
    assert set(found_from(0, BESIDE, {1, 4})) == {0}


def _shortest(start: int, place: int, blocked: set[int]) -> list[int] | None:
    """The first in the order of the neighbours of all shortest paths, by looking at all of a length before the next."""
    paths = [[start]]
    while paths:
        for path in paths:
            if path[-1] == place:
                return path[1:]
        paths = [
            [*path, near] for path in paths for near in BESIDE[path[-1]] if near not in blocked and near not in path
        ]
    return None


@given(st.sampled_from(range(12)), st.sets(st.sampled_from(range(12)), max_size=6))
def test_what_is_found_is_what_a_path_leads_to(start: int, blocked: set[int]):
    """Every place, whatever is blocked, the start included."""
    before = found_from(start, BESIDE, blocked)
    expected = {place: _shortest(start, place, blocked) for place in range(12)}
    assert {place: path_to(place, before) for place in before} == {
        place: path for place, path in expected.items() if path is not None
    }
