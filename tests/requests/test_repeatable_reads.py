"""Repeatable reads: what was listed can be read once as it was (wire.md).

The game is about mayflies. In each round the fly of every player, which takes orders, is replaced by another.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from tests.requests.odd_rulesets import ODD, fly
from tests.support.server_in_memory import BID, Client, Server, chosen, number, target, text
from tpproto.frames import BY_NAME
from tpserver.games.core import old_views
from tpserver.games.core.old_views import LISTED_SECONDS, MOST_OLD_VIEWS
from tpserver.games.hall.last_seen import SAVE_SECONDS
from tpserver.requests.dispatch import REQUESTS
from tpserver.requests.session import repeatable_reads
from tpserver.requests.session.repeatable_reads import SWEEP_SECONDS

NO_SUCH_THING, DENIED, GONE = 4, 5, 6
DESCRIBED = ("tp04", "json")
"""Dialects that have order queues."""


@pytest.fixture
def flies(make_server: Callable[..., Server]) -> Server:
    server = make_server(found=ODD)
    server.create("first", "mayflies", 2, clock="manual", options={"rounds": 1000})
    return server


def is_fail(thing: Any) -> bool:
    return bool(thing.DESCRIPTOR.name == "Fail")


def fetched(client: Client, ids: list[int], size: int = 2) -> dict[int, Any]:
    """Fetch objects in several requests, none of which may be refused."""
    things = [thing for at in range(0, len(ids), size) for thing in client.objects(*ids[at : at + size])]
    assert not [thing for thing in things if is_fail(thing)]
    return {thing.id: thing for thing in things}


def check_whole(things: dict[int, Any], classic: bool) -> None:
    """Everything that is named is there."""
    for oid, thing in things.items():
        assert set(thing.contains) <= things.keys(), f"object {oid} contains what was not listed"
        if not classic:
            assert thing.parent in things


def turn_of(root: Any) -> int:
    return int(root.universe.age if hasattr(root, "universe") else root.parameters[3].integer.value)


def bid_on(client: Client, on: int, gold: int) -> None:
    assert client.insert(on, BID, number(gold), text("")).name in ("okay", "order")


def gold_of(order: Any) -> int:
    return int(order.parameters[0].range.value)


# --- objects ----------------------------------------------------------------------------------------------------------


def test_a_download_across_turns_is_of_one_picture(flies: Server, dialect: str) -> None:
    """Between all requests turns end: nothing fails, nothing newborn is named, and times are those of the list."""
    ann, _ = flies.players(2, dialect)
    listed = ann.ids()
    things: dict[int, Any] = {}
    for oid in listed:
        flies.close_turn()
        things |= fetched(ann, [oid])
    check_whole(things, ann.classic)
    assert {oid: thing.modtime for oid, thing in things.items()} == listed
    assert fly(0, 0) in things
    assert turn_of(things[0]) == 0


def test_what_is_fetched_again_is_as_it_is_now(flies: Server, dialect: str) -> None:
    """Also within one request, and whether or not it was encoded before."""
    ann, _ = flies.players(2, dialect)
    for encoded_before in (False, True):
        listed = list(ann.ids())
        mine = next(oid for oid in listed if oid >= fly(0, 0))
        if encoded_before:
            ann.server.player("ann", dialect).objects(*listed)
        turn = flies.game().state.turn
        flies.close_turn()
        root, again = ann.objects(0, 0)
        assert (turn_of(root), turn_of(again)) == (turn, turn + 1)
        first, second = ann.objects(mine, mine)
        assert first.id == mine
        assert second.code == (NO_SUCH_THING if ann.classic else GONE)
        assert ann.object(mine).code == second.code


def test_known_ids_that_were_not_listed_again_are_the_present(flies: Server, dialect: str) -> None:
    """A bot that downloads once and reads its own objects again each turn."""
    ann, _ = flies.players(2, dialect)
    fetched(ann, list(ann.ids()), 100)
    for turn in range(1, 4):
        flies.close_turn()
        assert turn_of(ann.object(0)) == turn
        assert ann.object(fly(turn, 0)).id == fly(turn, 0), "newborn, and never listed"


@pytest.mark.parametrize("seconds", [LISTED_SECONDS, LISTED_SECONDS + 1])
def test_it_is_kept_for_a_minute(flies: Server, dialect: str, seconds: float) -> None:
    ann, _ = flies.players(2, dialect)
    ann.ids()
    flies.close_turn()
    flies.pass_time(seconds)
    thing = ann.object(fly(0, 0))
    assert is_fail(thing) == (seconds > LISTED_SECONDS)
    assert turn_of(ann.object(0)) == (1 if seconds > LISTED_SECONDS else 0)


def test_a_clock_that_is_set_back_keeps_nothing_for_longer(flies: Server) -> None:
    ann, _ = flies.players(2)
    ann.ids()
    flies.close_turn()
    flies.registry.now = lambda: 1000.0
    assert is_fail(ann.object(fly(0, 0)))


def test_lists_by_container_and_by_position_count_too(flies: Server, dialect: str) -> None:
    """Each list adds to the others; a container that was listed can be looked into when it is gone."""
    ann, _ = flies.players(2, dialect)
    near = ann.ask("get_object_ids_by_pos", pos={"x": 0, "y": 1, "z": 0}, r=1).message
    assert {pair.id for pair in near.ids} >= {2, fly(0, 0)}
    flies.close_turn()
    inside = ann.ask("get_object_ids_by_container", id=3).message
    assert [pair.id for pair in inside.ids] == [fly(1, 1)]
    flies.close_turn()
    assert not ann.ask("get_object_ids_by_container", id=fly(0, 0)).message.ids
    first, second = ann.objects(fly(0, 0), fly(1, 1))
    assert (first.id, second.id) == (fly(0, 0), fly(1, 1))
    assert ann.ask("get_object_ids_by_container", id=fly(0, 0)).code in (NO_SUCH_THING, GONE)


def test_a_list_of_changes_adds_to_the_list_before(flies: Server) -> None:
    """Objects in the new list have their newer state, or are gone. All others have the older one."""
    ann, _ = flies.players(2)
    latest = ann.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=-1).message.fromtime
    flies.close_turn()
    changes = ann.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=latest).message
    assert {pair.id for pair in changes.ids} == {0, 2, 3, fly(0, 0), fly(0, 1), fly(1, 0), fly(1, 1)}
    flies.close_turn()
    assert turn_of(ann.object(0)) == 1
    assert ann.object(1).name == "The House"
    assert ann.object(fly(0, 0)).code == GONE
    assert ann.object(fly(1, 0)).id == fly(1, 0)


def test_a_list_that_is_paged_through_later_is_of_the_turn_in_which_it_was_begun(flies: Server, dialect: str) -> None:
    ann, _ = flies.players(2, dialect)
    begun = ann.ask("get_object_ids", key=-1, start=0, amount=0, fromtime=-1).message
    flies.close_turn()
    rest = ann.ask("get_object_ids", key=begun.key, start=0, amount=-1, fromtime=-1).message
    check_whole(fetched(ann, [pair.id for pair in rest.ids]), ann.classic)


def test_what_one_changes_oneself_is_as_it_is_now(flies: Server, dialect: str) -> None:
    """An order that is refused changes nothing, in what was listed either."""
    ann, _ = flies.players(2, dialect)
    ann.ids()
    flies.close_turn()
    assert ann.insert(fly(0, 0), BID, number(1), text("")).name == "fail"
    assert ann.insert(3, BID, number(1), text("")).name == "fail"
    bid_on(ann, 2, 1)
    assert ann.object(2).modtime == flies.game().views[0].time(2)
    assert list(ann.object(2).contains) == [fly(1, 0)], "the present"
    assert ann.object(fly(0, 0)).id == fly(0, 0)
    assert list(ann.object(3).contains) == [fly(0, 1)], "as it was listed"


def test_a_spectator_reads_as_players_do(flies: Server, dialect: str) -> None:
    flies.players(2)
    eve = flies.connect(dialect)
    assert eve.ask("login", username="eve@first/watch", password="word").name == "okay"
    listed = list(eve.ids())
    flies.close_turn()
    check_whole(fetched(eve, listed), eve.classic)
    assert is_fail(eve.object(fly(0, 0)))


def test_a_game_that_starts_meanwhile(make_server: Callable[..., Server], dialect: str) -> None:
    """The root of the waiting game was listed, so it is read once as it was: empty. The next read shows the present."""
    server = make_server(found=ODD)
    server.create("first", "mayflies", 2)
    ann = server.player("ann", dialect)
    assert list(ann.ids()) == [0]
    server.player("ben", dialect)
    root, again = ann.object(0), ann.object(0)
    assert list(root.contains) == []
    assert list(again.contains) == [1]


@pytest.mark.parametrize(
    "what", ["player", "resource", "category", "design", "component", "property", "order_desc", "object_desc"]
)
def test_what_else_is_listed_is_there(make_server: Callable[..., Server], dialect: str, what: str) -> None:
    """While players join, the game starts, and turns end: none of these ever goes."""
    server = make_server(found=ODD)
    server.create("first", "mayflies", 3, clock="manual")
    ann = server.player("ann", dialect)
    fetch = "get_player" if what == "player" else f"get_{what}"
    if not ann.knows(fetch):
        return
    listing = f"{fetch}_ids"
    before = list(ann.ids(listing)) if ann.knows(listing) else [1]
    for happens in (lambda: server.player("ben"), lambda: server.player("cem"), server.close_turn):
        happens()
        things = ann.ask(fetch, ids=before).things if before else []
        assert [thing.id for thing in things] == before


@pytest.mark.parametrize("dialect", ["tp03", "tp04"])
def test_a_download_across_turns_is_not_decoded_where_all_is_encoded(
    flies: Server, dialect: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reads of only the present or only a listed view are fast. Only a mixture of both is decoded."""
    ann, _ = flies.players(2, dialect)
    bid_on(ann, ann.home, 1)
    listed = list(ann.ids())
    flies.player("ann", dialect).objects(*listed)
    flies.close_turn()
    counted: list[int] = []
    number = BY_NAME["get_objects_by_id"].number
    long_way = REQUESTS[number].handle

    def counting(session: Any, message: Any) -> Any:
        counted.append(len(message.ids))
        return long_way(session, message)

    monkeypatch.setattr(flies.host, "requests", {**REQUESTS, number: REQUESTS[number]._replace(handle=counting)})
    fetched(ann, listed[:-2])
    assert counted == []
    assert (ann.ask("get_order", id=ann.home, slots=[0]).name == "order") == ann.classic, "told by the object"
    ann.objects(0, *listed[-2:])
    assert counted == [3]
    ann.objects(0)
    ann.objects(0)
    assert counted == [3]


