"""The turns of games: starting, finishing, closing, holding, pausing and resuming."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Order, Report
from tprules.api.advance import Advanced, opening
from tpserver.concurrency import Executor, Timer, Timers, failure_of
from tpserver.events import EVENTS
from tpserver.fault_points import reached
from tpserver.games import anonymity, attendance, revealing, taking_orders, turn_result
from tpserver.games.clock import LONGEST, Clock, duration
from tpserver.games.delay import delay_of
from tpserver.games.delay import words as delay_words
from tpserver.games.game import (
    ALL_FINISHED,
    END_OF_TURN,
    THRESHOLD,
    TIMER_STARTED,
    WARNING,
    Game,
    GameError,
    NotNow,
    NotSaved,
    Reason,
    durable,
)
from tpserver.games.holding import CAN_BE_HELD, told
from tpserver.games.moved_ends import MovedEnds
from tpserver.games.press import PRIVATE, WORDS, press_of
from tpserver.games.reports import delivery, summaries, written
from tpserver.games.seating import SeatRecord, stored
from tpserver.games.turn_timers import TurnTimers, WallClock
from tpserver.games.views import Projector, View, dump_view
from tpserver.rules.watchdog import LOAD_SECONDS, WATCHDOG, why_it_failed
from tpserver.store.done_requests import beside
from tpserver.store.game_changes import GameChanges
from tpserver.store.games import GameRow
from tpserver.store.journal import LATE, MORE_TIME, OTHER_CLOCK
from tpserver.store.outbox import TurnBegins
from tpserver.store.proposals import Proposal

log = Logger()

TRIED_AGAIN = Report(None, "The game goes on", "The operator lets it try the turn again; all orders were kept.")

BEAT_SECONDS = 30.0
"""Seconds between two notes in the store of until when the clocks have run."""
LEAST_LOST = 60.0
"""Seconds that a clock could not run, below which they are not given back."""
MOST_CLOCK_CHANGES = 20
"""How often in a turn whoever made a game can give it more time or another clock: each time is a message to all."""


MOST_AT_ONCE = 4
"""Maximum turns that are computed and saved at once: an order that comes meanwhile waits for these to be saved."""


class ClosingLine:
    """The turns that are computed and saved, and those that wait for that."""

    def __init__(self, timers: Timers) -> None:
        self._timers = timers
        self._inside = 0
        self._waiting: deque[Deferred[None]] = deque()

    def enter(self) -> Deferred[None]:
        """Return a Deferred that fires when a turn may be computed; ``leave`` is to be called when it is saved."""
        if self._inside >= MOST_AT_ONCE:
            self._waiting.append(Deferred())
            return self._waiting[-1]
        self._inside += 1
        return succeed(None)

    def leave(self) -> None:
        if self._waiting:
            # From the reactor, so that a thousand that wait are not as many calls within each other.
            self._timers.callLater(0, self._waiting.popleft().callback, None)
        else:
            self._inside -= 1


BY_OPERATOR = "The operator"
"""How players are told that the operator has done something to their game."""


@dataclass(frozen=True, slots=True)
class Cause:
    """On whose word something happens to a game: ``who`` begins the sentence that tells of it.

    ``players``: it is not the operator, but the account that has made the game, or all players.  ``proposal`` is what
    they have agreed on, as it is from then on.
    """

    who: str = BY_OPERATOR
    players: bool = False
    proposal: Proposal | None = None

    @property
    def body(self) -> dict[str, Any]:
        """What the journal says of it; nothing of the operator."""
        if not self.players:
            return {}
        return {"by": self.who, **({} if self.proposal is None else {"proposal": self.proposal.number})}

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        return () if self.proposal is None else (self.proposal,)


OPERATOR = Cause()


@dataclass(frozen=True, slots=True)
class PlayersStep:
    """A step from one turn to the next that the players have brought about, in place of closing the phase.

    ``step`` makes it, ``news`` is what all are told of it, ``cause`` on whose word it comes, ``body`` what the journal
    says besides, so that it can be run again.
    """

    step: Callable[[], Advanced[Any]]
    news: Sequence[Report]
    cause: Cause
    body: Mapping[str, Any]


class _Ending(NamedTuple):
    """How a turn ends: ``at`` is when, in unix seconds, ``begun`` the same by a monotonic clock; ``absent`` are the
    seats that had not finished, ``news`` what all are told of that; ``kept`` and ``records`` see `attendance`;
    ``waited`` are the seconds for which turns have waited for vacations, ``instead`` is what happens in place of
    closing the phase."""

    reason: Reason
    by_operator: bool
    at: float
    begun: float
    banks: dict[int, float]
    absent: Sequence[int]
    news: list[Report]
    kept: dict[int, bool]
    records: dict[int, SeatRecord]
    waited: dict[int, float]
    instead: PlayersStep | None


class TurnLifecycle:
    """Starts games, closes their turns, and holds, pauses and resumes them.  Used on the reactor's thread.

    ``compute`` runs long work away from the reactor's thread and returns a Deferred of its result. ``steady`` is a
    monotonic clock, by which changes of the clock ``now`` are noticed. ``note`` has the store note that the clocks of
    all games have run until the time with which it is called.
    """

    def __init__(
        self,
        timers: Timers,
        compute: Executor,
        now: Callable[[], float],
        steady: Callable[[], float] | None = None,
        note: Callable[[float], None] = lambda now: None,
    ) -> None:
        self.compute = compute
        self.now = now
        self._timers = timers
        self._note = note
        self._beating: Timer | None = None
        self.turn_timers = TurnTimers(timers, now, self._rung, self._is_due)
        self.wall_clock = WallClock(timers, now, steady, self._clock_was_set)
        self.told: list[Callable[[Game, turn_result.TurnResult], None]] = []
        """Called after each turn that has become durable."""
        self.began: list[Callable[[Game], None]] = []
        """Called when a turn begins or goes on: after the start, a closing or a resumption that has become durable."""
        self.seated: list[Callable[[Game], None]] = []
        """Called when others than before play the seats of a running game, or a bot does, and that is durable."""
        self.held: list[Callable[[Game, str], None]] = []
        """Called with a game and the reason as its rules have failed and it is held."""
        self.jumped: Callable[[float], None] = lambda seconds: None
        """Called with the seconds by which the system's clock was set, for the games that are not in memory."""
        self.distrusts: Callable[[float], bool] = lambda seconds: False
        """Called with the same before; returns whether its time is not believed: then no game is in memory any more,
        and their deadlines stay."""
        self.moved_ends = MovedEnds()
        self._line = ClosingLine(timers)
        self._stopped = False

    @property
    def stopped(self) -> bool:
        """Whether the server stops, and nothing is changed any more."""
        return self._stopped

    def stop(self) -> None:
        """Stop all timers and close no more turns; deadlines and marks are in the store for the next server."""
        if not self._stopped:
            self._note(self.now())
        self._stopped = True
        if self._beating is not None and self._beating.active():
            self._beating.cancel()
        self.turn_timers.stop()
        self.wall_clock.stop()

    def watch(self) -> None:
        """Begin to look after the system's clock, and to note that those of the games run."""
        self.wall_clock.watch()
        self._beat()

    @property
    def watches(self) -> bool:
        """Whether the clocks of games run, as a server does and not a command."""
        return self._beating is not None

    def _beat(self) -> None:
        self.wall_clock.look()
        self._note(self.now())
        self._beating = self._timers.callLater(BEAT_SECONDS, self._beat)

    # --- the system's clock ---------------------------------------------------------------------------------------

    def _rung(self, game: Game) -> None:
        """Close a turn whose timer, by the monotonic clock, has reached its deadline, unless the deadline has moved."""
        self.wall_clock.look()  # moves the deadline if the system's clock was set
        if not game.stale and not self.turn_timers.rings_again(game):
            self._close(game, END_OF_TURN)

    def _clock_was_set(self, seconds: float) -> None:
        """Move the deadlines, as the system's clock was set forward by ``seconds``, or back if negative.

        So every turn keeps the seconds that it had left; but a time of a calendar stays where it is (`Clock.moved`).
        """
        if self.distrusts(seconds):
            return
        self.moved_ends.set_by += seconds
        games = [game for game in self.turn_timers.games() if not game.stale]
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
        self.jumped(seconds)

    def _move(self, game: Game, seconds: float, now: float) -> bool:
        """Move the deadline of a turn, as the system's clock was set by ``seconds``; return whether there is one."""
        due = game.row.due
        if due is None or game.row.state != "running":
            return False
        moved = game.clock.moved(due, seconds, now)
        game.commit(GameChanges(columns=_times(game, moved, game.awaited(), now)), now)
        return True

    def save_moved(self, game: Game) -> None:
        """Save the end of a turn that was moved as it was read, unless it is saved already."""
        if not game.stale and not self._stopped and self.moved_ends.owed(game):
            now = self.now()
            game.commit(GameChanges(columns=_times(game, game.row.due, game.awaited(), now)), now)

    def give_back(self, game: Game) -> bool:
        """Move the deadline of a turn that was read from the store by the time in which its clock could not run; return
        whether there was any.

        That is the time since the last note, if it is LEAST_LOST or more; the players are told in the same transaction,
        which also notes that the clock runs again, so it happens once.
        """
        row, lost = game.row, self.lost(game.row)
        if lost and row.due is not None:
            self.save_given_back(game, lost, row.due, game.clock.moved(row.due, lost, self.now()))
        return lost != 0

    def lost(self, row: GameRow) -> float:
        """Return the seconds in which the clock of a turn could not run; 0 if they are fewer than LEAST_LOST."""
        if row.state != "running" or row.deadline is None or row.due is None or row.ran is None:
            return 0.0
        lost = self.now() - row.ran
        return lost if abs(lost) >= LEAST_LOST else 0.0

    def save_given_back(self, game: Game, lost: float, before: float, due: float) -> None:
        """Save that a turn, which was due ``before``, is ``due`` now, as it has lost so many seconds, and tell that."""
        now = self.now()
        columns = _times(game, due, game.awaited(), now)
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
        _record(game, MORE_TIME, {"lost": lost, "maker": False}, columns, [Report(None, "Time given back", text)], now)

    # --- starting -------------------------------------------------------------------------------------------------

    def start(self, game: Game) -> None:
        """Start a game that is full; if its ruleset fails, the game is held and can be resumed later."""
        self.wall_clock.look()  # else what is due from now on would be moved with what was due before
        now = self.now()
        projector = Projector(game.rules, game.description, game.state)
        views: dict[Any, View] = {}
        awaited: list[int] = []

        def open_it() -> list[Report]:
            for seat in game.viewers():
                views[seat] = projector.view(seat, game.views.get(seat), int(now))
            opened = opening(game.rules, game.row.options, len(game.players), game.row.seed)
            turn_result.check_reports(game, opened.reports)
            awaited.extend(turn_result.active_in(game.rules, game.state))
            return opened.reports

        try:
            reports = WATCHDOG.call(LOAD_SECONDS, open_it, game.caller)
        except Exception as error:
            self._hold(game, error, "start the game")
            return
        due = game.turn_clock.due_of_first_turn(now)
        times = _times(game, due, (player.seat for player in game.players), now)
        columns: dict[str, Any] = {"state": "running", "started": now, "held_reason": "", **times}
        game.show(views, now)
        game.projected = projector.done()
        blobs = {seat: dump_view(view, game.mark) for seat, view in views.items()}
        welcome = Report(None, "Welcome", _welcome(game))
        told = written(game, [welcome, *reports])
        scores = game.scores_of_opening()
        entry = game.entry("start", None, None, now)
        changes = GameChanges(
            entry=entry,
            columns=columns,
            views=blobs,
            delivery=delivery(game, told, game.row.turn, now),
            summary=(game.row.turn, summaries(told)),
            scores=None if scores is None else (game.row.turn, scores),
            begins=TurnBegins(awaited),
        )
        game.commit(changes, now)
        self.turn_timers.arm(game)
        game.after_saving(lambda: self._has_begun(game, self.now()))

    def _has_begun(self, game: Game, now: float) -> None:
        game.tell_time(TIMER_STARTED, now)
        for tell in self.began:
            tell(game)
        if self._all_are_done(game):
            # It awaits absent players only, so nobody will say that he has finished.
            self._timers.callLater(0, self.close_if_due, game)

    # --- finishing and closing ------------------------------------------------------------------------------------

    def finished(self, game: Game, seat: int) -> None:
        """Mark a seat as finished; when that is durable, notify the others, and close the turn if none is awaited."""
        fresh = seat not in game.finished
        taking_orders.finish(game, seat, self.now())
        if fresh:
            game.after_saving(lambda: self._marked(game))

    def unfinished(self, game: Game, seat: int) -> bool:
        """Take back that a seat has finished; when that is durable, tell the others.  Return whether it had finished.

        A deadline that a ``threshold`` clock has begun stays.  Raises Refusal.
        """
        taken_back = taking_orders.unfinish(game, seat, self.now())
        if taken_back:
            game.after_saving(lambda: self._unmarked(game))
        return taken_back

    def waits_anew(self, game: Game) -> None:
        """The running turn waits for other seats than before: tell all, and close it if none is awaited any more."""
        if game.closing or game.stale or game.row.state != "running":
            return
        self.fit_deadline(game)
        game.tell_time(WARNING, self.now())
        self.close_if_due(game)
        for tell in self.seated:
            tell(game)

    def _unmarked(self, game: Game) -> None:
        if not game.closing and not game.stale:
            self.fit_deadline(game)
            game.tell_time(WARNING, self.now())

    def ordered(self, game: Game, order: Order) -> None:
        """After an order was accepted, close the turn if its phase closes after each order of an active seat."""
        EVENTS.orders += 1
        if _closes_phase(game, [order]):
            game.after_saving(lambda: self._close(game, ALL_FINISHED))

    def _marked(self, game: Game) -> None:
        self.wall_clock.look()
        if game.closing or game.stale or game.row.state != "running":
            return
        if self._all_are_done(game):
            self._close(game, ALL_FINISHED)
            return
        now = self.now()
        if not self._start_threshold(game, now):
            self.fit_deadline(game)
            game.tell_time(WARNING, now)

    def _all_are_done(self, game: Game) -> bool:
        """Return whether nobody is awaited in a running game, and its turn closes then."""
        if game.awaited():
            return False
        if game.nobody_plays() and game.row.due is not None:
            return game.row.due <= self.now()
        return game.turn_clock.closes_when_all_are_done(game.row.due, self.now())

    def fit_deadline(self, game: Game) -> None:
        """Have the turn wait for the fullest time bank of those who are awaited now, and for those on vacation."""
        has_extra = game.clock.bank is not None or game.clock.vacation
        if not has_extra or game.row.due is None or game.row.state != "running":
            return
        columns = _times(game, game.row.due, game.awaited(), self.now())
        if columns["deadline"] != game.row.deadline:
            game.commit(GameChanges(columns=columns), self.now())
            self.turn_timers.arm(game)

    def _is_due(self, game: Game) -> None:
        """The time of a turn is up, but not its grace and its players' time banks: tell who is late, and wait on."""
        self.wall_clock.look()
        now, row, due = self.now(), game.row, game.row.due
        if game.stale or game.closing or row.state != "running" or due is None:
            return
        if self._all_are_done(game):
            self._close(game, ALL_FINISHED)
            return
        away = [game.name_of(seat) for seat in game.awaited() if game.on_vacation(seat, due) is not None]
        if due - now <= 0.01 and away and row.deadline is not None:
            until = game.clock.time_words(row.deadline)
            text = f"The time of this turn is up. It waits for {' and '.join(away)} on vacation until {until}."
            _record(game, LATE, None, {}, [Report(None, "Vacation", _plain(text))], now)
        elif due - now <= 0.01 and game.clock.grace:
            names = [game.name_of(seat) for seat in game.awaited()]
            until = game.clock.time_words(due + game.clock.grace)
            text = f"The time of this turn is up. It waits for {' and '.join(names)} until {until} at the latest."
            _record(game, LATE, None, {}, [Report(None, "Grace", text)], now)
        self.turn_timers.arm(game)
        game.tell_time(WARNING, now)

    def _start_threshold(self, game: Game, now: float) -> bool:
        """Start the deadline of a ``threshold`` clock if enough seats have finished and none runs; return whether it
        did."""
        due = self._due_of_threshold(game, now)
        if due is None:
            return False
        game.commit(GameChanges(columns=_times(game, due, game.awaited(), now)), now)
        self.turn_timers.arm(game)
        game.tell_time(THRESHOLD, now)
        return True

    def _due_of_threshold(self, game: Game, now: float) -> float | None:
        """Return when the turn of a running game is due if a ``threshold`` clock begins to run now; None if it does
        not."""
        if game.row.deadline is not None:
            return None
        expected = game.waited_for(game.active())
        return game.turn_clock.due_after_mark(len(expected) - len(game.awaited()), len(expected), now)

    def has_settled(self, game: Game) -> bool:
        """Return whether nothing is to be done in a game by itself now, before its deadline or anybody comes."""
        if game.row.state != "running":
            return True
        return self._due(game) is None and self._due_of_threshold(game, self.now()) is None

    def close_if_due(self, game: Game) -> None:
        """Close a turn that became due while it could not be closed: the server was down, or the game paused."""
        if self._stopped:
            return
        self.wall_clock.look()
        if game.stale or game.row.state != "running" or game.closing:
            return
        reason = self._due(game)
        if reason is not None:
            self._close(game, reason)
        else:
            self._start_threshold(game, self.now())

    def _due(self, game: Game) -> Reason | None:
        """Return why the turn of a running game should be closed now; None if it should not."""
        if game.row.deadline is not None and game.row.deadline <= self.now():
            return END_OF_TURN
        all_are_done = game.active() and self._all_are_done(game)
        # An insertion assigns new stamps to the whole queue, so the new stamp may be on another order of it.
        changed = (queue for queue in game.state.queues.values() if queue[-1].stamp > game.first_stamp)
        return ALL_FINISHED if all_are_done or _closes_phase(game, chain.from_iterable(changed)) else None

    def close_turn(self, game: Game) -> Deferred[None]:
        """Close the turn now, for the operator.  Raises GameError.

        The Deferred fires when the new turn is durable, or the game is held because its rules failed; it fails with
        GameError or NotSaved.
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
        if self._stopped or game.closing or game.stale or game.row.state != "running":
            return

        def failed(failure: Failure) -> None:
            # For a stale game, or a server that stops, the reason has been logged already.
            if not game.stale and not self._stopped:
                log.failure("{game}: closing the turn failed", failure, game=game.name)

        with beside():  # nor is what bots do in the next turn a change of the request that was the last to be awaited
            closing = Deferred.fromCoroutine(self._closing(game, reason))
        closing.addErrback(failed)

    async def go(self, game: Game, step: PlayersStep) -> None:
        """Make a step in a game that goes on, durably; if its rules fail at that, it is held.

        Raises GameError, NotNow.
        """
        if not game.started or game.over or game.row.state == "held":
            raise GameError(f"the game {game.name!r} is {game.row.state}")
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        await self._closing(game, ALL_FINISHED, instead=step)

    def all_may_be_done(self, game: Game) -> None:
        """Close the turn if nobody is awaited any more, as after a resignation; a round of the reactor later."""
        if not game.stale and not game.closing:
            self.fit_deadline(game)
        self._timers.callLater(0, self.close_if_due, game)

    async def _closing(
        self, game: Game, reason: Reason, by_operator: bool = False, instead: PlayersStep | None = None
    ) -> None:
        if game.fault is not None:
            self._hold(game, *game.fault)
            return
        game.closing = True
        reached("closing: begun")
        begun = time.monotonic()
        self.turn_timers.disarm(game)
        now = self.now()
        game.tell_time(reason, now)
        banks, waited = game.banks_after(now), game.waited_after(now)
        ran_out = reason is END_OF_TURN and not by_operator
        absent = game.awaited()
        kept, records = {}, {}
        if instead is None:
            kept = attendance.kept_turn(game, ran_out)
            records = attendance.records_after(game, kept)
            late = [seat for seat in absent if not game.bot_plays(seat)] if ran_out else []
            news = [*attendance.not_waited_for(late), *attendance.gone(game, kept), *attendance.flown(game)]
        else:
            news = [*instead.news]
        ending = _Ending(reason, by_operator, now, begun, banks, absent, news, kept, records, waited, instead)
        await self._line.enter()
        try:
            await self._compute_and_save(game, ending)
        finally:
            self._line.leave()

    async def _compute_and_save(self, game: Game, ending: _Ending) -> None:
        """Compute a turn that ends, save it, and begin the next one when that is durable."""
        self._check_still_on(game)
        banks, news, kept, records = ending.banks, ending.news, ending.kept, ending.records
        waited, instead = ending.waited, ending.instead
        step, cause = (None, OPERATOR) if instead is None else (instead.step, instead.cause)
        try:
            computed = await self.compute(lambda: turn_result.compute(game, int(ending.at), news, step))
        except Exception as error:
            self._check_still_on(game)
            self._hold(game, error, f"close turn {game.state.turn}")
            return
        self._check_still_on(game)
        reached("closing: computed")
        self.wall_clock.look()
        now, was_set_by = self.now(), self.moved_ends.set_by
        advanced = computed.advanced
        over = advanced.state.over
        if over and (last := written(game, revealing.who_was_who(game))):
            # Behind what is told of the turn, and never among what is only listed.
            joined = {seat: [*computed.messages.get(seat, ()), *mine] for seat, mine in last.items()}
            computed = replace(computed, messages={**computed.messages, **joined})
        delivered = delivery(game, computed.messages, advanced.state.turn, now)
        # If this cannot be saved, the game is read from the store again, as for all that is changed in memory before.
        for seat, record in records.items():
            game.players[seat].record = record
        clock = game.clock.of_group(game.rules.phase(advanced.state.phase).clock_group)
        due = None if over else clock.due_of_new_turn(now)
        following = game.waited_for(computed.active)
        columns: dict[str, Any] = {
            "turn": advanced.state.turn,
            "ruleset_version": game.rules.version,
            "state": "over" if over else game.row.state,
            "due": due,
            "deadline": game.with_vacations(
                clock.deadline(due, (banks.get(seat, 0.0) for seat in following)), following, waited
            ),
            "ran": now,
        }
        if game.row.state == "paused":
            # The time left was that of the turn that ends; the new one begins with its own.
            columns["deadline"], columns["left"] = None, None if due is None else due - now
        body: dict[str, Any] = {"reason": int(ending.reason), **({"operator": True} if ending.by_operator else {})}
        if waited:
            body["waited"] = sorted(waited.items())
        if instead is not None:
            body.update(cause.body, **instead.body)
        can_go_back = instead is None and not over and not advanced.revealed
        if can_go_back:
            body["open"] = True
        entry = game.entry("close", None, body, now)
        snapshot = replace(computed.snapshot, journal_number=entry.number, at=now)
        scores = computed.scores
        if isinstance(scores, Exception):
            game.tells_nothing(scores)
            scores = None
        # Later changes are saved after this one and may build on it: messages of players come after the reports, and a
        # pause is one of the new turn. No response about the new turn is sent before it is saved.
        changes = GameChanges(
            entry=entry,
            columns=columns,
            banks=banks,
            records={seat: stored(record) for seat, record in records.items()},
            due={account: kept[seat] for seat in kept if (account := game.players[seat].account) is not None},
            snapshot=snapshot,
            views=computed.blobs,
            delivery=delivered,
            summary=(advanced.state.turn, summaries(computed.messages)),
            scores=None if scores is None else (advanced.state.turn, scores),
            begins=TurnBegins(computed.active, ending.absent),
            proposals=cause.proposals,
        )
        game.commit(changes, now)
        reached("closing: given")
        await durable(game)
        reached("closing: saved")
        EVENTS.turn_closed(game.name, advanced.state.turn - 1, time.monotonic() - ending.begun, over)
        game.state = advanced.state
        watched = game.views.get(None)
        game.show(computed.views, now)
        game.projected = computed.projected
        if watched is not None and None not in game.views:  # the first spectator came while the turn was computed
            # The turn is durable: if the rules fail now, the spectators have no view, but the game goes on.
            view = spectators_view(game, watched, int(now))
            if view is not None:
                game.views[None] = view
        game.digest = advanced.digest
        game.outcome = advanced.outcome
        game.finished, game.unfinished = frozenset(), Counter()
        game.banks, game.used, game.waited = banks, {}, waited
        game.clock_changes, game.policy_changes, game.autopilots = 0, 0, Counter()
        game.can_go_back = can_go_back
        if over:
            revealing.reveal(game, now)
        game.first_stamp = advanced.state.stamp
        game.snapshot_entry, game.order_entries = entry.number, 0
        game.reordered = {}
        game.closing = False
        reached("closing: done")
        self.wall_clock.look()
        if self.moved_ends.set_by != was_set_by:  # while the turn was saved, and had no timer
            self._move(game, self.moved_ends.set_by - was_set_by, self.now())
        if not game.stale:
            self.turn_timers.arm(game)
        for tell in self.told:
            tell(game, computed)
        self._hold_belatedly(game)
        self._has_begun(game, now)
        if game.resigned:
            self.all_may_be_done(game)

    def _check_still_on(self, game: Game) -> None:
        """Raise NotSaved or GameError if a computed turn must not be used any more."""
        if game.stale:
            raise NotSaved("the game is being read from the store again")
        if self._stopped:
            raise GameError(f"the server stops; turn {game.state.turn} of {game.name!r} was not closed")

    def broke(self, game: Game, error: Exception, doing: str) -> None:
        """Hold a game whose rules must not be called any more; if its turn is being computed, it is held after that."""
        if not game.closing and not game.stale and not self._stopped and game.row.state in CAN_BE_HELD:
            self._hold(game, error, doing)

    def _hold_belatedly(self, game: Game) -> None:
        """Hold a game whose rules failed while its turn was being computed and saved, or while it was being resumed."""
        if game.fault is not None:
            self.broke(game, *game.fault)

    def _hold(self, game: Game, error: Exception, doing: str) -> None:
        """Hold a game in its present state, because its ruleset raised or ran too long; other games go on."""
        reason = why_it_failed(error)
        EVENTS.holds += 1
        log.failure(
            "{game} is held: ruleset {rules} failed to {doing}; nothing of it was kept. To look into it: "
            "tpserver replay {game}. To try again: tpserver game resume {game}",
            failure=failure_of(error),
            game=game.name,
            rules=game.rules.name,
            doing=doing,
        )
        now = self.now()
        columns = {"state": "held", "held_reason": reason, "deadline": None, "due": None}
        with beside():  # the request at which the rules have failed is refused
            _record(game, "hold", {"reason": reason}, columns, [told(doing)], now)
            game.closing = False
            for tell in self.held:
                tell(game, reason)
        game.tell_time(WARNING, now)

    # --- pausing --------------------------------------------------------------------------------------------------

    async def pause(self, game: Game, cause: Cause = OPERATOR) -> None:
        """Stop the clock of a running game; orders are still accepted.  Raises GameError."""
        if game.row.state != "running":
            raise GameError(f"the game {game.name!r} is {game.row.state}, not running")
        self.wall_clock.look()
        now = self.now()
        left = None if game.row.due is None else game.row.due - now
        text = f"{_plain(cause.who)} has stopped the clock; orders are still taken."
        columns = {"state": "paused", "deadline": None, "left": left}
        game.paused_by_players = cause.players
        _record(
            game, "pause", cause.body or None, columns, [Report(None, "The game is paused", text)], now, cause=cause
        )
        await durable(game)
        self.turn_timers.disarm(game)
        game.tell_time(WARNING, now)

    async def resume(self, game: Game, cause: Cause = OPERATOR) -> None:
        """Restart the clock of a paused game with the time that was left, or try a held game again.

        If the turn is due it is closed before this returns; the game may be held again then, as its row tells.
        """
        if game.row.state not in ("paused", "held"):
            raise GameError(f"the game {game.name!r} is {game.row.state}, not paused or held")
        game.mended()
        self.wall_clock.look()  # else what is due from now on would be moved with what was due before
        now = self.now()
        if not game.started and game.open_seats():
            _record(game, "resume", None, {"state": "waiting", "held_reason": ""}, [TRIED_AGAIN], now)
            await durable(game)
            return
        if not game.started:
            self.start(game)
            await durable(game)
            return
        row = game.row
        due = None if row.left is None else now + row.left
        news = Report(None, "The game goes on", f"{_plain(cause.who)} lets the clock run again.")
        if row.state == "held":
            news = TRIED_AGAIN
            due = game.turn_clock.due_of_new_turn(now)
        elif row.due is not None and row.left is not None:
            due = game.clock.moved(row.due, now - (row.due - row.left), now)
        columns = {"state": "running", "left": None, "held_reason": "", **_times(game, due, game.awaited(), now)}
        _record(game, "resume", cause.body or None, columns, [news], now, cause=cause)
        self._arm_unsaved(game, now)
        await durable(game)
        self._hold_belatedly(game)
        self._arm_saved(game)
        if game.row.state == "held" or game.stale:
            return
        self._has_begun(game, now)
        reason = self._due(game)
        if reason is None or self._stopped or game.closing or game.row.state != "running":
            self.close_if_due(game)
        else:
            # The game goes on, whatever becomes of this turn: if it cannot be saved the game is read again, and closed
            # then.
            with suppress(GameError, NotNow, NotSaved):
                await self._closing(game, reason)

    def _arm_unsaved(self, game: Game, now: float) -> None:
        """Set the timers of a turn whose deadline is being saved, unless it is due: if the system's clock is set
        meanwhile, those deadlines are moved that have timers."""
        if game.row.deadline is not None and game.row.deadline > now:
            self.turn_timers.arm(game)

    def _arm_saved(self, game: Game) -> None:
        """Set the timers of a turn whose deadline has been saved, by the clock as it is now."""
        self.wall_clock.look()
        if not game.stale:
            self.turn_timers.arm(game)

    # --- another clock --------------------------------------------------------------------------------------------

    async def give_time(
        self, game: Game, seconds: int, who: str, *, maker: bool = False, cause: Cause = OPERATOR
    ) -> None:
        """Have the present turn last ``seconds`` longer, durably, and tell all ``who`` has done it.

        Raises GameError, NotNow.

        ``maker``: not the operator, but the account that has made the game; it can do so only so often.
        """
        self.wall_clock.look()
        row, now = game.row, self.now()
        if not 1 <= seconds <= LONGEST:
            raise GameError(f"a turn can be given 1 to {LONGEST} seconds, not {str(seconds)[:40]}")
        self._check_changes(game, maker)
        if row.state not in ("running", "paused"):
            raise GameError(f"the game {game.name!r} is {row.state}, so its turn has no deadline")
        if row.due is None:
            raise GameError(f"this turn of {game.name!r} has no deadline")
        due = row.due + seconds
        if due - game.clock_reads(now) > LONGEST:
            raise GameError(f"no turn can be given a deadline more than {LONGEST // 86400} days away")
        columns: dict[str, Any] = {"due": due}
        when = f"it is due at {game.clock.time_words(due)}"
        if row.state == "running":
            columns = _times(game, due, game.awaited(), now)
        elif row.left is not None:
            columns["left"] = row.left + seconds
            when = "the game is paused"
        game.clock_changes += maker
        text = f"{who} has given this turn {duration(seconds)} more; {when}."
        body = {**cause.body, "seconds": seconds, "by": who, "maker": maker}
        _record(game, MORE_TIME, body, columns, [Report(None, "More time", _plain(text))], now, cause=cause)
        await durable(game)
        self._arm_saved(game)
        game.tell_time(WARNING, self.now())

    async def set_clock(self, game: Game, clock: Clock, who: str, *, maker: bool = False) -> None:
        """Give a game another clock, durably, and tell all who has done it.

        Raises GameError, NotNow.

        It counts from now on, but the present turn is never due earlier than it was; it is due later, or has no
        deadline any more, if the new clock says so.  ``maker`` as for ``give_time``.
        """
        self.wall_clock.look()
        row, now = game.row, self.now()
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        self._check_changes(game, maker)
        if problem := clock.unfit(game.rules.clock_groups) or clock.unfit_now(now):
            raise GameError(problem)
        if game.hides_players and clock.vacation:
            raise GameError(anonymity.NO_VACATIONS)
        columns: dict[str, Any] = {"clock": str(clock)}
        banks: dict[int, float | None] = {}
        if (game.clock.bank is None) != (clock.bank is None):
            banks = {player.seat: None for player in game.players}
            game.banks, game.used = {}, {}
        game.clock = clock
        game.clock_changes += maker
        text = f"{who} has given the game another clock: {clock.words()}."
        if row.state in ("running", "paused"):
            due = game.turn_clock.due_of_first_turn(now)
            if due is not None and row.due is not None:
                due = max(due, now + row.due - game.clock_reads(now))
            if row.state == "running":
                columns.update(_times(game, due, game.awaited(), now))
            else:
                columns.update(due=due, left=None if due is None else due - now)
            if due is not None and due > now:
                text += f" This turn is due at {game.clock.time_words(due)}."
        body = {"clock": str(clock), "by": who, "maker": maker}
        _record(game, OTHER_CLOCK, body, columns, [Report(None, "Another clock", _plain(text))], now, banks)
        self._arm_unsaved(game, now)
        await durable(game)
        self._arm_saved(game)
        game.tell_time(WARNING, self.now())
        self.close_if_due(game)

    def _check_changes(self, game: Game, maker: bool) -> None:
        """Raise NotNow if the clock of a game cannot be changed at the moment."""
        if game.closing:
            raise NotNow(f"the turn of {game.name!r} is being computed; try again in a moment")
        if maker and game.clock_changes >= MOST_CLOCK_CHANGES:
            raise NotNow(f"the clock was changed {MOST_CLOCK_CHANGES} times in this turn, which is enough")


def _times(game: Game, due: float | None, awaited: Iterable[int], now: float) -> dict[str, Any]:
    """Return the columns of a turn that is ``due`` and waits for these seats, whose clock runs from now on."""
    return {"due": due, "deadline": game.deadline_of(due, awaited), "ran": now}


def _welcome(game: Game) -> str:
    """Return what all are told as a game starts, with what is not so in every game."""
    press = press_of(game.row)
    told = "" if press == PRIVATE else f" In this game {WORDS[press]}."
    if game.hides_players:
        told += f" It is anonymous: {anonymity.WORDS}."
    if delay := delay_of(game.row):
        told += f" {delay_words(delay).capitalize()}."
    return f"Welcome to {game.name}, a game of {game.rules.title or game.rules.name}.{told}"


def _plain(text: str) -> str:
    """Return a text in which nothing stands for the name of a player."""
    return text.replace("{", "(").replace("}", ")")


def _closes_phase(game: Game, orders: Iterable[Order]) -> bool:
    """Return whether the phase closes after each order of an active seat, and one of these is such an order."""
    phase = game.rules.phase(game.state.phase)
    if phase.ends_after != "each":
        return False
    active, runs = game.active(), {kind.name for kind in phase.orders}
    return any(order.type in runs and not order.draft and order.seat in active for order in orders)


def spectators_view(game: Game, before: View | None, now: int) -> View | None:
    """Return the spectators' view of a game that has started; None if its rules fail, which is logged."""
    projector = Projector(game.rules, game.description, game.state, game.projected)
    try:
        view = game.ask(lambda: projector.view(None, before, now), "show it to a spectator")
        game.projected += projector.done()
        return view
    except Exception:
        log.failure("{game}: ruleset {rules} failed to show the game to a spectator",
                    game=game.name, rules=game.rules.name)  # fmt: skip
        return None


def _record(
    game: Game,
    kind: str,
    body: Any,
    columns: Mapping[str, Any],
    reports: Iterable[Report],
    now: float,
    banks: Mapping[int, float | None] | None = None,
    *,
    cause: Cause = OPERATOR,
) -> None:
    """Commit a journal entry without a seat, with the columns of the row and the time banks that it changes, what was
    agreed on, and reports to the players."""
    # While a new turn is being saved, the row has its number already, and these reports come after that turn's.
    delivered = delivery(game, written(game, reports), game.row.turn, now)
    entry = game.entry(kind, None, body, now)
    changes = GameChanges(
        entry=entry, columns=columns, banks=banks or {}, delivery=delivered, proposals=cause.proposals
    )
    game.commit(changes, now)
