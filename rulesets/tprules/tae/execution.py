"""The end of a normal turn: executes the orders of all players, one player after the other (R12, R26)."""

from __future__ import annotations

from tprules.api import ORDER_COMPLETED, Order, Reference, RefKind, Turn
from tprules.kit.seats import cyclic
from tprules.tae.orders import ACTIONS, SHIPS, TARGET
from tprules.tae.pieces import WORDS
from tprules.tae.world import World


def execute_orders(turn: Turn[World]) -> None:
    """Check each order again and execute it: seats cyclically from the first player, the orders of each as accepted."""
    world = turn.world
    dice = turn.dice("exchange")
    orders = turn.orders()
    turn.queues.clear()
    for seat in cyclic(world.first, len(world.players)):
        for order in orders:
            if order.seat != seat:
                continue
            action = ACTIONS[order.type]
            reason = action.against(world, order)
            if reason:
                turn.failed(
                    order, f"{action.why(world, order, reason)}. The order had no effect; the piece is still there."
                )
                continue
            stranded = action.execute(world, order, dice)
            _tell_done(turn, order)
            for owner, kind in stranded:
                _tell_stranded(turn, owner, kind)


def _tell_done(turn: Turn[World], order: Order) -> None:
    references = [ORDER_COMPLETED]
    if TARGET in order.args:
        target = order.args[TARGET]
        references.append(Reference(RefKind.OBJECT, target))
        where = turn.world.place_name(target)
        body = f"Your order {order.type} to {where} was carried out."
    else:
        references.append(Reference(RefKind.OBJECT, order.on))
        body = f"You gave back {len(order.args[SHIPS])} colonist ships and drew as many."
    turn.report(order.seat, f"{order.type} order complete", body, references)


def _tell_stranded(turn: Turn[World], owner: int, kind: int) -> None:
    fleet = turn.world.players[owner].leaders[kind]
    body = f"Your {WORDS[kind].leader} lost the last scientist colony beside it and went home."
    turn.report(owner, "Leader without support", body, [Reference(RefKind.OBJECT, fleet)])
