"""The scheduler: order of tasks, and their time in a turn of the reactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.task import Clock
from twisted.logger import formatEvent

from tpserver.wire.net.scheduling import LONG_SECONDS, REST_SECONDS, SHARES, SLICE_SECONDS, TURN_SECONDS, Scheduler

MILLISECOND = 0.001


class Effort:
    """Seconds of work that tasks have taken."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def effort() -> Effort:
    return Effort()


class Piecework:
    """A task of the scheduler that always has more to do."""

    payer = "who works long"

    def __init__(self, effort: Effort) -> None:
        self.queued = False
        self.worked = 0
        self._effort = effort

    def work(self, until: float) -> bool:
        self.worked += 1
        self._effort.now += 0.5
        return True


def test_who_rests_at_the_end_of_the_server_is_not_served(effort: Effort) -> None:
    clock = Clock()
    scheduler = Scheduler(clock, effort)
    task = Piecework(effort)
    scheduler.submit(task)
    assert (task.worked, task.queued) == (1, True)
    scheduler.stop()
    assert not task.queued
    clock.pump([REST_SECONDS, 0, 0])
    assert task.worked == 1


class Bench:
    """A scheduler alone, and the order in which its tasks work."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self.clock = Clock()
        self.scheduler = Scheduler(self.clock, effort)
        self.worked: list[str] = []
        self.working: list[str] = []

    def submit(self, *given: tuple[str, Job]) -> None:
        for name, job in given:
            job.name = name
            self.scheduler.submit(job)

    def turn(self) -> None:
        """One turn of the reactor: what is called in it for a later one is not called in the same."""
        for call in self.clock.getDelayedCalls():
            if call.getTime() <= self.clock.seconds():
                due = call.func
                call.cancel()
                due()


class Job:
    """A task that takes some seconds each time, so many times; the first time it does something else, too."""

    def __init__(self, bench: Bench, payer: str, cost: float, times: int = 1, also: Callable[[], None] | None = None):
        self.queued = False
        self.name = ""
        self.payer = payer
        self.untils: list[float] = []
        self._bench, self._cost, self._times, self._also = bench, cost, times, also

    def work(self, until: float) -> bool:
        assert not self._bench.working, "one after the other"
        self._bench.working.append(self.name)
        self._bench.worked.append(self.name)
        self.untils.append(until)
        self._bench.effort.now += self._cost
        if self._also is not None:
            self._also()
            self._also = None
        self._bench.working.pop()
        self._times -= 1
        return self._times > 0


@pytest.fixture
def bench(effort: Effort) -> Bench:
    return Bench(effort)


def test_what_is_submitted_while_another_works_follows_it_in_the_same_slice(bench: Bench, effort: Effort) -> None:
    """Both end with it; nothing is left for a later turn then."""
    effort.now = began = 100.0
    second = Job(bench, "ben", MILLISECOND)
    first = Job(bench, "ann", MILLISECOND, also=lambda: bench.submit(("second", second)))
    bench.submit(("first", first))
    assert bench.worked == ["first", "second"]
    assert first.untils == second.untils == [began + SLICE_SECONDS]
    assert bench.clock.getDelayedCalls() == []
    again = Job(bench, "ann", SLICE_SECONDS, times=2)
    bench.submit(("again", again))
    bench.turn()
    assert bench.worked == ["first", "second", "again", "again"]


def test_what_does_not_fit_into_the_slice_waits_for_the_turn(bench: Bench) -> None:
    second = Job(bench, "ben", MILLISECOND)
    bench.submit(("first", Job(bench, "ann", SLICE_SECONDS, also=lambda: bench.submit(("second", second)))))
    assert bench.worked == ["first"]
    bench.turn()
    assert bench.worked == ["first", "second"]


def test_nobody_is_served_before_who_waits(bench: Bench) -> None:
    bench.submit(("ann", Job(bench, "ann", SLICE_SECONDS, times=2)), ("ben", Job(bench, "ben", 0.0)))
    assert bench.worked == ["ann"]
    bench.turn()
    assert bench.worked == ["ann", "ann", "ben"]


@pytest.mark.parametrize(("began", "more"), [(0.0, 0.0), (64.0, 2**-40)], ids=["exactly", "a little more"])
def test_what_runs_at_once_is_counted_until_the_next_turn(
    bench: Bench, effort: Effort, began: float, more: float
) -> None:
    """Half a turn twice is a turn. Then all wait for the next one, in which counting starts again."""
    effort.now = began
    for name in ("ann", "ben", "cem"):
        bench.submit((name, Job(bench, name, TURN_SECONDS / 2 + more)))
    assert bench.worked == ["ann", "ben"]
    bench.turn()
    assert bench.worked == ["ann", "ben", "cem"]
    bench.submit(("dan", Job(bench, "dan", 0.0)))
    assert bench.worked == ["ann", "ben", "cem", "dan"]


def test_who_does_not_rest_is_served_at_once_while_others_do(bench: Bench) -> None:
    slow = Job(bench, "ann", LONG_SECONDS, times=2)
    bench.submit(("slow", slow))
    bench.turn()
    bench.submit(("other", Job(bench, "ben", 0.0)))
    assert bench.worked == ["slow"], "that was a turn's worth"
    bench.turn()
    bench.submit(("more", Job(bench, "cem", 0.0)))
    assert bench.worked == ["slow", "other", "more"]
    bench.clock.advance(LONG_SECONDS)
    bench.turn()
    assert bench.worked == ["slow", "other", "more", "slow"]


@pytest.mark.parametrize("count", [1, 2, SHARES, SHARES + 3])
def test_the_tasks_of_a_payer_divide_its_slice_into_four_parts_at_most(
    bench: Bench, effort: Effort, count: int
) -> None:
    jobs = [Job(bench, "ann", 0.0) for _ in range(count)]
    first = Job(bench, "ben", SLICE_SECONDS, also=lambda: bench.submit(*(("job", job) for job in jobs)))
    bench.submit(("first", first))
    began = effort.now
    bench.turn()
    assert [job.untils for job in jobs] == [[pytest.approx(began + SLICE_SECONDS / min(count, SHARES))]] * count


def test_what_waits_behind_a_long_task_of_its_payer_rests_with_it(bench: Bench, effort: Effort) -> None:
    """For as long as that took, whenever it was."""
    effort.now = 64.0
    jobs = [("long", Job(bench, "ann", 0.5)), ("other", Job(bench, "ann", 0.0))]
    bench.submit(("first", Job(bench, "cem", 2 * SLICE_SECONDS, also=lambda: bench.submit(*jobs))))
    for seconds in (0, 0, 0.49):
        bench.clock.advance(seconds)
        bench.turn()
    assert bench.worked == ["first", "long"]
    bench.clock.advance(0.02)
    bench.turn()
    assert bench.worked == ["first", "long", "other"]


def test_a_task_with_more_to_do_is_served_again_and_again_and_may_be_submitted_afterwards(bench: Bench) -> None:
    task = Job(bench, "ann", SLICE_SECONDS, times=4)
    bench.submit(("task", task))
    for _ in range(3):
        bench.turn()
    assert bench.worked == ["task"] * 4 and not task.queued
    bench.submit(("task", task))
    assert bench.worked == ["task"] * 5


def test_a_turn_that_is_used_up_ends(bench: Bench, effort: Effort) -> None:
    """The rest is served in the next one."""
    jobs = [(name, Job(bench, name, TURN_SECONDS / 2)) for name in ("ann", "ben", "cem")]
    bench.submit(("first", Job(bench, "dan", SLICE_SECONDS, also=lambda: bench.submit(*jobs))))
    effort.now = 0.0
    bench.turn()
    assert bench.worked == ["first", "ann", "ben"]
    bench.turn()
    assert bench.worked == ["first", "ann", "ben", "cem"]


def test_a_slice_that_is_used_up_ends(bench: Bench) -> None:
    jobs = [("a", Job(bench, "ann", SLICE_SECONDS)), ("b", Job(bench, "ann", 0.0)), ("c", Job(bench, "ben", 0.0))]
    bench.submit(("first", Job(bench, "cem", SLICE_SECONDS, also=lambda: bench.submit(*jobs))))
    bench.turn()
    assert bench.worked == ["first", "a", "c", "b"]


def test_a_task_that_fails_is_told_and_dropped_and_others_go_on(bench: Bench, logged: list[Any]) -> None:
    def fails() -> None:
        bench.working.clear()
        raise RuntimeError("broken")

    failing = Job(bench, "ann", 0.0, times=5, also=fails)
    bench.submit(("failing", failing))
    bench.turn()
    assert not failing.queued and [formatEvent(event) for event in logged] == ["A task of ann failed"]
    bench.submit(("other", Job(bench, "ann", 0.0)))
    assert bench.worked == ["failing", "other"]
