"""A wall clock set back or forward: no turn gains or loses time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock

from tests.games.test_store_faults import locked
from tests.support.server_in_memory import BEGINNING, LEASE, Server, result_of
from tests.support.stored import all_messages
from tpserver.cluster.node import Node
from tpserver.config import Config
from tpserver.games.hall.cluster_games import ClusterGames
from tpserver.games.hall.hibernation import AHEAD_SECONDS, LOOK_SECONDS
from tpserver.games.hall.stale_games import RETRY_SECONDS
from tpserver.games.terms.clock import parse_clock
from tpserver.games.turns.turn_timers import LOOK_SECONDS as CLOCK_SECONDS
from tpserver.games.turns.turn_timers import steady_seconds
from tpserver.rules.discovery import Rulesets
from tpserver.server.assembly import App
from tpserver.store.errors import StoreError
from tpserver.store.games import changes as stored_changes
from tpserver.store.games import rows as stored_games
from tpserver.store.games.changes import GameChanges

DAY = 86_400.0


@pytest.fixture
def server(make_server: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> Server:
    monkeypatch.setattr("tpserver.store.backends.sqlite.BUSY_SECONDS", 0.0)
    return make_server()


def playing(server: Server, clock: str = "interval:100"):
    """Return the first of two players of a game that began a moment ago; a server looks at the time by itself."""
    server.create(clock=clock)
    ann, _ = server.players(2)
    server.registry.clocks.wall_clock.watch()
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
    result_of(server.registry.control.pause(game))
    server.disk.at_once = False
    return server.registry.control.resume(game)


def more_time(server: Server) -> Any:
    server.disk.at_once = False
    return server.registry.clock_changes.give_time(server.game(), 1, "The operator")


def set_from(clock: str) -> Callable[[Server], Any]:
    def give_another(server: Server) -> Any:
        result_of(server.registry.clock_changes.set_clock(server.game(), parse_clock(clock), "The operator"))
        server.disk.at_once = False
        return server.registry.clock_changes.set_clock(server.game(), parse_clock("interval:100"), "The operator")

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
    """A look at the clock meanwhile changes nothing."""
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
    result_of(server.registry.control.pause(server.game()))
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
    server.registry.clocks.watch()
    server.pass_time(40)
    server.set_clock(jump)
    again = server.restarted()
    assert again.game().row.due == again.now() + 60


@pytest.mark.parametrize("clock", ["interval:100", "threshold:50:100"])
def test_a_clock_set_back_while_the_server_was_down(server: Server, clock: str, logged: list[str]):
    """A turn has the same time remaining at the start as the server last had."""
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
    registry = server.registry
    doing: Any = (registry.control.pause if what == "pause" else registry.turns.close_turn)(server.game())
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
    assert server.registry.timekeeper.is_saved(server.game())


def test_what_was_moved_is_not_moved_again_by_a_later_change(server: Server, unsaved: Callable[..., None]):
    """More time was given before the new end was saved, and with it; then the game is read again."""
    playing(server)
    server.pass_time(20)
    unsaved(DAY)
    result_of(server.registry.clock_changes.give_time(server.game(), 50, "The operator"))
    assert time_left(server) == 120
    with locked(server):
        server.game().commit(GameChanges(columns={"held_reason": "nothing"}), server.now())
        server.pass_time(1)
    assert server.registry.timekeeper.is_saved(server.game())
    server.pass_time(2 * RETRY_SECONDS)
    assert time_left(server) == 99


def test_a_server_that_ends_before_it_is_saved_leaves_it_to_the_next(server: Server, unsaved: Callable[..., None]):
    """The next server gives the turn back the time that it did not run, as the store knows the clock's seconds."""
    playing(server)
    server.registry.clocks.watch()
    server.pass_time(40)  # the store knows that the clock of the turn has run so long
    unsaved(DAY)
    assert time_left(server.restarted()) == 60


def owing(server: Server) -> Server:
    """Return a next server, an hour later, which could not save yet that it gives the turn 60 seconds back."""
    playing(server)
    server.registry.clocks.watch()
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
    """The debt is counted by the present clock when it can be saved, here at the third attempt."""
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
    """Return the messages to the players about it."""
    letters = server.store.read(all_messages, server.game().row.id)
    return [one.subject for one in letters if one.subject == "Time given back" and one.board == 1]


def test_a_turn_that_is_owed_time_has_it_and_is_told_of_it_when_it_is_saved(server: Server):
    again = owing(server)
    assert (again.game().row.due, given_back(again)) == (again.now() + 60, [])
    again.pass_time(RETRY_SECONDS)
    assert (time_left(again), given_back(again)) == (60 - RETRY_SECONDS, ["Time given back"])
    assert again.registry.timekeeper.is_saved(again.game())


def test_a_turn_that_is_closed_before_it_is_given_time_back_is_given_none(server: Server):
    again = owing(server)
    again.close_turn()
    again.pass_time(RETRY_SECONDS)
    assert (time_left(again), given_back(again)) == (100 - RETRY_SECONDS, [])
    assert again.registry.timekeeper.is_saved(again.game())


def test_a_turn_that_is_owed_time_keeps_it_if_it_is_paused_before_that_can_be_saved(server: Server):
    again = owing(server)
    result_of(again.registry.control.pause(again.game()))
    assert again.game().row.left == 60
    again.pass_time(10 * RETRY_SECONDS)
    assert (again.game().row.deadline, given_back(again)) == (None, [])
    result_of(again.registry.control.resume(again.game()))
    assert time_left(again) == 60
    assert again.registry.timekeeper.is_saved(again.game())