# --- orders -----------------------------------------------------------------------------------------------------------


def told_length(client: Client, on: int) -> int:
    """Have the client get the length of a queue, in the way of its dialect."""
    if client.classic:
        return int(client.object(on).orders)
    return int(client.ask("get_order_queue", ids=[on]).message.num_orders)


@pytest.mark.parametrize("home", [True, False])
def test_slots_that_were_told_of_can_be_read_when_the_turn_has_ended(flies: Server, dialect: str, home: bool) -> None:
    """Once each, whether or not the object that carries the queue is still there."""
    ann, _ = flies.players(2, dialect)
    on = ann.home if home else fly(0, 0)
    bid_on(ann, on, 4)
    gift = ann.insert(on, 2, target(3), chosen((1, 2)))
    assert gift.name in ("okay", "order")
    assert told_length(ann, on) == 2
    flies.close_turn()
    assert [refused.code for refused in ann.ask("get_order", id=on, slots=[7, 8]).things] == [NO_SUCH_THING] * 2
    for slot in (1, 0):
        order = ann.ask("get_order", id=on, slots=[slot]).message
        assert (order.slot, order.otype) == (slot, 1 + slot)
        if slot:
            assert [(one.id, one.number) for one in order.parameters[1].list.selection] == [(1, 2)]
            assert [one.id for one in order.parameters[1].list.possible_selections] == [1]
        else:
            assert gold_of(order) == 4
    assert ann.ask("get_order", id=on, slots=[0]).code in (NO_SUCH_THING, GONE)


