"""The games of a server: lookup, loading and release.

A game is in memory if it has connections or something in it is due soon. For the other games the registry keeps only
the rows (`tpserver.games.hall.summary`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from weakref import WeakValueDictionary

from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.bus import Bus
from tpserver.cluster.node import LeaseLost, Node
from tpserver.concurrency import Executor, Timers
from tpserver.games.core.crash_record import Verdicts
from tpserver.games.core.errors import DamagedGame, GameElsewhere, GameError, NotNow
from tpserver.games.core.events import (
    AwaitedSeatsChanged,
    DeadlineReached,
    GameDropped,
    GameLoaded,
    PlayerChanged,
    TurnBegan,
    TurnDue,
)
from tpserver.games.core.game import MOST_ORDER_ENTRIES, Game
from tpserver.games.hall.account_labels import AccountLabels
from tpserver.games.hall.cluster_games import ClusterGames
from tpserver.games.hall.directory import GameDirectory
from tpserver.games.hall.game_timers import GameTimers
from tpserver.games.hall.hibernation import IdleGames
from tpserver.games.hall.last_seen import LastSeen
from tpserver.games.hall.load_failures import LoadFailures
from tpserver.games.hall.lobby import Lobby
from tpserver.games.hall.messages import AccountMessages
from tpserver.games.hall.removed_accounts import RemovedAccounts
from tpserver.games.hall.stale_games import StaleGames
from tpserver.games.hall.vacations import Vacations
from tpserver.games.seats.presence import Presence
from tpserver.games.seats.proposals import Agreements
from tpserver.games.seats.seat_service import SeatChanges
from tpserver.games.seats.silence import SilentSeats
from tpserver.games.stored.compat import goes_on
from tpserver.games.stored.loader import read_game
from tpserver.games.turns.clock_changes import ClockChanges
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.game_control import GameControl
from tpserver.games.turns.suspension import SuspensionService
from tpserver.games.turns.timekeeper import Timekeeper
from tpserver.games.turns.turn_service import TurnService
from tpserver.rules.discovery import Rulesets
from tpserver.store import FencedStore, GameStore, Store, StoreError
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow
from tpserver.store.idempotency import beside

log = Logger()


class GameRegistry:
    """All games of a server. Used on the reactor's thread; with a store without reactor, synchronously on any thread.

    ``compute`` runs long work away from the reactor's thread and returns a Deferred of its result. ``now`` returns unix
    seconds, ``steady`` those of a monotonic clock. ``order_entries`` is the number of journal entries about orders in a
    turn at which they are compacted (`compaction`). With ``node`` this server is one of a cluster. It takes each game
    before it reads it, and drops games that it has lost.
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
        self.bus = Bus() if node is None else node.bus
        self.node = node
        self.rulesets = rulesets
        self.timers = timers
        self.now = now
        self.steady = steady or now
        self.order_entries = order_entries
        self.games: dict[int, Game] = {}
        self.presence = Presence()
        self.directory = GameDirectory(store, rulesets, self.games, timers, node, lambda: self.clocks.watches)
        self.timekeeper = Timekeeper(store, timers, now, self.games, self.directory.stored, node)
        self.clocks = ClockService(timers, now, steady, self.timekeeper, self.bus)
        self.suspensions = SuspensionService(self.clocks, self.bus)
        self.turns = TurnService(timers, compute, self.clocks, self.suspensions, self.bus)
        self.control = GameControl(self.turns, self.clocks, self.suspensions, self.bus)
        self.clock_changes = ClockChanges(self.turns, self.clocks, self.bus, now)
        self.seat_changes = SeatChanges(self.turns, self.clocks, store, timers, self.bus, self.presence)
        self.silent_seats = SilentSeats(self.seat_changes, timers, now, self._is_current)
        self.looks = LastSeen(store, timers)
        self.labels = AccountLabels(store, self.directory, now, self.living)
        self.lobby = Lobby(store, rulesets, self.turns, self.seat_changes, self.presence, now, self._load_created, node)
        self._released: WeakValueDictionary[int, Game] = WeakValueDictionary()
        """Games that have left memory but are still referenced. A game never has two objects."""
        self.idle = IdleGames(self, self.games, store, self.timekeeper, timers, now, self.steady, node)
        self.agreements = Agreements(
            store, self.games, self.turns, self.control, self.clock_changes, self.seat_changes, timers, now
        )
        self.vacations = Vacations(self, self.directory, store, self.clocks, now)
        self.messages = AccountMessages(self, self.directory, timers, now, self._is_current)
        self.removed_accounts = RemovedAccounts(
            self, self.directory, store, self.seat_changes, timers, self._is_current
        )
        self._game_timers = GameTimers(
            timers, self.turns, self.clocks, self.seat_changes, self.silent_seats, self.removed_accounts,
            self.agreements, self._is_current,
        )  # fmt: skip
        self._stale_games = StaleGames(self, store, timers, self.bus, is_node=node is not None)
        self.load_failures = LoadFailures(verdicts or Verdicts(), self.steady, now)
        self.cluster: ClusterGames | None = None
        if node is not None:
            self.cluster = ClusterGames(node, self, self.directory, store, self.clocks, self.timekeeper, timers, now)
        self._subscribe()

    def _subscribe(self) -> None:
        """Subscribe the parts of this package to events."""
        self.bus.subscribe(LeaseLost, lambda event: self._drop_all())
        self.bus.subscribe(DeadlineReached, lambda event: self.turns.deadline_reached(event.game))
        self.bus.subscribe(TurnDue, lambda event: self.turns.turn_due(event.game))
        self.bus.subscribe(TurnBegan, lambda event: self.silent_seats.arm(event.game))
        self.bus.subscribe(TurnBegan, lambda event: self.agreements.look(event.game))
        self.bus.subscribe(AwaitedSeatsChanged, lambda event: self.silent_seats.arm(event.game))
        self.bus.subscribe(PlayerChanged, lambda event: self.agreements.look(event.game))

    def named(self, name: str) -> Game:
        """Return the game of this name, loaded if necessary. Raises GameError."""
        for game in self.games.values():
            if game.name.casefold() == name.casefold():
                return game
        return self.with_id(self.directory.existing(name).id)

    def with_id(self, number: int, wait: float = 0.0) -> Game:
        """Return the game with this id, loaded if necessary; ``wait`` is that of ``_load``.

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
        self.directory.found(row)
        with beside():  # corrections by the load are no change of the request that needs the game
            return self._load(row, wait)

    def _load_created(self, row: GameRow) -> Game:
        self.directory.created(row)
        return self._load(row, told=False)

    def in_use(self, game: Game) -> None:
        """Keep a requested or changed game in memory for a while, or return it to memory."""
        game.last_used = self.steady()
        if self.clocks.watches:
            game.clock_ran = self.now()
        if self._released.get(game.row.id) is game:
            self._back(game.row.id)

    def due_given(self, game: Game) -> None:
        """Record that the due time of a turn was passed to the store."""
        self.timekeeper.given(game)

    def broke(self, game: Game, error: Exception, doing: str) -> None:
        """Suspend a game whose rules must not be called again."""
        self.suspensions.broke(game, error, doing)

    def _back(self, number: int) -> Game | None:
        """Return a released game to memory if it is still referenced, else return None."""
        game = self._released.pop(number, None)
        if game is not None:
            self.games[number] = game
            self.timekeeper.returned(game)
            self._game_timers.begin(game, 0.0)
        return game

    def release(self, game: Game) -> None:
        """Let an idle game leave memory. The next request loads it again."""
        number = game.row.id
        self.timekeeper.forget(number)
        self._game_timers.disarm(game)
        del self.games[number]
        self._released[number] = game
        self.directory.released(game)

    def load_all(self) -> None:
        """Begin to load the games with something due.

        So turns past their deadlines are closed. Other unfinished games are loaded if they were in memory when the
        previous server was killed. After a downtime of the clocks, all games with a deadline are loaded, to move it. A
        few games are loaded at a time. A game whose ruleset is missing or fails is logged and skipped.
        """
        rows, stopped_since = self.directory.stored().values(), self.timekeeper.stopped_since()
        self.silent_seats.begin(0.0 if stopped_since is None else self.now() - stopped_since)
        gone = self.store.read(stored_games.with_removed_players)
        unknown = [row for row in rows if row.id in gone]
        going_on = [row for row in rows if row.state in ("running", "waiting")]
        unknown += [row for row in going_on if not self.directory.is_summarized(row)]
        stopped = self.timekeeper.begin(stopped_since)
        if self.cluster is not None:  # a lookup finds out which of them other nodes hold
            unknown, stopped = [], []
        self.clocks.watch()
        first = sorted([*unknown, *stopped], key=lambda row: math.inf if row.deadline is None else row.deadline)
        self.idle.begin([row.id for row in first])
        if self.cluster is not None:
            self.cluster.look_for_due()

    def stop(self) -> None:
        """Close no more turns, and save the remaining changes. The store must be closed after that."""
        self.clocks.wall_clock.look()  # else the next server would count the time by which the clock was set
        self.idle.stop()
        if self.cluster is not None:
            self.cluster.stop()
        self.clocks.stop()
        self.agreements.stop()
        self.silent_seats.stop()
        self.looks.stop()

    def load_taken(self, saves: FencedStore) -> None:
        """Load a game that this node has taken, unless it was loaded meanwhile. Raises GameError, NotNow."""
        number = saves.fence[0]
        if number in self.games or number in self._released:
            return  # a request came meanwhile, and took it again
        row = self.store.read(stored_games.by_id, number)
        if row is not None:
            self._load(row, saves=saves)

    def _load(self, row: GameRow, wait: float = 0.0, told: bool = True, saves: FencedStore | None = None) -> Game:
        """Load a game from the store, and announce it if ``told``. A due turn closes after ``wait`` seconds.

        In a cluster this node takes the game before, unless it has ``saves`` for it already. Raises GameError, NotNow.
        """
        if self.cluster is not None and self.load_failures.ends_soon(row.id):
            self.cluster.give_back(saves)
            raise GameElsewhere(f"game {row.name!r} is about to be held, as its rules have ended a server process")
        self.load_failures.check(row)
        if self.cluster is not None and saves is None:
            row, saves = self.cluster.take(row)
        held = self.timekeeper.holding(row)
        row = held.row
        try:
            game = self._read(row, saves or self.store)
        except GameError as error:
            if self.cluster is not None:  # another node may have the missing part
                self.cluster.give_back(saves)
            self.directory.unloadable[row.id] = str(error)
            raise
        self.directory.unloadable.pop(row.id, None)
        self.load_failures.loaded(row.id)
        self.directory.changed()
        game.saving.store = saves or self.store
        game.observer = self
        game.most_entries = self.order_entries
        game.last_used = self.steady()
        game.clock_ran = self.timekeeper.clocks_ran(is_server=self.clocks.watches)
        game.at_rest = None if held.stored.resting is None else (held.stored.resting, held.stored.wake)
        self.games[row.id] = game
        self.idle.came()
        if note := goes_on(row, game.rules):
            log.warn("{told}", told=note)
        self.timekeeper.came(row.id, held)
        if self.clocks.watches:
            self.timekeeper.run_again(row)
        if not held.is_saved:
            self._game_timers.save_deadline(game, held, wait)
        self._game_timers.begin(game, wait)
        if told:
            self.timers.callLater(wait, self._tell_loaded, game)
        if self.cluster is not None:  # it may come from another node in the middle of a turn
            self.timers.callLater(wait, self.bus.publish, TurnBegan(game))
        return game

    def _is_current(self, game: Game) -> bool:
        """Return whether a game is in memory on a running server."""
        return self.games.get(game.row.id) is game and not game.saving.stale and not self.clocks.stopped

    def _tell_loaded(self, game: Game) -> None:
        if self._is_current(game):
            self.bus.publish(GameLoaded(game))

    def _drop_all(self) -> None:
        """Drop all games in memory, as other nodes may have taken them."""
        self._released.clear()
        for game in list(self.games.values()):
            self.drop(game)

    def drop(self, game: Game) -> None:
        """Drop a game that another node holds, or may hold, and end its connections.

        The next login loads the game again, if this node can take it.
        """
        game.saving.stale = True
        self.timekeeper.forget(game.row.id)
        self._game_timers.disarm(game)
        self._released.pop(game.row.id, None)
        if self.games.get(game.row.id) is game:
            del self.games[game.row.id]
        self.directory.changed()
        for subscriber in list(game.subscribers):
            subscriber.game_moved(game.name)
        self.bus.publish(GameDropped(game))

    def _read(self, row: GameRow, saves: GameStore) -> Game:
        if problem := self.directory.why_unplayable(row):
            raise GameError(problem)
        rules = self.rulesets.usable[row.ruleset]

        def read() -> Game:
            game = read_game(self.store, replace(row, **stored_games.AWAKE), rules, self.now(), self.steady)
            self.looks.restore(game)
            return game

        try:
            return self.load_failures.watched(row, rules.version, saves, read)
        except StoreError as error:
            raise _not_read(f"game {row.name!r}", error) from None

    def reload(self, old: Game, failure: Failure) -> None:
        """Replace a game with unsaved changes by its state in the store."""
        if self.games.get(old.row.id) is not old:
            return  # replaced already: later changes of the old object fail, too
        log.error("{game}: changes could not be saved ({why}); going on from what the store holds",
                  game=old.name, why=failure.getErrorMessage())  # fmt: skip
        del self.games[old.row.id]
        self._game_timers.disarm(old)
        self._stale_games.replace(old)

    def remove(self, game: Game) -> None:
        """Drop a game that was removed from the store, and end its connections."""
        self.timekeeper.forget_removed(game.row.id)
        self._game_timers.disarm(game)
        for known in (self.games, self._released):
            known.pop(game.row.id, None)
        self.directory.removed(game.row.id)
        for subscriber in list(game.subscribers):
            subscriber.game_deleted(game.name)
        self.presence.end_removed(game)

    def living(self) -> list[Game]:
        """Return the games in memory, and the released ones that are still referenced."""
        return [*self.games.values(), *self._released.values()]


def _not_read(what: str, error: StoreError) -> NotNow:
    log.error("{what} cannot be read: {why}", what=what, why=error.sentence)
    kind = DamagedGame if error.code == "damaged" else NotNow
    return kind(f"{what} cannot be read from the server's database now; try again in a moment")
