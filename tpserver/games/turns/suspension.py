"""Suspension of games whose rules failed.

A game is suspended in memory, or only in the store if loading it would call its rules.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tprules.api import Report
from tprules.api.faults import LONGEST_REASON
from tprules.printable import printable
from tpserver.bus import Bus
from tpserver.cluster.node import HeldElsewhere, Node
from tpserver.concurrency import failure_of, result_now
from tpserver.events import EVENTS
from tpserver.games.core import time_notices
from tpserver.games.core.crash_record import Verdict, Verdicts
from tpserver.games.core.events import GameSuspended
from tpserver.games.core.game import Game
from tpserver.games.core.recording import record
from tpserver.games.core.time_left import WARNING
from tpserver.games.turns.clock_service import ClockService
from tpserver.rules.call_limits import why_it_failed
from tpserver.store import GameStore, Store
from tpserver.store.games import changes as stored_changes
from tpserver.store.games import rows as stored_games
from tpserver.store.games.rows import GameRow
from tpserver.store.idempotency import beside

log = Logger()

CAN_BE_HELD = ("waiting", "running", "paused")
"""States in which a game can be suspended."""


def told(doing: str) -> Report:
    """Return the report to the players of a suspended game."""
    text = f"The rules failed to {doing}. The operator has been notified; all orders are kept."
    return Report(None, "The game is held", text)


class SuspensionService:
    """Suspends games in memory. Used on the reactor's thread."""

    def __init__(self, clocks: ClockService, bus: Bus) -> None:
        self._clocks = clocks
        self._bus = bus

    def broke(self, game: Game, error: Exception, doing: str) -> None:
        """Suspend a game whose rules must not be called again, after a turn that is being computed."""
        if not game.closing and not game.saving.stale and not self._clocks.stopped and game.row.state in CAN_BE_HELD:
            self.suspend(game, error, doing)

    def suspend_if_broken(self, game: Game) -> None:
        """Suspend a game whose rules failed during a closing or a resumption."""
        if game.fault is not None:
            self.broke(game, *game.fault)

    def suspend(self, game: Game, error: Exception, doing: str) -> None:
        """Suspend a game in its current state, as its ruleset raised or ran too long."""
        reason = why_it_failed(error)
        EVENTS.holds += 1
        log.failure(
            "{game} is held: ruleset {rules} failed to {doing}; nothing of it was kept. To look into it: "
            "tpserver replay {game}. To try again: tpserver game resume {game}",
            failure=failure_of(error),
            game=game.name,
            rules=game.rules.name,
            doing=doing,
        )
        now = self._clocks.now()
        columns = {"state": "held", "held_reason": reason, "deadline": None, "due": None}
        with beside():  # the request during which the rules failed is refused
            record(game, "hold", {"reason": reason}, columns, [told(doing)], now)
            game.closing = False
            game.saving.after_saving(lambda: self._bus.publish(GameSuspended(game, reason)))
        time_notices.tell_time(game, WARNING, now)


def hold_stored(store: GameStore, held: Sequence[tuple[GameRow, str]], doing: str, now: float) -> Deferred[None]:
    """Suspend games as `SuspensionService` does, but only in the store.

    Each has a reason that only the operator sees. ``doing`` completes "failed to". In a cluster ``store`` is that of
    the one suspended game.
    """
    report = told(doing)
    reasons = [(row, printable(reason, LONGEST_REASON)) for row, reason in held]
    return store.write(stored_changes.hold, reasons, report.subject, report.body, now)


def carry_out(
    store: Store,
    verdicts: Verdicts,
    now: float,
    node: Node | None = None,
    pending: Sequence[Verdict] | None = None,
    after: Collection[str] = (),
) -> None:
    """Suspend the games whose rules ended a server since the last time.

    With ``pending`` it uses only those verdicts. ``store`` has no reactor. With ``node`` each game is taken first. A
    game of another node continues there, unless that node was at one of the addresses ``after``, whose processes have
    ended. Raises StoreError, and OSError if the verdicts cannot be marked as carried out.
    """
    done = list(verdicts.pending if pending is None else pending)
    condemned = verdicts.condemned()
    reasons = {verdict.game: verdict.reason for verdict in done if verdict.game}
    held: list[tuple[GameRow, str]] = []
    for row in store.read(stored_games.all):
        reason = reasons.get(row.id)
        if reason is None and row.ruleset == condemned:
            reason = f"three times in a row the rules of ruleset {condemned} have ended the server"
        if reason is not None and row.state in CAN_BE_HELD:
            held.append((row, reason))
    doing = "let the server go on"
    if node is None:
        result_now(hold_stored(store, held, doing, now))
    else:
        held = [one for one in held if _hold_here(node, one, doing, now, after)]
    for row, reason in held:
        log.error(
            "{game} is held: {reason}. Nothing is lost. To try again: tpserver game resume {game}",
            game=row.name,
            reason=reason,
        )
    verdicts.carried_out(done)


def _hold_here(node: Node, held: tuple[GameRow, str], doing: str, now: float, after: Collection[str]) -> bool:
    """Suspend a game that this node can take, and release it; return False if another node has it."""
    try:
        saves = node.take(held[0].id, after)
    except HeldElsewhere as error:
        log.warn("{game} is not held: {why}", game=held[0].name, why=str(error))
        return False
    result_now(hold_stored(saves, [held], doing, now))
    return True
