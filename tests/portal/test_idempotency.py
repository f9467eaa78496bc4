"""Idempotency across engines: a request is done once and answered.

The next engine answers requests that the last one did but did not answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from tests.portal.portal_in_memory import EdgeClient, EdgeServer
from tests.support import workshop
from tests.support.orders import chosen, order, target, text
from tests.support.server_in_memory import GIFT
from tpproto import tp_pb2 as tp
from tpproto.dialects import TP04
from tpproto.errors import FailCode
from tpproto.frames import BY_NAME
from tpproto.stream import FrameReader, RawFrame
from tpserver.games.core import rules_calls
from tpserver.games.core.errors import GameError
from tpserver.portal.session_state import Carried
from tpserver.requests import retries
from tpserver.requests.retries import ONCE
from tpserver.rules.call_limits import WATCHDOG, Escaped
from tpserver.rules.discovery import Rulesets
from tpserver.store import idempotency

HOME = workshop.YARD
"""The object that carries the orders of ann."""


SAID = retries.OVERTAKEN
OVERTAKEN = ("fail", FailCode.UNAVAILABLE_TEMPORARILY, f"{SAID[0].upper()}{SAID[1:]}.")


def wish(words: str) -> tp.Order:
    return order(HOME, workshop.Wish.number, text(words))


@pytest.fixture
def at(make_server: Callable[..., Any]) -> EdgeServer:
    """A portal whose server has taken over, with a game of ann and ben that allows many orders."""
    server = make_server(found=Rulesets({workshop.RULESET.name: workshop.RULESET}, {}))
    return EdgeServer.with_a_game(server, ruleset="workshop")


def answered_by_the_next(at: EdgeServer, sequence: int, client: EdgeClient) -> list[tuple[str, Any]]:
    """The answer to a request that was done by a server whose answer is lost."""
    at.lose_answers()
    assert not client.answers(sequence)
    at.replace()
    return client.answers(sequence)


def queue(at: EdgeServer) -> list[Any]:
    return list(at.server.game().state.queues.get(HOME, ()))


def test_an_order_is_inserted_once(at: EdgeServer, dialect: str) -> None:
    ann = at.connect(dialect, name="ann")
    for gold in (1, 2):
        (name, _message), *more = answered_by_the_next(at, ann.say("order_insert", wish(f"wish {gold}")), ann)
        assert not more
        assert name == ("okay" if dialect == "tp03" else "order")
    assert len(queue(at)) == 2


def test_the_order_is_shown_in_its_real_slot(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    ann.say("order_insert", wish("1"))
    at.pump()
    ((_, shown),) = answered_by_the_next(at, ann.say("order_insert", wish("7")), ann)
    assert (shown.slot, shown.parameters[0].string.string) == (1, "7")


def test_an_order_at_which_the_rules_fail_was_not_done(at: EdgeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The suspension of the game was saved, but it is no change of the request, which is not reported as done."""

    def escape(*_: object, **__: object) -> NoReturn:
        raise Escaped("SystemExit")

    ann = at.connect(name="ann")
    asked = ann.say("order_insert", wish("1"))
    with monkeypatch.context() as patch:
        patch.setattr(WATCHDOG, "call", escape)
        at.lose_answers()
    at.replace()
    ((name, failed),) = ann.answers(asked)
    assert (name, at.server.game().row.state) == ("fail", "held")
    assert "is held" in failed.result and not queue(at)


def test_an_order_that_was_given_is_shown_though_the_rules_have_failed_since(make_server: Callable[..., Any]) -> None:
    """They are not asked what else could be chosen; to refuse what was done would be wrong."""
    at = EdgeServer.with_a_game(make_server())
    ann = at.connect(name="ann")
    asked = ann.say("order_insert", order(2, GIFT, target(3), chosen((1, 2))))
    at.lose_answers()
    at.server = at.server.restarted()
    rules_calls.broke(at.server.game(), MemoryError(), "go on")
    at.begin()
    assert at.server.game().row.state == "held"
    ((name, shown),) = ann.answers(asked)
    assert (name, shown.slot, shown.parameters[1].list.selection[0].number) == ("order", 0, 2)


