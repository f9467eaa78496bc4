"""Thinning of old snapshots, a few at a time.

It removes the worlds that the operator's rule does not keep (`tpserver.games.terms.snapshot_retention`). It changes
only old turns, which no game in memory refers to. So it needs no lock on a game. In a cluster each node checks all
games, and skips turns that another node has already thinned.
"""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.concurrency import Clock, pause
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.terms.delay import MOST_DELAY
from tpserver.games.terms.snapshot_retention import KEEP_ALL, KeepRule
from tpserver.periodic import Repeated
from tpserver.store import StoreError
from tpserver.store.games import snapshots as stored
from tpserver.store.games.snapshots import Played

log = Logger()

LOOK_SECONDS = 3600.0
"""Seconds between two passes."""

AT_ONCE = 50
"""Maximum thinned turns in a transaction."""

RESTS = 4.0
"""Rest after a game, as a multiple of the time spent on it. So thinning uses a fifth of a thread's time."""

DAY = 86400.0


class Thinning:
    """Thins the snapshots of a server between its start and its stop. ``rule`` may change meanwhile."""

    def __init__(self, registry: GameRegistry, clock: Clock, rule: KeepRule = KEEP_ALL) -> None:
        self._registry = registry
        self._clock = clock
        self._rule = rule
        self._done: dict[int, int] = {}
        """By game: the last turn that was checked against the rule."""
        self._stopped = False
        self._looking = Repeated(clock, LOOK_SECONDS, self._look)

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        """Stop thinning."""
        self._stopped = True
        self._looking.stop()

    @property
    def rule(self) -> KeepRule:
        """The retention rule. A new rule applies from the next pass on, to all turns that still have snapshots."""
        return self._rule

    @rule.setter
    def rule(self, rule: KeepRule) -> None:
        if rule != self._rule:
            self._rule = rule
            self._done.clear()

    def _look(self) -> Deferred[None]:
        doing = Deferred.fromCoroutine(self.thin())
        return doing.addErrback(lambda failure: log.failure("old turns could not be thinned", failure))

    async def thin(self) -> None:
        """Thin all turns that the rule does not keep. Failed ones are tried again in the next pass."""
        rule = self._rule
        if rule.keeps_all:
            return
        thinned = 0
        try:
            store, state = self._registry.store, None if rule.days is None else "over"
            games = await store.read_later(stored.played, rule.last, state)
            there = {game.game for game in games}
            self._done = {game: turn for game, turn in self._done.items() if game in there}
            for game in games:
                if self._stopped or rule != self._rule:
                    return
                thinned += await self._thin_game(rule, game)
        except StoreError as error:
            if not self._stopped:
                log.error("old turns could not be thinned: {why}", why=error.sentence)
        if thinned:
            log.info("{thinned} old turns were thinned ({rule})", thinned=thinned, rule=str(rule))

    async def _thin_game(self, rule: KeepRule, game: Played) -> int:
        """Thin the turns of one game, and return their number."""
        store, begun = self._registry.store, self._clock.seconds()
        # Spectators of a delayed game open one of these turns each time that a turn begins.
        delay = game.watch_delay or 0
        later = delay + 1 if 0 < delay <= MOST_DELAY and game.state != "over" else 0
        until, done, thinned = game.turn - max(rule.last, later), self._done.get(game.game, -1), 0
        if done >= until:
            return 0
        if rule.days is not None:
            ended = await store.read_later(stored.ended, game.game)
            if ended is None or self._registry.now() < ended + rule.days * DAY:
                await self._rest(begun)
                return 0
        while done < until and not self._stopped:
            done, found = await store.read_later(stored.to_thin, game.game, rule.every, done, until, AT_ONCE)
            if found:
                await store.write(stored.thin, game.game, found)
                thinned += len(found)
            if rule == self._rule:
                self._done[game.game] = done
            await self._rest(begun)
            begun = self._clock.seconds()
        return thinned

    def _rest(self, begun: float) -> Deferred[None]:
        return pause(self._clock, RESTS * max(0.0, self._clock.seconds() - begun))
