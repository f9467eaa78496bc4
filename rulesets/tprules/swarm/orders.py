"""The orders: parameters, refusals, legal orders (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tprules.api import Amount, Code, ObjectRef, Oid, Order, OrderType, OrderWords, Plan, Refusal
from tprules.kit.grid import Square
from tprules.kit.once_per_plan import once_per_plan
from tprules.swarm.board import EDGES, NAMES, NEAR, Memory, Position, Settings, leaves_rest, on_start, step, steps
from tprules.swarm.resources import LEAVES
from tprules.swarm.world import SEATS, World

# --- Reasons for refusals: seven classes, each with a code; texts begin with the class name

BAD_ORDER = (Code.FRAME, "BadOrder")
NOT_HERE = (Code.UNAVAILABLE_PERMANENTLY, "NotHere")
NOT_YOURS = (Code.PERMISSION_DENIED, "NotYours")
NO_SUCH_THING = (Code.NO_SUCH_THING, "NoSuchThing")
GAME_OVER = (Code.UNAVAILABLE_PERMANENTLY, "GameOver")
WRONG_PHASE = (Code.UNAVAILABLE_TEMPORARILY, "WrongPhase")
ILLEGAL = (Code.UNAVAILABLE_TEMPORARILY, "Illegal")

COMMON = {
    "form": BAD_ORDER,
    "kind": NOT_HERE,
    "owner": NOT_YOURS,
    "nosuch": NO_SUCH_THING,
    "over": GAME_OVER,
    "phase": WRONG_PHASE,
    "active": WRONG_PHASE,
    "slot": NO_SUCH_THING,
    "full": ILLEGAL,
}
"""The classes of the common refusals."""

PLACING = "already placing"
NOT_EDGE = "not your edge"
OCCUPIED = "occupied"
USED = "all movement already used"
NO_CUBE = "no cube of yours there"
NOT_ADJACENT = "not adjacent"
WON = "the game is won by then"
RETURNS = "would end on its start tile"
NO_COMPLETION = "no legal completion"
BROKEN = "an earlier order is no longer possible"


def refusal(kind: tuple[Code, str], text: str, param: str = "") -> Refusal:
    """Return a refusal of this class."""
    code, name = kind
    return Refusal(f"{name}: {text}", param, reason=name, code=code)


def in_class(common: Refusal) -> Refusal:
    """Return a common refusal as one of its class."""
    return refusal(COMMON[common.reason], common.text, common.param)


# --- The types of order

TILE, CUBE, TO = "tile", "cube", "to"


class PlaceCube(OrderType[World]):
    number = 1
    name = "Place Cube"
    words = OrderWords("Place", "Place a cube on {tile}", {TILE: "tile"})
    help = "Place a cube on a free tile of your edge"
    kinds = ("swarm",)
    params = {TILE: ObjectRef("Where the cube comes to the board", ("tile",))}

    def check(self, plan: Plan[World], order: Order) -> None:
        """Allow one order in a turn, on a free tile of the seat's own edge (R7, R33, R36)."""
        if plan.before:
            raise refusal(ILLEGAL, f"{PLACING}; remove the order that you have given first")
        square = target_of(plan.world, order)
        why = against_placing(plan.world, order.seat, square)
        if why:
            raise refusal(ILLEGAL, f"{why} ({NAMES[square]})", TILE)

    def turns(self, world: World, order: Order) -> int:
        return 0


class MoveCube(OrderType[World]):
    number = 2
    name = "Move Cube"
    words = OrderWords("Move", "Move {cube} to {to}", {CUBE: "cube", TO: "tile"})
    help = "Move a cube by one tile; a cube that you will capture on the way is named by its tile"
    kinds = ("swarm",)
    params = {
        CUBE: ObjectRef("Your cube, or the tile where a cube of yours stands at that moment", ("cube", "tile")),
        TO: ObjectRef("The free tile beside it to which it moves", ("tile",)),
    }

    def check(self, plan: Plan[World], order: Order) -> None:
        """Refuse a step that is illegal after the earlier orders, or blocks the rest of the movement (R8, R15, R16)."""
        world = plan.world
        left = world.movement - len(plan.before)
        if left <= 0:
            raise refusal(ILLEGAL, f"{USED}; this turn has {world.movement}")
        planned = after_orders(plan)
        if planned.broken:
            raise refusal(ILLEGAL, f"{BROKEN}; remove that first")
        origin = planned.origin(world, order)
        target = target_of(world, order)
        why = against_moving(planned.position, origin, target, world.settings)
        if why == NO_CUBE:
            named = world.square(order.args[CUBE])
            where = "" if named is None else f"; none stands on {NAMES[named]} then"
            raise refusal(ILLEGAL, f"{why}{where}", CUBE)
        if why:
            raise refusal(ILLEGAL, f"{why} ({NAMES[target]})", TO)
        if planned.won:
            raise refusal(ILLEGAL, WON)
        assert origin is not None
        if not leaves_rest(planned.position, origin, target, left - 1, world.settings, _memory(plan)):
            if left == 1:
                raise refusal(ILLEGAL, f"{RETURNS}; a cube that moves may not", TO)
            raise refusal(ILLEGAL, f"{NO_COMPLETION}: {left - 1} steps more could not be made", TO)

    def turns(self, world: World, order: Order) -> int:
        return 0


ORDERS = (PlaceCube, MoveCube)


