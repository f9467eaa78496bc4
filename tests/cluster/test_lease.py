"""The lease of a node, driven by a clock.

A node relies on its lease for less time than the others do, and never on an expired one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent

from tpserver.cluster.lease import BEAT_SECONDS, ID_BYTES, MARGIN, Lease, boot_seconds

SECONDS = 10.0
RELIED_ON = SECONDS * (1 - MARGIN)


class Members:
    """A cluster's database; ``away``: it cannot be asked; ``slow``: it answers when the test says so."""

    def __init__(self) -> None:
        self.alive: list[str] = []
        self.said: list[str] = []
        self.left: list[str] = []
        self.away = False
        self.slow: list[Deferred[Any]] | None = None

    def register(self, node: str) -> Deferred[None]:
        if self.away:
            return fail(RuntimeError("away"))
        assert node not in self.said, "an id is never used again"
        self.said.append(node)
        self.alive.append(node)
        if self.slow is not None:
            self.slow.append(Deferred())
            return self.slow[-1]
        return succeed(None)

    def beat(self, node: str) -> Deferred[bool]:
        if self.slow is not None:
            self.slow.append(Deferred())
            return self.slow[-1]
        return fail(RuntimeError("away")) if self.away else succeed(node in self.alive)

    def leave(self, node: str) -> Deferred[None]:
        if self.away:
            return fail(RuntimeError("away"))
        self.left.append(node)
        self.alive = [one for one in self.alive if one != node]
        return succeed(None)


class Held:
    """A lease and all around it. ``frozen`` seconds have passed for the machine, but not for this process's timers."""

    def __init__(self) -> None:
        self.members, self.clock, self.frozen, self.losses = Members(), Clock(), 0.0, 0
        timers: Any = self.clock
        self.lease = Lease(self.members, timers, SECONDS, self._lost, lambda: self.clock.seconds() + self.frozen)

    def start(self) -> None:
        done: list[object] = []
        Deferred.fromCoroutine(self.lease.start()).addBoth(done.append)
        assert done == [None]

    def _lost(self) -> None:
        assert not self.lease.may_speak() and self.lease.node == "", "before others are told"
        self.losses += 1

    def pass_time(self, seconds: float) -> None:
        self.clock.pump([0.25] * round(seconds / 0.25))


@pytest.fixture
def held() -> Held:
    made = Held()
    made.start()
    return made


def test_a_node_that_beats_may_speak_for_ever(held: Held) -> None:
    node = held.lease.node
    held.pass_time(100)
    assert held.lease.may_speak() and held.lease.node == node and held.losses == 0
    assert held.members.said == [node]


def test_before_the_start_and_after_the_end_it_may_not(held: Held) -> None:
    assert not Held().lease.may_speak()
    Deferred.fromCoroutine(held.lease.stop())
    assert not held.lease.may_speak() and held.members.alive == [] and held.losses == 0
    held.pass_time(60)
    assert len(held.members.said) == 1, "and does not become one again"


def test_it_falls_silent_before_the_database_has_it_for_dead(held: Held) -> None:
    """While the database is away: to the moment, without anything that rings."""
    held.pass_time(5)
    held.members.away = True
    last = held.clock.seconds()
    held.frozen += last + RELIED_ON - 0.01 - held.clock.seconds()
    assert held.lease.may_speak()
    held.frozen += 0.02
    assert not held.lease.may_speak() and held.frozen < SECONDS


def test_the_lease_counts_from_before_the_beat_was_sent(held: Held) -> None:
    """An answer that takes four seconds leaves so much less."""
    held.members.slow = []
    held.pass_time(BEAT_SECONDS)
    sent = held.clock.seconds()
    held.pass_time(4)
    assert len(held.members.slow) == 1, "one beat at a time"
    held.members.slow[0].callback(True)
    held.members.slow = None
    held.members.away = True
    held.frozen += sent + RELIED_ON - held.clock.seconds() - 0.01
    assert held.lease.may_speak()
    held.frozen += 0.02
    assert not held.lease.may_speak()


def test_a_node_that_was_frozen_is_over_and_the_server_becomes_another_one(held: Held) -> None:
    """Also if the database does not know yet: others may have found it dead meanwhile."""
    node = held.lease.node
    held.frozen += RELIED_ON
    assert not held.lease.may_speak()
    held.pass_time(BEAT_SECONDS)
    assert held.losses == 1
    held.pass_time(BEAT_SECONDS)
    assert held.lease.may_speak() and held.lease.node not in ("", node) and held.losses == 1
    assert held.members.alive == [held.lease.node], "nobody waits for the other's end"


def test_an_answer_that_comes_after_the_lease_does_not_revive_it(held: Held) -> None:
    """The process was frozen between the beat and its answer: the beat has arrived, or it arrived too late."""
    held.members.slow = []
    held.pass_time(BEAT_SECONDS)
    held.frozen += SECONDS
    held.members.slow[0].callback(True)
    assert held.losses == 1 and not held.lease.may_speak()


