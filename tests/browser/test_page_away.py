"""Return after some turns: the news in the list of games and in the game."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from axe import look_in_windows, report, script
from page_objects import MEETING_BOARD, GamePage, Meeting, begin_game, bring_to, turn_is
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.support.bots import PASSWORD
from tests.support.process import TPCLIENT, run
from tests.support.server import ServerProcess, preloaded_server


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has games of its own there."""
    with preloaded_server() as started:
        begin_game(started, "another", "swarm")  # so that a login leads to the list of games
        yield started


def pass_turns(server: ServerProcess, game: str, number: int) -> None:
    """Let turns end without anybody there, as their deadline would."""
    for _ in range(number):
        server.command("game", "close-turn", game)


def away_from(server: ServerProcess, game: str, turns: int) -> str:
    """Make a game in which ann and ben meet for a combat and leave, and let so many turns pass; return its name."""
    server.create_game(game, "tae", 2, seed="7", board=MEETING_BOARD)
    bring_to(server, game, ("ann", "ben"), turn_is(1), inner=Meeting)
    pass_turns(server, game, turns)
    return game


@pytest.mark.thorough
def test_after_a_week_all_that_was_missed_is_told_and_gone_through(server: ServerProcess, page: Page) -> None:
    """A player enters a game that went on for seven turns: the line below the map and the card say so.

    A button leads through the turns, the oldest first, and back to the game. The news are not shown again there.
    """
    away_from(server, "week", 7)
    game = GamePage(page, server).open()
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    row = page.locator("#own-games li.game").filter(has=page.get_by_role("heading", name="week"))
    expect(row.locator(".fresh")).to_have_text("7 new turns")
    row.get_by_role("button", name=re.compile("^(Play|Open) week$")).click()
    game.wait_for_map()
    expect(game.news).to_contain_text("7 turns while you were away")
    expect(game.news).to_have_text(re.compile(r"One by one\s*All\s*1 combat$"))
    game.tab("What happened")
    card = page.get_by_role("article", name="7 turns while you were away")
    expect(card).to_contain_text("No order of yours came to nothing; 1 combat.")
    expect(card.locator(".reports li")).to_have_count(1)
    expect(page.locator("#panel-story .turn-card").first).to_have_class(re.compile("away"))
    page.reload()
    game.wait_for_map()
    expect(game.news).to_contain_text("7 turns while you were away")
    game.news.get_by_role("button", name="One by one").click()
    walk, on = page.locator("#past-walk"), page.locator("#past-next")
    slider = page.get_by_role("slider", name="Turn", exact=True)
    for step in range(1, 7):
        expect(walk).to_contain_text(f"{step} of 7 while you were away")
        expect(slider).to_have_value(str(1 + step))
        expect(on).to_have_text("Next turn" if step < 6 else "On to the game")
        if step % 2:
            expect(on).to_be_focused()
            page.keyboard.press("Enter")
        else:
            page.keyboard.press(".")
    expect(page.locator("#past-banner")).to_be_hidden()
    expect(game.news).to_contain_text("Turn 8")
    expect(game.news).not_to_contain_text("while you were away")
    page.reload()
    game.wait_for_map()
    expect(game.news).not_to_be_empty()
    expect(game.news).not_to_contain_text("while you were away")
    page.get_by_role("button", name="My games").click()
    expect(row).to_be_visible()
    expect(row.locator(".fresh")).to_have_count(0)


@pytest.mark.thorough
def test_notice_is_taken_by_a_button_and_letters_are_counted(server: ServerProcess, page: Page) -> None:
    """The row, the line and the card have a button that leads to them. A player who stayed sees nothing of it."""
    away_from(server, "seen", 2)
    who = ["--address", f"127.0.0.1:{server.port}", "--user", "ben@seen", "--password", PASSWORD]
    assert run(TPCLIENT, "post", *who, "ann", "Peace?", "Let us talk.").code == 0
    game = GamePage(page, server).open()
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    row = page.locator("#own-games li.game").filter(has=page.get_by_role("heading", name="seen"))
    expect(row.locator(".fresh")).to_have_text("2 new turns, 1 message")
    row.get_by_role("button", name=re.compile("^(Play|Open) seen$")).click()
    game.wait_for_map()
    expect(game.news).to_contain_text("2 turns while you were away")
    expect(game.news).to_contain_text("1 message")
    expect(page.locator("#unread-story")).to_have_text("2")
    game.tab("What happened")
    card = page.locator(".turn-card.away")
    card.get_by_role("button", name="1 message").click()
    expect(page.locator("#panel-messages")).to_contain_text("Peace?")
    game.tab("What happened")
    card.get_by_role("button", name="Seen").click()
    expect(card).to_have_count(0)
    expect(game.news).not_to_contain_text("while you were away")
    pass_turns(server, "seen", 2)
    expect(game.news).to_contain_text("Turn 5")
    expect(game.news).not_to_contain_text("while you were away")


@pytest.mark.thorough
def test_axe_finds_nothing_serious(server: ServerProcess, page: Page) -> None:
    """In the row of the game, on the card, and on the way through the turns."""
    axe = script()
    name = away_from(server, "accessible", 3)
    game = GamePage(page, server).open()
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator(".fresh").first).to_be_visible()
    findings = look_in_windows(page, axe, "my games")
    page.get_by_role("button", name=re.compile(f"^(Play|Open) {name}$")).click()
    game.wait_for_map()
    game.tab("What happened")
    one_by_one = page.locator(".turn-card.away").get_by_role("button", name="One by one")
    expect(one_by_one).to_be_visible()
    findings += look_in_windows(page, axe, "the card")
    one_by_one.click()
    expect(page.locator("#past-walk")).to_contain_text("1 of 3 while you were away")
    findings += look_in_windows(page, axe, "an old turn")
    grave = [finding for finding in findings if finding.is_grave]
    assert not grave, report(grave)


class LateCards:
    """Passes frames to the server, but no request for cards from the first connection of a page."""

    def __init__(self) -> None:
        self._connections = 0

    def __call__(self, route: WebSocketRoute) -> None:
        self._connections += 1
        is_first = self._connections == 1
        upstream = route.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            if not (is_first and "getTurnSummaries" in json.loads(text)):
                upstream.send(text)

        route.on_message(pass_on)


@pytest.mark.thorough
def test_what_was_missed_while_the_connection_was_away_is_told_too(
    web_server: Callable[..., ServerProcess], page: Page
) -> None:
    """The page stays open while the server is down, and turns end in the meantime.

    The turn on screen when the connection is lost is not among them, even if its card has not arrived.
    """
    page.route_web_socket(re.compile("/ws$"), LateCards())
    with web_server() as server:
        server.start()
        begin_game(server, "first", "swarm")
        game = GamePage(page, server).enter("ann")
        server.stop()
        pass_turns(server, "first", 3)
        server.start()
        game.try_now()
        expect(game.news).to_contain_text("3 turns while you were away")
        page.locator("#news").get_by_role("button", name="One by one").click()
        expect(page.locator("#past-walk")).to_contain_text("1 of 3 while you were away")
