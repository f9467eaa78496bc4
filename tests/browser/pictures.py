"""Screenshots of the page, for people to judge.

    python -m tests.browser.pictures DIRECTORY [GAME ...]

This is not a test. A server in a separate process, a real browser, and bots with a fixed seed prepare each scene. From
there on the script does only what a user can do.

Each scene is taken in four windows, light and dark. There is a sheet of all scenes for each game and window. Below each
picture stand the measurements: the size of a square, and the part of the window that the boards take.

GAME is the name of a ruleset, or `lobby` for the pages before a game. Without it, all are taken.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent))

from page_objects import MEETING_BOARD, GamePage, IsThere, Meeting, bring_to, turn_is

from tests.support.chromium import ARGUMENTS, chromium
from tests.support.server import ServerProcess, running_server
from tpclient.bots.play import Policy
from tpclient.bots.random import RandomPolicy
from tpproto import tp_pb2

DESK = ((1280, 800), (1920, 1080))
PHONE = ((390, 844), (844, 390))
THEMES = ("light", "dark")
SHEET_WIDTH = 1600
"""Pixels; as many pictures stand beside each other as keep a height of 620."""

MEASURE = """() => {
  const box = (element) => element?.checkVisibility() && element.getBoundingClientRect();
  const { innerWidth: width, innerHeight: height } = window;
  const found = [];
  const cells = [...document.querySelectorAll("#map .cell.square")].map(box).filter(Boolean);
  if (cells.length) {
    const map = box(document.querySelector("#map"));
    const isSeen = ({ left, right, top, bottom }) =>
      right > map.left && left < map.right && bottom > map.top && top < Math.min(map.bottom, height);
    const inside = cells.filter(isSeen);
    const area = inside.reduce((sum, cell) => sum + cell.width * cell.height, 0);
    found.push(`map ${Math.round(map.width)} x ${Math.round(map.height)} px`);
    const part = Math.round((100 * area) / width / height);
    found.push(`squares ${Math.round(cells[0].width)} px, ${part} % of the window`);
    if (inside.length < cells.length) found.push(`${cells.length - inside.length} of ${cells.length} out of sight`);
  }
  const finish = box(document.querySelector("#finish"));
  if (finish && (finish.bottom > height || finish.right > width || finish.top < 0)) found.push("FINISH OUT OF SIGHT");
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > width) found.push(`SCROLLS SIDEWAYS ${scrollWidth - width} px`);
  for (const button of document.querySelectorAll("button, summary")) {
    if (box(button) && button.scrollWidth > button.clientWidth + 1) found.push(`CUT OFF: ${button.textContent}`);
  }
  return found.join(", ");
}"""


def point(game: GamePage, place: int) -> None:
    """Click a place of the map; where there are fingers, tap it."""
    cell = game.page.locator(f'.cell[data-id="{place}"]')
    if game.page.evaluate("navigator.maxTouchPoints"):
        cell.tap()
    else:
        cell.click()


def choose_a_piece(game: GamePage) -> None:
    """Click or tap the first piece that can act, and give its targets the time to be lit, if it has any."""
    point(game, game.acting()[0])
    expect(game.object_title()).to_be_visible()
    game.page.wait_for_timeout(700)


def ordered(game: GamePage) -> None:
    """Choose a piece and click one of its targets, unless the orders given in an earlier window leave none to act."""
    if not game.page.locator("#map path.acting").get_attribute("data-ids"):
        return
    choose_a_piece(game)
    lit = [place for places in game.lit().values() for place in places]
    if lit:
        point(game, lit[0])
        game.page.wait_for_timeout(700)


def players(game: GamePage) -> None:
    game.tab("Players")


def what_happened(game: GamePage) -> None:
    game.tab("What happened")


def finished(game: GamePage) -> None:
    """The question that is asked where nothing was ordered, or the wait for others."""
    game.page.locator("#finish").click()
    game.page.wait_for_timeout(500)


def nothing(game: GamePage) -> None:
    """Look only."""


@dataclass(frozen=True)
class Scene:
    """The way of ann to the moment of a picture in a game, and her actions there."""

    name: str
    is_there: IsThere
    act: Callable[[GamePage], None] = nothing
    options: Mapping[str, object] = field(default_factory=dict)
    inner: Callable[[], Policy] = RandomPolicy

    @property
    def position(self) -> str:
        """The name of the game in which it is; several scenes share one."""
        return self.name.partition("-")[0]


def mine_from(number: int, words: str = "") -> IsThere:
    """Return a test that is true if ann, in seat 0, is awaited in this turn or later, and its name has words."""

    def is_there(clock: tp_pb2.TimeRemaining) -> bool:
        return clock.turn >= number and 1 in clock.waiting and words in clock.turn_name.lower()

    return is_there


def never(clock: tp_pb2.TimeRemaining) -> bool:
    """Play to the end."""
    return False


def scenes_of(middle: int, *more: Scene) -> tuple[Scene, ...]:
    return (
        Scene("begin", turn_is(0)),
        Scene("middle", mine_from(middle)),
        Scene("middle-chosen", mine_from(middle), choose_a_piece),
        Scene("middle-ordered", mine_from(middle), ordered),
        Scene("middle-players", mine_from(middle), players),
        Scene("middle-happened", mine_from(middle), what_happened),
        *more,
        Scene("end", never),
    )


GAMES = {
    "tae": scenes_of(
        10,
        Scene("combat", mine_from(0, "combat"), options={"board": MEETING_BOARD}, inner=Meeting),
    ),
    "swarm": scenes_of(20),
    "antshouse": scenes_of(12, Scene("combat", mine_from(0, "the ant of"))),
    "colony_battle": scenes_of(30),
    "taller_ants": scenes_of(4),
}


class Album:
    """Pictures in a directory, each with a line of what was measured."""

    def __init__(self, directory: Path, browser: Browser) -> None:
        self.directory = directory
        self._browser = browser
        self._taken: dict[tuple[str, str], list[tuple[str, str]]] = {}

    @contextmanager
    def pages(self) -> Iterator[Iterator[tuple[Page, tuple[tuple[int, int], ...]]]]:
        """A page as on a desk and one as on a phone, each with the windows in which it is looked at."""

        def each() -> Iterator[tuple[Page, tuple[tuple[int, int], ...]]]:
            for windows, is_phone in ((DESK, False), (PHONE, True)):
                width, height = windows[0]
                context = self._browser.new_context(
                    viewport={"width": width, "height": height}, has_touch=is_phone, is_mobile=is_phone
                )
                yield context.new_page(), windows
                context.close()

        yield each()

    def take(self, page: Page, subject: str, scene: str, windows: tuple[tuple[int, int], ...]) -> None:
        """All pictures of what a page shows now."""
        for width, height in windows:
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)  # type: ignore[arg-type] # one of its words
                page.wait_for_timeout(300)
                name = f"{subject}-{scene}-{width}x{height}-{theme}.png"
                page.screenshot(path=self.directory / name)
                told = f"{scene}: {page.evaluate(MEASURE)}"
                self._taken.setdefault((subject, f"{width}x{height}"), []).append((name, told))
                if theme == THEMES[0]:
                    print(f"{subject} {width}x{height} {told}", flush=True)
        width, height = windows[0]
        page.set_viewport_size({"width": width, "height": height})

    def make_sheets(self) -> None:
        """A sheet for each subject and window."""
        page = self._browser.new_page()
        for (subject, window), pictures in self._taken.items():
            width, height = map(int, window.split("x"))
            columns = max(2, round(SHEET_WIDTH / (620 * width / height) / 2) * 2)
            figures = "".join(
                f'<figure><img src="{name}"><figcaption>{told}</figcaption></figure>' for name, told in pictures
            )
            html = self.directory / f"sheet-{subject}-{window}.html"
            html.write_text(
                f"<!doctype html><meta charset=utf-8><title>{subject} {window}</title><style>"
                f"body {{ margin: 8px; display: grid; grid-template-columns: repeat({columns}, 1fr); gap: 8px;"
                f" font: 13px sans-serif }}"
                f"figure {{ margin: 0 }} img {{ width: 100%; border: 1px solid #888 }}</style>{figures}"
            )
            page.set_viewport_size({"width": SHEET_WIDTH, "height": 800})
            page.goto(html.as_uri())
            page.screenshot(path=html.with_suffix(".png"), full_page=True)
        page.close()
        self._taken.clear()


def take_game(album: Album, server: ServerProcess, ruleset: str) -> None:
    """All scenes of a game."""
    made: set[str] = set()
    for scene in GAMES[ruleset]:
        game = f"{ruleset}-{scene.position}"
        if game not in made:
            server.create_game(game, ruleset, 2, seed="7", **scene.options)
            bring_to(server, game, ("ann", "ben"), scene.is_there, inner=scene.inner)
            made.add(game)
        with album.pages() as pages:
            for page, windows in pages:
                shown = GamePage(page, server)
                shown.open()
                shown.type_name("ann")
                shown.way_into(game).click()
                shown.wait_for_map()
                page.wait_for_timeout(1500)  # pieces that can act breathe once
                scene.act(shown)
                album.take(page, ruleset, scene.name, windows)


def take_lobby(album: Album, server: ServerProcess) -> None:
    """The entrance, the games of an account, and the wait for others."""
    server.create_game("friday", "tae", 2, seed="7")
    server.create_game("monday", "swarm", 2, seed="7")
    server.create_game("picnic", "taller_ants", 3)
    bring_to(server, "friday", ("ann", "ben"), mine_from(4))
    bring_to(server, "monday", ("ann", "ben"), mine_from(10))
    with album.pages() as pages:
        for page, windows in pages:
            shown = GamePage(page, server).open()
            expect(page.locator("#games li")).not_to_have_count(0)
            album.take(page, "lobby", "entrance", windows)
            shown.type_name("ann")
            page.get_by_role("button", name="Log in").click()
            expect(page.locator("#own-games li")).not_to_have_count(0)
            page.wait_for_timeout(1000)
            album.take(page, "lobby", "home", windows)
            page.get_by_role("button", name="Rules of picnic").click()
            expect(page.locator("#rules h3").first).to_be_visible()
            album.take(page, "lobby", "rules", windows)
            page.keyboard.press("Escape")
            page.get_by_role("button", name="New game").click()
            page.wait_for_timeout(500)
            album.take(page, "lobby", "making", windows)
            page.keyboard.press("Escape")
            page.locator("li").filter(has_text="picnic").get_by_role("button").first.click()
            expect(page.get_by_role("button", name="Read the rules")).to_be_visible()
            album.take(page, "lobby", "waiting", windows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Pictures of the page, to be judged by looking at them.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"lobby, {', '.join(GAMES)}; all if none is named")
    chosen = parser.parse_args()
    wanted = chosen.games or ["lobby", *GAMES]
    for name in wanted:
        if name not in ("lobby", *GAMES):
            parser.error(f"there is no {name}; there are lobby, {', '.join(GAMES)}")
    program = chromium()
    if program is None:
        parser.error("no Chromium found; name it in the variable CHROMIUM")
    directory = chosen.directory.resolve()
    directory.mkdir(parents=True, exist_ok=True)
    with running_server("--no-parent") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        album = Album(directory, browser)
        for name in wanted:
            take_lobby(album, server) if name == "lobby" else take_game(album, server, name)
            album.make_sheets()
        browser.close()


if __name__ == "__main__":
    main()
