"""Holding a game that is not in memory, because its rules would have to be asked to bring it there."""

from __future__ import annotations

from sqlalchemy import Connection

from tprules.api import Report
from tpserver.store import boards as stored_boards
from tpserver.store import games as stored_games
from tpserver.store import journal as stored_journal
from tpserver.store.boards import StoredMessage
from tpserver.store.games import GameRow
from tpserver.store.journal import JournalEntry

CAN_BE_HELD = ("waiting", "running", "paused")
"""States of a game that goes on."""


def told(doing: str) -> Report:
    """Return what the players of a game read when it is held."""
    text = f"The rules failed to {doing}. The operator has been told; all orders are kept."
    return Report(None, "The game is held", text)


def hold_stored(c: Connection, row: GameRow, reason: str, doing: str, now: float) -> bool:
    """Hold a game as ``Turns`` does, in the store alone; return False if it does not go on anyway.

    ``reason`` is for the operator, ``doing`` completes "failed to".
    """
    if row.state not in CAN_BE_HELD:
        return False
    number = stored_journal.last_number(c, row.id) + 1
    stored_journal.append(c, JournalEntry(row.id, number, row.turn, now, None, "hold", {"reason": reason}))
    stored_games.update(c, row.id, state="held", held_reason=reason, deadline=None)
    last, report = stored_boards.last_numbers(c, row.id), told(doing)
    stored_boards.post_all(
        c,
        [
            StoredMessage(
                game=row.id,
                board=seat.seat + 1,
                number=last.get(seat.seat + 1, 0) + 1,
                turn=row.turn,
                at=now,
                sender=None,
                subject=report.subject,
                body=report.body,
                references=[],
            )
            for seat in stored_games.seats(c, row.id)
        ],
    )
    return True
