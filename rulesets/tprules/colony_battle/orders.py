"""The orders: their parameters, and when they are refused at insertion (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tprules.api import Choice, ObjectRef, Oid, Order, OrderType, Param, Plan, Seat, Shown, Turns
from tprules.colony_battle.board import Square
from tprules.colony_battle.pieces import ANTLION, QUEEN, SPAWNED, STATS, TERMITE, YOUNG_QUEEN
from tprules.colony_battle.refusals import refusal
from tprules.colony_battle.world import UNIVERSE, World
from tprules.kit.single_choice import chosen, one_of

DESTINATION, ITEM, TARGET, KIND, WHERE, DURATION = "destination", "item", "target", "kind", "where", "duration"

ANTS = tuple(STATS[kind].kind for kind in (*SPAWNED, QUEEN))
TERMITE_BOMB = STATS[TERMITE].kind
WALKERS = (*ANTS, TERMITE_BOMB)
FIGHTERS = (*(STATS[kind].kind for kind in SPAWNED), TERMITE_BOMB)
COLONY = "colony"
QUEENS = (STATS[QUEEN].kind, COLONY)
"""Orders for a queen's brood and hand may be given to the queen or to her home planet."""
SQUARES = ("square", "ground", "site")

_UNITS = tuple(stats.kind for stats in STATS)


class Command(OrderType[World]):
    """An order that stays in its queue until its owner's turn."""

    def judge(self, plan: Plan[World], order: Order) -> None:
        """Raise a Refusal if the arguments are not acceptable.  Called once, when the order is inserted.

        ``check`` is not used because it is called again later: an order's target may change while the order waits, and
        later orders must not be refused because of that.
        """


class Move(Command):
    number = 1
    name = "Move"
    help = "Go to a square on the shortest free way, as far as the steps of a turn lead, turn after turn"
    kinds = WALKERS
    params: ClassVar[Mapping[str, Param]] = {DESTINATION: ObjectRef("The square to go to", SQUARES)}

    def judge(self, plan: Plan[World], order: Order) -> None:
        square = square_argument(plan.world, order, DESTINATION)
        leaves_before = any(before.on == order.on and before.type == Move.name for before in plan.before)
        if plan.world.units[order.on].square == square and not leaves_before:
            raise refusal("here", DESTINATION, place=plan.world.layout.name(square))


class PickUp(Command):
    number = 2
    name = "PickUp"
    help = "Pick up an item here or on a square beside this one"
    kinds = (STATS[0].kind,)
    params: ClassVar[Mapping[str, Param]] = {ITEM: ObjectRef("The item to pick up", ("item",))}

    def judge(self, plan: Plan[World], order: Order) -> None:
        item = order.args[ITEM]
        _check_exists(plan.world, item, ITEM)
        if item not in plan.world.items:
            raise refusal("notitem", ITEM, id=item)


class Drop(Command):
    number = 3
    name = "Drop"
    help = "Put down the item that is carried"
    kinds = (STATS[0].kind,)


class Attack(Command):
    number = 4
    name = "Attack"
    help = "Attack a unit beside this one, and lose a hit point as it does (queens do not fight back), or eat a segment"
    kinds = FIGHTERS
    params: ClassVar[Mapping[str, Param]] = {TARGET: ObjectRef("The unit or segment to attack", (*_UNITS, "segment"))}

    def judge(self, plan: Plan[World], order: Order) -> None:
        world, target = plan.world, order.args[TARGET]
        _check_exists(world, target, TARGET)
        unit = world.units.get(target)
        if target in world.spiders:
            raise refusal("invincible", TARGET, what="a spider")
        if unit is None:
            if world.worm_of(target) is None:
                raise refusal("nottarget", TARGET, id=target)
        elif unit.owner == order.seat:
            raise refusal("own", TARGET, id=target)
        elif unit.kind == ANTLION:
            raise refusal("invincible", TARGET, what="an antlion")


