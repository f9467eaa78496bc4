"""The screen at several sizes, and the message where it is too small."""

from itertools import pairwise
from typing import Any

import pytest
from textual.widgets import Footer, Input

from tests.support.memory_client import Frames, Request, Served, write
from tests.support.workshop import BOAT
from tpproto import tp_pb2 as tp

LONG = "The server refused this for a reason that does not fit into one line of any terminal: " + "so it is. " * 12


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(80, 24), (160, 50), (60, 16)])
def test_the_last_lines_are_apart(workshop: Served, play: Any, size: tuple[int, int]) -> None:
    """Message, news and keys each have separate lines, for any length of the message and any open window.

    The last line of the screen has the keys, and no other text.
    """
    workshop.do(write, workshop.server.seated["ben"], 1, "Report", "With very many words. " * 20)

    def apart(player: Any) -> None:
        screen = player.app.screen
        below = sorted((one.region for one in screen.children if one.is_on_screen), key=lambda one: one.y)
        assert all(upper.bottom <= lower.y for upper, lower in pairwise(below)), below
        assert below[-1].bottom == size[1]
        assert screen.query_one(Footer).region.y == size[1] - 1

    async def scene(player: Any) -> None:
        lines = player.text.splitlines()
        assert lines[-1].startswith("? help q quit")
        assert not player.said
        player.game_screen.say(LONG)
        await player.pilot.pause()
        apart(player)
        assert player.text.splitlines()[-1].startswith("? help q quit")
        assert player.text.splitlines()[-2].strip()
        assert "The server refused this for a reason that does not fit" in player.text
        if size[0] == 80:
            assert player.text.splitlines()[-5].rstrip().endswith("…")  # the news, cut with a sign that it is
        player.game_screen.go_to(BOAT)
        await player.press("o")
        await player.until(lambda: player.game_screen.form is not None)
        apart(player)
        await player.press("escape", "m")
        await player.press("w")
        screen = player.app.screen
        screen.query_one(Input).value = "Hello"
        await player.press("ctrl+s")
        await player.until(lambda: player.app.screen is not screen, "it was not posted")
        await player.sees("Posted to ben")
        apart(player)
        assert player.text.splitlines()[-1].startswith("esc back w write x remove X remove all")

    play(workshop.address, scene, size=size)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [(80, 24), (160, 50), (60, 16)])
def test_no_window_covers_the_keys(workshop: Served, play: Any, size: tuple[int, int]) -> None:
    """Rules, the lists to find and to tick, and the question are shown whole, above the last line."""

    def listed(request: Request) -> Frames:
        ids = [tp.IdAndTime(id=number, modtime=1) for number in range(1, 41)]
        return [("resource_ids", tp.IDSequence(key=1, ids=ids, fromtime=1))]

    def told(request: Request) -> Frames:
        ores = [tp.Resource(id=number, singular_name=f"ore {number}") for number in request.message.ids]
        return [("sequence_of", tp.Sequence(number=len(ores))), *(("resource", ore) for ore in ores)]

    rules = tp.Rules(ruleset="workshop", text="## Pieces\n\n### Boat\n\n" + "It goes by water. " * 200)
    workshop.server.scripts |= {"get_resource_ids": listed, "get_resource": told}
    workshop.server.scripts["get_rules"] = lambda request: [("rules", rules)]

    async def scene(player: Any) -> None:
        player.game_screen.go_to(BOAT)
        for keys, inside in (
            (["r"], "It goes by water."),
            (["slash"], "things."),
            (["t"], "enter: done"),
            (["m", "x"], "Remove (y)"),
        ):
            await player.press(*keys)
            await player.until(lambda: len(player.app.screen_stack) > 2)
            (window,) = player.app.screen.children
            assert window.region.bottom < size[1]
            lines = player.text.splitlines()
            assert lines[-1].startswith(("? help q quit", "esc back w write")), lines[-1]
            bottom = window.region.bottom - 1
            assert "╰" in lines[bottom]
            assert inside in player.text
            await player.press("escape")

    play(workshop.address, scene, size=size)


@pytest.mark.thorough
def test_a_smaller_terminal_shows_the_map_around_the_cursor(served: Served, play: Any) -> None:
    """After a resize the lines of the screen are those of the cells that fit now, and the cursor is among them."""
    served.do(served.server.begin, "ann", "ben", ruleset="tae")  # whose board is large

    async def scene(player: Any) -> None:
        player.game_screen.map.cursor = (0, 0)
        await player.pilot.pause()
        before = player.text.splitlines()
        assert any("[" in line for line in before)
        await player.pilot.resize_terminal(60, 16)
        await player.pilot.pause()
        await player.until(lambda: player.game_screen.map.size.height < 12)
        rows = [line for line in player.text.splitlines()[2:-3] if line[:30].strip()]
        assert len(rows) >= 8, player.text
        assert any("[" in line for line in rows)

    play(served.address, scene, size=(160, 50))


def test_twenty_columns_have_all_of_the_sentence(workshop: Served, play: Any) -> None:
    """Nothing of it is cut, and nothing else is on the screen."""

    async def scene(player: Any) -> None:
        await player.sees("q quits.")
        await player.until(lambda: player.app.link is None or player.game_screen is not None)
        words = " ".join(player.text.split())
        assert words == (
            "This terminal has 20 columns and 10 lines; the game needs 60 by 16. Make it larger, or use the plain "
            "commands, as tpclient status. q quits."
        )

    play(workshop.address, scene, size=(20, 10), at_table=False)


@pytest.mark.thorough
@pytest.mark.parametrize(("size", "words"), [((20, 24), "has 20 columns and 24 lines"), ((80, 6), "80 columns and 6")])
def test_a_terminal_that_is_too_small(workshop: Served, play: Any, size: tuple[int, int], words: str) -> None:
    """It says so in a sentence, and when the terminal grows the game is there."""

    async def scene(player: Any) -> None:
        await player.sees(words)
        await player.pilot.resize_terminal(80, 24)
        await player.sees("owners (v)")

    play(workshop.address, scene, size=size, at_table=False)
