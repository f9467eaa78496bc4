"""Time limits for calls of the rules, and containment of their errors.

Most rules are pure Python, so an exception raised in their thread from outside ends even an endless loop. It is raised
again until the call has ended, as rules may catch it. It cannot end a call that stays inside one C function. So every
call is recorded on a page (``tpserver.rules.page``), which a supervisor process reads.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from tprules.api import faults
from tpserver.processes import wanted_seconds
from tpserver.rules.footprint import Footprint
from tpserver.rules.page import BEGUN, GAME, PATIENCE, RULESET, UNTIL, Page

T = TypeVar("T")

CHECK_SECONDS = 0.5
"""Maximum seconds of a call on the reactor's thread, such as the check of an order. No client is served during it."""

LOAD_SECONDS = 5.0
"""Maximum seconds for reading a game from the store."""

TURN_SECONDS = 60.0
"""Maximum seconds for closing a turn, in a separate thread."""

IMPORT_SECONDS = 30.0
"""Maximum seconds for importing a ruleset."""

AGAIN_SECONDS = 0.05
"""Seconds after which the exception is raised again in a call that continues."""


class TooSlow(Exception):
    """The ruleset exceeded its time limit."""


class Escaped(Exception):
    """The ruleset raised an exception that ends a program or a thread, such as SystemExit."""


class Overdue(BaseException):
    """Raised inside a call that takes too long. It is not an Exception, so that fewer rules catch it."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Caller of rules: a game (0: none yet) and its ruleset."""

    game: int
    ruleset: str


NOBODY = Caller(0, "")

_set_async = ctypes.pythonapi.PyThreadState_SetAsyncExc


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    _set_async(ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error))


