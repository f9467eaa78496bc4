"""Snapshots: the state of a game after each turn."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, insert, select

from tpserver.store.tables import snapshots, values_of


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game after the closing of ``turn``.

    ``journal_number`` is the last journal entry contained in ``state``; ``at`` is in UTC unix seconds; ``phase`` and
    ``title`` name the turn that is now being played; ``outcome`` is None until the game is over.
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


def put(c: Connection, snapshot: Snapshot) -> None:
    """Add a snapshot. Raises sqlalchemy's IntegrityError if the turn has one already."""
    c.execute(insert(snapshots), values_of(snapshot))


def _one(c: Connection, query: Select[Any]) -> Snapshot | None:
    row = c.execute(query).one_or_none()
    return None if row is None else Snapshot(**row._asdict())


def newest(c: Connection, game: int) -> Snapshot | None:
    """Return the snapshot of the latest turn; None if the game has none yet."""
    return _one(c, select(snapshots).where(snapshots.c.game == game).order_by(snapshots.c.turn.desc()).limit(1))


def by_turn(c: Connection, game: int, turn: int) -> Snapshot | None:
    """Return the snapshot of one turn; None if there is none."""
    return _one(c, select(snapshots).where(snapshots.c.game == game, snapshots.c.turn == turn))


def turns(c: Connection, game: int) -> list[int]:
    """Return the turns of which there is a snapshot, in order."""
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
