"""Membership of this server in a cluster: it takes, holds and releases games.

A node writes only to games that it holds. It also detects a database that has gone back in time, after a restore or a
failover that lost the last transactions. For that, each beat looks for the previous beat and for the last transaction
of the writer. After such a loss nothing in memory is valid, not even names and numbers of accounts. So the process has
to end. A file in the data directory keeps the newest beat for a server that was stopped meanwhile.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, execute
from twisted.logger import Logger
from twisted.python.failure import Failure

from tpserver.bus import Bus
from tpserver.cluster.lease import ID_BYTES, Lease, boot_seconds
from tpserver.concurrency import Timers
from tpserver.fault_points import reached
from tpserver.files import write_whole
from tpserver.store import FencedStore, Store, StoreError
from tpserver.store.games import nodes
from tpserver.store.games.nodes import Beat, HeldElsewhere, WentBack

__all__ = ["HeldElsewhere", "Node"]

log = Logger()

UNEVEN = 20
"""Games beyond twice those of the least loaded node, at which that node creates new games."""

TAG_END = "."
"""End of the node id in a ticket; no other part of a ticket contains it."""

TAKE_SECONDS = 1.0
"""Maximum seconds of waiting for a game that is being taken."""

CLOCK_SECONDS = 60.0
"""Maximum seconds between the clocks of a node and the database; beyond it turns would close at wrong times."""

NOTED_BEATS = 60
"""Beats between two notes of the newest beat in the file."""


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The lease of this node has run out, so its games in memory may be outdated.

    Publisher: `Node`. Subscriber: the registry, which drops all games.
    """


