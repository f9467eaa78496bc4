"""Games of a cluster: each is in the memory of one node only.

The node drops the game as soon as another node may have it, and sends no outdated data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine
from twisted.internet.defer import succeed
from twisted.internet.task import Clock

from tests.support.postgres import PATIENT
from tests.support.server_in_memory import LEASE, Server, result_of
from tpproto import tp_pb2 as tp
from tpproto.frames import BY_NAME
from tpproto.stream import RawFrame
from tpserver.cluster.lease import BEAT_SECONDS
from tpserver.cluster.node import Node
from tpserver.games.core import time_notices
from tpserver.games.core.crash_record import Verdict, Verdicts
from tpserver.games.core.errors import GameElsewhere, GameError
from tpserver.games.core.time_left import WARNING
from tpserver.games.hall.cluster_games import DUE_SECONDS
from tpserver.games.hall.load_failures import LoadFailures
from tpserver.games.service import ownership
from tpserver.games.terms.clock import parse_clock
from tpserver.games.turns.suspension import carry_out
from tpserver.notices.contacts import Terms
from tpserver.notices.lanes import Lane
from tpserver.store import Store
from tpserver.store.games import journal, nodes, outbox
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts

OpenServer = Callable[..., Server]
Kill = Callable[[Server], None]


def held(server: Server) -> list[str]:
    return sorted(game.name for game in server.registry.games.values())


def epoch(server: Server) -> int:
    return int(server.store.read(lambda c: c.exec_driver_sql("SELECT epoch FROM games WHERE id = 1").scalar_one()))


def entries(server: Server) -> list[int]:
    return [entry.number for entry in server.store.read(journal.after, 1, 0)]


def test_a_game_is_played_where_it_is_held_and_the_others_say_where(one: Server, two: Server) -> None:
    assert held(one) == ["first"] and held(two) == []
    with pytest.raises(GameElsewhere, match="cannot be played here: it is played on the node at one:6926"):
        two.registry.named("first")
    client = two.connect("pb")
    reply = client.ask("login", username="ann@first", password="ann's word")
    assert reply.name == "fail" and "it is played on another node of this server" in reply.text
    assert held(one) == ["first"] and one.game().started


def test_who_stops_lets_its_games_go(one: Server, two: Server) -> None:
    before = entries(one)
    one.stop()
    game = two.registry.named("first")
    assert game.started and entries(two) == before
    assert [node.address for node in two.store.read(nodes.living)] == ["two:6926"]


@pytest.mark.parametrize("seconds", [-3600, 3600])
def test_who_has_its_clock_set_far_is_no_node_any_more_and_its_games_end_their_turns_in_time(
    one: Server, two: Server, seconds: int
) -> None:
    """It cannot know whether the clock was wrong before, or is now; what it would note is the time of all others.

    By a minute at most clocks may differ, so for less the turns' ends are moved with the clock, as on one server.
    """
    for client in (one.player("ann", "pb", "first"), one.player("ben", "pb", "first")):
        client.hang_up()
    assert one.node is not None
    result_of(one.registry.clock_changes.set_clock(one.game(), parse_clock("interval:600"), "The operator"))
    before, ran = one.game().row.deadline, one.store.read(stored_games.clocks_ran)
    assert before is not None
    was = one.node.id
    one.set_clock(seconds)
    one.registry.clocks.wall_clock.look()
    assert held(one) == [] and not one.node.may_speak() and not one.node.id
    one.registry.clocks.stop()
    assert one.store.read(stored_games.clocks_ran) == ran
    one.pass_time(BEAT_SECONDS)
    assert one.node.id and one.node.id != was
    assert two.registry.named("first").row.deadline == before
    two.set_clock(59)
    two.registry.clocks.wall_clock.look()
    assert two.game().row.deadline == before + 59


def test_what_is_taken_for_a_life_that_is_over_is_not_read(
    one: Server, two: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be in the memory of the next life, which does not hold it."""
    assert one.node is not None
    one.registry.release(one.game())
    old = one.store.fenced(1, epoch(one), one.node.id)
    one.node.clock_was_set(3600.0)
    one.pass_time(BEAT_SECONDS)
    monkeypatch.setattr(one.node, "take_due", lambda now, most: succeed([old]))
    one.pass_time(DUE_SECONDS)
    assert held(one) == []


def test_what_a_lost_game_saves_is_refused_and_nothing_of_it_is_kept(one: Server, two: Server, kill: Kill) -> None:
    """The old lease holder drops the game when it finds out. Its clients are notified, and nothing was acknowledged."""
    ann = one.player("ann", "pb", "first")
    before = entries(one)
    kill(one)
    game = two.registry.named("first")
    reply = ann.ask("finished_turn")
    assert reply.name == "fail" and "could not be saved, so nothing was changed" in reply.text
    assert entries(two) == before and held(one) == [] and held(two) == ["first"]
    assert "The game first is no longer on this server; log in again" in ann.ask("get_time_remaining").text
    two.player("ann", "pb", "first")
    assert result_of(two.registry.store.write(lambda c: None)) is None and not game.saving.stale


