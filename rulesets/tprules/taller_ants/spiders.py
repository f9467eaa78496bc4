"""The actions of spiders (R5 to R29).

Each raises Illegal before anything is used, or returns the verdict on its order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tprules.api import Oid, player
from tprules.kit.compass import OFF
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import combat
from tprules.taller_ants.actions import Illegal, Scene
from tprules.taller_ants.board import Place
from tprules.taller_ants.goods import lay_clutch, lay_cocoon, lose_ants, release, sink_all
from tprules.taller_ants.world import TICKS, TICKS_OF_SPIDER, Ants, Clutch, Cocoon, Group, Queen, Spider, World

CAPTIVES, COCOONED, EGGS, FED_EGGS = 1, 2, 3, 4
"""Kinds of goods in the orders of spiders."""

SMALL, LARGE = 1, 2
"""Ways to cocoon."""

CLUTCH = 10
"""Number of eggs laid at once, and also their cost in move points and in hit points (R27)."""

_CAPTIVE_HP, _COCOONED_HP = 2, 4
_SMALL_TICKS, _SMALL_HP = 2 * TICKS, 1
_LARGE_TICKS, _LARGE_HP, _LARGE_MOST = 5 * TICKS, 3, 5
_LONGEST_SPAN = 10


def heal(scene: Scene, spider: Spider, points: int) -> Verdict:
    """Regain hit points (R5)."""
    wanted = min(points, scene.world.settings.spider_hp - spider.hp)
    healed = min(wanted, spider.ticks // TICKS)
    if wanted > 0 and not healed:
        return Verdict.STOPS
    spider.hp += max(0, healed)
    spider.ticks -= TICKS * max(0, healed)
    return Verdict.DONE


def eat(scene: Scene, spider: Spider, captives: int, cocooned: int) -> Verdict:
    """Eat captives and cocooned ants that the spider carries (R6)."""
    if captives > len(spider.captives) or cocooned > spider.cocooned:
        raise Illegal("not carried")
    _use_captives(scene, spider, captives)
    spider.cocooned -= cocooned
    most = scene.world.settings.spider_hp
    spider.hp = max(spider.hp, min(most, spider.hp + _CAPTIVE_HP * captives + _COCOONED_HP * cocooned))
    return Verdict.DONE


def drop(scene: Scene, spider: Spider, goods: Mapping[int, int]) -> Verdict:
    """Drop goods (R14, R78)."""
    world = scene.world
    carried = {CAPTIVES: len(spider.captives), COCOONED: spider.cocooned, EGGS: spider.eggs, FED_EGGS: spider.fed}
    if any(number > carried[kind] for kind, number in goods.items()):
        raise Illegal("not carried")
    captives = goods.get(CAPTIVES, 0)
    for seat, colour in spider.captives[:captives]:
        release(world, seat, colour, spider.place)
    del spider.captives[:captives]
    cocooned, eggs, fed = (goods.get(kind, 0) for kind in (COCOONED, EGGS, FED_EGGS))
    spider.cocooned -= cocooned
    spider.eggs -= eggs
    spider.fed -= fed
    lay_cocoon(world, spider.place, cocooned)
    lay_clutch(world, spider.place, eggs, fed)
    return Verdict.DONE


def pick_up(scene: Scene, spider: Spider, place: Place, goods: Mapping[int, int]) -> Verdict:
    """Pick up as much of the wanted goods as there is, from objects by id (R29, R78)."""
    world = scene.world
    if not world.touches(spider, place):
        raise Illegal("not touching")
    left = dict(goods)
    found = 0
    for oid, thing in list(world.goods.items()):
        if thing.place != place:
            continue
        if isinstance(thing, Cocoon):
            taken = min(left.get(COCOONED, 0), thing.ants)
            if taken:
                left[COCOONED] -= taken
                spider.cocooned += taken
                thing.ants -= taken
                found += taken
            if not thing.ants:
                del world.goods[oid]
        elif isinstance(thing, Clutch):
            fed = min(left.get(FED_EGGS, 0), thing.fed)
            eggs = min(left.get(EGGS, 0), thing.eggs)
            left[FED_EGGS] = left.get(FED_EGGS, 0) - fed
            left[EGGS] = left.get(EGGS, 0) - eggs
            spider.fed += fed
            spider.eggs += eggs
            found += fed + eggs
            take_eggs(world, thing, eggs, fed)
    if not found:
        raise Illegal("nothing there")
    return Verdict.DONE


def take_eggs(world: World, clutch: Clutch, eggs: int, fed: int = 0) -> None:
    """Remove eggs from a clutch on the ground."""
    clutch.eggs -= eggs
    clutch.fed -= fed
    if not clutch.eggs and not clutch.fed:
        del world.goods[clutch.id]


def feed_egg(scene: Scene, spider: Spider, egg: Oid, kind: int, number: int) -> Verdict:
    """Feed eggs with captives or cocooned ants (R16, R17, R23)."""
    world = scene.world
    clutch: Clutch | Spider = spider
    if egg != spider.id:
        thing = world.goods.get(egg)
        if not isinstance(thing, Clutch) or not world.touches(spider, thing.place):
            raise Illegal("not touching")
        clutch = thing
    if clutch.eggs < number:
        raise Illegal("no egg")
    if (len(spider.captives) if kind == CAPTIVES else spider.cocooned) < number:
        raise Illegal("no ant")
    if len(world.spiders()) + world.fed_eggs() + number > world.settings.max_spiders:
        raise Illegal("cap")
    if kind == CAPTIVES:
        _use_captives(scene, spider, number)
    else:
        spider.cocooned -= number
    clutch.eggs -= number
    clutch.fed += number
    return Verdict.DONE


def build_web(scene: Scene, spider: Spider, place: Place) -> Verdict:
    """Build a web on a place (R18, R19)."""
    world = scene.world
    if not world.touches(spider, place):
        raise Illegal("not touching")
    if place in world.webs:
        raise Illegal("web there")
    if not world.settings.web_under_ants and world.ants_at(place):
        raise Illegal("ants there")
    if place in world.wards or world.fungus_at(place) is not None:
        raise Illegal("fungus")
    if world.board.wide[place]:
        raise Illegal("wide water")
    if spider.hp < 2:
        raise Illegal("hp")
    if spider.ticks < TICKS:
        return Verdict.STOPS
    spider.ticks -= TICKS
    spider.hp -= 1
    world.webs.add(place)
    tell_hole(scene, place, "covered")
    return Verdict.DONE


def span_web(scene: Scene, spider: Spider, direction: int) -> Verdict:
    """Build webs across water in a direction, all at once or none (R20)."""
    world, board = scene.world, scene.world.board
    bridged = {place for unit in world.units.values() if isinstance(unit, Group) for place in unit.bridge}
    squares: list[Place] = []
    place = board.ways[spider.place][direction]
    while place != OFF and board.water[place] and place not in world.webs:
        if place in bridged:
            raise Illegal("occupied")
        squares.append(place)
        place = board.ways[place][direction]
    if not squares or place == OFF or board.water[place] or len(squares) > _LONGEST_SPAN:
        raise Illegal("no far bank")
    if spider.hp - len(squares) < 1:
        raise Illegal("hp")
    if spider.ticks < TICKS * len(squares):
        return Verdict.STOPS
    spider.ticks -= TICKS * len(squares)
    spider.hp -= len(squares)
    world.webs.update(squares)
    return Verdict.DONE


def destroy_web(scene: Scene, spider: Spider, place: Place) -> Verdict:
    """Destroy the web at a place (R21)."""
    world = scene.world
    if not world.touches(spider, place):
        raise Illegal("not touching")
    if place not in world.webs:
        raise Illegal("no web")
    if world.board.water[place] and any(world.units_at(place)):
        raise Illegal("occupied water")
    world.webs.discard(place)
    sink_all(world, place)
    tell_hole(scene, place, "uncovered")
    return Verdict.DONE


def cocoon(scene: Scene, spider: Spider, target: Oid, size: int, number: int) -> Verdict:
    """Cocoon ants of an enemy group on a web (R22)."""
    world = scene.world
    group = world.units.get(target)
    if not isinstance(group, Group) or not any(world.touches(spider, place) for place in group.places):
        raise Illegal("not touching")
    if not all(place in world.webs for place in group.places):
        raise Illegal("not on web")
    if size == SMALL:
        ticks, points = _SMALL_TICKS, _SMALL_HP
        if number > group.ants:
            raise Illegal("too many")
    else:
        ticks, points = _LARGE_TICKS, _LARGE_HP
        number = group.ants
        if number > _LARGE_MOST:
            raise Illegal("too many")
    if spider.hp - points < 1:
        raise Illegal("hp")
    if spider.ticks < ticks:
        return Verdict.STOPS
    spider.ticks -= ticks
    spider.hp -= points
    spider.cocooned += number
    world.colony(group.seat).cocooned += number
    ants, were = ("ant", "was") if number == 1 else ("ants", "were")
    body = f"{number} {ants} of {player(group.seat)} {were} cocooned at {world.name_of(group.place)}."
    scene.tell([spider.seat, group.seat], "Cocooned", body, group.place)
    lose_ants(scene, group, number)
    return Verdict.DONE


def wrap(scene: Scene, spider: Spider, number: int) -> Verdict:
    """Cocoon captives that the spider carries (R25)."""
    if not spider.captives:
        raise Illegal("no captive")
    wrapped = min(number, len(spider.captives), spider.ticks // TICKS)
    if not wrapped:
        return Verdict.STOPS
    for seat, _ in spider.captives[:wrapped]:
        scene.world.colony(seat).cocooned += 1
    del spider.captives[:wrapped]
    spider.cocooned += wrapped
    spider.ticks -= TICKS * wrapped
    return Verdict.DONE


def attack(scene: Scene, spider: Spider, target: Oid, choice: int, limit: int) -> Verdict:
    """Attack a group or queen (R12, R31 to R34, R72)."""
    world = scene.world
    victim = world.units.get(target)
    if victim is None or isinstance(victim, Spider):
        raise Illegal("not touching")
    check_attack(scene, spider, victim)
    spider.attacked = True
    if isinstance(victim, Queen):
        combat.attack_queen_above(scene, spider, victim)
    else:
        combat.attack_group(scene, spider, victim, choice, limit)
    return Verdict.DONE


def check_attack(scene: Scene, spider: Spider, victim: Ants) -> None:
    world = scene.world
    if world.board.below(victim.place):
        raise Illegal("below")
    if not any(world.touches(spider, place) for place in victim.places):
        raise Illegal("not touching")
    if spider.attacked:
        raise Illegal("already attacked")


def lay_eggs(scene: Scene, spider: Spider) -> Verdict:
    """Lay eggs, which takes a whole phase in which nothing else was done (R27)."""
    if spider.ticks < TICKS_OF_SPIDER or spider.acted:
        return Verdict.STOPS
    spider.ticks = 0
    spider.hp -= CLUTCH
    spider.ended = True
    lay_clutch(scene.world, spider.place, CLUTCH)
    return Verdict.DONE


def tell_hole(scene: Scene, place: Place, what: str) -> None:
    """If there is a hole at a place where a web was built or removed, report it to everybody."""
    for seat, colony in enumerate(scene.world.colonies, 1):
        if colony.hole == place:
            body = f"The ant hole of {player(seat)} at {scene.world.name_of(place)} is {what}."
            scene.tell_all(f"Hole {what}", body, place, seat)


def _use_captives(scene: Scene, spider: Spider, number: int) -> None:
    for seat, _ in spider.captives[:number]:
        scene.world.colony(seat).killed += 1
    del spider.captives[:number]


def numbers(goods: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return a selection as kind -> number."""
    return {kind: number for kind, number in goods}  # noqa: C416 - dict() does not take the type of JSON rows
