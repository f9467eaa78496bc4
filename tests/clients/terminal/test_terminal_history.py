"""Old turns in the terminal, as the seat saw them, while the game goes on."""

from typing import Any

import pytest

from tests.support.memory_client import Served, fail
from tests.support.workshop import PLACE
from tpclient.terminal.past_screen import PastScreen
from tpproto.dialects import PB, TP03

pytestmark = pytest.mark.thorough


def carry_out(served: Served, *wishes: str) -> None:
    served.do(served.server.carry_out, served.server.seated["ben"], *wishes)


@pytest.fixture
def played(workshop: Served) -> Served:
    """A game in turn 2; since turn 1 a system is called Newtown, and since turn 2 Oldtown."""
    carry_out(workshop, f"name {PLACE} Newtown")
    carry_out(workshop, f"name {PLACE} Oldtown")
    return workshop


async def look_back(player: Any, words: str = "PAST: turn 1 of 2 (escape: back to the game) - Round 2") -> PastScreen:
    await player.press("H")
    await player.until(lambda: isinstance(player.app.screen, PastScreen), "there is no old turn")
    await player.sees(words)
    screen: PastScreen = player.app.screen
    return screen


def test_from_turn_to_turn(played: Served, play: Any) -> None:
    """One back and on, to the first and the newest; at the ends it is said; each turn is shown as it was seen then."""

    async def scene(player: Any) -> None:
        screen = await look_back(player)

        async def see(key: str, turn: int, name: str) -> None:
            await player.press(key)
            await player.sees(f"PAST: turn {turn} of 2 (escape: back to the game) - Round {turn + 1}")
            assert screen.link.universe.objects[PLACE].name == name
            assert screen.map.board.thing.id == 1

        assert screen.link.universe.objects[PLACE].name == "Newtown"
        await see("left_square_bracket", 0, "5, 3")
        await player.press("left_square_bracket")
        await player.sees("That is the first turn.")
        await see("right_square_bracket", 1, "Newtown")
        await see("right_curly_bracket", 2, "Oldtown")
        await player.press("right_square_bracket")
        await player.sees("That is the newest turn; escape goes back to the game.")
        await see("left_curly_bracket", 0, "5, 3")
        assert len(played.server.wires) == 2, "the turns that were left are still connected"
        await player.press("escape")
        await player.until(lambda: len(played.server.wires) == 1, "the turn that was left is still connected")
        assert player.app.screen is player.game_screen

    play(played.address, scene, dialect=PB)


def test_nothing_is_ordered_there_and_a_new_turn_is_told(played: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await look_back(player)
        played.server.asked.clear()
        await player.press("o", "space", "f", "U", "u", "enter", "enter")
        assert isinstance(player.app.screen, PastScreen)
        assert {"order_insert", "order_probe", "finished_turn"}.isdisjoint(kind for _, kind in played.server.asked)
        carry_out(played)
        await player.sees("PAST: turn 1 of 3")
        await player.sees("Turn 3 has begun: Round 4 (escape: back to the game)")
        await player.press("escape", "escape")  # from the list of what is there to the map, and back
        await player.sees("Round 4 - no deadline")

    play(played.address, scene)


def test_after_the_end(played: Served, play: Any) -> None:
    carry_out(played, "end")

    async def scene(player: Any) -> None:
        await player.sees("Game over: ann won")
        screen = await look_back(player, "PAST: turn 2 of 3 (escape: back to the game) - Round 3")
        assert screen.link.universe.objects[PLACE].name == "Oldtown"

    play(played.address, scene)


def test_a_turn_that_is_refused(played: Served, play: Any) -> None:
    """The server's words are said, and the turn stays that is shown."""

    async def scene(player: Any) -> None:
        played.server.next_time("login", fail(3, "Too many look back."))
        await player.press("H")
        await player.hears("Refused: Too many look back.")
        screen = await look_back(player)
        played.server.next_time("login", fail(3, "Too many look back."))
        await player.press("left_square_bracket")
        await player.sees("Refused: Too many look back.")
        await player.sees("PAST: turn 1 of 2 (escape: back to the game) - Round 2")
        await player.press("left_square_bracket")
        await player.sees("PAST: turn 0 of 2 (escape: back to the game) - Round 1")
        assert screen.turn == 0

    play(played.address, scene)


def test_tp03_does_not_tell_which_turns_there_are(played: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("H")
        await player.hears("In TP03 no server tells which turns there are; --dialect tp04 does.")

    play(played.address, scene, dialect=TP03)
