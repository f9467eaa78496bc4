"""The clock at the terminal: until when, grace, what is in time banks, and its changes by whoever has made the game."""

from typing import Any

import pytest

from tests.requests.server_in_memory import BEGINNING
from tests.support.memory_client import Served
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
        await player.sees("This turn has 1 hour 30 minutes more, and all are told.")
        await player.press("e", *"soon", "enter")
        await player.sees("'soon' is no time; say 3600, 90 min, 2 h or 1 d.")
        await player.press("s", "end", "ctrl+u", *"interval:60", "enter")
        await player.sees("The clock of mine says now: a turn ends when all are done, after 1 minute at the latest")
        await player.press("s", "end", "ctrl+u", *"hourly", "enter")
        await player.sees("'hourly' is not a clock")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, GameScreen))
        assert owned.server.game("mine").row.clock == "interval:60"
        assert owned.server.game("mine").row.due == BEGINNING + 7200 + 5400

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
        player.game_screen._game_clock.due, player.game_screen._game_clock.ends = BEGINNING, 2**40
        player.game_screen.show_head()
        await player.sees("of grace or time banks")

    play(owned.address, scene, "ann@mine", dialect=PB)


def test_over_tp04_the_clock_tells_how_to_see_it(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("c")
        await player.hears("told over Protocol Buffers")

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
