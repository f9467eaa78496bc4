"""Colony Battle through a server: two clients carry an item home.

No client learns a secret of the other.
"""

from __future__ import annotations

from typing import Any

import pytest

from tprules.colony_battle import RULESET

MOVE, PICK_UP, SPAWN, PLACE = 1, 2, 6, 7
FRAME, NEVER, LATER, DENIED = 1, 2, 3, 5
OPTIONS = {
    "first_player": "0",
    "starts": "0:4,6 0:12,6",
    "items": "0:6,8",
    "item_kinds": "0,1",
    "worms": "",
    "spiders": "",
}
WIDTH, HEIGHT, FIRST_SYSTEM = 17, 13, 4
SQUARES = 3 * WIDTH * HEIGHT
"""Squares, grounds, three sites; then home and colony of each player, their queens, and the item."""
E1 = FIRST_SYSTEM + 2 * SQUARES
COLONIES, QUEENS, ITEM, WORKER = (E1 + 4, E1 + 6), (E1 + 7, E1 + 8), E1 + 9, E1 + 10
UNKNOWN, TERMITE = 8, 7


def system(x: int, y: int) -> int:
    return FIRST_SYSTEM + 2 * ((HEIGHT - 1 - y) * WIDTH + x)


@pytest.fixture
def server(wire):
    """A server that hosts Colony Battle."""
    with wire.making_servers() as make:
        yield make(found=wire.Rulesets({RULESET.name: RULESET}))


@pytest.fixture(params=["tp03", "pb"])
def players(server, request) -> list[Any]:
    """Two clients of one dialect in a game with one item near the first queen."""
    server.create("nest", "colony_battle", 2, clock="all-done", options=OPTIONS)
    return list(server.players(2, request.param))


def ordered(client: Any, on: int, otype: int, *parameters: Any) -> None:
    answer = client.insert(on, otype, *parameters)
    assert answer.name in ("okay", "order"), answer


def finish(client: Any) -> None:
    assert client.ask("finished_turn").name == "okay"


def parent(client: Any, number: int) -> str:
    """Return the name of what contains an object."""
    return str(next(thing for thing in client.objects(*client.ids()) if number in thing.contains).name)


def known(wire: Any, client: Any) -> list[tuple[str, bytes]]:
    """Return all that a client is answered, whatever it asks; of the squares three must do."""
    asked = wire.everything(client, [*range(10), *(number for number in client.ids() if number >= E1)])
    return [(about, waiting.reply.data) for about, waiting in asked]


def test_v28_an_item_is_unknown_until_it_is_delivered(wire, players):
    """Its name and what it shows are the same to both, also while it is carried; a message names it then."""
    ann, ben = players
    ordered(ann, QUEENS[0], SPAWN, wire.chosen((1, 1)), wire.target(system(4, 7)))
    finish(ann)
    finish(ben)
    ordered(ann, WORKER, MOVE, wire.target(system(5, 8)))
    ordered(ann, WORKER, PICK_UP, wire.target(ITEM))
    finish(ann)
    finish(ben)
    assert parent(ann, WORKER) == parent(ann, ITEM) == "0:5,8"
    for client in players:
        item = client.object(ITEM)
        assert item.name == "Item"
        assert ships(client, item) == [(UNKNOWN, 1)]
    ordered(ann, WORKER, MOVE, wire.target(system(4, 7)))
    finish(ann)
    assert [ships(client, client.object(ITEM)) for client in players] == [[(TERMITE, 1)]] * 2
    for client in players:
        bodies = [message.body for message in client.messages() if message.subject == "Item activated"]
        assert bodies == ["The item is: Termite Bomb."]
    assert ben.insert(QUEENS[1], PLACE, wire.chosen((ITEM, 1)), wire.target(system(12, 7))).code == LATER
    if not ann.classic:
        probed = ann.probe(QUEENS[0], PLACE, wire.chosen(), wire.target(system(3, 6))).message
        assert [one.name for one in probed.parameters[0].list.possible_selections] == ["Termite Bomb"]
    assert ann.insert(QUEENS[0], PLACE, wire.chosen((ITEM, 1)), wire.target(system(9, 9))).code == NEVER
    assert ann.insert(QUEENS[0], PLACE, wire.chosen((ITEM, 1)), wire.target(system(4, 7))).code == LATER
    ordered(ann, COLONIES[0], PLACE, wire.chosen((ITEM, 1)), wire.target(system(3, 6)))
    finish(ann)
    assert parent(ben, WORKER + 1) == "0:3,6"
    assert ITEM not in ben.ids()


def ships(client: Any, thing: Any) -> list[tuple[int, int]]:
    """Return designs and numbers of a fleet, in whichever form the dialect has them."""
    if client.classic:
        return [(ship.type, ship.count) for ship in thing.fleet.ships]
    lists = [one.reference_quantity_list for one in thing.parameters if one.HasField("reference_quantity_list")]
    return [(entry.id, entry.number) for entry in lists[0].references]


def test_invariant_21_orders_are_in_no_frame_sent_to_the_other(wire, players):
    """No order of a player changes a response to the other, compared byte by byte.

    A request for the order is denied.
    """
    ann, ben = players
    for client, other, seat in ((ann, ben, 0), (ben, ann, 1)):
        before = known(wire, other)
        ordered(client, QUEENS[seat], SPAWN, wire.chosen((2, 1)), wire.target(0))
        ordered(client, QUEENS[seat], MOVE, wire.target(system(8, 6)))
        assert known(wire, other) == before
        for foreign in (QUEENS[seat], COLONIES[seat]):
            assert other.ask("get_order", id=foreign, slots=[0]).code == DENIED


def test_v30_codes_on_the_wire(wire, players):
    """A kind that is not offered, two kinds, somebody else's queen."""
    ann, _ = players
    where = wire.target(0)
    assert ann.insert(QUEENS[0], SPAWN, wire.chosen((5, 1)), where).code == FRAME
    assert ann.insert(QUEENS[0], SPAWN, wire.chosen((1, 1), (2, 1)), where).code == FRAME
    assert ann.insert(QUEENS[1], SPAWN, wire.chosen((1, 1)), where).code == DENIED
    assert ann.insert(QUEENS[0], MOVE, wire.target(system(4, 6))).code == NEVER
