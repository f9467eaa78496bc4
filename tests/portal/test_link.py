"""The link between portal and engine: versions, garbage, and bounds."""

from __future__ import annotations

from typing import Any

import pytest
from twisted.internet.interfaces import IWriteDescriptor
from twisted.logger import LogEvent
from zope.interface import implementer

from tests.portal.portal_in_memory import EdgeServer, LinkTransport
from tpserver.portal import framing
from tpserver.portal import link_pb2 as link
from tpserver.portal.engine_link import PIPELINE, EdgeEnd
from tpserver.portal.framing import LENGTH_BYTES, MOST_MESSAGE_BYTES, LinkError, MessageReader, packed
from tpserver.portal.portal_session import HolderEnd
from tpserver.portal.session_state import credential_of
from tpserver.wire.net.limits import Limits


def said(transport: LinkTransport) -> list[link.Message]:
    return MessageReader().feed(transport.said)


def refusal(transport: LinkTransport) -> str:
    """Why an end has closed the link."""
    assert transport.is_closing
    return said(transport)[-1].refusal.text


def another_holder(at: EdgeServer) -> HolderEnd:
    """The portal's end of a link whose other end is the test."""
    end = HolderEnd(at.edge)
    end.transport = LinkTransport()
    end.connectionMade()
    return end


def an_edge(at: EdgeServer, **limits: Any) -> EdgeEnd:
    """A server's end of a link whose other end is the test, which has said Hello."""
    at.limits = Limits(**limits)
    holder = at.make_holder()
    end = EdgeEnd(holder)
    end.transport = LinkTransport()
    end.connectionMade()
    end.dataReceived(packed(hello=link.Hello(version=1, oldest=1, edge="e")))
    holder.serve()
    return end


@implementer(IWriteDescriptor)
class Slow(LinkTransport):
    """A transport whose system takes only so many bytes at once, until it has sent them."""

    room = 100

    def __init__(self) -> None:
        super().__init__()
        self.producer: Any = None

    def writeSomeData(self, data: bytes) -> int:
        taken = min(self.room, len(data))
        self.room -= taken
        self.written.append(data[:taken])
        return taken

    def registerProducer(self, producer: Any, streaming: bool) -> None:
        assert self.producer is None
        self.producer = producer
        producer.resumeProducing()

    def unregisterProducer(self) -> None:
        self.producer = None


def test_nothing_overtakes_what_the_system_has_not_taken(at: EdgeServer) -> None:
    end, transport = HolderEnd(at.edge), Slow()
    end.transport = transport
    end.connectionMade()
    at.clock.advance(0)
    end.dataReceived(packed(hello=link.Hello(version=1, oldest=1)))
    for number in range(1, 60):
        end.say(closed=link.Closed(connection=number))
        end.flush()
    assert transport.producer is end
    transport.room = 10_000
    transport.producer.resumeProducing()
    assert transport.producer is None
    end.say(closed=link.Closed(connection=60))
    at.clock.advance(0)
    found = MessageReader().feed(b"".join(transport.written))
    assert [message.closed.connection for message in found[1:]] == list(range(1, 61))


def test_messages_are_found_in_any_pieces() -> None:
    stream = b"".join(packed(closed=link.Closed(connection=number)) for number in range(1, 40))
    for size in (1, 3, 7, 1000):
        reader = MessageReader()
        found = [
            message for start in range(0, len(stream), size) for message in reader.feed(stream[start : start + size])
        ]
        assert [message.closed.connection for message in found] == list(range(1, 40))


def test_a_message_that_is_too_long_is_refused_by_its_length() -> None:
    with pytest.raises(LinkError, match="announced"):
        MessageReader().feed((MOST_MESSAGE_BYTES + 1).to_bytes(LENGTH_BYTES, "big"))
    assert not MessageReader().feed(MOST_MESSAGE_BYTES.to_bytes(LENGTH_BYTES, "big"))


@pytest.mark.parametrize(
    ("version", "oldest", "is_understood"),
    [(1, 1, True), (2, 1, True), (3, 2, False), (0, 0, False), (1, 2, False)],
)
def test_versions_that_are_neighbours_understand_each_other(
    at: EdgeServer, version: int, oldest: int, is_understood: bool
) -> None:
    end = another_holder(at)
    end.dataReceived(packed(hello=link.Hello(version=version, oldest=oldest, software="9.9")))
    assert end.agreed is is_understood
    if not is_understood:
        assert f"'9.9' speaks version {version} " in refusal(end.transport)


