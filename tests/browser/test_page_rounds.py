"""A round of each game on the real page by mouse, as its rules describe.

Nothing is clicked by script. The pointer finds squares by the names at the edges of their board, pieces by their
tooltips, and buttons by their labels. Login is not part of a round. The rounds are the examples of PLAY.md where those
start with the game. Clicks are counted for each order.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

import pytest
from page_objects import GamePage, box_of, middle_of
from playwright.sync_api import Locator, Page, expect

from tests.support.server import ServerProcess, preloaded_server

pytestmark = pytest.mark.thorough

Pages = Callable[..., Page]
SMALL, LARGE = (1280, 800), (1920, 1080)
"""Windows, in pixels."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has a game of its own there."""
    with preloaded_server() as started:
        yield started


class Mouse(GamePage):
    """A player who has a mouse and no keyboard, and counts its clicks."""

    clicked = 0
    last = (0.0, 0.0)
    """Where the map was clicked last."""

    def click_at(self, x: float, y: float) -> None:
        self.page.mouse.click(x, y)
        self.clicked += 1

    def press(self, what: Locator) -> None:
        """Click in the middle of what is seen; what is out of sight is brought there with the wheel."""
        width, height = self.page.evaluate("[innerWidth, innerHeight]")
        what.evaluate(COMES_TO_REST)
        while not what.evaluate(IS_SEEN):
            self.page.mouse.move(width - 40, height - 60)
            self.page.mouse.wheel(0, box_of(what)["y"] - 0.8 * height)
            what.evaluate(COMES_TO_REST)
        self.click_at(*middle_of(box_of(what)))

    def button(self, words: str, among: str = "body") -> None:
        """Press the button with these words."""
        self.press(self.page.locator(among).get_by_role("button", name=words, exact=True))

    def count_up(self, words: str, number: int) -> None:
        """Click the upper one of the two small arrows of a number, so many times."""
        count = self.page.get_by_role("spinbutton", name=words)
        for _ in range(number):
            count.evaluate(COMES_TO_REST)  # a response of the server can move the form
            box, before = box_of(count), count.input_value()
            self.click_at(box["x"] + box["width"] - 12, box["y"] + box["height"] * 0.35)
            expect(count).not_to_have_value(before)

    def answer(self, *words: str) -> None:
        """Answer what is asked beside a target, part after part."""
        for one in words:
            self.press(self.question.get_by_role("button", name=one, exact=True))

    def square(self, column: str, row: str, board: int = 0) -> None:
        """Click the square that is in this column and row by the names at the edges of its board."""
        edges = self.page.locator(".plan").nth(board)
        x, _ = middle_of(box_of(edges.locator(".edge:not(.side)").get_by_text(column, exact=True)))
        _, y = middle_of(box_of(edges.locator(".edge.side").get_by_text(row, exact=True)))
        self.click_map(x, y)

    def click_map(self, x: float, y: float) -> None:
        self.click_at(x, y)
        self.last = x, y

    def near(self, name: str) -> None:
        """Click a place near the last click, by its name in the tip, where the edges are too small for names."""
        boxes = self.page.locator("#map .cell").evaluate_all(MIDDLES)
        for x, y in sorted(boxes, key=lambda at: math.dist(at, self.last))[:25]:
            self.page.mouse.move(x, y)
            if self.page.locator("#tip").get_by_text(name, exact=True).count():
                self.click_map(x, y)
                return
        raise AssertionError(f"{name} is not near")

    def piece(self, words: str, *, chosen: bool = False) -> None:
        """Go from piece to piece of the map until the tip says that it is this one of mine, and click it.

        If one at its place is `chosen` a menu asks whether that is to go there, or this one is meant.
        """
        self.acting()
        if chosen:
            self.wait_for_targets()
        for _ in range(20):  # a map that is drawn anew meanwhile is gone over again
            for x, y in self.page.locator("#map .piece").evaluate_all(MIDDLES):
                self.page.mouse.move(x, y)
                if self._is_pointed_at(words):
                    self.click_map(x, y)
                    if chosen:
                        self.press(self.question.get_by_role("button", name=re.compile(f"^Choose {words}")).first)
                    expect(self.object_title()).to_contain_text(words.split(":")[0])
                    return
        raise AssertionError(f"no piece is {words}")

    def _is_pointed_at(self, words: str) -> bool:
        """Return True if the tooltip says so. With several kinds of pieces it starts with the one under the pointer."""
        lines = self.page.evaluate("document.getElementById('tip').innerText.split('\\n')")
        first = lines[:1] if "(" in lines[0] else lines
        return any(words.lower() in line.lower() and line.endswith("(you)") for line in first)

    def given(self, kind: str, clicks: int) -> None:
        """The order is given, after so many clicks since the one before."""
        expect(self.notes.locator(".toast").last).to_contain_text(f"{kind} is given.")
        assert self.clicked == clicks, (kind, self.clicked)
        self.clicked = 0

    def take_count(self) -> int:
        """Return the number of clicks since the last call."""
        clicks, self.clicked = self.clicked, 0
        return clicks

    def to(self, where: str, kind: str, clicks: int, *answers: str, board: int = 0) -> None:
        """Click a target that is lit for the chosen piece, and answer: that is an order, after so many clicks."""
        self.wait_for_targets()
        before = self.crosses.count()
        if " " in where:
            self.near(where)
        else:
            self.square(*re.split(",|(?<=[a-z])", where), board=board)
        self.answer(*answers)
        expect(self.crosses).to_have_count(before + 1)
        self.given(kind, clicks)

    @property
    def crosses(self) -> Locator:
        """Where the map shows an order that can be taken back."""
        return self.page.locator("#map .cross")

    def end_turn(self) -> None:
        """Finish the turn with the button that says so."""
        button = self.page.get_by_role("button", name="Finish turn", exact=True)
        expect(button).to_be_enabled()
        self.press(button)
        self.clicked = 0

    def stands(self, words: str) -> None:
        """The tab Players says this of me."""
        self.press(self.page.get_by_role("tab", name="Players"))
        expect(self.page.locator("#panel-mine .players li").first).to_contain_text(words)


