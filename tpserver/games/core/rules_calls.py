"""Calls of a game's rules on the reactor's thread, within a time limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tpserver.games.core.game import Game
from tpserver.rules.call_limits import CHECK_SECONDS, WATCHDOG, Escaped

T = TypeVar("T")


def ask(game: Game, work: Callable[[], T], doing: str) -> T:
    """Return the result of ``work``, which calls the rules, within CHECK_SECONDS.

    Raises its errors, or TooSlow or Escaped. After failures worse than an exception of the rules the game is suspended.
    While it has a ``fault`` the rules are not called.
    """
    if game.fault is not None:
        raise game.fault[0].with_traceback(None)
    try:
        return WATCHDOG.call(CHECK_SECONDS, work, game.caller)
    except (Escaped, MemoryError) as error:
        broke(game, error, doing)
        raise


def broke(game: Game, error: Exception, doing: str) -> None:
    """Record that the rules must not be called again, and have the game suspended."""
    if game.fault is None:
        game.fault = (error, doing)
        if game.observer is not None:
            game.observer.broke(game, error, doing)


def allow_again(game: Game) -> None:
    """Allow calling the rules again, as the operator resumes the game."""
    game.fault = None
    game.has_no_scores = False
    game.known_phase = None
