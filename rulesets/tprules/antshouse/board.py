"""The pavement: 64 squares, a1 to h8, neighbors, starts and goals.

RULES.md, section 2. Squares are numbered row by row from a1 eastwards, so rising numbers go by row and then by column.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tprules.api import Seat
from tprules.kit.bfs import found_from
from tprules.kit.compass import DIRECTIONS, OFF, compass, distance
from tprules.kit.grid import Square

SIDE = 8
SQUARES = range(SIDE * SIDE)
NAMES = tuple(f"{column}{row}" for row in range(1, SIDE + 1) for column in "abcdefgh")

STAY = 0
STEPS = range(1, len(DIRECTIONS) + 1)
"""The directions: 1 north, 2 north-east, and so on around the compass (R19, R35)."""

DIRECTION_NAMES = ("stay", *DIRECTIONS)
"""The names of the directions by number."""

SIDES, CORNERS = LAYOUTS = ("sides", "corners")


def _next(square: Square) -> tuple[Square, ...]:
    """Return the square itself, for ``STAY``, and then the square in each direction.

    On the kit's boards north is the row before, here it is the row after, so the directions are mirrored.
    """
    mirrored = compass(SIDE, SIDE)[square]
    return (square, *(mirrored[(4 - direction) % 8] for direction in range(8)))


NEXT = tuple(_next(square) for square in SQUARES)
"""``NEXT[square][direction]``: the square after a step, or ``OFF``."""

BESIDE = tuple(tuple(near for near in row[1:] if near != OFF) for row in NEXT)
"""The neighbors of each square on the board, in the order of the directions."""


@dataclass(frozen=True)
class Course:
    """The start and the goal of the ants of one seat."""

    home: tuple[Square, ...]
    far: tuple[Square, ...]
    to_home: tuple[int, ...]
    """For each square: the number of steps to home."""
    to_far: tuple[int, ...]
    rings: tuple[tuple[Square, ...], ...]
    """All squares by their distance from home. An ant may enter on the nearest ring with a free square (R17, R34)."""


def _course(home: Sequence[Square], far: Sequence[Square]) -> Course:
    to_home = tuple(min(distance(SIDE, square, goal) for goal in home) for square in SQUARES)
    to_far = tuple(min(distance(SIDE, square, goal) for goal in far) for square in SQUARES)
    rings = tuple(tuple(square for square in SQUARES if to_home[square] == steps) for steps in range(SIDE))
    return Course(tuple(home), tuple(far), to_home, to_far, rings)


_SOUTH, _NORTH = range(SIDE), range(SIDE * (SIDE - 1), SIDE * SIDE)
_WEST, _EAST = range(0, SIDE * SIDE, SIDE), range(SIDE - 1, SIDE * SIDE, SIDE)
_A1, _H1, _A8, _H8 = 0, SIDE - 1, SIDE * (SIDE - 1), SIDE * SIDE - 1

COURSES = {
    SIDES: (_course(_SOUTH, _NORTH), _course(_NORTH, _SOUTH), _course(_WEST, _EAST), _course(_EAST, _WEST)),
    CORNERS: (_course([_A1], [_H8]), _course([_H8], [_A1]), _course([_H1], [_A8]), _course([_A8], [_H1])),
}
"""Layout -> the course of each seat (R7, R34)."""


def place_names(squares: Sequence[Square]) -> str:
    """Return the names of squares for a sentence."""
    return ", ".join(NAMES[square] for square in squares)


def column_and_row(square: Square) -> tuple[int, int]:
    """Return x and y of a square, both from 0."""
    return square % SIDE, square // SIDE


def from_centre(square: Square) -> tuple[int, int, int]:
    """Return a sort key for squares: the nearest to the center first, then by column, then by row."""
    x, y = column_and_row(square)
    return abs(2 * x - SIDE + 1) + abs(2 * y - SIDE + 1), x, y


def way_open(layout: str, seat: Seat, blocked: Container[Square]) -> bool:
    """Return whether a path without ``blocked`` squares leads from home to the far side (R24)."""
    course = COURSES[layout][seat]
    seen: set[Square] = set()
    for start in course.home:
        if start in blocked or start in seen:
            continue
        reached = found_from(start, BESIDE, blocked)
        if any(goal in reached for goal in course.far):
            return True
        seen.update(reached)
    return False


@lru_cache(maxsize=64)
def by_distance(square: Square) -> tuple[Square, ...]:
    """Return all squares, the nearest first, equally near ones by row and then by column (R21)."""
    return tuple(sorted(SQUARES, key=lambda other: (distance(SIDE, square, other), other)))


def nearest(square: Square, squares: Sequence[Square]) -> Square:
    """Return the nearest of ``squares``, of equally near ones the first by column, then by row (R8)."""
    return min(squares, key=lambda other: (distance(SIDE, square, other), *column_and_row(other)))
