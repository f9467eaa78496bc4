"""The rules in the terminal: goal, contents, search, keys, single topics."""

from typing import Any

import pytest
from textual.widgets import Input, OptionList

from tests.clients.terminal.test_terminal_orders import begin, field
from tests.support.memory_client import Served, fail
from tests.support.workshop import BOAT, POST
from tpclient.terminal.login_screen import LobbyScreen
from tpclient.terminal.reading import About, ManualView, RulesScreen
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04

pytestmark = pytest.mark.thorough

TEXT = """\
# Workshop

Win.

## Pieces

### Boat

It goes by water.

## Orders

### Tune

Choose a **level**, which may be odd only.

### Send

Choose a place.

## The rest

""" + "\n\n".join(f"Word {number} of the wise." for number in range(60))


@pytest.fixture
def told(workshop: Served) -> Served:
    """The game of the workshop, with rules to read."""
    say(workshop, TEXT, "Be the one who wins.")
    return workshop


def say(server: Served, text: str, goal: str = "", title: str = "Workshop") -> None:
    rules = tp.Rules(ruleset="workshop", title=title, version="1", goal=goal, text=text)
    server.server.scripts["get_rules"] = lambda request: [("rules", rules)]


async def opened(player: Any, key: str, screen: Any) -> Any:
    """Press a key that opens a screen."""
    await player.press(key)
    await player.until(lambda: isinstance(player.app.screen, screen), "it did not open")
    return player.app.screen


def top(player: Any) -> str:
    """The first line of the text that is shown."""
    view = player.app.screen.query_one(ManualView)
    line: str = view.lines[view.scroll_offset.y].text
    return line


@pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda one: one.name)
def test_the_goal_is_under_the_title(told: Served, play: Any, dialect: Any) -> None:
    """In every dialect, below the turn, and one line of it only where the board needs the others."""

    async def scene(player: Any) -> None:
        await player.sees("Goal: Be the one who wins.")
        assert player.text.splitlines()[1].startswith(" Goal: Be the one who wins.")

    play(told.address, scene, dialect=dialect)


def test_no_goal(workshop: Served, play: Any) -> None:
    """Without a goal from the server no line is lost to it, and ? shows the keys with the reason."""
    workshop.server.scripts["get_rules"] = fail(2, "There is no frame 1001.")

    async def scene(player: Any) -> None:
        await opened(player, "question_mark", RulesScreen)
        await player.sees("The rules cannot be read: Refused: There is no frame 1001.")
        assert "move the cursor; page up and down by screens" in player.text
        await player.press("escape")
        assert not player.game_screen.query_one("#goal").display
        await player.press("r")
        await player.hears("The rules cannot be read: Refused: There is no frame 1001.")

    play(workshop.address, scene)


