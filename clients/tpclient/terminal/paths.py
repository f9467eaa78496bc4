"""The way of orders over the cells of a grid: an arrow in each cell, a number at each stop."""

from collections.abc import Iterable
from itertools import pairwise

from ..views import Path
from .grid import Cell, Grid

ARROWS = {(1, 0): "→", (1, 1): "↗", (0, 1): "↑", (-1, 1): "↖", (-1, 0): "←", (-1, -1): "↙", (0, -1): "↓", (1, -1): "↘"}


def signs_of(paths: Iterable[Path], grid: Grid, board: int) -> dict[Cell, str]:
    """One sign for each cell that a path touches on a board: arrows on the way, the number of the order at its end."""
    signs: dict[Cell, str] = {}
    stops: dict[Cell, str] = {}
    for path in paths:
        previous: Cell | None = None
        for stop in path.stops:
            place = grid.places.get(stop.icon) if stop.icon is not None else grid.nearest(*stop.position[:2])
            if stop.board != board or place is None:
                previous = None
                continue
            if previous is not None:
                signs.update(_way(previous, place))
            if stop.slot is not None:
                stops[place] = str((stop.slot + 1) % 10)
            previous = place
    return signs | stops


def _way(start: Cell, end: Cell) -> dict[Cell, str]:
    """The cells between two places, each with the arrow of its direction; both places are left out."""
    across, up = end[0] - start[0], end[1] - start[1]
    steps = max(abs(across), abs(up))
    line = [
        (start[0] + _rounded(across * step, steps), start[1] + _rounded(up * step, steps)) for step in range(steps + 1)
    ]
    way: dict[Cell, str] = {}
    for here, there in pairwise(line[1:]):
        way[here] = ARROWS[there[0] - here[0], there[1] - here[1]]
    return way


def _rounded(number: int, parts: int) -> int:
    return (2 * number + parts) // (2 * parts) if parts else 0
