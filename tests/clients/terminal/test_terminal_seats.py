"""Who is away, at the terminal: being back, the own autopilot, and what whoever has made the game decides."""

from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tpclient.terminal.game_screen import GameScreen
from tpclient.terminal.seats_screen import SeatsScreen, policy_in, policy_text
from tpproto import tp_pb2
from tpproto.dialects import PB

pytestmark = pytest.mark.thorough


def test_the_seats_are_shown_and_decided_about(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("S")
        await player.until(lambda: isinstance(player.app.screen, SeatsScreen))
        await player.sees("The game waits for everybody.")
        await player.press("d", "end", "ctrl+u", *"2", "space", *"seek", "enter")
        await player.sees("In mine now: the game does not wait for a player who has missed 2 turns in a row")
        await player.press("d", "end", "ctrl+u", *"often", "enter")
        await player.sees("'often' cannot be read; say as 3 bot seek 80%")
        await player.press("x", *"9", "enter")
        await player.sees("There is no seat 9.")
        await player.press("x", *"2", "enter")
        await player.sees("Remove ben from the game?")
        await player.press("y")
        await player.sees("Seat 2 of mine seeks a player now; all are told.")
        await player.sees("absent, can be taken over")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, GameScreen))
        assert owned.server.game("mine").policy.absent_after == 2
        assert owned.server.game("mine").seeks_player(1)

    play(owned.address, scene, "ann@mine", dialect=PB, size=(110, 30))


def test_whoever_is_absent_says_that_he_is_here(owned: Served, play: Any) -> None:
    def miss(server: MemoryServer) -> None:
        ann = server.player("ann", "pb", "mine")
        ann.ask("set_seat_policy", game="mine", policy=tp_pb2.SeatPolicy(absent_after=1))
        ann.ask("finished_turn")
        server.pass_time(7200 + 660)
        assert server.game("mine").is_absent(1)

    owned.do(miss, owned.server)

    async def scene(player: Any) -> None:
        await player.press("S")
        await player.sees("absent, missed the last turn")
        await player.sees("h: I am here")
        assert "decide" not in player.text
        await player.press("d", "x")
        assert isinstance(player.app.screen, SeatsScreen)
        await player.press("h")
        await player.sees("You are back, and all are told.")
        assert not owned.server.game("mine").is_absent(1)

    play(owned.address, scene, "ben@mine", dialect=PB, size=(110, 30))


def test_turns_are_left_to_the_bot(served: Served, play: Any) -> None:
    def make(server: MemoryServer) -> None:
        server.create("flown", "tae", 2)
        server.player("ann", game="flown"), server.player("ben", game="flown")

    served.do(make, served.server)

    async def scene(player: Any) -> None:
        await player.press("S")
        await player.sees("b: let the bot play for me")
        await player.press("b", *"many", "enter")
        await player.sees("'many' is no number of turns from 0 to 100.")
        await player.press("b", *"3", "enter")
        await player.sees("left to the bot for 3 turns")
        await player.press("h")
        await player.sees("You are back, and all are told.")
        assert served.server.game("flown").players[0].record.autopilot == 0

    play(served.address, scene, "ann@flown", dialect=PB, size=(110, 30))


def test_over_tp04_it_is_told_how_to_see_it(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("S")
        await player.hears("told over Protocol Buffers")

    play(owned.address, scene, "ben@mine")


def test_whoever_finds_a_game_full_takes_a_seat_that_seeks_somebody(owned: Served, play: Any) -> None:
    """Without a game that is named twice, without another program; whoever does not want it is back in the lobby."""

    def offer(server: MemoryServer) -> None:
        server.player("ann", "pb", "mine").ask("remove_player", game="mine", player=2)
        server.connect("pb").ask("create_account", username="cem", password="cem's word")

    owned.do(offer, owned.server)

    async def scene(player: Any) -> None:
        await player.sees("mine is full, but seat 2, until now of Player 2, seeks a player.")
        await player.press("n")
        await player.sees("Your password is right: choose a game.")
        await player.press("enter")
        await player.sees("seeks a player.")
        await player.press("y")
        await player.until(lambda: player.app.game_screen is not None)
        assert owned.server.game("mine").players[1].name == "cem"

    play(owned.address, scene, "cem@mine", dialect=PB, at_table=False)


def test_policies_as_people_type_them() -> None:
    for text in ("0 rules", "3 bot", "2 rules seek", "100 bot seek 80%"):
        policy = policy_in(text)
        assert policy is not None
        assert policy_text(policy) == text
    assert policy_text(tp_pb2.SeatPolicy()) == "0 rules"
    assert [policy_in(text) for text in ("101", "-1", "3 cats", "101%", "٣")] == [None] * 5
