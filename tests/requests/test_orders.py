"""Orders: insert, probe, read, remove, drafts, and refusals.

A refusal changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.requests.odd_rulesets import ODD, breaking
from tests.support.server_in_memory import BID, GIFT, Client, Server, chosen, number, state_of, target, text, view_of
from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tprules.api.order_checks import LONGEST_QUEUE
from tpserver.requests.play.orders import CHECKS_AT_ONCE
from tpserver.requests.session.refusals import PARAMETER

FRAME, PERMANENTLY, TEMPORARILY, NO_SUCH_THING, DENIED = 1, 2, 3, 4, 5
NOWHERE = 4_000_000_000


@pytest.fixture
def two(server: Server, dialect: str) -> list[Client]:
    """Two players of an auction whose turns only the operator closes, both in each dialect."""
    server.create(clock="manual")
    return server.players(2, dialect)


@pytest.fixture
def rows(server: Server) -> list[Client]:
    """Two players of the synthetic game, where a fleet takes many orders; the first one's fleet is object 4."""
    server.create("rows", "synthetic", 2, options={"objects": 20}, clock="manual")
    return server.players(2)


# --- inserting ------------------------------------------------------------------------------------------------------


def test_an_inserted_order_can_be_read_back(two: list[Client]):
    """TP03 answers Okay, all others the order with its real slot; GetOrder gives the same."""
    ann, _ = two
    answer = ann.bid(3, "all mine")
    (order,) = ann.queue(ann.home)
    if ann.classic:
        assert answer.name == "okay"
    else:
        assert answer.name == "order"
        assert answer.message == order
    assert (order.id, order.slot, order.otype, order.turns) == (ann.home, 0, BID, 1)
    gold, words = order.parameters
    assert (gold.range.value, gold.range.min_value, gold.range.max_value, gold.range.increment) == (3, 0, 9, 1)
    assert (words.string.string, words.string.max_length) == ("all mine", 20)


def test_the_object_shows_how_many_orders_it_has(two: list[Client]):
    """In TP03 in the object itself, in TP04 in its queue; the modification time rises with every change."""
    ann, _ = two
    before = ann.ids()[ann.home]
    ann.bid(3)
    after = ann.ids()[ann.home]
    assert after > before
    if ann.classic:
        assert ann.object(ann.home).orders == 1
        assert list(ann.object(ann.home).order_types) == [BID, GIFT]
    else:
        queue = ann.ask("get_order_queue", ids=[ann.home]).message
        assert (queue.id, queue.num_orders, queue.serial) == (ann.home, 1, after)
        assert queue.max_slots >= 1
        assert list(queue.order_types) == [BID, GIFT]
    assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    assert ann.ids()[ann.home] > after
    assert ann.object(ann.home).modtime == ann.ids()[ann.home]


def effort(value: int) -> tp.OrderParameter:
    return number(value)


def efforts(client: Client, fleet: int = 4) -> list[int]:
    return [order.parameters[0].range.value for order in client.queue(fleet)]


def test_slots_count_from_0_and_an_order_goes_in_front_of_the_slot_named(rows: list[Client]):
    """-1 appends; the number of orders is the last slot that can be named."""
    ann, _ = rows
    for value, slot, real in ((1, -1, 0), (2, -1, 1), (3, 0, 0), (4, 1, 1), (5, 4, 4)):
        answer = ann.insert(4, 1, effort(value), slot=slot)
        assert answer.message.slot == real
    assert efforts(ann) == [3, 4, 1, 2, 5]


@pytest.mark.parametrize("slot", [1, 7, 2**31, 2**32 - 2])
def test_a_slot_beyond_the_end_is_refused(rows: list[Client], slot: int):
    ann, _ = rows
    before = state_of(ann.session.game)
    answer = ann.insert(4, 1, effort(1), slot=slot)
    assert answer.code == NO_SUCH_THING
    assert str(slot) in answer.text
    assert state_of(ann.session.game) == before


