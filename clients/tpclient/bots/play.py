"""The loop of a bot: follow a game, give orders by a policy, finish.

A turn may end at any moment, even while the policy chooses. So the loop compares the turn number before and after each
order, and drops orders meant for a turn that has passed.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from tpclient.errors import BadArgument, OrderUnconfirmed, RequestFailed, TurnPassed
from tpclient.events import ConnectionLost, GameEnded, GameReplaced, TurnStarted
from tpclient.following import Game
from tpclient.games import is_over
from tpclient.objects import SpaceObject
from tpclient.orders import Arguments, OrderType
from tpclient.universe import Universe
from tpproto import tp_pb2
from tpproto.errors import FailCode


@dataclass(slots=True)
class Ending:
    """The results of a bot: turns, accepted and refused orders, last turn.

    The last turn is its number.
    """

    turns: int = 0
    accepted: int = 0
    refused: int = 0
    last_turn: int = 0


class Policy(Protocol):
    """The choices of a bot.

    `give_orders` may raise TurnPassed. Every method of `Turn` raises it if the turn is over.
    """

    async def give_orders(self, turn: "Turn") -> None: ...


class Turn:
    """One turn in which the bot is awaited: its view, and the methods to give orders.

    `chance` depends on the seed, the player and the turn's number only. `number` is that of the turn.
    """

    def __init__(self, game: Game, seed: str, ending: Ending) -> None:
        self.number = game.turn
        self.chance = random.Random(f"{seed}/{game.me}/{game.turn}")
        self._game = game
        self._ending = ending

    @property
    def universe(self) -> Universe:
        return self._game.universe

    async def legal_orders(self) -> list[tp_pb2.LegalOrder]:
        """Return the orders that can be given now (`Game.legal_orders`)."""
        self.check()
        found = await self._game.legal_orders()
        self.check()
        return found

    async def legal_arguments(self, order: tp_pb2.LegalOrder) -> list[tp_pb2.OrderParameter] | None:
        """Draw a value for each parameter of a legal order; return None if no value fits."""
        self.check()
        found = await self._game.legal_arguments(order, self.chance.choice)
        self.check()
        return found

    async def order(
        self, carrier: int | SpaceObject, kind: OrderType, arguments: Arguments | None = None
    ) -> tp_pb2.Order | RequestFailed:
        """Append an order to the queue of an object, or to a queue by its id. Returns the refusal, if any."""
        result = await self._try(lambda: self._game.order(carrier, kind, arguments))
        if isinstance(result, RequestFailed):
            self._ending.refused += 1
        else:
            self._ending.accepted += 1
        return result

    async def probe(self, queue: int, name: str, arguments: Arguments | None = None) -> tp_pb2.Order | RequestFailed:
        """Return the result of a probe of an order, or its refusal."""
        return await self._try(lambda: self._game.probe(queue, name, arguments))

    async def _try(self, ask: Callable[[], Awaitable[tp_pb2.Order]]) -> tp_pb2.Order | RequestFailed:
        result: tp_pb2.Order | RequestFailed
        self.check()
        try:
            result = await ask()
        except RequestFailed as refusal:
            result = refusal
        except OrderUnconfirmed as lost:
            raise TurnPassed(f"Turn {self.number} has ended.") from lost
        self.check()
        return result

    def check(self) -> None:
        """Raise TurnPassed if this turn is over or being computed."""
        clock = self._game.clock
        if clock.turn != self.number or not clock.time or self._game.turn != self.number:
            raise TurnPassed(f"Turn {self.number} has ended.")


async def play(game: Game, policy: Policy, seed: str) -> Ending:
    """Play a followed game until it is over.

    Raises the errors of `Game.events` if the server is permanently unavailable. Raises BadArgument for TP03, whose
    clock has no turn numbers.
    """
    if not game.has_turn_numbers:
        raise BadArgument("Bots need TP04 or Protocol Buffers: the clock of TP03 does not say whose turn it is.")
    ending = Ending()
    finished: int | None = None
    while not game.is_over:
        try:
            if game.is_stale:
                await game.refresh()  # a game's first turn has the same number as the wait before it
            if game.is_awaited and game.clock.time and game.turn != finished:
                turn = Turn(game, seed, ending)
                turn.check()
                ending.turns += 1
                await policy.give_orders(turn)
                turn.check()
                await game.finish_turn()
                finished = game.turn
        except TurnPassed:
            pass
        except RequestFailed as refusal:
            if refusal.code == FailCode.UNAVAILABLE_PERMANENTLY:
                break
            if refusal.code != FailCode.UNAVAILABLE_TEMPORARILY:
                raise  # else the server is computing the turn
        if await _is_left(game):
            break
    ending.last_turn = game.clock.turn
    return ending


async def _is_left(game: Game) -> bool:
    """Wait for a turn. Return whether there is none, because the server has reported the end and is unavailable."""
    async for event in game.events():
        if isinstance(event, ConnectionLost) and is_over(game.clock, ()):
            return True
        if isinstance(event, TurnStarted | GameEnded | GameReplaced):
            return False
    return True
