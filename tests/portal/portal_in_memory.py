"""A portal, its link and consecutive servers on one database, in memory.

There are no sockets or processes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.support.connections import Transport
from tests.support.server_in_memory import DIALECTS, Reply, Server
from tpproto.dialects import PB, TP04
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, RawFrame
from tpserver.portal.engine_link import EdgeEnd, Holder
from tpserver.portal.idempotency import Idempotency
from tpserver.portal.portal_session import Edge, HolderEnd
from tpserver.requests.session.session import Peer, Session
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits


class LinkTransport:
    """One end of a link in memory; what is written arrives at the other end when the link is pumped."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.said = b""
        self.is_closing = False

    def write(self, data: bytes) -> None:
        self.written.append(data)
        self.said += data

    def loseConnection(self) -> None:
        self.is_closing = True

    abortConnection = loseConnection


class Link:
    """A link between two ends."""

    def __init__(self, edge_side: Any, holder_side: Any) -> None:
        self.ends = (edge_side, holder_side)
        self.transports = (LinkTransport(), LinkTransport())
        self.is_open = True
        for end, transport in zip(self.ends, self.transports, strict=True):
            end.transport = transport
            end.connectionMade()

    def pump(self) -> bool:
        """Let what was written arrive; return whether there was anything."""
        if not self.is_open:
            return False
        moved = False
        for here, there in ((0, 1), (1, 0)):
            written, self.transports[here].written = self.transports[here].written, []
            for data in written:
                moved = True
                self.ends[there].dataReceived(data)
        if any(transport.is_closing for transport in self.transports) and not moved:
            self.cut()
            return True
        return moved

    def cut(self) -> None:
        """End the link; what the holder has written before arrives, as it does when a process is killed."""
        if self.is_open:
            self.is_open = False
            for data in self.transports[1].written:
                self.ends[0].dataReceived(data)
            for end in self.ends:
                end.connectionLost(Failure(ConnectionDone()))


class EdgeServer:
    """A portal with clients. Behind it one engine after the other runs the games."""

    def __init__(self, server: Server, limits: Limits | None = None) -> None:
        self.clock = Clock()
        self.clock.advance(1_000_000)
        self.limits = limits or Limits()
        self.edge = Edge(self.clock)
        self.connections = ConnectionFactory(self.edge.session, self.limits, self.clock)
        self.server = server
        self.sessions: list[Session] = []
        self.holder: Holder
        self.link: Link

    @classmethod
    def with_a_game(cls, server: Server, **game: Any) -> EdgeServer:
        """Return a portal whose server has taken over, with a started game of ann and ben, and no connections."""
        server.create(**game)
        for player in server.players():
            player.hang_up()
        server.settle()
        edge = cls(server)
        edge.begin()
        return edge

    def game(self) -> Any:
        return self.server.game()

    def begin(self) -> None:
        """Have the server take the connections."""
        self.holder = self.make_holder()
        self.link = Link(HolderEnd(self.edge), EdgeEnd(self.holder))
        self.holder.serve()
        self.pump()

    def make_holder(self) -> Holder:
        server = self.server

        def session(address: str, secure: bool, send: Callable[[bytes], None], token: str) -> Session:
            self.sessions.append(Session(server.host, Peer(address, secure, token), send))
            return self.sessions[-1]

        scheduler = ConnectionFactory(session, self.limits, server.clock).scheduler
        holder = Holder(session, scheduler, server.clock, self.limits)
        holder.answering = Idempotency(server.store, server.clock, server.now).answer
        return holder

    def pump(self) -> None:
        """Let everything arrive that is on its way."""
        self.turn()
        while self.link.pump():
            self.turn()

    def turn(self) -> None:
        """Let both sides end a turn of their reactors, after which what they have said is on its way."""
        self.clock.advance(0)
        self.server.settle()

    def kill(self) -> None:
        """End the server as a power cut would: what it was asked and has not read is lost."""
        self.clock.advance(0)
        self.link.transports[0].written.clear()
        self.link.cut()

    def lose_answers(self) -> None:
        """End the server when it has done what it was asked, and its answers have gone no further."""
        self.clock.advance(0)
        for data in self.link.transports[0].written:
            self.link.ends[1].dataReceived(data)
        self.server.settle()
        assert self.link.transports[1].written, "there are no answers"
        self.link.transports[1].written.clear()
        self.kill()

    def replace(self, path: Path | None = None) -> None:
        """Have another server take over, on the same database, or on a copy of what is committed in it."""
        self.server = self.server.restarted() if path is None else self.server.crashed(path)
        self.begin()

    def restart(self) -> None:
        """Replace the server in good order."""
        left: list[object] = []
        self.holder.leave().addCallback(left.append)
        self.pump()
        assert left, "the server does not leave"
        self.holder.close()
        self.pump()
        self.replace()

    def connect(self, dialect: str = "tp04", *, name: str = "", game: str = "") -> EdgeClient:
        """Return a connection; with a name it is logged in."""
        client = EdgeClient(self, dialect)
        if name:
            answer = client.ask("login", username=f"{name}@{game}" if game else name, password=f"{name}'s word")
            assert answer.name == "okay", answer
        return client


class EdgeClient:
    """A client of the portal: its requests, and everything that it received, in order."""

    def __init__(self, at: Any, dialect: str = "tp04") -> None:
        self.at = at
        self.dialect = DIALECTS["tp04" if dialect == "padded" else dialect]
        self.transport = Transport(at.connections.buildProtocol(None))
        self.reader = FrameReader(dialect=self.dialect)
        self.sequence = 0
        self.told: list[tuple[int, str, Any]] = []
        if self.dialect is PB:
            self.transport.protocol.dataReceived(PB.greeting)
        if dialect == "padded":
            assert self.ask("set_filters", filters=[0x1D00]).name == "okay"
            self.dialect = TP04.padded

    @property
    def session(self) -> Session:
        """The session that the present server has."""
        number = self.transport.protocol.session.number
        return self.at.holder.relays[number].session

    def lookup(self) -> Any:
        return self.at.game().description.lookup

    def post(self, name: str, /, **fields: Any) -> int:
        """Send a request; return its sequence number."""
        return self.say(name, BY_NAME[name].message(**fields))

    def say(self, name: str, message: Any) -> int:
        self.sequence += 1
        number = BY_NAME[name].number
        payload = self.dialect.payload(number, message, self.lookup())
        self.transport.protocol.dataReceived(self.dialect.join_payloads(self.sequence, [payload]))
        return self.sequence

    def hear(self) -> None:
        """Read what has come."""
        for raw in self.reader.feed(self.transport.read_all()):
            assert isinstance(raw, RawFrame), raw
            kind = raw.dialect.kind(raw.kind)
            message = self.dialect.decode_body(raw.kind, raw.body, self.lookup())
            self.told.append((raw.sequence, kind.field, message))

    def answers(self, sequence: int) -> list[tuple[str, Any]]:
        """Return the frames that answer a request so far."""
        self.hear()
        return [(name, message) for number, name, message in self.told if number == sequence]

    def ask(self, name: str, /, **fields: Any) -> Reply:
        """Send a request and return its answer, which must come without waiting."""
        sequence = self.post(name, **fields)
        self.at.pump()
        found = self.answers(sequence)
        return Reply(b"", [(sequence, name, message) for name, message in found])

    def pushed(self) -> list[tuple[str, Any]]:
        """Return the frames that were not requested, and forget them."""
        self.hear()
        found = [(name, message) for number, name, message in self.told if number == 0]
        self.told = [told for told in self.told if told[0]]
        return found
