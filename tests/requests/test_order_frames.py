"""Orders and queues in frames: fields, choices, references, absence.

An order of an absent player ends the absence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from test_games.auction import Auction, Bid, Gift, sell

from tests.requests.odd_rulesets import Mayflies, Sequential, fly
from tests.support.server_in_memory import BID, GIFT, Client, Server, chosen, number, target, text
from tpproto import tp_pb2 as tp
from tprules.api import Choice, ObjectRef, Oid, Order, OrderType, Phase, Plan, Refusal, Seat
from tprules.api.order_checks import LONGEST_QUEUE
from tpserver.events import EVENTS
from tpserver.games.core.old_views import LISTED_SECONDS
from tpserver.games.terms.seat_policy import SeatRecord
from tpserver.requests.play import orders
from tpserver.requests.session.refusals import OBJECT, ORDER, ORDER_TYPE, PARAMETER, QUEUE
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import journal

FRAME, TEMPORARILY, NO_SUCH_THING, DENIED, GONE, TOO_BIG = 1, 3, 4, 5, 6, 7
NOWHERE = 4_000_000_000


class Spending(Gift):
    """A gift of what the gifts before it have left, which may be given often.

    It takes as many turns as coins, and one more in each round.
    """

    def choices(self, plan: Plan[Any], on: Oid, param: str) -> Sequence[Choice]:
        given = sum(order.args[param][0][1] for order in plan.before if order.type == self.name)
        return [Choice(1, f"gold coin of {{player {plan.seat}}}", 9 - given)]

    def turns(self, world: Any, order: Any) -> int:
        return int(order.args["coins"][0][1]) + int(world.round)


class Visit(OrderType[Any]):
    """An order that names an object, and nothing from a list."""

    number = 3
    name = "Visit"
    kinds = ("home",)
    params = {"whose": ObjectRef("Whose home", ("home",))}


class Thrifty(Auction):
    """An auction in which gold is given only once, and the house is somebody's, but takes no orders."""

    name = "thrifty"
    version = 1
    orders = (Bid, Spending, Visit)
    phases = (Phase("bidding", lambda world: range(len(world.gold)), orders, (sell,), lambda world: "bidding"),)

    def show(self, world: Any, oid: Oid, level: str) -> Any:
        shown = super().show(world, oid, level)
        return shown._replace(owner=0) if oid == 1 else shown


class Returning(Mayflies):
    """Mayflies that are there in even rounds, always the same."""

    name = "returning"
    version = 1

    def sight(self, world: Any, seat: Seat | None) -> Mapping[Oid, str]:
        seen = Auction.sight(self, world, seat)
        flies = range(fly(0, 0), fly(0, len(world.gold))) if world.round % 2 == 0 else ()
        return {**seen, **dict.fromkeys(flies, "all")}


FOUND = Rulesets({rules.name: rules() for rules in (Auction, Thrifty, Mayflies, Returning, Sequential)}, {})


@pytest.fixture
def server(make_server: Any) -> Server:
    made: Server = make_server(found=FOUND)
    return made


def table(server: Server, dialect: str = "tp04", ruleset: str = "thrifty", **more: Any) -> list[Client]:
    server.create(ruleset=ruleset, clock="manual", options={"rounds": 1000}, **more)
    return server.players(2, dialect)


def gift(client: Client, coins: int, slot: int = -1, name: str = "insert") -> Any:
    given = client.order(client.home, GIFT, target(client.home + 1), chosen((1, coins)) if coins else chosen(),
                         slot=slot)  # fmt: skip
    return client.say({"insert": "order_insert", "replace": "order_replace", "probe": "order_probe"}[name], given)


def offered(order: Any) -> list[tuple[int, str, int]]:
    return [(one.id, one.name, one.max_number) for one in order.parameters[1].list.possible_selections]


def about(message: Any) -> list[tuple[int, int]]:
    return [(one.type, one.id) for one in message.references]


# --- putting an order into a queue


def test_old_clients_are_told_in_words(server: Server) -> None:
    """The response of TP03 has no order, only a text."""
    ann = table(server, "tp03", "auction")[0]
    assert ann.bid(3).text == "The order is in the queue"
    assert ann.ask("remove_order", id=ann.home, slots=[0]).text == "The order is removed"


