"""Orders by pointing at the map: marks, lit targets, questions, refusals.

`test_page_rounds.py` counts the clicks that the orders of each game take. The page knows no game. These tests know a
little of each, to check what the page shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from page_objects import GamePage, begin_game, box_of, bring_to, middle_of
from playwright.sync_api import Locator, Page, WebSocketRoute, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has a game of its own there."""
    with preloaded_server() as started:
        yield started


@pytest.fixture
def page(new_page: Pages) -> Page:
    """One page on which nothing moves by itself."""
    return new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")


def at_play(server: ServerProcess, page: Page, name: str, ruleset: str, turn: int) -> GamePage:
    """A game as ann sees it in that turn."""
    begin_game(server, name, ruleset, turn=turn)
    return GamePage(page, server).enter("ann", name)


def swarm(server: ServerProcess, page: Page, name: str) -> GamePage:
    """A game of Swarm, as the player to move cubes sees it."""
    server.create_game(name, "swarm", 2, seed="7")
    bring_to(server, name, ("ann", "ben"), lambda clock: "moves" in clock.turn_name)
    game = GamePage(page, server).enter("ann", name)
    if not game.is_awaited():
        page.get_by_role("button", name="Log out", exact=True).click()
        game.enter("ben", name)
    game.acting()
    return game


def cubes(game: GamePage) -> list[int]:
    """The squares with movable cubes of the present player."""
    squares = game.page.eval_on_selector_all(".cell.square", "cells => cells.map(cell => Number(cell.dataset.id))")
    return [place for place in game.acting() if place in squares]


def open_cube(game: GamePage) -> list[int]:
    """Choose a cube that has somewhere to go; its targets."""
    game.click_place(cubes(game)[0])
    return game.wait_for_targets()


BEGUN = "addEventListener('animationstart', (event) => (window.begun ??= []).push(event.animationName), true)"


def crosses(page: Page) -> Locator:
    return page.locator("#map .cross")


@pytest.mark.thorough
def test_which_of_several_orders_is_meant_is_asked_at_the_target(server: ServerProcess, page: Page) -> None:
    """Taller-Ants: most squares take many orders of a group; a menu names them, and keys choose there, too."""
    begin_game(server, "menu", "taller_ants", turn=2)
    game = GamePage(page, server).enter("ben", "menu")
    game.select("Black Group")
    before = game.queue.count()
    targets = game.wait_for_targets()
    game.count_clicks()
    far = next(target for target in game.lit()["dots"] if target in targets and game.is_on_shown_board(target))
    game.click_place(far)
    expect(game.question.get_by_role("button", name="Move", exact=True)).to_be_focused()
    expect(game.question.get_by_role("button", name="Look at it")).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(game.question.get_by_role("button", name="Move", exact=True)).not_to_be_focused()
    game.question.get_by_role("button", name="Move", exact=True).click()
    expect(game.notes).to_contain_text("Move is given.")
    assert game.clicks == 2
    expect(game.queue).to_have_count(before + 1)


@pytest.mark.thorough
def test_a_number_that_is_missing_is_asked_at_the_target(server: ServerProcess, page: Page) -> None:
    """A spider attacks a group: what follows is asked there, part after part, in the server's values."""
    begin_game(server, "number", "taller_ants", turn=2)
    game = GamePage(page, server).enter("ann", "number")
    game.select("Spider")
    before = game.queue.count()
    game.wait_for_targets()
    occupied = set(game.lit()["rings"]) - set(game.acting())
    for place in occupied:
        game.click_place(place)
        expect(game.question).to_be_visible()
        attack = game.question.get_by_role("button", name=re.compile("^Attack"))
        if attack.count():
            break
        page.keyboard.press("Escape")
    attack.first.click()
    expect(game.question).to_contain_text("Attack:")
    game.question.get_by_role("button", name=re.compile("Black Group")).first.click()
    expect(game.question).to_contain_text("Attack, Losers")
    game.question.get_by_role("button").first.click()
    expect(game.question).to_contain_text("Attack, Most ants")
    game.question.get_by_role("button", name="0", exact=True).click()
    expect(game.notes).to_contain_text("Attack is given.")
    expect(game.queue).to_have_count(before + 1)


