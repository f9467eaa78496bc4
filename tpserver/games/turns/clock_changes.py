"""Extensions of a turn, and other turn clocks for a running game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tprules.api import Report
from tpserver.bus import Bus
from tpserver.games.core import attendance, time_notices
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.core.events import AwaitedSeatsChanged
from tpserver.games.core.game import Game, durable
from tpserver.games.core.recording import plain, record
from tpserver.games.core.time_left import WARNING
from tpserver.games.terms import anonymity
from tpserver.games.terms.clock import HOUR, LONGEST, Clock, duration
from tpserver.games.terms.initiator import OPERATOR, Initiator
from tpserver.games.turns import turn_time
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.turn_service import TurnService
from tpserver.store.games.journal import MORE_TIME, OTHER_CLOCK

MOST_CLOCK_CHANGES = 20
"""Maximum extensions and clock changes by the owner in a turn. Each sends a message to all."""


class ClockChanges:
    """Changes the deadline of a turn, and the clock of a game. Used on the reactor's thread."""

    def __init__(self, turns: TurnService, clocks: ClockService, bus: Bus, now: Callable[[], float]) -> None:
        self._turns = turns
        self._clocks = clocks
        self._bus = bus
        self._now = now

    async def give_time(
        self, game: Game, seconds: int, who: str, *, maker: bool = False, cause: Initiator = OPERATOR
    ) -> None:
        """Extend the current turn, durably, and notify all, with the author's name.

        Raises GameError, NotNow. ``maker``: the author is the owner, who may do so only a few times in a turn.
        """
        self._clocks.wall_clock.look()
        row, now = game.row, self._now()
        if not 1 <= seconds <= LONGEST:
            raise GameError(f"an extension is 1 to {LONGEST} seconds, not {str(seconds)[:40]}")
        self._check_changes(game, maker)
        if row.state not in ("running", "paused"):
            raise GameError(f"the game {game.name!r} is {row.state}, so its turn has no deadline")
        if row.due is None:
            raise GameError(f"this turn of {game.name!r} has no deadline")
        due = row.due + seconds
        if due - turn_time.clock_reads(game, now) > LONGEST:
            raise GameError(f"no turn can be given a deadline more than {LONGEST // 86400} days away")
        if maker and seconds > (most := self.most_time(game)):
            left = f"give it {duration(most)} at most" if most else "it has got that already"
            raise NotNow(f"a turn gets no more extra time than a turn lasts; {left}")
        await self._move_due(game, seconds, f"{who} has given this turn {duration(seconds)} more", who, maker, cause)

    def most_time(self, game: Game) -> int:
        """Return the seconds by which the owner can still extend the turn: in total the length of a turn."""
        return max(0, int(game.turn_clock.length(self._now())) - sum(game.counts.given))

    async def take_time_back(self, game: Game, who: str) -> int:
        """Take back the owner's last extension of the turn, and notify all.

        Players keep an hour of the time that they had, or half a turn. Return the seconds taken. Raises GameError,
        NotNow.
        """
        self._clocks.wall_clock.look()
        self._check_changes(game, True)
        row, now = game.row, self._now()
        if not game.counts.given or row.due is None or row.state not in ("running", "paused"):
            raise NotNow("you have given this turn no time that you could take back")
        kept = min(HOUR, game.turn_clock.length(now) / 2)
        seconds = min(game.counts.given[-1], int(row.due - turn_time.clock_reads(game, now) - kept))
        if seconds <= 0:
            raise NotNow(f"this turn has {duration(kept)} left at most, and its players keep that")
        text = f"{who} has taken back {duration(seconds)} of the time that this turn was given"
        await self._move_due(game, -seconds, text, who, True, OPERATOR)
        return seconds

    async def _move_due(self, game: Game, seconds: int, text: str, who: str, maker: bool, cause: Initiator) -> None:
        """Move the due time of the current turn, durably, and send the ``text`` to all."""
        row, now = game.row, self._now()
        assert row.due is not None
        due = row.due + seconds
        columns: dict[str, Any] = {"due": due}
        when = f"it is due at {game.clock.time_words(due)}"
        if row.state == "running":
            columns = turn_time.deadline_columns(game, due, attendance.awaited(game), now)
        elif row.left is not None:
            columns["left"] = row.left + seconds
            when = "the game is paused"
        game.counts.clock_changes += maker
        if maker:
            game.counts.note_given(seconds)
        body = {**cause.body, "seconds": seconds, "by": who, "maker": maker}
        subject = "More time" if seconds > 0 else "Less time"
        record(game, MORE_TIME, body, columns, [Report(None, subject, plain(f"{text}; {when}."))], now, cause=cause)
        await durable(game)
        self._clocks.arm_saved(game)
        time_notices.tell_time(game, WARNING, self._now())

    def check_clock(self, game: Game, clock: Clock) -> None:
        """Raise GameError if a game cannot change to a clock."""
        if problem := clock.unfit(game.rules.clock_groups) or clock.unfit_now(self._now()):
            raise GameError(problem)
        if game.hides_players and clock.vacation:
            raise GameError(anonymity.NO_VACATIONS)

    async def set_clock(
        self, game: Game, clock: Clock, who: str, *, maker: bool = False, cause: Initiator = OPERATOR
    ) -> None:
        """Give a game another clock, durably, and notify all, with the author's name.

        Raises GameError, NotNow.

        The new clock applies from now on. The current turn is never due earlier than before. The new clock may make it
        due later, or end its deadline. ``maker`` as for ``give_time``.
        """
        self._clocks.wall_clock.look()
        row, now = game.row, self._now()
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        self._check_changes(game, maker)
        self.check_clock(game, clock)
        columns: dict[str, Any] = {"clock": str(clock)}
        banks: dict[int, float | None] = {}
        if (game.clock.bank is None) != (clock.bank is None):
            banks = {player.seat: None for player in game.players}
            game.banks, game.used = {}, {}
        game.clock = clock
        game.counts.clock_changes += maker
        text = f"{who} has given the game another clock: {clock.words()}."
        if row.state in ("running", "paused"):
            due = game.turn_clock.due_of_first_turn(now)
            if due is not None and row.due is not None:
                due = max(due, now + row.due - turn_time.clock_reads(game, now))
            if row.state == "running":
                columns.update(turn_time.deadline_columns(game, due, attendance.awaited(game), now))
            else:
                columns.update(due=due, left=None if due is None else due - now)
            if due is not None and due > now:
                text += f" This turn is due at {game.clock.time_words(due)}."
        body = {**cause.body, "clock": str(clock), "by": who, "maker": maker}
        news = [Report(None, "Another clock", plain(text))]
        record(game, OTHER_CLOCK, body, columns, news, now, banks, cause=cause)
        self._clocks.arm_unsaved(game, now)
        await durable(game)
        self._clocks.arm_saved(game)
        time_notices.tell_time(game, WARNING, self._now())
        self._turns.close_if_due(game)
        self._bus.publish(AwaitedSeatsChanged(game))

    def _check_changes(self, game: Game, maker: bool) -> None:
        """Raise NotNow if the clock of a game cannot be changed at the moment."""
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        if maker and game.counts.clock_changes >= MOST_CLOCK_CHANGES:
            raise NotNow(f"the clock was changed {MOST_CLOCK_CHANGES} times in this turn, the maximum")
