"""Turn history on the page: the slider, cards, and animated closings."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from page_objects import GamePage, begin_game, box_of, bring_to, turn_is
from playwright.sync_api import Page, Route, expect

from tests.support.server import ServerProcess, preloaded_server, short_directory

Pages = Callable[..., Page]

HOLD = """
const animate = Element.prototype.animate;
window.played = 0;
Element.prototype.animate = function (...how) {
  window.played += 1;
  const one = animate.apply(this, how);
  one.pause();
  return one;
};
"""
"""Counts what plays, and holds it at its beginning, so that a test need not be quick to see it."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has a game of its own there."""
    with preloaded_server() as started:
        yield started


def ids(mark: str, page: Page) -> set[str]:
    return set((page.locator(f"#map path.{mark}").get_attribute("data-ids") or "").split())


@pytest.mark.thorough
def test_an_old_turn_is_looked_at_and_nothing_is_lost(server: ServerProcess, page: Page) -> None:
    """The slider shows an old turn as it was seen, and says so. No order is offered, and keys give none.

    The page announces a turn that begins meanwhile, and does not jump to it. Back in the game, the unfinished input is
    there.

    All objects have one modification time here. The times of two connections are not comparable.
    """

    def with_one_time(route: Route) -> None:
        text = route.fetch().text()
        assert "this.modified = whole(frame.modtime);" in text
        route.fulfill(body=text.replace("whole(frame.modtime)", "1"), content_type="text/javascript")

    page.route("**/core/objects.js", with_one_time)
    begin_game(server, "past", "tae", 4)
    game = GamePage(page, server).enter("ann", "past")
    slider = page.get_by_role("slider", name="Turn", exact=True)
    old = int(slider.get_attribute("max") or "")
    seen = game.places_of(".normal .ground")
    begun = game.turn.inner_text()
    bring_to(server, "past", ("ann", "ben"), turn_is(old + 3))
    expect(game.turn).not_to_have_text(begun)
    game.select("Merchant leader")
    game.begin("Move")
    choice = page.get_by_label("System", exact=True)
    choice.select_option(index=1)
    chosen = choice.input_value()
    slider.fill(str(old))
    banner = page.locator("#past-banner")
    expect(banner).to_contain_text(f"{begun}, as you saw it.")
    assert game.places_of(".normal .ground") == seen
    expect(page.locator("#order-form")).to_be_hidden()
    expect(page.locator("#finish")).to_be_hidden()
    game.click_place(seen[0])
    expect(page.locator("#past h4")).not_to_be_empty()
    page.locator("#map").focus()
    for key in ("f", "n", "o", "3"):
        page.keyboard.press(key)
    expect(page.locator("#order-form")).to_be_hidden()
    present = game.turn.inner_text()
    bring_to(server, "past", ("ann", "ben"), turn_is(old + 4))
    expect(game.turn).not_to_have_text(present)
    expect(banner).to_contain_text(f"{begun}, as you saw it. Meanwhile: {game.turn.inner_text()}.")
    assert game.places_of(".normal .ground") == seen
    page.keyboard.press("Escape")
    expect(banner).to_be_hidden()
    assert len(game.places_of(".normal .ground")) > len(seen)
    expect(choice).to_have_value(chosen)
    expect(slider).to_have_value(slider.get_attribute("max") or "")


