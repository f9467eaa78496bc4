"""The map as a widget: one board as a grid of cells, with a cursor.

Only the lines on the screen are drawn.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from tpclient.columns import shown
from tpclient.terminal.grid import Cell, Grid, lay_out, signs_of
from tpclient.terminal.marks import ACTING, FREE, TAKEN, Marks, Sign
from tpclient.views import Board, Icon, Path


@dataclass(frozen=True, slots=True)
class Zoom:
    """The size of a cell: its width in columns, including the gap before it, and its height in lines."""

    width: int
    height: int


ZOOMS = (Zoom(3, 1), Zoom(4, 1), Zoom(6, 2), Zoom(8, 3), Zoom(11, 3), Zoom(15, 4))
AUTOMATIC = -1

EDGE = Style(dim=True)
CURSOR = Style(bold=True, reverse=True)
PATH = Style(bold=True, color="#ffffff")
PLAIN = Style()  # segments without any style cannot be shown without colors
LIT = Style(bold=True, bgcolor="#175c43")
EMPTY = Sign("", PLAIN)


class MapView(Widget, can_focus=True):
    """A board in the normal or the resource view. The cursor is always on a cell, and on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(0,1)", "up", show=False),
        Binding("down,j", "move(0,-1)", "down", show=False),
        Binding("left,h", "move(-1,0)", "left", show=False),
        Binding("right,l", "move(1,0)", "right", show=False),
        Binding("pageup", "page(0,1)", "page up", show=False),
        Binding("pagedown", "page(0,-1)", "page down", show=False),
        Binding("home", "page(-1,0)", "page left", show=False),
        Binding("end", "page(1,0)", "page right", show=False),
        Binding("enter", "choose", "select", show=False),
        Binding("plus,equals_sign", "zoom(1)", "zoom in", show=False),
        Binding("minus", "zoom(-1)", "zoom out", show=False),
        Binding("0", "fit", "fit", show=False),
    ]

    shows_resources = reactive(False)
    cursor: reactive[Cell] = reactive((0, 0))
    zoom = reactive(AUTOMATIC)

    class Moved(Message):
        """The cursor is on another cell, or the cell has changed."""

    class Chosen(Message):
        """Enter was pressed, or the cell under the cursor was clicked again."""

    def __init__(self) -> None:
        super().__init__(id="map")
        self.board: Board | None = None
        self.grid: Grid = lay_out(())
        self.marks: Marks | None = None
        self.path_signs: dict[Cell, str] = {}
        self.points = False
        """True if a single click selects."""
        self._acting: Collection[int] = ()
        self._targets: Mapping[int, bool] = {}
        self._signs_before: dict[Cell, Sign] = {}
        """The marks before cells: a piece can act, or an order can go there."""
        self._left = 0
        """The first visible column."""
        self._top = 0
        """The first visible line of cells, counted from the north."""
        self.drawn: dict[tuple[Cell, int, int, bool], Sign] = {}
        """Drawn signs by cell, line in it, width and view."""

    # --- what is shown

    def show(self, board: Board | None, marks: Marks | None) -> None:
        """Show a board. The cursor stays on its star system, or else on its cell."""
        system = self.here[0].thing.id if self.here else None
        before = self.board.thing.id if self.board is not None else None
        is_same_board = board is not None and before == board.thing.id
        self.board, self.marks = board, marks
        self.grid = lay_out(board.icons if board is not None else ())
        self.drawn.clear()
        self._place_lights()
        if is_same_board and system is not None and system in self.grid.places:
            self.cursor = self.grid.places[system]
        else:
            self.cursor = self._bounded(self.cursor)
            if before is None:
                self.cursor = self._first()
        self._reveal()
        self.refresh()
        self.post_message(self.Moved())

    def show_paths(self, paths: Iterable[Path]) -> None:
        """Draw the paths of orders."""
        number = self.board.thing.id if self.board is not None else -1
        signs = signs_of(paths, self.grid, number)
        if signs != self.path_signs:
            self.path_signs = signs
            self.refresh()

    def light(self, acting: Collection[int], targets: Mapping[int, bool]) -> None:
        """Mark the targets of an order, or without targets, the star systems where a piece can act.

        `targets` tells for each target whether it is occupied.
        """
        self._acting, self._targets = acting, targets
        self._place_lights()
        self.refresh()

    @property
    def lit(self) -> tuple[Sign, ...]:
        """The signs of the marked targets on this board."""
        return tuple({sign for sign in self._signs_before.values() if sign is not ACTING})

    def go_to_lit(self, step: int) -> None:
        """Put the cursor on the next or the previous target, line by line from the north."""
        lit = [place for place, sign in self._signs_before.items() if sign is not ACTING]
        lit.sort(key=lambda place: (-place[1], place[0]))
        present = (-self.cursor[1], self.cursor[0])
        after = [place for place in lit if (-place[1], place[0]) > present]
        before = [place for place in lit if (-place[1], place[0]) < present]
        found = [*after, *before] if step > 0 else [*reversed(before), *reversed(after)]
        if found:
            self.cursor = found[0]

    def _place_lights(self) -> None:
        lit = {number: TAKEN if taken else FREE for number, taken in self._targets.items()}
        found = lit or dict.fromkeys(self._acting, ACTING)
        places = self.grid.places
        self._signs_before = {places[number]: sign for number, sign in found.items() if number in places}

    def go_to(self, system: int) -> None:
        """Put the cursor on a star system, if it is on this board."""
        self.cursor = self.grid.places.get(system, self.cursor)

    @property
    def here(self) -> tuple[Icon, ...]:
        """The star systems under the cursor."""
        return tuple(self.grid.cells.get(self.cursor, ()))

    @property
    def cell(self) -> Zoom:
        """The present size of a cell.

        With automatic zoom, the largest at which the whole board fits.
        """
        return self._cell_in(self.size.width, self.size.height)

    def _cell_in(self, width: int, height: int) -> Zoom:
        if self.zoom != AUTOMATIC:
            return ZOOMS[self.zoom]
        fitting = ZOOMS[0]
        for one in ZOOMS[:-2]:
            if self._wide(one) <= width and one.height * self.grid.rows + self._heading <= height:
                fitting = one
        return fitting

    def _wide(self, cell: Zoom) -> int:
        """Return the columns of the whole board in cells of this size."""
        return self._margin + cell.width * self.grid.columns + 1

    def wanted_width(self, width: int, height: int) -> int:
        """Return the number of columns that the map uses, of `width` columns and `height` lines."""
        return min(width, self._wide(self._cell_in(width, height)))

    def _first(self) -> Cell:
        """Return the first cell of the cursor: an own object, else a foreign one, else the middle."""
        me = self.marks.universe.me if self.marks is not None else 0
        owned = [icon for icons in self.grid.cells.values() for icon in icons if icon.owners]
        best = next((icon for icon in owned if me in icon.owners), owned[0] if owned else None)
        if best is not None:
            return self.grid.places[best.thing.id]
        return self.grid.columns // 2, self.grid.rows // 2

    def _bounded(self, cell: Cell) -> Cell:
        column = min(max(cell[0], 0), max(0, self.grid.columns - 1))
        return column, min(max(cell[1], 0), max(0, self.grid.rows - 1))

    # --- the part on the screen

    @property
    def _margin(self) -> int:
        return max((len(shown(side)) for side in self.grid.sides.values()), default=0)

    @property
    def _heading(self) -> int:
        width = self.grid.columns * ZOOMS[max(self.zoom, 0)].width
        return 1 if self.grid.heads or width > self.size.width else 0

    def _room(self) -> tuple[int, int]:
        """Return the columns and lines of cells on the screen, at least one each."""
        cell = self.cell
        wide = (self.size.width - self._margin - 1) // cell.width
        return max(1, wide), max(1, (self.size.height - self._heading) // cell.height)

    def _reveal(self) -> None:
        """Scroll so that the cursor is visible, and no room is wasted."""
        wide, high = self._room()
        column, line = self.cursor[0], self.grid.rows - 1 - self.cursor[1]
        self._left = min(max(self._left, column - wide + 1), column)
        self._left = max(0, min(self._left, self.grid.columns - wide))
        self._top = min(max(self._top, line - high + 1), line)
        self._top = max(0, min(self._top, self.grid.rows - high))

    def watch_cursor(self) -> None:
        self._reveal()
        self.post_message(self.Moved())

    def watch_zoom(self) -> None:
        self._reveal()

    def on_resize(self) -> None:
        self._reveal()
        self.refresh()  # other cells may be visible now

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return container.height

    # --- drawing

    def render_line(self, y: int) -> Strip:
        """Return one line of the screen."""
        if self.marks is None or self.board is None or not self.grid.cells:
            text = "  There is nothing on the map yet." if y == 1 else ""
            return Strip([Segment(text, PLAIN)]).adjust_cell_length(self.size.width, self.rich_style)
        cell = self.cell
        bottom = min(self.size.height - self._heading, (self.grid.rows - self._top) * cell.height)
        if y < bottom:
            row = self.grid.rows - 1 - self._top - y // cell.height
            return self._row_strip(row, y % cell.height, cell)
        if y == bottom and self._heading:
            return self._heads_strip(cell)
        return Strip.blank(self.size.width, self.rich_style)

    def _columns(self) -> range:
        wide, _ = self._room()
        return range(self._left, min(self.grid.columns, self._left + wide))

    def _row_strip(self, row: int, part: int, cell: Zoom) -> Strip:
        side = shown(self.grid.sides.get(row, "")) if part == 0 else ""
        segments = [Segment(side.rjust(self._margin), EDGE)]
        closes = False
        for column in self._columns():
            place = (column, row)
            is_cursor = place == self.cursor and part == 0
            sign = self._sign(place, part, cell)
            before = self._signs_before.get(place) if part == 0 else None
            is_lit = before is not None and before is not ACTING
            if is_cursor:
                segments.append(Segment("[", CURSOR))
            elif closes:
                segments.append(Segment("]", CURSOR))
            elif before is not None and (is_lit or place not in self.path_signs):
                segments.append(Segment(before.text, before.style))
            elif part == 0 and place in self.path_signs:
                segments.append(Segment(self.path_signs[place], PATH))
            else:
                segments.append(Segment(" ", PLAIN))
            style = sign.style
            if is_cursor:
                style += CURSOR if self.has_focus else Style(underline=True)
            elif is_lit:
                style += LIT
            elif part == 0 and place in self.path_signs:
                style += Style(underline=True)
            segments.append(Segment(sign.at(cell.width - 1), style))
            closes = is_cursor
        if closes:
            segments.append(Segment("]", CURSOR))
        return self._whole_line(segments)

    def _sign(self, place: Cell, part: int, cell: Zoom) -> Sign:
        icons = self.grid.cells.get(place)
        if icons is None or self.marks is None or part > 1:
            return EMPTY
        key = (place, part, cell.width, self.shows_resources)
        known = self.drawn.get(key)
        if known is None:
            if part:
                known = self.marks.second_line(icons, cell.width - 1, resources=self.shows_resources)
            elif self.shows_resources:
                known = self.marks.resources(icons, cell.width - 1)
            else:
                known = self.marks.normal(icons, cell.width - 1)
            self.drawn[key] = known
        return known

    def _heads_strip(self, cell: Zoom) -> Strip:
        """Return the names of the columns, with marks for more columns on either side."""
        columns = self._columns()
        segments = [Segment(("‹" if self._left else "").rjust(self._margin), EDGE)]
        for column in columns:
            head = shown(self.grid.heads.get(column, ""))[: cell.width - 1]
            segments.append(Segment(" " + (head.rjust(2) if len(head) < 3 else head).ljust(cell.width - 1), EDGE))
        if columns.stop < self.grid.columns:
            segments.append(Segment("›", EDGE))
        return self._whole_line(segments)

    def _whole_line(self, segments: list[Segment]) -> Strip:
        return Strip(segments).adjust_cell_length(self.size.width, PLAIN).apply_style(self.rich_style)

    # --- keys and mouse

    def action_move(self, across: int, up: int) -> None:
        self.cursor = self._bounded((self.cursor[0] + across, self.cursor[1] + up))

    def action_page(self, across: int, up: int) -> None:
        wide, high = self._room()
        self.action_move(across * max(1, wide - 1), up * max(1, high - 1))

    def action_zoom(self, step: int) -> None:
        present = self.zoom if self.zoom != AUTOMATIC else ZOOMS.index(self.cell)
        self.zoom = min(max(present + step, 0), len(ZOOMS) - 1)

    def action_fit(self) -> None:
        self.zoom = AUTOMATIC

    def action_choose(self) -> None:
        self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        cell = self.cell
        column = self._left + (event.x - self._margin) // cell.width
        row = self.grid.rows - 1 - self._top - event.y // cell.height
        if event.x < self._margin or not (0 <= column < self.grid.columns and 0 <= row < self.grid.rows):
            return
        is_same = (column, row) == self.cursor
        self.cursor = (column, row)
        if is_same or self.points:
            self.action_choose()

    def on_mouse_scroll_down(self) -> None:
        self.action_move(0, -1)

    def on_mouse_scroll_up(self) -> None:
        self.action_move(0, 1)
