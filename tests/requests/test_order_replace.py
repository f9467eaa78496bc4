"""OrderReplace: one order takes the place of another, or nothing changes.

Only Protocol Buffers and JSON have it.
"""

from __future__ import annotations

import pytest

from tests.support.server_in_memory import BID, GIFT, Client, Server, chosen, number, state_of, target, text, view_of
from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME

FRAME, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 3, 4, 5
WORK, FLEET, OTHERS_FLEET = 1, 4, 7
"""The order of a synthetic game, and what carries it."""


@pytest.fixture(params=["pb", "json"])
def two(request: pytest.FixtureRequest, server: Server) -> list[Client]:
    """Two players of an auction whose turns only the operator closes."""
    server.create(clock="manual")
    return server.players(2, request.param)


@pytest.fixture
def fleets(server: Server) -> list[Client]:
    """Two players of a game in which a fleet takes many orders."""
    server.create("fleets", "synthetic", 2, options={"objects": 20}, clock="manual")
    return server.players(2, "pb")


def test_the_new_order_is_where_the_old_one_was(fleets: list[Client]):
    """The answer is the order as GetOrder reads it; the queue is as long as before, and newer."""
    ann, _ = fleets
    for value in (1, 2, 3):
        ann.insert(FLEET, WORK, number(value))
    before = ann.ids()[FLEET]
    answer = ann.replace(FLEET, WORK, number(9), slot=1)
    queue = ann.queue(FLEET)
    assert [order.parameters[0].range.value for order in queue] == [1, 9, 3]
    assert answer.message == queue[1]
    assert ann.ids()[FLEET] > before
    assert ann.ask("get_order_queue", ids=[FLEET]).message.num_orders == 3


def test_what_may_be_given_once_is_replaced(two: list[Client]):
    """One bid a round is allowed, so nobody could insert the new one before the old one is gone."""
    ann, _ = two
    ann.bid(3, "first")
    assert ann.bid(4).code == TEMPORARILY
    assert ann.replace(ann.home, BID, number(4), text("second"), slot=0).name == "order"
    (order,) = ann.queue(ann.home)
    assert (order.parameters[0].range.value, order.parameters[1].string.string) == (4, "second")


def test_a_replacement_that_is_refused_leaves_the_old_order(two: list[Client]):
    """Each with its code and what it is about; nothing else changes for anybody."""
    ann, ben = two
    ann.bid(3, "first")
    ben.bid(5, "a secret")
    game = ann.session.game
    before, views, queue = state_of(game), repr(view_of(game)), ann.queue(ann.home)
    bid = (number(1), text(""))
    for on, otype, parameters, slot, code in (
        (ann.home, BID, (number(10), text("")), 0, FRAME),
        (ann.home, BID, (number(1), text("x" * 21)), 0, FRAME),
        (ann.home, GIFT, (target(ben.home), chosen((5, 1))), 0, FRAME),
        (ann.home, GIFT, (target(1), chosen((1, 1))), 0, NO_SUCH_THING),
        (ann.home, BID, bid, 1, NO_SUCH_THING),
        (ann.home, BID, bid, -1, NO_SUCH_THING),
        (ann.home, BID, bid, 2**31 - 1, NO_SUCH_THING),
        (ben.home, BID, bid, 0, DENIED),
        (ben.home, BID, bid, 1, DENIED),
        (4_000_000_000, BID, bid, 0, NO_SUCH_THING),
    ):
        answer = ann.replace(on, otype, *parameters, slot=slot)
        assert answer.code == code, (on, otype, slot, answer)
        assert answer.text
        assert [(one.type, one.id) for one in answer.message.references][:2] == [(13, on), (2, otype)]
    assert ann.replace(ann.home, 99, *bid, slot=0).code == NO_SUCH_THING
    assert (state_of(game), repr(view_of(game)), ann.queue(ann.home)) == (before, views, queue)


def test_a_draft_takes_the_place_of_an_order_and_an_order_that_of_a_draft(two: list[Client]):
    ann, ben = two
    gift = (target(ben.home), chosen((1, 2)))
    for parameters, turns in ((gift, 1), ((target(0), chosen()), 0), (gift, 1)):
        if ann.queue(ann.home):
            ann.replace(ann.home, GIFT, *parameters, slot=0)
        else:
            ann.insert(ann.home, GIFT, *parameters)
        assert [order.turns for order in ann.queue(ann.home)] == [turns]


def test_it_is_answered_when_it_is_saved_and_read_again_after_a_crash(make_server):
    server = make_server(delayed=True)
    server.create("first", "synthetic", 2, options={"objects": 20}, clock="manual")
    ann, _ = server.players(2, "pb")
    ann.insert(FLEET, WORK, number(1))
    server.disk.at_once = False
    asked = ann.post_message(BY_NAME["order_replace"], ann.order(FLEET, WORK, number(2), slot=0))
    assert not asked.came
    for name, value in (("before", 1), ("after", 2)):
        if value == 2:
            server.disk.commit(1)
        crashed = server.crashed(server.path.with_name(f"{name}.sqlite"))
        (order,) = crashed.game("first").state.queues[FLEET]
        assert list(order.args.values()) == [value]
        crashed.stop()
    assert asked.reply.name == "order"


@pytest.mark.parametrize("title", ["tp03", "tp04", "padded"])
def test_historical_dialects_do_not_have_it(server: Server, title: str):
    """Its number is refused as any that is unknown; the connection stays usable."""
    server.create(clock="manual")
    ann, _ = server.players(2, title)
    ann.bid(3)
    before = state_of(ann.session.game)
    assert ann.raw(1000, tp.Order().SerializeToString()).code == FRAME
    assert state_of(ann.session.game) == before
    assert ann.ask("ping").name == "okay"
