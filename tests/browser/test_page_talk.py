"""The dialog with blocked players, muted games and abuse reports.

The page loads it when a player first opens it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe import assert_accessible
from page_objects import PASSWORD, GamePage, begin_game
from playwright.sync_api import Locator, Page, expect

from tests.support.server import ServerProcess

pytestmark = pytest.mark.thorough

Servers = Callable[..., ServerProcess]


@pytest.fixture
def server(web_server: Servers) -> ServerProcess:
    made = web_server()
    made.start()
    begin_game(made, "first", "tae")
    return made


def opened(page: Page, server: ServerProcess, name: str = "ann") -> Locator:
    game = GamePage(page, server).enter(name)
    game.tab("Messages")
    page.get_by_role("button", name="Blocked players").click()
    return page.get_by_role("dialog", name="Blocked players")


def test_a_player_is_blocked_and_heard_again(server: ServerProcess, new_page: Callable[..., Page]) -> None:
    """A message of that player is refused with a sentence."""
    page, other = new_page(), new_page()
    dialog = opened(page, server)
    expect(dialog).to_contain_text("In this game players write to each other and to everybody.")
    dialog.get_by_label("Player").select_option("ben")
    dialog.get_by_role("button", name="Block", exact=True).click()
    expect(dialog.get_by_role("status")).to_have_text(
        "You have blocked ben, and the two of you cannot write to each other."
    )
    dialog.get_by_label("Mute messages to everybody").check()
    expect(dialog.get_by_role("status")).to_have_text("You get no messages to everybody in first.")
    ben = GamePage(other, server).enter("ben")
    ben.tab("Messages")
    other.get_by_text("Write to the others").click()
    other.get_by_label("To", exact=True).select_option("ann")
    other.get_by_label("Subject").fill("Hello")
    other.get_by_role("button", name="Send").click()
    expect(other.locator("#toasts")).to_contain_text("Ann does not accept your messages.")
    dialog.get_by_role("button", name="Unblock ben").click()
    expect(dialog.get_by_role("status")).to_have_text("You have unblocked ben.")
    other.get_by_role("button", name="Send").click()
    expect(other.locator("#toasts")).to_contain_text("The message is sent.")


def test_a_letter_is_reported_and_a_moderator_decides(server: ServerProcess, new_page: Callable[..., Page]) -> None:
    """A moderator sees it in the same dialog, and both are notified."""
    page, other = new_page(), new_page()
    ben = GamePage(other, server).enter("ben")
    ben.tab("Messages")
    other.get_by_text("Write to the others").click()
    other.get_by_label("Subject").fill("You <b>fool</b>")
    other.get_by_role("button", name="Send").click()
    expect(other.locator("#toasts")).to_contain_text("The message is sent.")
    game = GamePage(page, server).enter("ann")
    game.tab("Messages")
    page.get_by_role("button", name="Report", exact=True).click()
    dialog = page.get_by_role("dialog", name="Blocked players")
    expect(dialog.locator("blockquote").first).to_contain_text("You <b>fool</b>")
    dialog.locator("#talk-why").fill("An insult")
    dialog.get_by_role("button", name="Report", exact=True).click()
    expect(dialog.get_by_role("status")).to_have_text(
        "The moderators will look at this message, and notify you of their decision."
    )
    server.command("account", "add", "mod", "--password", PASSWORD)
    server.command("account", "role", "mod", "moderator")
    third = new_page()
    at_home = GamePage(third, server).open()
    at_home.type_name("mod")
    third.get_by_role("button", name="Watch first", exact=True).click()
    third.get_by_role("button", name="My games").click()
    third.get_by_role("button", name="Blocked players").click()
    mod = third.get_by_role("dialog", name="Blocked players")
    report_of = mod.locator("#talk-reports li")
    expect(report_of).to_contain_text("ben to ann in first")
    report_of.get_by_label("Report 1 is").select_option("warned")
    report_of.get_by_label("Reason").fill("Be kind")
    report_of.get_by_role("button", name="Close report 1").click()
    expect(mod.get_by_role("status")).to_have_text("Report 1 is closed; those concerned are notified.")
    expect(mod.locator("#talk-reports")).to_contain_text("There are no reported messages.")
    assert "report close" in server.command("audit")


@pytest.mark.thorough
def test_axe_finds_nothing_serious_in_the_dialog(server: ServerProcess, page: Page) -> None:
    dialog = opened(page, server)
    dialog.get_by_role("button", name="Block", exact=True).click()
    expect(dialog.locator("#talk-blocked li")).to_contain_text("ben")
    assert_accessible(page, dialog, "talk")
