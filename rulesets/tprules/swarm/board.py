"""The board: 36 squares, a1 to f6, their neighbours, and the two edges (R2, R5, R6, R33).

Squares are numbered row by row from a1, so that a1 to f1 are 0 to 5.  A set of squares is a whole number with a bit for
each square, which makes the search for legal movements fast and is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator

from tprules.kit.compass import DIRECTIONS, OFF, compass
from tprules.kit.grid import Square

Squares = int
"""A set of squares: bit number n stands for square n."""

SIDE = 6
MOST_STEPS = 6
"""Maximum steps of a movement phase: the highest number on a die (R14)."""
FILES = "abcdef"
EVERYWHERE: Squares = (1 << SIDE * SIDE) - 1

NAMES = tuple(f"{file}{rank + 1}" for rank in range(SIDE) for file in FILES)

EDGES = (tuple(range(SIDE)), tuple(range(SIDE * (SIDE - 1), SIDE * SIDE)))
"""The squares of each seat's edge, from file a."""

_TOWARD = tuple(
    tuple(row[DIRECTIONS.index(name)] for name in ("S", "SE", "E", "NE", "N", "NW", "W", "SW"))
    for row in compass(SIDE, SIDE)
)
"""The square, or ``OFF``, in each direction clockwise from the north.  North is where row numbers rise."""

_EVERY_WAY, _STRAIGHT = range(8), range(0, 8, 2)


def _around(ways: range) -> tuple[tuple[Square, ...], ...]:
    return tuple(tuple(row[way] for way in ways if row[way] != OFF) for row in _TOWARD)


BESIDE = {False: _around(_STRAIGHT), True: _around(_EVERY_WAY)}
"""Whether diagonals count -> the neighbours of each square, clockwise from the north (R8)."""

NEAR: dict[bool, tuple[Squares, ...]] = {
    diagonals: tuple(sum(1 << near for near in around) for around in neighbours)
    for diagonals, neighbours in BESIDE.items()
}
"""The same with neighbours as sets."""

FLANKS: tuple[tuple[tuple[Square, Squares, Squares], ...], ...] = tuple(
    tuple(
        (row[way], 1 << row[way], 1 << _TOWARD[row[way]][way])
        for way in _STRAIGHT
        if row[way] != OFF and _TOWARD[row[way]][way] != OFF
    )
    for row in _TOWARD
)
"""For each square and direction N, E, S, W: the square beside it, its bit, and the bit of the one behind (R22, R24)."""


def members(squares: Squares) -> Iterator[Square]:
    """Yield the squares of a set by rising number."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


def square_named(name: str) -> Square:
    """Return the square called ``name``, such as "c3"."""
    return NAMES.index(name)
