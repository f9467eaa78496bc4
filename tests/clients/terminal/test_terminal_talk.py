"""The box with blocked players in the terminal, as in `tpclient talk`."""

from typing import Any

import pytest

from tests.support.memory_client import Served
from tests.support.server_in_memory import result_of
from tpproto.dialects import PB
from tpserver.games.service import ownership

pytestmark = pytest.mark.thorough


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
        await player.sees("You get no messages to everybody in first.")
        await typed(player, "block ann")
        await player.sees("Refused: You cannot block yourself.")
        await typed(player, "shout")
        await player.sees("invalid choice: 'shout'")
        await typed(player, "silence ben 3 'too loud'")
        await player.sees("Refused: Only moderators can do this")

    play(workshop.address, scene, dialect=PB)


def test_who_watches_a_game_that_is_shown_later_is_told_and_talks_with_the_others(workshop: Served, play: Any) -> None:
    server = workshop.server
    workshop.do(lambda: result_of(ownership.set_watch_delay(server.registry, server.game(), 1, "The operator")))
    for _ in range(2):
        workshop.do(server.close_turn)
    now = server.game().state.turn

    async def scene(player: Any) -> None:
        await player.sees(f"You watch turn {now - 1} of {now}: the game shows its turns 1 turn later")
        await player.press("m", "w")
        await player.sees("All who watch")
        await player.press("escape", "t")
        await typed(player, "say 'Well played'")
        await player.sees("The spectators read it.")
        await typed(player, "spectators")
        await player.sees("Well played")

    play(workshop.address, scene, user="eve@first/watch", dialect=PB)
