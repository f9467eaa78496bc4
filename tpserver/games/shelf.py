"""Which games there are and which of them are in memory: making, loading, starting, closing, pausing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from sqlalchemy import Connection
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import OptionError, Order, Report, Ruleset, Seat, parse_options
from tprules.api import intake as rules_intake
from tprules.api.advance import Advanced, load_state, opening
from tpserver.elsewhere import Elsewhere, Timer, Timers, failure_of
from tpserver.games import closing, intake, journaling
from tpserver.games.boards import Board
from tpserver.games.clock import Clock, ClockError, parse_clock
from tpserver.games.game import (
    ALL_FINISHED,
    END_OF_TURN,
    THRESHOLD,
    TIMER_STARTED,
    WARNING,
    Game,
    NotSaved,
    Place,
    Reason,
    durable,
)
from tpserver.games.projection import Projector, View, dump_view, restore_times, waiting_view
from tpserver.rules.describe import Description
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.rules.guard import CHECK_SECONDS, TURN_SECONDS, WATCHDOG
from tpserver.store import Store
from tpserver.store import boards as stored_boards
from tpserver.store import games as stored_games
from tpserver.store import journal as stored_journal
from tpserver.store import snapshots as stored_snapshots
from tpserver.store import views as stored_views
from tpserver.store.boards import StoredMessage
from tpserver.store.errors import NameTaken
from tpserver.store.games import GameRow
from tpserver.store.snapshots import Snapshot

log = Logger()

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}")
RETRY_SECONDS = 10.0
"""After a change could not be saved: how long until the game tries by itself to close a turn that is due."""

WARNING_SECONDS = 60
"""A reminder goes out this long before a deadline, if the turn is at least twice as long."""


class GameError(Exception):
    """Something asked of a game cannot be done; the message is one sentence for whoever asked."""


@dataclass(frozen=True)
class NewGame:
    """What a game is made from."""

    name: str
    ruleset: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: str = ""
    """Text that decides all chance; empty for one that nobody knows."""
    clock: str = "all-done"
    join: str = "open"
    bots: int = 0


class Shelf:
    """All games of a server.  Used on the reactor's thread; with a store without reactor, at once and anywhere.

    ``compute`` runs work that takes long away from the reactor's thread and returns a Deferred of its result.
    """

    def __init__(
        self,
        store: Store,
        rulesets: Rulesets,
        timers: Timers,
        compute: Elsewhere,
        now: Callable[[], float],
    ) -> None:
        self.store = store
        self.rulesets = rulesets
        self.timers = timers
        self.compute = compute
        self.now = now
        self.games: dict[int, Game] = {}
        self.turned: list[Callable[[Game, closing.Computed], None]] = []
        """Called after each turn that has become durable."""
        self._timers: dict[int, Timer] = {}
        self._warnings: dict[int, Timer] = {}
        self._stopped = False

    # --- making ---------------------------------------------------------------------------------------------------

    async def create(self, new: NewGame) -> Game:
        """Make a game that waits for players, or raise GameError; then nothing is left of it."""
        rules, clock, options, seed, opened = self._prepared(new)
        now = self.now()

        def unit(connection: Connection) -> GameRow:
            made = stored_games.create(
                connection,
                new.name,
                ruleset=rules.name,
                ruleset_version=rules.version,
                options=options,
                seed=seed,
                clock=str(clock),
                join=new.join,
                seats=new.seats,
                bots=new.bots,
                now=now,
            )
            snapshot = Snapshot(
                game=made.id,
                turn=opened.state.turn,
                journal_number=0,
                at=now,
                phase=opened.state.phase,
                title="",
                digest=opened.digest,
                state=opened.data,
                events=[],
                outcome=None,
            )
            stored_snapshots.put(connection, snapshot)
            return made

        try:
            made = await self.store.write(unit)
        except NameTaken:
            raise GameError(f"there is already a game {new.name!r}") from None
        return self._load(made)

    def _prepared(self, new: NewGame) -> tuple[Ruleset[Any], Clock, dict[str, Any], bytes, Advanced[Any]]:
        if not _NAME.fullmatch(new.name):
            raise GameError(
                f"{new.name!r} is not a name for a game: 1 to 63 letters, digits, spaces, dots, dashes or underscores"
            )
        try:
            rules = self.rulesets.named(new.ruleset)
            clock = parse_clock(new.clock)
        except (UnknownRuleset, ClockError) as error:
            raise GameError(str(error)) from None
        if new.seats not in rules.seats:
            allowed = f"{rules.seats[0]} to {rules.seats[-1]}" if len(rules.seats) > 1 else f"{rules.seats[0]}"
            raise GameError(f"{new.ruleset} is played by {allowed}, not {new.seats}")
        if not 0 <= new.bots <= new.seats:
            raise GameError(f"bots can take 0 to {new.seats} of {new.seats} seats, not {new.bots}")
        if new.join not in ("open", "invited"):
            raise GameError(f"join is open or invited, not {new.join!r}")
        seed = new.seed.encode() if new.seed else os.urandom(32).hex().encode()
        try:
            options = parse_options(rules.options, new.options)
            opened = WATCHDOG.call(TURN_SECONDS, lambda: opening(rules, options, new.seats, seed))
        except OptionError as error:
            raise GameError(str(error)) from None
        except Exception as error:
            log.failure("ruleset {rules} failed to set up a game", rules=new.ruleset)
            raise GameError(f"ruleset {new.ruleset} failed to set up a game: {closing.why_it_failed(error)}") from None
        return rules, clock, options, seed, opened

    # --- finding --------------------------------------------------------------------------------------------------

    def rows(self) -> list[GameRow]:
        """Return the settings of all games, the oldest first; those in memory as they are now."""
        stored = self.store.read(stored_games.all)
        return [self.games[row.id].row if row.id in self.games else row for row in stored]

    def named(self, name: str) -> Game:
        """Return the game of this name, loaded if need be, or raise GameError."""
        for game in self.games.values():
            if game.name.casefold() == name.casefold():
                return game
        row = self.store.read(lambda connection: stored_games.by_name(connection, name))
        if row is None:
            known = ", ".join(sorted(other.name for other in self.rows())) or "none"
            raise GameError(f"there is no game {name!r} (games: {known})")
        return self._load(row)

    def with_id(self, number: int) -> Game:
        found = self.games.get(number)
        if found is not None:
            return found
        row = self.store.read(lambda connection: stored_games.by_id(connection, number))
        if row is None:
            raise GameError(f"there is no game number {number}")
        return self._load(row)

    def load_all(self) -> None:
        """Bring every game that goes on into memory, so that deadlines that have passed close their turns.

        A game whose ruleset is missing or fails is logged and left alone; all others go on.
        """
        for row in self.store.read(stored_games.all):
            if row.state in ("running", "waiting") and row.id not in self.games:
                try:
                    self._load(row)
                except GameError as error:
                    log.error("{error}", error=error)

    def _load(self, row: GameRow, wait: float = 0.0) -> Game:
        """Read a game from the store, or raise GameError.  A turn that is due closes after ``wait`` seconds."""
        try:
            rules = self.rulesets.named(row.ruleset)
        except UnknownRuleset as error:
            raise GameError(f"game {row.name!r} cannot be loaded: {error}") from None
        try:
            game = self._read(row, rules, wait)
        except Exception as error:
            log.failure("game {game} cannot be loaded", game=row.name)
            text = f"game {row.name!r} cannot be loaded by ruleset {row.ruleset} version {rules.version}"
            raise GameError(f"{text}: {closing.why_it_failed(error)}") from None
        game.on_lost = self._reload
        self.games[row.id] = game
        self._arm(game, wait)
        self.timers.callLater(wait, self.close_if_due, game)
        return game

    def _read(self, row: GameRow, rules: Ruleset[Any], wait: float) -> Game:
        def load(connection: Connection) -> tuple[Any, ...]:
            snapshot = stored_snapshots.newest(connection, row.id)
            if snapshot is None:
                raise GameError("it has no snapshot")
            seats = stored_games.seats(connection, row.id)
            return (
                seats,
                snapshot,
                stored_journal.after(connection, row.id, snapshot.journal_number),
                stored_boards.all(connection, row.id),
                stored_boards.last_numbers(connection, row.id),
                {seat: stored_views.get(connection, row.id, seat) for seat in (None, *(seat.seat for seat in seats))},
            )

        seats, snapshot, entries, messages, last_numbers, blobs = self.store.read(load)
        game = Game(
            row=row,
            rules=rules,
            description=Description(rules, int(row.created)),
            clock=parse_clock(row.clock),
            state=load_state(rules, snapshot.state),
            places=[Place(seat.seat, seat.name, seat.account, seat.bot) for seat in seats],
            digest=snapshot.digest,
            outcome=closing.outcome_from(snapshot.outcome),
            last_entry=entries[-1].number if entries else snapshot.journal_number,
        )
        game.first_stamp = game.state.stamp
        for entry in entries:
            if entry.kind == "seat" and entry.seat is not None:
                game.places[entry.seat].since = int(entry.at)
        for place in game.places:
            number = place.seat + 1
            mine = [message for message in messages if message.board == number]
            last = last_numbers.get(number, 0)
            # Each message that came or went has raised the time by one at least, and none came later than now.
            changes = 2 * last - len(mine)
            game.boards[number] = Board(number, int(self.now()) + changes, mine, last)
        self._project(game, blobs)
        for entry in entries:
            if entry.kind in journaling.ORDER_KINDS and entry.seat is not None:
                rules_intake.apply(game.state, journaling.change_of(game.state, entry))
                intake.show_queue(game, entry.seat, entry.body[0], entry.at)
                # As if a client had asked after each, so that no time is earlier than it was before.
                game.views[entry.seat].tell(entry.body[0])
        # A mark that came while the turn was being saved stands behind its closing and is of the turn before.
        game.finished = {
            entry.seat
            for entry in entries
            if entry.kind == "finished" and entry.turn == game.state.turn and entry.seat is not None
        }
        return game

    def _project(self, game: Game, blobs: Mapping[Seat | None, bytes | None]) -> None:
        now = int(self.now())
        if not game.started:
            for place in game.places:
                game.views[place.seat] = waiting_view(game.rules, place.seat, None, game.modtime)
            return
        projector = Projector(game.rules, game.description, game.state)
        for seat, blob in blobs.items():
            if seat is None and blob is None:
                continue  # nobody has ever watched
            view = projector.view(seat, None, now)
            if blob is not None:
                restore_times(view, blob, game.mark)
            game.views[seat] = view
        game.projector = projector

    def _reload(self, old: Game, failure: Failure) -> None:
        """Replace a game whose last changes could not be saved by what the store holds."""
        log.error("{game}: changes could not be saved ({why}); going on from what the store holds",
                  game=old.name, why=failure.getErrorMessage())  # fmt: skip
        if self.games.get(old.row.id) is old:
            del self.games[old.row.id]
            self._disarm(old)
            self._replace(old)

    def _replace(self, old: Game) -> None:
        """Put what the store holds in the place of a lost game; where that fails, too, try again and again."""
        if self.store.closed:
            return
        number = old.row.id
        try:
            new = self.games.get(number)
            if new is None:
                row = self.store.read(lambda connection: stored_games.by_id(connection, number))
                if row is None:
                    raise GameError(f"there is no game number {number}")
                # What could not be saved must not be tried again at once: a full disk stays full for a while.
                new = self._load(row, RETRY_SECONDS)
        except Exception:
            log.failure("{game} cannot be read again; trying in {wait} s", game=old.name, wait=RETRY_SECONDS)
            self.timers.callLater(RETRY_SECONDS, self._replace, old)
            return
        new.watchers |= old.watchers
        for watcher in list(old.watchers):
            watcher.moved(new)

    # --- seats and start ------------------------------------------------------------------------------------------

    async def take_seat(
        self, game: Game, account: int, name: str, *, bot: bool = False, seat: int | None = None
    ) -> int:
        """Give an open seat to an account, durably, and return it; the game starts when the last one is taken."""
        mine = game.seat_of(account)
        if mine is not None:
            return mine
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        free = game.open_seats()
        if not free or (seat is not None and seat not in free):
            raise GameError(f"the game {game.name!r} is full: all {len(game.places)} seats are taken")
        place = game.places[free[0] if seat is None else seat]
        since = self.now()
        place.name, place.account, place.bot, place.since = name, account, bot, int(since)
        # From here on the seat is taken for everybody; if that cannot be saved the game is read from the store again.
        entry = game.entry("seat", place.seat, {"name": name, "account": account}, since)

        def unit(connection: Connection) -> None:
            stored_journal.append(connection, entry)
            stored_games.take_seat(connection, game.row.id, place.seat, account, name, bot=bot)

        game.saving(self.store.write(unit))
        if not game.open_seats():
            self._start(game)
        waiting = game.when_durable()
        if waiting is not None:
            await waiting
        return place.seat

    def watch(self, game: Game) -> View:
        """Return what everybody may see of a game, kept up to date from now on.  Raises GameError if its rules fail."""
        view = game.views.get(None)
        if view is None:
            now = int(self.now())
            if game.projector is None:
                view = waiting_view(game.rules, None, None, now)
            else:
                projector = game.projector
                try:
                    view = WATCHDOG.call(CHECK_SECONDS, lambda: projector.view(None, None, now))
                except Exception as error:
                    log.failure("{game}: ruleset {rules} failed to show the game to a spectator",
                                game=game.name, rules=game.rules.name)  # fmt: skip
                    raise GameError(f"the game {game.name!r} cannot be watched: its rules failed") from error
            game.views[None] = view
        return view

    def start(self, game: Game) -> None:
        """Start a game by hand, or raise GameError."""
        if game.started:
            raise GameError(f"the game {game.name!r} has already started")
        if game.open_seats():
            raise GameError(
                f"the game {game.name!r} waits for {len(game.open_seats())} more players; it starts when all are there"
            )
        self._start(game)

    def _start(self, game: Game) -> None:
        """Start a game that is full; if its ruleset fails at that, the game is held and can be resumed later."""
        now = self.now()
        projector = Projector(game.rules, game.description, game.state)
        views: dict[Any, View] = {}

        def open_it() -> list[Report]:
            for seat in game.viewers():
                views[seat] = projector.view(seat, game.views.get(seat), int(now))
            opened = opening(game.rules, game.row.options, len(game.places), game.row.seed)
            closing.check_reports(game, opened.reports)
            return opened.reports

        try:
            reports = WATCHDOG.call(TURN_SECONDS, open_it)
        except Exception as error:
            self._hold(game, error, "start the game")
            return
        deadline = game.clock.deadline_of_new_turn(now)
        columns: dict[str, Any] = {"state": "running", "started": now, "deadline": deadline, "held_reason": ""}
        game.row = replace(game.row, **columns)
        for board in game.boards.values():
            # At least as late as the others' boards, which a client is told of in the same list.
            board.modtime = max(board.modtime, int(now))
        game.views = views
        game.projector = projector
        blobs = {seat: dump_view(view, game.mark) for seat, view in views.items()}
        welcome = Report(None, "Welcome", f"Welcome to {game.name}, a game of {game.rules.title or game.rules.name}.")
        messages = closing.letters(game, [welcome, *reports], game.state.turn, now)
        entry = game.entry("start", None, None, now)

        def unit(connection: Connection) -> None:
            stored_journal.append(connection, entry)
            stored_games.update(connection, game.row.id, **columns)
            stored_views.put_all(connection, game.row.id, blobs)
            stored_boards.post_all(connection, messages)

        game.saving(self.store.write(unit))
        self._deliver(game, messages, now)
        self._arm(game)
        after_saving(game, lambda: game.tell_time(TIMER_STARTED, self.now()))

    # --- finishing and closing --------------------------------------------------------------------------------------

    def finished(self, game: Game, seat: int) -> None:
        """Mark a seat as done; when that is durable, tell the others, and close the turn if nobody is awaited."""
        fresh = seat not in game.finished
        intake.finish(self.store, game, seat, self.now())
        if not fresh or not game.started or game.over:
            return
        after_saving(game, lambda: self._marked(game))

    def ordered(self, game: Game, order: Order) -> None:
        """An order was accepted: close the turn if its phase closes after each order of those who are awaited."""
        phase = game.rules.phase(game.state.phase)
        runs = any(kind.name == order.type for kind in phase.orders)
        if phase.closes != "each" or order.draft or not runs or order.seat not in game.active():
            return
        after_saving(game, lambda: self._close(game, ALL_FINISHED))

    def _marked(self, game: Game) -> None:
        if game.closing or game.lost or game.row.state != "running":
            return
        if not game.awaited() and game.clock.closes_when_all_are_done():
            self._close(game, ALL_FINISHED)
            return
        now = self.now()
        if not self._start_threshold(game, now):
            game.tell_time(WARNING, now)

    def _start_threshold(self, game: Game, now: float) -> bool:
        """Start the deadline that enough finished seats bring, if none runs; return whether it was started."""
        active = game.active()
        deadline = game.clock.deadline_after_mark(len(active) - len(game.awaited()), len(active), now)
        if deadline is None or game.row.deadline is not None:
            return False
        game.row = replace(game.row, deadline=deadline)
        game.saving(self.store.write(partial(_update, game.row.id, {"deadline": deadline})))
        self._arm(game)
        game.tell_time(THRESHOLD, now)
        return True

    def close_if_due(self, game: Game) -> None:
        """Close a turn that should have been closed while it could not be: the server was down, the game paused."""
        if self.games.get(game.row.id) is not game or game.row.state != "running" or game.closing:
            return
        all_are_done = game.active() and not game.awaited() and game.clock.closes_when_all_are_done()
        if game.row.deadline is not None and game.row.deadline <= self.now():
            self._close(game, END_OF_TURN)
        elif all_are_done or self._was_ordered(game):
            self._close(game, ALL_FINISHED)
        else:
            self._start_threshold(game, self.now())

    def _was_ordered(self, game: Game) -> bool:
        """Return whether this turn has the order after which its phase closes, as ``ordered`` would have said."""
        phase = game.rules.phase(game.state.phase)
        if phase.closes != "each":
            return False
        active, runs = game.active(), {kind.name for kind in phase.orders}
        return any(
            # An insertion deals the stamps of its queue anew, so that the new stamp may be another order's.
            queue[-1].stamp > game.first_stamp
            and any(order.type in runs and not order.draft and order.seat in active for order in queue)
            for queue in game.state.queues.values()
        )

    def close_turn(self, game: Game) -> Deferred[None]:
        """Close the turn now because the operator says so; fires when the new turn is durable, or with GameError."""
        if not game.started:
            raise GameError(f"the game {game.name!r} has not started")
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        if game.row.state == "held":
            raise GameError(f"the game {game.name!r} is held: {game.row.held_reason}; resume it first")
        if game.closing:
            raise GameError(f"the turn of {game.name!r} is already being computed")
        return Deferred.fromCoroutine(self._closing(game, END_OF_TURN))

    def _close(self, game: Game, reason: Reason) -> None:
        if self._stopped or game.closing or game.lost or game.row.state != "running":
            return

        def failed(failure: Failure) -> None:
            # That the game is lost, or that the server stops, has been said already.
            if not game.lost and not self._stopped:
                log.failure("{game}: closing the turn failed", failure, game=game.name)

        Deferred.fromCoroutine(self._closing(game, reason)).addErrback(failed)

    async def _closing(self, game: Game, reason: Reason) -> None:
        game.closing = True
        self._disarm(game)
        now = self.now()
        game.tell_time(reason, now)
        try:
            computed = await self.compute(lambda: closing.compute(game, int(now)))
        except Exception as error:
            if not game.lost and not self._stopped:
                self._hold(game, error, f"close turn {game.state.turn}")
            return
        if game.lost:
            raise NotSaved("the game is being read from the store again")
        if self._stopped:
            raise GameError(f"the server stops; turn {game.state.turn} of {game.name!r} was not closed")
        now = self.now()
        advanced = computed.advanced
        messages = closing.letters(game, advanced.reports, advanced.state.turn, now)
        over = advanced.state.over
        running = game.row.state == "running"
        columns: dict[str, Any] = {
            "turn": advanced.state.turn,
            "state": "over" if over else game.row.state,
            "deadline": game.clock.deadline_of_new_turn(now) if running and not over else None,
        }
        if game.row.state == "paused":
            # What was left was of the turn that ends; the next has its own time.
            columns["left"] = float(game.clock.seconds) if game.clock.kind == "interval" else None
        entry = game.entry("close", None, {"reason": int(reason)}, now)
        snapshot = Snapshot(
            game.row.id,
            advanced.state.turn,
            entry.number,
            now,
            advanced.state.phase,
            computed.title,
            advanced.digest,
            advanced.data,
            [closing.event_data(event) for event in advanced.events],
            closing.outcome_data(advanced.outcome),
        )
        saved = self.store.write(
            partial(
                closing.save_turn,
                entries=[entry],
                snapshot=snapshot,
                columns=columns,
                blobs=computed.blobs,
                messages=messages,
            )
        )
        game.saving(saved)
        # What others may build on in the meantime follows in the order in which it is saved: a letter stands behind
        # the reports, and the game is paused in the new turn. No answer about it leaves before it is saved.
        game.row = replace(game.row, **columns)
        self._deliver(game, messages, now)
        waiting = game.when_durable()
        if waiting is not None:
            await waiting
        game.state = advanced.state
        watched = game.views.get(None)
        game.views = dict(computed.views)
        if watched is not None and None not in game.views:  # somebody has come to watch meanwhile
            game.views[None] = computed.projector.view(None, watched, int(now))
        game.projector = computed.projector
        game.digest = advanced.digest
        game.outcome = advanced.outcome
        game.finished = set()
        game.first_stamp = advanced.state.stamp
        game.closing = False
        self._arm(game)
        game.tell_time(TIMER_STARTED, now)
        for tell in self.turned:
            tell(game, computed)

    def _hold(self, game: Game, error: Exception, doing: str) -> None:
        """A ruleset raised or ran too long: its game stops in the state that it had; all other games go on."""
        reason = closing.why_it_failed(error)
        log.failure(
            "{game} is held: ruleset {rules} failed to {doing}; nothing of it was kept. To look into it: "
            "tpserver replay {game}. To try again: tpserver game resume {game}",
            failure=failure_of(error),
            game=game.name,
            rules=game.rules.name,
            doing=doing,
        )
        now = self.now()
        text = f"The rules failed to {doing}. The operator has been told; all orders are kept."
        messages = closing.letters(game, [Report(None, "The game is held", text)], game.state.turn, now)
        entry = game.entry("hold", None, {"reason": reason}, now)

        def unit(connection: Connection) -> None:
            stored_journal.append(connection, entry)
            stored_games.update(connection, game.row.id, state="held", held_reason=reason, deadline=None)
            stored_boards.post_all(connection, messages)

        game.saving(self.store.write(unit))
        game.row = replace(game.row, state="held", held_reason=reason, deadline=None)
        game.closing = False
        self._deliver(game, messages, now)
        game.tell_time(WARNING, now)

    # --- pausing --------------------------------------------------------------------------------------------------

    async def pause(self, game: Game) -> None:
        """Stop the clock of a running game; orders are still taken."""
        if game.row.state != "running":
            raise GameError(f"the game {game.name!r} is {game.row.state}, not running")
        now = self.now()
        left = None if game.row.deadline is None else max(0.0, game.row.deadline - now)
        await self._set_state(game, "pause", {"state": "paused", "deadline": None, "left": left})
        self._disarm(game)
        game.tell_time(WARNING, now)

    async def resume(self, game: Game) -> None:
        """Let the clock of a paused game go on with the time that was left, or try a held game again."""
        if game.row.state not in ("paused", "held"):
            raise GameError(f"the game {game.name!r} is {game.row.state}, not paused or held")
        if not game.started:
            self._start(game)
            await durable(game)
            if game.row.state == "held":
                raise GameError(f"the game {game.name!r} is held again: {game.row.held_reason}")
            return
        now = self.now()
        deadline = now + game.row.left if game.row.left is not None else None
        if game.row.state == "held":
            deadline = game.clock.deadline_of_new_turn(now)
        columns = {"state": "running", "deadline": deadline, "left": None, "held_reason": ""}
        await self._set_state(game, "resume", columns)
        self._arm(game)
        game.tell_time(TIMER_STARTED, now)
        self.close_if_due(game)

    async def _set_state(self, game: Game, kind: str, columns: dict[str, Any]) -> None:
        entry = game.entry(kind, None, None, self.now())
        game.row = replace(game.row, **columns)

        def unit(connection: Connection) -> None:
            stored_journal.append(connection, entry)
            stored_games.update(connection, game.row.id, **columns)

        game.saving(self.store.write(unit))
        waiting = game.when_durable()
        if waiting is not None:
            await waiting

    # --- boards ---------------------------------------------------------------------------------------------------

    def post(self, game: Game, sender: int, board: int, subject: str, body: str, references: list[list[int]]) -> None:
        """Put a player's message on a board of the game; durable when ``game.when_durable`` says so."""
        now = self.now()
        message = StoredMessage(
            game=game.row.id,
            board=board,
            number=game.boards[board].next_number(),
            turn=game.state.turn,
            at=now,
            sender=sender,
            subject=subject,
            body=body,
            references=references,
        )
        game.saving(self.store.write(lambda connection: stored_boards.post_all(connection, [message])))
        self._deliver(game, [message], now)

    def remove_message(self, game: Game, board: int, message: StoredMessage) -> None:
        """Take a message off a board for good."""
        game.boards[board].drop(message, int(self.now()))
        game.saving(
            self.store.write(lambda connection: stored_boards.remove(connection, game.row.id, board, message.number))
        )

    def _deliver(self, game: Game, messages: list[StoredMessage], now: float) -> None:
        for message in messages:
            game.boards[message.board].add(message, int(now))

    # --- timers -----------------------------------------------------------------------------------------------------

    def _arm(self, game: Game, at_least: float = 0.0) -> None:
        """Set the timer for the deadline in the game's row; the row is the truth, the timer only looks at it."""
        self._disarm(game)
        deadline = game.row.deadline
        if deadline is None or game.row.state != "running":
            return
        wait = max(at_least, deadline - self.now())
        self._timers[game.row.id] = self.timers.callLater(wait, self._ring, game)
        if wait >= 2 * WARNING_SECONDS:
            warn = partial(self._warn, game)
            self._warnings[game.row.id] = self.timers.callLater(wait - WARNING_SECONDS, warn)

    def _disarm(self, game: Game) -> None:
        for timers in (self._timers, self._warnings):
            timer = timers.pop(game.row.id, None)
            if timer is not None and timer.active():
                timer.cancel()

    def _ring(self, game: Game) -> None:
        if game.row.deadline is not None and game.row.deadline - self.now() > 0.01:
            self._arm(game)
        else:
            self._close(game, END_OF_TURN)

    def _warn(self, game: Game) -> None:
        game.tell_time(WARNING, self.now())

    def stop(self) -> None:
        """Let go of all timers and close no more turns: deadlines and marks are in the store, for the next server."""
        self._stopped = True
        for game in list(self.games.values()):
            self._disarm(game)


def _update(game: int, columns: Mapping[str, Any], connection: Connection) -> None:
    stored_games.update(connection, game, **columns)


def after_saving(game: Game, call: Callable[[], None]) -> None:
    """Call when the store holds all that the game shows; never, if it cannot be saved."""
    waiting = game.when_durable()
    if waiting is None:
        call()
    else:
        waiting.addCallbacks(lambda _: call(), lambda _: None)
