"""Keeping the journal of a turn short.

Within a turn orders may be inserted, replaced and removed without end.  When their entries are many more than the
orders that are left of them, one entry of kind "queues" takes their place: all order queues as they are at that moment.
"""

from __future__ import annotations

from typing import Any

from tprules.api import Oid, Order, Ruleset, Seat
from tpserver.games.game import Game
from tpserver.store.documents import encode
from tpserver.store.game_changes import CompactedOrders, GameChanges
from tpserver.store.journal import QUEUES

Time = tuple[Seat, Oid, int]
"""A seat, an object whose queue has changed in this turn, and its modification time as the seat sees it."""


def compact_if_due(game: Game, now: float) -> bool:
    """Put one entry in the place of all about orders since the newest snapshot, if they are many for what is left.

    Return whether that was done; it is saved when ``game.when_durable`` says so.

    Many: at least ``game.most_entries``, and twice the orders in all queues.  So there are never more than that, and
    ``game.most_entries`` in addition.
    """
    if not game.order_entries or game.order_entries % game.most_entries:
        return False  # to count the orders costs more than an order
    queues = dict(game.state.queues)  # its lists are never changed, only replaced
    if game.order_entries < 2 * sum(len(queue) for queue in queues.values()):
        return False
    stamp, replaced, after = game.state.stamp, game.order_entries, game.snapshot_entry
    times: list[Time] = [
        (seat, on, game.views[seat].times[on]) for on, seat in game.reordered.items() if on in game.views[seat].times
    ]
    entry = game.entry(QUEUES, None, None, now)
    game.order_entries = 1

    def body() -> str:
        # In the writer's thread, for there may be many orders; one queue at a time, so that others get their turn.
        return _queues_text(game.rules, queues, stamp, times)

    game.commit(GameChanges(compacted=CompactedOrders(entry, body, after, replaced)), now)
    return True


def _queues_text(rules: Ruleset[Any], queues: dict[Oid, list[Order]], stamp: int, times: list[Time]) -> str:
    """Return the body of an entry of kind queues as JSON."""
    rows = (encode([on, [rules.stored(order).dump() for order in queue]]) for on, queue in sorted(queues.items()))
    return f'{{"stamp":{stamp},"times":{encode(times)},"queues":[{",".join(rows)}]}}'
