"""Browsers over real sockets: WebSocket games, page files, login links.

Browsers and old clients play the same game.
"""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.endtoend.test_live_games import ROUNDS, bid_to_the_end
from tests.support.certificates import certificate_pem, new_key, private_pem
from tests.support.process import SECONDS, TPSERVER, Process, run
from tests.support.server import HOST, ServerProcess, free_port
from tests.support.wire import Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import ENVELOPE, JSON, TP04, Dialect
from tpproto.stream import RawFrame

FORMS: dict[str, Dialect] = {"tp.json": JSON, "tp.pb": ENVELOPE}


class SocketLine(Line):
    """The bare client on a WebSocket: one message a frame."""

    socket: ClientConnection
    reading: asyncio.Task[None]

    @classmethod
    async def visit(cls, port: int, subprotocol: str, **keywords: Any) -> SocketLine:
        made = cls(FORMS[subprotocol])
        scheme = "wss" if "ssl" in keywords else "ws"
        made.socket = await connect(f"{scheme}://{HOST}:{port}/ws", subprotocols=[subprotocol], **keywords)
        assert made.socket.subprotocol == subprotocol
        made.sending: set[asyncio.Task[None]] = set()
        made.reading = asyncio.create_task(made.read_on())
        return made

    async def read_on(self) -> None:
        try:
            async for message in self.socket:
                data = message.encode() if isinstance(message, str) else message
                assert isinstance(message, str) == (self.dialect is JSON)
                self.take(RawFrame(self.dialect, *self.dialect.split(data)))
        except ConnectionClosed:
            pass
        finally:
            self.socket.transport.abort()  # a server that stops would wait for who stays
            self.connection_lost(None)

    def write(self, data: bytes) -> None:
        sending = asyncio.create_task(self.socket.send(data.decode() if self.dialect is JSON else data))
        self.sending.add(sending)
        sending.add_done_callback(self.sending.discard)

    def close(self) -> None:
        self.reading.cancel()


