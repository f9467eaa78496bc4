"""The life of a writer process, which saves units on a disk.

It reports the acknowledged units, and is killed or ends.
"""

from __future__ import annotations

import mmap
import os
import queue
import signal
import sqlite3
import struct
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from tests.power.units import GAME, Units
from tpserver.store import Store, StoreError
from tpserver.store.backends.urls import sqlite_url
from tpserver.store.games import journal
from tpserver.store.games import rows as games

SECONDS = 120
"""After so many a life is stuck."""
MOST_UNITS = 4096
MOST_UNCHANGED = 16_384
"""Attempts that are noted at most, of a life."""
MOST_REFUSALS = 300
"""A disk that works again has to be used again, so many refusals one after the other are too many."""

BROKEN = 4
"""Exit code: it was refused for ever, or met what is no refusal."""


class Told:
    """Responses to a writer and its requests, in memory that outlives it.

    A number here is one more than that of the unit, so that 0 is none.
    """

    HEAD = struct.Struct("<iiii")
    ATTEMPT = struct.Struct("<ii")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self.HEAD.size + MOST_UNITS + MOST_UNCHANGED * self.ATTEMPT.size)
        self.begin(0)

    def begin(self, acknowledged: int) -> None:
        """Begin a life in which so many were acknowledged before."""
        self._memory[:] = bytes(len(self._memory))
        self.acknowledged = self.given = acknowledged
        self.refused = 0

    def _get(self, place: int) -> int:
        return int(self.HEAD.unpack_from(self._memory)[place])

    def _set(self, place: int, value: int) -> None:
        struct.pack_into("<i", self._memory, 4 * place, value)

    @property
    def acknowledged(self) -> int:
        return self._get(0)

    @acknowledged.setter
    def acknowledged(self, value: int) -> None:
        self._set(0, value)

    @property
    def given(self) -> int:
        """The highest that the store was ever given."""
        return self._get(1)

    @given.setter
    def given(self, value: int) -> None:
        self._set(1, value)

    @property
    def refused(self) -> int:
        """The number of units refused with a code and a sentence."""
        return self._get(2)

    @refused.setter
    def refused(self, value: int) -> None:
        self._set(2, value)

    def attempt(self, number: int) -> int:
        """Return the newest attempt of a unit."""
        return self._memory[self.HEAD.size + number]

    def try_again(self, number: int) -> None:
        place = self.HEAD.size + number
        self._memory[place] = min(255, self._memory[place] + 1)

    def note_unchanged(self, number: int, attempt: int) -> None:
        """Note that an attempt has changed nothing, by the response to the writer."""
        count = self._get(3)
        if count < MOST_UNCHANGED:
            place = self.HEAD.size + MOST_UNITS + count * self.ATTEMPT.size
            self.ATTEMPT.pack_into(self._memory, place, number, attempt)
            self._set(3, count + 1)

    def unchanged(self) -> set[tuple[int, int]]:
        """Return the attempts that have changed nothing, each with its unit, by the responses to the writer."""
        first = self.HEAD.size + MOST_UNITS
        places = range(first, first + self._get(3) * self.ATTEMPT.size, self.ATTEMPT.size)
        return {self.ATTEMPT.unpack_from(self._memory, place) for place in places}


@dataclass(frozen=True, slots=True)
class Life:
    """The way of life of a writer.

    ``together`` is how many units it has on their way at a time: with more than one the store has its writer thread,
    which saves them in groups. ``relaxed`` sets what the server never sets: synchronous=NORMAL.
    """

    units: int
    together: int
    closes: bool
    relaxed: bool = False


class _Reactor:
    """The one method of a reactor that the store needs; `run_one` is called by the thread that is its reactor's."""

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[..., object], tuple[Any, ...]]] = queue.SimpleQueue()

    def callFromThread(self, call: Callable[..., object], *arguments: Any) -> None:
        self._calls.put((call, arguments))

    def run_one(self) -> None:
        call, arguments = self._calls.get()
        call(*arguments)


class _Relaxed(sqlite3.Connection):
    def execute(self, sql: str, *words: Any) -> sqlite3.Cursor:
        return super().execute(sql.replace("synchronous=EXTRA", "synchronous=NORMAL"), *words)


