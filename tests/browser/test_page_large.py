"""Maps of thousands of places, whose marks are painted on a canvas."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from page_objects import GamePage, box_of, middle_of
from playwright.sync_api import Browser, Page, expect

from tests.support.server import preloaded_server

OBJECTS = 3200
"""So many have more than 1,000 systems, the most whose marks are elements."""
MINE, OTHERS, STONE = "--mine", "--others", "--stone"
COLOURS = {MINE: (0, 114, 178), OTHERS: (230, 159, 0), STONE: (86, 180, 233)}
"""Of the style sheet: the discs of the first and the second player, and the slice of the second resource."""

AT = """
([id, up]) => {
  const cell = document.querySelector(`.cell[data-id="${id}"]`).getBoundingClientRect();
  const canvas = document.querySelector(".stamps");
  const box = canvas.getBoundingClientRect();
  const ratio = canvas.width / box.width;
  const x = Math.round((cell.x + cell.width / 2 - box.x) * ratio);
  const y = Math.round((cell.y + cell.height * (0.5 - up) - box.y) * ratio);
  return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];
}
"""
"""The pixel of the canvas so far above the middle of a place, in heights of it."""


@pytest.fixture(scope="module")
def large(browser: Browser) -> Iterator[GamePage]:
    """The page of the first player of a game with many systems."""
    with preloaded_server() as server:
        server.create_game("large", "synthetic", 2, objects=OBJECTS)
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme="dark")
        first = GamePage(context.new_page(), server)
        first.join_empty("first", "large")
        other = browser.new_context()
        GamePage(other.new_page(), server).enter("second", "large")
        other.close()
        first.wait_for_map()
        yield first
        context.close()


def pixel(page: Page, identifier: int, up: float = 0.0) -> list[int]:
    found: list[int] = page.evaluate(AT, [identifier, up])
    return found


def shows(page: Page, identifier: int, up: float, colour: str) -> None:
    """Wait until a place has this colour there or very near, for edges are smoothed; as far as rounding goes."""
    wanted = [*COLOURS[colour], 255]
    points = [[identifier, up + near / 100] for near in range(-2, 3)]
    page.wait_for_function(
        f"([points, wanted]) => points.some((point) => ({AT})(point).every("
        "(part, at) => Math.abs(part - wanted[at]) < 12))",
        arg=[points, wanted],
    )


def zoomed(page: Page) -> tuple[int, int]:
    """Go near; return a place of the first player in sight and its neighbour, which is the second player's."""
    page.get_by_role("button", name="Show all").click()
    for _ in range(8):
        page.get_by_role("button", name="Larger").click()
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found: int = page.evaluate(
        "([x, y]) => Number(document.elementsFromPoint(x, y).find((one) => one.matches('.cell')).dataset.id)",
        list(middle_of(box_of(page.locator("#map")))),
    )
    row = (found - 2) // 3 // 2 * 2
    return 2 + 3 * row, 2 + 3 * (row + 1)


@pytest.mark.thorough
def test_a_large_map_is_painted_in_the_colours_of_the_style_sheet(large: GamePage) -> None:
    """Pieces stand on discs of their owners' colours, with hardly any element made for them.

    `v` turns pieces into pies and back.
    """
    page = large.page
    expect(page.locator(".cell")).to_have_count((OBJECTS - 2) // 3)
    assert page.locator("#map .piece:not(.samples *), #map .pie:not(.samples *)").count() == 0
    mine, others = zoomed(page)
    shows(page, mine, 0.1, MINE)
    shows(page, others, 0.1, OTHERS)
    large.switch_view()
    expect(page.locator("#legend")).to_contain_text("Stones")
    shows(page, mine, 0.12, STONE)
    large.switch_view()
    expect(page.locator("#legend")).to_contain_text("(you)")
    shows(page, mine, 0.1, MINE)


@pytest.mark.thorough
def test_a_place_of_a_large_map_is_clicked_and_told(large: GamePage) -> None:
    """Pointing shows the name of the place, and a click selects it."""
    page = large.page
    mine, _ = zoomed(page)
    large.click_place(mine)
    expect(page.locator("#tip")).to_contain_text(f"System {(mine - 2) // 3}")
    expect(large.object_title()).to_contain_text("first's fleet")


@pytest.mark.thorough
def test_a_large_map_changes_with_the_theme(large: GamePage) -> None:
    """After light or dark was chosen it is painted again."""
    page = large.page
    mine, _ = zoomed(page)
    looks: list[str | None] = []
    for _ in range(2):
        page.get_by_role("button", name="Light or dark").click()
        looks.append(page.locator(":root").get_attribute("data-theme"))
        shows(page, mine, 0.1, MINE)
    assert sorted(map(str, looks)) == ["dark", "light"]


@pytest.mark.thorough
def test_each_picture_is_painted_as_the_browser_draws_it(large: GamePage) -> None:
    """On a canvas every picture covers what it covers as an element: the two differ by smoothed edges only."""
    worst = large.page.evaluate(PICTURES)
    assert len(worst) > 40
    assert {name: differing for name, differing in worst if differing > MOST_DIFFERING} == {}


MOST_DIFFERING = 0.02
"""Of the pixels of a picture so many may differ much; edges are smoothed differently."""

PICTURES = """
async () => {
  const { Brush, paint } = await import("/ui/brush.js");
  const { shape } = await import("/ui/shapes.js");
  const size = 96;
  const pixels = (context) => context.getImageData(0, 0, size, size).data;
  const fresh = () => Object.assign(document.createElement("canvas"), { width: size, height: size }).getContext("2d");
  const brush = new Brush(document.getElementById("map"));
  const found = [];
  for (const symbol of document.querySelectorAll(".sprite symbol")) {
    const painted = fresh();
    painted.scale(size / 24, size / 24);
    const picture = shape("use", { href: `#${symbol.id}`, x: 0, y: 0, width: 24, height: 24 });
    const strokes = brush.strokes(shape("g", { class: "piece" }, picture));
    paint(painted, strokes, { isFar: false, unzoom: 1 });
    const other = await elements(symbol, size);
    const drawn = fresh();
    drawn.drawImage(other, 0, 0);
    const [one, two] = [pixels(painted), pixels(drawn)];
    let differing = 0;
    for (let at = 3; at < one.length; at += 4) if (Math.abs(one[at] - two[at]) > 128) differing += 1;
    let inked = 0;
    for (let at = 3; at < two.length; at += 4) if (two[at] > 128) inked += 1;
    found.push([symbol.id, inked ? differing / inked : 1]);
  }
  return found;

  async function elements(symbol, size) {
    const sprite = new XMLSerializer().serializeToString(symbol.parentNode);
    const use = `<use href="#${symbol.id}" width="24" height="24" color="#1a1d21"/>`;
    const source = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 24 24">`
      + sprite + use + "</svg>";
    const image = new Image();
    image.src = `data:image/svg+xml,${encodeURIComponent(source)}`;
    await image.decode();
    return image;
  }
}
"""
