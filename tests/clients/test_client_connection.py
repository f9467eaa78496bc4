"""The asyncio connection: every method, and every way to fail.

The methods are called against the real server.
"""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.memory_client import MemoryServer, Served
from tests.support.server_in_memory import Client
from tests.support.workshop import PLACE, YARD
from tpclient.address import Address, parse_address
from tpclient.connection import Connection
from tpclient.errors import (
    BadArgument,
    ConnectionClosed,
    NoAnswer,
    RequestFailed,
    ServerAway,
    UnexpectedAnswer,
    UnknownName,
)
from tpclient.orders import choices
from tpclient.session import Request
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, PB], ids=lambda dialect: dialect.name)
MODERN = pytest.mark.parametrize("dialect", [TP04, PB], ids=lambda dialect: dialect.name)


async def playing(
    server: MemoryServer, dialect: Dialect = TP04, names: tuple[str, ...] = ("ann",)
) -> tuple[list[Client], Connection]:
    """The players' connections in the tests' own words, and one of ann in the library's that knows the game."""
    players = server.begin(*names)
    connection = await server.join("ann", dialect)
    await connection.refresh(connection.universe())
    return players, connection


@DIALECTS
def test_logging_in(make_server: Callable[..., MemoryServer], dialect: Dialect) -> None:
    """A refused login leaves the connection usable: make the account, log in again."""

    async def run() -> None:
        server = make_server(policy="register")
        server.create("first", "workshop", 1)
        connection = server.link(dialect)
        assert (await connection.connect()).startswith("Welcome; this is tpserver")
        assert {5, 1000} <= set(await connection.features())
        with pytest.raises(RequestFailed, match="Wrong user name"):
            await connection.login("ann", "secret")
        await connection.create_account("ann", "secret", "ann@example.org")
        assert await connection.login("ann", "secret", game="first") == "Welcome to first, ann; you are player 1"
        await connection.ping()

    asyncio.run(run())


@MODERN
def test_games_are_listed(server: MemoryServer, dialect: Dialect) -> None:
    async def run() -> None:
        server.create("one")
        server.create("two")
        connection = server.link(dialect)
        assert [game.name for game in await connection.games()] == ["one", "two"]

    asyncio.run(run())


@DIALECTS
def test_orders_by_name(server: MemoryServer, dialect: Dialect) -> None:
    """Insert, read back, probe and remove; the server gets the description's numbers."""

    async def run() -> None:
        (ann,), connection = await playing(server, dialect)
        order = await connection.insert_order(YARD, "Send", {"To": PLACE, "For": 1, "Place": (1, -2, 3)})
        assert (order.id, order.otype, order.parameters[0].object.object_id) == (YARD, 2, PLACE)
        (held,) = ann.queue(YARD)
        assert choices(held) == (2, PLACE, 1, (1, -2, 3))
        (again,) = await connection.orders(YARD)
        assert again.parameters[0].object.object_id == PLACE
        probed = await connection.probe(YARD, "Send", {"To": PLACE, "For": 1, "Place": (0, 0, 0)})
        assert probed.otype == 2
        assert len(ann.queue(YARD)) == 1
        await connection.remove_order(YARD, 0)
        with pytest.raises(RequestFailed, match="There is no order in slot 0"):
            await connection.remove_order(YARD, 0)

    asyncio.run(run())


