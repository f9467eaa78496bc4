"""The asyncio connection: every method against the fake server, and every way in which a connection fails."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest

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
from tpclient.session import Request
from tpclient.transport import open_stream
from tpproto import tp_pb2 as tp
from tpproto.descriptions import Descriptions
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = pytest.mark.parametrize("dialect", [TP03, TP04, PB], ids=lambda dialect: dialect.name)
MODERN = pytest.mark.parametrize("dialect", [TP04, PB], ids=lambda dialect: dialect.name)
ROWS = "0S s . / # m* x"


async def playing(fake_server: Any, game: Any, dialect: Dialect = TP04) -> tuple[Any, Connection]:
    server = fake_server(game)
    connection: Connection = await server.connect("player0", dialect)
    await connection.refresh(connection.universe())
    return server, connection


@DIALECTS
def test_logging_in(fake_server: Any, fake_game: Any, dialect: Dialect) -> None:
    """A refused login leaves the connection usable: make the account, log in again."""

    async def run() -> None:
        server = fake_server(fake_game("ann"))
        server.accounts = set()
        connection = server.link(dialect)
        assert await connection.connect() == "Welcome"
        assert await connection.features() == [5, 1000]
        with pytest.raises(RequestFailed, match="Wrong user name"):
            await connection.login("ann", "x")
        await connection.create_account("ann", "x", "ann@example.org")
        assert await connection.login("ann", "x", game="first") == "Welcome, ann"
        await connection.ping()

    asyncio.run(run())


@MODERN
def test_games_are_listed(fake_server: Any, fake_game: Any, dialect: Dialect) -> None:
    async def run() -> None:
        connection = fake_server(fake_game("ann")).link(dialect)
        assert [game.name for game in await connection.games()] == ["one", "two"]

    asyncio.run(run())


@DIALECTS
def test_orders_by_name(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """Insert, read back, probe and remove; the server gets the description's numbers."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, connection = await playing(fake_server, game, dialect)
        ship, target = game.hands[0][0], game.systems[2, 1]
        order = await connection.insert_order(ship, "Colonize", {"Star System": target})
        assert (order.id, order.otype, order.parameters[0].object.object_id) == (ship, 1, target)
        assert game.read() == [("Colonize", "0m", (2, 1))]
        game.put("queues", tp.OrderQueue(id=ship, num_orders=1, order_types=[1]))
        (again,) = await connection.orders(ship)
        assert again.parameters[0].object.object_id == target
        probed = await connection.probe(ship, "Colonize", {"Star System": target})
        assert probed.otype == 1
        assert len(game.given) == 1
        await connection.remove_order(ship, 0)
        with pytest.raises(RequestFailed, match="no order 0"):
            await connection.remove_order(ship, 0)

    asyncio.run(run())


