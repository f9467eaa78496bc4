"""Clients of the real server in memory, without sockets or by a thread.

A thread can serve a port for them. `MemoryServer` is the server of the tests of requests, with the connections of
`tpserver.wire.net` above its sessions. Its `scripts` stand between the two. With them a test answers a request
itself. It can send what only another or a broken server would send, or break the connection at that request.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

from test_games import auction
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from tests.support import workshop
from tests.support.server_in_memory import Client, Server, result_of, text
from tpclient.connection import Connection
from tpclient.parameters import Kind
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04, Dialect
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, RawFrame
from tprules import tae
from tpserver.requests.session.responses import Reply
from tpserver.requests.session.session import Peer, Session
from tpserver.rules.descriptions import Description
from tpserver.rules.discovery import Rulesets
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits

T = TypeVar("T")
Frames = list[tuple[str, Any]]
"""Names and messages."""

TEXT_AND_REFERENCES = (
    ("Words", Kind.STRING),
    ("About", Kind.REFERENCE),
    ("Also", Kind.REFERENCE_LIST),
    ("Near", Kind.RELATIVE_COORDINATES),
)
"""Parameters that none of our rulesets has, for `MemoryServer.take`."""

FOUND = Rulesets({one.name: one for one in (workshop.RULESET, auction.RULESET, tae.RULESET)}, {})


class Request:
    """A request that has come to the server."""

    def __init__(self, session: Scripted, frame: RawFrame) -> None:
        self.session = session
        self.frame = frame
        self.kind = frame.dialect.kind(frame.kind).field

    @property
    def message(self) -> Any:
        return self.frame.decode(self.session.lookup())

    def answered(self, **changed: Any) -> Frames:
        """Have the server answer it, with some fields changed, and return the frames of its answer."""
        dialect, lookup, message = self.frame.dialect, self.session.lookup(), self.message
        for name, value in changed.items():
            setattr(message, name, value)
        frame = self.frame._replace(body=dialect.encode_body(self.frame.kind, message, lookup))
        reply = self.session.answered(frame)
        pieces = [reply] if isinstance(reply, bytes | Deferred) else reply
        data = b"".join(result_of(piece) if isinstance(piece, Deferred) else piece for piece in pieces)
        frames = [event for event in FrameReader(dialect=dialect).feed(data) if isinstance(event, RawFrame)]
        return [(dialect.kind(one.kind).field, one.decode(lookup)) for one in frames]


Script = Callable[[Request], Frames | None]
"""Gives the answer to a request, with the Sequence frame of a longer one; None leaves it to the server."""


class Scripted(Session):
    """A session whose requests are noted, and answered by a script if there is one for them."""

    __slots__ = ("server",)
    server: MemoryServer

    def answer(self, frame: RawFrame) -> Reply:
        request = Request(self, frame)
        self.server.asked.append((self.seat, request.kind))
        script = self.server.scripts.get(request.kind)
        frames = None if script is None else script(request)
        if frames is None:
            return self.answered(frame)
        payloads = [frame.dialect.payload(BY_NAME[name].number, message, self.lookup()) for name, message in frames]
        return frame.dialect.join_payloads(frame.sequence, payloads)

    def answered(self, frame: RawFrame) -> Reply:
        return super().answer(frame)


class Wire(StringTransport):  # type: ignore[misc] # Twisted's testing module has no annotations
    """The server's transport of a connection; what it sends is handed over in the next round of the event loop."""

    def __init__(self, server: MemoryServer, received: Callable[[bytes], None], ended: Callable[[], None]) -> None:
        super().__init__(lenient=True)
        self.server, self.received, self.ended = server, received, ended
        self.loop = asyncio.get_running_loop()
        self.is_open = True
        protocol = server.connections.buildProtocol(None)
        assert protocol is not None
        self.connection = protocol
        server.wires.append(self)
        protocol.makeConnection(self)

    def write(self, data: bytes) -> None:
        self.loop.call_soon(lambda: self.received(data) if self.is_open else None)

    def arrived(self, data: bytes) -> None:
        """Bytes of the client have come."""
        if self.is_open:
            self.connection.dataReceived(data)
            self.server.settle()

    def hang_up(self) -> None:
        """End the connection at once; what is on its way does not arrive."""
        if self.is_open:
            self.is_open = False
            self.server.wires.remove(self)
            self.loop.call_soon(self.connection.connectionLost, Failure(ConnectionDone()))
            self.ended()

    def loseConnection(self) -> None:
        self.loop.call_soon(self.hang_up)  # after what was written

    abortConnection = hang_up


