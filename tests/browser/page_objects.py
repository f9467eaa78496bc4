"""The page of the browser client as an object, and prepared games for it.

Bots play a game until the state in which a test begins.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Thread

from playwright.sync_api import FloatRect, Locator, Page, WebSocketRoute, expect

from tests.support.bots import PASSWORD, Enough, bots_at_play, until_enough
from tests.support.process import SECONDS
from tests.support.server import ServerProcess
from tpclient.bots.play import Policy, Turn
from tpclient.bots.random import RandomPolicy
from tpclient.following import Game
from tpproto import tp_pb2

IsThere = Callable[[tp_pb2.TimeRemaining], bool]


def installed(site: Path, name: str, source: Path) -> None:
    """Install a file or package with a `RULESET` into the directory `site`, as pip would; PYTHONPATH has to name it."""
    folder = site / f"{name}-1.0.dist-info"
    folder.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, site / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        (site / source.name).write_bytes(source.read_bytes())
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[tpserver.rulesets]\n{name} = {source.stem}:RULESET\n")


COUNT_CLICKS = """() => {
  const count = (event) => (window.clicks += event.isTrusted ? 1 : 0);
  if (window.clicks === undefined) addEventListener("click", count, true);
  window.clicks = 0;
}"""

LOOK_SOON = """{
  const later = window.setTimeout;
  const soon = (milliseconds) => milliseconds === 20_000 ? 500 : milliseconds;
  window.setTimeout = (call, milliseconds, ...words) => later(call, soon(milliseconds), ...words);
}"""


def box_of(what: Locator) -> FloatRect:
    """Return the place of a visible element in the window; wait while the page draws it again."""
    while True:
        expect(what).to_be_visible()
        box = what.bounding_box()
        if box is not None:
            return box


def middle_of(box: FloatRect) -> tuple[float, float]:
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def looking_soon(page: Page) -> Page:
    """Make a page poll for messages and players every half second instead of every twenty.

    The page must not be open yet (GLANCE in player.js). Returns the page.
    """
    page.add_init_script(LOOK_SOON)
    return page


ARE_LIT = """() => {
  const now = ["dots", "rings"].map((kind) => document.querySelector(`#map path.lit.${kind}`).dataset.ids).join("|");
  const before = window.litBefore;
  if (now !== before) window.litSince = performance.now();
  window.litBefore = now;
  const isAsking = "asking" in document.getElementById("map").dataset;
  return !isAsking && now.length > 1 && performance.now() - window.litSince > 200;
}"""


PLACES = "marks => marks.map(mark => Number(mark.closest('[data-id]').dataset.id))"


def _ids(mark: Locator) -> list[int]:
    return [int(number) for number in (mark.get_attribute("data-ids") or "").split()]


MEETING_BOARD = "......../.A.A.A../......../........"
"""Map of TaE on which there is a combat after a Meeting."""


class Meeting:
    """TaE: both lead their scientists to the same artifact, which is a combat in the turn after."""

    async def give_orders(self, turn: Turn) -> None:
        universe = turn.universe
        leader = next(thing for thing in universe.own() if thing.name == "Scientist Leader")
        goal = {1: "5, 3", 2: "5, 1"}[universe.me]
        system = next(thing for thing in universe.of_kind("Star System") if thing.name == goal)
        await turn.order(leader.queue, "Move", {"Star System": system.id})


class GamePage:
    """One player at the page of one server."""

    def __init__(self, page: Page, server: ServerProcess) -> None:
        self.page = page
        self.url = server.url

    # --- coming in

    def open(self) -> GamePage:
        """Load the page."""
        self.page.goto(self.url)
        return self

    def type_name(self, user: str, password: str = PASSWORD) -> None:
        self.page.get_by_label("Name", exact=True).fill(user)
        self.page.get_by_label("Password", exact=True).fill(password)

    def enter(self, user: str, game: str = "", password: str = PASSWORD) -> GamePage:
        """Load the page and log in, to the only game if none is named."""
        self.open()
        self.type_name(user, password)
        if game:
            self.way_into(game).click()
        else:
            expect(self.page.locator("#games li")).to_have_count(1)
            self.page.get_by_role("button", name="Log in").click()
        self.wait_for_map()
        return self

    def new_game(self, ruleset: str, name: str, user: str = "ann") -> GamePage:
        """Load the page, log in a user without a game, and open the form of a new one."""
        self.open()
        self.type_name(user)
        self.page.get_by_role("button", name="Log in").click()
        self.page.get_by_role("button", name="New game").click()
        self.page.get_by_label("Game", exact=True).select_option(ruleset)
        self.page.get_by_label("Name of the game").fill(name)
        return self

    def enter_among_several(self, user: str, game: str) -> None:
        """Load the page, log in to the account, and go from its games into one."""
        self.open()
        self.type_name(user)
        self.page.get_by_role("button", name="Log in").click()
        self.page.get_by_role("button", name=re.compile(f"^(Play|Open) {re.escape(game)}$")).click()
        self.wait_for_map()

    def join_empty(self, user: str, game: str) -> None:
        """Load the page and join a game that waits for more players."""
        self.open()
        self.type_name(user)
        self.way_into(game).click()
        expect(self.page.locator("#game")).to_be_visible()

    def way_into(self, game: str) -> Locator:
        """The button to join a game, or to enter one again that has no free seat."""
        return self.page.get_by_role("button", name=re.compile(f"^(Join|Return to) {re.escape(game)}$"))

    def wait_for_map(self) -> None:
        expect(self.page.locator(".cell").first).to_be_attached()

    # --- the parts of the page

    @property
    def turn(self) -> Locator:
        return self.page.locator("#turn")

    @property
    def awaited(self) -> Locator:
        return self.page.locator("#awaited")

    def is_awaited(self) -> bool:
        """Return True if the turn waits for the player, as soon as the page shows the awaited players."""
        expect(self.awaited).to_have_text(re.compile("^(Your move|Waiting for)"))
        return self.awaited.inner_text().startswith("You")

    @property
    def verdict(self) -> Locator:
        return self.page.locator("#verdict")

    @property
    def queue(self) -> Locator:
        return self.page.locator(".queue li")

    @property
    def notes(self) -> Locator:
        return self.page.locator("#toasts")

    @property
    def news(self) -> Locator:
        return self.page.locator("#news")

    def place(self, name: str) -> Locator:
        """The place of the map with this name."""
        return self.page.locator(f'.cell[data-id="{self.id_of(name)}"]')

    def id_of(self, name: str) -> int:
        """The id of the place with this name, from the list of all places."""
        self.tab("List")
        self.page.get_by_label("Show places with").fill(name)
        button = self.page.locator("#panel-list").get_by_role("button", name=name, exact=True).first
        found = button.get_attribute("data-object")
        assert found is not None
        return int(found)

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name).click()

    def object_title(self) -> Locator:
        return self.page.locator("#object h2")

    # --- playing

    def click_place(self, identifier: int) -> None:
        """Click in the middle of a place of the map.

        Before, its board is chosen if another has the window, and all is shown if the place is out of sight.
        """
        if not self.is_on_shown_board(identifier):
            board = self.page.locator(".plan").filter(has=self.page.locator(f'.cell[data-id="{identifier}"]'))
            name = board.locator(".title").text_content()
            self.page.get_by_role("group", name="Boards").get_by_role("button", name=name, exact=True).click()
        cell = self.page.locator(f'.cell[data-id="{identifier}"]')
        place, drawing = box_of(cell), box_of(self.page.locator("#map"))
        for start, length in (("x", "width"), ("y", "height")):
            if not 0 < place[start] + place[length] / 2 - drawing[start] < drawing[length]:
                self.page.get_by_role("button", name="Show all").click()
        cell.click()

    def is_on_shown_board(self, identifier: int) -> bool:
        """Return True if a place is on the board in the window, or all boards are shown together."""
        return self.page.locator(f'.cell[data-id="{identifier}"]').is_visible()

    def click_piece(self, picture: str, place: int) -> None:
        """Click a piece of the map where it is drawn, by its picture and its place; the first of several."""
        piece = self.page.locator(f'.normal[data-id="{place}"] use[href="#p-{picture}"]').first
        piece.scroll_into_view_if_needed()
        self.page.mouse.click(*middle_of(box_of(piece)))

    def count_clicks(self) -> None:
        """Count the clicks from now on."""
        self.page.evaluate(COUNT_CLICKS)

    @property
    def clicks(self) -> int:
        found = self.page.evaluate("window.clicks")
        assert isinstance(found, int)
        return found

    def acting(self) -> list[int]:
        """The places with pieces that are marked as able to act, once they are."""
        mark = self.page.locator("#map path.acting")
        expect(mark).not_to_have_attribute("data-ids", "")
        return _ids(mark)

    def places_of(self, marks: str) -> list[int]:
        """The places of the map where such marks are, as ".normal.of-red"."""
        found = self.page.locator(f"#map {marks}").evaluate_all(PLACES)
        assert isinstance(found, list)
        return found

    def lit(self) -> dict[str, list[int]]:
        """The places that are lit as targets now: those with a dot, which are free, and those with a ring."""
        return {kind: _ids(self.page.locator(f"#map path.lit.{kind}")) for kind in ("dots", "rings")}

    def wait_for_targets(self) -> list[int]:
        """All places that are lit, as soon as any is and no more come."""
        self.page.wait_for_function(ARE_LIT)
        return [place for places in self.lit().values() for place in places]

    def wait_until_dark(self) -> None:
        """Until no place is lit."""
        for kind in ("dots", "rings"):
            expect(self.page.locator(f"#map path.lit.{kind}")).to_have_attribute("data-ids", "")

    @property
    def reason(self) -> Locator:
        """The sentence beside a place that was refused."""
        return self.page.locator(".popup.reason")

    @property
    def question(self) -> Locator:
        """The question beside a target."""
        return self.page.locator(".popup:not(.reason)")

    def select(self, name: str) -> None:
        """Select one of the player's pieces by its name in the list of them."""
        self.tab("Players")
        self.page.locator("#panel-mine .own").get_by_role("button", name=name).first.click()

    def begin(self, kind: str) -> None:
        """Begin an order of the selected object by its button."""
        self.page.locator(".offer").get_by_text(kind, exact=True).click()
        expect(self.page.locator("#order-form")).to_be_visible()

    def give(self) -> None:
        self.page.locator("#give").click()

    def finish(self) -> None:
        """Finish the turn as soon as that can be done, and no press of before can be meant."""
        button = self.page.get_by_role("button", name="Finish turn")
        expect(button).to_be_enabled()
        expect(button).not_to_have_attribute("aria-busy", "true")
        button.click()

    def finish_all_the_same(self) -> None:
        """Answer the question that is asked where nothing was ordered though something could be."""
        self.page.get_by_role("alertdialog").get_by_role("button", name="Finish anyway").click()

    def press_in_bar(self, name: str) -> None:
        """Press a button of the bar, which on a phone is in its menu."""
        menu = self.page.get_by_role("button", name="Menu", exact=True)
        if menu.is_visible():
            menu.click()
        self.page.get_by_role("button", name=name, exact=True).click()

    def try_now(self) -> None:
        """Press the button that ends the pause before the next try, unless the page has reconnected by itself."""
        self.page.evaluate("document.getElementById('banner-button').click()")

    def switch_view(self) -> None:
        self.page.keyboard.press("v")


