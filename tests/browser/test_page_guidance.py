"""Guidance on the page: the first-turn card, confirmations, choices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_objects import GamePage, HeldFrames, begin_game, box_of, bring_to, looking_soon, middle_of, turn_is
from playwright.sync_api import Locator, Page, expect

from tests.support.server import ServerProcess, preloaded_server

Pages = Callable[..., Page]

NOTHING = "You have given no orders this turn. Finish anyway?"

FIRST_TURNS = {
    # ruleset: (who is awaited first with this seed, one that can act, an order with what it asks for)
    "antshouse": ("ann", "ann's Kid", "Enter (Square)"),
    "colony_battle": ("ben", "ben's Colony", "Spawn ("),
    "swarm": ("ann", "Red Swarm", "Move (Cube, Tile)"),
    "tae": ("ann", "Merchant leader", "Exchange (Colonist ships)"),
    "taller_ants": ("ann", "ann's Brood", "Place spider (Square)"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """One server for all; every test has a game of its own there."""
    with preloaded_server() as started:
        yield started


@pytest.fixture
def swarm(server: ServerProcess, request: pytest.FixtureRequest) -> str:
    """The name of a game of Swarm of this test's own in its first turn, in which ann is awaited."""
    return begin_game(server, f"swarm-{request.session.items.index(request.node)}", "swarm")


def card(game: GamePage) -> Locator:
    return game.page.get_by_role("region", name="Your first turn")


def step(game: GamePage) -> Locator:
    """The next step that the card recommends."""
    return card(game).locator("[aria-current=step]")


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", FIRST_TURNS)
def test_the_first_turn_of_each_game_is_guided(server: ServerProcess, page: Page, ruleset: str) -> None:
    """Goal, active pieces, their orders, and the effect of Finish, all in the game's words."""
    user, actor, order = FIRST_TURNS[ruleset]
    game = GamePage(page, server).enter(user, begin_game(server, f"first-{ruleset}", ruleset))
    expect(page.locator("#goal span")).not_to_be_empty()
    expect(card(game)).to_contain_text(page.locator("#goal span").inner_text())
    expect(card(game)).to_contain_text("Your move.")
    expect(card(game)).to_contain_text(order)
    all_at_once = ruleset in ("antshouse", "tae", "taller_ants")
    expect(card(game)).to_contain_text("The turn ends when ben has finished" if all_at_once else "ends at once")
    expect(page.locator("#guide-news")).to_contain_text("A card before the details explains it.")
    card(game).get_by_role("button", name=actor, exact=True).click()
    expect(game.object_title()).to_contain_text(actor)
    expect(step(game)).to_contain_text("Choose an order")
    card(game).get_by_role("button", name="Go to the orders").click()
    expect(page.locator(".offer").first).to_be_focused()


@pytest.mark.thorough
def test_a_click_in_the_guide_counts_though_the_guide_is_drawn_again_under_it(
    server: ServerProcess, page: Page
) -> None:
    """The rules of the game arrive between the press of a button and its release."""
    rules = HeldFrames(page, "rules")
    game = GamePage(page, server).enter("ann", begin_game(server, "pressed", "tae"))
    chip = page.locator("#guide .chip", has_text="Mining leader")
    page.mouse.move(*middle_of(box_of(chip)))
    page.mouse.down()
    rules.release()
    expect(page.locator("#guide > .hint")).to_be_visible()
    page.mouse.up()
    expect(game.object_title()).to_contain_text("Mining leader")


@pytest.mark.thorough
def test_who_is_not_awaited_is_not_guided_yet(server: ServerProcess, swarm: str, new_page: Pages) -> None:
    """The second player's first turn is that in which the second player is awaited; the first one's is over then."""
    ann, ben = (GamePage(new_page(), server).enter(user, swarm) for user in ("ann", "ben"))
    expect(ben.awaited).to_have_text("Waiting for ann.")
    expect(card(ben)).to_have_count(0)
    expect(card(ann)).to_be_visible()
    ann.finish()
    ann.finish_all_the_same()
    expect(card(ben)).to_contain_text("Blue Swarm")
    expect(card(ann)).to_have_count(0)
    # The clock tells of a turn before its position is there, and a question is closed when that comes.
    expect(ben.page.locator("#map path.acting")).not_to_have_attribute("data-ids", "")
    ben.finish()
    ben.finish_all_the_same()
    expect(ben.awaited).not_to_have_text("Your move.")
    expect(card(ben)).to_have_count(0)


