"""Legal orders for bots and tests.

Not all are returned: of several equal ships in a hand only the first is used, and of the many possible exchanges only
those of one ship, of all ships of a type and of the whole hand.
"""

from __future__ import annotations

from collections.abc import Iterator

from tprules.api import Order, Plan
from tprules.kit.grid import Square
from tprules.tae import actions
from tprules.tae.orders import (
    SHIPS,
    TARGET,
    Attack,
    Colonize,
    ColonizeMining,
    Exchange,
    Move,
    Reinforce,
    pieces_of,
    planned,
)
from tprules.tae.pieces import MERCHANTS, ROBOTS, SCIENTISTS
from tprules.tae.world import World


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``."""
    combat = plan.world.combat
    if combat is not None:
        return _reinforcements(plan) if plan.seat in combat.sides else iter(())
    if plan.world.ended or len(plan.before) >= plan.world.settings.actions:
        return iter(())
    return _actions(plan)


def _reinforcements(plan: Plan[World]) -> Iterator[Order]:
    combat = plan.world.combat
    assert combat is not None
    busy = {before.on for before in plan.before}
    for ship, kind in plan.world.players[plan.seat].colonists.items():
        if kind == combat.reinforcements and ship not in busy:
            yield Order(plan.seat, ship, Reinforce.name)
            return


def _actions(plan: Plan[World]) -> Iterator[Order]:
    seat = plan.seat
    world = planned(plan)
    player = world.players[seat]
    busy = {piece for before in plan.before for piece in pieces_of(before)}
    used = {before.args.get(TARGET) for before in plan.before}
    squares = [square for square in range(len(world.board.ground)) if world.system(square) not in used]
    hand = {ship: kind for ship, kind in player.colonists.items() if ship not in busy}
    first_of = {kind: ship for ship, kind in reversed(hand.items())}
    settled: list[Square] | None = None
    for kind, ship in sorted(first_of.items()):
        if kind == ROBOTS:
            name = ColonizeMining.name
            free = [square for square in squares if actions.against_colonizing(world, square, kind) is None]
        else:
            name = Colonize.name
            if settled is None:  # the same for merchants, scientists and settlers, which need the same ground
                settled = [square for square in squares if actions.against_colonizing(world, square, MERCHANTS) is None]
            free = settled
        for square in free:
            yield Order(seat, ship, name, {TARGET: world.system(square)})
    for kind, fleet in enumerate(player.leaders):
        if fleet in busy:
            continue
        for square in _beside_science(world, squares):
            if actions.against_moving(world, seat, kind, square) is None:
                yield Order(seat, fleet, Move.name, {TARGET: world.system(square)})
        if actions.against_withdrawing(world, seat, kind) is None:
            yield Order(seat, fleet, Move.name, {TARGET: player.home})
    for bomber in [bomber for bomber in player.bombers if bomber not in busy][:1]:
        for square in squares:
            if actions.against_attacking(world, square) is None:
                yield Order(seat, bomber, Attack.name, {TARGET: world.system(square)})
    yield from _exchanges(plan, world, hand, busy)


def _beside_science(world: World, squares: list[Square]) -> list[Square]:
    neighbours = world.board.neighbours
    science = [square for square, kind in world.colonies.items() if kind == SCIENTISTS]
    return sorted({beside for square in science for beside in neighbours[square]}.intersection(squares))


def _exchanges(plan: Plan[World], world: World, hand: dict[int, int], busy: set[int]) -> Iterator[Order]:
    planet = world.players[plan.seat].home + 1
    if not world.settings.exchange or planet in busy or not hand:
        return
    offers = {(ship,) for ship in hand} | {tuple(hand)}
    offers |= {tuple(ship for ship, kind in hand.items() if kind == wanted) for wanted in set(hand.values())}
    for ships in sorted(offers):
        if actions.against_exchanging(world, ships) is None:
            yield Order(plan.seat, planet, Exchange.name, {SHIPS: [[ship, 1] for ship in ships]})
