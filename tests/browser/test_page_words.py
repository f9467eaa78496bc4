"""Plain words on the page instead of names of the protocol.

Players who ask for the names still see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from page_objects import GamePage, begin_game
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server
from tprules import api

GAMES = ["tae", "colony_battle", "antshouse", "swarm", "taller_ants"]
MOST_OFFERS = 4


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has a game of its own there."""
    with preloaded_server() as started:
        yield started


def wire_names(rules: api.Ruleset[Any]) -> set[str]:
    """Return the names in the protocol that no text for people may contain.

    These are names of orders, of several words, or like names of classes. Money, Technology, People and Raw Materials
    are also names of TaE's points, so they may appear.
    """
    named = [(kind.title, kind.look.words) for kind in rules.kinds.values()]
    named += [(design.name, design.look.words) for design in rules.catalogue.designs]
    named += [(one.name, one.look.words) for one in rules.resources]
    named += [(one.plural, one.look.each) for one in rules.resources]
    named += [(kind.name, kind.words.name) for kind in rules.orders if kind.words]
    named += [(name, words) for kind in rules.orders if kind.words for name, words in kind.words.params.items()]
    usual = {words.lower() for _, words in named} | {"raw materials"}
    orders = {kind.name for kind in rules.orders}
    told = {name for name, _ in named if name in orders or re.search("[a-z][A-Z]| ", name)}
    words = " ".join(usual)  # "Lay" is no other word than "Lay eggs"
    return {"Human", "Colonist Fleet"} | {
        name for name in told if not re.search(rf"\b{re.escape(name.lower())}\b", words)
    }


def shown(page: Page) -> Iterator[str]:
    """The text and hints on the page now, without turn reports, which are the game's own texts."""
    yield from page.locator(
        "#panel-selected, #panel-mine, #panel-list, #guide, #legend, #notes, .popup"
    ).all_inner_texts()
    for attribute in ("title", "aria-label"):
        yield from page.locator(f"#game [{attribute}]").evaluate_all(
            "(all, name) => all.map((one) => one.getAttribute(name))", attribute
        )


def told(game: GamePage) -> str:
    """All that is read while two pieces are looked at, and their orders begun."""
    page, found = game.page, []
    for place in {game.acting()[0], game.acting()[-1]}:
        page.locator(f'.cell[data-id="{place}"]').click()
        expect(game.object_title()).to_be_visible()
        found += shown(page)
        for at in range(min(MOST_OFFERS, page.locator(".offer").count())):
            page.locator(".offer").nth(at).click()
            form = page.locator("#order-form")
            if form.count():
                expect(form).to_be_visible()
            found += shown(page)
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
    game.tab("Players")
    found += shown(page)
    game.tab("List")
    found += shown(page)
    game.switch_view()
    found += shown(page)
    return "\n".join(found)


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", GAMES)
def test_no_name_of_the_protocol_is_shown_that_has_words(page: Page, server: ServerProcess, ruleset: str) -> None:
    """Wherever it stands: in lists, on buttons, in forms, in hints, and in what is read aloud."""
    rules = import_module(f"tprules.{ruleset}").RULESET
    game = GamePage(page, server).enter("ann", begin_game(server, f"words-{ruleset}", ruleset, 2))
    text = told(game)
    found = {name for name in wire_names(rules) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}
    assert found == set()
    assert any(kind.words.name in text for kind in rules.orders if kind.words)


@pytest.mark.thorough
def test_an_order_is_told_by_its_sentence_and_names_are_there_for_who_wants_them(
    page: Page, server: ServerProcess
) -> None:
    """On the button, in the form, in the queue; the box for old clients brings the names of the protocol back."""
    game = GamePage(page, server).enter("ann", begin_game(server, "words-old", "tae"))
    page.locator("#guide .chip", has_text="Mining leader").click()
    expect(game.object_title()).to_contain_text("Mining leader")
    page.locator(".offer", has_text="Move").click()
    form = page.locator("#order-form")
    form.get_by_label("System").select_option("8, 5")
    form.get_by_role("button", name="Give the order").click()
    expect(page.locator(".queue .words")).to_have_text("Move to 8, 5")
    page.locator("#as-old").check()
    expect(game.object_title()).to_contain_text("Mining Leader")
    expect(page.locator(".queue .words")).to_have_text("Move: Star System: 8, 5")
    page.locator("#as-old").uncheck()
    expect(page.locator(".queue .words")).to_have_text("Move to 8, 5")


@pytest.mark.thorough
def test_games_are_listed_by_the_titles_of_their_rulesets(page: Page, server: ServerProcess) -> None:
    """Before login and at home."""
    begin_game(server, "titled", "colony_battle")
    game = GamePage(page, server).open()
    entry = page.locator("#games li", has=page.get_by_role("heading", name="titled", exact=True))
    expect(entry.locator(".ruleset")).to_have_text("Colony Battle")
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    mine = page.locator("#own-games li", has=page.get_by_role("heading", name="titled", exact=True))
    if mine.count():
        expect(mine.locator(".ruleset")).to_have_text("Colony Battle")
