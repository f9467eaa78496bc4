"""The stages of a turn: placing or moving, then all up to the next choice."""

from __future__ import annotations

from collections.abc import Sequence

from tprules.api import ORDER_INVALID, Dice, Oid, Order, Outcome, Reference, RefKind, Seat, Turn
from tprules.kit.grid import Square
from tprules.swarm import orders
from tprules.swarm.board import BESIDE, NAMES, SIDE, Capture, Memory, Position, arrived, leaves_rest, movement, step
from tprules.swarm.world import COLOURS, METHOD_THREE, METHOD_TWO, SEATS, World

# --- The turn of the active player (R7 to R9, R15, R25, R37, R39, R43)


def place_cube(turn: Turn[World]) -> None:
    """Place the cube on the ordered square, or on the first free tile of the edge, and make its captures."""
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
        came = arrived(world.position(seat), square, world.settings)
        captures, won = came.captures, came.won
        world.convert(seat, came.captures)
    body = f"{COLOURS[seat]} places a cube on {NAMES[square]}{_captured(captures)}."
    places = _tiles(world, [square, *(each.square for each in captures)])
    turn.report(None, "Placement", body, places, by=seat)
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
    """A movement phase during its execution."""

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
        """Execute the longest prefix of the queue that is legal and leaves the rest possible. Drop the other orders."""
        given = self.turn.take_orders()
        for number, order in enumerate(given):
            if self.won:
                return  # orders after a win are dropped
            why = self._follow(order)
            if why:
                _tell_invalid(self.turn, order, why)
                for later in given[number + 1 :]:
                    _tell_invalid(self.turn, later, orders.BROKEN)
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
        self.turn.report(None, "Moved", body, _tiles(self.world, self.squares), by=self.seat)
        self.turn.event("moved", seat=self.seat, steps=len(self.told), captures=self.captured)

    def _follow(self, order: Order) -> str | None:
        """Make the step of an order, or return why it is not possible."""
        if not self.left:
            return orders.USED
        origin, target = self._origin(order), orders.target_of(self.world, order)
        why = orders.against_moving(self.position, origin, target, self.world.settings)
        if why:
            return why
        assert origin is not None
        if not leaves_rest(self.position, origin, target, self.left - 1, self.world.settings):
            return orders.NO_COMPLETION
        self._step(origin, target)
        return None

    def _origin(self, order: Order) -> Square | None:
        square = self.world.square(order.args[orders.CUBE])
        if square is None:
            square = self.world.place_of(order.args[orders.CUBE])
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


def _ordered_tile(turn: Turn[World], seat: Seat) -> Square | None:
    given = turn.take_orders()
    for order in given:
        square = orders.target_of(turn.world, order)
        why = orders.against_placing(turn.world, seat, square)
        if why is None:
            return square
        _tell_invalid(turn, order, why)
    return None


def _tell_invalid(turn: Turn[World], order: Order, why: str) -> None:
    number = next(kind.number for kind in orders.ORDERS if kind.name == order.type)
    references = (order.on, Reference(RefKind.ORDER_TYPE, number), ORDER_INVALID)
    place = NAMES[orders.target_of(turn.world, order)]
    turn.report(order.seat, "Order Invalid", f"{order.type} to {place} was dropped: {why}.", references, by=order.seat)


def _captured(captures: Sequence[Capture]) -> str:
    if not captures:
        return ""
    return f" (captures {' and '.join(NAMES[square] for _, square in captures)})"


def _tiles(world: World, squares: Sequence[Square]) -> list[Oid]:
    """Return references to the cubes on these squares, without repetitions."""
    return list(dict.fromkeys(world.cubes[square].id for square in squares if square in world.cubes))


# --- Between turns: dice, who places and moves next, the end of a round (R13 to R21, R29 to R36, R38, R42)

MOST_DOUBLES = 1000
"""Maximum doubles in one round. More mean that the dice are broken."""


def go_on(turn: Turn[World]) -> None:
    """Continue until a player can place or move, or the game is over. Skip impossible placements and movements."""
    world = turn.world
    dice = turn.dice("roll")
    while not world.ended:
        if world.pending:
            seat = world.pending[0][0]
            if world.free_edge(seat):
                return
            del world.pending[0]
            body = f"{COLOURS[seat]}'s edge is full: the cube to be placed there is lost."
            turn.report(None, "Placement lost", body, _swarms(world, [seat]))
        elif world.movers:
            _measure(turn)
            if world.movement:
                return
            finish_movement(world)
        else:
            _roll(turn, dice)


