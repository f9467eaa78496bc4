"""Players, time remaining, finished turns, and the frames about them.

The server sends these frames unasked.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.server_in_memory import Server, making_servers
from tprules.api.ruleset import find_phase
from tpserver.games.core import time_notices
from tpserver.games.terms.clock import NO_DEADLINE

NAMES = ("ann", "ben", "cem")
REQUESTED, TIMER_STARTED, WARNING, ALL_FINISHED, THRESHOLD, END_OF_TURN = range(6)


def left(client: Any) -> Any:
    return client.ask("get_time_remaining").message


def test_without_a_deadline_the_largest_number_is_told_never_0(server: Server, dialect: str):
    """0 would mean that the turn is being computed."""
    for clock in ("manual", "all-done", "threshold:50:20"):
        name = clock.partition(":")[0]
        server.create(name, clock=clock)
        ann, _ = server.players(2, dialect, game=name)
        time = left(ann)
        assert time.time == NO_DEADLINE == 2147483647
        if not ann.classic:
            assert (time.reason, time.turn, time.turn_name) == (REQUESTED, 0, "Round 1")
            assert list(time.waiting) == [1, 2]


def test_the_seconds_before_a_deadline_are_rounded_up_and_never_0(server: Server, dialect: str):
    server.create(clock="interval:30")
    ann, _ = server.players(2, dialect)
    for passed, expected in ((0.0, 30), (0.5, 30), (0.5, 29), (28.5, 1), (0.4, 1)):
        server.pass_time(passed)
        assert left(ann).time == expected


def test_a_waiting_game_says_what_it_waits_for(server: Server, dialect: str):
    server.create(seats=3, clock="interval:30")
    ann, _ = server.players(2, dialect)
    time = left(ann)
    assert time.time == NO_DEADLINE
    if not ann.classic:
        assert time.turn_name == "Waiting for players (2 of 3)"
        assert list(time.waiting) == []


def test_a_finished_game_says_who_won(server: Server, dialect: str):
    server.create(options={"rounds": 1}, clock="interval:30")
    ann, ben = server.players(2, dialect)
    ben.bid(3)
    ann.times_pushed()
    server.pass_time(30)
    time = left(ann)
    assert time.time == NO_DEADLINE
    if not ann.classic:
        assert time.turn_name == "Game over: ben won"
        assert list(time.waiting) == []
    assert [seconds for seconds, _ in ann.times_pushed()] == [0, NO_DEADLINE]


def test_finishing_tells_everybody_who_is_awaited_still(server: Server, dialect: str):
    """Reason 2. The player's Okay comes as for any request. To finish twice sends nothing twice."""
    server.create(seats=3, clock="all-done")
    ann, ben, cem = server.players(3, dialect)
    for client in (ann, ben, cem):
        client.pushed.clear()
    assert ben.ask("finished_turn").name == "okay"
    for client in (ann, ben, cem):
        ((_, pushed),) = client.pushed
        if not client.classic:
            assert pushed.reason == WARNING
            assert list(pushed.waiting) == [1, 3]
        client.pushed.clear()
    assert ben.ask("finished_turn").name == "okay"
    assert ann.pushed == []
    if not ann.classic:
        assert list(left(ann).waiting) == [1, 3]


def test_when_all_have_finished_the_turn_closes(server: Server, dialect: str):
    """All connections get the end (0 seconds) and the beginning (the full length)."""
    server.create(clock="all-done")
    ann, ben = server.players(2, dialect)
    ann.ask("finished_turn")
    ann.times_pushed(), ben.times_pushed()
    assert ben.ask("finished_turn").name == "okay"
    for client in (ann, ben):
        times = client.times_pushed()
        assert [seconds for seconds, _ in times] == [0, NO_DEADLINE]
        if not client.classic:
            assert [reason for _, reason in times] == [ALL_FINISHED, TIMER_STARTED]
    assert server.game().state.turn == 1
    if not ann.classic:
        assert list(left(ann).waiting) == [1, 2]


def test_the_beginning_of_a_turn_is_told_with_its_full_length(server: Server, dialect: str):
    """One client waits for exactly this: reason 1, all of the interval."""
    server.create(clock="interval:30")
    ann, _ = server.players(2, dialect)
    assert [seconds for seconds, _ in ann.times_pushed()] == [30]
    server.pass_time(30)
    times = ann.times_pushed()
    assert [seconds for seconds, _ in times] == [0, 30]
    if not ann.classic:
        assert [reason for _, reason in times] == [END_OF_TURN, TIMER_STARTED]


def test_a_reminder_comes_a_minute_before_a_long_turn_ends(server: Server, dialect: str):
    server.create(clock="interval:3600")
    ann, _ = server.players(2, dialect)
    ann.times_pushed()
    server.pass_time(3539)
    assert ann.times_pushed() == []
    server.pass_time(1)
    ((seconds, reason),) = ann.times_pushed()
    assert (seconds, reason) == (60, REQUESTED if ann.classic else WARNING)


