"""A game stored before an order parameter was renamed.

It loads, shows the new name, and goes on. An old server, which still called the parameter of NoOp `turns`, left the
database `colony_battle_before_renaming.sqlite.gz`. In it, ann and ben have waited in two turns (in the snapshot). Ben
gave another order after that (in the journal).
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.support.server_in_memory import Server
from tpproto import tp_pb2 as tp
from tprules.api.advance import dump_state, load_state
from tprules.colony_battle.orders import DURATION
from tpserver.store.games import journal as stored_journal

NOOP = 0
ANNS, BENS = 1337, 1338
"""The queens."""


@pytest.fixture
def old(open_stored: Callable[[str], Server]) -> Server:
    return open_stored("colony_battle_before_renaming.sqlite.gz")


def waits(server: Server, on: int) -> list[int]:
    """Return for how long each order in a queue waits, by its present name."""
    return [order.args[DURATION] for order in server.game("old").state.queues[on]]


def test_orders_of_snapshot_and_journal_have_their_new_names(old: Server):
    assert (waits(old, ANNS), waits(old, BENS)) == ([3, 2], [2, 7])
    ann = old.player("ann", "tp04", "old")
    assert [order.parameters[0].time.turns for order in ann.queue(ANNS)] == [3, 2]
    (described,) = ann.ask("get_order_desc", ids=[NOOP]).things
    assert [parameter.name for parameter in described.parameters] == [DURATION] == ["duration"]


def test_the_game_goes_on_and_stores_what_it_always_stored(old: Server):
    """Digests are of what is stored, so that a game played again comes out as it did."""
    ann = old.player("ann", "tp04", "old")
    assert ann.insert(ANNS, NOOP, tp.OrderParameter(time=tp.OrderTime(turns=5)), slot=0).name == "order"
    game = old.game("old")
    entries = old.store.read(lambda connection: stored_journal.after(connection, game.row.id, 0))
    assert [entry.body[2] for entry in entries if entry.kind == "insert"][-1] == {"turns": 5}
    old.close_turn("old")
    state = old.game("old").state
    again = json.loads(json.dumps(dump_state(game.rules, state)))
    assert all("turns" in order[3] for _, queue in again["queues"] for order in queue)
    assert load_state(game.rules, again).queues == state.queues
    before = (waits(old, ANNS), waits(old, BENS))
    assert len(before[0]) == 3
    later = old.restarted()
    assert (waits(later, ANNS), waits(later, BENS)) == before
    later.stop()
