"""WebSocket connections to the server in memory.

Its WebSocket server is that of the library that the client uses.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from tests.support.memory_client import MemoryServer, Wire
from tests.support.workshop import BOAT, YARD
from tpclient.address import Address, parse_address
from tpclient.connection import Connection
from tpclient.errors import BadArgument, ConnectionClosed, NoAnswer, ServerAway, UnexpectedAnswer
from tpclient.events import ConnectionBack, ConnectionLost
from tpclient.following import Game
from tpclient.reconnect import Persistence
from tpproto.dialects import PB, TP03, TP04


@asynccontextmanager
async def listening(server: MemoryServer, port: int = 0, **more: Any) -> AsyncIterator[int]:
    """The server on a WebSocket, at a port: it speaks PB inside, so messages get their lengths, and lose them."""

    async def talk(link: ServerConnection) -> None:
        outgoing: asyncio.Queue[bytes] = asyncio.Queue()
        wire = Wire(server, outgoing.put_nowait, lambda: None)
        wire.arrived(PB.greeting)

        async def send() -> None:
            while True:
                data = await outgoing.get()
                while data:
                    length = 4 + int.from_bytes(data[:4], "big")
                    await link.send(data[4:length])
                    data = data[length:]

        sending = asyncio.create_task(send())
        try:
            async for message in link:
                assert isinstance(message, bytes)
                wire.arrived(len(message).to_bytes(4, "big") + message)
        finally:
            wire.hang_up()
            sending.cancel()

    more.setdefault("subprotocols", [Subprotocol("tp.pb")])
    async with serve(talk, "127.0.0.1", port, **more) as listener:
        yield listener.sockets[0].getsockname()[1]


def test_a_game_over_a_websocket(server: MemoryServer) -> None:
    """Log in, download, order, finish, hear of the next turn: one envelope a message, the dialect chosen by itself."""

    async def run() -> None:
        server.begin("ann")
        async with listening(server) as port:
            async with await Connection.open(f"ws://127.0.0.1:{port}", timeout=240) as connection:
                assert connection.session.dialect is PB
                assert (await connection.connect()).startswith("Welcome")
                await connection.login("ann", "ann's word")
                universe = connection.universe()
                await connection.refresh(universe)
                assert BOAT in universe.objects
                order = await connection.insert_order(YARD, "Tune", {"Level": 1, "Turns": 1})
                assert order.slot == 0
                await connection.time_remaining()
                await connection.finish_turn()
                assert await connection.wait_for_turn(0, timeout=240) == 1
            with pytest.raises(ConnectionClosed):
                await connection.ping()

    asyncio.run(run())


def test_the_server_restarts_under_a_websocket(server: MemoryServer) -> None:
    """The connection breaks with the server and is renewed with it, on the same port."""

    async def run() -> None:
        server.begin("ann")
        attempts: list[float] = []
        again = asyncio.Event()

        async def sleep(seconds: float) -> None:
            attempts.append(seconds)
            await again.wait()

        async with listening(server) as port:
            game = await Game.open(
                f"ws://127.0.0.1:{port}/ws", "ann", "ann's word", timeout=240, persistence=Persistence(sleep=sleep)
            )
        events = game.events()
        lost = await anext(events)
        assert isinstance(lost, ConnectionLost)
        assert str(lost.error).startswith("The server closed the connection")
        async with listening(server, port):
            again.set()
            assert isinstance(await anext(events), ConnectionBack)
            assert len(attempts) == 1 and 0.25 <= attempts[0] <= 0.5
            await game.refresh()
            await game.close()

    asyncio.run(run())


def test_nobody_listens() -> None:
    async def run() -> None:
        listener = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        listener.close()
        await listener.wait_closed()
        with pytest.raises(ServerAway, match=rf"Cannot connect to ws://127\.0\.0\.1:{port}/ws: nobody listens there\."):
            await Connection.open(f"ws://127.0.0.1:{port}", timeout=240)

    asyncio.run(run())


def test_something_else_listens(server: MemoryServer) -> None:
    """A page that is not there, a WebSocket for other things, a plain game server: each said in one sentence."""

    async def run() -> None:
        missing = {"process_request": lambda link, request: link.respond(404, "Not here.\n")}
        async with listening(server, **missing) as port:
            with pytest.raises(ServerAway, match=r"/ws is no WebSocket of a game server: it answers with status 404\."):
                await Connection.open(f"ws://127.0.0.1:{port}", timeout=240)
        async with listening(server, subprotocols=None) as port:
            with pytest.raises(ServerAway, match=r"is no WebSocket of a game server: .*tp\.pb\."):
                await Connection.open(f"ws://127.0.0.1:{port}/other", timeout=240)
        async with listening(server, subprotocols=["chat"]) as port:
            with pytest.raises(ServerAway, match="is no WebSocket of a game server"):
                await Connection.open(f"ws://127.0.0.1:{port}", timeout=240)

        async def grumble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(10)
            writer.write(b"This is no web server.\r\n")
            writer.close()

        async with await asyncio.start_server(grumble, "127.0.0.1", 0) as plain:
            port = plain.sockets[0].getsockname()[1]
            with pytest.raises(ServerAway, match="is no WebSocket of a game server"):
                await Connection.open(f"ws://127.0.0.1:{port}", timeout=240)

    asyncio.run(run())


def test_a_server_that_never_agrees() -> None:
    """The handshake has its time limit as well."""

    async def run() -> None:
        done = asyncio.Event()

        async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await done.wait()
            writer.close()

        async with await asyncio.start_server(hold, "127.0.0.1", 0) as silent:
            port = silent.sockets[0].getsockname()[1]
            with pytest.raises(NoAnswer, match=rf"No connection to ws://127\.0\.0\.1:{port}/ws within 0\.05 seconds"):
                await Connection.open(f"ws://127.0.0.1:{port}", timeout=0.05)
            done.set()

    asyncio.run(run())


def test_text_and_nonsense_end_the_connection() -> None:
    """A message that is no envelope of the sub-protocol closes the connection, with an error for waiting calls."""

    async def run(said: str | bytes, words: str) -> None:
        async def talk(link: ServerConnection) -> None:
            await link.recv()
            await link.send(said)
            await link.wait_closed()

        async with serve(talk, "127.0.0.1", 0, subprotocols=[Subprotocol("tp.pb")]) as listener:
            port = listener.sockets[0].getsockname()[1]
            async with await Connection.open(f"ws://127.0.0.1:{port}", timeout=240) as connection:
                with pytest.raises(UnexpectedAnswer, match=words):
                    await connection.ping()
                assert not connection.is_open

    asyncio.run(run("Hello", r"The server sent text, not the bytes of tp\.pb\."))
    asyncio.run(run(b"\xff\xff\xff", "The server sent something that is no frame: The message is not a serialized"))


def test_without_the_library_the_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "websockets.asyncio.client", None)

    async def run() -> None:
        with pytest.raises(BadArgument, match=r"the extra websocket installs \(pip install 'tpserver\[websocket\]'\)"):
            await Connection.open("ws://127.0.0.1:1", timeout=240)

    asyncio.run(run())


@pytest.mark.parametrize("dialect", [TP03, TP04], ids=lambda dialect: dialect.name)
def test_other_dialects_are_refused(dialect: Any) -> None:
    async def run() -> None:
        with pytest.raises(BadArgument, match=r"speak Protocol Buffers only \(pb\), not TP0"):
            await Connection.open("ws://127.0.0.1:1", dialect, timeout=240)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("ws://example.org", Address("example.org", 8080, path="/ws")),
        ("ws://10.0.0.1:7000/", Address("10.0.0.1", 7000, path="/ws")),
        ("wss://example.org", Address("example.org", 443, tls=True, path="/ws")),
        ("wss://[::1]:7000/games/ws", Address("::1", 7000, tls=True, path="/games/ws")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ws://", "the host is missing; write HOST:PORT, as 127.0.0.1:8080"),
        ("ws://host:0/ws", "a number from 1 to 65535"),
        ("ws://host/a b", "the path of a WebSocket"),
        ("ws://host/ws?user=ann", "the path of a WebSocket"),
        ("wss://::1/ws", r"written \[::1\]:443"),
    ],
)
def test_addresses_that_make_no_sense(text: str, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        parse_address(text)
