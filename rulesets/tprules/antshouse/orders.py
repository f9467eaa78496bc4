"""The orders: parameters, refusals, legal orders (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tprules.antshouse import world as worlds
from tprules.antshouse.board import DIRECTION_NAMES, NAMES, NEXT, SQUARES, STAY, place_names
from tprules.antshouse.world import OFF_BOARD, World
from tprules.api import Choice, Code, ObjectRef, Oid, Order, OrderType, OrderWords, Plan, Seat, Shown, player
from tprules.kit.compass import OFF
from tprules.kit.grid import Square
from tprules.kit.refusals import Reasons
from tprules.kit.single_choice import choosing, chosen, one_of

SQUARE, DIRECTION, GESTURE, WEAPON, TARGET = "square", "direction", "gesture", "weapon", "target"


class Enter(OrderType[World]):
    number = 1
    name = "Enter"
    words = OrderWords("Enter", "Enter on {square}", {SQUARE: "square"})
    help = "Let your ant enter on a square of your home row"
    kinds = ("kid",)
    params = {SQUARE: ObjectRef("Where the ant enters", ("square",))}

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return world.players[seat].ant == OFF_BOARD

    def check(self, plan: Plan[World], order: Order) -> None:
        """Refuse a square that is not offered (R8, R17)."""
        square = _square(plan.world, order, SQUARE)
        possible = plan.world.offered(order.seat)
        if square not in possible:
            raise refusal("start", SQUARE, place=NAMES[square], possible=place_names(possible))
        _once(plan, order)

    def doubt(self, plan: Plan[World], order: Order) -> str:
        """Warn that an ant of a lower seat may take the square first (R8, R17).

        Two seats may be offered the same square, for example where two home rows meet.
        """
        world, square = plan.world, _square(plan.world, order, SQUARE)
        rivals = [seat for seat in world.dead() if seat < order.seat and square in world.offered(seat)]
        if not rivals:
            return ""
        return f"{player(rivals[0])} enters first and may take {NAMES[square]}; your ant would enter as near as it can"


class Go(OrderType[World]):
    number = 2
    name = "Go"
    words = OrderWords("Go", "Go {direction}; gesture: {gesture}", {DIRECTION: "direction", GESTURE: "gesture"})
    help = "Point the direction piece: where your ant goes, and your gesture for rock-paper-scissors"
    kinds = ("ant",)
    params = {DIRECTION: one_of("One of the eight directions"), GESTURE: one_of("Rock, paper, scissors, or whatever")}

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        if param == GESTURE:
            return _GESTURES
        square = plan.world.players[plan.seat].ant
        if square == OFF_BOARD:
            return ()
        possible = plan.world.directions(square)
        steps = [Choice(way, f"{DIRECTION_NAMES[way]} {_what_is(square, way, possible)}") for way in range(1, 9)]
        stay = "stay" if not possible else "stay (only where no step is possible)"
        return [*steps, Choice(STAY, stay)]

    def check(self, plan: Plan[World], order: Order) -> None:
        """Refuse a direction in which the ant cannot step (R18)."""
        world, way = plan.world, chosen(order.args, DIRECTION)
        square = world.players[order.seat].ant
        target = NEXT[square][way]
        if way == STAY:
            if world.directions(square):
                raise refusal("stay", DIRECTION)
        elif target == OFF:
            raise refusal("edge", DIRECTION, direction=DIRECTION_NAMES[way])
        elif target in world.cones:
            raise refusal("cone", DIRECTION, place=NAMES[target])
        _once(plan, order)


class Throw(OrderType[World]):
    number = 3
    name = "Throw"
    words = OrderWords("Throw", "Throw {weapon} at {target}", {WEAPON: "pyramid", TARGET: "square"})
    help = "Throw a pyramid of your pad at a square; it hits after the ants have moved"
    kinds = ("kid",)
    params = {WEAPON: one_of("What to throw"), TARGET: ObjectRef("The square that is hit", ("square",))}

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return any(world.players[seat].pad)

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        pad = plan.world.players[plan.seat].pad
        return [Choice(weapon, f"{worlds.WEAPON_NAMES[weapon]} ({pad[weapon]} left)") for weapon in worlds.WEAPONS]

    def check(self, plan: Plan[World], order: Order) -> None:
        """Refuse a pyramid that is not on the pad, and a forbidden target (R11, R31)."""
        world, weapon = plan.world, chosen(order.args, WEAPON)
        square = _square(world, order, TARGET)
        if not world.players[order.seat].pad[weapon]:
            raise refusal("pad", WEAPON, weapon=worlds.WEAPON_NAMES[weapon])
        if square == world.players[order.seat].ant:
            raise refusal("own", TARGET, place=NAMES[square])
        if square in world.cones:
            raise refusal("barred", TARGET, place=NAMES[square])
        _once(plan, order)


class _Choosing(OrderType[World]):
    """The choice of the direction in which another player, or the thrower of water, moves an ant."""

    kinds = ("kid",)
    params = {DIRECTION: one_of("Where the ant goes")}

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return world.shove is not None and world.shove.chooser == seat

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        shove = plan.world.shove
        if shove is None or shove.chooser != plan.seat:
            return ()
        square = plan.world.players[shove.seat].ant
        return [
            Choice(way, f"{DIRECTION_NAMES[way]}: the ant of {player(shove.seat)} to {NAMES[NEXT[square][way]]}")
            for way in plan.world.vacant(square)
        ]

    def check(self, plan: Plan[World], order: Order) -> None:
        _once(plan, order)


class Push(_Choosing):
    number = 4
    name = "Push"
    words = OrderWords("Push", "Push {direction}", {DIRECTION: "direction"})
    help = "Move the ant that your ant has met one square"


class Flush(_Choosing):
    number = 5
    name = "Flush"
    words = OrderWords("Flush", "Flush {direction}", {DIRECTION: "direction"})
    help = "Choose where your water takes the ant that it has hit"


_GESTURES = tuple(Choice(gesture, worlds.GESTURE_NAMES[gesture]) for gesture in worlds.GESTURES)


def default_direction(world: World, seat: Seat) -> int:
    """Return the direction of an ant without an order (RULES.md, section 5).

    It is the direction nearest to the ant's goal, and among equal ones the lowest number.
    """
    row = NEXT[world.players[seat].ant]
    return min(world.directions(row[STAY]), key=lambda way: world.to_goal(seat, row[way]), default=STAY)


def _square(world: World, order: Order, param: str) -> Square:
    oid = order.args[param]
    square = world.square(oid)
    if square is None:
        raise refusal("notsquare" if oid < world.end() else "nosuch", param, id=oid)
    return square


def _once(plan: Plan[World], order: Order) -> None:
    if any(before.type == order.type for before in plan.before):
        raise refusal("queued", type=order.type)


def _what_is(square: Square, way: int, possible: Sequence[int]) -> str:
    if way in possible:
        return f"to {NAMES[NEXT[square][way]]}"
    return "(the edge)" if NEXT[square][way] == OFF else "(a pine cone)"


# --- Two of the five classes of refusals (RULES.md, section 4); the others are common refusals

_NEVER, _LATER = Code.UNAVAILABLE_PERMANENTLY, Code.UNAVAILABLE_TEMPORARILY

ORDER_REASONS: dict[str, tuple[Code, str]] = {
    "nosuch": (Code.NO_SUCH_THING, "there is no object {id}"),
    "notsquare": (_NEVER, "object {id} is not a square of the pavement"),
    "start": (_NEVER, "your ant cannot enter at {place} (possible: {possible})"),
    "edge": (_NEVER, "a step {direction} leads off the pavement"),
    "cone": (_NEVER, "there is a pine cone on {place}; no ant may enter"),
    "stay": (_NEVER, "ants are always on the move; only an ant without any step stays"),
    "pad": (_NEVER, "there is no {weapon} left on your pad"),
    "own": (_NEVER, "your own ant is on {place}; nothing can be thrown there"),
    "barred": (_NEVER, "there is a pine cone on {place}; nothing can be thrown there"),
    "queued": (_LATER, "you have given the order {type} for this phase; remove it first"),
}

refusal = Reasons(ORDER_REASONS).refusal

# --- All legal orders, for bots and tests


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
            for gesture in worlds.GESTURES:
                yield Order(seat, on, Go.name, {DIRECTION: choosing(way), GESTURE: choosing(gesture)})
    if Throw.name not in given:
        on = world.kid(seat)
        squares = [square for square in SQUARES if square != one.ant and square not in world.cones]
        for weapon in worlds.WEAPONS:
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
    worlds.SETUP: _entrances,
    worlds.PLAN: _steps_and_throws,
    worlds.PUSH: _shoves,
    worlds.FLUSH: _shoves,
    worlds.RESPAWN: _entrances,
}
