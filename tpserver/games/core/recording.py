"""Journal entries without a seat, committed with their changes and messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tprules.api import Report
from tpserver.games.core.game import Game
from tpserver.games.core.turn_reports import delivery, written
from tpserver.games.terms.initiator import OPERATOR, Initiator
from tpserver.games.terms.seat_policy import SeatRecord, stored
from tpserver.store.games.changes import GameChanges


def record(
    game: Game,
    kind: str,
    body: Any,
    columns: Mapping[str, Any],
    reports: Iterable[Report],
    now: float,
    banks: Mapping[int, float | None] | None = None,
    *,
    cause: Initiator = OPERATOR,
    records: Mapping[int, SeatRecord] | None = None,
) -> None:
    """Commit a journal entry without a seat, its changes, and reports.

    The changes are columns of the row, time banks, records of seats, and agreements.
    """
    # During the save of a new turn, the row has its number already. These reports follow that turn's reports.
    delivered = delivery(game, written(game, reports), game.row.turn, now)
    entry = game.entry(kind, None, body, now)
    for seat, record in (records or {}).items():
        game.players[seat].record = record
    changes = GameChanges(
        entry=entry,
        columns=columns,
        banks=banks or {},
        records={seat: stored(record) for seat, record in (records or {}).items()},
        delivery=delivered,
        proposals=cause.proposals,
    )
    game.commit(changes, now)


def plain(text: str) -> str:
    """Return a text without placeholders for names of players."""
    return text.replace("{", "(").replace("}", ")")
