"""Benchmark: the browser client in a real Chromium.

Measured are the time until a game is visible, the time of a change of the view, and the size of the page.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, CDPSession, Page, Response, WebSocket, expect, sync_playwright

from tests.bench.figures import Figure
from tests.bench.server import measured_server
from tests.support.chromium import ARGUMENTS, chromium
from tests.support.orders import number, order
from tests.support.server import ServerProcess
from tests.support.wire import Client
from tpproto import tp_pb2 as tp

PATIENCE = 60_000
"""Milliseconds for anything that a page should do."""
CHANGED = 10
"""Objects that change in the turn whose bytes are counted."""

SEEN = """
(() => {
  const look = () => {
    if (!document.querySelector(".drawing .cell")) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => { document.documentElement.dataset.seen = performance.now(); }));
  };
  requestAnimationFrame(look);
})();
"""
"""Notes when the first frame with a map was painted, in milliseconds since the navigation began."""

SWITCH = """
async () => {
  const begun = performance.now();
  document.getElementById("view-button").click();
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - begun;
}
"""


def measure(quick: bool) -> list[Figure]:
    program = chromium()
    if program is None:
        print("  no Chromium found: nothing of this is measured")
        return []
    figures = []
    with measured_server() as server, sync_playwright() as playwright:
        server.create_game("tae", "tae", 2)
        server.create_game("many", "synthetic", 2, objects=5000)
        server.create_game("systems", "synthetic", 2, objects=15002)
        browser = playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS, "--enable-precise-memory-info"])
        for game in ("tae", "many", "systems"):
            Client(server.port, user=f"first@{game}").close()
            other = Client(server.port, user=f"second@{game}")
            figures += _game(server, browser, game, other, quick)
            other.close()
        browser.close()
    return figures


NAMES = {"tae": "TaE", "many": "5,000 objects", "systems": "5,000 systems, 15,000 objects"}
TARGETS = {"tae": (500, 50), "many": (2000, 200), "systems": (2000, 200)}


def _game(server: ServerProcess, browser: Browser, game: str, other: Client, quick: bool) -> list[Figure]:
    name, (paint, switch) = NAMES[game], TARGETS[game]
    seen, switched, heaps, weights, moved = [], [], [], [], []
    for attempt in range(2 if quick else 5):
        with opened_page(server, browser, game) as (page, loaded, received):
            seen.append(float(page.locator("html").get_attribute("data-seen") or "nan"))
            switched += [float(page.evaluate(SWITCH)) for _ in range(6)][2:]
            session = page.context.new_cdp_session(page)
            heaps.append(_heap(session))
            weights.append(sum(loaded))
            if game == "many":
                moved.append(_turn(page, received, other, attempt))
    figures = [
        Figure(f"{name}: first paint of the map", statistics.median(seen), "ms", paint),
        Figure(f"{name}: the other view", statistics.median(switched), "ms", switch),
        Figure(f"{name}: memory of the page", statistics.median(heaps) / 1e6, "MB"),
    ]
    if moved:
        title = f"{name}: a turn in which {CHANGED} of them changed"
        figures.append(Figure(title, statistics.median(moved) / 1000, "kB", 10))
    if game == "tae":
        figures.append(Figure("the page with all its files, as sent", statistics.median(weights) / 1000, "kB", 200))
    return figures


@contextmanager
def opened_page(
    server: ServerProcess, browser: Browser, game: str, user: str = "first"
) -> Iterator[tuple[Page, list[int], list[int]]]:
    """Open the page in a tab that has been in this game before; yields it with the sizes of the downloads."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    loaded: list[int] = []
    received: list[int] = []

    def note(response: Response) -> None:
        sizes = response.request.sizes()
        loaded.append(sizes["responseBodySize"] + sizes["responseHeadersSize"])

    def listen(line: WebSocket) -> None:
        line.on("framereceived", lambda data: received.append(len(data.encode() if isinstance(data, str) else data)))

    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.on("websocket", listen)
    who = json.dumps({"user": user, "password": "secret", "game": game})
    page.add_init_script(f"sessionStorage.setItem('tpclient', {json.dumps(who)});{SEEN}")
    try:
        page.goto(server.url)
        page.locator("html[data-seen]").wait_for(timeout=PATIENCE)
        page.wait_for_load_state("networkidle")
        for answer in answers:
            note(answer)
        yield page, loaded, received
    finally:
        context.close()


def finish(page: Page) -> None:
    """Finish the turn though nothing was ordered in it."""
    page.get_by_role("button", name="Finish turn").click(timeout=PATIENCE)
    page.get_by_role("alertdialog").get_by_role("button", name="Finish anyway").click(timeout=PATIENCE)


def _heap(session: CDPSession) -> float:
    """Return the bytes that the page's scripts hold after a collection."""
    session.send("HeapProfiler.collectGarbage")
    used: float = session.send("Runtime.getHeapUsage")["usedSize"]
    return used


def _turn(page: Page, received: list[int], other: Client, attempt: int) -> int:
    """Let a turn change ten objects of the other player; return the bytes that came to the page because of it."""
    other.learn_orders()
    for row in range(CHANGED):
        other.ask("order_insert", order(4 + 3 * (1 + 2 * row), 1, number(1 + attempt)))
    before = page.locator("#turn").inner_text()
    sent = sum(received)
    other.ask("finished_turn", tp.FinishedTurn())
    finish(page)
    expect(page.locator("#turn")).not_to_have_text(before, timeout=PATIENCE)
    page.wait_for_timeout(500)  # what is fetched behind the new turn's name
    return sum(received) - sent