@MODERN
def test_tp04_tells_the_slot_of_an_inserted_order(server: MemoryServer, dialect: Dialect) -> None:
    async def run() -> None:
        _, connection = await playing(server, dialect)
        slots = [(await connection.insert_order(YARD, "Tune", {"Level": 1, "Turns": 1})).slot for _ in range(2)]
        assert slots == [0, 1]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("kind", "arguments", "error", "words"),
    [
        ("Fly", {}, UnknownName, r"no order type 'Fly'; there are: Bid, Build, "),
        ("Wish", {"Target": 3}, UnknownName, r"Wish has no parameter 'Target'; it has: 'Words'"),
        (tp.OrderDesc(id=9, name="Rest"), {"Ships": [3]}, UnknownName, r"Rest has no parameter 'Ships'; it has: none"),
        ("Wish", {"Words": "", "Speed": 1}, UnknownName, r"Wish has no parameter 'Speed'; it has: 'Words'"),
        ("Send", {}, BadArgument, r"Send: parameter 'To' is missing; give the id of an object"),
        ("Send", {"To": "Sol"}, BadArgument, r"'To' has to be the id of an object, not 'Sol'"),
        ("Send", {"To": -1}, BadArgument, r"'To' has to be the id of an object, not -1"),
        ("Build", {"Parts": 7}, BadArgument, r"'Parts' has to be ids, or {id: how many}, not 7"),
    ],
)
def test_wrong_names_and_values_are_refused_before_anything_is_sent(
    server: MemoryServer, kind: Any, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    async def run() -> None:
        _, connection = await playing(server)
        server.asked.clear()
        with pytest.raises(error, match=words):
            await connection.insert_order(YARD, kind, arguments)
        assert server.asked == []

    asyncio.run(run())


def test_lists_may_be_left_out_to_ask_what_there_is(server: MemoryServer) -> None:
    """An empty selection is a draft."""

    async def run() -> None:
        _, connection = await playing(server)
        order = await connection.probe(YARD, "Build")
        assert [one.name for one in order.parameters[0].list.possible_selections][:2] == ["bolt, long", "plate"]
        order = await connection.insert_order(YARD, "Build", {"Parts": {1: 2}})
        assert [(one.id, one.number) for one in order.parameters[0].list.selection] == [(1, 2)]

    asyncio.run(run())


@DIALECTS
def test_messages_are_posted_and_read(server: MemoryServer, dialect: Dialect) -> None:
    """Board 0 is that of the player; `start` skips known messages."""

    async def run() -> None:
        _, connection = await playing(server, dialect, ("ann", "ben"))
        await connection.remove_messages(*range(len(await connection.messages())))
        assert await connection.messages() == []
        await connection.post(1, "Note", "To self")
        await connection.post(0, "Second", "")
        await connection.post(2, "Not mine", "")
        copies = ["Not mine"] if dialect is PB else []  # what one wrote is kept, in Protocol Buffers
        assert [one.subject for one in await connection.messages()] == ["Note", "Second", *copies]
        assert [one.subject for one in await connection.messages(start=1)] == ["Second", *copies]
        assert [one.subject for one in await connection.messages(start=2)] == copies

    asyncio.run(run())


@MODERN
def test_waiting_for_a_turn(server: MemoryServer, dialect: Dialect) -> None:
    """The call waits for the push of a new turn. A finished player or the computation is not enough."""

    async def run() -> None:
        (_, ben), connection = await playing(server, dialect, ("ann", "ben"))
        clock = await connection.time_remaining()
        assert (clock.turn, list(clock.waiting)) == (0, [1, 2])
        waiting = asyncio.create_task(connection.wait_for_turn(0, timeout=240))
        await connection.finish_turn()
        assert not waiting.done()
        assert list(connection.clock.waiting if connection.clock else []) == [2]
        ben.ask("finished_turn")
        server.settle()
        assert await waiting == 1
        assert await connection.wait_for_turn(0, timeout=240) == 1
        assert connection.turns_begun == 1
        with pytest.raises(NoAnswer, match=r"No turn after 1 began within 0\.01 seconds"):
            await connection.wait_for_turn(1, timeout=0.01)

    asyncio.run(run())


def test_the_next_clock_is_told_or_asked_for(server: MemoryServer) -> None:
    """The client requests the next clock only if the server does not push it.

    It does not wait for a clock that has arrived already.
    """

    async def run() -> None:
        (_, ben), connection = await playing(server, TP04, ("ann", "ben"))
        first = await connection.time_remaining()
        asked = server.asked.count((0, "get_time_remaining"))
        assert await connection.next_clock(None, 240) is first
        waiting = asyncio.create_task(connection.next_clock(first, 240))
        await asyncio.sleep(0)
        assert not waiting.done()
        ben.ask("finished_turn")
        second = await waiting
        assert second is not first
        assert server.asked.count((0, "get_time_remaining")) == asked
        assert await connection.next_clock(second, 0.01) is not second
        assert server.asked.count((0, "get_time_remaining")) == asked + 1

    asyncio.run(run())


def test_waiting_for_a_turn_in_tp03(server: MemoryServer) -> None:
    """TP03 says seconds only: a turn begins when there are some again after none."""

    async def run() -> None:
        _, connection = await playing(server, TP03)
        await connection.time_remaining()
        waiting = asyncio.create_task(connection.wait_for_turn(connection.turns_begun, timeout=240))
        await connection.finish_turn()
        assert await waiting == 1

    asyncio.run(run())


class Silent:
    """A stream to a server that never answers."""

    def __init__(self) -> None:
        self.closed = False

    def write(self, data: bytes) -> None: ...

    def close(self) -> None:
        self.closed = True


def test_a_silent_server_is_given_up() -> None:
    """Bounded waiting, an error that names the request, and no harm from an answer that comes late."""

    async def run() -> None:
        connection = Connection(TP04, timeout=0.01)
        connection.attach(Silent())
        with pytest.raises(NoAnswer, match=r"did not answer Ping within 0\.01 seconds"):
            await connection.ping()
        connection.data_received(bytes.fromhex("5450040000000001000000000000000400000000"))
        assert connection.is_open

    asyncio.run(run())


def _frame(sequence: int, kind: int, message: Any) -> bytes:
    body = TP04.encode_body(kind, message, Descriptions())
    return TP04.header(sequence, kind, len(body)) + body


def test_a_long_answer_may_take_longer_than_one_silence() -> None:
    """Only the time between two frames of the response counts. Each frame reports progress."""

    async def run() -> None:
        connection = Connection(TP04, timeout=0.2)
        connection.attach(Silent())
        told: list[int] = []
        request = Request("get_player", tp.GetWithID(ids=[1, 2, 3]))
        waiting = asyncio.create_task(connection.ask_all([request], told.append))
        frames = [_frame(1, 2, tp.Sequence(number=3)), *(_frame(1, 40, tp.Player(id=one)) for one in (1, 2, 3))]
        for number, frame in enumerate(frames):
            asyncio.get_running_loop().call_later(0.12 * number, connection.data_received, frame)
        (answer,) = await waiting
        assert [item.id for item in answer.items(tp.Player) if isinstance(item, tp.Player)] == [1, 2, 3]
        assert told == [0, 0, 1, 2, 3]

    asyncio.run(run())


def test_news_is_no_answer() -> None:
    """The client gives up on a server that pushes the time again and again, and never responds."""

    async def run() -> None:
        connection = Connection(TP04, timeout=0.05)
        connection.attach(Silent())
        loop = asyncio.get_running_loop()

        def tell() -> None:
            connection.data_received(_frame(0, 15, tp.TimeRemaining(time=9)))
            loop.call_later(0.01, tell)

        tell()
        with pytest.raises(NoAnswer, match="did not answer Ping"):
            await asyncio.wait_for(connection.ping(), 240)

    asyncio.run(run())


def test_the_end_of_the_connection_reaches_everybody_who_waits() -> None:
    """All open requests, the wait for the clock, and every later request get ConnectionClosed."""

    async def run() -> None:
        connection = Connection(TP04, timeout=240)
        connection.attach(Silent())
        waiters = [asyncio.create_task(asking) for asking in (connection.ping(), connection.wait_for_change())]
        await asyncio.sleep(0)
        connection.connection_lost(None)
        for waiter in waiters:
            with pytest.raises(ConnectionClosed, match="The server closed the connection"):
                await waiter
        with pytest.raises(ConnectionClosed):
            await connection.ping()
        with pytest.raises(ConnectionClosed):
            await connection.wait_for_change()
        assert not connection.is_open

    asyncio.run(run())


def test_nonsense_from_the_server_closes_the_connection() -> None:
    async def run() -> None:
        connection, stream = Connection(TP04, timeout=240), Silent()
        connection.attach(stream)
        waiter = asyncio.create_task(connection.ping())
        await asyncio.sleep(0)
        connection.data_received(b"You do not speak Thousand Parsec.\n")
        with pytest.raises(UnexpectedAnswer, match="no frame"):
            await waiter
        assert stream.closed

    asyncio.run(run())


def test_nothing_is_heard_from_a_connection_that_has_ended() -> None:
    """A WebSocket may still hand over what was on its way; it is not for the connection that came after."""
    connection = Connection(TP04)
    heard: list[int] = []
    connection.on_clock = lambda clock, is_push: heard.append(clock.time)
    push = _frame(0, 15, tp.TimeRemaining(time=5, reason=1))
    connection.data_received(push)
    connection.drop(ConnectionClosed("Gone."))
    connection.data_received(push)
    assert heard == [5]


def test_a_server_that_sends_us_elsewhere() -> None:
    async def run() -> None:
        connection = Connection(TP04, timeout=240)
        connection.attach(Silent())
        waiter = asyncio.create_task(connection.connect())
        await asyncio.sleep(0)
        uri = b"tps://example.org"
        body = len(uri).to_bytes(4, "big") + uri
        connection.data_received(b"TP\x04\0" + bytes.fromhex("0000000100000018") + len(body).to_bytes(4, "big") + body)
        with pytest.raises(ServerAway, match=r"sends us to tps://example\.org"):
            await waiter

    asyncio.run(run())


def test_without_a_stream_nothing_can_be_asked() -> None:
    async def run() -> None:
        with pytest.raises(ConnectionClosed, match="no connection yet"):
            await Connection(TP04).ping()

    asyncio.run(run())


@DIALECTS
def test_over_a_real_socket(served: Served, dialect: Dialect) -> None:
    """TCP from end to end; when the server hangs up, that is what the error says."""
    served.do(served.server.begin, "ann")

    async def run() -> None:
        async with await Connection.open(served.address, dialect, timeout=240) as connection:
            await connection.connect()
            await connection.login("ann", "ann's word")
            universe = connection.universe()
            assert await connection.refresh(universe)
            assert universe.me == 1
            served.do(served.server.hang_up)
            with pytest.raises(ConnectionClosed, match="The server closed the connection"):
                await connection.wait_for_change(240)

    asyncio.run(run())


def test_nobody_listens() -> None:
    """The port of a listener that has gone: refused, in one sentence."""

    async def run() -> None:
        listener = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        listener.close()
        await listener.wait_closed()
        with pytest.raises(ServerAway, match=rf"Cannot connect to tp://127\.0\.0\.1:{port}: nobody listens there\."):
            await Connection.open(f"127.0.0.1:{port}", timeout=240)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("example.org", Address("example.org", 6923)),
        ("example.org:7000", Address("example.org", 7000)),
        ("tp://10.0.0.1:7000/", Address("10.0.0.1", 7000)),
        ("tps://example.org", Address("example.org", 6924, tls=True)),
        ("[::1]:7000", Address("::1", 7000)),
        ("tps://[::1]", Address("::1", 6924, tls=True)),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    assert parse_address(text) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://example.org", r"begins with tp:// or tps:// \(TLS\), ws:// or wss:// \(WebSocket\), or with the host"),
        ("", "the host is missing"),
        (":6923", "the host is missing"),
        ("host:", "a number from 1 to 65535"),
        ("host:0", "a number from 1 to 65535"),
        ("host:65536", "a number from 1 to 65535"),
        ("host:٣", "a number from 1 to 65535"),
        ("::1", "an IPv6 address is written"),
        ("[::1", "an IPv6 address is written"),
        ("[::1]7", "an IPv6 address is written"),
    ],
)
def test_addresses_that_make_no_sense(text: str, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        parse_address(text)


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
