"""Lease of this node: the time until which it may act in its cluster.

Each second the node sends a beat to the database. The beat extends the lease by the database's clock. The node relies
only on a part of it. It counts from before it sent the beat, on a clock that also runs while the machine sleeps. It
subtracts a margin for clocks of different speeds. So the node always stops before another node regards it as dead. This
holds after a freeze, too, as it checks the clock before it sends anything.

A lease that has run out is not renewed. The node and its games in memory end with it. The server continues as a new
node, with another id, as soon as the database allows it.
"""

from __future__ import annotations

import math
import secrets
import time
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.concurrency import Timer, Timers
from tpserver.fault_points import reached

log = Logger()

BEAT_SECONDS = 1.0
"""Seconds between two beats."""

MARGIN = 0.1
"""The part of a lease that a node does not use."""

ID_BYTES = 8

# Without it, outside of Linux, a machine may not notice that it has slept.
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def boot_seconds() -> float:
    """Return the seconds since the start of the machine, with the time in which it slept."""
    return time.clock_gettime(_CLOCK)


class Members(Protocol):
    """The nodes of a cluster in their database."""

    def register(self, node: str) -> Deferred[None]:
        """Add a new node. The Deferred fails with an error for the operator if that is impossible."""

    def beat(self, node: str) -> Deferred[bool]:
        """Extend its life; the Deferred fires with False if that is over."""

    def leave(self, node: str) -> Deferred[None]:
        """End its life, if that is not over, and release all its games."""


class Lease:
    """The lease of this server. Used on the reactor's thread.

    ``seconds`` is the length of a lease. ``boot`` returns seconds like ``boot_seconds``. ``lost`` is called when a
    lease has ended. Then nothing in this server's memory may be sent to clients.
    """

    def __init__(
        self,
        members: Members,
        timers: Timers,
        seconds: float,
        lost: Callable[[], None],
        boot: Callable[[], float] = boot_seconds,
    ) -> None:
        self._members = members
        self._timers = timers
        self._relied_on = seconds * (1 - MARGIN)
        self._lost = lost
        self._boot = boot
        self._until = -math.inf
        self._waiting = False
        """True until the database responds to the last beat."""
        self._told = ""
        """Last log text about failing beats."""
        self._timer: Timer | None = None
        self._stopped = False
        self._over = ""
        """The id of the node whose lease has ended, until the database has recorded it."""
        self.node = ""
        """The id of this server as a node; empty while it is none."""

    def may_speak(self) -> bool:
        """Return whether this server may send data from its memory now."""
        return self._boot() < self._until

    async def start(self) -> None:
        """Become a node, and send beats from now on. Raises the errors of `register`."""
        await self._register()
        self._again()

    async def stop(self) -> None:
        """Stop beating and leave the cluster, so that other nodes need not wait for the end of the lease."""
        self._stopped = True
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        node, self.node, self._until = self.node, "", -math.inf
        if node:
            try:
                await self._members.leave(node)
            except Exception as error:  # the lease ends by itself
                log.warn("this node could not say that it leaves: {why}", why=str(error))

    def lose(self, why: str) -> None:
        """Give up the lease, as if it had ended. The next beat gets a new one, if possible."""
        if self.node:
            self._lose(why)

    def _again(self) -> None:
        self._timer = self._timers.callLater(BEAT_SECONDS, self._beat)

    def _beat(self) -> None:
        self._again()
        if self.node and not self.may_speak():
            self._lose("it could not reach its database for so long, or was frozen")
        if self._waiting:
            return
        self._waiting = True
        if self.node:
            reached("lease: asked")
            doing: Deferred[Any] = self._members.beat(self.node)
            doing.addCallback(self._beaten, self.node, self._boot())
        else:
            doing = Deferred.fromCoroutine(self._register())
        doing.addCallbacks(self._worked, self._failed)

    def _beaten(self, lives: bool, node: str, sent: float) -> None:
        if node != self.node:
            return  # lost meanwhile
        reached("lease: renewed")
        if not lives:
            self._lose("the database has it for dead")
        elif not self.may_speak():  # other nodes may have found it dead before the beat arrived
            self._lose("it was frozen, or its database did not answer in time")
        else:
            self._until = sent + self._relied_on

    async def _register(self) -> None:
        if self._over:  # none of it is in memory now, so no node needs to wait for the end of its lease
            await self._members.leave(self._over)
            self._over = ""
        node, sent = secrets.token_hex(ID_BYTES), self._boot()
        await self._members.register(node)
        if self._stopped:
            await self._members.leave(node)
            return
        self.node, self._until = node, sent + self._relied_on
        log.info("this server is node {node} of its cluster", node=node)

    def _lose(self, why: str) -> None:
        log.error("node {node} has lost its lease, as {why}: its games are dropped", node=self.node, why=why)
        self._over, self.node, self._until = self.node, "", -math.inf
        self._lost()

    def _worked(self, result: object) -> None:
        self._waiting = False
        if self._told:
            log.info("the nodes of the cluster can be reached again")
            self._told = ""

    def _failed(self, failure: Failure) -> None:
        self._waiting = False
        told = failure.getErrorMessage()
        if told != self._told and not self._stopped:
            self._told = told
            log.warn("this node cannot tell the others that it lives: {why}", why=told)
