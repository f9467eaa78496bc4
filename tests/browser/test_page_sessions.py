"""The page before, between and after games.

Tested are logins, links, faults, keys, and narrow windows.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from page_objects import GamePage, begin_game, bring_to, installed, turn_is
from playwright.sync_api import Page, Request, Route, expect

from tests.support.modules import WEB, modules_of_the_page
from tests.support.server import ServerProcess, preloaded_server

EXAMPLE = Path(__file__).parents[1] / "rulesets" / "example" / "picnic"
MOST_BYTES = 230_000
"""Maximum bytes that the whole page may send over the line."""

NOTE_FORMS = """window.formsSeen = [];
  new MutationObserver(() => {
    const card = document.getElementById("login-card");
    if (card && !card.hidden) window.formsSeen.push(document.title);
  }).observe(document, { subtree: true, childList: true, attributes: true });"""
"""Notes whenever the form of the entrance is there to be seen, from the first element of a page on."""

Servers = Callable[..., ServerProcess]
Pages = Callable[..., Page]


@pytest.fixture
def server(web_server: Servers) -> ServerProcess:
    """A server of this test's own, with one game of TaE; it may be killed."""
    made = web_server()
    made.start()
    made.create_game("first", "tae", 2, seed="7")
    return made


@pytest.fixture(scope="module")
def shared() -> Iterator[ServerProcess]:
    """A server for all tests that leave it as it is."""
    with preloaded_server() as started:
        yield started


@pytest.fixture
def tae(shared: ServerProcess, request: pytest.FixtureRequest) -> str:
    """The name of a game of TaE of this test's own, in its first turn, with ann and ben."""
    return begin_game(shared, f"tae-{request.session.items.index(request.node)}", "tae")


@pytest.mark.thorough
def test_an_account_is_made_and_a_wrong_password_refused_in_the_servers_words(directory: Path, page: Page) -> None:
    """With registered accounts only: a stranger is refused, makes an account, is in; another password is refused."""
    with ServerProcess(directory / "closed", "--no-parent", "--accounts", "register") as server:
        server.start()
        server.create_game("first", "tae", 2)
        game = GamePage(page, server).open()
        expect(page.locator("#games li")).to_contain_text("TaE: Tigris and Euphrates")
        page.get_by_role("button", name="Join first").click()
        expect(page.locator("#login-problem")).to_have_text("Type a name and a password first.")
        game.type_name("ann")
        page.get_by_role("button", name="Log in").click()
        expect(page.locator("#login-problem")).not_to_be_empty()
        page.get_by_role("button", name="Create an account").click()
        expect(page.locator("#game")).to_be_visible()
        page.get_by_role("button", name="Log out", exact=True).click()
        game.type_name("ann", "wrong")
        page.get_by_role("button", name="Join first").click()
        expect(page.locator("#login-problem")).to_contain_text(re.compile("password", re.IGNORECASE))
        expect(page.get_by_label("Name", exact=True)).to_have_value("ann")


@pytest.mark.thorough
def test_the_lobby_lists_games_as_they_are(server: ServerProcess, page: Page) -> None:
    """Each game with ruleset and turn; a game that is made meanwhile appears without a reload."""
    GamePage(page, server).open()
    expect(page.locator("#games li")).to_have_count(1)
    server.create_game("later", "swarm", 2, clock="interval:3600")
    expect(page.locator("#games li")).to_have_count(2)
    expect(page.locator("#games")).to_contain_text("a turn every 60 minutes")
    server.create_game("late", "swarm", 2, clock="threshold:60:15")
    expect(page.locator("#games")).to_contain_text("a turn ends 15 seconds after 60 % are done")
    expect(page.locator("#games")).not_to_contain_text("a turn every 15 seconds")


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 1280])
def test_a_full_game_is_for_those_who_have_a_seat(server: ServerProcess, new_page: Pages, width: int) -> None:
    """Only a game with a free seat says Join; no button of the list is broken into lines."""
    server.create_game("free", "tae", 2, seed="7")
    bring_to(server, "first", ("ann", "ben"), turn_is(0))
    page = new_page(viewport={"width": width, "height": 740})
    GamePage(page, server).open()
    games = page.locator("#games")
    expect(games.get_by_role("button")).to_have_count(6)
    expect(games.get_by_role("button", name="Join free", exact=True)).to_have_text("Join")
    expect(games.get_by_role("button", name="Return to first", exact=True)).to_have_text("Return")
    # In one step, as the list is drawn again with each answer of the server.
    heights = games.get_by_role("button").evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
    assert len(heights) == 6
    assert max(heights) < 2.5 * 15


