"""The graphical client of 2007 to 2011 plays all five games faultlessly.

Nothing raises an error, hangs, or throws its user out. `pywx_games.py` plays, and `pywx_client.py` models the client.
Other tests here show that the model would notice a fault.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pywx_cache import VERSIONS, Cache, Version, differing
from pywx_client import Client
from pywx_games import Bots, MemoryLink, play
from pywx_views import unusable_object_type, unusable_order_type
from pywx_wire import Lost

from tests.support.rulesets import shipped
from tests.support.server_in_memory import Server
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04
from tprules.api import Dice
from tprules.api.bots import bot_orders
from tpserver.games.turns import order_intake

TURNS, FEW = 5, 2
SHORT = [("swarm", "0.2"), ("tae", "0.3"), ("taller_ants", "TP04")]
LONG = [(game, version) for game in shipped() for version in VERSIONS]


def no_fault(make: Callable[..., Server], game: str, version: str, turns: int) -> None:
    result = play(make, game, VERSIONS[version], turns)
    assert not result.faults, "\n".join(result.faults)
    assert result.turns == turns
    assert result.drawn == result.wanted > 0
    assert result.tried > 0


@pytest.mark.parametrize(("game", "version"), SHORT)
def test_a_game_is_played_as_the_old_client_does(make_server: Callable[..., Server], game: str, version: str):
    """The first turns of one game a version."""
    no_fault(make_server, game, version, FEW)


@pytest.mark.thorough
@pytest.mark.parametrize(("game", "version"), LONG)
def test_every_game_is_played_as_the_old_client_does(make_server: Callable[..., Server], game: str, version: str):
    """Five turns, every kind of order in each, against a bot that ends turns while the client still downloads."""
    no_fault(make_server, game, version, TURNS)


# --- the client notices ---------------------------------------------------------------------------------------------


def described(*groups: tuple[str, tuple[tuple[str, int], ...]]) -> tp.ObjectDesc:
    return tp.ObjectDesc(
        name="Thing",
        property_groups=[
            tp.PropertyGroup(name=group, parameters=[tp.ParameterDesc(name=name, type=kind) for name, kind in fields])
            for group, fields in groups
        ],
    )


@pytest.mark.parametrize(
    "groups",
    [
        [("Orders", (("Order Queue", 4),)), ("Orders", (("Queued", 8),))],
        [("contains", (("Cubes", 8),))],
        [("Cargo", (("count", 8),))],
        [("Cargo", (("Cubes", 8), ("Cubes", 8)))],
        [("Cargo", (("red_cubes", 8),))],
        [("Cargo", (("Cubes", 99),))],
    ],
)
def test_names_that_are_attributes_already_are_noticed(groups: list[tuple[str, tuple[tuple[str, int], ...]]]):
    assert list(unusable_object_type(described(*groups)))
    assert not list(unusable_object_type(described(("Orders", (("Order Queue", 4),)), ("Cargo", (("Cubes", 8),)))))


@pytest.mark.parametrize("names", [["turns"], ["slot"], ["To", "To"]])
def test_parameters_of_orders_that_are_attributes_already_are_noticed(names: list[str]):
    order = tp.OrderDesc(name="Go", parameters=[tp.ParameterDesc(name=name, type=2) for name in names])
    assert list(unusable_order_type(order, classic=False))


@pytest.fixture(params=list(VERSIONS))
def version(request: pytest.FixtureRequest) -> Version:
    return VERSIONS[request.param]


@pytest.fixture
def client(make_server: Callable[..., Server], version: Version) -> Client:
    """A client that has logged in to an auction against a passive player, and has downloaded nothing yet."""
    server = make_server()
    server.create()
    server.player("bot")
    client = Client(MemoryLink(server, version.dialect, Bots(server, [], "")), version)
    client.enter("ann")
    return client


def test_it_waits_for_ever_for_what_never_comes(client: Client):
    with pytest.raises(Lost, match="for ever"):
        client.wire.receive(4711)


def test_what_contains_something_unknown_ends_its_session(client: Client):
    client.update()
    client.cache.objects[0].contains.append(4711)
    with pytest.raises(Lost, match="contains object 4711"):
        client.cache.build_tree()


def test_what_is_listed_and_refused_ends_its_session(client: Client):
    with pytest.raises(Lost, match="was listed and is refused"):
        client.cache.all_of("object", [0, 4711])


def test_an_order_that_is_gone_before_it_is_read_back_throws_it_out(client: Client, monkeypatch: pytest.MonkeyPatch):
    client.update()
    queue, otype = next((queue, otype) for _, queue, otype in client.offers())
    monkeypatch.setattr(client.wire, "slots", lambda *_: tp.Fail(result="Gone."))
    with pytest.raises(Lost, match="cannot be read back"):
        client.order(queue, otype)


def test_a_change_without_a_greater_time_is_noticed(client: Client):
    """Otherwise it would be shown as it was before for the rest of the game."""
    client.update()
    fresh = Cache(client.wire, client.version)
    fresh.update()
    assert not list(differing(client.cache, fresh))
    fresh.objects[0].name = "another"
    assert list(differing(client.cache, fresh)) == [
        "objects 0 is kept otherwise than it is: a change of it had no greater time"
    ]


def test_galaxies_with_other_groups_leave_the_map_empty(client: Client):
    """In TP04 an object is taken for a galaxy by the names of its groups alone."""
    before = client.update().icons
    for description in client.wire.known.objects.values():
        if description.id == 1:
            description.property_groups.append(tp.PropertyGroup(name="Pool"))
    after = client.look().icons
    assert (after != before) == (client.version.dialect is TP04)


def test_boards_must_be_listed_as_0(client: Client):
    client.update()
    client.cache.messages[1] = client.cache.messages.pop(0)
    client.look()
    assert any("no message is ever shown" in fault for fault in client.tally.faults)


@pytest.mark.parametrize("game", ["tae", "swarm"])
def test_it_shows_an_old_turn_like_any_game(make_server: Callable[..., Server], version: Version, game: str):
    """The user logs in to ann@first/turn/N, and everything is downloaded and drawn.

    The orders of that turn are read. No later update brings changes, though the game goes on.
    """
    server = make_server()
    server.create("first", game, 2, clock="manual")
    seat = server.player("ann").seat
    server.player("bot")
    played, given = server.game(), 0
    while not given:
        for order in bot_orders(played.rules, played.state, seat, Dice.named(b"past", played.state.turn)):
            change = order_intake.insertion(played, seat, order.on, order.type, order.args, -1, server.now())
            order_intake.make(played, change, server.now())
            given += 1
        then, turn = played.views[seat].objects, played.state.turn
        server.close_turn()
    client = Client(MemoryLink(server, version.dialect, Bots(server, [], "")), version)
    client.enter(f"ann@first/turn/{turn}", "ann's word")
    drawn = client.update()
    assert set(client.cache.objects) == set(then)
    assert sum(len(orders) for orders in client.cache.orders.values()) == given
    assert drawn.icons
    server.close_turn()
    client.update()
    fresh = Cache(client.wire, version)
    fresh.update()
    assert not list(differing(client.cache, fresh))
    assert not client.tally.faults
