"""Base of the fuzzing targets, and the checks that all of them share.

A target takes any bytes and raises an error for any fault. It does with these bytes what a stranger could have a part
of the server do, and compares the results. Also, nothing may be logged as an error, no error may go unnoticed, and time
and memory are bounded.
"""

from __future__ import annotations

import gc
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from twisted.logger import LogEvent, LogLevel, formatEvent, globalLogPublisher

from tpproto.errors import FailCode

MOST_BYTES = 16 << 20
"""Maximum bytes of memory that one input may take at once."""

SLOW = 0.005
"""Seconds of an input above which its memory is measured, which takes several times as long."""

TRIES = 4
"""Times that a slow input is tried before it is believed to be slow: the machine may have been busy."""

COLLECTED = 256
"""Inputs after which what is lost in cycles is looked for: a failure that nobody has seen."""


class Finding(AssertionError):
    """A fault of the server, described by the message."""


@dataclass(frozen=True)
class Target:
    """One part of the server, to which strangers or operators give bytes.

    ``make`` prepares what all inputs share, which ends with the stack that it is given, and returns the function that
    takes one; it raises whatever is wrong.
    ``seeds`` are inputs to begin with, ``words`` what may be put into others. An input has at most ``longest`` bytes,
    and takes at most ``seconds``. Errors that are logged as they should begin with one of ``logged``. `make test`
    tries ``few`` of the seeds, and no more entries are kept, beside those that were faults.
    """

    name: str
    what: str
    make: Callable[[ExitStack], Callable[[bytes], None]]
    seeds: Callable[[], Iterable[bytes]]
    words: Sequence[bytes] = ()
    longest: int = 4096
    seconds: float = 0.05
    logged: Sequence[str] = ()
    few: int = 15


class Trial:
    """Tries inputs on a target, one after the other, and looks for what the target itself cannot see.

    ``patience`` is by what factor an input may take longer than the target says; 0: as long as it likes.
    """

    def __init__(self, target: Target, patience: float = 1.0) -> None:
        self.target = target
        self.patience = patience
        self._problems: list[str] = []
        self._peak = 0
        self._tried = 0
        globalLogPublisher.addObserver(self._note)
        self._hook, sys.unraisablehook = sys.unraisablehook, self._unraisable
        self._stack = ExitStack()
        self._take = target.make(self._stack)

    def close(self) -> None:
        """Look for what was lost meanwhile, and watch no more. Raises Finding."""
        try:
            self._stack.close()
            gc.collect()
            self._tell()
        finally:
            sys.unraisablehook = self._hook
            globalLogPublisher.removeObserver(self._note)

    def __call__(self, data: bytes) -> None:
        """Try one input. Raises whatever is wrong."""
        self._tried += 1
        before = time.process_time()
        self._take(data)
        seconds = time.process_time() - before
        if self._tried % COLLECTED == 0:
            gc.collect()
        self._tell()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if self.patience and (seconds > SLOW or peak > self._peak + (MOST_BYTES >> 12)):
            self._measure(data, seconds)
        self._peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def _measure(self, data: bytes, seconds: float) -> None:
        most = self.target.seconds * self.patience
        for _ in range(TRIES):
            if seconds <= most:
                break
            before = time.process_time()
            self._take(data)
            seconds = min(seconds, time.process_time() - before)
        if seconds > most:
            raise Finding(
                f"An input of {len(data)} bytes takes {seconds * 1000:.0f} ms; {most * 1000:.0f} are the most."
            )
        tracemalloc.start()
        try:
            self._take(data)
            taken = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        if taken > MOST_BYTES:
            raise Finding(f"An input of {len(data)} bytes takes {taken >> 20} MB; {MOST_BYTES >> 20} are the most.")
        self._tell()

    def _note(self, event: LogEvent) -> None:
        level = event.get("log_level", LogLevel.info)
        failure = event.get("log_failure")
        if level < LogLevel.error and failure is None:
            return
        said = formatEvent(event)
        if failure is not None:
            self._problems.append(f"{said}\n{failure.getTraceback()}")
        elif not str(event.get("log_format", "")).startswith(tuple(self.target.logged)):
            self._problems.append(said)

    def _unraisable(self, what: Any) -> None:
        self._problems.append(f"{what.err_msg or 'Exception ignored in'} {what.object!r}: {what.exc_value!r}")

    def _tell(self) -> None:
        if self._problems:
            problems, self._problems = self._problems, []
            raise Finding("\n".join(problems))


def always(take: Callable[[bytes], None]) -> Callable[[ExitStack], Callable[[bytes], None]]:
    """Return what makes a target whose inputs share nothing."""
    return lambda stack: take


@contextmanager
def trial(target: Target, patience: float = 1.0) -> Iterator[Trial]:
    """Give what tries inputs on a target."""
    made = Trial(target, patience)
    yield made
    made.close()


def some(inputs: Iterable[bytes], most: int) -> list[bytes]:
    """Return so many inputs, or all if there are no more: short ones and long ones."""
    found = sorted(inputs, key=lambda data: (len(data), data))
    return found if len(found) <= most else [found[number * len(found) // most] for number in range(most)]


def expect(is_so: object, otherwise: str) -> None:
    """Raise Finding with the sentence ``otherwise`` unless something is so."""
    if not is_so:
        raise Finding(otherwise)


def expect_sentence(text: str, code: int | None = None, *, is_shown: bool = True) -> None:
    """Raise Finding unless this is a refusal as people read it: a sentence that is not too long, and its code.

    Where it ``is_shown`` it begins with a capital letter; the codec's may begin with the name of a field.
    """
    good = len(text) > 8 and text[-1] in ".!?" and not (is_shown and text[0].islower())
    expect(good and len(text) <= 2000 and "\n" not in text, f"This is no sentence: {text[:200]!r}")
    expect(code is None or code in set(FailCode), f"{code} is no code of a refusal: {text[:200]!r}")
    text.encode()


def pieces(data: bytes, how: int) -> list[bytes]:
    """Return bytes as they may arrive: 0: at once, 1: one by one, other numbers: in pieces of some lengths."""
    if how == 0:
        return [data] if data else []
    if how == 1:
        return [data[at : at + 1] for at in range(len(data))]
    dice, found, at = Random(how), [], 0
    while at < len(data):
        size = dice.choice((1, 2, 3, 5, 13, 40, 200, 1000))
        found.append(data[at : at + size])
        at += size
    return found


class Bytes:
    """Takes an input apart; at its end there are zeros."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, most: int = 255) -> int:
        """Return the next byte as a number from 0 to ``most``, which is 255 at most."""
        value = self.data[self.at] if self.at < len(self.data) else 0
        self.at += 1
        return value % (most + 1)

    def wide(self) -> int:
        """Return the next two bytes as a number."""
        return self.number() << 8 | self.number()

    def some(self, size: int) -> bytes:
        taken = self.data[self.at : self.at + size]
        self.at += size
        return taken

    def rest(self) -> bytes:
        return self.some(len(self.data))

    @property
    def is_empty(self) -> bool:
        return self.at >= len(self.data)