@pytest.mark.thorough
def test_who_is_logged_in_without_a_seat_is_not_asked_back_to_a_full_game(server: ServerProcess, page: Page) -> None:
    """Such a game can be watched; one with a free seat can be joined."""
    server.create_game("free", "tae", 2, seed="7")
    bring_to(server, "first", ("ann", "ben"), turn_is(0))
    GamePage(page, server).open().type_name("carla")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Other games")).to_be_visible()
    expect(page.get_by_role("button", name="Join free", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Watch first", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Return to first", exact=True)).to_have_count(0)


@pytest.mark.thorough
def test_a_reload_does_not_ask_again_and_leaving_forgets(shared: ServerProcess, tae: str, page: Page) -> None:
    """The tab remembers who plays what until the player leaves."""
    game = GamePage(page, shared)
    game.enter("ann", tae)
    page.reload()
    game.wait_for_map()
    expect(page.locator("#brand")).to_have_text(tae)
    page.get_by_role("button", name="Log out", exact=True).click()
    page.reload()
    expect(page.get_by_role("heading", name="Log in to play")).to_be_visible()


@pytest.mark.thorough
@pytest.mark.parametrize("then", ["waits", "reloads", "gets none"])
def test_who_leaves_before_the_cookie_has_come_does_not_stay(
    shared: ServerProcess, tae: str, page: Page, then: str
) -> None:
    """The next user of the browser must not be logged in, with or without a reload of the page."""
    held: list[Route] = []
    page.route("**/login", lambda route: held.append(route))
    with page.expect_request("**/login"):
        game = GamePage(page, shared).enter("ann", tae)
    page.get_by_role("button", name="Log out", exact=True).click()
    if then == "waits":
        held[0].continue_()
    elif then == "gets none":
        held[0].abort()
    else:
        page.reload()
    expect(page.get_by_role("heading", name="Log in to play")).to_be_visible()
    assert "logged in for now" not in game.notes.inner_text()
    assert page.context.cookies() == []
    page.reload()
    expect(page.get_by_role("heading", name="Log in to play")).to_be_visible()
    page.unroute("**/login")
    game.enter("ben", tae)
    page.wait_for_function("() => localStorage.getItem('tpclient-stays') === 'ben'")
    page.reload()
    game.wait_for_map()


@pytest.mark.thorough
def test_a_browser_that_the_server_could_not_log_out_is_logged_out_at_its_next_visit(
    server: ServerProcess, page: Page
) -> None:
    begin_game(server, "ants", "swarm")
    game = GamePage(page, server).enter("ann", "ants")
    page.wait_for_function("() => localStorage.getItem('tpclient-stays') === 'ann'")
    page.route("**/logout", lambda route: route.abort())
    page.get_by_role("button", name="Log out", exact=True).click()
    expect(game.notes).to_contain_text("could not be logged out at the server")
    assert page.context.cookies() != []
    page.unroute("**/logout")
    page.reload()
    expect(page.get_by_role("heading", name="Log in to play")).to_be_visible()
    assert page.context.cookies() == []


