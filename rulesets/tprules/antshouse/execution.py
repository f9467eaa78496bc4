"""The stages of a turn: entering, moving, clashes, throws, and the ends.

The ends are those of the round and of the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tprules.antshouse import world as worlds
from tprules.antshouse.board import DIRECTION_NAMES, NAMES, NEXT, STEPS, by_distance, from_centre, nearest, way_open
from tprules.antshouse.orders import DIRECTION, GESTURE, SQUARE, TARGET, WEAPON, Go, default_direction
from tprules.antshouse.orders import Throw as ThrowOrder
from tprules.antshouse.world import OFF_BOARD, Shove, Throw, World
from tprules.api import Dice, Oid, Order, Outcome, Seat, Turn, player
from tprules.kit.compass import OFF
from tprules.kit.grid import Square
from tprules.kit.seats import victory
from tprules.kit.single_choice import chosen

# --- The end of planning: orders are revealed together, pyramids leave the pads, and the ants move (R12, R13, R28)


class Planned(NamedTuple):
    """The orders of one seat in this round."""

    direction: int
    gesture: int
    throw: Throw | None


def reveal_and_move(turn: Turn[World]) -> None:
    """Report the orders to all players, take thrown pyramids from the pads, and move all ants at the same time."""
    world = turn.world
    plans = _plans(turn)
    _reveal(turn, plans)
    world.gestures = [plan.gesture for plan in plans]
    for one, plan in zip(world.players, plans, strict=True):
        one.ant = NEXT[one.ant][plan.direction]
        if plan.throw is not None:
            one.pad[plan.throw.weapon] -= 1
            world.throws.append(plan.throw)


def _plans(turn: Turn[World]) -> list[Planned]:
    """Take the orders of each seat, with defaults for missing ones (RULES.md, section 5)."""
    world = turn.world
    orders = {(order.seat, order.type): order for order in turn.take_orders()}
    plans = []
    for seat in range(len(world.players)):
        go, thrown = orders.get((seat, Go.name)), orders.get((seat, ThrowOrder.name))
        throw = None
        if thrown is not None:
            square = world.square(thrown.args[TARGET])
            assert square is not None, "check() lets only squares through"
            throw = Throw(seat, chosen(thrown.args, WEAPON), square)
        if go is None:
            plans.append(Planned(default_direction(world, seat), worlds.NO_PREFERENCE, throw))
        else:
            plans.append(Planned(chosen(go.args, DIRECTION), chosen(go.args, GESTURE), throw))
    return plans


def _reveal(turn: Turn[World], plans: list[Planned]) -> None:
    lines = []
    for seat, plan in enumerate(plans):
        throw = plan.throw
        thrown = f"throws {worlds.WEAPON_NAMES[throw.weapon]} at {NAMES[throw.square]}" if throw else "throws nothing"
        start = NAMES[turn.world.players[seat].ant]
        gesture = worlds.GESTURE_NAMES[plan.gesture]
        lines.append(f"{player(seat)}: {start} {DIRECTION_NAMES[plan.direction]}, {thrown}, {gesture}")
    turn.report(None, "Reveal", "\n".join(lines))
    turn.event(
        "revealed",
        directions=[DIRECTION_NAMES[plan.direction] for plan in plans],
        throws=[[worlds.WEAPON_NAMES[p.throw.weapon], NAMES[p.throw.square]] if p.throw else None for p in plans],
    )


# --- The entrance of ants: at the beginning, and again after their death (R8, R17, R27, R34)


def enter_ants(turn: Turn[World]) -> None:
    """Put the ants on the squares that their players ordered, lower seats first.

    If another ant has taken the square, the nearest offered one is used.
    """
    world = turn.world
    orders = {order.seat: order for order in turn.take_orders()}
    entered = world.dead()
    for seat in entered:
        world.players[seat].ant = _entrance(turn, orders[seat])
    turn.event("entered", seats=entered, squares=[NAMES[world.players[seat].ant] for seat in entered])
    begin_round(turn)


def default_entrance(world: World, seat: Seat) -> Square:
    """Return the square where an ant enters without an order: nearest to the center (RULES.md, section 5)."""
    return min(world.offered(seat), key=from_centre)


def _entrance(turn: Turn[World], order: Order) -> Square:
    world = turn.world
    wanted = world.square(order.args[SQUARE])
    assert wanted is not None, "check() lets only squares through"
    free = world.offered(order.seat)
    if wanted in free:
        return wanted
    other = nearest(wanted, free)
    turn.failed(order, f"another ant has entered at {NAMES[wanted]}; yours enters at {NAMES[other]}.")
    return other


# --- Ants that meet on one square: rock-paper-scissors, after which the winner moves the others (R15, R20, R21)


def contest(world: World, seats: Sequence[Seat], dice: Dice) -> tuple[Seat, Mapping[Seat, int]]:
    """Return the winner among ``seats`` (rising), and the gestures that decided (RULES.md, section 5).

    The gestures are empty if chance alone decided.
    """
    shown: dict[Seat, int] = {}
    if world.settings.contest != worlds.RNG:
        shown = {seat: world.gestures[seat] or dice.roll(worlds.SCISSORS) for seat in seats}
        kinds = sorted({*shown.values()})
        if len(kinds) == 2:
            low, high = kinds
            # Paper beats rock and scissors beat paper, so the next higher wins; but rock beats scissors.
            stronger = low if (low, high) == (worlds.ROCK, worlds.SCISSORS) else high
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
    """Find the next possible push. A loser that cannot be pushed goes to the nearest free square (R21)."""
    world = turn.world
    while world.pushes:
        winner, loser = world.pushes[0]
        square = world.players[loser].ant
        if world.vacant(square):
            body = f"You have won {NAMES[square]}: choose the direction in which the ant of {player(loser)} goes."
            references = [world.kid(winner), world.ant(loser)]
            turn.report(winner, "Choose a push", body, references)
            return
        ants = world.ants()
        free = next(other for other in by_distance(square) if other not in ants and other not in world.cones)
        world.players[loser].ant = free
        del world.pushes[0]
        body = f"There is no room around {NAMES[square]}: the ant of {player(loser)} goes to {NAMES[free]}."
        turn.report(None, "Pushed", body, [world.ant(loser)])


def push(turn: Turn[World]) -> None:
    """Move the loser as the winner ordered."""
    shove = turn.world.pushes.pop(0)
    turn.report(None, "Pushed", *shoved(turn, shove))


def shoved(turn: Turn[World], shove: Shove) -> tuple[str, list[Oid]]:
    """Move an ant in the direction that the chooser ordered; return a text and references for the report."""
    world = turn.world
    (order,) = turn.take_orders()
    way = chosen(order.args, DIRECTION)
    one = world.players[shove.seat]
    start = one.ant
    one.ant = NEXT[start][way]
    body = (
        f"{player(shove.chooser)} moves the ant of {player(shove.seat)} from {NAMES[start]} {DIRECTION_NAMES[way]} "
        f"to {NAMES[one.ant]}."
    )
    turn.event("moved", by=shove.chooser, ant=shove.seat, start=NAMES[start], to=NAMES[one.ant])
    return body, [world.ant(shove.seat)]


def _tell_clash(
    turn: Turn[World], square: Square, seats: Sequence[Seat], winner: Seat, shown: Mapping[Seat, int]
) -> None:
    names = " and ".join(
        f"{player(seat)} ({worlds.GESTURE_NAMES[shown[seat]]})" if shown else player(seat) for seat in seats
    )
    body = f"The ants of {names} meet on {NAMES[square]}. {player(winner)} wins and stays."
    turn.report(None, "Clash", body, [turn.world.system(square)])
    turn.event("clash", square=NAMES[square], seats=[*seats], winner=winner)


# --- Throws: the order in which they are resolved, and their effects (R14, R15, R22 to R30)


def rank_throws(turn: Turn[World]) -> None:
    """Sort the throws into the order in which they are resolved: small pyramids first, equal ones by contest (R15)."""
    world = turn.world
    if world.pushes:
        return
    dice = turn.dice("throws")
    ranked = []
    for weapon in worlds.WEAPONS:
        left = {throw.seat: throw for throw in world.throws if throw.weapon == weapon}
        while left:
            first = next(iter(left)) if len(left) == 1 else contest(world, [*left], dice)[0]
            ranked.append(left.pop(first))
    world.throws = ranked


def resolve_throws(turn: Turn[World]) -> None:
    """Resolve throws until none is left, or a thrower must choose where water moves an ant."""
    world = turn.world
    while world.throws and not world.pushes and world.flush is None:
        throw = world.throws.pop(0)
        world.resolved.append(throw.square)
        _RESOLVE[throw.weapon](turn, throw)


def flush(turn: Turn[World]) -> None:
    """Move the ant that was hit by water as the thrower ordered (R25)."""
    shove = turn.world.flush
    assert shove is not None
    turn.world.flush = None
    turn.report(None, "Flushed", *shoved(turn, shove))


def _resolve_cone(turn: Turn[World], throw: Throw) -> None:
    """Place a pine cone for the rest of the game (R24).

    It fails if the square already has a cone. With ``guard``, it also fails if it would close the last way of a seat.
    """
    world, square = turn.world, throw.square
    if square in world.cones:
        _settle(turn, throw, False, "there is one already")
        return
    if world.settings.guard:
        blocked = {*world.cones, square}
        for seat in range(len(world.players)):
            if not way_open(world.settings.layout, seat, blocked):
                _settle(turn, throw, False, f"it would close the last way of {player(seat)}")
                return
    world.cones[square] = throw.seat
    _settle(turn, throw, True, "it stays there")


def _resolve_water(turn: Turn[World], throw: Throw) -> None:
    """Move the neighbors away. Then the thrower moves the ant on the square (R25, R26)."""
    world = turn.world
    hit = world.ants().get(throw.square)
    effects = []
    for seat, square in _splashed(world, throw.square):
        start, world.players[seat].ant = world.players[seat].ant, square
        effects.append(f"the ant of {player(seat)} is splashed from {NAMES[start]} to {NAMES[square]}")
    if hit is not None:
        effects.append(f"the ant of {player(hit)} is hit")
        if world.vacant(throw.square):
            world.flush = Shove(throw.seat, hit)
        else:
            effects.append("it has nowhere to go")
    _settle(turn, throw, bool(effects), ", ".join(effects) or "no ant is near")
    if hit is not None and world.flush:
        body = f"Your water has hit the ant of {player(hit)} on {NAMES[throw.square]}. Choose where it goes."
        turn.report(throw.seat, "Choose where the water takes it", body, [world.kid(throw.seat), world.ant(hit)])


def _resolve_glass(turn: Turn[World], throw: Throw) -> None:
    """Kill the ant on the square (R27)."""
    world = turn.world
    hit = world.ants().get(throw.square)
    if hit is None:
        _settle(turn, throw, False, "no ant is there")
        return
    one = world.players[hit]
    one.ant, one.turned = OFF_BOARD, False
    one.deaths += 1
    _settle(turn, throw, True, f"the ant of {player(hit)} burns")
    body = f"The ant of {player(hit)} died on {NAMES[throw.square]} and has to start over."
    turn.report(None, "Ant burnt", body, [world.ant(hit)])


_RESOLVE = {worlds.CONE: _resolve_cone, worlds.WATER: _resolve_water, worlds.GLASS: _resolve_glass}


def _splashed(world: World, square: Square) -> list[tuple[Seat, Square]]:
    """Return the ants that the water moves, and their new squares.

    In each direction, a row of ants moves one square if the last of them can.
    """
    moved = []
    ants = world.ants()
    for way in STEPS:
        chain = []
        at = NEXT[square][way]
        while at in ants:
            chain.append(ants[at])
            at = NEXT[at][way]
            if at == OFF or at in world.cones:
                chain = []
                break
        moved += [(seat, NEXT[world.players[seat].ant][way]) for seat in chain]
    return moved


def _settle(turn: Turn[World], throw: Throw, success: bool, effect: str) -> None:
    """Report the effect of a throw; put the pyramid back on the pad, or count it as used up (R28 to R30)."""
    one = turn.world.players[throw.seat]
    if not success:
        one.pad[throw.weapon] += 1
        effect += "; the pyramid goes back to the pad"
    elif throw.weapon != worlds.CONE:
        one.used[throw.weapon] += 1
    weapon = worlds.WEAPON_NAMES[throw.weapon]
    body = f"{player(throw.seat)}, {weapon}, {NAMES[throw.square]}: {effect}."
    references = [turn.world.system(throw.square)]
    turn.report(None, "Weapon", body, references, by=throw.seat)
    turn.event("weapon", seat=throw.seat, weapon=weapon, square=NAMES[throw.square], success=success)


# --- The end of a round and of the game (R16, R32, R33; RULES.md, section 8)

ROUNDS, STUCK = "rounds", "stuck"

_WHY = {
    worlds.BACK: "home again",
    worlds.THERE: "on the other side",
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
    dead = world.dead()
    for seat in dead:
        turn.report(seat, "Enter a new ant", "Choose where your new ant enters.", [world.kid(seat)])
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
    """Return places and the final table, or None while the game goes on. In a draw all share the first place."""
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
    """Return the number of steps from an ant to its goal. A dead ant starts again at home."""
    square = world.players[seat].ant
    return world.to_goal(seat, world.course(seat).home[0] if square == OFF_BOARD else square)


def _arrived(turn: Turn[World]) -> list[Seat]:
    """Return the seats that have won; mark the ants that have reached the other side (R32, R33)."""
    world = turn.world
    winners = []
    for seat, one in enumerate(world.players):
        if one.ant == OFF_BOARD or world.to_goal(seat, one.ant):
            continue
        if one.turned or world.settings.goal == worlds.THERE:
            winners.append(seat)
        else:
            one.turned = True
            body = f"The ant of {player(seat)} has reached the other side at {NAMES[one.ant]} and goes home."
            turn.report(None, "Turned around", body, [world.ant(seat)], by=seat)
            turn.event("turned", seat=seat)
    return winners


def _tell_end(turn: Turn[World]) -> None:
    world = turn.world
    if world.winners:
        result = f"{victory(world.winners)}: {_WHY[world.ended]}."
    else:
        result = f"It is a draw: {_WHY[world.ended]}."
    turn.report(None, "Game over", result)
