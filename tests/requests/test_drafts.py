"""Drafts: new orders of graphical clients, with only default values.

They are inserted first, read back, and then changed, by removing and inserting (wire.md, "pywx").
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import BID, Client, Server, number, state_of, text
from tpproto import tp_pb2 as tp
from tprules.api import ObjectRef
from tprules.api.ruleset import find_order_type
from tpserver.requests.session.refusals import PARAMETER

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
BAZAAR, DEPOT = 3, 4

NO_PLAYER = 0xFFFFFFFF
"""The value of -1 in an unsigned field."""

# Parameter types (TP04, OrderParams).
PLACE, TIME, OBJECT, PLAYER, RANGE, LIST, STRING, GOODS = 0, 1, 2, 3, 5, 6, 7, 10


def unset(kind: int, *, player: int = 0, turns: int = 0, most: int = 0) -> tp.OrderParameter:
    """Return what a graphical client sends for a parameter of this type before anything is chosen."""
    made = tp.OrderParameter
    return {
        PLACE: made(coordinates=tp.Vector()),
        TIME: made(time=tp.OrderTime(turns=turns, max_time=most)),
        OBJECT: made(object=tp.OrderObject()),
        PLAYER: made(player=tp.OrderPlayer(player_id=player)),
        RANGE: made(range=tp.OrderRange(value=-1, min_value=-1, max_value=-1, increment=-1)),
        LIST: made(list=tp.OrderList()),
        STRING: made(string=tp.OrderString()),
        GOODS: made(resource_list=tp.OrderResourceList()),
    }[kind]


def defaults(client: Client, otype: int, **values: int) -> list[tp.OrderParameter]:
    """Return the parameters of a new order, from the description of its type alone."""
    described = client.session.game.description.order_descs[otype]
    return [unset(parameter.type, **values) for parameter in described.parameters]


@pytest.fixture
def market(make_server: Any, dialect: str) -> list[Client]:
    """Two players of an auction with all types of parameters."""
    server = make_server(found=ODD)
    server.create("first", "market", 2, clock="manual")
    found: list[Client] = server.players(2, dialect)
    return found


VERSIONS = [{}, {"player": NO_PLAYER, "turns": -1, "most": -1}]
"""Differences of the client versions: no player and no time are 0 or -1."""


@pytest.mark.parametrize("version", VERSIONS, ids=["0", "-1"])
def test_an_order_of_defaults_is_kept_shown_and_replaced(market: list[Client], version: dict[str, int]):
    """It is shown with what is possible: valid types, true bounds with the lowest value, lists filled in."""
    ann, _ = market
    parameters = defaults(ann, BAZAAR, **version)
    inserted = ann.insert(ann.home, BAZAAR, *parameters)
    assert inserted.name == ("okay" if ann.classic else "order")
    (order,) = ann.queue(ann.home)
    if not ann.classic:
        assert inserted.message == order
    assert (order.slot, order.turns) == (0, 0)
    target, whom, period, amount, coins, where, words = order.parameters
    assert (target.object.object_id, list(target.object.valid_types)) == (0, [] if ann.classic else [3])
    assert whom.player.player_id == 0
    assert (period.time.turns, period.time.max_time) == (2, 9)
    assert amount.range == tp.OrderRange(value=10, min_value=10, max_value=50, increment=5)
    assert [one.name for one in coins.list.possible_selections] == ["gold coin"]
    assert list(coins.list.selection) == []
    assert where.coordinates == tp.Vector()
    assert (words.string.string, words.string.max_length) == ("", 12)
    probed = ann.probe(ann.home, BAZAAR, *parameters).message
    assert probed.parameters == order.parameters
    assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    target.object.object_id, whom.player.player_id, where.coordinates.x = 2, 1, 5
    coins.list.selection.add(id=1, number=2)
    assert ann.insert(ann.home, BAZAAR, *order.parameters).name == inserted.name
    (chosen,) = ann.queue(ann.home)
    assert chosen.turns == 1
    assert chosen.parameters == order.parameters


def test_an_order_of_defaults_survives_a_restart_and_is_dropped(market: list[Client]):
    """It is on disk as any other; at the end of its phase its owner hears that it is gone, and nobody else."""
    ann, ben = market
    ann.insert(ann.home, BAZAAR, *defaults(ann, BAZAAR))
    before = ann.queue(ann.home)
    letters = len(ben.messages())
    server = ann.server.restarted()
    ann, ben = (server.player(name, ann.title) for name in ("ann", "ben"))
    assert ann.queue(ann.home) == before
    server.close_turn()
    assert ann.queue(ann.home) == []
    assert [message.subject for message in ann.messages()][-1:] == ["Draft dropped"]
    assert len(ben.messages()) == letters
    server.stop()


@pytest.mark.parametrize("request_name", ["order_insert", "order_probe"])
def test_defaults_do_not_excuse_what_else_is_wrong(market: list[Client], request_name: str):
    """Another's object, a value that is no default, a type that is not offered now; nothing changes."""
    ann, ben = market
    before = state_of(ann.session.game)
    good = defaults(ann, BAZAAR)
    assert ann.say(request_name, ann.order(ben.home, BAZAAR, *good)).code == DENIED
    wrong = {
        2: tp.OrderParameter(time=tp.OrderTime(turns=10)),
        3: tp.OrderParameter(range=tp.OrderRange(value=-1, min_value=10, max_value=50, increment=5)),
        4: tp.OrderParameter(list=tp.OrderList(selection=[tp.Selection(id=7, number=1)])),
        6: tp.OrderParameter(string=tp.OrderString(string="x" * 13)),
    }
    for at, parameter in wrong.items():
        answer = ann.say(request_name, ann.order(ann.home, BAZAAR, *good[:at], parameter, *good[at + 1 :]))
        assert answer.code == FRAME
        if not ann.classic:
            assert (PARAMETER, at) in [(one.type, one.id) for one in answer.message.references]
    assert state_of(ann.session.game) == before
    ann.server.close_turn()
    assert BAZAAR not in ann.session.game.views[ann.seat].objects[ann.home].order_types
    refused = ann.say(request_name, ann.order(ann.home, BAZAAR, *good))
    assert refused.code == PERMANENTLY
    assert "now" in refused.text


