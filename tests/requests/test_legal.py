"""GetLegalOrders and GetLegalValues: the orders that are possible now.

Only Protocol Buffers and JSON have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from test_games.auction import Auction, Bid, Gift

from tests.requests.odd_rulesets import ODD, breaking
from tests.support.server_in_memory import (
    BID,
    GIFT,
    SMALL_BOARD,
    Client,
    Server,
    chosen,
    number,
    state_of,
    target,
    text,
)
from tpproto import tp_pb2 as tp
from tprules.api import Choice, Order, Plan, Refusal
from tprules.api.legal import MOST_CHOICES
from tpserver.requests.play import legal
from tpserver.rules.discovery import Rulesets

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED, TOO_BIG = 1, 2, 3, 4, 5, 8
TAE_MOVE, LEADER = 2, 29


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer is cut because the machine is busy."""
    monkeypatch.setattr(legal, "perf_counter", lambda: 0.0)


@pytest.fixture(params=["pb", "json"])
def ann(request: pytest.FixtureRequest, server: Server) -> Client:
    """Ann in an auction with Ben, which only the operator closes."""
    server.create(clock="manual")
    return server.players(2, request.param)[0]


def possible(client: Client, *ids: int) -> list[tp.LegalOrder]:
    return list(whole(lambda start: client.ask("get_legal_orders", ids=ids, start=start), "orders"))


def values(client: Client, on: int, otype: int, *parameters: tp.OrderParameter) -> list[Any]:
    """All values, asked for part after part."""

    def ask(start: int) -> Any:
        return client.ask("get_legal_values", id=on, otype=otype, parameters=parameters, start=start)

    return list(whole(ask, "ids", "values"))


def whole(ask: Callable[[int], Any], *fields: str) -> Iterator[Any]:
    start = 0
    while True:
        reply = ask(start=start)
        assert reply.name in ("legal_orders", "legal_values"), reply.message
        for field in fields:
            yield from getattr(reply.message, field)
        following = reply.message.following
        if not following:
            return
        assert following > start
        start = following


def test_which_orders_can_be_given(ann: Client):
    home = ann.home
    assert [(one.id, one.otype, one.named) for one in possible(ann)] == [(home, BID, 0), (home, GIFT, 0)]
    assert ann.insert(home, BID, number(3), text("")).name == "order"
    assert [one.otype for one in possible(ann)] == [GIFT], "one bid a round is enough"
    assert possible(ann, home) == possible(ann)
    assert possible(ann, home + 1) == []
    assert possible(ann, 99) == []


@pytest.mark.parametrize("ruleset", ["swarm", "colony_battle", "tae"])
def test_many_alike_are_told_as_one_group(server: Server, ruleset: str):
    """Nothing is left out, each object's orders keep their sequence, and fewer rows are sent."""
    server.create(ruleset=ruleset, clock="manual")
    saved = 0
    for client in server.players(2, "json"):
        if client.ask("get_legal_orders").name == "fail":
            continue  # it is not this player's turn
        rows, groups = [
            list(whole(partial(client.ask, "get_legal_orders", grouped=how), field))
            for how, field in ((False, "orders"), (True, "groups"))
        ]
        named = [(one.otype, on, piece, one.unsure) for one in groups for on in one.ids for piece in one.named or [0]]
        expected = [(one.otype, one.id, one.named, one.unsure) for one in rows]
        for on in {one.id for one in rows}:
            assert [one for one in named if one[1] == on] == [one for one in expected if one[1] == on]
        assert len(named) == len(expected)
        assert all(len(group.ids) == 1 for group in groups if group.named)
        saved += len(rows) - len(groups)
    assert saved > 0


def test_which_values_a_parameter_takes(ann: Client):
    """A number up to what one has; text is free; a home; the coins that are offered, with their name and number."""
    home = ann.home
    gold = ann.session.game.state.world.gold[0]
    assert [one.range.value for one in values(ann, home, BID)] == list(range(min(gold, 9) + 1))
    told = ann.ask("get_legal_values", id=home, otype=BID, parameters=[number(1)]).message
    assert (told.parameter, told.free) == (1, True)
    assert ann.ask("get_legal_values", id=home, otype=BID, parameters=[number(1), text("x")]).message.parameter == 2
    assert values(ann, home, GIFT) == [home, home + 1]
    told = ann.ask("get_legal_values", id=home, otype=GIFT, parameters=[target(home + 1)]).message
    (coins,) = told.values
    assert [(one.id, one.name, one.max_number) for one in coins.list.possible_selections] == [(1, "gold coin", gold)]
    assert told.free, "several of them may be chosen"


