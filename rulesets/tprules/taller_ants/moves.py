"""Orders that would succeed in the present position, for bots and tests.

Not all are returned: only a few of many equal numbers, moves within the reach of a phase, and at most a few orders for
each unit, since the position in which later ones are executed is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tprules.api import Order, OrderType, Plan, Seat
from tprules.kit.compass import OFF
from tprules.kit.single_choice import choosing
from tprules.taller_ants import actions, ant_orders, ants, orders, spider_orders, spiders
from tprules.taller_ants.actions import SQUARE, Illegal
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import food_within, groups_within, web_points_within
from tprules.taller_ants.paths import within_reach
from tprules.taller_ants.rounds import hole_allowed, start_allowed
from tprules.taller_ants.views import sees
from tprules.taller_ants.world import (
    BLACK,
    LOAD,
    MOST_ANTS,
    SETUP,
    SPIDER_SEAT,
    TICKS,
    TICKS_OF_ANTS,
    TICKS_OF_SPIDER,
    AntEgg,
    Clutch,
    Cocoon,
    Group,
    Queen,
    Spider,
    World,
)

MOST_PLANNED = 4
"""Maximum orders of one unit; a unit with as many gets no further ones."""

_SHORT_WAY: dict[type, int] = {Spider: 4, Group: 4, Queen: 8}
"""Maximum ticks of a move to any place, by type of unit; groups also get moves to the holes."""

Offer = tuple[type[OrderType[World]], dict[str, Any]]


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``, in its own phase."""
    world, seat = plan.world, plan.seat
    if world.ended:
        return
    if world.stage == SETUP:
        if not plan.before:
            yield from _setup(world, seat)
        return
    if seat != world.active:
        return
    planned: dict[int, int] = {}
    for before in plan.before:
        planned[before.on] = planned.get(before.on, 0) + 1
    if world.offers is None:
        world.offers = list(_offers(world, seat))
    for order in world.offers:
        if planned.get(order.on, 0) < MOST_PLANNED:
            yield order


def _offers(world: World, seat: Seat) -> Iterator[Order]:
    for unit in world.own(seat):
        if isinstance(unit, Spider):
            offers = _of_spider(world, unit)
        elif isinstance(unit, Group):
            offers = _of_group(world, unit)
        else:
            offers = _of_queen(world, unit)
        for kind, args in offers:
            yield Order(seat, unit.id, kind.name, args)


def _setup(world: World, seat: Seat) -> Iterator[Order]:
    for place in range(world.board.area):
        args = {SQUARE: world.system(place)}
        if seat == SPIDER_SEAT:
            if start_allowed(world, place):
                yield Order(seat, world.home(seat) + 1, orders.PlaceSpider.name, args)
        elif hole_allowed(world, seat, place):
            yield Order(seat, world.home(seat) + 1, orders.ChooseHole.name, args)


def _moves(world: World, unit: Spider | Group | Queen) -> Iterator[Offer]:
    for place in within_reach(world, unit, min(unit.ticks, _SHORT_WAY[type(unit)])):
        if place != unit.place:
            yield orders.Move, {SQUARE: world.system(place)}
    if isinstance(unit, Group) and not unit.bridge:
        for colony in world.colonies:
            for place in (colony.hole, world.board.other_side(colony.hole)):
                if place != unit.place and unit.ticks:
                    yield orders.Move, {SQUARE: world.system(place)}


def _of_spider(world: World, spider: Spider) -> Iterator[Offer]:
    yield from _moves(world, spider)
    yield orders.Wait, {}
    for reaction in (other for other in (1, 2) if other != spider.reaction):
        yield spider_orders.Reaction, {actions.CHOICE: choosing(reaction)}
    missing = world.settings.spider_hp - spider.hp
    if missing > 0:
        if spider.ticks >= TICKS:
            yield spider_orders.Heal, {actions.POINTS: min(10, missing)}
        if spider.captives:
            yield spider_orders.Eat, {actions.CAPTIVES: 1, actions.COCOONED: 0}
        if spider.cocooned:
            yield spider_orders.Eat, {actions.CAPTIVES: 0, actions.COCOONED: 1}
    if spider.ticks == TICKS_OF_SPIDER and not spider.acted and spider.hp > spiders.CLUTCH:
        yield spider_orders.LayEggs, {}
    if spider.captives and spider.ticks >= TICKS:
        yield spider_orders.Wrap, {actions.NUMBER: len(spider.captives)}
    yield from _spider_goods(world, spider)
    yield from _spider_webs(world, spider)
    yield from _spider_victims(world, spider)


