"""The end of the game (R9 to R12, R42)."""

from __future__ import annotations

from tprules.api import Outcome, Reference, RefKind, Seat, Turn
from tprules.swarm.pieces import COLOURS
from tprules.swarm.world import SEATS, World

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
