"""The end of a turn: orders, combats, artifacts, game end, refill.

R12, R26, and R36 to R58.
"""

from __future__ import annotations

from tprules.api import ORDER_COMPLETED, Oid, Order, Outcome, Seat, Turn, player
from tprules.kit.grid import Square
from tprules.kit.seats import cyclic, final_table, places
from tprules.kit.words import with_article
from tprules.tae import world as worlds
from tprules.tae.orders import ACTIONS, SHIPS, TARGET, place_of, sentence
from tprules.tae.world import WORDS, Combat, Contest, World

# --- The orders of a normal turn (R12, R26)


def execute_orders(turn: Turn[World]) -> None:
    """Check and execute each order: seats cyclically from the first player, the orders of each in sequence."""
    world = turn.world
    dice = turn.dice("exchange")
    orders = turn.take_orders()
    world.idle = 0 if orders else world.idle + 1
    for seat in cyclic(world.first, len(world.players)):
        for order in orders:
            if order.seat != seat:
                continue
            action = ACTIONS[order.type]
            reason = action.against(world, order)
            if reason:
                why = sentence(reason, place=place_of(world, order))
                turn.failed(order, f"{why}. The order had no effect; the piece is still there.")
                continue
            stranded = action.execute(world, order, dice)
            _tell_done(turn, order)
            for owner, kind in stranded:
                _tell_stranded(turn, owner, kind)


def _tell_done(turn: Turn[World], order: Order) -> None:
    if TARGET in order.args:
        about = order.args[TARGET]
        body = f"Your order {order.type} to {turn.world.place_name(about)} was carried out."
    else:
        about = order.on
        body = f"You gave back {len(order.args[SHIPS])} colonist ships and drew as many."
    turn.report(order.seat, f"{order.type} order complete", body, [ORDER_COMPLETED, about], by=order.seat)


def _tell_stranded(turn: Turn[World], owner: int, kind: int) -> None:
    fleet = turn.world.players[owner].leaders[kind]
    body = f"Your {WORDS[kind].leader} lost the last scientist colony beside it and went home."
    turn.report(owner, "Leader without support", body, [fleet])


# --- Internal and external combat, each in a separate turn (R36 to R49, all from the seed)

_SETTLED_FIRST = (worlds.SETTLERS, worlds.SCIENTISTS, worlds.MERCHANTS, worlds.ROBOTS)
"""The types of an external contest in the order in which they are settled (R38)."""


def find_combat(world: World) -> None:
    """Set ``world.combat`` to the next combat, or None. Remove settled contests (R38, R48)."""
    world.combat = None
    while world.contests:
        world.combat = _combat_of(world, world.contests[0])
        if world.combat is not None:
            return
        del world.contests[0]
        world.renumber()


def announce_combat(turn: Turn[World]) -> None:
    """Report the combat of the next turn to all (R37)."""
    combat = turn.world.combat
    assert combat is not None
    (attacker, defender), (attack, defence) = combat.sides, combat.strengths
    body = (
        f"The next turn is {with_article(combat.kind.upper())} combat turn at {turn.world.board.names[combat.square]}! "
        f"Combatants are the {WORDS[combat.type].leader}s of {player(attacker)}, attacking with an initial strength of "
        f"{attack}, and of {player(defender)}, defending with an initial strength of {defence}. "
        f"Both may reinforce with {WORDS[combat.reinforcements].colonists}."
    )
    turn.report(None, "COMBAT!", body, [turn.world.system(combat.square)])


def fight(turn: Turn[World]) -> None:
    """Settle the combat of this turn: reinforcements, winner, removals, points (R43 to R47)."""
    world = turn.world
    combat = world.combat
    assert combat is not None
    orders = turn.take_orders()
    final = dict(zip(combat.sides, combat.strengths, strict=True))
    for order in orders:
        del world.players[order.seat].colonists[order.on]
        final[order.seat] += 1
    attacker, defender = combat.sides
    winner, loser = (attacker, defender) if final[attacker] > final[defender] else (defender, attacker)
    region = world.regions[world.players[loser].places[combat.type]]
    world.players[loser].places[combat.type] = worlds.AT_HOME
    if combat.kind == worlds.INTERNAL:
        removed: list[Square] = []
        world.players[winner].scores[worlds.SCIENTISTS] += 1
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
    if contest.kind == worlds.INTERNAL:
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
    if contest.kind == worlds.INTERNAL:
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
        and not (world.settings.protect_artifacts and kind == worlds.SCIENTISTS and square in world.artifacts)
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
    points = WORDS[worlds.SCIENTISTS if combat.kind == worlds.INTERNAL else combat.type].points
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
    turn.report(None, "Combat Complete!", "\n".join(lines), references)
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


