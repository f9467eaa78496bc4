"""Intake of orders: checks, the change in memory, the journal entry.

The entry is durable before the response.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from twisted.logger import Logger

from tprules.api import Code, Oid, Order, Refusal, Ruleset, Seat, order_checks
from tprules.api.ruleset import to_stored_order
from tpserver.fault_points import reached
from tpserver.games.core import rules_calls
from tpserver.games.core.game import Game
from tpserver.games.core.views import after_marks, after_order, marks_of
from tpserver.games.terms.clock import duration
from tpserver.games.turns import turn_time
from tpserver.games.turns.compaction import compact_if_due
from tpserver.rules.call_limits import TooSlow, why_it_failed
from tpserver.store.games import journal as stored_journal

T = TypeVar("T")
log = Logger()

FAULT = "fault"
"""Code of a refusal because the rules themselves failed."""

MOST_UNFINISHED = 20
"""Maximum times that a seat can remove its finished mark in a turn: each is an entry of the journal."""

PAUSE = 30
"""Seconds for which the rules are not called for a seat, per second of a call that had to be ended."""

MOST_UNSAVED = 100_000
"""Maximum changes that wait to be saved; above it orders are refused until the disk catches up."""


def insertion(
    game: Game, seat: Seat, on: Oid, name: str, args: Mapping[str, Any], slot: int, now: float
) -> order_checks.Change:
    """Return the change of an insertion, for ``make``. Raises Refusal."""
    return _checked(game, now, order_checks.insertion, seat, on, name, args, slot)


def replacement(
    game: Game, seat: Seat, on: Oid, name: str, args: Mapping[str, Any], slot: int, now: float
) -> order_checks.Change:
    """Return the change that replaces the order in a slot, for ``make``. Raises Refusal."""
    return _checked(game, now, order_checks.replacement, seat, on, name, args, slot)


def removal(game: Game, seat: Seat, on: Oid, slot: int, now: float) -> order_checks.Change:
    """Return the change that removes the order in a slot, for ``make``. Raises Refusal."""
    return _checked(game, now, order_checks.removal, seat, on, slot)


def make(game: Game, change: order_checks.Change, now: float) -> None:
    """Apply and journal a change that was just checked; the response waits for ``game.saving.when_durable``."""
    order = change.order
    reached("intake: checked")
    order_checks.apply(game.state, change)
    reached("intake: applied")
    game.reordered[change.on] = order.seat
    game.order_entries += 1
    body: list[Any] = [change.on, change.slot]
    if change.made_by != stored_journal.REMOVE:
        stored = to_stored_order(game.rules, order)
        body = [stored.on, stored.type, dict(stored.args), stored.draft, change.slot]
    game.append(game.entry(change.made_by, order.seat, body, now))
    reached("intake: given")
    show_queue(game, order.seat, change.on, now)


def probe(game: Game, seat: Seat, on: Oid, name: str, args: Mapping[str, Any]) -> Order:
    """Return the order as it would be if the object had no others. Raises Refusal; changes nothing."""
    if not game.started:
        raise not_started(game)
    if game.row.state == "held":
        raise held()
    return run_guarded(game, seat, lambda: order_checks.probe(game.rules, game.state, seat, on, name, args))


def trial(
    game: Game,
    seat: Seat,
    on: Oid,
    name: str,
    args: Mapping[str, Any],
    slot: int,
    check: Callable[..., order_checks.Change],
) -> order_checks.Change:
    """Return the change that ``insertion`` or ``replacement`` would return now. Raises Refusal; changes nothing."""
    check_open(game, seat)
    return run_guarded(game, seat, lambda: check(game.rules, game.state, seat, on, name, args, slot))


def finish(game: Game, seat: Seat, now: float) -> None:
    """Mark a seat as finished with this turn; does nothing if it is marked."""
    if game.started and not game.over and seat not in game.finished:
        used = turn_time.bank_used(game, seat, now)
        game.finished |= {seat}
        if used:
            game.used[seat] = used
        game.append(game.entry("finished", seat, used or None, now))


def unfinish(game: Game, seat: Seat, now: float) -> bool:
    """Remove the finished mark of a seat in this turn; return whether it had one.

    Raises Refusal if the turn is being computed, or after MOST_UNFINISHED times.
    """
    check_open(game)
    if seat not in game.finished:
        return False
    if game.counts.unfinished[seat] >= MOST_UNFINISHED:
        text = f"you have taken this back {MOST_UNFINISHED} times in this turn, the maximum; you can still give orders"
        raise Refusal(text, reason="often")
    game.finished -= {seat}
    game.used.pop(seat, None)
    game.counts.unfinished[seat] += 1
    game.append(game.entry("unfinished", seat, None, now))
    return True


def hint_for(game: Game, seat: Seat) -> str:
    """Return the rules' hint to a seat that finishes its turn now; usually empty."""
    if not game.started or game.over or game.closing or type(game.rules).end_turn_hint is Ruleset.end_turn_hint:
        return ""
    try:
        return run_guarded(game, seat, lambda: game.text(game.rules.end_turn_hint(game.state.plan(seat))))
    except Refusal:
        return ""  # logged already; finishing a turn is never refused