def test_a_node_that_was_frozen_says_nothing_from_memory(one: Server, two: Server, kill: Kill) -> None:
    """Another one has gone on with the game: neither a read nor a push is answered from what this one remembers."""
    ann = one.player("ann", "pb", "first")
    assert ann.ask("get_time_remaining").name == "time_remaining"
    kill(one)
    two.registry.named("first")
    one.awake += LEASE  # it wakes up, and has not beaten yet
    reply = ann.ask("get_time_remaining")
    assert reply.name == "fail" and "cut off from its cluster" in reply.text
    assert ann.ask("get_object_ids").name == "fail"
    time_notices.tell_time(one.game(), WARNING, one.now())
    assert ann.pushed == []
    one.pass_time(1)  # now it has
    assert held(one) == []
    assert "The game first is no longer on this server" in ann.ask("get_time_remaining").text
    assert one.node is not None and one.node.may_speak(), "as another node"
    with pytest.raises(GameElsewhere, match="two:6926"):
        one.registry.named("first")


def test_a_long_answer_that_a_node_may_not_end_has_as_many_frames_as_it_said(one: Server) -> None:
    """The connection stays, as its client has everything that was announced, if as refusals."""
    ann = one.player("ann", "tp04", "first")
    kind = BY_NAME["get_player"]
    body = ann.dialect.encode_body(kind.number, tp.GetWithID(ids=[1] * 100))
    pieces = ann.session.answer(RawFrame(ann.dialect, 7, kind.number, body))
    said = [next(pieces)]
    one.awake += LEASE
    said += pieces
    names = [name for _, name, _ in ann.frames(b"".join(said))]
    assert names[0] == "sequence_of" and len(names) == 101 and set(names[1:]) == {"player", "fail"}
    assert not ann.session.closing


def test_who_watches_a_game_that_is_shown_later_is_told_that_another_node_has_it(
    one: Server, two: Server, kill: Kill
) -> None:
    """Otherwise they would see the same old turn forever, as no turn closes here any longer."""
    result_of(ownership.set_watch_delay(one.registry, one.game(), 1, "The operator"))
    eve = one.player("eve", "pb", "first/watch")
    kill(one)
    two.registry.named("first")
    one.awake += LEASE
    one.pass_time(1)
    assert "The game first is no longer on this server; log in again" in eve.ask("get_time_remaining").text


def test_a_lease_that_has_run_out_drops_all_games_also_if_nobody_wants_them(one: Server) -> None:
    old = one.game()
    before = epoch(one)
    one.awake += LEASE
    one.pass_time(1)
    one.pass_time(1)
    assert old.saving.stale and one.registry.games.get(1) is not old
    one.registry.named("first")
    assert epoch(one) > before, "and what the old object still saves is refused"


def test_due_games_of_dead_nodes_are_taken_and_go_on(one: Server, two: Server, kill: Kill) -> None:
    one.create("timed", clock="interval:60")
    one.players(2, "pb", "timed")
    timed = one.game("timed")
    turn = timed.state.turn
    two.pass_time(DUE_SECONDS)
    assert held(two) == [], "it is held, and not due"
    two.pass_time(60)
    assert held(two) == [], "it is held"
    kill(one)
    two.pass_time(DUE_SECONDS)
    assert held(two) == ["timed"]
    two.pass_time(120)  # it got back the time in which nobody held it
    two.settle()
    assert two.game("timed").state.turn > turn
    assert two.store.read(stored_games.by_id, timed.row.id).turn == two.game("timed").state.turn


