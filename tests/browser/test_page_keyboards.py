"""Other keyboards: letters of other scripts, and composed characters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from page_objects import GamePage, begin_game
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

PRESS = """([key, code, more]) => document.activeElement.dispatchEvent(
  new KeyboardEvent("keydown", { key, code, bubbles: true, cancelable: true, ...more }))"""
"""A key as another keyboard sends it; returns whether the page has left it to the browser."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with preloaded_server("--accounts", "open") as started:
        yield started


@pytest.mark.thorough
def test_keys_work_with_letters_of_other_scripts(server: ServerProcess, new_page: Callable[..., Page]) -> None:
    """By their place on the keyboard where they are not Latin; a Latin letter is what it says, wherever it is."""
    begin_game(server, "keys", "tae", turn=1)
    page = new_page()
    GamePage(page, server).enter("ann", "keys")
    view = page.locator("#view-button")

    def press(key: str, code: str, **more: object) -> None:
        page.evaluate(PRESS, [key, code, more])

    expect(view).to_have_text("Resource view")
    press("м", "KeyV")
    expect(view).to_have_text("Normal view")
    press("V", "KeyV")  # the key that locks capitals is down
    expect(view).to_have_text("Resource view")
    press("v", "KeyK")
    expect(view).to_have_text("Normal view")
    press("é", "Digit2")
    expect(page.get_by_role("tab", name="Players")).to_have_attribute("aria-selected", "true")
    press("а", "KeyF")
    expect(page.locator("#finish")).to_be_focused()
    press("б", "Comma")
    expect(page.locator("body")).to_have_class("playing looking-back")
    press("Escape", "Escape")
    expect(page.locator("body")).to_have_class("playing")
    press(",", "Slash", shiftKey=True)  # is a comma on a Russian keyboard
    expect(page.locator("body")).to_have_class("playing looking-back")
    press("Escape", "Escape")
    press("?", "Digit7", shiftKey=True)
    expect(page.get_by_role("dialog")).to_be_visible()


def test_enter_that_ends_a_composition_sends_nothing(server: ServerProcess, page: Page) -> None:
    """As in Japanese, where a word is chosen by it."""
    GamePage(page, server).open().type_name("ann")
    page.locator("#user").focus()
    assert not page.evaluate(PRESS, ["Enter", "Enter", {"isComposing": True}])
    assert not page.evaluate(PRESS, ["Enter", "Enter", {"keyCode": 229}])
    assert page.evaluate(PRESS, ["Enter", "Enter", {}])