MIDDLES = """drawn => drawn.map(one => {
  const disc = one.querySelector(".plate:last-of-type, use, .symbol") ?? one;
  const { left, right, top, bottom } = disc.getBoundingClientRect();
  return [(left + right) / 2, (top + bottom) / 2];
})"""
IS_SEEN = """what => {
  const { left, right, top, bottom } = what.getBoundingClientRect();
  return what.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
}"""
COMES_TO_REST = """async what => {
  const frame = () => new Promise(requestAnimationFrame);
  for (let [before, rests] = [NaN, 0]; rests < 10; await frame()) {
    const { y } = what.getBoundingClientRect();
    rests = y === before ? rests + 1 : 0;
    before = y;
  }
}"""
"""Scrolling goes on for some frames, and what is above may come or go."""


def both(
    server: ServerProcess, new_page: Pages, ruleset: str, seed: str, window: tuple[int, int] = SMALL
) -> tuple[Mouse, Mouse]:
    """A new game as its two players see it, each in a browser of their own."""
    server.create_game(ruleset, ruleset, 2, seed=seed)
    ann, ben = (
        Mouse(new_page(viewport={"width": window[0], "height": window[1]}, reduced_motion="reduce"), server)
        for _ in "ab"
    )
    ann.join_empty("ann", ruleset)
    ben.join_empty("ben", ruleset)
    for one in (ann, ben):
        one.wait_for_map()
    return ann, ben


def test_a_round_of_swarm(server: ServerProcess, new_page: Pages) -> None:
    """PLAY.md's example with a six for Blue: a step is two clicks, the next of the same cube one; a cube is caught."""
    red, blue = both(server, new_page, "swarm", "294")
    expect(red.turn).to_have_text("Round 1: Red moves 3 (rolled 3)")
    assert steps(red, ["c1 c2 c3 c4"]) == [2, 1, 1]
    red.stands("Actions 3 of 3 used")
    red.end_turn()
    expect(blue.turn).to_have_text("Round 1: Blue moves 6 (rolled 6)")
    assert steps(blue, ["c6 c5", "d6 d5 d4 c3", "a6 a5 a4"]) == [2, 2, 1, 1, 2, 1]
    blue.end_turn()
    expect(red.turn).to_contain_text("Round 2")
    red.tab("What happened")
    expect(red.page.locator("#panel-story")).to_contain_text("captures")


def steps(player: Mouse, ways: list[str]) -> list[int]:
    """Send cubes along these ways; how many clicks each step took."""
    clicks = []
    for way in ways:
        start, *stops = way.split()
        player.square(*start)
        for stop in stops:
            player.wait_for_targets()
            player.square(*stop)
            expect(player.crosses).to_have_count(len(clicks) + 1)
            clicks.append(player.take_count())
    return clicks


def test_a_round_of_tae(server: ServerProcess, new_page: Pages) -> None:
    """PLAY.md's example: a leader and a colony, a leader who contests the region, reinforcements, the next turn."""
    ann, ben = both(server, new_page, "tae", "7")
    ann.piece("Merchant leader")
    ann.to("8,5", "Move", 2)
    ann.piece("Merchant ship")
    ann.to("7,4", "Colonize", 2)
    ben.piece("Scientist leader")
    ben.to("8,3", "Move", 2)
    ben.piece("Merchant leader")
    ben.to("9,4", "Move", 2)
    for one in (ann, ben):
        one.end_turn()
    expect(ben.turn).to_contain_text("ombat")
    ben.piece("Scientist ship")
    ben.button("Reinforce", ".quick")
    ben.given("Reinforce", 2)
    ann.end_turn()
    ann.button("Finish anyway")
    ben.end_turn()
    expect(ann.turn).to_contain_text("Turn 2: ben is first")
    ann.stands("Money 1")
    ben.stands("Technology 1")


