"""Timers for the deadlines in the games' rows.

Timers use a monotonic clock, deadlines the wall clock. A comparison of the two shows changes of the wall clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tpserver.bus import Bus
from tpserver.concurrency import Timer, Timers
from tpserver.games.core import time_notices
from tpserver.games.core.events import DeadlineReached, TurnDue
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import WARNING

LOOK_SECONDS = 5.0
"""Seconds between two checks of the system's clock."""
TOLERANCE = 1.0
"""Maximum seconds of difference between two checks that count as drift. It moves no deadlines."""

WARNING_SECONDS = 60
"""Seconds between a reminder and the deadline, if the turn is at least twice as long."""


class TurnTimers:
    """Publishes `DeadlineReached` and `TurnDue` of running games, and sends their players a reminder before."""

    def __init__(self, timers: Timers, now: Callable[[], float], bus: Bus) -> None:
        self._timers = timers
        self._now = now
        self._bus = bus
        self._set: dict[int, tuple[Game, list[Timer]]] = {}

    def arm(self, game: Game, at_least: float = 0.0) -> None:
        """Set the timers for the deadline in the game's row, if any. None fires within ``at_least`` seconds."""
        self.disarm(game)
        deadline, due = game.row.deadline, game.row.due
        if deadline is None or game.row.state != "running":
            return
        now = self._now()
        wait = max(at_least, deadline - now)
        timers = [self._timers.callLater(wait, self._bus.publish, DeadlineReached(game))]
        self._set[game.row.id] = game, timers
        if due is not None and now < due < deadline:
            wait = max(at_least, due - now)
            timers.append(self._timers.callLater(wait, self._bus.publish, TurnDue(game)))
        if wait >= 2 * WARNING_SECONDS:
            timers.append(self._timers.callLater(wait - WARNING_SECONDS, self._warn, game))

    def games(self) -> list[Game]:
        """Return the games with a timer."""
        return [game for game, _ in self._set.values()]

    def disarm(self, game: Game) -> None:
        """Cancel a game's timers."""
        for timer in self._set.pop(game.row.id, (game, ()))[1]:
            if timer.active():
                timer.cancel()

    def stop(self) -> None:
        """Cancel all timers. The store has the deadlines for the next server."""
        for game in self.games():
            self.disarm(game)

    def rings_again(self, game: Game) -> bool:
        """Set the timer again if a game's deadline has not passed yet; return whether it was set."""
        deadline = game.row.deadline
        if deadline is None or deadline - self._now() <= 0.01:
            return False
        self.arm(game)
        return True

    def _warn(self, game: Game) -> None:
        time_notices.tell_time(game, WARNING, self._now())


_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady_seconds() -> float:
    """Return seconds of a monotonic clock, which also runs while the machine sleeps."""
    return time.clock_gettime(_STEADY)


@dataclass
class WallClock:
    """Compares the system's clock with a monotonic one.

    ``jumped`` is called with the seconds by which ``now`` was set forward (back if negative). Without ``steady`` it
    detects nothing, as for the command line, which runs only briefly.
    """

    timers: Timers
    now: Callable[[], float]
    steady: Callable[[], float] | None
    jumped: Callable[[float], None]
    _timer: Timer | None = None

    def __post_init__(self) -> None:
        self._offset = 0.0 if self.steady is None else self.now() - self.steady()

    def watch(self) -> None:
        """Begin to check every LOOK_SECONDS."""
        self.stop()
        self.look()
        if self.steady is not None:
            self._timer = self.timers.callLater(LOOK_SECONDS, self.watch)

    def stop(self) -> None:
        """Stop the regular checks."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def look(self) -> None:
        """Check now; to be called before a time is compared with ``now``."""
        if self.steady is None:
            return
        offset = self.now() - self.steady()
        before, self._offset = self._offset, offset
        if abs(offset - before) > TOLERANCE:
            self.jumped(offset - before)
