"""Routing in a cluster: any node takes any client.

The session is at the node that holds its game, and moves with the game.
"""

from __future__ import annotations

from contextvars import copy_context
from dataclasses import replace
from typing import Any, NoReturn

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ConnectionDone
from twisted.python.failure import Failure

from tests.portal.nodes_in_memory import ClusterInMemory, NodeInMemory
from tests.portal.portal_in_memory import LinkTransport
from tests.support.orders import chosen, number, order, target, text
from tests.support.server_in_memory import LEASE, result_of, rulesets
from tpproto.errors import FailCode
from tpserver.accounts.accounts import NotAdmitted
from tpserver.cluster.node import HeldElsewhere
from tpserver.concurrency import Throttle
from tpserver.games.core.errors import GameElsewhere
from tpserver.games.core.time_left import TIMER_STARTED
from tpserver.portal import link_pb2 as link
from tpserver.portal.framing import VERSION, packed
from tpserver.portal.routing import NOT_REACHED, PATIENCE
from tpserver.requests.session.pipeline import NO_NODE
from tpserver.store import FencedStore, JournalEntry, StoreError
from tpserver.store.games import journal
from tpserver.store.games import rows as stored_games
from tpserver.wire.net.errors import HolderAway


def bid(gold: int, words: str = "") -> Any:
    return order(2, 1, number(gold), text(words))


@pytest.fixture
def one(cluster: ClusterInMemory) -> NodeInMemory:
    """The node that holds "first", a game of ann and ben which has begun."""
    node = cluster.add("one")
    node.server.create()
    for player in node.server.players(2, "pb", "first"):
        player.hang_up()
    node.server.settle()
    return node


@pytest.fixture
def two(cluster: ClusterInMemory, one: NodeInMemory) -> NodeInMemory:
    """Another node."""
    return cluster.add("two")


def held(node: NodeInMemory) -> list[str]:
    return sorted(game.name for game in node.server.registry.games.values())


def entries(node: NodeInMemory) -> list[str]:
    return [entry.kind for entry in node.server.store.read(journal.after, 1, 0)]


def test_a_client_of_any_node_plays_in_every_dialect(one: NodeInMemory, two: NodeInMemory, dialect: str) -> None:
    ann = two.connect(dialect, name="ann", game="first")
    direct = one.connect(dialect, name="ben", game="first")
    assert held(two) == []
    for name, fields in (
        ("ping", {}),
        ("get_object_ids", {"key": -1, "amount": -1, "fromtime": -1}),
        ("get_objects_by_id", {"ids": [0, 1, 99]}),
        ("get_order_desc", {"ids": [1, 2]}),
    ):
        assert [*ann.ask(name, **fields)] == [*direct.ask(name, **fields)]
    ann.pushed()
    one.server.close_turn()
    two.pump()
    left = ann.pushed()[-1][1]
    assert (left.reason, left.turn) == (0 if dialect == "tp03" else TIMER_STARTED, 0 if dialect == "tp03" else 1)
    assert ann.ask("get_objects_by_id", ids=[2]).names[-1].endswith("object")


def test_a_wrong_password_is_refused_as_it_is_where_the_game_is(one: NodeInMemory, two: NodeInMemory) -> None:
    here, there = one.connect("pb"), two.connect("pb")
    refusals = [client.ask("login", username="ann@first", password="guessed") for client in (here, there)]
    assert [*refusals[0]] == [*refusals[1]]
    assert there.ask("login", username="ann@first", password="ann's word").name == "okay"


