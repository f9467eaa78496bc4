"""Whole turns of all games on the page, by clicking.

They cover both views, orders, refusals and a combat. The page knows no game. These tests know a little of each, to
check what the page shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from page_objects import MEETING_BOARD, GamePage, HeldFrames, Meeting, begin_game, bring_to, turn_is
from playwright.sync_api import Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]

GAMES = {
    # ruleset: (boards, star systems, turn to look at, a picture of a piece, a resource of the legend)
    "antshouse": (1, 66, 6, '.piece use[href="#p-ant"]', "Pine cones"),
    "colony_battle": (3, 665, 8, '.piece use[href="#p-segment"]', "Squares of web"),
    "swarm": (1, 38, 6, ".piece .symbol path", "Red cubes"),
    "tae": (1, 178, 4, '.piece use[href="#p-bomber"]', "Uninhabitable planets"),
    "taller_ants": (2, 394, 6, '.piece use[href="#p-ant"]', "Squares of fungus"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has a game of its own there."""
    with preloaded_server() as started:
        yield started


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", GAMES)
def test_both_views_of_each_game(ruleset: str, server: ServerProcess, page: Page) -> None:
    """All boards and star systems are drawn, and pieces with their pictures.

    A tick shows the dots of the old clients. `v` and the button switch to pies and back.
    """
    boards, systems, turn, piece, resource = GAMES[ruleset]
    begin_game(server, ruleset, ruleset, turn=turn)
    game = GamePage(page, server).enter("ann", ruleset)
    expect(page.locator(".plan")).to_have_count(boards)
    expect(page.locator(".cell")).to_have_count(systems)
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(piece).first).to_be_visible()
    expect(page.locator("#legend")).to_contain_text("ann (you)")
    expect(page.locator(".dot:visible")).to_have_count(0)
    page.get_by_label("as old clients").check()
    expect(page.locator(".dot.d-green").first).to_be_visible()
    expect(page.locator(".dot.d-red").first).to_be_visible()
    expect(page.locator("#legend")).to_contain_text("yours and others'")
    page.get_by_label("as old clients").uncheck()

    page.locator("#map").focus()
    game.switch_view()
    expect(page.locator(".pie").first).to_be_visible()
    expect(page.locator(".normal").first).to_be_hidden()
    expect(page.locator("#legend").get_by_text(resource, exact=True)).to_be_visible()
    sizes = page.eval_on_selector_all(".pie", "pies => pies.map(pie => Number(pie.dataset.diameter))")
    assert min(sizes) >= 10
    page.get_by_role("button", name="Normal view").click()
    expect(page.locator(".pie").first).to_be_hidden()
    expect(page.locator(".piece").first).to_be_visible()


@pytest.mark.thorough
def test_how_all_stand_is_shown(server: ServerProcess, page: Page) -> None:
    """Regions appear on the board, and scores and actions of the turn with the players.

    Scores and actions change with an order. A game's declared colours are those of its players everywhere.
    """
    begin_game(server, "standing", "tae")
    game = GamePage(page, server).enter("ann", "standing")
    expect(page.locator(".region.pl-none path.tint").first).to_be_attached()
    game.tab("Players")
    mine = page.locator("#panel-mine .players li").first
    expect(mine).to_contain_text("Money 0")
    expect(mine).to_contain_text("Actions 0 of 2 used")
    expect(page.locator("#panel-mine .players li").nth(1)).not_to_contain_text("Money")
    game.select("Your hand")
    page.locator(".quick button").first.click()
    game.tab("Players")
    expect(mine).to_contain_text("Actions 1 of 2 used")

    begin_game(server, "red", "swarm")
    page.get_by_role("button", name="Log out", exact=True).click()
    game.enter("ann", "red")
    for mark in ("#legend .plate", "#map .piece.pl-0 .plate"):
        expect(page.locator(mark).first).to_have_css("fill", "rgb(200, 54, 43)")


