"""Absent players on the page: shown, decided, played by bots, replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from axe import assert_accessible
from page_objects import GamePage, looking_soon
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with preloaded_server("--accounts", "open") as started:
        yield started


@pytest.mark.thorough
def test_the_maker_proposes_a_rule_about_absent_players_and_to_remove_one(
    server: ServerProcess, new_page: Pages
) -> None:
    """All read of it; somebody else takes the seat from the list of games, and the old player is out."""
    ann, ben, cem = looking_soon(new_page()), new_page(), new_page()
    game = GamePage(ann, server).new_game("swarm", "turns")
    ann.get_by_text("More about players and spectators").click()
    ann.get_by_label("Missed turns").select_option("after three in a row, do not wait")
    ann.get_by_label("Days of silence").fill("5")
    ann.get_by_role("button", name="Create game").click()
    GamePage(ben, server).join_empty("ben", "turns")
    game.wait_for_map()
    game.tab("Players")
    expect(ann.locator("#seats-words")).to_have_text(
        "The game does not wait for a player who has missed 3 turns in a row, until that player is back; "
        "a turn without a deadline waits 5 days for inactive players."
    )
    ann.get_by_role("button", name="Seats", exact=True).click()
    dialog = ann.get_by_role("dialog")
    dialog.get_by_label("Turns missed in a row").fill("101")
    dialog.get_by_role("button", name="Propose it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("1 to 100 turns in a row")
    dialog.get_by_label("Turns missed in a row").fill("2")
    expect(dialog.get_by_label("Days of silence")).to_have_value("5")
    dialog.get_by_label("Days of silence").fill("0")
    dialog.get_by_label("Then plays").select_option("the bot of the rules")
    dialog.get_by_label("Others can take the seat").check()
    dialog.get_by_role("button", name="Propose it").click()
    expect(game.notes.first).to_contain_text("missed 2 turns in a row")
    ann.once("dialog", lambda asked: asked.accept())
    dialog.get_by_role("button", name="Propose removal of ben").click()
    his = GamePage(ben, server)
    his.wait_for_map()
    his.tab("Players")
    ben.get_by_role("button", name="Agreements").click()
    votes = ben.get_by_role("dialog", name="Agreements")
    votes.get_by_role("button", name="Agree").last.click()
    expect(votes.get_by_role("status")).to_contain_text("all players are notified")
    votes.get_by_role("button", name="Agree").first.click()
    expect(ann.locator("#seats-words")).not_to_contain_text("who does nothing")
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
    ann.get_by_role("button", name="Create game").click()
    GamePage(ben, server).join_empty("eve", "flown")
    game.wait_for_map()
    game.tab("Players")
    ann.get_by_role("button", name="Seats", exact=True).click()
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
def test_axe_finds_nothing_serious_in_the_dialog(server: ServerProcess, new_page: Pages) -> None:
    page, other = new_page(), new_page()
    game = GamePage(page, server).new_game("swarm", "accessible", "ann axe")
    page.get_by_role("button", name="Create game").click()
    GamePage(other, server).join_empty("ben axe", "accessible")
    game.wait_for_map()
    game.tab("Players")
    page.get_by_role("button", name="Seats", exact=True).click()
    dialog = page.get_by_role("dialog", name="Seats")
    expect(dialog.get_by_role("button", name="Propose it")).to_be_visible()
    assert_accessible(page, dialog, "seats")