def test_a_queue_has_an_end(rows: list[Client]):
    """A full queue refuses more, and says how many it holds; removing one makes room."""
    ann, _ = rows
    for _ in range(LONGEST_QUEUE):
        assert ann.insert(4, 1, effort(1)).name == "order"
    full = ann.insert(4, 1, effort(1))
    assert full.code == TEMPORARILY
    assert str(LONGEST_QUEUE) in full.text
    assert ann.ask("get_order_queue", ids=[4]).message.max_slots == LONGEST_QUEUE
    assert ann.ask("remove_order", id=4, slots=[0]).name == "okay"
    assert ann.insert(4, 1, effort(1)).name == "order"


# --- refusals -------------------------------------------------------------------------------------------------------


def refusals(client: Client, home: int, other: int) -> list[tuple[str, tp.Order, int]]:
    """Return orders that an auction refuses, and with which code."""
    bid = (number(1), text(""))
    return [
        ("no such object", client.order(NOWHERE, BID, *bid), NO_SUCH_THING),
        ("another's object", client.order(other, BID, *bid), DENIED),
        ("nobody's object", client.order(0, BID, *bid), DENIED),
        ("more than there is", client.order(home, BID, number(10), text("")), FRAME),
        ("less than there is", client.order(home, BID, number(-1), text("")), FRAME),
        ("too many words", client.order(home, BID, number(1), text("x" * 21)), FRAME),
        ("slot beyond the end", client.order(home, BID, *bid, slot=1), NO_SUCH_THING),
        ("a coin that is not offered", client.order(home, GIFT, target(other), chosen((5, 1))), FRAME),
        ("more coins than offered", client.order(home, GIFT, target(other), chosen((1, 10))), FRAME),
        ("a coin twice", client.order(home, GIFT, target(other), chosen((1, 1), (1, 1))), FRAME),
        ("no coin of a kind", client.order(home, GIFT, target(other), chosen((1, 0))), FRAME),
        ("a target that does not exist", client.order(home, GIFT, target(NOWHERE), chosen((1, 1))), NO_SUCH_THING),
        ("a target that is no home", client.order(home, GIFT, target(1), chosen((1, 1))), NO_SUCH_THING),
    ]


@pytest.mark.parametrize("request_name", ["order_insert", "order_probe"])
def test_refused_orders_change_nothing(two: list[Client], request_name: str):
    """Each with its code, a sentence, and in TP04 what it is about; nobody's view changes."""
    ann, ben = two
    game = ann.session.game
    before, views = state_of(game), repr(view_of(game))
    for what, order, code in refusals(ann, ann.home, ben.home):
        if request_name == "order_probe" and what == "slot beyond the end":
            continue  # a probe is of no slot
        answer = ann.say(request_name, order)
        assert answer.code == code, (what, answer)
        if not ann.classic:
            about = [(r.type, r.id) for r in answer.message.references]
            assert about[:2] == [(13, order.id), (2, order.otype)]
            assert len(about) <= 3
            assert all(kind == PARAMETER and number < len(order.parameters) for kind, number in about[2:])
    assert state_of(game) == before
    assert repr(view_of(game)) == views


def test_a_refusal_points_to_the_parameter_at_fault(two: list[Client]):
    """By its position in the order's description, so that a form can show it there; TP03 has no references."""
    ann, ben = two
    for at, parameters in ((0, (number(10), text(""))), (1, (number(1), text("x" * 21)))):
        answer = ann.insert(ann.home, BID, *parameters)
        about = [(r.type, r.id) for r in answer.message.references]
        assert about == ([] if ann.classic else [(13, ann.home), (2, BID), (PARAMETER, at)])
    stranger = ann.insert(ben.home, BID, number(1), text(""))
    assert PARAMETER not in [r.type for r in stranger.message.references], "it is no parameter's fault"


def test_orders_of_an_unknown_type_are_refused(two: list[Client]):
    """In the classic layouts such a frame cannot even be read; the answer is the same."""
    ann, _ = two
    before = state_of(ann.session.game)
    kind = BY_NAME["order_insert"]
    if ann.title in ("pb", "json"):
        answer = ann.insert(ann.home, 99)
    else:
        body = ann.dialect.encode_body(kind.number, ann.order(ann.home, BID, number(1), text("")), ann.lookup())
        answer = ann.raw(kind.number, body[:8] + (99).to_bytes(4, "big") + body[12:])
    assert answer.code == NO_SUCH_THING
    assert "99" in answer.text
    assert state_of(ann.session.game) == before


