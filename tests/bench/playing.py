"""Benchmark: response times of the browser client and the server to it.

Covered are legal orders, targets of an order, new turns and old turns. The games whose old turns are viewed have 200
turns. The others are in their middle.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TypeVar

from google.protobuf.message import Message
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.bench.figures import Figure
from tests.bench.pages import PATIENCE, finish, opened_page
from tests.bench.played import LONG, PLAYERS, Wanted, play
from tests.bench.server import measured_server
from tests.support.chromium import ARGUMENTS, chromium
from tests.support.orders import order, target
from tests.support.server import ServerProcess
from tests.support.wire import Client, Failed
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB

M = TypeVar("M", bound=Message)

MIDDLE = (Wanted("tae", 11), *(Wanted(name, 10) for name in ("swarm", "antshouse", "colony_battle", "taller_ants")))
"""Games in their middle, none of them in a combat turn of TaE, in which no order has a place for its target."""

LEGAL_MS, LIT_MS, MOVED_MS, STEP_MS = 5.0, 50.0, 100.0, 100.0

IS_AWAITED = "document.getElementById('awaited').classList.contains('you')"

WHEN_LIT = """
() => {
  const marks = [...document.querySelectorAll("#map path.lit.dots, #map path.lit.rings")];
  window.lit = new Promise((resolve) => {
    let begun = 0;
    addEventListener("pointerup", (event) => { begun = event.timeStamp; }, { capture: true, once: true });
    const watch = new MutationObserver(() => {
      if (!begun || !marks.some((mark) => mark.dataset.ids)) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
    });
    for (const mark of marks) watch.observe(mark, { attributes: true });
  });
}
"""
"""Waits for the first lit target after the button of the mouse is up, until it has been painted."""

WHEN_MOVED = """
() => {
  window.moved = new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      if (!document.querySelector("#map .replay .piece")) return;
      watch.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
    });
    watch.observe(document.querySelector("#map .replay"), { childList: true, subtree: true });
  });
}
"""
"""Waits for the first piece that moves, until it has been painted; resolves with unix milliseconds."""

STEP = """
(turn) => new Promise((resolve) => {
  const slider = document.getElementById("history-turn");
  const [banner, text] = ["past-banner", "past-text"].map((id) => document.getElementById(id));
  const begun = performance.now();
  const before = text.textContent;
  const watch = new MutationObserver(() => {
    if (banner.hidden || text.textContent === before) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
  });
  watch.observe(banner, { attributes: true, childList: true, subtree: true, characterData: true });
  slider.value = String(turn);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})
