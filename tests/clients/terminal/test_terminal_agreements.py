"""Agreements at the terminal: propose, vote, withdraw."""

from typing import Any

import pytest

from tests.support.memory_client import Served
from tests.support.server_in_memory import result_of
from tpclient.terminal.agreements_screen import AgreementsScreen
from tpclient.terminal.game_screen import GameScreen
from tpproto.dialects import PB
from tpserver.games.terms.seat_policy import SeatPolicy

pytestmark = pytest.mark.thorough


def test_a_proposal_is_made_and_withdrawn_and_another_agreed_to(owned: Served, play: Any) -> None:
    policy = SeatPolicy(absent_after=2, silent_days=14)
    owned.do(lambda: result_of(owned.server.registry.seat_changes.set_policy(owned.server.game("mine"), policy, "x")))

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
        await player.sees("is withdrawn, and all players are notified.")
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"seats", "enter")
        await player.sees("14d: a turn without a deadline waits 14 days")
        await player.press("end", "backspace", "backspace", "backspace", *"3d", "enter")
        await player.sees("You have proposed another rule about absent players")
        policy = owned.server.game("mine").proposals[-1].arguments["policy"]
        assert (policy["absent_after"], policy["silent_days"]) == (2, 3)
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, GameScreen))

    play(owned.address, scene, "ben@mine", dialect=PB, size=(110, 34))


def test_whoever_has_made_the_game_proposes_a_pause_and_a_clock_and_resigns_after_a_question(
    owned: Served, play: Any
) -> None:
    async def scene(player: Any) -> None:
        await player.press("A")
        await player.sees("p: propose something")
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"pause", "enter")
        await player.sees("You have proposed to stop the clock")
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"clock", "enter")
        await player.sees("Give the game another clock")
        await player.press(*"interval:60", "enter")
        await player.sees("You have proposed to give the game another clock")
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"resign", "enter")
        await player.sees("Give the game up; it goes on without you as long as others play?")
        await player.press("n")
        assert owned.server.game("mine").row.state == "running"
        await player.press("p")
        await player.sees("What do you propose?")
        await player.press(*"resign", "enter")
        await player.sees("Give the game up")
        await player.press("y")
        await player.sees("You have resigned, and all players are notified.")
        assert owned.server.game("mine").row.state == "over"

    play(owned.address, scene, "ann@mine", dialect=PB, size=(110, 34))


def test_over_tp04_it_is_said_where_to_read_it(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("A")
        await player.hears("needs Protocol Buffers")

    play(owned.address, scene, "ben@mine")
