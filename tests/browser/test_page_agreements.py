"""The agreements dialog: proposals, votes, and changes without a vote.

The page loads it when a player first opens it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest
from axe import look, report, script
from page_objects import GamePage, looking_soon
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

pytestmark = pytest.mark.thorough

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with preloaded_server("--accounts", "open") as started:
        yield started


def test_one_proposes_the_other_agrees_and_so_does_the_maker(server: ServerProcess, new_page: Pages) -> None:
    """Each sees at once what the other has done; the module of the dialog comes only when it is opened."""
    ann, ben = looking_soon(new_page()), new_page()
    asked: list[str] = []
    ann.on("request", lambda request: asked.append(request.url))
    game = GamePage(ann, server).new_game("swarm", "together")
    ann.get_by_label("A turn ends", exact=True).select_option("when all are done, after a day at the latest")
    ann.get_by_text("More about the clock").click()
    ann.get_by_label("Vacation of each player").select_option("14 days in the game")
    ann.get_by_role("button", name="Create game").click()
    other = GamePage(ben, server)
    other.join_empty("ben", "together")
    game.wait_for_map()

    game.tab("Players")
    assert not any(url.endswith("ui/agreements.js") for url in asked)
    ann.get_by_role("button", name="Agreements").click()
    mine = ann.get_by_role("dialog", name="Agreements")
    expect(mine.locator("#agreements-list")).to_have_text("Nothing is proposed.")
    expect(mine.locator("#agreements-offers")).to_contain_text("Not now: the game 'together' is not paused.")

    other.tab("Players")
    ben.get_by_role("button", name="Agreements").click()
    his = ben.get_by_role("dialog", name="Agreements")
    his.get_by_label("How much time: give this turn more time").select_option("3 days")
    his.get_by_role("button", name="Propose: give this turn more time").click()
    expect(his.get_by_role("status")).to_contain_text("You have proposed to give this turn 3 days more")
    expect(his.get_by_role("button", name="Withdraw")).to_be_visible()

    assert "vacation:14" in server.command("game", "list")
    row = mine.locator("#agreements-list li").first
    expect(row).to_contain_text("ben proposes to give this turn 3 days more.")
    expect(row).to_contain_text("Agreed by ben, waits for ann (you); until ")
    grave = [finding for finding in look(ann, script(), "agreements") if finding.is_grave]
    assert not grave, report(grave)
    row.get_by_role("button", name="Agree").click()
    expect(mine.get_by_role("status")).to_contain_text("This turn has more time, and all players are notified.")
    expect(his.locator("#agreements-list")).to_contain_text(
        "ben (you) proposed to give this turn 3 days more: agreed on."
    )

    mine.get_by_role("button", name="Propose: stop the clock").click()
    expect(mine.get_by_role("status")).to_contain_text("You have proposed to stop the clock")
    his.locator("#agreements-list li").first.get_by_role("button", name="Agree").click()
    expect(his.get_by_role("status")).to_contain_text("The clock is stopped, and all players are notified.")
    mine.get_by_label("give the game another clock").first.fill("interval:7200")
    mine.get_by_role("button", name="Propose: give the game another clock").click()
    expect(mine.get_by_role("status")).to_contain_text("You have proposed to give the game another clock")
    expect(his.locator("#agreements-list")).to_contain_text("ann proposed to stop the clock: agreed on.")
    his.get_by_text("My vacations").click()
    his.get_by_label("Last day").fill(f"{date.today() + timedelta(days=4)}")
    his.get_by_role("button", name="I am on vacation").click()
    expect(his.get_by_role("status")).to_contain_text("games whose clocks say so wait for you.")
    expect(mine.locator("#agreements-list")).to_contain_text("ben is on vacation, ")
    his.get_by_role("button", name="End it").click()
    expect(his.get_by_role("status")).to_contain_text("This vacation is over.")
    expect(his.locator("#agreements-away li")).to_have_count(0)

    his.get_by_role("button", name="Do it: give the game up").click()
    sure = ben.get_by_role("alertdialog")
    expect(sure).to_contain_text(
        "Give the game up; it goes on without you as long as others play. This cannot be undone."
    )
    sure.get_by_role("button", name="Do it").click()
    expect(ann.locator("#turn")).to_contain_text("Game over: ann won")