@pytest.mark.thorough
def test_who_stays_logged_in_comes_back_to_the_own_games_until_logged_out(
    server: ServerProcess, new_page: Pages
) -> None:
    """A new run of the browser after a restart of the server needs no login form.

    The next game that waits is one click away. When the login is ended, other tabs with the same login need the
    password again.
    """
    begin_game(server, "ants", "swarm")
    bring_to(server, "first", ("ann", "ben"), turn_is(0))
    entered = new_page()
    GamePage(entered, server).enter_among_several("ann", "first")
    server.kill()
    server.start()
    page = new_page(storage_state=entered.context.storage_state())
    page.add_init_script(NOTE_FORMS)
    page.goto(server.url)
    expect(page.locator("#own-games li h3")).to_have_count(2)
    page.get_by_role("button", name=re.compile("^(Play|Open) ants$")).click()
    expect(page.locator("#brand")).to_have_text("ants")
    page.get_by_role("button", name="Next game").click()
    expect(page.locator("#brand")).to_have_text("first")
    assert page.evaluate("window.formsSeen") == []
    page.get_by_role("button", name="My games").click()
    page.get_by_text("Where you are logged in").click()
    expect(page.locator("#kept-logins li")).to_contain_text("this one")
    page.get_by_role("button", name="Log out", exact=True).first.click()
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
    assert page.context.cookies() == []
    page.reload()
    expect(page.get_by_role("heading", name="Log in to play")).to_be_visible()
    entered.reload()  # it may have found out by itself already
    expect(entered.get_by_label("Password", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_the_server_restarts_under_the_page(server: ServerProcess, page: Page) -> None:
    """A banner says that the server is away; an order form stays filled in; all is there again when it is back."""
    bring_to(server, "first", ("ann", "ben"), turn_is(0))
    game = GamePage(page, server).enter("ann")
    game.select("Merchant leader")
    game.begin("Move")
    expect(page.locator(".left-out")).to_be_visible()
    choice = page.get_by_label("System", exact=True)
    choice.select_option(index=1)
    chosen = choice.locator("option:checked").inner_text()
    server.kill()
    banner = page.locator("#banner")
    expect(banner).to_contain_text("Trying again")
    server.start()
    game.try_now()
    expect(banner).to_be_hidden()
    expect(game.notes).to_contain_text("The connection is back, nothing is lost.")
    expect(choice.locator("option:checked")).to_have_text(chosen)
    expect(page.locator(".cell").first).to_be_attached()
    game.select("Bomber")
    expect(game.object_title()).to_contain_text("Bomber")


@pytest.mark.thorough
def test_another_server_in_its_place_is_noticed(server: ServerProcess, page: Page) -> None:
    """With other games at the same address, the page says that it is another game, and shows that one.

    The password logs in there as well; that a browser stays logged in is known to the first server only.
    """
    bring_to(server, "first", ("ann", "ben"), turn_is(0))
    game = GamePage(page, server).open()
    page.get_by_label("Stay logged in").uncheck()
    game.type_name("ann")
    page.get_by_role("button", name="Log in").click()
    game.wait_for_map()
    expect(page.locator(".cell")).to_have_count(178)
    with preloaded_server() as other:
        other.create_game("first", "swarm", 2)
        bring_to(other, "first", ("ann", "ben"), turn_is(1))
        other.kill()
        server.kill()
        expect(page.locator("#banner")).to_be_visible()
        server.data = other.data  # the same address with the other's games
        server.start()
        game.try_now()
        expect(game.notes).to_contain_text("The server now has another game")
        expect(page.locator(".cell")).to_have_count(38)
        server.kill()


@pytest.mark.thorough
def test_a_server_that_is_away_is_a_sentence(server: ServerProcess, page: Page) -> None:
    """Before login: the list of games says that nobody answers, and lists them as soon as somebody does."""
    GamePage(page, server).open()
    expect(page.locator("#games li")).to_have_count(1)
    server.kill()
    expect(page.locator("#games-note")).to_contain_text(re.compile("lost|away|closed"))
    server.start()
    expect(page.locator("#games li")).to_have_count(1)


@pytest.mark.thorough
def test_the_login_link_of_play_works_once(link: str, new_page: Pages) -> None:
    """The link opens the game without any name or form. The next user gets the reason why it does not.

    A player who leaves knows no password, and sees the way back.
    """
    page = new_page()
    page.add_init_script(NOTE_FORMS)
    page.goto(link)
    expect(page.locator(".cell").first).to_be_attached()
    assert page.evaluate("window.formsSeen") == []
    assert "link" not in page.url
    page.reload()
    expect(page.locator(".cell").first).to_be_attached()
    other = new_page()
    other.goto(link)
    expect(other.locator("#login-problem")).to_contain_text("link")
    page.locator("#leave").click()
    expect(page.locator("#login-note")).to_contain_text("newest link in the terminal")


@pytest.mark.thorough
def test_a_ruleset_that_nobody_has_seen(directory: Path, monkeypatch: pytest.MonkeyPatch, page: Page) -> None:
    """A ruleset from outside of the tree is drawn, its list order filled in and given, its turn finished."""
    site = directory / "site"
    installed(site, "picnic", EXAMPLE)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")])))
    with ServerProcess(directory / "data", "--no-parent") as server:
        server.start()
        server.create_game("out", "picnic", 2, seed="1")
        bring_to_two(server)
        game = GamePage(page, server).enter("ann")
        expect(page.locator(".cell")).to_have_count(3)
        expect(page.locator("#map .title")).to_have_text("The Meadow")
        game.select("Anthill of ann")
        game.begin("Send")
        page.get_by_role("group", name="party").get_by_label("3 ants").check()
        expect(game.verdict).to_contain_text("The server would accept this")
        game.give()
        expect(game.queue).to_contain_text("3 ants")
        game.finish()
        expect(game.awaited).to_have_text("Waiting for ben.")


def bring_to_two(server: ServerProcess) -> None:
    """Both players have been in the game once."""
    bring_to(server, "out", ("ann", "ben"), turn_is(0))


@pytest.mark.thorough
def test_everything_by_keyboard(shared: ServerProcess, tae: str, page: Page) -> None:
    """From login to an order and the end of a turn without a mouse. The map names the place under its cursor."""
    GamePage(page, shared).open()
    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("ann")
    page.keyboard.press("Tab")
    page.keyboard.type("secret")
    page.get_by_role("button", name=f"Return to {tae}", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".cell").first).to_be_attached()
    page.keyboard.press("m")
    expect(page.locator("#map")).to_be_focused()
    told = page.locator("#cursor-news")
    before = told.inner_text()
    page.keyboard.press("ArrowUp")
    expect(told).not_to_have_text(before)
    page.keyboard.press("v")
    expect(page.locator("#view-button")).to_have_text("Normal view")
    page.keyboard.press("n")
    expect(page.locator("#object h2")).to_be_visible()
    page.locator(".offer").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#order-form")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#order-form")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("finishes the turn")
    page.keyboard.press("Escape")
    page.locator("#tab-selected").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-mine")).to_be_visible()
    page.keyboard.press("f")
    page.keyboard.press("Enter")  # presses the button
    expect(page.get_by_role("alertdialog")).to_contain_text("You have given no orders this turn.")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#awaited")).to_have_text("Waiting for ben.")


@pytest.mark.thorough
def test_a_vanished_object_is_a_sentence(shared: ServerProcess, tae: str, page: Page) -> None:
    """A selected object may vanish: the panel says so, and goes on to the next piece that takes orders."""
    game = GamePage(page, shared).enter("ann", tae)
    game.select("ship")
    expect(game.object_title()).to_contain_text("ship")
    page.locator(".offer").first.click()
    expect(page.locator("#order-form")).to_be_visible()
    page.keyboard.press("Escape")  # stops pointing at the map, where the order begins with that
    page.keyboard.press("Escape")  # puts the order away
    expect(page.locator("#order-form")).to_have_count(0)
    bring_to(shared, tae, ("ann", "ben"), turn_is(8))
    expect(page.locator("#object")).to_contain_text("ship no longer exists. Your next piece is shown.")
    expect(game.object_title()).to_contain_text("yours")
    expect(page.locator("#object .problem")).to_have_count(0)


@pytest.mark.thorough
def test_an_order_in_writing_of_a_vanished_object_stays(shared: ServerProcess, tae: str, page: Page) -> None:
    """Nothing takes the place of a form that is open: the page says that its object is gone."""
    game = GamePage(page, shared).enter("ann", tae)
    game.select("ship")
    page.locator(".offer").first.click()
    expect(page.locator("#order-form")).to_be_visible()
    bring_to(shared, tae, ("ann", "ben"), turn_is(8))
    expect(page.locator("#object .problem")).to_contain_text("ship no longer exists")
    expect(game.verdict).to_contain_text("This object no longer exists")


@pytest.mark.thorough
@pytest.mark.parametrize("width", [360, 800])
def test_narrow_windows_have_no_sideways_scrolling(
    shared: ServerProcess, tae: str, new_page: Pages, width: int
) -> None:
    """From 360 pixels on everything is reachable by scrolling down."""
    page = new_page(viewport={"width": width, "height": 740})
    game = GamePage(page, shared).enter("ann", tae)
    for tab in ("Selected", "Players", "Messages", "List"):
        game.tab(tab)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{tab}: {wide} pixels"
    expect(page.get_by_role("button", name="Finish turn")).to_be_in_viewport()


@pytest.mark.thorough
def test_the_theme_follows_the_system_and_the_switch(shared: ServerProcess, new_page: Pages) -> None:
    """Dark and light by the system's wish; the switch turns it around and the page remembers."""
    page = new_page(color_scheme="light")
    GamePage(page, shared).open()
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.get_by_role("button", name="Light or dark").click()
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark


def test_all_modules_are_asked_for_at_once() -> None:
    """The page names all its modules, so that a distant browser does not find them one after the other."""
    page = (WEB / "index.html").read_text(encoding="utf-8")
    named = re.findall(r'<link rel="modulepreload" href="([^"]+)">', page)
    modules = {str(path.relative_to(WEB)) for path in modules_of_the_page()}
    assert sorted([*named, "app.js"]) == sorted(modules)


def test_no_other_host_is_asked_and_the_page_is_light(shared: ServerProcess, tae: str, page: Page) -> None:
    """Every request goes to the server itself; all files together stay below 230 kB on the line, with their headers."""
    asked: list[Request] = []
    page.on("requestfinished", lambda request: asked.append(request))
    GamePage(page, shared).open()
    expect(page.locator("#games li").filter(has_text=tae)).to_be_visible()
    assert {request.url.partition("/ws")[0].startswith(shared.url) for request in asked} == {True}
    sent = {request.url.rpartition("/")[2]: request.sizes() for request in asked}
    sizes = {name: size["responseHeadersSize"] + size["responseBodySize"] for name, size in sent.items()}
    assert sum(sizes.values()) < MOST_BYTES, json.dumps(sizes, indent=1)
    assert {"app.js", "style.css", "pieces.svg", "player.js"} <= set(sizes)
