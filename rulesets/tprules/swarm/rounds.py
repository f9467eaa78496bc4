"""Everything between the turns of players: dice, who places and moves next, the end of a round (R13 to R21, R29 to R36,
R38, R42)."""

from __future__ import annotations

from tprules.api import Dice, Outcome, Reference, RefKind, Seat, Turn
from tprules.swarm.captures import movement
from tprules.swarm.pieces import COLOURS
from tprules.swarm.world import METHOD_THREE, METHOD_TWO, SEATS, World

MOST_DOUBLES = 1000
"""Maximum doubles in one round; more mean that the dice are broken."""


def go_on(turn: Turn[World]) -> None:
    """Go on until a player can place or move, or the game is over; impossible placements and movements are skipped."""
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
    """Roll for both seats, Red first (R13), and set who places and who moves."""
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
    turn.report(None, "Dice", body, _swarms(world, [0, 1]))


def _measure(turn: Turn[World]) -> None:
    """Compute how many steps the next mover must make (R15, R38)."""
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


def _swarms(world: World, seats: list[Seat]) -> list[Reference]:
    return [Reference(RefKind.OBJECT, world.swarm(seat)) for seat in seats]


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
    """End the game; the seat with more cubes wins, and equal numbers are a draw (R11, R12, R42)."""
    red, blue = (world.count(seat) for seat in SEATS)
    _end(world, why, None if red == blue else 0 if red > blue else 1)


def tell_end(turn: Turn[World]) -> None:
    """If the game is over, report to everybody how it ended."""
    world = turn.world
    if not world.ended:
        return
    counts = ", ".join(f"{COLOURS[seat]} {world.count(seat)}" for seat in SEATS)
    result = "It is a draw" if world.winner is None else f"{COLOURS[world.winner]} wins"
    references = [Reference(RefKind.OBJECT, world.swarm(seat)) for seat in SEATS]
    turn.report(None, "Game over", f"{result}: {_WHY[world.ended]}. Cubes on the board: {counts}.", references)


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
