"""Food, web points, eggs and ants: goods on the ground, using them, and losses (R7, R8, R46, R69)."""

from __future__ import annotations

from collections.abc import Sequence

from tprules.api import Seat, player
from tprules.kit.compass import OFF
from tprules.taller_ants.actions import Scene
from tprules.taller_ants.board import Place
from tprules.taller_ants.world import COLOUR_WORDS, AntEgg, Clutch, Cocoon, Group, Queen, Spider, Unit, World

FOOD_OF_A_SPIDER = 5
"""Food points that a dead spider leaves on each of four squares (R7)."""
_SQUARES_OF_A_SPIDER = 4


# What lies on the ground.


def lay_food(world: World, place: Place, amount: int) -> None:
    if amount and not world.sinks(place):
        world.food[place] = world.food.get(place, 0) + amount


def lay_web_points(world: World, place: Place, amount: int) -> None:
    if amount and not world.sinks(place):
        world.web_points[place] = world.web_points.get(place, 0) + amount


def lay_clutch(world: World, place: Place, eggs: int, fed: int = 0) -> None:
    if (eggs or fed) and not world.sinks(place):
        oid = world.new_id()
        world.goods[oid] = Clutch(oid, place, eggs, fed)


def lay_cocoon(world: World, place: Place, ants: int) -> None:
    if ants and not world.sinks(place):
        oid = world.new_id()
        world.goods[oid] = Cocoon(oid, place, ants)


def lay_ant_egg(world: World, seat: Seat, place: Place, colour: int, wait: int) -> None:
    if not world.sinks(place):
        oid = world.new_id()
        world.goods[oid] = AntEgg(oid, seat, place, colour, wait)


def take_from(pile: dict[Place, int], place: Place, most: int) -> int:
    """Remove up to ``most`` from a place, and return how much it was."""
    taken = min(most, pile.get(place, 0))
    if taken:
        pile[place] -= taken
        if not pile[place]:
            del pile[place]
    return taken


def sink_all(world: World, place: Place) -> None:
    """If a place is water without a web, remove all goods on it (R21)."""
    if world.sinks(place):
        world.food.pop(place, None)
        world.web_points.pop(place, None)
        for oid in [oid for oid, thing in world.goods.items() if thing.place == place]:
            del world.goods[oid]


def release(world: World, seat: Seat, colour: int, place: Place) -> None:
    """Set a captive free as a group of one; on water without a web it drowns (R7, R8, R14)."""
    if world.sinks(place):
        world.colony(seat).killed += 1
        return
    world.add(Group(world.new_id(), seat, colour, 1, place, 0))


# What is within reach of ants.


def groups_within(world: World, places: Sequence[Place], seat: Seat) -> list[Group]:
    return [group for group in world.groups(seat) if any(place in places for place in group.places)]


def food_within(world: World, places: Sequence[Place], seat: Seat) -> int:
    """Return the food on these places and in the colony's groups there."""
    carried = sum(group.food for group in groups_within(world, places, seat))
    return carried + sum(world.food.get(place, 0) for place in places)


def use_food(world: World, places: Sequence[Place], seat: Seat, amount: int) -> None:
    """Use food from the places, by y and x, then from groups by id; there must be enough."""
    for place in places:
        amount -= take_from(world.food, place, amount)
    for group in groups_within(world, places, seat):
        taken = min(amount, group.food)
        group.food -= taken
        amount -= taken


def web_points_within(world: World, places: Sequence[Place], seat: Seat) -> int:
    carried = sum(group.web_points for group in groups_within(world, places, seat))
    return carried + sum(world.web_points.get(place, 0) for place in places)


def use_web_points(world: World, places: Sequence[Place], seat: Seat, amount: int) -> None:
    """Use web points from the places, then from groups by id, as ``use_food`` does; there must be enough."""
    for place in places:
        amount -= take_from(world.web_points, place, amount)
    for group in groups_within(world, places, seat):
        taken = min(amount, group.web_points)
        group.web_points -= taken
        amount -= taken


# Losses.