def test_why_a_whole_order_would_not_be_accepted(ann: Client):
    home = ann.home
    told = ann.ask("get_legal_values", id=home, otype=GIFT, parameters=[target(home), chosen((1, 99))]).message
    assert (told.parameter, told.values, told.following) == (2, [], 0)
    assert "select 1 to 3, not 99" in told.refusal
    told = ann.ask("get_legal_values", id=home, otype=GIFT, parameters=[target(home + 1), chosen((1, 1))]).message
    assert told.refusal == ""


def test_nothing_changes(ann: Client):
    before = state_of(ann.session.game)
    possible(ann)
    values(ann, ann.home, GIFT)
    assert state_of(ann.session.game) == before


@pytest.mark.parametrize(
    ("fields", "code", "why"),
    [
        ({"id": 2, "otype": 77}, NO_SUCH_THING, "no order type 77"),
        ({"id": 99, "otype": BID}, NO_SUCH_THING, "no object 99"),
        ({"id": 3, "otype": BID}, DENIED, "not yours"),
        ({"id": 0, "otype": BID}, DENIED, "not yours"),
        ({"id": 2, "otype": BID, "parameters": [number(1), text(""), text("")]}, FRAME, "bid has 2 parameters, not 3"),
        ({"id": 2, "otype": BID, "parameters": [text("1")]}, FRAME, "parameter gold is not of the type"),
    ],
)
def test_what_is_wrong_is_refused_with_a_sentence(ann: Client, fields: dict[str, Any], code: int, why: str):
    refused = ann.ask("get_legal_values", **fields)
    assert (refused.name, refused.message.code) == ("fail", code)
    assert why in refused.message.result.lower()


def test_a_start_beyond_the_end_is_the_end(ann: Client):
    assert not ann.ask("get_legal_orders", start=2**32 - 1).message.orders
    told = ann.ask("get_legal_values", id=ann.home, otype=GIFT, start=2**32 - 1).message
    assert (list(told.ids), told.following) == ([], 0)


def test_so_many_objects_are_not_named_at_once(ann: Client):
    refused = ann.ask("get_legal_orders", ids=range(legal.MOST_OBJECTS + 1))
    assert refused.message.code == TOO_BIG
    assert "name none to ask for all" in refused.message.result


def test_when_no_orders_are_taken_it_is_said_why(server: Server, ann: Client):
    """As an order would be refused: before the start, while the turn is computed, held, and after the end."""
    asked = (("get_legal_orders", {}), ("get_legal_values", {"id": ann.home, "otype": BID}))
    server.create("waiting", "auction", 3)
    early = server.player("early", "pb", "waiting")
    watcher = server.player("eve", "pb", "first/watch")
    ann.session.game.closing = True
    for name, fields in asked:
        assert "has not started" in early.ask(name, **fields).message.result
        assert watcher.ask(name, **fields).message.code == DENIED
        assert "The turn is being computed" in ann.ask(name, **fields).message.result
    ann.session.game.closing = False
    server.undergo("hold")
    for name, fields in asked:
        assert ann.ask(name, **fields).message.code == TEMPORARILY


def test_each_answer_takes_a_slice_at_most(monkeypatch: pytest.MonkeyPatch, server: Server):
    """However short it is, each answer gets one step further, and together they are the whole."""
    server.create("seas", "tae", 2, options={"board": SMALL_BOARD}, clock="manual")
    ann = server.player("ann", "pb", "seas")
    server.player("ben", "pb", "seas")
    leader = next(oid for oid in ann.ids() if "Scientist Leader" in ann.object(oid).name)
    move = next(
        kind.id for kind in ann.ask("get_order_desc", ids=range(9)).things if getattr(kind, "name", "") == "Move"
    )
    orders, targets = possible(ann), values(ann, leader, move)
    monkeypatch.setattr(legal, "MOST_TRIED", 10_000)
    clock = iter(range(10**6))
    monkeypatch.setattr(legal, "perf_counter", lambda: next(clock))
    told = ann.ask("get_legal_orders").message
    assert (len(told.orders) <= 1, told.following) == (True, 1)
    small = possible(ann)
    assert {(one.id, one.otype, one.named) for one in orders} <= {(one.id, one.otype, one.named) for one in small}
    assert values(ann, leader, move) == targets


def test_an_answer_is_bounded(monkeypatch: pytest.MonkeyPatch, ann: Client):
    monkeypatch.setattr(legal, "MOST_TRIED", 3)
    told = ann.ask("get_legal_values", id=ann.home, otype=BID).message
    assert len(told.values) == 3
    assert told.following == 3