def _checked(game: Game, now: float, check: Callable[..., order_checks.Change], *args: Any) -> order_checks.Change:
    """Return the change that ``check`` allows now. Raises Refusal.

    The journal is compacted before the change, not after it: if that cannot be saved, the change is not saved either.
    """
    check_open(game, args[0])
    if game.order_entries % game.most_entries == 0 and compact_if_due(game, now):
        check_open(game)
    return run_guarded(game, args[0], lambda: check(game.rules, game.state, *args))


def check_open(game: Game, seat: Seat | None = None) -> None:
    """Raise Refusal unless the game accepts orders now, of this seat if one is given."""
    if game.over:
        raise Refusal("the game is over; no more orders are taken", reason="over", code=Code.UNAVAILABLE_PERMANENTLY)
    if game.row.state == "held" or game.fault is not None:
        raise held()
    if not game.started:
        raise not_started(game)
    if seat in game.resigned:
        text = "you have resigned from this game, so you cannot give orders in it"
        raise Refusal(text, reason="resigned", code=Code.PERMISSION_DENIED)
    if game.closing:
        raise Refusal("the turn is being computed; try again in a moment", reason="closing")
    if game.saving.stale:
        raise Refusal("the game could not be saved and is being reloaded", reason="lost")
    if not game.saving.keeps_up(MOST_UNSAVED):
        raise Refusal("the server cannot save orders this fast; try again", reason="busy")


def held() -> Refusal:
    # The exact reason is for the operator only: what the rules failed on may be a player's secret.
    text = "the game is held: its rules failed, and the operator has been notified"
    return Refusal(text, reason="held")


def not_started(game: Game) -> Refusal:
    missing = len(game.open_seats())
    return Refusal(f"the game has not started; it waits for {missing} more players", reason="waiting")


def run_guarded(game: Game, seat: Seat, work: Callable[[], T]) -> T:
    """Return the result of ``work``, which calls the rules for a seat.

    If they fail or take too long, logs it and raises Refusal. If a call had to be ended, the rules are not called for
    this seat for PAUSE times its duration.
    """
    if game.fault is not None:
        raise held()
    begun = game.steady()
    if (left := game.too_slow.get(seat, 0.0) - begun) > 0:
        text = f"the rules took too long for your last request; try again in {duration(math.ceil(left))}"
        raise Refusal(text, reason=FAULT)
    try:
        return rules_calls.ask(game, work, "look at an order")
    except Refusal as refusal:
        raise Refusal(game.text(refusal.text), refusal.param, reason=refusal.reason, code=refusal.code) from None
    except TooSlow as error:
        now = game.steady()
        game.too_slow[seat] = now + PAUSE * (now - begun)
        log.error("{game}: ruleset {rules} was too slow to look at an order: {why}",
                  game=game.name, rules=game.rules.name, why=why_it_failed(error))  # fmt: skip
        text = "the rules took too long to judge this order; the operator has been notified"
        raise Refusal(text, reason=FAULT) from None
    except Exception:
        log.failure("{game}: ruleset {rules} failed while it checked an order", game=game.name, rules=game.rules.name)
        text = "the rules failed on this order; the operator has been notified"
        raise Refusal(text, reason=FAULT) from None


def show_queue(game: Game, seat: Seat, on: Oid, now: float) -> None:
    """Update the seat's own view after a change of a queue; other views do not show it."""
    view = game.views.get(seat)
    if view is not None:
        was = after_order(view, on, game.state.queues.get(on, ()), int(now))
        if was is not None:
            game.past[seat].changed(was)
        if type(game.rules).marks is not Ruleset.marks:
            with suppress(Refusal):  # logged already; the order is valid, and marks are only information
                after_marks(view, run_guarded(game, seat, lambda: marks_of(game.rules, game.state, seat)), int(now))