def kill_ants(scene: Scene, group: Group, number: int) -> None:
    """Kill ants of a group."""
    scene.world.colony(group.seat).killed += number
    lose_ants(scene, group, number)


def lose_ants(scene: Scene, group: Group, number: int) -> None:
    """Remove ants from a group; goods that it can no longer carry fall, eggs last, and a bridge may collapse."""
    world = scene.world
    group.ants -= number
    if group.ants:
        falling = min(group.food, max(0, -group.room))
    else:
        falling = group.food
        lay_web_points(world, group.place, group.web_points)
        del world.units[group.id]
    group.food -= falling
    lay_food(world, group.place, falling)
    while group.eggs and (group.room < 0 or not group.ants):
        colour, wait = group.eggs.pop()
        lay_ant_egg(world, group.seat, group.place, colour, wait)
    if group.ants < len(group.bridge):
        _collapse(scene, group)


def _collapse(scene: Scene, group: Group) -> None:
    """Collapse a bridge to its near end, or to the far one if an enemy stands there; if on both, all drown (R46)."""
    world = scene.world
    span = group.bridge
    fallen: list[Group | Queen] = [
        unit for unit in world.own(group.seat) if not isinstance(unit, Spider) and (unit is group or unit.place in span)
    ]
    group.bridge = []
    ends = [end for end in (group.near, group.far) if not world.enemy_at(end, group.seat)]
    where = world.name_of(group.near)
    if not ends:
        scene.tell([group.seat], "Bridge", f"The bridge at {where} collapsed, and all on it drowned.", group.near)
        for unit in fallen:
            _drown(scene, unit)
        return
    for unit in fallen:
        unit.place = ends[0]
    group.ticks = 0
    body = f"The bridge at {where} collapsed; all on it are at {world.name_of(ends[0])}."
    scene.tell([group.seat], "Bridge", body, ends[0])


def _drown(scene: Scene, unit: Group | Queen) -> None:
    del scene.world.units[unit.id]
    if isinstance(unit, Group):
        scene.world.colony(unit.seat).killed += unit.ants
    else:
        _tell_queen_died(scene, unit)


def hurt_queen(scene: Scene, queen: Queen, points: int) -> None:
    queen.hp -= points
    if queen.hp < 1:
        del scene.world.units[queen.id]
        _tell_queen_died(scene, queen)


def _tell_queen_died(scene: Scene, queen: Queen) -> None:
    body = f"The queen of {player(queen.seat)} died at {scene.world.name_of(queen.place)}."
    scene.tell_all("Queen died", body, queen.place, queen.seat)


def hurt_spider(scene: Scene, spider: Spider, points: int) -> None:
    spider.hp -= points
    if spider.hp < 1:
        spider_dies(scene, spider)


def spider_dies(scene: Scene, spider: Spider) -> None:
    """Remove a dead spider and leave food and its goods (R7)."""
    world = scene.world
    place = spider.place
    del world.units[spider.id]
    around = [way for way in world.board.ways[place] if way != OFF and not world.board.water[way]]
    squares = around[: _SQUARES_OF_A_SPIDER - 1]
    lay_food(world, place, FOOD_OF_A_SPIDER * (_SQUARES_OF_A_SPIDER - len(squares)))
    for square in squares:
        lay_food(world, square, FOOD_OF_A_SPIDER)
    lay_cocoon(world, place, spider.cocooned)
    lay_clutch(world, place, spider.eggs, spider.fed)
    for seat, colour in spider.captives:
        release(world, seat, colour, place)
    scene.tell_all("Spider died", f"A spider died at {world.name_of(place)}.", place, spider.seat)


def described(unit: Unit) -> str:
    """Return the name of a unit for a message."""
    if isinstance(unit, Spider):
        return "a spider"
    if isinstance(unit, Queen):
        return f"the queen of {player(unit.seat)}"
    ants = "ant" if unit.ants == 1 else "ants"
    return f"{unit.ants} {COLOUR_WORDS[unit.colour]} {ants} of {player(unit.seat)}"
