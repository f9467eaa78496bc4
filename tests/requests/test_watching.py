"""Spectators without a seat: they see what all may see, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.requests.odd_rulesets import ODD, breaking
from tests.support.server_in_memory import BID, Client, Server, number, result_of, text
from tpserver.concurrency import at_once

PERMANENTLY, DENIED = 2, 5


def watcher(server: Server, name: str = "eve", game: str = "first", dialect: str = "tp04") -> Client:
    client = server.connect(dialect)
    answer = client.ask("login", username=f"{name}@{game}/watch", password="word")
    assert answer.name == "okay", answer
    return client


def test_who_watches_sees_the_game_without_taking_a_seat(server: Server, dialect: str):
    """Every object that is listed can be fetched; nothing is the spectator's own."""
    game = server.create("first", seats=2)
    server.players(2)
    eve = watcher(server, dialect=dialect)
    ids = eve.ids()
    things = eve.ask("get_objects_by_id", ids=list(ids)).things
    assert [thing.id for thing in things] == list(ids)
    assert 0 in ids
    assert all(player.name in ("ann", "ben") for player in game.players)
    if eve.knows("get_order_queue_ids"):
        assert list(eve.ids("get_order_queue_ids")) == ([] if eve.title in ("pb", "json") else [0])
    assert [player.name for player in eve.ask("get_player", ids=[1, 2]).things] == ["ann", "ben"]


@pytest.mark.parametrize(
    "name", ["order_insert", "order_probe", "get_order", "remove_order", "finished_turn", "post_message"]
)
def test_who_watches_cannot_do_what_players_do(server: Server, name: str):
    """Each refusal says that only players can do it, and changes nothing."""
    server.create("first", seats=2)
    ann, _ = server.players(2)
    eve = watcher(server)
    before = repr(server.game().state)
    fields = {
        "order_insert": {"id": ann.home, "slot": -1, "otype": BID, "parameters": [number(1), text("")]},
        "order_probe": {"id": ann.home, "slot": -1, "otype": BID, "parameters": [number(1), text("")]},
        "post_message": {"id": 1, "slot": -1, "subject": "s", "body": "b"},
    }.get(name, {"id": 1, "slots": [0]} if name != "finished_turn" else {})
    answer = eve.ask(name, **fields)
    assert answer.code == DENIED
    assert "you watch this game" in answer.text
    assert repr(server.game().state) == before


def test_mine_is_nobody_and_nothing(server: Server):
    """Player 0 and board 0 mean "mine": a number behind the last seat's, that only this connection hears of."""
    server.create("first", seats=2)
    ann, _ = server.players(2)
    eve = watcher(server)
    mine = eve.ask("get_player", ids=[0]).message
    assert (mine.id, mine.name) == (3, "eve")
    assert eve.ask("get_player", ids=[3]).message == mine
    assert list(eve.ids("get_player_ids")) == [1, 2]
    assert ann.ask("get_player", ids=[3]).name == "fail"
    board = eve.ask("get_boards", ids=[0]).message
    assert (board.id, board.messages) == (3, 0)
    assert list(eve.ids("get_board_ids")) == [0]
    assert list(watcher(server, dialect="pb").ids("get_board_ids")) == [3]


@pytest.mark.parametrize("name", ["get_message", "remove_message"])
def test_boards_of_players_stay_theirs(server: Server, name: str):
    server.create("first", seats=2)
    server.players(2)
    eve = watcher(server)
    assert eve.ask(name, id=1, slots=[0]).code == DENIED
    assert eve.ask(name, id=0, slots=[0]).name == "fail"


def test_turns_reach_who_watches(server: Server):
    """The new turn is pushed, and the root object is newer."""
    server.create("first", seats=2, clock="manual")
    server.players(2)
    eve = watcher(server)
    before = eve.ids()
    server.pass_time(5)
    server.close_turn()
    assert eve.times_pushed()[-1][1] > 0
    assert eve.ids()[0] > before[0]


