"""All legal orders, for bots and tests.

A cube is named by its number, or by its tile if it was captured earlier in the plan.
"""

from __future__ import annotations

from collections.abc import Iterator

from tprules.api import Order, Plan
from tprules.swarm.captures import Memory, leaves_rest, steps
from tprules.swarm.orders import CUBE, TILE, TO, MoveCube, PlaceCube, after_orders
from tprules.swarm.world import World


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield the legal orders for ``plan.seat`` after ``plan.before``."""
    world = plan.world
    if world.ended or plan.seat != world.active():
        return iter(())
    return _placements(plan) if world.pending else _steps(plan)


def _placements(plan: Plan[World]) -> Iterator[Order]:
    if not plan.before:
        for square in plan.world.free_edge(plan.seat):
            yield Order(plan.seat, plan.world.swarm(plan.seat), PlaceCube.name, {TILE: plan.world.system(square)})


def _steps(plan: Plan[World]) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    left = world.movement - len(plan.before)
    if left <= 0:
        return
    planned = after_orders(plan)
    if planned.won or planned.broken:
        return
    numbers = {square: number for number, square in planned.places.items()}
    memory: Memory = {}
    for origin, target in steps(planned.position, world.settings):
        if leaves_rest(planned.position, origin, target, left - 1, world.settings, memory):
            named = numbers.get(origin, world.system(origin))
            yield Order(seat, world.swarm(seat), MoveCube.name, {CUBE: named, TO: world.system(target)})
