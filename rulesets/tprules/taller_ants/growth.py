"""The growth of the fungus at the beginning of a round (R50, R61 to R63)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tprules.api import Dice
from tprules.kit.compass import OFF
from tprules.taller_ants.board import Place
from tprules.taller_ants.world import World


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