@pytest.mark.thorough
def test_ticked_resources_filter_the_slices_only(server: ServerProcess, page: Page) -> None:
    """A pie keeps its diameter when a resource is ticked off, and loses that slice; the tooltip keeps all amounts."""
    begin_game(server, "ticks", "tae", turn=2)
    game = GamePage(page, server).enter("ann", "ticks")
    game.switch_view()
    both = page.locator(".pie").filter(has=page.locator("path.slice")).first
    before = both.get_attribute("data-diameter")
    identifier = both.evaluate("pie => Number(pie.dataset.id)")
    pie = page.locator(f'.pie[data-id="{identifier}"]')
    assert pie.locator("path.slice").count() == 2
    page.get_by_label("Alien artifacts").uncheck()
    expect(pie.locator("path.slice")).to_have_count(0)
    expect(pie.locator("circle.slice")).to_have_count(1)
    assert pie.get_attribute("data-diameter") == before
    page.locator(f'.cell[data-id="{identifier}"]').hover()
    expect(page.locator("#tip")).to_contain_text("1 alien artifact")
    expect(page.locator("#tip")).to_contain_text("Total: 2")


@pytest.mark.thorough
def test_an_order_by_clicking_is_probed_given_moved_and_removed(server: ServerProcess, page: Page) -> None:
    """Select a piece, begin an order, click its target, see the server's opinion, give it; then the queue's tools."""
    begin_game(server, "clicks", "taller_ants", turn=2)
    game = GamePage(page, server).enter("ben", "clicks")
    game.select("Black Group")
    expect(game.object_title()).to_contain_text("Black Group")
    before = game.queue.count()
    game.begin("Move")
    expect(page.locator("#pick-note")).to_contain_text("Move, Square: click on the map")
    hole = page.locator(".normal .ground.c-hole").last.evaluate("mark => Number(mark.closest('[data-id]').dataset.id)")
    game.click_place(hole)
    expect(page.locator("#pick-note")).to_be_hidden()
    expect(page.get_by_label("Square", exact=True)).to_have_value(str(hole))
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.notes).to_contain_text("Move is given.")
    expect(game.queue).to_have_count(before + 1)
    expect(page.locator("#order-form")).to_have_count(0)

    game.begin("Wait")
    game.give()
    expect(game.notes).to_contain_text("Wait is given.")
    expect(game.queue).to_have_count(before + 2)
    expect(game.queue.nth(before)).to_contain_text("Move")
    game.queue.nth(before + 1).get_by_role("button", name="Earlier").click()
    expect(game.queue.nth(before)).to_contain_text("Wait")
    game.queue.nth(before).get_by_role("button", name="Remove").click()
    expect(game.queue).to_have_count(before + 1)
    expect(page.locator(".path").first).to_be_attached()

    game.queue.last.get_by_role("button", name="Change").click()
    where = page.get_by_label("Square", exact=True)
    expect(where).to_have_value(str(hole))
    where.select_option(label="Below 6,11")
    game.give()
    expect(game.notes).to_contain_text("Move is changed.")
    expect(game.queue.last).to_contain_text("Below 6,11")
    expect(game.queue).to_have_count(before + 1)


@pytest.mark.thorough
def test_a_click_in_the_queue_is_refused_if_another_order_has_taken_the_slot(server: ServerProcess, page: Page) -> None:
    """The server inserts an order before the one whose button is pressed; neither is removed."""
    orders = HeldFrames(page, "order", is_holding=False)
    begin_game(server, "slots", "taller_ants", turn=2)
    game = GamePage(page, server).enter("ben", "slots")
    game.select("Black Group")
    game.begin("Move")
    hole = page.locator(".normal .ground.c-hole").last.evaluate("mark => Number(mark.closest('[data-id]').dataset.id)")
    game.click_place(hole)
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.notes).to_contain_text("Move is given.")
    game.notes.get_by_role("button").click()  # two notes would cover the queue
    game.begin("Wait")
    page.get_by_label("Where in the queue").select_option(value="0")
    expect(game.verdict).to_contain_text("The server would accept this")
    orders.is_holding = True
    game.give()
    move = game.queue.filter(has_text="Move")
    move.get_by_role("button", name="Remove").hover()
    page.mouse.down()
    orders.release()
    expect(game.notes).to_contain_text("Wait is given.")
    page.mouse.up()
    expect(game.notes).to_contain_text("The orders have changed since.")
    expect(game.queue).to_have_count(2)


