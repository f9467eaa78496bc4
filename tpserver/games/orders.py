"""Taking orders: the checks, the change in memory, and the journal row that must be durable before anybody is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from twisted.logger import Logger

from tprules.api import Code, Oid, Order, Refusal, Ruleset, Seat
from tprules.api import intake as rules_intake
from tpserver.games.compaction import compact_if_due
from tpserver.games.game import Game
from tpserver.games.projection import after_marks, after_order, marks_of
from tpserver.rules.reasons import why_it_failed
from tpserver.rules.sandbox import TooSlow
from tpserver.store import Store

T = TypeVar("T")
log = Logger()

Describe = Callable[[rules_intake.Change], object]
"""Makes the answer to a change."""

FAULT = "fault"
"""Why an order is refused on which the rules themselves failed."""

MOST_UNSAVED = 100_000
"""Changes on their way to the store; with more, the disk does not keep up and orders are refused for a while."""


def insert(
    store: Store,
    game: Game,
    seat: Seat,
    on: Oid,
    name: str,
    args: Mapping[str, Any],
    slot: int,
    now: float,
    describe: Describe | None = None,
) -> rules_intake.Change:
    """Insert an order, or raise a Refusal.  The answer may leave when ``game.when_durable`` says so.

    ``describe`` makes the answer once the order is in its queue; if it raises, the order is taken out again.
    """
    _begin(store, game, now)
    change = run_guarded(game, lambda: rules_intake.insertion(game.rules, game.state, seat, on, name, args, slot))
    _make(store, game, change, "insert", seat, _written(game, change), now, describe)
    return change


def replace(
    store: Store,
    game: Game,
    seat: Seat,
    on: Oid,
    name: str,
    args: Mapping[str, Any],
    slot: int,
    now: float,
    describe: Describe | None = None,
) -> rules_intake.Change:
    """Put an order in the place of that in a slot, or raise a Refusal; then that one stays.  Else as ``insert``."""
    _begin(store, game, now)
    change = run_guarded(game, lambda: rules_intake.replacement(game.rules, game.state, seat, on, name, args, slot))
    _make(store, game, change, "replace", seat, _written(game, change), now, describe)
    return change


def _written(game: Game, change: rules_intake.Change) -> list[Any]:
    """Return the order that was put in, and where, as the journal has it."""
    order = game.rules.stored(change.order)
    return [order.on, order.type, dict(order.args), order.draft, change.slot]


def remove(store: Store, game: Game, seat: Seat, on: Oid, slot: int, now: float) -> rules_intake.Change:
    """Remove the order in a slot, or raise a Refusal."""
    _begin(store, game, now)
    change = run_guarded(game, lambda: rules_intake.removal(game.rules, game.state, seat, on, slot))
    _make(store, game, change, "remove", seat, [on, change.slot], now)
    return change


def probe(game: Game, seat: Seat, on: Oid, name: str, args: Mapping[str, Any]) -> Order:
    """Return the order as it would be if the object had none, or raise a Refusal; nothing changes."""
    if not game.started:
        raise not_started(game)
    if game.row.state == "held":
        raise held()
    return run_guarded(game, lambda: rules_intake.probe(game.rules, game.state, seat, on, name, args))


def finish(store: Store, game: Game, seat: Seat, now: float) -> None:
    """Mark a seat as done with this turn; to say it again changes nothing."""
    if game.started and not game.over and seat not in game.finished:
        game.finished.add(seat)
        game.saving(store.append(game.entry("finished", seat, None, now)))


def hint_for(game: Game, seat: Seat) -> str:
    """Return what the rules have to say to a seat that is done with its turn now, usually nothing."""
    if not game.started or game.over or game.closing or type(game.rules).unfinished is Ruleset.unfinished:
        return ""
    try:
        return run_guarded(game, lambda: game.text(game.rules.unfinished(game.state.plan(seat))))
    except Refusal:
        return ""  # it is logged, and to be done with a turn is never refused


def _begin(store: Store, game: Game, now: float) -> None:
    """Get ready for a change, or raise a Refusal.

    The journal is made shorter before the change and not after it: if that cannot be saved, the change is not either.
    """
    open_for_orders(store, game)
    if compact_if_due(store, game, now):
        open_for_orders(store, game)


def open_for_orders(store: Store, game: Game) -> None:
    """Raise a Refusal unless the game takes orders in this moment."""
    if game.over:
        raise Refusal(Code.UNAVAILABLE_PERMANENTLY, "over", "the game is over; no more orders are taken")
    if game.row.state == "held" or game.fault is not None:
        raise held()
    if not game.started:
        raise not_started(game)
    if game.closing:
        raise Refusal(Code.UNAVAILABLE_TEMPORARILY, "closing", "the turn is being computed; try again in a moment")
    if game.stale:
        raise Refusal(Code.UNAVAILABLE_TEMPORARILY, "lost", "the game could not be saved and is being reloaded")
    if store.pending > MOST_UNSAVED:
        raise Refusal(Code.UNAVAILABLE_TEMPORARILY, "busy", "the server cannot save orders this fast; try again")


def held() -> Refusal:
    # Why exactly is for the operator: what the rules choked on may be a player's secret.
    text = "the game is held: its rules failed, and the operator has been told"
    return Refusal(Code.UNAVAILABLE_TEMPORARILY, "held", text)


def not_started(game: Game) -> Refusal:
    missing = len(game.open_seats())
    return Refusal(
        Code.UNAVAILABLE_TEMPORARILY, "waiting", f"the game has not started; it waits for {missing} more players"
    )


def run_guarded(game: Game, work: Callable[[], T]) -> T:
    """Return what the rules answer; a ruleset that breaks or takes too long gives a Refusal, and is written down."""
    if game.fault is not None:
        raise held()
    try:
        return game.ask(work, "look at an order")
    except Refusal as refusal:
        raise Refusal(refusal.code, refusal.reason, game.text(refusal.text), refusal.param) from None
    except TooSlow as error:
        log.error("{game}: ruleset {rules} was too slow to look at an order: {why}",
                  game=game.name, rules=game.rules.name, why=why_it_failed(error))  # fmt: skip
        text = "the rules took too long to judge this order; the operator has been told"
        raise Refusal(Code.UNAVAILABLE_TEMPORARILY, FAULT, text) from None
    except Exception:
        log.failure("{game}: ruleset {rules} failed while it checked an order", game=game.name, rules=game.rules.name)
        text = "the rules failed on this order; the operator has been told"
        raise Refusal(Code.UNAVAILABLE_TEMPORARILY, FAULT, text) from None


def _make(
    store: Store,
    game: Game,
    change: rules_intake.Change,
    kind: str,
    seat: Seat,
    body: list[Any],
    now: float,
    describe: Describe | None = None,
) -> None:
    state = game.state
    queue, stamp = state.queues.get(change.on), state.stamp
    rules_intake.apply(state, change)
    if describe is not None:
        try:
            describe(change)
        except BaseException:
            state.stamp = stamp
            state.planned.pop(seat, None)
            if queue is None:
                state.queues.pop(change.on, None)
            else:
                state.queues[change.on] = queue
            raise
    show_queue(game, seat, change.on, now)
    game.reordered[change.on] = seat
    game.order_entries += 1
    game.saving(store.append(game.entry(kind, seat, body, now)))


def show_queue(game: Game, seat: Seat, on: Oid, now: float) -> None:
    """Bring the seat's own view up to date with a queue; nobody else's view knows of it."""
    view = game.views.get(seat)
    if view is not None:
        was = after_order(view, on, game.state.queues.get(on, ()), int(now))
        if was is not None:
            game.past_of(seat).changed(was)
        if type(game.rules).marks is not Ruleset.marks:
            with suppress(Refusal):  # it is logged; the order is good, and what it adds is for information only
                after_marks(view, run_guarded(game, lambda: marks_of(game.rules, game.state, seat)), int(now))
