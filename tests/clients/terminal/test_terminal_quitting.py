"""Quit at the moment when a screen opens: the program ends as usual."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.memory_client import Served
from tpclient.events import ConnectionBack
from tpclient.terminal.account import AccountScreen
from tpclient.terminal.app import TerminalClient, TooSmall
from tpclient.terminal.dialogs import Find, Question, RepeatedQuestion, ResourceFilter
from tpclient.terminal.game_screen import GameScreen
from tpclient.terminal.login_screen import Answers, LobbyScreen, LoginScreen
from tpclient.terminal.messages import Messages, Write
from tpclient.terminal.reading import About, RulesScreen

SCREENS: dict[str, Callable[[Any], Any]] = {
    "TooSmall": lambda link: TooSmall(),
    "LoginScreen": lambda link: LoginScreen(Answers("", "", "", False), ""),
    "Lobby": lambda link: LobbyScreen([], link.rules),
    "Find": lambda link: Find("Find an object", []),
    "RulesScreen": lambda link: RulesScreen(link.manual),
    "About": lambda link: About([]),
    "Messages": Messages,
    "Write": lambda link: Write(link),
    "Question": lambda link: Question("Really?", "yes"),
    "RepeatedQuestion": lambda link: RepeatedQuestion("Really?", "yes"),
    "GameScreen": GameScreen,
    "ResourceFilter": lambda link: ResourceFilter(link.universe, frozenset()),
}


MOMENTS = [*((name, 0) for name in SCREENS), ("GameScreen", 3), ("GameScreen", 9)]


@pytest.mark.thorough
@pytest.mark.parametrize("ends", [TerminalClient.exit, None], ids=["exit", "shutdown"])
@pytest.mark.parametrize(
    ("name", "steps"),
    [pytest.param(*moment, marks=[] if moment[0] == "GameScreen" else pytest.mark.thorough) for moment in MOMENTS],
)
def test_a_screen_opens_while_the_program_ends(workshop: Served, play: Any, name: str, steps: int, ends: Any) -> None:
    """Textual mounts such a screen without some of its widgets; nobody may miss them.

    `steps` of the event loop after the push the program ends, when none or some of the widgets are there.
    """

    async def scene(player: Any) -> None:
        player.app.push_screen(SCREENS[name](player.app.link))
        for _ in range(steps):
            await asyncio.sleep(0)
        if ends is not None:
            ends(player.app)

    play(workshop.address, scene)


def test_something_happens_while_the_program_ends(workshop: Served, play: Any) -> None:
    """The widgets of the game are gone then, and nobody looks for them."""

    async def scene(player: Any) -> None:
        await player.game_screen.query_one("#middle").remove()
        player.app.hear(ConnectionBack(1), player.app.link, player.game_screen)
        await player.pilot.pause()

    play(workshop.address, scene)


def test_an_answer_arrives_as_its_screen_closes(workshop: Served, play: Any) -> None:
    """The screen shows nothing more, at any step of its removal."""

    async def scene(player: Any) -> None:
        account, rules = AccountScreen(player.app.link), RulesScreen(player.app.link.manual)
        for screen in (account, rules):
            player.app.push_screen(screen)
            await player.until(lambda screen=screen: screen.is_composed and screen.query("Static"))
        rules.dismiss()
        account.dismiss()
        while account.query("Static") or rules.query("Static"):
            account.show_result(["too late"])
            rules.say("too late")
            await asyncio.sleep(0)
        account.show_result(["too late"])
        rules.say("too late")

    play(workshop.address, scene)
