"""Connection limits, and the shared timer for all deadlines."""

from __future__ import annotations

import resource

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from tpserver.wire.net import limits
from tpserver.wire.net.limits import ConnectionLimiter, Limits, allow_open_files
from tpserver.wire.net.timeouts import Timeouts


class Watched:
    """Notes when it is looked at; its deadline may move meanwhile."""

    def __init__(self, clock: Clock, deadline: float) -> None:
        self.slot = 0
        self.clock = clock
        self.deadline = deadline
        self.done: float | None = None
        self.looks = 0

    def check(self, now: float) -> float | None:
        assert now == self.clock.seconds()
        self.looks += 1
        if now >= self.deadline:
            self.done = now
            return None
        return self.deadline


@given(st.lists(st.floats(0, 500), min_size=1, max_size=30), st.floats(0.1, 7))
def test_each_deadline_is_met_never_early_and_at_most_one_resolution_late(times: list[float], step: float) -> None:
    clock = Clock()
    timeouts = Timeouts(clock, 1.0)
    watched = [Watched(clock, time) for time in times]
    for one in watched:
        timeouts.watch(one, one.deadline)
    assert len(clock.getDelayedCalls()) == 1
    while clock.seconds() < 520:
        clock.advance(step)
    for one in watched:
        assert one.done is not None
        assert one.deadline <= one.done <= one.deadline + 1.0 + step + 1e-6
    assert clock.getDelayedCalls() == []


def test_a_deadline_that_moves_on_is_looked_at_once_in_its_whole_life() -> None:
    """A busy connection moves its deadline with every frame; that must not cost a timer each."""
    clock = Clock()
    timeouts = Timeouts(clock)
    busy = Watched(clock, 60)
    timeouts.watch(busy, 60)
    for second in range(55):
        clock.advance(1)
        busy.deadline = second + 60
        timeouts.watch(busy, busy.deadline)
    assert busy.looks == 0
    clock.pump([1] * 100)
    assert busy.looks == 2
    assert busy.done == 114


def test_an_earlier_deadline_goes_before_a_later_one() -> None:
    clock = Clock()
    timeouts = Timeouts(clock)
    one = Watched(clock, 5)
    timeouts.watch(one, 100)
    timeouts.watch(one, 5)
    clock.advance(5)
    assert one.done == 5
    clock.advance(200)
    assert one.looks == 1


def test_what_is_forgotten_is_not_looked_at() -> None:
    clock = Clock()
    timeouts = Timeouts(clock)
    one, other = Watched(clock, 5), Watched(clock, 5)
    timeouts.watch(one, 5)
    timeouts.watch(other, 5)
    timeouts.forget(one)
    timeouts.forget(one)
    clock.advance(10)
    assert (one.looks, other.looks) == (0, 1)


def test_after_stop_nothing_is_looked_at_and_no_timer_is_left() -> None:
    clock = Clock()
    timeouts = Timeouts(clock)
    one = Watched(clock, 5)
    timeouts.watch(one, 5)
    timeouts.stop()
    assert clock.getDelayedCalls() == []
    clock.advance(10)
    assert one.looks == 0


class Neighbour(Watched):
    """Forgets its neighbour when it is looked at, as one connection may close another."""

    def __init__(self, clock: Clock, timeouts: Timeouts) -> None:
        super().__init__(clock, 5)
        self.timeouts = timeouts
        self.other: Watched | None = None

    def check(self, now: float) -> float | None:
        if self.other is not None:
            self.timeouts.forget(self.other)
        return super().check(now)


def test_what_is_due_together_may_forget_each_other() -> None:
    clock = Clock()
    timeouts = Timeouts(clock)
    one, other = Neighbour(clock, timeouts), Neighbour(clock, timeouts)
    one.other, other.other = other, one
    timeouts.watch(one, 5)
    timeouts.watch(other, 5)
    clock.advance(5)
    timeouts.watch(one, 20)
    clock.advance(15)
    assert one.done == 20


# --- connections


def test_a_refusal_says_how_many_are_allowed() -> None:
    limiter = ConnectionLimiter(Limits(connections=3, connections_per_address=2))
    assert limiter.admit("192.0.2.1") is None
    assert limiter.admit("192.0.2.1") is None
    assert limiter.admit("192.0.2.1") == "Too many connections from 192.0.2.1: 2 at once are allowed."
    assert limiter.admit("192.0.2.2") is None
    assert limiter.admit("192.0.2.3") == "The server is full: it serves 3 connections at once."
    limiter.leave("192.0.2.1")
    assert limiter.admit("192.0.2.1") is None
    assert limiter.count == 3


def test_addresses_of_one_ipv6_network_count_together() -> None:
    """A customer gets 2 to the 64 addresses, so that a limit for each of them would be none."""
    limiter = ConnectionLimiter(Limits(connections_per_address=1))
    assert limiter.admit("2001:db8::1") is None
    assert "2001:db8::/64" in (limiter.admit("2001:db8::2") or "")
    assert limiter.admit("2001:db8:0:1::1") is None
    assert limiter.admit("::ffff:192.0.2.1") is None
    assert "192.0.2.1" in (limiter.admit("192.0.2.1") or ""), "a mapped address is the same client"
    assert limiter.admit("fe80::1%eth0") is None


