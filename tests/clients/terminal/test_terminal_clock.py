"""The turn clock at the terminal: deadline, grace, time banks, changes.

Only the owner is offered changes.
"""

from typing import Any

import pytest

from tests.support.memory_client import Served
from tests.support.server_in_memory import BEGINNING
from tpclient.terminal.clock_screen import ClockScreen, seconds_in
from tpclient.terminal.game_screen import GameScreen
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


def test_the_clock_is_shown_and_changed(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.sees("2 h (until ")
        await player.press("c")
        await player.until(lambda: isinstance(player.app.screen, ClockScreen))
        await player.sees("Clock: a turn ends when all are done, after 2 hours at the latest")
        await player.sees("Banks: ann (you) 10 min, ben 10 min")
        await player.press("e", *"90", "space", *"min", "enter")
        await player.sees("You have proposed to give this turn 1 hour 30 minutes more")
        await player.sees("e: propose more time for this turn")
        await player.press("e", *"soon", "enter")
        await player.sees("'soon' is no time; say 3600, 90 min, 2 h or 1 d.")
        await player.press("s", "end", "ctrl+u", *"interval:60", "enter")
        await player.sees("You have proposed to give the game another clock")
        await player.press("s", "end", "ctrl+u", *"hourly", "enter")
        await player.sees("'hourly' is not a clock")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, GameScreen))
        assert [one.kind for one in owned.server.game("mine").proposals] == ["extension", "clock"]

    play(owned.address, scene, "ann@mine", dialect=PB, size=(100, 30))


def test_nobody_else_is_offered_a_change(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("c")
        await player.sees("Banks:")
        assert "more time" not in player.text
        await player.press("e", "s")
        assert isinstance(player.app.screen, ClockScreen)

    play(owned.address, scene, "ben@mine", dialect=PB)


def test_grace_is_shown_as_such(owned: Served, play: Any) -> None:
    """By the time of this machine: the server's clock of these tests stands still in the past."""

    async def scene(player: Any) -> None:
        player.app.link.clock.time = 50
        player.game_screen.game_clock.due, player.game_screen.game_clock.ends = BEGINNING, 2**40
        player.game_screen.show_head()
        await player.sees("of grace or time banks")

    play(owned.address, scene, "ann@mine", dialect=PB)


def test_over_tp04_the_clock_tells_how_to_see_it(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("c")
        await player.hears("needs Protocol Buffers")

    play(owned.address, scene, "ben@mine")


def test_times_as_people_type_them() -> None:
    typed = {
        "3600": 3600,
        "90 min": 5400,
        "2H": 7200,
        "1 d": 86400,
        "5s": 5,
        "": 0,
        "h": 0,
        "-1": 0,
        "1.5 h": 0,
        "٣": 0,
    }
    assert {words: seconds_in(words) for words in typed} == typed
    assert seconds_in("99999999 d") == 2**32 - 1
    assert seconds_in("9" * 99) == 0