class Planned(NamedTuple):
    """The board after a seat's orders of this turn."""

    position: Position
    places: dict[Oid, Square]
    """Squares of the seat's cubes, without cubes captured in this turn, which have no numbers yet."""
    won: bool = False
    broken: bool = False
    """True if a removal has made an order impossible.

    The removed order came before it.
    """

    def origin(self, world: World, order: Order) -> Square | None:
        """Return the square of the cube that an order moves, or None if there is no such cube."""
        named = order.args[CUBE]
        square = world.square(named)
        if square is None:
            return self.places.get(named)
        return square if self.position.own >> square & 1 else None


@once_per_plan
def after_orders(plan: Plan[World]) -> Planned:
    """Return the board after the steps in ``plan.before``."""
    world = plan.world
    places = {cube.id: square for square, cube in world.cubes.items() if cube.seat == plan.seat}
    planned = Planned(world.position(plan.seat), places)
    for order in plan.before:
        origin, target = planned.origin(world, order), target_of(world, order)
        if planned.won or against_moving(planned.position, origin, target, world.settings):
            return planned._replace(broken=True)
        assert origin is not None
        for number, square in places.items():
            if square == origin:
                places[number] = target
                break
        after = step(planned.position, origin, target, world.settings)
        planned = Planned(after.position, places, after.won)
    return planned


@once_per_plan
def _memory(plan: Plan[World]) -> Memory:
    """Return the memory for all tests of steps after ``plan.before``."""
    return {}


def against_placing(world: World, seat: int, square: Square) -> str | None:
    """Return the first reason why a placement is illegal, or None (R7, R33)."""
    if square not in EDGES[seat]:
        return NOT_EDGE
    return OCCUPIED if square in world.cubes else None


def against_moving(position: Position, origin: Square | None, target: Square, settings: Settings) -> str | None:
    """Return the first reason why the board does not allow a step, or None (R7, R8)."""
    if origin is None:
        return NO_CUBE
    if not NEAR[settings.diagonal_moves][origin] >> target & 1:
        return NOT_ADJACENT
    return OCCUPIED if (position.own | position.enemy) >> target & 1 else None


def target_of(world: World, order: Order) -> Square:
    """Return the target square of an order."""
    square = world.square(order.args[TILE if order.type == PlaceCube.name else TO])
    assert square is not None, "judge() lets only tiles through"
    return square


def judge(plan: Plan[World], order: Order) -> None:
    """Check the objects that an order names (RULES.md, section 4).

    Raises the first Refusal that applies, of BadOrder, NotHere, NotYours and NoSuchThing.
    """
    world = plan.world
    for name, number in order.args.items():
        if world.exists(number) and world.square(number) is None:
            if name != CUBE:
                raise refusal(BAD_ORDER, f"{name}: object {number} is not a tile of the board", name)
            if world.place_of(number) is None:
                raise refusal(BAD_ORDER, f"{name}: object {number} is neither a cube nor a tile", name)
    owner = next((seat for seat in SEATS if order.on == world.swarm(seat)), None)
    if owner is None and world.exists(order.on):
        raise refusal(NOT_HERE, f"object {order.on} takes no orders; your Swarm does")
    if owner is not None and owner != order.seat:
        raise refusal(NOT_YOURS, f"object {order.on} is not yours to command")
    for name, number in [("", order.on), *order.args.items()]:
        if not world.exists(number):
            raise refusal(NO_SUCH_THING, f"there is no object {number}", name)
    square = world.place_of(order.args[CUBE]) if CUBE in order.args else None
    if square is not None and world.cubes[square].seat != order.seat:
        raise refusal(NOT_YOURS, f"the cube on {NAMES[square]} is not yours", CUBE)


def must_leave(plan: Plan[World]) -> dict[Oid, tuple[Amount, ...]]:
    """Return a mark for each cube that the orders so far leave on its start tile.

    Sources: R16; RULES.md, section 7, resource 10.
    """
    if not plan.before or plan.world.pending:
        return {}
    planned = after_orders(plan)
    if planned.won:
        return {}
    returned = on_start(planned.position)
    return {number: (Amount(LEAVES, 1),) for number, square in planned.places.items() if square in returned}


def missing_orders(plan: Plan[World]) -> str:
    """Return a text about the orders that the rules add if the player ends the turn now, or "".

    Sources: R43; RULES.md, section 4.
    """
    world = plan.world
    if plan.seat != world.active():
        return ""
    if world.pending:
        return "" if plan.before else "no tile is chosen; the first free one of your edge will be taken"
    missing = world.movement - len(plan.before)
    if missing <= 0 or after_orders(plan).won:
        return ""
    return f"{missing} of {world.movement} steps are missing; they will be made for you"


# --- All legal orders, for bots and tests


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield the legal orders for ``plan.seat`` after ``plan.before``."""
    world = plan.world
    if world.ended or plan.seat != world.active():
        return iter(())
    return _placements(plan) if world.pending else _steps(plan)


def _placements(plan: Plan[World]) -> Iterator[Order]:
    if not plan.before:
        for square in plan.world.free_edge(plan.seat):
            yield Order(plan.seat, plan.world.swarm(plan.seat), PlaceCube.name, {TILE: plan.world.system(square)})


def _steps(plan: Plan[World]) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    left = world.movement - len(plan.before)
    if left <= 0:
        return
    planned = after_orders(plan)
    if planned.won or planned.broken:
        return
    numbers = {square: number for number, square in planned.places.items()}
    memory = _memory(plan)
    for origin, target in steps(planned.position, world.settings):
        if leaves_rest(planned.position, origin, target, left - 1, world.settings, memory):
            named = numbers.get(origin, world.system(origin))
            yield Order(seat, world.swarm(seat), MoveCube.name, {CUBE: named, TO: world.system(target)})
