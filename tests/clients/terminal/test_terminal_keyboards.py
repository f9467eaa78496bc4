"""A Cyrillic keyboard: letters count as the Latin ones on the same keys.

In text fields they stay what they are.
"""

from typing import Any

from textual.widgets import Input

from tests.support.memory_client import Served
from tpclient.terminal.clock_screen import ClockScreen
from tpclient.terminal.dialogs import Find
from tpproto.dialects import PB


def test_a_cyrillic_letter_is_the_key_at_its_place(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("с")  # c
        await player.until(lambda: isinstance(player.app.screen, ClockScreen), "the clock is not shown")
        await player.press("й")  # q
        await player.until(lambda: player.app.screen is player.game_screen)
        await player.press("slash")
        await player.until(lambda: isinstance(player.app.screen, Find), "nothing can be found")
        await player.press("й", "с")
        await player.until(lambda: player.app.screen.query_one(Input).value == "йс", "it is typed as it is")
        await player.press("escape")

    play(workshop.address, scene, dialect=PB)