@pytest.mark.parametrize("was_done", [False, True])
def test_what_was_done_is_not_refused_as_if_it_were_not_where_the_session_cannot_go_on(
    at: EdgeServer, monkeypatch: pytest.MonkeyPatch, was_done: bool
) -> None:
    """The next server cannot load the game. What was not done is refused as ever."""

    def fail(*_: object) -> NoReturn:
        raise GameError("game 'game' cannot be loaded")

    ann = at.connect(name="ann")
    asked = ann.say("order_insert", wish("1")) if was_done else ann.post("remove_order", id=HOME, slots=[5])
    at.lose_answers()
    at.server = at.server.restarted()
    with monkeypatch.context() as patch:
        patch.setattr(at.server.registry, "with_id", fail)
        at.begin()
    ((name, said),) = ann.answers(asked)
    assert (name, said.code) == ("fail", FailCode.PERMISSION_DENIED)
    assert said.result == ("This was done, but game" if was_done else "Game") + " 'game' cannot be loaded."


def test_what_was_not_saved_is_done_by_the_next(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    asked = ann.say("order_insert", wish("3"))
    at.kill()
    at.replace()
    assert [name for name, _ in ann.answers(asked)] == ["order"]
    assert len(queue(at)) == 1


def test_a_turn_is_finished_once_even_if_it_has_passed(at: EdgeServer) -> None:
    ann, ben = at.connect(name="ann"), at.connect(name="ben")
    assert ben.ask("finished_turn").name == "okay"
    turn = at.server.game().state.turn
    (name, _), *_ = answered_by_the_next(at, ann.post("finished_turn"), ann)
    assert name == "okay"
    assert at.server.game().state.turn == turn + 1
    assert not at.server.game().finished


def test_what_was_meant_for_a_turn_that_has_passed_is_not_done_in_the_next(at: EdgeServer, dialect: str) -> None:
    """The client had not seen that turn when it finished or gave an order. A message belongs to no turn."""
    ann = at.connect(dialect, name="ann")
    asked = [ann.post("finished_turn"), ann.say("order_insert", wish("late"))]
    posted = ann.post("post_message", id=2, slot=-1, subject="Hello", body="World")
    at.kill()
    at.server.close_turn()
    at.replace()
    for one in asked:
        ((name, refused),) = ann.answers(one)
        assert (name, refused.code) == ("fail", FailCode.UNAVAILABLE_TEMPORARILY)
        assert "ended" in refused.result
    assert [name for name, _ in ann.answers(posted)] == ["okay"]
    assert not at.server.game().finished
    assert not queue(at)
    assert ann.ask("finished_turn").name == "okay"


def test_a_letter_is_posted_once(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    posted = ann.post("post_message", id=2, slot=-1, subject="Hello", body="there")
    assert [name for name, _ in answered_by_the_next(at, posted, ann)] == ["okay"]
    board = at.server.game().boards[2]
    assert len(board) == 2  # the first is of the server


def test_orders_are_removed_once(at: EdgeServer) -> None:
    ann = at.connect("pb", name="ann")
    for word in "abcde":
        asked = ann.say("order_insert", wish(word))
        at.pump()
        assert [name for name, _ in ann.answers(asked)] == ["order"]
    frames = answered_by_the_next(at, ann.post("remove_order", id=HOME, slots=[0, 0, 0]), ann)
    assert [name for name, _ in frames] == ["sequence_of", *["okay"] * 3]
    assert [one.args["Words"] for one in queue(at)] == ["d", "e"]


def test_a_refusal_is_told_again_though_the_journal_was_compacted_before_it(at: EdgeServer) -> None:
    """That was saved while the request was answered, and is not what it has asked for."""
    ann = at.connect("pb", name="ann")
    at.server.game().most_entries = 2
    for name, fields in (("order_insert", wish("a")), ("remove_order", tp.GetWithIDSlot(id=HOME, slots=[0]))):
        ann.say(name, fields)
        at.pump()
    frames = answered_by_the_next(at, ann.post("remove_order", id=HOME, slots=[5]), ann)
    assert [name for name, _ in frames][-1] == "fail"


def test_only_what_was_asked_for_counts_as_done(at: EdgeServer) -> None:
    """Not that an absent player is back, nor the turn that closes as the last one has finished."""
    ann, ben = at.connect("pb", name="ann"), at.connect("pb", name="ben")
    player = at.server.game().players[0]
    player.record = replace(player.record, autopilot=3)
    for client in (ann, ben):
        client.post("finished_turn")
        at.pump()
    assert at.server.game().state.turn == 1
    assert not player.record.autopilot
    counts = at.server.store.read(lambda c: c.exec_driver_sql("SELECT changes FROM done_requests").scalars().all())
    assert counts == [1, 1]


def test_slots_that_a_server_did_not_come_to_are_told(at: EdgeServer) -> None:
    ann = at.connect("tp04", name="ann")
    body = TP04.encode_body(BY_NAME["remove_order"].number, tp.GetWithIDSlot(id=HOME, slots=[0] * 5))
    frame = RawFrame(TP04, 7, BY_NAME["remove_order"].number, body)
    told = FrameReader(dialect=TP04).feed(retries.answer(ann.session, frame, 2))
    names = [TP04.kind(one.kind).field for one in told if isinstance(one, RawFrame)]
    assert names == ["sequence_of", "okay", "okay", "fail", "fail", "fail"]


def test_accounts_and_games_are_made_once(at: EdgeServer) -> None:
    new = at.connect()
    made = new.post("create_account", username="eve", password="eve's word")
    assert [name for name, _ in answered_by_the_next(at, made, new)] == ["okay"]
    ann = at.connect("pb", name="ann")
    made = ann.post("create_game", name="second", ruleset="workshop", seats=2)
    assert [name for name, _ in answered_by_the_next(at, made, ann)] == ["okay"]
    assert at.server.game("second").seat_of(ann.session.account_id or 0) == 0


def test_a_token_that_nobody_was_told_is_not_made_twice(at: EdgeServer) -> None:
    ann = at.connect("pb", name="ann")
    asked = ann.post("create_token", label="program", days=3)
    ((name, message),) = answered_by_the_next(at, asked, ann)
    assert (name, message.code) == ("fail", FailCode.UNAVAILABLE_TEMPORARILY)
    assert "done" in message.result
    assert len(ann.ask("get_tokens").message.tokens) == 1


def test_a_login_is_done_again(at: EdgeServer) -> None:
    ann = at.connect()
    asked = ann.post("login", username="ann", password="ann's word")
    assert [name for name, _ in answered_by_the_next(at, asked, ann)] == ["okay"]
    assert ann.session.seat == 0


@pytest.mark.parametrize("username", ["ann", "ANN@First", "ann@tp"])
def test_a_login_whose_answer_was_lost_is_answered_though_its_session_goes_on_logged_in(
    at: EdgeServer, dialect: str, username: str
) -> None:
    """Frames of a game may have come over the link before the response, and with them the name of the account."""
    ann = at.connect(dialect)
    asked = ann.post("login", username=username, password="ann's word")
    at.clock.advance(0)
    for data in at.link.transports[0].written:
        at.link.ends[1].dataReceived(data)
    at.link.transports[0].written.clear()
    at.server.settle()
    (relay,) = at.holder.relays.values()
    ann.transport.protocol.session.take_state(Carried().news(relay.session))
    at.link.transports[1].written.clear()
    at.kill()
    at.replace()
    assert [name for name, _ in ann.answers(asked)] == ["okay"]
    assert ann.ask("finished_turn").name == "okay"


@pytest.mark.parametrize("username", ["ben", "ann@another", "ben@first"])
def test_a_second_login_of_a_connection_is_refused_as_ever(at: EdgeServer, username: str) -> None:
    ann = at.connect(name="ann")
    asked = ann.post("login", username=username, password="ann's word")
    ((name, refused),) = answered_by_the_next(at, asked, ann)
    assert (name, refused.code) == ("fail", FailCode.UNAVAILABLE_PERMANENTLY)


def test_what_was_refused_is_refused_again(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    asked = ann.post("remove_order", id=HOME, slots=[5])
    frames = answered_by_the_next(at, asked, ann)
    assert [name for name, _ in frames][-1] == "fail"


def test_what_was_refused_is_not_done_behind_what_was_asked_later(at: EdgeServer, dialect: str) -> None:
    """The later order has made room for the earlier one, whose refusal was lost on the way."""
    ann = at.connect(dialect, name="ann")
    refused = ann.say("order_insert", order(HOME, workshop.Wish.number, text("first"), slot=1))
    done = ann.say("order_insert", wish("second"))
    frames = answered_by_the_next(at, refused, ann)
    assert [(name, told.code, told.result) for name, told in frames] == [OVERTAKEN]
    assert [name for name, _ in ann.answers(done)] == ["okay" if dialect == "tp03" else "order"]
    assert [one.args["Words"] for one in queue(at)] == ["second"]


def test_nor_behind_what_is_being_saved(make_server: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The same server, which is asked again over another link while its disk is slow."""
    server = make_server(found=Rulesets({workshop.RULESET.name: workshop.RULESET}, {}), delayed=True)
    at = EdgeServer.with_a_game(server, ruleset="workshop")
    ann = at.connect(name="ann")
    refused = ann.say("order_insert", order(HOME, workshop.Wish.number, text("first"), slot=1))
    done = ann.say("order_insert", wish("second"))
    server.disk.at_once = False
    at.lose_answers()
    make, answering = at.make_holder, at.holder.answering

    def another() -> Any:
        holder = make()
        holder.answering = answering
        return holder

    monkeypatch.setattr(at, "make_holder", another)
    at.begin()
    server.disk.at_once = True
    server.disk.commit()
    at.pump()
    assert [(name, told.code, told.result) for name, told in ann.answers(refused)] == [OVERTAKEN]
    assert [name for name, _ in ann.answers(done)] == ["order"]
    assert [one.args["Words"] for one in queue(at)] == ["second"]


def test_what_was_refused_is_tried_again_where_nothing_came_of_what_was_asked_later(at: EdgeServer) -> None:
    ann, ben = at.connect(name="ann"), at.connect(name="ben")
    refused = [ann.say("order_insert", order(HOME, workshop.Wish.number, text(one), slot=1)) for one in ("1", "2")]
    asked = ben.post("finished_turn")
    at.lose_answers()
    at.replace()
    assert [[name for name, _ in ann.answers(one)] for one in refused] == [["fail"], ["fail"]]
    assert all(told.result != OVERTAKEN[2] for one in refused for _, told in ann.answers(one))
    assert [name for name, _ in ben.answers(asked)] == ["okay"]


def test_ids_are_those_of_an_edge_a_connection_and_a_request(at: EdgeServer) -> None:
    ann, ben = at.connect(name="ann"), at.connect(name="ben")
    ann.say("order_insert", wish("1"))
    at.pump()
    sent = at.server.store.read(lambda c: c.exec_driver_sql("SELECT id FROM done_requests").scalars().all())
    assert sent == [f"{at.edge.id}:1:{2}"]
    assert at.server.store.read(idempotency.changes_of, sent[0]) >= 1
    assert ben.ask("finished_turn").name == "okay"
    at.server.pass_time(idempotency.KEPT_SECONDS / 2)
    assert at.server.store.read(idempotency.changes_of, sent[0])


def test_requests_without_an_edge_leave_no_trace(at: EdgeServer) -> None:
    assert at.server.player("ann").say("order_insert", wish("4")).name == "order"
    assert not at.server.store.read(lambda c: c.exec_driver_sql("SELECT id FROM done_requests").scalars().all())


@pytest.mark.parametrize("name", ["login", "enter_game", "get_my_games", "keep_login", "set_filters", "get_order"])
def test_reads_and_logins_are_not_among_those_that_are_done_once(name: str) -> None:
    assert BY_NAME[name].number not in ONCE


@pytest.mark.parametrize(
    "name", ["order_insert", "vote", "take_seat", "change_password", "create_account", "administer"]
)
def test_changes_are_among_those_that_are_done_once(name: str) -> None:
    assert BY_NAME[name].number in ONCE


def test_that_a_game_wakes_for_an_order_is_no_change_of_the_order(at: EdgeServer) -> None:
    """It is saved before: if the process died in between, the order would count as given."""
    ann = at.connect("pb", name="ann")
    at.server.game().at_rest = ("{}", None)
    asked = ann.say("order_insert", wish("gold"))
    at.pump()
    assert [name for name, _ in ann.answers(asked)] == ["order"]
    (connection,) = at.holder.relays
    request = f"{at.edge.id}:{connection}:{asked}"
    assert at.server.store.read(idempotency.changes_of, request) == 1
