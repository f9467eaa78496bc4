"""The owner's dialog: rename, admit players, hand over or end a game."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe import assert_accessible
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
    """A question comes first. Other players have no such button, and see the reason of the end."""
    page, other = new_page(), looking_soon(new_page())
    ben = GamePage(other, server).enter("ben")
    ben.tab("Players")
    expect(other.locator("#panel-mine")).to_contain_text("Clock")
    expect(other.get_by_role("button", name="Change the game")).to_have_count(0)
    dialog = opened(page, server)
    dialog.get_by_label("Name", exact=True).fill("a/b")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.get_by_role("alert")).to_contain_text("is not a name for a game")
    dialog.get_by_label("Name", exact=True).fill("\u200bＦriday\u00a0")
    dialog.get_by_role("button", name="Rename").click()
    expect(page.locator("#toasts")).to_contain_text(
        "The game first is called Friday now, and all players are notified."
    )
    page.get_by_role("button", name="Change the game").click()
    dialog.get_by_label("End it without a result, because").fill("Too late")
    dialog.get_by_role("button", name="Propose the end").click()
    expect(page.locator("#toasts")).to_contain_text("You have proposed to end the game without a result: Too late")
    other.get_by_role("button", name="Agreements").click()
    his = other.get_by_role("dialog", name="Agreements")
    his.get_by_role("button", name="Agree").click()
    expect(his.get_by_role("status")).to_contain_text(
        "The game is over without a result, and all players are notified."
    )
    his.get_by_role("button", name="Close").click()
    assert "over" in server.command("game", "show", "Friday")
    ben.tab("Messages")
    expect(other.locator("#panel-messages")).to_contain_text("has ended this game without a result: Too late.")


@pytest.mark.thorough
def test_a_game_master_makes_a_game_and_watches_it(web_server: Servers, page: Page) -> None:
    """It has no seat there, and comes there again from its games."""
    server = web_server()
    server.start()
    server.command("account", "add", "ann", "--password", PASSWORD)
    GamePage(page, server).new_game("tae", "arena")
    page.get_by_label("of which are bots").select_option("1")
    page.get_by_text("More about players and spectators").click()
    page.get_by_label("I", exact=True).select_option("do not play: I am the game master, and watch")
    page.get_by_role("button", name="Create game").click()
    expect(page.locator("#brand")).to_have_text("arena")
    page.get_by_role("button", name="My games").click()
    expect(page.locator("#own-games")).to_contain_text("arena")
    page.get_by_role("button", name="Look arena").click()
    expect(page.locator("#brand")).to_have_text("arena")
    assert "ann" not in server.command("game", "show", "arena")


@pytest.mark.thorough
def test_axe_finds_nothing_serious_in_the_dialog(server: ServerProcess, page: Page) -> None:
    dialog = opened(page, server)
    expect(dialog.get_by_label("New owner")).to_be_visible()
    assert_accessible(page, dialog, "owning")


@pytest.mark.thorough
def test_an_anonymous_game_is_made_and_told_as_one(web_server: Servers, new_page: Callable[..., Page]) -> None:
    """The waiting room says so, and players are called by their seats.

    A player is blocked, heard again, and gets the game by number. The end shows the names.
    """
    server, page = web_server(), looking_soon(new_page())
    server.start()
    server.command("account", "add", "ann", "--password", PASSWORD)
    GamePage(page, server).new_game("tae", "masks")
    page.get_by_label("Number of players").select_option("2")
    page.get_by_text("More about players and spectators").click()
    page.get_by_label("Player names").select_option("hidden until the end")
    page.get_by_role("button", name="Create game").click()
    expect(page.locator("#waiting-setup")).to_contain_text("player names are hidden until the end")
    server.command("account", "add", "ben", "--password", PASSWORD)
    server.command("game", "invite", "masks", "ben")
    page.get_by_role("tab", name="Players").click()
    panel = page.locator("#panel-mine")
    expect(panel).to_contain_text("Player 1")
    expect(panel).to_contain_text("Player 2")
    assert "ben" not in page.locator("body").inner_text()
    page.get_by_role("tab", name="Messages").click()
    page.get_by_role("button", name="Blocked players").click()
    dialog = page.get_by_role("dialog", name="Blocked players")
    other = dialog.get_by_label("Player", exact=True).locator("option").first.inner_text()
    assert other in ("Player 1", "Player 2")
    dialog.get_by_role("button", name="Block", exact=True).click()
    words = f"You have blocked {other}, and the two of you cannot write to each other in this game."
    expect(dialog.get_by_role("status")).to_have_text(words)
    dialog.get_by_role("button", name=f"Unblock {other} in masks").click()
    expect(dialog.get_by_role("status")).to_have_text(f"You have unblocked {other}.")
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("tab", name="Players").click()
    page.get_by_role("button", name="Change the game").click()
    page.get_by_role("button", name="Hand over").click()
    expect(page.locator("#toasts")).to_contain_text(
        f"The game masks now belongs to {other}, and all players are notified."
    )
    server.command("game", "abort", "masks", "--reason", "No time")
    page.get_by_role("tab", name="Messages").click()
    expect(page.locator("#panel-messages")).to_contain_text("Player names")
    expect(page.locator("#panel-messages")).to_contain_text(f"{other} was ben")