def _spider_goods(world: World, spider: Spider) -> Iterator[Offer]:
    carried = (
        (spiders.CAPTIVES, len(spider.captives)),
        (spiders.COCOONED, spider.cocooned),
        (spiders.EGGS, spider.eggs),
        (spiders.FED_EGGS, spider.fed),
    )
    for kind, number in carried:
        if number:
            yield orders.Drop, {actions.GOODS: [[kind, (number + 1) // 2]]}
    clutches = [spider.id] if spider.eggs else []
    for thing in world.goods.values():
        if not world.touches(spider, thing.place) or isinstance(thing, AntEgg):
            continue
        args = {SQUARE: world.system(thing.place)}
        if isinstance(thing, Cocoon):
            yield orders.PickUp, {**args, actions.GOODS: [[spiders.COCOONED, thing.ants]]}
        else:
            kinds = [[spiders.EGGS, thing.eggs], [spiders.FED_EGGS, thing.fed]]
            yield orders.PickUp, {**args, actions.GOODS: [[kind, number] for kind, number in kinds if number]}
            if thing.eggs:
                clutches.append(thing.id)
    if len(world.spiders()) + world.fed_eggs() < world.settings.max_spiders:
        for clutch in clutches:
            for kind, number in carried[:2]:
                if number:
                    yield spider_orders.FeedEgg, {actions.EGG: clutch, actions.WITH: choosing(kind), actions.NUMBER: 1}


def _spider_webs(world: World, spider: Spider) -> Iterator[Offer]:
    board = world.board
    for place in board.near[spider.place]:
        if place in world.webs:
            if not board.water[place] or not any(world.units_at(place)):
                yield spider_orders.DestroyWeb, {SQUARE: world.system(place)}
        elif spider.hp > 1 and spider.ticks >= TICKS and web_allowed(world, place):
            yield spider_orders.BuildWeb, {SQUARE: world.system(place)}
    for direction in range(8):
        number = _water_ahead(world, spider.place, direction)
        if number and spider.hp > number and spider.ticks >= TICKS * number:
            yield spider_orders.SpanWeb, {actions.DIRECTION: choosing(direction)}


def web_allowed(world: World, place: Place) -> bool:
    """Return whether a web can be built on a place (R18)."""
    return not (
        place in world.webs
        or place in world.wards
        or world.board.wide[place]
        or world.fungus_at(place) is not None
        or (not world.settings.web_under_ants and world.ants_at(place))
    )


def _water_ahead(world: World, place: Place, direction: int) -> int:
    """Return the number of squares of water without a web between a place and land in a direction, or 0."""
    number = 0
    place = world.board.ways[place][direction]
    while place != OFF and world.board.water[place]:
        if place in world.webs or world.ants_at(place):
            return 0
        number += 1
        place = world.board.ways[place][direction]
    return 0 if place == OFF else number


def _spider_victims(world: World, spider: Spider) -> Iterator[Offer]:
    for unit in world.units.values():
        if isinstance(unit, Spider) or not any(world.touches(spider, place) for place in unit.places):
            continue
        if not spider.attacked:
            for choice in (1, 2):
                yield (
                    spider_orders.Attack,
                    {actions.TARGET: unit.id, actions.CHOICE: choosing(choice), actions.LIMIT: 0},
                )
        if isinstance(unit, Group) and all(place in world.webs for place in unit.places):
            args: dict[str, Any] = {actions.GROUP: unit.id, actions.NUMBER: min(2, unit.ants)}
            if spider.hp > 1 and spider.ticks >= 2 * TICKS:
                yield spider_orders.Cocoon, {**args, actions.SIZE: choosing(spiders.SMALL)}
            if spider.hp > 3 and spider.ticks >= 5 * TICKS and unit.ants < MOST_ANTS:
                yield spider_orders.Cocoon, {**args, actions.SIZE: choosing(spiders.LARGE)}


def _of_group(world: World, group: Group) -> Iterator[Offer]:
    board = world.board
    yield from _moves(world, group)
    yield orders.Wait, {}
    for stance in (other for other in (1, 2) if other != group.stance):
        yield ant_orders.Stance, {actions.CHOICE: choosing(stance)}
    yield from _group_goods(world, group)
    if board.below(group.place):
        dirt = [d for d, place in enumerate(board.ways[group.place]) if place != OFF and place not in world.dug]
        if dirt:
            most = group.ticks // TICKS * group.ants * (2 if group.colour == BLACK else 1)
            if most:
                yield ant_orders.Excavate, {actions.DIRECTIONS_DUG: [[direction, 1] for direction in dirt[:most]]}
    else:
        yield from _group_above(world, group)
    if group.bridge:
        for end in (ants.NEAR, ants.FAR):
            yield ant_orders.Unbridge, {actions.END: choosing(end)}
    if group.ticks >= TICKS:
        for unit in world.units.values():
            if unit.seat != group.seat and _may_attack(world, group, unit) and sees(world, group.seat, unit.id):
                yield ant_orders.GroupAttack, {actions.TARGET: unit.id}
    if group.ants > 1 and not group.bridge:
        yield ant_orders.Split, {actions.NUMBER: group.ants // 2}
    for other in groups_within(world, group.places, group.seat):
        number = min(group.ants, MOST_ANTS - other.ants)
        if other is not group and other.colour == group.colour and number:
            yield ant_orders.Merge, {actions.GROUP: other.id, actions.NUMBER: number}


def _group_above(world: World, group: Group) -> Iterator[Offer]:
    board = world.board
    untouched = group.ticks == TICKS_OF_ANTS
    if untouched and group.place in world.webs and not board.water[group.place]:
        yield ant_orders.CollectWeb, {}
    for place in world.around(group):
        args = {SQUARE: world.system(place)}
        oid = world.fungus_at(place)
        if oid is not None and untouched and group.room > 0 and not world.fungi[oid].exhausted:
            yield ant_orders.Harvest, args
        if group.food >= ants.WARD_FOOD and group.wards < group.ants and ants.ward_allowed(world, group, place):
            yield ant_orders.Ward, args
    if not group.bridge and not board.water[group.place] and group.ticks >= TICKS:
        for direction in range(8):
            if _bridgeable(world, group, direction):
                yield ant_orders.Bridge, {actions.DIRECTION: choosing(direction)}


def _bridgeable(world: World, group: Group, direction: int) -> bool:
    number = 0
    place = world.board.ways[group.place][direction]
    while place != OFF and world.board.water[place]:
        if any(world.units_at(place)):
            return False
        number += 1
        place = world.board.ways[place][direction]
    return place != OFF and 0 < number <= group.ants


def _may_attack(world: World, group: Group, unit: Spider | Group | Queen) -> bool:
    try:
        ants.check_attack(world, group, unit)
    except Illegal:
        return False
    return True


def _group_goods(world: World, group: Group) -> Iterator[Offer]:
    if not group.bridge and not (world.board.water[group.place] and group.place not in world.webs):
        for kind, number in (
            (ants.FOOD, group.food),
            (ants.EGGS, len(group.eggs)),
            (ants.WEB_POINTS, group.web_points),
        ):
            if number:
                yield orders.Drop, {actions.GOODS: [[kind, number]]}
    touched = set(world.around(group))
    things = [thing for thing in world.goods.values() if thing.place in touched]
    for place in sorted(touched):
        goods = [[ants.FOOD, world.food[place]]] if place in world.food and group.room > 0 else []
        if place in world.web_points:
            goods.append([ants.WEB_POINTS, world.web_points[place]])
        here = [thing for thing in things if thing.place == place]
        cocooned = sum(thing.ants for thing in here if isinstance(thing, Cocoon))
        eggs = sum(thing.eggs + thing.fed if isinstance(thing, Clutch) else 1 for thing in here) - sum(
            isinstance(thing, Cocoon) for thing in here
        )
        if cocooned and group.room > 1:
            goods.append([ants.COCOONED, cocooned])
        if eggs and group.room >= LOAD:
            goods.append([ants.EGGS, eggs])
        if goods:
            yield orders.PickUp, {SQUARE: world.system(place), actions.GOODS: goods}
    if (
        world.queen(group.seat) is None
        and group.ticks == TICKS_OF_ANTS
        and food_within(world, sorted(touched), group.seat) >= ants.QUEEN_FOOD
    ):
        own = [thing.id for thing in things if isinstance(thing, AntEgg) and thing.seat == group.seat]
        for egg in [group.id] * bool(group.eggs) + own:
            yield ant_orders.RaiseQueen, {actions.EGG: egg}


def _of_queen(world: World, queen: Queen) -> Iterator[Offer]:
    yield from _moves(world, queen)
    yield orders.Wait, {}
    around = world.around(queen)
    sources = []
    if queen.hp > 1 and queen.ticks >= TICKS:
        sources.append((ants.BODY, min(queen.hp - 1, queen.ticks // TICKS)))
    points = web_points_within(world, around, queen.seat)
    if points:
        sources.append((ants.WEB_POINT, min(20, points)))
    for source, most in sources:
        for red in (0, most):
            args = {actions.RED_EGGS: red, actions.BLACK_EGGS: most - red, actions.WITH: choosing(source)}
            yield ant_orders.Lay, args
    missing = world.settings.queen_hp - queen.hp
    if missing > 0 and food_within(world, around, queen.seat):
        yield ant_orders.FeedQueen, {actions.NUMBER: min(10, missing)}
