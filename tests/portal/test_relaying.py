"""Requests through the link: the same responses as without a portal.

They continue with the next engine.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from tests.portal.portal_in_memory import EdgeServer
from tests.support.orders import number, order, text
from tests.support.server_in_memory import Server, result_of
from tpproto.errors import FailCode
from tpserver.games.core.time_left import TIMER_STARTED
from tpserver.games.seats.presence import plays_there
from tpserver.games.service import ownership
from tpserver.games.stored.history import PastGame
from tpserver.games.terms.delay import UNWATCHED
from tpserver.portal.framing import LENGTH_BYTES
from tpserver.portal.portal_session import KEPT_BYTES, PATIENCE, PIPELINE
from tpserver.store.people import accounts as stored_accounts
from tpserver.wire.net.limits import Limits


def bid(gold: int, words: str = "") -> Any:
    return order(2, 1, number(gold), text(words))


def test_answers_are_those_of_the_server(at: EdgeServer, dialect: str) -> None:
    ann = at.connect(dialect, name="ann")
    direct = at.server.player("ben", dialect)
    for name, fields in (
        ("ping", {}),
        ("get_features", {}),
        ("get_object_ids", {"key": -1, "amount": -1, "fromtime": -1}),
        ("get_objects_by_id", {"ids": [0, 1, 99]}),
        ("get_order_desc", {"ids": [1, 2]}),
    ):
        assert [*ann.ask(name, **fields)] == [*direct.ask(name, **fields)]


def test_client_goes_on_after_a_restart(at: EdgeServer, dialect: str) -> None:
    ann, ben = at.connect(dialect, name="ann"), at.connect(dialect, name="ben")
    for _ in range(3):
        at.restart()
        assert ann.session.account is not None
        assert ann.session.account.name == "ann"
        assert ann.session.seat == 0
        assert ann.ask("get_objects_by_id", ids=[2]).names[-1].endswith("object")
        assert ben.session.seat == 1
    assert not ann.transport.disconnecting


def test_a_process_that_leaves_does_not_come_again_and_again_to_what_it_does_not_answer_any_more(
    make_server: Callable[..., Any],
) -> None:
    """A request that waits behind another one is for the next process; nothing is to be done for it here."""
    at = EdgeServer.with_a_game(make_server(delayed=True))
    at.limits = Limits(pipeline=1)
    at.restart()
    at.server.disk.at_once = True
    ann = at.connect(name="ann")
    at.server.disk.at_once = False
    first, second = ann.say("order_insert", bid(1)), ann.post("ping")
    at.pump()
    at.holder.leave()
    moments = count()
    at.holder.scheduler.seconds = lambda: next(moments) / 1000  # so that who does nothing comes to the end of its time
    at.server.disk.commit()
    assert not any(relay.queued for relay in at.holder.relays.values())
    at.pump()
    assert [name for name, _ in ann.answers(first)] == ["order"]
    assert ann.answers(second) == []


def test_spectators_old_turns_and_logins_without_a_game_go_on(at: EdgeServer) -> None:
    at.connect(name="ann")
    at.connect(name="ben")
    at.server.close_turn()
    watcher = at.connect(name="cem", game="first/watch")
    looker = at.connect(name="ann", game="first/turn/0")
    outside = at.connect("pb")
    assert outside.ask("login_account", username="dan", password="dan's word").name == "account"
    at.restart()
    assert watcher.session.seat is None
    assert watcher.session.game is at.server.game()
    assert looker.ask("post_message", id=0, slot=-1).code == FailCode.PERMISSION_DENIED
    assert looker.session.game is not None
    assert (looker.session.game.turn, looker.session.seat) == (0, 0)
    assert outside.session.account is not None
    assert outside.session.game is None


@pytest.fixture
def late(make_server: Callable[..., Any]) -> EdgeServer:
    """A portal whose server has a game of ann and ben that is in its turn 2 and delayed by one turn."""
    server = make_server()
    server.create(watch_delay=1, options={"rounds": 9})
    for player in server.players():
        player.hang_up()
    for _ in range(2):
        server.close_turn()
    edge = EdgeServer(server)
    edge.begin()
    return edge


def test_who_watches_a_game_that_is_shown_later_goes_on_as_late(late: EdgeServer, dialect: str) -> None:
    """The spectator sees the turn that is due then and the next ones, each announced once, and may write."""
    eve = late.connect(dialect, name="eve", game="first/watch")

    def seen() -> tuple[bool, int]:
        game = eve.session.game
        assert isinstance(game, PastGame)
        return game.is_watched, game.turn

    assert seen() == (True, 1)
    late.restart()
    assert seen() == (True, 1)
    assert not eve.pushed()
    late.kill()
    late.server.close_turn()
    late.replace()
    assert seen() == (True, 2)
    assert len(eve.pushed()) == 1
    late.server.close_turn()
    late.pump()
    assert seen() == (True, 3)
    assert eve.ask("post_message", id=0, slot=-1, subject="Well", body="played").name == "okay"


def test_who_watches_before_the_first_turn_is_shown_goes_on(make_server: Callable[..., Any]) -> None:
    server = make_server()
    server.create(watch_delay=2, options={"rounds": 9})
    server.players()
    late = EdgeServer(server)
    late.begin()
    eve = late.connect("pb", name="eve", game="first/watch")
    late.restart()
    assert not eve.pushed()
    assert eve.ask("get_time_remaining").message.watch_delay == 2
    for turn in (1, 2):
        late.server.close_turn()
        late.pump()
        assert [message.present_turn for _, message in eve.pushed()] == [turn]
    assert eve.session.game is not None
    assert eve.session.game.started


@pytest.mark.parametrize("delay", [1, UNWATCHED])
def test_a_spectator_does_not_see_the_present_again_when_it_was_hidden_meanwhile(at: EdgeServer, delay: int) -> None:
    """Its session was ended, but the server was killed before it could send the reason."""
    eve = at.connect(name="eve", game="first/watch")
    result_of(ownership.set_watch_delay(at.server.registry, at.server.game(), delay, "The operator"))
    at.kill()
    at.replace()
    game = eve.session.game
    assert game is None or (isinstance(game, PastGame) and not game.started)


def test_who_has_taken_a_seat_does_not_go_on_as_a_spectator_of_an_old_turn(make_server: Callable[..., Any]) -> None:
    """It does not become a player, either. It is asked to log in again."""
    server = make_server()
    server.create(options={"rounds": 9})
    server.players()
    server.close_turn()
    at = EdgeServer(server)
    at.begin()
    looker = at.connect("pb", name="eve", game="first/turn/0")
    changes = server.registry.seat_changes
    result_of(changes.remove_player(server.game(), 1, "The operator"))
    account = server.store.read(stored_accounts.by_name, "eve")
    result_of(changes.take_over(server.game(), 1, account.id, "eve"))
    at.kill()
    at.replace()
    reply = looker.ask("get_objects_by_id", ids=[2])
    assert reply.code == FailCode.PERMISSION_DENIED
    assert plays_there("first")[1:] in reply.text


def test_requests_without_a_server_are_answered_by_the_next(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    at.kill()
    asked = [ann.post("ping"), ann.post("get_objects_by_id", ids=[2])]
    assert not ann.answers(asked[0])
    at.replace()
    assert [[name for name, _ in ann.answers(one)] for one in asked] == [["okay"], ["sequence_of", "object"]]


def test_answers_that_were_sent_before_a_kill_are_not_asked_again(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    asked = ann.post("ping")
    at.link.ends[1].dataReceived(b"".join(at.link.transports[0].written))
    at.link.transports[0].written.clear()
    at.kill()
    assert [name for name, _ in ann.answers(asked)] == ["okay"]
    at.replace()
    assert len(ann.answers(asked)) == 1


def test_a_list_is_paged_through_a_restart(at: EdgeServer) -> None:
    ann = at.connect("tp04", name="ann")
    first = ann.ask("get_object_ids", key=-1, start=0, amount=1, fromtime=-1).message
    assert first.remaining
    done = ann.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=-1).message
    at.restart()
    rest = ann.ask("get_object_ids", key=first.key, start=1, amount=-1).message
    assert [pair.id for pair in rest.ids] == [pair.id for pair in done.ids][1:]
    assert ann.ask("get_object_ids", key=done.key, start=0, amount=-1).code == FailCode.NO_SUCH_THING
    assert ann.ask("get_object_ids", key=-1, amount=0, fromtime=-1).message.key > done.key


def test_who_was_locked_out_meanwhile_is_told(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    at.kill()
    at.server.stop()
    server = Server(at.server.path)
    server.store.write(lambda c: c.exec_driver_sql("UPDATE accounts SET password_hash = 'other'"))
    server.stop()
    at.replace()
    reply = ann.ask("ping")
    assert reply.code == FailCode.PERMISSION_DENIED
    assert "changed" in reply.text
    assert ann.transport.is_ending


def test_a_turn_that_has_passed_is_told_once(at: EdgeServer) -> None:
    ann, ben = at.connect(name="ann"), at.connect(name="ben")
    at.server.close_turn()
    at.pump()
    assert ann.pushed()
    assert ben.pushed()
    at.restart()
    assert not ann.pushed()
    at.kill()
    at.server.close_turn()  # committed, and told to nobody
    at.replace()
    for player in (ann, ben):
        assert [(message.turn, message.reason) for _, message in player.pushed()] == [(2, TIMER_STARTED)]


def test_a_long_answer_that_was_cut_ends_with_refusals(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    asked = ann.post("get_objects_by_id", ids=[2] * 100)
    for data in at.link.transports[0].written:
        at.link.ends[1].dataReceived(data)
    at.link.transports[0].written.clear()
    (written,), at.link.transports[1].written = at.link.transports[1].written, []
    first = LENGTH_BYTES + int.from_bytes(written[:LENGTH_BYTES], "big")
    assert len(written) > 2 * first
    at.link.ends[0].dataReceived(written[:first])
    at.kill()
    frames = ann.answers(asked)
    assert frames[0][0] == "sequence_of"
    assert frames[0][1].number == len(frames) - 1 == 100
    assert {name for name, _ in frames[1:]} == {"object", "fail"}
    at.replace()
    assert len(ann.answers(asked)) == 101
    assert ann.ask("ping").name == "okay"


def test_no_more_is_sent_than_a_client_reads(make_server: Callable[..., Any]) -> None:
    server = make_server()
    server.create()
    server.players()
    at = EdgeServer(server, Limits(pause_bytes=16 * 1024))
    at.begin()
    ann = at.connect(name="ann")
    ann.transport.room = 1000
    asked = [ann.post("get_objects_by_id", ids=[2] * 1000) for _ in range(20)]
    at.pump()
    relay = next(iter(at.holder.relays.values()))
    unsent = at.connections.memory.total - ann.transport.protocol.session.kept_bytes
    assert unsent < 16 * 1024 + 2 * 64 * 1024
    assert relay.is_busy
    for _ in range(10_000):
        if len(ann.answers(asked[-1])) == 1001:
            break
        at.clock.advance(0)
        at.pump()
    assert [len(ann.answers(one)) for one in asked] == [1001] * 20


def test_requests_that_wait_for_a_server_are_bounded(at: EdgeServer) -> None:
    ann = at.connect("pb", name="ann")
    at.kill()
    for _ in range(50):
        ann.post("post_message", id=1, slot=-1, subject="x", body="y" * 20_000)
        at.clock.advance(0)
    connection = ann.transport.protocol
    assert KEPT_BYTES < connection.session.kept_bytes < KEPT_BYTES + 20_200
    assert connection.is_paused
    assert at.connections.memory.total >= connection.session.kept_bytes
    at.replace()
    for _ in range(100):
        at.clock.advance(0)
        at.pump()
    assert not connection.is_paused
    assert sum(name == "okay" for _, name, _ in ann.told) <= 51
    ann.hear()
    assert len(ann.told) == 51


def test_a_client_that_asks_more_than_a_holder_takes_waits(make_server: Callable[..., Any]) -> None:
    """Whatever `limits.pipeline` says; else the holder would close the link, and so all connections."""
    server = make_server()
    server.create()
    server.players()
    at = EdgeServer(server, Limits(pipeline=10 * PIPELINE))
    at.begin()
    ann = at.connect("pb", name="ann")
    at.kill()
    asked = [ann.post("ping") for _ in range(PIPELINE + 100)]
    at.clock.advance(0)
    assert len(ann.transport.protocol.session.unanswered) == PIPELINE
    at.replace()
    for _ in range(10):
        at.clock.advance(0)
        at.pump()
    assert at.link.is_open and all(ann.answers(number) for number in asked)


def test_clients_are_told_when_no_server_comes_back(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    at.kill()
    asked = ann.post("ping")
    at.clock.advance(PATIENCE - 1)
    assert not ann.answers(asked)
    at.clock.advance(1)
    ((name, message),) = ann.answers(asked)
    assert (name, message.code) == ("fail", FailCode.UNAVAILABLE_TEMPORARILY)
    later = ann.post("ping")
    assert [name for name, _ in ann.answers(later)] == ["fail"]
    at.replace()
    assert len(ann.answers(asked)) == 1
    assert ann.ask("get_objects_by_id", ids=[2]).names[-1].endswith("object")


def test_frames_after_set_filters_are_read_in_the_other_form(at: EdgeServer) -> None:
    ann = at.connect("padded", name="ann")
    assert ann.ask("get_objects_by_id", ids=[2]).names[-1].endswith("object")
    at.restart()
    assert ann.ask("get_objects_by_id", ids=[2]).names[-1].endswith("object")


def test_a_session_that_is_ended_closes_the_connection(at: EdgeServer) -> None:
    ann = at.connect(name="ann")
    ann.session.end("out")
    first, second = ann.post("ping"), ann.post("ping")
    at.pump()
    assert [message.result for _, message in ann.answers(first)] == ["Out."]
    assert not ann.answers(second)
    assert ann.transport.is_ending


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_a_client_that_is_gone_is_not_resumed(at: EdgeServer, how: str) -> None:
    ann = at.connect(name="ann")
    session = ann.session
    ann.transport.hang_up()
    at.pump()
    assert session.gone
    at.restart()
    assert not at.holder.relays


def test_a_request_is_for_the_turn_of_which_its_client_knew_when_it_asked(at: EdgeServer) -> None:
    """It gets the frame about the next turn before the process dies, which has not read the request."""
    ann = at.connect("pb", name="ann")
    asked = ann.post("finished_turn")
    at.server.close_turn()
    at.server.settle()
    pushed, at.link.transports[1].written = at.link.transports[1].written, []
    for data in pushed:
        at.link.ends[0].dataReceived(data)
    assert [left.turn for _, left in ann.pushed()][-1:] == [1]
    at.kill()
    at.replace()
    ((name, failed),) = ann.answers(asked)
    assert (name, "the turn ended before" in failed.result.lower()) == ("fail", True)
    assert ann.ask("finished_turn").name == "okay"
