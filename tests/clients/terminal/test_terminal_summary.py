"""Turn summaries in the terminal: the card, and the screen of all turns."""

from typing import Any

import pytest

from tests.clients.terminal.test_terminal_guard import close_turn
from tests.support.memory_client import Frames, Request, Served
from tests.support.workshop import BOAT
from tpclient.terminal.summary import SummaryScreen
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


def failing(request: Request) -> Frames:
    """The server's answer, in which each turn but the first begins with a report, and ends with one of a failure."""
    frames = request.answered()
    for name, one in frames:
        if name == "turn_summary" and one.turn:
            one.reports.add(subject=f"Fair {one.turn}", body="Wind")
            boat = tp.Reference(type=1, id=BOAT)
            one.reports.add(player=1, failed=True, subject=f"Move {one.turn}", body="[b]No[/b] wind", references=[boat])
    return frames


def card(player: Any) -> str:
    """The text of the card, or nothing if it is not shown."""
    found = player.game_screen.card
    return str(found.query_one("Static").content) if found.display else ""


def test_several_closings_at_once(workshop: Served, play: Any) -> None:
    """All are shown until they are closed, the newest first, in each the failures first. A form only hides them."""
    workshop.server.scripts["get_turn_summaries"] = failing

    async def scene(player: Any) -> None:
        screen = player.game_screen
        await player.until(lambda: "Welcome" in card(player), "the first turn is not told")
        for turn in (1, 2):
            await close_turn(player, workshop)
            await player.until(lambda turn=turn: screen.card.turns[-1:] == [turn])
        words = card(player)
        order = [
            "[turn 2] Round 3",
            "ann: failed: Move 2: [b]No[/b] wind",
            "Fair 2: Wind",
            "[turn 1]",
            "Fair 1",
            "[turn 0]",
        ]
        assert sorted(order, key=words.index) == order
        screen.go_to(BOAT)
        await player.press("o")
        await player.until(lambda: screen.form is not None)
        assert not card(player)
        await player.press("escape")
        await player.until(lambda: screen.form is None)
        assert card(player) == words
        await player.press("escape")
        assert not card(player)
        await close_turn(player, workshop)
        await player.until(lambda: screen.card.turns == [3], "the next turn is not told alone")

    play(workshop.address, scene, size=(120, 40), dialect=PB)


def test_what_was_acted_upon_is_not_told_again(workshop: Served, play: Any) -> None:
    """After an order, or the end of the turn, from here."""
    workshop.server.scripts["get_turn_summaries"] = failing

    async def scene(player: Any) -> None:
        screen = player.game_screen
        await player.until(lambda: screen.card.turns == [0])
        screen.asks = False
        await player.press("f")
        await player.hears("You are done with this turn")
        await close_turn(player, workshop)
        await player.until(lambda: screen.card.turns == [1])

    play(workshop.address, scene, dialect=PB)


def test_all_turns_by_a_key(workshop: Served, play: Any) -> None:
    """Also when the card was taken away; a report leads to where it was; a turn that begins comes to the others."""
    workshop.server.scripts["get_turn_summaries"] = failing

    async def scene(player: Any) -> None:
        await close_turn(player, workshop)
        await player.press("escape", "s")
        await player.until(lambda: isinstance(player.app.screen, SummaryScreen))
        await player.sees("What happened before the turns 0 to 1, the newest first")
        await player.sees("ann: failed: Move 1 [b]No[/b] wind")
        await close_turn(player, workshop)
        await player.sees("What happened before the turns 0 to 2, the newest first")
        await player.press("o")
        await player.sees("There are no older turns.")
        await player.press("down")
        await player.press("enter")
        await player.sees("The objects of this report are no longer on the map.")
        await player.press("up", "enter")
        await player.until(lambda: player.app.screen is player.game_screen, "it leads nowhere")
        assert player.game_screen.side.selected == BOAT

    play(workshop.address, scene, dialect=PB)


def test_in_tp04_the_board_tells(workshop: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        assert not card(player)
        await player.press("s")
        await player.hears("Turn reports need Protocol Buffers (--dialect pb). Press m for all messages.")

    play(workshop.address, scene)


def test_the_end_is_told_with_places_and_figures(workshop: Served, play: Any) -> None:
    """They are above the events, and no name of a figure does harm. A later login sees them, too."""

    def placed(request: Request) -> Frames:
        frames = request.answered()
        for name, one in frames:
            if name == "scores" and one.places:
                one.places[0].figures.add(name="Ha\x1bts", number=3)
        return frames

    workshop.server.scripts["get_scores"] = placed

    async def scene(player: Any) -> None:
        await player.until(lambda: "Welcome" in card(player))
        assert "The game is over" not in card(player)
        workshop.do(workshop.server.carry_out, workshop.server.seated["ben"], "end")
        await player.until(lambda: card(player).startswith("The game is over"), "the places are not told")
        words = card(player)
        order = ["1. ann", "Ha\\x1bts 3", "2. ben", "What happened"]
        assert sorted(order, key=words.index) == order

    async def later(player: Any) -> None:
        await player.until(lambda: card(player).startswith("The game is over"), "the places are not told")

    play(workshop.address, scene, dialect=PB)
    play(workshop.address, later, dialect=PB)
