"""Reasons to close a turn now, or to start its deadline, from the state of a game.

Changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from tprules.api import Order
from tprules.api.ruleset import find_phase
from tpserver.games.core import attendance, phases
from tpserver.games.core.game import Game
from tpserver.games.core.time_left import ALL_FINISHED, END_OF_TURN, Reason


def reason_to_close(game: Game, now: float) -> Reason | None:
    """Return why the turn of a running game should be closed now, or None."""
    if game.row.deadline is not None and game.row.deadline <= now:
        return END_OF_TURN
    all_are_done = phases.active(game) and all_are_finished(game, now)
    # An insertion assigns new stamps to the whole queue. So the new stamp may be on another order of it.
    changed = (queue for queue in game.state.queues.values() if queue[-1].stamp > game.first_stamp)
    return ALL_FINISHED if all_are_done or closes_phase(game, chain.from_iterable(changed)) else None


def all_are_finished(game: Game, now: float) -> bool:
    """Return whether a running game awaits no seat, and its turn closes then."""
    if attendance.awaited(game):
        return False
    if attendance.nobody_plays(game) and game.row.due is not None:
        return game.row.due <= now
    return game.turn_clock.closes_when_all_are_done(game.row.due, now)


def closes_phase(game: Game, orders: Iterable[Order]) -> bool:
    """Return whether the phase closes after each order of an active seat, and ``orders`` contain one."""
    phase = find_phase(game.rules, game.state.phase)
    if phase.ends_after != "each":
        return False
    active, runs = phases.active(game), {kind.name for kind in phase.orders}
    return any(order.type in runs and not order.draft and order.seat in active for order in orders)


def due_of_threshold(game: Game, now: float) -> float | None:
    """Return when the turn of a running game is due if a ``threshold`` clock starts now, or None."""
    if game.row.deadline is not None:
        return None
    expected = attendance.waited_for(game, phases.active(game))
    return game.turn_clock.due_after_mark(len(expected) - len(attendance.awaited(game)), len(expected), now)
