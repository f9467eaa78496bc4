"""Press, drag and release on the map, also while it moves or changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from page_objects import GamePage, begin_game, box_of, middle_of
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

pytestmark = pytest.mark.thorough

MAP = "#map"
FRAME = "new Promise(requestAnimationFrame)"
"""The map is moved with the next frame of the screen."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server with a game of TaE of ann and ben."""
    with preloaded_server() as started:
        begin_game(started, "tae", "tae")
        yield started


class Spot(NamedTuple):
    """A place of the map, and where in the window its middle is."""

    name: str
    x: float
    y: float


class Map:
    """The map of a game, in a window where the page is higher than what is seen of it."""

    def __init__(self, game: GamePage) -> None:
        self.game = game
        self.page = game.page

    def spot(self, number: int) -> Spot:
        cell = self.page.locator(".cell").nth(number)
        cell.scroll_into_view_if_needed()
        x, y = middle_of(box_of(cell))
        self.page.mouse.move(x, y)
        name = self.page.locator("#tip strong").inner_text()
        return Spot(name, x, y)

    def where(self) -> str | None:
        """The visible part."""
        self.page.evaluate(FRAME)
        return self.page.locator(f"{MAP} .world").first.get_attribute("transform")

    def under(self, x: float, y: float) -> str | None:
        """The id of the place at a point of the window."""
        found = self.page.evaluate("([x, y]) => document.elementFromPoint(x, y).dataset.id ?? null", [x, y])
        assert found is None or isinstance(found, str)
        return found


@pytest.fixture
def shown(server: ServerProcess, new_page: Callable[..., Page]) -> Map:
    """The map in a low window, once it has its place. Later layout does not move a map that the user has moved."""
    page = new_page(viewport={"width": 700, "height": 500}, reduced_motion="reduce")
    game = GamePage(page, server).enter("ann", "tae")
    page.locator(MAP).focus()
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowRight")
    return Map(game)


def test_a_click_means_the_place_that_was_pressed_though_the_map_moves_before_the_release(shown: Map) -> None:
    """A selection, an answer of the server or the layout may move the map between the two."""
    spot = shown.spot(40)
    pressed = shown.under(spot.x, spot.y)
    page = shown.page
    page.mouse.down()
    page.locator(MAP).focus()
    page.keyboard.press("Shift+ArrowLeft")
    shown.where()
    assert shown.under(spot.x, spot.y) != pressed
    page.mouse.up()
    expect(shown.game.object_title()).to_have_text(spot.name)


def test_a_page_that_scrolls_during_a_press_drags_nothing(shown: Map) -> None:
    """The pointer stands still in the window; the trembling of a hand is no drag either."""
    spot = shown.spot(40)
    before = shown.where()
    page = shown.page
    page.mouse.down()
    assert page.evaluate("() => { const y = scrollY; scrollBy(0, 24); return Math.abs(scrollY - y); }") == 24
    page.mouse.move(spot.x + 1, spot.y)
    page.mouse.up()
    expect(shown.game.object_title()).to_have_text(spot.name)
    assert shown.where() == before


def test_a_drag_moves_the_map_and_selects_nothing(shown: Map) -> None:
    """As far as the pointer went, but for the few pixels after which it is known that it drags."""
    spot = shown.spot(40)
    identifier = shown.under(spot.x, spot.y)
    page = shown.page
    title = page.locator("#object").inner_text()
    page.mouse.down()
    page.mouse.move(spot.x + 30, spot.y + 40, steps=25)
    page.mouse.up()
    shown.where()
    assert shown.under(spot.x + 27, spot.y + 36) == identifier
    assert page.locator("#object").inner_text() == title


def test_a_mouse_released_beside_the_map_drags_no_more_when_it_comes_back(shown: Map) -> None:
    """The map gets no event of that release. The next click counts as usual."""
    spot = shown.spot(40)
    page = shown.page
    box = box_of(page.locator(MAP))
    edge = box["x"] + box["width"] - 1.5
    page.mouse.move(edge, spot.y)
    before = shown.where()
    page.mouse.down()
    page.mouse.move(edge + 3, spot.y)
    page.mouse.up()
    page.mouse.move(spot.x - 60, spot.y)
    page.mouse.move(spot.x, spot.y, steps=4)
    assert shown.where() == before
    page.mouse.down()
    page.mouse.up()
    expect(shown.game.object_title()).to_have_text(spot.name)


