"""Pointing at objects on the map to fill the parameters of an order.

Tested are the visible part of the map, the meaning of a click, and the next parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from page_objects import GamePage, begin_game, box_of
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server with a game of TaE and one of Swarm, both of ann and ben, where orders can be given."""
    with preloaded_server() as started:
        begin_game(started, "tae", "tae")
        begin_game(started, "swarm", "swarm", turn=1)
        yield started


def whose_turn(server: ServerProcess, page: Page) -> GamePage:
    """The game of Swarm as the player to move sees it."""
    game = GamePage(page, server).enter("ann", "swarm")
    if game.is_awaited():
        return game
    page.get_by_role("button", name="Log out", exact=True).click()
    return game.enter("ben", "swarm")


@pytest.mark.thorough
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_the_note_of_picking_covers_nothing_of_the_drawing(
    server: ServerProcess, new_page: Pages, width: int, height: int
) -> None:
    """While an object is to be picked the whole drawing can be clicked; its Cancel button is beside it, in sight."""
    page = new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    game = GamePage(page, server).enter("ann", "tae")
    game.select("Merchant leader")
    game.begin("Move")
    note = page.locator("#pick-note")
    expect(note).to_be_visible()
    drawing = box_of(page.locator("#map"))
    assert box_of(note)["y"] >= drawing["y"] + drawing["height"]
    expect(page.get_by_role("button", name="Cancel (Esc)")).to_be_in_viewport(ratio=1)
    assert page.locator(".legend").evaluate("legend => getComputedStyle(legend).visibility") == "hidden"


@pytest.mark.thorough
@pytest.mark.parametrize("how", ["picked", "cancelled"])
def test_on_a_phone_the_page_goes_to_the_map_and_back_to_the_form(
    server: ServerProcess, new_page: Pages, how: str
) -> None:
    """In a window that is too low for both, the map comes into sight for picking, and after it the order does."""
    page = new_page(viewport={"width": 360, "height": 740}, reduced_motion="reduce")
    game = GamePage(page, server).enter("ann", "tae")
    game.select("Merchant leader")
    give = page.locator("#give")
    page.locator(".offer").first.scroll_into_view_if_needed()
    game.begin("Move")
    expect(page.locator("#map")).to_be_in_viewport(ratio=0.99)
    expect(give).not_to_be_in_viewport()
    if how == "picked":
        game.click_place(game.wait_for_targets()[0])
    else:
        page.keyboard.press("Escape")
    expect(page.locator("#pick-note")).to_be_hidden()
    expect(give).to_be_in_viewport(ratio=1)


@pytest.mark.thorough
def test_ones_own_piece_is_meant_and_the_next_parameter_follows(server: ServerProcess, page: Page) -> None:
    """Where a parameter is called as a kind of piece is, the piece is taken unasked; then the next one follows."""
    game = whose_turn(server, page)
    game.select("Swarm")
    game.begin("Move")
    note = page.locator("#pick-note")
    expect(note).to_contain_text("Move, Cube: click on the map")
    mine = page.locator(".normal.of-green").nth(1).evaluate("dot => Number(dot.closest('[data-id]').dataset.id)")
    game.click_place(mine)
    chosen = page.get_by_label("Cube", exact=True).locator("option:checked")
    expect(chosen).not_to_have_text("choose…")
    expect(note).to_contain_text("Move, Tile: click on the map")
    page.get_by_role("button", name="Cancel (Esc)").click()
    expect(note).to_be_hidden()
    expect(chosen).not_to_have_text("choose…")
    expect(page.locator("#verdict")).to_have_text("Still to choose: Tile.")


@pytest.mark.thorough
def test_the_edges_of_a_board_say_what_rows_and_columns_are_called(server: ServerProcess, page: Page) -> None:
    """The names of the squares tell it; messages name squares so."""
    whose_turn(server, page)
    expect(page.locator(".edge:not(.side)")).to_have_text(list("abcdef"))
    assert sorted(page.locator(".edge.side").all_text_contents()) == list("123456")


TWO = "thing, 1 of 2thing, 2 of 2"
"""The buttons for two things without any visible difference."""

ASKED_AGAIN = """async (kinds) => {
  const { Picking } = await import("/ui/picking.js");
  const map = Object.assign(new EventTarget(), { pick() {}, stopPicking() {} });
  const thing = (id, role, ships) => ({ id, role, kind: "thing", owner: 0, ships: new Map(ships) });
  const things = [thing(1, 10, []), thing(2, 20, [[1, 1]]), thing(3, 20, [[1, 1]])];
  const objectName = (id) => ["", "ground", "thing", "thing"][id];
  const [kindName, designName, objectKinds, designs] = [() => "thing", () => "", new Map(), new Map()];
  const universe = { me: 1, objectName, kindName, designName, objectKinds, designs };
  const picking = new Picking({ map, player: { universe } });
  const place = document.getElementById("pick-note");
  const note = () => (place.hidden ? "" : place.querySelector("span").textContent);
  const before = picking.pick([], "Move, to", "to");
  map.dispatchEvent(new CustomEvent("pick", { detail: { icon: 1, things } }));
  const asked = note();
  const after = picking.pick(kinds, "Move, to", "to");
  const then = note();
  picking.stop();
  const picked = [await before, await after];
  picking.pick(kinds, "Move, to", "to");
  return { asked, then, picked, anew: note() };
}"""


@pytest.mark.thorough
@pytest.mark.parametrize(("kinds", "then", "picked"), [([10], "", 1), ([20], f"Which one? {TWO}", None)])
def test_what_was_clicked_is_not_forgotten_when_the_server_tells_what_fits(
    page: Page, server: ServerProcess, kinds: list[int], then: str, picked: int | None
) -> None:
    """The choice is narrowed to fitting objects, and made if one is left. The next question starts again."""
    page.goto(server.url)
    seen = page.evaluate(ASKED_AGAIN, kinds)
    assert seen["asked"] == f"Which one? ground{TWO}"
    assert seen["then"] == then
    assert seen["picked"] == [None, picked]
    assert seen["anew"].startswith("Move, to: click on the map")