def test_unasked_frames_have_sequence_number_0_and_are_about_time_only(server: Server, dialect: str):
    """Through a whole small game nothing else comes unasked: clients die on other frames."""
    server.create(clock="all-done", options={"rounds": 2})
    ann, ben = server.players(2, dialect)
    for client in (ann, ben, ann, ben):
        client.bid(1)
        client.ask("post_message", id=0, slot=-1, subject="s", body="b")
        client.ask("finished_turn")
    assert server.game().over
    assert {name for name, _ in (*ann.pushed, *ben.pushed)} == {"time_remaining"}


def test_nobody_outside_the_game_is_told(server: Server):
    server.create("first", clock="manual")
    server.create("second", clock="manual")
    ann, _ = server.players(2, game="first")
    cem = server.player("cem", game="second")
    stranger = server.connect()
    cem.pushed.clear()
    server.close_turn("first")
    assert ann.times_pushed() != []
    assert cem.pushed == stranger.pushed == []


def test_player_0_is_mine_with_the_real_number(server: Server, dialect: str):
    server.create()
    for client in server.players(2, dialect):
        mine = client.ask("get_player", ids=[0]).message
        assert (mine.id, mine.name) == (client.seat + 1, ["ann", "ben"][client.seat])
        assert mine.race
        if not client.classic:
            assert mine.modtime == int(server.clock.seconds())
    assert [player.name for player in client.ask("get_player", ids=[2, 1]).things] == ["ben", "ann"]


@pytest.mark.parametrize("clock", ["manual", "all-done"])
def test_finishing_again_after_the_turn_counts_anew(server: Server, clock: str):
    """Marks are of one turn."""
    server.create(clock=clock)
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    server.close_turn()
    assert server.game().finished == set()
    ben.ask("finished_turn")
    assert server.game().state.turn == 1
    ann.ask("finished_turn")
    assert server.game().state.turn == (1 if clock == "manual" else 2)


def test_a_waiting_game_takes_no_marks(server: Server, dialect: str):
    """Okay, but it counts for nothing when the game starts."""
    server.create(clock="all-done")
    ann = server.player("ann", dialect)
    ann.ask("finished_turn")
    assert server.game().finished == set()
    ben = server.player("ben", dialect)
    ben.ask("finished_turn")
    assert server.game().state.turn == 0


# --- the answer is kept while nothing changes -------------------------------------------------------------------------


def worked_out(server: Server) -> tuple[int, int, str, list[int]]:
    """The expected TimeRemaining frame: seconds, turn, title and awaited players."""
    game = server.game()
    row, state = game.row, game.state
    if not game.started:
        missing = [player for player in game.players if not player.name]
        return NO_DEADLINE, 0, f"Waiting for players ({3 - len(missing)} of 3)", []
    seconds = NO_DEADLINE
    if row.state == "running" and row.deadline is not None:
        seconds = max(1, math.ceil(row.deadline - server.now()))
    if row.state == "over":
        lots = state.world.won
        best = [NAMES[seat] for seat, won in enumerate(lots) if won == max(lots)]
        return seconds, state.turn, f"Game over: {' and '.join(best)} won" if len(best) < 3 else "Game over: a draw", []
    phase = find_phase(game.rules, state.phase)
    if row.state == "held":
        return seconds, state.turn, f"suspended: {phase.title(state.world)}", []
    awaited = [seat + 1 for seat in phase.active(state.world) if seat not in game.finished]
    return seconds, state.turn, phase.title(state.world), awaited


STEPS = ("join", "bid", "finish", "second", "moment", "close", "pause", "resume", "hold", "reload")


@pytest.mark.thorough
@settings(max_examples=25)
@given(
    clock=st.sampled_from(["manual", "all-done", "interval:5", "threshold:50:3"]),
    steps=st.lists(st.sampled_from(STEPS), min_size=8, max_size=25),
    chosen=st.randoms(use_true_random=False),
)
def test_the_time_that_is_told_is_always_as_worked_out_afresh(clock: str, steps: list[str], chosen: Random):
    """Random sequences of all changes are checked, for any client, in any dialect, at any time."""
    with making_servers() as make:
        server = make()
        server.create(seats=3, clock=clock, options={"rounds": 4})
        clients = [server.player("ann", "tp04")]
        for step in ["join", *steps]:
            client = chosen.choice(clients)
            if step == "join" and len(clients) < 3:
                clients.append(server.player(("ben", "cem")[len(clients) - 1], ("pb", "json")[len(clients) - 1]))
            elif step == "bid":
                client.bid(chosen.randint(0, 2))
            elif step == "finish":
                client.ask("finished_turn")
            elif step == "moment":
                server.pass_time(0.3)
            elif step == "reload":
                server = server.restarted()
                clients = [server.player(name, one.title, "first") for name, one in zip(NAMES, clients, strict=False)]
            else:
                server.undergo(step)
            expected = worked_out(server)
            for client in [*clients, *clients]:
                time = left(client)
                assert (time.time, time.turn, time.turn_name, list(time.waiting)) == expected, (step, client.title)
                assert time.reason == REQUESTED


def test_a_push_tells_its_own_reason_though_the_same_was_requested_before(server: Server):
    server.create(clock="interval:30")
    ann, _ = server.players(2)
    ann.times_pushed()
    assert left(ann).reason == REQUESTED
    time_notices.tell_time(server.game(), WARNING, server.now())
    assert ann.times_pushed() == [(30, WARNING)]
