"""The actions of groups of ants and of queens (R28 to R30, R40 to R51, R53 to R57).

As in ``spiders``, each raises Illegal before anything is used, or returns the verdict on its order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tprules.api import Oid, player
from tprules.kit.compass import OFF
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import combat
from tprules.taller_ants.actions import Illegal, Scene
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import (
    food_within,
    lay_ant_egg,
    lay_food,
    lay_web_points,
    lose_ants,
    take_from,
    use_food,
    use_web_points,
    web_points_within,
)
from tprules.taller_ants.spiders import take_eggs, tell_hole
from tprules.taller_ants.world import (
    BLACK,
    COCOONED_FOOD,
    LOAD,
    MOST_ANTS,
    RED,
    TICKS,
    TICKS_OF_ANTS,
    AntEgg,
    Clutch,
    Cocoon,
    Goods,
    Group,
    Queen,
    Spider,
    Unit,
    World,
)

FOOD, COCOONED, EGGS, WEB_POINTS = 1, 2, 3, 4
"""Kinds of goods in the orders of groups."""

NEAR, FAR = 1, 2
"""Ends of a bridge."""

WARD_FOOD = 2
QUEEN_FOOD = 5


def drop(scene: Scene, group: Group, goods: Mapping[int, int]) -> Verdict:
    """Drop goods (R70, R78); food goes to the group's square, then to touching excavated squares of its colony."""
    world = scene.world
    carried = {FOOD: group.food, EGGS: len(group.eggs), WEB_POINTS: group.web_points}
    if any(number > carried.get(kind, 0) for kind, number in goods.items()):
        raise Illegal("not carried")
    if group.bridge or (world.board.water[group.place] and _on_bridge(world, group)):
        raise Illegal("bridging")
    _store(world, group, goods.get(FOOD, 0))
    for colour, wait in group.eggs[: goods.get(EGGS, 0)]:
        lay_ant_egg(world, group.seat, group.place, colour, wait)
    del group.eggs[: goods.get(EGGS, 0)]
    points = goods.get(WEB_POINTS, 0)
    group.web_points -= points
    lay_web_points(world, group.place, points)
    return Verdict.DONE


def free_storage(world: World, place: Place) -> int:
    """Return how much more food may be dropped on a place."""
    most = world.settings.store_per_square
    if not world.board.below(place) or not most:
        return 10**9
    return max(0, most - world.food.get(place, 0))


def pick_up(scene: Scene, group: Group, place: Place, goods: Mapping[int, int]) -> Verdict:
    """Pick up as much as there is and the group can carry (R47, R78, R81): loose food first, then objects by id."""
    world = scene.world
    if not world.touches(group, place):
        raise Illegal("not touching")
    found = take_from(world.food, place, min(goods.get(FOOD, 0), group.room))
    group.food += found
    left = {COCOONED: goods.get(COCOONED, 0), EGGS: goods.get(EGGS, 0)}
    for thing in [thing for thing in world.goods.values() if thing.place == place]:
        kind = COCOONED if isinstance(thing, Cocoon) else EGGS
        taken = _load(world, group, thing, left[kind])
        left[kind] -= taken
        found += taken
    points = take_from(world.web_points, place, goods.get(WEB_POINTS, 0))
    group.web_points += points
    if not found + points:
        raise Illegal("nothing there")
    return Verdict.DONE


