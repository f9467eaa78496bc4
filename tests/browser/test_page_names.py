"""Login names with a game: NAME@GAME, NAME@GAME/watch, NAME@GAME/turn/N.

They work on the page as in every client.
"""

from __future__ import annotations

import pytest
from page_objects import GamePage, begin_game
from playwright.sync_api import Page, expect

from tests.support.server import preloaded_server


@pytest.mark.thorough
def test_a_name_leads_to_the_game_that_it_names(page: Page) -> None:
    """To play, to watch and to an old turn, of one of several games; to look takes no seat. What is none is said."""
    with preloaded_server("--accounts", "open") as server:
        server.create_game("other", "swarm", 2)
        begin_game(server, "friday", "tae", turn=1)
        game = GamePage(page, server).open()

        def log_in(name: str) -> None:
            game.type_name(name)
            page.get_by_role("button", name="Log in").click()

        log_in("ann@friday/look")
        expect(page.locator("#login-problem")).to_contain_text("NAME@GAME/watch")
        log_in("ann@friday")
        game.wait_for_map()
        expect(page.locator("#brand")).to_have_text("friday")
        page.reload()
        game.wait_for_map()
        expect(page.locator("#finish")).to_be_visible()
        page.get_by_role("button", name="Log out", exact=True).click()
        log_in("ann@friday/turn/0")
        expect(page.locator("body")).to_have_class("playing looking-back")
        page.get_by_role("button", name="Log out", exact=True).click()
        for name in ("eve@friday/watch", "eve@friday/turn/0"):
            log_in(name)
            game.wait_for_map()
            expect(page.locator("#finish")).to_be_hidden()
            page.get_by_role("button", name="Log out", exact=True).click()
        assert " eve " not in server.command("game", "seats", "friday")
