"""Games whose changes could not be saved: the state in the store replaces them."""

from __future__ import annotations

from typing import Protocol

from twisted.logger import Logger

from tpserver.bus import Bus
from tpserver.concurrency import Timers
from tpserver.games.core.errors import GameElsewhere, NotNow
from tpserver.games.core.events import TurnBegan
from tpserver.games.core.game import Game
from tpserver.store import Store

log = Logger()

RETRY_SECONDS = 10.0
"""Seconds after a failure to save until a due turn closes again."""

FIRST_RETRY_SECONDS = 1.0
"""Seconds until a game is loaded again after an outage of the database, doubled each time up to RETRY_SECONDS."""


class GamesInMemory(Protocol):
    """Interface of the registry that this module needs."""

    def with_id(self, number: int, wait: float = 0.0) -> Game: ...

    def drop(self, game: Game) -> None: ...


class StaleGames:
    """Replaces stale games, which have left memory already. Used on the reactor's thread.

    With ``is_node``, in a cluster, a game that cannot be loaded now is dropped.
    """

    def __init__(self, registry: GamesInMemory, store: Store, timers: Timers, bus: Bus, *, is_node: bool) -> None:
        self._registry = registry
        self._store = store
        self._timers = timers
        self._bus = bus
        self._is_node = is_node

    def replace(self, old: Game, again: float = FIRST_RETRY_SECONDS) -> None:
        """Load a stale game again from the store, and give the new one its connections.

        If that fails, it is retried ``again`` seconds later, and then at growing intervals.
        """
        if self._store.closed or self._store.gone is not None:
            return
        try:
            # A due turn must not be saved again at once, as a full disk stays full for a while.
            new = self._registry.with_id(old.row.id, RETRY_SECONDS)
        except GameElsewhere as error:
            log.info("{error}", error=error)
            self._registry.drop(old)
            return
        except NotNow:  # the log has the reason
            if self._is_node:  # its connections wait, and load it as soon as possible
                self._registry.drop(old)
            else:
                self._timers.callLater(again, self.replace, old, min(2 * again, RETRY_SECONDS))
            return
        except Exception:
            log.failure("{game} cannot be read again; trying in {wait} s", game=old.name, wait=RETRY_SECONDS)
            self._timers.callLater(RETRY_SECONDS, self.replace, old)
            return
        new.past = old.past  # still limited in size
        new.subscribers |= old.subscribers
        for subscriber in list(old.subscribers):
            subscriber.game_reloaded(new)
        self._bus.publish(TurnBegan(new))
