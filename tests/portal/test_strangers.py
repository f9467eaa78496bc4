"""Strangers' connections to the link of a node: few, small and brief.

These bounds end when the Hello of the cluster has arrived.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.task import Clock

from tests.portal.portal_in_memory import LinkTransport
from tpserver.portal import link_pb2 as link
from tpserver.portal.framing import HELLO_BYTES, LENGTH_BYTES, MessageReader, packed
from tpserver.portal.peer_links import HELLO_SECONDS, STRANGERS, STRANGERS_PER_ADDRESS, NodeLinks
from tpserver.wire.net.limits import Limits

HELLO = packed(hello=link.Hello(version=1, oldest=1, software="x", cluster="ours", edge="e"))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def links(clock: Clock) -> NodeLinks:
    once: Any = SimpleNamespace(answer=None)
    nothing: Any = None
    return NodeLinks(clock, "127.0.0.1:6926", "ours", nothing, once, nothing, Limits(), silence=60.0)


def opened(links: NodeLinks, address: str = "192.0.2.1") -> tuple[Any, LinkTransport]:
    end, transport = links.accepted(address), LinkTransport()
    assert end is not None
    end.makeConnection(transport)
    return end, transport


def test_a_stranger_sends_no_more_than_a_hello(links: NodeLinks) -> None:
    """It is refused by the length that it announces; a node may send long messages right after its Hello."""
    end, transport = opened(links)
    end.dataReceived((HELLO_BYTES + 1).to_bytes(LENGTH_BYTES, "big"))
    assert not end.is_open
    assert "16384 are the most" in MessageReader().feed(transport.said)[-1].refusal.text
    end, transport = opened(links)
    data = HELLO + packed(taken=link.Taken(connection=1, bytes=1)) + (10 * HELLO_BYTES).to_bytes(LENGTH_BYTES, "big")
    for at in range(len(data)):
        end.dataReceived(data[at : at + 1])
    assert end.is_open
    end, transport = opened(links)
    end.dataReceived(data)
    assert end.is_open


def test_a_stranger_who_says_no_hello_is_cut_off(links: NodeLinks, clock: Clock) -> None:
    """Also one that sends a byte now and then; a node stays."""
    silent, _ = opened(links)
    slow, _ = opened(links)
    node, _ = opened(links)
    node.dataReceived(HELLO)
    for second in range(int(HELLO_SECONDS) + 2):
        if slow.is_open:
            slow.dataReceived(HELLO[second : second + 1])
        clock.advance(1)
    assert [end.is_open for end in (silent, slow, node)] == [False, False, True]


def test_strangers_are_few_and_push_out_no_node(links: NodeLinks) -> None:
    node, _ = opened(links, "192.0.2.1")
    node.dataReceived(HELLO)
    first = [opened(links, "192.0.2.1")[0] for _ in range(STRANGERS_PER_ADDRESS)]
    assert links.accepted("192.0.2.1") is None
    others = [opened(links, f"198.51.100.{number}")[0] for number in range(STRANGERS)]
    assert sum(end.is_open for end in [*first, *others]) == STRANGERS
    late, _ = opened(links, "203.0.113.1")
    late.dataReceived(HELLO)
    assert (node.is_open, late.is_open, others[0].is_open, others[-1].is_open) == (True, True, False, True)
