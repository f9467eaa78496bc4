"""Throws: in which order they are resolved, and their effects (R14, R15, R22 to R30)."""

from __future__ import annotations

from tprules.antshouse.board import NAMES, NEXT, STEPS, way_open
from tprules.antshouse.combat import contest, shoved
from tprules.antshouse.pieces import CONE, GLASS, WATER, WEAPON_NAMES, WEAPONS
from tprules.antshouse.world import OFF_BOARD, Shove, Throw, World
from tprules.api import Reference, RefKind, Seat, Turn, player
from tprules.kit.compass import OFF
from tprules.kit.grid import Square


def rank_throws(turn: Turn[World]) -> None:
    """Sort the throws into the order in which they are resolved: small pyramids first, equal ones by contest (R15)."""
    world = turn.world
    if world.pushes:
        return
    dice = turn.dice("throws")
    ranked = []
    for weapon in WEAPONS:
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
    """R24: the cone stays for the whole game, unless one is there already or it would close a seat's last way."""
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
    """R25, R26: the water moves the neighbours away, and then the thrower moves the ant on the square."""
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
        references = [
            Reference(RefKind.OBJECT, world.kid(throw.seat)),
            Reference(RefKind.OBJECT, world.ant(hit)),
        ]
        turn.report(throw.seat, "Choose where the water takes it", body, references)


def _resolve_glass(turn: Turn[World], throw: Throw) -> None:
    """R27: the ant on the square dies."""
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
    turn.report(None, "Ant burnt", body, [Reference(RefKind.OBJECT, world.ant(hit))])


_RESOLVE = {CONE: _resolve_cone, WATER: _resolve_water, GLASS: _resolve_glass}


def _splashed(world: World, square: Square) -> list[tuple[Seat, Square]]:
    """Return the ants that the water moves, and where to.  In each direction, a row of ants moves one square if the
    last of them can."""
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
    elif throw.weapon != CONE:
        one.used[throw.weapon] += 1
    weapon = WEAPON_NAMES[throw.weapon]
    body = f"{player(throw.seat)}, {weapon}, {NAMES[throw.square]}: {effect}."
    references = [Reference(RefKind.OBJECT, turn.world.system(throw.square))]
    turn.report(None, "Weapon", body, references)
    turn.event("weapon", seat=throw.seat, weapon=weapon, square=NAMES[throw.square], success=success)