@pytest.mark.parametrize("name", ["order_insert", "order_probe", "remove_order"])
def test_who_only_watches_is_told_what_is_for_players(server: Server, name: str) -> None:
    table(server)
    eve = server.connect()
    message = tp.GetWithIDSlot(id=2, slots=[0]) if name == "remove_order" else eve.order(2, BID, number(1), text(""))
    phrase = {"order_insert": "give", "order_probe": "check", "remove_order": "remove"}[name]
    assert eve.ask("login", username="eve@first/watch", password="word").name == "okay"
    answer = eve.say(name, message)
    assert (answer.code, answer.text) == (DENIED, f"Only players can {phrase} orders; you watch this game.")


def test_who_only_watches_reads_and_replaces_no_orders(server: Server) -> None:
    table(server)
    eve = server.connect("pb")
    assert eve.ask("login", username="eve@first/watch", password="word").name == "okay"
    assert eve.ask("get_order", id=2, slots=[0]).text == "Only players can see orders; you watch this game."
    answer = eve.replace(2, BID, number(1), text(""), slot=0)
    assert answer.text == "Only players can replace orders; you watch this game."
    assert list(eve.ids("get_order_queue_ids")) == []


def test_without_a_game_there_are_no_queues(server: Server) -> None:
    """The refusal says what needs one."""
    dan = server.connect("pb")
    assert dan.ask("login_account", username="dan", password="dan's word").name == "account"
    asked = {
        "see the order queues": dan.ask("get_order_queue", ids=[2]),
        "see orders": dan.ask("get_order", id=2, slots=[0]),
        "remove orders": dan.ask("remove_order", id=2, slots=[0]),
    }
    for phrase, answer in asked.items():
        assert answer.text == f"Log in to a game as name@game to {phrase}."
    listed = dan.ask("get_order_queue_ids", key=-1, start=0, amount=-1, fromtime=-1)
    assert listed.text == asked["see the order queues"].text


def test_an_order_is_shown_with_what_was_possible_where_it_was_put(server: Server) -> None:
    """Earlier orders reduce the choices, later ones do not. The order reads the same again."""
    ann = table(server)[0]
    first = gift(ann, 2).message
    assert (offered(first), first.turns, first.slot) == ([(1, "gold coin of ann", 9)], 2, 0)
    second = gift(ann, 3).message
    assert (offered(second), second.turns, second.slot) == ([(1, "gold coin of ann", 7)], 3, 1)
    front = gift(ann, 1, slot=0).message
    assert (offered(front), front.slot) == ([(1, "gold coin of ann", 9)], 0)
    assert [offered(order)[0][2] for order in ann.queue(ann.home)] == [9, 8, 6]
    probed = gift(ann, 3, slot=7, name="probe").message
    assert (offered(probed), probed.slot, probed.turns) == ([(1, "gold coin of ann", 9)], 7, 3)
    draft = gift(ann, 0).message
    assert (offered(draft), draft.turns, draft.slot) == ([(1, "gold coin of ann", 3)], 0, 3)
    assert ann.queue(ann.home)[3] == draft


def test_a_draft_has_what_all_others_leave_wherever_it_stands(server: Server) -> None:
    """It has no effect yet, and takes nothing from those behind it."""
    ann = table(server)[0]
    gift(ann, 2)
    gift(ann, 0, slot=0)
    draft, order = ann.queue(ann.home)
    assert (offered(draft)[0][2], offered(order)[0][2]) == (7, 9)


def test_an_order_that_takes_the_place_of_another_has_what_that_one_had(server: Server) -> None:
    ann = table(server, "pb")[0]
    gift(ann, 2)
    gift(ann, 3)
    other = gift(ann, 1, slot=0, name="replace").message
    assert (offered(other), other.slot, other.turns) == ([(1, "gold coin of ann", 9)], 0, 1)


def test_an_order_is_written_down_with_its_time(server: Server) -> None:
    ann = table(server, ruleset="auction")[0]
    server.pass_time(2.5)
    before = EVENTS.orders
    ann.bid(3)
    assert EVENTS.orders == before + 1
    entry = server.store.read(journal.after, 1, 0)[-1]
    assert (entry.kind, entry.seat, entry.at) == ("insert", 0, server.now())
    server.pass_time(2)
    ann.ask("remove_order", id=ann.home, slots=[0])
    entry = server.store.read(journal.after, 1, 0)[-1]
    assert (entry.kind, entry.seat, entry.at) == ("remove", 0, server.now())
    assert ann.ids()[ann.home] >= int(server.now())
    assert EVENTS.orders == before + 1
    ann.insert(ann.home, GIFT, target(ann.home + 1), chosen())
    assert EVENTS.orders == before + 1, "a draft is no order yet"