def test_a_probe_of_what_the_queue_does_not_list_is_refused(market: list[Client]):
    """Also with all that it asks for."""
    ann, _ = market
    full = defaults(ann, BAZAAR)
    full[0].object.object_id, full[1].player.player_id, full[2].time.turns, full[5].coordinates.x = 2, 1, 3, 1
    full[3].range.CopyFrom(tp.OrderRange(value=20))
    full[4].list.selection.add(id=1, number=1)
    assert ann.probe(ann.home, BAZAAR, *full).name == "order"
    ann.server.close_turn()
    assert ann.probe(ann.home, BAZAAR, *full).code == PERMANENTLY


def test_a_default_that_is_legal_is_taken_as_said(market: list[Client]):
    """A number of -1 is none where it is below the lowest, whatever the bounds say that came with it."""
    ann, _ = market
    refused = ann.insert(ann.home, BID, number(-1), text(""))
    assert refused.code == FRAME
    assert ann.insert(ann.home, BID, number(0), text("")).name in ("okay", "order")
    (order,) = ann.queue(ann.home)
    assert order.turns == 1
    again = ann.insert(ann.home, BID, number(0), text(""))
    assert again.code == TEMPORARILY, "no text is a text, and the rules refuse the second bid"


@pytest.mark.parametrize("title", ["tp04", "json"])
def test_resources(make_server: Any, title: str):
    """TP03 has no such parameter."""
    server = make_server(found=ODD)
    server.create("first", "market", 2, clock="manual")
    ann, _ = server.players(2, title)
    order = ann.insert(ann.home, DEPOT, unset(GOODS)).message
    (goods,) = order.parameters
    assert [(one.resource_id, one.maximum) for one in goods.resource_list.allowed] == [(1, 9)]
    assert list(goods.resource_list.selected) == []
    assert order.turns == 0
    assert ann.probe(ann.home, DEPOT, unset(GOODS)).message.parameters == order.parameters


# --- all five games ---------------------------------------------------------------------------------------------------

TURNS = 8
GAMES = ("tae", "antshouse", "colony_battle", "swarm", "taller_ants")


