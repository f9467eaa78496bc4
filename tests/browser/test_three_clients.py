"""One game of TaE to its end: the library, the terminal and the page.

The library plays its bot over TCP. The terminal is `tpclient play` in a real pseudo-terminal, and the page is in
Chromium. The test uses both of these only through the screen, keys and clicks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest
from page_objects import PASSWORD, GamePage
from playwright.sync_api import Page, expect
from terminal_player import TerminalPlayer

from tests.support.server import HOST, preloaded_server
from tpclient.address import Address
from tpclient.blocking import BlockingGame, open_game
from tpclient.bots.play import Ending
from tpclient.bots.random import run_bots
from tpproto.dialects import TP04

GAME = "three"
OPTIONS = {
    # Small, and the pool is soon empty; no systems for mining robots only, so each colonist can go to each free system.
    "board": "......../.A.A.A../......../........",
    "pool": "10,8,4,0",
    "hand_size": 3,
    "min_artifacts": 1,
}


def plan(*systems: tuple[int, int], leader: tuple[int, int]) -> list[tuple[str, str, str]]:
    """The plan of a player at a screen, one order a turn: piece, order and target.

    Both begin with a leader of the same type beside the same colony, which is a combat in the turn after.
    """
    colonies = [("ship", "Colonize", f"{x}, {y}") for x, y in systems]
    return [("scientist leader", "Move", "{}, {}".format(*leader)), *colonies]


PLANS = {
    "page": plan(*[(x, 3) for x in range(2, 8)], *[(x, 1) for x in range(8)], leader=(5, 3)),
    "terminal": plan(*[(x, 0) for x in range(8)], *[(x, 1) for x in reversed(range(8))], leader=(5, 1)),
}
MOST_TURNS = 40
PATIENCE = 240.0
PLACE = re.compile(r"^\s*(\d)\. (\w+): (Score \d+.*?)\s*$", re.MULTILINE)


@contextmanager
def bot(port: int) -> Iterator[list[Ending | BaseException]]:
    """The library's bot in a thread of its own (Playwright has an event loop in this one); how it ended."""
    ends: list[Ending | BaseException] = []
    loop = asyncio.new_event_loop()
    playing = loop.create_task(run_bots(Address(HOST, port), ["library"], PASSWORD, "7", GAME, TP04))

    def run() -> None:
        try:
            ends.extend(loop.run_until_complete(playing))
        except BaseException as error:  # a thread would swallow it
            ends.append(error)

    thread = Thread(target=run, name="bot", daemon=True)
    thread.start()
    try:
        yield ends
        thread.join(PATIENCE)
    finally:
        loop.call_soon_threadsafe(playing.cancel)
        thread.join(PATIENCE)
        loop.close()


class PagePlayer:
    """The one at the page."""

    def __init__(self, game: GamePage) -> None:
        self.game = game
        self.given: list[str] = []

    def shows(self, turn: int, name: str) -> None:
        """Wait until this turn is shown, and what happened before it."""
        expect(self.game.turn).to_contain_text(name)
        if turn:
            expect(self.game.news.locator(".hint").first).to_contain_text(name)

    def act(self, wanted: list[tuple[str, str, str]], in_combat: bool) -> None:
        """Give one order: in combat a reinforcement, if that is possible, else the first that the server agrees to."""
        if in_combat:
            self.try_to_give("ship", "Reinforce")
            return
        while wanted and not self.try_to_give(*wanted.pop(0)):
            pass

    def try_to_give(self, name: str, kind: str, target: str = "") -> bool:
        """Give an order if there is such a piece and the server would accept it; else leave everything as it was."""
        page = self.game.page
        number = self.game.id_of(target) if target else None
        self.game.tab("Players")
        own = page.locator("#panel-mine .own").get_by_role("button", name=name)
        expect(page.get_by_role("heading", name="My pieces that take orders")).to_be_visible()
        able = own.filter(has_text=re.compile(rf"{kind}(?!\w)"))
        if not able.count():
            return False
        able.first.click()
        self.game.begin(kind)
        if number is not None:
            expect(page.locator("#pick-note")).to_be_visible()
            self.game.click_place(number)
            # The place is refused there and then, or it is taken and the order is probed.
            refused = page.locator("#pick-note").filter(has_text="Choose another place")
            expect(refused.or_(page.locator("#map:not(.picking)"))).to_be_visible()
            if refused.count():
                page.keyboard.press("Escape")
                page.keyboard.press("Escape")
                expect(page.locator("#order-form")).to_have_count(0)
                return False
        expect(self.game.verdict).to_have_class(re.compile("good|bad"))
        if "good" in str(self.game.verdict.get_attribute("class")):
            self.game.give()
            expect(self.game.queue).to_have_count(1)
            self.given.append(kind)
            return True
        page.keyboard.press("Escape")
        expect(page.locator("#order-form")).to_have_count(0)
        return False