@pytest.mark.thorough
def test_a_click_in_the_queue_counts_though_the_queue_is_drawn_again_under_it(
    server: ServerProcess, page: Page
) -> None:
    """The legal orders arrive between the press of a button and its release."""
    legal = HeldFrames(page, "legalOrders")
    begin_game(server, "pressed", "taller_ants", turn=2)
    game = GamePage(page, server).enter("ben", "pressed")
    game.select("Black Group")
    game.begin("Wait")
    game.give()
    expect(game.notes).to_contain_text("Wait is given.")
    game.queue.get_by_role("button", name="Remove").hover()
    page.mouse.down()
    legal.release()
    expect(page.locator("#map path.acting")).not_to_have_attribute("data-ids", "")
    page.mouse.up()
    expect(game.queue).to_have_count(0)


@pytest.mark.thorough
def test_a_refused_order_is_shown_at_its_parameter_and_nothing_is_lost(server: ServerProcess, page: Page) -> None:
    """The probe's refusal stands in words beside what is at fault, before and after sending; the form stays."""
    begin_game(server, "refused", "tae")
    game = GamePage(page, server).enter("ann", "refused")
    rock = page.locator(".cell.t-rock").first.evaluate("cell => Number(cell.dataset.id)")
    game.select("Merchant leader")
    game.begin("Move")
    game.give()
    problem = page.locator("#parameter-0-problem")
    expect(problem).to_contain_text("System is missing")
    page.get_by_role("button", name="Pick on map").click()
    game.click_place(rock)
    expect(game.reason).to_contain_text("has the wrong ground")
    expect(page.locator("#pick-note")).to_contain_text("Choose another place.")
    page.get_by_role("button", name="Cancel (Esc)").click()
    page.get_by_role("button", name="Show all 178").click()
    page.get_by_label("System", exact=True).select_option(str(rock))
    expect(game.verdict).to_have_class(re.compile("bad"))
    expect(problem).to_contain_text("has the wrong ground")
    game.give()
    expect(game.verdict).to_have_text("Not yet: see System.")
    expect(problem).to_contain_text("has the wrong ground")
    expect(page.get_by_label("System", exact=True)).to_have_value(str(rock))
    expect(game.queue).to_have_count(0)


@pytest.mark.thorough
def test_an_order_that_is_changed_keeps_what_was_chosen_in_its_lists(server: ServerProcess, page: Page) -> None:
    """An Exchange offers the ships that it has taken itself, by name; one more is chosen, none is lost."""
    begin_game(server, "exchange", "tae")
    game = GamePage(page, server).enter("ann", "exchange")
    game.select("Your hand")
    game.begin("Exchange")
    ships = page.get_by_role("group", name="Colonist ships").get_by_role("checkbox")
    offered = page.get_by_role("group", name="Colonist ships").inner_text()
    for number in (0, 1):
        ships.nth(number).check()
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.notes).to_contain_text("Exchange is given.")
    game.queue.last.get_by_title("Change", exact=True).click()
    for number, chosen in enumerate((True, True, False)):
        expect(ships.nth(number)).to_be_checked(checked=chosen)
    ships.nth(2).check()
    expect(game.verdict).to_contain_text("The server would accept this")
    assert page.get_by_role("group", name="Colonist ships").inner_text() == offered
    game.give()
    expect(game.notes).to_contain_text("Exchange is changed.")
    expect(game.queue).to_have_count(1)
    game.queue.last.get_by_title("Change", exact=True).click()
    for number in range(3):
        expect(ships.nth(number)).to_be_checked()


@pytest.mark.thorough
def test_a_list_takes_what_the_server_offers_and_learns_that_it_takes_one(server: ServerProcess, page: Page) -> None:
    """The choices of a list come from a probe; a second choice replaces the first where the server takes one only."""
    begin_game(server, "choices", "antshouse", turn=3)
    game = GamePage(page, server).enter("ann", "choices")
    if not page.locator(".offer").get_by_text("Go", exact=True).count():
        game.select("Ant of ann")
    game.begin("Go")
    form = page.locator("#order-form")
    directions = form.get_by_role("group", name="direction").get_by_role("checkbox")
    assert directions.count() >= 3
    form.get_by_role("group", name="gesture").get_by_role("checkbox").first.check()
    directions.nth(0).check()
    expect(game.verdict).to_contain_text("The server would accept this")
    directions.nth(1).check()
    expect(directions.nth(0)).not_to_be_checked()
    expect(directions.nth(1)).to_be_checked()
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.notes).to_contain_text("Go is given.")


