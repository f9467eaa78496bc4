"""The life of a bot: wait until awaited, look, let a policy give orders, finish the turn, until the game is over.

A turn may begin or end at any moment, also while the bot is thinking. So the turn number is compared after every
answer, and what was meant for a turn that has passed is dropped.

This follows a game over one connection, and not as `following` does: a bot downloads only the turns in which it is
awaited, and reads no queues, so that many of them cost a server little; it ends with its connection.
"""

import random
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Protocol

from tpproto import tp_pb2
from tpproto.errors import FailCode

from ..connection import Connection
from ..errors import BadArgument, RequestFailed
from ..mail import Mail
from ..news import is_over
from ..objects import NOBODY
from ..parameters import Value
from ..universe import PASSING, PLAYABLE, ROOT, Universe

PATIENCE = 30.0
"""Seconds without news from the server after which the clock is asked for."""


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

    `chance` depends on the seed, the player and the turn's number only. `news` are the messages that have come since
    the turn before, letters of other players among them (`is_letter`); `number` is the turn's.
    """

    def __init__(
        self,
        connection: Connection,
        universe: Universe,
        number: int,
        chance: random.Random,
        news: list[tp_pb2.Message],
        ending: Ending,
    ) -> None:
        self.universe = universe
        self.number = number
        self.chance = chance
        self.news = news
        self._connection = connection
        self._ending = ending

    async def order(
        self, queue: int, name: str, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order | RequestFailed:
        """Append an order. The refusal is returned, not raised."""
        result = await self._try(self._connection.insert_order(queue, name, arguments))
        if isinstance(result, RequestFailed):
            self._ending.refused += 1
        else:
            self._ending.accepted += 1
        return result

    async def probe(
        self, queue: int, name: str, arguments: Mapping[str, Value] | None = None
    ) -> tp_pb2.Order | RequestFailed:
        """Ask what an order would become. The refusal is returned, not raised."""
        return await self._try(self._connection.probe(queue, name, arguments))

    async def _try(self, asking: Awaitable[tp_pb2.Order]) -> tp_pb2.Order | RequestFailed:
        result: tp_pb2.Order | RequestFailed
        try:
            result = await asking
        except RequestFailed as refusal:
            result = refusal
        self.check()
        return result

    def check(self) -> None:
        """Raise TurnPassed if this turn is over or being computed."""
        clock = self._connection.clock
        if clock is None or clock.turn != self.number or not clock.time:
            raise TurnPassed


async def play(connection: Connection, policy: Policy, seed: str) -> Ending:
    """Play with a connection that is logged in, until the game is over.

    Raises ConnectionClosed if the server hangs up before, and BadArgument for TP03, whose clock has no turn numbers.
    """
    if not connection.has_turn_numbers:
        raise BadArgument("Bots need TP04 or Protocol Buffers: the clock of TP03 does not say whose turn it is.")
    return await _Life(connection, policy, seed).run()


class _Life:
    def __init__(self, connection: Connection, policy: Policy, seed: str) -> None:
        self._connection = connection
        self._policy = policy
        self._seed = seed
        self._universe = connection.universe()
        self._ending = Ending()
        self._news: list[tp_pb2.Message] = []
        self._mail = Mail()
        self._heard_in: int | None = None
        self._finished: int | None = None
        self._is_over = False

    async def run(self) -> Ending:
        await self._connection.time_remaining()
        while True:
            clock = self._connection.clock
            assert clock is not None
            self._ending.last_turn = clock.turn
            if self._is_over or is_over(clock, ()):
                return self._ending
            if clock.time and clock.turn != self._finished:
                try:
                    await self._attend(clock.turn)
                except TurnPassed:
                    continue
            if not self._is_over:
                await self._connection.next_clock(clock, PATIENCE)

    async def _attend(self, number: int) -> None:
        """Look at a turn that is not finished yet, and play in it if we are awaited."""
        await self._read_board(number)
        if self._is_over:
            return
        if self._universe.me == NOBODY:
            await self._connection.refresh(self._universe, PLAYABLE)
        clock = self._connection.clock
        if clock is None or clock.turn != number:
            raise TurnPassed
        if self._universe.me not in clock.waiting:
            return
        await self._connection.refresh(self._universe, PASSING if self._ending.turns else PLAYABLE)
        if not self._universe.objects.keys() - {ROOT}:
            return  # only the root: the game waits for players
        await self._play(number)

    async def _play(self, number: int) -> None:
        chance = random.Random(f"{self._seed}/{self._universe.me}/{number}")
        turn = Turn(self._connection, self._universe, number, chance, self._news, self._ending)
        turn.check()
        self._news = []
        self._ending.turns += 1
        await self._policy.give_orders(turn)
        turn.check()
        try:
            await self._connection.finish_turn()
        except RequestFailed as refusal:
            if refusal.code == FailCode.UNAVAILABLE_PERMANENTLY:
                self._is_over = True
            elif refusal.code != FailCode.UNAVAILABLE_TEMPORARILY:
                raise
            return  # else the turn is just being computed; the clock will tell
        self._finished = number

    async def _read_board(self, number: int) -> None:
        if self._heard_in == number:
            return
        messages = (await self._mail.read(self._connection)).fresh
        self._heard_in = number
        self._news += messages
        self._is_over = self._connection.clock is not None and is_over(self._connection.clock, messages)
