"""Nodes that share a database, and the games they hold. PostgreSQL only.

A node is one server process. Its row has the end of its lease by the database's clock, and no other clock counts. An
expired lease is never prolonged, and an id is never used again. So a node that was found dead stays dead. At most one
node holds a game. Each time a node takes or releases a game, the game's epoch grows by one. The writer saves nothing of
a game under another epoch (`tpserver.store.writer`).
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    cast,
    delete,
    exists,
    extract,
    false,
    func,
    insert,
    or_,
    select,
    text,
    true,
    update,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError

from tpserver.store.backends.postgres import LOCK_NOT_AVAILABLE, LOCK_NUMBER
from tpserver.store.games.rows import LACKING
from tpserver.store.schema import oldest_version
from tpserver.store.tables import clusters, games, nodes, writers

KEPT_SECONDS = 24 * 3600.0
"""Seconds for which the row of a dead node is kept, for inspection."""

WRITERS_KEPT_SECONDS = 31 * 24 * 3600.0
"""Seconds for which a writer's last transaction is remembered: longer than any writer is cut off and then continues."""

MADE_SECONDS = 60.0
"""Seconds that a node has to load a game it created, before other nodes do."""

# The time as the statement runs.  now() would be that of the beginning of the transaction: a node that was frozen
# within one would seem to live.
CLOCK: ColumnElement[float] = cast(extract("epoch", func.clock_timestamp()), Double)


class HeldElsewhere(Exception):
    """The game is held by another living node, or this node may not hold it.

    The message is a sentence without its full stop. ``address`` is that of the node to use instead, empty if unknown.
    """

    def __init__(self, text: str, address: str = "") -> None:
        super().__init__(text)
        self.address = address


class WentBack(Exception):
    """The database lacks data that it has confirmed to a node before."""


class Beat(NamedTuple):
    """A sign of life of a node: the number of its beats, and unix seconds by the database's clock."""

    beats: int
    clock: float


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node of the cluster.

    ``address`` is its address for other nodes, ``version`` that of its program. ``started`` and ``until`` are unix
    seconds by the database's clock. ``left`` is the rest of its lease in seconds, 0 or less if it is dead.
    """

    id: str
    address: str
    version: str
    started: float
    until: float
    left: float
    games: int
    """Number of games that it holds."""
    rulesets: str = "{}"
    """The rulesets that it can play: JSON, names to versions."""
    draining: int = 0
    """True if it hands over all its games and takes no new ones."""
    beats: int = 0
    """Number of its beats."""

    def can_play(self, ruleset: str, version: int) -> bool:
        """Return whether the node can continue a game saved by this version of a ruleset."""
        known = json.loads(self.rulesets).get(ruleset)
        return known is not None and known >= version


def clock(c: Connection) -> float:
    """Return unix seconds by the database's clock."""
    return float(c.execute(select(CLOCK)).scalar_one())


def register(
    c: Connection, node: str, address: str, version: str, lease: float, rulesets: Mapping[str, int] | None = None
) -> float:
    """Add a node with a lease of ``lease`` seconds; return its start by the database's clock.

    Also removes the rows of nodes that have been dead for long. ``rulesets`` are those that it can play, with their
    versions. Raises sqlalchemy's IntegrityError if the id was used before.
    """
    forget(c)
    values = {
        "id": node,
        "address": address,
        "version": version,
        "started": CLOCK,
        "until": CLOCK + lease,
        "beats": 0,
        "rulesets": json.dumps(dict(rulesets or {}), sort_keys=True),
    }
    return float(c.execute(insert(nodes).values(values).returning(nodes.c.started)).scalar_one())


def cluster_id(c: Connection) -> str:
    """Return the id of the cluster, which its first node creates."""
    made = postgresql.insert(clusters).values(number=1, id=secrets.token_hex(8), oldest=oldest_version())
    c.execute(made.on_conflict_do_nothing())
    return str(c.scalar(select(clusters.c.id)))


def note_upgrade(c: Connection) -> None:
    """Record the oldest programs that can use these tables, which are those of this version now."""
    c.execute(update(clusters).values(oldest=oldest_version()))


def drain(c: Connection, node: str, draining: bool) -> None:
    """Let a node take no new games, or take games again."""
    c.execute(update(nodes).where(nodes.c.id == node).values(draining=int(draining)))


