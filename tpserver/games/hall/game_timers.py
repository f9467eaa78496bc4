"""Timers of one game: set as it is loaded, cancelled as it leaves memory."""

from __future__ import annotations

from collections.abc import Callable

from tpserver.concurrency import Timers
from tpserver.games.core.game import Game
from tpserver.games.hall.removed_accounts import RemovedAccounts
from tpserver.games.seats.proposals import Agreements
from tpserver.games.seats.seat_service import SeatChanges
from tpserver.games.seats.silence import SilentSeats
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.timekeeper import HoldingRow
from tpserver.games.turns.turn_service import TurnService


class GameTimers:
    """Sets and cancels the timers of games. Used on the reactor's thread.

    ``is_current`` returns whether a game is in memory on a server that goes on.
    """

    def __init__(
        self,
        timers: Timers,
        turns: TurnService,
        clocks: ClockService,
        seat_changes: SeatChanges,
        silent_seats: SilentSeats,
        removed_accounts: RemovedAccounts,
        agreements: Agreements,
        is_current: Callable[[Game], bool],
    ) -> None:
        self._timers = timers
        self._turns = turns
        self._clocks = clocks
        self._seat_changes = seat_changes
        self._silent_seats = silent_seats
        self._removed_accounts = removed_accounts
        self._agreements = agreements
        self._is_current = is_current

    def begin(self, game: Game, wait: float) -> None:
        """Set the timers of a loaded game; what is due happens after ``wait`` seconds."""
        self._clocks.turn_timers.arm(game, wait)
        self._timers.callLater(wait, self._turns.close_if_due, game)
        self._seat_changes.await_roll(game)
        self._timers.callLater(wait, self._silent_seats.arm, game)
        self._removed_accounts.came(game, wait)
        if self._seat_changes.is_ready(game):  # a server has ended right after it saved the last seat
            self._timers.callLater(wait, self._start_if_ready, game)
        if game.proposals:
            self._timers.callLater(wait, self._agreements.look, game)

    def save_deadline(self, game: Game, held: HoldingRow, wait: float) -> None:
        """Save the current deadline of a game after ``wait`` seconds.

        After a failed save, the wait prevents an immediate second attempt.
        """
        if wait:
            self._timers.callLater(wait, self.save_deadline, game, held, 0.0)
        elif self._is_current(game):
            self._clocks.save_deadline(game, held)

    def _start_if_ready(self, game: Game) -> None:
        if self._is_current(game) and self._seat_changes.is_ready(game):
            self._seat_changes.start(game, None)

    def disarm(self, game: Game) -> None:
        """Cancel the timers of a game that is no longer in memory."""
        self._clocks.turn_timers.disarm(game)
        self._silent_seats.disarm(game)
        self._seat_changes.disarm(game)
        self._agreements.disarm(game)
