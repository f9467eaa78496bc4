"""What breaks clients in the field: a look that is interrupted, a last word, a call from the wrong place, odd hosts."""

import asyncio
import sys
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from tpclient.blocking import open_game
from tpclient.connection import Connection
from tpclient.errors import BadArgument, ClientError, ConnectionClosed, RequestFailed
from tpclient.events import ThingsChanged
from tpclient.following import Game
from tpclient.login import Login
from tpclient.reconnect import Persistence
from tpclient.resuming import growing_pauses, scattered_pauses
from tpclient.universe import Changes, together
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04
from tpproto.frames import frame

ROWS = "0S s . / # m* x"


def played(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, 240))


async def follow(server: Any) -> Game:
    async def dial() -> Connection:
        connection: Connection = server.link(TP04, 5.0)
        return connection

    async def sleep(seconds: float) -> None:
        await asyncio.sleep(0)

    game = Game(Login(dial, "player0", "secret"), persistence=Persistence(sleep=sleep))
    await game.start()
    return game


def at(server: Any, kind: str, deed: Any) -> None:
    """Do something when the next request of a kind comes to the server, which answers it as ever."""
    answer = server.answer

    def answer_and_do(wire: Any, asked: str, message: Any) -> Any:
        if asked != kind:
            return answer(wire, asked, message)
        server.answer = answer
        said = answer(wire, asked, message)
        deed()
        return said

    server.answer = answer_and_do


async def order_elsewhere(server: Any, fake: Any) -> int:
    """Give an order on another connection of the same player, and return its queue."""
    ship: int = fake.hands[0][0]
    other = await server.connect("player0")
    universe = other.universe()
    await other.refresh(universe)
    await other.insert_order(ship, "Colonize", {"Star System": fake.systems[2, 1]})
    other.close()
    fake.put("queues", fake.tables["queues"][ship])  # its time rises, as a server's does
    return ship


async def told_of(game: Game, table: str) -> set[int]:
    found: set[int] = set()
    while game._events:
        event = game._events.popleft()
        if isinstance(event, ThingsChanged):
            found.update(event.changes.fetched.get(table, ()))
    return found


# --- a look that is interrupted


@pytest.mark.parametrize("kind", ["get_order", "get_boards"])
@pytest.mark.parametrize("is_cut", [False, True], ids=["cancelled", "cut"])
def test_an_interrupted_look_is_made_good_by_the_next(fake_server: Any, tae_game: Any, kind: str, is_cut: bool) -> None:
    """A timeout or a broken line between the list of what changed and the reading of it: nothing stays unread or
    untold."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        server = fake_server(fake)
        game = await follow(server)
        ship = await order_elsewhere(server, fake)
        looking = asyncio.create_task(game.refresh())
        if is_cut:

            def cut() -> None:
                for wire in server.wires:
                    wire.is_open = False
                game._reconnector.connection.ended(None)  # type: ignore[union-attr] # it is there

            at(server, kind, cut)
            await looking
        else:
            at(server, kind, looking.cancel)
            with pytest.raises(asyncio.CancelledError):
                await looking
            await game.refresh()
        assert [order.otype for order in game.orders[ship]] == [1]
        assert ship in await told_of(game, "queues")
        assert game.universe.queues[ship].num_orders == 1
        await game.close()

    played(run())


def test_an_interrupted_look_does_not_keep_from_finishing(fake_server: Any, tae_game: Any) -> None:
    """After a wait that timed out in the middle of a look the turn is still the one that we see."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        server = fake_server(fake)
        game = await follow(server)
        await order_elsewhere(server, fake)
        looking = asyncio.create_task(game.refresh())
        at(server, "get_order", looking.cancel)
        with pytest.raises(asyncio.CancelledError):
            await looking
        finished: list[bool] = []
        at(server, "finished_turn", lambda: finished.append(True))
        await game.finish_turn()
        assert finished
        await game.close()

    played(run())