def begin(life: Life, database: Path, units: Units, told: Told, ready: int) -> int:
    """Begin a life in a new process, and return the id of the process and of its group.

    It waits until a byte can be read from the descriptor ``ready``.
    """
    process = os.fork()
    if process:
        return process
    code = BROKEN
    try:
        os.setsid()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.alarm(SECONDS)
        os.read(ready, 1)
        code = _live(life, database, units, told)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _live(life: Life, database: Path, units: Units, told: Told) -> int:
    if life.relaxed:
        connect = sqlite3.connect
        sqlite3.connect = lambda *words, **more: connect(*words, factory=_Relaxed, **more)  # type: ignore[assignment]
    reactor = _Reactor() if life.together > 1 else None
    store = _opened(database, reactor, told)
    number = _next(store)
    if number < told.acknowledged:
        raise AssertionError(f"{told.acknowledged} units were acknowledged, and {number} can be read")
    until = number + life.units
    refused = 0
    while number < until:
        before = number
        saved, why = _give(store, reactor, units, told, number, min(life.together, until - number))
        number += saved
        if number > before:
            refused = 0
            continue
        refused += 1
        if refused > MOST_REFUSALS:
            raise AssertionError(f"unit {number} was refused {refused} times") from why[-1]
        if store.gone is not None:
            # The store says that it has to be opened again, as the server does by ending.
            _close(store, reactor)
            store = _opened(database, reactor, told)
        number = _next(store)
    if life.closes:
        _close(store, reactor)
    return 0


def _next(store: Store) -> int:
    """Return which unit is next by what can be read."""
    for last in (*[False] * MOST_REFUSALS, True):
        try:
            if store.read(lambda c: games.by_name(c, "Rome")) is None:
                return 0
            return 1 + store.read(lambda c: journal.last_number(c, GAME))
        except StoreError as error:
            _check(error)
            if last:
                raise
    raise AssertionError


def _opened(database: Path, reactor: Any, told: Told) -> Store:
    for last in (*[False] * MOST_REFUSALS, True):
        try:
            return Store.open(sqlite_url(database), reactor=reactor)
        except StoreError as error:
            _check(error)
            told.refused += 1
            if last:
                raise
    raise AssertionError


def _close(store: Store, reactor: _Reactor | None) -> None:
    done: list[object] = []
    store.close().addBoth(done.append)
    while not done and reactor is not None:
        reactor.run_one()


def _give(
    store: Store, reactor: _Reactor | None, units: Units, told: Told, first: int, many: int
) -> tuple[int, list[BaseException]]:
    """Give units to the store, and wait for all results.

    Returns the number of saved units, which are the first ones, and the errors of the others.
    """
    saved = answered = 0
    failed: list[BaseException] = []

    def done(_: object, number: int) -> None:
        nonlocal saved, answered
        answered += 1
        if failed:
            raise AssertionError(f"unit {number} was saved behind one that was not: {failed[0]}")
        saved += 1
        told.acknowledged = number + 1

    def refused(failure: Failure, number: int, attempt: int) -> None:
        nonlocal answered
        answered += 1
        assert failure.value is not None
        failed.append(failure.value)
        if isinstance(failure.value, StoreError) and not failure.value.is_unknown:
            told.note_unchanged(number, attempt)

    for number in range(first, first + many):
        if told.given > number:
            told.try_again(number)
        told.given = max(told.given, number + 1)
        attempt = told.attempt(number)
        what = units.work(number, attempt)
        result: Deferred[Any] = store.write(what) if callable(what) else store.append(what)
        result.addCallback(done, number).addErrback(refused, number, attempt)
    while answered < many:
        assert reactor is not None, "a store without a reactor has answered at once"
        reactor.run_one()
    for error in failed:
        _check(error)
        told.refused += 1
    return saved, failed


def _check(error: BaseException) -> None:
    """Raise what is no refusal: one has a sentence for the operator and a code."""
    if not isinstance(error, StoreError) or not error.code or not error.sentence.endswith((".", ")", '"')):
        raise error
