"""Vacations at the terminal: begun and ended at the display of the clock."""

from typing import Any

import pytest

from tests.support.memory_client import Served
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


def test_a_vacation_is_said_and_ended(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("c")
        await player.sees("v: my vacations")
        await player.press("v")
        await player.sees("When are you on vacation? 30 d left this year")
        await player.press(*"soon", "enter")
        await player.sees("'soon' is no vacation;")
        await player.press("v")
        await player.sees("When are you on vacation?")
        await player.press(*"2023-11-20", "space", *"2023-11-25", "enter")
        await player.sees("You are on vacation for 6 days")
        await player.press("v")
        await player.sees("My vacations; 24 d left this year")
        await player.press(*"end", "enter")
        await player.sees("This vacation is over.")

    play(owned.address, scene, "ann@mine", dialect=PB, size=(110, 34))
