"""How ants enter the pavement: at the beginning, and again after they died (R8, R17, R27, R34)."""

from __future__ import annotations

from tprules.antshouse.board import NAMES, from_centre, nearest
from tprules.antshouse.finish import begin_round
from tprules.antshouse.orders import SQUARE
from tprules.antshouse.world import OFF_BOARD, World
from tprules.api import Order, Seat, Turn
from tprules.kit.grid import Square


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