def test_a_ruleset_without_rules(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await opened(player, "question_mark", RulesScreen)
        await player.sees("Workshop comes without rules to read.")
        assert "move the cursor; page up and down by screens" in player.text

    play(workshop.address, scene)


def test_the_rules_and_their_contents(told: Served, play: Any) -> None:
    """The contents lead to each heading; keys scroll; ? turns to keys and signs and back; escape goes back."""

    async def scene(player: Any) -> None:
        screen = await opened(player, "question_mark", RulesScreen)
        await player.sees("It goes by water.")
        contents = screen.query_one(OptionList)
        rows = [str(contents.get_option_at_index(at).prompt) for at in range(contents.option_count)]
        assert rows == ["Workshop", " Pieces", "  Boat", " Orders", "  Tune", "  Send", " The rest"]
        await player.press("tab", *["down"] * 4)
        await player.until(lambda: top(player) == "Tune", "the contents do not lead there")
        await player.press("enter", "pagedown")
        await player.until(lambda: "Word 10 of the wise." in player.text, "it does not scroll")
        await player.press("home")
        await player.until(lambda: top(player) == "Workshop")
        await player.press("question_mark")
        await player.sees("move the cursor; page up and down by screens")
        assert "It goes by water." not in player.text
        await player.press("question_mark")
        await player.sees("It goes by water.")
        await player.press("escape")
        assert player.app.screen is player.game_screen

    play(told.address, scene)


def test_searching(told: Served, play: Any) -> None:
    """In any letters, on from the last place, round again; what is not there is said, and the field stays."""

    async def scene(player: Any) -> None:
        screen = await opened(player, "question_mark", RulesScreen)
        await player.sees("It goes by water.")
        await player.press("n")
        await player.sees("Nothing is searched for yet; / does.")
        await player.press("slash", *"choose", "enter")
        await player.until(lambda: player.app.focused is screen.query_one(ManualView))
        view = screen.query_one(ManualView)
        assert view.lines[view.hit].text == "  Choose a level, which may be odd only."
        await player.press("n")
        assert view.lines[view.hit].text == "  Choose a place."
        await player.press("n")
        assert view.lines[view.hit].text == "  Choose a level, which may be odd only."
        await player.press("slash")
        screen.query_one(Input).value = "chess"
        await player.press("enter")
        await player.sees("The rules do not say 'chess'.")
        assert screen.query_one(Input).has_focus
        await player.press("escape")
        assert player.app.screen is screen
        await player.press("escape")
        assert player.app.screen is player.game_screen

    play(told.address, scene)


def test_the_place_stays_when_the_terminal_changes(told: Served, play: Any) -> None:
    """Lines break elsewhere, and what was at the top still is."""

    async def scene(player: Any) -> None:
        screen = await opened(player, "question_mark", RulesScreen)
        await player.sees("It goes by water.")
        await player.press("tab", *["down"] * 5)
        await player.until(lambda: top(player) == "Send")
        await player.pilot.resize_terminal(61, 20)
        await player.until(lambda: screen.size.width == 61)
        await player.pilot.pause()
        assert top(player) == "Send"

    play(told.address, scene, size=(120, 30))


EVIL = "[bold red]x[/] [@click=app.quit]y[/] [z](http://127.0.0.1) <b> \x1b[2J\x07"
WRITTEN = r"[bold red]x[/] [@click=app.quit]y[/] [z](http://127.0.0.1) <b> \x1b[2J\x07"


def test_hostile_rules_are_text(workshop: Served, play: Any) -> None:
    """Neither goal nor title nor headings nor paragraphs are markup of the terminal, or steer it; long ones end."""
    say(workshop, f"## Pieces\n\n### {EVIL}, Boat\n\n{EVIL}\n\n" + "# a\n- b\n" * 9000, EVIL, EVIL)

    async def scene(player: Any) -> None:
        await player.sees(f"Goal: {WRITTEN}")
        screen = await opened(player, "question_mark", RulesScreen)
        await player.sees(WRITTEN)
        assert "\x1b" not in player.text
        assert "\x07" not in player.text
        assert screen.query_one(OptionList).option_count == 300
        await player.press("end")
        await player.until(lambda: screen.query_one(ManualView).scroll_offset.y > 10_000)
        await player.press("escape")
        player.game_screen.go_to(BOAT)
        await opened(player, "r", About)
        assert WRITTEN in player.text

    play(workshop.address, scene, size=(160, 50))


def test_about_the_order_that_is_filled_in(told: Served, play: Any) -> None:
    """A line of the form names the key; what was filled in stays, and so does the field."""

    async def scene(player: Any) -> None:
        form = await begin(player, "Tune")
        await player.sees("F1: rules of this order")
        assert "f1 rules" in player.text.splitlines()[-1]
        field(form, "Level").text, field(form, "Turns").text = "5", "2"
        focused = player.app.focused
        await opened(player, "f1", About)
        assert "Choose a level, which may be odd only." in player.text
        assert "Choose a place." not in player.text
        await player.press("escape")
        assert player.game_screen.form is form
        assert (field(form, "Level").text, field(form, "Turns").text) == ("5", "2")
        assert player.app.focused is focused
        await player.press("ctrl+s")
        await player.hears("Given to Yard")

    play(told.address, scene)


def test_about_an_order_without_a_paragraph(told: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        form = await begin(player, "Wish")
        await player.press("f1")
        await player.hears("The rules have no paragraph about Wish; ? shows all of them.")
        assert player.game_screen.form is form

    play(told.address, scene)


def test_about_what_is_looked_at(told: Served, play: Any) -> None:
    """By its kind, and the orders that it takes; a thing that the rules do not name is said to be such."""

    async def scene(player: Any) -> None:
        player.game_screen.go_to(BOAT)
        await opened(player, "r", About)
        assert "It goes by water." in player.text
        assert "Choose a place." not in player.text
        await player.press("r")
        assert player.app.screen is player.game_screen
        player.game_screen.go_to(POST)
        await player.press("f1")
        await player.hears("The rules have no paragraph about Post; ? shows all of them.")
        await player.press("n")
        player.game_screen.go_to(4)  # the yard, which takes Tune and Send
        await opened(player, "r", About)
        assert "Choose a place." in player.text

    play(told.address, scene)


def test_by_the_design_of_a_piece(tae: Served, play: Any) -> None:
    """The name of an object says little in many games, so the rules name designs."""

    async def scene(player: Any) -> None:
        leader = next(one for one in player.game_screen.link.universe.own() if one.name == "Merchant Leader")
        player.game_screen.go_to(leader.id)
        await opened(player, "r", About)
        assert "│ Merchant leader, Scientist leader, " in player.text

    play(tae.address, scene, size=(100, 40))


def test_in_the_lobby(tae: Served, play: Any) -> None:
    """The rules of the game under the cursor, before anybody has joined it."""
    tae.do(tae.server.create, "second", "workshop", 1)

    async def scene(player: Any) -> None:
        await player.until(lambda: isinstance(player.app.screen, LobbyScreen), "there is no lobby")
        await opened(player, "r", RulesScreen)
        await player.sees("Rules of TaE: Tigris and Euphrates in space")
        await player.press("escape", "down")
        await opened(player, "r", RulesScreen)
        await player.sees("Workshop comes without rules to read.")
        await player.press("escape")
        assert isinstance(player.app.screen, LobbyScreen)
        assert player.app.link is None

    play(tae.address, scene, "ann", at_table=False)


def test_another_game_has_other_rules(told: Served, play: Any) -> None:
    """The rules are read again when another game is open."""

    async def scene(player: Any) -> None:
        await player.sees("Goal: Be the one who wins.")
        say(told, TEXT, "Be the last one.")
        player.game_screen.begin_anew("It was made anew.")
        await player.sees("Goal: Be the last one.")

    play(told.address, scene)
