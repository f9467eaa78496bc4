"""Login to an account without a game: its games and its kept logins.

From there a player enters a game, or creates one.
"""

import asyncio
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer
from tpclient.errors import BadArgument, RequestFailed
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04
from tpserver.requests.lobby import my_games


def test_from_the_account_into_one_of_its_games(server: MemoryServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is complete though the server sends it in parts. A refusal leaves the connection as it was."""

    async def run() -> None:
        for name in ("first", "second", "third"):
            server.create(name, "workshop", 1)
            server.player("ann", game=name)
        monkeypatch.setattr(my_games, "GAMES_AT_ONCE", 2)
        connection = server.link(PB)
        with pytest.raises(RequestFailed):
            await connection.login_account("ann", "wrong")
        assert await connection.login_account("ann", "ann's word") == "ann"
        assert [game.name for game in await connection.my_games()] == ["third", "second", "first"]
        with pytest.raises(RequestFailed, match="no game 'nowhere'"):
            await connection.enter_game("nowhere")
        assert await connection.enter_game("second") == "Welcome to second, ann; you are player 1"
        assert connection.welcome == "Welcome to second, ann; you are player 1"
        assert (await connection.time_remaining()).waiting == [1]

    asyncio.run(run())


def test_a_game_is_made_and_somebody_invited(server: MemoryServer) -> None:
    async def run() -> None:
        ann, ben = server.link(PB), server.link(PB)
        names = [ruleset.name for ruleset in await ann.rulesets()]
        assert "workshop" in names
        for connection, name in ((ann, "ann"), (ben, "ben")):
            await connection.login_account(name, f"{name}'s word")
        wanted = tp.CreateGame(name="club", ruleset="workshop", seats=2, invited=True)
        assert await ann.create_game(wanted) == "The game club is made, and you have a seat in it"
        with pytest.raises(RequestFailed, match="for invited players only"):
            await ben.enter_game("club")
        assert "you are player 2" in await ben.enter_game("club", await ann.invitation("club"))

    asyncio.run(run())


def test_a_kept_login_is_listed_and_revoked(server: MemoryServer) -> None:
    async def run() -> None:
        connection = server.link(PB)
        await connection.login_account("ann", "ann's word")
        ticket = server.host.logins.ticket(1, "a browser", next(iter(server.host.sessions)))
        await server.host.logins.redeem(ticket)
        (kept,) = await connection.kept_logins()
        assert (kept.id, kept.label) == (1, "a browser")
        with pytest.raises(RequestFailed):
            await connection.revoke_login(7)
        await connection.revoke_login(1)
        assert await connection.kept_logins() == []

    asyncio.run(run())


@pytest.mark.parametrize("dialect", [TP03, TP04], ids=lambda one: one.name)
def test_older_dialects_cannot_ask(server: MemoryServer, dialect: Any) -> None:
    """A sentence says which one can, and nothing is sent."""

    async def run() -> None:
        connection = server.link(dialect)
        for asked in (
            connection.login_account("ann", "ann's word"),
            connection.enter_game("first"),
            connection.my_games(),
            connection.rulesets(),
            connection.create_game(tp.CreateGame()),
            connection.invitation("first"),
            connection.kept_logins(),
            connection.revoke_login(),
        ):
            with pytest.raises(BadArgument, match=r"Protocol Buffers can \(dialect pb\)"):
                await asked
        await connection.ping()

    asyncio.run(run())