def test_who_comes_to_a_waiting_game_sees_it_begin(server: Server):
    """Before the start there is the root alone; then all that is public."""
    server.create("first", seats=2)
    eve = watcher(server)
    assert list(eve.ids()) == [0]
    server.players(2)
    assert len(eve.ids()) > 1


def test_a_secret_bid_changes_nothing_for_who_watches(server: Server):
    """Orders of players reach no frame of a spectator: the same bytes as without them."""
    server.create("first", seats=2)
    ann, _ = server.players(2)
    eve = watcher(server)
    ids = list(eve.ids())

    def shown() -> list[str]:
        asked = [eve.ask("get_objects_by_id", ids=ids), eve.ask("get_time_remaining"), eve.ask("get_games")]
        return [*map(str, asked), str(eve.ids())]

    before = shown()
    assert ann.bid(3).name in ("okay", "order")
    assert shown() == before


def test_a_game_for_invited_players_is_not_watched(server: Server):
    server.create("first", seats=2, join="invited")
    answer = server.connect().ask("login", username="eve@first/watch", password="word")
    assert answer.code == DENIED
    assert "invited" in answer.text


@pytest.mark.parametrize("purpose", ["", "play", "watch/", "Watch", "x" * 100])
def test_other_purposes_are_refused_with_the_one_there_is(server: Server, purpose: str):
    server.create("first", seats=2)
    answer = server.connect().ask("login", username=f"eve@first/{purpose}", password="word")
    assert answer.code == PERMANENTLY
    assert "/watch" in answer.text


def test_a_spectator_stays_when_the_game_is_read_again(make_server: Callable[..., Server]):
    """After a restart a spectator sees the same as before, with times that are no earlier."""
    server = make_server()
    server.create("first", seats=2, clock="manual")
    server.players(2)
    server.close_turn()
    before = watcher(server).ids()
    server = server.restarted(later=1)
    after = watcher(server).ids()
    assert after.keys() == before.keys()
    assert all(after[oid] >= time for oid, time in before.items())


def test_somebody_who_comes_while_a_turn_is_computed_sees_the_new_one(server: Server):
    """The spectator's view is projected for the new turn, too, though it was not there when the computing began."""
    server.create("first", seats=2, clock="manual")
    server.players(2)
    waiting: list[Callable[[], object]] = []

    def told_later(work: Callable[[], Any]) -> Deferred[Any]:
        computed, told = at_once(work), Deferred[Any]()
        waiting.append(lambda: computed.chainDeferred(told))
        return told

    server.registry.turns.compute = told_later
    closed = server.registry.turns.close_turn(server.game())
    eve = watcher(server)
    before = eve.ids()
    waiting.pop()()
    result_of(closed)
    changed = eve.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=max(before.values())).message
    assert 0 in [pair.id for pair in changed.ids]


def test_rules_that_fail_to_show_a_new_turn_to_who_came_meanwhile_do_not_stop_the_game(make_server: Any):
    """The turn is durable by then: players go on, and spectators can, too, once the rules work."""
    server = make_server(found=ODD)
    server.create("first", "faulty", seats=2, clock="manual")
    ann, _ = server.players(2)
    waiting: list[Callable[[], object]] = []

    def told_later(work: Callable[[], Any]) -> Deferred[Any]:
        computed, told = at_once(work), Deferred[Any]()
        waiting.append(lambda: computed.chainDeferred(told))
        return told

    server.registry.turns.compute = told_later
    closed = server.registry.turns.close_turn(server.game())
    eve = watcher(server)
    with breaking("sight"):
        waiting.pop()()
        result_of(closed)
        assert (server.game().closing, server.game().state.turn) == (False, 1)
        assert "cannot be watched" in eve.ask("get_object_ids", key=-1, start=0, amount=-1, fromtime=-1).text
    assert ann.bid(1).name == "order"
    assert 0 in eve.ids()
