"""Watching on the page: the map and its turns, without a seat or orders."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from page_objects import GamePage, bring_to, turn_is
from playwright.sync_api import Page, expect

from tests.support.server import preloaded_server

pytestmark = pytest.mark.thorough


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


def test_a_game_that_is_shown_later_says_so_and_its_spectators_talk(new_page: Callable[..., Page]) -> None:
    """The page shows the visible and the present turn. Players read spectators' messages after the end."""
    with preloaded_server() as server:
        server.create_game("first", "tae", 2, seed="7", clock="manual")
        server.command("game", "watch-delay", "first", "1")
        bring_to(server, "first", ("ann", "ben"), turn_is(0))
        eve, fay, ann = new_page(), new_page(), new_page()
        for page, name in ((eve, "eve"), (fay, "fay")):
            game = GamePage(page, server).open()
            expect(page.locator("#games li")).to_contain_text("spectators see this game 1 turn later")
            game.type_name(name)
            page.get_by_role("button", name="Watch first", exact=True).click()
            expect(page.locator("#turn")).to_contain_text("Turn 0 is shown when turn 1 begins")
        server.command("game", "close-turn", "first")
        expect(eve.locator("#awaited")).to_have_text("You watch turn 0 of 1: the game shows its turns 1 turn later.")
        server.command("game", "close-turn", "first")
        expect(eve.locator("#awaited")).to_have_text("You watch turn 1 of 2: the game shows its turns 1 turn later.")
        GamePage(eve, server).tab("Messages")
        eve.get_by_text("Write to the others").click()
        expect(eve.get_by_label("To", exact=True)).to_have_text("All who watch")
        eve.get_by_label("Subject").fill("Well <b>played</b>")
        eve.get_by_role("button", name="Send").click()
        expect(eve.locator("article.letter")).to_contain_text("eve: Well <b>played</b>")
        expect(eve.locator("article.letter").get_by_role("button")).to_have_count(0)
        fay.reload()
        GamePage(fay, server).tab("Messages")
        letter = fay.locator("article.letter")
        expect(letter).to_contain_text("eve: Well <b>played</b>")
        letter.get_by_role("button", name="Report").click()
        dialog = fay.get_by_role("dialog", name="Blocked players")
        dialog.get_by_role("button", name="Block eve").click()
        expect(dialog.get_by_role("status")).to_contain_text("You have blocked eve")
        server.command("game", "abort", "first", "--reason", "enough")
        GamePage(ann, server).enter("ann")
        GamePage(ann, server).tab("Messages")
        ann.get_by_role("button", name="Blocked players").click()
        expect(ann.locator("#talk-spectators")).to_contain_text("eve: Well <b>played</b>")
