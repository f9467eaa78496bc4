"""Quitting in the moment in which a screen opens ends the program as at any other time."""

from collections.abc import Callable
from typing import Any

import pytest

from tpclient.terminal.app import TooSmall
from tpclient.terminal.entrance import Answers, Entrance, Lobby
from tpclient.terminal.find import Find
from tpclient.terminal.help import Help
from tpclient.terminal.letters import Letters, Write
from tpclient.terminal.question import Question
from tpclient.terminal.table import Table
from tpclient.terminal.ticks import Ticks

SCREENS: dict[str, Callable[[Any], Any]] = {
    "TooSmall": lambda link: TooSmall(),
    "Entrance": lambda link: Entrance(Answers("", "", "", False), ""),
    "Lobby": lambda link: Lobby([]),
    "Find": lambda link: Find("Find an object", []),
    "Help": lambda link: Help([]),
    "Letters": Letters,
    "Write": lambda link: Write(link),
    "Question": lambda link: Question("Really?", "yes"),
    "Table": Table,
    "Ticks": lambda link: Ticks(link.universe, frozenset()),
}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_opens_while_the_program_ends(served: Any, play: Any, name: str) -> None:
    """Textual mounts such a screen without its widgets; nobody may miss them."""

    async def scene(player: Any) -> None:
        player.app.push_screen(SCREENS[name](player.app.link))
        player.app.exit(0)

    play(served.address, scene)
