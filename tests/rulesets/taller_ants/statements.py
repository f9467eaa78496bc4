"""Three rules that are easy to get wrong, stated again and compared.

`picked_up` returns the load of a group (R81). `hatched` returns the eggs that hatch, and the food they eat (R65, R83).
`keeps_still` checks that a group does nothing after a Merge or Split has reached the head of its queue (R80). They
share only data with the game. Distances, capacities and sequences are computed again, ant by ant and egg by egg.

`python -m tests.rulesets.taller_ants.statements [--games 100] [--first 0]` compares them in that many random games.
Players also take orders back there, and squares and groups are stocked at random.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tprules.api import Dice, Order, Turn, canonical, parse_options
from tprules.api.advance import Advanced, advance, opening
from tprules.api.bots import Bot
from tprules.api.order_checks import State, apply, removal
from tprules.taller_ants import RULESET
from tprules.taller_ants.goods import PickUp
from tprules.taller_ants.orders import Illegal, Scene
from tprules.taller_ants.rounds import next_phase
from tprules.taller_ants.world import AntEgg, Clutch, Cocoon, Group, Queen, World
from tprules.testing.play import give_orders

FOOD, COCOONED, EGGS, WEB_POINTS = 1, 2, 3, 4
"""Things that an order lets a group pick up."""

RIVER = "........../.1...~~.../....~~~.../...~~~..../..~~...22./........../.......2../......,.../.......#../.........."
"""A map of ten squares by ten with a river that can be bridged, so that everything is near."""

ResourceList = dict[Any, int]


def touch(world: World, one: int, other: int) -> bool:
    """Return whether two places are on the same board and at most one square apart."""
    width, area = world.board.width, world.board.width * world.board.height
    (x, y), (across, down) = ((place % area % width, place % area // width) for place in (one, other))
    return (one < area) == (other < area) and abs(x - across) <= 1 and abs(y - down) <= 1


def stands_on(unit: Any) -> list[int]:
    return list(unit.bridge) if isinstance(unit, Group) and unit.bridge else [unit.place]


# R81: what a group picks up.


def picked_up(world: World, group: Group, place: int, wanted: dict[int, int]) -> tuple[ResourceList, int]:
    """Return what an order takes, and its weight: "food" and "points", ants and eggs by the id of their object.

    One thing after the other is taken that is asked for and fits: an ant carries 5, a cocooned ant weighs 2, an egg 5.
    """
    things: list[tuple[Any, int, int]] = [("food", FOOD, 1)] * world.food.get(place, 0)
    for oid in sorted(world.goods):
        thing = world.goods[oid]
        if thing.place != place:
            continue
        if isinstance(thing, Cocoon):
            things += [(oid, COCOONED, 2)] * thing.ants
        else:
            things += [(oid, EGGS, 5)] * (thing.eggs + thing.fed if isinstance(thing, Clutch) else 1)
    things += [("points", WEB_POINTS, 0)] * world.web_points.get(place, 0)
    load, most = group.food + 5 * len(group.eggs), 5 * group.ants
    left, weighs = dict(wanted), 0
    taken: Counter[Any] = Counter()
    for name, kind, weight in things:
        if left.get(kind, 0) and load + weighs + weight <= most:
            left[kind] -= 1
            weighs += weight
            taken[name] += 1
    return dict(taken), weighs


def compare_pick_up(world: World, group: Group, place: int, wanted: dict[int, int]) -> int:
    """Let a group pick something up and compare; return how many different things it took. The world changes."""
    expected, weight = picked_up(world, group, place, wanted)
    own = {oid for oid, thing in world.goods.items() if _is_own_egg(thing, group.seat)}
    before = _lying(world, place)
    load, eggs, points = group.food + 5 * len(group.eggs), len(group.eggs), group.web_points
    try:
        args = {"Square": world.system(place), "Goods": [[kind, number] for kind, number in wanted.items()]}
        PickUp().do(_scene(world), group, Order(group.seat, group.id, PickUp.name, args))
    except Illegal:
        assert not expected, (expected, wanted, group)
    after = _lying(world, place)
    taken = {name: number - after.get(name, 0) for name, number in before.items() if number != after.get(name, 0)}
    assert taken == expected, (taken, expected, wanted, group)
    assert group.food + 5 * len(group.eggs) == load + weight
    assert len(group.eggs) == eggs + len(own & set(expected))
    assert group.web_points == points + expected.get("points", 0)
    return len(expected)


def _lying(world: World, place: int) -> ResourceList:
    """Return how much of everything lies at a place."""
    lying: ResourceList = {"food": world.food.get(place, 0), "points": world.web_points.get(place, 0)}
    for oid, thing in world.goods.items():
        if thing.place == place:
            is_clutch = isinstance(thing, Clutch)
            lying[oid] = thing.eggs + thing.fed if is_clutch else thing.ants if isinstance(thing, Cocoon) else 1
    return lying


# R65, R83: which eggs hatch, and what they eat.


def hatched(world: World, seat: int) -> tuple[int, ResourceList, ResourceList]:
    """Return how many ants hatch as the phase of a colony begins, and what food is left then, by place and by group."""
    groups = sorted((unit for unit in world.units.values() if _is_group(unit, seat)), key=lambda group: group.id)
    eggs = [([egg.place], egg.wait) for _, egg in sorted(world.goods.items()) if _is_own_egg(egg, seat)]
    eggs += [(stands_on(group), wait) for group in groups for _, wait in group.eggs]
    if groups and not any(isinstance(unit, Queen) and unit.seat == seat for unit in world.units.values()):
        eggs = eggs[:-1]  # R53 needs one
    lying = dict(world.food)
    carried = {group.id: group.food for group in groups}
    number = 0
    for places, wait in eggs:
        if wait > 1:
            continue
        meal: list[tuple[ResourceList, int]] = []
        for place in sorted(lying):
            if any(touch(world, place, own) for own in places):
                meal += [(lying, place)] * lying[place]
        for group in groups:
            if any(touch(world, place, own) for place in stands_on(group) for own in places):
                meal += [(carried, group.id)] * carried[group.id]
        needed = world.settings.ant_hatch_food
        if len(meal) >= needed:
            number += 1
            for pile, name in meal[:needed]:
                pile[name] -= 1
    return number, {place: food for place, food in lying.items() if food}, carried


def _is_group(unit: Any, seat: int) -> bool:
    return isinstance(unit, Group) and unit.seat == seat


def _is_own_egg(thing: Any, seat: int) -> bool:
    return isinstance(thing, AntEgg) and thing.seat == seat


def compare_hatching(world: World, seat: int) -> int:
    """Let the phase of a colony begin and compare; return how many ants hatched. The world changes."""
    world.active = seat - 1
    before = world.colony(seat).hatched
    eggs = len(world.eggs(seat)) + sum(len(group.eggs) for group in world.groups(seat))
    number, lying, carried = hatched(world, seat)
    next_phase(_scene(world))
    assert world.active == seat
    assert world.colony(seat).hatched - before == number, (number, seat)
    assert eggs - number == len(world.eggs(seat)) + sum(len(group.eggs) for group in world.groups(seat))
    assert world.food == lying
    assert {group.id: group.food for group in world.groups(seat) if group.id in carried} == carried
    return number


# R80: a group that has come to a Merge or Split keeps still.


class KeepsStill:
    """Watches the turns of a game, one after the other."""

    def __init__(self) -> None:
        self.ended: set[int] = set()
        self.seen = 0
        """Turns of groups after they had come to the end of their actions."""

    def turn(self, before: State[World], done: Advanced[World]) -> None:
        after = done.state
        if not after.world.step or after.over:
            self.ended = set()
            return
        for oid in self.ended & set(after.world.units):
            old, new = before.world.units[oid], after.world.units[oid]
            assert (old.place, old.ticks) == (new.place, new.ticks) or _was_fought(done) or _was_shifted(old)
            assert before.queues.get(oid, []) == after.queues.get(oid, [])
            self.seen += bool(after.queues.get(oid))
        for oid, queue in after.queues.items():
            acts = oid < after.world.newest and queue[0].seat == after.world.active
            if acts and queue[0].type in ("Merge", "Split"):
                self.ended.add(oid)


def _was_fought(done: Advanced[World]) -> bool:
    return any(report.subject in ("Combat", "Bridge") for report in done.reports)


def _was_shifted(unit: Any) -> bool:
    """Return whether a unit stood on a bridge, which takes it along where it falls."""
    return isinstance(unit, Group) and bool(unit.bridge)


# Random games.


def games(bot: Bot, first: int, number: int) -> Iterator[tuple[State[World], Advanced[World]]]:
    """Play games with several turns a phase, in which players take half of their first orders back again."""
    for seed in range(first, first + number):
        dice = Dice.named(b"statements", seed)
        options = {
            "map": "text",
            "map_text": RIVER,
            "max_rounds": 8,
            "phase_steps": 2 + seed % 3,
            "ant_order": "fixed",
            "ant_hatch_food": seed % 4,
            "start_cocooned": 5,
        }
        key = str(seed).encode()
        state = opening(RULESET, parse_options(RULESET.options, options), 2 + seed % 2, key).state
        while not state.over:
            for on, queue in sorted(state.queues.items()):
                if dice.below(2) and queue[0].seat == state.world.active:
                    apply(state, removal(RULESET, state, queue[0].seat, on, 0))
            give_orders(RULESET, state, bot, dice)
            done = advance(RULESET, state, key)
            yield state, done
            state = done.state


def stocked(world: World, dice: Dice) -> World:
    """Return a copy of a world in which bridges are built, and goods lie and are carried at random."""
    copy = RULESET.load(json.loads(canonical(RULESET.dump(world))), RULESET.version)
    for unit in list(copy.units.values()):
        if not isinstance(unit, Group):
            continue
        _bridge(copy, unit, dice)
        unit.eggs = [[dice.below(2), 1 + dice.below(2)] for _ in range(dice.below(min(3, unit.ants + 1)))]
        unit.food = dice.below(5 * (unit.ants - len(unit.eggs)) + 1)
        for _ in range(dice.below(5)):
            place = dice.pick([place for own in stands_on(unit) for place in copy.board.near[own]])
            _lay(copy, place, dice)
    for queen in [unit for unit in copy.units.values() if isinstance(unit, Queen)]:
        if not dice.below(3):
            del copy.units[queen.id]
    return copy


def _bridge(world: World, group: Group, dice: Dice) -> None:
    """Make a bridge of a group beside water that it can span, now and then from land."""
    if group.bridge or group.place >= world.board.area or world.board.water[group.place]:
        return
    direction, squares = dice.below(8), []
    place = world.board.ways[group.place][direction]
    while place >= 0 and world.board.water[place]:
        squares.append(place)
        place = world.board.ways[place][direction]
    if squares and place >= 0 and not any(True for square in squares for _ in world.units_at(square)):
        group.near, group.far, group.bridge, group.place = group.place, place, squares, squares[0]
        group.ants = max(group.ants, len(squares))


def _lay(world: World, place: int, dice: Dice) -> None:
    oid, kind = world.new_id(), dice.below(5)
    if kind == 0:
        world.goods[oid] = Cocoon(oid, place, 1 + dice.below(4))
    elif kind == 1:
        world.goods[oid] = Clutch(oid, place, dice.below(3), 1 + dice.below(2))
    elif kind == 2:
        world.goods[oid] = AntEgg(oid, 1 + dice.below(world.seats - 1), place, dice.below(2), 1 + dice.below(2))
    elif kind == 3:
        world.food[place] = world.food.get(place, 0) + 1 + dice.below(4)
    else:
        world.web_points[place] = world.web_points.get(place, 0) + 1 + dice.below(3)


def compare(bot: Bot, first: int, number: int) -> Counter[str]:
    """Compare in so many random games; return how often each statement was put to the test."""
    counts: Counter[str] = Counter()
    for seed in range(first, first + number):
        still = KeepsStill()
        for turn, (before, done) in enumerate(games(bot, seed, 1)):
            counts["turns"] += 1
            still.turn(before, done)
            dice = Dice.named(b"stocked", seed, turn)
            _compare_pick_ups(stocked(done.state.world, dice), dice, counts)
            _compare_hatchings(stocked(done.state.world, dice), counts)
        counts["still"] += still.seen
    return counts


def _compare_pick_ups(world: World, dice: Dice, counts: Counter[str]) -> None:
    for group in [unit for unit in world.units.values() if isinstance(unit, Group)]:
        places = sorted({place for own in stands_on(group) for place in world.board.near[own]})
        place = max(dice.shuffled(places), key=lambda place: len(_lying(world, place)))
        wanted = {kind: dice.below(5) for kind in (FOOD, COCOONED, EGGS, WEB_POINTS)}
        counts["picked up"] += 1
        counts["of several kinds"] += compare_pick_up(world, group, place, wanted) > 1


def _compare_hatchings(world: World, counts: Counter[str]) -> None:
    for seat in range(1, world.seats):
        if not world.is_out(seat) and not world.ended:
            before = {group.id for group in world.groups(seat) if group.bridge and group.eggs}
            counts["hatched"] += compare_hatching(world, seat)
            counts["bridges with eggs"] += len(before)


def _scene(world: World) -> Scene:
    turn = Turn(world, 0, "ants", {}, b"statements")
    return Scene(turn, turn.dice("statements"))


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Compare rules with what they are stated to be, in random games.")
    parser.add_argument("--games", type=int, default=100, help="default 100")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="of the first game (default 0)")
    given = parser.parse_args(words)
    sys.path.insert(0, str(Path(__file__).parent))
    from keen import keen_bot

    bot: Bot = keen_bot
    for name, number in sorted(compare(bot, given.first, given.games).items()):
        print(f"{name:<20} {number:>9}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
