"""A greedy bot (RULES.md, section 11).

Of all legal steps or placements it takes the one with the greatest value.
"""

from __future__ import annotations

from tprules.api import BotTurn, Order, Plan
from tprules.swarm.board import EDGES, FLANKS, SIDE, Position, arrived, members, step
from tprules.swarm.orders import TILE, after_orders, legal_orders, target_of
from tprules.swarm.world import World

NOISE = 50
"""Exclusive bound of the random number that is added to values, in hundredths. It makes games differ."""


def bot(turn: BotTurn[World]) -> None:
    """Place a cube, or make all steps of a movement."""
    while True:
        plan, best, chosen = turn.plan, 0, None
        for order in legal_orders(plan):
            value = _value(*_after(plan, order), plan.seat) + turn.dice.below(NOISE)
            if chosen is None or value > best:
                best, chosen = value, order
        if chosen is None or turn.give(chosen) is not None:
            return


def _after(plan: Plan[World], order: Order) -> tuple[int, int]:
    """Return both players' tiles after the order, as sets of squares."""
    world = plan.world
    target = target_of(world, order)
    if TILE in order.args:
        own, enemy, _ = world.position(plan.seat)
        after = arrived(Position(own | 1 << target, enemy), target, world.settings)
    else:
        planned = after_orders(plan)
        origin = planned.origin(world, order)
        assert origin is not None
        after = step(planned.position, origin, target, world.settings)
    return after.position.own, after.position.enemy


def _value(own: int, enemy: int, seat: int) -> int:
    advanced = sum(square // SIDE if seat == 0 else SIDE - 1 - square // SIDE for square in members(own))
    free = sum(not (own | enemy) >> square & 1 for square in EDGES[seat])
    return (
        1000 * (own.bit_count() - enemy.bit_count())
        - 150 * _threatened(own, enemy)
        + 100 * _threatened(enemy, own)
        + 15 * advanced
        + 30 * min(free, 3)
    )


def _threatened(own: int, enemy: int) -> int:
    """Return the number of cubes with an enemy on one side and a free tile on the opposite one."""
    taken = own | enemy
    flanks = (flank for square in members(enemy) for flank in FLANKS[square])
    return len({between for between, bit, far in flanks if own & bit and not taken & far})