def test_a_round_of_antshouse(server: ServerProcess, new_page: Pages) -> None:
    """All enter, plan in secret, and step at once: directions and gestures are buttons, a throw goes to a square."""
    ann, ben = both(server, new_page, "antshouse", "7")
    for one, where in ((ann, "d1"), (ben, "d8")):
        one.piece("Kid")
        one.to(where, "Enter", 2)
        one.end_turn()
    for one, direction in ((ann, "N to d2"), (ben, "S to d7")):
        expect(one.turn).to_contain_text("Round 1")
        # The clock tells of a turn before its position is there: the ant on the board can act, too.
        expect(one.page.locator("#map path.acting")).to_have_attribute("data-ids", re.compile(r"\d\D+\d"))
        one.piece("Ant")
        one.button(direction, ".quick")
        one.answer("paper")
        one.given("Go", 3)
    ann.piece("Kid")
    ann.button("pine cone (5 left)", ".quick")
    ann.to("c6", "Throw", 3)
    for one in (ann, ben):
        one.end_turn()
    expect(ann.turn).to_contain_text("Round 2")


def test_a_round_of_colony_battle(server: ServerProcess, new_page: Pages) -> None:
    """Both queens walk and make a worker, each in her own turn; the round is over."""
    ann, ben = both(server, new_page, "colony_battle", "3")
    for one, where in ((ann, "Surface 2,6"), (ben, "Surface 14,6")):
        expect(one.awaited).to_have_text("Your move.")
        one.piece("Queen")
        one.to(where, "Move", 2)
        one.button("Worker", ".quick")
        expect(one.page.locator("#status")).to_have_text("Spawn, Square: choose on the map.")
        one.to(where.replace("6", "7"), "Spawn", 2)
        one.end_turn()
    expect(ann.turn).to_contain_text("Round 2")
    ann.stands("Workers 1")


def test_a_round_of_taller_ants(server: ServerProcess, new_page: Pages) -> None:
    """PLAY.md's example: the set-up, some of the webs, and a colony that harvests, guards its hole, digs and lays."""
    spider, colony = both(server, new_page, "taller_ants", "7", LARGE)  # which has room for both boards
    spider.piece("Brood")
    spider.to("12,6", "Place spider", 2)
    colony.piece("Colony")
    colony.to("11,11", "Choose hole", 2)
    for one in (spider, colony):
        one.end_turn()
    expect(spider.turn).to_contain_text("Round 1")
    spider.piece("Spider")
    spider.take_count()
    for where in "12,6", "11,6", "11,7":
        spider.to(where, "Build web", 2, "Build web")
    spider.to("10,8", "Move", 2, "Move")
    spider.end_turn()
    expect(colony.turn).to_contain_text("Round 1: ants 1")
    colony.piece("Black Group")
    colony.to("11,11", "Move", 3, "Move")
    colony.to("12,12", "Harvest", 2, "Harvest")
    colony.press(colony.page.locator("#object").get_by_role("button", name="Black Group").nth(1))
    expect(colony.queue).to_have_count(0)
    colony.take_count()
    colony.wait_for_targets()
    colony.square("12", "10", board=1)
    colony.answer("Pick up", "All of the form")
    colony.count_up("food", 2)
    colony.button("Give the order")
    colony.given("Pick up", 6)
    colony.to("11,11", "Move", 2, "Move")
    colony.to("10,10", "Ward", 2, "Ward")
    colony.piece("Red Group", chosen=True)
    colony.to("9,12", "Move", 4, "Move", board=1)
    colony.button("Dig", "#orders")
    for direction in "SW", "W", "NW":
        colony.press(colony.page.locator("#order-form label").get_by_text(direction, exact=True))
    colony.button("Give the order")
    colony.given("Dig", 5)
    colony.piece("Queen", chosen=True)
    colony.button("Lay eggs", "#orders")
    colony.count_up("Black eggs", 5)
    colony.press(colony.page.locator("#order-form label").get_by_text("body", exact=True))
    colony.button("Give the order")
    colony.given("Lay eggs", 10)
    colony.button("5", "[aria-label='Feed queen']")
    colony.given("Feed queen", 1)
    colony.end_turn()
    expect(colony.turn).to_contain_text("Round 2")
    colony.stands("Food of 100 23")