@pytest.mark.thorough
def test_a_turn_that_is_not_kept_is_computed_again_or_a_note_says_that_it_is_gone(page: Page) -> None:
    """It looks as it did while it was kept; of one that becomes another turn nothing is shown, and the game goes on."""
    with short_directory() as directory:
        config = directory / "tp.toml"
        with ServerProcess(directory / "data", "--no-parent", "--config", str(config), preloaded=True) as server:
            config.write_text("")
            server.start()
            begin_game(server, "thin", "tae", 8)
            game = GamePage(page, server).enter("ann", "thin")
            slider = page.get_by_role("slider", name="Turn", exact=True)
            banner = page.locator("#past-banner")
            slider.fill("3")
            expect(banner).to_be_visible()
            shown, told = game.places_of(".normal .ground"), banner.inner_text()
            server.stop()
            with closing(sqlite3.connect(server.database)) as database, database:
                database.execute("UPDATE snapshots SET digest = 'another' WHERE turn = 5")
            config.write_text('[games]\nkeep_snapshots = "every:8:last:2"\n')
            server.start()
            server.wait_for(r"6 old turns were thinned")
            page.reload()
            game.wait_for_map()
            slider.fill("3")
            expect(banner).to_have_text(told)
            assert game.places_of(".normal .ground") == shown
            slider.fill("6")
            gone = "Turn 6 of 'thin' is no longer kept, and cannot be computed again; the server's log says why."
            expect(page.locator(".toast")).to_contain_text(gone)
            expect(banner).to_have_text(told)
            page.keyboard.press("Escape")
            expect(banner).to_be_hidden()


@pytest.mark.thorough
def test_the_turn_on_which_the_pointer_rests_is_read_ahead(server: ServerProcess, page: Page) -> None:
    """A pointer on a place of the slider announces a click there. So that turn is ready when the click comes."""
    begin_game(server, "pointed", "tae", 4)
    game = GamePage(page, server).enter("ann", "pointed")
    begun = game.turn.inner_text()
    bring_to(server, "pointed", ("ann", "ben"), turn_is(8))
    expect(game.turn).not_to_have_text(begun)
    box = box_of(page.get_by_role("slider", name="Turn", exact=True))
    middle = box["y"] + box["height"] / 2
    with page.expect_websocket() as visit:
        page.mouse.move(box["x"] + box["width"] - 2, middle)
    with visit.value.expect_event("framesent", lambda text: '"showTurn":{"turn":4}' in str(text)):
        page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#past-banner")).to_be_visible()


@pytest.mark.thorough
def test_what_happened_is_there_after_the_messages_are_removed(server: ServerProcess, page: Page) -> None:
    """Cards of all turns, the newest first, whose links show a place and leave the tab open."""
    begin_game(server, "cards", "tae", 3)
    game = GamePage(page, server).enter("ann", "cards")
    game.tab("Messages")
    page.get_by_role("button", name="Remove all").click()
    page.get_by_role("alertdialog").get_by_role("button", name="Remove all").click()
    expect(page.locator("#panel-messages")).to_contain_text("There are no messages.")
    page.reload()
    game.wait_for_map()
    game.tab("What happened")
    cards = page.locator(".turn-card")
    expect(cards.first).to_contain_text(game.turn.inner_text())
    expect(cards.first).to_contain_text("Turn complete")
    expect(game.news).to_contain_text("Turn complete")
    assert cards.count() > 2
    page.locator(".reports .link").first.click()
    expect(page.locator("#map .ring.selected")).to_have_attribute("visibility", "visible")
    expect(page.locator("#panel-story")).to_be_visible()


@pytest.mark.thorough
def test_a_closing_is_played_unless_motion_is_unwanted(server: ServerProcess, new_page: Pages) -> None:
    """Pieces that moved slide, and one key ends it; with reduced motion nothing plays. Both tint what has changed.

    What is there at login plays for nobody.
    """
    begin_game(server, "played", "swarm", 8)
    lively, calm = new_page(), new_page(reduced_motion="reduce")
    for page, user in ((lively, "ann"), (calm, "ben")):
        page.add_init_script(HOLD)
        GamePage(page, server).enter(user, "played")
        assert page.evaluate("window.played") == 0
        assert ids("tint", page) == set()
    bring_to(server, "played", ("ann", "ben"), turn_is(9))
    expect(lively.locator(".replay .piece").first).to_be_attached()
    expect(calm.locator("#map path.tint")).not_to_have_attribute("data-ids", "")
    assert calm.evaluate("window.played") == 0
    assert calm.locator(".replay .piece").count() == 0
    lively.keyboard.press("Shift")
    expect(lively.locator(".replay .piece")).to_have_count(0)
    assert ids("tint", lively)