def beat(c: Connection, node: str, lease: float, seen: int = 0, saved: tuple[str, int] = ("", 0)) -> Beat | None:
    """Prolong the life of a node to ``lease`` seconds from now; return None if it is over already, and stays so.

    ``seen`` is the newest beat that was confirmed to it, ``saved`` the newest group of its writer (`Store.saved`).
    Raises WentBack if the database lacks one of them, or the node.
    """
    writer, group = saved
    there = exists().where(writers.c.id == writer, writers.c.committed >= group) if group else true()
    alive = update(nodes).where(nodes.c.id == node, nodes.c.until > CLOCK, nodes.c.beats >= seen, there)
    change = alive.values(until=CLOCK + lease, beats=nodes.c.beats + 1).returning(nodes.c.beats, CLOCK)
    beaten = c.execute(change).one_or_none()
    if beaten is not None:
        return Beat(*beaten)
    if c.scalar(select(nodes.c.id).where(nodes.c.id == node, nodes.c.beats >= seen, there)) is None:
        raise WentBack
    return None


def remembers(
    c: Connection, node: str, address: str, started: float, beats: int, saved: tuple[str, int] = ("", 0)
) -> bool:
    """Return whether the database has a past life of a node, with its beats and its writer's newest group.

    The node's row may be missing only if there is one of a later life at the same address. The row of its writer may be
    missing only after WRITERS_KEPT_SECONDS.
    """
    writer, group = saved
    forgotten = nodes.c.until < CLOCK - WRITERS_KEPT_SECONDS / 2
    there = exists().where(writers.c.id == writer, writers.c.committed >= group) if group else true()
    known = c.execute(select(nodes.c.beats, there | forgotten).where(nodes.c.id == node)).one_or_none()
    if known is not None:
        return bool(known[0] >= beats and known[1])
    later = exists().where(nodes.c.address == address, nodes.c.started > started)
    return bool(c.execute(select(later)).scalar_one())


def living(c: Connection, but: str = "") -> list[NodeRow]:
    """Return the living nodes except ``but``, the oldest first."""
    return [node for node in all_nodes(c) if node.left > 0 and node.id != but]


def living_addresses(c: Connection) -> list[str]:
    """Return the addresses of the living nodes, the oldest first, from tables of any version with nodes."""
    return list(c.scalars(select(nodes.c.address).where(nodes.c.until > CLOCK).order_by(nodes.c.started)))


def all_nodes(c: Connection) -> list[NodeRow]:
    """Return all nodes with rows, dead ones too, the oldest first."""
    lacking = c.info.get(LACKING, ())  # a reader may find tables of older versions
    if "nodes.id" in lacking:
        return []
    held = select(func.count()).where(games.c.node == nodes.c.id).scalar_subquery()
    known = [each for each in nodes.c if f"nodes.{each.name}" not in lacking]
    query = select(*known, (nodes.c.until - CLOCK).label("left"), held.label("games"))
    return [NodeRow(**row) for row in c.execute(query.order_by(nodes.c.started, nodes.c.id)).mappings()]


def least_loaded(found: Iterable[NodeRow]) -> NodeRow | None:
    """Return the node with the fewest games among those that take games; None if there is none."""
    return min((node for node in found if not node.draining), key=lambda node: node.games, default=None)


def leave(c: Connection, node: str) -> None:
    """End the life of a node that stops, and release all its games."""
    release_all(c, node)
    c.execute(update(nodes).where(nodes.c.id == node, nodes.c.until > CLOCK).values(until=CLOCK))


def bury(c: Connection, address: str, but: str = "") -> None:
    """End the leases of the nodes at an address except ``but``; their processes must have ended."""
    for node in living(c, but):
        if node.address == address:
            leave(c, node.id)


def forget(c: Connection) -> None:
    """Remove the rows of nodes that have been dead for KEPT_SECONDS.

    A node of a game stays, and the last one of each address. By that row a server finds out whether the database has
    gone back in time. Only living nodes take games, so none of these can take one meanwhile.
    """
    points = exists().where(games.c.node == nodes.c.id)
    newer = nodes.alias()
    again = exists().where(newer.c.address == nodes.c.address, newer.c.started > nodes.c.started)
    c.execute(delete(nodes).where(nodes.c.until < CLOCK - KEPT_SECONDS, ~points, again))
    c.execute(delete(writers).where(writers.c.at < CLOCK - WRITERS_KEPT_SECONDS))


