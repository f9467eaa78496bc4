"""The Taller-Ants bot, on the real rules: it sees what the wire shows, and the rules' own intake answers its orders."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from tpclient.bots.policies import new_policy
from tpclient.bots.taller_ants import TallerAntsPolicy
from tpclient.bots.taller_ants_board import read_board
from tpclient.errors import RequestFailed
from tpclient.objects import NOBODY, Amount, SpaceObject
from tpclient.universe import Universe
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import TP04
from tprules.api import Dice, Order, Refusal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State, apply, insertion
from tprules.taller_ants import RULESET
from tprules.taller_ants.units import Group
from tprules.testing import view
from tprules.testing.play import busy_policy, give_orders


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


def played(seats: int, seed: int, places_at_random: bool = False, **options: Any) -> tuple[Any, list[str], list[str]]:
    """Play a game of bots; return its last closing, the refusals, and the reports of dropped orders."""
    key = str(seed).encode()
    state = opening(RULESET, parse_options(RULESET.options, options), seats, key).state
    if places_at_random:
        give_orders(RULESET, state, busy_policy, Dice.named(key, "places"))
    done = advance(RULESET, state, key)
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


@pytest.mark.parametrize(
    "options",
    [{"store_per_square": 0}, {"store_per_square": 12, "food_goal": 150}, {"store_per_square": 3, "ants_goal": 70}],
)
def test_colonies_reach_other_goals_too(options):
    """What a square holds and what is missing is read from the colony's totals; the spider wants too much to win."""
    done, refused, _ = played(2, 3, web_goal_percent=100, **options)
    assert refused == []
    assert (done.outcome.winners(), done.outcome.why) == ([1], "colony")


def test_bots_play_with_hidden_colonies():
    """What is hidden is not needed: no order names what does not exist for its player."""
    _, refused, _ = played(3, 2, underground="own", max_rounds=8)
    assert refused == []


def test_it_is_on_the_roster():
    """By the name of the ruleset."""
    assert type(new_policy("taller_ants")) is TallerAntsPolicy


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


def awaits_ants(seats: int = 2) -> State[Any]:
    """Return a game in the first phase of a colony."""
    state = started(seats)
    state.world.stage, state.world.active, state.phase = "ants", 1, "ants"
    for unit in state.world.own(1):
        unit.ticks = 10
    return state


def of(turn: Seen, oid: int) -> list[Order]:
    return [order for order in turn.accepted if order.on == oid]


def test_a_colony_uncovers_its_hole_first():
    """The nearest group above goes to the covered hole, and collects the web in the next phase."""
    state = awaits_ants()
    world = state.world
    hole = world.colony(1).hole
    world.webs.add(hole)
    far, group = world.groups(1)[:2]
    far.place, group.place = hole + 3, hole + 1
    turn = attend(state, 1)
    assert [order.type for order in of(turn, group.id)] == ["Move"]
    assert of(turn, group.id)[0].args["Square"] == world.system(hole)
    state.queues.clear()
    group.place = hole
    assert [order.type for order in of(attend(state, 1), group.id)] == ["Collect Web"]


def test_a_loaded_group_goes_home_and_out_again():
    """Food is taken to a square of the colony that has room, and dropped; the rest of the phase is for the way back."""
    state = awaits_ants()
    group = state.world.groups(1)[0]
    group.place, group.food = state.world.colony(1).hole, 22
    turn = attend(state, 1)
    assert [order.type for order in of(turn, group.id)] == ["Move", "Drop", "Move"]
    stored = state.world.stored(1) - sum(order.args.get("Number", 0) for order in turn.accepted)
    assert advance(RULESET, state, b"").state.world.stored(1) == stored + 22


def test_food_is_not_dropped_on_the_way():
    """A group that is not home in one phase only walks: what comes then is thought over again."""
    state = awaits_ants()
    red = state.world.groups(1)[2]
    red.place, red.food = state.world.colony(1).hole - 14 * 11, 25
    assert [order.type for order in of(attend(state, 1), red.id)] == ["Move"]


def test_groups_dig_where_there_is_no_room():
    """From the middle of a small nest too: they go to where there is dirt, and drop what they carry there."""
    state = started(ant_setup="two_groups")
    state.world.stage, state.world.active, state.phase = "ants", 1, "ants"
    for unit in state.world.own(1):
        unit.ticks = 10
    turn = attend(state, 1)
    one, other = (of(turn, group.id) for group in state.world.groups(1))
    assert [order.type for order in one][:3] == ["Move", "Excavate", "Drop"]
    assert "Excavate" in [order.type for order in other]
    after = advance(RULESET, state, b"").state.world
    assert len(after.dug) > 9 + 6
    assert after.stored(1) == 30


def beside_fungus(state: State[Any], squares: int) -> list[Group]:
    """Let two groups of five stand at a patch of so many squares in a row, the only one."""
    world = state.world
    world.webs.clear()
    (first, patch), *others = world.fungi.items()
    corner = 14 * 11 + 8
    patch.squares = list(range(corner, corner + squares))
    for oid, _ in others:
        del world.fungi[oid]
    assert list(world.fungi) == [first]
    groups: list[Group] = world.groups(1)[:2]
    for group in groups:
        group.place = corner + 14
    return groups


def test_groups_take_turns_at_a_small_patch():
    """It is good for one harvest a round: the other group waits beside it and does not walk away."""
    state = awaits_ants()
    one, other = beside_fungus(state, 2)
    turn = attend(state, 1)
    assert [order.type for order in of(turn, one.id)] == ["Harvest"]
    assert of(turn, other.id) == []


def test_groups_harvest_a_large_patch_side_by_side():
    """The second names a square that the first will most likely leave."""
    state = awaits_ants()
    one, other = beside_fungus(state, 6)
    other.place = one.place + 3
    turn = attend(state, 1)
    assert [order.type for order in (*of(turn, one.id), *of(turn, other.id))] == ["Harvest", "Harvest"]
    assert of(turn, one.id)[0].args != of(turn, other.id)[0].args


def test_nobody_leaves_the_nest_to_stop_before_a_spider():
    """A group stays below that would be in the open, and near a spider, at the end of its phase; others are above."""
    state = awaits_ants()
    beside_fungus(state, 1)
    next(iter(state.world.fungi.values())).squares[0] += 4
    corner = max(state.world.dug)
    state.world.dug.update({corner + 1: 1, corner + 2: 1})
    red = state.world.groups(1)[2]
    spider = state.world.spiders()[0]
    red.ticks = 6
    spider.place = state.world.colony(1).hole - 14 * 3
    assert of(attend(state, 1), red.id) == []
    state.queues.clear()
    spider.place = 13
    assert [order.type for order in of(attend(state, 1), red.id)] == ["Move"]


def test_a_queen_eats_for_her_eggs_only():
    """As much as she needs to lay, and nothing once the colony is large."""
    state = awaits_ants()
    queen = state.world.queen(1)
    queen.hp, queen.place = 2, min(state.world.food)
    fed, laid = of(attend(state, 1), queen.id)[-2:]
    assert (fed.args["Number"], laid.args["Black"]) == (4, 5)
    state.queues.clear()
    for group in state.world.groups(1):
        group.ants = 6
    for number in range(5):
        state.world.add(Group(9000 + number, 1, 0, 6, state.world.groups(1)[0].place, 10))
    state.seen.clear()  # the world is another one now
    assert of(attend(state, 1), queen.id) == []