def test_what_can_act_is_marked_and_named(server: ServerProcess, page: Page) -> None:
    """An outline on the map, an entry in the legend, and words in the list; nothing of the other player's."""
    game = swarm(server, page, "marked")
    assert set(game.acting()) <= set(game.places_of(".normal.of-green"))
    assert len(cubes(game)) >= 2
    expect(page.locator("#legend")).to_contain_text("can act now")
    game.tab("Players")
    expect(page.locator("#panel-mine .able").first).to_have_text("can act")
    game.page.locator("#panel-mine .own button").nth(1).click()
    expect(page.locator("#orders .offer")).to_have_text(["Move"])
    page.locator("#orders .offer").click()
    expect(page.get_by_label("Cube", exact=True).locator("option:checked")).not_to_have_text("choose…")


@pytest.mark.thorough
def test_marks_breathe_once_at_the_start_of_a_turn_and_never_for_those_who_want_no_motion(
    server: ServerProcess, new_page: Pages
) -> None:
    """The outline moves by style only, and only where motion is welcome."""
    begin_game(server, "breath", "tae")
    names = {}
    for motion in ("no-preference", "reduce"):
        page = new_page(reduced_motion=motion)
        page.add_init_script(BEGUN)
        game = GamePage(page, server).enter("ann", "breath")
        game.acting()
        if motion == "no-preference":
            page.wait_for_function("() => window.begun?.includes('breathe')")
            expect(page.locator("#map path.acting.breath")).to_have_count(0)
            [hand] = game.acting()
            game.click_piece("crown", hand)
            game.click_place(game.wait_for_targets()[0])
            expect(game.queue).to_have_count(1)
            game.click_piece("fleet", hand)
            game.wait_for_targets()
        names[motion] = page.evaluate("(window.begun ?? []).filter((name) => name === 'breathe').length")
    assert names == {"no-preference": 1, "reduce": 0}


@pytest.mark.thorough
def test_an_illegal_square_says_why_and_nothing_is_lost(server: ServerProcess, page: Page) -> None:
    """The server's own sentence, at the square; the piece stays chosen. A second click there looks at the square."""
    game = swarm(server, page, "why")
    targets = open_cube(game)
    title = game.object_title().inner_text()
    far = next(place for place in game.places_of(".normal.of-white.bare") if place not in targets)
    game.click_place(far)
    expect(game.reason).to_contain_text("not adjacent")
    expect(page.locator("#status")).to_contain_text("not adjacent")
    assert game.object_title().inner_text() == title
    assert set(game.wait_for_targets()) == set(targets)
    expect(game.queue).to_have_count(0)
    game.click_place(far)
    expect(game.object_title()).not_to_have_text(title)
    game.wait_until_dark()


@pytest.mark.thorough
def test_a_queued_step_is_an_arrow_with_a_cross_that_takes_it_back(server: ServerProcess, page: Page) -> None:
    """One click, and the same squares are lit again."""
    game = swarm(server, page, "back")
    targets = open_cube(game)
    game.click_place(targets[0])
    expect(game.queue).to_have_count(1)
    expect(page.locator("#map .lines .path")).to_have_count(1)
    crosses(page).click()
    expect(game.queue).to_have_count(0)
    expect(page.locator("#map .lines .path")).to_have_count(0)
    expect(crosses(page)).to_have_count(0)
    assert set(game.wait_for_targets()) == set(targets)


