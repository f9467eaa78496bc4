"""The turns of games: start, finished marks and closing."""

from __future__ import annotations

import time
from collections import deque
from contextlib import suppress

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Order, Report
from tpserver.bus import Bus
from tpserver.concurrency import Executor, Timers
from tpserver.events import EVENTS
from tpserver.fault_points import reached
from tpserver.games.core import attendance, time_notices
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.events import AwaitedSeatsChanged, TurnBegan, TurnClosed
from tpserver.games.core.game import Game, durable
from tpserver.games.core.recording import plain, record
from tpserver.games.core.saving import NotSaved
from tpserver.games.core.time_left import ALL_FINISHED, END_OF_TURN, THRESHOLD, TIMER_STARTED, WARNING, Reason
from tpserver.games.terms.initiator import PlayersStep
from tpserver.games.turns import closing, game_start, order_intake, turn_end, turn_time
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.suspension import SuspensionService
from tpserver.rules.call_limits import LOAD_SECONDS, WATCHDOG
from tpserver.store.games.journal import LATE
from tpserver.store.idempotency import beside

log = Logger()

MOST_AT_ONCE = 4
"""Maximum turns that are computed and saved at once: orders wait until these are saved."""


class ClosingLine:
    """The turns that are being computed and saved, and the queue of further ones."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._inside = 0
        self._waiting: deque[Deferred[None]] = deque()

    def __len__(self) -> int:
        return self._inside + len(self._waiting)

    def enter(self) -> Deferred[None]:
        """Return a Deferred that fires when a turn may be computed; ``leave`` is to be called when it is saved."""
        if self._inside >= MOST_AT_ONCE:
            self._waiting.append(Deferred())
            return self._waiting[-1]
        self._inside += 1
        return succeed(None)

    def leave(self) -> None:
        if self._waiting:
            # From the reactor, so that a thousand waiting turns are not nested calls.
            self._timers.callLater(0, self._waiting.popleft().callback, None)
        else:
            self._inside -= 1


class TurnService:
    """Starts games, and closes their turns.

    Used on the reactor's thread. ``compute`` runs long work away from the reactor's thread and returns a Deferred of
    its result.
    """

    def __init__(
        self, timers: Timers, compute: Executor, clocks: ClockService, suspensions: SuspensionService, bus: Bus
    ) -> None:
        self.compute = compute
        self._timers = timers
        self._clocks = clocks
        self._suspensions = suspensions
        self._bus = bus
        self.line = ClosingLine(timers)

    # --- starting -------------------------------------------------------------------------------------------------

    def start(self, game: Game) -> None:
        """Start a game that is full; if its ruleset fails, the game is suspended and can be resumed later."""
        self._clocks.wall_clock.look()  # else what is due from now on would be moved with what was due before
        now = self._clocks.now()
        try:
            first = WATCHDOG.call(LOAD_SECONDS, lambda: game_start.compute(game, now), game.caller)
        except Exception as error:
            self._suspensions.suspend(game, error, "start the game")
            return
        game_start.write(game, first, now)
        self._clocks.turn_timers.arm(game)
        game.saving.after_saving(lambda: self._has_begun(game, self._clocks.now()))

    def _has_begun(self, game: Game, now: float) -> None:
        time_notices.tell_time(game, TIMER_STARTED, now)
        self._bus.publish(TurnBegan(game))
        if turn_end.all_are_finished(game, self._clocks.now()):
            # It awaits absent players only, so nobody will finish the turn.
            self._timers.callLater(0, self.close_if_due, game)

    async def go_on(self, game: Game, now: float) -> None:
        """Continue the turn of a resumed game. If it is due, it is closed before this returns."""
        self._has_begun(game, now)
        reason = turn_end.reason_to_close(game, self._clocks.now())
        if reason is None or self._clocks.stopped or game.closing or game.row.state != "running":
            self.close_if_due(game)
        else:
            # The game goes on, whatever becomes of this turn: if it cannot be saved the game is read again, and closed
            # then.
            with suppress(GameError, NotNow, NotSaved):
                await self._closing(game, reason)

    # --- finishing and closing ------------------------------------------------------------------------------------

    def finished(self, game: Game, seat: int) -> None:
        """Mark a seat as finished.

        When that is durable, notify the others, and close the turn if it awaits no seat.
        """
        fresh = seat not in game.finished
        order_intake.finish(game, seat, self._clocks.now())
        if fresh:
            game.saving.after_saving(lambda: self._marked(game))

    def unfinished(self, game: Game, seat: int) -> bool:
        """Remove the finished mark of a seat, and notify the others.

        They are notified when that is durable. Return whether there was a mark. A deadline that a ``threshold`` clock
        has begun stays. Raises Refusal.
        """
        taken_back = order_intake.unfinish(game, seat, self._clocks.now())
        if taken_back:
            game.saving.after_saving(lambda: self._unmarked(game))
        return taken_back

    def waits_anew(self, game: Game) -> None:
        """Notify all that the turn awaits other seats, and close it if it awaits none."""
        if game.closing or game.saving.stale or game.row.state != "running":
            return
        self._clocks.fit_deadline(game)
        time_notices.tell_time(game, WARNING, self._clocks.now())
        self.close_if_due(game)
        self._bus.publish(AwaitedSeatsChanged(game))

    def _unmarked(self, game: Game) -> None:
        if not game.closing and not game.saving.stale:
            self._clocks.fit_deadline(game)
            time_notices.tell_time(game, WARNING, self._clocks.now())

    def ordered(self, game: Game, order: Order) -> None:
        """After an order was accepted, close the turn if its phase closes after each order of an active seat."""
        EVENTS.orders += 1
        if turn_end.closes_phase(game, [order]):
            game.saving.after_saving(lambda: self._close(game, ALL_FINISHED))

    def _marked(self, game: Game) -> None:
        self._clocks.wall_clock.look()
        if game.closing or game.saving.stale or game.row.state != "running":
            return
        if turn_end.all_are_finished(game, self._clocks.now()):
            self._close(game, ALL_FINISHED)
            return
        now = self._clocks.now()
        if not self._start_threshold(game, now):
            self._clocks.fit_deadline(game)
            time_notices.tell_time(game, WARNING, now)

    def deadline_reached(self, game: Game) -> None:
        """Close a turn whose timer has reached its deadline.

        A moved deadline sets the timer again. The timer uses the monotonic clock.
        """
        self._clocks.wall_clock.look()  # moves the deadline if the system's clock was set
        if not game.saving.stale and not self._clocks.turn_timers.rings_again(game):
            self._close(game, END_OF_TURN)

    def turn_due(self, game: Game) -> None:
        """Announce the late players when the time of a turn is up, while grace and time banks remain."""
        self._clocks.wall_clock.look()
        now, row, due = self._clocks.now(), game.row, game.row.due
        if game.saving.stale or game.closing or row.state != "running" or due is None:
            return
        if turn_end.all_are_finished(game, now):
            self._close(game, ALL_FINISHED)
            return
        away = [
            game.name_of(seat)
            for seat in attendance.awaited(game)
            if turn_time.on_vacation(game, seat, due) is not None
        ]
        if due - now <= 0.01 and away and row.deadline is not None:
            until = game.clock.time_words(row.deadline)
            text = f"The time of this turn is up. It waits for {' and '.join(away)} on vacation until {until}."
            record(game, LATE, None, {}, [Report(None, "Vacation", plain(text))], now)
        elif due - now <= 0.01 and game.clock.grace:
            names = [game.name_of(seat) for seat in attendance.awaited(game)]
            until = game.clock.time_words(due + game.clock.grace)
            text = f"The time of this turn is up. It waits for {' and '.join(names)} until {until} at the latest."
            record(game, LATE, None, {}, [Report(None, "Grace", text)], now)
        self._clocks.turn_timers.arm(game)
        time_notices.tell_time(game, WARNING, now)

    def _start_threshold(self, game: Game, now: float) -> bool:
        """Start the deadline of a ``threshold`` clock; return whether it was started.

        That needs enough finished seats and no running deadline.
        """
        due = turn_end.due_of_threshold(game, now)
        if due is None:
            return False
        self._clocks.set_due(game, due, now)
        self._clocks.turn_timers.arm(game)
        time_notices.tell_time(game, THRESHOLD, now)
        return True

    def close_if_due(self, game: Game) -> None:
        """Close a turn that became due while it could not be closed: the server was down, or the game paused."""
        if self._clocks.stopped:
            return
        self._clocks.wall_clock.look()
        if game.saving.stale or game.row.state != "running" or game.closing:
            return
        reason = turn_end.reason_to_close(game, self._clocks.now())
        if reason is not None:
            self._close(game, reason)
        else:
            self._start_threshold(game, self._clocks.now())

    def close_turn(self, game: Game) -> Deferred[None]:
        """Close the turn now, for the operator. Raises GameError.

        The Deferred fires when the new turn is durable, or the game is suspended because its rules failed. It fails
        with GameError or NotSaved.
        """
        if not game.started:
            raise GameError(f"the game {game.name!r} has not started")
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        if game.row.state == "held":
            raise GameError(f"the game {game.name!r} is held: {game.row.held_reason}; resume it first")
        if game.closing:
            raise GameError(f"the turn of {game.name!r} is already being computed")
        return Deferred.fromCoroutine(self._closing(game, END_OF_TURN, by_operator=True))

    def _close(self, game: Game, reason: Reason) -> None:
        if self._clocks.stopped or game.closing or game.saving.stale or game.row.state != "running":
            return

        def failed(failure: Failure) -> None:
            # For a stale game, or a server that stops, the reason has been logged already.
            if not game.saving.stale and not self._clocks.stopped:
                log.failure("{game}: closing the turn failed", failure, game=game.name)

        with beside():  # nor is what bots do in the next turn a change of the request that was the last to be awaited
            doing = Deferred.fromCoroutine(self._closing(game, reason))
        doing.addErrback(failed)

    async def go(self, game: Game, step: PlayersStep) -> None:
        """Make a step in a running game, durably.

        If its rules fail at that, it is suspended. Raises GameError, NotNow.
        """
        if not game.started or game.over or game.row.state == "held":
            raise GameError(f"the game {game.name!r} is {game.row.state}")
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        await self._closing(game, ALL_FINISHED, instead=step)

    def all_may_be_done(self, game: Game) -> None:
        """Close the turn in the next round of the reactor if it awaits no seat, as after a resignation."""
        if not game.saving.stale and not game.closing:
            self._clocks.fit_deadline(game)
        self._timers.callLater(0, self.close_if_due, game)

    async def _closing(
        self, game: Game, reason: Reason, by_operator: bool = False, instead: PlayersStep | None = None
    ) -> None:
        if game.fault is not None:
            self._suspensions.suspend(game, *game.fault)
            return
        game.closing = True
        reached("closing: begun")
        begun = time.monotonic()
        self._clocks.turn_timers.disarm(game)
        now = self._clocks.now()
        time_notices.tell_time(game, reason, now)
        plan = closing.plan(game, reason, now, by_operator=by_operator, instead=instead)
        await self.line.enter()
        try:
            await self._compute_and_save(game, plan, begun)
        finally:
            self.line.leave()

    async def _compute_and_save(self, game: Game, plan: closing.ClosingPlan, begun: float) -> None:
        """Compute a turn that ends, save it, and begin the next one when that is durable.

        ``begun`` is when the closing began, by ``time.monotonic``.
        """
        self._check_still_on(game)
        try:
            computed = await self.compute(lambda: closing.compute(game, plan))
        except Exception as error:
            self._check_still_on(game)
            self._suspensions.suspend(game, error, f"close turn {game.state.turn}")
            return
        self._check_still_on(game)
        reached("closing: computed")
        self._clocks.wall_clock.look()
        saved = closing.write(game, plan, computed, self._clocks.now())
        reached("closing: given")
        await durable(game)
        reached("closing: saved")
        EVENTS.turn_closed(game.name, saved.state.turn - 1, time.monotonic() - begun, saved.state.over)
        closing.install(game, saved)
        reached("closing: done")
        self._clocks.arm_new_turn(game)
        self._bus.publish(TurnClosed(game, saved.computed))
        self._suspensions.suspend_if_broken(game)
        self._has_begun(game, saved.at)
        if game.resigned:
            self.all_may_be_done(game)

    def _check_still_on(self, game: Game) -> None:
        """Raise NotSaved or GameError if a computed turn is no longer valid."""
        if game.saving.stale:
            raise NotSaved("the game is being read from the store again")
        if self._clocks.stopped:
            raise GameError(f"the server stops; turn {game.state.turn} of {game.name!r} was not closed")
