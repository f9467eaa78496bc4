"""A ruleset from outside of the tree, which no client has ever seen, played in the browser against the terminal.

It is the example of `rulesets/README.md`, installed with pip where only the server of this test finds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_objects import GamePage
from playwright.sync_api import Page, expect
from terminal_player import TerminalPlayer

from tests.support.server import ServerProcess, running_server

GAME = "outing"


@pytest.fixture
def server(site: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """A server with a game of Picnic of two rounds; no other process finds the ruleset."""
    with monkeypatch.context() as only_here:
        paths = filter(None, [str(site), os.environ.get("PYTHONPATH", "")])
        only_here.setenv("PYTHONPATH", os.pathsep.join(paths))
        running = running_server("--no-parent")
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
    player.sees(f"party = {ants} ants")


@pytest.mark.thorough
def test_a_strangers_game_to_its_end(server: ServerProcess, page: Page) -> None:
    """Two rounds of Picnic: both give their orders by widgets, see both views, and are told each round and the end.

    The terminal's party is the larger one in the first round, the page's in the second, so each eats a crumb.
    """
    game = GamePage(page, server)
    game.join_empty("page", GAME)
    with TerminalPlayer(server.port, "terminal") as player:
        game.wait_for_map()
        first = re.search(r"A crumb of (\d)", player.sees("A crumb of", "who is where (v)"))
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
