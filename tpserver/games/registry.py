"""The games of a server: creating, finding and loading them, taking seats, and messages of players.

In memory are those that somebody is in, or of which something is due soon; of all others the registry keeps the rows
(`tpserver.games.resting`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

from twisted.internet.defer import Deferred, gatherResults
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Report
from tprules.printable import quoted
from tpserver.cluster.node import HeldElsewhere, Node
from tpserver.concurrency import Executor, Slices, Timer, Timers, at_once
from tpserver.events import EVENTS
from tpserver.games.agreements import Agreements
from tpserver.games.anonymity import any_of, hides, seat_name
from tpserver.games.clock import known_clock
from tpserver.games.creation import NewGame, make
from tpserver.games.game import MOST_ORDER_ENTRIES, Game, GameElsewhere, GameError, NotNow, Player, durable
from tpserver.games.holding import CAN_BE_HELD, hold_stored
from tpserver.games.idle_games import IdleGames
from tpserver.games.lifecycle import LEAST_LOST, TurnLifecycle, spectators_view
from tpserver.games.looks import Looks
from tpserver.games.moved_ends import moved as moved_end
from tpserver.games.reports import delivery, written
from tpserver.games.resting import (
    UNKNOWN,
    GameOutline,
    Resting,
    is_of_version,
    outline_from,
    outline_of,
    resting_from,
)
from tpserver.games.restoring import read_game
from tpserver.games.seat_changes import SeatChanges
from tpserver.games.vacations import Vacations
from tpserver.games.verdicts import Verdicts
from tpserver.games.versions import goes_on, too_new
from tpserver.games.views import View, waiting_view
from tpserver.rules.discovery import Rulesets, UnknownRuleset
from tpserver.rules.watchdog import Escaped, TooSlow, why_it_failed
from tpserver.store import FencedStore, GameStore, Store, StoreError, nodes
from tpserver.store import accounts as stored_accounts
from tpserver.store import creations as stored_creations
from tpserver.store import games as stored_games
from tpserver.store.boards import Delivery, StoredMessage
from tpserver.store.done_requests import beside
from tpserver.store.game_changes import GameChanges
from tpserver.store.game_changes import move as move_games
from tpserver.store.games import GameRow, SeatRow

log = Logger()

RETRY_SECONDS = 10.0
"""Seconds after a failure to save until the game closes a due turn by itself again."""

FIRST_RETRY_SECONDS = 1.0
"""Seconds until a game is read again from a database that was away; then twice as many each time, up to those."""

MOST_NAMES = 20
"""Maximum games that a refusal names."""
MOVED_AT_ONCE = 200
"""Maximum games whose deadlines are moved in a transaction, as the system's clock was set."""
TELL_SECONDS = 0.005
"""Seconds of telling an account something in all its games after which others are served."""

HAND_OVER_SECONDS = 0.05
"""Seconds between looks whether a game can be handed over."""
HANDED_OVER_AT_ONCE = 20
"""Maximum games that are handed over at once: each is a transaction."""

DUE_SECONDS = 2.0
"""Seconds between two looks of a node for due games of nobody."""
DUE_AT_ONCE = 20
"""Maximum games that a node takes at such a look; others may take the rest."""


