"""The box about talk: whom one hears is told and changed there, as by tpclient talk."""

from typing import Any

from tests.support.memory_client import Served
from tpproto.dialects import PB


async def typed(player: Any, words: str) -> None:
    player.app.screen.query_one("#typed").value = words
    await player.press("enter")


def test_an_account_is_blocked_and_what_is_wrong_is_told(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("m", "t")
        await player.sees("You have blocked nobody.")
        await player.sees("players write to each other and to everybody.")
        await typed(player, "block ben")
        await player.sees("You have blocked ben.")
        await typed(player, "mute")
        await player.sees("You hear no letters to everybody in first.")
        await typed(player, "block ann")
        await player.sees("Refused: You cannot block yourself.")
        await typed(player, "shout")
        await player.sees("invalid choice: 'shout'")
        await typed(player, "silence ben 3 'too loud'")
        await player.sees("Refused: This is for moderators")

    play(workshop.address, scene, dialect=PB)
