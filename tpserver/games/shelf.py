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

from tprules.api import OptionError, Report, Ruleset, parse_options
from tprules.api import intake as rules_intake
from tprules.api.advance import Advanced, load_state, opening
from tpserver.elsewhere import Elsewhere, Timer, Timers, failure_of
from tpserver.games import closing, intake, journaling
from tpserver.games.boards import Board
from tpserver.games.clock import Clock, ClockError, parse_clock
from tpserver.games.game import ALL_FINISHED, END_OF_TURN, THRESHOLD, TIMER_STARTED, WARNING, Game, Place, Reason
from tpserver.games.projection import Projector, View, dump_view, restore_times, waiting_view
from tpserver.rules.describe import Description
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.rules.guard import TURN_SECONDS, WATCHDOG
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

    def _load(self, row: GameRow) -> Game:
        try:
            rules = self.rulesets.named(row.ruleset)
        except UnknownRuleset as error:
            raise GameError(f"game {row.name!r} cannot be loaded: {error}") from None
        try:
            game = self._read(row, rules)
        except Exception as error:
            log.failure("game {game} cannot be loaded", game=row.name)
            text = f"game {row.name!r} cannot be loaded by ruleset {row.ruleset} version {rules.version}"
            raise GameError(f"{text}: {closing.why_it_failed(error)}") from None
        game.on_lost = self._reload
        self.games[row.id] = game
        self._arm(game)
        self.timers.callLater(0, self.close_if_due, game)
        return game

    def _read(self, row: GameRow, rules: Ruleset[Any]) -> Game:
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
                {seat.seat: stored_views.get(connection, row.id, seat.seat) for seat in seats},
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
        for place in game.places:
            number = place.seat + 1
            mine = [message for message in messages if message.board == number]
            newest = max((int(message.at) for message in mine), default=int(row.created))
            game.boards[number] = Board(number, newest + len(mine), mine, last_numbers.get(number, 0))
        self._project(game, blobs)
        for entry in entries:
            if entry.kind in journaling.ORDER_KINDS and entry.seat is not None:
                rules_intake.apply(game.state, journaling.change_of(game.state, entry))
                intake.show_queue(game, entry.seat, entry.body[0], entry.at)
        game.finished = {entry.seat for entry in entries if entry.kind == "finished" and entry.seat is not None}
        return game

    def _project(self, game: Game, blobs: Mapping[int, bytes | None]) -> None:
        now = int(self.now())
        if not game.started:
            for place in game.places:
                game.views[place.seat] = waiting_view(game.rules, place.seat, None, game.modtime)
            return
        projector = Projector(game.rules, game.description, game.state)
        for place in game.places:
            view = projector.view(place.seat, None, now)
            blob = blobs.get(place.seat)
            if blob is not None:
                restore_times(view, blob, game.mark)
            game.views[place.seat] = view

    def _reload(self, old: Game, failure: Failure) -> None:
        """Replace a game whose last changes could not be saved by what the store holds."""
        log.error("{game}: changes could not be saved ({why}); going on from what the store holds",
                  game=old.name, why=failure.getErrorMessage())  # fmt: skip
        if self.games.get(old.row.id) is not old:
            return
        del self.games[old.row.id]
        self._disarm(old)
        try:
            new = self.with_id(old.row.id)
        except Exception:
            log.failure("{game} cannot be reloaded", game=old.name)
            return
        new.watchers = old.watchers
        for watcher in list(new.watchers):
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
        place.name, place.account, place.bot = name, account, bot
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
        now = self.now()
        game.row = replace(game.row, state="running", started=now, deadline=game.clock.deadline_of_new_turn(now))
        views: dict[Any, View] = {}
        projector = Projector(game.rules, game.description, game.state)
        for place in game.places:
            views[place.seat] = projector.view(place.seat, game.views.get(place.seat), int(now))
        game.views = views
        blobs = {seat: dump_view(view, game.mark) for seat, view in views.items()}
        opened = opening(game.rules, game.row.options, len(game.places), game.row.seed)
        welcome = Report(None, "Welcome", f"Welcome to {game.name}, a game of {game.rules.title or game.rules.name}.")
        messages = closing.letters(game, [welcome, *opened.reports], game.state.turn, now)
        entry = game.entry("start", None, None, now)
        columns = {"state": "running", "started": now, "deadline": game.row.deadline}

        def unit(connection: Connection) -> None:
            stored_journal.append(connection, entry)
            stored_games.update(connection, game.row.id, **columns)
            for seat, blob in blobs.items():
                stored_views.put(connection, game.row.id, seat, blob)
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

    def ordered(self, game: Game) -> None:
        """An order was accepted: close the turn if its phase closes after each order."""
        if game.rules.phase(game.state.phase).closes != "each":
            return
        after_saving(game, lambda: self._close(game, ALL_FINISHED))

    def _marked(self, game: Game) -> None:
        if game.closing or game.lost or game.row.state != "running":
            return
        active = game.active()
        awaited = game.awaited()
        if not awaited and game.clock.closes_when_all_are_done():
            self._close(game, ALL_FINISHED)
            return
        now = self.now()
        deadline = game.clock.deadline_after_mark(len(active) - len(awaited), len(active), now)
        if deadline is not None and game.row.deadline is None:
            game.row = replace(game.row, deadline=deadline)
            game.saving(self.store.write(partial(_update, game.row.id, {"deadline": deadline})))
            self._arm(game)
            game.tell_time(THRESHOLD, now)
        else:
            game.tell_time(WARNING, now)

    def close_if_due(self, game: Game) -> None:
        """Close a turn that should have been closed while nobody looked: the server was down, or paused."""
        if self.games.get(game.row.id) is not game or game.row.state != "running" or game.closing:
            return
        if game.row.deadline is not None and game.row.deadline <= self.now():
            self._close(game, END_OF_TURN)
        elif game.active() and not game.awaited() and game.clock.closes_when_all_are_done():
            self._close(game, ALL_FINISHED)

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
        if game.closing or game.lost or game.row.state != "running":
            return
        Deferred.fromCoroutine(self._closing(game, reason)).addErrback(
            lambda failure: log.failure("{game}: closing the turn failed", failure, game=game.name)
        )

    async def _closing(self, game: Game, reason: Reason) -> None:
        game.closing = True
        self._disarm(game)
        now = self.now()
        game.tell_time(reason, now)
        try:
            computed = await self.compute(lambda: closing.compute(game, int(now)))
        except Exception as error:
            await self._hold(game, error)
            return
        if game.lost:
            return
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
        if game.row.state == "paused" and game.clock.kind == "interval":
            columns["left"] = float(game.clock.seconds)
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
            [[event.name, dict(event.facts)] for event in advanced.events],
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
        waiting = game.when_durable()
        if waiting is not None:
            await waiting
        game.state = advanced.state
        game.views = dict(computed.views)
        game.row = replace(game.row, **columns)
        game.digest = advanced.digest
        game.outcome = advanced.outcome
        game.finished = set()
        game.closing = False
        self._deliver(game, messages, now)
        self._arm(game)
        game.tell_time(TIMER_STARTED, now)
        for tell in self.turned:
            tell(game, computed)

    async def _hold(self, game: Game, error: Exception) -> None:
        """A ruleset raised or ran too long: its game stops in the state that it had; all other games go on."""
        reason = closing.why_it_failed(error)
        log.failure(
            "{game} is held: ruleset {rules} failed to close turn {turn}; nothing of it was kept. To look into it: "
            "tpserver replay {game}. To try again: tpserver game resume {game}",
            failure=failure_of(error),
            game=game.name,
            rules=game.rules.name,
            turn=game.state.turn,
        )
        now = self.now()
        text = "The rules failed to compute this turn. The operator has been told; all orders are kept."
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

    def _arm(self, game: Game) -> None:
        """Set the timer for the deadline in the game's row; the row is the truth, the timer only looks at it."""
        self._disarm(game)
        deadline = game.row.deadline
        if deadline is None or game.row.state != "running":
            return
        wait = max(0.0, deadline - self.now())
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
        """Let go of all timers; deadlines are in the store."""
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
