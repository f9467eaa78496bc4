"""The turn of the active player: placing a cube, or moving (R7 to R9, R15, R25, R37, R39, R43)."""

from __future__ import annotations

from collections.abc import Sequence

from tprules.api import ORDER_INVALID, Order, Reference, RefKind, Seat, Turn
from tprules.kit.grid import Square
from tprules.swarm import refusals
from tprules.swarm.board import BESIDE, NAMES, SIDE
from tprules.swarm.captures import Capture, Memory, Position, arrived, leaves_rest, step
from tprules.swarm.orders import CUBE, MoveCube, PlaceCube, against_moving, against_placing, target_of
from tprules.swarm.pieces import COLOURS
from tprules.swarm.rounds import end, end_by_count, finish_movement
from tprules.swarm.world import METHOD_TWO, World


def place_cube(turn: Turn[World]) -> None:
    """Place the cube where the order says, or on the first free tile of the edge, and make its captures."""
    world = turn.world
    seat, method = world.pending.pop(0)
    square = _ordered_tile(turn, seat)
    if square is None:
        square = world.free_edge(seat)[0]
        turn.report(seat, "Default used", f"Your cube was placed on {NAMES[square]} for you.", _tiles(world, [square]))
    world.add(seat, square)
    if method == METHOD_TWO:
        world.doubled[seat] += 1
    captures: Sequence[Capture] = ()
    won = not world.supply(seat)
    if not won:
        own, enemy, _ = world.position(seat)
        came = arrived(own, enemy, square, world.settings)
        captures, won = came.captures, came.won
        world.convert(seat, came.captures)
    body = f"{COLOURS[seat]} places a cube on {NAMES[square]}{_captured(captures)}."
    turn.report(None, "Placement", body, _tiles(world, [square, *(each.square for each in captures)]))
    turn.event("placement", seat=seat, tile=NAMES[square], method=method, captures=len(captures))
    if won:
        end(world, seat)
    elif len(world.cubes) == SIDE * SIDE:
        end_by_count(world, "full")


def move_cubes(turn: Turn[World]) -> None:
    """Make the ordered steps as far as they are legal, then the first possible ones until all steps are spent."""
    world = turn.world
    phase = _Movement(turn, world.movers[0])
    phase.follow_orders()
    phase.complete()
    phase.tell()
    if phase.won:
        end(world, phase.seat)
    else:
        finish_movement(world)


class _Movement:
    """A movement phase while it is executed."""

    def __init__(self, turn: Turn[World], seat: Seat) -> None:
        self.turn = turn
        self.world = turn.world
        self.seat = seat
        self.position: Position = turn.world.position(seat)
        self.left = turn.world.movement
        self.won = False
        self.told: list[str] = []
        self.squares: list[Square] = []
        self.captured = 0

    def follow_orders(self) -> None:
        """Execute the longest prefix of the queue that is legal and leaves the rest possible; drop the other orders."""
        orders = self.turn.orders()
        self.turn.queues.clear()
        for number, order in enumerate(orders):
            if self.won:
                return  # orders after a win are dropped
            why = self._follow(order)
            if why:
                self._drop(order, why)
                for later in orders[number + 1 :]:
                    self._drop(later, refusals.BROKEN)
                return

    def complete(self) -> None:
        """Make the first steps, by number of cube and then clockwise from the north, that leave the rest possible."""
        begun = len(self.told)
        memory: Memory = {}
        while self.left and not self.won:
            self._step(*self._first_possible(memory))
        if begun < len(self.told):
            body = f"These steps were made for you: {', '.join(self.told[begun:])}."
            self.turn.report(self.seat, "Default used", body, _tiles(self.world, self.squares))

    def tell(self) -> None:
        body = f"{COLOURS[self.seat]} moves: {', '.join(self.told)}."
        self.turn.report(None, "Moved", body, _tiles(self.world, self.squares))
        self.turn.event("moved", seat=self.seat, steps=len(self.told), captures=self.captured)

    def _follow(self, order: Order) -> str | None:
        """Make the step of an order, or return why it is not possible."""
        if not self.left:
            return refusals.USED
        origin, target = self._origin(order), target_of(self.world, order)
        why = against_moving(self.position, origin, target, self.world.settings)
        if why:
            return why
        assert origin is not None
        if not leaves_rest(self.position, origin, target, self.left - 1, self.world.settings):
            return refusals.NO_COMPLETION
        self._step(origin, target)
        return None

    def _origin(self, order: Order) -> Square | None:
        square = self.world.square(order.args[CUBE])
        if square is None:
            square = self.world.place_of(order.args[CUBE])
        return square if square is not None and self.position.own >> square & 1 else None

    def _first_possible(self, memory: Memory) -> tuple[Square, Square]:
        world, position = self.world, self.position
        mine = sorted((cube.id, square) for square, cube in world.cubes.items() if cube.seat == self.seat)
        for _, origin in mine:
            for target in BESIDE[world.settings.diagonal_moves][origin]:
                if target not in world.cubes and leaves_rest(
                    position, origin, target, self.left - 1, world.settings, memory
                ):
                    return origin, target
        raise AssertionError("the movement of a turn can always be made")

    def _step(self, origin: Square, target: Square) -> None:
        world = self.world
        after = step(self.position, origin, target, world.settings)
        world.cubes[target] = world.cubes.pop(origin)
        world.convert(self.seat, after.captures)
        self.position, self.won = after.position, after.won
        self.left -= 1
        self.captured += len(after.captures)
        self.squares += [target, *(each.square for each in after.captures)]
        self.told.append(f"{NAMES[origin]}-{NAMES[target]}{_captured(after.captures)}")

    def _drop(self, order: Order, why: str) -> None:
        _tell_invalid(self.turn, order, MoveCube.number, why)


def _ordered_tile(turn: Turn[World], seat: Seat) -> Square | None:
    orders = turn.orders()
    turn.queues.clear()
    for order in orders:
        square = target_of(turn.world, order)
        why = against_placing(turn.world, seat, square)
        if why is None:
            return square
        _tell_invalid(turn, order, PlaceCube.number, why)
    return None


def _tell_invalid(turn: Turn[World], order: Order, number: int, why: str) -> None:
    references = [Reference(RefKind.OBJECT, order.on), Reference(RefKind.ORDER_TYPE, number), ORDER_INVALID]
    place = NAMES[target_of(turn.world, order)]
    turn.report(order.seat, "Order Invalid", f"{order.type} to {place} was dropped: {why}.", references)


def _captured(captures: Sequence[Capture]) -> str:
    if not captures:
        return ""
    return f" (captures {' and '.join(NAMES[square] for _, square in captures)})"


def _tiles(world: World, squares: Sequence[Square]) -> list[Reference]:
    """Return references to the cubes that stand on these squares, each once."""
    numbers = [world.cubes[square].id for square in squares if square in world.cubes]
    return [Reference(RefKind.OBJECT, number) for number in dict.fromkeys(numbers)]
