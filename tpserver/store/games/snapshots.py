"""Snapshots: the state of a game after each turn.

Old snapshots may be thinned. Then the world is removed. The digest stays, to verify a world that is computed again. So
do all facts about the turn that do not need its world.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, bindparam, insert, select, update

from tpserver.fault_points import reached
from tpserver.store.games import journal
from tpserver.store.games.journal import ABORT
from tpserver.store.games.rows import there
from tpserver.store.tables import games, snapshots, values_of


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game after the closing of ``turn``.

    ``journal_number`` is the last journal entry contained in ``state``. ``at`` is in UTC unix seconds. ``phase`` and
    ``title`` name the turn that is now being played. ``outcome`` is None until the game is over. If it is ``thinned``,
    ``state`` has the version of the ruleset and nothing else.
    """

    game: int
    turn: int
    journal_number: int
    at: float
    phase: str
    title: str
    digest: str
    state: dict[str, Any]
    events: list[Any]
    outcome: dict[str, Any] | None
    thinned: bool | None = None

    @property
    def version(self) -> int:
        """The version of the ruleset that has saved it."""
        return int(self.state["version"])


def put(c: Connection, snapshot: Snapshot) -> None:
    """Add a snapshot. Raises sqlalchemy's IntegrityError if the turn has one already."""
    c.execute(insert(snapshots), values_of(snapshot))
    reached("snapshot: put")


def _one(c: Connection, query: Select[Any]) -> Snapshot | None:
    row = c.execute(there(c, query)).one_or_none()
    return None if row is None else Snapshot(**row._asdict())


def newest(c: Connection, game: int) -> Snapshot | None:
    """Return the snapshot of the latest turn; None if the game has none yet."""
    return _one(c, select(snapshots).where(snapshots.c.game == game).order_by(snapshots.c.turn.desc()).limit(1))


def by_turn(c: Connection, game: int, turn: int) -> Snapshot | None:
    """Return the snapshot of one turn; None if there is none."""
    return _one(c, select(snapshots).where(snapshots.c.game == game, snapshots.c.turn == turn))


def turns(c: Connection, game: int) -> list[int]:
    """Return the turns with a snapshot, in order."""
    query = select(snapshots.c.turn).where(snapshots.c.game == game).order_by(snapshots.c.turn)
    return [row.turn for row in c.execute(query)]


def closed_by(c: Connection, game: int, turn: int) -> int | None:
    """Return the number of the journal entry that closed a turn; None if it is still open."""
    later = (snapshots.c.game == game) & (snapshots.c.turn > turn)
    query = select(snapshots.c.journal_number).where(later).order_by(snapshots.c.turn).limit(1)
    number = c.execute(query).scalar_one_or_none()
    return None if number is None else int(number)


def digests(c: Connection, game: int) -> list[tuple[int, str]]:
    """Return (turn, digest) of every turn in order, without unpacking a world."""
    query = select(snapshots.c.turn, snapshots.c.digest).where(snapshots.c.game == game).order_by(snapshots.c.turn)
    return [(row.turn, row.digest) for row in c.execute(query)]


def versions(c: Connection, game: int) -> list[tuple[int, int]]:
    """Return (turn, version of the ruleset that saved it) of every turn in order; unpacks the worlds one by one."""
    query = select(snapshots.c.turn, snapshots.c.state).where(snapshots.c.game == game).order_by(snapshots.c.turn)
    return [(row.turn, row.state["version"]) for row in c.execute(query)]


def events(c: Connection, game: int) -> list[Any]:
    """Return the public events of all turns in order, without unpacking a world."""
    query = select(snapshots.c.events).where(snapshots.c.game == game).order_by(snapshots.c.turn)
    return [event for row in c.execute(query) for event in row.events]


# --- thinning ---------------------------------------------------------------------------------------------------------


def kept_before(c: Connection, game: int, turn: int) -> Snapshot | None:
    """Return the newest snapshot before a turn that is not thinned; None if there is none."""
    query = select(snapshots).where(snapshots.c.game == game, snapshots.c.turn < turn, snapshots.c.thinned.is_not(True))
    return _one(c, query.order_by(snapshots.c.turn.desc()).limit(1))


