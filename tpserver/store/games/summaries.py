"""Turn summaries: the reports of each closing to each seat.

They are stored separately from the message boards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, select

from tpserver.store.games.views import key_of
from tpserver.store.tables import encode, snapshots, summaries

BYTES_AT_ONCE = 512 * 1024
"""Bytes of reports after which a query reads no further turn."""


class TurnReport(NamedTuple):
    """One stored report; ``player`` is a player's number or 0, ``references`` are pairs of type and id."""

    player: int
    failed: bool
    subject: str
    body: str
    references: list[list[int]]


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """The beginning of a turn: title, time in UTC unix seconds, and the reports of the closing before it."""

    turn: int
    title: str
    began: float
    reports: list[TurnReport]


# Compiled once: building a statement takes longer than running it. The first runs in every turn of every game.
_INSERT = insert(summaries)
_TURNS = (
    select(snapshots.c.turn, snapshots.c.title, snapshots.c.at)
    .where(
        snapshots.c.game == bindparam("which_game"),
        snapshots.c.turn >= bindparam("first_turn"),
        snapshots.c.turn <= bindparam("last_turn"),
    )
    .order_by(snapshots.c.turn)
)
_REPORTS = select(summaries.c.reports).where(
    summaries.c.game == bindparam("which_game"),
    summaries.c.turn == bindparam("which_turn"),
    summaries.c.seat == bindparam("which_seat"),
)


def put(c: Connection, game: int, turn: int, told: Mapping[int | None, Sequence[TurnReport]]) -> None:
    """Add the reports that each seat (None: spectators) got as a turn began.

    Raises sqlalchemy's IntegrityError if the turn has reports already.
    """
    rows = [
        {"game": game, "turn": turn, "seat": key_of(seat), "reports": [list(one) for one in reports]}
        for seat, reports in told.items()
    ]
    if rows:
        c.execute(_INSERT, rows)


def between(c: Connection, game: int, seat: int | None, first: int, last: int) -> list[TurnSummary]:
    """Return the summaries of turns for a seat (None: spectators), in order.

    No further turn is read once the reports have `BYTES_AT_ONCE`. Turns without a snapshot are left out.
    """
    found: list[TurnSummary] = []
    size = 0
    for turn, title, at in c.execute(_TURNS, {"which_game": game, "first_turn": first, "last_turn": last}).all():
        key = {"which_game": game, "which_turn": turn, "which_seat": key_of(seat)}
        reports = c.execute(_REPORTS, key).scalar_one_or_none() or []
        found.append(TurnSummary(turn, title, at, [TurnReport(*row) for row in reports]))
        size += len(encode(reports))
        if size >= BYTES_AT_ONCE:
            break
    return found
