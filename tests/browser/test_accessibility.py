"""Accessibility of the page: findings of axe-core, and a turn by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from axe import Finding, look, report, script
from page_objects import GamePage, begin_game, bring_to, turn_is
from playwright.sync_api import Locator, Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]

BOARD = "....../A.A.A./....../......"
"""Small, with free systems everywhere; the home systems are below it."""

MERCHANTS = "60,0,0,0"
"""A pool of merchants only, so that every colonist can go to every free system."""

MOST_TABS = 400
"""So many presses of Tab go around the whole page."""


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server: a game after some turns that is only viewed, and one game for each player."""
    with preloaded_server() as started:
        begin_game(started, "looked-at", "tae", turn=4)
        begin_game(started, "begun", "tae")
        started.create_game("waiting", "swarm", 2)
        yield started


@pytest.mark.thorough
@pytest.mark.parametrize(("theme", "width"), [("dark", 360), ("light", 1280)])
def test_axe_finds_nothing_serious(server: ServerProcess, new_page: Pages, theme: str, width: int) -> None:
    """The entrance and every part of a game, in both themes, wide and narrow: nothing serious or critical."""
    axe = script()
    # Where things move they are half transparent for a moment, which no two looks would see alike.
    page = new_page(viewport={"width": width, "height": 800}, color_scheme=theme, reduced_motion="reduce")
    findings: list[Finding] = []

    def see(scene: str) -> None:
        findings.extend(look(page, axe, f"{scene}, {theme}, {width} px"))

    game = GamePage(page, server).open()
    expect(page.locator("#games li")).not_to_have_count(0)
    see("entrance")
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Return to looked-at").click()
    expect(page.locator("#login-problem")).not_to_be_empty()
    see("entrance with a problem")
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("#own-games li")).not_to_have_count(0)
    page.get_by_text("Where you are logged in").click()
    expect(page.locator("#kept-logins li")).not_to_have_count(0)
    see("my games")
    page.get_by_role("button", name="Rules of begun").click()
    expect(page.locator("#rules h3").first).to_be_visible()
    see("rules at the entrance")
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("^(Join|Look) waiting$")).click()
    expect(page.get_by_role("button", name="Read the rules")).to_be_visible()
    page.get_by_text("All options").click()
    see("waiting room")
    game.press_in_bar("Log out")
    game.enter("ann", "begun")
    expect(page.get_by_role("region", name="Your first turn")).to_be_visible()
    see("first turn")
    game.finish()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    see("a question")
    page.keyboard.press("Escape")
    game.press_in_bar("Log out")
    game.enter("ann", "looked-at")
    see("normal view")

    game.tab("Players")
    see("players")
    page.get_by_role("button", name="From turn to turn").click()
    expect(page.locator(".scores-chart")).to_be_visible()
    page.get_by_text("All numbers").click()
    expect(page.locator("#ending-table tbody tr").first).to_be_visible()
    see("how all stood")
    page.keyboard.press("Escape")
    page.locator("#map").focus()
    game.switch_view()
    expect(page.locator(".pie").first).to_be_visible()
    see("resource view")
    game.tab("List")
    expect(page.locator(".places tbody tr").first).to_be_visible()
    see("list of places")
    page.locator("#map").focus()
    game.switch_view()

    game.select("Merchant leader")
    lit = game.wait_for_targets()
    see("a piece and its targets")
    game.click_place(next(place for place in game.places_of(".normal.of-white.bare") if place not in lit))
    expect(game.reason).to_be_visible()
    see("a place that is refused")
    game.click_place(lit[0])
    expect(game.queue).to_have_count(1)
    expect(page.locator("#map .cross")).to_have_count(1)
    see("an order on the map")
    page.locator("#map .cross").click()
    expect(game.queue).to_have_count(0)
    game.begin("Move")
    page.get_by_role("button", name="Pick on map").click()
    expect(page.locator("#pick-note")).to_be_visible()
    see("picking on the map")
    page.get_by_role("button", name="Cancel (Esc)").click()
    game.give()
    expect(page.locator("#parameter-0-problem")).not_to_be_empty()
    see("an order form with a problem")
    page.keyboard.press("Escape")
    game.select("Your hand")
    game.begin("Exchange")
    page.locator("#order-form").get_by_role("checkbox").first.check()
    expect(game.verdict).to_contain_text("The server would accept this")
    see("an order form with a list")
    game.give()
    expect(game.queue).to_have_count(1)
    expect(game.notes).to_contain_text("is given")
    see("a queue and a note")
    game.queue.get_by_role("button", name="Remove").click()
    expect(game.queue).to_have_count(0)

    game.tab("Messages")
    expect(page.locator(".letter").first).to_be_visible()
    page.get_by_text("Write to the others").click()
    expect(page.get_by_label("Subject")).to_be_visible()
    see("messages")
    game.press_in_bar("Rules and keys")
    expect(page.locator("#rules h3").first).to_be_visible()
    see("rules and keys")

    grave = [finding for finding in findings if finding.is_grave]
    print(report(finding for finding in findings if not finding.is_grave))
    assert not grave, report(grave)


