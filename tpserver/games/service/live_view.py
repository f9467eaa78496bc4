"""Spectators' view of the present turn, in games without a delay."""

from __future__ import annotations

from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.core.next_turn import spectators_view
from tpserver.games.core.views import View, waiting_view


def live_view(game: Game, now: float) -> View:
    """Return the spectators' view of a game, which is updated from now on. Raises GameError if its rules fail."""
    view = game.views.get(None)
    if view is None:
        if not game.started:
            view = waiting_view(game.rules, None, int(now))
        else:
            view = spectators_view(game, None, int(now))
            if view is None:
                raise GameError(f"the game {game.name!r} cannot be watched: its rules failed")
        game.views[None] = view
    return view