def test_whom_the_database_has_for_dead_is_dead_at_once(held: Held) -> None:
    held.members.alive.clear()
    held.pass_time(BEAT_SECONDS)
    assert held.losses == 1 and (held.lease.node == "" or held.lease.node != held.members.said[0])


def test_a_minute_without_the_database_costs_the_games_once(held: Held) -> None:
    held.members.away = True
    held.pass_time(60)
    assert held.losses == 1 and not held.lease.may_speak()
    held.members.away = False
    held.pass_time(2 * BEAT_SECONDS)
    assert held.lease.may_speak() and held.losses == 1 and len(held.members.said) == 2


def test_a_few_seconds_without_it_cost_nothing(held: Held) -> None:
    held.members.away = True
    held.pass_time(RELIED_ON - 2)
    held.members.away = False
    held.pass_time(20)
    assert held.losses == 0 and len(held.members.said) == 1 and held.lease.may_speak()


def test_a_server_that_cannot_become_a_node_does_not_start() -> None:
    held, wrong = Held(), []
    held.members.away = True
    Deferred.fromCoroutine(held.lease.start()).addErrback(lambda failure: wrong.append(failure.getErrorMessage()))
    assert wrong == ["away"]
    held.pass_time(10)
    assert held.members.said == []


def test_an_id_is_sixteen_digits_and_none_is_empty(held: Held) -> None:
    assert Held().lease.node == ""
    assert len(held.lease.node) == 2 * ID_BYTES and int(held.lease.node, 16) >= 0
    Deferred.fromCoroutine(held.lease.stop())
    assert held.lease.node == ""


def test_stopping_twice_or_before_the_start_does_nothing(held: Held) -> None:
    for lease in (held.lease, held.lease, Held().lease):
        done: list[object] = []
        Deferred.fromCoroutine(lease.stop()).addBoth(done.append)
        assert done == [None]
    assert held.members.left == held.members.said, "left once"


def test_who_stops_while_it_is_registered_is_no_node_and_leaves() -> None:
    """The database has added it already, and would wait for the end of its lease."""
    held = Held()
    held.members.slow = []
    Deferred.fromCoroutine(held.lease.start())
    Deferred.fromCoroutine(held.lease.stop())
    held.members.slow[0].callback(None)
    assert held.lease.node == "" and not held.lease.may_speak()
    assert held.members.left == held.members.said and held.members.alive == []


def test_only_nodes_that_are_over_leave_and_each_once(held: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if the next one cannot be registered at first."""
    for _ in range(2):
        held.frozen += RELIED_ON
        with monkeypatch.context() as changed:
            changed.setattr(held.members, "register", lambda node: fail(RuntimeError("full")))
            held.pass_time(3 * BEAT_SECONDS)
        held.pass_time(BEAT_SECONDS)
    assert held.losses == 2
    assert held.members.left == held.members.said[:2]


def test_boot_seconds_are_those_of_a_clock_that_goes_on_in_sleep() -> None:
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    before = time.clock_gettime(clock)
    assert before <= boot_seconds() <= time.clock_gettime(clock)


def lines(logged: list[LogEvent]) -> list[str]:
    return [formatEvent(event) for event in logged]


def test_beats_that_fail_are_told_once_for_each_reason_and_so_is_their_end(
    logged: list[LogEvent], held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database that is away for an hour would fill the log otherwise."""
    held.pass_time(5)
    assert lines(logged) == [f"this server is node {held.lease.node} of its cluster"]
    for reason in ("away", "away", "full"):
        monkeypatch.setattr(held.members, "beat", lambda node, reason=reason: fail(RuntimeError(reason)))
        held.pass_time(2 * BEAT_SECONDS)
    monkeypatch.undo()
    held.pass_time(5)
    assert lines(logged)[1:] == [
        "this node cannot tell the others that it lives: away",
        "this node cannot tell the others that it lives: full",
        "the nodes of the cluster can be reached again",
    ]


def test_a_beat_that_fails_after_the_end_is_not_told(held: Held, logged: list[LogEvent]) -> None:
    held.members.slow = []
    held.pass_time(BEAT_SECONDS)
    Deferred.fromCoroutine(held.lease.stop())
    logged.clear()
    held.members.slow[0].errback(RuntimeError("the database is closed"))
    assert logged == []


def frozen(held: Held) -> None:
    held.frozen += SECONDS


def frozen_before_the_answer(held: Held) -> None:
    held.members.slow = []
    held.pass_time(BEAT_SECONDS)
    held.frozen += SECONDS
    held.members.slow[0].callback(True)


def dead(held: Held) -> None:
    held.members.alive.clear()


@pytest.mark.parametrize(
    ("fate", "why"),
    [
        (frozen, "it could not reach its database for so long, or was frozen"),
        (frozen_before_the_answer, "it was frozen, or its database did not answer in time"),
        (dead, "the database has it for dead"),
    ],
)
def test_an_operator_is_told_why_a_lease_was_lost(
    held: Held, logged: list[LogEvent], fate: Callable[[Held], None], why: str
) -> None:
    node = held.lease.node
    fate(held)
    held.pass_time(BEAT_SECONDS)
    assert f"node {node} has lost its lease, as {why}: its games are dropped" in lines(logged)
