"""Requests that name their turn: in another turn they are refused.

Nothing else happens then.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.server_in_memory import BID, Client, Server, number, order, state_of, text
from tpproto import tp_pb2 as tp

GONE = 6


@pytest.fixture(params=["pb", "json"])
def two(request: pytest.FixtureRequest, server: Server) -> list[Client]:
    """Two players of an auction that ann has made."""
    ann = server.player("ann", request.param, server.create("other").name)
    made = {"name": "first", "ruleset": "auction", "seats": 2, "clock": "interval:300"}
    assert ann.ask("create_game", **made).name == "okay"
    return server.players(2, request.param, "first")


def bid(turn: int | None) -> tp.Order:
    asked = order(2, BID, number(3), text(""))
    if turn is not None:
        asked.turn = turn
    return asked


CHANGES: dict[str, Any] = {
    "finished_turn": lambda turn: tp.FinishedTurn(turn=turn),
    "unfinish_turn": lambda turn: tp.UnfinishTurn(turn=turn),
    "order_insert": bid,
    "order_replace": bid,
    "remove_order": lambda turn: tp.GetWithIDSlot(id=2, slots=[0], turn=turn),
    "propose": lambda turn: tp.Propose(game="first", kind="draw", turn=turn),
    "set_autopilot": lambda turn: tp.SetAutopilot(turns=2, turn=turn),
}


def test_what_is_meant_for_another_turn_is_refused(two: list[Client]):
    """Of the past and of the future, turn 0 as well: nothing is marked, ordered or written down."""
    ann, _ = two
    ann.server.close_turn()
    assert ann.bid(5).name == "order"
    before = state_of(ann.server.game())
    for name, made in CHANGES.items():
        for turn in (0, 2, 4294967295):
            refused = ann.say(name, made(turn))
            assert (name, refused.code) == (name, GONE)
            assert f"This is turn 1, and you meant turn {turn}" in refused.text
    assert state_of(ann.server.game()) == before


@pytest.mark.parametrize("turn", [0, None])
def test_the_present_turn_is_meant_where_it_is_named_or_none_is(two: list[Client], turn: int | None):
    """Games begin with turn 0; programs that were written before name none."""
    ann, _ = two
    assert ann.say("order_insert", bid(turn)).name == "order"
    assert ann.say("remove_order", CHANGES["remove_order"](turn)).name == "okay"
    assert ann.say("propose", CHANGES["propose"](turn)).name == "okay"
    assert ann.say("finished_turn", CHANGES["finished_turn"](turn)).name == "okay"
    assert ann.session.game.finished == {0}
    assert ann.say("unfinish_turn", CHANGES["unfinish_turn"](turn)).name == "okay"
    assert ann.session.game.finished == set()


def test_who_presses_as_the_turn_ends_does_not_finish_the_next_one(two: list[Client]):
    """The time of turn 0 is up while the message is on its way: turn 1 waits for its player as before."""
    ann, _ = two
    ann.server.pass_time(300)
    game = ann.session.game
    assert game.state.turn == 1
    assert ann.say("finished_turn", tp.FinishedTurn(turn=0)).code == GONE
    assert game.finished == set()