def test_a_due_game_that_is_taken_twice_at_once_has_one_object(
    one: Server, two: Server, kill: Kill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a second object for the due turn, a player who entered the first one could do nothing any longer."""
    one.create("timed", clock="interval:60")
    one.players(2, "pb", "timed")
    two.pass_time(120)
    kill(one)
    node = two.node
    assert node is not None
    taken = result_of(node.take_due(two.now(), 20))
    assert len(taken) == 1
    ann = two.player("ann", "pb", "timed")
    game = two.game("timed")
    monkeypatch.setattr(node, "take_due", lambda now, most: succeed(taken))
    two.pass_time(DUE_SECONDS)
    assert two.game("timed") is game
    assert ann.ask("get_time_remaining").name == "time_remaining"


def test_a_game_that_cannot_be_read_is_let_go(one: Server, two: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another node may have the ruleset that this one lacks."""
    one.stop()
    with monkeypatch.context() as patch:
        patch.setattr("tpserver.games.hall.directory.too_new", lambda row, rules: "a newer version saved it")
        with pytest.raises(GameError, match="a newer version"):
            two.registry.named("first")
    assert two.store.read(lambda c: c.exec_driver_sql("SELECT node FROM games WHERE id = 1").scalar()) is None


def test_lists_of_games_show_what_other_nodes_have_made_of_them(one: Server, two: Server) -> None:
    assert [row.name for row in two.registry.directory.rows()] == ["first"]
    one.create("second")
    two.settle()
    assert [row.name for row in two.registry.directory.rows()] == ["first", "second"]


def test_what_is_told_of_one_game_reads_no_others(one: Server, two: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other nodes change rows at any time, so nothing is remembered of them for long; but there may be very many."""
    number, names = one.game().row.id, one.registry.directory.seat_names(one.game().row.id)
    read, asked = two.store.read, []

    def counted(fn: Callable[..., Any], *args: Any) -> Any:
        asked.append(fn)
        return read(fn, *args)

    monkeypatch.setattr(two.store, "read", counted)
    assert two.registry.directory.seat_names(number) == names
    outline = two.registry.directory.outline(number)
    assert outline is not None
    assert two.registry.directory.resting(number).title == ""
    assert asked and stored_games.all not in asked


def test_a_game_whose_rules_have_ended_its_server_is_held_by_the_next_one_of_its_cluster(
    one: Server, two: Server, tmp_path: Path, cleared_postgres: str
) -> None:
    """Unless another node has taken it by then: there it goes on."""
    number = one.game().row.id
    one.create("second")
    other = one.game("second").row.id
    one.registry.stop()  # its process is killed: it says nothing to the database
    result_of(one.store.close())
    record = Verdicts(tmp_path)
    record.pending = [Verdict(game, "auction", "its rules ended the server") for game in (number, other)]
    store = Store.open(cleared_postgres, reactor=None, timeouts=PATIENT)
    clock: Any = Clock()
    node = Node(store, clock, "one:6926", "1", LEASE)
    node.bury()
    two.registry.named("second")
    result_of(node.start())
    carry_out(store, record, one.now(), node)
    result_of(node.stop())
    store.close()
    assert {row.name: row.state for row in two.store.read(stored_games.all)} == {"first": "held", "second": "waiting"}
    assert record.pending == []


def test_a_game_whose_rules_have_ended_its_server_is_held_before_others_may_take_it(
    one: Server, two: Server, tmp_path: Path, cleared_postgres: str
) -> None:
    """A client that caused the end of the server repeats its request at the next lease holder."""
    number = one.game().row.id
    one.registry.stop()
    result_of(one.store.close())
    record = Verdicts(tmp_path)
    record.add(Verdict(number, "auction", "its rules ended the server"))
    store = Store.open(cleared_postgres, reactor=None, timeouts=PATIENT)
    clock: Any = Clock()
    node = Node(store, clock, "one:6926", "1", LEASE)
    result_of(node.start())
    carry_out(store, record, one.now(), node, after=["one:6926"])
    with pytest.raises(GameElsewhere):
        two.registry.named("first")
    node.bury("one:6926")
    assert [row.address for row in two.store.read(nodes.living)] == ["two:6926", "one:6926"], "but this one"
    result_of(node.stop())
    store.close()
    assert two.registry.named("first").row.state == "held"


def test_a_game_that_is_about_to_be_held_is_not_taken(one: Server, tmp_path: Path) -> None:
    """By another process of the server, which has the same record of verdicts."""
    assert one.registry.cluster is not None
    result_of(one.registry.cluster.hand_over(one.game()))
    record = Verdicts(tmp_path)
    one.registry.load_failures = LoadFailures(Verdicts(tmp_path), one.registry.steady, one.registry.now)
    record.add(Verdict(1, "auction", "its rules ended the server", 1))
    with pytest.raises(GameElsewhere, match="is about to be held"):
        one.registry.named("first")
    record.carried_out(record.pending)
    assert one.registry.named("first").started


def test_a_notice_is_taken_once_and_by_the_node_that_holds_its_game(
    one: Server, two: Server, kill: Kill, cleared_postgres: str
) -> None:
    """That knows whether its player is there; also while another one is taking notices for the same address."""
    found = one.store.read(stored_accounts.by_name, "ann")
    assert found is not None
    account, now = found.id, one.now() + 100
    one.host.notices.terms = Terms(["json"])
    added = result_of(one.host.notices.add(account, "json", "https://hooks.example/ann", "token"))
    assert result_of(one.host.notices.verify(account, added.id, added.code))
    result_of(one.store.write(lambda c: c.exec_driver_sql("DELETE FROM outbox")))
    one.close_turn()
    assert one.node is not None and two.node is not None
    mine, other, choose = one.node.id, two.node.id, partial(Lane(["json"]).choice, now)
    assert two.store.read(outbox.next_try, ["json"], other) is None

    def taken(server: Server, holder: str | None) -> int:
        return len(result_of(server.store.write(outbox.take, ["json"], choose, 60.0, now, holder))[0])

    assert taken(two, other) == 0
    with create_engine(cleared_postgres).connect() as taking:
        assert len(outbox.take(taking, ["json"], choose, 60.0, now, mine)[0]) == 1
        assert taken(one, mine) == 0, "that is not waited for"
        taking.rollback()
    assert one.store.read(outbox.next_try, ["json"], mine) is not None
    kill(one)
    assert taken(two, other) == 1
    assert taken(two, other) == 0