def test_an_order_of_eight_bytes_is_refused(two: list[Client]):
    """The old server crashed on it."""
    ann, _ = two
    before = state_of(ann.session.game)
    body = b'{"id": 2' if ann.title == "json" else bytes(8)
    assert ann.raw(BY_NAME["order_insert"].number, body).code == FRAME
    assert state_of(ann.session.game) == before
    assert ann.ask("ping").name == "okay"


@pytest.mark.parametrize("title", ["pb", "json"])
def test_parameters_that_do_not_fit_the_description(server: Server, title: str):
    """Where parameters have tags, their number and types can be wrong."""
    server.create(clock="manual")
    ann, _ = server.players(2, title)
    too_few = ann.insert(ann.home, BID, number(1))
    assert too_few.code == FRAME
    assert "gold, words" in too_few.text
    other_type = ann.insert(ann.home, BID, text("1"), text(""))
    assert other_type.code == FRAME
    assert "gold" in other_type.text
    nothing = ann.insert(ann.home, BID, tp.OrderParameter(), tp.OrderParameter())
    assert nothing.code == FRAME
    assert ann.queue(ann.home) == []


def test_a_second_bid_is_the_rulesets_to_refuse(two: list[Client]):
    """Its sentence reaches the player."""
    ann, _ = two
    ann.bid(3)
    again = ann.bid(4)
    assert again.code == TEMPORARILY
    assert again.text == "One offer a round is enough."
    assert len(ann.queue(ann.home)) == 1


# --- probing --------------------------------------------------------------------------------------------------------


def test_a_probe_answers_with_the_order_and_changes_nothing(two: list[Client]):
    """As if the object had no orders; the read-only fields are filled in."""
    ann, ben = two
    before, views = state_of(ann.session.game), repr(view_of(ann.session.game))
    probed = ann.probe(ann.home, BID, number(5), text("hm")).message
    assert (probed.id, probed.otype) == (ann.home, BID)
    assert (probed.parameters[0].range.value, probed.parameters[0].range.max_value) == (5, 9)
    gift = ann.probe(ann.home, GIFT, target(ben.home), chosen()).message
    possible = gift.parameters[1].list.possible_selections
    assert [(one.id, one.name, one.max_number) for one in possible] == [(1, "gold coin", 9)]
    assert list(gift.parameters[0].object.valid_types) == ([] if ann.classic else [3])
    assert state_of(ann.session.game) == before
    assert repr(view_of(ann.session.game)) == views
    ann.bid(3)
    assert ann.probe(ann.home, BID, number(5), text("")).name == "order"


def test_an_order_without_an_object_says_which_may_be_chosen(two: list[Client]):
    """Object 0 is no home, but stands for none yet: a draft, with the valid types (TP04) and all else filled in."""
    ann, _ = two
    before, views = state_of(ann.session.game), repr(view_of(ann.session.game))
    for coins in (chosen((1, 2)), chosen()):
        answer = ann.probe(ann.home, GIFT, target(0), coins)
        home, picked = answer.message.parameters
        assert (home.object.object_id, list(home.object.valid_types)) == (0, [] if ann.classic else [3])
        assert list(picked.list.selection) == list(coins.list.selection)
        assert [one.id for one in picked.list.possible_selections] == [1]
    assert state_of(ann.session.game) == before
    assert repr(view_of(ann.session.game)) == views
    assert ann.insert(ann.home, GIFT, target(0), chosen((1, 2))).name in ("okay", "order")
    (order,) = ann.queue(ann.home)
    assert order.parameters == ann.probe(ann.home, GIFT, target(0), chosen((1, 2))).message.parameters
    assert order.turns == 0


def test_a_probe_without_an_object_is_refused_for_every_other_reason(two: list[Client]):
    """Another's home, coins that are not offered, a number that is no object of the kind, the end of the game."""
    ann, ben = two
    assert ann.probe(ben.home, GIFT, target(0), chosen((1, 1))).code == DENIED
    assert ann.probe(ann.home, GIFT, target(0), chosen((5, 1))).code == FRAME
    assert ann.probe(ann.home, GIFT, target(1), chosen((1, 1))).code == NO_SUCH_THING
    for _ in range(5):
        ann.server.close_turn(ann.session.game.name)
    assert ann.probe(ann.home, GIFT, target(0), chosen((1, 1))).code == PERMANENTLY


