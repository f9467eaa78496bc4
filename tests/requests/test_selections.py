"""Selected values of a list parameter are always among its choices.

This holds for all other plans, at any time of reading. Graphical clients look up the name of a selected value among the
choices. If it is missing, their panel fails.
"""

from __future__ import annotations

import pytest

from tests.support.server_in_memory import SMALL_BOARD, Client, Server, chosen, target
from tprules.api.ruleset import find_order_type

EXCHANGE = "Exchange"


@pytest.fixture(params=["tp03", "pb"])
def ann(request: pytest.FixtureRequest, server: Server) -> Client:
    """A player of a TaE game in which colonists can be exchanged."""
    server.create("first", "tae", clock="manual", options={"board": SMALL_BOARD})
    ann, _ = server.players(2, request.param)
    return ann


def exchange(ann: Client) -> tuple[int, int, int]:
    """Return (planet, order type, colonist) of a legal exchange."""
    game = ann.server.game()
    moves = [move for move in game.rules.legal_orders(game.state.plan(ann.seat)) if move.type == EXCHANGE]
    return moves[0].on, game.description.order_number[EXCHANGE], moves[0].args["Ships"][0][0]


def read(ann: Client, on: int, slot: int) -> tuple[set[int], set[int]]:
    """Return what is selected in an order, and what is possible."""
    order = ann.ask("get_order", id=on, slots=[slot]).message
    (parameter,) = order.parameters
    return {one.id for one in parameter.list.selection}, {one.id for one in parameter.list.possible_selections}


def test_an_order_still_offers_what_it_has_taken(ann: Client):
    """It is not in its own way, and is called what it was called before."""
    home, otype, ship = exchange(ann)
    names = {
        one.id: one.name for one in ann.probe(home, otype, chosen()).message.parameters[0].list.possible_selections
    }
    assert ann.insert(home, otype, chosen((ship, 1))).name in ("okay", "order")
    order = ann.ask("get_order", id=home, slots=[0]).message
    assert [one.id for one in order.parameters[0].list.selection] == [ship]
    assert {one.id: one.name for one in order.parameters[0].list.possible_selections} == names


def test_a_probe_offers_what_it_accepts(ann: Client):
    """As if the object had no orders (TP04, OrderProbe): what an order of its queue has taken can still be chosen."""
    home, otype, ship = exchange(ann)
    free = ann.probe(home, otype, chosen()).message.parameters[0].list.possible_selections
    assert ann.insert(home, otype, chosen((ship, 1))).name in ("okay", "order")
    for selection in ((), ((ship, 1),)):
        assert ann.probe(home, otype, chosen(*selection)).message.parameters[0].list.possible_selections == free


def test_a_probe_does_not_offer_what_the_order_of_another_object_has_taken(ann: Client):
    home, otype, ship = exchange(ann)
    game = ann.server.game()
    colony = next(
        move
        for move in game.rules.legal_orders(game.state.plan(ann.seat))
        if (move.type, move.on) == ("Colonize", ship)
    )
    where = target(colony.args["Star System"])
    assert ann.insert(ship, game.description.order_number["Colonize"], where).name in ("okay", "order")
    possible = ann.probe(home, otype, chosen()).message.parameters[0].list.possible_selections
    assert ship not in {one.id for one in possible}


def test_an_order_does_not_offer_what_an_earlier_one_has_taken(ann: Client):
    home, otype, ship = exchange(ann)
    game = ann.server.game()
    moves = game.rules.legal_orders(game.state.plan(ann.seat))
    colony = next(move for move in moves if move.type == "Colonize" and move.on == ship)
    where = target(colony.args["Star System"])
    assert ann.insert(ship, game.description.order_number["Colonize"], where).name in ("okay", "order")
    assert ann.insert(home, otype, chosen()).name in ("okay", "order")
    assert ship not in read(ann, home, 0)[1]


def test_a_choice_that_has_become_impossible_is_still_told(ann: Client, monkeypatch: pytest.MonkeyPatch):
    home, otype, ship = exchange(ann)
    assert ann.insert(home, otype, chosen((ship, 1))).name in ("okay", "order")
    kind = find_order_type(ann.server.game().rules, EXCHANGE)
    monkeypatch.setattr(type(kind), "choices", lambda *_: [])
    assert read(ann, home, 0) == ({ship}, {ship})
