"""Roll call: a game begins when all players have confirmed their presence.

Players who do not confirm lose their seats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_games.auction import Auction

from tests.games.test_clock_turns import told
from tests.games.test_stand_ins import replayed
from tests.support.server_in_memory import BEGINNING, Server
from tpserver.games.core import attendance, phases
from tpserver.games.core.errors import GameError
from tpserver.games.terms.seat_policy import LONGEST_ROLL_CALL, SeatPolicy
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
    """The last player to join is present by that. Programs of 2010 finish the turn to confirm."""
    create(server)
    ann, ben, cem = server.player("ann", "pb"), server.player("ben"), server.player("cem", "pb")
    assert (server.game().started, server.game().row.due) == (False, BEGINNING + SECONDS)
    assert phases.title(server.game()) == "Waiting until all say that they are here (1 of 3)"
    (asked,) = told(ann, "Are you here?")
    assert "Players who have not by 2023-11-14 22:23 (UTC) lose their seats." in asked
    assert ann.ask("say_here").text == "You are marked as here; the game begins when all players are"
    before = server.game().last_entry
    ann.ask("say_here")
    assert (server.game().last_entry, server.game().started) == (before, False)
    assert ben.ask("finished_turn").name == "okay"
    assert server.game().started
    assert attendance.awaited(server.game()) == [0, 1, 2]  # nobody is done with the first turn by that
    assert server.game().row.due is None
    cem.bid(1)
    server.pass_time(SECONDS)
    assert names(server) == ["ann", "ben", "cem"]
    replayed(server)


def test_who_has_not_said_so_loses_the_seat_and_the_next_takes_it(server: Server):
    """The player may join again. Then all are asked again."""
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
    assert "no longer have a seat in the game 'first'" in ben.ask("get_time_remaining").text
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
        with pytest.raises(GameError, match="to confirm that they are here"):
            server.create("other", policy=SeatPolicy(roll_call=wrong))
