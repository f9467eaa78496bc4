"""Fair shares of input: no client waits for the requests of another.

The server handles input in slices, one client after the other. Time is counted, not measured: `Effort` is a clock that
each request advances by its cost.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tpserver.wire.net.factory import ConnectionFactory
from tpserver.wire.net.scheduling import REST_SECONDS, SLICE_SECONDS, TURN_SECONDS

HEADER = struct.Struct(">4sIII")
MILLISECOND = 0.001


def requests(count: int, kind: int = 27) -> bytes:
    return b"".join(HEADER.pack(b"TP03", number, kind, 0) for number in range(1, count + 1))


class Effort:
    """Seconds of work that requests have taken."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def costs(self, seconds: float) -> Callable[[Any], bytes]:
        def answer(request: Any) -> bytes:
            self.now += seconds
            return HEADER.pack(b"TP03", request.sequence, 0, 0)

        return answer


@pytest.fixture
def effort() -> Effort:
    return Effort()


@pytest.fixture
def server(make_net_server: Any, effort: Effort) -> Any:
    return make_net_server(effort)


def connect(server: Any, effort: Effort, address: str, cost: float, account: int | None = None) -> Any:
    wire = server.connect(address)
    session = server.sessions[-1]
    session.account_id, session.logged_in = account, account is not None
    session.replies[27] = effort.costs(cost)
    wire.session = session
    return wire


def answered(wire: Any) -> int:
    return len(wire.session.asked)


def turn(server: Any) -> None:
    """One turn of the reactor: what is called in it for a later one is not called in the same."""
    for call in server.clock.getDelayedCalls():
        if call.getTime() <= server.clock.seconds():
            due = call.func
            call.cancel()
            due()


