"""A client slower than the turns downloads everything.

Bots play as fast as they can meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.bots import bots_at_play
from tests.support.server import ServerProcess
from tests.support.wire import Line, everything
from tpclient.bots.random import RandomPolicy
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

LIMIT = 100.0
"""Seconds that anything may take on a busy machine; usually it takes two or three."""
USERS = ("reader-0", "reader-1")
CHUNK = 100
"""Objects in one request."""
TURNS_BETWEEN = 2
"""So many turns end at least between a list and its end."""


class _SlowReader:
    """Another connection of the first bot's player.

    It counts turns by what is pushed: 0 seconds while one is computed.
    """

    def __init__(self) -> None:
        self.line: Line
        self.turns = 0
        self._passed = asyncio.Event()

    def pushed(self, clock: tp.TimeRemaining) -> None:
        self.turns += clock.time == 0
        self._passed.set()

    async def wait(self) -> None:
        """Wait until some turns more have ended."""
        until = self.turns + TURNS_BETWEEN
        while self.turns < until:
            self._passed.clear()
            await asyncio.wait_for(self._passed.wait(), LIMIT)

    async def listed(self, what: str) -> list[int]:
        answer = await self.line.one(f"get_{what}_ids", everything(), tp.IDSequence)
        return [pair.id for pair in answer.ids]

    async def download(self) -> None:
        """List, let turns go by, fetch, and so on: nothing is refused, and all that is named is there."""
        ids = await self.listed("object")
        await self.wait()
        things: dict[int, Any] = {}
        for at in range(0, len(ids), CHUNK):
            answer = await self.line.ask("get_objects_by_id", tp.GetWithID(ids=ids[at : at + CHUNK]))
            refused = [thing.result for thing in answer if isinstance(thing, tp.Fail)]
            assert not refused, refused
            things.update((thing.id, thing) for thing in answer if isinstance(thing, tp.Object | tp.ClassicObject))
        assert list(things) == ids
        assert {child for thing in things.values() for child in thing.contains} <= things.keys()
        await self.wait()
        orders = {oid: thing.orders for oid, thing in things.items() if isinstance(thing, tp.ClassicObject)}
        if not orders:
            orders = await self._queues(things)
        await self.wait()
        for oid, count in orders.items():
            if count:
                answer = await self.line.ask("get_order", tp.GetWithIDSlot(id=oid, slots=range(count)))
                assert all(isinstance(order, tp.Order) for order in answer), answer

    async def _queues(self, things: dict[int, Any]) -> dict[int, int]:
        """Download the order queues; return how many orders each says to have."""
        assert {thing.parent for thing in things.values()} <= things.keys()
        named = {
            parameter.order_queue.queue_id
            for thing in things.values()
            for parameter in thing.parameters
            if parameter.HasField("order_queue")
        }
        ids = await self.listed("order_queue")
        assert named - {0} <= set(ids)
        await self.wait()
        answer = await self.line.ask("get_order_queue", tp.GetWithID(ids=ids))
        assert [queue.id for queue in answer if isinstance(queue, tp.OrderQueue)] == ids, answer
        return {queue.id: queue.num_orders for queue in answer if isinstance(queue, tp.OrderQueue)}


@pytest.mark.thorough
@pytest.mark.parametrize("ruleset", ["swarm", "colony_battle"])
def test_a_client_that_is_slower_than_the_turns_downloads_everything(live: Any, ruleset: str) -> None:
    """In each dialect, while another game of the bots goes on."""
    games = {f"{ruleset}-{dialect.name}": dialect for dialect in (TP03, TP04, PB)}

    async def read() -> None:
        for game, dialect in games.items():
            go = asyncio.Event()
            async with bots_at_play(server.port, USERS, game, lambda _: RandomPolicy(), begin=go):
                await _download(server, game, dialect, go)

    with live() as server:
        server.start()
        for game in games:
            server.create_game(game, ruleset, 2, seed="slow reader")
        asyncio.run(read())


async def _download(server: ServerProcess, game: str, dialect: Dialect, go: asyncio.Event) -> None:
    reader = _SlowReader()
    reader.line = await Line.open(server.port, dialect, reader.pushed)
    try:
        await reader.line.enter(USERS[0], game=game)
        await reader.line.learn_orders()
        await reader.line.learn_objects()
        go.set()
        await reader.wait()  # until the bots play
        await reader.download()
        assert not reader.line.strange
    finally:
        reader.line.close()