@pytest.mark.parametrize("seconds", [SWEEP_SECONDS, LISTED_SECONDS, LISTED_SECONDS + 1])
def test_slots_that_were_told_of_are_kept_for_a_minute(flies: Server, dialect: str, seconds: float) -> None:
    """Through all the times at which what is too old is thrown away."""
    ann, _ = flies.players(2, dialect)
    bid_on(ann, ann.home, 4)
    assert told_length(ann, ann.home) == 1
    flies.close_turn()
    flies.pass_time(seconds)
    answer = ann.ask("get_order", id=ann.home, slots=[0])
    if seconds > LISTED_SECONDS:
        assert answer.code == NO_SUCH_THING
    else:
        assert gold_of(answer.message) == 4


def test_slots_are_told_by_what_was_listed_before_the_turn(flies: Server, dialect: str) -> None:
    """Listed, turn, fetched, turn, read: as in a download of a client that is slow."""
    ann, _ = flies.players(2, dialect)
    bid_on(ann, fly(0, 0), 4)
    ann.ids() if ann.classic else ann.ids("get_order_queue_ids")
    flies.close_turn()
    bid_on(ann, fly(1, 0), 5)
    assert told_length(ann, fly(0, 0)) == 1
    flies.close_turn()
    (order,) = ann.ask("get_order", id=fly(0, 0), slots=[0]).things
    assert gold_of(order) == 4
    if not ann.classic:
        (queue,) = ann.ask("get_order_queue", ids=[fly(0, 0)]).things
        assert queue.code == GONE


