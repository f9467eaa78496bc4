"""Style of a game in the terminal: player colors, place names, scores."""

from collections.abc import Callable
from typing import Any

import pytest
from rich.color import Color

from tests.support.memory_client import Served
from tpclient.appearance import PLAIN, Appearance, on_dark, read_appearance, scores_of
from tpclient.terminal.game_screen import GameScreen
from tpproto import tp_pb2
from tpproto.dialects import PB, TP04
from tpserver.rules.discovery import discover

pytestmark = pytest.mark.thorough

Play = Callable[..., None]


@pytest.fixture
def two_games(make_served: Callable[..., Served]) -> Served:
    """A server with a game of Swarm and one of Colony Battle, both of ann and ben."""
    served = make_served(found=discover())
    for ruleset in ("swarm", "colony_battle"):
        served.do(served.server.begin, "ann", "ben", ruleset=ruleset, game=ruleset)
    return served


def test_colours_places_and_scores_are_those_of_the_game(two_games: Served, play: Play) -> None:
    """Players have the game's colours on the map and in the lists; its place names are shown, found and ordered by."""

    async def scene(player: Any) -> None:
        screen: GameScreen = player.game_screen
        universe = screen.link.universe
        assert universe.appearance.players == {1: "#c8362b", 2: "#1f68b0"}
        assert screen.marks is not None
        for number, colour in universe.appearance.players.items():
            assert screen.marks.shape((number,)).style.color == Color.parse(on_dark(colour))
        await player.sees("Surface 1,6")
        await player.press("slash", *"Surface 2,6")
        await player.sees("Surface 2,6, ")
        await player.press("escape", "w")
        await player.sees("Workers 0, Soldiers 0")
        assert "ann (you)" in player.text
        assert "awaited" in player.text
        await player.press("escape")
        await player.sees("owners (v)")

    play(two_games.address, scene, "ann@colony_battle", size=(100, 30), dialect=PB)


def test_without_such_requests_all_is_as_it_was(two_games: Served, play: Play) -> None:
    """TP04 has none of them: colors of the terminal, names as the game stores them, and players without figures."""

    async def scene(player: Any) -> None:
        screen: GameScreen = player.game_screen
        assert screen.link.universe.appearance is PLAIN
        await player.sees("0:1,6")
        await player.press("w")
        await player.sees("ben")
        assert "Workers 0, Soldiers" not in player.text

    play(two_games.address, scene, "ann@colony_battle", size=(100, 30), dialect=TP04)


def test_places_are_named_as_the_game_says() -> None:
    """By the coordinates with which their names begin; others keep theirs. The page's tests have the same cases."""
    three = Appearance(places="{board} {column},{row}", boards={"The Surface": "Surface"})
    assert three.place("0:5,3", "The Surface") == "Surface 5,3"
    assert three.place("12, 6 below", "Below") == "Below 12,6"
    assert three.place("ann's Home", "The Surface") == "ann's Home"
    assert three.place("b4", "Board") == "Board b,4"
    assert PLAIN.place("0:5,3", "The Surface") == "0:5,3"


def test_what_cannot_be_used_is_left_out() -> None:
    """Colours that are none, words and figures without end."""
    told = tp_pb2.Appearance(players=["red", "#12345g", "#ABCDEF", "url(#x)"], places="x" * 5000)
    read = read_appearance(told)
    assert read.players == {3: "#ABCDEF"}
    assert len(read.places) == 100
    figures = [tp_pb2.Figure(name=f"f{at}" * 200, number=at) for at in range(20)]
    standing = tp_pb2.Standing(scores=[tp_pb2.PlayerScore(id=2, figures=figures)])
    assert [len(name) for name, _ in scores_of(standing, 2)] == [100] * 8
    assert scores_of(standing, 1) == []


@pytest.mark.parametrize("colour", ["#000000", "#0000ff", "#c8362b", "#ffffff"])
def test_colours_can_be_read_on_a_dark_ground(colour: str) -> None:
    red, green, blue = (int(on_dark(colour)[at : at + 2], 16) for at in (1, 3, 5))
    assert 0.299 * red + 0.587 * green + 0.114 * blue >= 140
