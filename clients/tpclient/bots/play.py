"""How a bot plays: it follows a game, lets a policy give orders in each turn in which it is awaited, and finishes it.

A turn may end at any moment, also while the policy is choosing. So the turn number is compared before and after every
order, and what was meant for a turn that has passed is dropped.
"""

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from tpproto import tp_pb2
from tpproto.errors import FailCode

from ..errors import BadArgument, OrderUnconfirmed, RequestFailed
from ..events import ConnectionLost, GameEnded, GameReplaced, TurnStarted
from ..following import Game
from ..games import is_over
from ..orders import Arguments
from ..universe import Universe


class TurnPassed(Exception):
    """The turn for which something was planned is not the present one any more."""


@dataclass(slots=True)
class Ending:
    """What a bot did: turns it took part in, orders that were accepted and refused, and the number of the last turn."""

    turns: int = 0
    accepted: int = 0
    refused: int = 0
    last_turn: int = 0


class Policy(Protocol):
    """How a bot chooses. `give_orders` may raise TurnPassed, which every method of `Turn` does when it is too late."""

    async def give_orders(self, turn: "Turn") -> None: ...


class Turn:
    """One turn in which the bot is awaited: what it sees, and how it gives orders.

    `chance` depends on the seed, the player and the turn's number only; `number` is the turn's.
    """

    def __init__(self, game: Game, seed: str, ending: Ending) -> None:
        self.number = game.turn
        self.chance = random.Random(f"{seed}/{game.me}/{game.turn}")
        self._game = game
        self._ending = ending

    @property
    def universe(self) -> Universe:
        return self._game.universe

    async def order(self, queue: int, name: str, arguments: Arguments | None = None) -> tp_pb2.Order | RequestFailed:
        """Append an order. The refusal is returned, not raised."""
        result = await self._try(lambda: self._game.order(queue, name, arguments))
        if isinstance(result, RequestFailed):
            self._ending.refused += 1
        else:
            self._ending.accepted += 1
        return result

    async def probe(self, queue: int, name: str, arguments: Arguments | None = None) -> tp_pb2.Order | RequestFailed:
        """Ask what an order would become. The refusal is returned, not raised."""
        return await self._try(lambda: self._game.probe(queue, name, arguments))

    async def _try(self, ask: Callable[[], Awaitable[tp_pb2.Order]]) -> tp_pb2.Order | RequestFailed:
        result: tp_pb2.Order | RequestFailed
        self.check()
        try:
            result = await ask()
        except RequestFailed as refusal:
            result = refusal
        except OrderUnconfirmed as lost:
            raise TurnPassed from lost
        self.check()
        return result

    def check(self) -> None:
        """Raise TurnPassed if this turn is over or being computed."""
        clock = self._game.clock
        if clock.turn != self.number or not clock.time or self._game.turn != self.number:
            raise TurnPassed


async def play(game: Game, policy: Policy, seed: str) -> Ending:
    """Play a game that is followed until it is over.

    Raises what `Game.events` does if the server is away for good, and BadArgument for TP03, whose clock has no turn
    numbers.
    """
    if not game.has_turn_numbers:
        raise BadArgument("Bots need TP04 or Protocol Buffers: the clock of TP03 does not say whose turn it is.")
    ending = Ending()
    finished: int | None = None
    while not game.is_over:
        try:
            if game.is_stale:
                await game.refresh()  # a game's first turn has the number of the wait for it
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
                raise  # else the turn is just being computed
        if await _is_left(game):
            break
    ending.last_turn = game.clock.turn
    return ending


async def _is_left(game: Game) -> bool:
    """Wait for a turn; return whether there is none to come: the server has told the end, and has gone."""
    async for event in game.events():
        if isinstance(event, ConnectionLost) and is_over(game.clock, ()):
            return True
        if isinstance(event, TurnStarted | GameEnded | GameReplaced):
            return False
    return True
