"""Scores, regions and counted actions in the present turn of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from twisted.logger import Logger

from tprules.api import Ruleset, Seat
from tprules.api.appearance import fit_actions
from tpserver.games.core import rules_calls
from tpserver.games.core.game import Game
from tpserver.games.core.scores import NO_STANDING, Standing, VisibleScores, scores_of, standing_of
from tpserver.rules.call_limits import why_it_failed

T = TypeVar("T")
log = Logger()


def standing(game: Game, seat: Seat | None) -> Standing:
    """Return scores and regions that ``seat`` (None: spectators) may see.

    The ruleset is called once per turn. If it fails, that is logged, and the result is empty from then on. The game
    continues.
    """
    if game.known_standings is None or game.known_standings[0] is not game.state:
        game.known_standings = (game.state, {})
    found = game.known_standings[1].get(seat) or _asked_standing(game, seat)
    if found is None:  # not cached: a starting or resumed game is still in its earlier state
        return NO_STANDING
    game.known_standings[1][seat] = found
    return found


def _asked_standing(game: Game, seat: Seat | None) -> Standing | None:
    rules, world, seen = game.rules, game.state.world, game.views[seat].objects if seat in game.views else {}
    return _ask(game, lambda: standing_of(rules, world, len(game.players), seat, seen))


def actions(game: Game, seat: Seat) -> tuple[int, int] | None:
    """Return the used and the available actions of a seat in this turn, or None if they are not counted."""
    if type(game.rules).actions is Ruleset.actions:
        return None
    return _ask(game, lambda: fit_actions(game.rules.actions(game.state.plan(seat))))


def scores_of_opening(game: Game) -> VisibleScores | None:
    """Return the scores of the first turn of a game at its start; None if the rules fail."""
    rules, world = game.rules, game.state.world
    return _ask(game, lambda: scores_of(rules, world, len(game.players)), is_starting=True)


def _ask(game: Game, work: Callable[[], T], is_starting: bool = False) -> T | None:
    """Return a result of the rules about a running game; None if they fail, now or before."""
    if not (game.started or is_starting) or game.has_no_scores or game.fault is not None:
        return None
    try:
        return rules_calls.ask(game, work, "tell how all stand")
    except Exception as error:
        stop_asking(game, error)
        return None


def stop_asking(game: Game, error: Exception) -> None:
    """Record that the rules failed to compute scores and regions. They are not called for that again."""
    game.has_no_scores = True
    log.error("{game}: ruleset {rules} cannot tell how all stand: {why}",
              game=game.name, rules=game.rules.name, why=why_it_failed(error))  # fmt: skip
