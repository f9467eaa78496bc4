"""Positions of star systems and lines of orders on a grid of cells.

Any coordinates work. Boards of squares have one distance between neighbors and keep it: empty rows stay empty. An
object between two squares, such as a player's home beside the board, goes to the nearest cell. All other maps are drawn
by rank: the distinct coordinates in their order. Several of them share a column or row as long as no two systems share
a cell.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from tpclient.plain.chart import edges, rounded
from tpclient.views import Icon, Path

Cell = tuple[int, int]
"""Column from the west and row from the south, both from 0."""

SPARSEST = 64
"""Maximum cells for each system in a grid with true distances. A sparser map is drawn by rank."""


@dataclass(frozen=True, slots=True)
class Grid:
    """One board as cells. `heads` and `sides` are the names of columns and rows, if system names contain them."""

    columns: int
    rows: int
    cells: Mapping[Cell, tuple[Icon, ...]]
    places: Mapping[int, Cell]
    """Star system's id -> its cell."""
    heads: Mapping[int, str]
    sides: Mapping[int, str]
    _xs: Sequence[tuple[int, int]] = field(default=())
    _ys: Sequence[tuple[int, int]] = field(default=())

    def nearest(self, x: int, y: int) -> Cell | None:
        """Return the cell with the nearest known coordinates; None on an empty board."""
        if not self._xs or not self._ys:
            return None
        return _nearest(self._xs, x), _nearest(self._ys, y)


def lay_out(icons: Sequence[Icon]) -> Grid:
    """Return the grid of one board's icons."""
    if not icons:
        return Grid(0, 0, {}, {}, {}, {})
    points = {icon.thing.id: icon.thing.position[:2] for icon in icons}
    across, up = _true_scales(set(points.values())) or _ranked(set(points.values()))
    places = {number: (across[x], up[y]) for number, (x, y) in points.items()}
    cells: dict[Cell, list[Icon]] = defaultdict(list)
    for icon in icons:
        cells[places[icon.thing.id]].append(icon)
    heads, sides = edges(icons, places)
    return Grid(
        columns=1 + max(across.values()),
        rows=1 + max(up.values()),
        cells={place: tuple(found) for place, found in cells.items()},
        places=places,
        heads=heads,
        sides=sides,
        _xs=sorted(across.items()),
        _ys=sorted(up.items()),
    )


Scales = tuple[dict[int, int], dict[int, int]]


def _true_scales(points: set[tuple[int, int]]) -> Scales | None:
    """Return columns and rows at true distances, None if no grid of a fair size fits."""
    across = _pitched(points, 0)
    up = _pitched(points, 1)
    if across is None or up is None:
        return None
    if len({(across[x], up[y]) for x, y in points}) < len(points):
        return None  # two systems in one cell
    if (1 + max(across.values())) * (1 + max(up.values())) > SPARSEST * len(points):
        return None
    return across, up


def _pitched(points: set[tuple[int, int]], axis: int) -> dict[int, int] | None:
    """Return cells along one axis by the most common distance between neighbors; None without neighbors."""
    lines: dict[int, list[int]] = defaultdict(list)
    for point in points:
        lines[point[1 - axis]].append(point[axis])
    gaps = Counter(later - earlier for line in lines.values() for earlier, later in pairwise(sorted(line)))
    values = [point[axis] for point in points]
    if len(set(values)) == 1:
        return {values[0]: 0}
    if not gaps:
        return None
    pitch = min(gaps, key=lambda gap: (-gaps[gap], gap))
    offsets = Counter(value % pitch for value in values)
    offset = min(offsets, key=lambda rest: (-offsets[rest], rest))
    cells = {value: (2 * (value - offset) + pitch - 1) // (2 * pitch) for value in values}
    least = min(cells.values())
    return {value: cell - least for value, cell in cells.items()}


def _ranked(points: set[tuple[int, int]]) -> Scales:
    """Return columns and rows by rank. As many ranks are merged as possible without two points in one cell."""
    xs, ys = (sorted({point[axis] for point in points}) for axis in (0, 1))
    together = 1
    while together * 2 <= max(len(xs), len(ys)):
        together *= 2
    while True:
        across = {x: rank // together for rank, x in enumerate(xs)}
        up = {y: rank // together for rank, y in enumerate(ys)}
        if together == 1 or len({(across[x], up[y]) for x, y in points}) == len(points):
            return across, up
        together //= 2


def _nearest(scale: Sequence[tuple[int, int]], value: int) -> int:
    at = bisect_left(scale, (value, -1))
    around = scale[max(0, at - 1) : at + 1]
    return min(around, key=lambda pair: abs(pair[0] - value))[1]


# --- the way of orders: an arrow in each cell, a number at each stop

ARROWS = {(1, 0): "→", (1, 1): "↗", (0, 1): "↑", (-1, 1): "↖", (-1, 0): "←", (-1, -1): "↙", (0, -1): "↓", (1, -1): "↘"}


def signs_of(paths: Iterable[Path], grid: Grid, board: int) -> dict[Cell, str]:
    """Return one sign for each cell of the paths on a board.

    These are arrows on the way, and the number of the order at its end.
    """
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
    """Return the cells between two places, each with the arrow of its direction. Both places are left out."""
    across, up = end[0] - start[0], end[1] - start[1]
    steps = max(abs(across), abs(up))
    line = [
        (start[0] + rounded(across * step, steps), start[1] + rounded(up * step, steps)) for step in range(1, steps + 1)
    ]
    way: dict[Cell, str] = {}
    for here, there in pairwise(line):
        way[here] = ARROWS[there[0] - here[0], there[1] - here[1]]
    return way
