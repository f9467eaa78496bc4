"""Taller-Ants through a server: secrets are in no frame sent to others.

Secrets are what is below, planned, or decided beforehand.
"""

from __future__ import annotations

from typing import Any

import pytest

MOVE, PICK_UP, HEAL, BRIDGE, HARVEST, STANCE, LAY = 2, 5, 10, 32, 34, 38, 50
FRAME, NEVER, LATER, NOTHING, DENIED = range(1, 6)
AREA = 14 * 14
HOMES = 3 + 4 * AREA
"""After the systems and planets of both boards: home and Brood or Colony of each seat, then two fungus groups."""
COLONY = HOMES + 3
FIRST_UNIT = HOMES + 6 + 2
FIGHT = 2


def system(x: int, y: int, below: bool = False) -> int:
    return 3 + 2 * (14 * y + x + AREA * below)


@pytest.fixture(params=["tp03", "pb"])
def dialect(request) -> str:
    return str(request.param)


@pytest.fixture
def players(server, dialect):
    """Return a function that makes three clients of one dialect, the spider's first, in a game that has been set up."""

    def make(**options: str) -> list[Any]:
        server.create("meadow", "taller_ants", 3, clock="all-done", options=options)
        clients = list(server.players(3, dialect))
        for client in clients:
            finish(client)
        return clients

    return make


def finish(client: Any) -> None:
    assert client.ask("finished_turn").name == "okay"


def known(wire: Any, client: Any, *more: int) -> list[tuple[str, bytes]]:
    """Return all that a client is answered, whatever it asks; of squares and units a few must do."""
    objects = [0, 1, 2, system(6, 12), system(6, 12, True), system(6, 12, True) + 1, HOMES + 1, COLONY, *more]
    return [(about, waiting.reply.data) for about, waiting in wire.everything(client, objects)]


def test_t63_what_is_below_does_not_exist_for_others(wire, players):
    """A hidden group is in no list, but its owner sees it.

    A request for it, an order for it or an order that targets it gets the answer for an unknown number.
    """
    spider, ann, ben = players(underground="own")
    hidden = sorted(set(ann.ids()) - set(spider.ids()))
    assert len(hidden) == 5, "four groups and a queen"
    assert not set(hidden) & set(ben.ids())
    never = 99_999
    for client in (spider, ben):
        for number in (hidden[0], never):
            assert client.objects(number)[0].code == NOTHING
            assert client.ask("get_order", id=number, slots=[0]).code == NOTHING
            assert client.insert(number, MOVE, wire.target(system(5, 5))).code == NOTHING
            assert client.insert(number, HEAL, wire.number(3)).code == NOTHING
    own = next(number for number in spider.ids() if number >= FIRST_UNIT)
    feed, attack = 12, 18
    assert spider.insert(own, feed, wire.target(hidden[0]), wire.chosen((1, 1)), wire.number(1)).code == NOTHING
    for number in (hidden[0], never):
        answer = spider.insert(own, attack, wire.target(number), wire.chosen((1, 1)), wire.number(0))
        assert answer.code == NOTHING
    assert ann.object(hidden[0]).id == hidden[0]


@pytest.mark.parametrize("underground", ["open", "own"])
def test_plans_are_in_no_frame_sent_to_others(wire, players, underground):
    """No order and no stance of an ant player changes a response to the others, byte by byte.

    A request for a queue is denied where the unit is seen.
    """
    spider, ann, ben = players(underground=underground)
    group = min(set(ann.ids()) - set(range(FIRST_UNIT)))
    before = [known(wire, client, group) for client in (spider, ben)]
    for otype, parameter in ((STANCE, wire.chosen((FIGHT, 1))), (MOVE, wire.target(system(6, 10)))):
        answer = ann.insert(group, otype, parameter)
        assert answer.name in ("okay", "order"), answer
    assert [known(wire, client, group) for client in (spider, ben)] == before
    for client in (spider, ben):
        assert client.ask("get_order", id=group, slots=[0]).code == (DENIED if underground == "open" else NOTHING)
    colony = [client.objects(COLONY)[0].SerializeToString() for client in (spider, ann, ben)]
    assert colony[0] == colony[2]


@pytest.mark.parametrize("dialect", ["tp04", "pb"])
def test_a_stance_is_seen_by_its_owner_only(wire, players):
    """A new stance changes the owner's view of the group, and nothing for the others.

    Objects of TP03 have no numbers of their own.
    """
    spider, ann, ben = players()
    group = min(number for number in ann.ids() if number >= FIRST_UNIT)
    before = [numbers(client.object(group)) for client in (spider, ann, ben)]
    assert before[0] == before[2] != before[1]
    ann.insert(group, STANCE, wire.chosen((FIGHT, 1)))
    finish(spider)
    finish(ann)
    after = [numbers(client.object(group)) for client in (spider, ann, ben)]
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] != before[1]


def numbers(thing: Any) -> list[int]:
    """Return the numbers that an object shows."""
    return [one.integer.value for one in thing.parameters if one.HasField("integer")]


def test_t59_codes_on_the_wire(wire, players):
    """Foreign, unknown, of another kind of unit, out of the range, two directions, a setup order too late."""
    spider, ann, _ = players()
    group = min(number for number in ann.ids() if number >= FIRST_UNIT)
    own = max(spider.ids())
    square = wire.target(system(5, 5))
    assert spider.insert(group, MOVE, square).code == DENIED
    assert spider.insert(99_999, MOVE, square).code == NOTHING
    assert spider.insert(own, HARVEST, square).code == NEVER
    assert spider.insert(own, HEAL, wire.number(0)).code == FRAME
    assert ann.insert(group, BRIDGE, wire.chosen((0, 1), (4, 1))).code == FRAME
    assert spider.insert(HOMES + 1, 0, square).code == LATER


OF_ANY_MAP = {"Positional", "Informational", "Media"}
"""Parameter groups of what the graphical clients of 2006 to 2011 look into for icons."""


@pytest.mark.parametrize("dialect", ["tp04"])
def test_graphical_clients_draw_all_squares_and_homes(players):
    """They draw what lies directly in an object of which the groups have these names only (or in the universe)."""
    spider, *_ = players()
    seen = spider.objects(*spider.ids())
    types = {one.id: one for one in spider.ask("get_object_desc", ids=spider.ids("get_object_desc_ids")).things}
    inside = {number: thing for thing in seen for number in thing.contains}
    wanted = [thing for thing in seen if types[thing.otype].name in ("Square", "Home")]
    assert len(wanted) == 2 * AREA + 3
    for thing in wanted:
        board = inside[thing.id]
        assert types[board.otype].name == "Board"
        assert {group.name for group in types[board.otype].property_groups} <= OF_ANY_MAP
        assert inside[board.id].id == 0
    (round_number,) = {numbers(inside[thing.id])[0] for thing in wanted}
    assert round_number == 1
