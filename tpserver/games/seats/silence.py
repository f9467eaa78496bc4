"""Silent players: turns without a time limit stop waiting for them.

A player is silent after some days without an order, an end of turn, SayHere or a login to the game. The days count from
the latest of these, or from the start of the turn if that is later. The rule does not apply to turns with a deadline,
nor to those that the operator ends.
"""

from __future__ import annotations

from collections.abc import Callable

from tprules.api import Seat
from tpserver.concurrency import Timer, Timers
from tpserver.games.core import attendance
from tpserver.games.core.game import Game
from tpserver.games.seats.seat_service import SeatChanges
from tpserver.games.turns import turn_time
from tpserver.games.turns.turn_time import BACK_SECONDS, DAY


def is_watched(game: Game) -> bool:
    """Return whether the present turn stops waiting for silent players."""
    is_endless = game.row.state == "running" and game.row.due is None and game.turn_clock.kind != "manual"
    return bool(game.policy.silent_days) and game.started and is_endless


def silent_at(game: Game, seat: Seat) -> float:
    """Return when a seat counts as silent if its player does nothing, in unix seconds."""
    record, days = game.players[seat].record, DAY * game.policy.silent_days
    sign = max(record.seen, record.since, game.turn_began)
    at = sign + days
    begun, away = game.server_began
    if sign < begun:  # downtime is no silence, and players need some time to return
        at = max(at + min(away, begun - sign), begun + min(away, days))
    back = turn_time.on_vacation(game, seat, at)
    return at if back is None else back + BACK_SECONDS


def awaited_people(game: Game) -> list[Seat]:
    """Return the awaited seats of present people without a bot in their place."""
    if not is_watched(game):
        return []
    seats = [seat for seat in attendance.awaited(game) if game.players[seat].is_person]
    return [seat for seat in seats if not attendance.is_absent(game, seat) and not attendance.bot_plays(game, seat)]


def next_silent(game: Game) -> float | None:
    """Return when the next seat of a game counts as silent, or None."""
    return min((silent_at(game, seat) for seat in awaited_people(game)), default=None)


class SilentSeats:
    """The timers of all games whose turns stop waiting for silent players. Used on the reactor's thread."""

    def __init__(
        self,
        seat_changes: SeatChanges,
        timers: Timers,
        now: Callable[[], float],
        is_current: Callable[[Game], bool],
    ) -> None:
        self._seat_changes = seat_changes
        self._timers = timers
        self._now = now
        self._is_current = is_current
        self._ringing: dict[int, Timer] = {}
        self._began = 0.0, 0.0

    def begin(self, away: float) -> None:
        """Record that the server runs after ``away`` seconds of downtime.

        From now on players get as much time, and the rest that they had, before they count as silent.
        """
        if away > 0 or not self._began[0]:
            self._began = self._now(), max(0.0, away)

    def arm(self, game: Game) -> None:
        """Set the timer of a game for its awaited seats."""
        self.disarm(game)
        game.server_began = self._began
        at = next_silent(game) if self._is_current(game) and not game.closing else None
        if at is not None:
            wait = max(0.0, at - self._now())
            self._ringing[game.row.id] = self._timers.callLater(wait, self._ring, game)

    def disarm(self, game: Game) -> None:
        """Cancel the timer of a game, if any."""
        timer = self._ringing.pop(game.row.id, None)
        if timer is not None and timer.active():
            timer.cancel()

    def stop(self) -> None:
        """Cancel all timers; the next server sets them again."""
        for timer in self._ringing.values():
            if timer.active():
                timer.cancel()
        self._ringing.clear()

    def _ring(self, game: Game) -> None:
        self._ringing.pop(game.row.id, None)
        if game.saving.stale or game.closing or not self._is_current(game):
            return
        now = self._now()
        for seat in [seat for seat in awaited_people(game) if silent_at(game, seat) <= now + 0.01]:
            self._seat_changes.silent(game, seat)
        self.arm(game)
