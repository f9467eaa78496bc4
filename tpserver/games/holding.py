"""Holding a game that is not in memory, because its rules would have to be asked to bring it there."""

from __future__ import annotations

from sqlalchemy import Connection
from twisted.logger import Logger

from tprules.api import Report
from tprules.api.faults import LONGEST_REASON
from tprules.printable import printable
from tpserver.games.verdicts import Verdicts
from tpserver.store import Store
from tpserver.store import boards as stored_boards
from tpserver.store import games as stored_games
from tpserver.store import journal as stored_journal
from tpserver.store.boards import StoredMessage
from tpserver.store.games import GameRow
from tpserver.store.journal import JournalEntry

log = Logger()

CAN_BE_HELD = ("waiting", "running", "paused")
"""States of a game that goes on."""

THREE_TIMES = "three times in a row the rules of"


def told(doing: str) -> Report:
    """Return what the players of a game read when it is held."""
    text = f"The rules failed to {doing}. The operator has been told; all orders are kept."
    return Report(None, "The game is held", text)


def hold_stored(c: Connection, row: GameRow, reason: str, doing: str, now: float) -> bool:
    """Hold a game as ``TurnLifecycle`` does, in the store alone; return False if it does not go on anyway.

    ``reason`` is for the operator, ``doing`` completes "failed to".
    """
    if row.state not in CAN_BE_HELD:
        return False
    reason = printable(reason, LONGEST_REASON)
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


def carry_out(store: Store, verdicts: Verdicts, now: float) -> None:
    """Hold the games whose rules ended a server since the last time.  ``store`` is one without a reactor.

    Raises StoreError, and OSError where the verdicts cannot be marked as carried out.
    """
    record = verdicts.record
    condemned = record.condemned()
    reasons = {verdict.game: verdict.reason for verdict in record.pending if verdict.game}
    held: list[tuple[GameRow, str]] = []

    def unit(c: Connection) -> None:
        held.clear()
        for row in stored_games.all(c):
            reason = reasons.get(row.id)
            if reason is None and row.ruleset == condemned:
                reason = f"{THREE_TIMES} ruleset {condemned} have ended the server"
            if reason is not None and hold_stored(c, row, reason, "let the server go on", now):
                held.append((row, reason))

    store.write(unit)
    for row, reason in held:
        log.error(
            "{game} is held: {reason}. Nothing is lost. To try again: tpserver game resume {game}",
            game=row.name,
            reason=reason,
        )
    record.pending.clear()
    verdicts.save()
