"""What the rooms ask of the reactor: timers, and work done away from the reactor's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

T = TypeVar("T")


class Timer(Protocol):
    """A call that is to come."""

    def active(self) -> bool: ...

    def cancel(self) -> None: ...


class Timers(Protocol):
    """The part of a reactor that calls later; ``twisted.internet.task.Clock`` is one, too."""

    def callLater(self, delay: float, call: Callable[..., Any], *args: Any) -> Timer: ...


class Executor(Protocol):
    """Runs work away from the reactor's thread; the Deferred fires on it with what the work returns or raises."""

    def __call__(self, work: Callable[[], T]) -> Deferred[T]: ...


def next_round(timers: Timers) -> Deferred[None]:
    """Return a Deferred that fires when others have had their turn."""
    turn: Deferred[None] = Deferred()
    timers.callLater(0, turn.callback, None)
    return turn


def at_once(work: Callable[[], T]) -> Deferred[T]:
    """Do the work here and now: for the command line, and for tests without threads."""
    return maybeDeferred(work)


def failure_of(error: BaseException) -> Failure:
    """Return an error as Twisted logs it, with its traceback."""
    return Failure(error)  # type: ignore[no-untyped-call] # Twisted declares no types here
