"""All legal orders, for bots and tests."""

from __future__ import annotations

from collections.abc import Iterator

from tprules.antshouse.board import SQUARES, STAY
from tprules.antshouse.orders import DIRECTION, GESTURE, SQUARE, TARGET, WEAPON, Enter, Flush, Go, Push, Throw
from tprules.antshouse.pieces import GESTURES, WEAPONS
from tprules.antshouse.world import OFF_BOARD, PLAN, PUSH, RESPAWN, SETUP, WATER, World
from tprules.api import Order, Plan
from tprules.kit.single_choice import choosing


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield the legal orders for ``plan.seat`` after ``plan.before``."""
    listed = _IN_PHASE.get(plan.world.phase)
    return iter(()) if listed is None else listed(plan)


def _steps_and_throws(plan: Plan[World]) -> Iterator[Order]:
    given = {order.type for order in plan.before}
    world, seat = plan.world, plan.seat
    one = world.players[seat]
    if Go.name not in given:
        on = world.ant(seat)
        for way in world.directions(one.ant) or [STAY]:
            for gesture in GESTURES:
                yield Order(seat, on, Go.name, {DIRECTION: choosing(way), GESTURE: choosing(gesture)})
    if Throw.name not in given:
        on = world.kid(seat)
        squares = [square for square in SQUARES if square != one.ant and square not in world.cones]
        for weapon in WEAPONS:
            if one.pad[weapon]:
                for square in squares:
                    yield Order(seat, on, Throw.name, {WEAPON: choosing(weapon), TARGET: world.system(square)})


def _entrances(plan: Plan[World]) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    if not plan.before and world.players[seat].ant == OFF_BOARD:
        for square in world.offered(seat):
            yield Order(seat, world.kid(seat), Enter.name, {SQUARE: world.system(square)})


def _shoves(plan: Plan[World]) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    shove = world.shove
    if shove is not None and shove.chooser == seat and not plan.before:
        name = Push.name if world.pushes else Flush.name
        for way in world.vacant(world.players[shove.seat].ant):
            yield Order(seat, world.kid(seat), name, {DIRECTION: choosing(way)})


_IN_PHASE = {
    SETUP: _entrances,
    PLAN: _steps_and_throws,
    PUSH: _shoves,
    WATER: _shoves,
    RESPAWN: _entrances,
}