# --- queue 0 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("title", ["tp04", "padded"])
def test_objects_without_a_queue_name_one_that_is_there(server: Server, title: str):
    """Queue 0 is listed and empty, without order types: clients look it up for every such object (wire.md)."""
    server.create(clock="manual")
    ann, _ = server.players(2, title)
    listed = ann.ids("get_order_queue_ids")
    assert list(listed) == [0, ann.home]
    queues = {
        parameter.order_queue.queue_id
        for thing in ann.objects(*ann.ids())
        for parameter in thing.parameters
        if parameter.HasField("order_queue")
    }
    assert queues == set(listed)
    nothing, own = ann.ask("get_order_queue", ids=[0, ann.home]).things
    assert (nothing.id, nothing.num_orders, list(nothing.order_types), nothing.max_slots) == (0, 0, [], 0)
    assert {queue.id: queue.serial for queue in (nothing, own)} == listed
    assert ann.ask("get_order", id=0, slots=[]).names == ["sequence_of"]
    for request in ("get_order", "remove_order"):
        assert ann.ask(request, id=0, slots=[0]).code == NO_SUCH_THING
    assert ann.insert(0, BID, number(1), text("")).code == DENIED
    ann.bid(3)
    server.close_turn()
    assert 0 not in ann.ids("get_order_queue_ids", fromtime=max(listed.values())), "it never changes"
    assert ann.ids("get_order_queue_ids")[0] == listed[0]


@pytest.mark.parametrize("title", ["pb", "json"])
def test_nobodys_queue_is_only_for_old_clients(server: Server, title: str):
    server.create(clock="manual")
    ann, _ = server.players(2, title)
    assert list(ann.ids("get_order_queue_ids")) == [ann.home]
    assert ann.ask("get_order_queue", ids=[0]).code == NO_SUCH_THING


# --- drafts ---------------------------------------------------------------------------------------------------------


def test_a_draft_is_kept_shown_with_its_choices_and_replaced(two: list[Client]):
    """Graphical clients insert an empty selection, read it back, and replace it (wire.md)."""
    ann, ben = two
    draft = ann.insert(ann.home, GIFT, target(ben.home), chosen())
    assert draft.name in ("okay", "order")
    (order,) = ann.queue(ann.home)
    assert [one.name for one in order.parameters[1].list.possible_selections] == ["gold coin"]
    assert list(order.parameters[1].list.selection) == []
    assert ann.insert(ann.home, GIFT, target(ben.home), chosen((1, 2)), slot=0).name in ("okay", "order")
    assert ann.ask("remove_order", id=ann.home, slots=[1]).name == "okay"
    (order,) = ann.queue(ann.home)
    assert [(one.id, one.number) for one in order.parameters[1].list.selection] == [(1, 2)]


def test_a_draft_counts_for_nothing(two: list[Client]):
    """Not as the one bid, not in the turn; even its target is not looked at."""
    ann, ben = two
    assert ann.insert(ann.home, GIFT, target(NOWHERE), chosen()).name in ("okay", "order")
    assert ann.bid(9).name in ("okay", "order")
    ann.server.close_turn()
    assert ann.session.game.state.world.gold == [0, 9]
    assert ben.session.game is ann.session.game


def test_a_draft_is_dropped_with_a_message_when_its_phase_closes(two: list[Client]):
    """Only the owner of the order gets the message."""
    ann, ben = two
    ann.insert(ann.home, GIFT, target(ben.home), chosen())
    ann.server.close_turn()
    assert ann.queue(ann.home) == []
    dropped = [message for message in ann.messages() if "raft" in message.subject]
    assert len(dropped) == 1
    assert "Gift" in dropped[0].body
    assert [(r.type, r.id) for r in dropped[0].references] == [(-2, 4), (1, ann.home)]
    assert not any("raft" in message.subject for message in ben.messages())


def test_a_draft_survives_a_restart(server: Server):
    server.create(clock="manual")
    ann, ben = server.players(2)
    ann.insert(ann.home, GIFT, target(ben.home), chosen())
    later = server.restarted()
    try:
        again = later.player("ann")
        (order,) = again.queue(again.home)
        assert list(order.parameters[1].list.selection) == []
        assert later.game().state.queues[again.home][0].draft
    finally:
        later.stop()