@MODERN
def test_tp04_tells_the_slot_of_an_inserted_order(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, connection = await playing(fake_server, game, dialect)
        ship, target = game.hands[0][0], game.systems[2, 1]
        slots = [(await connection.insert_order(ship, "Colonize", {"Star System": target})).slot for _ in range(2)]
        assert slots == [0, 1]

    asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "arguments", "error", "words"),
    [
        ("Fly", {}, UnknownName, r"no order type 'Fly'; there are: Attack, Colonize, "),
        ("Move", {"Target": 3}, UnknownName, r"Move has no parameter 'Target'; it has: 'Star System'"),
        ("Reinforce", {"Ships": [3]}, UnknownName, r"Reinforce has no parameter 'Ships'; it has: none"),
        ("Move", {"Star System": 3, "Speed": 1}, UnknownName, r"Move has no parameter 'Speed'; it has: 'Star System'"),
        ("Move", {}, BadArgument, r"Move: parameter 'Star System' is missing; give the id of an object"),
        ("Move", {"Star System": "Sol"}, BadArgument, r"'Star System' has to be the id of an object, not 'Sol'"),
        ("Move", {"Star System": -1}, BadArgument, r"'Star System' has to be the id of an object, not -1"),
        ("Exchange", {"Ships": 7}, BadArgument, r"'Ships' has to be ids, or {id: how many}, not 7"),
    ],
)
def test_wrong_names_and_values_are_refused_before_anything_is_sent(
    fake_server: Any, tae_game: Any, name: str, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    async def run() -> None:
        game = tae_game(ROWS, "mr")
        server, connection = await playing(fake_server, game)
        server.asked.clear()
        with pytest.raises(error, match=words):
            await connection.insert_order(game.leaders["0M"], name, arguments)
        assert server.asked == []

    asyncio.run(run())


def test_lists_may_be_left_out_to_ask_what_there_is(fake_server: Any, tae_game: Any) -> None:
    """An empty selection is a draft."""

    async def run() -> None:
        game = tae_game(ROWS, "mr")
        _, connection = await playing(fake_server, game)
        planet = next(number for number, queue in game.tables["queues"].items() if list(queue.order_types) == [5])
        order = await connection.probe(planet, "Exchange")
        assert order.parameters[0].HasField("list")
        order = await connection.insert_order(planet, "Exchange", {"Ships": {game.hands[0][0]: 1}})
        assert [(one.id, one.number) for one in order.parameters[0].list.selection] == [(game.hands[0][0], 1)]

    asyncio.run(run())


@DIALECTS
def test_messages_are_posted_and_read(fake_server: Any, fake_game: Any, dialect: Dialect) -> None:
    """Board 0 is one's own; `start` skips what is known already."""

    async def run() -> None:
        _, connection = await playing(fake_server, fake_game("player0", "player1"), dialect)
        assert await connection.messages() == []
        await connection.post(1, "Note", "To self")
        await connection.post(0, "Second", "")
        await connection.post(2, "Not mine", "")
        assert [(one.subject, one.body) for one in await connection.messages()] == [("Note", "To self"), ("Second", "")]
        assert [one.subject for one in await connection.messages(start=1)] == ["Second"]
        assert await connection.messages(start=2) == []

    asyncio.run(run())


@MODERN
def test_waiting_for_a_turn(fake_server: Any, fake_game: Any, dialect: Dialect) -> None:
    """What is waited for is the push that a turn begins, not that somebody finished, nor that it is computed."""

    async def run() -> None:
        game = fake_game("player0", "player1")
        server, connection = await playing(fake_server, game, dialect)
        other = await server.connect("player1", dialect)
        clock = await connection.time_remaining()
        assert (clock.turn, list(clock.waiting)) == (1, [1, 2])
        waiting = asyncio.create_task(connection.wait_for_turn(1, timeout=240))
        await connection.finish_turn()
        assert not waiting.done()
        assert list(connection.clock.waiting if connection.clock else []) == [2]
        await other.finish_turn()
        assert await waiting == 2
        assert await connection.wait_for_turn(1, timeout=240) == 2
        assert connection.turns_begun == 1
        with pytest.raises(NoAnswer, match=r"No turn after 2 began within 0\.01 seconds"):
            await connection.wait_for_turn(2, timeout=0.01)

    asyncio.run(run())


def test_the_next_clock_is_told_or_asked_for(fake_server: Any, fake_game: Any) -> None:
    """One that has come already is not waited for, one that is pushed not asked for, one that fails to come is asked
    for."""

    async def run() -> None:
        game = fake_game("player0", "player1")
        server, connection = await playing(fake_server, game, TP04)
        first = await connection.time_remaining()
        asked = server.asked.count((1, "get_time_remaining"))
        assert await connection.next_clock(None, 240) is first
        waiting = asyncio.create_task(connection.next_clock(first, 240))
        await asyncio.sleep(0)
        assert not waiting.done()
        game.tell(3)
        second = await waiting
        assert second is not first
        assert server.asked.count((1, "get_time_remaining")) == asked
        assert await connection.next_clock(second, 0.01) is not second
        assert server.asked.count((1, "get_time_remaining")) == asked + 1

    asyncio.run(run())


def test_waiting_for_a_turn_in_tp03(fake_server: Any, fake_game: Any) -> None:
    """TP03 says seconds only: a turn begins when there are some again after none."""

    async def run() -> None:
        _, connection = await playing(fake_server, fake_game("player0"), TP03)
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
        connection.received(bytes.fromhex("5450040000000001000000000000000400000000"))
        assert connection.is_open

    asyncio.run(run())


def _frame(sequence: int, kind: int, message: Any) -> bytes:
    body = TP04.encode_body(kind, message, Descriptions())
    return TP04.header(sequence, kind, len(body)) + body


def test_a_long_answer_may_take_longer_than_one_silence() -> None:
    """What counts is the time between two frames of the answer; the progress is told with each."""

    async def run() -> None:
        connection = Connection(TP04, timeout=0.2)
        connection.attach(Silent())
        told: list[int] = []
        request = Request("get_player", tp.GetWithID(ids=[1, 2, 3]))
        waiting = asyncio.create_task(connection.ask_all([request], told.append))
        frames = [_frame(1, 2, tp.Sequence(number=3)), *(_frame(1, 40, tp.Player(id=one)) for one in (1, 2, 3))]
        for number, frame in enumerate(frames):
            asyncio.get_running_loop().call_later(0.12 * number, connection.received, frame)
        (answer,) = await waiting
        assert [item.id for item in answer.items(tp.Player) if isinstance(item, tp.Player)] == [1, 2, 3]
        assert told == [0, 0, 1, 2, 3]

    asyncio.run(run())


def test_news_is_no_answer() -> None:
    """A server that tells the time again and again and never answers is given up all the same."""

    async def run() -> None:
        connection = Connection(TP04, timeout=0.05)
        connection.attach(Silent())
        loop = asyncio.get_running_loop()

        def tell() -> None:
            connection.received(_frame(0, 15, tp.TimeRemaining(time=9)))
            loop.call_later(0.01, tell)

        tell()
        with pytest.raises(NoAnswer, match="did not answer Ping"):
            await asyncio.wait_for(connection.ping(), 240)

    asyncio.run(run())


def test_the_end_of_the_connection_reaches_everybody_who_waits() -> None:
    """All open requests, whoever waits for the clock, and every later request get ConnectionClosed."""

    async def run() -> None:
        connection = Connection(TP04, timeout=240)
        connection.attach(Silent())
        waiters = [asyncio.create_task(asking) for asking in (connection.ping(), connection.wait_for_change())]
        await asyncio.sleep(0)
        connection.ended(None)
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
        connection.received(b"You do not speak Thousand Parsec.\n")
        with pytest.raises(UnexpectedAnswer, match="no frame"):
            await waiter
        assert stream.closed

    asyncio.run(run())


def test_a_server_that_sends_us_elsewhere() -> None:
    async def run() -> None:
        connection = Connection(TP04, timeout=240)
        connection.attach(Silent())
        waiter = asyncio.create_task(connection.connect())
        await asyncio.sleep(0)
        uri = b"tps://example.org"
        body = len(uri).to_bytes(4, "big") + uri
        connection.received(b"TP\x04\0" + bytes.fromhex("0000000100000018") + len(body).to_bytes(4, "big") + body)
        with pytest.raises(ServerAway, match=r"sends us to tps://example\.org"):
            await waiter

    asyncio.run(run())


def test_without_a_stream_nothing_can_be_asked() -> None:
    async def run() -> None:
        with pytest.raises(ConnectionClosed, match="no connection yet"):
            await Connection(TP04).ping()

    asyncio.run(run())


@DIALECTS
def test_over_a_real_socket(fake_server: Any, tae_game: Any, dialect: Dialect) -> None:
    """TCP from end to end; when the server hangs up, that is what the error says."""

    async def run() -> None:
        server = fake_server(tae_game(ROWS, "mr"))
        listener, port = await server.listen()
        async with listener, await Connection.open(f"127.0.0.1:{port}", dialect, timeout=240) as connection:
            await connection.connect()
            await connection.login("player0", "x")
            universe = connection.universe()
            assert await connection.refresh(universe)
            assert universe.me == 1
            for writer in server.writers:
                writer.close()
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


def test_tls(fake_server: Any, fake_game: Any, tmp_path: Path) -> None:
    """With the certificate trusted it works; without it is refused; and without TLS at the other end as well."""
    certificate = _certificate(tmp_path)

    async def run() -> None:
        server = fake_server(fake_game("ann"))
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        listener, port = await server.listen(context)
        async with listener:
            trusted = Address("localhost", port, tls=True, certificates=str(certificate))
            async with await Connection.open(trusted, timeout=240) as connection:
                assert await connection.connect() == "Welcome"
            unchecked = Address("localhost", port, tls=True, is_checked=False)
            async with await Connection.open(unchecked, timeout=240) as connection:
                assert await connection.connect() == "Welcome"
            with pytest.raises(ServerAway, match=r"The certificate of tps://localhost:\d+ is not trusted"):
                await open_stream(Address("localhost", port, tls=True), Connection(TP04), 240)
        missing = Address("localhost", port, tls=True, certificates=str(tmp_path / "none.pem"))
        with pytest.raises(BadArgument, match=r"none\.pem cannot be read: No such file"):
            await open_stream(missing, Connection(TP04), 240)

    asyncio.run(run())


def _certificate(folder: Path) -> Path:
    """A certificate for localhost that signs itself, with its key, in one file."""
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / "localhost.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return file


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
