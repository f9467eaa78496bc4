"""The running turn clocks of all games: their timers, their deadlines, and changes of the wall clock."""

from __future__ import annotations

from collections.abc import Callable

from twisted.logger import Logger

from tprules.api import Report
from tpserver.bus import Bus
from tpserver.concurrency import Timer, Timers
from tpserver.games.core import attendance
from tpserver.games.core.game import Game
from tpserver.games.core.recording import record
from tpserver.games.terms.clock import duration
from tpserver.games.turns import turn_time
from tpserver.games.turns.timekeeper import HoldingRow, Timekeeper
from tpserver.games.turns.turn_timers import TurnTimers, WallClock
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.journal import MORE_TIME

log = Logger()

BEAT_SECONDS = 30.0
"""Seconds between two records in the store that the clocks run."""


class ClockService:
    """Keeps the timers and deadlines of running turns right. Used on the reactor's thread.

    ``steady`` is a monotonic clock that detects changes of the clock ``now``. The timers publish `DeadlineReached` and
    `TurnDue`.
    """

    def __init__(
        self,
        timers: Timers,
        now: Callable[[], float],
        steady: Callable[[], float] | None,
        timekeeper: Timekeeper,
        bus: Bus,
    ) -> None:
        self.now = now
        self._timers = timers
        self._timekeeper = timekeeper
        self._beating: Timer | None = None
        self.turn_timers = TurnTimers(timers, now, bus)
        self.wall_clock = WallClock(timers, now, steady, self._clock_was_set)
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """True while the server stops and nothing may change."""
        return self._stopped

    def stop(self) -> None:
        """Stop all timers. The store has deadlines and marks for the next server."""
        if not self._stopped:
            self._timekeeper.note_all(self.now())
        self._stopped = True
        if self._beating is not None and self._beating.active():
            self._beating.cancel()
        self.turn_timers.stop()
        self.wall_clock.stop()

    def watch(self) -> None:
        """Begin to watch the system's clock, and to record that the clocks of the games run."""
        self.wall_clock.watch()
        self.beat()

    @property
    def watches(self) -> bool:
        """True if the clocks of games run, as in a server, but not in a command."""
        return self._beating is not None

    def beat(self) -> None:
        """Record that the clocks of the games run, now and every BEAT_SECONDS."""
        self.wall_clock.look()
        self._timekeeper.note_all(self.now())
        self._beating = self._timers.callLater(BEAT_SECONDS, self.beat)

    # --- the system's clock ---------------------------------------------------------------------------------------

    def _clock_was_set(self, seconds: float) -> None:
        """Move the deadlines after the system's clock was set forward by ``seconds`` (back if negative).

        So every turn keeps its remaining seconds. Deadlines of a calendar stay at their times (`Clock.moved`).
        """
        if not self._timekeeper.clock_was_set(seconds):
            return
        games = [game for game in self.turn_timers.games() if not game.saving.stale]
        log.warn(
            "the system's clock was set {direction} by {seconds} s; the ends of {count} turns were moved with it, "
            "so that each keeps the time that it had left",
            direction="forward" if seconds > 0 else "back",
            seconds=round(abs(seconds)),
            count=len(games),
        )
        now = self.now()
        for game in games:
            due = game.row.due
            if self._move(game, seconds, now) and due is not None and game.row.due != due + seconds:
                self.turn_timers.arm(game)

    def _move(self, game: Game, seconds: float, now: float) -> bool:
        """Move the deadline of a turn after the system's clock was set by ``seconds``; return whether it has one."""
        due = game.row.due
        if due is None or game.row.state != "running":
            return False
        moved = game.clock.moved(due, seconds, now)
        self.set_due(game, moved, now)
        return True

    # --- the deadlines of turns -----------------------------------------------------------------------------------

    def set_due(self, game: Game, due: float | None, now: float) -> None:
        """Save the due time of a running game's turn, and the deadline that follows from it."""
        game.commit(GameChanges(columns=turn_time.deadline_columns(game, due, attendance.awaited(game), now)), now)

    def fit_deadline(self, game: Game) -> None:
        """Adjust the deadline to the time banks and vacations of the awaited seats."""
        has_extra = game.clock.bank is not None or game.clock.vacation
        if not has_extra or game.row.due is None or game.row.state != "running":
            return
        columns = turn_time.deadline_columns(game, game.row.due, attendance.awaited(game), self.now())
        if columns["deadline"] != game.row.deadline:
            game.commit(GameChanges(columns=columns), self.now())
            self.turn_timers.arm(game)

    def save_deadline(self, game: Game, held: HoldingRow) -> None:
        """Save the deadline of a game since its load, unless the turn was closed or paused meanwhile.

        The same transaction notifies the players of time given back, and records that the clock runs again. So it
        happens once.
        """
        row, stored = game.row, held.stored
        if row.state != "running" or row.turn != stored.turn or row.due is None:
            return
        if held.lost and stored.due is not None:
            self._save_given_back(game, held.lost, stored.due, row.due)
        elif not self._timekeeper.is_saved(game):
            self.set_due(game, row.due, self.now())

    def _save_given_back(self, game: Game, lost: float, before: float, due: float) -> None:
        """Save that a turn lost ``lost`` seconds and is ``due`` later than ``before``, and notify the players."""
        now = self.now()
        columns = turn_time.deadline_columns(game, due, attendance.awaited(game), now)
        if lost < 0 or due <= before:
            if lost < 0:
                log.warn(
                    "{game}: the system's clock was set back while the server was down; its turn is due in {wait} s",
                    game=game.name,
                    wait=round(due - now),
                )
            game.commit(GameChanges(columns=columns), now)
            return
        text = f"The server was away for {duration(lost)}. This turn is due at {game.clock.time_words(due)}."
        record(game, MORE_TIME, {"lost": lost, "maker": False}, columns, [Report(None, "Time given back", text)], now)

    # --- the timers of turns --------------------------------------------------------------------------------------

    def arm_unsaved(self, game: Game, now: float) -> None:
        """Set the timers of a turn whose deadline is being saved.

        A due turn gets none. A change of the wall clock moves only deadlines with timers.
        """
        if game.row.deadline is not None and game.row.deadline > now:
            self.turn_timers.arm(game)

    def arm_saved(self, game: Game) -> None:
        """Set the timers of a turn whose deadline has been saved, by the current wall clock."""
        self.wall_clock.look()
        if not game.saving.stale:
            self.turn_timers.arm(game)

    def arm_new_turn(self, game: Game) -> None:
        """Set the timers of a turn that had none while it was saved.

        If the wall clock was set meanwhile, its deadline moves by that.
        """
        self.wall_clock.look()
        if seconds := self._timekeeper.set_since(game):
            self._move(game, seconds, self.now())
        if not game.saving.stale:
            self.turn_timers.arm(game)
