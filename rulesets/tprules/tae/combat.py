"""Internal and external combat, each in a turn of its own (R36 to R49, throughout from the seed)."""

from __future__ import annotations

from tprules.api import Oid, Reference, RefKind, Seat, Turn, player
from tprules.kit.grid import Square
from tprules.kit.seats import cyclic
from tprules.tae.pieces import MERCHANTS, ROBOTS, SCIENTISTS, SETTLERS, WORDS
from tprules.tae.world import AT_HOME, INTERNAL, Combat, Contest, World

_SETTLED_FIRST = (SETTLERS, SCIENTISTS, MERCHANTS, ROBOTS)
"""The types of an external contest in the order in which they are settled (R38)."""


def find_combat(world: World) -> None:
    """Set ``world.combat`` to the next combat, or None; remove contests that are settled (R38, R48)."""
    world.combat = None
    while world.contests:
        world.combat = _combat_of(world, world.contests[0])
        if world.combat is not None:
            return
        del world.contests[0]
        world.renumber()


def announce_combat(turn: Turn[World]) -> None:
    """Report to everybody the combat of the next turn (R37)."""
    combat = turn.world.combat
    assert combat is not None
    (attacker, defender), (attack, defence) = combat.sides, combat.strengths
    body = (
        f"The next turn is an {combat.kind.upper()} combat turn at {turn.world.board.names[combat.square]}! "
        f"Combatants are the {WORDS[combat.type].leader}s of {player(attacker)}, attacking with an initial strength of "
        f"{attack}, and of {player(defender)}, defending with an initial strength of {defence}. "
        f"Both may reinforce with {WORDS[combat.reinforcements].colonists}."
    )
    turn.report(None, "COMBAT!", body, [Reference(RefKind.OBJECT, turn.world.system(combat.square))])


def fight(turn: Turn[World]) -> None:
    """Settle the combat of this turn: reinforcements, winner, removals, points (R43 to R47)."""
    world = turn.world
    combat = world.combat
    assert combat is not None
    orders = turn.orders()
    turn.queues.clear()
    final = dict(zip(combat.sides, combat.strengths, strict=True))
    for order in orders:
        del world.players[order.seat].colonists[order.on]
        final[order.seat] += 1
    attacker, defender = combat.sides
    winner, loser = (attacker, defender) if final[attacker] > final[defender] else (defender, attacker)
    region = world.regions[world.players[loser].places[combat.type]]
    world.players[loser].places[combat.type] = AT_HOME
    if combat.kind == INTERNAL:
        removed: list[Square] = []
        world.players[winner].scores[SCIENTISTS] += 1
    else:
        removed = _removed(world, region, combat.type)
        for square in removed:
            del world.colonies[square]
        world.players[winner].scores[combat.type] += 1 + len(removed)
    stranded = world.send_home_stranded()
    world.renumber()
    world.combat = None
    _tell_result(turn, combat, winner, loser, final, removed, stranded)


def _combat_of(world: World, contest: Contest) -> Combat | None:
    if contest.kind == INTERNAL:
        region = world.regions.get(contest.square)
        sides = [] if region is None else _leaders_in(world, {region}, contest.type)
        return _between(world, contest, contest.type, sides) if len(sides) > 1 else None
    beside = world.regions_beside(contest.square)
    for kind in _SETTLED_FIRST:
        sides = _leaders_in(world, beside, kind)
        if len(sides) > 1:
            return _between(world, contest, kind, sides)
    return None


def _leaders_in(world: World, regions: set[int], kind: int) -> list[Seat]:
    return [seat for seat, one in enumerate(world.players) if world.regions.get(one.places[kind]) in regions]


def _between(world: World, contest: Contest, kind: int, sides: list[Seat]) -> Combat:
    """Choose attacker and defender (R42)."""
    attacker, defender = [seat for seat in cyclic(contest.seat, len(world.players)) if seat in sides][:2]
    strengths = (_strength(world, contest, kind, attacker), _strength(world, contest, kind, defender))
    return Combat(contest.kind, contest.square, kind, (attacker, defender), strengths)


def _strength(world: World, contest: Contest, kind: int, seat: Seat) -> int:
    """Return the strength of a seat's leader of this type in a contest (R40, R41)."""
    place = world.players[seat].places[kind]
    if contest.kind == INTERNAL:
        return world.science_beside(place)
    region = world.regions[place]
    return sum(colony == kind and world.regions.get(square) == region for square, colony in world.colonies.items())


def _removed(world: World, region: int, kind: int) -> list[Square]:
    """Return the colonies that the loser of an external combat loses (R46)."""
    return sorted(
        square
        for square, colony in world.colonies.items()
        if colony == kind
        and world.regions.get(square) == region
        and not (world.settings.protect_artifacts and kind == SCIENTISTS and square in world.artifacts)
    )


def _tell_result(
    turn: Turn[World],
    combat: Combat,
    winner: Seat,
    loser: Seat,
    final: dict[Seat, int],
    removed: list[Square],
    stranded: list[tuple[Seat, int]],
) -> None:
    world = turn.world
    names = world.board.names
    won = 1 + len(removed)
    points = WORDS[SCIENTISTS if combat.kind == INTERNAL else combat.type].points
    what = f"{combat.kind} combat of the {WORDS[combat.type].leader}s at {names[combat.square]}"
    tie = " A tie is the defender's." if final[winner] == final[loser] else ""
    lines = [
        f"{player(winner)} has won the {what} with a strength of {final[winner]} to {final[loser]}!{tie}",
        f"The leader of {player(loser)} goes home.",
        f"{player(winner)} gets {won} {'point' if won == 1 else 'points'} of {points}.",
    ]
    if removed:
        lines.append(f"Colonies removed at {'; '.join(names[square] for square in removed)}.")
    lines += [
        f"The {WORDS[kind].leader} of {player(seat)} has lost its support and goes home." for seat, kind in stranded
    ]
    references: list[Oid] = [world.system(combat.square), *(world.system(square) for square in removed)]
    turn.report(None, "Combat Complete!", "\n".join(lines), [Reference(RefKind.OBJECT, oid) for oid in references])
    turn.event(
        f"{combat.kind} combat",
        at=names[combat.square],
        leaders=WORDS[combat.type].leader,
        attacker=combat.sides[0],
        defender=combat.sides[1],
        initial=list(combat.strengths),
        final=[final[seat] for seat in combat.sides],
        winner=winner,
        removed=len(removed),
    )