@pytest.mark.thorough
def test_axe_finds_nothing_serious_in_the_questions_at_a_target(server: ServerProcess, page: Page) -> None:
    """The choice between orders, the missing values, and the buttons of orders without a target."""
    axe = script()
    begin_game(server, "questions", "taller_ants", turn=2)
    game = GamePage(page, server).enter("ann", "questions")
    game.select("Spider")
    game.wait_for_targets()
    expect(page.locator(".quick button").first).to_be_visible()
    game.click_place(game.lit()["rings"][0])
    expect(game.question).to_be_visible()
    findings = []
    for theme in ("dark", "light"):
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        findings += look(page, axe, f"a question, {theme}")
    grave = [finding for finding in findings if finding.is_grave]
    assert not grave, report(grave)


@pytest.mark.thorough
def test_axe_would_find_it(server: ServerProcess, page: Page) -> None:
    """The look itself: a field that loses its label, and words that are hardly brighter than the page, are found."""
    axe = script()
    GamePage(page, server).open()
    expect(page.locator("#games li")).not_to_have_count(0)
    page.evaluate(
        "document.querySelector('label[for=user]').remove();"
        " document.getElementById('login-title').style.color = getComputedStyle(document.body).backgroundColor;"
    )
    found = {finding.rule: finding for finding in look(page, axe, "spoilt") if finding.is_grave}
    assert found.keys() == {"label", "color-contrast"}
    assert found["label"].places[0].startswith("#user:")


