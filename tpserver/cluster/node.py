"""This server as a node of a cluster: it takes games, and writes to those that it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, execute

from tpserver.cluster.lease import Lease, boot_seconds
from tpserver.concurrency import Timers
from tpserver.store import FencedStore, Store, StoreError, nodes
from tpserver.store.nodes import HeldElsewhere

__all__ = ["HeldElsewhere", "Node"]

TAKE_SECONDS = 1.0
"""Maximum seconds for which a game is waited for that is taken."""


class Node:
    """This server among the nodes that share the database of ``store``.  Used on the reactor's thread.

    ``address`` is where other nodes reach it, ``seconds`` the length of its lease.  With a store without a reactor
    everything happens at once, and timers need not ring.
    """

    def __init__(
        self,
        store: Store,
        timers: Timers,
        address: str,
        version: str,
        seconds: float,
        boot: Callable[[], float] = boot_seconds,
    ) -> None:
        self._store = store
        self._address = address
        self._version = version
        self._seconds = seconds
        self._at_once = False
        self.lost: list[Callable[[], None]] = []
        """Called when the lease has run out: what is in memory of any game may be old."""
        self._lease = Lease(self, timers, seconds, self._tell_lost, boot)
        self.stop = self._lease.stop
        """Be no node any more, and let all games go."""
        self.may_speak = self._lease.may_speak
        """Return whether what is in memory of the games that this node holds may be told now."""

    @property
    def id(self) -> str:
        """The id of this node; empty while it is none, as its lease has run out."""
        return self._lease.node

    async def start(self) -> None:
        """Become a node, before this returns: nobody else gets to run meanwhile.

        Raises StoreError, code ``in-use`` if a server has the database for itself.
        """
        self._at_once = True
        try:
            await self._lease.start()
        finally:
            self._at_once = False

    def bury(self) -> None:
        """End the life of the server that was at this address before, whose process has ended for certain."""
        self._store.write_apart(nodes.bury, self._address)

    def take(self, game: int) -> FencedStore:
        """Take a game, and return what writes to it as long as this node holds it.

        A dead node's transaction that is still writing to the game is waited for, but not for long, as everybody waits
        here; who comes again later finds it ended.  Raises HeldElsewhere, and StoreError.
        """
        return self._store.fenced(game, self._store.write_apart(nodes.take, game, self.id, TAKE_SECONDS))

    def take_due(self, now: float, most: int) -> Deferred[list[FencedStore]]:
        """Take at most ``most`` games whose turns are due and which nobody holds who lives; fires with what writes to
        each."""
        taken = self._store.write_apart_later(nodes.take_due, self.id, now, most)
        return taken.addCallback(lambda found: [self._store.fenced(game, epoch) for game, epoch in found])

    def release(self, held: FencedStore) -> Deferred[bool]:
        """Let a game go; fires with whether it was held."""
        return self._store.write_apart_later(nodes.release, *held.fence)

    # --- what the lease needs -----------------------------------------------------------------------------------------

    def register(self, node: str) -> Deferred[None]:
        """Add this server as a node, unless a server has the database for itself."""
        return Deferred.fromCoroutine(self._register(node))

    async def _register(self, node: str) -> None:
        later: Callable[..., Deferred[Any]] = self._now if self._at_once else self._store.write_apart_later
        await later(nodes.register, node, self._address, self._version, self._seconds)
        # Afterwards: that server looks for nodes when it has locked the database, so that one of the two gives way.
        process = await later(nodes.single_server)
        if process is not None:
            await later(nodes.leave, node)
            raise StoreError(
                f"The database is in use by a tpserver without [cluster] (PostgreSQL's process {process}). "
                "Stop that one first.",
                code="in-use",
            )

    def _now(self, *work: Any) -> Deferred[Any]:
        return execute(lambda: self._store.write_apart(*work))

    def beat(self, node: str) -> Deferred[bool]:
        """Tell the database that this node lives."""
        return self._store.write_apart_later(nodes.beat, node, self._seconds)

    def leave(self, node: str) -> Deferred[None]:
        """End the life of this node, and let all its games go."""
        return self._store.write_apart_later(nodes.leave, node)

    def _tell_lost(self) -> None:
        for tell in self.lost:
            tell()