@pytest.mark.thorough
def test_the_guide_goes_on_with_the_turn_and_is_closed_for_good(server: ServerProcess, swarm: str, page: Page) -> None:
    """After an order it points at Finish. Once closed, it stays closed after a reload, but another game has it."""
    game = GamePage(page, server).enter("ann", swarm)
    give_a_step(game)
    expect(step(game)).to_contain_text("Press Finish turn")
    expect(card(game)).to_contain_text("1 order given.")
    game.queue.get_by_role("button", name="Remove").click()
    expect(game.queue).to_have_count(0)
    page.get_by_role("button", name="Close this guide").click()
    expect(card(game)).to_have_count(0)
    page.reload()
    game.wait_for_map()
    expect(page.locator("#goal span")).not_to_be_empty()
    expect(card(game)).to_have_count(0)
    page.get_by_role("button", name="Log out", exact=True).click()
    game.enter("ann", begin_game(server, f"{swarm}-again", "swarm"))
    expect(card(game)).to_be_visible()


def give_a_step(game: GamePage) -> None:
    """A step of a cube by one square."""
    game.begin("Move")
    game.page.keyboard.press("Escape")
    form = game.page.locator("#order-form")
    form.get_by_label("Cube", exact=True).select_option(label="Red 3")
    form.get_by_label("Tile", exact=True).select_option(label="c2")
    expect(game.verdict).to_contain_text("The server would accept this")
    game.give()
    expect(game.queue).to_have_count(1)


@pytest.mark.thorough
def test_a_game_that_goes_on_for_long_has_no_first_turn(server: ServerProcess, page: Page) -> None:
    """A player who enters a running game with a new browser is not taken for a beginner."""
    begin_game(server, "late", "tae", turn=8)
    game = GamePage(page, server).enter("ann", "late")
    expect(game.awaited).to_contain_text("Your move")
    expect(card(game)).to_have_count(0)


@pytest.mark.thorough
def test_a_turn_without_an_order_is_not_finished_unasked(server: ServerProcess, swarm: str, page: Page) -> None:
    """No single key and no click gives the turn away; Enter at the question goes back; with an order nobody asks."""
    game = GamePage(page, server).enter("ann", swarm)
    question = page.get_by_role("alertdialog", name="Finish the turn?")
    page.locator("#map").focus()
    for key in "fvnpom0123456789qxw?":
        page.keyboard.press(key)
        if page.locator("dialog[open]").count():
            page.keyboard.press("Escape")
    page.keyboard.press("f")
    expect(page.locator("#finish")).to_be_focused()
    page.keyboard.press("Enter")
    expect(question).to_contain_text(NOTHING)
    page.keyboard.press("Enter")
    expect(question).to_be_hidden()
    expect(page.locator("#finish")).to_be_focused()
    game.finish()
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(game.awaited).to_have_text("Your move.")
    game.tab("Selected")
    give_a_step(game)
    game.finish()
    expect(game.awaited).not_to_have_text("Your move.")
    expect(question).to_be_hidden()


@pytest.mark.thorough
def test_the_question_is_turned_off_and_on_again(server: ServerProcess, new_page: Pages) -> None:
    """Asked no more by its box, in this browser; asked again by the box beside the keys."""
    page = new_page()
    name = begin_game(server, "unasked", "tae")
    game = GamePage(page, server).enter("ann", name)
    ben = GamePage(new_page(), server).enter("ben", name)
    question = page.get_by_role("alertdialog")
    game.finish()
    question.get_by_label("Do not ask again").check()
    game.finish_all_the_same()
    expect(game.awaited).to_have_text("Waiting for ben.")
    first = game.turn.inner_text()
    ben.finish()
    ben.finish_all_the_same()
    expect(game.turn).not_to_have_text(first)
    expect(game.awaited).to_contain_text("Your move")
    expect(card(game)).to_have_count(0)
    page.reload()
    game.wait_for_map()
    game.finish()
    expect(game.awaited).to_have_text("Waiting for ben.")
    expect(question).to_be_hidden()
    second = game.turn.inner_text()
    ben.finish()
    ben.finish_all_the_same()
    expect(game.turn).not_to_have_text(second)
    page.get_by_role("button", name="Rules and keys").click()
    box = page.get_by_label("Ask before a turn is finished in which nothing was ordered")
    expect(box).not_to_be_checked()
    box.check()
    page.keyboard.press("Escape")
    game.finish()
    expect(question).to_contain_text(NOTHING)