def test_slots_told_of_can_be_read_though_another_connection_changes_the_queue(flies: Server, dialect: str) -> None:
    """The connection that makes the change sees the present, and so does the other one after it has read the slots."""
    ann, _ = flies.players(2, dialect)
    twin = flies.player("ann", dialect)
    for gold in (4, 0):
        bid_on(ann, ann.home, gold) if gold else ann.insert(ann.home, 2, target(3), chosen((1, 1)))
    assert told_length(twin, ann.home) == told_length(ann, ann.home) == 2
    assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    assert ann.ask("get_order", id=ann.home, slots=[1]).code == NO_SUCH_THING
    assert [order.otype for order in twin.ask("get_order", id=ann.home, slots=[0, 1]).things] == [1, 2]
    assert [order.otype for order in twin.ask("get_order", id=ann.home, slots=[0]).things] == [2]


def test_a_client_that_is_told_of_an_empty_queue_reads_nothing_old(flies: Server, dialect: str) -> None:
    ann, _ = flies.players(2, dialect)
    for _ in range(3):  # the second time everything is encoded
        bid_on(ann, ann.home, 0)
        assert told_length(ann, ann.home) == 1
        flies.close_turn()
        assert told_length(ann, ann.home) == 0
        assert told_length(ann, ann.home) == 0
        assert ann.ask("get_order", id=ann.home, slots=[0]).code == NO_SUCH_THING


