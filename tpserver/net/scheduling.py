"""Who is served next: the reactor's time is shared among those who send, slice by slice.

A connection only stores what arrives and submits itself as a task. Each *payer* - an account, before login an address -
gets one slice after the other's, however many connections it has, and a connection only its share of its payer's
slice. Between turns the reactor does its other work. So what one payer sends costs another one slice at most.

Some work cannot be cut into slices: a slow rule checks an order. Whoever has held the reactor long rests as long, so
that two such do not follow each other while somebody waits for the second half of an answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Protocol

from twisted.logger import Logger

from tpserver.net.timeouts import Clock, DelayedCall

SLICE_SECONDS = 0.004
"""How long a payer is served before the next one is."""

TURN_SECONDS = 0.010
"""How long all payers together are served before the reactor does its other work."""

SHARES = 4
"""Into how many parts a slice is divided if its payer has as many connections that wait."""

LONG_SECONDS = 0.05
"""Who has worked for so long at once rests for as long as it took."""

REST_SECONDS = 1.0
"""And no longer than this: the whole process may have been stopped meanwhile."""

log = Logger()


class Task(Protocol):
    """Something that has work to do: a connection."""

    queued: bool
    """Kept by Scheduler: whether it waits for its turn; False to begin with."""

    @property
    def payer(self) -> Hashable:
        """Whose time the work takes."""
        ...

    def work(self, until: float) -> bool:
        """Work until `Scheduler.seconds()` reaches `until`, or shortly after it; return whether there is more to do."""
        ...


class Scheduler:
    """Lets tasks work in turn.

    `clock` calls later; `seconds` measures slices, in seconds from any beginning.
    """

    def __init__(self, clock: Clock, seconds: Callable[[], float]) -> None:
        self.seconds = seconds
        self._clock = clock
        self._waiting: dict[Hashable, deque[Task]] = {}  # in the order in which payers are served
        self._resting: dict[Hashable, deque[Task]] = {}  # who was at work for long
        self._used = 0.0  # seconds since the last turn, by tasks that did not have to wait
        self._working = False
        self._call: DelayedCall | None = None

    def submit(self, task: Task) -> None:
        """Let a task work: at once if nobody waits and there is time left in this turn, else when its turn comes."""
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
            now = self._serve(now, began + SLICE_SECONDS)  # what the task itself has submitted
        if not self._waiting:
            self._forget_turn()
        self._used += now - began

    def stop(self) -> None:
        """Let nobody work any more who waits now."""
        for tasks in (*self._waiting.values(), *self._resting.values()):
            for task in tasks:
                task.queued = False
        self._waiting.clear()
        self._resting.clear()
        self._forget_turn()

    def _queue(self, task: Task) -> None:
        if task.queued:
            return  # it was submitted again while it worked
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
        """Let nothing of a payer wait for its turn but for the end of its rest."""
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
        """Serve whoever waits, one payer after the other, until the time of a turn is over."""
        self._call = None
        now = self.seconds()
        end = now + TURN_SECONDS
        while self._waiting and now < end:
            now = self._serve(now, end)
        self._used = 0.0
        if self._waiting:
            self._call_turn()

    def _serve(self, now: float, latest: float) -> float:
        """Give the next payer a slice, divided among its tasks; then all others come first.  Return the time."""
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
        """Let a task work, and line it up again if there is more to do.  Return the time."""
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
