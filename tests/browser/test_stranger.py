"""A ruleset from outside of the tree, played in browser and terminal.

It is the example of `rulesets/docs/tutorial.md`. pip installs it where only the server of this test finds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_objects import GamePage, installed
from playwright.sync_api import Page, expect
from terminal_player import TerminalPlayer

from tests.support.server import ServerProcess, preloaded_server

GAME = "outing"


@pytest.fixture
def server(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """A server with a game of Picnic of two rounds, and Picnic with looks; no other process finds the rulesets."""
    installed(tmp_path, "painted", Path(__file__).with_name("painted.py"))
    with monkeypatch.context() as only_here:
        paths = filter(None, [str(site), str(tmp_path), os.environ.get("PYTHONPATH", "")])
        only_here.setenv("PYTHONPATH", os.pathsep.join(paths))
        running = preloaded_server()
        started = running.__enter__()
        started.create_game(GAME, "picnic", 2, seed="1", rounds=2)
    try:
        yield started
    finally:
        running.__exit__(None, None, None)


def send_from_the_page(game: GamePage, ants: int) -> None:
    """Give the order by its widgets; the server's opinion is waited for."""
    game.select("Anthill of page")
    game.begin("Send")
    party = game.page.get_by_role("group", name="party")
    party.get_by_label(f"{ants} ants", exact=True).check()
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.queue).to_contain_text(f"{ants} ants")


def send_from_the_terminal(player: TerminalPlayer, ants: int) -> None:
    """As `send_from_the_page`."""
    assert player.select("Anthill of terminal", "Send"), player.terminal.text
    player.begin("Send")
    player.choose(f"{ants} ants")
    assert player.is_accepted()
    player.give()
    player.sees(f"a party of {ants} ants")


@pytest.mark.thorough
def test_a_strangers_game_to_its_end(server: ServerProcess, page: Page) -> None:
    """Two rounds of Picnic: both give orders by widgets, see both views, and get each round and the end.

    The terminal's party is the larger one in the first round, the page's in the second, so each eats a crumb.
    """
    game = GamePage(page, server)
    game.join_empty("page", GAME)
    with TerminalPlayer(server.port, "terminal") as player:
        game.wait_for_map()
        first = re.search(r"A crumb of (\d)", player.sees("A crumb of", "owners (v)"))
        assert first is not None
        large = int(first[1])
        expect(game.turn).to_contain_text(first[0])

        expect(page.locator("#map .title")).to_have_text("The Meadow")
        page.locator("#map").focus()
        game.switch_view()
        expect(page.locator(".pie").first).to_be_visible()
        expect(page.locator("#legend")).to_contain_text("Crumbs")
        game.switch_view()
        expect(page.locator(".pie").first).to_be_hidden()
        normal, resources = player.both_views()
        assert "The Meadow" in normal
        assert "Crumb" in resources

        send_from_the_page(game, 1)
        game.finish()
        send_from_the_terminal(player, 2)
        player.finish()
        second = f"A crumb of {3 - large}"
        expect(game.turn).to_contain_text(second)
        expect(game.news).to_contain_text("terminal brings it home.")
        player.shows_turn(second)
        player.reads(1, first[0], "terminal brings it home.")

        send_from_the_page(game, 2)
        send_from_the_terminal(player, 1)
        player.finish()
        game.finish()
        winner = "terminal" if large == 2 else "page"
        over = f"Game over: {winner} won"
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text(over)
        dialog.get_by_role("button", name="Close").click()
        expect(game.turn).to_contain_text(over)
        expect(game.awaited).to_have_text("The game is over.")
        game.tab("Messages")
        expect(page.locator(".letter").first).to_contain_text(f"1. {winner}: crumbs 2")
        expect(page.locator(".letter").nth(1)).to_contain_text("page brings it home.")
        player.shows_turn(over)
        player.reads(2, "Game over", f"1. {winner}: crumbs 2")
        player.terminal.press("f")
        player.sees("The game is over; there is no turn to finish.")


@pytest.mark.thorough
def test_what_a_strangers_game_says_of_its_looks(server: ServerProcess, page: Page) -> None:
    """Its symbol on its players' colours, its scores and its own rules, in the page and in the terminal."""
    server.create_game("painted", "painted", 2, seed="1", rounds=2)
    game = GamePage(page, server)
    game.join_empty("page", "painted")
    with TerminalPlayer(server.port, "terminal@painted") as player:
        game.wait_for_map()
        for seat, colour in enumerate(("rgb(122, 31, 162)", "rgb(0, 121, 107)")):
            mark = page.locator(f"#map .piece.pl-{seat}")
            expect(mark.locator(".symbol path")).to_have_attribute("d", "M3 20 L12 4 L21 20 Z")
            expect(mark.locator(".plate").first).to_have_css("fill", colour)
        expect(page.locator("#goal")).to_contain_text("Bring home the most crumbs in colours.")
        page.locator("#goal-rules").click()
        expect(page.locator("#help")).to_contain_text("on a painted meadow")
        page.keyboard.press("Escape")
        game.tab("Players")
        expect(page.locator("#panel-mine .players li").first).to_contain_text("Crumbs eaten 0")

        player.sees("Bring home the most crumbs in colours.", "(v)")
        player.terminal.press("w")
        player.sees("page", "Crumbs eaten 0")
        player.terminal.press("w")
        player.terminal.press("?")
        player.sees("on a painted meadow")