class Node:
    """One server among the nodes that share the database of ``store``.

    It is used on the reactor's thread. ``address`` is its address for other nodes, ``seconds`` the length of its lease.
    ``rulesets`` are those that it can play, with their versions (None: unknown, and it takes all games). ``wall`` is
    the wall clock in unix seconds, ``file`` contains the newest beat. With a store without a reactor everything happens
    at once, and timers need not ring.
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
        wall: Callable[[], float] = time.time,
        file: Path | None = None,
    ) -> None:
        self._rulesets = rulesets
        self.draining = False
        """True while it hands over all its games, and takes no new ones."""
        self._store = store
        self._address = address
        self._version = version
        self._seconds = seconds
        self._wall = wall
        self._file = file
        self._at_once = False
        self.life = ("", "", 0.0, 0)
        """The newest life of this server as a node: its id, address, start, and number of confirmed beats."""
        self.went_back = ""
        """Message to the operator if the database has gone back since this server used it last."""
        self.bus = Bus()
        """The bus of the server, which publishes `LeaseLost`."""
        self._lease = Lease(self, timers, seconds, lambda: self.bus.publish(LeaseLost()), boot)
        self.stop = self._lease.stop
        """Leave the cluster, and release all games."""

    def may_speak(self) -> bool:
        """Return whether this node may send data of its games from memory now."""
        return self._store.gone is None and self._lease.may_speak()

    @property
    def id(self) -> str:
        """The id of this node; empty while its lease has run out."""
        return self._lease.node

    async def start(self) -> None:
        """Become a node before this returns; nothing else runs meanwhile.

        Raises StoreError, code ``in-use`` if a server has the database for itself.
        """
        self._at_once = True
        try:
            await self._lease.start()
        finally:
            self._at_once = False

    def bury(self, address: str = "") -> None:
        """End the lease of the previous server at this address, or at another one; its process must have ended."""
        self._store.write_apart(nodes.bury, address or self._address, self.id)

    def take(self, game: int, after: Collection[str] = ()) -> FencedStore:
        """Take a game, and return its store for as long as this node holds it.

        The processes of nodes at the addresses ``after`` must have ended: their games can be taken.

        It waits for a dead node's transaction that is still writing to the game. The wait is short, as it blocks the
        server; a later try finds the transaction ended. Raises HeldElsewhere, and StoreError.
        """
        node = self.id
        if self.draining:  # which its row may not say yet
            raise self._store.read(nodes.hands_over, node, self.holder_of(game))
        epoch = self._store.write_apart(nodes.take, game, node, TAKE_SECONDS, after)
        reached("take-over: taken")
        return self._store.fenced(game, epoch, node)

    def take_due(self, now: float, most: int) -> Deferred[list[FencedStore]]:
        """Take at most ``most`` due games that no living node holds.

        Fires with their stores.
        """
        node = self.id
        taken = self._store.write_apart_later(nodes.take_due, node, now, most, self._rulesets)
        return taken.addCallback(lambda found: [self._store.fenced(game, epoch, node) for game, epoch in found])

    def due(self, until: float) -> list[int]:
        """Return the ids of the games that this node has to load by then, see `nodes.due`."""
        return self._store.read(nodes.due, self.id, until, self._rulesets) if self.may_speak() else []

    def place_of_new_game(self) -> str:
        """Return the address of the node that should create new games; empty if that is this node.

        It is the node with the fewest games. This node refers to it while draining, or with more than twice its games
        plus UNEVEN.
        """
        found = self._store.read(nodes.living)
        mine = next((node.games for node in found if node.id == self.id), 0)
        least = nodes.least_loaded(node for node in found if node.id != self.id)
        if least is None or not (self.draining or mine > 2 * least.games + UNEVEN):
            return ""
        return least.address

    def who_can_play(self, ruleset: str, version: int) -> str:
        """Return the address of another node that can continue a game saved by this version of a ruleset.

        Of several it is the one with the fewest games. It is empty if there is none.
        """
        others = self._store.read(nodes.living, self.id)
        least = nodes.least_loaded(other for other in others if other.can_play(ruleset, version))
        return "" if least is None else least.address

    def holder_of(self, game: int) -> str:
        """Return the address of another node that lives and holds a game; empty if there is none."""
        return self._store.read(nodes.holder_of, game, self.id)

    def holders_of(self, games: Collection[int]) -> Deferred[dict[int, str]]:
        """Return the addresses of the other living nodes that hold these games, by game.

        The lookup runs in the reader's thread. Fails with StoreError.
        """
        return self._store.read_later(nodes.holders_of, games, self.id)

    def places(self) -> Deferred[dict[int, str]]:
        """Fires with the addresses of all nodes that live and hold games, by game; else as `holders_of`."""
        return self._store.read_later(nodes.all_holders)

    async def drain(self, draining: bool) -> None:
        """Take no new games, or take games again; all nodes know it afterwards."""
        self.draining = draining
        if self.id:
            await self._store.write_apart_later(nodes.drain, self.id, draining)

    async def release_all(self) -> int:
        """Release all games that this node still holds, none of which is in memory; return their number."""
        return await self._store.write_apart_later(nodes.release_all, self.id)

    def others(self) -> list[str]:
        """Return the addresses of the other nodes that live and take games."""
        return [other.address for other in self._store.read(nodes.living, self.id) if not other.draining]

    def cluster_id(self) -> str:
        """Return the id of the cluster, at once: nothing else runs meanwhile."""
        return self._store.write_apart(nodes.cluster_id)

    def clock_was_set(self, seconds: float) -> bool:
        """Handle a change of the wall clock by so many seconds.

        Return whether this node gave up its lease. It is unknown then which time is right. The database decides: this
        is a node again as soon as the clocks agree.
        """
        if abs(seconds) <= CLOCK_SECONDS:
            return False
        self._lease.lose(f"the system's clock was set by {seconds:.0f} s")
        return True

    def tag(self) -> str:
        """Return the prefix of this node's tickets."""
        return f"{self.id}{TAG_END}"

    def maker_of(self, ticket: str) -> str:
        """Return the address of another node that has created a ticket; empty if it was this one, or none."""
        name, end, _ = ticket[: 2 * ID_BYTES + 1].partition(TAG_END)
        return self._store.read(nodes.address_of, name) if end and name != self.id else ""

    def release(self, held: FencedStore) -> Deferred[bool]:
        """Release a game; fires with whether it was held."""
        return self._store.write_apart_later(nodes.release, *held.fence)

    # --- what the lease needs -----------------------------------------------------------------------------------------

    def register(self, node: str) -> Deferred[None]:
        """Add this server as a node, unless a server has the database for itself."""
        return Deferred.fromCoroutine(self._register(node))

    async def _register(self, node: str) -> None:
        later: Callable[..., Deferred[Any]] = self._now if self._at_once else self._store.write_apart_later
        asked = self._wall()
        self._check_clock(asked, await later(nodes.clock))
        if self._at_once:
            await self._look_back(later)
        elif not await later(nodes.remembers, *self.life, self._store.saved):
            raise self._store.has_gone_back()
        started = await later(nodes.register, node, self._address, self._version, self._seconds, self._rulesets)
        self.life = (node, self._address, started, 0)
        self.note()
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
        """Record in the database that this node is alive."""
        asked = self._wall()
        beating = self._store.write_apart_later(nodes.beat, node, self._seconds, self.life[3], self._store.saved)
        return beating.addCallbacks(self._beaten, self._not_beaten, (node, asked))

    def _beaten(self, beat: Beat | None, node: str, asked: float) -> bool:
        if beat is None:
            return False
        self._check_clock(asked, beat.clock)
        if node == self.id:
            self.life = (*self.life[:3], beat.beats)
            if beat.beats % NOTED_BEATS == 0:
                self.note()
        return True

    def _not_beaten(self, failure: Failure) -> Failure:
        if isinstance(failure.value, WentBack):
            raise self._store.has_gone_back()
        return failure

    def _check_clock(self, asked: float, there: float) -> None:
        """Raise StoreError if the clocks of the database and this system differed between ``asked`` and now."""
        ahead = max(asked - there, 0.0) + min(self._wall() - there, 0.0)
        if abs(ahead) > CLOCK_SECONDS:
            raise StoreError(
                f"The clock of this machine is {abs(ahead):.0f} s {'ahead of' if ahead > 0 else 'behind'} that of the "
                "database: turns would not be closed in time. Set them by the same time server.",
                code="clock",
            )

    # --- what a server that was stopped remembers ---------------------------------------------------------------------

    async def _look_back(self, later: Callable[..., Deferred[Any]]) -> None:
        """Report a database that lacks data which it had when this server was its node before."""
        if self._file is None:
            return
        try:
            noted = json.loads(self._file.read_bytes())
            before = (str(noted["node"]), str(noted["address"]), float(noted["started"]), int(noted["beats"]))
            saved = (str(noted["writer"]), int(noted["saved"]))
        except FileNotFoundError:
            return
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warn("{file} cannot be read ({why}), so a restored older database cannot be detected",
                     file=str(self._file), why=str(error))  # fmt: skip
            return
        if not await later(nodes.remembers, *before, saved):
            self.went_back = (
                "The database is older than when this server was stopped: it was restored from a backup, or is another "
                "one. What was played since then is gone: tell the players which turn it is."
            )
            log.critical("{told}", told=self.went_back)

    def note(self) -> None:
        """Write the newest beat of this server, and the last transaction of its writer, to the file."""
        if self._file is None:
            return
        values = (*self.life, *self._store.saved)
        noted = dict(zip(("node", "address", "started", "beats", "writer", "saved"), values, strict=True))
        try:
            # Several processes may share the file.
            write_whole(self._file, json.dumps(noted).encode(), mode=0o666, part=f".{os.getpid()}")
        except OSError as error:
            log.warn("{file} cannot be written: {why}", file=str(self._file), why=error.strerror or str(error))

    def leave(self, node: str) -> Deferred[None]:
        """End the life of this node, and release all its games."""
        self.note()
        return self._store.write_apart_later(nodes.leave, node)