def test_an_order_closes_a_turn_that_ends_with_the_first_one(server: Server) -> None:
    ann = table(server, "pb", "sequential")[0]
    assert ann.bid(3).name == "order"
    assert server.game().state.turn == 1


@pytest.mark.parametrize("act", ["insert", "replace", "remove"])
def test_who_was_away_is_back_with_an_order(server: Server, act: str) -> None:
    """Only the player's own seat leaves autopilot."""
    ann, _ = table(server, "pb", "auction")
    ann.bid(3)
    game = server.game()
    for player in game.players:
        player.record = SeatRecord(autopilot=2)
    if act == "insert":
        assert ann.insert(ann.home, GIFT, target(3), chosen((1, 1))).name == "order"
    elif act == "replace":
        assert ann.replace(ann.home, BID, number(1), text(""), slot=0).name == "order"
    else:
        assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    assert [player.record.autopilot for player in game.players] == [0, 2]


def test_a_refusal_says_what_it_is_about(server: Server) -> None:
    """The queue, the type of order, the parameter; of a removal the slot."""
    ann, ben = table(server, ruleset="auction")
    for name in ("order_insert", "order_probe"):
        refused = ann.say(name, ann.order(ann.home, BID, number(10), text("")))
        assert about(refused.message) == [(QUEUE, ann.home), (ORDER_TYPE, BID), (PARAMETER, 0)]
        refused = ann.say(name, ann.order(ben.home, BID, number(1), text("")))
        assert (refused.code, about(refused.message)) == (DENIED, [(QUEUE, ben.home), (ORDER_TYPE, BID)])
    refused = ann.ask("remove_order", id=ann.home, slots=[5])
    assert (refused.code, about(refused.message)) == (NO_SUCH_THING, [(QUEUE, ann.home), (ORDER, 5)])
    assert refused.text == "There is no order in slot 5; this queue has 0."
    refused = ann.ask("get_order", id=ann.home, slots=[5])
    assert (refused.code, about(refused.message)) == (NO_SUCH_THING, [(QUEUE, ann.home), (ORDER, 5)])
    assert refused.text == "There is nothing in slot 5; there are 0."
    refused = ann.ask("get_order", id=ben.home, slots=[0])
    assert (refused.code, about(refused.message)) == (DENIED, [(QUEUE, ben.home)])
    assert refused.text == f"Object {ben.home} is not yours; its orders are its owner's secret."
    refused = ann.ask("get_order", id=NOWHERE, slots=[0])
    assert (refused.code, about(refused.message)) == (NO_SUCH_THING, [(OBJECT, NOWHERE)])
    refused = ann.ask("get_order", id=1, slots=[0])
    assert (refused.code, about(refused.message)) == (NO_SUCH_THING, [(QUEUE, 1)])


def test_an_order_of_no_type_is_refused_by_its_number(server: Server) -> None:
    ann = table(server, "pb", "auction")[0]
    refused = ann.insert(ann.home, 99)
    assert (refused.code, refused.text) == (NO_SUCH_THING, "There is no order type 99.")
    assert about(refused.message) == [(ORDER_TYPE, 99)]


def test_what_is_ones_own_and_takes_no_orders_is_no_secret(server: Server) -> None:
    """There is no queue; of what is another's it is not said whether there is one."""
    ann, ben = table(server)
    assert ann.ask("get_order", id=1, slots=[0]).text == "There is no order queue 1."
    assert ben.ask("get_order", id=1, slots=[0]).code == DENIED
    assert ann.ask("remove_order", id=1, slots=[0]).text == "There is no order queue 1."


# --- reading and removing


@pytest.mark.parametrize("name", ["get_order", "remove_order"])
def test_as_many_slots_can_be_named_as_a_queue_may_have(server: Server, name: str) -> None:
    ann = table(server, "pb", "auction")[0]
    ann.bid(3)
    many = ann.ask(name, id=ann.home, slots=[0] * LONGEST_QUEUE)
    assert many.names[:3] == ["sequence_of", "order" if name == "get_order" else "okay", many.names[2]]
    assert len(many.things) == LONGEST_QUEUE
    refused = ann.ask(name, id=ann.home, slots=[0] * (LONGEST_QUEUE + 1))
    assert refused.text == f"At most {LONGEST_QUEUE} slots can be named at once, not {LONGEST_QUEUE + 1}."


