"""Games that begin when all have said that they are here; who has not loses the seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from server_in_memory import BEGINNING, Server
from test_games.auction import Auction

from tests.games.test_clock_turns import told
from tests.games.test_stand_ins import replayed
from tpserver.games.game import GameError
from tpserver.games.seating import LONGEST_ROLL_CALL, SeatPolicy
from tpserver.rules.discovery import Rulesets

FOUND = Rulesets({"auction": Auction()})
SECONDS = 600


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    made = make_server(found=FOUND)
    made.registry.load_all()
    return made


def create(server: Server, seats: int = 3, **more: Any) -> None:
    server.create("first", seats=seats, policy=SeatPolicy(roll_call=SECONDS), **more)


def names(server: Server) -> list[str]:
    return [player.name for player in server.game().players]


def test_a_full_game_waits_until_all_have_said_that_they_are_here(server: Server):
    """Who has come last is here by that; programs of 2010 say that they are done with the turn."""
    create(server)
    ann, ben, cem = server.player("ann", "pb"), server.player("ben"), server.player("cem", "pb")
    assert (server.game().started, server.game().row.due) == (False, BEGINNING + SECONDS)
    assert server.game().title() == "Waiting until all say that they are here (1 of 3)"
    (asked,) = told(ann, "Are you here?")
    assert "Whoever has not by 2023-11-14 22:23 (UTC) loses the seat." in asked
    assert ann.ask("say_here").text == "You are here; the game begins when all are"
    before = server.game().last_entry
    ann.ask("say_here")
    assert (server.game().last_entry, server.game().started) == (before, False)
    assert ben.ask("finished_turn").name == "okay"
    assert server.game().started
    assert server.game().awaited() == [0, 1, 2]  # nobody is done with the first turn by that
    assert server.game().row.due is None
    cem.bid(1)
    server.pass_time(SECONDS)
    assert names(server) == ["ann", "ben", "cem"]
    replayed(server)


def test_who_has_not_said_so_loses_the_seat_and_the_next_takes_it(server: Server):
    """He may come again; then all are asked anew."""
    create(server)
    ann, ben = server.player("ann", "pb"), server.player("ben", "pb")
    server.player("cem", "pb")
    ann.ask("say_here")
    server.pass_time(SECONDS - 1)
    assert names(server) == ["ann", "ben", "cem"]
    server.pass_time(1)
    assert names(server) == ["ann", "", "cem"]
    assert (server.game().started, server.game().row.due) == (False, None)
    assert told(ann, "A player is gone") == ["ben has not said to be here; the seat is open."]
    assert "no seat in the game 'first' any more" in ben.ask("get_time_remaining").text
    server.player("ben", "pb")
    assert (names(server), server.game().started) == (["ann", "ben", "cem"], False)
    ann.ask("say_here")
    server.player("cem", "pb").ask("say_here")
    assert server.game().started
    replayed(server)


def test_a_roll_call_goes_on_after_a_restart(server: Server):
    create(server, 2)
    server.player("ann"), server.player("ben")
    server = server.restarted(SECONDS - 1)
    assert names(server) == ["ann", "ben"]
    server.pass_time(1)
    assert names(server) == ["", "ben"]


def test_whoever_is_alone_with_bots_is_not_asked(server: Server):
    create(server, 1)
    server.player("ann")
    assert server.game().started


def test_its_time_is_bounded(server: Server):
    for wrong in (-1, LONGEST_ROLL_CALL + 1):
        with pytest.raises(GameError, match="to say that they are here"):
            server.create("other", policy=SeatPolicy(roll_call=wrong))
