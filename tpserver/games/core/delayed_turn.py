"""Newest turn that spectators of a delayed game see."""

from __future__ import annotations

from tpserver.games.core.game import Game
from tpserver.games.terms.delay import UNWATCHED, delay_of, is_shown_later, later


def newest_shown(game: Game) -> int | None:
    """Return the newest turn of a game that spectators may see now, or None."""
    if not game.started:
        return None
    if not is_shown_later(game.row):
        return game.state.turn
    delay = delay_of(game.row)
    return None if delay == UNWATCHED or game.state.turn < delay else game.state.turn - delay


def not_yet(game: Game) -> str:
    """Return the message for spectators before the first public turn of a delayed game, without a full stop."""
    delay = delay_of(game.row)
    return f"the game {game.name} shows its turns {later(delay)}, so its turn 0 is seen when turn {delay} begins"