def test_an_empty_queue_and_no_slots_are_answered_as_any(server: Server) -> None:
    ann = table(server)[0]
    assert ann.ask("remove_order", id=ann.home, slots=[]).names == ["sequence_of"]
    assert ann.ask("get_order", id=ann.home, slots=[]).names == ["sequence_of"]
    refused = ann.ask("remove_order", id=0, slots=[4, 5]).things
    assert [about(one) for one in refused] == [[(QUEUE, 0), (ORDER, 4)], [(QUEUE, 0), (ORDER, 5)]]
    assert {one.result for one in refused} == {f"There is nothing in slot {slot}; there are 0." for slot in (4, 5)}


def test_objects_without_a_queue_name_one_that_is_empty_in_tp04_only(server: Server) -> None:
    """TP04 clients look it up. Others get no number for "none"."""
    ann, _ = table(server)
    pb = server.player("ann", "pb")
    for name in ("get_order", "remove_order"):
        refused = ann.ask(name, id=0, slots=[0])
        assert (refused.code, about(refused.message)) == (NO_SUCH_THING, [(QUEUE, 0), (ORDER, 0)])
        refused = pb.ask(name, id=0, slots=[0])
        assert (refused.code, refused.text) == (NO_SUCH_THING, "There is no order queue 0.")


@pytest.mark.parametrize("act", ["insert", "remove"])
def test_what_was_told_of_a_queue_is_forgotten_as_its_client_changes_it(server: Server, act: str) -> None:
    """It counts on from there: what is behind has moved."""
    ann = table(server, "pb", "auction")[0]
    ann.bid(3)
    ann.insert(ann.home, GIFT, target(ann.home + 1), chosen((1, 1)))
    assert ann.ask("get_order_queue", ids=[ann.home]).message.num_orders == 2
    if act == "insert":
        assert ann.insert(ann.home, GIFT, target(ann.home + 1), chosen((1, 2)), slot=0).name == "order"
    else:
        assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    assert ann.ask("get_order", id=ann.home, slots=[0]).message.otype == GIFT


@pytest.mark.parametrize("act", ["insert", "remove"])
def test_the_journal_of_many_changes_is_made_shorter_at_the_time_of_one(server: Server, act: str) -> None:
    ann = table(server, "pb", "auction")[0]
    game = server.game()
    ann.bid(3)
    ann.replace(ann.home, BID, number(2), text(""), slot=0)
    game.most_entries = 2
    server.pass_time(2.5)
    if act == "insert":
        ann.insert(ann.home, GIFT, target(ann.home + 1), chosen((1, 1)))
    else:
        ann.ask("remove_order", id=ann.home, slots=[0])
    entries = server.store.read(journal.after, 1, 0)[-2:]
    assert [(entry.kind, entry.at) for entry in entries] == [("queues", server.now()), (act, server.now())]


def test_removals_of_long_queues_are_made_one_at_a_time_and_of_short_ones_together(server: Server) -> None:
    """As each has the orders behind it checked."""
    ann = table(server, ruleset="auction")[0]
    ann.bid(1)
    answers = []
    for length in (1, 98, 99, 500, LONGEST_QUEUE):
        server.game().state.queues[ann.home] = [*server.game().state.queues[ann.home][:1]] * length
        made = orders.remove(ann.session, tp.GetWithIDSlot(id=ann.home, slots=range(50)))
        answers.append(made.at_once)
    assert answers == [32, 5, 5, 1, 1]
    server.game().state.queues.clear()
    assert orders.remove(ann.session, tp.GetWithIDSlot(id=ann.home, slots=[0, 1])).at_once == 32


def test_slots_that_were_told_of_are_read_once_also_within_a_request(server: Server) -> None:
    """Before the turn as they were, then as they are."""
    ann = table(server, "pb", "auction")[0]
    ann.bid(4)
    assert ann.ask("get_order_queue", ids=[ann.home]).message.num_orders == 1
    server.close_turn()
    first, second = ann.ask("get_order", id=ann.home, slots=[0, 0]).things
    assert first.parameters[0].range.value == 4
    assert second.code == NO_SUCH_THING


