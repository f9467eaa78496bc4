"""The rules in the page: goal, contents, links, and hostile texts.

Links lead there from pieces and orders.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_objects import GamePage, begin_game, box_of, installed
from playwright.sync_api import Page, WebSocket, expect

from tests.support.server import ServerProcess, preloaded_server

pytestmark = pytest.mark.thorough

Pages = Callable[..., Page]

EXAMPLE = Path(__file__).parents[1] / "rulesets" / "example" / "picnic"

HOSTILE = "\n".join(
    [
        "# Picnic",
        "",
        "Eat <img src=x onerror=alert(1)> more **<u>crumbs</u>** than anybody.",
        "",
        "## Pieces",
        "",
        "### Anthill, <script>alert(2)</script>, __proto__",
        "",
        "<iframe srcdoc=x></iframe> [here](javascript:alert(3)) " + "word" * 9000,
        "",
        "## Orders",
        "",
        "### Send",
        "",
        "- *a" * 3000,
    ]
)


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server with a game of each sort that is looked at here: begun, waiting, and one of Swarm."""
    with preloaded_server() as started:
        begin_game(started, "tae", "tae")
        started.create_game("waiting", "antshouse", 2, seed="7")
        yield started


def asked_for_rules(page: Page) -> list[str]:
    """The requests for rules that the page sends from now on."""
    asked: list[str] = []

    def connected(socket: WebSocket) -> None:
        socket.on("framesent", lambda text: asked.append(str(text)) if '"getRules":' in str(text) else None)

    page.on("websocket", connected)
    return asked


def test_the_rules_are_read_before_login_and_in_the_waiting_room(server: ServerProcess, page: Page) -> None:
    """Each game of the list shows its rules without a login. A waiting player has them at a button."""
    asked = asked_for_rules(page)
    game = GamePage(page, server).open()
    button = page.get_by_role("button", name="Rules of tae", exact=True)
    button.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", level=2)).to_have_text("TaE: Tigris and Euphrates in space")
    expect(dialog.get_by_role("heading", name="Reinforce", exact=True)).to_be_attached()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    expect(dialog.get_by_role("heading", name="Set-up", exact=True)).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    assert len(asked) == 1, "the same rules are asked for once"

    game.join_empty("ann", "waiting")
    expect(page.locator("#goal")).to_contain_text("Bring your ant across the pavement and home again")
    page.get_by_role("button", name="Read the rules").click()
    expect(dialog.get_by_role("heading", level=2)).to_have_text("Antshouse")
    assert len(asked) == 2


def test_the_contents_lead_to_their_paragraphs_and_the_focus_comes_back(server: ServerProcess, page: Page) -> None:
    """`?` opens rules and keys; an entry of the contents goes to its heading; Escape leads back to where one was."""
    game = GamePage(page, server).enter("ann", "tae")
    expect(page.locator("#goal")).to_contain_text("You win if, when the game ends")
    expect(page.locator("#waiting")).to_be_hidden()
    page.locator("#map").focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("table")).to_contain_text("next and previous of my pieces")
    address = page.url
    dialog.get_by_role("navigation", name="Contents").get_by_role("link", name="Attack", exact=True).click()
    heading = dialog.get_by_role("heading", name="Attack", exact=True)
    expect(heading).to_be_focused()
    expect(heading).to_be_in_viewport(ratio=1)
    assert page.url == address
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#map")).to_be_focused()
    game.switch_view()
    expect(page.locator("#view-button")).to_have_text("Normal view")


def test_a_piece_and_an_order_lead_to_what_the_rules_say_of_them(server: ServerProcess, page: Page) -> None:
    """A link with its name at what is chosen, by design or kind, and in the form of an order."""
    game = GamePage(page, server).enter("ann", "tae")
    game.select("Merchant leader")
    page.get_by_role("button", name="Rules: merchant leader").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=re.compile("^Merchant leader, "))).to_be_focused()
    page.keyboard.press("Escape")
    game.begin("Move")
    page.locator("#order-form").get_by_role("button", name="Rules: Move").click()
    expect(dialog.get_by_role("heading", name="Move", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#order-form")).to_be_visible()


def test_on_a_phone_the_rules_fill_the_window_and_can_be_closed_anywhere(
    server: ServerProcess, new_page: Pages
) -> None:
    """The contents are folded, and fold again when they were used; title and Close stay in sight."""
    page = new_page(viewport={"width": 390, "height": 844})
    GamePage(page, server).enter("ann", "tae").press_in_bar("Rules and keys")
    dialog = page.get_by_role("dialog")
    entry = dialog.get_by_role("navigation", name="Contents").get_by_role("link", name="Scoring", exact=True)
    expect(dialog.get_by_role("heading", name="Scoring", exact=True)).to_be_attached()
    expect(entry).to_be_hidden()
    page.get_by_text("Contents", exact=True).click()
    entry.click()
    expect(entry).to_be_hidden()
    expect(dialog.get_by_role("heading", name="Scoring", exact=True)).to_be_in_viewport(ratio=1)
    expect(dialog.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.getElementById('help').scrollTop") == 0
    assert page.evaluate("document.querySelector('.sheet').scrollWidth") <= 390


@pytest.mark.thorough
def test_each_order_has_its_paragraph(server: ServerProcess, page: Page) -> None:
    """All that a player is offered in the first turn leads to a paragraph.

    That each game has the paragraphs is tested with the manuals.
    """
    begin_game(server, "paragraphs", "colony_battle")
    game = GamePage(page, server).enter("ann", "paragraphs")
    expect(page.locator("#goal span")).not_to_be_empty()
    game.tab("Selected")
    names = page.locator(".offer").all_text_contents()
    assert names
    for name in names:
        game.begin(name)
        expect(page.locator("#order-form").get_by_role("button", name=f"Rules: {name}", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(page.locator("#order-form")).to_have_count(0)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerProcess]:
    """A server with a ruleset whose rules for players are not meant well."""
    source = tmp_path / "source" / "picnic"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "PLAY.md").write_text(HOSTILE)
    installed(tmp_path / "site", "picnic", source)
    paths = filter(None, [str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    with preloaded_server() as started:
        started.create_game("out", "picnic", 2, seed="1")
        yield started


def test_hostile_rules_are_text(hostile: ServerProcess, page: Page) -> None:
    """Markup in the rules is shown as it is written, nothing of it is loaded or run, and the tree stays small."""
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    page.on("dialog", lambda dialog: loaded.append(dialog.message))
    GamePage(page, hostile).open()
    page.get_by_role("button", name="Rules of out", exact=True).click()
    rules = page.locator("#rules")
    expect(rules).to_contain_text("Eat <img src=x onerror=alert(1)> more <u>crumbs</u> than anybody.")
    expect(rules).to_contain_text("[here](javascript:alert(3))")
    expect(rules.get_by_role("heading", name="Anthill, <script>alert(2)</script>, __proto__")).to_be_attached()
    assert rules.locator("img, script, iframe, a, u").count() == 0
    assert page.locator("#rules *").count() < 1000
    assert [url for url in loaded if not url.startswith(hostile.url)] == []
    assert box_of(page.locator("#help"))["width"] <= 1280
    assert rules.evaluate("one => one.scrollWidth <= one.clientWidth")