def _load(world: World, group: Group, thing: Goods, wanted: int) -> int:
    """Load as many of an object's ants or eggs as are wanted and fit; return their number (R23, R28, R30)."""
    if isinstance(thing, Cocoon):
        taken = min(wanted, thing.ants, group.room // COCOONED_FOOD)
        thing.ants -= taken
        group.food += COCOONED_FOOD * taken
        if not thing.ants:
            del world.goods[thing.id]
    elif isinstance(thing, Clutch):
        taken = min(wanted, thing.fed + thing.eggs, group.room // LOAD)
        fed = min(taken, thing.fed)
        take_eggs(world, thing, taken - fed, fed)
        group.food += LOAD * taken
    else:
        taken = min(wanted, 1, group.room // LOAD)
        if taken:
            del world.goods[thing.id]
            if thing.seat == group.seat:
                group.eggs.append([thing.colour, thing.wait])
            else:
                group.food += LOAD
    return taken


def excavate(scene: Scene, group: Group, directions: Sequence[int]) -> Verdict:
    """Excavate the squares in these directions (R43)."""
    world, board = scene.world, scene.world.board
    if not board.below(group.place):
        raise Illegal("above ground")
    places = [board.ways[group.place][direction] for direction in directions]
    if OFF in places:
        raise Illegal("edge")
    if any(place in world.dug for place in places):
        raise Illegal("already open")
    for_one_point = 2 * group.ants if group.colour == BLACK else group.ants
    ticks = TICKS * -(-len(places) // for_one_point)
    if group.ticks < ticks:
        return Verdict.STOPS
    group.ticks -= ticks
    world.dug.update(dict.fromkeys(places, group.seat))
    return Verdict.DONE


def collect_web(scene: Scene, group: Group) -> Verdict:
    """Turn the web on the group's square into web points (R44)."""
    world = scene.world
    if world.board.below(group.place):
        raise Illegal("below")
    if group.place not in world.webs:
        raise Illegal("no web")
    if world.board.water[group.place]:
        raise Illegal("water")
    if group.ticks < TICKS_OF_ANTS:
        return Verdict.STOPS
    group.ticks = 0
    world.webs.discard(group.place)
    group.web_points += group.ants
    tell_hole(scene, group.place, "uncovered")
    return Verdict.DONE


def bridge(scene: Scene, group: Group, direction: int) -> Verdict:
    """Form a bridge over the water in this direction (R45)."""
    world, board = scene.world, scene.world.board
    if group.bridge:
        raise Illegal("bridging")
    squares: list[Place] = []
    place = board.ways[group.place][direction]
    while place != OFF and board.water[place]:
        squares.append(place)
        place = board.ways[place][direction]
    if not squares or place == OFF or board.water[group.place]:
        raise Illegal("no far bank")
    if group.ants < len(squares):
        raise Illegal("too few ants")
    if any(True for square in squares for _ in world.units_at(square)):
        raise Illegal("occupied")
    if group.ticks < TICKS:
        return Verdict.STOPS
    group.ticks = 0
    group.near, group.far = group.place, place
    group.bridge = squares
    group.place = squares[0]
    return Verdict.DONE


def unbridge(scene: Scene, group: Group, end: int) -> Verdict:
    """Stop being a bridge; the group goes to this end (R46)."""
    world = scene.world
    if not group.bridge:
        raise Illegal("not bridging")
    place = group.near if end == NEAR else group.far
    others = [unit for unit in world.own(group.seat) if unit is not group]
    if any(unit.place in group.bridge for unit in others) or world.enemy_at(place, group.seat):
        raise Illegal("occupied")
    group.bridge = []
    group.place = place
    group.ticks = 0
    return Verdict.DONE


def harvest(scene: Scene, group: Group, place: Place) -> Verdict:
    """Harvest food from the fungus at a place (R48 to R50)."""
    world, board = scene.world, scene.world.board
    if not world.touches(group, place):
        raise Illegal("not touching")
    if place in world.wards:
        raise Illegal("ward")
    oid = world.fungus_at(place)
    if oid is None:
        raise Illegal("not touching")
    fungus = world.fungi[oid]
    if fungus.exhausted:
        raise Illegal("exhausted")
    if group.room <= 0:
        raise Illegal("no capacity")
    if group.ticks < TICKS_OF_ANTS:
        return Verdict.STOPS
    group.ticks = 0
    rolled = [scene.dice.roll() for _ in range(group.ants)]
    taken = min(sum(rolled), group.room)
    group.food += taken
    nearest = sorted(
        fungus.squares, key=lambda square: (min(board.distance(square, own) for own in group.places), square)
    )
    removed = min(taken // LOAD, len(fungus.squares) - 1)
    fungus.squares = sorted(nearest[removed:])
    fungus.exhausted = len(fungus.squares) == 1
    dice = " + ".join(map(str, rolled))
    body = f"A group harvested {taken} food at {world.name_of(place)} ({dice}); {removed} squares of fungus are gone."
    scene.tell([group.seat], "Harvest", body, place)
    return Verdict.DONE


def ward(scene: Scene, group: Group, place: Place) -> Verdict:
    """Make a ward at a place (R51)."""
    world = scene.world
    if not world.touches(group, place):
        raise Illegal("not touching")
    if not ward_allowed(world, group, place):
        raise Illegal("not free")
    if group.food < WARD_FOOD:
        raise Illegal("no food")
    if group.wards >= group.ants:
        raise Illegal("limit")
    ticks = TICKS * world.settings.ward_cost_mp
    if group.ticks < ticks:
        return Verdict.STOPS
    group.ticks -= ticks
    group.food -= WARD_FOOD
    group.wards += 1
    world.wards.add(place)
    return Verdict.DONE


def ward_allowed(world: World, group: Group, place: Place) -> bool:
    return not (
        world.board.below(place)
        or world.board.water[place]
        or place in world.webs
        or place in world.wards
        or world.is_hole(place)
        or world.fungus_at(place) is not None
        or world.enemy_at(place, group.seat)
    )


def attack(scene: Scene, group: Group, target: Oid) -> Verdict:
    """Attack a spider, group or queen (R57 to R60, R71)."""
    victim = scene.world.units.get(target)
    if victim is None:
        raise Illegal("not touching")
    check_attack(scene.world, group, victim)
    if group.ticks < TICKS:
        return Verdict.STOPS
    group.ticks = 0
    if isinstance(victim, Spider):
        combat.attack_spider(scene, group, victim)
    elif isinstance(victim, Queen):
        combat.attack_queen(scene, group, victim)
    else:
        combat.attack_ants(scene, group, victim)
    return Verdict.DONE


def check_attack(world: World, group: Group, victim: Unit) -> None:
    if any(world.touches(group, place) for place in victim.places):
        return
    through = [place for place in group.places if world.is_hole(place)]
    if not any(world.board.other_side(place) in victim.places for place in through):
        raise Illegal("not touching")
    if not any(world.board.other_side(place) in victim.places and world.is_open_hole(place) for place in through):
        raise Illegal("covered hole")


def raise_queen(scene: Scene, group: Group, egg: Oid) -> Verdict:
    """Raise an egg to be the new queen (R53)."""
    world = scene.world
    if world.queen(group.seat) is not None:
        raise Illegal("queen lives")
    place = group.place
    if egg == group.id:
        if not group.eggs:
            raise Illegal("no egg")
    else:
        thing = world.goods.get(egg)
        if not isinstance(thing, AntEgg) or thing.seat != group.seat or not world.touches(group, thing.place):
            raise Illegal("no egg")
        place = thing.place
    around = world.around(group)
    if food_within(world, around, group.seat) < QUEEN_FOOD:
        raise Illegal("no food")
    if group.ticks < TICKS_OF_ANTS:
        return Verdict.STOPS
    group.ticks = 0
    own = min(group.food, QUEEN_FOOD)
    group.food -= own
    use_food(world, around, group.seat, QUEEN_FOOD - own)
    if egg == group.id:
        del group.eggs[0]
    else:
        del world.goods[egg]
    world.add(Queen(world.new_id(), group.seat, place, world.settings.queen_hp, 0))
    body = f"{player(group.seat)} has a new queen at {world.name_of(place)}."
    scene.tell_all("Queen raised", body, place, group.seat)
    return Verdict.DONE


def merge(scene: Scene, group: Group, target: Oid, number: int) -> None:
    """Give ants, with their share of what the group carries, to another group (R37, R39, R41)."""
    world = scene.world
    other = world.units.get(target)
    if (
        not isinstance(other, Group)
        or other is group
        or other.seat != group.seat
        or not any(place in other.places for place in group.places)
    ):
        raise Illegal("not together")
    if other.colour != group.colour:
        raise Illegal("colour")
    if number > group.ants or other.ants + number > MOST_ANTS:
        raise Illegal("too big")
    _give(scene, group, other, number)


def split(scene: Scene, group: Group, number: int) -> None:
    """Move ants, with their share of what the group carries, into a new group (R41)."""
    world = scene.world
    if number >= group.ants:
        raise Illegal("too many")
    if group.bridge:
        raise Illegal("bridging")
    new = Group(world.new_id(), group.seat, group.colour, 0, group.place, group.ticks, stance=group.stance)
    world.add(new)
    _give(scene, group, new, number)


def _give(scene: Scene, group: Group, other: Group, number: int) -> None:
    """Move ants with their share of the goods, rounded down; food so that both groups can carry theirs, if possible."""
    eggs = len(group.eggs) * number // group.ants
    points = group.web_points * number // group.ants
    food = group.food * number // group.ants
    room_there = LOAD * (other.ants + number - len(other.eggs) - eggs) - other.food
    room_here = LOAD * (group.ants - number - len(group.eggs) + eggs)
    food = min(max(food, group.food - room_here), room_there)
    other.ants += number
    other.eggs += group.eggs[:eggs]
    other.web_points += points
    other.food += food
    other.ticks = min(other.ticks, group.ticks)
    del group.eggs[:eggs]
    group.web_points -= points
    group.food -= food
    lose_ants(scene, group, number)


def _store(world: World, group: Group, food: int) -> None:
    places = [group.place]
    if world.board.below(group.place):
        near = world.board.near[group.place]
        places += [place for place in near if place != group.place and world.dug.get(place) == group.seat]
    for place in places:
        amount = min(food, free_storage(world, place))
        lay_food(world, place, amount)
        group.food -= amount
        food -= amount


def _on_bridge(world: World, group: Group) -> bool:
    return any(group.place in other.bridge for other in world.groups(group.seat))


BODY, WEB_POINT = 1, 2
"""From what eggs are made: hit points of the queen's body, or web points."""


def lay(scene: Scene, queen: Queen, red: int, black: int, source: int) -> tuple[Verdict, str]:
    """Lay as many of the wanted eggs as possible, black ones first.

    Returns the verdict, and why fewer were laid if hit points or web points ran out.
    """
    world = scene.world
    wanted = red + black
    if source == BODY:
        possible = min(wanted, queen.hp - 1)
        if wanted and possible < 1:
            raise Illegal("hp")
        laid = min(possible, queen.ticks // TICKS)
        if wanted and not laid:
            return Verdict.STOPS, ""
        queen.hp -= laid
        queen.ticks -= TICKS * laid
        short = "hp" if possible < wanted and laid == possible else ""
    else:
        around = world.around(queen)
        laid = min(wanted, web_points_within(world, around, queen.seat))
        if wanted and not laid:
            raise Illegal("no web point")
        use_web_points(world, around, queen.seat, laid)
        short = "no web point" if laid < wanted else ""
    for number in range(laid):
        colour = BLACK if number < black else RED
        lay_ant_egg(world, queen.seat, queen.place, colour, world.settings.ant_hatch_delay)
    return Verdict.DONE, short and f"{laid} of {wanted} eggs were laid ({short})"


def feed(scene: Scene, queen: Queen, number: int) -> Verdict:
    """Feed the queen with as much food as is wanted, available and needed (R56)."""
    world = scene.world
    around = world.around(queen)
    available = food_within(world, around, queen.seat)
    if not available:
        raise Illegal("no food")
    eaten = min(number, available, world.settings.queen_hp - queen.hp)
    if eaten < 1:
        raise Illegal("full")
    use_food(world, around, queen.seat, eaten)
    queen.hp += eaten
    return Verdict.DONE