# --- After the combats: artifacts, end of the game, refill, first player (R50 to R58)

_WHY = {
    "artifacts": "too few alien artifacts are left",
    "pool": "the pool cannot refill all hands",
    "turns": "the last turn has been played",
    "idle": "no player has given an order for too many turns",
}


def finish_turn(turn: Turn[World]) -> None:
    """Finish a normal turn, or the game."""
    world = turn.world
    world.turns += 1
    _take_artifacts(turn)
    world.ended = _end(world)
    if world.ended:
        _tell_end(turn)
        return
    dice = turn.dice("refill")
    for seat in cyclic(world.first, len(world.players)):
        world.draw(seat, world.settings.hand_size - len(world.players[seat].colonists), dice)
        turn.report(seat, "Turn complete", _own_score(world, seat))
    world.first = (world.first + 1) % len(world.players)
    order = ", ".join(player(seat) for seat in cyclic(world.first, len(world.players)))
    turn.report(None, "Turn Order", f"The order for the next turn is: {order}")


def final_outcome(world: World) -> Outcome | None:
    """Return places and the final table, or None while the game goes on (R57, R58)."""
    if not world.ended:
        return None
    finals = {seat: one.final_scores() for seat, one in enumerate(world.players)}
    figures = {
        seat: {
            "Score": min(scores),
            **{WORDS[kind].points: scores[kind] for kind in worlds.TYPES},
            worlds.ARTIFACT_POINTS: world.players[seat].artifacts,
        }
        for seat, scores in finals.items()
    }
    return Outcome(places({seat: sorted(scores) for seat, scores in finals.items()}), world.ended, figures)


def _end(world: World) -> str:
    """Return why the game is over, or "" (R54 to R56, R60)."""
    if len(world.artifacts) < world.settings.min_artifacts:
        return "artifacts"
    missing = sum(world.settings.hand_size - len(one.colonists) for one in world.players)
    if sum(world.pool) < missing:
        return "pool"
    if world.turns >= world.settings.max_turns:
        return "turns"
    return "idle" if 0 < world.settings.idle_turns <= world.idle else ""


def _take_artifacts(turn: Turn[World]) -> None:
    """Give a region's artifacts, except that of the lowest system, to the merchant leader there (R50, R51)."""
    world = turn.world
    by_region: dict[int, list[Square]] = {}
    for square in sorted(world.artifacts):
        if square in world.regions:
            by_region.setdefault(world.regions[square], []).append(square)
    for region, found in sorted(by_region.items()):
        owner = world.leads(region, worlds.MERCHANTS)
        taken = found[1:]
        if owner is None or not taken:
            continue
        world.artifacts.difference_update(taken)
        world.players[owner].artifacts += len(taken)
        names = "; ".join(world.board.names[square] for square in taken)
        body = (
            f"Your {WORDS[worlds.MERCHANTS].leader} took the alien artifacts of these systems, one point each: {names}."
        )
        references = [world.system(square) for square in taken]
        turn.report(owner, "Alien artifacts", body, references)


def _own_score(world: World, seat: Seat) -> str:
    one = world.players[seat]
    lines = [f"{WORDS[kind].points}: {one.scores[kind]}" for kind in worlds.TYPES]
    return "\n".join(["Your Current Score:", *lines, f"{worlds.ARTIFACT_POINTS}: {one.artifacts}"])


def _tell_end(turn: Turn[World]) -> None:
    outcome = final_outcome(turn.world)
    assert outcome is not None
    turn.report(None, "GAME OVER!", final_table(outcome, _WHY[outcome.why]))