"""
"""Moves the slider to a turn, which must not be the one that is shown, and waits until that is painted."""


def measure(quick: bool) -> list[Figure]:
    """Return the figures; none where there is no browser."""
    program = chromium()
    if program is None:
        return []
    figures: list[Figure] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        with _serving(MIDDLE) as (server, names):
            for one in MIDDLE:
                figures += _legal(server, one.ruleset, names[one.ruleset], quick)
            for one in MIDDLE:
                figures += _lit(server, browser, one.ruleset, names[one.ruleset], quick)
            figures += _moved(server, browser, quick)
        with _serving(LONG) as (server, names):
            for one in LONG:
                figures += _steps(server, browser, one, names[one.ruleset], quick)
        browser.close()
    return figures


@contextmanager
def _serving(wanted: tuple[Wanted, ...]) -> Iterator[tuple[ServerProcess, dict[str, str]]]:
    """A server with these games, and their names by their rulesets."""
    names: dict[str, str] = {}
    with measured_server(fill=lambda data: names.update(play(data, wanted))) as server:
        yield server, names


def _figure(name: str, tries: list[float], target: float) -> list[Figure]:
    """The median in milliseconds, and how many tries there were; none where there was nothing to try."""
    if not tries:
        return []
    note = f"{len(tries)} tries, {min(tries):.3g} to {max(tries):.3g} ms"
    return [Figure(name, statistics.median(tries), "ms", target, "", note)]


# --- what is legal ----------------------------------------------------------------------------------------------------


def _legal(server: ServerProcess, ruleset: str, game: str, quick: bool) -> list[Figure]:
    """From the request to its whole answer, over a socket: all orders, and the first parameter of some of them."""
    chance = Random(1)
    whole: list[float] = []
    values: list[float] = []
    for user in PLAYERS:
        client = Client(server.port, PB, f"{user}@{game}")
        try:
            for _ in range(3 if quick else 10):
                spent, found = _asked(client, "get_legal_orders", tp.GetLegalOrders(), tp.LegalOrders)
                whole.append(spent)
                for one in chance.sample(list(found.orders), min(6, len(found.orders))):
                    chosen = [tp.OrderParameter(object=tp.OrderObject(object_id=one.named))] if one.named else []
                    ask = tp.GetLegalValues(id=one.id, otype=one.otype, parameters=chosen)
                    values.append(_asked(client, "get_legal_values", ask, tp.LegalValues)[0])
        except Failed:
            pass  # it is the other player's turn
        client.close()
    return [
        *_figure(f"{ruleset}: which orders can be given, answered", whole, LEGAL_MS),
        *_figure(f"{ruleset}: the values of a parameter, answered", values, LEGAL_MS),
    ]


def _asked(client: Client, kind: str, request: Message, wanted: type[M]) -> tuple[float, M]:
    begun = time.perf_counter()
    answer = client.one(kind, request, wanted)
    return (time.perf_counter() - begun) * 1000, answer


# --- in the browser ---------------------------------------------------------------------------------------------------


def _lit(server: ServerProcess, browser: Browser, ruleset: str, game: str, quick: bool) -> list[Figure]:
    """Measure the time from a click on a piece that can act to its first lit targets.

    Each piece is clicked in two ways. The pointer jumps there, or it rests there before the button goes down.
    """
    rests = {"": 0, ", after a rest of 150 ms": 150}
    tries: dict[str, list[float]] = {words: [] for words in rests}
    for user in PLAYERS:
        for _ in range(1 if quick else 3):
            with opened_page(server, browser, game, user) as (page, _, _):
                if not page.evaluate(IS_AWAITED):
                    break
                mark = page.locator("#map path.acting")
                expect(mark).not_to_have_attribute("data-ids", "", timeout=PATIENCE)
                page.wait_for_timeout(300)  # what else the page does when it has come
                for at, place in enumerate((mark.get_attribute("data-ids") or "").split()[:8]):
                    words = list(rests)[at % 2]
                    tries[words] += _clicked(page, place, rests[words])
    return [
        figure
        for words, found in tries.items()
        for figure in _figure(f"{ruleset}: click to lit targets{words}", found, LIT_MS)
    ]


def _clicked(page: Page, place: str, rest: int) -> list[float]:
    """Return the milliseconds from a click on a place to lit targets; none if nothing is lit there, or it is hidden."""
    for _ in range(3):
        page.keyboard.press("Escape")
    page.wait_for_timeout(150)  # what the keys do is no part of the click
    page.evaluate(WHEN_LIT)
    box = page.locator(f'.cell[data-id="{place}"]').bounding_box()
    if box is None:
        return []
    # Not the locator's click, which first looks what lies there, in the page and within the time.
    at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*at)
    page.wait_for_timeout(rest)
    page.mouse.click(*at)
    found = page.evaluate("Promise.race([window.lit, new Promise((resolve) => setTimeout(resolve, 1000, null))])")
    return [] if found is None else [float(found)]


def _moved(server: ServerProcess, browser: Browser, quick: bool) -> list[Figure]:
    """From the FinishedTurn of the last player, another one, to the first piece that has begun to move on the page."""
    tries: list[float] = []
    server.create_game("moved", "tae", 2, seed="7")
    other = Client(server.port, PB, f"{PLAYERS[1]}@moved")
    with opened_page(server, browser, "moved") as (page, _, _):
        for _ in range(3 if quick else 10):
            page.wait_for_timeout(1500)  # until nothing moves any more
            _give_one(other)
            finish(page)
            expect(page.locator("#finish")).to_have_text("Change my orders", timeout=PATIENCE)
            page.evaluate(WHEN_MOVED)
            page.wait_for_timeout(200)
            begun = time.time() * 1000
            other.one("finished_turn", tp.FinishedTurn(), tp.Okay)
            tries.append(float(page.evaluate("window.moved")) - begun)
    other.close()
    return _figure("TaE: end of turn to the first moved piece", tries, MOVED_MS)


def _give_one(client: Client) -> None:
    """Give the first order that can be given and has a place for its target; answers come in parts."""
    start = 0
    while True:
        possible = client.one("get_legal_orders", tp.GetLegalOrders(start=start), tp.LegalOrders)
        for one in possible.orders:
            if places := _places(client, one):
                client.one("order_insert", order(one.id, one.otype, target(places[len(places) // 2])), tp.Order)
                return
        start = possible.following
        if not start:
            raise RuntimeError("nobody can go anywhere")


def _places(client: Client, one: tp.LegalOrder) -> list[int]:
    """The objects that the first parameter of an order takes."""
    places: list[int] = []
    start = 0
    while True:
        ask = tp.GetLegalValues(id=one.id, otype=one.otype, start=start)
        values = client.one("get_legal_values", ask, tp.LegalValues)
        places += values.ids
        start = values.following
        if not start:
            return places


def _steps(server: ServerProcess, browser: Browser, wanted: Wanted, game: str, quick: bool) -> list[Figure]:
    """From the slider's change to the painted turn: turns far apart, the same again, and one after the other."""
    far = [wanted.turns // 2 + offset for offset in (0, 47, -31, 80, -66, 13, -90, 59, -12, 71)]
    far = far[: 4 if quick else 10]
    firsts, news, kept, nexts = [], [], [], []
    for _ in range(1 if quick else 3):
        with opened_page(server, browser, game, PLAYERS[0]) as (page, _, _):
            expect(page.locator("#history-turn")).to_have_attribute("max", str(wanted.turns), timeout=PATIENCE)
            page.hover("#history")
            steps = [_stepped(page, turn) for turn in far]
            firsts += steps[:1]
            news += steps[1:]
            kept += [_stepped(page, turn) for turn in far[-5:-1]]
            nexts += [_stepped(page, turn) for turn in range(20, 30)][1:]
    title = f"{wanted.ruleset} of {wanted.turns} turns: "
    return [
        *_figure(f"{title}the first old one, 0.3 s after the pointer", firsts, STEP_MS),
        *_figure(f"{title}a turn not in memory", news, STEP_MS),
        *_figure(f"{title}a turn in memory", kept, STEP_MS),
        *_figure(f"{title}the next turn", nexts, STEP_MS),
    ]


def _stepped(page: Page, turn: int) -> float:
    page.wait_for_timeout(300)  # as long as somebody looks
    return float(page.evaluate(STEP, turn))