def test_each_slot_that_was_told_of_is_read_once_in_one_request_or_another(server: Server) -> None:
    ann = table(server, "pb", "auction")[0]
    ann.bid(4)
    ann.insert(ann.home, GIFT, target(ann.home + 1), chosen((1, 1)))
    assert ann.ask("get_order_queue", ids=[ann.home]).message.num_orders == 2
    server.close_turn()
    for slot in (0, 1):
        assert ann.ask("get_order", id=ann.home, slots=[slot]).name == "order"
        assert ann.ask("get_order", id=ann.home, slots=[slot]).code == NO_SUCH_THING


def test_what_is_in_the_queue_of_an_object_that_was_ones_own_is_secret(server: Server) -> None:
    """A queue that was listed can be read to its end. The present orders belong to another player."""
    ann = table(server, "pb", "auction")[0]
    ann.bid(4)
    assert ann.ask("get_order_queue", ids=[ann.home]).message.num_orders == 1
    game = server.game()
    game.views[0].objects[ann.home] = game.views[0].objects[ann.home]._replace(has_queue=False)
    game.state.queues[ann.home] = [Order(1, ann.home, "Bid", {"gold": gold, "words": ""}, 5) for gold in (7, 8)]
    told, none = ann.ask("get_order", id=ann.home, slots=[0, 1]).things
    assert told.parameters[0].range.value == 4
    assert (none.code, none.result) == (NO_SUCH_THING, "There is nothing in slot 1; there are 0.")


def test_an_order_that_was_told_of_is_shown_with_the_choices_of_the_present(server: Server) -> None:
    """Where its object is gone, or the rules fail, with those that are chosen; and with its slot."""
    ann, _ = table(server)
    gift(ann, 2)
    gift(ann, 3)
    game = server.game()
    for state in ("present", "failing", "gone"):
        assert ann.ask("get_order_queue", ids=[ann.home]).message.num_orders == 2
        queue = game.state.queues[ann.home]
        game.state.queues = {ann.home: queue[:1]}
        game.state.planned.clear()
        seen = game.views[0].objects[ann.home]
        if state == "gone":
            game.views[0].objects[ann.home] = seen._replace(has_queue=False)
        with pytest.MonkeyPatch.context() as patched:
            if state == "failing":
                patched.setattr(Spending, "choices", lambda *_: 1 // 0)
            order = ann.ask("get_order", id=ann.home, slots=[1]).message
        possible = 3 if state != "present" else 7
        assert (order.id, order.slot, order.otype) == (ann.home, 1, GIFT)
        assert [most for _, _, most in offered(order)] == [possible]
        assert [(one.id, one.number) for one in order.parameters[1].list.selection] == [(1, 3)]
        assert order.turns == (3 if state == "present" else 0)
        game.views[0].objects[ann.home] = seen
        game.state.queues[ann.home] = queue
        game.state.planned.clear()
        game.fault = None


# --- queues


def test_a_queue_is_told_with_its_time_its_length_and_what_it_takes(server: Server) -> None:
    ann = table(server, "pb", "auction")[0]
    server.pass_time(5)
    ann.bid(3)
    times = ann.ids("get_order_queue_ids")
    assert times == {ann.home: server.game().views[0].time(ann.home)}
    queue = ann.ask("get_order_queue", ids=[ann.home]).message
    assert (queue.id, queue.serial, queue.num_orders) == (ann.home, times[ann.home], 1)
    assert (queue.max_slots, list(queue.order_types)) == (LONGEST_QUEUE, [BID, GIFT])
    answer = ann.ask("get_order_queue_ids", key=-1, start=0, amount=-1, fromtime=-1).message
    assert answer.fromtime == server.game().views[0].latest()
    assert list(ann.ids("get_order_queue_ids", fromtime=times[ann.home])) == []
    assert list(ann.ids("get_order_queue_ids", fromtime=times[ann.home] - 1)) == [ann.home]


def test_a_queue_that_is_fetched_again_is_as_it_is_now(server: Server) -> None:
    """Also within one request; and what is another's, or none, is refused among the others."""
    ann, ben = table(server, "pb", "auction")
    ann.bid(3)
    ann.ids("get_order_queue_ids")
    server.close_turn()
    first, second, others, none = ann.ask("get_order_queue", ids=[ann.home, ann.home, ben.home, 1]).things
    assert (first.num_orders, second.num_orders) == (1, 0)
    assert first.serial < second.serial
    assert (others.code, none.code) == (DENIED, NO_SUCH_THING)
    assert ann.ask("get_order_queue", ids=[ann.home]).message.num_orders == 0


@pytest.mark.parametrize("dialect", ["tp04", "pb"])
def test_the_queue_of_an_object_that_was_listed_and_is_gone_can_be_fetched_once(server: Server, dialect: str) -> None:
    """With what was in it last, and when; it is among the changed ones, in their order."""
    ann, ben = table(server, dialect, "mayflies")
    old = fly(0, 0)
    ann.insert(old, BID, number(4), text(""))
    before = ann.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=-1).message
    assert old in {one.id for one in before.ids}
    time = server.game().views[0].time(old)
    server.close_turn()
    new = fly(1, 0)
    listed = ann.ids("get_order_queue_ids")
    assert list(listed) == [*([0] if dialect == "tp04" else []), ann.home, old, new]
    assert listed[old] == time
    assert old in ann.ids("get_order_queue_ids", fromtime=time - 1)
    assert old not in ann.ids("get_order_queue_ids", fromtime=time)
    first, second = ann.ask("get_order_queue", ids=[old, old]).things
    assert (first.id, first.serial, first.num_orders, list(first.order_types)) == (old, time, 1, [BID, GIFT])
    assert second.code == GONE
    assert ann.ask("get_order", id=old, slots=[0]).message.parameters[0].range.value == 4
    assert ann.ask("get_order_queue", ids=[old]).code == GONE
    assert old not in ann.ids("get_order_queue_ids")
    assert ben.ask("get_order_queue", ids=[old]).code in (GONE, NO_SUCH_THING)