def digests_between(c: Connection, game: int, after: int, until: int) -> dict[int, str]:
    """Return the digests of the turns after one turn and up to another, by turn."""
    where = (snapshots.c.game == game) & snapshots.c.turn.between(after + 1, until)
    return {row.turn: row.digest for row in c.execute(select(snapshots.c.turn, snapshots.c.digest).where(where))}


@dataclass(frozen=True, slots=True)
class Played:
    """A game whose snapshots may be thinned: its newest turn, its state, and by how many turns it is shown later."""

    game: int
    turn: int
    state: str
    watch_delay: int | None


def played(c: Connection, turns: int, state: str | None) -> list[Played]:
    """Return the games, or only those in one state, of which more than so many turns have begun."""
    query = select(games.c.id, games.c.turn, games.c.state, games.c.watch_delay).where(games.c.turn >= turns)
    if state is not None:
        query = query.where(games.c.state == state)
    return [Played(*row) for row in c.execute(query.order_by(games.c.id))]


def ended(c: Connection, game: int) -> float | None:
    """Return the end of a game in UTC unix seconds; None if it is not over.

    That is the closing of its last turn, or the time at which it was aborted.
    """
    if c.scalar(select(games.c.state).where(games.c.id == game)) != "over":
        return None
    query = select(snapshots.c.at).where(snapshots.c.game == game).order_by(snapshots.c.turn.desc()).limit(1)
    aborted = journal.newest(c, game, ABORT)
    return max(c.scalar(query) or 0.0, 0.0 if aborted is None else aborted.at)


def to_thin(c: Connection, game: int, every: int, after: int, until: int, most: int) -> tuple[int, dict[int, int]]:
    """Return the snapshots to thin, as the ruleset's version by turn, and the last examined turn.

    It examines turns after one turn and up to another, the oldest ``most`` first. Every so many-th is kept. So are the
    last two that a version of the ruleset has saved, as its successor continued from them or went back to them. Two
    later turns than ``until`` must exist.
    """
    where = (snapshots.c.game == game) & snapshots.c.turn.between(after + 1, until) & snapshots.c.thinned.is_not(True)
    query = select(snapshots.c.turn).where(where).order_by(snapshots.c.turn)
    found = [turn for turn in c.scalars(query) if turn % every]
    if not found:
        return until, {}
    reached = until if len(found) <= most else found[most - 1]
    found = found[:most]
    versions: dict[int, int] = {}
    _put_versions(c, game, found[0], found[-1] + 2, versions)
    same = {turn: versions[turn] for turn in found if versions[turn] == versions[turn + 2]}  # they only grow
    return reached, same


def thin(c: Connection, game: int, thinned: Mapping[int, int]) -> None:
    """Remove the worlds of these turns, given with the versions that have saved them.

    A turn that is already thinned is no error, and neither is a deleted game.
    """
    which = (snapshots.c.game == game) & (snapshots.c.turn == bindparam("which")) & snapshots.c.thinned.is_not(True)
    change = update(snapshots).where(which).values(thinned=True, state=bindparam("left"))
    if thinned:
        c.execute(change, [{"which": turn, "left": {"version": version}} for turn, version in thinned.items()])


def _put_versions(c: Connection, game: int, first: int, last: int, versions: dict[int, int]) -> None:
    """Put the versions of these turns, and of all between them. Versions only grow, so few worlds are unpacked."""
    for turn in (first, last):
        if turn not in versions:
            query = select(snapshots.c.state).where(snapshots.c.game == game, snapshots.c.turn == turn)
            versions[turn] = int(c.execute(query).scalar_one()["version"])
    if versions[first] == versions[last]:
        versions.update(dict.fromkeys(range(first, last), versions[first]))
    elif last - first > 1:
        middle = (first + last) // 2
        _put_versions(c, game, first, middle, versions)
        _put_versions(c, game, middle, last, versions)
