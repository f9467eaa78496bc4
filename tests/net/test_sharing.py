"""Processes that share a port: the one with fewer connections goes first.

It accepts new connections first. The others do not wait long for it.
"""

from __future__ import annotations

import mmap

from twisted.internet.task import Clock

from tpserver.wire.net.sharing import NOBODY, SLACK, WAIT, Counts, SharedPort


class Port:
    """A listening port as Twisted has them, of a process with so many connections."""

    def __init__(self, connections: int = 0) -> None:
        self.connections = connections
        self.connected = self.reads = True
        self.numberAccepts = 50

    def doRead(self) -> None:
        self.connections += self.numberAccepts

    def stopReading(self) -> None:
        self.reads = False

    def startReading(self) -> None:
        self.reads = True


def shared(own: int, *others: int) -> tuple[Port, Clock, Counts]:
    """A port of a process that has so many connections, beside others with theirs; and what the next process sees."""
    memory = mmap.mmap(-1, Counts.size(1 + len(others)))
    counts = Counts(memory)
    for number, count in enumerate(others, start=1):
        counts.put(count, number)
    port, clock = Port(own), Clock()
    SharedPort(clock, port, counts, lambda: port.connections)
    return port, clock, Counts(memory, 1)


def test_who_has_as_many_as_others_accepts_one_at_a_time_and_tells_the_others() -> None:
    port, _, seen = shared(4, 3, 9)
    port.doRead()
    assert port.connections == 5 and port.reads
    assert seen.least_of_others() == 5


def test_who_has_more_lets_others_go_first_and_accepts_if_nobody_has() -> None:
    port, clock, _ = shared(4 + SLACK, 9, 3)
    port.doRead()
    assert port.connections == 4 + SLACK and not port.reads
    clock.advance(WAIT)
    assert port.reads
    port.doRead()
    assert port.connections == 5 + SLACK
    port.doRead()
    assert port.connections == 5 + SLACK and not port.reads, "each time anew"


def test_a_process_that_is_not_there_is_not_waited_for() -> None:
    port, _, _ = shared(1000, NOBODY, 1001)
    port.doRead()
    assert port.connections == 1001
    alone, _, _ = shared(1000, NOBODY)
    alone.doRead()
    assert alone.connections == 1001


def test_a_port_that_was_closed_meanwhile_is_not_read_again() -> None:
    port, clock, _ = shared(9, 0)
    port.doRead()
    port.connected = False
    clock.advance(WAIT)
    assert not port.reads