def test_a_queue_that_was_gone_and_is_back_is_told_of_as_it_is_now(server: Server) -> None:
    """Once, although it was listed before it was gone."""
    ann = table(server, "pb", "returning")[0]
    old = fly(0, 0)
    ann.insert(old, BID, number(4), text(""))
    ann.ids()
    server.close_turn()
    assert server.game().views[0].objects.keys() == {0, 1, 2, 3}
    server.close_turn()
    listed = ann.ask("get_order_queue_ids", key=-1, start=0, amount=-1, fromtime=-1).message
    assert [one.id for one in listed.ids] == [ann.home, old]
    assert ann.ask("get_order_queue", ids=[old]).message.num_orders == 0


def test_who_has_fetched_a_queue_is_not_told_of_it_when_it_is_gone(server: Server) -> None:
    """Lists of the objects older than a minute, or no list, have the same effect."""
    ann, ben = table(server, "pb", "mayflies")
    cem = server.player("ann", "pb")
    ann.ids()
    ann.ask("get_order_queue", ids=[fly(0, 0)])
    cem.ids()
    server.close_turn()
    assert fly(0, 0) not in ann.ids("get_order_queue_ids")
    server.pass_time(LISTED_SECONDS + 1)
    assert fly(0, 0) not in cem.ids("get_order_queue_ids")
    assert list(ben.ids("get_order_queue_ids")) == [ben.home, fly(1, 1)]


# --- old turns, and rules that are not asked


def test_an_order_of_an_old_turn_offers_what_was_chosen(server: Server) -> None:
    """The rules are not asked for what was possible then."""
    ann = table(server)[0]
    gift(ann, 2)
    gift(ann, 1)
    server.close_turn()
    past = server.connect()
    assert past.ask("login", username="ann@first/turn/0", password="ann's word").name == "okay"
    order = past.ask("get_order", id=ann.home, slots=[0]).message
    assert (order.id, order.slot, order.otype, order.turns) == (ann.home, 0, GIFT, 0)
    assert offered(order) == [(1, "choice 1", 2)]
    assert [(one.id, one.number) for one in order.parameters[1].list.selection] == [(1, 2)]
    assert past.ask("get_order", id=ann.home, slots=[1]).message.slot == 1


def test_an_order_without_choices_takes_a_turn_and_a_draft_none(server: Server) -> None:
    """No code of the rules runs for that, so none can fail."""
    ann = table(server, "pb", "auction")[0]
    game = server.game()
    game.fault = (RuntimeError("broken"), "look at an order")
    order = Order(0, ann.home, "Bid", {"gold": 3, "words": "x"}, 1)
    for draft, turns in ((False, 1), (True, 0)):
        frame = orders.order_frame(game, 0, order._replace(draft=draft), 5)
        assert (frame.id, frame.slot, frame.otype, frame.turns) == (ann.home, 5, BID, turns)
        assert (frame.parameters[0].range.value, frame.parameters[1].string.string) == (3, "x")
    with pytest.raises(Refusal):
        orders.order_frame(game, 0, Order(0, ann.home, "Gift", {"to": 3, "coins": [(1, 1)]}, 1), 5)


