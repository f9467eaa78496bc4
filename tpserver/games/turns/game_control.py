"""Pauses, resumptions and aborts of games, by the operator, the owner or an agreement of the players."""

from __future__ import annotations

from dataclasses import replace

from tprules.api import Report
from tpserver.bus import Bus
from tpserver.games.core import attendance, revealing, rules_calls, time_notices
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.events import GameAborted
from tpserver.games.core.game import Game, durable
from tpserver.games.core.recording import plain, record
from tpserver.games.core.time_left import WARNING
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.terms.initiator import OPERATOR, Initiator
from tpserver.games.turns import turn_time
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.suspension import SuspensionService
from tpserver.games.turns.turn_service import TurnService
from tpserver.store.games.changes import GameChanges
from tpserver.store.games.journal import ABORT

TRIED_AGAIN = Report(None, "The game goes on", "The operator lets it try the turn again; all orders were kept.")


class GameControl:
    """Pauses, resumes and aborts games. Used on the reactor's thread."""

    def __init__(self, turns: TurnService, clocks: ClockService, suspensions: SuspensionService, bus: Bus) -> None:
        self._turns = turns
        self._clocks = clocks
        self._suspensions = suspensions
        self._bus = bus

    async def pause(self, game: Game, cause: Initiator = OPERATOR) -> None:
        """Stop the clock of a running game; orders are still accepted. Raises GameError."""
        if game.row.state != "running":
            raise GameError(f"the game {game.name!r} is {game.row.state}, not running")
        self._clocks.wall_clock.look()
        now = self._clocks.now()
        left = None if game.row.due is None else game.row.due - now
        text = f"{plain(cause.who)} has stopped the clock; orders are still taken."
        columns = {"state": "paused", "deadline": None, "left": left}
        game.paused_by_players = cause.players
        record(game, "pause", cause.body or None, columns, [Report(None, "The game is paused", text)], now, cause=cause)
        await durable(game)
        self._clocks.turn_timers.disarm(game)
        time_notices.tell_time(game, WARNING, now)

    async def resume(self, game: Game, cause: Initiator = OPERATOR) -> None:
        """Restart the clock of a paused game, or try a suspended game again.

        The clock continues with the remaining time. If the turn is due it is closed before this returns. The game may
        be suspended again then, as its row shows.
        """
        if game.row.state not in ("paused", "held"):
            raise GameError(f"the game {game.name!r} is {game.row.state}, not paused or held")
        rules_calls.allow_again(game)
        self._clocks.wall_clock.look()  # else the next deadlines would move together with the earlier ones
        now = self._clocks.now()
        if not game.started and game.open_seats():
            record(game, "resume", None, {"state": "waiting", "held_reason": ""}, [TRIED_AGAIN], now)
            await durable(game)
            return
        if not game.started:
            self._turns.start(game)
            await durable(game)
            return
        row = game.row
        due = None if row.left is None else now + row.left
        news = Report(None, "The game goes on", f"{plain(cause.who)} lets the clock run again.")
        if row.state == "held":
            news = TRIED_AGAIN
            due = game.turn_clock.due_of_new_turn(now)
        elif row.due is not None and row.left is not None:
            due = game.clock.moved(row.due, now - (row.due - row.left), now)
        columns = {
            "state": "running",
            "left": None,
            "held_reason": "",
            **turn_time.deadline_columns(game, due, attendance.awaited(game), now),
        }
        records = {}
        if game.policy.silent_days:  # the time of the pause is no silence
            records = {one.seat: replace(one.record, seen=int(now)) for one in game.players if one.is_person}
        record(game, "resume", cause.body or None, columns, [news], now, cause=cause, records=records)
        self._clocks.arm_unsaved(game, now)
        await durable(game)
        self._suspensions.suspend_if_broken(game)
        self._clocks.arm_saved(game)
        if game.row.state == "held" or game.saving.stale:
            return
        await self._turns.go_on(game, now)

    async def abort(self, game: Game, reason: str, who: str, cause: Initiator = OPERATOR) -> None:
        """End a game without a result, durably, and notify all of the reason. Raises GameError, NotNow."""
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        now = self._clocks.now()
        columns = {"state": "over", "held_reason": "", "deadline": None, "due": None, "left": None}
        text = f"{who} has ended this game without a result: {reason}."
        entry = game.entry(ABORT, None, {**cause.body, "by": who, "reason": reason}, now)
        news = written(game, [Report(None, "Game over: aborted", plain(text)), *revealing.who_was_who(game)])
        delivered = delivery(game, news, game.row.turn, now)
        game.commit(GameChanges(entry=entry, columns=columns, delivery=delivered, proposals=cause.proposals), now)
        await durable(game)
        revealing.reveal(game, now)
        self._clocks.turn_timers.disarm(game)
        time_notices.tell_time(game, WARNING, self._clocks.now())
        self._bus.publish(GameAborted(game))
