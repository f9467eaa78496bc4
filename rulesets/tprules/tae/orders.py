"""The orders: their parameters, when they are refused, and their execution (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tprules.api import (
    Choice,
    Dice,
    ObjectRef,
    Oid,
    Order,
    OrderType,
    Param,
    Plan,
    Refusal,
    Seat,
    Selection,
    Shown,
    copy_world,
)
from tprules.tae import actions
from tprules.tae.pieces import ROBOTS, WORDS
from tprules.tae.refusals import refusal, sentence
from tprules.tae.world import Player, World

TARGET = "Star System"
SHIPS = "Ships"

_TO_SYSTEM: dict[str, Param] = {TARGET: ObjectRef("The star system associated with this order", ("system",))}


class ShipsInHand(Selection):
    """Ships from the hand.  ``parse`` checks only the form; ships named twice are refused later, as the reasons have
    an order."""

    def parse(self, name: str, raw: Any) -> list[list[int]]:
        try:
            return super().parse(name, raw)
        except Refusal as refused:
            if refused.reason != "choice":
                raise
            return [[ship, number] for ship, number in raw]


_NAMED_SHIPS: dict[str, Param] = {SHIPS: ShipsInHand("The colonists to give back")}


class Action(OrderType[World]):
    """An order of a normal turn."""

    kinds = ("fleet",)
    params = _TO_SYSTEM

    def piece(self, player: Player, on: Oid) -> str:
        """Return why the piece cannot carry this order, or an empty text (R13, R15, R20)."""
        raise NotImplementedError

    def against(self, world: World, order: Order) -> str | None:
        """Return the first reason why the board does not allow the order, or None."""
        raise NotImplementedError

    def execute(self, world: World, order: Order, dice: Dice | None) -> list[tuple[Seat, int]]:
        """Execute the order, and return the leaders that it sent home.  ``dice`` is None in a plan."""
        raise NotImplementedError

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return not self.piece(world.players[seat], on)

    def why(self, world: World, order: Order, reason: str) -> str:
        """Return the sentence for a reason that ``against`` returned."""
        return sentence(reason, place=_place(world, order))

    def check(self, plan: Plan[World], order: Order) -> None:
        """R8 to R11.  The reasons that come earlier in the list have been checked by ``judge``."""
        busy = {other for before in plan.before for other in pieces_of(before)}
        for piece in pieces_of(order):
            if piece in busy:
                raise refusal("busy", id=piece)
        if len(plan.before) >= plan.world.settings.actions:
            raise refusal("actions", most=plan.world.settings.actions)
        target = order.args.get(TARGET)
        targets = {before.args.get(TARGET) for before in plan.before}
        if target is not None and target in targets and plan.world.home_seat(target) is None:
            raise refusal("target", TARGET, place=_place(plan.world, order))
        world = planned(plan)
        reason = self.against(world, order)
        if reason:
            raise refusal(reason, next(iter(self.params)), place=_place(world, order))


class _Colonizing(Action):
    def against(self, world: World, order: Order) -> str | None:
        kind = world.players[order.seat].colonists[order.on]
        return actions.against_colonizing(world, _square(world, order), kind)

    def execute(self, world: World, order: Order, dice: Dice | None) -> list[tuple[Seat, int]]:
        actions.colonize(world, order.seat, order.on, _square(world, order))
        return []


class ColonizeMining(_Colonizing):
    number = 0
    name = "ColonizeMining"
    help = "Colonize an uninhabitable system with Mining Robots"

    def piece(self, player: Player, on: Oid) -> str:
        return "" if player.colonists.get(on) == ROBOTS else "only Mining Robots can do this"


class Colonize(_Colonizing):
    number = 1
    name = "Colonize"
    help = "Colonize an inhabitable system"

    def piece(self, player: Player, on: Oid) -> str:
        return (
            "" if player.colonists.get(on, ROBOTS) != ROBOTS else "only Merchants, Scientists or Settlers can do this"
        )


class Move(Action):
    number = 2
    name = "Move"
    help = "Move a leader to an inhabitable system that borders a scientist colony, or to your home system"

    def piece(self, player: Player, on: Oid) -> str:
        return "" if on in player.leaders else "only leaders can do this"

    def against(self, world: World, order: Order) -> str | None:
        kind = world.players[order.seat].leaders.index(order.on)
        square = world.square(order.args[TARGET])
        if square is None:
            return actions.against_withdrawing(world, order.seat, kind)
        return actions.against_moving(world, order.seat, kind, square)

    def execute(self, world: World, order: Order, dice: Dice | None) -> list[tuple[Seat, int]]:
        kind = world.players[order.seat].leaders.index(order.on)
        square = world.square(order.args[TARGET])
        if square is None:
            actions.withdraw(world, order.seat, kind)
        else:
            actions.move(world, order.seat, kind, square)
        return []


class Attack(Action):
    number = 3
    name = "Attack"
    help = "Destroy a system that has neither a leader nor an alien artifact; the bomber is used up"

    def piece(self, player: Player, on: Oid) -> str:
        return "" if on in player.bombers else "only bombers can do this"

    def against(self, world: World, order: Order) -> str | None:
        return actions.against_attacking(world, _square(world, order))

    def execute(self, world: World, order: Order, dice: Dice | None) -> list[tuple[Seat, int]]:
        return actions.attack(world, order.seat, order.on, _square(world, order))


class Exchange(Action):
    number = 5
    name = "Exchange"
    help = "Give colonists back and draw as many new ones when the turn ends"
    kinds = ("planet",)
    params = _NAMED_SHIPS

    def piece(self, player: Player, on: Oid) -> str:
        return "" if on == player.home + 1 else "only a home planet can do this"

    def against(self, world: World, order: Order) -> str | None:
        return actions.against_exchanging(world, _ships(order))

    def execute(self, world: World, order: Order, dice: Dice | None) -> list[tuple[Seat, int]]:
        actions.exchange(world, order.seat, _ships(order), dice)
        return []

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return world.settings.exchange

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        busy = {piece for before in plan.before for piece in pieces_of(before)}
        hand = plan.world.players[plan.seat].colonists
        return [Choice(ship, WORDS[kind].colonists) for ship, kind in hand.items() if ship not in busy]


class Reinforce(OrderType[World]):
    number = 4
    name = "Reinforce"
    help = "Send reinforcements to a conflict"
    kinds = ("fleet",)

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        combat = world.combat
        return (
            combat is not None
            and seat in combat.sides
            and world.players[seat].colonists.get(on) == combat.reinforcements
        )

    def check(self, plan: Plan[World], order: Order) -> None:
        if any(before.on == order.on for before in plan.before):
            raise refusal("busy", id=order.on)


ORDERS = (ColonizeMining, Colonize, Move, Attack, Reinforce, Exchange)
ACTIONS: dict[str, Action] = {kind.name: kind() for kind in (ColonizeMining, Colonize, Move, Attack, Exchange)}


def judge(plan: Plan[World], order: Order) -> None:
    """Raise a Refusal for the first reason from ``off`` to ``kind`` that applies to the order (RULES.md, section 4)."""
    world, seat = plan.world, order.seat
    player = world.players[seat]
    if order.type == Exchange.name and not world.settings.exchange:
        raise refusal("off")
    if not world.exists(order.on):
        raise refusal("nosuch", id=order.on)
    if TARGET in order.args:
        _judge_target(world, order)
    ships = [ship for ship, _ in order.args.get(SHIPS, ())]
    for ship in ships:
        if not world.exists(ship):
            raise refusal("nosuch", SHIPS, id=ship)
    if len(set(ships)) != len(ships) or any(number != 1 for _, number in order.args.get(SHIPS, ())):
        raise refusal("choice", SHIPS)
    for owned in (order.on, *ships):
        if world.owner(owned) != seat:
            raise refusal("owner", id=owned)
    if order.type == Reinforce.name:
        _judge_reinforcement(world, order)
        return
    what = ACTIONS[order.type].piece(player, order.on)
    if not what and any(ship not in player.colonists for ship in ships):
        what = "only colonists can be exchanged"
    if what:
        raise refusal("kind", what=f"{order.type}: {what}")


def pieces_of(order: Order) -> tuple[Oid, ...]:
    """Return the objects that an order uses, which can take no other order in the turn (R9)."""
    return (order.on, *_ships(order))


def planned(plan: Plan[World]) -> World:
    """Return the world as it would be after ``plan.before``, without orders of other seats and draws (R11)."""
    if not plan.before:
        return plan.world
    world = copy_world(plan.world)
    for order in plan.before:
        action = ACTIONS[order.type]
        # A probe leaves out the orders of one object; orders that depend on those are skipped too.
        if action.against(world, order) is None:
            action.execute(world, order, None)
    return world


def _judge_target(world: World, order: Order) -> None:
    target = order.args[TARGET]
    if world.square(target) is not None:
        return
    if not world.exists(target):
        raise refusal("nosuch", TARGET, id=target)
    home = world.home_seat(target)
    if home is None:
        raise refusal("notsystem", TARGET, id=target)
    if home != order.seat or order.type != Move.name:
        raise refusal("offboard", TARGET)


def _judge_reinforcement(world: World, order: Order) -> None:
    combat = world.combat
    if combat is None or order.seat not in combat.sides:
        raise refusal("side")
    if world.players[order.seat].colonists.get(order.on) != combat.reinforcements:
        wanted = WORDS[combat.reinforcements].colonists
        raise refusal("kind", what=f"{order.type}: only {wanted} can reinforce in this combat")


def _square(world: World, order: Order) -> int:
    square = world.square(order.args[TARGET])
    assert square is not None, "judge() lets only systems of the board through"
    return square


def _ships(order: Order) -> tuple[Oid, ...]:
    return tuple(ship for ship, _ in order.args.get(SHIPS, ()))


def _place(world: World, order: Order) -> str:
    target = order.args.get(TARGET)
    return "" if target is None else world.place_name(target)
