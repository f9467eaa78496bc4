"""Absent players at the terminal: return, autopilot, owner's decisions."""

from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tests.support.server_in_memory import result_of
from tpclient.terminal.game_screen import GameScreen
from tpclient.terminal.seats_screen import SeatsScreen, policy_in, policy_text
from tpproto import tp_pb2
from tpproto.dialects import PB
from tpserver.games.core import attendance
from tpserver.games.terms.seat_policy import SeatPolicy

pytestmark = pytest.mark.thorough


def test_the_seats_are_shown_and_decided_about(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("S")
        await player.until(lambda: isinstance(player.app.screen, SeatsScreen))
        await player.sees("The game waits for everybody.")
        await player.sees("x: propose to remove a player")
        await player.press("d", "end", "ctrl+u", *"2", "space", *"seek", "space", *"9d", "enter")
        await player.sees("You have proposed another rule about absent players")
        await player.press("d", "end", "ctrl+u", *"often", "enter")
        await player.sees("'often' cannot be read; say as 3 bot seek 80%")
        await player.press("x", *"9", "enter")
        await player.sees("There is no seat 9.")
        await player.press("x", *"2", "enter")
        await player.sees("Remove ben from the game?")
        await player.press("y")
        await player.sees("You have proposed to remove ben from seat 2")
        await player.press("escape")
        await player.until(lambda: isinstance(player.app.screen, GameScreen))
        proposals = owned.server.game("mine").proposals
        assert [one.kind for one in proposals] == ["seats", "remove"]
        assert proposals[0].arguments["policy"]["silent_days"] == 9

    play(owned.address, scene, "ann@mine", dialect=PB, size=(110, 30))


def test_whoever_is_absent_says_that_he_is_here(owned: Served, play: Any) -> None:
    def miss(server: MemoryServer) -> None:
        ann = server.player("ann", "pb", "mine")
        policy = SeatPolicy(absent_after=1)
        result_of(server.registry.seat_changes.set_policy(server.game("mine"), policy, "The operator"))
        ann.ask("finished_turn")
        server.pass_time(7200 + 660)
        assert attendance.is_absent(server.game("mine"), 1)

    owned.do(miss, owned.server)

    async def scene(player: Any) -> None:
        await player.press("S")
        await player.sees("absent, missed the last turn")
        await player.sees("h: I am here")
        assert "decide" not in player.text
        await player.press("d", "x")
        assert isinstance(player.app.screen, SeatsScreen)
        await player.press("h")
        await player.sees("You are back, and all players are notified.")
        assert not attendance.is_absent(owned.server.game("mine"), 1)

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
        await player.sees("You are back, and all players are notified.")
        assert served.server.game("flown").players[0].record.autopilot == 0

    play(served.address, scene, "ann@flown", dialect=PB, size=(110, 30))


def test_over_tp04_it_is_told_how_to_see_it(owned: Served, play: Any) -> None:
    async def scene(player: Any) -> None:
        await player.press("S")
        await player.hears("needs Protocol Buffers")

    play(owned.address, scene, "ben@mine")


def test_whoever_finds_a_game_full_takes_a_seat_that_seeks_somebody(owned: Served, play: Any) -> None:
    """A second game name or another program is not needed. A player who declines is back in the lobby."""

    def offer(server: MemoryServer) -> None:
        result_of(server.registry.seat_changes.remove_player(server.game("mine"), 1, "The operator"))
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
    for text in ("0 rules", "3 bot", "2 rules seek", "100 bot seek 80%", "1 rules 365d", "0 rules seek 80% 1d"):
        policy = policy_in(text)
        assert policy is not None
        assert policy_text(policy) == text
    assert policy_text(tp_pb2.SeatPolicy()) == "0 rules"
    wrong = ("101", "-1", "3 cats", "101%", "٣", "366d", "d", "%", "-1d")
    assert [policy_in(text) for text in wrong] == [None] * len(wrong)
    typed = policy_in("\uff13 bot 80 % 14\u00a0d", roll_call=60)
    assert typed == tp_pb2.SeatPolicy(absent_after=3, absent="bot", reliability=80, silent_days=14, roll_call=60)
    assert policy_in("0") == tp_pb2.SeatPolicy(absent="rules", waits_for_silent=True)
