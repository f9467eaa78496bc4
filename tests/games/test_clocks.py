"""The closing times of each turn clock, with controlled time.

Deadlines survive restarts and pauses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.server_in_memory import BEGINNING, Server, making_servers, result_of
from tpserver.games.core.errors import GameError
from tpserver.games.terms.clock import FORMS, LONGEST, NO_DEADLINE, Clock, ClockError, parse_clock, seconds_left

REQUESTED, TIMER_STARTED, WARNING, ALL_FINISHED, THRESHOLD, END_OF_TURN = range(6)


# --- what a clock may be called -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("manual", Clock("manual")),
        (" All-Done ", Clock("all-done")),
        ("interval:1", Clock("interval", 1)),
        (f"interval:{LONGEST}", Clock("interval", LONGEST)),
        ("threshold:50:3600", Clock("threshold", 3600, 50)),
        ("threshold:100:1", Clock("threshold", 1, 100)),
    ],
)
def test_a_clock_is_read_and_written_alike(text: str, clock: Clock):
    assert parse_clock(text) == clock
    assert parse_clock(str(clock)) == clock


@pytest.mark.parametrize("text", ["", "hourly", "manual:5", "interval", "interval:1:2", "threshold:50", "interval: 5:"])
def test_what_is_no_clock_is_refused_with_what_is_one(text: str):
    with pytest.raises(ClockError) as refused:
        parse_clock(text)
    assert FORMS in str(refused.value)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("interval:0", "seconds"),
        (f"interval:{LONGEST + 1}", "seconds"),
        ("interval:-5", "seconds"),
        ("interval:1.5", "seconds"),
        ("interval:٣", "seconds"),
        ("interval:" + "9" * 400, "seconds"),
        ("threshold:0:5", "percent"),
        ("threshold:101:5", "percent"),
        ("threshold:50:x", "seconds"),
    ],
)
def test_a_number_out_of_its_limits_is_refused_naming_it(text: str, named: str):
    with pytest.raises(ClockError) as refused:
        parse_clock(text)
    assert named in str(refused.value)
    assert "go from" in str(refused.value)


def test_seconds_left_are_at_least_1_and_at_most_the_largest():
    assert seconds_left(None, 5.0) == NO_DEADLINE
    assert seconds_left(5.0, 5.0) == seconds_left(0.0, 5.0) == 1
    assert seconds_left(6.01, 5.0) == 2
    assert seconds_left(1e18, 0.0) == NO_DEADLINE


# --- each clock -----------------------------------------------------------------------------------------------------


def turn(server: Server) -> int:
    return server.game().state.turn


def test_manual_closes_when_the_operator_says_so_and_not_before(server: Server):
    server.create(clock="manual")
    clients = server.players(2)
    for client in clients:
        client.ask("finished_turn")
    server.pass_time(10**7)
    assert turn(server) == 0
    server.close_turn()
    assert turn(server) == 1


def test_all_done_closes_when_the_last_one_has_finished(server: Server):
    server.create(clock="all-done", seats=3)
    clients = server.players(3)
    server.pass_time(10**7)
    for client in clients[:2]:
        client.ask("finished_turn")
    assert turn(server) == 0
    clients[2].ask("finished_turn")
    assert turn(server) == 1


def test_interval_closes_when_time_is_up(server: Server):
    """Again and again, each turn with its full length."""
    server.create(clock="interval:60")
    server.players(2)
    for number in range(1, 4):
        server.pass_time(59.5)
        assert turn(server) == number - 1
        server.pass_time(0.5)
        assert turn(server) == number
        assert server.game().row.deadline == server.clock.seconds() + 60


def test_interval_closes_early_when_all_have_finished(server: Server):
    """And the next turn has its full length again."""
    server.create(clock="interval:60")
    ann, ben = server.players(2)
    server.pass_time(20)
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    assert turn(server) == 1
    assert server.game().row.deadline == BEGINNING + 80
    server.pass_time(59)
    assert turn(server) == 1
    server.pass_time(1)
    assert turn(server) == 2


def test_threshold_starts_its_time_when_enough_have_finished(server: Server):
    """Two are 50 % of three. All get a frame with reason 4, and the next mark does not start the time again."""
    server.create(clock="threshold:50:60", seats=4)
    ann, ben, cem, dan = server.players(4)
    server.pass_time(1000)
    ann.ask("finished_turn")
    assert server.game().row.deadline is None
    for client in (ann, dan):
        client.pushed.clear()
    ben.ask("finished_turn")
    assert dan.times_pushed() == ann.times_pushed() == [(60, THRESHOLD)]
    assert server.game().row.deadline == server.clock.seconds() + 60
    server.pass_time(30)
    cem.ask("finished_turn")
    assert dan.times_pushed() == [(30, WARNING)]
    server.pass_time(29)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1
    assert dan.times_pushed() == [(0, END_OF_TURN), (NO_DEADLINE, TIMER_STARTED)]
    assert server.game().row.deadline is None


def test_threshold_closes_early_when_all_have_finished(server: Server):
    server.create(clock="threshold:50:60")
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    server.pass_time(10)
    ben.ask("finished_turn")
    assert turn(server) == 1
    server.pass_time(100)
    assert turn(server) == 1


def test_the_time_starts_when_the_game_starts_and_not_before(server: Server):
    server.create(clock="interval:60")
    ann = server.player("ann")
    server.pass_time(1000)
    assert turn(server) == 0
    assert server.game().row.state == "waiting"
    server.player("ben")
    assert server.game().row.deadline == server.clock.seconds() + 60
    assert ann.session.game.row.started == server.clock.seconds()


def test_a_game_that_is_over_has_no_clock(server: Server):
    server.create(clock="interval:60", options={"rounds": 1})
    server.players(2)
    server.pass_time(60)
    game = server.game()
    assert (game.row.state, game.row.deadline, game.row.turn) == ("over", None, 1)
    server.pass_time(10_000)
    assert turn(server) == 1
    assert not any(call.active() for call in server.clock.getDelayedCalls())
    for act in (
        server.registry.turns.close_turn,
        server.registry.control.pause,
        server.registry.control.resume,
    ):
        with pytest.raises(GameError):
            result_of(act(game))


# --- deadlines and restarts -----------------------------------------------------------------------------------------


@pytest.fixture
def restarting() -> Iterator[Callable[..., Server]]:
    """Restart a server as often as wanted; the last one is stopped after the test."""
    with making_servers() as make:
        current = [make()]

        def restart(later: float | None = None) -> Server:
            if later is not None:
                current[0] = current[0].restarted(later)
            return current[0]

        yield restart
        current[0].stop()


def test_a_deadline_survives_a_restart(restarting: Callable[..., Server]):
    """It is a time, not a timer: what was left before is left after, less the time that the server was down."""
    server = restarting()
    server.create(clock="interval:60")
    server.players(2)
    server.pass_time(10)
    server = restarting(20)
    assert turn(server) == 0
    assert server.game().row.deadline == BEGINNING + 60
    server.pass_time(29)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1


def test_a_deadline_that_passed_while_the_server_was_down_for_a_moment_closes_the_turn_at_once(
    restarting: Callable[..., Server],
):
    """Once, not once for every interval that was missed."""
    server = restarting()
    server.create(clock="interval:10")
    ann, _ = server.players(2)
    ann.bid(3)
    server = restarting(59)
    assert turn(server) == 1
    assert server.game().state.world.won == [1, 0]
    assert server.game().row.deadline == BEGINNING + 69
    server.pass_time(9)
    assert turn(server) == 1


def test_a_threshold_that_was_started_survives_a_restart(restarting: Callable[..., Server]):
    server = restarting()
    server.create(clock="threshold:50:60")
    ann, _ = server.players(2)
    ann.ask("finished_turn")
    server = restarting(30)
    assert server.game().finished == {0}
    assert turn(server) == 0
    server.pass_time(30)
    assert turn(server) == 1


def test_marks_survive_a_restart_and_the_last_one_closes_the_turn(restarting: Callable[..., Server]):
    server = restarting()
    server.create(clock="all-done")
    ann, _ = server.players(2)
    ann.ask("finished_turn")
    server = restarting(5)
    assert turn(server) == 0
    server.player("ben").ask("finished_turn")
    assert turn(server) == 1
    server = restarting(5)
    assert server.game().finished == set()
    assert turn(server) == 1


# --- pausing --------------------------------------------------------------------------------------------------------


def test_a_paused_game_keeps_the_time_that_was_left(restarting: Callable[..., Server]):
    """The time is kept over a restart. Orders are accepted throughout, and the players are notified."""
    server = restarting()
    server.create(clock="interval:60")
    ann, _ = server.players(2)
    server.pass_time(25)
    ann.times_pushed()
    result_of(server.registry.control.pause(server.game()))
    assert ann.times_pushed() == [(NO_DEADLINE, WARNING)]
    server.pass_time(500)
    assert turn(server) == 0
    assert ann.bid(3).name == "order"
    server = restarting(500)
    game = server.game()
    assert (game.row.state, game.row.left, game.row.deadline) == ("paused", 35, None)
    ann = server.player("ann")
    assert len(ann.queue(ann.home)) == 1
    result_of(server.registry.control.resume(server.game()))
    assert ann.times_pushed() == [(35, TIMER_STARTED)]
    server.pass_time(34)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1
    assert server.game().state.world.won == [1, 0]


def test_players_are_told_on_their_boards_of_a_pause_and_of_its_end(restarting: Callable[..., Server]):
    """In the same transaction: after a restart the messages are there as often as the game was paused and resumed."""
    server = restarting()
    server.create(clock="interval:60")
    server.players(2)

    def told(who: str) -> list[tuple[str, str]]:
        messages = server.player(who).messages()
        return [(message.subject, message.body) for message in messages if message.subject.startswith("The game")]

    paused = ("The game is paused", "The operator has stopped the clock; orders are still taken.")
    goes_on = ("The game goes on", "The operator lets the clock run again.")
    result_of(server.registry.control.pause(server.game()))
    assert told("ann") == told("ben") == [paused]
    server = restarting(10)
    result_of(server.registry.control.resume(server.game()))
    assert told("ann") == told("ben") == [paused, goes_on]
    server = restarting(10)
    assert told("ann") == told("ben") == [paused, goes_on]


def test_all_finished_while_paused_closes_when_the_game_goes_on(server: Server):
    server.create(clock="all-done")
    ann, ben = server.players(2)
    result_of(server.registry.control.pause(server.game()))
    ann.ask("finished_turn")
    ben.ask("finished_turn")
    assert turn(server) == 0
    result_of(server.registry.control.resume(server.game()))
    assert turn(server) == 1


def test_a_threshold_reached_while_paused_starts_when_the_game_goes_on(server: Server):
    server.create(clock="threshold:50:60")
    ann, _ = server.players(2)
    result_of(server.registry.control.pause(server.game()))
    ann.ask("finished_turn")
    server.pass_time(100)
    result_of(server.registry.control.resume(server.game()))
    assert server.game().row.deadline == server.clock.seconds() + 60
    server.pass_time(60)
    assert turn(server) == 1


def test_a_turn_closed_by_hand_while_paused_has_its_full_length_afterwards(server: Server):
    server.create(clock="interval:60")
    server.players(2)
    server.pass_time(50)
    result_of(server.registry.control.pause(server.game()))
    server.close_turn()
    assert (turn(server), server.game().row.state) == (1, "paused")
    server.pass_time(500)
    result_of(server.registry.control.resume(server.game()))
    assert server.game().row.deadline == server.clock.seconds() + 60


def test_a_game_that_is_resumed_after_the_clock_was_set_has_the_time_that_it_had_left(server: Server):
    """The clock is checked before its time is used. Otherwise the end of the turn would be moved again."""
    server.create("first", clock="interval:60")
    server.players(2, game="first")
    server.pass_time(10)
    game = server.game("first")
    result_of(server.registry.control.pause(game))
    server.set_clock(3600)
    result_of(server.registry.control.resume(game))
    server.pass_time(49)
    assert game.state.turn == 0
    server.pass_time(2)
    assert game.state.turn == 1


def test_what_cannot_be_paused_or_resumed_is_refused_with_what_it_is(server: Server):
    server.create(clock="interval:60")
    with pytest.raises(GameError, match="waiting"):
        result_of(server.registry.control.pause(server.game()))
    with pytest.raises(GameError, match="not started"):
        server.close_turn()
    server.players(2)
    with pytest.raises(GameError, match="running"):
        result_of(server.registry.control.resume(server.game()))
    result_of(server.registry.control.pause(server.game()))
    with pytest.raises(GameError, match="paused"):
        result_of(server.registry.control.pause(server.game()))


def test_games_have_clocks_of_their_own(server: Server):
    """One that closes, pauses or ends moves no other's deadline."""
    server.create("first", clock="interval:60")
    server.create("second", clock="interval:100")
    server.players(2, game="first")
    server.players(2, game="second")
    result_of(server.registry.control.pause(server.game("first")))
    server.pass_time(100)
    assert server.game("first").state.turn == 0
    assert server.game("second").state.turn == 1


def test_a_stopped_server_leaves_no_timers(server: Server):
    server.create(clock="interval:3600")
    server.players(2)
    server.settle()
    server.stop()
    assert server.clock.getDelayedCalls() == []
