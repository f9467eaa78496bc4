"""The requests of the attack program (tests/attack), counted, not timed.

Each is sent on one connection to a server in memory. Each reading of the clock ends a step. Other work can only run
between steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from twisted.internet.task import Clock

from tests.attack.worst_requests import MEMBER, STRANGER
from tests.support.connections import Transport
from tests.support.server_in_memory import SMALL_BOARD, Server, making_servers
from tpserver.requests.session.responses import BYTES_AT_ONCE, FRAMES_AT_ONCE
from tpserver.requests.session.session import Peer, Session
from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.limits import Limits
from tpserver.wire.net.scheduling import SLICE_SECONDS, TURN_SECONDS

PIECE = 65_536
LONGEST_FRAME = 70_000
STEP = 0.001
QUICK = ("lists of ids", "lists of games", "descriptions")


class Steps:
    """A clock of which each look costs a millisecond."""

    def __init__(self) -> None:
        self.looks = 0

    def __call__(self) -> float:
        self.looks += 1
        return self.looks * STEP


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with making_servers() as make:
        made = make()
        made.create("one", "tae", seats=2, options={"board": SMALL_BOARD})
        made.players(2)
        yield made


def attacked(server: Server, data: bytes, account: Any) -> tuple[Transport, ConnectionFactory, Steps, Clock]:
    clock, steps = Clock(), Steps()
    sessions: list[Session] = []

    def session(address: str, secure: bool, send: Any, token: str) -> Session:
        sessions.append(Session(server.host, Peer(address, secure), send))
        return sessions[-1]

    connection_factory = ConnectionFactory(session, Limits(waiting_bytes=4 << 20), clock, steps)
    wire = Transport(connection_factory.buildProtocol(None))
    if account is not None:
        sessions[0].enter(*account)
    return wire, connection_factory, steps, clock


def run(server: Server, data: bytes, account: Any, reads: bool) -> None:
    wire, connection_factory, steps, clock = attacked(server, data, account)
    rest = data
    for _ in range(400):
        if rest and wire.is_reading and not wire.is_ending and not wire.disconnecting:
            before = steps.looks
            piece, rest = rest[:PIECE], rest[PIECE:]
            wire.protocol.dataReceived(piece)
            assert (steps.looks - before) * STEP <= SLICE_SECONDS + TURN_SECONDS
        for call in clock.getDelayedCalls():
            if call.getTime() <= clock.seconds():
                before, sent = steps.looks, len(wire.unread)
                due = call.func
                call.cancel()
                due()
                looks = steps.looks - before
                assert looks * STEP <= TURN_SECONDS + SLICE_SECONDS
                assert len(wire.unread) - sent <= looks * (BYTES_AT_ONCE + FRAMES_AT_ONCE * LONGEST_FRAME // 16)
        assert connection_factory.memory.total <= 4 << 20
        assert len(wire.unread) <= (1 << 20), "no more is made than may wait"
        if reads:
            wire.read()
    wire.hang_up()
    assert connection_factory.memory.total == 0


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("name", STRANGER)
def test_what_needs_no_account_is_answered_in_steps(server: Server, name: str, reads: bool) -> None:
    run(server, STRANGER[name], None, reads)


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        *((name, False) for name in MEMBER),
        *(pytest.param(name, True, marks=[] if name in QUICK else pytest.mark.thorough) for name in MEMBER),
    ],
)
def test_what_an_account_can_ask_is_answered_in_steps(server: Server, name: str, reads: bool) -> None:
    ann = server.player("ann")
    account = (ann.session.account, ann.session.game, ann.session.seat)
    assert ann.session.game is not None
    run(server, MEMBER[name], account, reads)
