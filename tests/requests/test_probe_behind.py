"""OrderProbe behind the orders of a queue (`Order.judged`).

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.server_in_memory import BID, Client, Server, number, order, state_of, target, text
from tpproto import tp_pb2 as tp
from tpserver.games.core import phases

EMPTY, INSERTED, REPLACED = 0, 1, 2
FRAME, TEMPORARILY = 1, 3


def probed(client: Client, asked: tp.Order, judged: int) -> Any:
    sent = tp.Order(judged=judged)
    sent.MergeFrom(asked)
    return client.say("order_probe", sent)


@pytest.fixture(params=["pb", "json"])
def two(request: pytest.FixtureRequest, server: Server) -> list[Client]:
    """Two players of an auction, in which one bid a round is allowed."""
    server.create(clock="manual")
    return server.players(2, request.param)


def test_a_probe_says_what_the_request_itself_would(two: list[Client]):
    """As if the queue were empty, behind it, and in the place of an order; none of them changes anything."""
    ann, _ = two
    assert ann.bid(3).name == "order"
    again = order(ann.home, BID, number(4), text(""))
    before = state_of(ann.session.game)
    assert probed(ann, again, EMPTY).name == "order"
    behind = probed(ann, again, INSERTED)
    assert (behind.code, behind.text) == (TEMPORARILY, ann.bid(4).text)
    again.slot = 0
    assert probed(ann, again, REPLACED).name == "order"
    assert state_of(ann.session.game) == before
    assert ann.say("order_replace", again).name == "order"


@pytest.mark.parametrize("judged", [3, 4294967295])
def test_another_way_to_judge_is_refused(two: list[Client], judged: int):
    ann, _ = two
    assert probed(ann, order(ann.home, BID, number(4), text("")), judged).code == FRAME


def test_who_has_resigned_probes_no_more_than_is_accepted(two: list[Client]):
    """A trial of an insertion is refused as the insertion is."""
    ann, _ = two
    assert ann.ask("propose", game="first", kind="resign").name == "okay"
    asked = order(ann.home, BID, number(4), text(""))
    assert probed(ann, asked, INSERTED).text == ann.say("order_insert", asked).text


def test_a_step_that_needs_the_one_before_it_is_offered(server: Server):
    """Swarm: a cube steps twice. The second step is refused as if there were no first one, and accepted behind it."""
    server.create(ruleset="swarm", clock="manual")
    client = next(one for one in server.players(2, "pb") if one.seat in phases.active(server.game()))
    for _ in range(server.game().state.world.movement):
        steps = _steps(client)
        if any(probed(client, step, EMPTY).name == "fail" for step in steps):
            break
        assert client.say("order_insert", steps[0]).name == "order"
    else:
        raise AssertionError("no step needs another one")
    assert {probed(client, step, INSERTED).name for step in steps} == {"order"}


def _steps(client: Client) -> list[tp.Order]:
    """The steps that the server says can be given now, at the end of the queue."""
    one = client.ask("get_legal_orders").message.orders[0]
    orders = [order(one.id, one.otype)]
    for _ in range(2):  # the cube, and where it goes
        orders = [
            order(one.id, one.otype, *begun.parameters, target(number))
            for begun in orders
            for number in _values(client, begun)
        ]
    return orders


def _values(client: Client, begun: tp.Order) -> list[int]:
    found: list[int] = []
    start = 0
    while True:
        asked = {"id": begun.id, "otype": begun.otype, "parameters": begun.parameters, "start": start}
        told = client.ask("get_legal_values", **asked).message
        found += told.ids
        start = told.following
        if not start:
            return found