def test_a_press_on_no_place_selects_nothing(shown: Map) -> None:
    """Not what was pressed before either."""
    spot = shown.spot(40)
    page = shown.page
    page.mouse.down()
    page.mouse.up()
    expect(shown.game.object_title()).to_have_text(spot.name)
    shown.game.select("Merchant leader")
    expect(shown.game.object_title()).to_contain_text("Merchant leader")
    row = shown.spot(40).y
    box = box_of(page.locator(MAP))
    assert shown.under(box["x"] + 3, row) is None
    page.mouse.move(box["x"] + 3, row)
    page.mouse.down()
    page.mouse.up()
    shown.where()
    assert "Merchant leader" in shown.game.object_title().inner_text()


@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390)])
def test_on_a_phone_squares_are_large_enough_and_the_turn_ends_at_the_thumb(
    server: ServerProcess, new_page: Callable[..., Page], width: int, height: int
) -> None:
    """A square has 24 pixels, nothing scrolls sideways, and a menu has the rest of the bar.

    This holds for both orientations. In landscape, where the hands are beside the board, they are in sight, too.
    """
    page = new_page(
        viewport={"width": width, "height": height}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    GamePage(page, server).enter("ann", "tae")
    assert box_of(page.locator(".cell.square").first)["width"] > 23.9
    if width > height:
        for hand in (page.locator(".cell.tray").first, page.locator(".cell.tray").last):
            inside, drawing = box_of(hand), box_of(page.locator(MAP))
            assert drawing["y"] <= inside["y"] <= drawing["y"] + drawing["height"] - inside["height"]
    finish = page.get_by_role("button", name="Finish turn")
    expect(finish).to_be_in_viewport(ratio=1)
    assert box_of(finish)["y"] > height - 70
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    view = page.get_by_role("button", name="Resource view")
    expect(view).to_be_hidden()
    page.get_by_role("button", name="Menu", exact=True).click()
    view.click()
    expect(page.locator(".pie:visible").first).to_be_visible()
    expect(page.get_by_role("button", name="Log out", exact=True)).to_be_hidden()


def test_a_place_at_the_edge_is_chosen_and_the_board_stays(
    server: ServerProcess, new_page: Callable[..., Page]
) -> None:
    """It is in sight as a whole, so nothing has to move."""
    page = new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    shown = Map(GamePage(page, server).enter("ann", "tae"))
    before = shown.where()
    for corner in (page.locator(".cell.square").first, page.locator(".cell.square").last):
        corner.click()
        expect(page.locator(".ring.selected")).to_have_attribute("visibility", "visible")
        assert shown.where() == before


PLACED = """
window.placed = [];
const look = () => {
  const where = document.querySelector("#map .world")?.getAttribute("transform");
  if (where && where !== window.placed.at(-1)) window.placed.push(where);
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""
"""Notes where the board is drawn, in each frame from the first on."""


def test_the_board_keeps_its_size_from_the_moment_at_which_it_is_seen(
    server: ServerProcess, new_page: Callable[..., Page]
) -> None:
    """The rules arrive later than the map, and their goal is shown above it."""
    page = new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page.add_init_script(PLACED)
    shown = Map(GamePage(page, server).enter("ann", "tae"))
    expect(page.locator("#goal span")).not_to_be_empty()
    shown.game.acting()
    assert page.evaluate("window.placed") == [shown.where()]


def test_one_of_several_boards_has_the_window(server: ServerProcess, new_page: Callable[..., Page]) -> None:
    """One board is shown where all together would be too small.

    The others are small pictures. A click on one, or the selection of something on it, shows that board. All boards can
    be shown together, too.
    """
    begin_game(server, "boards", "colony_battle")
    page = new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    game = GamePage(page, server).enter("ann", "boards")
    surface, tunnels, throne = (page.locator(".plan").nth(number).locator(".cell.square").first for number in range(3))
    choices = page.get_by_role("group", name="Boards").get_by_role("button")
    expect(choices).to_have_count(3)
    assert box_of(surface)["width"] >= 36
    expect(tunnels).to_be_hidden()
    choices.nth(1).click()
    expect(choices.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(tunnels).to_be_visible()
    expect(surface).to_be_hidden()
    game.tab("List")
    page.get_by_label("Show places with").fill("Surface")
    page.locator("#panel-list").get_by_role("button", name="Surface").first.click()
    expect(surface).to_be_visible()
    expect(tunnels).to_be_hidden()
    page.get_by_role("button", name="Show all").click()
    for square in (surface, tunnels, throne):
        expect(square).to_be_visible()
