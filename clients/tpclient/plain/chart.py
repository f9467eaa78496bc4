"""The map as text: a grid per galaxy, with one mark per star system.

Positions alone determine the place of a mark.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import TypeVar

from tpclient.columns import counted, padded, shown
from tpclient.names import Ground, design_name, grounds_of, marked_name, resource_name
from tpclient.universe import Universe
from tpclient.views import Board, Icon

GROUNDS = ".,:;'\"~"
"""Marks for kinds of ground without owners and objects, the most common first."""
NOTHING = GROUNDS[0]
NOBODY_THERE = "nobody and nothing"
SEVERAL_OWNERS = "**"
SEVERAL_SYSTEMS = "++"

MOST_CELLS = 400
"""Maximum columns or rows of a grid with true distances. A larger map is drawn on one of COARSE columns."""
COARSE = 60
"""Columns of the grid if the positions have no common distance."""

GREEK = "ΓΔΘΛΞΠΣΦΨΩαβγδεζηθλμξπσφψω"

K = TypeVar("K", bound=Hashable)

COORDINATES = re.compile(r"(?:\d+:)?(-?\d{1,4}(?=,)|[a-zA-Z]{1,2}),? ?(-?\d{1,4})\b")
"""Start of a star system's name with its position.

As "5, 3", "b4", or "0:5,3" on board 0.
"""


@dataclass(frozen=True, slots=True)
class Marks:
    """The signs of one map: a letter for each resource, the grounds, and the meanings of the signs in use."""

    letters: dict[int, str]
    grounds: Mapping[int, Ground]
    used: dict[str, str]


def all_letters(universe: Universe) -> tuple[dict[int, str], dict[int, str]]:
    """Return one letter for each resource, and other letters for the designs of pieces."""
    resources = {(0, number): resource_name(universe, number, 1) for number in sorted(universe.resources)}
    designs = {(1, number): design_name(universe, number) for number in sorted(universe.designs)}
    letters = letters_for(resources | designs, small=designs)
    return {number: letters[0, number] for _, number in resources}, {
        number: letters[1, number] for _, number in designs
    }


def letters_for(names: Mapping[K, str], small: Collection[K] = ()) -> dict[K, str]:
    """Return one letter for each name, in order. The first free letter counts, initials of words before others.

    Names of `small` may have a small letter of their name before a letter of no word. No letter stands for two. After
    the English letters come Greek ones, and then only "?".
    """
    taken: set[str] = set()
    letters: dict[K, str] = {}
    for number, name in names.items():
        initials = [word[0] for word in re.findall(r"\w+", name)]
        big = sorted(initials, key=str.islower)  # "Team of People": T, P, and only then the o
        wanted = [letter.upper() for letter in (*big, *name) if letter.isascii() and letter.isalpha()]
        if number in small:
            wanted += [letter.lower() for letter in wanted]
        free = (letter for letter in (*wanted, *ascii_uppercase, *ascii_lowercase, *GREEK) if letter not in taken)
        letters[number] = next(free, "?")
        taken.add(letters[number])
    return letters


def owner_mark(universe: Universe, icon: Icon, marks: Marks) -> str:
    """Return the mark of the normal view: the players, else letters of the resources, else a dot."""
    if icon.owners:
        mark = "".join(map(str, icon.owners))
        if len(mark) > 2 and len(icon.owners) > 1:
            marks.used[SEVERAL_OWNERS] = "several players"
            return SEVERAL_OWNERS
        for owner in icon.owners:
            marks.used[str(owner)] = marked_name(universe, owner)
        return mark
    found = [resource for resource in icon.largest if resource in marks.letters]
    if not found:
        ground = marks.grounds.get(icon.thing.id)
        sign = GROUNDS[ground.rank] if ground is not None else NOTHING
        marks.used[sign] = ground.words if ground is not None else NOBODY_THERE
        return sign
    for resource in found[:2]:
        marks.used[marks.letters[resource]] = resource_name(universe, resource, 1)
    return "".join(marks.letters[resource] for resource in found[:2])


def resource_mark(universe: Universe, icon: Icon, marks: Marks) -> str:
    """Return the mark of the resource view: the letter of the largest resource, and the total amount."""
    found = [resource for resource in icon.largest if resource in marks.letters]
    if not found:
        marks.used[NOTHING] = "no resources"
        return NOTHING
    marks.used[marks.letters[found[0]]] = resource_name(universe, found[0], 1)
    return f"{marks.letters[found[0]]}{short(icon.amount)}"


def short(amount: int) -> str:
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if amount >= size:
            return f"{amount // size}{letter}"
    return str(amount)


def chart(universe: Universe, boards: Iterable[Board], *, resources: bool, columns: int, skip: int = 0) -> list[str]:
    """Return all boards one below the other, and the legend.

    `columns` is the maximum width of a line, 0 for any width. A note lists the missing parts. `skip` is the number of
    columns of the grid to leave out in the west.
    """
    boards = list(boards)
    grounds = grounds_of(universe, (icon.thing for board in boards for icon in board.icons))
    marks = Marks(all_letters(universe)[0], grounds, {})
    mark: Callable[[Universe, Icon, Marks], str] = resource_mark if resources else owner_mark
    lines: list[str] = []
    for board in boards:
        cells: dict[tuple[int, int], str] = {}
        places = _placed(board.icons)
        for icon in board.icons:
            sign, place = mark(universe, icon, marks), places[icon.thing.id]
            if cells.setdefault(place, sign) != sign:
                marks.used[SEVERAL_SYSTEMS] = "several systems in one place"
                cells[place] = SEVERAL_SYSTEMS
        edge = edges(board.icons, places)
        lines += [shown(board.thing.name), "", *_drawn(cells, edge, columns, skip), ""]
    if resources:
        lines.append("The letter is what there is most of, the number how much there is of everything.")
    used = [sign for sign in marks.used if sign in GROUNDS]
    if len(used) == 1 and not resources:  # then all are alike
        marks.used[used[0]] = NOBODY_THERE
    rows = sorted(marks.used.items(), key=lambda row: (row[0].isalpha(), row[0].isdigit() and int(row[0]), row[0]))
    return [*lines, *(f"{padded(sign, 2)}  {shown(meaning)}" for sign, meaning in rows)]


def _placed(icons: Sequence[Icon]) -> dict[int, tuple[int, int]]:
    """Return column and row of each icon by its id. Columns count from the west, rows from the south.

    One cell is the smallest distance, if the grid then has a fair size. Otherwise the cells divide the whole width.
    Rows are then twice as high as columns are wide, like letters.
    """
    xs = sorted({icon.thing.position[0] for icon in icons})
    ys = sorted({icon.thing.position[1] for icon in icons})
    wide, high = xs[-1] - xs[0], ys[-1] - ys[0]
    x_step, y_step = _smallest_gap(xs), _smallest_gap(ys)
    if wide // x_step >= MOST_CELLS or high // y_step >= MOST_CELLS:
        x_step = max(1, -(-max(wide, high) // COARSE))
        y_step = 2 * x_step
    points = {icon.thing.id: icon.thing.position for icon in icons}
    return {number: (rounded(x - xs[0], x_step), rounded(y - ys[0], y_step)) for number, (x, y, _) in points.items()}


def _smallest_gap(values: Sequence[int]) -> int:
    return min((later - earlier for earlier, later in pairwise(values)), default=1)


def rounded(number: int, parts: int) -> int:
    """Return a quotient, rounded to the nearest whole number. Halves are rounded up."""
    return (2 * number + parts) // (2 * parts)


def _drawn(
    cells: dict[tuple[int, int], str], edge: tuple[dict[int, str], dict[int, str]], columns: int, skip: int
) -> list[str]:
    """Return the grid with numbers at its edges and north at the top."""
    heads, sides = edge
    there = 1 + max(column for column, _ in cells)
    if skip >= there:
        return [f"All {there} columns are skipped; --skip 0 shows them."]
    cell = 1 + max(len(sign) for sign in (*cells.values(), *heads.values()))
    margin = max((len(sign) for sign in sides.values()), default=0)
    fitting = max(1, (columns - margin) // cell) if columns else there
    drawn = range(skip, min(there, skip + fitting))

    def line(side: str, signs: dict[int, str]) -> str:
        row = "".join(padded(signs.get(column, ""), cell, right=True) for column in drawn)
        return (padded(side, margin, right=True) + row).rstrip()

    rows: dict[int, dict[int, str]] = defaultdict(dict)
    for (column, row), sign in cells.items():
        rows[row][column] = sign
    lines = [line(sides.get(row, ""), rows[row]) for row in range(max(rows), -1, -1)]
    if heads:
        lines.append(line("", heads))
    missing = there - drawn.stop
    if missing:
        note = f"{counted(missing, 'column')} in the east cut off"
        lines.append(f"{note}; --skip {drawn.stop} shows what follows, --width 0 everything.")
    return lines


def edges(icons: Iterable[Icon], places: Mapping[int, tuple[int, int]]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the names of columns and rows, if system names contain them.

    The names must agree with the places; else there are none. `places` are the column and row of each icon by its id.
    """
    heads: dict[int, str] = {}
    sides: dict[int, str] = {}
    for icon in icons:
        column, row = places[icon.thing.id]
        pair = COORDINATES.match(icon.thing.name)
        if pair and (heads.setdefault(column, pair[1]) != pair[1] or sides.setdefault(row, pair[2]) != pair[2]):
            return {}, {}
    return heads, sides