def get(port: int, path: str, **headers: str) -> tuple[int, str, bytes]:
    """Code, kind and body of a page."""
    request = urllib.request.Request(f"http://{HOST}:{port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=240) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read()


def follow(address: str, token: str, origin: str | None = None) -> tuple[int, dict[str, str]]:
    """The result of a login link."""
    headers = {"Content-Type": "application/json"} | ({"Origin": origin} if origin else {})
    body = json.dumps({"token": token}).encode()
    request = urllib.request.Request(f"{address}/link", data=body, headers=headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=240) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture
def web(live: Callable[..., ServerProcess]) -> tuple[ServerProcess, int]:
    """A server that runs, and its port for browsers."""
    server = live()
    server.start()
    return server, server.web_port


@pytest.mark.thorough
def test_old_clients_and_browsers_play_one_game_to_its_end(web: tuple[ServerProcess, int]) -> None:
    """TP04 over TCP, tp.json and tp.pb: each turn waits for all, pushes arrive, all get the same."""
    server, port = web
    server.create_game("sale", "auction", 3, seed="1", rounds=ROUNDS)

    async def play() -> list[list[tuple[int, str]]]:
        lines = [await Line.open(server.port), *[await SocketLine.visit(port, name) for name in FORMS]]
        for number, line in enumerate(lines):
            await line.enter(f"bidder{number}")
        boards = await asyncio.gather(*[bid_to_the_end(line, gold) for gold, line in enumerate(lines, 1)])
        assert not any(line.strange for line in lines)
        for line in lines:
            line.close()
        return boards

    assert json.loads(get(port, "/healthz")[2])["games"] == 0
    boards = asyncio.run(play())
    for board in boards:
        sales = [(turn, "Sold") for turn in range(1, ROUNDS + 1)]
        assert board == [(0, "Welcome"), *sales, (ROUNDS, "Game over")]
    assert server.stop() == 0


def test_json_says_what_tp04_says(web: tuple[ServerProcess, int]) -> None:
    """The same player asks for everything in every encoding, and the decoded answers are equal."""
    server, port = web
    server.create_game("tae", "tae", 2, seed="7")

    async def look(line: Line) -> list[list[Any]]:
        await line.learn_objects()
        await line.learn_orders()
        listed = await line.one("get_object_ids", everything(), tp.IDSequence)
        ids = tp.GetWithID(ids=[item.id for item in listed.ids])
        asked: list[tuple[str, Any]] = [
            ("get_objects_by_id", ids),
            ("get_order_desc", tp.GetWithID(ids=list(range(12)))),
            ("get_object_desc", tp.GetWithID(ids=list(range(8)))),
            ("get_resource", tp.GetWithID(ids=list(range(20)))),
            ("get_player", tp.GetWithID(ids=[0, 1, 2, 3])),
            ("get_boards", tp.GetWithID(ids=[0, 1])),
            ("get_message", tp.GetWithIDSlot(id=0, slots=[0, 1])),
            ("get_time_remaining", tp.GetTimeRemaining()),
            ("get_design", tp.GetWithID(ids=[0, 1, 2])),
        ]
        return [await line.ask(kind, message) for kind, message in asked]

    async def compare() -> None:
        first, other = await Line.open(server.port), await Line.open(server.port)
        await first.enter("ada")
        await other.enter("bob")
        await first.wait_for(lambda clock: bool(clock.waiting))
        before = await look(first)
        assert len(before[0]) > 50
        for name in FORMS:
            line = await SocketLine.visit(port, name)
            await line.enter("ada")
            assert await look(line) == before
            line.close()
        first.close()
        other.close()

    asyncio.run(compare())


def test_pages_from_elsewhere_and_unknown_sub_protocols_are_refused(web: tuple[ServerProcess, int]) -> None:
    _, port = web

    async def refused(**keywords: Any) -> tuple[int, str]:
        with pytest.raises(InvalidStatus) as caught:
            await connect(f"ws://{HOST}:{port}/ws", **keywords)
        return caught.value.response.status_code, caught.value.response.body.decode()

    async def all_refused() -> None:
        code, said = await refused(subprotocols=["tp.json"], origin="https://evil.example")
        assert code == 403
        assert "Pages from https://evil.example may not talk to this server" in said
        assert (await refused())[0] == 400
        assert (await refused(subprotocols=["chat"]))[0] == 400
        line = await SocketLine.visit(port, "tp.json", origin=f"http://{HOST}:{port}")
        line.close()

    asyncio.run(all_refused())


def test_a_server_that_stops_says_so_to_browsers(web: tuple[ServerProcess, int]) -> None:
    server, port = web

    async def stop() -> tuple[int, str]:
        line = await SocketLine.visit(port, "tp.json")
        await line.ask("ping", tp.Ping())
        server.send_signal(signal.SIGTERM)
        await asyncio.wait_for(line.reading, SECONDS)
        assert line.socket.close_code is not None
        return line.socket.close_code, line.socket.close_reason or ""

    assert asyncio.run(stop()) == (1001, "The server stops.")
    assert server.stop() == 0


def test_a_socket_that_breaks_off_is_forgotten(web: tuple[ServerProcess, int]) -> None:
    """The health page counts the present connections."""
    server, port = web

    async def come_and_go() -> None:
        line = await SocketLine.visit(port, "tp.pb")
        await line.ask("ping", tp.Ping())
        assert json.loads(await asyncio.to_thread(lambda: get(port, "/healthz")[2]))["connections"] == 2
        line.socket.transport.abort()
        await line.reading

    asyncio.run(come_and_go())
    server.wait_until(lambda: json.loads(get(port, "/healthz")[2])["connections"] == 1, "counts who has gone")


@pytest.mark.thorough
def test_a_port_that_is_taken_is_said_and_nothing_is_made(directory: Path) -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        said = run(TPSERVER, "run", "--data", directory / "d", "--port", 0, "--web-port", port)
    assert said.code == 1
    last = said.err.splitlines()[-1]
    assert last.startswith(f"tpserver: port {port} of 127.0.0.1 is in use by another program")
    assert last.endswith("(browsers: --web-port PORT, or --web off)")
    assert not (directory / "d").exists()


@pytest.fixture
def certificate(directory: Path) -> Path:
    """A certificate for 127.0.0.1 that signs itself, with its key, in one file."""
    key = new_key()
    path = directory / "both.pem"
    path.write_bytes(private_pem(key) + certificate_pem(key))
    return path


@pytest.mark.thorough
def test_an_endpoint_string_brings_tls(live: Callable[..., ServerProcess], certificate: Path) -> None:
    """Both wss and https work on one port; the session knows that it is encrypted (feature 1)."""
    port = free_port()
    server = live("--web", f"ssl:{port}:interface={HOST}:privateKey={certificate}:certKey={certificate}")
    server.start()
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE

    async def visit() -> list[int]:
        line = await SocketLine.visit(port, "tp.json", ssl=trusting, origin=f"https://{HOST}:{port}")
        features = await line.one("get_features", tp.GetFeatures(), tp.Features)
        line.close()
        return list(features.features)

    assert 1 in asyncio.run(visit())
    with urllib.request.urlopen(f"https://{HOST}:{port}/healthz", timeout=240, context=trusting) as answer:
        assert json.load(answer)["status"] == "ok"
    assert server.stop() == 0
    assert "failure" not in server.tail()
    assert "Traceback" not in server.tail()


class Table(NamedTuple):
    """A running `tpserver play`: the program, what it said at first, and its address for browsers."""

    process: Process
    said: str
    address: str


@pytest.fixture
def table(directory: Path) -> Iterator[Callable[..., Table]]:
    """Start `tpserver play auction`."""
    with ExitStack() as stack:

        def start(*more: str) -> Table:
            words = ["play", "auction", "--port", "0", "--web-port", "0", "--option", "rounds=3", *more]
            process = Process(TPSERVER, *words, log=directory / "play.log", TMPDIR=str(directory))
            stack.enter_context(process).spawn()
            stack.callback(process.stop, signal.SIGINT)
            welcome = process.wait_for("Ctrl-C.*\n")
            said = process.said[: welcome.end()]
            found = re.search(r"^    (http://127\.0\.0\.1:\d+)/#link=", said, re.MULTILINE)
            return Table(process, said, found[1] if found else "")

        yield start


def test_a_login_link_takes_the_open_seat_once(table: Callable[..., Table]) -> None:
    """The first visitor gets an account and plays with it; the second gets a sentence.

    The terminal shows another link each time one was used. A player who closed the page uses it to return to the same
    account.
    """
    process, said, address = table("--seats", "2")
    (token,) = re.findall(r"#link=(\S+)", said)
    assert said.index("#link=") < said.index("tpclient play --address") < said.index("any Thousand Parsec client")
    port = int(address.rpartition(":")[2])
    assert follow(address, token, "https://evil.example")[0] == 403
    assert follow(address, token[:-1] + "x")[0] == 403
    code, given = follow(address, token, address)
    assert (code, given["user"], given["game"]) == (200, "guest", "auction")
    assert len(given["password"]) == 22

    async def enter() -> str:
        line = await SocketLine.visit(port, "tp.json", origin=address)
        await line.one("connect", tp.Connect(client="test"), tp.Okay)
        name = f"{given['user']}@{given['game']}"
        await line.one("login", tp.Login(username=name, password=given["password"]), tp.Okay)
        me = await line.one("get_player", tp.GetWithID(ids=[0]), tp.Player)
        line.close()
        return str(me.name)

    assert asyncio.run(enter()) == "guest"
    code, again = follow(address, token, address)
    assert code == 403
    assert again["error"].startswith("This login link has been used;")
    position = len(said)
    for _ in range(2):
        link = process.wait_for(r"#link=(\S+)\n", position)
        assert "guest has logged in with the login link" in process.said[position : link.start()]
        assert follow(address, link[1], address) == (200, given)
        position = link.end()


@pytest.mark.thorough
def test_each_open_seat_has_a_link(table: Callable[..., Table]) -> None:
    """Names are made up, and differ."""
    _, said, address = table("--seats", "3", "--bots", "1")
    tokens = re.findall(r"#link=(\S+)", said)
    given = [follow(address, token)[1] for token in tokens]
    assert [one["user"] for one in given] == ["guest", "guest-2"]
    assert given[0]["password"] != given[1]["password"]


@pytest.mark.thorough
def test_no_link_where_nobody_can_visit(table: Callable[..., Table]) -> None:
    """Neither without an open seat, nor without the listener."""
    assert "#link=" not in table("--seats", "2", "--bots", "2").said


def test_a_dialect_on_the_wrong_port_is_told(web: tuple[ServerProcess, int]) -> None:
    """HTTP on the TP port and TP on the web port: both end in a sentence."""
    server, port = web
    with socket.create_connection((HOST, server.port), timeout=240) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b"This is not the Thousand Parsec protocol" in line.recv(4096)
    with socket.create_connection((HOST, port), timeout=240) as line:
        line.sendall(TP04.header(1, 27, 0) + b"\r\n\r\n")
        assert line.recv(4096).startswith(b"HTTP/1.1 400 ")