@pytest.mark.thorough
def test_a_question_goes_with_its_turn(server: ServerProcess, page: Page) -> None:
    """If the turn ends while the question is open, it closes, and the next turn is not finished by it."""
    server.create_game("ended", "tae", 2, seed="7", clock="manual")
    bring_to(server, "ended", ("ann", "ben"), turn_is(0))
    game = GamePage(page, server).enter("ann", "ended")
    expect(card(game)).to_contain_text("The turn ends when the operator of the server says so.")
    first = game.turn.inner_text()
    game.finish()
    question = page.get_by_role("alertdialog")
    expect(question).to_be_visible()
    server.command("game", "close-turn", "ended")
    expect(question).to_be_hidden()
    expect(game.turn).not_to_have_text(first)
    expect(game.awaited).to_contain_text("Your move")


@pytest.mark.thorough
def test_removing_all_messages_is_asked_first(server: ServerProcess, swarm: str, page: Page) -> None:
    """Kept by Escape, gone by the button."""
    game = GamePage(page, server).enter("ann", swarm)
    game.tab("Messages")
    letters = page.locator(".letter")
    expect(letters.first).to_be_visible()
    count = letters.count()
    page.get_by_role("button", name="Remove all").click()
    question = page.get_by_role("alertdialog", name="Remove all messages?")
    expect(question).to_contain_text(f"{count} messages will be gone for good")
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(letters).to_have_count(count)
    page.get_by_role("button", name="Remove all").click()
    question.get_by_role("button", name="Remove all").click()
    expect(letters).to_have_count(0)


@pytest.mark.thorough
def test_an_order_that_is_being_written_is_not_lost_by_a_key(server: ServerProcess, page: Page) -> None:
    """`n` and `p` go to another piece only when no order of this one is open."""
    game = GamePage(page, server).enter("ann", begin_game(server, "writing", "tae"))
    game.select("Merchant leader")
    game.begin("Move")
    page.keyboard.press("Escape")  # stops pointing at the map
    page.locator("#give").focus()
    page.keyboard.press("n")
    expect(game.notes).to_contain_text("An order is being written")
    expect(page.locator("#order-form")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(game.object_title()).not_to_contain_text("Merchant leader")


@pytest.mark.thorough
def test_a_right_password_opens_the_own_games_where_there_are_several(server: ServerProcess, page: Page) -> None:
    """It is no error: the player's games come first, the others below, and the form is gone. A game leads back here."""
    server.create_game("other", "tae", 2)
    begin_game(server, "mine-1", "swarm")
    begin_game(server, "mine-2", "tae")
    game = GamePage(page, server).open()
    expect(page.locator("#games li")).not_to_have_count(0)
    game.type_name("ann", "wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("#login-problem")).to_contain_text("password")
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="My games")).to_be_visible()
    expect(page.locator("#login-card")).to_be_hidden()
    mine = set(page.locator("#own-games h3").all_text_contents())
    assert {"mine-1", "mine-2"} <= mine
    others = set(page.locator("#games h3").all_text_contents())
    assert "other" in others
    assert not mine & others
    page.get_by_role("button", name=re.compile("^(Play|Open) mine-2$")).click()
    game.wait_for_map()
    page.reload()
    game.wait_for_map()
    page.get_by_role("button", name="My games").click()
    expect(page.get_by_role("button", name=re.compile("^(Play|Open) mine-2$"))).to_be_visible()
    page.get_by_role("button", name="Log out", exact=True).click()
    expect(page.get_by_label("Name", exact=True)).to_be_visible()
    expect(page.get_by_label("Password", exact=True)).to_have_value("")


@pytest.mark.thorough
@pytest.mark.parametrize("policy", ["closed", "register"])
def test_an_account_is_offered_only_where_it_can_be_made(directory: Path, page: Page, policy: str) -> None:
    """The features of the server decide. A server without games says so after a login."""
    with ServerProcess(directory / policy, "--no-parent", "--accounts", policy) as server:
        server.start()
        game = GamePage(page, server).open()
        expect(page.locator("#games-note")).to_contain_text("There are no games yet.")
        expect(page.get_by_role("button", name="Create an account")).to_have_count(1 if policy == "register" else 0)
        if policy == "closed":
            return
        game.type_name("ann")
        page.get_by_role("button", name="Create an account").click()
        expect(page.get_by_role("heading", name="Logged in as ann")).to_be_visible()
        expect(page.locator("#games-note")).to_have_text("There are no games yet.")


