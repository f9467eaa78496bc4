"""The game for scripts: every call waits, errors are the library's, nothing is left running."""

import asyncio
import threading
from typing import Any

import pytest

from tpclient.blocking import open_game
from tpclient.errors import BadArgument, ConnectionClosed, NoAnswer, RequestFailed, ServerAway, UnknownName
from tpclient.reconnect import Persistence

ROWS = "0S s . / # m* x"


def client_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "tpclient"]


def test_a_script_plays(serve: Any, tae_game: Any) -> None:
    """Look, probe, order, take back, order again, post, finish, wait for the next turn, read the messages."""
    fake = tae_game(ROWS, "mr")
    fake.actions = 9
    served = serve(fake)

    def closed() -> None:
        fake.turn += 1
        fake.write(1, "News", "of turn 2")

    fake.closed = closed
    told: list[tuple[int, int]] = []
    target = fake.systems[2, 1]
    with open_game(
        f"tp://{served.address}",
        "player0",
        "secret",
        timeout=240,
        progress=lambda done, total: told.append((done, total)),
    ) as game:
        assert told[-1][0] == told[-1][1] >= len(fake.tables["objects"])
        assert (game.me, game.turn, game.is_awaited, game.is_over) == (1, 1, True, False)
        ship = next(thing for thing in game.own() if [one.name for one in game.offers(thing)] == ["Colonize"])
        assert game.universe.objects[ship.id] == ship in game.of_kind("Fleet")
        assert game.map().icons[target].owners == ()
        assert game.probe(ship, "Colonize", {"Star System": target}).otype == 1
        assert game.order(ship, "Colonize", {"Star System": target}).slot == 0
        game.remove_order(ship, 0)
        game.order(ship.queue, "Colonize", {"Star System": target})
        assert len(game.orders[ship.queue]) == 1
        game.post(game.me, "Note", "to self")
        assert game.ask(lambda connection: connection.features()) == [5, 1000]
        assert game.time_remaining().turn == 1
        with pytest.raises(NoAnswer, match=r"No turn after 1 began within 0\.01 seconds"):
            game.wait_for_turn(timeout=0.01)
        game.finish()
        assert game.wait_for_turn(timeout=240) == game.turn == game.clock.turn == 2
        assert [message.subject for message in game.messages()] == ["Note", "News"]
        assert [message.subject for message in game.messages(since=2)] == ["News"]
        assert not game.refresh()
    assert client_threads() == []


def test_errors_are_those_of_the_library(serve: Any, tae_game: Any) -> None:
    """Refusals and mistakes are raised where they happen, and the game goes on; after the end a sentence says so."""
    fake = tae_game(ROWS, "mr")
    served = serve(fake)
    with open_game(served.address, "player0", "secret", timeout=240) as game:
        ship = fake.hands[0][0]
        with pytest.raises(UnknownName, match="no order type 'Fly'"):
            game.order(ship, "Fly")
        with pytest.raises(BadArgument, match="'Star System' is missing"):
            game.order(ship, "Colonize")
        with pytest.raises(RequestFailed, match="Not for this object"):
            game.order(ship, "Move", {"Star System": fake.systems[2, 1]})
        assert game.own()
    with pytest.raises(ConnectionClosed, match="The game was closed here"):
        game.refresh()
    game.close()


def test_a_game_that_cannot_be_opened(serve: Any, fake_game: Any) -> None:
    """Wrong password, nobody there, an address that makes no sense: the error, and no thread left."""
    served = serve(fake_game("player0"))
    served.server.accounts = set()
    with pytest.raises(RequestFailed, match="Wrong user name or password"):
        open_game(served.address, "player0", "secret", timeout=240)
    served.stop()
    with pytest.raises(ServerAway, match="nobody listens there"):
        open_game(served.address, "player0", "secret", timeout=240)
    with pytest.raises(BadArgument, match="an address begins with"):
        open_game("http://example.org", "player0", "secret")
    assert client_threads() == []


def test_the_connection_is_made_again_by_the_next_call(serve: Any, tae_game: Any) -> None:
    """Lost between two calls: nothing happens until the script asks for something, and then it works."""
    fake = tae_game(ROWS, "mr")
    served = serve(fake)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    def hang_up() -> None:
        for writer in served.server.writers:
            writer.close()
        hung_up.set()

    with open_game(served.address, "player0", "secret", timeout=240, persistence=Persistence(sleep=sleep)) as game:
        hung_up = threading.Event()
        served.loop.call_soon_threadsafe(hang_up)
        assert hung_up.wait(240)
        assert slept == []
        game.refresh()
        assert len(slept) == 1 and 0.25 <= slept[0] <= 0.5
        game.order(fake.hands[0][0], "Colonize", {"Star System": fake.systems[2, 1]})
        assert len(fake.given) == 1
        assert len(served.server.logins) == 2
