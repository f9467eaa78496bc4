"""The three boards: squares, names, neighbors, shafts and distances.

RULES.md, section 2 and R3. The squares of all three boards are numbered in one sequence. Rows are numbered from north
to south, as boards are drawn. Players read ``board:x,y``, where y rises to the north.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tprules.api import stored_as_row
from tprules.kit.compass import OFF, compass

Square = int
Spot = tuple[int, int, int]
"""(board, x, y) of a square."""

BOARDS = 3

SITES = ENTRANCE_1, ENTRANCE_2, THRONE = range(3)

Neighbours = tuple[tuple[Square, ...], ...]


@stored_as_row
@dataclass(frozen=True)
class Layout:
    """The constant parts of the boards."""

    width: int
    height: int
    diagonals: bool
    sites: tuple[Square, Square, Square]
    area: int = field(init=False, compare=False)
    """The number of squares of one board."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "area", self.width * self.height)

    @property
    def landings(self) -> tuple[Square, Square]:
        """The squares below the two entrances."""
        return self.sites[ENTRANCE_1] + self.area, self.sites[ENTRANCE_2] + self.area

    def square(self, spot: Spot) -> Square:
        board, x, y = spot
        return board * self.area + (self.height - 1 - y) * self.width + x

    def spot(self, square: Square) -> Spot:
        board, rest = divmod(square, self.area)
        row, x = divmod(rest, self.width)
        return board, x, self.height - 1 - row

    def holds(self, spot: Spot) -> bool:
        """Return whether the boards have this square."""
        board, x, y = spot
        return 0 <= board < BOARDS and 0 <= x < self.width and 0 <= y < self.height

    @cached_property
    def _names(self) -> tuple[str, ...]:
        spots = (self.spot(square) for square in range(BOARDS * self.area))
        return tuple(f"{board}:{x},{y}" for board, x, y in spots)

    def name(self, square: Square) -> str:
        return self._names[square]

    def distance(self, one: Square, other: Square) -> int | None:
        """Return the number of steps between two squares without obstacles. None on different boards (R3, R10)."""
        area, width = self.area, self.width
        if one // area != other // area:
            return None
        rows = abs(one // width - other // width)
        columns = abs(one % width - other % width)
        return max(rows, columns) if self.diagonals else rows + columns

    def within(self, one: Square, other: Square, reach: int) -> bool:
        """Return whether two squares are on the same board and at most ``reach`` steps apart."""
        distance = self.distance(one, other)
        return distance is not None and distance <= reach

    @cached_property
    def around(self) -> Neighbours:
        """The neighbors on the same board of every square, clockwise from the north."""
        rows = compass(self.width, self.height)
        return tuple(
            tuple(board * self.area + near for near in row[:: 1 if self.diagonals else 2] if near != OFF)
            for board in range(BOARDS)
            for row in rows
        )

    @cached_property
    def lairs(self) -> Neighbours:
        """For each square the neighbors to which a spider can walk, without sites and landings (R71)."""
        return tuple(tuple(near for near in row if not self.is_shaft(near)) for row in self.around)

    def is_shaft(self, square: Square) -> bool:
        """Return whether this is a site or a landing."""
        return square in self.sites or square in self.landings


@lru_cache(maxsize=64)
def kept(layout: Layout) -> Layout:
    """Return the one object for all equal layouts, so that cached values are found faster."""
    return layout


@lru_cache(maxsize=64)
def beside(layout: Layout, is_open: tuple[bool, bool, bool]) -> Neighbours:
    """Return all neighbors: on the same board, then through an open shaft (R3)."""
    found = list(layout.around)
    for site, landing in zip((ENTRANCE_1, ENTRANCE_2), layout.landings, strict=True):
        if is_open[site]:
            square = layout.sites[site]
            found[square] = (*found[square], landing)
            found[landing] = (*found[landing], square)
    return tuple(found)


@lru_cache(maxsize=64)
def ways(layout: Layout, is_open: tuple[bool, bool, bool]) -> Neighbours:
    """Return for each square the neighbors to which a unit can step, without closed sites (R48)."""
    closed = [square for square, opened in zip(layout.sites, is_open, strict=True) if not opened]
    return tuple(tuple(near for near in row if near not in closed) for row in beside(layout, is_open))