def single_server(c: Connection) -> int | None:
    """Return PostgreSQL's process of a server that has the database for itself; None if there is none."""
    lock = "locktype = 'advisory' AND classid = :high AND objid = :low AND granted"
    halves = {"high": LOCK_NUMBER >> 32, "low": LOCK_NUMBER & 0xFFFFFFFF}
    process: int | None = c.scalar(text(f"SELECT pid FROM pg_locks WHERE {lock}"), halves)
    return process


# --- games ------------------------------------------------------------------------------------------------------------


def _lives(node: Any) -> ColumnElement[bool]:
    return exists().where(nodes.c.id == node, nodes.c.until > CLOCK)


def _takes(node: Any) -> ColumnElement[bool]:
    """Return the condition that a node lives and is not being drained."""
    return exists().where(nodes.c.id == node, nodes.c.until > CLOCK, nodes.c.draining == 0)


def _is_nobodys() -> ColumnElement[bool]:
    """Return the condition that no living node holds a game."""
    return games.c.node.is_(None) | ~_lives(games.c.node)


def is_of_another(game: ColumnElement[int], node: str | ColumnElement[str]) -> ColumnElement[bool]:
    """Return the condition that another node than ``node`` lives and holds the game with this id."""
    return exists().where(games.c.id == game, games.c.node == nodes.c.id, nodes.c.id != node, nodes.c.until > CLOCK)


def _is_free(node: str, after: Collection[str] = ()) -> ColumnElement[bool]:
    """Return the condition that a node may take a game.

    Nobody holds the game, or the holder is the node itself, a dead node, or one at these addresses.
    """
    free = _is_nobodys() | (games.c.node == node)
    return free | exists().where(nodes.c.id == games.c.node, nodes.c.address.in_(after)) if after else free


def take(c: Connection, game: int, node: str, wait: float | None = None, after: Collection[str] = ()) -> int:
    """Let a node hold a game, and return the new epoch.

    Nobody else may hold the game, unless that holder is dead. The node may take its own game again. Nodes at the
    addresses ``after`` count as dead: the caller must know that. Waits for a transaction that is writing to the game,
    at most ``wait`` seconds, or as long as the connection does. Raises HeldElsewhere.
    """
    # A game that is held is not locked: that would be in the way of its holder's writer, which does not wait.
    if c.scalar(select(games.c.id).where(games.c.id == game, _is_free(node, after))) is not None:
        if wait is not None:
            c.execute(text(f"SET LOCAL lock_timeout = {round(1000 * wait)}"))
        try:
            c.execute(select(games.c.id).where(games.c.id == game).with_for_update(key_share=True))
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) != LOCK_NOT_AVAILABLE:
                raise
            raise HeldElsewhere("another node, which no longer responds, still holds it") from None
        # A separate statement sees all commits until the game was locked. Meanwhile a node may have taken it that did
        # not exist when the first statement began.
        change = update(games).where(games.c.id == game, _is_free(node, after), _takes(node))
        taken = c.scalar(change.values(node=node, epoch=games.c.epoch + 1).returning(games.c.epoch))
        if taken is not None:
            return int(taken)
    address = holder_of(c, game, node)
    if not address and c.scalar(select(nodes.c.draining).where(nodes.c.id == node, nodes.c.until > CLOCK)):
        raise hands_over(c, node)
    if not address:
        raise HeldElsewhere("this server is no living node of its cluster at the moment")
    raise HeldElsewhere(f"it is played on the node at {address}", address)


def hands_over(c: Connection, node: str, holder: str = "") -> HeldElsewhere:
    """Return the refusal of a node that is draining; it names the ``holder``, or else the least loaded node."""
    least = least_loaded(living(c, node))
    address = holder or ("" if least is None else least.address)
    return HeldElsewhere("this server hands its games over to other nodes", address)


def holder_of(c: Connection, game: int, but: str) -> str:
    """Return the address of the living node that holds a game; empty if there is none, or for the node ``but``."""
    return holders_of(c, [game], but).get(game, "")


def holders_of(c: Connection, numbers: Collection[int], but: str) -> dict[int, str]:
    """Return the addresses of the living nodes that hold these games, by game; without those of the node ``but``."""
    holder = select(games.c.id, nodes.c.address).join_from(games, nodes, games.c.node == nodes.c.id)
    found = c.execute(holder.where(games.c.id.in_(numbers), nodes.c.id != but, nodes.c.until > CLOCK))
    return {row.id: row.address for row in found}


