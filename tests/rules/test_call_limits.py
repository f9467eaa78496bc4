"""Call limits: an endless loop of a ruleset ends, in any thread.

Nothing else is interrupted.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
import threading
import time
import weakref
from contextlib import nullcontext
from typing import Any

import pytest

from tests.support.process import run
from tprules.api.faults import why_it_failed
from tpserver.processes import wanted_seconds
from tpserver.rules.call_limits import Caller, Escaped, Overdue, TooSlow, Watchdog


@pytest.fixture
def watchdog() -> Watchdog:
    return Watchdog(interval=0.005)


def loop() -> None:
    while True:
        pass


def test_what_is_quick_enough_is_returned(watchdog: Watchdog):
    assert watchdog.call(1.0, lambda: 42) == 42


def test_what_is_raised_is_raised(watchdog: Watchdog):
    with pytest.raises(KeyError):
        watchdog.call(1.0, lambda: {}["x"])


def test_an_endless_loop_ends(watchdog: Watchdog):
    begun = time.monotonic()
    with pytest.raises(TooSlow):
        watchdog.call(0.02, loop)
    assert time.monotonic() - begun < 5


def test_a_loop_that_catches_what_rules_may_raise_ends_all_the_same(watchdog: Watchdog):
    """A ruleset that swallows its own exceptions, but not everything."""

    def stubborn() -> None:
        while True:
            try:
                loop()
            except (ValueError, KeyError):
                continue

    with pytest.raises(TooSlow):
        watchdog.call(0.02, stubborn)


def test_a_loop_that_catches_every_exception_ends_all_the_same(watchdog: Watchdog):
    """The raised error is no Exception."""

    def stubborn() -> None:
        while True:
            try:
                loop()
            except Exception:
                continue

    with pytest.raises(TooSlow) as told:
        watchdog.call(0.02, stubborn)
    assert "(test_call_limits.py line" in why_it_failed(told.value)


def test_what_swallows_the_end_of_its_time_hears_of_it_again_and_again(watchdog: Watchdog):
    """Also in its last words, and what it returns after all does not count."""
    swallowed = []

    def very_stubborn() -> str:
        while len(swallowed) < 3:
            try:
                loop()
            except BaseException as error:
                swallowed.append(type(error))
        return "an answer"

    with pytest.raises(TooSlow):
        watchdog.call(0.02, very_stubborn)
    assert swallowed == [Overdue] * 3
    assert watchdog.call(1.0, lambda: "well") == "well"


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("place", ["weakref", "garbage"])
def test_a_call_ends_although_python_swallows_what_is_raised_in_a_callback(
    watchdog: Watchdog, monkeypatch: pytest.MonkeyPatch, place: str, returns: bool
):
    """It is raised again in the call. A call that has returned by then was too slow anyway."""
    swallowed: list[Any] = []
    me = threading.get_ident()
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: swallowed.append(unraisable.exc_type))

    def loop_in_callback(*_: object) -> None:
        if len(swallowed) < 3 and threading.get_ident() == me:
            loop()

    def work() -> None:
        if place == "garbage":
            gc.callbacks.append(loop_in_callback)  # in the call: outside of it nothing would end the loop
        while len(swallowed) < 3:
            if place == "weakref":
                thing = set[int]()
                reference = weakref.ref(thing, loop_in_callback)
                del thing
                assert reference() is None
            else:
                gc.collect(0)
        if not returns:
            loop()

    try:
        with pytest.raises(TooSlow):
            watchdog.call(0.1, work)
    finally:
        if loop_in_callback in gc.callbacks:
            gc.callbacks.remove(loop_in_callback)
    assert swallowed == [Overdue] * 3


def test_what_python_swallows_of_it_fails_no_test(watchdog: Watchdog):
    """Of all other exceptions in such places pytest says that the test has failed."""
    was_there: list[bool] = []

    def loop_once(*_: object) -> None:
        was_there.append(True)
        loop()

    def work() -> None:
        thing = set[int]()
        reference = weakref.ref(thing, loop_once)
        del thing
        assert reference() is None

    with pytest.raises(TooSlow):
        watchdog.call(0.02, work)
    assert was_there == [True]


@pytest.mark.parametrize("raised", [SystemExit(), GeneratorExit(), asyncio.CancelledError()])
def test_what_would_end_a_program_is_an_error_of_the_rules(watchdog: Watchdog, raised: BaseException):
    def leave() -> None:
        raise raised

    with pytest.raises(Escaped, match=type(raised).__name__) as told:
        watchdog.call(1.0, leave)
    assert why_it_failed(told.value).endswith(f"(test_call_limits.py line {leave.__code__.co_firstlineno + 1})")


def test_somebody_at_the_keyboard_is_heard(watchdog: Watchdog):
    """In a command; a server handles the signal itself."""

    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        watchdog.call(1.0, interrupted)


@pytest.fixture
def no_threads(monkeypatch: pytest.MonkeyPatch):
    """No thread begins: nobody looks but the test."""
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)


@pytest.mark.usefixtures("no_threads")
def test_a_call_that_does_not_get_the_processor_has_more_time():
    """On a busy machine a call is not slow by itself: the clock says late, the thread has hardly run."""
    now, used = [100.0], [7.0]
    watchdog = Watchdog(clock=lambda: now[0], processor=lambda thread: used[0], wanted=dict)
    used_before = []

    def work() -> None:
        watchdog.look()
        for seconds, of_processor in ((1.5, 0.0), (0.1, 0.6), (0.1, 0.4)):
            used_before.append(used[0])
            now[0] += seconds
            used[0] += of_processor
            watchdog.look()
        loop()

    with pytest.raises(TooSlow):
        watchdog.call(1.0, work)
    assert used_before == [7.0, 7.0, 7.6], "it gets the processor for as long as on an idle machine"
    assert used == [8.0]


@pytest.mark.usefixtures("no_threads")
@pytest.mark.parametrize(
    ("thread_of_ours", "ends"), [(0.0, True), (0.9, False)], ids=["nobody works", "another thread works"]
)
def test_a_call_that_sleeps_ends_in_time(thread_of_ours: float, ends: bool):
    """A machine that is busy does not explain it: nobody in this process has wanted a processor."""
    now, wanted = [100.0], {"1": 7.0, "2": 3.0}
    watchdog = Watchdog(clock=lambda: now[0], processor=lambda thread: 7.0, wanted=lambda: dict(wanted))

    def work() -> None:
        watchdog.look()
        now[0] += 1.0
        wanted["2"] += thread_of_ours
        watchdog.look()

    with pytest.raises(TooSlow) if ends else nullcontext():
        watchdog.call(1.0, work)


def test_what_sleeps_in_the_main_thread_is_woken(watchdog: Watchdog):
    """An exception from outside would wait for the end of the sleep."""
    before = signal.getsignal(signal.SIGUSR2)
    try:
        watchdog.use_signal(signal.SIGUSR2)
        with pytest.raises(TooSlow):
            watchdog.call(0.05, lambda: time.sleep(600))
        signal.raise_signal(signal.SIGUSR2)  # one that comes too late ends nothing
    finally:
        signal.signal(signal.SIGUSR2, before)


def test_what_threads_want_of_the_processors_is_known(watchdog: Watchdog):
    """On Linux: of every thread, and it grows while it works."""
    before = wanted_seconds()
    if not before:
        pytest.skip("this system does not tell")
    used = time.thread_time()
    while time.thread_time() < used + 0.05:
        pass
    me = str(threading.get_native_id())
    assert wanted_seconds()[me] - before[me] >= 0.04


def test_calls_are_noted_where_another_process_can_read_them(watchdog: Watchdog):
    """The newest of each thread: whose it is, when it began, and whether it still runs."""
    seen = watchdog.call(5.0, lambda: watchdog.page.noted(), Caller(7, "seven"))
    (noted,) = watchdog.page.noted()
    assert [(call.running, call.game, call.ruleset, call.thread) for call in seen] == [
        (True, 7, "seven", threading.get_ident())
    ]
    assert seen[0].until - seen[0].begun == pytest.approx(5.0)
    assert (noted.running, noted.begun, noted.game) == (False, seen[0].begun, 7)


def test_a_call_inside_of_a_call_is_part_of_it(watchdog: Watchdog):
    with pytest.raises(TooSlow):
        watchdog.call(0.02, lambda: watchdog.call(60.0, loop))


def test_afterwards_the_thread_goes_on_undisturbed(watchdog: Watchdog):
    """Many short calls at the very edge of their time: TooSlow comes inside a call or not at all."""
    for _ in range(300):
        try:
            watchdog.call(0.0, lambda: sum(range(2000)))
        except TooSlow:
            continue
    for _ in range(20):
        assert sum(range(20_000)) == 199990000
    with pytest.raises(TooSlow):
        watchdog.call(0.01, loop)
    assert watchdog.call(1.0, lambda: "well") == "well"


def test_a_call_that_was_looked_at_goes_on_under_a_profiler():
    """Python 3.11 never leaves a traced function of a thread from which an exception was taken that was never raised.

    In a process of its own, which alone would hang.
    """
    script = (
        "import sys, time; from tpserver.rules.call_limits import Watchdog\n"
        "Watchdog(interval=0.005).call(60.0, lambda: time.sleep(0.2))\n"
        "sys.setprofile(lambda *_: None); (lambda: None)(); sys.setprofile(None); print('on it goes')"
    )
    assert run(sys.executable, "-c", script, seconds=60) == (0, "on it goes\n", "")


def test_each_thread_is_watched_for_itself(watchdog: Watchdog):
    """One that loops is ended; another that works at the same time is not."""
    ended = []

    def endless() -> None:
        try:
            watchdog.call(0.05, loop)
        except TooSlow:
            ended.append(True)

    def busy() -> int:
        until = time.monotonic() + 0.2
        rounds = 0
        while time.monotonic() < until:
            rounds += 1
        return rounds

    thread = threading.Thread(target=endless)
    thread.start()
    assert watchdog.call(30.0, busy) > 0
    thread.join(10)
    assert ended == [True]


def test_one_watchdog_serves_many_threads_that_begin_at_once():
    """The first thread starts it, and it starts only one thread of its own."""
    watchdog = Watchdog(interval=0.005)
    before = threading.active_count()
    threads = [threading.Thread(target=watchdog.call, args=(1.0, lambda: None)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert threading.active_count() == before + 1