def test_a_later_version_may_say_what_is_not_known_here(at: EdgeServer) -> None:
    end = another_holder(at)
    end.dataReceived(packed(hello=link.Hello(version=2, oldest=1)))
    unknown = bytes([0xFA, 0x3F, 0])  # field 1023 of Message
    end.dataReceived(len(unknown).to_bytes(LENGTH_BYTES, "big") + unknown)
    assert not end.transport.is_closing


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\0\0\0\4\xff\xff\xff\xff", "no message"),
        (b"GET / HTTP/1.1\r\n\r\n", "announced"),
        (packed(ready=link.Ready()), "begins with Hello"),
    ],
)
def test_garbage_closes_the_link_and_no_connection(at: EdgeServer, data: bytes, why: str) -> None:
    ann = at.connect(name="ann")
    end = another_holder(at)
    end.dataReceived(data)
    assert why in refusal(end.transport)
    assert ann.ask("ping").name == "okay"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"hello": link.Hello(version=1, oldest=1)}, "twice"),
        ({"ready": link.Ready()}, "Another process"),
        ({"request": link.Request()}, "not for this end"),
    ],
)
def test_what_a_holder_cannot_say_is_refused(at: EdgeServer, content: Any, why: str) -> None:
    end = another_holder(at)
    end.dataReceived(packed(hello=link.Hello(version=framing.VERSION, oldest=framing.OLDEST)))
    end.dataReceived(packed(**content))
    assert why in refusal(end.transport)


def test_an_answer_that_nobody_has_asked_for_ends_the_link(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    at.link.ends[0].dataReceived(packed(response=link.Response(connection=1, number=77, data=b"x")))
    assert "77" in refusal(at.link.transports[0])
    at.pump()
    at.replace()
    assert ann.ask("ping").name == "okay"


def test_a_second_process_does_not_take_over_from_one_that_is_there(at: EdgeServer) -> None:
    end = another_holder(at)
    end.dataReceived(packed(hello=link.Hello(version=1, oldest=1)) + packed(response=link.Response(connection=1)))
    assert not end.transport.is_closing, "what it says of connections is ignored"
    end.dataReceived(packed(ready=link.Ready()))
    assert end.transport.is_closing
    assert at.edge.holder is at.link.ends[0]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([{"open": link.Open(connection=1)}] * 2, "twice"),
        (
            [{"open": link.Open(connection=1)}, {"request": link.Request(connection=1, dialect="TP99")}],
            "no dialect 'TP99'",
        ),
    ],
)
def test_what_an_edge_cannot_say_is_refused(at: EdgeServer, content: list[dict[str, Any]], why: str) -> None:
    end = an_edge(at, connections=2)
    for one in content:
        end.dataReceived(packed(**one))
    assert why in refusal(end.transport)


def test_a_connection_above_the_most_is_closed_and_the_others_go_on(at: EdgeServer) -> None:
    """Another node may allow more connections than this one."""
    end = an_edge(at, connections=2)
    for number in range(1, 6):
        end.dataReceived(packed(open=link.Open(connection=number)))
    at.server.settle()
    assert [message.closed.connection for message in said(end.transport) if message.HasField("closed")] == [5]
    assert not end.transport.is_closing
    end.dataReceived(packed(request=link.Request(connection=4, number=1, dialect="TP04", kind=27)))
    at.server.settle()
    assert [message.response.connection for message in said(end.transport) if message.HasField("response")] == [4]


def test_an_edge_asks_no_more_at_once_than_any_connection_may(at: EdgeServer) -> None:
    end = an_edge(at)
    end.dataReceived(packed(open=link.Open(connection=1)))
    at.sessions[-1].occupied = True
    asked = packed(request=link.Request(connection=1, number=1, dialect="TP04", kind=27))
    end.dataReceived(asked * PIPELINE)
    assert not end.transport.is_closing
    end.dataReceived(asked)
    assert "requests of one connection" in refusal(end.transport)


def test_a_state_that_is_none_ends_the_link_that_says_it(at: EdgeServer) -> None:
    """It is not handled as a fault of the portal, which would send nothing to the other end."""
    ann = at.connect(name="ann")
    at.link.ends[0].dataReceived(packed(push=link.Push(connection=1, state=b"\xff\xff")))
    assert "no state of a session" in refusal(at.link.transports[0])
    at.pump()
    at.replace()
    assert ann.ask("ping").name == "okay"


@pytest.mark.parametrize("name", ["account", "kept_login", "token", "game"])
def test_a_state_with_an_id_that_no_store_has_lets_nobody_in(at: EdgeServer, logged: list[LogEvent], name: str) -> None:
    """As one that is none, without a fault in the log."""
    state = link.State(dialect="TP04", account=1)
    setattr(state, name, 2**63)
    state.credential = credential_of(at.server.accounts.named("ann"))
    end = an_edge(at)
    end.dataReceived(packed(open=link.Open(connection=1, state=state.SerializeToString())))
    assert at.sessions[-1].ended == "this connection cannot go on; connect again"
    assert not [event for event in logged if "log_failure" in event]


def test_a_state_that_is_none_lets_nobody_in(at: EdgeServer) -> None:
    end = an_edge(at)
    end.dataReceived(packed(open=link.Open(connection=1, state=b"\xff\xff")))
    end.dataReceived(packed(request=link.Request(connection=1, number=1, dialect="TP04", kind=27)))
    at.server.settle()
    (response,) = [message.response for message in said(end.transport) if message.WhichOneof("content") == "response"]
    assert b"cannot go on" in response.data
    assert response.facts.closing
    assert not response.facts.logged_in
