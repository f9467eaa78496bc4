"""Eight directions on a rectangular board, with diagonal steps.

The square in each direction, neighbors, and distances.
"""

from __future__ import annotations

from functools import lru_cache

from tprules.kit.grid import Square

DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
"""The directions, in the order used throughout. Rows are drawn from north to south: north is the row before."""

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""(columns, rows) of one step in each of DIRECTIONS."""

OFF = -1
"""The number for a square beyond the edge of the board."""


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
    """Return the number of steps, in eight directions, between two squares on a board of this width."""
    rows, columns = one // width - other // width, one % width - other % width
    return max(abs(rows), abs(columns))
