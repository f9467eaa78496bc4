"""A bot (RULES.md, section 11).

Its ant goes straight for its goal. Its kid throws at squares that other ants may enter.
"""

from __future__ import annotations

from tprules.antshouse.board import NEXT, STAY
from tprules.antshouse.orders import DIRECTION, GESTURE, TARGET, WEAPON, Flush, Go, Push, Throw, legal_orders
from tprules.antshouse.world import PLAN, WEAPONS, World
from tprules.api import BotTurn, Dice, Order, Plan, Seat
from tprules.kit.single_choice import choosing


def bot(turn: BotTurn[World]) -> None:
    """Give all orders of the phase."""
    while (order := _next(turn.plan, turn.dice)) is not None:
        if turn.give(order) is not None:
            return


def _next(plan: Plan[World], dice: Dice) -> Order | None:
    """Return the next order, or None if there is nothing more to do."""
    world, seat = plan.world, plan.seat
    given = {order.type for order in plan.before}
    if plan.phase == PLAN:
        if Go.name not in given:
            steps = best_steps(world, seat, dice)
            way = steps[1] if len(steps) > 1 and dice.below(5) == 0 else steps[0]
            return Order(seat, world.ant(seat), Go.name, {DIRECTION: choosing(way), GESTURE: choosing(dice.roll(3))})
        return None if Throw.name in given else _throw(world, seat, dice)
    if given:
        return None
    shove = world.shove
    if shove is None:
        entrances = list(legal_orders(plan))
        return dice.pick(entrances) if entrances else None
    row = NEXT[world.players[shove.seat].ant]
    sign = 1 if shove.seat == seat else -1
    way = min(world.vacant(row[STAY]), key=lambda way: sign * world.to_goal(shove.seat, row[way]))
    name = Push.name if world.pushes else Flush.name
    return Order(seat, world.kid(seat), name, {DIRECTION: choosing(way)})


def best_steps(world: World, seat: Seat, dice: Dice) -> list[int]:
    """Return the directions of a seat, the nearest to its goal first, equal ones in a random order."""
    row = NEXT[world.players[seat].ant]
    return sorted(dice.shuffled(world.directions(row[STAY])), key=lambda way: world.to_goal(seat, row[way])) or [STAY]


def _throw(world: World, seat: Seat, dice: Dice) -> Order | None:
    one = world.players[seat]
    weapons = [weapon for weapon in WEAPONS if one.pad[weapon]]
    others = [other for other in range(len(world.players)) if other != seat]
    if not weapons:
        return None
    leader = min(others, key=lambda other: (not world.players[other].turned, _left(world, other)))
    row = NEXT[world.players[leader].ant]
    square = row[dice.pick(best_steps(world, leader, dice)[:3])]
    if square == one.ant or square in world.cones:
        return None
    args = {WEAPON: choosing(dice.pick(weapons)), TARGET: world.system(square)}
    return Order(seat, world.kid(seat), Throw.name, args)


def _left(world: World, seat: Seat) -> int:
    return world.to_goal(seat, world.players[seat].ant)
