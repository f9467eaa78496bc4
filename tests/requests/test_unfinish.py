"""UnfinishTurn: a player takes back that the turn is finished.

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

import pytest

from tests.support.server_in_memory import Client, Server
from tpserver.games.turns.order_intake import MOST_UNFINISHED

PERMANENTLY, TEMPORARILY = 2, 3


@pytest.fixture(params=["pb", "json"])
def two(request: pytest.FixtureRequest, server: Server) -> list[Client]:
    """Two players of an auction that closes when all are done."""
    server.create(clock="all-done")
    return server.players(2, request.param)


def waiting(client: Client) -> list[int]:
    return list(client.ask("get_time_remaining").message.waiting)


def test_who_was_done_is_awaited_again(two: list[Client]):
    """The turn does not close when the others have finished. The player can order and finish as usual."""
    ann, ben = two
    game = ann.session.game
    assert ann.ask("finished_turn").name == "okay"
    assert waiting(ben) == [2]
    assert ann.ask("unfinish_turn").message.result == "You are not done with this turn"
    assert waiting(ben) == [1, 2]
    assert ben.ask("finished_turn").name == "okay"
    assert game.state.turn == 0
    assert ann.bid(3).name == "order"
    assert ann.ask("finished_turn").name == "okay"
    assert game.state.turn == 1
    assert waiting(ben) == [1, 2]


def test_the_others_are_told(two: list[Client]):
    ann, ben = two
    ann.ask("finished_turn")
    ben.pushed.clear()
    ann.ask("unfinish_turn")
    ((name, told),) = ben.pushed
    assert (name, list(told.waiting)) == ("time_remaining", [1, 2])


def test_who_was_not_done_is_told_so(two: list[Client]):
    ann, _ = two
    before = ann.session.game.last_entry
    assert ann.ask("unfinish_turn").message.result == "You were not done with this turn"
    assert ann.session.game.last_entry == before, "nothing to write down"


def test_it_survives_a_restart(server: Server, two: list[Client]):
    """The journal has both changes, and their number."""
    ann, ben = two
    ben.ask("finished_turn")
    ben.ask("unfinish_turn")
    ann.ask("finished_turn")
    game = server.restarted().game()
    assert game.finished == {0}
    assert game.counts.unfinished == {1: 1}


def test_a_turn_that_is_being_computed_or_over_cannot_be_taken_back(two: list[Client]):
    ann, _ = two
    game = ann.session.game
    ann.ask("finished_turn")
    game.closing = True
    refused = ann.ask("unfinish_turn").message
    assert (refused.code, refused.result) == (TEMPORARILY, "The turn is being computed; try again in a moment.")
    game.closing = False
    assert game.finished == {0}


def test_it_can_be_done_some_times_a_turn(two: list[Client]):
    """Each time is an entry of the journal; in the next turn it can be done as often again."""
    ann, ben = two
    game = ann.session.game
    for _ in range(MOST_UNFINISHED):
        ann.ask("finished_turn")
        assert ann.ask("unfinish_turn").name == "okay"
    ann.ask("finished_turn")
    refused = ann.ask("unfinish_turn")
    assert (refused.name, refused.message.code) == ("fail", TEMPORARILY)
    assert f"You have taken this back {MOST_UNFINISHED} times in this turn" in refused.message.result
    assert game.finished == {0}
    ben.ask("finished_turn")
    ann.ask("finished_turn")
    assert ann.ask("unfinish_turn").name == "okay"
