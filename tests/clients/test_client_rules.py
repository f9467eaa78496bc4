"""Requests for the rules: on a connection, in a game, in a script.

They also work at an address without a login.
"""

import asyncio
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served, fail
from tpclient import Game, Manual, open_game, read_manual
from tpclient.connection import ruleset_of
from tpclient.errors import BadArgument, RequestFailed, UnknownName
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04

TITLE = "TaE: Tigris and Euphrates in space"


def test_on_a_connection(server: MemoryServer) -> None:
    """Before login by the ruleset's name, in a game without one; a refusal is the server's."""

    async def run() -> None:
        server.begin("ann", "ben", ruleset="tae")
        connection = server.link(PB)
        told = await connection.rules("tae")
        assert (told.ruleset, told.title, told.version) == ("tae", TITLE, "2")
        assert told.text.startswith(f"# {TITLE}\n")
        with pytest.raises(RequestFailed, match="Name a ruleset, or log in to a game"):
            await connection.rules()
        with pytest.raises(RequestFailed, match="There is no ruleset 'nothing'"):
            await connection.rules("nothing")
        assert await (await server.join("ann", PB)).rules() == told

    asyncio.run(run())


@pytest.mark.parametrize("dialect", [TP03, TP04], ids=lambda one: one.name)
def test_older_dialects_cannot_ask(server: MemoryServer, dialect: Any) -> None:
    """A sentence says which one can, and nothing is sent."""

    async def run() -> None:
        server.begin("ann", "ben", ruleset="tae")
        connection = await server.join("ann", dialect)
        with pytest.raises(BadArgument, match=r"cannot read the rules; Protocol Buffers can \(dialect pb\)"):
            await connection.rules("tae")
        await connection.ping()

    asyncio.run(run())
    assert (0, "get_rules") not in server.asked


def test_in_a_game(tae: Served) -> None:
    async def run() -> None:
        async with await Game.open(tae.address, "ann", "ann's word", dialect=PB, timeout=240) as game:
            assert (await game.rules()).title == (await game.rules("tae")).title == TITLE
        async with await Game.open(tae.address, "ann", "ann's word", timeout=240) as game:
            with pytest.raises(BadArgument):
                await game.rules()

    asyncio.run(run())


def test_in_a_script(tae: Served) -> None:
    with open_game(tae.address, "ann", "ann's word", dialect=PB, timeout=240) as game:
        assert game.rules().title == TITLE


def test_at_an_address(tae: Served) -> None:
    """Of a ruleset, of a game that is named or to which the server said welcome, of the only one; nobody logs in."""

    async def read(*words: str, **more: str) -> Manual:
        return await read_manual(tae.address, *words, timeout=240, **more)

    asked = len(tae.server.asked)

    async def run() -> None:
        assert (await read()).ruleset == "tae"
        tae.do(tae.server.create, "second", "workshop")
        assert (await read("tae")).title == TITLE
        assert (await read(game="SECOND")).title == "Workshop"
        assert (await read(welcome="Welcome to first, ann; you are player 1")).title == TITLE
        with pytest.raises(
            UnknownName, match=r"several games; name one, or a ruleset: first \(tae\), second \(workshop\)"
        ):
            await read()
        with pytest.raises(UnknownName, match="There is no game 'third'; name one, or a ruleset: first"):
            await read(game="third")

    asyncio.run(run())
    assert {kind for _, kind in tae.server.asked[asked:]} == {"connect", "get_games", "get_rules"}


def test_which_ruleset() -> None:
    """Several games of one ruleset need no name; without games one is asked for."""
    first, second = tp.Game(name="first", rule="tae"), tp.Game(name="second", rule="tae")
    assert ruleset_of([first, second]) == "tae"
    assert ruleset_of([second, tp.Game(name="third", rule="swarm")], "third") == "swarm"
    with pytest.raises(UnknownName, match="There is no game on this server; name a ruleset"):
        ruleset_of([])


def test_a_server_that_has_no_such_request(tae: Served) -> None:
    tae.server.scripts["get_rules"] = fail(2, "There is no frame 1001.")
    with pytest.raises(RequestFailed, match=r"There is no frame 1001\."):
        asyncio.run(read_manual(tae.address, "tae", timeout=240))
