"""Holding games that are not in memory, as loading them would call their rules."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tprules.api import Report
from tprules.api.faults import LONGEST_REASON
from tprules.printable import printable
from tpserver.cluster.node import HeldElsewhere, Node
from tpserver.concurrency import result_now
from tpserver.games.verdicts import Verdict, Verdicts
from tpserver.store import GameStore, Store
from tpserver.store import game_changes as stored_changes
from tpserver.store import games as stored_games
from tpserver.store.games import GameRow

log = Logger()

CAN_BE_HELD = ("waiting", "running", "paused")
"""States in which a game can be held."""


def told(doing: str) -> Report:
    """Return the report to the players of a held game."""
    text = f"The rules failed to {doing}. The operator has been told; all orders are kept."
    return Report(None, "The game is held", text)


def hold_stored(store: GameStore, held: Sequence[tuple[GameRow, str]], doing: str, now: float) -> Deferred[None]:
    """Hold games as ``TurnLifecycle`` does, but in the store only; each has a reason, which only the operator reads.

    ``doing`` completes "failed to".  In a cluster ``store`` is that of the one game that is held.
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
    """Hold the games whose rules ended a server since the last time, or of these ``pending`` verdicts only.

    ``store`` has no reactor.  With ``node`` each is taken before; one that another node holds goes on there, unless
    that was at one of the addresses ``after``, whose processes have ended.  Raises StoreError, and OSError if the
    verdicts cannot be marked as carried out.
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
    """Hold a game that this node can take, and let it go; return False if another one has it."""
    try:
        saves = node.take(held[0].id, after)
    except HeldElsewhere as error:
        log.warn("{game} is not held: {why}", game=held[0].name, why=str(error))
        return False
    result_now(hold_stored(saves, [held], doing, now))
    return True
