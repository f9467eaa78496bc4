"""The timers of turns, which follow the deadlines in the games' rows.

Timers go by a monotonic clock, deadlines by the system's: see ``wall_clock``.
"""

from __future__ import annotations

from collections.abc import Callable

from tpserver.concurrency import Timer, Timers
from tpserver.games.game import WARNING, Game

WARNING_SECONDS = 60
"""Seconds before a deadline at which a reminder is sent, if the turn is at least twice as long."""


class TurnTimers:
    """Calls ``due`` for each game whose deadline has come, and sends its players a reminder before.

    ``due`` is called by the timer, with a running game whose deadline has come.
    """

    def __init__(self, timers: Timers, now: Callable[[], float], due: Callable[[Game], None]) -> None:
        self._timers = timers
        self._now = now
        self._due = due
        self._set: dict[int, tuple[Game, list[Timer]]] = {}

    def arm(self, game: Game, at_least: float = 0.0) -> None:
        """Set the timers for the deadline in the game's row, if any; none fires before ``at_least`` seconds."""
        self.disarm(game)
        deadline = game.row.deadline
        if deadline is None or game.row.state != "running":
            return
        wait = max(at_least, deadline - self._now())
        timers = [self._timers.callLater(wait, self._due, game)]
        self._set[game.row.id] = game, timers
        if wait >= 2 * WARNING_SECONDS:
            timers.append(self._timers.callLater(wait - WARNING_SECONDS, self._warn, game))

    def games(self) -> list[Game]:
        """Return the games with a timer."""
        return [game for game, _ in self._set.values()]

    def disarm(self, game: Game) -> None:
        """Cancel a game's timers."""
        self._cancel(game.row.id)

    def stop(self) -> None:
        """Cancel all timers; deadlines are in the store for the next server."""
        for number in list(self._set):
            self._cancel(number)

    def _cancel(self, number: int) -> None:
        for timer in self._set.pop(number, (None, ()))[1]:
            if timer.active():
                timer.cancel()

    def rings_again(self, game: Game) -> bool:
        """Set the timer again if a game's deadline has not come yet; return whether that was so."""
        deadline = game.row.deadline
        if deadline is None or deadline - self._now() <= 0.01:
            return False
        self.arm(game)
        return True

    def _warn(self, game: Game) -> None:
        game.tell_time(WARNING, self._now())
