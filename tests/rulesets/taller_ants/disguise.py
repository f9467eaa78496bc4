"""Taller-Ants worlds with other secrets that one seat cannot tell apart.

They must look and respond the same to it.
"""

from __future__ import annotations

from typing import Any

from tprules.api import Dice
from tprules.taller_ants.views import sees, sees_place
from tprules.taller_ants.world import TICKS, AntEgg, Group, Spider, World


def disguise(world: World, seat: int | None, dice: Dice) -> World:
    """Change everything of the other seats that the seat does not see.

    That is their stances, reactions, the course of their phase, and hidden units and goods below.
    """
    for unit in list(world.units.values()):
        if unit.seat == seat:
            continue
        if unit.ticks % TICKS:
            unit.ticks -= dice.below(2)
        if isinstance(unit, Spider):
            unit.reaction = 1 + dice.below(2)
            unit.attacked = unit.acted = bool(dice.below(2))
            unit.captives = [[one, dice.below(2)] for one, _ in unit.captives]
        elif isinstance(unit, Group):
            unit.stance = 1 + dice.below(2)
            unit.wards = dice.below(2)
            unit.eggs = [[dice.below(2), 1 + dice.below(3)] for _ in unit.eggs]
        elif not sees(world, seat, unit.id) and dice.below(2):
            del world.units[unit.id]
    for egg in world.goods.values():
        if isinstance(egg, AntEgg) and egg.seat != seat:
            egg.wait = 1 + dice.below(3)
    for owner, colony in enumerate(world.colonies, 1):
        colony.killed += owner != seat and dice.below(2)
    hidden = [place for place in sorted(world.dug) if not sees_place(world, seat, place)]
    if not hidden:
        return world
    unseen: list[Any] = [*world.units.values(), *world.goods.values()]
    for thing in unseen:
        if sees(world, seat, thing.id):
            continue
        own = [place for place in hidden if world.dug[place] == world.dug[thing.place]]
        thing.place = dice.pick(own)
        if isinstance(thing, Group) and thing.food:
            thing.food -= dice.below(2)
    for colony in sorted({world.dug[place] for place in hidden} - {seat}):
        nest = [place for place in hidden if world.dug[place] == colony]
        egg = AntEgg(world.new_id(), colony, dice.pick(nest), dice.below(2), 1 + dice.below(3))
        world.goods[egg.id] = egg
    dirt = [place for place in range(world.board.area, 2 * world.board.area) if place not in world.dug]
    if dirt and seat in (None, 0):
        square = dice.pick(hidden)
        if square not in world.food and all(world.board.other_side(one.hole) != square for one in world.colonies):
            owner = world.dug[square]
            standing = [thing for thing in unseen if thing.place == square]
            if not standing and dice.below(2):
                del world.dug[square]
            world.dug[dice.pick(dirt)] = owner
    return world
