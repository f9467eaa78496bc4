"""The blocking interface for scripts: waits, errors, no leftover threads."""

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.memory_client import Served
from tests.support.server_in_memory import text
from tests.support.workshop import SMALL_YARD, YARD, Wish
from tpclient.blocking import open_game
from tpclient.connection import Connection
from tpclient.errors import (
    BadArgument,
    ClientError,
    ConnectionClosed,
    NoAnswer,
    RequestFailed,
    ServerAway,
    UnknownName,
)
from tpclient.reconnect import Persistence

TUNE = {"Level": 1, "Turns": 1}


def client_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "tpclient"]


def test_a_script_plays(served: Served) -> None:
    """Look, probe, order, take back, order again, post, finish, wait for the next turn, read the messages."""
    (ann,) = served.do(served.server.begin, "ann")
    served.do(ann.insert, YARD, Wish.number, text("News"))
    served.do(ann.ask, "remove_message", id=0, slots=range(len(served.do(ann.messages))))
    told: list[tuple[int, int]] = []
    with open_game(
        f"tp://{served.address}",
        "ann",
        "ann's word",
        timeout=240,
        progress=lambda done, total: told.append((done, total)),
    ) as game:
        assert told[-1][0] == told[-1][1] >= len(game.universe.objects)
        assert (game.me, game.turn, game.is_awaited, game.is_over) == (1, 0, True, False)
        port = next(thing for thing in game.own() if "Tune" in [one.name for one in game.offers(thing)])
        assert game.universe.objects[port.id] == port in game.of_kind("Port")
        assert game.map().icons[SMALL_YARD].owners == ()
        assert game.probe(port, "Tune", TUNE).otype == 3
        assert game.order(port, "Tune", TUNE).slot == 1
        game.remove_order(port, 1)
        game.order(port.queue, "Tune", TUNE)
        assert len(game.orders[port.queue]) == 2
        game.post(game.me, "Note", "to self")
        assert 1000 in game.ask(lambda connection: connection.features())
        assert game.time_remaining().turn == 0
        with pytest.raises(NoAnswer, match=r"No turn after 0 began within 0\.01 seconds"):
            game.wait_for_turn(timeout=0.01)
        game.finish()
        assert game.wait_for_turn(timeout=240) == game.turn == game.clock.turn == 1
        assert [message.subject for message in game.messages()] == ["Note", "News"]
        assert [message.subject for message in game.messages(since=1)] == ["News"]
        assert not game.refresh()
    assert client_threads() == []


def test_errors_are_those_of_the_library(served: Served) -> None:
    """Refusals and mistakes are raised where they happen, and the game goes on; after the end a sentence says so."""
    served.do(served.server.begin, "ann")
    with open_game(served.address, "ann", "ann's word", timeout=240) as game:
        with pytest.raises(UnknownName, match="no order type 'Fly'"):
            game.order(YARD, "Fly")
        with pytest.raises(BadArgument, match="'Level' is missing"):
            game.order(YARD, "Tune")
        with pytest.raises(RequestFailed, match="in steps of 2, not 2"):
            game.order(YARD, "Tune", {"Level": 2, "Turns": 1})
        assert game.own()
    with pytest.raises(ConnectionClosed, match="The game was closed here"):
        game.refresh()
    game.close()


def test_a_game_that_cannot_be_opened(make_served: Callable[..., Served]) -> None:
    """Wrong password, nobody there, an address that makes no sense: the error, and no thread left."""
    served = make_served(policy="closed")
    with pytest.raises(RequestFailed, match="Wrong user name or password"):
        open_game(served.address, "ann", "secret", timeout=240)
    served.stop()
    with pytest.raises(ServerAway, match="nobody listens there"):
        open_game(served.address, "ann", "secret", timeout=240)
    with pytest.raises(BadArgument, match="an address begins with"):
        open_game("http://example.org", "ann", "secret")
    assert client_threads() == []


def test_the_connection_is_made_again_by_the_next_call(served: Served) -> None:
    """Lost between two calls: nothing happens until the script asks for something, and then it works."""
    (ann,) = served.do(served.server.begin, "ann")
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    persistence = Persistence(sleep=sleep)
    with open_game(served.address, "ann", "ann's word", timeout=240, persistence=persistence) as game:
        served.do(served.server.hang_up)
        assert slept == []
        game.refresh()
        assert len(slept) == 1 and 0.25 <= slept[0] <= 0.5
        game.order(YARD, "Tune", TUNE)
        assert len(served.do(ann.queue, YARD)) == 1
        assert served.server.asked.count((None, "login")) == 2


def test_an_exit_in_a_callback_is_raised_by_the_call(served: Served) -> None:
    """sys.exit() in a progress callback: no call hangs, neither this one nor those after it."""
    is_over = False

    def progress(done: int, wanted: int) -> None:
        if is_over:
            sys.exit("enough")

    served.do(served.server.begin, "ann")
    with open_game(served.address, "ann", "ann's word", timeout=240, progress=progress) as game:
        is_over = True
        served.do(served.server.close_turn)
        with pytest.raises(SystemExit, match="enough"):
            game.refresh()
        is_over = False
        game.refresh()


def test_a_callback_cannot_wait_for_the_thread_that_it_is_in(served: Served) -> None:
    """It would wait for itself; a sentence instead, and the game goes on."""
    problems: list[ClientError] = []
    served.do(served.server.begin, "ann")
    with open_game(served.address, "ann", "ann's word", timeout=240) as game:

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


def test_closing_from_another_thread_ends_every_call(served: Served) -> None:
    """Present and later calls get an error, and no thread is left."""
    served.do(served.server.begin, "ann")
    for _ in range(5):
        game = open_game(served.address, "ann", "ann's word", timeout=240)
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
    assert client_threads() == []
