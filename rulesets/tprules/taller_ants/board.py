"""The map: two boards of one size, one above the other.

RULES.md, section 2. A *place* is a square of either board. 0 to ``area - 1`` are above the ground, row by row from the
north-west. The square below a place has the number of the place plus ``area``.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tprules.kit.compass import OFF, compass, distance, touching
from tprules.kit.grid import DrawingError, Square, count, read_drawing

Place = int

SOIL, GRASS, ROCK, WATER, FUNGUS = ".,#~F"
DIGITS = "123456789"
"""The fungus groups that a map may distinguish. F is one group in each half."""

SMALLEST, LARGEST = 8, 32
"""Minimum and maximum columns, and lines, of a map."""

NARROW = 4
"""The terrain number of narrow water for clients. Other terrains have the index of their character in ``.,#~``."""

FEWEST_SPIDER_PLACES = 3

FUNGUS_DISTANCE = 3
"""Minimum distance of a spider from fungus, in squares (R1, R15)."""

SPIDER_DISTANCE = 8
"""Minimum distance of the default place of the spider from the default holes, if the map has room for it."""

_AXES = ((0, 4), (1, 5), (2, 6), (3, 7))
"""Pairs of opposite directions (R8)."""

MEADOW = """\
..............
.FF...........
.F........,...
........,,,...
......#.......
.....~~.......
...~~~~~......
......~~~~~...
.......~~.....
.......#......
...,,,........
...,........F.
...........FF.
..............
"""


