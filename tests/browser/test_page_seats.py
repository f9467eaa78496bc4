"""Who is away, on the page: told with the players, decided by the maker, turns left to the bot, seats taken over."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from axe import look, report, script
from page_objects import GamePage, looking_soon
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with preloaded_server("--accounts", "open") as started:
        yield started


@pytest.mark.thorough
def test_the_maker_decides_about_absent_players_and_removes_one(server: ServerProcess, new_page: Pages) -> None:
    """All read of it; somebody else takes the seat from the list of games, and the old player is out."""
    ann, ben, cem = looking_soon(new_page()), new_page(), new_page()
    game = GamePage(ann, server).new_game("swarm", "turns")
    ann.get_by_text("More about players and spectators").click()
    ann.get_by_label("Who misses turns").select_option("is not waited for after three missed turns in a row")
    ann.get_by_role("button", name="Make the game").click()
    GamePage(ben, server).join_empty("ben", "turns")
    game.wait_for_map()
    game.tab("Players")
    expect(ann.locator("#seats-words")).to_have_text(
        "The game does not wait for a player who has missed 3 turns in a row, until that player is back."
    )
    ann.get_by_role("button", name="Who is away").click()
    dialog = ann.get_by_role("dialog")
    dialog.get_by_label("Turns missed in a row").fill("101")
    dialog.get_by_role("button", name="Decide").click()
    expect(dialog.get_by_role("alert")).to_contain_text("1 to 100 turns in a row")
    dialog.get_by_label("Turns missed in a row").fill("2")
    dialog.get_by_label("Then plays").select_option("the bot of the rules")
    dialog.get_by_label("Others can take the seat").check()
    dialog.get_by_role("button", name="Decide").click()
    expect(game.notes.first).to_contain_text("missed 2 turns in a row")
    ann.once("dialog", lambda asked: asked.accept())
    dialog.get_by_role("button", name="Remove ben").click()
    expect(dialog.locator("li").nth(1)).to_contain_text("can be taken over")
    dialog.get_by_role("button", name="Close").click()
    other = GamePage(cem, server).open()
    expect(cem.locator("#open-seats-list")).to_contain_text("seat 2, until now a bot's")
    other.type_name("cem")
    cem.get_by_role("button", name="Log in").click()
    cem.get_by_role("button", name="Take seat 2 of turns").click()
    other.wait_for_map()
    game.tab("Messages")
    expect(ann.locator("#panel-messages")).to_contain_text("Another player")
    game.tab("Players")
    expect(ann.locator("#panel-mine .players")).to_contain_text("cem")


@pytest.mark.thorough
def test_turns_are_left_to_the_bot_and_played_again(server: ServerProcess, new_page: Pages) -> None:
    ann, ben = new_page(), new_page()
    game = GamePage(ann, server).new_game("swarm", "flown", "dan")
    ann.get_by_role("button", name="Make the game").click()
    GamePage(ben, server).join_empty("eve", "flown")
    game.wait_for_map()
    game.tab("Players")
    ann.get_by_role("button", name="Who is away").click()
    dialog = ann.get_by_role("dialog")
    dialog.get_by_label("Turns that the bot plays for me").fill("4")
    dialog.get_by_role("button", name="Leave them to the bot").click()
    left = re.compile("left to the bot for [34] turns")  # it plays at once if dice let this player begin
    expect(dialog.locator("li").first).to_contain_text(left)
    dialog.get_by_role("button", name="Close").click()
    expect(ann.locator("#panel-mine .players li").first).to_contain_text(left)
    ann.locator("#panel-mine").get_by_role("button", name="I am here").click()
    expect(ann.locator("#panel-mine .players li").first).not_to_contain_text("left to the bot")
    other = GamePage(ben, server)
    other.tab("Messages")
    expect(ben.locator("#panel-messages")).to_contain_text("Autopilot")


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 1280)])
def test_axe_finds_nothing_serious_in_the_dialog(
    server: ServerProcess, new_page: Pages, theme: str, width: int
) -> None:
    axe, name = script(), f"look-{theme}"
    page, other = new_page(viewport={"width": width, "height": 800}, color_scheme=theme), new_page()
    game = GamePage(page, server).new_game("swarm", name, f"ann {theme}")
    page.get_by_role("button", name="Make the game").click()
    GamePage(other, server).join_empty(f"ben {theme}", name)
    game.wait_for_map()
    game.tab("Players")
    page.get_by_role("button", name="Who is away").click()
    dialog = page.get_by_role("dialog", name="Who plays")
    expect(dialog.get_by_role("button", name="Decide")).to_be_visible()
    findings = look(page, axe, f"seats, {theme}, {width} px")
    assert findings == [], report(findings)
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth"), "it is as narrow as the window"
