"""This server as a node of a cluster: it takes games, and writes to those that it holds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from twisted.internet.defer import Deferred, execute

from tpserver.cluster.lease import ID_BYTES, Lease, boot_seconds
from tpserver.concurrency import Timers
from tpserver.store import FencedStore, Store, StoreError, nodes
from tpserver.store.nodes import HeldElsewhere

__all__ = ["HeldElsewhere", "Node"]

UNEVEN = 20
"""Games that a node may hold above twice as many as the least loaded one before new ones are made there."""

TAG_END = "."
"""What follows the id of the node that has made a ticket; no other part of a ticket has it."""

TAKE_SECONDS = 1.0
"""Maximum seconds for which a game is waited for that is taken."""


class Node:
    """This server among the nodes that share the database of ``store``.  Used on the reactor's thread.

    ``address`` is where other nodes reach it, ``seconds`` the length of its lease, ``rulesets`` those that it can play,
    with their versions (None: nobody knows, and it takes all games).  With a store without a reactor
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
        rulesets: Mapping[str, int] | None = None,
    ) -> None:
        self._rulesets = rulesets
        self.draining = False
        """Whether it hands all its games over, and takes none."""
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

    def bury(self, address: str = "") -> None:
        """End the life of the server that was at this address before, or at another one, whose process has ended for
        certain."""
        self._store.write_apart(nodes.bury, address or self._address, self.id)

    def take(self, game: int, after: Collection[str] = ()) -> FencedStore:
        """Take a game, and return what writes to it as long as this node holds it.

        The processes of nodes at the addresses ``after`` have ended for certain: what they hold can be taken.

        A dead node's transaction that is still writing to the game is waited for, but not for long, as everybody waits
        here; who comes again later finds it ended.  Raises HeldElsewhere, and StoreError.
        """
        return self._store.fenced(game, self._store.write_apart(nodes.take, game, self.id, TAKE_SECONDS, after))

    def take_due(self, now: float, most: int) -> Deferred[list[FencedStore]]:
        """Take at most ``most`` games whose turns are due and which nobody holds who lives; fires with what writes to
        each."""
        taken = self._store.write_apart_later(nodes.take_due, self.id, now, most, self._rulesets)
        return taken.addCallback(lambda found: [self._store.fenced(game, epoch) for game, epoch in found])

    def due(self, until: float) -> list[int]:
        """Return the ids of the games that this node has to read by then, see `nodes.due`."""
        return self._store.read(nodes.due, self.id, until, self._rulesets) if self.may_speak() else []

    def place_of_new_game(self) -> str:
        """Return the address of another node at which games are to be made, as this one is being drained or holds many
        more; else an empty text."""
        found = self._store.read(nodes.living)
        mine = next((node.games for node in found if node.id == self.id), 0)
        others = [node for node in found if node.id != self.id and not node.draining]
        least = min(others, key=lambda other: other.games, default=None)
        if least is None or not (self.draining or mine > 2 * least.games + UNEVEN):
            return ""
        return least.address

    def who_can_play(self, ruleset: str, version: int) -> str:
        """Return the address of another node that can go on with a game which this version of a ruleset has saved, of
        several that with the fewest games; empty if there is none."""
        others = self._store.read(nodes.living, self.id)
        able = [other for other in others if not other.draining and other.can_play(ruleset, version)]
        least = min(able, key=lambda other: other.games, default=None)
        return "" if least is None else least.address

    def holder_of(self, game: int) -> str:
        """Return the address of another node that lives and holds a game; empty if there is none."""
        return self._store.read(nodes.holder_of, game, self.id)

    async def drain(self, draining: bool) -> None:
        """Take no game any more, or take games again, which all nodes know afterwards."""
        self.draining = draining
        if self.id:
            await self._store.write_apart_later(nodes.drain, self.id, draining)

    async def release_all(self) -> int:
        """Let all games go that this node still holds, none of which is in memory; return how many there were."""
        return await self._store.write_apart_later(nodes.release_all, self.id)

    def others(self) -> list[str]:
        """Return the addresses of the other nodes that live and take games."""
        return [other.address for other in self._store.read(nodes.living, self.id) if not other.draining]

    def cluster_id(self) -> str:
        """Return the id of the cluster, at once: nobody else gets to run meanwhile."""
        return self._store.write_apart(nodes.cluster_id)

    def tag(self) -> str:
        """Return what tells of a ticket that this node has made it."""
        return f"{self.id}{TAG_END}"

    def maker_of(self, ticket: str) -> str:
        """Return the address of another node that has made a ticket; empty if it was this one, or nobody."""
        name, end, _ = ticket[: 2 * ID_BYTES + 1].partition(TAG_END)
        return self._store.read(nodes.address_of, name) if end and name != self.id else ""

    def release(self, held: FencedStore) -> Deferred[bool]:
        """Let a game go; fires with whether it was held."""
        return self._store.write_apart_later(nodes.release, *held.fence)

    # --- what the lease needs -----------------------------------------------------------------------------------------

    def register(self, node: str) -> Deferred[None]:
        """Add this server as a node, unless a server has the database for itself."""
        return Deferred.fromCoroutine(self._register(node))

    async def _register(self, node: str) -> None:
        later: Callable[..., Deferred[Any]] = self._now if self._at_once else self._store.write_apart_later
        await later(nodes.register, node, self._address, self._version, self._seconds, self._rulesets)
        if self.draining:
            await later(nodes.drain, node, True)
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