# --- reading and removing -------------------------------------------------------------------------------------------


def test_orders_come_in_the_order_asked_for(rows: list[Client]):
    ann, _ = rows
    for value in (10, 20, 30):
        ann.insert(4, 1, effort(value))
    answer = ann.ask("get_order", id=4, slots=[2, 0, 3, 1])
    assert answer.names == ["sequence_of", "order", "order", "fail", "order"]
    assert [order.slot for name, order in answer if name == "order"] == [2, 0, 1]
    assert [order.parameters[0].range.value for name, order in answer if name == "order"] == [30, 10, 20]


def test_slots_are_removed_one_after_the_other(rows: list[Client]):
    """Each gets its own answer, and later numbers mean what is left by then (TP04: give them from the highest)."""
    ann, _ = rows
    for value in (10, 20, 30, 40):
        ann.insert(4, 1, effort(value))
    answer = ann.ask("remove_order", id=4, slots=[3, 0, 2])
    assert answer.names == ["sequence_of", "okay", "okay", "fail"]
    assert answer.things[2].code == NO_SUCH_THING
    assert efforts(ann) == [20, 30]


def test_many_removals_let_others_have_their_turn(rows: list[Client]):
    """Each has all orders behind it checked: an answer is made in parts of so many checks."""
    ann, ben = rows
    for _ in range(60):
        assert ann.insert(4, 1, number(5)).name in ("okay", "order")
    kind = BY_NAME["remove_order"]
    body = ann.dialect.encode_body(kind.number, tp.GetWithIDSlot(id=4, slots=[0] * 61))
    names, parts = [], 0
    for piece in ann.session.answer(RawFrame(ann.dialect, 7, kind.number, body)):
        before, left = 60 - max(0, len(names) - 1), len(ann.session.game.state.queues.get(4, ()))
        assert (before - left) * (before + 1) <= CHECKS_AT_ONCE
        assert ben.ask("ping").name == "okay"
        names += [name for _, name, _ in ann.frames(piece)]
        parts += 1
    assert names == ["sequence_of", *["okay"] * 60, "fail"]
    assert parts >= 60 * 60 // CHECKS_AT_ONCE
    assert ann.queue(4) == []


def test_removals_that_cannot_be_saved_are_not_told_as_done(make_server: Callable[..., Server]):
    """Also if the loss falls between two parts of the request: all that it changed was on its way."""
    server = make_server(delayed=True)
    server.create("rows", "synthetic", 2, options={"objects": 20}, clock="manual")
    ann, _ = server.players(2)
    for _ in range(60):
        ann.insert(4, 1, number(5))
    server.disk.at_once = False
    asked = ann.post("remove_order", id=4, slots=[0] * 60)
    server.disk.fail()
    server.disk.at_once = True
    for _ in range(10):
        server.settle()
    assert asked.reply.names == ["sequence_of", *["fail"] * 60]
    assert all("could not be saved" in refusal.result for refusal in asked.reply.things)
    assert len(ann.session.game.state.queues[4]) == 60


def test_an_order_that_a_later_one_needs_is_not_removed(server: Server):
    """TaE: a leader is to land beside a colony that is only planned; the refusal says what to remove first."""
    server.create("tae", "tae", 2, options={"board": "....../A.A.A./......"}, clock="manual", seed="any")
    ann, _ = server.players(2)
    game = ann.session.game
    colonies = [order for order in game.rules.legal_orders(game.state.plan(0)) if order.type == "Colonize"]
    first, leader = next((order, leader) for order in colonies if (leader := _then_a_leader(ann, order)) is not None)
    before = state_of(game)
    refused = ann.ask("remove_order", id=first.on, slots=[0])
    assert refused.code == TEMPORARILY
    assert "later" in refused.text
    assert state_of(game) == before
    assert ann.ask("remove_order", id=leader, slots=[0]).name == "okay"
    assert ann.ask("remove_order", id=first.on, slots=[0]).name == "okay"