def test_strangers_with_many_addresses_leave_places_for_others() -> None:
    """Ten addresses do not fill the server, nor a network of addresses, and the last places are for known players."""
    limiter = ConnectionLimiter(Limits(connections=1000, connections_per_address=100))
    limiter.note_login("2001:db8:7::1")
    for number in range(10):
        for _ in range(100):
            limiter.admit(f"10.0.{number}.1")
    for number in range(1000):
        limiter.admit(f"2001:db8:0:{number:x}::1")
    assert limiter.count < 950
    assert limiter.admit("192.0.2.1") is None
    for number in range(1000):
        limiter.admit(f"10.1.{number // 4}.{number % 4}")
    assert limiter.count == 950
    assert "known players" in (limiter.admit("198.51.100.1") or "")
    assert limiter.admit("2001:db8:7:9::2") is None


def test_one_network_may_have_all_where_the_operator_says_so() -> None:
    limiter = ConnectionLimiter(Limits(connections=100, connections_per_address=100))
    assert [limiter.admit("10.0.0.1") for _ in range(100)] == [None] * 100


def test_a_proxy_has_no_limit_of_its_own_and_others_have() -> None:
    limiter = ConnectionLimiter(Limits(connections_per_address=1))
    limiter.is_proxy = lambda address: address == "192.0.2.9"
    assert [limiter.admit(address) is None for address in ("192.0.2.9", "192.0.2.9", "192.0.2.1", "192.0.2.1")] == [
        True, True, True, False,
    ]  # fmt: skip


def test_room_is_made_before_a_connection_is_refused_and_only_then() -> None:
    """The place comes from the same network, or from any if all places are taken. Without a place nothing changes."""
    limiter = ConnectionLimiter(Limits(connections=3, connections_per_address=2))
    asked: list[str] = []
    limiter.make_room = asked.append
    assert [limiter.admit("10.0.0.1") for _ in range(2)] == [None, None]
    assert asked == []
    assert limiter.admit("10.0.0.1") is not None
    assert asked == ["10.0.0.1"]
    limiter.make_room = lambda network: limiter.leave(network)
    assert limiter.admit("10.0.0.1") is None
    assert limiter.admit("10.0.0.2") is None
    limiter.make_room = lambda network: limiter.leave("10.0.0.1")
    assert limiter.admit("2001:db8::1") is None
    assert limiter.count == 3
    limiter.make_room = lambda network: asked.append(network)
    assert limiter.admit("2001:db8::2") is not None
    assert asked[-1] == "2001:db8::/64"


def test_refusals_are_news_once_for_each_address_and_not_without_end() -> None:
    limiter = ConnectionLimiter(Limits(connections=1))
    limiter.admit("192.0.2.1")
    assert [limiter.is_news(f"198.51.100.{number % 200}") for number in range(400)].count(True) == limits.TOLD
    limiter.leave("192.0.2.1")
    assert limiter.is_news("198.51.100.1"), "after somebody has left a refusal is news again"


def test_unix_sockets_have_no_address_and_no_limit_of_their_own() -> None:
    limiter = ConnectionLimiter(Limits(connections=5, connections_per_address=1))
    assert [limiter.admit("") for _ in range(5)] == [None] * 5
    assert limiter.admit("") is not None


@given(st.lists(st.sampled_from(["192.0.2.1", "192.0.2.2", "2001:db8::1", ""]), max_size=40))
def test_when_all_have_left_nothing_is_remembered(addresses: list[str]) -> None:
    limiter = ConnectionLimiter(Limits(connections=20, connections_per_address=8))
    admitted = [address for address in addresses if limiter.admit(address) is None]
    for address in admitted:
        limiter.leave(address)
    assert limiter.count == 0
    assert len(limiter.held) == 0


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "allowed", "fitting"),
    [
        (1024, 4096, 500, None, 500),
        (1024, 4096, 960, None, 960),
        (1024, 4096, 961, 1025, 961),
        (1024, 4096, 2000, 2064, 2000),
        (1024, 4096, 10_000, 4096, 4032),
        (1024, resource.RLIM_INFINITY, 10_000, 10_064, 10_000),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 10_000, None, 10_000),
    ],
)
def test_the_limit_of_open_files_is_raised_as_far_as_it_goes(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, wanted: int, allowed: int | None, fitting: int
) -> None:
    """Without it a server with the usual limit of 1024 files refuses its 1,000th client."""
    calls: list[tuple[int, int]] = []
    files = {resource.RLIMIT_NOFILE: (soft, hard)}
    monkeypatch.setattr(limits.resource, "getrlimit", lambda which: files[which])

    def changed(which: int, limits: tuple[int, int]) -> None:
        assert which == resource.RLIMIT_NOFILE
        calls.append(limits)

    monkeypatch.setattr(limits.resource, "setrlimit", changed)
    assert allow_open_files(wanted) == fitting
    assert calls == ([] if allowed is None else [(allowed, hard)])
