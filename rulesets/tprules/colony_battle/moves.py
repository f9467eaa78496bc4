"""Legal orders for bots and tests.

Not all are returned: units that have an order get no other, moves lead to near squares only, and attacks are only those
on targets within reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tprules.api import Oid, Order, Plan
from tprules.colony_battle.board import Layout, Square
from tprules.colony_battle.orders import (
    DESTINATION,
    DURATION,
    FIGHTERS,
    ITEM,
    KIND,
    TARGET,
    WHERE,
    Attack,
    Convert,
    Drop,
    Move,
    NoOp,
    PickUp,
    PlaceItem,
    Spawn,
    placed_item,
)
from tprules.colony_battle.pieces import ANTLION, QUEEN, SPAWNED, STATS, WORKER, YOUNG_QUEEN
from tprules.colony_battle.units import NOWHERE, Unit
from tprules.colony_battle.world import UNIVERSE, World
from tprules.kit.single_choice import choosing

_MOST_BUSY = 10
"""Maximum objects with orders; a seat with as many gets no further orders."""


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``."""
    world, seat = plan.world, plan.seat
    if world.ended:
        return
    if world.placing and seat == world.seat:
        yield from _placements(plan)
    busy = {before.on for before in plan.before if before.type != PlaceItem.name}
    if len(busy) > _MOST_BUSY:
        return
    tracks = {(before.on, before.type) for before in plan.before}
    for oid, unit in world.units.items():
        if unit.owner != seat:
            continue
        if unit.kind == QUEEN:
            yield from _of_queen(plan, oid, unit, tracks)
        elif oid not in busy:
            yield from _of_unit(plan, oid, unit)


def _of_queen(plan: Plan[World], oid: Oid, unit: Unit, tracks: set[tuple[Oid, str]]) -> Iterator[Order]:
    if not tracks & {(oid, Move.name), (oid, NoOp.name)}:
        yield from _walks(plan, oid, unit)
    home = plan.world.colonies[plan.seat].home + 1
    if not tracks & {(oid, Spawn.name), (home, Spawn.name)}:
        for on in (oid, home):
            for kind in SPAWNED:
                yield Order(plan.seat, on, Spawn.name, {KIND: choosing(kind + 1), WHERE: UNIVERSE})


def _of_unit(plan: Plan[World], oid: Oid, unit: Unit) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    stats = STATS[unit.kind]
    if stats.steps:
        yield from _walks(plan, oid, unit)
    beside = world.beside(unit.square)
    if stats.kind in FIGHTERS:
        for square in beside:
            target = world.occupied.get(square)
            if target is None or target in world.spiders:
                continue
            other = world.units.get(target)
            if other is not None and other.owner == seat:
                continue
            if other is None or other.kind != ANTLION:
                yield Order(seat, oid, Attack.name, {TARGET: target})
            if other is not None and unit.kind == YOUNG_QUEEN and other.kind != QUEEN:
                yield Order(seat, oid, Convert.name, {TARGET: target})
    if unit.kind == WORKER:
        if unit.item:
            yield Order(seat, oid, Drop.name)
        for item, token in world.items.items():
            if token.square != NOWHERE and (token.square == unit.square or token.square in beside):
                yield Order(seat, oid, PickUp.name, {ITEM: item})


def _walks(plan: Plan[World], oid: Oid, unit: Unit) -> Iterator[Order]:
    """Yield Move orders to squares that could be reached in this turn, and an order to wait."""
    world = plan.world
    reach = _within(world.layout, unit.square, STATS[unit.kind].steps)
    for square in (*reach, *world.beside(unit.square)[len(world.layout.around()[unit.square]) :]):
        if world.is_free(square):
            yield Order(plan.seat, oid, Move.name, {DESTINATION: world.system(square)})
    yield Order(plan.seat, oid, NoOp.name, {DURATION: 1})


@lru_cache(maxsize=8192)
def _within(layout: Layout, centre: Square, reach: int) -> tuple[Square, ...]:
    """Return the squares on the same board at a distance of 1 to ``reach`` from ``centre``."""
    start = centre - centre % layout.area
    return tuple(
        square
        for square in range(start, start + layout.area)
        if square != centre and layout.within(centre, square, reach)
    )


def _placements(plan: Plan[World]) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    ordered = [placed_item(before) for before in plan.before if before.type == PlaceItem.name]
    for item in world.hand(seat):
        if item not in ordered:
            for square in world.places_for(seat, world.items[item].kind):
                args = {ITEM: choosing(item), WHERE: world.system(square)}
                yield Order(seat, world.colonies[seat].queen, PlaceItem.name, args)