def _then_a_leader(ann: Client, first: Any) -> int | None:
    """Insert a colony, and a leader that only this colony lets in; return the leader, or None and leave nothing."""
    game = ann.session.game
    number_of = game.description.order_number
    before = {
        (order.on, order.args["Star System"])
        for order in game.rules.legal_orders(game.state.plan(0))
        if order.type == "Move"
    }
    if ann.insert(first.on, number_of["Colonize"], target(first.args["Star System"])).name != "order":
        return None
    for order in game.rules.legal_orders(game.state.plan(0)):
        if order.type == "Move" and (order.on, order.args["Star System"]) not in before:
            answer = ann.insert(order.on, number_of["Move"], target(order.args["Star System"]))
            if answer.name == "order":
                return int(order.on)
    ann.ask("remove_order", id=first.on, slots=[0])
    return None


# --- when orders are not taken --------------------------------------------------------------------------------------


def test_before_the_start_orders_wait(server: Server, dialect: str):
    """And the refusal says for how many players."""
    server.create(seats=2)
    ann = server.player("ann", dialect)
    before = state_of(ann.session.game)
    for answer in (ann.bid(1), ann.probe(ann.home, BID, number(1), text(""))):
        assert answer.code == TEMPORARILY
        assert "1 more" in answer.text
    assert ann.ask("get_order", id=ann.home, slots=[0]).code == NO_SUCH_THING
    assert state_of(ann.session.game) == before


def test_after_the_end_no_orders_are_taken(server: Server, dialect: str):
    server.create(options={"rounds": 1}, clock="manual")
    ann, _ = server.players(2, dialect)
    ann.bid(3)
    server.close_turn()
    before = state_of(ann.session.game)
    assert ann.bid(1).code == PERMANENTLY
    assert ann.probe(ann.home, BID, number(1), text("")).code == PERMANENTLY
    assert ann.ask("finished_turn").name == "okay"
    assert state_of(ann.session.game) == before


def test_a_phase_that_closes_after_each_order(make_server: Any, dialect: str):
    """The order is answered first; the turn closes with it, and the other seat is active."""
    server = make_server(found=ODD)
    server.create("first", "sequential", 2, clock="manual")
    ann, ben = server.players(2, dialect)
    refused = ben.bid(1)
    assert refused.code == TEMPORARILY
    assert "turn" in refused.text
    assert ann.bid(2).name in ("okay", "order")
    assert ann.session.game.state.turn == 1
    assert ann.bid(2).code == TEMPORARILY
    assert ben.bid(1).name in ("okay", "order")
    assert ann.session.game.state.turn == 2


# --- rules that break -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", ["choices", "turns"])
@pytest.mark.parametrize("title", ["tp04", "json"])
def test_an_order_that_cannot_be_described_is_not_accepted(make_server: Any, title: str, broken: str):
    """The answer describes the order; if the rules fail at that, Fail must mean that nothing changed."""
    server = make_server(found=ODD)
    server.create("first", "faulty", 2, clock="manual")
    ann, ben = server.players(2, title)
    before = state_of(ann.session.game)
    selection = chosen() if broken == "choices" else chosen((1, 1))
    with breaking(broken):
        answer = ann.insert(ann.home, GIFT, target(ben.home), selection)
        assert answer.code == TEMPORARILY
        assert "operator" in answer.text
        assert state_of(ann.session.game) == before
        assert ben.ask("ping").name == "okay"
    assert ann.queue(ann.home) == []
    assert ann.insert(ann.home, GIFT, target(ben.home), selection).name in ("okay", "order")


def test_rules_that_break_at_an_order_without_choices_are_told_as_such(make_server: Any):
    """The answer says that the rules failed, not the server, and nothing changed."""
    server = make_server(found=ODD)
    server.create("first", "faulty", 2, clock="manual")
    ann, _ = server.players(2)
    with breaking("turns"):
        answer = ann.bid(3)
        assert answer.code == TEMPORARILY
        assert "rules failed" in answer.text
    assert ann.queue(ann.home) == []
    assert ann.bid(3).name == "order"


def test_what_belongs_to_nobody_has_no_queue(two: list[Client]):
    """And no owner whose secret its orders could be."""
    ann, _ = two
    for name in ("get_order", "remove_order"):
        answer = ann.ask(name, id=1, slots=[0])
        assert answer.code == NO_SUCH_THING
        assert "order queue" in answer.text