class HeldFrames:
    """Frames of one kind that wait between the server and a page that is not open yet."""

    def __init__(self, page: Page, kind: str, *, is_holding: bool = True) -> None:
        self.is_holding = is_holding
        self._kind = kind
        self._held: list[Callable[[], None]] = []
        page.route_web_socket(re.compile("/ws$"), self._carry)

    def _carry(self, route: WebSocketRoute) -> None:
        upstream = route.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            if self.is_holding and self._kind in json.loads(text):
                self._held.append(lambda: route.send(text))
            else:
                route.send(text)

        upstream.on_message(pass_on)

    def release(self) -> None:
        """Let the page have what waits, and all that follows."""
        self.is_holding = False
        for send in self._held:
            send()


def begin_game(server: ServerProcess, name: str, ruleset: str, turn: int = 0) -> str:
    """Create a game with this name for ann and ben, and let bots play it until that turn; return the name."""
    server.create_game(name, ruleset, 2, seed="7")
    bring_to(server, name, ("ann", "ben"), turn_is(turn))
    return name


def bring_to(
    server: ServerProcess,
    game: str,
    users: tuple[str, ...],
    is_there: IsThere,
    seed: str = "7",
    inner: Callable[[], Policy] = RandomPolicy,
) -> str:
    """Let bots play until `is_there` accepts their clock in a turn in which they are awaited.

    They hang up without finishing that turn. Returns the name of the game.
    """
    reached: list[str] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            reached.append(asyncio.run(_play_until(server.port, game, users, is_there, seed, inner)))
        except BaseException as error:  # a thread would swallow it
            failed.append(error)

    thread = Thread(target=run)  # Playwright has an event loop of its own in this thread
    thread.start()
    thread.join(SECONDS + 30)
    if failed:
        raise failed[0]
    assert reached, "the bots are stuck"
    return reached[0]


async def _play_until(
    port: int, game: str, users: tuple[str, ...], is_there: IsThere, seed: str, inner: Callable[[], Policy]
) -> str:
    def policy(followed: Game) -> Policy:
        chosen = inner()

        class Until:
            async def give_orders(self, turn: Turn) -> None:
                if is_there(followed.clock):
                    raise Enough
                await chosen.give_orders(turn)

        return Until()

    async with bots_at_play(port, users, game, policy, seed=seed) as (games, lives):
        await until_enough(lives)
        return games[0].clock.turn_name


def turn_is(number: int) -> IsThere:
    """Return a test that is true as soon as this turn has come."""
    return lambda clock: clock.turn >= number


def give_password(page: Page, password: str = PASSWORD) -> None:
    """Type the password in the dialog that asks for it, as the browser has logged in by its cookie."""
    asked = page.get_by_role("dialog", name="Your password")
    asked.get_by_label("Password", exact=True).fill(password)
    asked.get_by_role("button", name="Confirm").click()
