"""Requests and disconnects while a login is still being checked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from tests.support.server import ServerProcess
from tests.support.wire import Gone, Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect


async def number_of_connections(line: Line) -> int:
    """Return the number of connections to its only game (TP04, Game: optional parameter 2)."""
    game = await line.one("get_games", tp.GetGames(), tp.Game)
    return next(parameter.int_value for parameter in game.parameters if parameter.id == 2)


async def all_in_one(server: ServerProcess, dialect: Dialect, name: str) -> None:
    line = await Line.open(server.port, dialect)
    login = tp.Login(username=name, password="secret")
    asked = [
        line.send("connect", tp.Connect(client="impatient")),
        line.send("login", login),
        line.send("get_player", tp.GetWithID(ids=[0])),
        line.send("get_object_ids", everything()),
        line.send("login", login),
        line.send("ping", tp.Ping()),
    ]
    kinds = [type(answer).__name__ for (answer,) in await asyncio.gather(*asked)]
    assert kinds == ["Okay", "Okay", "Player", "IDSequence", "Fail", "Okay"]
    assert not line.strange
    line.close()


def test_who_does_not_wait_for_the_answer_to_its_login_is_logged_in_as_well(
    live: Callable[..., ServerProcess],
) -> None:
    """All requests in one write: those behind the login are answered as if they had come after it."""
    server = live()
    server.start()
    server.create_game("sale", "auction", 3)

    async def hurry() -> None:
        for number, dialect in enumerate((TP03, TP04, PB)):
            await all_in_one(server, dialect, f"hasty{number}")

    asyncio.run(hurry())


def test_who_hangs_up_during_the_login_is_not_counted_among_the_connections(live: Callable[..., ServerProcess]) -> None:
    """Otherwise each would stay in memory for as long as the game does."""
    server = live()
    server.start()
    server.create_game("sale", "auction", 2)

    async def hang_up() -> int:
        watching = await Line.open(server.port, TP04)
        await watching.enter("onlooker")
        leaving = await Line.open(server.port, TP04)
        await leaving.enter("leaver")
        leaving.close()
        for _ in range(5):
            leaving = await Line.open(server.port, TP04)
            answer = leaving.send("login", tp.Login(username="leaver", password="secret"))
            await watching.one("ping", tp.Ping(), tp.Okay)  # the login is being looked into, or was a moment ago
            leaving.reset()
            with suppress(Gone):
                await answer
        # One more login of the same kind ends after those, whose passwords were looked at before.
        last = await Line.open(server.port, TP04)
        await last.enter("leaver")
        last.close()
        await last.gone.wait()
        there = 0
        for _ in range(1000):  # the server may not have heard yet that the last has gone
            there = await number_of_connections(watching)
            if there == 1:
                break
        return there

    assert asyncio.run(asyncio.wait_for(hang_up(), 60)) == 1