def test_a_turn_whose_end_was_taken_away_is_owed_nothing(server: Server):
    """Another clock was given to the game by then, and what was given with it could not be saved."""
    again = owing(server)
    result_of(again.registry.clock_changes.set_clock(again.game(), parse_clock("all-done"), "The operator"))
    again.disk.at_once = False
    again.game().commit(GameChanges(columns={"held_reason": "nothing"}), again.now())
    again.disk.fail()
    again.disk.at_once = True
    again.pass_time(2 * RETRY_SECONDS)
    assert again.registry.timekeeper.is_saved(again.game())


def cluster_games(server: Server) -> ClusterGames:
    """Return what hands the games of a server over, as if it were a node."""
    registry, clock = server.registry, server.clock
    node = Node(server.store, clock, "one:6926", "1", LEASE)
    directory, clocks, timekeeper = registry.directory, registry.clocks, registry.timekeeper
    return ClusterGames(node, registry, directory, server.store, clocks, timekeeper, clock, server.now)


def test_a_game_is_not_handed_over_before_its_new_end_is_saved(server: Server, unsaved: Callable[..., None]):
    playing(server)
    server.pass_time(20)
    unsaved(DAY)
    done: list[None] = []
    Deferred.fromCoroutine(cluster_games(server).hand_over(server.game())).addCallback(done.append)
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
    server.registry.drop(game)
    result_of(server.store.write(stored_games.clocks_run, server.now(), [game.row.id]))
    server.registry.with_id(game.row.id)
    server.pass_time(2 * RETRY_SECONDS)
    assert server.game().state.turn == 1


# --- before a hibernated game is loaded -------------------------------------------------------------------------------


def hibernated(server: Server) -> float:
    """Have the only game leave memory, with an hour left of its turn; return its deadline."""
    server.registry.load_all()
    server.create(clock="interval:7200")
    for client in server.players(2):
        client.hang_up()
    server.pass_time(LOOK_SECONDS)
    server.pass_time(3600 - LOOK_SECONDS)
    server.pass_time(LOOK_SECONDS)
    assert not server.registry.games
    (row,) = server.registry.directory.rows()
    assert row.due is not None
    return row.due


@contextmanager
def unreadable(server: Server, error: Exception) -> Iterator[None]:
    """No game can be loaded, as the database, or what it has, cannot be read."""
    read = server.store.read

    def fails(fn: Callable[..., Any], *args: Any) -> Any:
        if fn is stored_changes.stored_game:
            raise error
        return read(fn, *args)

    server.store.read = fails
    yield
    server.store.read = read


@pytest.mark.parametrize("jump", [-DAY, -30.0, 30.0, DAY])
@pytest.mark.parametrize("saved", [False, True])
def test_a_clock_that_is_set_while_games_are_still_to_be_given_time_back(
    make_server: Callable[..., Server], jump: float, saved: bool
):
    """The turn has the seconds that it had when the server stopped, wherever the shift of its deadline is by then."""
    server = make_server()
    left = hibernated(server) - server.now()
    server.stop()
    again = Server(server.path, now=server.now() + 1800, found=server.found, delayed=True)
    with unreadable(again, StoreError("The database is locked.", code="busy")):
        again.registry.load_all()
        again.disk.at_once = saved
        again.set_clock(jump)
        again.pass_time(CLOCK_SECONDS)
    assert not again.registry.games
    assert again.game().row.due == again.now() + left
    again.disk.commit()
    again.disk.at_once = True
    again.settle()
    assert time_left(again) == left
    again.stop()


@pytest.mark.parametrize(
    ("is_set", "jump", "saved"),
    [("before", DAY, False), *((is_set, jump, True) for is_set in ("before", "meanwhile") for jump in (-DAY, DAY))],
)
def test_a_clock_that_is_set_around_the_time_in_which_a_game_cannot_be_loaded(
    make_server: Callable[..., Server], is_set: str, jump: float, saved: bool
):
    """The turn gets back the time in which its game could not be loaded, and that only."""
    server = make_server(delayed=True)
    hibernated(server)
    with unreadable(server, StoreError("The database is damaged.", code="damaged")):
        server.disk.at_once = saved
        if is_set == "before":
            server.set_clock(jump)
            server.registry.clocks.wall_clock.look()
        (row,) = server.registry.directory.rows()
        assert row.due is not None
        left = AHEAD_SECONDS - LOOK_SECONDS
        server.pass_time(row.due - server.now() - left)
        assert not server.registry.games
        if is_set == "meanwhile":
            server.set_clock(jump)
        server.pass_time(1000)
    assert server.game().row.due == pytest.approx(server.now() + left, abs=2 * LOOK_SECONDS)
    assert server.game().state.turn == 0


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_shift_that_is_in_the_store_though_the_database_has_not_said_so(
    make_server: Callable[..., Server], jump: float
):
    """The deadline is not moved again as the game is read again."""
    server = make_server(delayed=True)
    playing(server)
    server.pass_time(40)
    server.disk.at_once = False
    server.set_clock(jump)
    server.pass_time(CLOCK_SECONDS)
    server.disk.be_silent()
    server.disk.at_once = True
    server.settle()
    assert server.game().row.due == server.now() + 55
    server.pass_time(2 * RETRY_SECONDS)
    assert time_left(server) == 35
    server.pass_time(35)
    assert server.game().state.turn == 1


def test_timers_of_the_reactor_go_by_a_clock_that_nobody_sets():
    """Twisted's own go by the time of day."""
    reactor = MemoryReactorClock()
    App(Config(), Rulesets(), reactor)
    assert reactor.seconds is steady_seconds