def test_a_short_request_is_answered_at_once_if_nobody_waits(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", MILLISECOND)
    wire.protocol.dataReceived(requests(2))
    assert answered(wire) == 2
    due = [call for call in server.clock.getDelayedCalls() if call.getTime() <= server.clock.seconds()]
    assert due == [], "nothing is left for the next turn of the reactor"


def test_one_connection_is_answered_for_no_longer_than_a_slice(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", MILLISECOND)
    wire.protocol.dataReceived(requests(1000))
    assert effort.now == pytest.approx(SLICE_SECONDS)
    assert not wire.is_reading, "what it sends further is left to wait outside"
    turn(server)
    assert effort.now <= SLICE_SECONDS + TURN_SECONDS + 2 * MILLISECOND
    while answered(wire) < 1000:
        turn(server)
    assert wire.is_reading
    assert len(wire.read_all()) == 16 * 1000


def test_a_thousand_connections_of_one_address_cost_another_one_slice(server: Any, effort: Effort) -> None:
    many = [connect(server, effort, "192.0.2.1", MILLISECOND) for _ in range(1000)]
    for wire in many:
        wire.protocol.dataReceived(requests(100))
    assert effort.now <= TURN_SECONDS + SLICE_SECONDS, "all of them in one turn of the reactor"
    other = connect(server, effort, "198.51.100.7", 0.0)
    other.protocol.dataReceived(requests(1))
    before = effort.now
    turn(server)
    assert answered(other) == 1
    assert effort.now - before <= TURN_SECONDS + SLICE_SECONDS


def test_an_account_is_served_apart_from_the_address_that_it_comes_from(server: Any, effort: Effort) -> None:
    for _ in range(50):
        connect(server, effort, "192.0.2.1", MILLISECOND).protocol.dataReceived(requests(100))
    player = connect(server, effort, "192.0.2.1", 0.0, account=7)
    player.protocol.dataReceived(requests(1))
    turn(server)
    assert answered(player) == 1


def test_the_connections_of_one_account_share_its_time(server: Any, effort: Effort) -> None:
    greedy = [connect(server, effort, f"192.0.2.{number}", MILLISECOND, account=1) for number in range(1, 101)]
    modest = connect(server, effort, "198.51.100.7", MILLISECOND, account=2)
    for wire in (*greedy, modest):
        wire.protocol.dataReceived(requests(60))
    while answered(modest) < 60:
        turn(server)
    assert sum(map(answered, greedy)) <= 60 + 4 * TURN_SECONDS / MILLISECOND


def test_connections_of_one_payer_take_turns_too(server: Any, effort: Effort) -> None:
    wires = [connect(server, effort, "192.0.2.1", MILLISECOND) for _ in range(40)]
    for wire in wires:
        wire.protocol.dataReceived(requests(500))
    for _ in range(40):
        turn(server)
    counts = [answered(wire) for wire in wires[4:]]
    assert max(counts) - min(counts) <= 4, counts


def test_who_has_held_the_reactor_long_rests_as_long(server: Any, effort: Effort) -> None:
    """Two slow checks of one player do not follow each other while somebody else needs two turns for one answer."""
    slow = connect(server, effort, "192.0.2.1", 0.5, account=1)
    again = connect(server, effort, "192.0.2.2", 0.5, account=1)
    slow.protocol.dataReceived(requests(2))
    again.protocol.dataReceived(requests(1))
    for _ in range(5):
        turn(server)
    assert (answered(slow), answered(again)) == (1, 0)
    other = connect(server, effort, "192.0.2.1", 0.0, account=2)
    other.protocol.dataReceived(requests(1))
    turn(server)
    assert answered(other) == 1, "nobody else rests"
    server.clock.advance(0.49)
    assert (answered(slow), answered(again)) == (1, 0)
    for _ in range(2):
        server.clock.advance(0.51)
        turn(server)
    assert (answered(slow), answered(again)) == (2, 1)
    slow.protocol.dataReceived(requests(1))
    assert answered(slow) == 2, "it rests again"


def test_a_process_that_was_stopped_does_not_rest_for_as_long(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", 3600.0)
    wire.protocol.dataReceived(requests(2))
    server.clock.advance(REST_SECONDS)
    turn(server)
    assert answered(wire) == 2


def test_answers_that_come_in_slices_are_those_that_come_at_once(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", SLICE_SECONDS)
    data = requests(30)
    for start in range(0, len(data), 7):
        wire.protocol.dataReceived(data[start : start + 7])
    for _ in range(40):
        turn(server)
    answers = wire.read_all()
    assert [HEADER.unpack_from(answers, at)[1] for at in range(0, len(answers), 16)] == list(range(1, 31))


def test_one_that_goes_while_it_waits_is_forgotten(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", SLICE_SECONDS)
    wire.protocol.dataReceived(requests(30))
    wire.hang_up()
    turn(server)
    assert answered(wire) == 1


def test_who_half_closes_while_it_waits_gets_all_its_answers(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", SLICE_SECONDS)
    wire.protocol.dataReceived(requests(30))
    wire.protocol.readConnectionLost()
    assert not wire.is_ending
    for _ in range(40):
        turn(server)
    assert answered(wire) == 30
    assert wire.is_ending


def test_requests_behind_a_login_stay_bytes(server: Any, effort: Effort) -> None:
    """They wait unread and unparsed, so a client that does not log in cannot fill the server with them."""
    wire = connect(server, effort, "192.0.2.1", 0.0)
    session = wire.session

    def login(request: Any) -> Any:
        session.occupied = True
        session.pending = Deferred()
        return session.pending

    session.replies[4] = login
    wire.protocol.dataReceived(requests(1, 4) + requests(3000))
    assert [request.kind for request in session.asked] == [4]
    assert not wire.is_reading
    session.occupied = False
    session.pending.callback(HEADER.pack(b"TP03", 1, 0, 0))
    while answered(wire) < 3001:
        turn(server)
    assert wire.is_reading


def test_the_end_of_the_server_ends_all_turns(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", SLICE_SECONDS)
    wire.protocol.dataReceived(requests(30))
    connection_factory: ConnectionFactory = server.connection_factory
    connection_factory.close()
    turn(server)
    assert answered(wire) == 1
    wire.hang_up()
    assert server.clock.getDelayedCalls() == []


def test_a_frame_before_login_is_short(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", 0.0)
    wire.protocol.dataReceived(HEADER.pack(b"TP03", 1, 27, 4096) + bytes(4096) + HEADER.pack(b"TP03", 2, 27, 4097))
    assert answered(wire) == 1
    assert wire.read()[32:] == b"A frame of 4097 bytes is too long; 4096 are the most before login."
    assert wire.is_ending


def test_a_frame_after_login_may_be_longer(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", 0.0, account=1)
    wire.protocol.dataReceived(HEADER.pack(b"TP03", 1, 27, 50_000) + bytes(50_000))
    assert answered(wire) == 1


# --- long answers


def long_answer(pieces: int, made: list[int]) -> Callable[[Any], Any]:
    def answer(request: Any) -> Any:
        for number in range(pieces):
            made.append(number)
            yield HEADER.pack(b"TP03", request.sequence, 0, 60_000) + bytes(60_000)

    return answer


def test_a_long_answer_is_made_as_fast_as_it_is_read(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", 0.0)
    made: list[int] = []
    wire.session.replies[5] = long_answer(100, made)
    wire.protocol.dataReceived(requests(1, 5) + requests(1))
    assert len(made) <= 6, "no more than is let wait for who does not read"
    assert answered(wire) == 1, "what comes after it waits"
    for _ in range(200):
        wire.read()
        turn(server)
    assert len(made) == 100
    assert answered(wire) == 2
    assert len(wire.was_read) == 100 * 60_016 + 16


def test_what_nobody_asked_for_waits_for_the_end_of_a_long_answer(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", 0.0)
    wire.session.replies[5] = long_answer(20, [])
    wire.protocol.dataReceived(requests(1, 5) + requests(1))
    wire.session.send(HEADER.pack(b"TP03", 0, 15, 0))
    for _ in range(60):
        wire.read()
        turn(server)
    data, kinds = wire.was_read, []
    while data:
        _, sequence, kind, length = HEADER.unpack_from(data)
        kinds.append((sequence, kind))
        data = data[16 + length :]
    assert kinds == [(1, 0)] * 20 + [(0, 15), (1, 0)]


def test_a_long_answer_is_made_in_slices(server: Any, effort: Effort) -> None:
    wire = connect(server, effort, "192.0.2.1", 0.0)

    def answer(request: Any) -> Any:
        for _ in range(50):
            effort.now += MILLISECOND
            yield HEADER.pack(b"TP03", request.sequence, 0, 0)

    wire.session.replies[5] = answer
    wire.protocol.dataReceived(requests(1, 5))
    assert effort.now <= SLICE_SECONDS + MILLISECOND
    other = connect(server, effort, "198.51.100.7", 0.0)
    other.protocol.dataReceived(requests(1))
    turn(server)
    assert answered(other) == 1
    assert effort.now < 50 * MILLISECOND


# --- what waits in memory, over all connections


def test_over_the_total_whoever_has_most_waiting_is_closed_with_a_sentence(
    make_net_server: Any, effort: Effort
) -> None:
    server = make_net_server(effort, waiting_bytes=1_000_000)
    modest = connect(server, effort, "192.0.2.1", 0.0, account=2)
    modest.protocol.dataReceived(HEADER.pack(b"TP03", 1, 27, 60_000) + bytes(50_000))
    greedy = [connect(server, effort, "192.0.2.1", 0.0, account=1) for _ in range(40)]
    for wire in greedy:
        wire.protocol.dataReceived(HEADER.pack(b"TP03", 1, 27, 60_000) + bytes(50_000))
    closed = [wire for wire in greedy if wire.is_ending]
    assert len(closed) in range(20, 26)
    assert all(b"most of it is yours" in wire.read() for wire in closed)
    assert server.connection_factory.memory.total <= 1_000_000
    modest.protocol.dataReceived(bytes(10_000))
    assert answered(modest) == 1
    for wire in (*greedy, modest):
        wire.hang_up()
    assert server.connection_factory.memory.total == 0


def test_who_has_not_logged_in_goes_before_who_has(make_net_server: Any, effort: Effort) -> None:
    server = make_net_server(effort, waiting_bytes=600_000)
    player = connect(server, effort, "192.0.2.1", 0.0, account=1)
    player.protocol.dataReceived(HEADER.pack(b"TP03", 1, 27, 900_000) + bytes(300_000))
    strangers = [connect(server, effort, "192.0.2.1", SLICE_SECONDS) for _ in range(10)]
    for wire in strangers:
        wire.protocol.dataReceived(requests(3000))
    assert not player.is_ending
    assert any(wire.is_ending for wire in strangers)
    assert server.connection_factory.memory.total <= 600_000


def test_answers_that_nobody_reads_count_too(make_net_server: Any, effort: Effort) -> None:
    server = make_net_server(effort, waiting_bytes=2_000_000)
    wires = [connect(server, effort, "192.0.2.1", 0.0, account=1) for _ in range(20)]
    for wire in wires:
        wire.session.replies[5] = long_answer(100, [])
        wire.protocol.dataReceived(requests(1, 5))
    assert server.connection_factory.memory.total <= 2_000_000
    assert any(wire.disconnecting for wire in wires)
