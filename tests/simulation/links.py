"""Connections between simulated nodes: ordered, each byte delivered once.

The links between two nodes may be blocked in one direction or both. Then nothing arrives, not even the close of a
connection, and all of it comes later. A frozen node receives what was sent to it when it continues.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.internet import error
from twisted.python.failure import Failure

if TYPE_CHECKING:
    from tests.simulation.node import NodeLife

ALL = 1 << 30


class End:
    """One end of a connection: the transport of a protocol, once the node of that end has it."""

    def __init__(self, machine: int) -> None:
        self.machine = machine
        self.life: NodeLife | None = None
        self.protocol: Any = None
        self.sent = bytearray()
        """Bytes that were written here and have not arrived."""
        self.is_closing = False
        """True if only the end follows the sent bytes."""
        self.is_over = False

    # --- ITransport, as far as links use it

    def write(self, data: bytes) -> None:
        if not self.is_closing and self.life is not None and not self.life.is_dead:
            self.sent += data

    def loseConnection(self) -> None:
        self._close(error.ConnectionDone())

    def abortConnection(self) -> None:
        self.sent.clear()
        self._close(error.ConnectionAborted())

    def _close(self, why: Exception) -> None:
        if not self.is_closing and self.life is not None:
            self.is_closing = True
            self.life.reactor.callLater(0, self.end, why)

    def end(self, why: Exception) -> None:
        """Tell the protocol that it is over; on the reactor of its node."""
        if not self.is_over:
            self.is_over = self.is_closing = True
            if self.protocol is not None:
                self.protocol.connectionLost(Failure(why))

    def die(self) -> None:
        """The node is dead: its system closes the connection."""
        self.is_over = self.is_closing = True


class Link:
    """A connection that a node opens to a machine, where ``node_at`` returns the listening node.

    ``is_blocked`` returns whether nothing arrives of one machine at another; ``clock`` gives the seconds in which
    ``give_up`` is.
    """

    def __init__(
        self,
        opener: NodeLife,
        machine: int,
        factory: Any,
        give_up: float,
        node_at: Callable[[int], NodeLife | None],
        is_blocked: Callable[[int, int], bool],
        clock: Callable[[], float],
    ) -> None:
        self.ends = (End(opener.machine.number), End(machine))
        self.ends[0].life = opener
        self.give_up = give_up
        self.is_open = False
        self._factory = factory
        self._node_at = node_at
        self._is_blocked = is_blocked
        self._clock = clock

    @property
    def is_over(self) -> bool:
        return all(end.is_over for end in self.ends)

    def move(self, here: int, amount: int = ALL) -> bool:
        """Open it, or deliver something that was sent at end ``here``; return whether anything has happened."""
        return self._deliver(here, amount) if self.is_open else self._open()

    def _open(self) -> bool:
        here, there = self.ends
        opener = here.life
        if opener is None or here.is_over or opener.is_dead:
            here.die()
            there.die()
            return False
        if opener.is_standing:
            return False
        if self._is_blocked(here.machine, there.machine) or self._is_blocked(there.machine, here.machine):
            if self._clock() < self.give_up:
                return False
            return self._fail(opener, error.TimeoutError())
        target = self._node_at(there.machine)
        if target is None or target.is_dead or target.reactor.listening is None:
            return self._fail(opener, error.ConnectionRefusedError())
        self.is_open = True
        there.life = target

        def connected() -> None:
            here.protocol = self._factory.buildProtocol(None)
            here.protocol.makeConnection(here)

        opener.do(connected)
        return True

    def _fail(self, opener: NodeLife, why: Exception) -> bool:
        for end in self.ends:
            end.die()
        opener.do(lambda: self._factory.clientConnectionFailed(None, Failure(why)))
        return True

    def _deliver(self, here: int, amount: int) -> bool:
        source, target = self.ends[here], self.ends[1 - here]
        if self._is_blocked(source.machine, target.machine):
            return False
        if target.is_over:
            had = bool(source.sent)
            source.sent.clear()
            return had
        life = target.life
        if life is None or life.is_standing:
            return False
        if target.protocol is None:
            life.do(lambda: _accepted(life, target))
            return True
        if source.sent:
            data = bytes(source.sent[:amount])
            del source.sent[:amount]
            life.do(lambda: None if target.is_over else target.protocol.dataReceived(data))
            return True
        if source.is_closing:
            life.do(lambda: target.end(error.ConnectionDone()))
            return True
        return False


def _accepted(life: NodeLife, end: End) -> None:
    if life.reactor.listening is None:
        end.die()
        return
    end.protocol = life.reactor.listening.buildProtocol(None)
    end.protocol.makeConnection(end)


class Port:
    """Where a node listens."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor

    def stopListening(self) -> None:
        self._reactor.listening = None
