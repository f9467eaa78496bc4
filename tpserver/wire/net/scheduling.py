"""Scheduler: shares the reactor's time among connections with input.

A connection only stores what arrives and submits itself as a task. A *payer* is an account, or an address before login.
Payers are served in rotation, one slice each. The number of their connections does not matter. The connections of a
payer divide its slice. Between turns the reactor does its other work. So one payer delays another by one slice at most.

Some work cannot be divided, such as a slow rule that checks an order. A payer whose task has used the reactor for
`LONG_SECONDS` then rests for the same time. So two long tasks do not follow each other while others wait for the rest
of a response.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from twisted.logger import Logger

from tpserver.concurrency import Clock, Timer

SLICE_SECONDS = 0.004
"""Maximum seconds for which a payer is served before the next."""

TURN_SECONDS = 0.010
"""Maximum seconds for which payers are served before the reactor does its other work."""

SHARES = 4
"""Maximum parts into which a slice is divided among the waiting connections of its payer."""

LONG_SECONDS = 0.05
"""Seconds without a break after which a payer must rest for the time of its task."""

REST_SECONDS = 1.0
"""Maximum seconds of rest, as the process itself may have been suspended during the task."""

log = Logger()


class Task(Protocol):
    """Something with work to do: a connection."""

    queued: bool
    """Kept by Scheduler: whether the task is queued; initially False."""

    @property
    def payer(self) -> Hashable:
        """The payer that the scheduler charges for the time."""
        ...

    def work(self, until: float) -> bool:
        """Work until about `until` by `Scheduler.seconds()`; return whether there is more to do."""
        ...


class Scheduler:
    """Runs tasks in rotation by payer.

    `clock` provides callLater; `seconds` is the clock that measures slices, from any starting point.
    """

    def __init__(self, clock: Clock, seconds: Callable[[], float]) -> None:
        self.seconds = seconds
        self._clock = clock
        self._waiting: dict[Hashable, deque[Task]] = {}  # in the order in which payers are served
        self._resting: dict[Hashable, deque[Task]] = {}  # payers that rest after a long task
        self._used = 0.0  # seconds since the last turn used by tasks that ran at once
        self._working = False
        self._call: Timer | None = None

    def submit(self, task: Task) -> None:
        """Run a task at once if none is queued and the turn has time left, else in its order."""
        if task.queued:
            return
        if (
            self._working
            or self._waiting
            or self._used >= TURN_SECONDS
            or (self._resting and task.payer in self._resting)
        ):
            self._queue(task)
            return
        began = self.seconds()
        now = self._let_work(task, began, began + SLICE_SECONDS)
        while self._waiting and now < began + SLICE_SECONDS:
            now = self._serve(now, began + SLICE_SECONDS)  # tasks submitted during this one
        if not self._waiting:
            self._forget_turn()
        self._used += now - began

    def stop(self) -> None:
        """Drop all queued tasks."""
        for tasks in (*self._waiting.values(), *self._resting.values()):
            for task in tasks:
                task.queued = False
        self._waiting.clear()
        self._resting.clear()
        self._forget_turn()

    def _queue(self, task: Task) -> None:
        if task.queued:
            return  # submitted again while it ran
        task.queued = True
        resting = self._resting.get(task.payer)
        if resting is not None:
            resting.append(task)
            return
        self._waiting.setdefault(task.payer, deque()).append(task)
        self._call_turn()

    def _call_turn(self) -> None:
        if self._call is None:
            self._call = self._clock.callLater(0, self._turn)

    def _rest(self, payer: Hashable, seconds: float) -> None:
        """Hold a payer's tasks back for `seconds`, at most REST_SECONDS."""
        if payer not in self._resting:
            self._resting[payer] = self._waiting.pop(payer, deque())
            self._clock.callLater(min(seconds, REST_SECONDS), lambda: self._has_rested(payer))

    def _has_rested(self, payer: Hashable) -> None:
        tasks = self._resting.pop(payer, None)
        if tasks:
            self._waiting[payer] = tasks
            self._call_turn()

    def _forget_turn(self) -> None:
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _turn(self) -> None:
        """Serve one payer after the other until TURN_SECONDS have passed."""
        self._call = None
        now = self.seconds()
        end = now + TURN_SECONDS
        while self._waiting and now < end:
            now = self._serve(now, end)
        self._used = 0.0
        if self._waiting:
            self._call_turn()

    def _serve(self, now: float, latest: float) -> float:
        """Give the next payer a slice, divided among its tasks, and move it behind the others. Return the time."""
        payer, tasks = next(iter(self._waiting.items()))
        end = min(latest, now + SLICE_SECONDS)
        share = SLICE_SECONDS / min(SHARES, len(tasks))
        while tasks and now < end and payer not in self._resting:
            task = tasks.popleft()
            task.queued = False
            now = self._let_work(task, now, min(end, now + share))
        if self._waiting.pop(payer, None):
            self._waiting[payer] = tasks
        return now

    def _let_work(self, task: Task, began: float, until: float) -> float:
        """Run a task, and queue it again if there is more to do. Return the time."""
        self._working = True
        try:
            more = task.work(until)
        except Exception:
            log.failure("A task of {payer} failed", payer=task.payer)
            more = False
        finally:
            self._working = False
        now = self.seconds()
        if now - began >= LONG_SECONDS:
            self._rest(task.payer, now - began)
        if more:
            self._queue(task)
        return now
