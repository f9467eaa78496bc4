"""The Taller-Ants bot, on the real rules: it sees what the wire shows, and the rules' own intake answers its orders."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tpclient.bots.roster import POLICIES
from tpclient.bots.taller_ants import TallerAntsPolicy
from tpclient.bots.taller_ants_board import read_board
from tpclient.errors import RequestFailed
from tpclient.objects import NOBODY, Amount, SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04
from tprules.api import Order, Refusal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.intake import State, apply, insertion
from tprules.taller_ants import RULESET
from tprules.taller_ants.world import Group, Spider
from tprules.testing import view


class Seen:
    """One turn as a bot meets it: the universe of a seat, and orders that go to the rules."""

    def __init__(self, state: State[Any], seat: int) -> None:
        self.state, self.seat = state, seat
        self.chance = random.Random(seat)
        self.accepted: list[Order] = []
        self.refused: list[str] = []
        self.universe = Universe(TP04, Descriptions())
        self.universe.me = seat + 1
        for oid, shown in view(RULESET, state.world, seat).items():
            kind = RULESET.kinds[shown.kind]
            names = [(group.name, name) for group in kind.groups for name, _ in group.fields]
            self.universe.objects[oid] = SpaceObject(
                oid,
                0,
                kind.title,
                shown.name,
                shown.parent,
                (),
                0,
                shown.at,
                shown.size,
                NOBODY if shown.owner is None else shown.owner + 1,
                oid if shown.owner == seat else 0,
                MappingProxyType({row.resource: Amount(*row[1:]) for row in shown.resources}),
                numbers=MappingProxyType(dict(zip(names, shown.numbers, strict=True))),
            )
            if shown.owner == seat:
                waiting = len(state.queues.get(oid, ()))
                self.universe.queues[oid] = tp.OrderQueue(id=oid, num_orders=waiting)

    async def order(self, queue: int, name: str, arguments: Mapping[str, Any]) -> tp.Order | RequestFailed:
        """Append an order."""
        written = {param: _written(value) for param, value in arguments.items()}
        try:
            change = insertion(RULESET, self.state, self.seat, queue, name, written)
        except Refusal as refusal:
            self.refused.append(f"{name}: {refusal.text}")
            return RequestFailed(int(refusal.code), refusal.text, "OrderInsert")
        apply(self.state, change)
        self.accepted.append(change.order)
        return tp.Order(id=queue)


def _written(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [[one, number] for one, number in value.items()]
    return [[one, 1] for one in value] if isinstance(value, list) else value


def attend(state: State[Any], seat: int) -> Seen:
    """Let a bot play its part of a turn."""
    turn = Seen(state, seat)
    asyncio.run(TallerAntsPolicy().give_orders(turn))
    return turn


def started(seats: int = 2, seed: int = 0, **options: Any) -> State[Any]:
    """Return a game after its setup."""
    state = opening(RULESET, parse_options(RULESET.options, options), seats, str(seed).encode()).state
    return advance(RULESET, state, str(seed).encode()).state


def played(seats: int, seed: int, **options: Any) -> tuple[Any, list[str], list[str]]:
    """Play a game of bots; return its last closing, the refusals, and the reports of dropped orders."""
    key = str(seed).encode()
    done = advance(RULESET, opening(RULESET, parse_options(RULESET.options, options), seats, key).state, key)
    refused: list[str] = []
    dropped: list[str] = []
    while not done.state.over:
        for seat in RULESET.phase(done.state.phase).active(done.state.world):
            refused += attend(done.state, seat).refused
        done = advance(RULESET, done.state, key)
        dropped += [report.body for report in done.reports if report.subject == "Order Invalid"]
    return done, refused, dropped


def types(turn: Seen) -> list[str]:
    return [order.type for order in turn.accepted]


@pytest.mark.parametrize(("seats", "setup"), [(2, "four_groups"), (2, "two_groups"), (3, "four_groups")])
def test_bots_play_to_the_end(seats, setup):
    """Nothing is refused, few orders fail, and the game ends long before its last round."""
    done, refused, dropped = played(seats, 1, ant_setup=setup)
    assert refused == []
    assert done.state.world.round < 30
    assert len(dropped) < 10 * done.state.world.round


def test_bots_play_with_hidden_colonies():
    """What is hidden is not needed: no order names what does not exist for its player."""
    _, refused, _ = played(3, 2, underground="own", max_rounds=8)
    assert refused == []


def test_it_is_on_the_roster():
    """By the name of the ruleset."""
    assert POLICIES["taller_ants"] is TallerAntsPolicy


def test_it_does_nothing_in_the_setup():
    """The default places are good."""
    state = opening(RULESET, parse_options(RULESET.options, {}), 2, b"").state
    assert attend(state, 0).accepted == []


def test_it_reads_both_boards():
    """Terrain, dug squares, fungus, holes and pieces are where the rules have them."""
    state = started(3)
    board = read_board(Seen(state, 1).universe)
    world = state.world
    assert len(board.systems) == 2 * 196
    assert sum(square in board.diggers for square in board.systems) == len(world.dug)
    assert len(board.poison()) == sum(len(fungus.squares) for fungus in world.fungi.values())
    assert board.is_water((5, 5, False))
    assert [piece.ants for piece in board.own("Group")] == [5, 5, 5, 5]
    assert board.seats == {1: 0, 2: 1, 3: 2}
    assert board.round == 1


def test_a_spider_cocoons_what_is_on_its_web():
    """Large for three or more, and no attack is needed."""
    state = started()
    world = state.world
    spider = world.spiders()[0]
    group = world.groups(1)[0]
    group.place = spider.place + 1
    world.webs.add(group.place)
    turn = attend(state, 0)
    assert types(turn)[0] == "Cocoon"
    assert turn.accepted[0].args["Size"] == [[2, 1]]


def test_a_spider_flees_from_fungus():
    """It moves before anything else, and survives the phase."""
    state = started()
    world = state.world
    spider = world.spiders()[0]
    first = min(world.fungi)
    world.fungi[first].squares = [spider.place - 14]
    assert types(attend(state, 0))[0] == "Move"
    assert advance(RULESET, state, b"flee").state.world.spiders()


def test_a_well_fed_spider_lays_eggs():
    """From the third round on, alone in a phase, and feeds them later."""
    state = started()
    state.world.round = 3
    assert types(attend(state, 0)) == ["Lay Eggs"]
    after = advance(RULESET, state, b"").state
    spider = after.world.spiders()[0]
    spider.hp = 20
    after = advance(RULESET, after, b"").state
    assert "Feed Egg" in types(attend(after, 0))


def test_a_spider_hunts_near_prey():
    """It goes beside the group and attacks."""
    state = started()
    world = state.world
    world.groups(1)[0].place = world.spiders()[0].place - 3
    turn = attend(state, 0)
    assert types(turn)[:2] == ["Move", "Attack"]


def test_a_colony_uncovers_its_hole_first():
    """A group above goes to the covered hole and collects the web."""
    state = started()
    world = state.world
    world.stage, world.active, state.phase = "ants", 1, "ants"
    hole = world.colony(1).hole
    world.webs.add(hole)
    group = world.groups(1)[0]
    group.place, group.ticks = hole + 1, 10
    turn = attend(state, 1)
    assert [order.type for order in turn.accepted if order.on == group.id] == ["Move", "Collect Web"]


def test_a_loaded_group_goes_home():
    """Food is taken to a square of the colony that has room, and dropped."""
    state = started()
    world = state.world
    world.stage, world.active, state.phase = "ants", 1, "ants"
    group = world.groups(1)[0]
    group.food, group.ticks = 22, 10
    turn = attend(state, 1)
    mine = [order for order in turn.accepted if order.on == group.id]
    assert [order.type for order in mine][-1] == "Drop"
    assert isinstance(world.units[group.id], Group)
    assert not any(isinstance(unit, Spider) and unit.seat for unit in world.units.values())