@pytest.mark.thorough
def test_a_combat_with_reinforcements_from_two_pages(server: ServerProcess, new_page: Pages) -> None:
    """TaE: where leaders meet, both sides send reinforcements in secret from their pages, and both hear the outcome."""
    server.create_game("combat", "tae", 2, seed="7", board=MEETING_BOARD)
    name = bring_to(server, "combat", ("ann", "ben"), lambda clock: "combat" in clock.turn_name.lower(), inner=Meeting)
    sides = [GamePage(new_page(), server).enter(user, "combat") for user in ("ann", "ben")]
    given = 0
    for side in sides:
        expect(side.turn).to_contain_text(name)
        expect(side.awaited).to_contain_text("Your move")
        side.tab("Players")
        own = side.page.locator("#panel-mine .own").get_by_role("button").filter(has_text="Reinforce")
        if own.count():
            own.first.click()
            side.begin("Reinforce")
            expect(side.verdict).to_contain_text("The server would accept this")
            side.give()
            expect(side.queue).to_have_count(1)
            given += 1
    assert given, "nobody has anything to send"
    for side in sides:
        side.finish()
    for side in sides:
        expect(side.turn).not_to_contain_text(name)
        side.tab("Messages")
        expect(side.page.locator("#panel-messages")).to_contain_text(re.compile("combat", re.IGNORECASE))


@pytest.mark.thorough
def test_no_two_numbers_of_one_turn_are_shown(server: ServerProcess, new_page: Pages) -> None:
    """A game that numbers its turns by its own rules is not contradicted by the server's count."""
    server.create_game("numbers", "tae", 2, seed="7")
    ann, ben = GamePage(new_page(), server), GamePage(new_page(), server)
    ann.join_empty("ann", "numbers")
    ben.enter("ben", "numbers")
    ann.wait_for_map()
    expect(ann.turn).to_contain_text("Turn 1: ")
    ann.tab("Messages")
    expect(ann.page.locator("#panel-messages h3")).to_have_count(1)
    assert shown_turns(ann) == {"1"}
    first = ann.turn.inner_text()
    for one in (ann, ben):
        one.finish()
        one.finish_all_the_same()
    expect(ann.turn).not_to_have_text(first)
    expect(ann.news).to_contain_text("Turn complete")
    expect(ann.page.locator("#panel-messages h3")).to_have_count(2)
    current = ann.turn.inner_text()
    assert shown_turns(ann) == set(re.findall(r"Turn (\d+)", first + current))
    expect(ann.news.locator(".hint").first).to_have_text(current)


def shown_turns(game: GamePage) -> set[str]:
    """All numbers that the page calls that of a turn."""
    texts = game.page.locator("#turn, #news .hint, #panel-messages h3").all_text_contents()
    return set(re.findall(r"turn (\d+)", " ".join([*texts, game.page.title()]), re.IGNORECASE))


@pytest.mark.thorough
def test_the_list_of_players_and_pieces_keeps_the_focus_and_what_is_pressed(
    server: ServerProcess, new_page: Pages
) -> None:
    """Others do something just as a button of it is reached by keys, or held down by the mouse."""
    begin_game(server, "lists", "tae")
    ann, ben = GamePage(new_page(), server), GamePage(new_page(), server)
    ann.enter("ann", "lists"), ben.enter("ben", "lists")
    ben.tab("Players")
    others = ben.page.locator("#panel-mine .players li").filter(has_text="ann")
    piece = ben.page.locator("#panel-mine .own button").nth(1)
    expect(others).to_contain_text("awaited")
    piece.focus()
    ann.finish()
    ann.finish_all_the_same()
    expect(others).not_to_contain_text("awaited")
    expect(piece).to_be_focused()
    piece.hover()
    ben.page.mouse.down()
    ann.page.get_by_role("button", name="Change my orders").click()
    expect(others).to_contain_text("awaited")
    ben.page.mouse.up()
    expect(ben.page.get_by_role("tab", name="Selected")).to_have_attribute("aria-selected", "true")


