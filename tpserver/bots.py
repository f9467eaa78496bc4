"""Bots in seats: they take open seats and give orders.

The server chooses the seats, the ruleset chooses the orders. A bot has no account and no connection. Its orders are
checked, journaled and executed like those of any player.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tprules.api import Dice, Order, Refusal, Seat
from tprules.api.bots import bot_orders
from tpserver.concurrency import Executor, Slices, Timers
from tpserver.games.core import attendance, phases
from tpserver.games.core.errors import GameError
from tpserver.games.core.game import Game
from tpserver.games.core.saving import NotSaved
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.seats.seat_service import free_bot_name
from tpserver.games.turns import order_intake
from tpserver.rules.call_limits import WATCHDOG
from tpserver.store import StoreError

log = Logger()

BOT_SECONDS = 5.0
"""Maximum seconds in which a bot chooses the orders of one turn. After that it ends its turn without any."""

SLICE_SECONDS = 0.005
"""Seconds of orders after which other connections are served."""


class Bots:
    """The bots of all games of a server. Used on the reactor's thread.

    ``compute`` runs the rules' bots away from that thread.
    """

    def __init__(
        self, registry: GameRegistry, timers: Timers, compute: Executor, clock: Callable[[], float] = time.perf_counter
    ) -> None:
        self._registry = registry
        self._timers = timers
        self._compute = compute
        self._clock = clock
        self._busy = registry.idle.busy
        """Games, by id, for which ``_attend`` runs."""
        self._failed: set[int] = set()
        """Games, by id, whose failing bot was logged."""
        self._stopped = False

    def look_at_all(self) -> None:
        """Call ``look`` for every game in memory."""
        for game in list(self._registry.games.values()):
            self.look(game)

    def look(self, game: Game) -> None:
        """Give bots their seats in a game, and play the present turn for those in seats."""
        number = game.row.id
        if number in self._busy or self._stopped or not (game.row.bots or _seats_of_bots(game)):
            return
        self._busy.add(number)
        Deferred.fromCoroutine(self._attend(number)).addErrback(self._cannot_play, number)

    def stop(self) -> None:
        """Give no more orders, and drop those that bots are choosing."""
        self._stopped = True

    async def _attend(self, number: int) -> None:
        try:
            await self._take_seats(number)
            while True:
                game = self._registry.games.get(number)
                seat = None if game is None else self._next(game)
                if game is None or seat is None:
                    return
                await self._play(game, seat)
        finally:
            # Nothing is awaited between the last check of the game and this line, so no change is missed.
            self._busy.discard(number)

    def _cannot_play(self, failure: Failure, number: int) -> None:
        if self._stopped:
            return
        game = self._registry.games.get(number)
        name = f"number {number}" if game is None else game.name
        if isinstance(failure.value, GameError | NotSaved | StoreError):
            log.error("the bots of {game} cannot play: {why}", game=name, why=str(failure.value))
        else:
            log.failure("the bots of {game} cannot play", failure, game=name)

    # --- seats ----------------------------------------------------------------------------------------------------

    async def _take_seats(self, number: int) -> None:
        game = self._registry.with_id(number)
        while (
            sum(player.bot for player in game.players) < game.row.bots
            and game.open_seats()
            and not (game.over or self._stopped)
        ):
            await self._registry.lobby.take_seat(game, None, free_bot_name(game, self._registry.store), bot=True)
            game = self._registry.with_id(number)

    # --- turns ----------------------------------------------------------------------------------------------------

    def _next(self, game: Game) -> Seat | None:
        """Return the first awaited seat of a bot, if the game accepts orders now."""
        if self._stopped:
            return None
        try:
            order_intake.check_open(game)
        except Refusal:
            return None  # the next turn calls `look` again
        return next((seat for seat in _awaited(game) if attendance.bot_plays(game, seat)), None)

    def _may_play(self, game: Game, seat: Seat) -> bool:
        """Return whether a bot still plays a seat in this turn, as its player may have returned."""
        return self._next(game) is not None and attendance.bot_plays(game, seat) and seat not in game.finished

    async def _play(self, game: Game, seat: Seat) -> None:
        """Give the orders of a bot and finish its turn, unless the turn has ended meanwhile."""
        state = game.state
        orders = await self._choose(game, seat)
        slices = Slices(self._timers, SLICE_SECONDS, self._clock)
        for order in orders:
            if game.state is not state or not self._may_play(game, seat):
                return
            with suppress(Refusal):  # the disk is too slow, or the rules have failed: see the log
                self._give(game, seat, order)
            await slices.rest()
        if game.state is state and self._may_play(game, seat):
            self._registry.turns.finished(game, seat)

    def _give(self, game: Game, seat: Seat, order: Order) -> None:
        now = self._registry.now()
        change = order_intake.insertion(game, seat, order.on, order.type, order.args, -1, now)
        order_intake.make(game, change, now)
        self._registry.turns.ordered(game, change.order)

    async def _choose(self, game: Game, seat: Seat) -> list[Order]:
        """Return the orders from the ruleset's bot, or none if it fails or takes too long."""
        own = {on: list(queue) for on, queue in game.state.queues.items() if queue[0].seat == seat}
        state = replace(game.state, queues=own)
        rules = game.rules
        # So the bot's moves reveal nothing about the dice of the game itself.
        dice = Dice.named(hashlib.sha256(b"bots " + game.row.seed).digest(), seat, state.turn)

        def choose() -> list[Order]:
            return bot_orders(rules, state, seat, dice)

        try:
            return await self._compute(lambda: WATCHDOG.call(BOT_SECONDS, choose, game.caller))
        except Exception:
            if game.row.id not in self._failed:
                self._failed.add(game.row.id)
                log.failure("{game}: the bot of ruleset {rules} failed; in such turns it gives no orders",
                            game=game.name, rules=rules.name)  # fmt: skip
            return []


def _awaited(game: Game) -> list[Seat]:
    """Return the active seats that have not finished, with those for which the turn does not wait."""
    return [seat for seat in phases.active(game) if seat not in game.finished]


def _seats_of_bots(game: Game) -> list[Seat]:
    return [player.seat for player in game.players if attendance.bot_plays(game, player.seat)]
