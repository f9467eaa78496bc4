"""Replaced orders in a queue: the new order or the old one is there.

Clients do this in every dialect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tests.support.server import HOST, ServerProcess, preloaded_server
from tpclient.address import Address
from tpclient.connection import Connection
from tpclient.errors import BadArgument, ClientError, RequestFailed
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, Dialect

HOME, FLEET = 2, 4
"""The objects with the first player's orders in an auction, and in a synthetic game."""


Playing = Callable[[Connection], Coroutine[Any, Any, None]]


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server with an auction, which takes one bid a round, and a game in which a fleet takes many orders."""
    with preloaded_server() as started:
        started.create_game("bids", "auction", 2, clock="manual")
        started.create_game("fleets", "synthetic", 2, clock="manual", objects=20)
        yield started


@pytest.fixture(params=[TP03, PB], ids=["tp03", "pb"])
def dialect(request: pytest.FixtureRequest) -> Dialect:
    found: Dialect = request.param
    return found


@pytest.fixture
def play(server: ServerProcess, dialect: Dialect) -> Callable[[str, Playing], None]:
    """Let ann do something in a game that has begun; her queues are empty before and after."""

    async def log_in(user: str, game: str) -> Connection:
        connection = await Connection.open(Address(HOST, server.port), dialect, 240)
        await connection.connect()
        await connection.login(user, "secret", game)
        await connection.refresh(connection.universe())
        return connection

    async def run(game: str, do: Playing) -> None:
        async with await log_in("ann", game) as ann, await log_in("ben", game):
            await do(ann)
            for queue in (HOME,) if game == "bids" else (FLEET,):
                for order in reversed(await ann.orders(queue)):
                    await ann.remove_order(queue, order.slot)

    return lambda game, do: asyncio.run(run(game, do))


def numbers(orders: Any) -> list[int]:
    """Return the first number of each order."""
    return [order.parameters[0].range.value for order in orders]


def test_an_order_of_many_is_changed_and_moved(play: Any) -> None:
    async def do(ann: Connection) -> None:
        for effort in (1, 2, 3):
            await ann.insert_order(FLEET, "Work", {"effort": effort})
        queue = await ann.orders(FLEET)
        assert (await ann.replace_order(queue[1], "Work", {"effort": 9})).slot == 1
        assert numbers(await ann.orders(FLEET)) == [1, 9, 3]
        for start, end, after in ((0, 2, [9, 3, 1]), (2, 0, [1, 9, 3]), (1, 2, [1, 3, 9]), (1, 1, [1, 3, 9])):
            assert (await ann.move_order((await ann.orders(FLEET))[start], end)).slot == end
            assert numbers(await ann.orders(FLEET)) == after

    play("fleets", do)


def test_what_may_be_given_once_is_changed(play: Any) -> None:
    """The two can never be there together."""

    async def do(ann: Connection) -> None:
        await ann.insert_order(HOME, "Bid", {"gold": 3, "words": "first"})
        (old,) = await ann.orders(HOME)
        made = await ann.replace_order(old, "Bid", {"gold": 4, "words": "second"})
        (new,) = await ann.orders(HOME)
        assert (made.slot, made.parameters[0].range.value, new.parameters[1].string.string) == (0, 4, "second")

    play("bids", do)


def test_a_draft_is_finished(play: Any) -> None:
    async def do(ann: Connection) -> None:
        await ann.insert_order(HOME, "Gift", {"to": 0})
        (draft,) = await ann.orders(HOME)
        if ann.session.dialect is not TP03:  # there nothing tells a draft
            with pytest.raises(BadArgument, match="Something is not chosen yet"):
                await ann.move_order(draft, 0)
        await ann.replace_order(draft, "Gift", {"to": HOME + 1, "coins": {1: 2}})
        (order,) = await ann.orders(HOME)
        assert (order.parameters[0].object.object_id, order.turns) == (HOME + 1, 1)

    play("bids", do)


@pytest.mark.parametrize(
    ("kind", "arguments", "why"),
    [
        ("Bid", {"gold": 10, "words": ""}, "from 0 to 9"),
        ("Bid", {"gold": 4, "words": "second"}, "One offer a round is enough"),
        ("Gift", {"to": 1, "coins": {1: 1}}, "is no home"),
    ],
)
def test_a_change_that_is_refused_leaves_the_queue_as_it_was(
    play: Any, kind: str, arguments: dict[str, Any], why: str
) -> None:
    """The order itself is wrong, or another order of the queue prevents it, which a probe does not show."""

    async def do(ann: Connection) -> None:
        await ann.insert_order(HOME, "Gift", {"to": HOME + 1, "coins": {1: 2}})
        await ann.insert_order(HOME, "Bid", {"gold": 3, "words": "first"})
        before = await ann.orders(HOME)
        with pytest.raises(RequestFailed, match=why):
            await ann.replace_order(before[0], kind, arguments)
        assert await ann.orders(HOME) == before

    play("bids", do)


def test_what_is_not_there_any_more_is_not_changed(play: Any) -> None:
    """Another connection of the same player was quicker."""

    async def do(ann: Connection) -> None:
        for effort in (1, 2):
            await ann.insert_order(FLEET, "Work", {"effort": effort})
        old, _ = await ann.orders(FLEET)
        await ann.remove_order(FLEET, 0)
        for gone in (old, tp.Order(id=FLEET, slot=7, otype=old.otype, parameters=old.parameters)):
            with pytest.raises(ClientError, match="queue has changed meanwhile"):
                await ann.replace_order(gone, "Work", {"effort": 9})
        assert numbers(await ann.orders(FLEET)) == [2]

    play("fleets", do)