def test_an_order_that_is_read_before_it_is_answered_is_there_once(fake_server: Any, tae_game: Any) -> None:
    """A look of another task may have brought it already."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        server = fake_server(fake)
        game = await follow(server)
        ship = fake.hands[0][0]

        def read() -> None:
            game.orders[ship] = tuple(fake.orders[ship])

        at(server, "order_insert", read)
        await game.order(ship, "Colonize", {"Star System": fake.systems[2, 1]})
        assert [order.slot for order in game.orders[ship]] == [0]
        await game.close()

    played(run())


def test_what_was_found_in_several_looks_is_told_as_one() -> None:
    """The last word about each thing counts."""
    first = Changes({"objects": (1, 2), "boards": (4,)}, {"objects": (3,)})
    then = Changes({"objects": (3, 5)}, {"objects": (1,)})
    assert together([first]) is first
    assert together([first, then]) == Changes({"objects": (2, 3, 5), "boards": (4,)}, {"objects": (1,), "boards": ()})


# --- the end of a connection


def test_a_refusal_is_an_answer_even_as_the_last_word(fake_server: Any, tae_game: Any) -> None:
    """A server that refuses and closes, as for a frame that is too long: its sentence, and no search for the order."""

    async def run() -> None:
        fake = tae_game(ROWS, "mr")
        fake.actions = 0
        server = fake_server(fake)
        game = await follow(server)
        loop = asyncio.get_running_loop()

        def refuse_and_close() -> None:
            connection = game._reconnector.connection
            assert connection is not None
            # After the answer, and before whoever waits for it can look.
            loop.call_soon(lambda: loop.call_soon(connection.ended, None))

        answer = server.answer

        def last_word(wire: Any, kind: str, message: Any) -> Any:
            if kind == "order_insert":
                refuse_and_close()
            return answer(wire, kind, message)

        server.answer = last_word
        with pytest.raises(RequestFailed, match="all orders of this turn"):
            await game.order(fake.hands[0][0], "Colonize", {"Star System": fake.systems[2, 1]})
        assert game.pending == []
        server.answer = answer
        await game.refresh()
        await game.close()

    played(run())


def test_a_game_that_is_closed_while_it_opens_stays_closed(fake_server: Any, tae_game: Any) -> None:
    async def run() -> None:
        server = fake_server(tae_game(ROWS, "mr"))
        connections: list[Connection] = []

        async def dial() -> Connection:
            connections.append(server.link(TP04, 5.0))
            return connections[-1]

        game = Game(Login(dial, "player0", "secret"))
        tasks: list[Any] = []
        at(server, "get_object_ids", lambda: tasks.append(asyncio.create_task(game.close())))
        with pytest.raises(ConnectionClosed, match="closed here"):
            await game.start()
        await tasks[0]
        assert not connections[0].is_open
        assert not game.is_connected

    played(run())


def test_nothing_is_heard_from_a_connection_that_has_ended() -> None:
    """A WebSocket may still hand over what was on its way; it is not for the connection that came after."""
    connection = Connection(TP04)
    heard: list[int] = []
    connection.on_clock = lambda clock, is_push: heard.append(clock.time)
    push = TP04.encode(frame(0, "time_remaining", tp.TimeRemaining(time=5, reason=1)))
    connection.received(push)
    connection.drop(ConnectionClosed("Gone."))
    connection.received(push)
    assert heard == [5]


def test_clients_do_not_all_come_back_at_once() -> None:
    """Each pause is between its half and its whole, by chance."""
    chances = iter([0.0, 0.999, 0.5])

    def first(pauses: Iterator[float]) -> list[float]:
        return [next(pauses) for _ in range(3)]

    full = first(growing_pauses())
    assert first(scattered_pauses(lambda: next(chances))) == [full[0] / 2, full[1] * 0.9995, full[2] * 0.75]
    assert first(scattered_pauses()) != first(scattered_pauses())


@pytest.mark.parametrize("host", ["a..b", "a" * 70, "\0x", "\ud800", "ä" * 70])
@pytest.mark.parametrize("scheme", ["tp", "tps", "ws", "wss"])
def test_a_host_that_can_be_no_name(scheme: str, host: str) -> None:
    """Python's name resolution refuses these with errors of its own; people get a sentence, and can print it."""
    with pytest.raises(BadArgument, match="can be no name of a host") as refused:
        asyncio.run(Connection.open(f"{scheme}://{host}", timeout=240))
    assert str(refused.value).encode()
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("host", ["x#y", "user@host"])
def test_a_host_that_no_web_address_can_have(host: str) -> None:
    with pytest.raises(BadArgument, match="can be no name of a host"):
        asyncio.run(Connection.open(f"ws://{host}", timeout=240))


# --- the blocking facade


def test_an_exit_in_a_callback_is_raised_by_the_call(serve: Any, tae_game: Any) -> None:
    """sys.exit() in a progress callback: no call hangs, neither this one nor those after it."""
    is_over = False

    def progress(done: int, wanted: int) -> None:
        if is_over:
            sys.exit("enough")

    fake = tae_game(ROWS, "mr")
    with open_game(serve(fake).address, "player0", "secret", timeout=240, progress=progress) as game:
        is_over = True
        fake.put("objects", fake.tables["objects"][0])
        with pytest.raises(SystemExit, match="enough"):
            game.refresh()
        is_over = False
        game.refresh()


def test_a_callback_cannot_wait_for_the_thread_that_it_is_in(serve: Any, tae_game: Any) -> None:
    """It would wait for itself; a sentence instead, and the game goes on."""
    problems: list[ClientError] = []
    with open_game(serve(tae_game(ROWS, "mr")).address, "player0", "secret", timeout=240) as game:

        async def curious(connection: Connection) -> None:
            for call in (game.refresh, game.close):
                try:
                    call()
                except ClientError as error:
                    problems.append(error)
            await connection.ping()

        game.ask(curious)
        assert [type(problem) for problem in problems] == [BadArgument, BadArgument]
        game.refresh()


def test_closing_from_another_thread_ends_every_call(serve: Any, tae_game: Any) -> None:
    """Whoever waits, and whoever comes later, is told; no thread is left."""
    for _ in range(5):
        game = open_game(serve(tae_game(ROWS, "mr")).address, "player0", "secret", timeout=240)
        problems: list[BaseException] = []
        begun = threading.Barrier(5)

        def wait(game: Any = game, problems: Any = problems, begun: Any = begun) -> None:
            begun.wait(240)
            try:
                while True:
                    game.time_remaining()
            except BaseException as error:
                problems.append(error)

        waiting = [threading.Thread(target=wait, daemon=True) for _ in range(4)]
        for thread in waiting:
            thread.start()
        begun.wait(240)
        game.close()
        for thread in waiting:
            thread.join(240)
            assert not thread.is_alive()
        assert [type(problem) for problem in problems] == [ConnectionClosed] * 4
        game.close()
        with pytest.raises(ConnectionClosed, match="closed here"):
            game.refresh()
    assert "tpclient" not in [thread.name for thread in threading.enumerate()]
