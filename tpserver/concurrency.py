"""Timers and background work: the reactor as an interface."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

T = TypeVar("T")


class Timer(Protocol):
    """A call scheduled for later."""

    def active(self) -> bool: ...

    def cancel(self) -> None: ...


class Timers(Protocol):
    """The part of a reactor that schedules calls; ``twisted.internet.task.Clock`` has it, too."""

    def callLater(self, delay: float, call: Callable[..., Any], *args: Any) -> Timer: ...


class Clock(Timers, Protocol):
    """The part of a reactor that schedules calls and returns their time."""

    def seconds(self) -> float: ...


class Executor(Protocol):
    """Runs work away from the reactor's thread; the Deferred fires in that thread with the result or exception."""

    def __call__(self, work: Callable[[], T]) -> Deferred[T]: ...


def next_round(timers: Timers) -> Deferred[None]:
    """Return a Deferred that fires in the reactor's next iteration, after other work has run."""
    return pause(timers, 0.0)


def pause(timers: Timers, seconds: float) -> Deferred[None]:
    """Return a Deferred that fires after these seconds."""
    over: Deferred[None] = Deferred()
    timers.callLater(seconds, over.callback, None)
    return over


class Slices:
    """Long work on the reactor's thread in slices, between which others are served.

    A slice lasts ``seconds`` by ``clock``, which returns seconds. The first one begins now.
    """

    def __init__(self, timers: Timers, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._timers = timers
        self._seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    async def rest(self) -> None:
        """Serve others if the slice is used up, and begin another one."""
        if self._clock() >= self._end:
            await next_round(self._timers)
            self._end = self._clock() + self._seconds


class Throttle:
    """Begins the work of many callers on the reactor's thread in order, so that others are served in between.

    After ``seconds`` of such work by ``clock``, which returns seconds, it rests for half of the time that the work
    took.
    """

    def __init__(self, timers: Timers, seconds: float, clock: Callable[[], float] = time.perf_counter) -> None:
        self._timers = timers
        self._seconds = seconds
        self._clock = clock
        self._waiting: deque[Deferred[None]] = deque()
        self._is_set = False

    def admit(self) -> Deferred[None]:
        """Return a Deferred that fires when the work may begin. The work begins in its callbacks."""
        admitted: Deferred[None] = Deferred()
        self._waiting.append(admitted)
        if not self._is_set:
            self._is_set = True
            self._timers.callLater(0, self._begin)
        return admitted

    def _begin(self) -> None:
        begun, took = self._clock(), 0.0
        while self._waiting:
            self._waiting.popleft().callback(None)
            took = self._clock() - begun
            if took >= self._seconds:
                break
        self._is_set = bool(self._waiting)
        if self._is_set:
            self._timers.callLater(took / 2, self._begin)


def at_once(work: Callable[[], T]) -> Deferred[T]:
    """An Executor that runs the work synchronously: for the command line, and for tests without threads."""
    return maybeDeferred(work)


def result_now(work: Awaitable[T]) -> T:
    """Return the result of work that never waits, such as on a store without a reactor; raises its errors."""
    results: list[T | Failure] = []

    async def run() -> T:
        return await work

    Deferred.fromCoroutine(run()).addBoth(results.append)
    if not results:
        raise RuntimeError("an operation on the store waits for something that only a running server has")
    if isinstance(results[0], Failure):
        results[0].raiseException()
    result: T = results[0]
    return result


def failure_of(error: BaseException) -> Failure:
    """Return an error in Twisted's form for the log, with its traceback."""
    return Failure(error)  # type: ignore[no-untyped-call] # Twisted declares no types here