def odd(
    make_server: Callable[..., Server], bid: type[Any] = Auction.orders[0], gift: type[Any] = Auction.orders[1]
) -> Client:
    """Return a player of an auction with other types of order."""
    phases = (replace(Auction.phases[0], orders=(bid, gift)),)
    rules = type("Odd", (Auction,), {"name": "odd", "version": 1, "orders": (bid, gift), "phases": phases})()
    server = make_server(found=Rulesets({"odd": rules}, {}))
    server.create("first", "odd", clock="manual")
    return server.players(2, "pb")[0]


class Raising(Bid):
    def check(self, plan: Plan[Any], order: Order) -> None:
        raise RuntimeError("oh")


class Endless(Bid):
    def check(self, plan: Plan[Any], order: Order) -> None:
        while True:
            pass


class Lavish(Gift):
    def choices(self, plan: Plan[Any], on: int, param: str) -> Any:
        return (Choice(thing, f"thing {thing}", 1) for thing in range(1, MOST_CHOICES + 1000))

    def check(self, plan: Plan[Any], order: Order) -> None:
        """Everything is refused."""
        raise Refusal("no", "coins", reason="no")


def test_rules_that_raise_are_refused_with_a_sentence(make_server: Callable[..., Server]):
    ann = odd(make_server, Raising)
    for reply in (ann.ask("get_legal_orders"), ann.ask("get_legal_values", id=ann.home, otype=BID)):
        assert reply.message.code == TEMPORARILY
        assert reply.message.result == "The rules failed on this order; the operator has been notified."


def test_rules_that_loop_are_ended(make_server: Callable[..., Server]):
    """After half a second, as for every check of an order."""
    reply = odd(make_server, Endless).ask("get_legal_values", id=2, otype=BID)
    assert reply.message.result == "The rules took too long to judge this order; the operator has been notified."


def test_too_many_choices_are_cut(make_server: Callable[..., Server]):
    """Some thousand are tried, part after part, and it is said that there may be more."""
    ann = odd(make_server, gift=Lavish)
    told = ann.ask("get_legal_values", id=ann.home, otype=GIFT, parameters=[target(ann.home)]).message
    assert told.free
    assert 0 < told.left_out <= legal.MOST_TRIED
    last = ann.ask("get_legal_values", id=ann.home, otype=GIFT, parameters=[target(ann.home)], start=MOST_CHOICES - 1)
    assert (last.message.left_out, last.message.following) == (1, 0)


def test_choices_that_break_are_refused(make_server: Callable[..., Server]):
    server = make_server(found=ODD)
    server.create("first", "faulty", clock="manual")
    ann = server.players(2, "pb")[0]
    with breaking("choices"):
        reply = ann.ask("get_legal_values", id=ann.home, otype=GIFT, parameters=[target(ann.home)])
    assert reply.message.code == TEMPORARILY
    assert reply.message.result == "The rules failed on this order; the operator has been notified."


def test_every_type_of_parameter_has_values(make_server: Callable[..., Server]):
    """An order with a parameter of each type: its first values, one after the other, until all are chosen."""
    server = make_server(found=ODD)
    server.create("first", "market", clock="manual")
    ann = server.players(2, "pb")[0]
    parameters: list[tp.OrderParameter] = []
    kinds = []
    for _ in range(7):
        told = ann.ask("get_legal_values", id=ann.home, otype=3, parameters=parameters).message
        assert told.parameter == len(parameters)
        kinds.append(told.values[0].WhichOneof("value") if told.values else "ids")
        if told.ids:
            is_object = told.parameter == 0
            parameters.append(
                target(told.ids[0]) if is_object else tp.OrderParameter(player=tp.OrderPlayer(player_id=told.ids[0]))
            )
        elif told.values:
            parameters.append(told.values[0])
        else:  # nothing was accepted, as the point 0, 0, 0 is nowhere: another one may be
            assert told.free
            parameters.append(tp.OrderParameter(coordinates=tp.Vector(x=1)))
    assert kinds[:2] == ["ids", "ids"]
    assert ann.insert(ann.home, 3, *parameters).name == "order"


@pytest.mark.parametrize("ruleset", ["tae", "swarm", "antshouse", "colony_battle", "taller_ants"])
def test_the_view_lists_what_the_rules_show(server: Server, ruleset: str):
    """Objects, their kinds and owners come from the view. The rules are not asked again."""
    server.create("game", ruleset, 2, clock="manual")
    ann, _ = server.players(2, "pb", "game")
    possible(ann)
    game = ann.session.game
    state, rules = game.state, game.rules
    assert state.listing is not None
    for kinds in ((), *((kind,) for kind in rules.kinds), tuple(rules.kinds)):
        for own in (False, True):
            for seat in (0, 1):
                state.found.clear()
                told = state.visible(rules, seat, kinds, own=own)
                state.found.clear()
                listing, state.listing = state.listing, None
                assert state.visible(rules, seat, kinds, own=own) == told
                state.listing = listing
