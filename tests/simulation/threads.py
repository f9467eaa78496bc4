"""Simulated threads, queues and a reactor, all on one real thread.

A simulated thread is a greenlet. It runs until it waits for something, reaches a point where it is kept, or ends. Then
its caller goes on. So a single program decides the order of everything.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import greenlet
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

THE_PROCESS: list[Process] = []
"""The process whose code runs at the moment, as its only member; empty between two steps."""


class Queue:
    """Takes the place of `queue.SimpleQueue`. A thread that gets from an empty one lets the others run."""

    def __init__(self) -> None:
        self._items: deque[Any] = deque()

    def put(self, item: Any) -> None:
        self._items.append(item)

    def get(self) -> Any:
        while not self._items:
            wait(lambda: bool(self._items))
        return self._items.popleft()

    def empty(self) -> bool:
        return not self._items


class Thread:
    """Takes the place of `threading.Thread`, in the process that makes it."""

    def __init__(
        self, *, target: Callable[..., Any], args: tuple[Any, ...] = (), name: str = "", daemon: bool = True
    ) -> None:
        self.name = name
        self.is_over = False
        self.may_go_on: Callable[[], bool] = lambda: True
        """Returns True if the awaited event has happened."""
        self.until = 0.0
        """The simulated time before which it is not let run, as the disk is slow."""
        self.error: BaseException | None = None
        self._work = lambda: target(*args)
        self._greenlet: Any = None
        THE_PROCESS[-1].threads.append(self)

    def start(self) -> None:
        self._greenlet = greenlet.greenlet(self._run)

    def join(self) -> None:
        while not self.is_over:
            wait(lambda: self.is_over)

    def _run(self) -> None:
        try:
            self._work()
        except greenlet.GreenletExit:
            pass
        except BaseException as error:
            self.error = error
        self.is_over = True

    def go_on(self) -> None:
        """Let it run until it waits, is kept, or ends."""
        if self.is_over:
            return
        self._greenlet.parent = greenlet.getcurrent()
        self._greenlet.switch()
        if self.error is not None:
            raise self.error

    def is_current(self) -> bool:
        return greenlet.getcurrent() is self._greenlet

    def drop(self) -> None:
        """Forget it wherever it is, as the process has ended."""
        self.is_over = True
        if self._greenlet:
            self._greenlet.parent = greenlet.getcurrent()
            self._greenlet.throw(greenlet.GreenletExit)
        self._greenlet = None


def wait(until: Callable[[], bool]) -> None:
    """Let others run until that is so. On a thread that was not started here nobody else could make it so."""
    thread = THE_PROCESS[-1].current_thread() if THE_PROCESS else None
    if thread is None:
        process = THE_PROCESS[-1]
        while not until():
            if not process.run_any_thread():
                raise RuntimeError("it would wait for ever")
        return
    thread.may_go_on = until
    keep()
    thread.may_go_on = lambda: True


def keep() -> None:
    """Stop what runs on the present greenlet, until it is let go on."""
    greenlet.getcurrent().parent.switch()


WAITING: list[float] = []
"""The latest ends of the waits in `wait_until`."""


def wait_until(until: Callable[[], bool], seconds: float, clock: Callable[[], float]) -> bool:
    """Let others run until something is so, for at most so many seconds by a clock; return whether it is so.

    On the thread of a reactor all of that waits, too, but not the other threads of its process.
    """
    give_up = clock() + seconds
    while not until():
        if clock() >= give_up:
            return False
        process = THE_PROCESS[-1]
        if process.is_dead:
            raise greenlet.GreenletExit
        waiting: Thread | Process | None = process.current_thread()
        if waiting is None:
            if not process.is_on_reactor():
                raise RuntimeError("only the threads of a simulated process can wait")
            waiting = process
        waiting.may_go_on = lambda: until() or clock() >= give_up
        WAITING.append(give_up)
        try:
            keep()
        finally:
            WAITING.remove(give_up)
            waiting.may_go_on = lambda: True
    return True


class Process:
    """The common part of all that a server process does: its threads, and their work for its reactor.

    ``do`` makes anything happen on its reactor. A process that is `frozen` in the middle of that does nothing more
    until it is `thawed`. Nothing more happens in one that is `dead`. Work on its reactor that waits for a database
    continues by `go_on`, when that is possible.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.threads: list[Thread] = []
        self.calls: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self.jobs: deque[tuple[Callable[[], Any], Deferred[Any]]] = deque()
        """Work away from the reactor that nobody has begun."""
        self.is_dead = False
        self.is_frozen = False
        self.may_go_on: Callable[[], bool] = lambda: True
        """Returns True if the event that the reactor awaits has happened."""
        self._inside: Any = None
        self._kept: deque[Callable[[], Any]] = deque()

    # --- what a server needs of a reactor, and of its threads

    def callFromThread(self, call: Callable[..., Any], *words: Any) -> None:
        self.calls.append((call, words))

    def compute(self, work: Callable[[], Any]) -> Deferred[Any]:
        """Take work that another thread is to do: an Executor."""
        done: Deferred[Any] = Deferred()
        self.jobs.append((work, done))
        return done

    # --- for who decides what happens

    def current_thread(self) -> Thread | None:
        return next((thread for thread in self.threads if thread.is_current()), None)

    def do(self, work: Callable[[], Any]) -> None:
        """Have something happen on the reactor's thread, now or, while it is frozen, when it is thawed."""
        if self.is_dead:
            return
        if self.is_frozen or self._inside is not None:
            self._kept.append(work)
            return
        self._inside = greenlet.greenlet(work)
        self._let_run()

    def _let_run(self) -> None:
        THE_PROCESS.append(self)
        try:
            self._inside.parent = greenlet.getcurrent()
            self._inside.switch()
        finally:
            THE_PROCESS.pop()
            if self._inside is not None and self._inside.dead:
                self._inside = None

    def thaw(self) -> None:
        """Let it go on where it was frozen, and do what has come since."""
        self.is_frozen = False
        self.go_on()

    @property
    def is_standing(self) -> bool:
        """True if its reactor does nothing at the moment: it is frozen, or waits."""
        return self.is_frozen or self._inside is not None

    def is_on_reactor(self) -> bool:
        """True if the running code is on its reactor's thread."""
        return self._inside is not None and greenlet.getcurrent() is self._inside

    def go_on(self) -> bool:
        """Let its reactor go on where it stands, and do what has come since; return whether it could."""
        if self.is_frozen or self.is_dead or not self.may_go_on():
            return False
        has_stood = self._inside is not None
        if has_stood:
            self._let_run()
        while self._kept and self._inside is None and not self.is_frozen and not self.is_dead:
            self.do(self._kept.popleft())
        return has_stood

    def run_thread(self, thread: Thread) -> None:
        THE_PROCESS.append(self)
        try:
            thread.go_on()
        finally:
            THE_PROCESS.pop()

    def ready_threads(self, now: float) -> list[Thread]:
        """The threads that could go on."""
        if self.is_dead or self.is_frozen:
            return []
        return [one for one in self.threads if not one.is_over and one.until <= now and one.may_go_on()]

    def run_any_thread(self) -> bool:
        for thread in self.threads:
            if not thread.is_over and thread.may_go_on() and not thread.is_current():
                thread.until = 0.0
                self.run_thread(thread)
                return True
        return False

    def run_job(self) -> bool:
        """Do a piece of work of another thread. The reactor gets the result later."""
        if not self.jobs or self.is_frozen or self.is_dead:
            return False
        work, done = self.jobs.popleft()
        THE_PROCESS.append(self)
        try:
            result = work()
        except Exception as error:
            self.calls.append((done.errback, (Failure(error),)))
        else:
            self.calls.append((done.callback, (result,)))
        finally:
            THE_PROCESS.pop()
        return True

    def run_call(self) -> bool:
        """Do on the reactor what a thread has for it."""
        if not self.calls or self.is_frozen or self.is_dead:
            return False
        call, words = self.calls.popleft()
        self.do(lambda: call(*words))
        return True

    def end(self) -> None:
        """End it wherever it is, as a kill does."""
        self.is_dead = True
        self.calls.clear()
        self.jobs.clear()
        self._kept.clear()
        inside, self._inside = self._inside, None
        THE_PROCESS.append(self)
        try:
            if inside is not None and inside is not greenlet.getcurrent():
                inside.parent = greenlet.getcurrent()
                inside.throw(greenlet.GreenletExit)
            for thread in self.threads:
                if not thread.is_current():
                    thread.drop()
        finally:
            THE_PROCESS.pop()
