"""The dialog of whoever has made a game: another name, who may join, another owner, its end without a result."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe import look, report, script
from page_objects import PASSWORD, GamePage, begin_game, looking_soon
from playwright.sync_api import Locator, Page, expect

from tests.support.server import ServerProcess

Servers = Callable[..., ServerProcess]


@pytest.fixture
def server(web_server: Servers) -> ServerProcess:
    made = web_server()
    made.start()
    begin_game(made, "first", "tae")
    made.command("game", "give", "first", "ann")
    return made


def opened(page: Page, server: ServerProcess) -> Locator:
    GamePage(page, server).enter("ann").tab("Players")
    page.get_by_role("button", name="Change the game").click()
    return page.get_by_role("dialog", name="This game")


@pytest.mark.thorough
def test_a_game_is_renamed_and_ended(server: ServerProcess, new_page: Callable[..., Page]) -> None:
    """After a question; whoever has not made it has no such button, and reads why it is over."""
    page, other = new_page(), looking_soon(new_page())
    ben = GamePage(other, server).enter("ben")
    ben.tab("Players")
    expect(other.locator("#panel-mine")).to_contain_text("Clock")
    expect(other.get_by_role("button", name="Change the game")).to_have_count(0)
    dialog = opened(page, server)
    dialog.get_by_label("Its name").fill("a/b")
    dialog.get_by_role("button", name="Rename it").click()
    expect(dialog.get_by_role("alert")).to_contain_text("is not a name for a game")
    dialog.get_by_label("Its name").fill("Friday")
    dialog.get_by_role("button", name="Rename it").click()
    expect(page.locator("#toasts")).to_contain_text("The game first is called Friday now, and all are told.")
    page.get_by_role("button", name="Change the game").click()
    dialog.get_by_label("End it without a result, because").fill("Too late")
    dialog.get_by_role("button", name="End it").click()
    page.get_by_role("alertdialog", name="End this game?").get_by_role("button", name="End it").click()
    expect(page.locator("#toasts")).to_contain_text("The game Friday is over without a result, and all are told.")
    assert "over" in server.command("game", "show", "Friday")
    ben.tab("Messages")
    expect(other.locator("#panel-messages")).to_contain_text("ann has ended this game without a result: Too late.")


def test_a_game_master_makes_a_game_and_watches_it(web_server: Servers, page: Page) -> None:
    """It has no seat there, and comes there again from its games."""
    server = web_server()
    server.start()
    server.command("account", "add", "ann", "--password", PASSWORD)
    GamePage(page, server).new_game("tae", "arena")
    page.get_by_label("of which are bots").select_option("1")
    page.get_by_text("More about players and spectators").click()
    page.get_by_label("I", exact=True).select_option("do not play: I am the game master, and watch")
    page.get_by_role("button", name="Make the game").click()
    expect(page.locator("#brand")).to_have_text("arena")
    page.get_by_role("button", name="My games").click()
    expect(page.locator("#own-games")).to_contain_text("arena")
    page.get_by_role("button", name="Look arena").click()
    expect(page.locator("#brand")).to_have_text("arena")
    assert "ann" not in server.command("game", "show", "arena")


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 1280)])
def test_axe_finds_nothing_serious_in_the_dialog(
    server: ServerProcess, new_page: Callable[..., Page], theme: str, width: int
) -> None:
    axe = script()
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=theme, reduced_motion="reduce")
    dialog = opened(page, server)
    expect(dialog.get_by_label("Another owner")).to_be_visible()
    findings = look(page, axe, f"owning, {theme}, {width} px")
    assert findings == [], report(findings)
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth"), "it is as narrow as the window"


@pytest.mark.thorough
def test_an_anonymous_game_is_made_and_told_as_one(web_server: Servers, new_page: Callable[..., Page]) -> None:
    """The waiting room says it, players are called by their seats, and one is blocked, heard again, and gets the game
    by its number; the end tells who was who."""
    server, page = web_server(), looking_soon(new_page())
    server.start()
    server.command("account", "add", "ann", "--password", PASSWORD)
    GamePage(page, server).new_game("tae", "masks")
    page.get_by_label("Number of players").select_option("2")
    page.get_by_text("More about players and spectators").click()
    page.get_by_label("Who plays").select_option("is told when the game is over")
    page.get_by_role("button", name="Make the game").click()
    expect(page.locator("#waiting-setup")).to_contain_text("who plays is told when it is over")
    server.command("account", "add", "ben", "--password", PASSWORD)
    server.command("game", "invite", "masks", "ben")
    page.get_by_role("tab", name="Players").click()
    panel = page.locator("#panel-mine")
    expect(panel).to_contain_text("Player 1")
    expect(panel).to_contain_text("Player 2")
    assert "ben" not in page.locator("body").inner_text()
    page.get_by_role("tab", name="Messages").click()
    page.get_by_role("button", name="Whom I hear").click()
    dialog = page.get_by_role("dialog", name="Whom I hear")
    other = dialog.get_by_label("Player", exact=True).locator("option").first.inner_text()
    assert other in ("Player 1", "Player 2")
    dialog.get_by_role("button", name="Block", exact=True).click()
    words = f"You take no letters of {other} any more, and can write none to it in this game."
    expect(dialog.get_by_role("status")).to_have_text(words)
    dialog.get_by_role("button", name=f"Unblock {other} in masks").click()
    expect(dialog.get_by_role("status")).to_have_text(f"You take the letters of {other} again.")
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("tab", name="Players").click()
    page.get_by_role("button", name="Change the game").click()
    page.get_by_role("button", name="Hand it over").click()
    expect(page.locator("#toasts")).to_contain_text(f"The game masks is that of {other} now, and all are told.")
    server.command("game", "abort", "masks", "--reason", "No time")
    page.get_by_role("tab", name="Messages").click()
    expect(page.locator("#panel-messages")).to_contain_text("Who was who")
    expect(page.locator("#panel-messages")).to_contain_text(f"{other} was ben")