def test_finishing_a_turn_tells_both_what_happened(server: ServerProcess, new_page: Pages) -> None:
    """A finished player sees the name of the awaited one, and can take the turn back, also after a reload.

    Then a turn begins, and a line says what happened. The text about the last turn is gone.
    """
    server.create_game("turns", "tae", 2, seed="7")
    ann, ben = GamePage(new_page(), server), GamePage(new_page(), server)
    ann.join_empty("ann", "turns")
    ben.enter("ben", "turns")
    ann.wait_for_map()
    first = ann.turn.inner_text()
    ann.finish()
    ann.finish_all_the_same()
    expect(ann.notes).to_contain_text("done with this turn")
    expect(ann.awaited).to_have_text("Waiting for ben.")
    ann.page.reload()
    ann.page.get_by_role("button", name="Change my orders").click()
    expect(ann.awaited).to_have_text("Your move. ben is planning, too.")
    ann.finish()
    ann.finish_all_the_same()
    expect(ann.awaited).to_have_text("Waiting for ben.")
    expect(ben.awaited).to_have_text("Your move.")
    ben.page.keyboard.press("f")
    expect(ben.page.locator("#finish")).to_be_focused()
    ben.page.keyboard.press("Enter")
    ben.finish_all_the_same()
    for one in (ann, ben):
        expect(one.turn).not_to_have_text(first)
        expect(one.news).to_contain_text("Turn complete Your Current Score: Money")
        # Not waited for: it would go by itself some seconds later.
        assert one.page.locator(".toast").filter(has_text="done with this turn").count() == 0
        expect(one.page.locator("#unread")).to_be_visible()
    ann.tab("Messages")
    expect(ann.page.locator(".letter").first).to_be_visible()
    expect(ann.page.locator("#unread")).to_be_hidden()


@pytest.mark.thorough
def test_letters_between_players_are_text(server: ServerProcess, new_page: Pages) -> None:
    """A message arrives as it was written. Markup in it, and in names, stays text."""
    server.create_game("letters", "swarm", 2, seed="7")
    evil = "<img src onerror>"
    bring_to(server, "letters", ("ann", evil), turn_is(2))
    ann, ben = GamePage(new_page(), server).enter("ann", "letters"), GamePage(new_page(), server).enter(evil, "letters")
    ben.tab("Messages")
    ben.page.get_by_text("Write to the others").click()
    ben.page.get_by_label("To", exact=True).select_option(label="ann")
    ben.page.get_by_label("Subject").fill("<b>Peace</b>?")
    ben.page.get_by_label("Text").fill("<script>alert(1)</script>")
    ben.page.get_by_role("button", name="Send").click()
    expect(ben.notes).to_contain_text("The message is sent.")
    ann.tab("Messages")
    letter = ann.page.locator(".letter").filter(has_text="<b>Peace</b>?")
    ann.page.reload()  # a letter between turns is found at the latest when the page looks again
    ann.wait_for_map()
    ann.tab("Messages")
    expect(letter).to_contain_text("<script>alert(1)</script>")
    expect(letter).to_contain_text(evil)
    letter.get_by_role("button", name="Reply").click()
    expect(ann.page.get_by_label("Subject")).to_have_value("Re: <b>Peace</b>?")
    ann.page.get_by_label("To", exact=True).select_option(label="Everybody")
    ann.page.get_by_label("Subject").fill("To all of you")
    ann.page.get_by_label("Text").fill("Well played")
    ann.page.get_by_role("button", name="Send").click()
    expect(ann.page.locator(".letter").first).to_contain_text("you to everybody")
    expect(ben.page.locator(".letter").filter(has_text="ann to everybody")).to_have_count(1, timeout=60_000)
    letter.get_by_role("button", name="Remove").click()
    expect(letter).to_have_count(0)
    ann.tab("Players")
    expect(ann.page.locator("#panel-mine .players")).to_contain_text(evil)
    assert ann.page.locator("img, #side b b, #side script").count() == 0