def test_an_order_that_names_an_object_says_what_it_may_be(server: Server) -> None:
    ann, ben = table(server)
    (param,) = ann.insert(ann.home, Visit.number, target(ben.home)).message.parameters
    assert param.object.object_id == ben.home
    assert list(param.object.valid_types) == [server.game().description.type_of["home"]]


def test_how_long_an_order_takes_is_what_the_rules_say_of_the_world_as_it_is(server: Server) -> None:
    ann = table(server)[0]
    server.close_turn()
    assert gift(ann, 2).message.turns == 3


def test_an_accepted_order_of_an_unknown_type_is_a_fault_of_the_server(server: Server) -> None:
    table(server, ruleset="auction")
    with pytest.raises(LookupError, match="order type 'Sleep' of an accepted order"):
        orders.bare_order_frame(server.game(), Order(0, 2, "Sleep", {}), 0)


# --- orders that an earlier process has put into their queues


def test_an_order_that_was_put_before_is_shown_where_it_stands(server: Server) -> None:
    """Where it was asked for, if one of its type is there, else the last of them."""
    ann = table(server, "pb")[0]
    for coins in (1, 2):
        gift(ann, coins)
    ann.bid(3)
    queue = ann.queue(ann.home)
    for slot, found in ((0, 0), (1, 1), (2, 1), (-1, 1)):
        (payload,) = orders.put_before(ann.session, ann.order(ann.home, GIFT, target(3), chosen((1, 1)), slot=slot))
        ((name, order),) = ann.decoded(ann.dialect.join_payloads(7, [payload]))
        assert name == "order" and order == queue[found]
    (payload,) = orders.put_before(ann.session, ann.order(ann.home, BID, number(9), text("?"), slot=0))
    ((_, order),) = ann.decoded(ann.dialect.join_payloads(7, [payload]))
    assert order == queue[2]


def test_an_order_that_was_put_before_a_turn_that_has_closed_is_shown_as_it_was_sent(server: Server) -> None:
    ann = table(server, "pb")[0]
    ann.bid(3)
    sent = ann.order(ann.home, GIFT, target(3), chosen((1, 1)), slot=4)
    for on in (ann.home, ann.home + 1):
        sent.id = on
        (payload,) = orders.put_before(ann.session, sent)
        ((_, order),) = ann.decoded(ann.dialect.join_payloads(7, [payload]))
        assert order == sent


def test_an_order_that_was_put_before_is_okay_to_old_clients_and_for_players_only(server: Server) -> None:
    ann = table(server, "tp03")[0]
    (payload,) = orders.put_before(ann.session, ann.order(ann.home, BID, number(3), text("")))
    ((name, answer),) = ann.decoded(ann.dialect.join_payloads(7, [payload]))
    assert (name, answer.result) == ("okay", "The order is in the queue")
    eve = server.connect()
    eve.ask("login", username="eve@first/watch", password="word")
    with pytest.raises(orders.RequestError, match="only players can"):
        orders.put_before(eve.session, eve.order(2, BID, number(3), text("")))


def test_the_queue_of_objects_without_one_is_as_old_as_the_game(server: Server) -> None:
    ann = table(server)[0]
    server.pass_time(5)
    (nothing,) = ann.ask("get_order_queue", ids=[0]).things
    assert (nothing.id, nothing.serial, nothing.num_orders) == (0, server.game().modtime, 0)
    assert ann.ids("get_order_queue_ids")[0] == server.game().modtime


def test_a_queue_that_was_listed_and_is_gone_is_as_it_was_listed_and_then_as_it_was_last(server: Server) -> None:
    """In one request: each is answered once."""
    ann = table(server, "pb", "mayflies")[0]
    old = fly(0, 0)
    ann.ids()
    ann.ids("get_order_queue_ids")
    server.close_turn()
    names = ann.ask("get_order_queue", ids=[old, old, old]).names
    assert names == ["sequence_of", "order_queue", "order_queue", "fail"]
