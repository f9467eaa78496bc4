"""Fuzzing targets for both ends of the link between portal and engine.

Sessions that continue at another server are covered, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

from google.protobuf.message import DecodeError
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.fuzzing import worlds
from tests.fuzzing.browsers import settle
from tests.fuzzing.target import Bytes, Target, always, expect, expect_sentence, pieces
from tests.portal.portal_in_memory import EdgeServer, LinkTransport
from tests.support.connections import Transport
from tests.support.server_in_memory import Client, result_of
from tpproto import TP04, frame
from tpproto import tp_pb2 as tp
from tpserver.portal import link_pb2 as link
from tpserver.portal.engine_link import EdgeEnd
from tpserver.portal.framing import LinkEnd, LinkError, MessageReader, packed
from tpserver.portal.portal_session import Edge, HolderEnd
from tpserver.portal.session_state import credential_of, resume, state_of
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits

CONTENTS = tuple(field.name for field in link.Message.DESCRIPTOR.fields)
EDGE, HOLDER = range(2)
LOGGED = ("The link to", "{who} has closed the link")


def messages_of(given: Bytes) -> bytes:
    """Return messages of the link: one byte: what is in it, two: its length, and its bytes, as far as it is one."""
    found = b""
    while not given.is_empty:
        name, body = CONTENTS[given.number(len(CONTENTS) - 1)], given.some(given.wide() % 600)
        field = link.Message.DESCRIPTOR.fields_by_name[name]
        try:
            content = getattr(link.Message(), name).FromString(body)
        except DecodeError:
            whole = bytes((field.number << 3 | 2, len(body) & 0x7F)) + body
            found += len(whole).to_bytes(4, "big") + whole
        else:
            found += packed(**{name: content})
    return found


def record(name: str, content: Any) -> bytes:
    body = content.SerializeToString()
    return bytes((CONTENTS.index(name),)) + len(body).to_bytes(2, "big") + body


# --- either end -------------------------------------------------------------------------------------------------------


class Ends:
    """An end of a link for each input: that of a server with a game, or that of a portal with a client."""

    def __init__(self, stack: ExitStack) -> None:
        self.at = EdgeServer.with_a_game(worlds.server(stack))

    def of_holder(self) -> tuple[LinkEnd, Clock, Callable[[], None]]:
        """Return the end to which a portal connects."""
        holder = self.at.make_holder()
        end = EdgeEnd(holder)
        end.transport = LinkTransport()
        end.connectionMade()
        holder.serve()
        return end, self.at.server.clock, lambda: None

    def of_edge(self) -> tuple[LinkEnd, Clock, Callable[[], None]]:
        """Return the end that a holder speaks to; a client has asked for something."""
        clock = Clock()
        clock.advance(1_000_000)
        edge = Edge(clock)
        connections = ConnectionFactory(edge.session, Limits(), clock)
        wire = Transport(connections.buildProtocol(None), polite=True)
        end = HolderEnd(edge)
        end.transport = LinkTransport()
        end.connectionMade()
        wire.protocol.dataReceived(TP04.encode(frame(1, "connect", tp.Connect(client="x"))))
        wire.protocol.dataReceived(TP04.encode(frame(2, "get_features", tp.GetFeatures())))

        def leave() -> None:
            wire.read_all()
            wire.hang_up()
            connections.close()
            settle(clock)
            expect(not connections.connections, "A connection is kept that is gone.")

        return end, clock, leave


HELLO = {"hello": link.Hello(version=1, oldest=1, edge="e")}


def make_link(stack: ExitStack) -> Callable[[bytes], None]:
    ends = Ends(stack)

    def take(data: bytes) -> None:
        """Send one end of a link messages or any bytes.

        The first byte chooses the speaker, the second the cut. The third says whether Hello and Ready come first. The
        fourth chooses between messages and any bytes.
        """
        given = Bytes(data)
        who, how, begun, raw = given.number(1), given.number(), given.number(1), given.number(1)
        sent = given.rest() if raw else messages_of(given)
        end, clock, leave = ends.of_holder() if who == EDGE else ends.of_edge()
        if begun:
            sent = packed(**HELLO) + (packed(ready=link.Ready()) if who == HOLDER else b"") + sent
        for piece in pieces(sent, how):
            end.dataReceived(piece)
            settle(clock)
        transport: Any = end.transport
        told = MessageReader().feed(transport.said)
        for message in told:
            if message.HasField("refusal"):
                expect_sentence(message.refusal.text, is_shown=False)  # it may begin with tpserver
                expect(transport.is_closing, "A link is refused and not closed.")
        end.connectionLost(Failure(ConnectionDone()))
        settle(clock)
        leave()

    return take


def links() -> Iterator[bytes]:
    request = {"connection": 1, "number": 1, "dialect": "TP04", "kind": 27}
    opened = record("open", link.Open(connection=1, address="192.0.2.1"))
    login = TP04.encode_body(4, tp.Login(username="ann@first", password="ann's word"))
    by_edge = [
        opened + record("request", link.Request(**request)),
        opened
        + record("request", link.Request(**{**request, "kind": 4, "body": login}))
        + record("request", link.Request(**{**request, "number": 2, "turn": 0, "again": True})),
        opened + opened,
        opened + record("taken", link.Taken(connection=1, bytes=100)) + record("closed", link.Closed(connection=1)),
        record("ping", link.Ping()) + record("call", link.Call(number=1, name="calendar", argument="x")),
        record("open", link.Open(connection=2, state=b"\xff\xff", token="x", over_http=True))
        + record("request", link.Request(**{**request, "connection": 2})),
    ]
    facts = link.Facts(logged_in=True, account=1)
    by_holder = [
        record("response", link.Response(connection=1, number=1, data=b"x", facts=facts, state=b"y"))
        + record("response", link.Response(connection=1, number=2, data=b"x" * 99, more=True, left=3)),
        record("push", link.Push(connection=1, data=b"x", state=b"y")) + record("closed", link.Closed(connection=1)),
        record("status", link.Status(games=3, problem="The disk is full.")) + record("leaving", link.Leaving()),
        record("moved", link.Moved(connection=1)) + record("pong", link.Pong()),
        record("result", link.Result(number=1, text="x")) + record("reload", link.Reload()),
        record("response", link.Response(connection=1, number=1, facts=link.Facts(closing=True, padded=True))),
        record("refusal", link.Refusal(text="no")),
    ]
    for who, some in ((EDGE, by_edge), (HOLDER, by_holder)):
        for how, sent in enumerate(some):
            for begun in (0, 1):
                yield bytes((who, how, begun, 0)) + sent
                yield bytes((who, how, begun, 1)) + messages_of(Bytes(sent))
    yield bytes((0, 2, 0, 1)) + packed(**HELLO)


def take_link_bytes(data: bytes) -> None:
    """One byte: how it is cut; what follows is bytes of a link: messages are the same however they are cut."""
    given = Bytes(data)
    how, sent = given.number(), given.rest()
    results = []
    for cut in (0, how, 1):
        reader, found, problem = MessageReader(), [], ""
        try:
            for piece in pieces(sent, cut):
                found += reader.feed(piece)
        except LinkError as error:
            problem = str(error)
            expect_sentence(problem, is_shown=False)
            found = []  # what came before in the same piece is not told
        results.append(([one.SerializeToString() for one in found], problem))
    expect(all(result == results[0] for result in results), f"Cut otherwise there are other messages: {results}")


def link_bytes() -> Iterator[bytes]:
    for number, data in enumerate(links()):
        yield bytes((number % 9,)) + (data[4:] if data[3] else messages_of(Bytes(data[4:])))


# --- sessions that go on ----------------------------------------------------------------------------------------------


def make_carried(stack: ExitStack) -> Callable[[bytes], None]:
    server = worlds.server(stack)
    game = server.create("first", "auction")
    players = server.players()
    account = players[0].session.account
    assert account is not None
    server.close_turn()

    def take(data: bytes) -> None:
        """One byte: whether the account is one that is there, and whether it is in the game; the state follows."""
        given = Bytes(data)
        flags, body = given.number(3), given.rest()
        try:
            state = link.State.FromString(body)
        except DecodeError:
            pass
        else:
            if flags & 1:
                state.account, state.credential = account.id, credential_of(account)
            if flags & 2:
                state.game = game.row.id
            state.dialect, state.padded = "TP04", False  # what the client below speaks
            body = state.SerializeToString()
        client = Client(server, "tp04")
        result_of(resume(client.session, body))
        settle(server.clock)
        before = game.last_entry
        for name, fields in (
            ("ping", {}),
            ("get_object_ids", {"key": -1, "amount": -1, "fromtime": -1}),
            ("get_order", {"id": 2, "slots": [0]}),
            ("get_games", {}),
        ):
            waiting = client.post(name, **fields)
            settle(server.clock)
            expect(waiting.came, f"{name} is not answered.")
            for kind, message in waiting.reply:
                if kind == "fail":
                    expect_sentence(message.result, message.code)
        state_of(client.session)
        expect(game.last_entry == before, "A session that goes on has changed its game.")
        client.hang_up()

    return take


def states() -> Iterator[bytes]:
    some = link.List(key=3, latest=5, numbers=[1, 2, 3, 4])
    for state in (
        link.State(dialect="TP04", padded=True, attempts=2),
        link.State(dialect="TP03", ended="this game was removed"),
        link.State(dialect="PB", seat=0, turn=0, last_key=4, lists=[some]),
        link.State(dialect="JSON stream", seat=1, turn=1, has_look=True, look_turn=-1, look_letter=2**63),
        link.State(dialect="TP04", past_turn=0, seat=0, watched=False),
        link.State(dialect="TP04", past_turn=0, watched=True, turn=1),
        link.State(dialect="TP04", kept_login=2**64 - 1, token=2**64 - 1),
        link.State(dialect="TP04", account=2**64 - 1, game=2**64 - 1),
    ):
        for flags in range(4):
            yield bytes((flags,)) + state.SerializeToString()


TARGETS = (
    Target("link", "what one process says to the other", make_link, links, logged=LOGGED, seconds=0.5),
    Target("link-bytes", "messages of the link, cut in any way", always(take_link_bytes), link_bytes),
    Target("carried", "the state of a session that goes on elsewhere", make_carried, states, seconds=0.1),
)