RECORDED = """
window.heard = [];
const parameter = () => ({ setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} });
window.AudioContext = class {
  currentTime = 0;
  destination = null;
  resume = async () => {};
  createGain = () => ({ gain: parameter(), connect() {} });
  createOscillator() {
    const frequency = parameter();
    return { frequency, connect: (next) => next, start: () => window.heard.push(frequency.value), stop() {} };
  }
};
"""
"""Keeps the frequencies of what would sound."""


@pytest.mark.thorough
def test_a_game_that_ends_while_one_looks_shows_the_final_table(server: ServerProcess, new_page: Pages) -> None:
    """Places and a chart appear by themselves, and the turn can no longer be finished.

    The chart, its turning points and the table behind it lead to all turns.
    """
    server.create_game("ending", "swarm", 2, seed="7", max_rounds=10)
    ann = GamePage(new_page(), server)
    ann.page.add_init_script(RECORDED)
    ann.join_empty("ann", "ending")
    ann.page.keyboard.press("?")
    ann.page.get_by_label("When it is my turn, in a fight, and at the end").check()
    ann.page.keyboard.press("Escape")
    assert ann.page.evaluate("window.heard") == [659, 880]  # how it sounds when it is my turn
    bring_to(server, "ending", ("ben", "ann"), lambda clock: False, seed="3")
    dialog = ann.page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile("game over", re.IGNORECASE))
    expect(dialog).to_contain_text(re.compile("(Red|Blue) wins"))
    assert ann.page.evaluate("window.heard.slice(-3)") == [523, 659, 784]
    expect(dialog).to_contain_text("Cubes on the board: Red")
    dialog.get_by_text("What happened last").click()
    expect(dialog).to_contain_text(re.compile("What happened last.* moves: ", re.DOTALL | re.IGNORECASE))
    expect(dialog.locator("#ending-places tbody tr")).to_have_count(2)
    expect(dialog.locator("#ending-places thead")).to_have_text("PlacePlayerCubesCaptures")
    chart = dialog.get_by_role("img", name="Cubes by turn")
    expect(chart.locator(".score-line")).to_have_count(2)
    dialog.get_by_text("All numbers").click()
    expect(dialog.locator("#ending-table tbody tr").first).to_contain_text("66")  # six cubes each
    expect(dialog.locator("#ending-turning li")).not_to_have_count(0)
    chart.click(position={"x": 60, "y": 60})
    banner = ann.page.locator("#past-banner")
    expect(banner).to_contain_text("Round 1")
    expect(ann.page.locator("#history-turn")).to_be_focused()
    ann.page.keyboard.press("Escape")
    ann.tab("Players")
    ann.page.get_by_role("button", name="How it ended").click()
    dialog.get_by_role("button", name="Look at the game").click()
    expect(ann.awaited).to_have_text("The game is over.")
    expect(ann.page.locator("#finish")).to_be_disabled()
    expect(banner).to_contain_text("Game over: ")
    expect(banner).to_contain_text("as all players together saw it.")
    ann.page.keyboard.press("Home")  # on the slider, where the player is by then
    expect(banner).to_contain_text("Round 1")


IS_FRAMED = """() => {
  const middle = (one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    return [(left + right) / 2, (top + bottom) / 2];
  };
  const where = [...document.querySelectorAll("#object .way button")].at(-1).dataset.object;
  const [x, y] = middle(document.querySelector(".ring.selected"));
  const [placeX, placeY] = middle(document.querySelector(`.cell[data-id="${where}"]`));
  return Math.hypot(x - placeX, y - placeY) < 3;
}"""


@pytest.mark.thorough
def test_the_frame_goes_with_the_selected_piece(server: ServerProcess, page: Page) -> None:
    """After a piece has moved the frame is around the place where it is now."""
    begin_game(server, "frame", "antshouse", turn=3)
    game = GamePage(page, server).enter("ann", "frame")
    game.select("Ant of ann")
    where = page.locator("#object .way button").last
    before = where.inner_text()
    bring_to(server, "frame", ("ann", "ben"), turn_is(6))
    expect(where).not_to_have_text(before)
    page.wait_for_function(IS_FRAMED)
