"""Compaction of the journal within a turn.

Players may insert, replace and remove orders any number of times in a turn. When these entries are many more than the
orders in the queues, one entry of kind "queues" replaces them. It has all order queues as they are at that moment.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from tprules.api import Oid, Order, Ruleset, Seat
from tprules.api.ruleset import to_stored_order
from tpserver.fault_points import reached
from tpserver.games.core.game import Game
from tpserver.store.games.changes import CompactedOrders, GameChanges
from tpserver.store.games.journal import QUEUES
from tpserver.store.idempotency import beside
from tpserver.store.tables import encode

Time = tuple[Seat, Oid, int]
"""A seat, an object whose queue has changed in this turn, and the object's modification time in the seat's view."""


def compact_if_due(game: Game, now: float) -> bool:
    """Replace the entries about orders since the newest snapshot by one, if they are many.

    Return whether that was done; it is saved when ``game.saving.when_durable`` says so.

    They are many if they are at least twice the orders in all queues. It is called at each multiple of
    ``game.most_entries``, as counting all orders takes longer than saving one. So there are never more than twice the
    orders plus ``game.most_entries``.
    """
    queues = dict(game.state.queues)  # a shallow copy: the lists are replaced, never changed
    if not game.order_entries or game.order_entries < 2 * sum(len(queue) for queue in queues.values()):
        return False
    stamp, replaced, after = game.state.stamp, game.order_entries, game.snapshot_entry
    times: list[Time] = [
        (seat, on, game.views[seat].time(on)) for on, seat in game.reordered.items() if on in game.views[seat].objects
    ]
    entry = game.entry(QUEUES, None, None, now)
    game.order_entries = 1
    body = partial(_queues_text, game.rules, queues, stamp, times)
    reached("compaction: given")
    with beside():  # the order that triggers this may be refused
        game.commit(GameChanges(compacted=CompactedOrders(entry, body, after, replaced)), now)
    return True


def _queues_text(rules: Ruleset[Any], queues: dict[Oid, list[Order]], stamp: int, times: list[Time]) -> str:
    """Return the JSON body of an entry of kind "queues".

    It runs in the writer's thread, as there may be many orders. It handles one queue at a time, so that other threads
    can run in between.
    """
    rows = (
        encode([on, [to_stored_order(rules, order).dump() for order in queue]]) for on, queue in sorted(queues.items())
    )
    return f'{{"stamp":{stamp},"times":{encode(times)},"queues":[{",".join(rows)}]}}'
