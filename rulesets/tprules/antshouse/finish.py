"""The end of a round and of the game (R16, R32, R33; RULES.md, section 8)."""

from __future__ import annotations

from tprules.antshouse.board import NAMES
from tprules.antshouse.world import BACK, OFF_BOARD, THERE, World
from tprules.api import Outcome, Reference, RefKind, Seat, Turn, player

ROUNDS, STUCK = "rounds", "stuck"

_WHY = {
    BACK: "home again",
    THERE: "on the other side",
    ROUNDS: "the last round has been played",
    STUCK: "no ant can move and nothing is left to throw",
}


def finish_round(turn: Turn[World]) -> None:
    """Check who has arrived, after everything else in the round, and go on to the next round."""
    world = turn.world
    if world.shove is not None:
        return
    world.hits, world.resolved = sorted({*world.resolved}), []
    world.gestures = []
    world.winners = _arrived(turn)
    if world.winners:
        world.ended = world.settings.goal
    elif world.round >= world.settings.max_rounds:
        world.ended = ROUNDS
    if world.ended:
        _tell_end(turn)
        return
    dead = [seat for seat, one in enumerate(world.players) if one.ant == OFF_BOARD]
    for seat in dead:
        body = "Choose where your new ant enters."
        turn.report(seat, "Enter a new ant", body, [Reference(RefKind.OBJECT, world.kid(seat))])
    if not dead:
        begin_round(turn)


def begin_round(turn: Turn[World]) -> None:
    """Begin the next round, or end the game if nothing can ever change."""
    world = turn.world
    if any(world.directions(one.ant) or any(one.pad) for one in world.players):
        world.round += 1
    else:
        world.ended = STUCK
        _tell_end(turn)


def final_outcome(world: World) -> Outcome | None:
    """Return places and the final table, or None while the game goes on.  In a draw all share the first place."""
    if not world.ended:
        return None
    seats = range(len(world.players))
    winners = world.winners or seats
    places = {seat: 1 if seat in winners else 1 + len(winners) for seat in seats}
    figures = {
        seat: {"Goal distance": _left(world, seat), "Turned": int(one.turned), "Deaths": one.deaths}
        for seat, one in enumerate(world.players)
    }
    return Outcome(places, world.ended, figures)


def _left(world: World, seat: Seat) -> int:
    """Return the number of steps that an ant is away from its goal; a dead ant starts again at home."""
    square = world.players[seat].ant
    return world.to_goal(seat, world.course(seat).home[0] if square == OFF_BOARD else square)


def _arrived(turn: Turn[World]) -> list[Seat]:
    """Return the seats that have won; mark the ants that have reached the other side (R32, R33)."""
    world = turn.world
    winners = []
    for seat, one in enumerate(world.players):
        if one.ant == OFF_BOARD or world.to_goal(seat, one.ant):
            continue
        if one.turned or world.settings.goal == THERE:
            winners.append(seat)
        else:
            one.turned = True
            body = f"The ant of {player(seat)} has reached the other side at {NAMES[one.ant]} and goes home."
            turn.report(None, "Turned around", body, [Reference(RefKind.OBJECT, world.ant(seat))])
            turn.event("turned", seat=seat)
    return winners


def _tell_end(turn: Turn[World]) -> None:
    world = turn.world
    if world.winners:
        names = " and ".join(player(seat) for seat in world.winners)
        result = f"{names} {'wins' if len(world.winners) == 1 else 'share the victory'}: {_WHY[world.ended]}."
    else:
        result = f"It is a draw: {_WHY[world.ended]}."
    turn.report(None, "Game over", result)
