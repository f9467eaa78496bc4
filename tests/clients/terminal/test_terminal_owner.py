"""The owner's box in the terminal: the same words as `tpclient game`."""

from typing import Any

import pytest

from tests.clients.test_plain_owning import made
from tests.support.memory_client import Served
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


async def typed(player: Any, words: str) -> None:
    player.app.screen.query_one("#typed").value = words
    await player.press("enter")


def test_a_game_is_changed_and_what_is_refused_is_told(workshop: Served, play: Any) -> None:
    made(workshop)

    async def scene(player: Any) -> None:
        await player.press("G")
        await player.sees("For the owner of this game")
        await typed(player, "close")
        await player.sees("is for invited players only now, and all players are notified.")
        await typed(player, "rename first")
        await player.sees("Refused: The game is already called 'first'.")
        await typed(player, "hand-over ben")
        await player.sees("The game first now belongs to ben, and all players are notified.")
        await typed(player, "abort 'no time'")
        await player.sees("Refused: Only the owner of the game 'first' can do this.")
        await typed(player, "explode")
        await player.sees("invalid choice: 'explode'")

    play(workshop.address, scene, dialect=PB)
