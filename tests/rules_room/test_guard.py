"""The watchdog: an endless loop of a ruleset ends, in whatever thread, and nothing else is touched."""

from __future__ import annotations

import threading
import time

import pytest

from tpserver.rules.guard import TooSlow, Watchdog


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
    """It starts one thread of its own, whoever comes first."""
    watchdog = Watchdog(interval=0.005)
    before = threading.active_count()
    threads = [threading.Thread(target=watchdog.call, args=(1.0, lambda: None)) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert threading.active_count() == before + 1
