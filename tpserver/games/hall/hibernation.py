"""Hibernation of idle games, and their return to memory when needed.

A hibernated game has no timer. Every few seconds one query finds the games in which something is due soon. They are
loaded ahead of that, a few at a time, so that other games are not delayed.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.cluster.node import Node
from tpserver.concurrency import Slices, Timer, Timers
from tpserver.games.core.errors import DamagedGame, GameElsewhere, GameError, NotNow
from tpserver.games.core.game import Game
from tpserver.games.hall.summary import has_settled, resting_of, wake_of
from tpserver.games.turns.timekeeper import Timekeeper
from tpserver.store import Store, StoreError
from tpserver.store.games import rows as stored_games

log = Logger()

IDLE_SECONDS = 600.0
"""Seconds after which a game without connections leaves memory."""
LOOK_SECONDS = 5.0
"""Seconds between two searches for games to hibernate or load."""
AHEAD_SECONDS = 30.0
"""Seconds before a due time at which a game is loaded, if the server is not too busy."""
STAYS_SECONDS = 4 * AHEAD_SECONDS
"""Seconds before a due time in which a game stays in memory."""
MOST_IDLE = 200
"""Maximum games in memory without connections; beyond it, the longest unused ones leave sooner."""
LEAST_IDLE_SECONDS = 2.0
"""Minimum seconds for which a game stays in memory after its use."""
AT_ONCE = 500
"""Maximum games that leave memory at once."""
MOST_READ = 100
"""Maximum games that are loaded before the next search for games to hibernate."""
SLICE_SECONDS = 0.005
"""Seconds of loading games after which other work is done; a game is loaded as a whole."""
RETRY_SECONDS = 3600.0
"""Seconds until an unreadable game is tried again; a request for it tries at once."""


class Residents(Protocol):
    """Interface of the registry that this module needs."""

    def with_id(self, number: int) -> Game: ...

    def release(self, game: Game) -> None: ...


class IdleGames:
    """Hibernates idle games, and has the registry load due ones. Used on the reactor's thread.

    ``games`` are those in memory, by id. ``now`` returns unix seconds, ``steady`` those of a monotonic clock. ``clock``
    returns the seconds by which loading is interrupted. With ``node`` this server is one of a cluster.
    """

    def __init__(
        self,
        registry: Residents,
        games: Mapping[int, Game],
        store: Store,
        timekeeper: Timekeeper,
        timers: Timers,
        now: Callable[[], float],
        steady: Callable[[], float],
        node: Node | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.seconds = IDLE_SECONDS
        """Seconds after which a game without connections leaves memory."""
        self.busy: set[int] = set()
        """The ids of games that stay in memory, as something is being done in them."""
        self._registry = registry
        self._games = games
        self._store = store
        self._timekeeper = timekeeper
        self._timers = timers
        self._now = now
        self._steady = steady
        self._node = node
        self.clock = clock
        """The clock by which reading is interrupted."""
        self._due: deque[int] = deque()
        self._postponed: dict[int, float] = {}
        """By id: the monotonic time until which an unreadable game is not tried again."""
        self._read_lately = 0
        self._reading = False
        self._leaving = False
        self._timer: Timer | None = None
        self._stopped = False

    def begin(self, first: Iterable[int]) -> None:
        """Start the regular look for idle and due games.

        ``first`` are the ids of games to load, the most urgent first.
        """
        self._due.extend(first)
        self.look()

    def look(self) -> None:
        """Look for games to hibernate and for games to load, now and every LOOK_SECONDS."""
        self._cancel()
        if self._stopped:
            return
        self._timer = self._timers.callLater(LOOK_SECONDS, self.look)
        self.let_go()
        with suppress(StoreError):  # which is in the log, or will be: the next look tries again
            self._read_due()

    def stop(self) -> None:
        """Load no more games, and save summaries of those in memory.

        The summaries are valid until the next server loads the games. No summary is saved of a game with work to do at
        once, so that the next server does it.
        """
        self._stopped = True
        self._cancel()
        if self._store.closed or self._store.gone is not None:
            return
        settled = [game for game in self._games.values() if game.at_rest is None and self._has_settled(game)]
        self._rest(settled).addErrback(lambda failure: None)  # which is in the log

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def came(self) -> None:
        """Count a game that was loaded: requests for many games, one after the other, must not fill memory."""
        self._read_lately += 1
        if self._read_lately == MOST_READ:
            self._timers.callLater(0, self.let_go)

    # --- leaving memory -----------------------------------------------------------------------------------------------

    def let_go(self) -> None:
        """Hibernate idle games, durably, so that no due time in them is lost."""
        self._read_lately = 0
        if self._leaving or self._stopped:
            return
        steady, idle = self._steady(), []
        for game in self._games.values():
            if game.subscribers:
                game.last_used = steady
            else:
                idle.append(game)
        idle.sort(key=lambda game: game.last_used)
        spare = len(idle) - MOST_IDLE
        chosen: list[Game] = []
        for place, game in enumerate(idle):
            unused = steady - game.last_used
            if unused < (LEAST_IDLE_SECONDS if place < spare else self.seconds) or len(chosen) >= AT_ONCE:
                break
            if self._may_leave(game):
                chosen.append(game)
        if not chosen:
            return
        resting = [game for game in chosen if game.at_rest is None]
        if not resting:
            self._leave(chosen)
            return
        self._leaving = True

        def saved(result: object) -> None:
            self._leaving = False
            if not isinstance(result, Failure):
                self._leave(chosen)
                return
            for game in resting:  # the store says in the log what is wrong with it
                game.at_rest = None

        self._rest(resting).addBoth(saved)

    def _rest(self, games: Iterable[Game]) -> Deferred[None]:
        """Save the summaries of games; a change of a game while it is still in memory revokes its summary."""
        now, rested = self._now(), []
        for game in games:
            game.at_rest = resting_of(game).stored(), wake_of(game, now)
            rested.append((game.row.id, *game.at_rest))
        holder = None if self._node is None else self._node.id
        return self._store.write(stored_games.rest, rested, holder)

    def _leave(self, games: list[Game]) -> None:
        for game in games:
            # Unless it was changed, or a client has come, while that was saved.
            if game.at_rest is not None and self._games.get(game.row.id) is game and self._may_leave(game):
                self._registry.release(game)

    def _may_leave(self, game: Game) -> bool:
        if game.subscribers or not game.saving.all_saved():
            return False
        now = self._now()
        wake = wake_of(game, now)
        return (wake is None or wake > now + STAYS_SECONDS) and self._has_settled(game)

    def _has_settled(self, game: Game) -> bool:
        try:
            is_busy = game.row.id in self.busy or not self._timekeeper.is_saved(game)
            return not is_busy and has_settled(game, self._now())
        except Exception:  # of its rules: the game stays, and the next call of them suspends it
            return False

    # --- coming into memory -------------------------------------------------------------------------------------------

    def next_wake(self) -> float | None:
        """Return when the next hibernated game is loaded by itself, in unix seconds; None if none is."""
        wake = self._store.read(stored_games.next_wake)
        return None if wake is None else wake - AHEAD_SECONDS

    def _read_due(self) -> None:
        if self._reading:
            return
        steady = self._steady()
        self._postponed = {number: until for number, until in self._postponed.items() if until > steady}
        known = set(self._due) | self._postponed.keys() | self._games.keys()
        until = self._now() + AHEAD_SECONDS
        due = self._store.read(stored_games.due, until) if self._node is None else self._node.due(until)
        self._due.extend(number for number in due if number not in known)
        if self._due:
            self._reading = True
            Deferred.fromCoroutine(self._read()).addErrback(self._failed)

    async def _read(self) -> None:
        try:
            slices = Slices(self._timers, SLICE_SECONDS, self.clock)
            while self._due and not self._stopped:
                if self._due[0] not in self._games and not self._read_one(self._due[0]):
                    return  # the next look tries again
                self._due.popleft()
                await slices.rest()
        finally:
            self._reading = False

    def _read_one(self, number: int) -> bool:
        """Load a game; return False if the store cannot be read at the moment."""
        try:
            self._registry.with_id(number)
        except DamagedGame:  # the log says so; the others that are due must not wait for it
            self._postpone(number)
        except (NotNow, StoreError):
            return False
        except GameElsewhere as error:  # another node has taken it
            log.info("{error}", error=error)
        except Exception as error:
            if isinstance(error, GameError):
                log.error("{error}", error=error)
            else:
                log.failure("game number {number} cannot be read", number=number)
            self._postpone(number)
        return True

    def _postpone(self, number: int) -> None:
        """Try to load a game later; it gets the time back for which it cannot be read."""
        self._postponed[number] = self._steady() + RETRY_SECONDS
        self._timekeeper.stop_clock(number)

    def _failed(self, failure: Failure) -> None:
        log.failure("games of which something is due could not be read", failure)
