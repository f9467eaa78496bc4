"""Guests on the page: play with one click, keep the games by registering.

Where the server takes no guests, the page offers none of this.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from axe import look, report, script
from page_objects import GamePage
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess

Servers = Callable[..., ServerProcess]


@pytest.fixture
def server(web_server: Servers, directory: Path) -> ServerProcess:
    """A server that takes guests, with a game for them."""
    config = directory / "tpserver.toml"
    config.write_text("[accounts]\nguests = true\n")
    made = web_server("--config", str(config))
    made.start()
    made.command("game", "create", "first", "--ruleset", "swarm", "--seats", "2", "--guests", "yes")
    return made


def test_one_click_plays_and_a_reload_comes_back(server: ServerProcess, page: Page) -> None:
    """The only game is gone into at once; the browser has a cookie, and no password of the guest."""
    GamePage(page, server).open()
    page.get_by_role("button", name="Play as a guest").click()
    expect(page.locator("#waiting")).to_be_visible()
    assert "tpt_" not in page.evaluate("JSON.stringify(sessionStorage) + JSON.stringify(localStorage)")
    page.reload()
    expect(page.locator("#waiting")).to_be_visible()
    assert "Guest 1" in server.command("game", "seats", "first")


@pytest.mark.thorough
def test_a_guest_keeps_its_games_with_a_name_and_a_password(server: ServerProcess, page: Page) -> None:
    GamePage(page, server).open()
    page.get_by_role("button", name="Play as a guest").click()
    expect(page.locator("#waiting")).to_be_visible()
    page.get_by_role("button", name="My games").click()
    expect(page.get_by_role("heading", name="Logged in as Guest 1")).to_be_visible()
    expect(page.locator("#account-card")).to_contain_text("After logging out, you cannot return")
    page.get_by_role("button", name="Keep my games").click()
    dialog = page.get_by_role("dialog", name="Create an account")
    assert (findings := look(page, script(), "becoming an account")) == [], report(findings)
    for label, words in (("Name", "Guest 9"), ("Password", "word"), ("Once more", "other")):
        dialog.get_by_label(label, exact=True).fill(words)
    dialog.get_by_role("button", name="Create account").click()
    expect(dialog.get_by_role("alert")).to_have_text("The two passwords differ.")
    dialog.get_by_label("Once more").fill("word")
    dialog.get_by_role("button", name="Create account").click()
    expect(dialog.get_by_role("alert")).to_contain_text("does not begin like those of guests")
    dialog.get_by_label("Name", exact=True).fill("zoe@First")
    dialog.get_by_role("button", name="Create account").click()
    expect(page.locator("#brand")).to_have_text("first")
    page.get_by_role("button", name="My games").click()
    expect(page.get_by_role("heading", name="Logged in as zoe")).to_be_visible()
    expect(page.get_by_role("button", name="Keep my games")).to_be_hidden()
    expect(page.locator("#own-games")).to_contain_text("first")
    page.reload()
    expect(page.get_by_role("heading", name="Logged in as zoe")).to_be_visible()
    assert "zoe" in server.command("game", "seats", "first")


@pytest.mark.thorough
def test_where_no_guests_are_taken_nothing_of_it_is_there(web_server: Servers, page: Page) -> None:
    made = web_server()
    made.start()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    GamePage(page, made).open()
    expect(page.locator("#games-note")).to_contain_text("There are no games yet.")
    expect(page.get_by_role("button", name="Play as a guest")).to_have_count(0)
    assert not [url for url in asked if "doors.js" in url], "and nothing is loaded for it"