def test_nobody_reads_the_orders_of_who_has_the_object_now(flies: Server, dialect: str) -> None:
    """Only the listed slots can be read. The new orders there are a secret of another player."""
    ann, _ = flies.players(2, dialect)
    bid_on(ann, ann.home, 4)
    assert told_length(ann, ann.home) == 1
    flies.close_turn()
    game = flies.game()
    seen = game.views[0].objects[ann.home]
    game.views[0].objects[ann.home] = seen._replace(has_queue=False, shown=seen.shown._replace(owner=1))
    game.state.queues[ann.home] = [order._replace(seat=1) for order in ann.session.reading.told[ann.home].queue.orders]
    first, second = ann.ask("get_order", id=ann.home, slots=[0, 0]).things
    assert gold_of(first) == 4
    assert second.code == NO_SUCH_THING
    assert ann.ask("get_order", id=ann.home, slots=[0]).code == DENIED


def queues_of(client: Client) -> dict[int, int]:
    """The ids and times of the listed queues; queue 0, which stands for none (TP04), left out."""
    return {oid: time for oid, time in client.ids("get_order_queue_ids").items() if oid}


@pytest.mark.parametrize("dialect", DESCRIBED)
def test_queues_are_of_one_picture_with_the_objects_that_name_them(flies: Server, dialect: str) -> None:
    """Objects are downloaded, a turn ends, then the queues are listed: none that an object names is missing."""
    ann, _ = flies.players(2, dialect)
    bid_on(ann, fly(0, 0), 3)
    fetched(ann, list(ann.ids()), 100)
    named = {ann.home, fly(0, 0)}
    flies.close_turn()
    flies.close_turn()
    listed = queues_of(ann)
    assert set(listed) == named | {fly(2, 0)}, "those that are named, and those that are there now"
    flies.close_turn()
    queues = {queue.id: queue for queue in ann.ask("get_order_queue", ids=list(listed)).things}
    assert {queue.id: queue.serial for queue in queues.values()} == listed
    assert queues[fly(0, 0)].num_orders == 1
    assert gold_of(ann.ask("get_order", id=fly(0, 0), slots=[0]).message) == 3
    assert ann.ask("get_order_queue", ids=[fly(0, 0)]).code == GONE
    assert fly(0, 0) not in queues_of(ann), "the client has it"
    ann.ids()
    assert set(queues_of(ann)) == {ann.home, fly(3, 0)}
    assert set(queues_of(flies.player("ann", dialect))) == {ann.home, fly(3, 0)}


# --- boards -----------------------------------------------------------------------------------------------------------


def own_board(client: Client) -> int:
    return next(iter(client.ids("get_board_ids")))


def test_a_board_that_was_listed_is_as_it_was(flies: Server, dialect: str) -> None:
    """Once; and what a client knows already it sees as it is now."""
    ann, ben = flies.players(2, dialect)
    listed = ann.ids("get_board_ids")
    mine = own_board(ann)
    ben.ask("post_message", id=1, slot=-1, subject="s", body="b")
    first, second = (ann.ask("get_boards", ids=[mine]).message for _ in range(2))
    assert (first.modtime, first.messages + 1) == (listed[mine], second.messages)
    ann.ids("get_board_ids")
    ben.ask("post_message", id=1, slot=-1, subject="s", body="b")
    assert ann.ask("get_boards", ids=[mine]).message.messages == second.messages + 1


def test_slots_of_a_board_are_answered_though_another_connection_removes_messages(flies: Server, dialect: str) -> None:
    """Removed messages are gone, and later ones have moved up, but no listed slot is refused."""
    ann, ben = flies.players(2, dialect)
    for subject in "abc":
        ben.ask("post_message", id=1, slot=-1, subject=subject, body="b")
    twin = flies.player("ann", dialect)
    told = ann.ask("get_boards", ids=[0]).message.messages
    assert twin.ask("remove_message", id=0, slots=[told - 2, 0]).names.count("okay") == 2
    found = [ann.ask("get_message", id=0, slots=[slot]).message for slot in range(told)]
    assert [one.subject for one in found[-4:]] == ["a", "c", "(removed)", "(removed)"]
    assert [one.slot for one in found] == list(range(told))
    assert ann.ask("get_message", id=0, slots=[told - 1]).code == NO_SUCH_THING, "once"
    assert ann.ask("get_message", id=0, slots=[told]).code == NO_SUCH_THING
    assert twin.ask("get_message", id=0, slots=[told - 1]).code == NO_SUCH_THING