class Keys:
    """A user with a keyboard and a screen reader, and without a mouse."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.add_init_script(
            "window.pointed = 0;"
            "for (const kind of ['pointerdown', 'mousedown', 'touchstart'])"
            " addEventListener(kind, () => window.pointed++, true);"
        )

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        self.page.keyboard.type(words)

    def go_to(self, wanted: Locator) -> None:
        """Press Tab until the focus is there."""
        expect(wanted).to_be_visible()
        for _ in range(MOST_TABS):
            if wanted.evaluate("wanted => wanted === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"{wanted} cannot be reached with Tab")

    def go_over_the_map(self, to: tuple[int, int]) -> None:
        """Press arrow keys until the page names the place under the cursor as "x, y"."""
        told = self.page.locator("#cursor-news")
        for _ in range(MOST_TABS):
            before = told.inner_text()
            at = re.match(r"(\d+), (\d+)\.", before)
            if at is None:  # one of the homes, which are south of everything
                key = "ArrowUp"
            elif (x := int(at[1])) != to[0]:
                key = "ArrowRight" if x < to[0] else "ArrowLeft"
            elif (y := int(at[2])) != to[1]:
                key = "ArrowUp" if y < to[1] else "ArrowDown"
            else:
                return
            self.press(key)
            expect(told).not_to_have_text(before)
        raise AssertionError(f"the arrow keys do not lead to {to}, but to {told.inner_text()!r}")

    def assert_no_mouse(self) -> None:
        assert self.page.evaluate("window.pointed") == 0


@pytest.mark.thorough
def test_a_turn_by_keyboard_alone(server: ServerProcess, new_page: Pages) -> None:
    """Log in, switch the view, select a piece, pick its target, give the order, finish: by Tab, arrows and letters.

    Nothing is focused or clicked by the test: every control is reached as people without a mouse reach it.
    """
    server.create_game("keys", "tae", 2, seed="7", board=BOARD, pool=MERCHANTS)
    bring_to(server, "keys", ("ann", "ben"), turn_is(0))
    page = new_page()
    keys = Keys(page)
    game = GamePage(page, server).open()
    join = page.get_by_role("button", name="Return to keys", exact=True)
    keys.go_to(page.get_by_label("Name", exact=True))
    keys.type("ann")
    keys.press("Tab")
    expect(page.get_by_label("Password", exact=True)).to_be_focused()
    keys.type("secret")
    keys.go_to(join)
    keys.press("Enter")
    game.wait_for_map()

    keys.press("v")
    expect(page.locator("#map")).to_have_class(re.compile("resource-view"))
    expect(page.locator("#status")).to_contain_text("Resource view: how much of what is where.")
    keys.press("v")
    expect(page.locator("#status")).to_contain_text("Normal view: who is where.")

    keys.press("2")  # the tab with the players and their pieces
    keys.go_to(page.locator("#panel-mine .own").get_by_role("button", name="ship").first)
    keys.press("Enter")
    expect(game.object_title()).to_contain_text("ship")
    keys.go_to(page.get_by_role("button", name="Colonize", exact=True))
    keys.press("Enter")
    form = page.locator("#order-form")
    keys.go_to(form.get_by_role("button", name="Pick on map"))
    keys.press("Enter")
    expect(page.locator("#pick-note")).to_contain_text("Colonize, System")
    expect(form.locator(".left-out")).to_be_visible()  # the list was made anew since; the focus is where it was
    expect(form.get_by_role("button", name="Pick on map")).to_be_focused()
    keys.press("m")
    expect(page.locator("#map")).to_be_focused()
    keys.go_over_the_map((3, 3))
    keys.press("Enter")
    expect(page.locator("#pick-note")).to_be_hidden()
    expect(form.get_by_label("System", exact=True).locator("option:checked")).to_have_text("3, 3")
    expect(game.verdict).to_contain_text("The server would accept this")
    keys.go_to(form.get_by_role("button", name="Give the order"))
    keys.press("Enter")
    expect(game.queue).to_contain_text("3, 3")

    finish = page.get_by_role("button", name="Finish turn")
    keys.go_to(finish)
    keys.press("Enter")
    expect(game.awaited).to_have_text("Waiting for ben.")
    keys.assert_no_mouse()


@pytest.mark.thorough
def test_the_keyboard_is_never_caught(server: ServerProcess, new_page: Pages) -> None:
    """Tab goes through a whole game and comes out at its end; each stop is seen, and has a name to be read out."""
    page = new_page()
    game = GamePage(page, server).enter("ann", "looked-at")
    page.reload()  # so that Tab begins at the beginning
    game.wait_for_map()
    seen: list[str] = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        stop = page.evaluate(
            "() => { const at = document.activeElement; if (at === document.body) return null;"
            " const box = at.getBoundingClientRect();"
            " return [at.id || at.className || at.tagName, box.width * box.height,"
            " at.matches(':focus-visible') && getComputedStyle(at).outlineStyle !== 'none']; }"
        )
        if stop is None:
            break
        name, area, is_marked = stop
        assert area > 0, f"{name} has the focus and cannot be seen"
        assert is_marked, f"{name} has the focus and no mark of it"
        seen.append(name)
    else:
        raise AssertionError(f"Tab does not come out of the page: {seen[-20:]}")
    for needed in ("view-button", "finish", "help-button", "map", "zoom-in", "tab-selected"):
        assert needed in seen, f"Tab leaves out {needed}: {seen}"
