"""Games of one node of a cluster: takeover from other nodes, and handover to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from twisted.internet.defer import Deferred, gatherResults
from twisted.logger import Logger

from tpserver.cluster.node import HeldElsewhere, Node
from tpserver.concurrency import Timer, Timers, pause
from tpserver.games.core.errors import GameElsewhere, GameError
from tpserver.games.core.game import Game
from tpserver.games.hall.directory import GameDirectory
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.timekeeper import Timekeeper
from tpserver.store import FencedStore, Store, StoreError
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow

log = Logger()

HAND_OVER_SECONDS = 0.05
"""Seconds between checks whether a game can be handed over."""
HANDED_OVER_AT_ONCE = 20
"""Maximum handovers at once; each is a transaction."""

DUE_SECONDS = 2.0
"""Seconds between two searches of a node for due games without a lease holder."""
DUE_AT_ONCE = 20
"""Maximum games that a node takes in one search. Others may take the rest."""


class GamesOfNode(Protocol):
    """Interface of the registry that this module needs."""

    @property
    def games(self) -> Mapping[int, Game]: ...

    def living(self) -> list[Game]: ...

    def load_taken(self, saves: FencedStore) -> None: ...

    def drop(self, game: Game) -> None: ...


class ClusterGames:
    """Takes games of a cluster for this node, and hands them over. Used on the reactor's thread."""

    def __init__(
        self,
        node: Node,
        registry: GamesOfNode,
        directory: GameDirectory,
        store: Store,
        clocks: ClockService,
        timekeeper: Timekeeper,
        timers: Timers,
        now: Callable[[], float],
    ) -> None:
        self._node = node
        self._registry = registry
        self._directory = directory
        self._store = store
        self._clocks = clocks
        self._timekeeper = timekeeper
        self._timers = timers
        self._now = now
        self._looking_for_due: Timer | None = None

    # --- games at other nodes -----------------------------------------------------------------------------------------

    def go_to_least_loaded(self) -> None:
        """Raise GameElsewhere if another node is better for a new game."""
        if address := self._node.place_of_new_game():
            raise GameElsewhere("games are made at another node at the moment", address)

    def go_to_holder(self, name: str) -> None:
        """Raise GameElsewhere if another node holds the game of this name, or only another one can play it."""
        row = self._store.read(stored_games.by_name, name)
        if row is None or row.id in self._registry.games:
            return
        if address := self._node.holder_of(row.id):
            raise GameElsewhere(f"game {row.name!r} is played on the node at {address}", address)
        self._check_playable(row)

    def _check_playable(self, row: GameRow) -> None:
        """Raise GameElsewhere if this node lacks the rules of a game, and another one has them."""
        problem = self._directory.why_unplayable(row)
        if problem and (address := self._node.who_can_play(row.ruleset, row.ruleset_version)):
            raise GameElsewhere(problem, address)

    # --- taking games -------------------------------------------------------------------------------------------------

    def take(self, row: GameRow) -> tuple[GameRow, FencedStore]:
        """Take a game, and return its present row and the store for its changes. Raises GameError."""
        self._check_playable(row)
        self._clocks.wall_clock.look()  # its deadline is one by the present wall clock
        try:
            saves = self._node.take(row.id)
            return self._store.read(stored_games.by_id, row.id) or row, saves
        except HeldElsewhere as error:
            raise GameElsewhere(f"game {row.name!r} cannot be played here: {error}", error.address) from None
        except StoreError as error:
            log.error("game {game} cannot be taken: {why}", game=row.name, why=error.sentence)
            text = f"game {row.name!r} cannot be taken from the server's database now; try again in a moment"
            raise GameElsewhere(text) from None

    def give_back(self, saves: FencedStore | None) -> None:
        """Release a game that was taken but not loaded."""
        if saves is not None:
            self._node.release(saves).addErrback(lambda failure: None)

    def look_for_due(self) -> None:
        """Take and load games whose turns are due and that no node holds, now and every DUE_SECONDS."""
        self._looking_for_due = self._timers.callLater(DUE_SECONDS, self.look_for_due)
        if self._node.may_speak():
            self._node.take_due(self._now(), DUE_AT_ONCE).addCallbacks(self._load_due, lambda failure: None)

    def _load_due(self, taken: list[FencedStore]) -> None:
        self._clocks.wall_clock.look()
        for saves in taken:
            if saves.fence[2] != self._node.id:
                continue  # the life of this node that took them is over
            try:
                self._registry.load_taken(saves)
            except GameError as error:
                log.error("{error}", error=error)

    def stop(self) -> None:
        """Stop the searches for due games."""
        if self._looking_for_due is not None and self._looking_for_due.active():
            self._looking_for_due.cancel()

    # --- handing games over -------------------------------------------------------------------------------------------

    async def hand_over(self, game: Game) -> None:
        """Hand a game over to another node, once all of it is saved.

        It must not be called while a turn is computed. Its connections, and later logins to it, go there.
        """
        while game.closing or not game.saving.all_saved() or not self._timekeeper.is_saved(game):
            await pause(self._timers, HAND_OVER_SECONDS)
            if game.saving.stale:
                return  # lost, or loaded again
        if isinstance(saves := game.saving.store, FencedStore):
            self._registry.drop(game)
            await self._node.release(saves)

    async def drain(self) -> int:
        """Hand over all games of this node; return their number.

        The node takes no games until draining ends.
        """
        node, count = self._node, 0
        await node.drain(True)
        while node.draining and (games := self._registry.living()[:HANDED_OVER_AT_ONCE]):
            await gatherResults([Deferred.fromCoroutine(self.hand_over(game)) for game in games])
            count += len(games)
        # The end of draining is saved after this. Until then the node takes no games and has none in memory.
        return count + (await node.release_all() if node.draining else 0)