class TerminalSeat:
    """The one at the terminal."""

    def __init__(self, player: TerminalPlayer) -> None:
        self.player = player
        self.given: list[str] = []

    def act(self, wanted: list[tuple[str, str, str]], in_combat: bool) -> None:
        """As `PagePlayer.act`."""
        if in_combat:
            self.try_to_give("ship", "Reinforce")
            return
        while wanted and not self.try_to_give(*wanted.pop(0)):
            pass

    def try_to_give(self, name: str, kind: str, target: str = "") -> bool:
        """As `PagePlayer.try_to_give`."""
        player = self.player
        if not player.select(name, kind):
            return False
        player.begin(kind)
        if target and kind in self.given:  # after its first order the client knows what may be named, and lists that
            is_there = player.pick_from_list("system", target)
        else:
            is_there = True
            if target:
                player.type_value(target)
        if is_there and player.is_accepted():
            player.give()
            self.given.append(kind)
            return True
        player.give_up()
        return False


def end_of(text: str) -> list[tuple[str, str, str]]:
    """Place, name and figures of each player, from the last message of the game."""
    return [(place, name, figures) for place, name, figures in PLACE.findall(text)]


def last_words(library: BlockingGame) -> str:
    return next(message.body for message in reversed(library.messages()) if message.subject == "GAME OVER!")


@pytest.mark.thorough
def test_three_clients_to_the_end(page: Page) -> None:
    """Each sees every turn and gives orders. All get the same end, and the journal gives the same digests."""
    with preloaded_server() as server:
        server.create_game(GAME, "tae", 3, seed="7", **OPTIONS)
        with open_game(f"{HOST}:{server.port}", "library", PASSWORD, GAME) as library:
            at_page = PagePlayer(GamePage(page, server))
            at_page.game.join_empty("page", GAME)
            with TerminalPlayer(server.port, "terminal") as player, bot(server.port) as bot_ends:
                at_terminal = TerminalSeat(player)
                names = play(library, at_page, at_terminal)
                body = last_words(library)
                places = end_of(body)
                assert sorted(name for _, name, _ in places) == ["library", "page", "terminal"], body
                assert places[0][0] == "1"

                ending = page.get_by_role("dialog")
                expect(ending.get_by_role("heading", level=2)).to_have_text(re.compile("^Game over: "))
                expect(page.locator("#ending-places tbody tr")).to_have_count(len(places))
                lines = page.locator("#ending-places tr").all()
                heads, *rows = [line.locator("td, th").all_inner_texts() for line in lines]
                told = [(at, name.removesuffix(" (you)"), zip(heads[2:], row, strict=True)) for at, name, *row in rows]
                assert [(at, name, ", ".join(map(" ".join, figures))) for at, name, figures in told] == [
                    (f"{place}.", name, figures) for place, name, figures in places
                ]
                ending.get_by_role("button", name="Close").click()
                expect(at_page.game.awaited).to_have_text("The game is over.")

                player.terminal.press("m")
                player.terminal.until(lambda text: end_of(text) == places, "the terminal tells another end")
                player.sees("the newest first", "GAME OVER!", *body.splitlines())
                player.terminal.press("m")
                winners = " and ".join(name for place, name, _ in places if place == "1")
                player.shows_turn(f"Game over: {winners} won")
                expect(at_page.game.turn).to_contain_text(f"Game over: {winners} won")
                player.terminal.press("q")
                assert player.terminal.ended() == 0
            (ended,) = bot_ends
            assert isinstance(ended, Ending), ended
            turns = library.turn
        print(*names, f"page {at_page.given}, terminal {at_terminal.given}, bot {ended.accepted}", body, sep="\n")
        for given in (at_page.given, at_terminal.given):
            assert given[0] == "Move", given
            assert given.count("Colonize") >= 2, given
        assert ended.accepted >= 2
        assert any("combat" in name for name in names), names
        *digests, summary = server.command("replay", GAME).splitlines()
        assert len(digests) == turns + 1
        assert len({line.split()[-1] for line in digests}) == len(digests)
        assert summary.endswith("every digest is the same."), summary


def play(library: BlockingGame, at_page: PagePlayer, at_terminal: TerminalSeat) -> list[str]:
    """Play all turns and return their names. One of the two at screens is awaited in each, so none passes unseen."""
    plans = {name: list(wanted) for name, wanted in PLANS.items()}
    player = at_terminal.player
    player.waits()
    at_page.game.wait_for_map()
    while not library.clock.waiting:  # not all have been seated
        library.wait_for_turn(timeout=PATIENCE)
    names: list[str] = []
    while len(names) < MOST_TURNS:
        library.time_remaining()
        library.refresh()
        turn, name = library.turn, library.clock.turn_name
        names.append(name)
        player.shows_turn(name)
        player.reads(turn, library.messages()[-1].subject)  # each turn begins with something that all are told
        if library.is_over:
            return names
        at_page.shows(turn, name)
        in_combat = "combat" in name
        awaited = {library.universe.players[one].name for one in library.clock.waiting}
        if "terminal" in awaited:
            at_terminal.act(plans["terminal"], in_combat)
            player.finish()
        if "page" in awaited:
            at_page.act(plans["page"], in_combat)
            at_page.game.finish()
        library.wait_for_turn(turn, PATIENCE)
    raise AssertionError(f"the game does not end within {MOST_TURNS} turns: {names}")
