"""Random bots on real servers, for every shipped ruleset.

They play from order descriptions and probes alone.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from tests.support.bots import Enough, bots_at_play, until_enough
from tests.support.rulesets import shipped
from tests.support.server import ServerProcess
from tpclient.bots.play import Policy, Turn
from tpclient.bots.random import MOST_QUESTIONS, RandomPolicy
from tpclient.following import Game

TURNS = 15
"""So many turns of each game are played, if it has as many."""


class _Watched(Policy):
    """A random bot, its questions and orders counted.

    ``answered`` and ``attended`` count turns with an accepted order, and all of them, by the names of the order types
    that were offered: another phase is another set of names.
    """

    def __init__(self) -> None:
        self.bot = RandomPolicy()
        self.questions = 0
        self.attended: Counter[tuple[str, ...]] = Counter()
        self.answered: Counter[tuple[str, ...]] = Counter()

    async def give_orders(self, turn: Turn) -> None:
        if turn.number >= TURNS:
            raise Enough
        universe = turn.universe
        offered = tuple(sorted({one.name for thing in universe.own() for one in universe.offers(thing)}))
        counted = _Counted(turn)
        await self.bot.give_orders(counted)  # type: ignore[arg-type] # it has what a policy uses of a Turn
        assert counted.questions <= MOST_QUESTIONS
        if offered:
            self.attended[offered] += 1
            self.answered[offered] += counted.accepted > 0


class _Counted:
    """A turn that counts what is asked."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.universe, self.number, self.chance = turn.universe, turn.number, turn.chance
        self.questions = self.accepted = 0

    async def order(self, *arguments: Any) -> Any:
        self.questions += 1
        result = await self._turn.order(*arguments)
        self.accepted += not isinstance(result, Exception)
        return result

    async def probe(self, *arguments: Any) -> Any:
        self.questions += 1
        return await self._turn.probe(*arguments)


async def _played(server: ServerProcess, game: str, seats: int) -> list[_Watched]:
    """Let random bots play until the game is over or has gone on long enough; return what they did."""
    policies: list[_Watched] = []

    def policy(_: Game) -> Policy:
        policies.append(_Watched())
        return policies[-1]

    async with bots_at_play(server.port, [f"random-{seat}" for seat in range(seats)], game, policy) as (_, lives):
        await until_enough(lives)
    return policies


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", shipped())
def test_random_bots_play_every_shipped_game(live, ruleset):
    """Orders are accepted in most turns of every phase in which a bot is awaited, with bounded questions in each."""
    with live() as server:
        server.create_game(ruleset, ruleset, 2, seed="random bots")
        server.start()
        attended: Counter[tuple[str, ...]] = Counter()
        answered: Counter[tuple[str, ...]] = Counter()
        for policy in asyncio.run(_played(server, ruleset, 2)):
            attended += policy.attended
            answered += policy.answered
    assert attended.total() >= 10
    assert answered.total() > attended.total() / 2
