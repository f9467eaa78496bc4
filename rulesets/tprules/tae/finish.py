"""The end of a normal turn after its combats: artifacts, end of the game, refill, first player (R50 to R58)."""

from __future__ import annotations

from tprules.api import Outcome, Reference, RefKind, Seat, Turn, player
from tprules.kit.grid import Square
from tprules.kit.seats import cyclic, places
from tprules.tae.pieces import ARTIFACT_POINTS, MERCHANTS, TYPES, WORDS
from tprules.tae.world import World

_WHY = {
    "artifacts": "too few alien artifacts are left",
    "pool": "the pool cannot refill all hands",
    "turns": "the last turn has been played",
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
    finals = {seat: final_scores(world, seat) for seat in range(len(world.players))}
    figures = {
        seat: {
            "Score": min(scores),
            **{WORDS[kind].points: scores[kind] for kind in TYPES},
            ARTIFACT_POINTS: world.players[seat].artifacts,
        }
        for seat, scores in finals.items()
    }
    return Outcome(places({seat: sorted(scores) for seat, scores in finals.items()}), world.ended, figures)


def final_scores(world: World, seat: Seat) -> list[int]:
    """Return the points by type, with each artifact point added as a joker to the lowest type (R57)."""
    scores = list(world.players[seat].scores)
    for _ in range(world.players[seat].artifacts):
        scores[scores.index(min(scores))] += 1
    return scores


def _end(world: World) -> str:
    """Return why the game is over, or an empty text (R54 to R56)."""
    if len(world.artifacts) < world.settings.min_artifacts:
        return "artifacts"
    missing = sum(world.settings.hand_size - len(one.colonists) for one in world.players)
    if sum(world.pool) < missing:
        return "pool"
    return "turns" if world.turns >= world.settings.max_turns else ""


def _take_artifacts(turn: Turn[World]) -> None:
    """Give a region's artifacts, except that of the lowest system, to the merchant leader there (R50, R51)."""
    world = turn.world
    by_region: dict[int, list[Square]] = {}
    for square in sorted(world.artifacts):
        if square in world.regions:
            by_region.setdefault(world.regions[square], []).append(square)
    for region, found in sorted(by_region.items()):
        owner = world.leads(region, MERCHANTS)
        taken = found[1:]
        if owner is None or not taken:
            continue
        world.artifacts.difference_update(taken)
        world.players[owner].artifacts += len(taken)
        names = "; ".join(world.board.names[square] for square in taken)
        body = f"Your {WORDS[MERCHANTS].leader} took the alien artifacts of these systems, one point each: {names}."
        references = [Reference(RefKind.OBJECT, world.system(square)) for square in taken]
        turn.report(owner, "Alien artifacts", body, references)


def _own_score(world: World, seat: Seat) -> str:
    one = world.players[seat]
    lines = [f"{WORDS[kind].points}: {one.scores[kind]}" for kind in TYPES]
    return "\n".join(["Your Current Score:", *lines, f"{ARTIFACT_POINTS}: {one.artifacts}"])


def _tell_end(turn: Turn[World]) -> None:
    outcome = final_outcome(turn.world)
    assert outcome is not None
    lines = [f"The game is over: {_WHY[outcome.why]}."]
    for seat, place in outcome.ranked():
        figures = ", ".join(f"{name} {value}" for name, value in outcome.figures[seat].items())
        lines.append(f"{place}. {player(seat)}: {figures}")
    winners = outcome.winners()
    verb = "wins" if len(winners) == 1 else "share the victory"
    lines.append(f"{' and '.join(player(seat) for seat in winners)} {verb}!")
    turn.report(None, "GAME OVER!", "\n".join(lines))
