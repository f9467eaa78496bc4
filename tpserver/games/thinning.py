"""Thinning: what the operator's rule (`tpserver.games.retention`) does not keep loses its world, a little at a time.

Only old turns change, of which nothing in memory knows, so that it needs no lock on a game and does not matter who does
it: in a cluster each node looks at all games, and finds what another one has thinned to be so.
"""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tpserver.concurrency import Clock
from tpserver.games.delay import MOST_DELAY
from tpserver.games.registry import GameRegistry
from tpserver.games.retention import KEEP_ALL, KeepRule
from tpserver.repeated import Repeated
from tpserver.store import StoreError
from tpserver.store import snapshots as stored
from tpserver.store.snapshots import Played

log = Logger()

LOOK_SECONDS = 3600.0
"""Seconds between two looks."""

AT_ONCE = 50
"""Maximum turns that are thinned in a transaction."""

RESTS = 4.0
"""How many times as long as it has looked at a game it rests: a fifth of a thread's time is used."""

DAY = 86400.0


class Thinning:
    """Thins the snapshots of a server, from when it is started until it is stopped.  ``rule`` may change meanwhile."""

    def __init__(self, registry: GameRegistry, clock: Clock, rule: KeepRule = KEEP_ALL) -> None:
        self._registry = registry
        self._clock = clock
        self._rule = rule
        self._done: dict[int, int] = {}
        """By game: up to which turn the rule was followed."""
        self._stopped = False
        self._looking = Repeated(clock, LOOK_SECONDS, self._look)

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        """Thin nothing more."""
        self._stopped = True
        self._looking.stop()

    @property
    def rule(self) -> KeepRule:
        """What is kept; another rule is followed from the next look on, in all turns that are still there."""
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
        """Thin all that is not kept; what cannot be done now is tried again at the next look."""
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
        """Thin the turns of one game, and return how many."""
        store, begun = self._registry.store, self._clock.seconds()
        # Who watches a game that is shown later sees one of these turns each time that one begins.
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
        resting: Deferred[None] = Deferred()
        self._clock.callLater(RESTS * max(0.0, self._clock.seconds() - begun), resting.callback, None)
        return resting
