"""A greedy player of Swarm (page, 11): of all legal steps or placements the one of the best value."""

from __future__ import annotations

from typing import Any

from tprules.api import Dice, Order, Plan, Ruleset
from tprules.swarm.board import EDGES, SIDE
from tprules.swarm.captures import arrived, step
from tprules.swarm.orders import TILE, after_orders, target_of
from tprules.swarm.world import World


def greedy_policy(rules: Ruleset[Any], plan: Plan[World], dice: Dice) -> Order | None:
    """Return the order of the greatest value, with up to half a point of noise, or None; values are in hundredths."""
    best, chosen = 0, None
    for order in rules.legal_orders(plan):
        own, enemy = _after(plan, order)
        value = _value(own, enemy, plan.seat) + dice.below(50)
        if chosen is None or value > best:
            best, chosen = value, order
    return chosen


def _after(plan: Plan[World], order: Order) -> tuple[int, int]:
    """Return both players' tiles after the order, as sets of squares."""
    world = plan.world
    target = target_of(world, order)
    if TILE in order.args:
        own, enemy, _ = world.position(plan.seat)
        came = arrived(own | 1 << target, enemy, target, world.settings)
        return came.own, came.enemy
    planned = after_orders(plan)
    origin = planned.origin(world, order)
    assert origin is not None
    after = step(planned.position, origin, target, world.settings).position
    return after.own, after.enemy


def _value(own: int, enemy: int, seat: int) -> int:
    mine = [square for square in range(SIDE * SIDE) if own >> square & 1]
    advanced = sum(square // SIDE if seat == 0 else SIDE - 1 - square // SIDE for square in mine)
    free = sum(not (own | enemy) >> square & 1 for square in EDGES[seat])
    return (
        1000 * (len(mine) - enemy.bit_count())
        - 150 * _threatened(own, enemy)
        + 100 * _threatened(enemy, own)
        + 15 * advanced
        + 30 * min(free, 3)
    )


def _threatened(own: int, enemy: int) -> int:
    """Return how many cubes have an enemy on one side and a free tile on the opposite one."""
    taken = own | enemy
    found = 0
    for square in range(SIDE * SIDE):
        if not own >> square & 1:
            continue
        x, y = square % SIDE, square // SIDE
        flanks = []
        if 0 < x < SIDE - 1:
            flanks += [(square - 1, square + 1), (square + 1, square - 1)]
        if 0 < y < SIDE - 1:
            flanks += [(square - SIDE, square + SIDE), (square + SIDE, square - SIDE)]
        found += any(enemy >> one & 1 and not taken >> other & 1 for one, other in flanks)
    return found
