"""Queue lengths of the shipped games: as described, and enforced."""

from __future__ import annotations

import pytest

from tests.support.server_in_memory import Server
from tpproto import tp_pb2 as tp

SLOTS = {
    "tae": {"Fleet": 1, "Planet": 1},
    "antshouse": {"Kid": 1, "Ant": 1},
    "swarm": {"Swarm": 6},
    "colony_battle": {"Colony": 16, "Queen": 16},
    "taller_ants": {"Brood": 1},
}
"""Objects with queues at the opening of a game, and the queue lengths on its rule page."""


@pytest.mark.parametrize("game", SLOTS)
def test_queues_tell_their_true_length(server: Server, game: str):
    """As the pages of the games have it (section 4 or 7), in the OrderQueue frame."""
    server.create("queues", game, 2, clock="all-done")
    ann, _ = server.players(2, "tp04")
    objects = {thing.id: thing for thing in ann.objects(*ann.ids())}
    ids = [oid for oid in ann.ids("get_order_queue_ids") if oid]  # queue 0 stands for none
    told: dict[str, set[int]] = {}
    for queue in ann.ask("get_order_queue", ids=ids).things:
        (desc,) = ann.ask("get_object_desc", ids=[objects[queue.id].otype]).things
        told.setdefault(desc.name, set()).add(queue.max_slots)
    assert told == {name: {slots} for name, slots in SLOTS[game].items()}


def test_the_seventeenth_order_of_a_unit_is_refused(server: Server):
    """Colony Battle, page, 4: the queue says 16, holds 16, and a sentence says so."""
    server.create("queues", "colony_battle", 2, clock="all-done")
    ann, _ = server.players(2, "tp04")
    queues = ann.ids("get_order_queue_ids")
    (queen,) = [thing.id for thing in ann.objects(*ann.ids()) if thing.name == "Queen" and thing.id in queues]
    wait = tp.OrderParameter(time=tp.OrderTime(turns=1))
    for _ in range(16):
        assert ann.insert(queen, 0, wait).name == "order"
    full = ann.insert(queen, 0, wait)
    assert (full.code, full.text) == (3, "This queue holds at most 16 orders.")