def test_an_order_that_was_done_and_whose_answer_was_lost_is_not_done_again(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    ann = two.connect("pb", name="ann", game="first")
    before = entries(one)
    asked = ann.say("order_insert", bid(3))
    two.server.settle()
    cluster.kill(one, answers_are_lost=True)
    cluster.expire(one)
    cluster.pass_time(1)
    (answer,) = ann.answers(asked)
    assert answer[0] == "order"
    assert held(two) == ["first"] and entries(two) == [*before, "insert"]
    assert ann.ask("get_order", id=2, slots=[0]).name == "order"


def test_an_order_that_was_lost_with_its_node_is_done_by_the_next(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """The next node is this one, or a third that has taken the game meanwhile."""
    three = cluster.add("three")
    ann, ben = two.connect("tp03", name="ann", game="first"), three.connect("tp04", name="ben", game="first")
    before = entries(one)
    asked = [
        client.say("order_insert", order(2 + seat, 1, number(3), text(""))) for seat, client in enumerate((ann, ben))
    ]
    for node in (two, three):
        node.server.settle()
    cluster.kill(one)
    cluster.expire(one)
    cluster.pass_time(1)
    for client, sequence in zip((ann, ben), asked, strict=True):
        assert [name for name, _ in client.answers(sequence)] in (["okay"], ["order"])
    assert sorted(held(two) + held(three)) == ["first"]
    assert entries(two) == [*before, "insert", "insert"]


def test_requests_wait_until_the_lease_of_the_dead_node_is_over(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    ann = two.connect("pb", name="ann", game="first")
    cluster.kill(one)
    asked = ann.post("get_time_remaining")
    cluster.pass_time(3)
    assert ann.answers(asked) == [] and held(two) == []
    cluster.expire(one)
    cluster.pass_time(0.5)
    assert [name for name, _ in ann.answers(asked)] == ["time_remaining"]


@pytest.mark.thorough
def test_many_sessions_that_wait_for_a_game_ask_together(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None of them reads by itself what has not changed: thousands would keep the node from renewing its lease."""
    clients = [two.connect("pb", name="ann", game="first") for _ in range(20)]
    cluster.kill(one)
    two.pump()
    read, reads = two.server.store.read, []

    def counted(unit: Any, *words: Any) -> Any:
        reads.append(unit.__name__)
        return read(unit, *words)

    monkeypatch.setattr(two.server.store, "read", counted)
    cluster.pass_time(2)
    assert 0 < reads.count("holders_of") <= 60 and "by_id" not in reads, reads
    monkeypatch.undo()
    asked = [client.post("get_time_remaining") for client in clients]
    cluster.expire(one)
    cluster.pass_time(5)
    assert [client.answers(number)[0][0] for client, number in zip(clients, asked, strict=True)] == [
        "time_remaining"
    ] * len(clients)


@pytest.mark.thorough
@pytest.mark.parametrize("slow", ["two", "three"])
def test_sessions_go_on_a_few_at_a_time(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, slow: str
) -> None:
    """Others are served between them, at the node that lost them and at the one to which they come."""
    three = cluster.add("three")
    clients = [two.connect("pb", name="ann", game="first") for _ in range(4)]
    clock = iter(range(10**6)).__next__  # so that each of them takes more than a slice
    cluster.nodes[slow].links.throttle = Throttle(cluster.nodes[slow], 0.01, clock)
    cluster.kill(one)
    two.pump()
    cluster.expire(one)
    three.server.registry.named("first")
    there: list[int] = []
    for _ in range(30):
        cluster.pass_time(0.5)
        there.append(sum(session.game is not None for session in three.server.host.sessions))
    assert {1, 2, 3, 4} <= set(there), there
    assert all(client.ask("get_time_remaining").name == "time_remaining" for client in clients)


def test_a_request_for_a_turn_that_has_ended_meanwhile_is_refused(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """It was sent while nobody had the game, and was meant for the turn before."""
    ann = two.connect("pb", name="ann", game="first")
    cluster.kill(one)
    asked = ann.post("finished_turn")
    two.pump()
    cluster.expire(one)
    two.server.registry.named("first")
    two.server.close_turn()
    cluster.pass_time(1)
    ((name, failed),) = ann.answers(asked)
    assert name == "fail" and "the turn ended before" in failed.result.lower()
    assert ann.ask("finished_turn").name == "okay"


@pytest.mark.thorough
def test_a_node_that_has_lost_its_lease_gives_sessions_back(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """Its own clients go on, too: at the node that has the game now."""
    ann, ben = one.connect("pb", name="ann", game="first"), two.connect("pb", name="ben", game="first")
    one.server.awake += 60
    cluster.expire(one)
    two.server.registry.named("first")
    cluster.pass_time(2)
    assert held(one) == [] and held(two) == ["first"]
    assert not one.server.host.sessions
    for client in (ann, ben):
        assert client.ask("get_time_remaining").name == "time_remaining"
    two.server.close_turn()
    cluster.pump()
    for client in (ann, ben):
        assert [left.turn for _, left in client.pushed()][-1:] == [1]


@pytest.mark.thorough
@pytest.mark.parametrize("at", ["one", "two"])
def test_what_was_saved_as_a_node_was_frozen_is_not_refused_and_not_done_again(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, at: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It had sent its COMMIT, and wakes up when its lease is over; the client may be its own, or another node's."""
    ann = cluster.nodes[at].connect("pb", name="ann", game="first")
    before, waiting, append = entries(one), [], FencedStore.append

    def later(store: FencedStore, entry: JournalEntry) -> Deferred[None]:
        fired: Deferred[None] = Deferred()
        waiting.append(lambda: append(store, entry).chainDeferred(fired))
        return fired

    with monkeypatch.context() as patch:
        patch.setattr(FencedStore, "append", later)
        asked = ann.say("order_insert", bid(3))
        cluster.pump()
    one.server.awake += LEASE
    (commit,) = waiting
    commit()
    cluster.expire(one)
    cluster.pass_time(2)
    assert [name for name, _ in ann.answers(asked)] == ["order"]
    assert entries(two) == [*before, "insert"]


@pytest.mark.thorough
@pytest.mark.parametrize("at", ["one", "two"])
def test_whoever_asks_a_node_that_may_not_speak_waits_for_the_next(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, at: str
) -> None:
    """It is asked before it knows: nothing is refused that another node can do a moment later."""
    ann = cluster.nodes[at].connect("tp03", name="ann", game="first")
    before = entries(one)
    one.server.awake += LEASE
    asked = [ann.post("get_time_remaining"), ann.say("order_insert", bid(3)), ann.post("finished_turn")]
    cluster.pump()
    assert [ann.answers(sequence) for sequence in asked] == [[], [], []] and entries(one) == before
    cluster.expire(one)
    cluster.pass_time(2)
    assert [name for sequence in asked for name, _ in ann.answers(sequence)] == ["time_remaining", "okay", "okay"]
    assert entries(two) == [*before, "insert", "finished"]


@pytest.mark.thorough
@pytest.mark.parametrize("at", ["one", "two"])
def test_a_turn_that_began_as_a_node_fell_silent_is_told_by_the_next(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, at: str
) -> None:
    """The turn was saved, but not announced. A client that got the frame about its computation would wait forever."""
    ann = cluster.nodes[at].connect("tp04", name="ann", game="first")
    ann.pushed()
    one.server.awake += LEASE
    one.server.close_turn()
    cluster.pump()
    assert ann.pushed() == []
    cluster.expire(one)
    cluster.pass_time(2)
    assert [(left.turn, left.reason) for _, left in ann.pushed()] == [(1, TIMER_STARTED)]


def test_whoever_goes_on_at_another_node_is_told_the_time(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """The last word may have been that a turn is computed, of which nothing came."""
    ann = two.connect("tp04", name="ann", game="first")
    ann.pushed()
    cluster.kill(one)
    cluster.expire(one)
    cluster.pass_time(1)
    assert [(left.turn, left.time > 0) for _, left in ann.pushed()] == [(0, True)]


def test_a_game_that_cannot_be_read_again_for_a_moment_is_waited_for(
    cluster: ClusterInMemory, one: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while the database fails over: nothing is refused but what could not be saved."""
    ann = one.connect("pb", name="ann", game="first")
    away = StoreError("The database is away.")

    def no_read(*_: object) -> NoReturn:
        raise away.copy()

    with monkeypatch.context() as patch:
        patch.setattr(FencedStore, "append", lambda store, entry: fail(away.copy()))
        patch.setattr(one.server.store, "read", no_read)
        assert "could not be saved" in ann.ask("finished_turn").text
        asked = [ann.post("get_time_remaining"), ann.post("finished_turn")]
        cluster.pass_time(1)
        assert [ann.answers(sequence) for sequence in asked] == [[], []]
    cluster.pass_time(0.5)
    assert [name for sequence in asked for name, _ in ann.answers(sequence)] == ["time_remaining", "okay"]


@pytest.mark.parametrize("is_saved", [False, True])
def test_who_is_told_that_it_is_logged_in_is_and_who_is_not_is_not(
    cluster: ClusterInMemory, one: NodeInMemory, monkeypatch: pytest.MonkeyPatch, is_saved: bool
) -> None:
    """The node loses its lease, and is a node again, while it is not known whether what a login shows was saved."""
    saved: Deferred[None] = Deferred()
    ann, ben = one.connect("pb"), one.connect("pb", name="ben", game="first")
    assert one.server.node is not None
    with monkeypatch.context() as patch:
        patch.setattr(FencedStore, "append", lambda store, entry: saved)
        ben.post("finished_turn")
        asked = ann.post("login", username="ann@first", password="ann's word")
        one.server.node.clock_was_set(3600.0)
        cluster.pass_time(1)
        assert ann.answers(asked) == []
    if is_saved:
        saved.callback(None)
    else:
        saved.errback(StoreError("Nobody knows.", code="unknown"))
    cluster.pass_time(1)
    ((name, said),) = ann.answers(asked)
    assert (name, one.server.node.may_speak()) == ("okay" if is_saved else "fail", True), said
    if is_saved:
        assert ann.ask("get_time_remaining").name == "time_remaining"
    else:
        assert ann.ask("login", username="ann@first", password="ann's word").name == "okay"


@pytest.mark.thorough
def test_a_session_that_comes_to_a_node_whose_database_is_away_waits_for_it(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its account cannot be looked up there for a moment, which is no reason to log it out."""

    def no_read(*_: object) -> NoReturn:
        raise StoreError("The database is away.")

    ann = two.connect("pb", name="ann", game="first")
    with monkeypatch.context() as patch:
        patch.setattr(one.server.store, "read", no_read)
        cluster.links[0][2].cut()
        asked = ann.post("get_time_remaining")
        cluster.pass_time(1)
        assert ann.answers(asked) == []
    cluster.pass_time(0.5)
    assert [name for name, _ in ann.answers(asked)] == ["time_remaining"]


@pytest.mark.thorough
@pytest.mark.parametrize("first", ["the old link", "the new link"])
def test_what_comes_over_a_link_that_was_given_up_is_not_done_again(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a partition: the request waits in the network, is asked again over another link, and comes then."""
    ann = two.connect("pb", name="ann", game="first")
    before, waiting, append = entries(one), [], FencedStore.append

    def later(store: FencedStore, entry: JournalEntry) -> Deferred[None]:
        fired: Deferred[None] = Deferred()
        request = copy_context()
        waiting.append(lambda: request.run(append, store, entry).chainDeferred(fired))
        return fired

    ((_, _, old),) = cluster.links
    cluster.links.clear()
    monkeypatch.setattr(FencedStore, "append", later)
    asked = ann.say("order_insert", order(2, 2, target(3), chosen((1, 1))))  # of which one may give several
    two.server.settle()
    kept, old.transports[0].written = old.transports[0].written, []
    if first == "the old link":
        for data in kept:
            old.ends[1].dataReceived(data)
    two.server.pass_time(6)
    old.ends[0].connectionLost(Failure(ConnectionDone()))
    cluster.pump()
    if first == "the new link":
        for data in kept:
            old.ends[1].dataReceived(data)
    cluster.pump()
    assert len(waiting) == 1, "it is done once"
    waiting.pop()()
    cluster.pump()
    if first == "the new link":
        for data in kept:
            old.ends[1].dataReceived(data)
    cluster.pump()
    assert waiting == []
    assert [name for name, _ in ann.answers(asked)] == ["order"] and entries(one) == [*before, "insert"]


def test_whoever_has_not_logged_in_is_told_that_a_node_may_not_speak(
    cluster: ClusterInMemory, one: NodeInMemory
) -> None:
    """It can try another one at once."""
    guest = one.connect("pb")
    one.server.awake += LEASE
    answer = guest.ask("get_games")
    assert answer.name == "fail" and answer.text == f"{NO_NODE[0].upper()}{NO_NODE[1:]}."


def test_draining_moves_games_and_leaves_connections(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    ann, ben = one.connect("tp03", name="ann", game="first"), two.connect("tp04", name="ben", game="first")
    outside = one.connect("pb")
    assert outside.ask("login_account", username="cem", password="cem's word").name == "account"
    node, games = one.server.node, one.server.registry.cluster
    assert node is not None and games is not None
    assert result_of(games.drain()) == 1
    cluster.pass_time(0.5)
    assert held(one) == [] and held(two) == ["first"]
    for client in (ann, ben):
        assert client.ask("get_time_remaining").name == "time_remaining"
        assert client.ask("finished_turn").name == "okay"
    cluster.pass_time(0.5)
    assert two.server.game().row.turn == 1
    assert ann.pushed() and [left.turn for _, left in ben.pushed()][-1:] == [1]
    assert outside.ask("get_my_games").names
    made = outside.ask("create_game", name="second", ruleset="auction", seats=2)
    assert "okay" in made.names and held(one) == [] and held(two) == ["first", "second"]
    with pytest.raises(GameElsewhere, match="hands its games over"):
        one.server.create("third")
    result_of(node.drain(False))
    one.server.create("third")
    assert held(one) == ["third"]


@pytest.mark.thorough
def test_who_takes_games_again_before_all_are_handed_over_keeps_what_it_takes(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """A game whose turn is computed is handed over later. The node may get another command meanwhile.

    It must not release a game that it has in memory then: it would show the changes of another node.
    """
    ann, ben = one.connect("pb", name="ann", game="first"), one.connect("pb", name="ben", game="first")
    node, registry = one.server.node, one.server.registry
    assert node is not None and registry.cluster is not None
    computing: list[tuple[Deferred[Any], Any]] = []

    def later(work: Any) -> Deferred[Any]:
        computing.append((Deferred(), work))
        return computing[-1][0]

    registry.turns.compute = later  # type: ignore[assignment]
    for client in (ann, ben):
        client.post("finished_turn")
    cluster.pump()
    drained: list[int] = []
    Deferred.fromCoroutine(registry.cluster.drain()).addCallback(drained.append)
    with pytest.raises(HeldElsewhere, match="hands its games over"):
        node.take(1)
    result_of(node.drain(False))
    one.server.create("second")
    waiting, work = computing.pop()
    waiting.callback(work())
    cluster.pass_time(0.5)
    assert drained == [1]
    assert "second" in held(one)
    for known, game in registry.games.items():
        assert isinstance(game.saving.store, FencedStore) and two.server.node is not None
        assert two.server.node.holder_of(known) == "one:6926", game.name


@pytest.mark.thorough
def test_a_session_in_no_game_goes_to_one_node_after_the_other(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """It also returns. An owner changes each game at its lease holder, until the session enters a game."""
    three = cluster.add("three")
    for node in (one, three):
        maker = node.connect("pb")
        assert maker.ask("login_account", username="eve", password="eve's word").name == "account"
        asked = maker.ask("create_game", name=f"of {node.name}", ruleset="auction", seats=2, master=True)
        assert "fail" not in asked.names, asked
    eve = two.connect("pb")
    assert eve.ask("login_account", username="eve", password="eve's word").name == "account"
    for game, invited in (("of one", True), ("of three", True), ("of one", False)):
        joined = eve.ask("set_join", game=game, invited=invited)
        assert joined.name == "okay", joined
        assert [row.join == "invited" for row in three.server.registry.directory.rows() if row.name == game] == [
            invited
        ]
    assert held(two) == [] and held(one) == ["first", "of one"] and held(three) == ["of three"]
    assert "okay" in eve.ask("enter_game", game="of one").names
    refused = eve.ask("set_join", game="of three", invited=False)
    assert "is played on another node of this server; ask for it from a connection that is in no game" in refused.text
    assert "three:" not in refused.text


@pytest.mark.thorough
def test_a_game_that_cannot_be_reached_for_long_is_given_up(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    ann = two.connect("pb", name="ann", game="first")
    cluster.kill(one)
    asked = ann.post("get_time_remaining")
    cluster.pass_time(PATIENCE + 1)
    ((name, failed),) = ann.answers(asked)
    assert (name, failed.code) == ("fail", FailCode.UNAVAILABLE_TEMPORARILY)
    later = ann.ask("get_time_remaining")
    assert later.code == FailCode.PERMISSION_DENIED and NOT_REACHED[1:] in later.text


def test_a_session_that_fails_elsewhere_leaves_nothing_unanswered(one: NodeInMemory, two: NodeInMemory) -> None:
    """Else the answer to its next request would be taken for that to the one before, and the link be closed."""
    ann, ben = two.connect("pb"), two.connect("pb", name="ben", game="first")
    asked = ann.post("login", username="ann@first", password="ann's word")
    two.server.settle()
    (holder,) = one.links.holders
    two.links.link_to("one:6926").holder.flush()
    opened = one.cluster.links[0][2]
    for data in opened.transports[0].written:
        opened.ends[1].dataReceived(data)
    opened.transports[0].written.clear()
    holder.give_up(holder.relays[min(holder.relays)])
    two.pump()
    assert [name for name, _ in ann.answers(asked)] == ["fail"]
    assert ann.ask("login", username="ann@first", password="ann's word").name == "okay"
    assert ben.ask("get_time_remaining").name == "time_remaining" and opened.is_open


@pytest.mark.thorough
def test_a_session_that_cannot_go_on_is_left_behind_nowhere(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = two.connect("pb", name="ann", game="first")
    asked = ann.post("get_time_remaining")
    two.server.settle()
    cluster.kill(one)

    def fail(*words: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(two.links.once, "answer", fail)
    cluster.expire(one)
    cluster.pass_time(1)
    monkeypatch.undo()
    assert [name for name, _ in ann.answers(asked)] == ["fail"]
    assert len(two.server.host.sessions) == 1 and not two.server.game().subscribers


@pytest.mark.thorough
@pytest.mark.parametrize("by", ["one", "two"])
def test_who_looks_at_an_old_turn_goes_with_the_game(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, by: str
) -> None:
    """Otherwise it could not view another turn, as the game is no longer here."""
    one.server.close_turn()
    ann = cluster.nodes[by].connect("pb")
    assert ann.ask("login", username="ann@first/turn/1", password="ann's word").name == "okay"
    assert one.server.registry.cluster is not None
    result_of(one.server.registry.cluster.drain())
    cluster.pass_time(0.5)
    shown = ann.ask("show_turn", turn=0)
    assert (shown.name, shown.message.turn) == ("turn_shown", 0), shown
    assert held(two) == ["first"] and not one.server.host.sessions


def test_a_turn_is_told_once_though_its_node_dies_too(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """The client has sent no request meanwhile, so no response has shown which turn it knows."""
    three = cluster.add("three")
    ann = two.connect("pb", name="ann", game="first")
    ann.pushed()
    cluster.kill(one)
    cluster.expire(one)
    three.server.registry.named("first")
    three.server.close_turn()
    cluster.pass_time(1)
    assert held(three) == ["first"]
    cluster.kill(three)
    cluster.expire(three)
    cluster.pass_time(1)
    assert ann.ask("get_time_remaining").name == "time_remaining" and held(two) == ["first"]
    assert [left.turn for _, left in ann.pushed() if left.reason == TIMER_STARTED] == [1]


@pytest.mark.thorough
def test_a_turn_is_told_once_though_its_game_moves_on_at_once(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While what the client has asked is answered."""
    ann = two.connect("pb", name="ann", game="first")
    ann.pushed()
    cluster.kill(one)
    asked = ann.post("get_time_remaining")
    two.pump()
    cluster.expire(one)
    two.server.registry.named("first")
    two.server.close_turn()
    answer, moved = two.links.once.answer, list[Any]()

    def move(connection: str, session: Any, asked: Any) -> Any:
        if not moved:
            moved.append(session)
            session.game_moved("first")
            return b""
        return answer(connection, session, asked)

    monkeypatch.setattr(two.links.once, "answer", move)
    cluster.pass_time(1)
    assert moved and [name for name, _ in ann.answers(asked)] == ["time_remaining"]
    assert [left.turn for _, left in ann.pushed() if left.reason == TIMER_STARTED] == [1]


def test_a_node_that_is_nobody_at_the_moment_opens_no_link_to_itself(
    one: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For the database it may hold its games still, as the node that it was."""
    ann, calls = one.connect("pb"), list[str]()

    def itself(name: str) -> None:
        calls.append(name)
        if len(calls) < 4:
            raise GameElsewhere("", one.links.address)

    monkeypatch.setattr(one.server.registry.cluster, "go_to_holder", itself)
    asked = ann.post("login", username="ann@first", password="ann's word")
    one.cluster.pass_time(1)
    assert [name for name, _ in ann.answers(asked)] == ["okay"] and len(calls) == 4
    assert not one.cluster.links


@pytest.mark.thorough
def test_sessions_of_a_node_that_has_vanished_without_a_word_end(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    """A machine without power closes no link; its players would seem to be there, and keep games in memory."""
    two.connect("pb", name="ann", game="first")
    assert one.server.host.is_online(1)
    cluster.pass_time(10)
    assert one.server.host.is_online(1)
    two.is_dead = True
    for _ in range(80):
        one.server.pass_time(0.1)
    for _, _, opened in cluster.links:
        assert opened.transports[1].is_closing
        opened.cut()
    assert not one.server.host.is_online(1) and not one.server.host.sessions and not one.links.holders


@pytest.mark.thorough
def test_nodes_of_different_clusters_do_not_talk(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    two.links.cluster = "another"
    ann = two.connect("pb")
    asked = ann.post("login", username="ann@first", password="ann's word")
    cluster.pass_time(PATIENCE + 1)
    assert [name for name, _ in ann.answers(asked)] == ["fail"]
    assert any(
        b"a node of another cluster" in said for _, _, link in cluster.links for said in [link.transports[1].said]
    )


def test_whoever_does_not_know_the_cluster_is_not_told_of_it(one: NodeInMemory) -> None:
    """Its id is only in the database; without certificates it is what lets a node in."""
    end, transport = one.links.accepted(), LinkTransport()
    end.transport = transport
    end.connectionMade()
    one.server.settle()
    assert transport.said == b""
    end.dataReceived(packed(hello=link.Hello(version=VERSION, oldest=VERSION, cluster="a guess")))
    one.server.settle()
    assert one.cluster.id.encode() not in transport.said and b"another cluster" in transport.said
    assert transport.is_closing


def test_a_game_is_made_at_the_node_with_the_fewest(
    one: NodeInMemory, two: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another node creates it if the present node holds many more games. Otherwise the node of its owner does."""
    monkeypatch.setattr("tpserver.cluster.node.UNEVEN", 0)
    eve = one.connect("pb")
    assert eve.ask("login_account", username="eve", password="eve's word").name == "account"
    for number_of_games in range(4):
        asked = eve.ask("create_game", name=f"game {number_of_games}", ruleset="auction", seats=2, master=True)
        assert "okay" in asked.names, asked
        one.cluster.pass_time(5)
    assert held(two) == ["game 0", "game 1", "game 2"] and held(one) == ["first", "game 3"]


def test_a_ticket_is_redeemed_at_any_node(cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory) -> None:
    """The session, and so its ticket, is at the node with the game; the browser's request comes to this one."""
    ann = two.connect("pb", name="ann", game="first")
    ticket = ann.ask("keep_login", label="a browser").things[0].ticket
    redeeming = Deferred.fromCoroutine(two.logins.redeem(ticket))
    cluster.pump()
    login = result_of(redeeming)
    assert [kept.label for kept in two.server.host.logins.all(1)] == ["a browser"] and login
    again = Deferred.fromCoroutine(two.logins.redeem(ticket))
    cluster.pump()
    with pytest.raises(NotAdmitted, match="already used"):
        result_of(again)
    ticket = ann.ask("keep_login", label="a browser").things[0].ticket
    cluster.kill(one)
    lost = Deferred.fromCoroutine(two.logins.redeem(ticket))
    cluster.pump()
    with pytest.raises(HolderAway):
        result_of(lost)


@pytest.mark.thorough
def test_a_game_goes_to_a_node_that_has_its_ruleset(cluster: ClusterInMemory, one: NodeInMemory) -> None:
    """A login at another node is relayed. If no node has the ruleset, a sentence says so."""
    found = rulesets()
    without = replace(found, usable={name: rules for name, rules in found.usable.items() if name != "auction"})
    lacking = cluster.add("lacking", found=without)
    assert lacking.server.node is not None
    one.server.stop()
    one.is_dead = True
    lacking.server.pass_time(60)
    assert held(lacking) == []
    alone = lacking.connect("pb")
    refused = alone.ask("login", username="ann@first", password="ann's word")
    assert refused.name == "fail" and "there is no ruleset" in refused.text
    having = cluster.add("having")
    ann = lacking.connect("pb", name="ann", game="first")
    assert held(having) == ["first"] and ann.ask("get_time_remaining").name == "time_remaining"


def test_all_games_are_read_once_for_who_asks_again_and_again(
    one: NodeInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any client may ask for them, before login."""
    read, reads = one.server.store.read, list[Any]()

    def counted(unit: Any, *words: Any) -> Any:
        reads.append(unit)
        return read(unit, *words)

    client = one.connect("pb")
    monkeypatch.setattr(one.server.store, "read", counted)
    asked = [client.post("get_games") for _ in range(5)]
    one.pump()
    assert [client.answers(number)[-1][1].name for number in asked] == ["first"] * 5
    assert reads.count(stored_games.all) == 1
    assert client.ask("get_games").names and reads.count(stored_games.all) == 2


def test_of_an_account_only_its_own_games_are_read(one: NodeInMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be a hundred thousand others, and each notice asks for them."""
    one.server.create("second")
    registry, read = one.server.registry, one.server.store.read
    rows = list[Any]()

    def counted(unit: Any, *words: Any) -> Any:
        found = read(unit, *words)
        rows.extend(found if unit is stored_games.all else [])
        return found

    monkeypatch.setattr(one.server.store, "read", counted)
    assert [row.name for row in registry.directory.rows_of(1)] == ["first"] == [row.name for row in rows]
    assert [row.name for row in registry.directory.rows()] == ["first", "second"]


@pytest.mark.thorough
def test_who_is_at_three_nodes_at_once_has_one_seat(
    cluster: ClusterInMemory, one: NodeInMemory, two: NodeInMemory
) -> None:
    three = cluster.add("three")
    clients = [node.connect("pb", name="ann", game="first") for node in (one, two, three)]
    given = clients[1].say("order_insert", bid(3))
    cluster.pump()
    assert [name for name, _ in clients[1].answers(given)] == ["order"]
    told = [client.ask("get_order", id=2, slots=[0]) for client in clients]
    assert [answer.names for answer in told] == [["order"]] * 3 and [*told[0]] == [*told[1]] == [*told[2]]
    one.server.close_turn()
    cluster.pump()
    for client in clients:
        assert [left.turn for _, left in client.pushed()][-1:] == [1]
