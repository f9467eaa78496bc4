"""What players agree on at the terminal: proposed, voted on, withdrawn."""

from typing import Any

import pytest

from tests.support.memory_client import Served
from tpclient.terminal.agreements_screen import AgreementsScreen
from tpclient.terminal.game_screen import GameScreen
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


def test_a_proposal_is_made_and_withdrawn_and_another_agreed_to(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("A")
        await player.until(lambda: isinstance(player.app.screen, AgreementsScreen))
        await player.sees("Nothing is proposed.")
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"extension", "enter")
        await player.sees("How much time?")
        await player.press(*"10", "space", *"min", "enter")
        await player.sees("You have proposed to give this turn 10 minutes more")
        await player.sees("waits for ann")
        await player.press("a")
        await player.sees("There is no proposal that you could agree to.")
        await player.press("x")
        await player.sees("is withdrawn, and all are told.")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, GameScreen))

    play(owned.address, scene, "ben@mine", dialect=PB, size=(110, 34))


def test_whoever_has_made_the_game_stops_the_clock_at_once_and_resigns_after_a_question(
    owned: Served, play: Any
) -> None:
    async def scene(player: Any) -> None:
        await player.press("A")
        await player.sees("p: propose something")
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"pause", "enter")
        await player.sees("The clock stands, and all are told.")
        assert owned.server.game("mine").row.state == "paused"
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"resign", "enter")
        await player.sees("Give the game up; it goes on without you as long as others play?")
        await player.press("n")
        assert owned.server.game("mine").row.state == "paused"
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"resign", "enter")
        await player.sees("Give the game up")
        await player.press("y")
        await player.sees("You have resigned, and all are told.")
        assert owned.server.game("mine").row.state == "over"

    play(owned.address, scene, "ann@mine", dialect=PB, size=(110, 34))


def test_over_tp04_it_is_said_where_to_read_it(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("A")
        await player.hears("told over Protocol Buffers")

    play(owned.address, scene, "ben@mine")