def has_its_shape(client: Client, order: tp.Order, *, is_draft: bool) -> None:
    """Fail unless an order that was read back says what is possible."""
    game = client.session.game
    kind = find_order_type(game.rules, game.description.order_name[order.otype])
    assert kind is not None
    for param, shown in zip(kind.params.values(), order.parameters, strict=True):
        if shown.HasField("range"):
            found = shown.range
            assert found.min_value <= found.value <= found.max_value
            assert (found.min_value, found.max_value, found.increment) == (param.low, param.high, param.step)
        elif shown.HasField("time"):
            assert param.low <= shown.time.turns <= shown.time.max_time == param.high
        elif shown.HasField("list"):
            assert not shown.list.selection
        elif isinstance(param, ObjectRef) and not client.classic:
            assert list(shown.object.valid_types) == sorted(game.description.type_of[kind] for kind in param.kinds)
    assert not is_draft or order.turns == 0


@pytest.mark.parametrize("title", ["tp03", "tp04"])
@pytest.mark.parametrize("name", GAMES)
def test_every_order_can_be_made_from_defaults(server: Server, name: str, title: str):
    """In a random game each type that an object offers is inserted, read back, probed, and replaced by a legal one.

    None that has a parameter is refused; where all defaults are legal the rules judge as ever.
    """
    dice = random.Random(f"{name} {title}")
    server.create("first", name, 2, clock="manual")
    players = server.players(2, title)
    tried: dict[int, int] = {}
    for _ in range(TURNS):
        game = players[0].session.game
        if game.over:
            break
        for client in players:
            objects = client.session.game.views[client.seat].objects
            carriers: dict[int, list[int]] = {}
            for oid, seen in sorted(objects.items()):
                for otype in seen.order_types:
                    carriers.setdefault(otype, []).append(oid)
            for otype, own in carriers.items():
                on = dice.choice(own)
                make_one(client, on, otype, defaults(client, otype, **dice.choice(VERSIONS)))
                tried[otype] = tried.get(otype, 0) + 1
            play_one(client, dice)
        server.close_turn()
    assert tried, "nothing was offered"


def make_one(client: Client, on: int, otype: int, parameters: list[tp.OrderParameter]) -> None:
    """Insert an order of defaults at the front, read it back, probe it, and remove it."""
    before = [(order.type, order.args) for order in client.session.game.state.queues.get(on, [])]
    inserted = client.insert(on, otype, *parameters, slot=0)
    if not parameters and inserted.name == "fail":
        return
    assert inserted.name in ("okay", "order"), (client.session.game.rules.name, otype, inserted)
    (order,) = client.ask("get_order", id=on, slots=[0]).things
    is_draft = client.session.game.state.queues[on][0].draft
    has_its_shape(client, order, is_draft=is_draft)
    probed = client.probe(on, otype, *parameters)
    if is_draft:
        assert probed.message.parameters == order.parameters
    assert client.ask("remove_order", id=on, slots=[0]).name == "okay"
    assert [(order.type, order.args) for order in client.session.game.state.queues.get(on, [])] == before


def play_one(client: Client, dice: random.Random) -> None:
    """Give a legal order the way a graphical client does: defaults first, then what was chosen in its place."""
    game = client.session.game
    moves = list(game.rules.legal_orders(game.state.plan(client.seat)))
    if not moves:
        return
    move = dice.choice(moves)
    otype = game.description.order_number[move.type]
    parameters = defaults(client, otype)
    if client.insert(move.on, otype, *parameters).name == "fail":
        assert not parameters
        return
    slot = len(game.state.queues[move.on]) - 1
    (order,) = client.ask("get_order", id=move.on, slots=[slot]).things
    for (param, value), shown in zip(move.args.items(), order.parameters, strict=True):
        if shown.HasField("object"):
            shown.object.object_id = value
        elif shown.HasField("range"):
            shown.range.value = value
        elif shown.HasField("time"):
            shown.time.turns = value
        else:
            assert shown.HasField("list"), param
            shown.list.selection.extend(tp.Selection(id=number, number=count) for number, count in value)
    assert client.ask("remove_order", id=move.on, slots=[slot]).name == "okay"
    answer = client.insert(move.on, otype, *order.parameters)
    assert answer.name in ("okay", "order"), (move, answer)
    assert not game.state.queues[move.on][-1].draft