def test_a_game_is_made_with_its_options_and_somebody_new_joins_by_a_link(
    server: ServerProcess, new_page: Callable[..., Page]
) -> None:
    """A refusal of the ruleset is shown in the form, which stays.

    The link leads a new player past the account into the game, which begins.
    """
    ann, ben = new_page(), looking_soon(new_page())
    game = GamePage(ann, server).new_game("swarm", "by link")
    ann.get_by_label("Open to").select_option("invited")
    ann.get_by_text("More about players and spectators").click()
    ann.get_by_label("Players write").select_option("to everybody at once only")
    ann.get_by_text("Options of the game").click()
    ann.get_by_label("cubes total").fill("99")
    make = ann.get_by_role("button", name="Create game")
    make.click()
    expect(ann.locator("#making-problem")).to_contain_text("a whole number from 7 to 40")
    ann.get_by_label("cubes total").fill("7")
    make.click()
    expect(ann.locator("#waiting-setup")).to_contain_text(
        "2 players · a turn ends when all are done · for invited players · players write to everybody at once only · "
        "options: cubes total 7."
    )
    ann.get_by_role("button", name="Invite by a link").click()
    link = ann.get_by_label("Send this to the players you want")
    expect(link).not_to_have_value("")
    ben.goto(link.input_value())
    expect(ben.locator("#login-note")).to_contain_text("You are invited to the game by link")
    GamePage(ben, server).type_name("ben new@By Link", "secret")
    ben.get_by_role("button", name="Create an account").click()
    expect(ben.locator("#brand")).to_have_text("by link")
    game.wait_for_map()
    GamePage(ben, server).wait_for_map()
    game.tab("Messages")
    ann.get_by_text("Write to the others").click()
    assert ann.get_by_label("To", exact=True).locator("option").all_inner_texts() == ["Everybody"]
    ann.get_by_label("Subject").fill("To all")
    ann.get_by_label("Text", exact=True).fill("Hello")
    ann.get_by_role("button", name="Send").click()
    expect(ben.locator("#unread")).to_be_visible()
    GamePage(ben, server).tab("Messages")
    expect(ben.locator("#panel-messages")).to_contain_text("ann to everybody: To all")
    expect(ben.locator("#panel-messages .new").first).to_be_visible()
    GamePage(ben, server).tab("List")
    GamePage(ben, server).tab("Messages")
    expect(ben.locator("#panel-messages .new")).to_have_count(0)


@pytest.mark.thorough
def test_a_rematch_is_made_as_before_and_the_others_are_told(
    server: ServerProcess, new_page: Callable[..., Page]
) -> None:
    """Options are the same, and seats are kept for the old players, who get a message on their board."""
    server.create_game("first", "swarm", 2, seed="7", max_rounds=10)
    ann = GamePage(new_page(), server)
    ann.join_empty("ann", "first")
    bring_to(server, "first", ("ben", "ann"), lambda clock: False, seed="3")
    ann.page.get_by_role("dialog").get_by_role("button", name="Rematch").click()
    expect(ann.page.locator("#making-title")).to_have_text("first once more")
    expect(ann.page.locator("#making-others")).to_have_text("A message with a link goes to ben.")
    expect(ann.page.get_by_label("Name of the game")).to_have_value("first-2")
    expect(ann.page.get_by_label("max rounds")).to_have_value("10")
    expect(ann.page.get_by_label("Open to")).to_have_value("invited")
    ann.page.get_by_label("Name of the game").fill("second")
    ann.page.get_by_role("button", name="Create game").click()
    expect(ann.page.locator("#brand")).to_have_text("second")
    expect(ann.page.locator("#waiting-setup")).to_contain_text("options: max rounds 10")

    ben = GamePage(new_page(), server).enter("ben", "first")
    ben.tab("Messages")
    ben.page.get_by_role("button", name="Go to second").click()
    expect(ben.page.locator("#brand")).to_have_text("second")
    for one in (ann, ben):
        one.wait_for_map()


@pytest.mark.thorough
def test_a_game_for_invited_players_is_neither_joined_nor_watched(server: ServerProcess, page: Page) -> None:
    """Players with a seat can enter again. The page never offers a refused action."""
    server.command("game", "create", "club", "--ruleset", "swarm", "--seats", 2, "--join", "invited")
    game = GamePage(page, server).open()
    expect(game.way_into("club")).to_have_text("Return")
    expect(page.get_by_role("button", name="Rules of club")).to_be_visible()
    expect(page.get_by_role("button", name="Watch club")).to_have_count(0)
