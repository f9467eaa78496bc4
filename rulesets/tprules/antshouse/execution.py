"""The end of planning: orders are revealed together, pyramids leave the pads, and the ants move (R12, R13, R28)."""

from __future__ import annotations

from typing import NamedTuple

from tprules.antshouse.board import DIRECTION_NAMES, NAMES, NEXT, from_centre, nearest
from tprules.antshouse.finish import begin_round
from tprules.antshouse.orders import DIRECTION, GESTURE, SQUARE, TARGET, WEAPON, Go, default_direction
from tprules.antshouse.orders import Throw as ThrowOrder
from tprules.antshouse.pieces import GESTURE_NAMES, NO_PREFERENCE, WEAPON_NAMES
from tprules.antshouse.world import OFF_BOARD, Throw, World
from tprules.api import Order, Seat, Turn, player
from tprules.kit.grid import Square
from tprules.kit.single_choice import chosen


class Planned(NamedTuple):
    """The orders of one seat in this round."""

    direction: int
    gesture: int
    throw: Throw | None


def reveal_and_move(turn: Turn[World]) -> None:
    """Report the orders to everybody, take thrown pyramids from the pads, and move all ants at the same time."""
    world = turn.world
    plans = _plans(turn)
    turn.queues.clear()
    _reveal(turn, plans)
    world.gestures = [plan.gesture for plan in plans]
    for one, plan in zip(world.players, plans, strict=True):
        one.ant = NEXT[one.ant][plan.direction]
        if plan.throw is not None:
            one.pad[plan.throw.weapon] -= 1
            world.throws.append(plan.throw)


def _plans(turn: Turn[World]) -> list[Planned]:
    """Return the orders of each seat, with defaults for missing ones (RULES.md, section 5)."""
    world = turn.world
    orders = {(order.seat, order.type): order for order in turn.orders()}
    plans = []
    for seat in range(len(world.players)):
        go, thrown = orders.get((seat, Go.name)), orders.get((seat, ThrowOrder.name))
        throw = None
        if thrown is not None:
            square = world.square(thrown.args[TARGET])
            assert square is not None, "check() lets only squares through"
            throw = Throw(seat, chosen(thrown.args, WEAPON), square)
        if go is None:
            plans.append(Planned(default_direction(world, seat), NO_PREFERENCE, throw))
        else:
            plans.append(Planned(chosen(go.args, DIRECTION), chosen(go.args, GESTURE), throw))
    return plans


def _reveal(turn: Turn[World], plans: list[Planned]) -> None:
    lines = []
    for seat, plan in enumerate(plans):
        throw = plan.throw
        thrown = f"throws {WEAPON_NAMES[throw.weapon]} at {NAMES[throw.square]}" if throw else "throws nothing"
        start = NAMES[turn.world.players[seat].ant]
        gesture = GESTURE_NAMES[plan.gesture]
        lines.append(f"{player(seat)}: {start} {DIRECTION_NAMES[plan.direction]}, {thrown}, {gesture}")
    turn.report(None, "Reveal", "\n".join(lines))
    turn.event(
        "revealed",
        directions=[DIRECTION_NAMES[plan.direction] for plan in plans],
        throws=[[WEAPON_NAMES[p.throw.weapon], NAMES[p.throw.square]] if p.throw else None for p in plans],
    )


# --- How ants enter the pavement: at the beginning, and again after they died (R8, R17, R27, R34)


def enter_ants(turn: Turn[World]) -> None:
    """Put the ants where their players ordered, lower seats first.  If the square was taken meanwhile, the nearest
    offered one is used."""
    world = turn.world
    orders = {order.seat: order for order in turn.orders()}
    turn.queues.clear()
    entered = []
    for seat, one in enumerate(world.players):
        if one.ant == OFF_BOARD:
            one.ant = _entrance(turn, orders[seat])
            entered.append(seat)
    turn.event("entered", seats=entered, squares=[NAMES[world.players[seat].ant] for seat in entered])
    begin_round(turn)


def default_entrance(world: World, seat: Seat) -> Square:
    """Return where an ant enters without an order: nearest to the centre (RULES.md, section 5)."""
    return min(world.offered(seat), key=from_centre)


def _entrance(turn: Turn[World], order: Order) -> Square:
    world = turn.world
    wanted = world.square(order.args[SQUARE])
    assert wanted is not None, "check() lets only squares through"
    free = world.offered(order.seat)
    if wanted in free:
        return wanted
    other = nearest(wanted, free)
    turn.failed(order, f"another ant has entered at {NAMES[wanted]}; yours enters at {NAMES[other]}.")
    return other
