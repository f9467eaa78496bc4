"""Repeated presses: a control sends its request only once.

It sends another request only after a player could have seen the response to the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from page_objects import GamePage, begin_game
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]

NOTE_WHAT_IS_SENT = """{
  localStorage.setItem("tpclient-unasked", "finish");
  const [frames, send] = [[], WebSocket.prototype.send];
  WebSocket.prototype.send = function (data) {
    if (typeof data === "string") frames.push(JSON.parse(data));
    return send.call(this, data);
  };
  window.sentOf = (kind) => frames.filter((frame) => kind in frame).map((frame) => frame[kind]);
}"""
"""Notes what the page sends; that nothing was ordered is not asked."""

PRESS_TWICE = """async ([id, pause]) => {
  const button = document.getElementById(id);
  const now = performance.now.bind(performance);
  const first = now();
  performance.now = () => Math.min(now(), first + pause);
  button.click();
  await new Promise((resolve) => setTimeout(resolve, pause));
  button.click();
  performance.now = now;
}"""
"""Presses a button twice so many milliseconds apart, as the page sees it on a slow machine, too."""


PRESS_THROUGH = """() => {
  const how = { bubbles: true, cancelable: true, clientX: 9 };
  const press = (on, detail) => on.dispatchEvent(new MouseEvent("click", { ...how, detail, clientY: 90 * detail }));
  press(document.querySelector("#help header button"), 1);
  press(document.getElementById("finish"), 2);
}"""
"""Closes a dialog by a double press, whose second one meets the button behind it."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with preloaded_server("--accounts", "open") as started:
        yield started


def sent(page: Page, kind: str) -> list[dict[str, Any]]:
    """The frames of a kind that the page has sent so far."""
    found: list[dict[str, Any]] = page.evaluate("kind => sentOf(kind)", kind)
    return found


@pytest.mark.thorough
def test_a_turn_that_is_finished_by_two_presses_stays_finished(server: ServerProcess, page: Page) -> None:
    """After 60 to 300 milliseconds the button means something else, which nobody has read yet.

    What is sent names the turn that was seen. A press of its own takes it back.
    """
    begin_game(server, "twice", "tae")
    page.add_init_script(NOTE_WHAT_IS_SENT)
    game = GamePage(page, server).enter("ann", "twice")
    expect(game.awaited).to_have_text("Your move. ben is planning, too.")
    for number, pause in enumerate((60, 300), 1):
        page.evaluate(PRESS_TWICE, ["finish", pause])
        button = page.get_by_role("button", name="Change my orders")
        expect(button).not_to_have_attribute("aria-busy", "true")
        expect(game.awaited).to_have_text("Waiting for ben.")
        assert sent(page, "unfinishTurn") == [{"turn": 0}] * (number - 1)
        button.click()
        expect(game.awaited).to_have_text("Your move. ben is planning, too.")
        expect(page.locator("#finish")).not_to_have_attribute("aria-busy", "true")
    assert sent(page, "finishedTurn") == sent(page, "unfinishTurn") == [{"turn": 0}] * 2


@pytest.mark.thorough
def test_every_kind_of_control_sends_one_change_for_a_double_press(server: ServerProcess, page: Page) -> None:
    """A button in a list, of a form, in a dialog, and one that a key presses which is held down.

    What was behind a control that has gone does not take the second press of a double one.
    """
    begin_game(server, "often", "tae", turn=2)
    page.add_init_script(NOTE_WHAT_IS_SENT)
    game = GamePage(page, server).enter("ann", "often")
    game.tab("Messages")
    letters = page.locator("#panel-messages .letter")
    before = letters.count()
    assert before > 1, "the server has written about the turns"
    letters.first.get_by_role("button", name="Remove").dblclick()
    expect(letters).to_have_count(before - 1)
    page.get_by_text("Write to the others").click()
    page.get_by_label("Subject").fill("Twice")
    page.get_by_label("Text", exact=True).fill("Once")
    page.get_by_role("button", name="Send").dblclick()
    expect(page.get_by_label("Subject")).to_have_value("")
    page.locator("#panel-messages").get_by_role("button", name="Blocked players").click()
    talk = page.get_by_role("dialog", name="Blocked players")
    talk.get_by_role("button", name="Block", exact=True).dblclick()
    expect(talk.locator("ul li").first).to_be_visible()
    talk.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Rules and keys").click()
    page.evaluate(PRESS_THROUGH)
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert sent(page, "finishedTurn") == []
    page.get_by_role("button", name="Finish turn").focus()
    for _ in range(6):  # all but the first are repeats
        page.keyboard.down("Enter")
        expect(page.get_by_role("button", name="Change my orders")).to_be_visible()
    page.keyboard.up("Enter")
    counts = {kind: len(sent(page, kind)) for kind in ("removeMessage", "postMessage", "setBlock", "finishedTurn")}
    assert counts == dict.fromkeys(counts, 1)
    assert sent(page, "unfinishTurn") == []


@pytest.mark.thorough
def test_a_double_click_on_more_time_gives_it_once(server: ServerProcess, new_page: Pages) -> None:
    """She asks for it once; as ben plays too, it becomes one proposal."""
    ann, ben = new_page(), new_page()
    ann.add_init_script(NOTE_WHAT_IS_SENT)
    game = GamePage(ann, server).new_game("swarm", "time", "dan")
    ann.get_by_label("A turn ends", exact=True).select_option("when all are done, after a day at the latest")
    ann.get_by_role("button", name="Create game").click()
    GamePage(ben, server).join_empty("ben", "time")
    game.wait_for_map()
    game.tab("Players")
    ann.get_by_role("button", name="Change the clock").click()
    ann.evaluate(PRESS_TWICE, ["clock-give", 60])
    expect(game.notes.first).to_contain_text("You have proposed to give this turn")
    expect(ann.locator("#clock-give")).not_to_have_attribute("aria-busy", "true")
    assert [[one["turn"] for one in sent(ann, kind)] for kind in ("extendTurn", "propose")] == [[0], [0]]