def finish_movement(world: World) -> None:
    """Go on to the next mover, or to the next round."""
    del world.movers[0]
    world.movement = world.lapsed = 0
    if world.movers:
        return
    if world.rolls[0] != world.rolls[1]:
        world.first = _lowest(world.rolls)
    world.double = world.doubles = 0
    world.combined = False
    world.doubled = [0, 0]
    if world.round >= world.settings.max_rounds:
        end_by_count(world, "rounds")
    else:
        world.round += 1


def _roll(turn: Turn[World], dice: Dice) -> None:
    """Roll for both seats, Red first (R13), and set the placements and movers."""
    world = turn.world
    red, blue = rolled = [dice.roll(), dice.roll()]
    order = [world.first, 1 - world.first]
    world.double = 0
    turn.event("dice", round=world.round, red=red, blue=blue)
    if red != blue:
        lowest = _lowest(rolled)
        world.rolls, world.movers = rolled, [lowest, 1 - lowest]
        if 1 in rolled:
            world.pending = [(lowest, METHOD_THREE)]
        what = f"{COLOURS[lowest]} goes first"
    elif world.doubles + 1 >= MOST_DOUBLES:
        world.rolls, world.movers = [1, 1], order
        what = f"Too many doubles: {COLOURS[world.first]} goes first, and both move 1"
    else:
        world.doubles += 1
        world.double = red
        world.pending = [(seat, METHOD_TWO) for seat in order if world.doubled[seat] < world.settings.double_limit]
        if red == 1 and not world.combined:
            world.combined = True
            world.pending += [(seat, METHOD_THREE) for seat in order]
        what = "A double: cubes may enter, and the dice are rolled again"
    body = f"Round {world.round}: {COLOURS[0]} rolls {red}, {COLOURS[1]} rolls {blue}. {what}."
    turn.report(None, "Dice", body, _swarms(world, SEATS))


def _measure(turn: Turn[World]) -> None:
    """Compute the number of steps of the next mover (R15, R38)."""
    world = turn.world
    seat = world.movers[0]
    budget = world.rolls[seat]
    world.movement = movement(world.position(seat), budget, world.settings)
    world.lapsed = budget - world.movement
    if world.lapsed:
        body = f"{COLOURS[seat]} rolled {budget}, but can only make {world.movement} steps; the rest lapses."
        turn.report(None, "Movement lapsed", body, _swarms(world, [seat]))
        turn.event("lapsed", seat=seat, steps=world.lapsed)


def _lowest(rolls: list[int]) -> Seat:
    return 0 if rolls[0] < rolls[1] else 1


def _swarms(world: World, seats: Sequence[Seat]) -> list[Oid]:
    return [world.swarm(seat) for seat in seats]


# --- The end of the game (R9 to R12, R42)

_WHY = {
    "swarm": "all cubes of one player are on the board",
    "reduced": "one player is reduced to a single cube",
    "full": "every tile has a cube, so more cubes win",
    "rounds": "the last round has been played, so more cubes win",
}


def end(world: World, winner: Seat) -> None:
    """End the game with a win through the number of cubes on the board (R9, R10)."""
    _end(world, "reduced" if world.supply(winner) else "swarm", winner)


def end_by_count(world: World, why: str) -> None:
    """End the game. The seat with more cubes wins, and equal numbers are a draw (R11, R12, R42)."""
    red, blue = (world.count(seat) for seat in SEATS)
    _end(world, why, None if red == blue else 0 if red > blue else 1)


def tell_end(turn: Turn[World]) -> None:
    """If the game is over, report the result to all."""
    world = turn.world
    if not world.ended:
        return
    counts = ", ".join(f"{COLOURS[seat]} {world.count(seat)}" for seat in SEATS)
    result = "It is a draw" if world.winner is None else f"{COLOURS[world.winner]} wins"
    body = f"{result}: {_WHY[world.ended]}. Cubes on the board: {counts}."
    turn.report(None, "Game over", body, _swarms(world, SEATS))


def final_outcome(world: World) -> Outcome | None:
    """Return places and the final table, or None while the game goes on."""
    if not world.ended:
        return None
    places = {seat: 1 if world.winner in (None, seat) else 2 for seat in SEATS}
    figures = {seat: {"Cubes": world.count(seat), "Captures": world.captures[seat]} for seat in SEATS}
    return Outcome(places, world.ended, figures)


def _end(world: World, why: str, winner: Seat | None) -> None:
    world.ended, world.winner = why, winner
    world.pending, world.movers = [], []
    world.movement = world.lapsed = 0
