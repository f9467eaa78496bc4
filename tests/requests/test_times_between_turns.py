"""Modification times and clocks between two turns: no change is missed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from tests.requests.odd_rulesets import ODD
from tests.support.server_in_memory import Client, Server, result_of
from tpserver.concurrency import at_once
from tpserver.games.core import views
from tpserver.games.core.views import changed_view

PUBLIC_LISTS = ("get_player_ids", "get_board_ids")


def listed(client: Client, name: str, fromtime: int = -1) -> tuple[dict[int, int], int]:
    """Return ids with their times, and the time to ask from next."""
    answer = client.ask(name, key=-1, start=0, amount=-1, fromtime=fromtime).message
    return {pair.id: pair.modtime for pair in answer.ids}, answer.fromtime


class Computing:
    """A turn that is computed when the test says so, as in a thread that takes its time."""

    def __init__(self, server: Server) -> None:
        self.waiting: list[Callable[[], None]] = []
        server.registry.turns.compute = self

    def __call__(self, work: Callable[[], Any]) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self.waiting.append(lambda: at_once(work).chainDeferred(done))
        return done


@pytest.mark.parametrize("name", PUBLIC_LISTS)
@pytest.mark.parametrize("seconds", [0, 5])
def test_who_joins_later_is_listed_as_a_change(server: Server, name: str, seconds: int) -> None:
    """A client of a waiting game that asks only for changes learns of all who join (wire, fromtime)."""
    server.create("first", seats=4)
    ann = server.player("ann")
    for number in (2, 3, 4):
        before, latest = listed(ann, name)
        assert number not in before
        server.pass_time(seconds)
        server.player(("ben", "cem", "dan")[number - 2])
        changed, following = listed(ann, name, latest)
        assert number in changed, f"{name}: player {number} joined after {latest} and is not told of"
        assert following >= latest
        now, _ = listed(ann, name)
        assert all(now[known] >= time for known, time in before.items()), "times never go back"


@pytest.mark.parametrize("name", PUBLIC_LISTS)
def test_times_of_players_and_their_boards_never_go_back_over_a_restart(server: Server, name: str) -> None:
    """The restart may come while the game waits, right after its start, or later."""
    server.create("first", seats=3)
    server.player("ann")
    for step in ("ben", "cem", "turn"):
        before, _ = listed(server.player("ann"), name)
        server = server.restarted()
        after, _ = listed(server.player("ann"), name)
        assert all(after[known] >= time for known, time in before.items()), step
        if step == "turn":
            break
        server.player(step)
        if step == "cem":
            server.close_turn()


def test_a_player_frame_has_the_time_that_the_list_names(server: Server) -> None:
    """Clients compare the two to know whether they must fetch again."""
    server.create("first", seats=3)
    ann = server.player("ann")
    server.pass_time(7)
    server.player("ben")
    times, _ = listed(ann, "get_player_ids")
    assert {player.id: player.modtime for player in ann.ask("get_player", ids=[1, 2]).things} == times
    boards, _ = listed(ann, "get_board_ids")
    assert {board.id: board.modtime for board in ann.ask("get_boards", ids=[1, 2]).things} == {
        number or ann.seat + 1: time for number, time in boards.items()
    }


def test_what_a_turn_changes_is_newer_than_what_was_told_while_it_was_computed(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Changes of the turn have later times than any list during its computation.

    Many orders in one second push times into the future. A client that lists objects meanwhile sees these times.
    """
    server.create("first", clock="manual")
    ann, _ = server.players(2)
    for _ in range(20):
        assert ann.bid(1).name in ("okay", "order")
        assert ann.ask("remove_order", id=ann.home, slots=[0]).name == "okay"
    computing = Computing(server)
    closed = server.registry.turns.close_turn(server.game())
    # The thread is at work here: it has looked at the times, and has not told the result.
    work = computing.waiting.pop()
    told: list[int] = []

    def asked_after_it(*args: Any) -> Any:
        view = changed_view(*args)
        if not told:
            told.append(listed(ann, "get_object_ids")[1])
        return view

    with monkeypatch.context() as patch:
        patch.setattr(views, "changed_view", asked_after_it)
        work()
    result_of(closed)
    changed, _ = listed(ann, "get_object_ids", told[0])
    assert 0 in changed, f"the root shows another turn, and who asks from {told[0]} is not told"


def test_a_threshold_of_the_last_turn_does_not_end_the_next(server: Server) -> None:
    """A game is paused while a threshold's time runs, and its turn is closed by hand.

    The new turn has no finished seat, so no time runs in it when the game resumes.
    """
    game = server.create("first", seats=2, clock="threshold:50:100")
    ann, _ = server.players(2)
    ann.ask("finished_turn")
    assert game.row.deadline is not None
    result_of(server.registry.control.pause(game))
    server.close_turn()
    result_of(server.registry.control.resume(server.game()))
    assert server.game().row.deadline is None
    server.pass_time(1000)
    assert server.game().state.turn == 1


def test_an_interval_paused_and_closed_by_hand_starts_afresh(server: Server) -> None:
    """The counterpart: the new turn of an interval has its full length."""
    game = server.create("first", seats=2, clock="interval:100")
    server.players(2)
    server.pass_time(40)
    result_of(server.registry.control.pause(game))
    server.close_turn()
    result_of(server.registry.control.resume(server.game()))
    assert server.game().row.deadline == server.clock.seconds() + 100


def test_an_order_given_in_a_pause_closes_its_phase_when_the_game_goes_on(make_server: Callable[..., Server]) -> None:
    """In a phase that closes after each order nobody need say anything more."""
    server = make_server(found=ODD)
    game = server.create("first", "sequential", 2)
    ann, _ = server.players(2)
    result_of(server.registry.control.pause(game))
    assert ann.bid(3).name == "order"
    assert game.state.turn == 0
    result_of(server.registry.control.resume(game))
    server.settle()
    assert server.game().state.turn == 1


def test_an_order_taken_back_in_a_pause_closes_nothing(make_server: Callable[..., Server]) -> None:
    """Only the orders at the end of the pause count, also after a restart in between."""
    for restart in (False, True):
        server = make_server(found=ODD)
        game = server.create("first", "sequential", 2)
        ann, _ = server.players(2)
        result_of(server.registry.control.pause(game))
        ann.bid(3)
        ann.ask("remove_order", id=ann.home, slots=[0])
        if restart:
            server = server.restarted()
        result_of(server.registry.control.resume(server.game()))
        server.settle()
        assert server.game().state.turn == 0
