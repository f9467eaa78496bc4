"""The system's clock is set back or forward: a turn neither waits longer than its own seconds nor loses any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from server_in_memory import BEGINNING, Server, result_of
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.games.test_store_faults import locked
from tests.support.stored import all_messages
from tpserver.app import App
from tpserver.config import Config
from tpserver.games.clock import parse_clock
from tpserver.games.registry import RETRY_SECONDS
from tpserver.games.turn_timers import steady_seconds
from tpserver.rules.discovery import Rulesets
from tpserver.store import games as stored_games
from tpserver.store.game_changes import GameChanges

DAY = 86_400.0


@pytest.fixture
def server(make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr("tpserver.store.sqlite.BUSY_SECONDS", 0.0)
    return make_server()


def playing(server: Server, clock: str = "interval:100"):
    """Return the first of two players of a game that began a moment ago; a server looks at the time by itself."""
    server.create(clock=clock)
    ann, _ = server.players(2)
    server.registry.lifecycle.wall_clock.watch()
    return ann


@pytest.mark.parametrize("jump", [-DAY, -30.0, 30.0, DAY])
def test_a_turn_keeps_its_seconds_when_the_clock_is_set(server: Server, jump: float, logged: list[str]):
    ann = playing(server)
    server.pass_time(40)
    server.set_clock(jump)
    server.pass_time(5)
    assert ann.ask("get_time_remaining").message.time == 55
    assert server.game().row.deadline == BEGINNING + 100 + jump
    server.pass_time(54)
    assert server.game().state.turn == 0
    server.pass_time(1)
    assert server.game().state.turn == 1
    assert ann.ask("get_time_remaining").message.time == 100
    (line,) = [line for line in logged if "clock was set" in line]
    assert f"set {'back' if jump < 0 else 'forward'} by {abs(jump):.0f} s" in line


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_clock_that_is_set_in_the_last_second(server: Server, jump: float):
    """The timer rings before anybody has looked at the clock."""
    playing(server)
    server.pass_time(99.5)
    server.set_clock(jump)
    server.pass_time(0.5)
    assert server.game().state.turn == 1
    server.pass_time(100)
    assert server.game().state.turn == 2


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_threshold_keeps_its_seconds(server: Server, jump: float):
    ann = playing(server, "threshold:50:100")
    server.pass_time(10)
    assert ann.ask("finished_turn").name == "okay"
    server.set_clock(jump)
    server.pass_time(99)
    assert server.game().state.turn == 0
    server.pass_time(1)
    assert server.game().state.turn == 1


@pytest.mark.parametrize("jump", [-DAY, -30.0, 30.0, DAY])
def test_a_clock_that_is_set_while_a_turn_is_saved(make_server: Callable[..., Server], jump: float):
    """The new turn is due from when it was computed; its timer is not set before it is saved."""
    server = make_server(delayed=True)
    playing(server)
    server.disk.at_once = False
    server.pass_time(100)
    server.set_clock(jump)
    server.pass_time(10)  # the clock is looked at
    server.disk.commit()
    server.disk.at_once = True
    assert server.game().state.turn == 1
    server.pass_time(89)
    assert server.game().state.turn == 1
    server.pass_time(1)
    assert server.game().state.turn == 2


def go_on(server: Server) -> Any:
    game = server.game()
    result_of(server.registry.lifecycle.pause(game))
    server.disk.at_once = False
    return server.registry.lifecycle.resume(game)


def more_time(server: Server) -> Any:
    server.disk.at_once = False
    return server.registry.lifecycle.give_time(server.game(), 1, "The operator")


def set_from(clock: str) -> Callable[[Server], Any]:
    def give_another(server: Server) -> Any:
        result_of(server.registry.lifecycle.set_clock(server.game(), parse_clock(clock), "The operator"))
        server.disk.at_once = False
        return server.registry.lifecycle.set_clock(server.game(), parse_clock("interval:100"), "The operator")

    return give_another


@pytest.mark.parametrize("jump", [-DAY, DAY])
@pytest.mark.parametrize(
    "change",
    [go_on, set_from("all-done"), set_from("interval:90"), more_time],
    ids=["resume", "first clock", "another clock", "more time"],
)
@pytest.mark.parametrize("looked", [False, True])
def test_a_clock_that_is_set_while_it_is_saved_that_a_turn_has_time(
    make_server: Callable[..., Server], change: Callable[[Server], Any], jump: float, looked: bool
):
    """Whether or not the clock is looked at meanwhile."""
    server = make_server(delayed=True)
    playing(server)
    server.pass_time(0)
    Deferred.fromCoroutine(change(server)).addErrback(pytest.fail)
    server.set_clock(jump)
    if looked:
        server.pass_time(10)
    server.disk.commit()
    server.disk.at_once = True
    server.pass_time(89 if looked else 99)
    assert server.game().state.turn == 0
    server.pass_time(2)
    assert server.game().state.turn == 1


@pytest.mark.parametrize("jump", [-DAY, -30.0, 30.0, DAY])
def test_a_turn_that_begins_right_after_the_clock_was_set(server: Server, jump: float):
    """Before that is noticed: its deadline, which is right already, is not moved with the others."""
    playing(server)
    server.pass_time(41)
    server.set_clock(jump)
    server.close_turn()
    server.pass_time(99)
    assert server.game().state.turn == 1
    server.pass_time(1)
    assert server.game().state.turn == 2


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_game_that_is_paused_right_after_keeps_what_was_left(server: Server, jump: float):
    playing(server)
    server.pass_time(40)
    server.set_clock(jump)
    result_of(server.registry.lifecycle.pause(server.game()))
    assert server.game().row.left == 60


def test_a_moved_deadline_is_kept_in_the_store(server: Server):
    playing(server)
    server.pass_time(40)
    server.set_clock(-DAY)
    server.pass_time(5)
    again = server.restarted()
    again.pass_time(54)
    assert again.game().state.turn == 0
    again.pass_time(1)
    assert again.game().state.turn == 1


@pytest.mark.parametrize("jump", [-DAY, -30.0, 30.0, DAY])
def test_a_clock_that_is_set_right_before_the_server_ends(server: Server, jump: float):
    """Before that is noticed: the next server finds the turn with what it had left."""
    playing(server)
    server.registry.lifecycle.watch()
    server.pass_time(40)
    server.set_clock(jump)
    again = server.restarted()
    assert again.game().row.due == again.now() + 60


@pytest.mark.parametrize("clock", ["interval:100", "threshold:50:100"])
def test_a_clock_set_back_while_the_server_was_down(server: Server, clock: str, logged: list[str]):
    """What was left when the server was there last is left when it is there again."""
    ann = playing(server, clock)
    if "threshold" in clock:
        assert ann.ask("finished_turn").name == "okay"
    server.pass_time(40)
    again = server.restarted(later=-DAY)
    assert any("set back while the server was down" in line for line in logged)
    again.pass_time(59)
    assert again.game().state.turn == 0
    again.pass_time(1)
    assert again.game().state.turn == 1


def test_a_clock_that_goes_a_little_wrong_is_followed_without_a_word(server: Server, logged: list[str]):
    playing(server)
    for _ in range(10):
        server.set_clock(-0.2)
        server.pass_time(10)
    server.pass_time(2)
    assert server.game().state.turn == 1
    assert not any("clock was set" in line for line in logged)


# --- while the database saves nothing ---------------------------------------------------------------------------------


@pytest.fixture
def unsaved(server: Server) -> Callable[..., None]:
    """Sets the clock and lets some seconds pass, while another program holds the database."""

    def set_the_clock(*jumps: float, seconds: float = 10.0) -> None:
        with locked(server):
            for jump in jumps:
                server.set_clock(jump)
                server.pass_time(seconds / len(jumps))

    return set_the_clock


def time_left(server: Server) -> float:
    """Return the seconds that the turn has left, as the store has it."""
    row = server.store.read(stored_games.by_id, server.game().row.id)
    assert row is not None
    assert row.due is not None
    assert row.due == row.deadline
    return row.due - server.now()


@pytest.mark.parametrize("jump", [-DAY, -30.0, DAY])
@pytest.mark.parametrize("what", ["pause", "close_turn"])
def test_a_turn_keeps_its_seconds_though_what_was_done_with_it_cannot_be_saved(
    make_server: Callable[..., Server], what: str, jump: float
):
    """The clock is set before that is known, when the turn has no timer by which it would be moved."""
    server = make_server(delayed=True)
    playing(server)
    server.pass_time(40)
    server.disk.at_once = False
    doing = getattr(server.registry.lifecycle, what)(server.game())
    (doing if isinstance(doing, Deferred) else Deferred.fromCoroutine(doing)).addErrback(lambda failure: None)
    server.set_clock(jump)
    server.pass_time(5)
    assert server.disk.fail() > 0
    server.disk.at_once = True
    server.settle()
    server.pass_time(2 * RETRY_SECONDS)
    assert time_left(server) == 35
    server.pass_time(34)
    assert server.game().state.turn == 0
    server.pass_time(1)
    assert server.game().state.turn == 1


@pytest.mark.parametrize("jumps", [[-DAY], [-30.0], [30.0], [DAY], [DAY, -30.0], [-DAY, DAY + 50.0]])
@pytest.mark.parametrize("seconds", [10.0, 30.0])
def test_a_turn_keeps_its_seconds_though_its_new_end_cannot_be_saved(
    server: Server, unsaved: Callable[..., None], jumps: list[float], seconds: float
):
    """It is saved as soon as that is possible."""
    ann = playing(server)
    server.pass_time(20)
    unsaved(*jumps, seconds=seconds)
    assert ann.ask("get_time_remaining").message.time == 80 - seconds
    assert time_left(server) != 80 - seconds
    server.pass_time(2 * RETRY_SECONDS)
    assert time_left(server) == 60 - seconds
    server.pass_time(59 - seconds)
    assert server.game().state.turn == 0
    server.pass_time(1)
    assert (server.game().state.turn, time_left(server)) == (1, 100)
    assert not server.registry.lifecycle.moved_ends.owed(server.game())


def test_what_was_moved_is_not_moved_again_by_a_later_change(server: Server, unsaved: Callable[..., None]):
    """More time was given before the new end was saved, and with it; then the game is read again."""
    playing(server)
    server.pass_time(20)
    unsaved(DAY)
    result_of(server.registry.lifecycle.give_time(server.game(), 50, "The operator"))
    assert time_left(server) == 120
    with locked(server):
        server.game().commit(GameChanges(columns={"held_reason": "nothing"}), server.now())
        server.pass_time(1)
    assert not server.registry.lifecycle.moved_ends.owed(server.game())
    server.pass_time(2 * RETRY_SECONDS)
    assert time_left(server) == 99


def test_a_server_that_ends_before_it_is_saved_leaves_it_to_the_next(server: Server, unsaved: Callable[..., None]):
    """Which gives the turn the time back that it has not run, as the store knows, the seconds of the clock with it."""
    playing(server)
    server.registry.lifecycle.watch()
    server.pass_time(40)  # the store knows that the clock of the turn has run so long
    unsaved(DAY)
    assert time_left(server.restarted()) == 60


def owing(server: Server) -> Server:
    """Return a next server, an hour later, which could not save yet that it gives the turn 60 seconds back."""
    playing(server)
    server.registry.lifecycle.watch()
    server.pass_time(40)
    server.stop()
    again = Server(server.path, policy=server.policy, delayed=True, now=server.now() + 3600, found=server.found)
    again.disk.at_once = False
    again.registry.load_all()
    assert again.game().row.due is not None
    assert again.disk.fail() > 0
    again.disk.at_once = True
    return again


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_turn_that_is_owed_time_is_not_moved_twice(server: Server, jump: float):
    """What it is owed is counted by the clock as it is, when that can be saved; here at the third time."""
    again = owing(server)
    again.disk.at_once = False
    again.set_clock(jump)
    again.pass_time(RETRY_SECONDS)
    assert again.disk.fail() > 0
    again.disk.at_once = True
    again.pass_time(RETRY_SECONDS)
    assert 50 <= time_left(again) <= 60
    again.pass_time(60)
    assert again.game().state.turn == 1


def given_back(server: Server) -> list[str]:
    """Return what the players were told of it."""
    letters = server.store.read(all_messages, server.game().row.id)
    return [one.subject for one in letters if one.subject == "Time given back" and one.board == 1]


def test_a_turn_that_is_owed_time_has_it_and_is_told_of_it_when_it_is_saved(server: Server):
    again = owing(server)
    assert (again.game().row.due, given_back(again)) == (again.now() + 60, [])
    again.pass_time(RETRY_SECONDS)
    assert (time_left(again), given_back(again)) == (60 - RETRY_SECONDS, ["Time given back"])
    assert again.registry._has_its_time(again.game())


def test_a_turn_that_is_closed_before_it_is_given_time_back_is_given_none(server: Server):
    again = owing(server)
    again.close_turn()
    again.pass_time(RETRY_SECONDS)
    assert (time_left(again), given_back(again)) == (100 - RETRY_SECONDS, [])
    assert again.registry._has_its_time(again.game())


def test_a_turn_that_is_owed_time_keeps_it_if_it_is_paused_before_that_can_be_saved(server: Server):
    again = owing(server)
    lifecycle = again.registry.lifecycle
    result_of(lifecycle.pause(again.game()))
    assert again.game().row.left == 60
    again.pass_time(10 * RETRY_SECONDS)
    assert (again.game().row.deadline, given_back(again)) == (None, [])
    result_of(lifecycle.resume(again.game()))
    assert time_left(again) == 60
    assert again.registry._has_its_time(again.game())


def test_a_turn_whose_end_was_taken_away_is_owed_nothing(server: Server):
    """Another clock was given to the game by then, and what was given with it could not be saved."""
    again = owing(server)
    result_of(again.registry.lifecycle.set_clock(again.game(), parse_clock("all-done"), "The operator"))
    again.disk.at_once = False
    again.game().commit(GameChanges(columns={"held_reason": "nothing"}), again.now())
    again.disk.fail()
    again.disk.at_once = True
    again.pass_time(2 * RETRY_SECONDS)
    assert again.registry._has_its_time(again.game())


def test_a_game_is_not_handed_over_before_its_new_end_is_saved(server: Server, unsaved: Callable[..., None]):
    playing(server)
    server.pass_time(20)
    unsaved(DAY)
    done: list[None] = []
    Deferred.fromCoroutine(server.registry.hand_over(server.game())).addCallback(done.append)
    server.pass_time(1)
    assert done == []
    server.pass_time(2 * RETRY_SECONDS)
    server.pass_time(1)
    assert done == [None]
    assert time_left(server) == 48


def test_a_game_that_was_lost_is_not_moved_when_it_is_read_again(server: Server, unsaved: Callable[..., None]):
    """Another node had it meanwhile, whose clock was right: by that its turn has ended."""
    playing(server)
    server.pass_time(20)
    unsaved(DAY)
    game = server.game()
    server.registry._drop(game)
    result_of(server.store.write(stored_games.clocks_run, server.now(), [game.row.id]))
    server.registry.with_id(game.row.id)
    server.pass_time(2 * RETRY_SECONDS)
    assert server.game().state.turn == 1


def test_timers_of_the_reactor_go_by_a_clock_that_nobody_sets():
    """Twisted's own go by the time of day."""
    reactor = MemoryReactorClock()
    App(Config(), Rulesets(), reactor)
    assert reactor.seconds is steady_seconds