def _processor_seconds(thread: int) -> float:
    """Return the processor seconds of a thread of this process; on systems without them, monotonic time."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(thread))
    except (AttributeError, OSError):
        return time.monotonic()


@dataclass(slots=True, eq=False)
class WatchedThread:
    """A thread that calls rules."""

    thread: int
    row: memoryview[float]
    whose: Caller | None = None
    """Caller of the current call, or of the last."""
    inside: bool = False
    seen: float = 0.0
    """Start of the call that the call limits have seen; 0 if none."""
    used: float = 0.0
    """Processor seconds of the thread when the watchdog first saw that call."""
    looked: float = 0.0
    """Time when the call limits first saw that call."""
    wanted: Mapping[str, float] = field(default_factory=dict)
    """Seconds that each thread of this process had run or waited for a processor by that time."""
    fired: float = 0.0
    """Start of the call in which Overdue was raised; 0 if in none."""
    again: float = 0.0
    """Time to raise Overdue again."""


class Watchdog:
    """Ends calls that take longer than their limit, by raising Overdue in their thread.

    ``interval`` is the time between checks while nothing is due: at most the shortest limit.
    """

    def __init__(
        self,
        interval: float = 0.1,
        clock: Callable[[], float] = time.monotonic,
        processor: Callable[[int], float] = _processor_seconds,
        wanted: Callable[[], Mapping[str, float]] = wanted_seconds,
    ) -> None:
        self.page = Page()
        self.footprint: Footprint | None = None
        """Measures the effects of each call on the process."""
        self._interval = interval
        self._clock = clock
        self._processor = processor
        self._wanted = wanted
        self._lock = threading.Lock()
        self._threads: dict[int, WatchedThread] = {}
        self._thread: threading.Thread | None = None
        self._signal: int | None = None

    def use(self, page: Page) -> None:
        """Record calls on another page from now on. Only before the first call."""
        self.page = page
        self._threads.clear()

    def use_signal(self, number: int) -> None:
        """From now on also send a signal to the main thread when a call there is late. Only in the main thread.

        It ends system calls that sleep, and C functions that check for signals; an exception would wait for their end.
        """
        signal.signal(number, self.interrupt)
        self._signal = number

    def call(self, seconds: float, work: Callable[[], T], whose: Caller = NOBODY) -> T:
        """Return ``work()``, which may take about ``seconds``.

        Raises TooSlow, Escaped, or the Exception of ``work``, and nothing else except KeyboardInterrupt from the
        keyboard. A call inside a call is part of it.
        """
        watched = self._threads.get(threading.get_ident()) or self._join()
        if watched.inside:
            return work()
        row, footprint = watched.row, self.footprint
        if watched.whose is not whose:
            watched.whose = whose
            row[GAME], row[RULESET] = whose.game, self.page.place(whose.ruleset)
        begun = self._clock()
        memory = 0 if footprint is None else footprint.before(whose.game, begun)
        watched.inside = True
        row[UNTIL] = begun + seconds
        row[BEGUN] = begun
        try:
            try:
                return work()
            finally:
                # After this line only a pending exception can still be raised in this thread.
                row[BEGUN] = -begun
                watched.inside = False
                if footprint is not None:
                    footprint.after(whose.game, whose.ruleset, memory, self._clock())
                if watched.seen:
                    self._leave(watched, begun)
        except Exception:
            raise
        except BaseException as error:
            if watched.fired:  # Overdue was raised while leaving the call
                with self._lock:
                    _raise_in(watched.thread, None)
                    watched.seen = watched.fired = 0.0
            if isinstance(error, KeyboardInterrupt) and _is_from_the_keyboard():
                raise
            raise _told(error, seconds).with_traceback(error.__traceback__) from error

    def interrupt(self, *_: object) -> None:
        """Handle a signal in the main thread: end a late call, even inside C functions that check for signals."""
        watched = self._threads.get(threading.get_ident())
        if watched is not None and watched.row[BEGUN] > 0 and self._clock() >= watched.row[UNTIL]:
            watched.seen = watched.fired = watched.row[BEGUN]
            raise Overdue

    def _leave(self, watched: WatchedThread, begun: float) -> None:
        """Finish a call that the watchdog has seen: cancel a pending exception, or raise one that was swallowed."""
        with self._lock:
            fired = watched.fired == begun
            if fired:  # only if needed: under a profiler or a debugger, Python 3.11 hangs forever
                _raise_in(watched.thread, None)
            watched.seen = watched.fired = 0.0
        inside = sys.exception()
        if fired and not isinstance(inside, Overdue):
            raise Overdue().with_traceback(None if inside is None else inside.__traceback__)

    def _join(self) -> WatchedThread:
        me = threading.get_ident()
        with self._lock:
            watched = self._threads[me] = WatchedThread(me, self.page.row(me, threading.get_native_id()))
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="watchdog of the rules", daemon=True)
                self._thread.start()
        return watched

    def _watch(self) -> None:
        while True:
            time.sleep(self.look())

    def look(self) -> float:
        """End the late calls; return the seconds until the next check."""
        now = self._clock()
        self.page.pulse(now)
        wait = self._interval
        for watched in self._threads.copy().values():
            begun, until = watched.row[BEGUN], watched.row[UNTIL]
            if begun <= 0:
                continue
            if watched.seen != begun:
                watched.used = self._processor(watched.thread)
                watched.looked, watched.wanted = now, self._wanted()
                watched.again = until
                watched.seen = begun
            if now >= watched.again:
                watched.again = now + AGAIN_SECONDS
                if watched.fired == begun or self._has_had_its_time(watched, begun, until, now):
                    with self._lock:
                        watched.seen = watched.fired = begun
                        if watched.row[BEGUN] == begun:
                            _raise_in(watched.thread, Overdue)
                    if self._signal is not None and watched.thread == threading.main_thread().ident:
                        signal.pthread_kill(watched.thread, self._signal)
            wait = min(wait, watched.again - now)
        return max(wait, 0.001)

    def _has_had_its_time(self, watched: WatchedThread, begun: float, until: float, now: float) -> bool:
        """Return whether a call itself is slow, and not delayed by other users of the processor."""
        limit = until - begun
        used = self._processor(watched.thread) - watched.used
        return (
            used + self._interval >= limit  # it may have run that long before it was seen
            or now - begun >= PATIENCE * limit
            or self._sleeps(watched, now - watched.looked)
        )

    def _sleeps(self, watched: WatchedThread, seconds: float) -> bool:
        """Return whether the threads of this process mostly slept since the call was seen.

        All threads count. One that waits for the interpreter's lock also sleeps while another is busy.
        """
        wanted = self._wanted()
        if not wanted:
            return False
        return 2 * sum(now - watched.wanted.get(thread, 0.0) for thread, now in wanted.items()) < seconds


def _told(error: BaseException, seconds: float) -> Exception:
    if isinstance(error, Overdue):
        return TooSlow(f"it took longer than {seconds:g} s")
    said = " ".join(str(error).split())
    return Escaped(f"{type(error).__name__}{f': {said}' if said else ''}")


def _is_from_the_keyboard() -> bool:
    """Return whether a KeyboardInterrupt may come from the keyboard. A server handles the signal in another way."""
    in_main = threading.current_thread() is threading.main_thread()
    return in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler


WATCHDOG = Watchdog()


def why_it_failed(error: BaseException) -> str:
    """Return the text and the origin of an exception.

    It takes at most CHECK_SECONDS (``tprules.api.faults``). Producing the text of an exception of a ruleset runs code
    of the rules, which may never end.
    """
    return _in_time(error, faults.why_it_failed)


def what_it_says(error: BaseException) -> str:
    """Return the name and the text of an exception, within CHECK_SECONDS."""
    return _in_time(error, faults.what_it_says)


def _in_time(error: BaseException, tell: Callable[[BaseException], str]) -> str:
    try:
        return WATCHDOG.call(CHECK_SECONDS, lambda: tell(error))
    except Exception:
        return "an exception that cannot be shown"