class GameRegistry:
    """All games of a server.  Used on the reactor's thread; with a store without reactor, synchronously on any thread.

    ``compute`` runs long work away from the reactor's thread and returns a Deferred of its result. ``now`` gives unix
    seconds, ``steady`` those of a monotonic clock. ``order_entries`` is the number of journal entries about orders in a
    turn at which they are compacted (`compaction`).  With ``node`` this server is one of a cluster: it takes each game
    before it reads it, and drops those that it has lost.
    """

    def __init__(
        self,
        store: Store,
        rulesets: Rulesets,
        timers: Timers,
        compute: Executor,
        now: Callable[[], float],
        steady: Callable[[], float] | None = None,
        order_entries: int = MOST_ORDER_ENTRIES,
        verdicts: Verdicts | None = None,
        node: Node | None = None,
    ) -> None:
        self.store = store
        self.node = node
        if node is not None:
            node.lost.append(self._drop_all)
        self.rulesets = rulesets
        self.timers = timers
        self.now = now
        self.steady = steady or now
        self.order_entries = order_entries
        self.lifecycle = TurnLifecycle(timers, compute, now, steady, self._note_clocks)
        self.lifecycle.jumped = self._move_resting
        if node is not None:
            self.lifecycle.distrusts = node.clock_was_set
        self.seat_changes = SeatChanges(self.lifecycle, store, timers)
        self.looks = Looks(store, timers)
        self.games: dict[int, Game] = {}
        self._released: WeakValueDictionary[int, Game] = WeakValueDictionary()
        """Games that have left memory and that somebody still holds: there are never two objects of one game."""
        self.idle = IdleGames(self, self.games, store, self.lifecycle, timers, now, self.steady)
        self.idle.busy.append(lambda game: not self._has_its_time(game))
        self.loaded: list[Callable[[Game], None]] = []
        """Called when a game that goes on has come into memory."""
        self.agreements = Agreements(store, self.games, self.lifecycle, timers, now)
        self.vacations = Vacations(self, store, self.lifecycle, now)
        self.aborted: list[Callable[[Game], None]] = []
        """Called with a game that is over without a turn having closed, when that is durable."""
        self.removed: list[Callable[[Game], None]] = []
        """Called with a game that is not in the store any more."""
        self.looking: list[Callable[[Game], bool]] = []
        """Return whether somebody is in a game, or in its old turns."""
        self.dropped: list[Callable[[Game], None]] = []
        """Called with a game that this server has, or may have, lost to another node."""
        self._standing: dict[int, float] = {}
        """By game id: since when the clocks of resting games have stood, until the store says so."""
        self._moving: dict[int, dict[str, Any]] = {}
        """By game id: columns of resting games that are being saved, as the system's clock was set."""
        self._owing: set[int] = set()
        """Games whose turns have to be given the time back in which their clocks could not run: it is not saved yet."""
        self._running_again: list[int] = []
        """Games that were just read, whose clocks run again."""
        self._looking_for_due: Timer | None = None
        self._unloadable: dict[int, str] = {}
        """Why games cannot be loaded, by game id."""
        self._missing: dict[str, str] = {}
        """Why rulesets are not usable, by name."""
        self._bots = store.read(stored_accounts.bots)
        """The ids of the accounts that are labelled as programs."""
        self._guests = {account.id for account in store.read(stored_accounts.of_guests)}
        self._rows: dict[int, GameRow] = {}
        """By id: the rows of all games, the oldest first, as the store has those that are not in memory."""
        self._names: dict[int, tuple[str, ...]] = {}
        """By id: the names of the players by seat, empty where it is open, likewise."""
        self._rows_read = False
        self._rows_are_new = False
        """Of a node: whether they were read in this turn of the reactor, and nothing has changed here since."""
        self._verdicts = verdicts or Verdicts()
        self._being_held: set[int] = set()
        """Games that could not be loaded and are about to be held: the store does not say so yet."""
        self._unreadable: dict[int, tuple[float, str]] = {}
        """By game id: the time by the steady clock until which loading is not tried again, and what went wrong."""
        self._note_unreadable()

    # --- making and finding ---------------------------------------------------------------------------------------

    def go_to_least_loaded(self) -> None:
        """Raise GameElsewhere if a game is better made at another node than here."""
        if self.node is not None and (address := self.node.place_of_new_game()):
            raise GameElsewhere("games are made at another node at the moment", address)

    async def create(self, new: NewGame) -> Game:
        """Create a game that waits for players.  Raises GameError or TooManyGames; then nothing is stored.

        An account chooses what the rules have to set up, so that runs where nobody waits for it.
        """
        if self.node is not None and self.node.draining:
            raise GameElsewhere("this server hands its games over to other nodes; make the game at one of them")
        compute = at_once if new.creator is None else self.lifecycle.compute
        row = await make(self.store, self.rulesets, new, self.now(), compute)
        if self.node is None:
            self._stored_games().setdefault(row.id, row)
        return self._load(row, told=False)

    def rows(self) -> list[GameRow]:
        """Return the rows of all games, the oldest first; present values for those in memory.

        A game that could not be loaded, or that a newer version of its ruleset saved, is shown as held, whatever its
        row says: it cannot be played.
        """
        return [self._as_it_is(row) for row in self._stored_games().values()]

    def row_named(self, name: str) -> GameRow | None:
        """Return the row of the game of this name, ignoring case, as ``rows`` has it; None if there is none."""
        row = self.store.read(stored_games.by_name, name)
        return None if row is None else self._as_it_is(row)

    def rows_of(self, account: int) -> list[GameRow]:
        """Return the rows of the games in which an account has a seat, or that it has made, the newest first."""
        mine = self.store.read(stored_games.with_seat_of, account) | self.store.read(stored_creations.made_by, account)
        if self.node is not None:  # those of all others would be read, too, each time
            return [self._as_it_is(row) for row in reversed(self.store.read(stored_games.all, mine))]
        stored = self._stored_games()
        return [self._as_it_is(stored[number]) for number in sorted(mine, reverse=True) if number in stored]

    def _as_it_is(self, row: GameRow) -> GameRow:
        if row.id in self.games:
            return self.games[row.id].row
        problem = self._unloadable.get(row.id) or self._cannot_go_on(row)
        if problem and row.state != "over":
            return replace(row, state="held", held_reason=problem, deadline=None)
        return row

    def _cannot_go_on(self, row: GameRow) -> str:
        """Return why the rulesets of this server cannot go on with a game; empty if they can."""
        rules = self.rulesets.usable.get(row.ruleset)
        return self._lacking(row) if rules is None else too_new(row, rules)

    def _lacking(self, row: GameRow) -> str:
        """Return why a game whose ruleset is not usable cannot be loaded."""
        if row.ruleset not in self._missing:
            try:
                self.rulesets.named(row.ruleset)
            except UnknownRuleset as error:
                self._missing[row.ruleset] = str(error)
        return f"game {row.name!r} cannot be loaded: {self._missing.get(row.ruleset)}"

    def seat_counts(self) -> dict[int, tuple[int, int]]:
        """Return the number of taken seats, and of all seats, by game id, also for games not in memory."""
        counts = {
            number: (len(game.players) - len(game.open_seats()), len(game.players))
            for number, game in self.games.items()
        }
        self._stored_games()
        resting = {
            number: (len(names) - names.count(""), len(names))
            for number, names in self._names.items()
            if number not in counts
        }
        return {**resting, **counts}

    def seat_names(self, number: int) -> tuple[str, ...]:
        """Return the names of a game's players by seat, empty where it is open."""
        if number in self.games:
            return tuple(player.name for player in self.games[number].players)
        row, names = self._stored(number), self._names.get(number, ())
        if row is not None and hides(row):
            return tuple(seat_name(seat) if name else "" for seat, name in enumerate(names))
        return names

    def _stored_games(self) -> dict[int, GameRow]:
        """Return the stored rows of all games by id, the oldest first; they are read once.

        Only games in memory change what is stored, and callers use those instead; what has changed is noted as one
        leaves memory.  In a cluster other nodes change it, too, and they are read once for all who ask in the same turn
        of the reactor, as anybody may ask for all games, and again and again.
        """
        if self.node is not None and not self._rows_are_new:
            self._rows.clear()
            self._names.clear()
            self._rows_read = False
            if self.lifecycle.watches:  # else timers need not ring
                self._rows_are_new = True
                self.timers.callLater(0, self._forget_rows)
        if not self._rows_read:
            self._rows.update((row.id, row) for row in self.store.read(stored_games.all))
            self._names.update(self.store.read(stored_games.seat_names))
            self._rows_read = True
        return self._rows

    def _forget_rows(self) -> None:
        self._rows_are_new = False

    def _stored(self, number: int) -> GameRow | None:
        """Return the stored row of a game, of which the names are there then, too; None if there is none."""
        if self.node is None:
            return self._stored_games().get(number)
        row = self.store.read(stored_games.by_id, number)
        self._names.update(self.store.read(stored_games.seat_names, [number]))
        return row

    def resting(self, number: int) -> Resting:
        """Return what is told of a game that is not in memory; UNKNOWN if nobody knows."""
        row = self._stored(number)
        return UNKNOWN if row is None else self._rest_of(row)

    def _rest_of(self, row: GameRow) -> Resting:
        return UNKNOWN if row.resting is None or row.id in self._unloadable else resting_from(row)

    def outline(self, number: int) -> GameOutline | None:
        """Return what is known of a game, in memory or not; None if there is none, or it was deleted."""
        if number in self.games:
            return outline_of(self.games[number])
        row = self._stored(number)
        if row is None:
            return None
        return outline_from(self._as_it_is(row), self._rest_of(row), self.store.read(stored_games.seats, number))

    def named(self, name: str) -> Game:
        """Return the game of this name, loading it if need be.  Raises GameError."""
        for game in self.games.values():
            if game.name.casefold() == name.casefold():
                return game
        row = self.store.read(stored_games.by_name, name)
        if row is None:
            known = names_of(sorted(self.rows(), key=lambda other: other.name)) or "none"
            raise GameError(f"there is no game {quoted(name)} (games: {known})")
        return self.with_id(row.id)

    def with_id(self, number: int, wait: float = 0.0) -> Game:
        """Return the game with this id, loading it if need be; ``wait`` is that of ``_load``.

        Raises GameError, and NotNow if the store cannot be read at the moment.
        """
        found = self.games.get(number) or self._back(number)
        if found is not None:
            found.last_used = self.steady()
            return found
        try:
            row = self.store.read(stored_games.by_id, number)
        except StoreError as error:
            raise _not_read(f"game number {number}", error) from None
        if row is None:
            raise GameError(f"there is no game number {number}")
        if self.node is None and number not in self._stored_games():  # it was put into the store, not made here
            self._rows[number] = row
            self._names.update(self.store.read(stored_games.seat_names, [number]))
        with beside():  # what a game takes back as it is read is no change of the request for which it is read
            return self._load(row, wait)

    def in_use(self, game: Game) -> None:
        """Keep a game in memory for a while, or have it back there, as somebody comes or it is changed."""
        game.last_used = self.steady()
        if self.lifecycle.watches:
            game.clock_ran = self.now()
        if self._released.get(game.row.id) is game:
            self._back(game.row.id)

    def _back(self, number: int) -> Game | None:
        """Put a game back that has left memory and that somebody still holds; None if nobody does."""
        game = self._released.pop(number, None)
        if game is not None:
            self.games[number] = game
            self.lifecycle.moved_ends.came(number)
            self._begin(game, 0.0)
        return game

    def release(self, game: Game) -> None:
        """Let a game leave memory that rests; whoever comes to it has it loaded again."""
        number = game.row.id
        self.lifecycle.moved_ends.forget(number)
        self._disarm(game)
        del self.games[number]
        self._rows_are_new = False
        self._released[number] = game
        if self.node is None:
            told, wake = game.at_rest or (None, None)
            self._stored_games()[number] = replace(game.row, resting=told, wake=wake)
            self._names[number] = tuple(player.name for player in game.players)

    def forgive(self, name: str) -> None:
        """Allow loading a game again, whatever its rules have done, as the operator resumes it.  Raises OSError."""
        row = self.store.read(stored_games.by_name, name)
        if row is not None:
            self._unreadable.pop(row.id, None)
            self._verdicts.forgive(row.id, row.ruleset)

    def _note_unreadable(self) -> None:
        """Note which games are not to be loaded, as their rules have ended the server again."""
        found = self._verdicts.unreadable()
        for number in [number for number, (until, _) in self._unreadable.items() if until == math.inf]:
            if number not in found:
                del self._unreadable[number]
        self._unreadable |= dict.fromkeys(found, (math.inf, "because its rules ended the server again"))

    def load_all(self) -> None:
        """Begin to read the games of which something is due, so that turns whose deadlines have passed are closed.

        Of the others that go on only those are read which were in memory when the server before was killed; and all
        whose turns have deadlines, if their clocks could not run for a while, to get that time back.  That is done a
        few at a time.  A game whose ruleset is missing or fails is logged and skipped.
        """
        rows, ran, now = self._stored_games().values(), self.store.read(stored_games.clocks_ran), self.now()
        stood_since = None if ran is None or abs(now - ran) < LEAST_LOST else ran
        if stood_since is not None:
            self._standing = {row.id: stood_since for row in rows if row.resting is not None and _has_deadline(row)}
        unknown = [row for row in rows if row.state in ("running", "waiting") and self._has_to_be_read(row)]
        standing = [row for row in rows if row.id in self._standing]
        if self.node is not None:  # which of them other nodes have is seen as they are looked for
            unknown, standing = [], []
        self._wake_all(stood_since)
        self.lifecycle.watch()
        first = sorted([*unknown, *standing], key=lambda row: math.inf if row.deadline is None else row.deadline)
        self.idle.begin([row.id for row in first])
        if self.node is not None:
            self._take_due(self.node)

    def due(self, until: float) -> list[int]:
        """Return the ids of the games that have to be read by then if they are not in memory, the earliest first."""
        if self.node is None:
            return self.store.read(stored_games.due, until)
        return self.node.due(until)

    @property
    def holder(self) -> str | None:
        """The id of the node that holds what is in memory; None without a cluster."""
        return None if self.node is None else self.node.id

    def _take_due(self, node: Node) -> None:
        """Take and load games whose turns are due and which nobody holds, and look again later."""
        self._looking_for_due = self.timers.callLater(DUE_SECONDS, self._take_due, node)
        if node.may_speak():
            node.take_due(self.now(), DUE_AT_ONCE).addCallbacks(self._load_due, lambda failure: None)

    def _load_due(self, taken: list[FencedStore]) -> None:
        self.lifecycle.wall_clock.look()
        for saves in taken:
            number, _, node = saves.fence
            if node != self.holder:
                continue  # the life for which they were taken is over
            if number in self.games or number in self._released:
                continue  # somebody came meanwhile, for whom it was taken again
            row = self.store.read(stored_games.by_id, number)
            if row is not None:
                try:
                    self._load(row, saves=saves)
                except GameError as error:
                    log.error("{error}", error=error)

    def _has_to_be_read(self, row: GameRow) -> bool:
        """Return whether nobody knows what is so in a game, or not these rules have said so, but others."""
        rules = self.rulesets.usable.get(row.ruleset)
        return row.resting is None or rules is None or not is_of_version(row.resting, rules.version)

    def _wake_all(self, stood_since: float | None) -> None:
        wake_all = stored_games.wake_all if self.node is None else nodes.wake_all

        def saved(result: object) -> None:
            if not isinstance(result, Failure):
                self._standing.clear()
            elif not self.store.closed and self.store.gone is None:
                self.timers.callLater(RETRY_SECONDS, self._wake_all, stood_since)

        self.store.write(wake_all, stood_since).addBoth(saved)

    def stop(self) -> None:
        """Close no more turns, and save what is not saved yet; the store has to be closed after that."""
        self.lifecycle.wall_clock.look()  # else the next server would count the time by which the clock was set
        self.idle.stop()
        if self._looking_for_due is not None and self._looking_for_due.active():
            self._looking_for_due.cancel()
        self.lifecycle.stop()
        self.agreements.stop()
        self.looks.stop()

    def _load(self, row: GameRow, wait: float = 0.0, told: bool = True, saves: FencedStore | None = None) -> Game:
        """Load a game from the store, and say so if ``told``.  A turn that is due closes after ``wait`` seconds.

        In a cluster the game is taken before, unless ``saves`` says that it was.  Raises GameError, NotNow.
        """
        if self.node is not None:  # which may be one of several processes, each of which is ended for itself
            self._verdicts.refresh()
            self._note_unreadable()
            if any(verdict.game == row.id for verdict in self._verdicts.pending):
                if saves is not None:
                    self.node.release(saves).addErrback(lambda failure: None)
                raise GameElsewhere(f"game {row.name!r} is about to be held, as its rules have ended a server process")
        if row.id in self._being_held:
            # The store would say that it runs: what is then played would be saved behind its being held, or not at all.
            raise GameError(f"game {row.name!r} cannot be loaded: its rules have failed, and it is about to be held")
        again, problem = self._unreadable.get(row.id, (0.0, ""))
        if self.steady() < again:
            raise GameError(f"game {row.name!r} cannot be loaded {problem}")
        if self.node is not None and saves is None:
            row, saves = self._taken(self.node, row)
        if row.resting is not None and row.id in self._standing:
            row = replace(row, ran=self._standing[row.id], **stored_games.AWAKE)
        moved = self._moving.get(row.id)
        ends, due, lost = self.lifecycle.moved_ends, row.due, 0.0
        if row.id not in self._owing:
            row = ends.applied(row, self.now())
        elif wait:  # what it is owed is counted by the clock as it is
            lost = self.lifecycle.lost(row)
            row = moved_end(row, lost, self.now())
        try:
            game = self._read(row, saves or self.store)
        except GameError as error:
            if self.node is not None and saves is not None:  # another node may have what this one lacks
                self.node.release(saves).addErrback(lambda failure: None)
            self._unloadable[row.id] = str(error)
            raise
        self._unloadable.pop(row.id, None)
        self._unreadable.pop(row.id, None)
        self._rows_are_new = False
        game.store = saves or self.store
        game.on_stale = self._reload
        game.on_fault = self.lifecycle.broke
        game.most_entries = self.order_entries
        game.on_use = self.in_use
        game.on_end = ends.given
        ends.came(row.id)
        game.last_used = self.steady()
        game.clock_ran = self._clock_ran()
        game.at_rest = None if row.resting is None else (row.resting, row.wake)
        self.games[row.id] = game
        self.idle.came()
        if note := goes_on(row, game.rules):
            log.warn("{told}", told=note)
        if moved is not None:
            self._moving.pop(row.id, None)
            times = {name: moved[name] for name in ("due", "deadline")}
            game.commit(GameChanges(columns=times), self.now())
        elif wait and row.id in self._owing:
            self.timers.callLater(wait, self._save_given_back, game, lost, due, row.turn)
        elif row.id not in self._owing and ends.owed(game):
            self.timers.callLater(wait, self.lifecycle.save_moved, game)
        elif not wait and row.resting is None:  # what could not be saved a moment ago is not tried again at once
            self._give_back(game)
        if row.resting is None and _has_deadline(row) and self.lifecycle.watches:
            if not self._running_again:
                self.timers.callLater(0, self._note_running)
            self._running_again.append(row.id)
        self._begin(game, wait)
        if told:
            self.timers.callLater(wait, self._tell_loaded, game)
        if self.node is not None:  # it may have come from another node in the middle of a turn
            for look in self.lifecycle.began:
                self.timers.callLater(wait, look, game)
        return game

    def _give_back(self, game: Game) -> None:
        """Give a turn the time back in which its clock could not run; that is owed until it is saved."""
        if self.lifecycle.give_back(game):
            self._owing.add(game.row.id)
            game.after_saving(partial(self._owing.discard, game.row.id))
        else:
            self._owing.discard(game.row.id)

    def _save_given_back(self, game: Game, lost: float, before: float | None, turn: int) -> None:
        """Save the time that a turn was given back as it was read, unless it is paused, or another one, by now."""
        row = game.row
        if self.games.get(row.id) is not game or self.lifecycle.stopped:
            return
        if lost and before is not None and row.state == "running" and row.turn == turn and row.due is not None:
            self.lifecycle.save_given_back(game, lost, before, row.due)
        game.after_saving(partial(self._owing.discard, row.id))

    def _clock_ran(self) -> float:
        """Return until when the clocks of resting games have run: now, or for a command while no server runs, until it
        stopped."""
        ran = None if self.lifecycle.watches else self.store.read(stored_games.clocks_ran)
        return self.now() if ran is None else ran

    def _begin(self, game: Game, wait: float) -> None:
        """Set the timers of a game that has come into memory."""
        self.lifecycle.turn_timers.arm(game, wait)
        self.timers.callLater(wait, self.lifecycle.close_if_due, game)
        self.seat_changes.await_roll(game)
        if self.seat_changes.is_ready(game):  # its last seat was saved, and nothing more, as a server has ended there
            self.timers.callLater(wait, self._start_if_ready, game)
        if game.proposals:
            self.timers.callLater(wait, self.agreements.look, game)

    def _start_if_ready(self, game: Game) -> None:
        if self.games.get(game.row.id) is game and not self.lifecycle.stopped and self.seat_changes.is_ready(game):
            self.seat_changes.start(game, None)

    def _disarm(self, game: Game) -> None:
        """Cancel the timers of a game that is in memory no more."""
        self.lifecycle.turn_timers.disarm(game)
        self.seat_changes.disarm(game)
        self.agreements.disarm(game)

    def _tell_loaded(self, game: Game) -> None:
        for tell in self.loaded if self.games.get(game.row.id) is game and not self.lifecycle.stopped else ():
            tell(game)

    def go_to_holder(self, name: str) -> None:
        """Raise GameElsewhere if another node holds the game of this name, or if only another one can play it."""
        row = None if self.node is None else self.store.read(stored_games.by_name, name)
        if self.node is None or row is None or row.id in self.games:
            return
        if address := self.node.holder_of(row.id):
            raise GameElsewhere(f"game {row.name!r} is played on the node at {address}", address)
        self._check_playable(self.node, row)

    def _check_playable(self, node: Node, row: GameRow) -> None:
        """Raise GameElsewhere if this node lacks the rules of a game, and another one has them."""
        problem = self._cannot_go_on(row)
        if problem and (address := node.who_can_play(row.ruleset, row.ruleset_version)):
            raise GameElsewhere(problem, address)

    def _taken(self, node: Node, row: GameRow) -> tuple[GameRow, FencedStore]:
        """Take a game, and return its row as it is now with what writes to it.  Raises GameError."""
        self._check_playable(node, row)
        self.lifecycle.wall_clock.look()  # its deadline is one by the clock as it is now
        try:
            saves = node.take(row.id)
            return self.store.read(stored_games.by_id, row.id) or row, saves
        except HeldElsewhere as error:
            raise GameElsewhere(f"game {row.name!r} cannot be played here: {error}", error.address) from None
        except StoreError as error:
            log.error("game {game} cannot be taken: {why}", game=row.name, why=error.sentence)
            text = f"game {row.name!r} cannot be taken from the server's database now; try again in a moment"
            raise GameElsewhere(text) from None

    async def hand_over(self, game: Game) -> None:
        """Let another node have a game, when all of it is saved and no turn is being computed.

        Its connections go there, and so does whoever comes to it.
        """
        while game.closing or not game.all_saved() or not self._has_its_time(game):
            pause: Deferred[None] = Deferred()
            self.timers.callLater(HAND_OVER_SECONDS, pause.callback, None)
            await pause
            if game.stale:
                return  # lost, or read again
        if self.node is not None and isinstance(game.store, FencedStore):
            saves = game.store
            self._released.pop(game.row.id, None)
            self._drop(game)
            await self.node.release(saves)

    async def drain(self) -> int:
        """Have this node of a cluster take no games any more, and hand over those that it has, until it is told to take
        games again; return how many it has handed over."""
        node, count = self.node, 0
        assert node is not None
        await node.drain(True)
        while node.draining and (games := self.living()[:HANDED_OVER_AT_ONCE]):
            await gatherResults([Deferred.fromCoroutine(self.hand_over(game)) for game in games])
            count += len(games)
        # That it takes games again is saved behind this: it takes none meanwhile, and has none in memory.
        return count + (await node.release_all() if node.draining else 0)

    def _drop_all(self) -> None:
        """Forget what is in memory of all games, as other nodes may have taken them."""
        self._released.clear()
        for game in list(self.games.values()):
            self._drop(game)

    def _drop(self, game: Game) -> None:
        """Forget a game that another node has, or may have, and end its connections; whoever comes back has it loaded
        again, if this node can take it."""
        game.stale = True
        self.lifecycle.moved_ends.forget(game.row.id)
        self._disarm(game)
        if self.games.get(game.row.id) is game:
            del self.games[game.row.id]
        self._rows_are_new = False
        for subscriber in list(game.subscribers):
            subscriber.game_moved(game.name)
        for tell in self.dropped:
            tell(game)

    def _note_clocks(self, now: float) -> None:
        """Note in the store that the clocks of all games in memory, and of all that rest, have run until now.

        That waits until the store knows since when they had not: else this would be lost.  Who is no node of its
        cluster may be none because its clock is wrong.
        """
        is_none = self.node is not None and not self.node.may_speak()
        if not self.store.closed and self.store.gone is None and not is_none and not self._standing:
            running = [number for number, game in self.games.items() if self._has_its_time(game)]
            noted = self.store.write(stored_games.clocks_run, now, running, self.holder)
            noted.addErrback(lambda failure: None)  # that nothing can be saved is in the log already

    def _has_its_time(self, game: Game) -> bool:
        """Return whether the store has the time that a turn was given, or by which its end was moved."""
        return game.row.id not in self._owing and not self.lifecycle.moved_ends.owed(game)

    def _note_running(self) -> None:
        """Note that the clocks of games run that were just read: else a next server, soon after, would count the time
        again in which they stood."""
        games = [self.games[number] for number in self._running_again if number in self.games]
        numbers = [game.row.id for game in games if self._has_its_time(game)]
        self._running_again = []
        if not (self.store.closed or self.store.gone is not None or self.lifecycle.stopped or self._standing):
            noted = self.store.write(stored_games.clocks_run, self.now(), numbers, self.holder)
            noted.addErrback(lambda failure: None)

    def _move_resting(self, seconds: float) -> None:
        """Move the deadlines of the games that are not in memory, as the system's clock was set by ``seconds``."""
        if self.node is not None:
            return  # the clocks of all nodes would have to be set
        now = self.now()
        for row in list(self._stored_games().values()):
            if row.id in self.games or row.resting is None or not _has_deadline(row) or known_clock(row.clock) is None:
                continue
            later = moved_end(row, seconds, now)
            due, deadline = later.due, later.deadline
            assert due is not None and deadline is not None
            # What else is due in it is not known here: it may be read sooner than need be.
            wake = min(one for one in (row.wake, due if now < due else deadline) if one is not None)
            self._moving[row.id] = {"due": due, "deadline": deadline, "wake": wake}
            self._rows[row.id] = replace(row, **self._moving[row.id])
        self._save_moved()

    def _save_moved(self) -> None:
        if self.store.closed or self.store.gone is not None:
            return
        moving = list(self._moving.items())
        for first in range(0, len(moving), MOVED_AT_ONCE):
            some = moving[first : first + MOVED_AT_ONCE]
            self.store.write(move_games, some, self.now()).addCallbacks(
                self._have_moved, self._have_not_moved, callbackArgs=(some,)
            )

    def _have_moved(self, result: object, some: Iterable[tuple[int, dict[str, Any]]]) -> None:
        for number, columns in some:
            if self._moving.get(number) is columns:
                del self._moving[number]

    def _have_not_moved(self, failure: Failure) -> None:
        self.timers.callLater(RETRY_SECONDS, self._save_moved)  # the store says in the log what is wrong with it

    def _read(self, row: GameRow, saves: GameStore) -> Game:
        rules = self.rulesets.usable.get(row.ruleset)
        if rules is None:
            raise GameError(self._lacking(row))
        if problem := too_new(row, rules):
            raise GameError(problem)
        begun = time.monotonic()
        try:
            game = read_game(self.store, replace(row, **stored_games.AWAKE), rules, self.now())
            self.looks.restore(game)
            return game
        except StoreError as error:
            raise _not_read(f"game {row.name!r}", error) from None
        except Exception as error:
            log.failure("game {game} cannot be loaded", game=row.name)
            why = why_it_failed(error)
            problem = f"by ruleset {row.ruleset} version {rules.version}: {why}"
            if isinstance(error, TooSlow):
                # Loading blocks all clients: repeated requests for this game may use at most a hundredth of the time.
                self._unreadable[row.id] = (self.steady() + 100 * (time.monotonic() - begun), problem)
            if isinstance(error, TooSlow | Escaped | MemoryError):
                self._hold_unread(row, why, saves)
            raise GameError(f"game {row.name!r} cannot be loaded {problem}") from None

    def _hold_unread(self, row: GameRow, reason: str, saves: GameStore) -> None:
        """Hold a game that could not be loaded because of its rules, so that the next server does not try again."""
        if row.state not in CAN_BE_HELD:
            return

        def ended(result: object) -> None:
            self._being_held.discard(row.id)
            if isinstance(result, Failure):
                log.error("{game} could not be held: {why}", game=row.name, why=result.getErrorMessage())

        self._being_held.add(row.id)
        hold_stored(saves, [(row, reason)], "load the game", self.now()).addBoth(ended)

    def _reload(self, old: Game, failure: Failure) -> None:
        """Replace a game whose last changes could not be saved by what the store holds."""
        if self.games.get(old.row.id) is not old:
            return  # replaced already: other changes that were waiting to be saved fail, too
        log.error("{game}: changes could not be saved ({why}); going on from what the store holds",
                  game=old.name, why=failure.getErrorMessage())  # fmt: skip
        del self.games[old.row.id]
        self._disarm(old)
        self._replace(old)

    def _replace(self, old: Game, again: float = FIRST_RETRY_SECONDS) -> None:
        """Load a stale game again from the store, and retry until that succeeds, ``again`` seconds later and then at
        longer and longer intervals."""
        if self.store.closed or self.store.gone is not None:
            return
        try:
            # A due turn must not be saved again at once: a full disk stays full for a while.
            new = self.with_id(old.row.id, RETRY_SECONDS)
        except GameElsewhere as error:
            log.info("{error}", error=error)
            self._drop(old)
            return
        except NotNow:  # the log says why
            if self.node is None:
                self.timers.callLater(again, self._replace, old, min(2 * again, RETRY_SECONDS))
            else:  # its connections wait, and have it read as soon as that is possible
                self._drop(old)
            return
        except Exception:
            log.failure("{game} cannot be read again; trying in {wait} s", game=old.name, wait=RETRY_SECONDS)
            self.timers.callLater(RETRY_SECONDS, self._replace, old)
            return
        new.past = old.past  # still limited in size
        new.subscribers |= old.subscribers
        for subscriber in list(old.subscribers):
            subscriber.game_reloaded(new)
        for look in self.lifecycle.began:
            look(new)

    # --- seats and start ------------------------------------------------------------------------------------------

    async def take_seat(
        self, game: Game, account: int | None, name: str, *, bot: bool = False, seat: int | None = None
    ) -> int:
        """Give an open seat to an account, durably, and return it; the game starts when the last seat is taken.

        ``account`` None means a bot of the server.
        """
        mine = None if account is None else game.seat_of(account)
        if mine is not None:
            return mine
        if game.over:
            raise GameError(f"the game {game.name!r} is over")
        free = game.open_seats()
        if seat is None and free and game.hides_players:
            seat = any_of(free)
        if seat is not None and free and seat not in free:
            raise GameError(f"seat {seat + 1} of the game {game.name!r} is taken or not there")
        if not free:
            raise GameError(f"the game {game.name!r} is full: all {len(game.players)} seats are taken")
        player = game.players[free[0] if seat is None else seat]
        since = self.now()
        player.name, player.account_name = game.called(player.seat, name), name
        player.account, player.bot, player.since = account, bot, game.next_player_time(player.seat, since)
        for board in game.boards.values():
            board.touch(int(since))  # every player sees one more board
        # The seat is taken from here on; if that cannot be saved the game is read from the store again.
        entry = game.entry("seat", player.seat, {"name": name, "account": account}, since)
        game.commit(GameChanges(entry=entry, seat=SeatRow(game.row.id, player.seat, account, name, bot)), since)
        if self.seat_changes.is_ready(game):
            self.seat_changes.start(game, player.seat)
        if account is not None:
            for tell in self.seat_changes.seated:
                tell(game, account)
        await durable(game)
        EVENTS.seat_taken(game.name, player.seat, name)
        return player.seat

    def is_bot(self, player: Player | SeatRow, hidden: bool = False) -> bool:
        """Return whether a seat is played by a program: the server's own, or that of an account which says so.

        ``hidden``: nobody is told which account that is, and so nothing is told of it.
        """
        return player.bot or (not hidden and player.account in self._bots)

    def label_bot(self, account: int, is_bot: bool) -> None:
        """Tell from now on that an account is a program, or that it is none, as the store has it."""
        if is_bot != (account in self._bots):
            self._bots ^= {account}
            self._show_anew({account})

    def is_guest(self, player: Player) -> bool:
        """Return whether a seat is a guest's."""
        return player.account in self._guests

    def label_guest(self, account: int, is_guest: bool) -> None:
        """Tell from now on that an account is a guest's, or that it is none any more, as the store has it."""
        (self._guests.add if is_guest else self._guests.discard)(account)

    def take_labels(self, bots: set[int], guests: set[int]) -> None:
        """Take over which accounts are programs, and which are guests', as the store has them."""
        changed = (self._bots ^ bots) | (self._guests ^ guests)
        self._bots, self._guests = bots, guests
        if changed:
            self._show_anew(changed)

    def _show_anew(self, accounts: set[int]) -> None:
        """Have clients fetch the players of these accounts again, whose race is another one than before."""
        now = self.now()
        for game in self.living():
            for player in game.players:
                if player.account in accounts and not game.hides_players:
                    player.since = game.next_player_time(player.seat, now)

    def renamed(self, account: int, name: str) -> None:
        """Show the seats of an account, which the store has under another name now, under it."""
        now = int(self.now())
        self._names.update(self.store.read(stored_games.seat_names, [row.id for row in self.rows_of(account)]))
        for game in self.living():
            for player in game.players:
                if player.account == account:
                    player.account_name = name
                    if game.hides_players:
                        continue
                    player.name, player.since = name, game.next_player_time(player.seat, now)
                    for board in game.boards.values():
                        board.touch(now)

    @property
    def killed_rules(self) -> int:
        """How often the rules of games have ended a server, since the operator resumed them."""
        return sum(self._verdicts.ends.values())

    def watch(self, game: Game) -> View:
        """Return the spectators' view of a game, kept up to date from now on.  Raises GameError if its rules fail."""
        view = game.views.get(None)
        if view is None:
            now = int(self.now())
            if not game.started:
                view = waiting_view(game.rules, None, now)
            else:
                view = spectators_view(game, None, now)
                if view is None:
                    raise GameError(f"the game {game.name!r} cannot be watched: its rules failed")
            game.views[None] = view
        return view

    def start(self, game: Game) -> None:
        """Start a game by hand.  Raises GameError."""
        if game.started:
            raise GameError(f"the game {game.name!r} has already started")
        if game.open_seats():
            raise GameError(
                f"the game {game.name!r} waits for {len(game.open_seats())} more players; it starts when all are there"
            )
        self.lifecycle.start(game)

    # --- boards ---------------------------------------------------------------------------------------------------

    def post(self, game: Game, sender: int, to: Mapping[int, list[list[int]]], subject: str, body: str) -> None:
        """Put a player's message on boards of the game, by number with its references there; durable when
        ``game.when_durable`` says so."""
        now = self.now()
        messages = [
            StoredMessage(
                game.row.id, board, game.boards[board].next_number(), game.state.turn, now, sender, subject, body, told
            )
            for board, told in to.items()
        ]
        game.commit(GameChanges(delivery=Delivery(messages)), now)

    def is_looked_at(self, game: Game) -> bool:
        """Return whether somebody is in a game now, or in its old turns."""
        return bool(game.subscribers) or any(looks(game) for looks in self.looking)

    def remove(self, game: Game) -> None:
        """Forget a game that is not in the store any more, and end its connections."""
        self.lifecycle.moved_ends.forget(game.row.id)
        self._disarm(game)
        for known in (self.games, self._released, self._rows, self._names, self._moving, self._standing):
            known.pop(game.row.id, None)
        for subscriber in list(game.subscribers):
            subscriber.game_deleted(game.name)
        for tell in self.removed:
            tell(game)

    def tell(self, account: int, subject: str, body: str, only: int | None = None) -> None:
        """Put a message on the boards of an account in all its games that are not over, or in one only, over or not.

        ``game.when_durable`` of each says when it is stored.  Who has very many games is told a few at a time.
        """
        numbers = [only] if only is not None else [row.id for row in self.rows_of(account) if row.state != "over"]
        report = (subject, body.replace("{", "(").replace("}", ")"))

        async def tell_all() -> None:
            slices = Slices(self.timers, TELL_SECONDS)
            for number in numbers:
                with suppress(GameError, NotNow):  # one that is gone, or cannot be loaded, has nobody who would read it
                    self._tell(self.with_id(number), account, *report)
                await slices.rest()

        Deferred.fromCoroutine(tell_all()).addErrback(
            lambda failure: log.failure("an account could not be told something in all its games", failure)
        )

    def _tell(self, game: Game, account: int, subject: str, body: str) -> None:
        seat, now = game.seat_of(account), self.now()
        if seat is not None and not game.stale and not self.lifecycle.stopped:
            told = written(game, [Report(seat, subject, body)])
            game.commit(GameChanges(delivery=delivery(game, told, game.row.turn, now)), now)

    def living(self) -> list[Game]:
        """Return the games in memory, and those that have left it and that somebody still holds."""
        return [*self.games.values(), *self._released.values()]

    def remove_messages(self, game: Game, number: int, slots: Iterable[int]) -> list[bool]:
        """Remove messages from a board, one slot after the other; return for each slot whether it held one."""
        board = game.boards[number]
        taken = [board.take(slot) if slot < len(board) else None for slot in slots]
        gone = [message for message in taken if message is not None]
        if gone:
            board.touch(int(self.now()))
            game.commit(GameChanges(removed={number: gone}), self.now())
        return [message is not None for message in taken]


def names_of(rows: Sequence[GameRow]) -> str:
    """Return the names of games for a sentence, at most MOST_NAMES of them."""
    more = len(rows) - MOST_NAMES
    names = ", ".join(row.name for row in rows[:MOST_NAMES])
    return f"{names} and {more} more" if more > 0 else names


def _has_deadline(row: GameRow) -> bool:
    return row.state == "running" and row.deadline is not None and row.due is not None


def _not_read(what: str, error: StoreError) -> NotNow:
    log.error("{what} cannot be read: {why}", what=what, why=error.sentence)
    return NotNow(f"{what} cannot be read from the server's database now; try again in a moment")
