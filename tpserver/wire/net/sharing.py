"""Connection balance among processes that accept at the same sockets.

The process with more connections lets the others accept first. Otherwise the system wakes the process that began to
wait last. That is usually the one that has just accepted, so it would get nearly all connections.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from struct import Struct
from typing import Any

SLACK = 1
"""Connections by which a process may exceed the least loaded one and still accept at once."""
WAIT = 0.01
"""Seconds for which it lets the others go first. Then it accepts a connection if no other process has."""

NOBODY = -1
"""The count of a process that does not run."""

_COUNT = Struct("=i")


class Counts:
    """Numbers of connections of all processes, in shared memory; ``number`` is that of this process."""

    def __init__(self, memory: mmap.mmap, number: int = 0) -> None:
        self._memory = memory
        self._number = number
        self._processes = len(memory) // _COUNT.size

    @staticmethod
    def size(processes: int) -> int:
        """Return the bytes of memory for a number of processes."""
        return processes * _COUNT.size

    def put(self, count: int, number: int | None = None) -> None:
        """Set the number of connections of a process, by default of this one."""
        _COUNT.pack_into(self._memory, _COUNT.size * (self._number if number is None else number), count)

    def least_of_others(self) -> int | None:
        """Return the smallest number of connections of another process, or None without another one."""
        counts = (_COUNT.unpack_from(self._memory, _COUNT.size * number)[0] for number in self._others())
        return min((count for count in counts if count > NOBODY), default=None)

    def _others(self) -> list[int]:
        return [number for number in range(self._processes) if number != self._number]


class SharedPort:
    """Accepts connections at a shared port one at a time, after the less loaded processes.

    ``port`` is one of Twisted's, which is read when a connection waits (IReadDescriptor). ``connections`` returns the
    number of connections of this process.
    """

    def __init__(self, reactor: Any, port: Any, counts: Counts, connections: Callable[[], int]) -> None:
        self._reactor = reactor
        self._port = port
        self._counts = counts
        self._connections = connections
        self._accept = port.doRead
        self._has_waited = False
        port.doRead = self._read

    def _read(self) -> object:
        own, least = self._connections(), self._counts.least_of_others()
        self._counts.put(own)
        if least is not None and own > least + SLACK and not self._has_waited:
            self._port.stopReading()
            self._reactor.callLater(WAIT, self._go_on)
            return None
        self._has_waited = False
        self._port.numberAccepts = 1
        result = self._accept()
        self._counts.put(self._connections())
        return result

    def _go_on(self) -> None:
        self._has_waited = True
        if self._port.connected:
            self._port.startReading()
