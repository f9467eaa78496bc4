"""The map: inhabitable systems, artifacts, neighbors (R2, R3, R4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from tprules.kit.grid import DrawingError, Neighbours, Square, count, groups, orthogonal, read_drawing

INHABITABLE, UNINHABITABLE, ARTIFACT = ".MA"

LARGEST = 64
"""Maximum columns, and maximum lines, of a map."""

FEWEST_ARTIFACTS = 3

SPACING = 80000
"""Distance between two neighboring systems, in units of positions."""

DEFAULT_MAP = """\
....MMMMM.A.M...
.A..M.......M..A
...MMA......MM..
MMMM.........MMM
.............AMM
..............M.
MMMM....A...MMM.
.A.MMMM.....M...
......MMMMMMM.A.
.....A..........
..........A.....
"""


@dataclass(frozen=True)
class Board:
    """A map with its systems.

    Systems are numbered row by row from the south-west corner. So the "lowest" system of the rules (lowest y, then
    lowest x) has the lowest number.
    """

    width: int
    height: int
    ground: str
    """One character for each system, in the order of their numbers."""
    neighbours: Neighbours = field(repr=False, compare=False)
    names: tuple[str, ...] = field(repr=False, compare=False)
    """The name of each system: its coordinates, "x, y"."""
    positions: tuple[tuple[int, int, int], ...] = field(repr=False, compare=False)

    def inhabitable(self, square: Square) -> bool:
        return self.ground[square] != UNINHABITABLE

    @cached_property
    def habitat(self) -> tuple[Square, ...]:
        """The inhabitable systems."""
        return tuple(square for square in range(len(self.ground)) if self.inhabitable(square))

    @cached_property
    def rocks(self) -> tuple[Square, ...]:
        """The uninhabitable systems."""
        return tuple(square for square in range(len(self.ground)) if not self.inhabitable(square))

    @classmethod
    def drawn(cls, rows: Sequence[str]) -> Board:
        """Return the board for the rows that ``read_board`` returned, from north to south."""
        return board_of(len(rows[0]), "".join(reversed(rows)))


@lru_cache(maxsize=32)
def board_of(width: int, ground: str) -> Board:
    """Return the board with this ground, from south to north."""
    if width < 1 or len(ground) % width:
        raise ValueError(f"{len(ground)} squares are no rows of {width}")
    height = len(ground) // width
    squares = [(x, y) for y in range(height) for x in range(width)]
    names = tuple(f"{x}, {y}" for x, y in squares)
    positions = tuple((1 + SPACING * x, 1 + SPACING * (y + 1), 0) for x, y in squares)
    return Board(width, height, ground, orthogonal(width, height), names, positions)


def read_board(text: str) -> list[str]:
    """Return the rows of a map, from north to south, or raise DrawingError with line and column (R2)."""
    rows = read_drawing(text, INHABITABLE + UNINHABITABLE + ARTIFACT, LARGEST, LARGEST)
    if count(rows, ARTIFACT) < FEWEST_ARTIFACTS:
        raise too_few_artifacts(rows, FEWEST_ARTIFACTS)
    return rows


def too_few_artifacts(rows: Sequence[str], least: int) -> DrawingError:
    """Return the error for a map with fewer than ``least`` artifacts."""
    text = f"too few artifacts: the map ends with {count(rows, ARTIFACT)}, and at least {least} ({ARTIFACT}) are needed"
    return DrawingError(text, len(rows), len(rows[-1]))


# --- Regions and their numbers (R23, R24)


def numbered(
    occupied: Iterable[Square], neighbours: Neighbours, old: Mapping[Square, int], last: int
) -> tuple[dict[Square, int], int]:
    """Return the region of every occupied system, and the highest number in use so far.

    ``old`` has the regions before, ``last`` the highest number before. The part with the lowest surviving system of an
    old region is its heir. A region takes the lowest number to which it is heir, or else the next unused one.
    """
    parts = groups(occupied, neighbours)
    part_of = {square: index for index, part in enumerate(parts) for square in part}
    heirs: dict[int, int] = {}
    for square in sorted(part_of):
        number = old.get(square)
        if number is not None:
            heirs.setdefault(number, part_of[square])
    numbers: dict[int, int] = {}
    for number, index in heirs.items():
        numbers[index] = min(number, numbers.get(index, number))
    regions = {}
    for index, part in enumerate(parts):
        number = numbers.get(index)
        if number is None:
            last += 1
            number = last
        for square in part:
            regions[square] = number
    return regions, last