@pytest.mark.thorough
def test_dragging_a_piece_to_its_target_is_an_order_and_moves_no_map(server: ServerProcess, page: Page) -> None:
    """From the cube to a free square; to a square where it cannot go, the reason."""
    game = swarm(server, page, "drag")
    cube = cubes(game)[0]
    game.click_place(cube)
    targets = game.wait_for_targets()
    world = page.locator("#map .world").first
    before = world.get_attribute("transform")

    def drag(to: int) -> None:
        (x, y), (far_x, far_y) = [middle_of(box_of(page.locator(f'.cell[data-id="{place}"]'))) for place in (cube, to)]
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(far_x, far_y, steps=8)
        expect(page.locator("#map .pull")).not_to_have_attribute("d", "")
        page.mouse.up()

    drag(next(place for place in game.places_of(".normal.of-white.bare") if place not in targets))
    expect(game.reason).to_contain_text("not adjacent")
    drag(targets[0])
    expect(game.queue).to_have_count(1)
    assert world.get_attribute("transform") == before


@pytest.mark.thorough
def test_a_step_by_keys_alone_and_escape_steps_back(server: ServerProcess, page: Page) -> None:
    """Arrows go from square to square; Enter chooses the cube, then the square; Escape puts the targets out."""
    game = swarm(server, page, "keys")
    open_cube(game)
    page.keyboard.press("Escape")
    game.wait_until_dark()
    page.locator("#map").focus()
    page.keyboard.press("Enter")
    targets = game.wait_for_targets()
    for key in ("ArrowUp", "ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        if "Click: Move" in page.locator("#cursor-news").inner_text():
            break
    page.keyboard.press("Enter")
    expect(game.queue).to_have_count(1)
    assert targets


@pytest.mark.thorough
def test_the_form_lists_what_is_legal_and_shows_all_when_asked(server: ServerProcess, page: Page) -> None:
    """A line has the number of omitted values. A button shows all, each with the server's reason."""
    game = at_play(server, page, "form", "tae", 0)
    game.select("Merchant leader")
    lit = game.wait_for_targets()
    game.begin("Move")
    choice = page.get_by_label("System", exact=True)
    expect(page.locator(".left-out")).to_contain_text("left out")
    values = choice.locator("option").evaluate_all("options => options.map(option => Number(option.value))")
    assert set(values) == {0, *lit}
    page.get_by_role("button", name="Show all 178").click()
    expect(page.locator(".left-out")).to_have_count(0)
    rock = page.locator(".cell.t-rock").first.evaluate("cell => cell.dataset.id")
    choice.select_option(rock)
    expect(page.locator("#parameter-0-problem")).to_contain_text("has the wrong ground")


@pytest.mark.thorough
def test_a_server_without_these_requests_is_played_as_before(server: ServerProcess, page: Page) -> None:
    """It answers that there is no such frame: nothing is marked, lit or refused, and the form gives the order."""
    begin_game(server, "older", "tae")
    asked: list[str] = []

    def older(route: WebSocketRoute) -> None:
        upstream = route.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            frame = json.loads(text)
            [kind] = [key for key in frame if key != "sequence"]
            if kind.startswith("getLegal"):
                asked.append(kind)
                frame = {"sequence": frame["sequence"], "getNothingOfThatName": {}}
            upstream.send(json.dumps(frame))

        route.on_message(pass_on)

    page.route_web_socket(re.compile("/ws$"), older)
    game = GamePage(page, server).enter("ann", "older")
    game.select("Merchant leader")
    expect(game.object_title()).to_contain_text("Merchant leader")
    page.locator(".cell").nth(40).click()
    expect(game.object_title()).not_to_contain_text("Merchant leader")
    assert game.lit() == {"dots": [], "rings": []}
    expect(page.locator("#legend")).not_to_contain_text("can act now")
    game.select("Merchant leader")
    game.begin("Move")
    page.locator(".cell.t-rock").first.click()
    expect(page.locator("#parameter-0-problem")).to_contain_text("has the wrong ground")
    expect(page.locator(".left-out")).to_have_count(0)
    assert asked == ["getLegalOrders"]
