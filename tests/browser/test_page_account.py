"""The dialog Account: another password, with which this browser goes on, and tokens for bots and scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe import look, report, script
from page_objects import PASSWORD, GamePage, begin_game
from playwright.sync_api import Locator, Page, expect

from tests.support.server import ServerProcess
from tpclient.blocking import open_game
from tpclient.errors import RequestFailed

Servers = Callable[..., ServerProcess]


@pytest.fixture
def server(web_server: Servers) -> ServerProcess:
    made = web_server()
    made.start()
    begin_game(made, "first", "tae")
    return made


def opened(page: Page, server: ServerProcess) -> Locator:
    """Open the dialog at home, and return it."""
    GamePage(page, server).enter("ann")
    page.get_by_role("button", name="My games").click()
    page.get_by_role("button", name="Account").click()
    return page.get_by_role("dialog", name="Account")


def test_the_password_is_changed_and_the_browser_stays_logged_in(server: ServerProcess, page: Page) -> None:
    """After a reload it comes back by a cookie of its own, though the old one has ended."""
    dialog = opened(page, server)
    for label, words in (("Old", "wrong"), ("New", "another word"), ("Once more", "other")):
        dialog.get_by_label(label, exact=True).fill(words)
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("alert")).to_have_text("The two new passwords differ.")
    dialog.get_by_label("Once more").fill("another word")
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("alert")).to_contain_text("The old password is wrong.")
    dialog.get_by_label("Old").fill(PASSWORD)
    dialog.get_by_role("button", name="Change").click()
    expect(dialog.get_by_role("status")).to_have_text(
        "Your password is changed, and you are logged out everywhere else"
    )
    page.reload()
    expect(page.get_by_role("heading", name="Logged in as ann")).to_be_visible()
    with pytest.raises(RequestFailed):
        open_game(f"127.0.0.1:{server.port}", "ann", PASSWORD, "first").close()
    open_game(f"127.0.0.1:{server.port}", "ann", "another word", "first").close()


def test_a_token_is_made_shown_once_used_and_revoked(server: ServerProcess, page: Page) -> None:
    dialog = opened(page, server)
    dialog.get_by_label("For").fill("my <b>bot</b>")
    dialog.get_by_label("In", exact=True).select_option("first")
    dialog.get_by_label("Days").fill("7")
    dialog.get_by_role("button", name="Make a token").click()
    secret = dialog.locator("output").inner_text()
    expect(dialog.locator("#account-tokens li")).to_contain_text("my <b>bot</b>: first, until")
    open_game(f"127.0.0.1:{server.port}", "ann", secret, "first").close()
    dialog.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Account").click()
    expect(dialog.locator("#account-tokens li")).to_contain_text("last used")
    expect(dialog.locator("output")).to_be_hidden()
    dialog.get_by_role("button", name="Revoke my <b>bot</b>").click()
    expect(dialog.locator("#account-tokens li")).to_have_count(0)
    with pytest.raises(RequestFailed):
        open_game(f"127.0.0.1:{server.port}", "ann", secret, "first").close()


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 1280)])
def test_axe_finds_nothing_serious_in_the_dialog(
    server: ServerProcess, new_page: Callable[..., Page], theme: str, width: int
) -> None:
    axe = script()
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=theme, reduced_motion="reduce")
    GamePage(page, server).enter("ann")
    page.evaluate("document.getElementById('go-home').click()")
    page.get_by_role("button", name="Account").click()
    dialog = page.get_by_role("dialog", name="Account")
    dialog.get_by_label("For").fill("my bot")
    dialog.get_by_role("button", name="Make a token").click()
    expect(dialog.locator("output")).to_be_visible()
    findings = look(page, axe, f"account, {theme}, {width} px")
    assert findings == [], report(findings)
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth"), "it is as narrow as the window"
