"""Grids and seats, which games share."""

from __future__ import annotations

import pytest

from tprules.kit.grid import DrawingError, count, groups, orthogonal, read_drawing
from tprules.kit.seats import cyclic, places


def test_neighbours_are_beside_and_mutual():
    """Corners have two, edges three, the middle four. Neighbors have each other."""
    neighbours = orthogonal(4, 3)
    assert neighbours[0] == (1, 4)
    assert neighbours[2] == (1, 3, 6)
    assert neighbours[5] == (1, 4, 6, 9)
    assert all(square in neighbours[near] for square, around in enumerate(neighbours) for near in around)
    assert orthogonal(1, 1) == ((),)


def test_groups_are_connected_and_in_order():
    """The group with the lowest square comes first and begins with it; corners do not connect."""
    assert groups({0, 1, 6, 10, 11, 7}, orthogonal(4, 3)) == [[0, 1], [6, 7, 10, 11]]
    assert groups([5, 0], orthogonal(4, 3)) == [[0], [5]]
    assert groups([], orthogonal(4, 3)) == []


@pytest.mark.parametrize(
    "text", ["ab\nba", "ab\r\nba\r\n", "ab/ba", "ab\nba\n\n", "ab/ba\n", "ab/ba\r\n", "ab/ba/\n\n"]
)
def test_a_drawing_is_read_with_any_line_ends(text):
    """Line breaks of any kind, or slashes on a command line."""
    lines = read_drawing(text, "ab", 5, 5)
    assert lines == ["ab", "ba"]
    assert count(lines, "a") == 2


@pytest.mark.parametrize(
    ("text", "line", "column", "says"),
    [
        ("", 1, 1, "empty"),
        ("\n\n", 1, 1, "empty"),
        ("\nab", 1, 1, "empty"),
        ("ab\na", 2, 2, "unequal length"),
        ("ab\nabb", 2, 3, "unequal length"),
        ("ab\n\nab", 2, 1, "unequal length"),
        ("ab\na.", 2, 2, "unknown character '.'"),
        ("aaaaaa", 1, 6, "at most 5 columns"),
        ("a\na\na\na\na\na", 6, 1, "at most 5"),
    ],
)
def test_a_bad_drawing_is_refused_with_its_place(text, line, column, says):
    """Line and column count from 1."""
    with pytest.raises(DrawingError) as refused:
        read_drawing(text, "ab", 5, 5)
    assert (refused.value.line, refused.value.column) == (line, column)
    assert str(refused.value).startswith(f"line {line}, column {column}: ")
    assert says in str(refused.value)


def test_play_goes_round():
    """From the first seat, past the last one, to the seat before."""
    assert cyclic(2, 4) == [2, 3, 0, 1]
    assert cyclic(0, 1) == [0]


def test_places_are_shared():
    """Equal scores share a place, and the next one is left out."""
    assert places({0: [1, 5], 1: [2, 2], 2: [1, 5], 3: [0, 9]}) == {0: 2, 1: 1, 2: 2, 3: 4}