class Convert(Command):
    number = 5
    name = "Convert"
    help = "Sacrifice this young queen to bring an enemy unit beside her over to your side"
    kinds = (STATS[YOUNG_QUEEN].kind,)
    params: ClassVar[Mapping[str, Param]] = {
        TARGET: ObjectRef("The unit to convert", tuple(kind for kind in _UNITS if kind != STATS[QUEEN].kind))
    }

    def judge(self, plan: Plan[World], order: Order) -> None:
        world, target = plan.world, order.args[TARGET]
        _check_exists(world, target, TARGET)
        unit = world.units.get(target)
        if unit is None:
            raise refusal("notunit", TARGET, id=target)
        if unit.kind == QUEEN:
            raise refusal("queen", TARGET)
        if unit.owner == order.seat:
            raise refusal("own", TARGET, id=target)


class Spawn(Command):
    number = 6
    name = "Spawn"
    help = "Spawn a unit beside the queen; all but workers keep her from moving for some turns"
    kinds = QUEENS
    params: ClassVar[Mapping[str, Param]] = {
        KIND: one_of("The kind of unit"),
        WHERE: ObjectRef("The square for it, or 0 for the first one that is free", ("universe", *SQUARES)),
    }

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(kind + 1, STATS[kind].name) for kind in SPAWNED]

    def judge(self, plan: Plan[World], order: Order) -> None:
        if order.args[WHERE] != UNIVERSE:
            square_argument(plan.world, order, WHERE)

    def turns(self, world: World, order: Order) -> int:
        if not order.args[KIND]:
            return 1
        kind = spawned_kind(order)
        colony = world.colonies[order.seat]
        return colony.brood_left if colony.brood == kind else max(1, world.settings.brood[kind])


class PlaceItem(Command):
    number = 7
    name = "PlaceItem"
    help = "Put an item from the hand on a square: an antlion anywhere, a termite bomb beside the queen"
    kinds = QUEENS
    params: ClassVar[Mapping[str, Param]] = {
        ITEM: one_of("The item to place"),
        WHERE: ObjectRef("The square for it", SQUARES),
    }

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return world.placing and seat == world.seat

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        items = plan.world.items
        return [Choice(oid, STATS[items[oid].kind].name) for oid in plan.world.hand(plan.seat)]

    def judge(self, plan: Plan[World], order: Order) -> None:
        world = plan.world
        if not world.hand(order.seat):
            raise refusal("nothand")
        if not world.placing or order.seat != world.seat:
            raise refusal("placing")

    def check(self, plan: Plan[World], order: Order) -> None:
        world = plan.world
        square = square_argument(world, order, WHERE)
        place = world.layout.name(square)
        if world.items[placed_item(order)].kind == ANTLION:
            if world.layout.is_shaft(square):
                raise refusal("shaft", WHERE, place=place)
        elif not world.takes_termite(order.seat, square):
            raise refusal("apart", WHERE, place=place)
        if not world.is_free(square):
            raise refusal("taken", WHERE, place=place)


class NoOp(Command):
    number = 0
    name = "NoOp"
    help = "Wait for some of your turns"
    kinds = WALKERS
    params: ClassVar[Mapping[str, Param]] = {DURATION: Turns("For how many turns", 1, 50)}
    stored_names: ClassVar[Mapping[str, str]] = {DURATION: "turns"}

    def turns(self, world: World, order: Order) -> int:
        turns: int = order.args[DURATION]
        return turns


ORDERS: tuple[type[Command], ...] = (NoOp, Move, PickUp, Drop, Attack, Convert, Spawn, PlaceItem)
MAIN_ORDERS: tuple[type[Command], ...] = (NoOp, Move, PickUp, Drop, Attack, Convert, Spawn)


def square_argument(world: World, order: Order, param: str) -> Square:
    """Return the square that an argument names by its system, its ground or its site, or raise a Refusal."""
    oid: Oid = order.args[param]
    square = world.square_of(oid)
    if square is None:
        _check_exists(world, oid, param)
        raise refusal("notsquare", param, id=oid)
    return square


def spawned_kind(order: Order) -> int:
    """Return the kind of unit that a Spawn order asks for."""
    return chosen(order.args, KIND) - 1


def placed_item(order: Order) -> Oid:
    """Return the item that a PlaceItem order is about."""
    return chosen(order.args, ITEM)


def _check_exists(world: World, oid: Oid, param: str) -> None:
    if world.is_gone(oid):
        raise refusal("gone", param, id=oid)
    if not world.exists(oid):
        raise refusal("nosuch", param, id=oid)
