"""Turn clocks on the page: chosen by widgets, explained, changed.

Times are in the time zone of the reader. The owner changes the clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from page_objects import GamePage
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with preloaded_server("--accounts", "open") as started:
        yield started


@pytest.mark.thorough
def test_a_calendar_is_chosen_and_told(server: ServerProcess, new_page: Pages) -> None:
    """The clock of the combats is chosen, too. Players read it in words, with the time when the turn is due."""
    ann, ben = new_page(), new_page()
    game = GamePage(ann, server).new_game("tae", "evenings")
    days = ann.get_by_label("On which days")
    expect(days).to_be_hidden()
    ann.get_by_label("A turn ends", exact=True).select_option("at a time of the day")
    days.select_option("Monday to Friday")
    ann.get_by_label("At", exact=True).fill("19:30")
    ann.get_by_label("In the time zone of").select_option("Europe/Berlin")
    ann.get_by_text("More about the clock").click()
    ann.get_by_label("Finishing early").select_option("does not: the turn waits for its end")
    ann.get_by_label("Grace period").select_option("60 minutes")
    ann.get_by_label("Turns of combat").select_option("after an hour at the latest")
    words = "a turn ends on Monday to Friday at 19:30 (Europe/Berlin), with 60 minutes of grace for late players"
    expect(ann.locator("#making-clock-words")).to_contain_text(words)
    ann.get_by_role("button", name="Create game").click()
    expect(ann.locator("#waiting-setup")).to_contain_text(words)
    assert "calendar:mon-fri:1930:Europe/Berlin wait grace:3600 phase:combat=interval:3600" in server.command(
        "game", "list"
    )
    GamePage(ben, server).join_empty("ben", "evenings")
    game.wait_for_map()
    game.tab("Players")
    expect(ann.locator("#panel-mine")).to_contain_text("A turn ends on Monday to Friday at 19:30 (Europe/Berlin)")
    expect(ann.locator("#clock-due")).to_have_text(re.compile(r"This turn is due .*20\d\d.*\d:\d\d.*\."))
    expect(ann.locator("#clock-ends")).to_contain_text("at the latest")
    expect(ann.locator("#time")).to_have_attribute("title", re.compile("until .*20"))


@pytest.mark.thorough
def test_time_banks_are_told_with_the_players_and_the_maker_proposes_another_clock(
    server: ServerProcess, new_page: Pages
) -> None:
    """Others are not offered that; they read of it on their boards, and agree."""
    ann, ben = new_page(), new_page()
    game = GamePage(ann, server).new_game("swarm", "banks", "dan")
    ann.get_by_label("A turn ends", exact=True).select_option("when all are done, after a day at the latest")
    ann.get_by_text("More about the clock").click()
    ann.get_by_label("Time bank of each player").select_option("an hour, and a minute more for each turn")
    ann.get_by_role("button", name="Create game").click()
    other = GamePage(ben, server)
    other.join_empty("ben", "banks")
    game.wait_for_map()
    other.tab("Players")
    expect(ben.locator(".players li").first).to_contain_text("time bank 60 minutes")
    expect(ben.get_by_role("button", name="Change the clock")).to_have_count(0)

    game.tab("Players")
    ann.get_by_role("button", name="Change the clock").click()
    ann.get_by_label("More time for this turn").select_option("3 days")
    ann.get_by_role("button", name="Propose it").click()
    expect(game.notes.first).to_contain_text("You have proposed to give this turn 3 days more")

    ann.get_by_role("button", name="Change the clock").click()
    ann.get_by_label("From the next turn on a turn ends").select_option("when all are done, after a week at the latest")
    ann.get_by_role("dialog").get_by_role("button", name="Propose the clock").click()
    ben.get_by_role("button", name="Agreements").click()
    his = ben.get_by_role("dialog", name="Agreements")
    for _ in range(2):
        his.get_by_role("button", name="Agree").first.click()
        expect(his.get_by_role("status")).to_contain_text("all players are notified")
    his.get_by_role("button", name="Close").click()
    expect(ann.locator("#panel-mine")).to_contain_text("A turn ends when all are done, after 7 days at the latest.")
    expect(ben.locator("#panel-mine")).to_contain_text("A turn ends when all are done, after 7 days at the latest.")
    other.tab("Messages")
    expect(ben.locator("#panel-messages")).to_contain_text("More time")
    expect(ben.locator("#panel-messages")).to_contain_text("Another clock")


@pytest.mark.thorough
def test_a_clock_that_the_server_refuses_is_said_in_the_form(server: ServerProcess, new_page: Pages) -> None:
    ann = new_page()
    GamePage(ann, server).new_game("swarm", "late", "cem")
    ann.get_by_label("A turn ends", exact=True).select_option("when all are done, after a day at the latest")
    ann.get_by_text("More about the clock").click()
    ann.get_by_label("The first turn ends (or empty)").fill("2001-01-01T12:00")
    ann.get_by_role("button", name="Create game").click()
    expect(ann.locator("#making-problem")).to_contain_text("first deadline must be later than now")
