"""Food, web points, eggs and ants as goods: carrying, use and losses.

R7, R8, R14, R23, R28 to R30, R46, R47, R69, R70, R78, and R81.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from tprules.api import Choice, Oid, OrderWords, Plan, Seat, Selection, player
from tprules.kit.compass import OFF
from tprules.taller_ants.board import Place
from tprules.taller_ants.orders import A_SQUARE, SQUARE, Action, Args, Illegal, Scene, touching_square
from tprules.taller_ants.views import kind_of, owner_of
from tprules.taller_ants.world import COCOONED_FOOD, LOAD, AntEgg, Clutch, Cocoon, Goods, Group, Queen, Spider, World

GOODS = "Goods"

CAPTIVES, COCOONED, EGGS, FED_EGGS = 1, 2, 3, 4
FOOD, WEB_POINTS = 1, 4
"""Kinds of goods in orders: those of spiders, and those of groups that have other numbers."""

FOOD_OF_A_SPIDER = 5
"""Food points that a dead spider leaves on each of four squares (R7)."""
_SQUARES_OF_A_SPIDER = 4

_MANY = 9999
"""More of any goods than a unit can carry. A selection may exceed the present amount, as it is executed later."""

# Goods on the ground.


def lay(world: World, pile: dict[Place, int], place: Place, amount: int) -> None:
    """Put food or web points, ``world.food`` or ``world.web_points``, on a place."""
    if amount and not world.sinks(place):
        pile[place] = pile.get(place, 0) + amount


def take(pile: dict[Place, int], place: Place, most: int) -> int:
    """Remove up to ``most`` from a place, and return the amount."""
    taken = min(most, pile.get(place, 0))
    if taken:
        pile[place] -= taken
        if not pile[place]:
            del pile[place]
    return taken


def lay_clutch(world: World, place: Place, eggs: int, fed: int = 0) -> None:
    if (eggs or fed) and not world.sinks(place):
        oid = world.new_id()
        world.goods[oid] = Clutch(oid, place, eggs, fed)


def take_eggs(world: World, clutch: Clutch, eggs: int, fed: int) -> None:
    clutch.eggs -= eggs
    clutch.fed -= fed
    if not clutch.eggs and not clutch.fed:
        del world.goods[clutch.id]


def lay_cocoon(world: World, place: Place, ants: int) -> None:
    if ants and not world.sinks(place):
        oid = world.new_id()
        world.goods[oid] = Cocoon(oid, place, ants)


def take_ants(world: World, cocoon: Cocoon, ants: int) -> None:
    cocoon.ants -= ants
    if not cocoon.ants:
        del world.goods[cocoon.id]


def lay_ant_egg(world: World, seat: Seat, place: Place, colour: int, wait: int) -> None:
    if not world.sinks(place):
        oid = world.new_id()
        world.goods[oid] = AntEgg(oid, seat, place, colour, wait)


def sink_all(world: World, place: Place) -> None:
    """If a place is water without a web, remove all goods on it (R21)."""
    if world.sinks(place):
        world.food.pop(place, None)
        world.web_points.pop(place, None)
        for oid in [oid for oid, thing in world.goods.items() if thing.place == place]:
            del world.goods[oid]


def release(world: World, seat: Seat, colour: int, place: Place) -> None:
    """Set a captive free as a group of one. On water without a web it drowns (R7, R8, R14)."""
    if world.sinks(place):
        world.colony(seat).killed += 1
    else:
        world.add(Group(world.new_id(), seat, colour, 1, place, 0))


def free_storage(world: World, place: Place) -> int:
    """Return the amount of food that may still be dropped on a place."""
    most = world.settings.store_per_square
    if not world.board.below(place) or not most:
        return 10**9
    return max(0, most - world.food.get(place, 0))


# Goods within reach of ants: on places, and in the colony's groups there.

Pile = Literal["food", "web_points"]


def within(world: World, places: Sequence[Place], seat: Seat, what: Pile) -> int:
    """Return the amount of food or web points on places and in groups."""
    pile: dict[Place, int] = getattr(world, what)
    carried: list[int] = [getattr(group, what) for group in _groups_on(world, places, seat)]
    return sum(carried) + sum(pile.get(place, 0) for place in places)


def use(world: World, places: Sequence[Place], seat: Seat, what: Pile, amount: int) -> None:
    """Use food or web points from the places, by y and x, then from groups by id. There must be enough."""
    for place in places:
        amount -= take(getattr(world, what), place, amount)
    for group in _groups_on(world, places, seat):
        taken = min(amount, getattr(group, what))
        setattr(group, what, getattr(group, what) - taken)
        amount -= taken


def _groups_on(world: World, places: Sequence[Place], seat: Seat) -> list[Group]:
    return [group for group in world.groups(seat) if any(place in places for place in group.places)]


# Dropping and picking up, at no cost (R78).


class _GoodsAction(Action[Spider | Group]):
    """An order about goods. Spiders and groups have different kinds of goods."""

    kinds = ("spider", "group")
    of_spiders: ClassVar = dict(enumerate(("captives", "cocooned ants", "eggs", "fed eggs"), 1))
    of_groups: ClassVar = dict(enumerate(("food", "cocooned ants", "eggs", "web points"), 1))

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        mine = owner_of(plan.world, on) == plan.seat
        kind = kind_of(plan.world, on) if mine else None
        offers: dict[int, str] = {}
        if kind != "group":
            offers |= self.of_spiders
        if kind != "spider":
            offers |= self.of_groups
        return [Choice(number, name, _MANY) for number, name in sorted(offers.items())]


class Drop(_GoodsAction):
    number = 4
    name = "Drop"
    words = OrderWords("Drop", "Drop {Goods}", {GOODS: "goods"})
    help = "Put down what is carried; below, ants spread food over the squares of their colony that they touch"
    params = {GOODS: Selection("What to put down, and how much")}
    of_groups = {kind: name for kind, name in _GoodsAction.of_groups.items() if kind != COCOONED}

    def check_position(self, world: World, unit: Spider | Group, args: Args) -> None:
        carried = _carried(unit)
        if any(number > carried.get(kind, 0) for kind, number in args[GOODS]):
            raise Illegal("not carried")
        if isinstance(unit, Group) and (unit.bridge or (world.board.water[unit.place] and _on_bridge(world, unit))):
            raise Illegal("bridging")

    def execute(self, scene: Scene, unit: Spider | Group, args: Args) -> None:
        world, goods = scene.world, Counter[int](dict(args[GOODS]))
        if isinstance(unit, Group):
            self._store(world, unit, goods[FOOD])
            for colour, wait in unit.eggs[: goods[EGGS]]:
                lay_ant_egg(world, unit.seat, unit.place, colour, wait)
            del unit.eggs[: goods[EGGS]]
            unit.web_points -= goods[WEB_POINTS]
            lay(world, world.web_points, unit.place, goods[WEB_POINTS])
            return
        for seat, colour in unit.captives[: goods[CAPTIVES]]:
            release(world, seat, colour, unit.place)
        del unit.captives[: goods[CAPTIVES]]
        unit.cocooned -= goods[COCOONED]
        unit.eggs -= goods[EGGS]
        unit.fed -= goods[FED_EGGS]
        lay_cocoon(world, unit.place, goods[COCOONED])
        lay_clutch(world, unit.place, goods[EGGS], goods[FED_EGGS])

    def _store(self, world: World, group: Group, food: int) -> None:
        """Drop food on the group's square, then on touching excavated squares of its colony (R70)."""
        places = [group.place]
        if world.board.below(group.place):
            near = world.board.near[group.place]
            places += [place for place in near if place != group.place and world.dug.get(place) == group.seat]
        for place in places:
            amount = min(food, free_storage(world, place))
            lay(world, world.food, place, amount)
            group.food -= amount
            food -= amount

    def offers(self, world: World, unit: Spider | Group) -> Iterator[Args]:
        for kind, number in _carried(unit).items():
            if number:
                yield {GOODS: [[kind, (number + 1) // 2 if isinstance(unit, Spider) else number]]}


class PickUp(_GoodsAction):
    number = 5
    name = "Pick Up"
    words = OrderWords("Pick up", "Pick up {Goods} from {Square}", {SQUARE: "square", GOODS: "goods"})
    help = "Pick up what lies on a touching square, as much as is there and can be carried"
    params = {SQUARE: A_SQUARE, GOODS: Selection("What to pick up, and how much")}
    of_spiders = {kind: name for kind, name in _GoodsAction.of_spiders.items() if kind != CAPTIVES}

    def check_position(self, world: World, unit: Spider | Group, args: Args) -> None:
        touching_square(world, unit, args)

    def execute(self, scene: Scene, unit: Spider | Group, args: Args) -> None:
        """Take as much as the unit can carry: loose food first, then objects by id, then web points (R81)."""
        world, place = scene.world, scene.world.place_of(args[SQUARE])
        left = Counter[int](dict(args[GOODS]))
        found = 0
        if isinstance(unit, Group):
            found = take(world.food, place, min(left[FOOD], unit.room))
            unit.food += found
        for thing in [thing for thing in world.goods.values() if thing.place == place]:
            if isinstance(unit, Spider):
                found += _load_spider(world, unit, thing, left)
            else:
                found += _load_group(world, unit, thing, left)
        if isinstance(unit, Group):
            points = take(world.web_points, place, left[WEB_POINTS])
            unit.web_points += points
            found += points
        if not found:
            raise Illegal("nothing there")

    def offers(self, world: World, unit: Spider | Group) -> Iterator[Args]:
        if isinstance(unit, Spider):
            lying: list[tuple[Place, dict[int, int]]] = []
            for thing in world.goods.values():
                if isinstance(thing, Cocoon):
                    lying.append((thing.place, {COCOONED: thing.ants}))
                elif isinstance(thing, Clutch):
                    lying.append((thing.place, {EGGS: thing.eggs, FED_EGGS: thing.fed}))
        else:
            places = {thing.place for thing in world.goods.values()} | world.food.keys() | world.web_points.keys()
            lying = [(place, self._for_group(world, unit, place)) for place in world.around(unit) if place in places]
        for place, goods in lying:
            wanted = [[kind, number] for kind, number in goods.items() if number]
            if wanted:
                yield {SQUARE: world.system(place), GOODS: wanted}

    def _for_group(self, world: World, group: Group, place: Place) -> dict[int, int]:
        """Return the goods on a place, if the group has room for one of the kind."""
        here = [thing for thing in world.goods.values() if thing.place == place]
        cocooned = sum(thing.ants for thing in here if isinstance(thing, Cocoon))
        eggs = sum(thing.eggs + thing.fed for thing in here if isinstance(thing, Clutch))
        eggs += sum(isinstance(thing, AntEgg) for thing in here)
        return {
            FOOD: world.food.get(place, 0) if group.room > 0 else 0,
            WEB_POINTS: world.web_points.get(place, 0),
            COCOONED: cocooned if group.room >= COCOONED_FOOD else 0,
            EGGS: eggs if group.room >= LOAD else 0,
        }


def _carried(unit: Spider | Group) -> dict[int, int]:
    """Return the goods of a unit, by kind."""
    if isinstance(unit, Spider):
        return {CAPTIVES: len(unit.captives), COCOONED: unit.cocooned, EGGS: unit.eggs, FED_EGGS: unit.fed}
    return {FOOD: unit.food, EGGS: len(unit.eggs), WEB_POINTS: unit.web_points}


def _on_bridge(world: World, group: Group) -> bool:
    return any(group.place in other.bridge for other in world.groups(group.seat))


def _load_spider(world: World, spider: Spider, thing: Goods, left: Counter[int]) -> int:
    """Load ants or eggs of an object up to ``left``, reduce ``left``, and return their number (R29)."""
    ants = eggs = fed = 0
    if isinstance(thing, Cocoon):
        ants = min(left[COCOONED], thing.ants)
        take_ants(world, thing, ants)
    elif isinstance(thing, Clutch):
        eggs, fed = min(left[EGGS], thing.eggs), min(left[FED_EGGS], thing.fed)
        take_eggs(world, thing, eggs, fed)
    spider.cocooned += ants
    spider.eggs += eggs
    spider.fed += fed
    left.subtract({COCOONED: ants, EGGS: eggs, FED_EGGS: fed})
    return ants + eggs + fed


def _load_group(world: World, group: Group, thing: Goods, left: Counter[int]) -> int:
    """Load ants or eggs of an object that fit, up to ``left``, reduce ``left``, and return their number.

    Sources: R23, R28, R30.
    """
    if isinstance(thing, Cocoon):
        taken = min(left[COCOONED], thing.ants, group.room // COCOONED_FOOD)
        take_ants(world, thing, taken)
        group.food += COCOONED_FOOD * taken
        left[COCOONED] -= taken
        return taken
    number = thing.eggs + thing.fed if isinstance(thing, Clutch) else 1
    taken = min(left[EGGS], number, group.room // LOAD)
    if isinstance(thing, Clutch):
        fed = min(taken, thing.fed)
        take_eggs(world, thing, taken - fed, fed)
        group.food += LOAD * taken
    elif taken:
        del world.goods[thing.id]
        if thing.seat == group.seat:
            group.eggs.append([thing.colour, thing.wait])
        else:
            group.food += LOAD
    left[EGGS] -= taken
    return taken


# Losses.


def kill_ants(scene: Scene, group: Group, number: int) -> None:
    scene.world.colony(group.seat).killed += number
    lose_ants(scene, group, number)


def lose_ants(scene: Scene, group: Group, number: int) -> None:
    """Remove ants from a group. Goods beyond its capacity fall, eggs last, and a bridge may collapse (R69)."""
    world = scene.world
    group.ants -= number
    if group.ants:
        falling = min(group.food, max(0, -group.room))
    else:
        falling = group.food
        lay(world, world.web_points, group.place, group.web_points)
        del world.units[group.id]
    group.food -= falling
    lay(world, world.food, group.place, falling)
    while group.eggs and (group.room < 0 or not group.ants):
        colour, wait = group.eggs.pop()
        lay_ant_egg(world, group.seat, group.place, colour, wait)
    if group.ants < len(group.bridge):
        _collapse(scene, group)


def _collapse(scene: Scene, group: Group) -> None:
    """Collapse a bridge to its near end, or to the far end if an enemy stands at the near one (R46).

    If enemies stand at both ends, all ants drown.
    """
    world = scene.world
    span = group.bridge
    fallen: list[Group | Queen] = [
        unit for unit in world.own(group.seat) if not isinstance(unit, Spider) and (unit is group or unit.place in span)
    ]
    group.bridge = []
    ends = [end for end in (group.near, group.far) if not world.enemy_at(end, group.seat)]
    where = world.board.name_of(group.near)
    if not ends:
        scene.tell([group.seat], "Bridge", f"The bridge at {where} collapsed, and all on it drowned.", group.near)
        for unit in fallen:
            if isinstance(unit, Group):
                del world.units[unit.id]
                world.colony(unit.seat).killed += unit.ants
            else:
                queen_dies(scene, unit)
        return
    for unit in fallen:
        unit.place = ends[0]
    group.ticks = 0
    body = f"The bridge at {where} collapsed; all on it are at {world.board.name_of(ends[0])}."
    scene.tell([group.seat], "Bridge", body, ends[0])


def queen_dies(scene: Scene, queen: Queen) -> None:
    del scene.world.units[queen.id]
    body = f"The queen of {player(queen.seat)} died at {scene.world.board.name_of(queen.place)}."
    scene.tell_all("Queen died", body, queen.place, queen.seat)


def spider_dies(scene: Scene, spider: Spider) -> None:
    """Remove a dead spider and leave food and its goods (R7)."""
    world = scene.world
    place = spider.place
    del world.units[spider.id]
    around = [way for way in world.board.ways[place] if way != OFF and not world.board.water[way]]
    squares = around[: _SQUARES_OF_A_SPIDER - 1]
    lay(world, world.food, place, FOOD_OF_A_SPIDER * (_SQUARES_OF_A_SPIDER - len(squares)))
    for square in squares:
        lay(world, world.food, square, FOOD_OF_A_SPIDER)
    lay_cocoon(world, place, spider.cocooned)
    lay_clutch(world, place, spider.eggs, spider.fed)
    for seat, colour in spider.captives:
        release(world, seat, colour, place)
    scene.tell_all("Spider died", f"A spider died at {world.board.name_of(place)}.", place, spider.seat)


def hurt(scene: Scene, unit: Spider | Queen, points: int) -> None:
    """Remove hit points from a spider or queen, which dies without any."""
    unit.hp -= points
    if unit.hp < 1:
        if isinstance(unit, Spider):
            spider_dies(scene, unit)
        else:
            queen_dies(scene, unit)