class MemoryServer(Server):
    """A server for tpclient's connections. `scripts` are by the name of the request."""

    def __init__(self, path: Path, **more: Any) -> None:
        super().__init__(path, **{"found": FOUND, **more})
        self.connections = ConnectionFactory(self._session, Limits(), self.clock)
        self.wires: list[Wire] = []
        self.asked: list[tuple[int | None, str]] = []
        self.scripts: dict[str, Script] = {}
        self.seated: dict[str, Client] = {}

    def _session(self, address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
        session = Scripted(self.host, Peer(address, secure, token), send)
        session.server = self
        return session

    def link(self, dialect: Dialect = TP04, timeout: float = 240.0) -> Connection:
        """Return a connection in memory; nothing is said yet."""
        connection = Connection(dialect, timeout)
        wire = Wire(self, connection.data_received, lambda: connection.connection_lost(None))
        connection.attach(SimpleNamespace(write=wire.arrived, close=wire.hang_up))
        return connection

    def begin(self, *names: str, ruleset: str = "workshop", game: str = "first", **more: Any) -> list[Client]:
        """Make a game in which these are the players, and return a connection of the tests of requests for each."""
        self.create(game, ruleset, len(names), **more)
        self.seated = {name: self.player(name, game=game) for name in names}
        return list(self.seated.values())

    def carry_out(self, player: Client, *wishes: str) -> None:
        """Let a turn of the workshop pass with these wishes of a player."""
        for words in wishes:
            port = workshop.YARD + player.seat
            assert player.insert(port, workshop.Wish.number, text(words)).name in ("order", "okay")
        self.close_turn(player.session.game.name)
        self.settle()

    async def join(self, user: str, dialect: Dialect = TP04) -> Connection:
        """Return a connection that is logged in."""
        connection = self.link(dialect)
        await connection.connect()
        await connection.login(user, f"{user}'s word")
        return connection

    def next_time(self, kind: str, script: Script) -> None:
        """Script the next request of a kind only."""

        def once(request: Request) -> Frames | None:
            del self.scripts[kind]
            return script(request)

        self.scripts[kind] = once

    def take(self, *parameters: tuple[str, Kind], offer: Callable[[tp.Order], object] = bool) -> list[tp.Order]:
        """Have wishes described with these parameters, and take all of them, which go to the list that is returned.

        For types of parameters that our rulesets do not have; `offer` adds to an order what can be chosen in it.
        """
        rows = [tp.ParameterDesc(name=name, type=one) for name, one in parameters]
        kind = tp.OrderDesc(id=workshop.Wish.number, name="Wish", parameters=rows)
        taken: list[tp.Order] = []
        game = self.game()
        game.description = Description(game.rules)  # its own: the games of other tests share theirs
        game.description.lookup.learn_order(kind)

        def described(request: Request) -> Frames:
            return [(name, kind if getattr(one, "id", 0) == kind.id else one) for name, one in request.answered()]

        def given(request: Request) -> Frames | None:
            if request.message.otype != kind.id:
                return None
            order = request.message
            offer(order)
            if request.kind == "order_insert":
                order.slot = len(taken)
                taken.append(order)
            return [("order", order)]

        self.scripts |= {"get_order_desc": described, "order_insert": given, "order_probe": given}
        return taken

    def hang_up(self) -> None:
        """Break all connections."""
        for wire in tuple(self.wires):
            wire.hang_up()


def offer_sailors(order: tp.Order) -> None:
    """Let any number of one thing be chosen, as no ruleset of ours does; for `MemoryServer.take`."""
    order.parameters[0].quantity_list.possibles.add(id=5, name="sailor", maximum=-1)


def write(player: Client, board: int, subject: str, body: str = "") -> None:
    """Have a player post a message; board 0 is his own."""
    assert player.ask("post_message", id=board, slot=-1, subject=subject, body=body).name == "okay"


def fail(code: int, text: str) -> Script:
    """Return a script that refuses."""
    return lambda request: [("fail", tp.Fail(code=code, result=text))]


def listing(number: int) -> Script:
    """Return a script that answers a list of ids with one more, as if that thing had just changed."""

    def listed(request: Request) -> Frames:
        ((name, found),) = request.answered()
        found.ids.add(id=number, modtime=found.fromtime)
        return [(name, found)]

    return listed


class _Socket(asyncio.Protocol):
    def __init__(self, server: MemoryServer) -> None:
        self.server = server

    def connection_made(self, transport: Any) -> None:
        self.wire = Wire(self.server, transport.write, transport.close)

    def data_received(self, data: bytes) -> None:
        self.wire.arrived(data)

    def connection_lost(self, error: Exception | None) -> None:
        self.wire.hang_up()


class Served:
    """A server in a thread of its own, which listens at `address`: for clients that block, and for whole programs."""

    def __init__(self, path: Path, **more: Any) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()
        self.server = self.do(MemoryServer, path, **more)
        self.listener = asyncio.run_coroutine_threadsafe(
            self.loop.create_server(lambda: _Socket(self.server), "127.0.0.1", 0), self.loop
        ).result(240)
        self.address = f"127.0.0.1:{self.listener.sockets[0].getsockname()[1]}"

    def do(self, work: Callable[..., T], *words: Any, **more: Any) -> T:
        """Do something in the thread of the server, and return what comes of it."""

        async def done() -> T:
            return work(*words, **more)

        return asyncio.run_coroutine_threadsafe(done(), self.loop).result(240)

    def stop(self) -> None:
        if self.thread.is_alive():
            self.do(self.listener.close)
            self.do(self.server.hang_up)
            self.do(self.server.stop)
            self.loop.call_soon_threadsafe(self.loop.stop)
            self.thread.join()
            self.loop.close()
