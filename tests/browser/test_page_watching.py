"""Watching from the page: the map and its turns, without a seat and without a way to act."""

from __future__ import annotations

import pytest
from page_objects import GamePage, bring_to, turn_is
from playwright.sync_api import Page, expect

from tests.support.server import preloaded_server


@pytest.mark.thorough
def test_a_game_is_watched_without_a_seat(page: Page) -> None:
    """The lobby offers it beside joining; turns arrive; nothing can be finished, and nobody is displaced."""
    with preloaded_server() as server:
        server.create_game("first", "tae", 2, seed="7", clock="manual")
        bring_to(server, "first", ("ann", "ben"), turn_is(0))
        game = GamePage(page, server).open()
        expect(page.locator("#games li")).to_contain_text("2 of 2 seats taken")
        game.type_name("eve")
        page.get_by_role("button", name="Watch first", exact=True).click()
        game.wait_for_map()
        expect(page.get_by_role("button", name="Finish turn")).to_be_hidden()
        before = game.turn.inner_text()
        server.command("game", "close-turn", "first")
        expect(game.turn).not_to_have_text(before)
        page.reload()
        game.wait_for_map()
        game.switch_view()
        expect(page.locator(".pie").first).to_be_attached()
