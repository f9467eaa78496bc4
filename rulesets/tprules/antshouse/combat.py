"""Ants that meet on one square: rock-paper-scissors, after which the winner moves the others (R15, R20, R21)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tprules.antshouse.board import DIRECTION_NAMES, NAMES, NEXT, by_distance
from tprules.antshouse.orders import DIRECTION
from tprules.antshouse.pieces import GESTURE_NAMES, ROCK, SCISSORS
from tprules.antshouse.world import GESTURE, Shove, World
from tprules.api import Dice, Reference, RefKind, Seat, Turn, player
from tprules.kit.grid import Square
from tprules.kit.single_choice import chosen


def contest(world: World, seats: Sequence[Seat], dice: Dice) -> tuple[Seat, Mapping[Seat, int]]:
    """Return the winner among ``seats`` (rising), and the gestures that decided, which are empty if chance alone did
    (RULES.md, section 5)."""
    shown: dict[Seat, int] = {}
    if world.settings.contest == GESTURE:
        shown = {seat: world.gestures[seat] or dice.roll(SCISSORS) for seat in seats}
        kinds = sorted({*shown.values()})
        if len(kinds) == 2:
            low, high = kinds
            # Paper beats rock and scissors beat paper, so the next higher wins; but rock beats scissors.
            stronger = low if (low, high) == (ROCK, SCISSORS) else high
            seats = [seat for seat in seats if shown[seat] == stronger]
    return (seats[0] if len(seats) == 1 else dice.pick(seats)), shown


def find_clashes(turn: Turn[World]) -> None:
    """Hold a contest for each square with two or more ants, by row and column, and note the losers to move (R20)."""
    world = turn.world
    dice = turn.dice("clashes")
    found: dict[Square, list[Seat]] = {}
    for seat, one in enumerate(world.players):
        found.setdefault(one.ant, []).append(seat)
    for square, seats in sorted(found.items()):
        if len(seats) > 1:
            winner, shown = contest(world, seats, dice)
            world.pushes += [Shove(winner, seat) for seat in seats if seat != winner]
            _tell_clash(turn, square, seats, winner, shown)


def settle_pushes(turn: Turn[World]) -> None:
    """Go on to the next push that is possible; a loser that cannot be pushed goes to the nearest free square (R21)."""
    world = turn.world
    while world.pushes:
        winner, loser = world.pushes[0]
        square = world.players[loser].ant
        if world.vacant(square):
            body = f"You have won {NAMES[square]}: choose the direction in which the ant of {player(loser)} goes."
            references = [Reference(RefKind.OBJECT, world.kid(winner)), Reference(RefKind.OBJECT, world.ant(loser))]
            turn.report(winner, "Choose a push", body, references)
            return
        ants = world.ants()
        free = next(other for other in by_distance(square) if other not in ants and other not in world.cones)
        world.players[loser].ant = free
        del world.pushes[0]
        body = f"There is no room around {NAMES[square]}: the ant of {player(loser)} goes to {NAMES[free]}."
        turn.report(None, "Pushed", body, [Reference(RefKind.OBJECT, world.ant(loser))])


def push(turn: Turn[World]) -> None:
    """Move the loser as the winner ordered."""
    shove = turn.world.pushes.pop(0)
    turn.report(None, "Pushed", *shoved(turn, shove))


def shoved(turn: Turn[World], shove: Shove) -> tuple[str, list[Reference]]:
    """Move an ant in the direction that the chooser ordered; return a text and references for the report."""
    world = turn.world
    (order,) = turn.orders()
    turn.queues.clear()
    way = chosen(order.args, DIRECTION)
    one = world.players[shove.seat]
    start = one.ant
    one.ant = NEXT[start][way]
    body = (
        f"{player(shove.chooser)} moves the ant of {player(shove.seat)} from {NAMES[start]} {DIRECTION_NAMES[way]} "
        f"to {NAMES[one.ant]}."
    )
    turn.event("moved", by=shove.chooser, ant=shove.seat, start=NAMES[start], to=NAMES[one.ant])
    return body, [Reference(RefKind.OBJECT, world.ant(shove.seat))]


def _tell_clash(
    turn: Turn[World], square: Square, seats: Sequence[Seat], winner: Seat, shown: Mapping[Seat, int]
) -> None:
    names = " and ".join(f"{player(seat)} ({GESTURE_NAMES[shown[seat]]})" if shown else player(seat) for seat in seats)
    body = f"The ants of {names} meet on {NAMES[square]}. {player(winner)} wins and stays."
    turn.report(None, "Clash", body, [Reference(RefKind.OBJECT, turn.world.system(square))])
    turn.event("clash", square=NAMES[square], seats=[*seats], winner=winner)
