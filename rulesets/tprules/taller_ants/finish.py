"""Eliminations, goals, and the end of the game (R3, R4, R38, R73 to R75; RULES.md, section 8)."""

from __future__ import annotations

from tprules.api import ELIMINATED, Outcome, Reference, RefKind, Seat, player
from tprules.kit.seats import places
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.units import SPIDER_SEAT
from tprules.taller_ants.world import World

_HALF = 50
"""Score of each half of a goal."""

SPIDER_GOAL, COLONY_GOAL, LAST, VANISHED, ROUNDS, SEALED = "web", "colony", "last", "vanished", "rounds", "sealed"

_WHY = {
    SPIDER_GOAL: "the spider has covered the ground and cocooned the ants",
    COLONY_GOAL: "a colony has its food and its ants",
    LAST: "nobody else is left",
    VANISHED: "nobody is left",
    ROUNDS: "the last round has been played",
    SEALED: "all colonies have been shut in for too long",
}


def judge_phase(scene: Scene) -> None:
    """Check for eliminations and victories at the end of a phase (R74).  Players who are eliminated in the same phase
    share the first place if nobody is left (R82)."""
    world = scene.world
    before = world.living()
    for seat in before:
        if _is_gone(world, seat):
            _eliminate(scene, seat)
    living = world.living()
    if not living:
        end(scene, VANISHED, before)
    elif len(living) == 1:
        end(scene, LAST, living)
    else:
        for seat in sorted(living, key=lambda seat: (seat != world.active, seat)):
            if _reached(world, seat):
                end(scene, SPIDER_GOAL if seat == SPIDER_SEAT else COLONY_GOAL, [seat])
                return


def end_by_score(scene: Scene, why: str) -> None:
    """End the game: the highest score wins, equal ones share the victory (R75)."""
    world = scene.world
    scores = {seat: score(world, seat) for seat in range(world.seats)}
    best = max(scores.values())
    end(scene, why, [seat for seat, points in scores.items() if points == best])


def end(scene: Scene, why: str, winners: list[Seat]) -> None:
    world = scene.world
    world.ended, world.winners = why, winners
    outcome = final_outcome(world)
    assert outcome is not None
    lines = [f"The game is over: {_WHY[why]}."]
    for seat, place in outcome.ranked():
        figures = ", ".join(f"{name} {value}" for name, value in outcome.figures[seat].items())
        lines.append(f"{place}. {player(seat)}: {figures}")
    verb = "wins" if len(winners) == 1 else "share the victory"
    lines.append(f"{' and '.join(player(seat) for seat in winners)} {verb}!")
    scene.turn.report(None, "GAME OVER!", "\n".join(lines))


def score(world: World, seat: Seat) -> int:
    """Return the score at the round limit: half for each part of the goal, -1 if eliminated."""
    if world.is_out(seat):
        return -1
    settings = world.settings
    if seat == SPIDER_SEAT:
        parts = ((len(world.webs), world.webs_needed()), (world.cocooned(), settings.cocoon_goal))
    else:
        parts = ((world.stored(seat), settings.food_goal), (world.ants(seat), settings.ants_goal))
    return sum(_HALF * min(have, goal) // goal for have, goal in parts)


def final_outcome(world: World) -> Outcome | None:
    """Return places and the final table, or None while the game goes on."""
    if not world.ended:
        return None
    figures: dict[Seat, dict[str, int]] = {
        SPIDER_SEAT: {
            "Score": score(world, SPIDER_SEAT),
            "Webs": len(world.webs),
            "Cocooned": world.cocooned(),
            "Spiders": len(world.spiders()),
        }
    }
    for seat in range(1, world.seats):
        colony = world.colony(seat)
        figures[seat] = {
            "Score": score(world, seat),
            "Food": world.stored(seat),
            "Ants": world.ants(seat),
            "Hatched": colony.hatched,
            "Killed": colony.killed,
        }
    ranks = places({seat: (seat in world.winners, row["Score"]) for seat, row in figures.items()})
    if len(world.winners) > 1:
        ranks |= dict.fromkeys(world.winners, 1)
    return Outcome(ranks, world.ended, figures)


def _is_gone(world: World, seat: Seat) -> bool:
    """Return whether a player has lost everything and is eliminated (R4, R73)."""
    if seat == SPIDER_SEAT:
        return not world.spiders()
    return not world.own(seat) and not world.eggs(seat)


def _eliminate(scene: Scene, seat: Seat) -> None:
    world = scene.world
    if seat == SPIDER_SEAT:
        world.spiders_out = True
    else:
        world.colony(seat).eliminated = True
    references = [ELIMINATED, Reference(RefKind.SEAT, seat)]
    scene.turn.report(None, "Eliminated", f"{player(seat)} is eliminated.", references)


def _reached(world: World, seat: Seat) -> bool:
    settings = world.settings
    if seat == SPIDER_SEAT:
        return (
            100 * len(world.webs) >= settings.web_goal_percent * world.board.area
            and world.cocooned() >= settings.cocoon_goal
        )
    return world.stored(seat) >= settings.food_goal and world.ants(seat) >= settings.ants_goal
