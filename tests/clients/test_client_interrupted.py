"""Interrupted reads and orders: timeouts, lost connections, other tasks."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.support.memory_client import Frames, MemoryServer, Request
from tests.support.server_in_memory import text
from tests.support.workshop import YARD, Tune, Wish
from tpclient.connection import Connection, Login
from tpclient.errors import ConnectionClosed, RequestFailed, TurnPassed
from tpclient.events import ThingsChanged
from tpclient.following import Game
from tpclient.reconnect import Persistence


def played(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 240))


async def follow(server: MemoryServer) -> Game:
    async def dial() -> Connection:
        return server.link()

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    game = Game(Login(dial, "ann", "ann's word"), persistence=Persistence(sleep=sleep))
    await game.start()
    return game


def at(server: MemoryServer, kind: str, deed: Callable[[], Any]) -> None:
    """Do something when the next request of a kind comes to the server, which answers it as ever."""

    def answer_and_do(request: Request) -> Frames:
        frames = request.answered()
        deed()
        return frames

    server.next_time(kind, answer_and_do)


async def told_of(game: Game, table: str) -> set[int]:
    found: set[int] = set()
    while game.unread:
        event = game.unread.popleft()
        if isinstance(event, ThingsChanged):
            found.update(event.changes.fetched.get(table, ()))
    return found


@pytest.mark.parametrize("kind", ["get_order", "get_boards"])
@pytest.mark.parametrize("is_cut", [False, True], ids=["cancelled", "cut"])
def test_an_interrupted_look_is_made_good_by_the_next(server: MemoryServer, kind: str, is_cut: bool) -> None:
    """A timeout or a lost connection between the list of changes and their download loses nothing.

    The next refresh reads all changes and reports them.
    """

    async def run() -> None:
        (ann,) = server.begin("ann")
        game = await follow(server)
        ann.insert(YARD, Wish.number, text("a hat"))
        ann.ask("post_message", id=0, slot=-1, subject="Note", body="to self")
        looking = asyncio.create_task(game.refresh())
        if is_cut:
            at(server, kind, server.hang_up)
            await looking
        else:
            at(server, kind, looking.cancel)
            with pytest.raises(asyncio.CancelledError):
                await looking
            await game.refresh()
        assert [order.otype for order in game.orders[YARD]] == [Wish.number]
        assert YARD in await told_of(game, "queues")
        assert game.universe.queues[YARD].num_orders == 1
        await game.close()

    played(run())


def test_an_interrupted_look_does_not_keep_from_finishing(server: MemoryServer) -> None:
    """After a wait that timed out in the middle of a look the turn is still the one that we see."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        game = await follow(server)
        ann.insert(YARD, Wish.number, text("a hat"))
        looking = asyncio.create_task(game.refresh())
        at(server, "get_order", looking.cancel)
        with pytest.raises(asyncio.CancelledError):
            await looking
        await game.finish_turn()
        assert (0, "finished_turn") in server.asked
        await game.close()

    played(run())


def test_an_interrupted_look_at_a_turn_leaves_it_unseen(server: MemoryServer) -> None:
    """A turn that has begun and was not downloaded is not finished."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(server)
        server.close_turn()
        await asyncio.sleep(0)  # the clock is heard
        looking = asyncio.create_task(game.refresh())
        at(server, "get_object_ids", looking.cancel)
        with pytest.raises(asyncio.CancelledError):
            await looking
        with pytest.raises(TurnPassed):
            await game.finish_turn()
        assert (0, "finished_turn") not in server.asked
        await game.close()

    played(run())


def test_an_order_that_is_read_before_it_is_answered_is_there_once(server: MemoryServer) -> None:
    """A look of another task may have brought it already, and others with it."""

    async def run() -> None:
        (ann,) = server.begin("ann")
        game = await follow(server)

        def order_and_read() -> None:
            ann.insert(YARD, Wish.number, text("a hat"))
            game.orders[YARD] = tuple(ann.queue(YARD))

        at(server, "order_insert", order_and_read)
        await game.order(YARD, "Tune", {"Level": 1, "Turns": 1})
        assert [order.otype for order in game.orders[YARD]] == [Tune.number, Wish.number]
        assert [order.slot for order in game.orders[YARD]] == [0, 1]
        await game.close()

    played(run())


def test_a_refusal_is_an_answer_even_as_the_last_word(server: MemoryServer) -> None:
    """A server that refuses and closes, as for a frame that is too long: its sentence, and no search for the order."""

    async def run() -> None:
        server.begin("ann")
        game = await follow(server)
        call_soon = asyncio.get_running_loop().call_soon
        # It hangs up after the answer, and before whoever waits for it can look.
        at(server, "order_insert", lambda: call_soon(call_soon, server.hang_up))
        with pytest.raises(RequestFailed, match="in steps of 2, not 2"):
            await game.order(YARD, "Tune", {"Level": 2, "Turns": 1})
        assert not game.is_connected
        assert game.pending == []
        await game.refresh()
        await game.close()

    played(run())


def test_a_game_that_is_closed_while_it_opens_stays_closed(server: MemoryServer) -> None:
    async def run() -> None:
        server.begin("ann")
        connections: list[Connection] = []

        async def dial() -> Connection:
            connections.append(server.link())
            return connections[-1]

        game = Game(Login(dial, "ann", "ann's word"))
        tasks: list[Any] = []
        at(server, "get_object_ids", lambda: tasks.append(asyncio.create_task(game.close())))
        with pytest.raises(ConnectionClosed, match="closed here"):
            await game.start()
        await tasks[0]
        assert not connections[0].is_open
        assert not game.is_connected

    played(run())
