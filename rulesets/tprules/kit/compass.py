"""Eight directions on a rectangular board: what lies in each, what touches, and how far it is when diagonals count."""

from __future__ import annotations

from functools import lru_cache

from tprules.kit.grid import Square

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
"""In this order everywhere.  The rows of a board are drawn from north to south: north is the row before."""

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""Columns and rows to go in each direction."""

OFF = -1
"""Instead of a square beyond the edge."""


@lru_cache(maxsize=64)
def compass(width: int, height: int) -> tuple[tuple[Square, ...], ...]:
    """Return for each square of a ``width`` by ``height`` board the square in each direction, or ``OFF``."""
    return tuple(
        tuple((y + dy) * width + x + dx if 0 <= x + dx < width and 0 <= y + dy < height else OFF for dx, dy in STEPS)
        for y in range(height)
        for x in range(width)
    )


@lru_cache(maxsize=64)
def touching(width: int, height: int) -> tuple[tuple[Square, ...], ...]:
    """Return for each square the up to nine squares at a distance of at most 1, itself included, in rising order."""
    return tuple(
        tuple(sorted([square, *(other for other in row if other != OFF)]))
        for square, row in enumerate(compass(width, height))
    )


def distance(width: int, one: Square, other: Square) -> int:
    """Return how many steps in eight directions it is from one square to the other, both on a board of this width."""
    rows, columns = one // width - other // width, one % width - other % width
    return max(abs(rows), abs(columns))
