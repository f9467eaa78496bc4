"""The course of a round: growth, the spider's phase, the colonies' phases (R16, R65, R66, R75; RULES.md, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tprules.api import Dice, Reference, RefKind, Seat
from tprules.kit.compass import OFF
from tprules.taller_ants.board import Place
from tprules.taller_ants.finish import ROUNDS, SEALED, end_by_score
from tprules.taller_ants.goods import food_within, use_food
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.spiders import take_eggs
from tprules.taller_ants.units import (
    MOST_ANTS,
    SPIDER_SEAT,
    TICKS_OF_ANTS,
    TICKS_OF_SPIDER,
    Clutch,
    Group,
    Spider,
)
from tprules.taller_ants.world import ANTS, SPIDER, World

ALTERNATE = "alternate"


def phase_order(world: World) -> list[Seat]:
    """Return the seats in the order of their phases in this round (R66)."""
    ants = list(range(1, world.seats))
    if world.settings.ant_order == ALTERNATE and world.round % 2 == 0:
        ants.reverse()
    return [SPIDER_SEAT, *ants]


def begin_round(scene: Scene) -> None:
    """Begin the next round and its first phase.  At least one player must be alive."""
    world = scene.world
    world.round += 1
    grown = grow(world, scene.turn.dice("grow"))
    if grown:
        names = "; ".join(world.name_of(place) for place in grown)
        references = [Reference(RefKind.OBJECT, world.system(place)) for place in grown]
        scene.turn.report(None, "Growth", f"The fungus has grown to {names}.", references)
    world.opened = False
    note_opened(world)
    _begin_phase(scene, phase_order(world))


def next_phase(scene: Scene) -> None:
    """Begin the next phase of a living player, in this round or the next, unless the game ends between the rounds."""
    world = scene.world
    order = phase_order(world)
    rest = order[order.index(world.active) + 1 :]
    if any(not world.is_out(seat) for seat in rest):
        _begin_phase(scene, rest)
        return
    world.sealed = 0 if world.opened else world.sealed + 1
    settings = world.settings
    if world.round >= settings.max_rounds:
        end_by_score(scene, ROUNDS)
    elif settings.seal_rounds and world.sealed >= settings.seal_rounds:
        end_by_score(scene, SEALED)
    else:
        begin_round(scene)


def note_opened(world: World) -> None:
    """Record if a living colony is not shut in at this moment (R75)."""
    if any(seat != SPIDER_SEAT and not world.shut_in(seat) for seat in world.living()):
        world.opened = True


def _begin_phase(scene: Scene, seats: list[Seat]) -> None:
    world = scene.world
    seat = next(seat for seat in seats if not world.is_out(seat))
    world.active, world.step = seat, 0
    if seat == SPIDER_SEAT:
        world.stage = SPIDER
        _begin_spider_phase(scene)
    else:
        world.stage = ANTS
        _begin_ant_phase(scene, seat)
    world.newest = world.next_id


def _begin_spider_phase(scene: Scene) -> None:
    world = scene.world
    hatching: list[Place] = []
    for thing in list(world.goods.values()):
        if isinstance(thing, Clutch):
            hatching += [thing.place] * thing.fed
            take_eggs(world, thing, 0, thing.fed)
    for spider in world.spiders():
        hatching += [spider.place] * spider.fed
        spider.fed = 0
    for place in hatching:
        world.add(Spider(world.new_id(), place, world.settings.spider_hp, 0))
        scene.tell([SPIDER_SEAT], "Hatched", f"A spider hatched at {world.name_of(place)}.", place)
    for spider in world.spiders():
        spider.ticks = TICKS_OF_SPIDER
        spider.attacked = spider.acted = spider.ended = False


def _begin_ant_phase(scene: Scene, seat: Seat) -> None:
    world = scene.world
    _hatch_ants(scene, seat)
    for unit in world.own(seat):
        unit.ticks = TICKS_OF_ANTS
        if isinstance(unit, Group):
            unit.wards = 0
            unit.ended = False


def _hatch_ants(scene: Scene, seat: Seat) -> None:
    """Hatch ant eggs: on the ground by id, then carried ones; the last one waits while there is no queen (R65)."""
    world = scene.world
    laid = world.eggs(seat)
    carried = [(group, egg) for group in world.groups(seat) for egg in group.eggs]
    keep_one = world.queen(seat) is None and bool(world.groups(seat))
    hatching = len(laid) + len(carried) - keep_one
    hatched: dict[Place, int] = {}
    for egg in laid:
        egg.wait = max(0, egg.wait - 1)
        hatching -= 1
        if not egg.wait and hatching >= 0 and _has_food_to_hatch(world, seat, world.board.near[egg.place]):
            del world.goods[egg.id]
            _hatch(world, seat, egg.colour, egg.place)
            hatched[egg.place] = hatched.get(egg.place, 0) + 1
    for group, row in carried:
        colour, wait = row
        row[1] = max(0, wait - 1)
        hatching -= 1
        if not row[1] and hatching >= 0 and _has_food_to_hatch(world, seat, world.around(group)):
            group.eggs.remove(row)
            _hatch(world, seat, colour, group.place)
            hatched[group.place] = hatched.get(group.place, 0) + 1
    for place, number in hatched.items():
        what = "ant" if number == 1 else "ants"
        scene.tell([seat], "Hatched", f"{number} {what} hatched at {world.name_of(place)}.", place)


def _has_food_to_hatch(world: World, seat: Seat, near: Sequence[Place]) -> bool:
    """Use the food that hatching costs (option ``ant_hatch_food``) and return True; False if there is not enough."""
    needed = world.settings.ant_hatch_food
    if food_within(world, near, seat) < needed:
        return False
    use_food(world, near, seat, needed)
    return True


def _hatch(world: World, seat: Seat, colour: int, place: Place) -> None:
    """Add a hatched ant to the first group of its colour with room at the place, or as a new group."""
    world.colony(seat).hatched += 1
    for group in world.groups(seat):
        if group.colour == colour and group.ants < MOST_ANTS and place in group.places:
            group.ants += 1
            return
    world.add(Group(world.new_id(), seat, colour, 1, place, TICKS_OF_ANTS))


# --- The growth of the fungus at the beginning of a round (R50, R61 to R63)


def grow(world: World, dice: Dice) -> list[Place]:
    """Let every fungus group grow by one square if it can, and return the new squares."""
    grown = []
    for fungus in world.fungi.values():
        fungus.exhausted = False
        place = _drawn(world, fungus.squares, lambda square: square not in world.webs, dice)
        if place is None:
            place = _drawn(world, fungus.squares, lambda square: square in world.webs, dice)
        if place is not None:
            world.webs.discard(place)
            fungus.squares = sorted([*fungus.squares, place])
            grown.append(place)
    return grown


def _drawn(world: World, squares: Sequence[Place], wanted: Callable[[Place], bool], dice: Dice) -> Place | None:
    """Draw one of the directions in which a wanted square is free, then one such square; None if there is none."""
    board = world.board
    taken = {square for fungus in world.fungi.values() for square in fungus.squares} | world.wards
    taken.update(colony.hole for colony in world.colonies)
    by_direction = []
    for direction in range(8):
        beside = {board.ways[square][direction] for square in squares} - taken
        free = sorted(way for way in beside if way != OFF and not board.water[way] and wanted(way))
        if free:
            by_direction.append(free)
    return dice.pick(dice.pick(by_direction)) if by_direction else None