@dataclass(frozen=True)
class Board:
    """A map, and everything that can be computed once from it."""

    width: int
    height: int
    drawing: str
    """One character for each square, row by row."""
    ways: tuple[tuple[Place, ...], ...] = field(repr=False, compare=False)
    """For each place: the place in each of the eight directions, or OFF."""
    near: tuple[tuple[Place, ...], ...] = field(repr=False, compare=False)
    """For each place: all places that touch it, including itself, in rising order."""
    beside: tuple[tuple[Place, ...], ...] = field(repr=False, compare=False)
    """For each place: the places one step away, by direction, without those off the board."""
    water: tuple[bool, ...] = field(repr=False, compare=False)
    """For each place: whether it is water. Below ground there is no water."""
    wide: tuple[bool, ...] = field(repr=False, compare=False)
    """For each place: whether it is water that a spider cannot cross without a web (R8)."""
    fungi: tuple[tuple[Square, ...], ...] = field(repr=False, compare=False)
    """The squares of each fungus group. Groups are ordered by their first square."""
    area: int = field(repr=False, compare=False)
    """Number of squares of one board."""
    open_to_spiders: bytes = field(repr=False, compare=False)
    open_to_ants: bytes = field(repr=False, compare=False)
    """For each place: 1 if ants may enter it on the empty map. Below ground nothing is excavated yet."""

    def below(self, place: Place) -> bool:
        return place >= self.area

    def other_side(self, place: Place) -> Place:
        """Return the place with the same coordinates on the other board (R60)."""
        return place - self.area if place >= self.area else place + self.area

    def at(self, x: int, y: int) -> Square:
        return y * self.width + x

    def coordinates(self, place: Place) -> tuple[int, int]:
        square = place % self.area
        return square % self.width, square // self.width

    def name_of(self, place: Place) -> str:
        """Return the coordinates of a place, with a note if it is below ground."""
        x, y = self.coordinates(place)
        return f"{x}, {y} below" if self.below(place) else f"{x}, {y}"

    def distance(self, one: Place, other: Place) -> int:
        """Return the Chebyshev distance of two places on the same board (R68)."""
        return distance(self.width, one % self.area, other % self.area)

    def water_from(self, place: Place, direction: int, stop: Container[Place] = ()) -> tuple[list[Place], Place]:
        """Return the water in a direction from a place, up to ``stop``, and the land behind it (R20, R45).

        The land is OFF if there is none.
        """
        squares: list[Place] = []
        place = self.ways[place][direction]
        while place != OFF and self.water[place] and place not in stop:
            squares.append(place)
            place = self.ways[place][direction]
        return squares, place if _land(self.water, place) else OFF

    def terrain(self, square: Square) -> int:
        """Return the terrain number of a square for clients. A square with fungus is soil."""
        if self.water[square] and not self.wide[square]:
            return NARROW
        return max(0, (SOIL + GRASS + ROCK + WATER).find(self.drawing[square]))

    def hole_allowed(self, square: Square, seat: int) -> bool:
        """Return whether this ant player may have a hole on a square (R36)."""
        in_south = 2 * (square // self.width) >= self.height
        return in_south == (seat == 1) and self.drawing[square] in SOIL + GRASS

    def spider_allowed(self, square: Square) -> bool:
        """Return whether the first spider may start on a square, ignoring holes (R1)."""
        return square in self._far_from_fungus and not self.water[square]

    @cached_property
    def _far_from_fungus(self) -> frozenset[Square]:
        fungus = [square for group in self.fungi for square in group]
        return frozenset(
            square
            for square in range(self.area)
            if all(self.distance(square, other) >= FUNGUS_DISTANCE for other in fungus)
        )

    @cached_property
    def middle_places(self) -> tuple[Square, Square, Square]:
        """Return the default places of the spider and of the holes of seats 1 and 2 with ``places=middle``."""
        south, north = self.at(self.width // 2 - 1, self.height - 2), self.at(self.width // 2, 1)
        return (
            self.nearest(self.at(self.width - 2, self.height // 2 - 1), self.spider_allowed),
            self.nearest(south, lambda square: self.hole_allowed(square, 1)),
            self.nearest(north, lambda square: self.hole_allowed(square, 2)),
        )

    @cached_property
    def fungus_places(self) -> tuple[Square, Square, Square]:
        """Return the default places with ``places=fungus``: holes beside the fungus, the spider far from both."""
        middle, *homes = self.middle_places
        holes = [self.holes_by_fungus(seat, home)[0] for seat, home in enumerate(homes, 1)]

        def is_near(square: Square) -> int:
            """Return the number of squares by which a square is too near to a hole."""
            return max(0, SPIDER_DISTANCE - min(self.distance(square, hole) for hole in holes))

        starts = [square for square in range(self.area) if self.spider_allowed(square) and square not in holes]
        spider = min(starts, key=lambda square: (is_near(square), self.distance(square, middle), square))
        return spider, holes[0], holes[1]

    def holes_by_fungus(self, seat: int, home: Square) -> list[Square]:
        """Return the places for a hole: most touching squares of fungus first, then the nearest to ``home``."""
        fungus = {square for group in self.fungi for square in group}
        allowed = [square for square in range(self.area) if self.hole_allowed(square, seat)]
        return sorted(
            allowed,
            key=lambda square: (-len(fungus.intersection(self.near[square])), self.distance(square, home), square),
        )

    def nearest(self, square: Square, allowed: Callable[[Square], bool]) -> Square:
        """Return the nearest allowed square, of equally near ones the first by y and x. There must be one."""
        return min(filter(allowed, range(self.area)), key=lambda other: (self.distance(square, other), other))

    @classmethod
    def drawn(cls, rows: Sequence[str]) -> Board:
        """Return the board for the rows that ``read_board`` returned."""
        return cls.of(len(rows[0]), "".join(rows))

    @staticmethod
    @lru_cache(maxsize=32)
    def of(width: int, drawing: str) -> Board:
        """Return the board with this drawing, row by row. Raises ValueError if it is not a rectangle of this width."""
        if width < 1 or len(drawing) % width:
            raise ValueError(f"{len(drawing)} squares are no rows of {width}")
        height = len(drawing) // width
        area = width * height
        single, touch = compass(width, height), touching(width, height)
        water = tuple(character == WATER for character in drawing)
        wide = tuple(
            water[square] and not any(_land(water, row[one]) and _land(water, row[other]) for one, other in _AXES)
            for square, row in enumerate(single)
        )
        dry = (False,) * area
        ways = single + tuple(tuple(OFF if way == OFF else way + area for way in row) for row in single)
        return Board(
            width,
            height,
            drawing,
            ways=ways,
            near=touch + tuple(tuple(way + area for way in row) for row in touch),
            beside=tuple(tuple(way for way in row if way != OFF) for row in ways),
            water=water + dry,
            wide=wide + dry,
            fungi=_fungi(height, width, drawing),
            area=area,
            open_to_spiders=bytes(not each for each in wide) + bytes(area),
            open_to_ants=bytes(not each for each in water) + bytes(area),
        )


def read_board(text: str) -> list[str]:
    """Return the rows of a map, from north to south, or raise DrawingError with line and column."""
    rows = read_drawing(text, SOIL + GRASS + ROCK + WATER + FUNGUS + DIGITS, LARGEST, LARGEST)
    size = f"a map has {SMALLEST} to {LARGEST} columns and lines"
    if len(rows) < SMALLEST:
        raise DrawingError(f"too few lines: {len(rows)}; {size}", len(rows), 1)
    if len(rows[0]) < SMALLEST:
        raise DrawingError(f"too few columns: {len(rows[0])}; {size}", 1, len(rows[0]))
    end = len(rows), len(rows[-1])
    if not any(count(rows, character) for character in FUNGUS + DIGITS):
        raise DrawingError("there is no fungus; draw at least one group (F or 1 to 9)", *end)
    board = Board.drawn(rows)
    for seat, half in ((1, "south"), (2, "north")):
        if not any(board.hole_allowed(square, seat) for square in range(board.area)):
            raise DrawingError(f"the {half} half has no place for an ant hole (. or ,)", *end)
    places = sum(board.spider_allowed(square) for square in range(board.area))
    if places < FEWEST_SPIDER_PLACES:
        text = (
            f"{places} places for the spider; at least {FEWEST_SPIDER_PLACES} must be land, {FUNGUS_DISTANCE} squares"
        )
        raise DrawingError(f"{text} or more from all fungus", *end)
    return rows


def _land(water: Sequence[bool], square: Square) -> bool:
    return square != OFF and not water[square]


def _fungi(height: int, width: int, drawing: str) -> tuple[tuple[Square, ...], ...]:
    groups: dict[tuple[str, bool], list[Square]] = {}
    for square, character in enumerate(drawing):
        if character == FUNGUS:
            groups.setdefault((FUNGUS, 2 * (square // width) >= height), []).append(square)
        elif character in DIGITS:
            groups.setdefault((character, False), []).append(square)
    return tuple(sorted(tuple(group) for group in groups.values()))
