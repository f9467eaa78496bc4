"""What the bot's spiders do: they keep away from fungus, cocoon what stands on webs, attack weak groups while they are
well, cover the ground with webs, heal, and lay eggs when there is enough to feed them with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tprules.kit.single_choice import choosing
from tprules.taller_ants.actions import CHOICE, EGG, GROUP, LIMIT, NUMBER, POINTS, SIZE, SQUARE, TARGET, WITH
from tprules.taller_ants.board import FUNGUS_DISTANCE
from tprules.taller_ants.moves import web_allowed
from tprules.taller_ants.paths import ANY_COST, fungus_distances, within_reach
from tprules.taller_ants.spider_orders import Attack, BuildWeb, Cocoon, FeedEgg, Heal, LayEggs, Wrap
from tprules.taller_ants.spiders import CAPTIVES, COCOONED, LARGE, SMALL
from tprules.taller_ants.world import KILL, TAKE, TICKS, TICKS_OF_SPIDER, Clutch, Group, Spider, World

if TYPE_CHECKING:
    from tprules.taller_ants.bot import Rehearsal

LAY_FROM_ROUND, LAY_FROM_HP, FEWEST_FOR_EGGS, ENOUGH_SPIDERS = 3, 14, 8, 4
ATTACK_FROM_HP, WEB_FROM_HP = 11, 5
FAR = 14
"""Maximum ticks of the way to a group that is attacked."""
MOST_FED = 5


def act(rehearsal: Rehearsal, spider: Spider) -> None:
    """Give a spider its orders for this phase."""
    world = rehearsal.world
    wants_eggs = _wants_eggs(world, spider)
    dangers = fungus_distances(world)
    if spider.place in dangers:
        reach = within_reach(world, spider, spider.ticks)
        rehearsal.go(spider, max(reach, key=lambda place: dangers.get(place, FUNGUS_DISTANCE)))
    elif (
        wants_eggs
        and world.round >= LAY_FROM_ROUND
        and spider.hp >= LAY_FROM_HP
        and rehearsal.give(spider, LayEggs, {})
    ):
        return
    _feed(rehearsal, spider)
    for group in _enemies(world):
        args = {GROUP: group.id, NUMBER: min(2, group.ants)}
        if group.ants < 3 or not rehearsal.give(spider, Cocoon, {**args, SIZE: choosing(LARGE)}):
            rehearsal.give(spider, Cocoon, {**args, SIZE: choosing(SMALL)})
    if spider.hp >= ATTACK_FROM_HP:
        _hunt(rehearsal, spider)
    if spider.captives:
        rehearsal.give(spider, Wrap, {NUMBER: len(spider.captives)})
    _spin(rehearsal, spider, LAY_FROM_HP + 1 if wants_eggs else WEB_FROM_HP)
    if spider.hp < world.settings.spider_hp:
        rehearsal.give(spider, Heal, {POINTS: TICKS_OF_SPIDER // TICKS})


def _enemies(world: World) -> list[Group]:
    return [unit for unit in world.units.values() if isinstance(unit, Group)]


def _clutches(world: World) -> list[Clutch]:
    return [thing for thing in world.goods.values() if isinstance(thing, Clutch)]


def _wants_eggs(world: World, spider: Spider) -> bool:
    """Return whether this spider is to lay eggs as soon as it can."""
    spiders = world.spiders()
    carried = any(one.eggs + one.fed for one in spiders)
    return not (_clutches(world) or carried) and len(spiders) < ENOUGH_SPIDERS and spider.cocooned > FEWEST_FOR_EGGS


def _feed(rehearsal: Rehearsal, spider: Spider) -> None:
    """Feed touching eggs: with captives first, then with cocooned ants above the reserve."""
    world = rehearsal.world
    clutch = next((one for one in _clutches(world) if world.touches(spider, one.place)), None)
    if clutch is None:
        return
    for kind in (CAPTIVES, COCOONED):
        spare = len(spider.captives) if kind == CAPTIVES else spider.cocooned - FEWEST_FOR_EGGS
        places = world.settings.max_spiders - len(world.spiders()) - world.fed_eggs()
        number = min(places, clutch.eggs, spare, MOST_FED)
        if number > 0:
            rehearsal.give(spider, FeedEgg, {EGG: clutch.id, WITH: choosing(kind), NUMBER: number})


def _hunt(rehearsal: Rehearsal, spider: Spider) -> None:
    """Go to the weakest group that is near, and attack it."""
    world = rehearsal.world
    reach = within_reach(world, spider, min(FAR, spider.ticks))
    prey = [
        (group.strength, reach[place], group.id, place)
        for group in _enemies(world)
        for place in world.around(group)
        if place in reach
    ]
    if not prey or spider.attacked:
        return
    *_, target, place = min(prey)
    rehearsal.go(spider, place)
    group = world.units[target]
    assert isinstance(group, Group)
    choice = TAKE if group.ants == 1 else KILL
    if rehearsal.give_only(spider, Attack, {TARGET: target, CHOICE: choosing(choice), LIMIT: 0}):
        spider.hp -= 1


def _spin(rehearsal: Rehearsal, spider: Spider, least: int) -> None:
    """Web this square, then those around, then the nearest where there is something to web, with ``least`` hit points
    or more."""
    world, board = rehearsal.world, rehearsal.world.board
    while spider.hp >= least and spider.ticks >= TICKS:
        free = [one for one in (spider.place, *board.beside[spider.place]) if web_allowed(world, one)]
        if free:
            if not rehearsal.give(spider, BuildWeb, {SQUARE: world.system(free[0])}):
                return
            continue
        reach = within_reach(world, spider, ANY_COST)
        goals = (place for place in reach if any(web_allowed(world, one) for one in board.near[place]))
        goal = next(goals, None)
        if goal is None:
            return
        rehearsal.go(spider, goal)