def all_holders(c: Connection) -> dict[int, str]:
    """Return the addresses of the nodes that live and hold games, by game."""
    holder = select(games.c.id, nodes.c.address).join_from(games, nodes, games.c.node == nodes.c.id)
    return {row.id: row.address for row in c.execute(holder.where(nodes.c.until > CLOCK))}


def address_of(c: Connection, node: str) -> str:
    """Return the address of a living node; empty if it is dead."""
    return c.scalar(select(nodes.c.address).where(nodes.c.id == node, nodes.c.until > CLOCK)) or ""


def _playable(rulesets: Mapping[str, int] | None) -> ColumnElement[bool]:
    """Return the condition that a node with these rulesets can continue a game; None: with all."""
    if rulesets is None:
        return true()
    return or_(
        false(),
        *(
            (games.c.ruleset == name) & (games.c.ruleset_version <= version)
            for name, version in sorted(rulesets.items())
        ),
    )


def take_due(
    c: Connection, node: str, now: float, most: int, rulesets: Mapping[str, int] | None = None
) -> list[tuple[int, int]]:
    """Have a node hold running games that are past their deadline and that no living node holds.

    It takes at most ``most`` games, those first that are overdue longest. ``now`` is in unix seconds. With ``rulesets``
    it takes only games that these versions can continue. Returns game and epoch of each. It skips games that another
    node or transaction has locked, so that no node waits for another.
    """
    free = _is_nobodys()
    due = (games.c.state == "running") & (games.c.deadline <= now)
    wanted = select(games.c.id).where(free, due, _takes(node), _playable(rulesets))
    query = wanted.order_by(games.c.deadline, games.c.id).limit(most)
    found = list(c.scalars(query.with_for_update(skip_locked=True, key_share=True)))
    if not found:
        return []
    # A separate statement, as above.
    change = update(games).where(games.c.id.in_(found), free, _takes(node))
    taken = change.values(node=node, epoch=games.c.epoch + 1).returning(games.c.id, games.c.epoch)
    epochs = {row.id: row.epoch for row in c.execute(taken)}
    return [(game, epochs[game]) for game in found if game in epochs]


def due(c: Connection, node: str, until: float, rulesets: Mapping[str, int] | None = None) -> list[int]:
    """Return the ids of games that a node has to load by then.

    They are not in its memory, and the earliest are first. A draining node has none. With ``rulesets`` only games that
    these can continue are among them. They are games that the node or no living node holds, if something of them is
    due. Others without a living holder are among them if they went on in the memory of a node that has died.
    """
    # The creating node loads a game at once. It is due from the start in case that fails.
    is_made = games.c.created < until - MADE_SECONDS
    others = _is_nobodys() & (games.c.resting.is_not(None) | is_made)
    rests = (games.c.wake <= until) & ((games.c.node == node) | others)
    unknown = games.c.resting.is_(None) & games.c.state.in_(("waiting", "running")) & _is_nobodys() & is_made
    query = select(games.c.id).where(rests | unknown, _takes(node), _playable(rulesets))
    return list(c.scalars(query.order_by(func.coalesce(games.c.wake, 0.0), games.c.id)))


def wake_all(c: Connection, stood_since: float | None) -> None:
    """Mark the games without a holder whose clocks have not run since then, as a node starts; None: all have."""
    if stood_since is not None:
        standing = (games.c.state == "running") & games.c.deadline.is_not(None) & games.c.resting.is_not(None)
        c.execute(update(games).where(standing, _is_nobodys()).values(ran=stood_since, resting=None, wake=0.0))


def release(c: Connection, game: int, epoch: int, node: str | None = None) -> bool:
    """Release a game that is held at this epoch; return whether it was.

    With ``node`` it must be held by that node. From then on nothing of the game is saved under that epoch.
    """
    by = games.c.node.is_not(None) if node is None else games.c.node == node
    change = update(games).where(games.c.id == game, games.c.epoch == epoch, by)
    return c.execute(change.values(node=None, epoch=games.c.epoch + 1)).rowcount == 1


def release_all(c: Connection, node: str | None = None) -> int:
    """Release all games of a node, or of all nodes; return their number."""
    held = games.c.node.is_not(None) if node is None else games.c.node == node
    # In order, as the writer locks them: two that lock the same games in different orders would wait for each other.
    locked = select(games.c.id).where(held).order_by(games.c.id).with_for_update(key_share=True)
    numbers = list(c.scalars(locked))
    if not numbers:
        return 0
    change = update(games).where(games.c.id.in_(numbers))
    return c.execute(change.values(node=None, epoch=games.c.epoch + 1)).rowcount