def test_who_removes_messages_itself_counts_itself(flies: Server, dialect: str) -> None:
    ann, _ = flies.players(2, dialect)
    told = ann.ask("get_boards", ids=[0]).message.messages
    assert ann.ask("remove_message", id=0, slots=[0]).name == "okay"
    assert ann.ask("get_message", id=0, slots=[told - 1]).code == NO_SUCH_THING


# --- how much is kept -------------------------------------------------------------------------------------------------


def count_old_views(server: Server, seat: int | None = 0) -> int:
    gc.collect()
    return len(server.game().past[seat].views.living())


def test_a_view_is_shared_and_kept_while_somebody_has_ids_of_it_left(flies: Server) -> None:
    """However many connections have listed it."""
    ann, _ = flies.players(2)
    readers = [ann, *(flies.player("ann") for _ in range(9))]
    listed = [list(reader.ids()) for reader in readers]
    flies.close_turn()
    assert count_old_views(flies) == 1
    for reader, ids in zip(readers[:8], listed, strict=False):
        fetched(reader, ids)
    assert count_old_views(flies) == 1
    fetched(readers[8], listed[8][1:])
    readers[9].hang_up()
    assert count_old_views(flies) == 1, "one id is left"
    fetched(readers[8], listed[8][:1])
    assert count_old_views(flies) == 0
    assert count_old_views(flies, 1) == 0, "whose connections have listed nothing"


def test_a_view_of_which_nothing_is_fetched_is_thrown_away(flies: Server) -> None:
    """One timer serves all views, and stops when none is left."""
    ann, ben = flies.players(2)
    flies.pass_time(SAVE_SECONDS)  # what they have seen is saved
    timers = len(flies.clock.getDelayedCalls())
    for client in (ann, ben):
        client.ids()
        client.ids("get_order_queue_ids")
    assert len(flies.clock.getDelayedCalls()) == timers + 1
    flies.close_turn()
    flies.pass_time(LISTED_SECONDS - 1)
    assert count_old_views(flies) == 1
    for _ in range(2):
        flies.pass_time(SWEEP_SECONDS)
    assert (count_old_views(flies), count_old_views(flies, 1)) == (0, 0)
    assert not any(client.session.reading.objects for client in (ann, ben))
    assert len(flies.clock.getDelayedCalls()) == timers


def test_what_is_old_is_thrown_away_a_little_at_a_time(flies: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of it as soon as others have been served."""
    monkeypatch.setattr(repeatable_reads, "SWEPT_AT_ONCE", 1)
    clients = flies.players(2)
    for client in clients:
        client.ids()
    flies.pass_time(LISTED_SECONDS + SWEEP_SECONDS)
    assert not any(client.session.reading.objects for client in clients)


@pytest.mark.thorough
def test_an_attacker_with_many_connections_has_few_old_views_kept(flies: Server, dialect: str = "tp04") -> None:
    """One more than the bound: the reader of the oldest view sees the present, all others the listed view."""
    _, ben = flies.players(2, dialect)
    other = list(ben.ids())
    readers = [flies.player("ann", dialect) for _ in range(MOST_OLD_VIEWS + 9)]
    for reader in readers:
        reader.ids()
        flies.close_turn()
        assert count_old_views(flies) <= MOST_OLD_VIEWS
    assert count_old_views(flies) == MOST_OLD_VIEWS
    turns = [turn_of(reader.object(0)) for reader in readers]
    assert turns == [len(readers)] * 9 + list(range(9, len(readers)))
    check_whole(fetched(ben, other), ben.classic)
    for reader in readers:
        reader.hang_up()
    assert count_old_views(flies) == 0


def test_what_is_kept_of_ids_is_bounded_by_what_can_be_seen(flies: Server) -> None:
    """However often a client lists."""
    ann, _ = flies.players(2)
    for _ in range(100):
        ids = ann.ids()
        ann.ask("get_object_ids_by_pos", pos={}, r=2**32)
        ann.ids("get_order_queue_ids")
    reads = ann.session.reading
    assert reads is not None
    assert reads.objects.keys() == ids.keys()
    assert reads.queues.keys() == {ann.home, fly(0, 0)}


def test_old_queues_are_bounded_by_their_orders(flies: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each connection listed another queue. The connections with the oldest queues read the present."""
    monkeypatch.setattr(old_views, "MOST_OLD_ORDERS", 5)
    ann, _ = flies.players(2)
    readers = []
    for gold in range(9):
        bid_on(ann, ann.home, gold)
        readers.append(flies.player("ann"))
        assert told_length(readers[-1], ann.home) == 1
        assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    gc.collect()
    assert len(flies.game().past[0].queues.living()) == 5
    answers = [reader.ask("get_order", id=ann.home, slots=[0]) for reader in readers]
    assert [answer.code for answer in answers[:4]] == [NO_SUCH_THING] * 4
    assert [gold_of(answer.message) for answer in answers[4:]] == list(range(4, 9))
    gc.collect()
    assert not flies.game().past[0].queues.living()


def test_an_old_queue_of_which_nothing_is_kept_is_as_its_object_is_now(
    flies: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(old_views, "MOST_OLD_ORDERS", 0)
    ann, _ = flies.players(2)
    bid_on(ann, fly(0, 0), 3)
    assert told_length(ann, fly(0, 0)) == 1
    flies.close_turn()
    assert ann.ask("get_order", id=fly(0, 0), slots=[0]).code == GONE


def test_queues_that_nobody_was_told_of_are_not_kept(flies: Server) -> None:
    ann, _ = flies.players(2)
    bid_on(ann, ann.home, 1)
    flies.close_turn()
    assert not flies.game().past[0].queues.living()


# --- what is not saved ------------------------------------------------------------------------------------------------


def test_nothing_that_was_never_saved_is_read_when_the_game_was_reloaded(
    make_server: Callable[..., Server], dialect: str
) -> None:
    """Listed, ordered by another connection, not saved: everything is as the store has it; older pictures stay."""
    server = make_server(found=ODD, delayed=True)
    server.create("first", "mayflies", 2, clock="manual", options={"rounds": 1000})
    ann, _ = server.players(2, dialect)
    old, twin = server.player("ann", dialect), server.player("ann", dialect)
    old.ids()
    server.close_turn()
    ann.ids()
    server.disk.at_once = False
    given = twin.post_bid(3)
    asked = ann.post("get_objects_by_id", ids=[ann.home])
    server.disk.fail()
    server.disk.at_once = True
    assert given.reply.name == "fail"
    assert asked.reply.name == "fail"
    server.pass_time(11)
    assert old.object(fly(0, 0)).id == fly(0, 0)
    assert told_length(ann, ann.home) == 0
    assert ann.ask("get_order", id=ann.home, slots=[0]).code == NO_SUCH_THING
    server.close_turn()
    assert turn_of(ann.object(0)) == 2, "the view in which it was listed is not trusted any more"


# --- the whole rule ---------------------------------------------------------------------------------------------------


class Model:
    """Another statement of the rule: everything that ever was is recorded, and looked up."""

    def __init__(self, server: Server, clients: list[Client]) -> None:
        self.server = server
        self.now = 0.0
        self.turn = 0
        self.last: dict[int, dict[int, Any]] = {}
        """By turn: how each object looked last in it."""
        self.queues: dict[int, dict[int, tuple[int, ...]]] = {}
        """By turn: the gold of the orders in each queue, last in it."""
        self.objects: list[dict[int, tuple[int, float]]] = [{} for _ in clients]
        """By client and object: the turn in which it was listed, and when."""
        self.told: list[dict[int, tuple[dict[int, int], float]]] = [{} for _ in clients]
        """By client and object: the listed slots that were not read yet, and when they were listed."""

    def write_down(self) -> None:
        """See all that is there with a connection that has listed nothing."""
        seat = self.server.game().views[0]
        observer = self.server.player("ann", "tp03")
        self.last[self.turn] = {thing.id: thing for thing in observer.objects(*seat.objects)}
        self.queues[self.turn] = {
            on: tuple(order.args["gold"] for order in queue) for on, queue in self.server.game().state.queues.items()
        }
        observer.hang_up()

    def fetch(self, who: int, oid: int) -> Any:
        turn, since = self.objects[who].pop(oid, (self.turn, self.now))
        if self.now - since > LISTED_SECONDS:
            turn = self.turn
        found = self.last[turn].get(oid)
        gold = self.queues[turn].get(oid, ()) if found is not None else ()
        if gold:
            self.told[who][oid] = dict(enumerate(gold)), self.now
        else:
            self.told[who].pop(oid, None)
        return found

    def read(self, who: int, oid: int, slot: int) -> int | None:
        slots, since = self.told[who].get(oid, ({}, self.now))
        if self.now - since <= LISTED_SECONDS and slot in slots:
            return slots.pop(slot)
        present = self.queues[self.turn].get(oid, ())
        return present[slot] if slot < len(present) else None


def _steps(chance: Random, number_of_steps: int) -> Iterator[tuple[str, int]]:
    kinds = ["list", "fetch", "fetch", "fetch", "order", "remove", "read", "read", "turn", "time"]
    for _ in range(number_of_steps):
        yield chance.choice(kinds), chance.randrange(2)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_any_order_of_lists_fetches_orders_and_turns_follows_the_rule(flies: Server, seed: int) -> None:
    """Two connections of one player, in the dialect whose objects have the lengths of queues."""
    chance = Random(f"repeatable {seed}")
    ann, _ = flies.players(2, "tp03")
    clients = [ann, flies.player("ann", "tp03")]
    model = Model(flies, clients)
    model.write_down()
    for step, who in _steps(chance, 120):
        client, turn = clients[who], model.turn
        oids = [0, 1, 2, 3, *(fly(max(0, turn - back), seat) for back in range(4) for seat in (0, 1))]
        oid, own = chance.choice(oids), chance.choice([2, fly(turn, 0)])
        if step == "list":
            listed = client.ids()
            assert listed.keys() == model.last[turn].keys()
            model.objects[who].update(dict.fromkeys(listed, (turn, model.now)))
        elif step == "fetch":
            expected = model.fetch(who, oid)
            found = client.object(oid)
            assert is_fail(found) if expected is None else found == expected
        elif step == "order":
            answer = client.insert(own, BID, number(chance.randrange(9)), text(""))
            if answer.name == "okay":
                model.objects[who].pop(own, None)
                model.told[who].pop(own, None)
            model.write_down()
        elif step == "remove":
            if client.ask("remove_order", id=own, slots=[0]).name == "okay":
                model.objects[who].pop(own, None)
                model.told[who].pop(own, None)
            model.write_down()
        elif step == "read":
            slot = chance.randrange(2)
            expected = (
                model.read(who, oid, slot) if oid in (2, *(fly(number, 0) for number in range(turn + 1))) else None
            )
            found = client.ask("get_order", id=oid, slots=[slot]).message
            assert is_fail(found) if expected is None else gold_of(found) == expected
        elif step == "turn":
            flies.close_turn()
            model.turn += 1
            model.write_down()
        else:
            seconds = chance.choice([1, 20])
            flies.pass_time(seconds)
            model.now += seconds
