"""Turns under calendars, grace, time banks, phase clocks, first deadlines.

Time lost to the server is given back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_games.auction import Auction, sell

from tests.support.server_in_memory import BEGINNING, Client, Server, making_servers, result_of
from tpserver.games.core import attendance
from tpserver.games.core.errors import GameError, NotNow
from tpserver.games.terms.clock import LONGEST, NO_DEADLINE, parse_clock
from tpserver.games.turns import turn_time
from tpserver.games.turns.clock_changes import MOST_CLOCK_CHANGES
from tpserver.games.turns.clock_service import BEAT_SECONDS
from tpserver.games.turns.timekeeper import LEAST_LOST
from tpserver.rules.discovery import Rulesets
from tpserver.store.games import journal as stored_journal

REQUESTED, TIMER_STARTED, WARNING, ALL_FINISHED, THRESHOLD, END_OF_TURN = range(6)
HOUR, DAY = 3600, 86_400


class Rounds(Auction):
    """Auctions whose every second turn is a duel of the first two seats."""

    name = "rounds"
    version = 1
    clock_groups = {"duel": "the turns in which two bid"}
    phases = (
        replace(Auction.phases[0], next_phase=lambda world: "duel"),
        replace(
            Auction.phases[0],
            name="duel",
            active=lambda world: (0, 1),
            stages=(sell,),
            next_phase=lambda world: "bidding",
            clock_group="duel",
        ),
    )


FOUND = Rulesets({"auction": Auction(), "rounds": Rounds()})


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    made = make_server(found=FOUND)
    made.registry.load_all()
    return made


def turn(server: Server) -> int:
    return server.game().state.turn


def due(server: Server) -> float | None:
    """Return the seconds from the start of all games to the deadline."""
    found = server.game().row.due
    return None if found is None else found - BEGINNING


def ends(server: Server) -> float | None:
    found = server.game().row.deadline
    return None if found is None else found - BEGINNING


def told(client: Client, subject: str) -> list[str]:
    return [message.body for message in client.messages() if message.subject == subject]


def kinds(server: Server) -> list[str]:
    found = server.store.read(lambda c: stored_journal.after(c, server.game().row.id, 0))
    return [entry.kind for entry in found]


def local(at: float, zone: str = "Europe/Berlin") -> str:
    return datetime.fromtimestamp(at, ZoneInfo(zone)).strftime("%a %d %H:%M")


# --- calendars ------------------------------------------------------------------------------------------------------


def test_a_turn_of_a_calendar_ends_at_its_times(server: Server):
    """The clock begins on Tuesday, 14 November 2023, at 23:13:20 in Berlin; nothing ends on the weekend."""
    server.create(clock="calendar:tue-fri:2000:Europe/Berlin")
    server.players(2)
    times = []
    for number in range(1, 5):
        at = server.game().row.deadline
        server.pass_time(at - server.now() - 0.5)
        assert turn(server) == number - 1
        server.pass_time(0.5)
        assert turn(server) == number
        times.append(local(at))
    assert times == ["Wed 15 20:00", "Thu 16 20:00", "Fri 17 20:00", "Tue 21 20:00"]


def test_a_turn_that_begins_shortly_before_a_time_ends_at_the_one_after_it(server: Server):
    server.create(clock="calendar:daily:2000:Europe/Berlin")
    ann, ben = server.players(2)
    at = server.game().row.deadline
    server.pass_time(at - server.now() - HOUR + 1)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    assert turn(server) == 1
    assert local(server.game().row.deadline) == "Thu 16 20:00"


def test_a_turn_in_the_night_without_half_past_two_ends_at_three(make_server: Callable[..., Server]):
    begin = datetime(2026, 3, 28, 12, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    server = make_server(found=FOUND, now=begin)
    server.create(clock="calendar:daily:0230:Europe/Berlin")
    server.players(2)
    for expected in ("Sun 29 03:00", "Mon 30 02:30"):
        at = server.game().row.deadline
        assert local(at) == expected
        server.pass_time(at - server.now())
    assert turn(server) == 2


def test_done_but_wait_for_the_deadline(server: Server):
    """A finished turn can be taken back until then. At the deadline the turn ends, once."""
    server.create(clock="interval:100 wait")
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    answer = ben.ask("finished_turn")
    assert answer.text == "You are done with this turn; the turn waits for its end, also if all are done before"
    server.pass_time(99)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1
    server.pass_time(99)
    assert turn(server) == 1


def test_the_first_deadline_is_the_first_turn_s(server: Server):
    server.create(clock="interval:100 first:2023-11-15T12:00:UTC")
    server.players(2)
    first = datetime(2023, 11, 15, 12, tzinfo=ZoneInfo("UTC")).timestamp()
    assert server.game().row.deadline == first
    server.pass_time(first - server.now() - 1)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1
    assert server.game().row.deadline == first + 100


def test_a_first_deadline_that_passes_while_seats_are_open_counts_for_nothing(server: Server):
    server.create(clock="interval:100 first:2023-11-15T12:00:UTC")
    server.player("ann")
    server.pass_time(2 * DAY)
    server.player("ben")
    assert ends(server) == 2 * DAY + 100


@pytest.mark.parametrize("first", ["2023-11-14T12:00", "2026-11-14T12:00"])
def test_a_first_deadline_in_the_past_or_far_away_is_refused(server: Server, first: str):
    with pytest.raises(GameError, match="first deadline must be later than now"):
        server.create(clock=f"interval:100 first:{first}:UTC")


# --- grace ----------------------------------------------------------------------------------------------------------


def test_grace_is_time_after_the_deadline_which_all_are_told_of_once(server: Server):
    """The time remaining counts down to the deadline, and then to the end of the grace."""
    server.create(clock="interval:300 grace:60")
    ann, ben = server.players(2)
    ben.ask("finished_turn")
    assert (due(server), ends(server)) == (300, 360)
    assert ann.ask("get_time_remaining").message.time == 300
    server.pass_time(240)
    ann.times_pushed()
    server.pass_time(60)
    assert ann.times_pushed() == [(60, WARNING)]
    assert ann.ask("get_time_remaining").message.time == 60
    (text,) = told(ben, "Grace")
    assert "waits for ann" in text
    assert "ben" not in text
    server.pass_time(30)
    ann.bid(3)
    server.pass_time(29)
    assert (turn(server), len(told(ann, "Grace"))) == (0, 1)
    server.pass_time(1)
    assert (turn(server), due(server), ends(server)) == (1, 660, 720)
    assert server.game().state.world.won == [1, 0]


def test_in_the_grace_a_turn_ends_as_soon_as_all_are_done_also_one_that_waits(server: Server):
    server.create(clock="interval:300 wait grace:60")
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    server.pass_time(310)
    assert turn(server) == 0
    ben.ask("finished_turn")
    assert turn(server) == 1


def test_a_turn_that_waits_and_for_nobody_has_no_grace(server: Server):
    server.create(clock="interval:300 wait grace:60")
    ann, ben = server.players(2)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    server.pass_time(299)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1
    assert told(ann, "Grace") == []


def test_grace_after_a_restart_is_told_no_second_time(server: Server):
    server.create(clock="interval:300 grace:60")
    server.players(2)
    server.pass_time(301)
    again = server.restarted(20)
    assert (turn(again), ends(again)) == (0, 360)
    again.pass_time(1)
    assert len(told(again.player("ann"), "Grace")) == 1
    again.pass_time(38)
    assert turn(again) == 1


# --- time banks -----------------------------------------------------------------------------------------------------


def banks(server: Server) -> list[float]:
    game = server.game()
    return [turn_time.bank_of(game, seat) for seat in range(len(game.players))]


def test_time_beyond_the_turn_s_is_taken_from_the_banks_of_those_who_use_it(server: Server):
    server.create(seats=3, clock="interval:100 bank:50:5")
    ann, ben, cem = server.players(3)
    assert (due(server), ends(server)) == (100, 150)
    ann.ask("finished_turn")
    server.pass_time(110)
    ben.ask("finished_turn")
    server.pass_time(20)
    cem.ask("finished_turn")
    assert turn(server) == 1
    assert banks(server) == [50, 45, 25]
    assert ends(server) == 130 + 100 + 50
    server = server.restarted()
    assert banks(server) == [50, 45, 25]


def test_a_turn_waits_for_the_fullest_bank_of_those_who_are_awaited(server: Server):
    """With each mark the deadline is that of the remaining players. When a mark is taken back it is later again."""
    server.create(seats=2, clock="interval:100 bank:50")
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    server.pass_time(140)
    ben.ask("finished_turn")
    assert (turn(server), banks(server)) == (1, [50, 10])
    ann, ben = (server.connect("pb") for _ in range(2))
    for client, name in ((ann, "ann"), (ben, "ben")):
        client.ask("login", username=name, password=f"{name}'s word")
    assert ends(server) == 290
    ann.ask("finished_turn")
    assert ends(server) == 250
    ann.ask("unfinish_turn")
    assert ends(server) == 290
    ann.ask("finished_turn")
    server.pass_time(109)
    assert turn(server) == 1
    server.pass_time(1)
    assert (turn(server), banks(server)) == (2, [50, 0])


def test_who_takes_back_that_he_is_done_has_used_what_he_uses_until_he_is_done_again(server: Server):
    server.create(seats=2, clock="interval:100 bank:50")
    ann, _ = server.players(2, "pb")
    server.pass_time(110)
    ann.ask("finished_turn")
    assert turn_time.bank_used(server.game(), 0, server.now()) == 10
    ann.ask("unfinish_turn")
    server.pass_time(20)
    assert turn_time.bank_used(server.game(), 0, server.now()) == 30
    server.pass_time(20)
    assert (turn(server), banks(server)) == (1, [0, 0])


def test_under_all_done_all_time_is_the_bank_s_and_each_turn_has_at_least_what_it_adds(server: Server):
    """As with a chess clock, only awaited players use time."""
    server.create(ruleset="rounds", seats=3, clock="all-done bank:100:10")
    ann, ben, _ = server.players(3)
    assert (due(server), ends(server)) == (0, 100)
    server.pass_time(40)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    server.pass_time(60)
    assert (turn(server), banks(server)) == (1, [70, 70, 10])
    assert ends(server) == 170
    server.pass_time(70)
    assert (turn(server), banks(server)) == (2, [10, 10, 10])
    assert ends(server) == 180


def test_a_pause_uses_no_bank(server: Server):
    server.create(clock="interval:100 bank:50")
    ann, ben = server.players(2)
    server.pass_time(110)
    result_of(server.registry.control.pause(server.game()))
    server.pass_time(1000)
    ann.ask("finished_turn")
    result_of(server.registry.control.resume(server.game()))
    assert (due(server), ends(server)) == (1100, 1150)
    server.pass_time(10)
    ben.ask("finished_turn")
    assert (turn(server), banks(server)) == (1, [40, 30])


def test_what_was_used_before_a_restart_is_used_after_it(server: Server):
    server.create(clock="interval:100 bank:50")
    ann, _ = server.players(2)
    server.pass_time(110)
    ann.ask("finished_turn")
    again = server.restarted(20)
    again.pass_time(20)
    assert (turn(again), banks(again)) == (1, [40, 0])


STEPS = ("ann", "ben", "cem", "undo", "moment", "minute", "pause", "resume", "restart", "close")


@pytest.mark.thorough
@settings(max_examples=30)
@given(
    clock=st.sampled_from(["interval:90 bank:60:7", "all-done bank:90:20", "interval:60 wait grace:30 bank:40"]),
    steps=st.lists(st.sampled_from(STEPS), min_size=5, max_size=30),
)
def test_whatever_happens_banks_are_bounded_and_no_turn_ends_early_or_late(clock: str, steps: list[str]):
    with making_servers() as make:
        server = make(found=FOUND)
        server.registry.load_all()
        server.create(seats=3, clock=clock, options={"rounds": 40})
        clients = {name: server.player(name, "pb") for name in ("ann", "ben", "cem")}
        bank = parse_clock(clock).bank
        assert bank is not None
        for step in steps:
            game = server.game()
            before, ended, was_awaited = game.state.turn, game.row.deadline, bool(attendance.awaited(game))
            if step in clients:
                clients[step].ask("finished_turn")
            elif step == "undo":
                clients["ann"].ask("unfinish_turn")
            elif step in ("moment", "minute"):
                server.pass_time(3 if step == "moment" else 60)
            elif step == "restart":
                server = server.restarted(5)
                clients = {name: server.player(name, "pb") for name in clients}
            else:
                server.undergo(step)
            game = server.game()
            row = game.row
            if step in ("moment", "minute", "restart") and game.state.turn != before and was_awaited:
                assert ended is not None
                assert ended <= server.now()
            if row.state == "running":
                assert row.due is not None and row.deadline is not None
                assert row.due + game.clock.grace <= row.deadline <= row.due + game.clock.grace + bank.seconds
                assert row.deadline > server.now()
                assert row.deadline == turn_time.deadline_of(game, row.due, attendance.awaited(game))
            assert all(0 <= turn_time.bank_of(game, seat) <= bank.seconds for seat in range(3))
            assert all(
                0 <= turn_time.bank_used(game, seat, server.now()) <= turn_time.bank_of(game, seat) for seat in range(3)
            )


# --- clocks of phases -----------------------------------------------------------------------------------------------


def test_turns_of_a_group_have_their_own_clock(server: Server):
    server.create(ruleset="rounds", clock="interval:1000 phase:duel=interval:60")
    server.players(2)
    server.pass_time(999)
    assert turn(server) == 0
    server.pass_time(1)
    assert (turn(server), ends(server)) == (1, 1060)
    server = server.restarted(20)
    server.pass_time(39)
    assert turn(server) == 1
    server.pass_time(1)
    assert (turn(server), ends(server)) == (2, 2060)


def test_a_group_that_the_rules_do_not_have_is_refused_with_those_that_they_have(server: Server):
    with pytest.raises(GameError, match="'combat' is no group of the turns of these rules; they have duel"):
        server.create(ruleset="rounds", clock="interval:1000 phase:combat=interval:60")
    with pytest.raises(GameError, match="they have none"):
        server.create(clock="interval:1000 phase:combat=interval:60")


def test_a_threshold_of_a_group_counts_in_its_turns_only(server: Server):
    server.create(ruleset="rounds", clock="all-done phase:duel=threshold:50:60")
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    assert ends(server) is None
    ben.ask("finished_turn")
    ben.ask("finished_turn")
    assert (turn(server), ends(server)) == (1, 60)


# --- two things at once ---------------------------------------------------------------------------------------------


def test_the_last_mark_and_the_deadline_close_one_turn(make_server: Callable[..., Server]):
    """The mark is being saved when the time is up: one turn ends, not two."""
    server = make_server(delayed=True, found=FOUND)
    server.create(clock="interval:100 grace:20")
    ann, ben = server.players(2)
    ann.ask("finished_turn")
    server.pass_time(99)
    server.disk.at_once = False
    asked = ben.post("finished_turn")
    server.pass_time(21)
    server.disk.commit()
    while server.disk.commit():
        pass
    server.disk.at_once = True
    assert asked.reply.name == "okay"
    assert turn(server) == 1
    assert kinds(server).count("close") == 1


def test_two_games_of_one_calendar_close_at_the_same_moment_each_its_own_turn(server: Server):
    for name in ("first", "second"):
        server.create(name, clock="calendar:daily:2000:Europe/Berlin")
        server.players(2, game=name)
    at = server.game("first").row.deadline
    assert server.game("second").row.deadline == at
    server.pass_time(at - server.now())
    assert (server.game("first").state.turn, server.game("second").state.turn) == (1, 1)


# --- time given back ------------------------------------------------------------------------------------------------


def test_time_in_which_the_server_was_away_is_given_back_once_and_told(server: Server):
    """Durably, in one transaction: another restart gives back what it took itself, and no more."""
    server.create(clock="interval:300 grace:10")
    server.players(2)
    server.pass_time(100)
    server = server.restarted(1000)
    assert (turn(server), due(server), ends(server)) == (0, 1300, 1310)
    assert server.game().row.ran == server.now(), "it is in the same transaction that the clock runs again"
    (text,) = told(server.player("ann"), "Time given back")
    assert text.startswith("The server was away for 16 minutes 40 seconds. This turn is due at 2023-11-14 22:35")
    server = server.restarted(10)
    assert due(server) == 1300
    assert len(told(server.player("ben"), "Time given back")) == 1
    server = server.restarted(70)
    assert due(server) == 1370
    assert len(told(server.player("ben"), "Time given back")) == 2
    server.pass_time(199 + 1 - 80 + 70)
    assert turn(server) == 0


@pytest.mark.parametrize(("away", "moves"), [(LEAST_LOST - 1, False), (LEAST_LOST, True)])
def test_less_than_a_minute_is_not_given_back(server: Server, away: float, moves: bool):
    server.create(clock="interval:300")
    server.players(2)
    server = server.restarted(away)
    assert due(server) == (300 + away if moves else 300)


def test_of_a_server_that_was_killed_the_last_note_counts(server: Server, tmp_path: Any):
    """The time between that note and the end is given back, too: less than half a minute."""
    server.create(clock="interval:3000")
    server.players(2)
    server.pass_time(BEAT_SECONDS - 1)
    server.pass_time(1)
    server.pass_time(BEAT_SECONDS - 1)
    path = tmp_path / "killed.sqlite"
    server.crashed(path).stop()
    path.unlink()
    noted = server.store.read(lambda c: c.exec_driver_sql("SELECT ran FROM games").scalar())
    assert noted == BEGINNING + BEAT_SECONDS


def test_no_game_gets_back_time_in_which_it_had_no_deadline(server: Server):
    server.create("waits", clock="interval:300")
    server.player("ann", game="waits")
    server.create("free", clock="threshold:50:300")
    server.players(2, game="free")
    server = server.restarted(1000)
    for name in ("waits", "free"):
        game = server.game(name)
        assert (game.row.due, game.row.deadline) == (None, None)
    server.player("ann", game="free").ask("finished_turn")
    assert server.game("free").row.due == server.now() + 300


def test_a_calendar_s_time_that_passed_while_the_server_was_away_is_the_next_one(server: Server):
    server.create(clock="calendar:daily:2000:Europe/Berlin")
    server.players(2)
    server = server.restarted(DAY)
    assert turn(server) == 0
    assert local(server.game().row.deadline) == "Thu 16 20:00"
    assert "2023-11-16 20:00 (Europe/Berlin)" in told(server.player("ann"), "Time given back")[0]


def test_a_calendar_s_time_that_is_ahead_stays_and_nothing_is_told(server: Server):
    server.create(clock="calendar:daily:2000:Europe/Berlin")
    server.players(2)
    server = server.restarted(5 * HOUR)
    assert local(server.game().row.deadline) == "Wed 15 20:00"
    assert told(server.player("ann"), "Time given back") == []


def test_a_pause_of_a_calendar_s_turn(server: Server):
    """It ends at the same time if that is ahead, else at the next one that leaves an hour."""
    server.create(clock="calendar:daily:2000:Europe/Berlin")
    server.players(2)
    for pause, expected in ((5 * HOUR, "Wed 15 20:00"), (DAY, "Thu 16 20:00")):
        result_of(server.registry.control.pause(server.game()))
        server.pass_time(pause)
        result_of(server.registry.control.resume(server.game()))
        assert local(server.game().row.deadline) == expected


def test_the_system_s_clock_moves_no_time_of_a_calendar_that_is_ahead(server: Server):
    server.create(clock="calendar:daily:2000:Europe/Berlin")
    server.players(2)
    server.pass_time(HOUR)
    server.set_clock(HOUR)
    server.pass_time(BEAT_SECONDS)
    at = server.game().row.deadline
    assert local(at) == "Wed 15 20:00"
    server.pass_time(at - server.now() - 1)
    assert turn(server) == 0
    server.pass_time(1)
    assert turn(server) == 1


# --- more time, and another clock -----------------------------------------------------------------------------------


def give(server: Server, seconds: int, **more: Any) -> None:
    result_of(server.registry.clock_changes.give_time(server.game(), seconds, "The operator", **more))


def change(server: Server, clock: str, **more: Any) -> None:
    result_of(server.registry.clock_changes.set_clock(server.game(), parse_clock(clock), "The operator", **more))


def test_a_turn_is_given_more_time_and_all_are_told(server: Server):
    server.create(clock="interval:300 grace:10")
    ann, ben = server.players(2)
    ann.times_pushed()
    give(server, 7200)
    assert (due(server), ends(server)) == (7500, 7510)
    assert ann.times_pushed() == [(7500, WARNING)]
    text = "The operator has given this turn 2 hours more; it is due at 2023-11-15 00:18 (UTC)."
    assert told(ann, "More time") == told(ben, "More time") == [text]
    server = server.restarted(30)
    assert ends(server) == 7510
    server.pass_time(7510 - 30)
    assert (turn(server), due(server)) == (1, 7810)


def test_a_paused_turn_is_given_more_time(server: Server):
    server.create(clock="interval:300")
    server.players(2)
    server.pass_time(100)
    result_of(server.registry.control.pause(server.game()))
    give(server, 60)
    server.pass_time(1000)
    result_of(server.registry.control.resume(server.game()))
    assert due(server) == 1360


@pytest.mark.parametrize(
    ("clock", "seconds", "why"),
    [
        ("all-done", 60, "has no deadline"),
        ("threshold:50:60", 60, "has no deadline"),
        ("interval:60", 0, "1 to"),
        ("interval:60", LONGEST + 1, "1 to"),
        ("interval:60", LONGEST, "more than 365 days away"),
    ],
)
def test_more_time_that_cannot_be_given_is_refused(server: Server, clock: str, seconds: int, why: str):
    server.create(clock=clock)
    server.players(2)
    with pytest.raises(GameError, match=why):
        give(server, seconds)


def test_a_game_that_waits_or_is_over_has_no_turn_to_give_time_to(server: Server):
    server.create(clock="interval:60", options={"rounds": 1})
    with pytest.raises(GameError, match="is waiting"):
        give(server, 60)
    server.players(2)
    server.close_turn()
    with pytest.raises(GameError, match="is over"):
        give(server, 60)
    with pytest.raises(GameError, match="is over"):
        change(server, "all-done")


def test_another_clock_counts_from_the_next_turn_and_ends_no_turn_earlier(server: Server):
    server.create(clock="interval:300")
    ann, _ = server.players(2)
    server.pass_time(100)
    change(server, "interval:60")
    assert ends(server) == 300
    (text,) = told(ann, "Another clock")
    assert "another clock: a turn ends when all are done, after 1 minute at the latest. This turn is due at" in text
    server = server.restarted(10)
    assert str(server.game().clock) == server.game().row.clock == "interval:60"
    server.pass_time(190)
    assert (turn(server), ends(server)) == (1, 360)
    change(server, "interval:600")
    assert ends(server) == 900


def test_a_turn_gets_a_deadline_or_loses_it_with_another_clock(server: Server):
    server.create(clock="all-done")
    ann, _ = server.players(2)
    server.pass_time(1000)
    change(server, "interval:60")
    assert ends(server) == 1060
    assert ann.times_pushed()[-1] == (60, WARNING)
    change(server, "all-done")
    assert ends(server) is None
    server.pass_time(1000)
    assert turn(server) == 0
    assert ann.times_pushed()[-1] == (NO_DEADLINE, WARNING)


def test_a_clock_that_waits_no_more_closes_the_turn_of_all_who_are_done(server: Server):
    server.create(clock="interval:300 wait")
    ann, ben = server.players(2)
    ann.ask("finished_turn"), ben.ask("finished_turn")
    change(server, "interval:300")
    assert turn(server) == 1


def test_a_threshold_that_is_reached_already_begins_with_the_clock(server: Server):
    server.create(clock="all-done")
    ann, _ = server.players(2)
    ann.ask("finished_turn")
    change(server, "threshold:50:60")
    assert ends(server) == 60


def test_banks_begin_full_with_a_clock_that_has_them(server: Server):
    server.create(clock="interval:100 bank:50")
    server.players(2)
    server.pass_time(150)
    assert banks(server) == [0, 0]
    change(server, "interval:100")
    change(server, "interval:100 bank:20")
    assert banks(server) == banks(server.restarted()) == [20, 20]


def test_a_waiting_game_gets_another_clock(server: Server):
    server.create(ruleset="rounds", clock="all-done")
    server.player("ann")
    change(server, "interval:60 phase:duel=interval:5")
    with pytest.raises(GameError, match="no group"):
        change(server, "interval:60 phase:combat=interval:5")
    server = server.restarted()
    server.player("ben")
    assert ends(server) == 60


def test_a_paused_game_keeps_what_was_left_with_another_clock(server: Server):
    server.create(clock="interval:300")
    server.players(2)
    server.pass_time(100)
    result_of(server.registry.control.pause(server.game()))
    server.pass_time(1000)
    change(server, "interval:60")
    assert server.game().row.left == 200
    result_of(server.registry.control.resume(server.game()))
    assert ends(server) == 1300


def test_who_made_a_game_changes_its_clock_only_so_often_in_a_turn(server: Server):
    """Also over a restart; the operator is not counted."""
    server.create(clock="interval:300")
    server.players(2)
    for _ in range(MOST_CLOCK_CHANGES - 1):
        give(server, 1, maker=True)
    change(server, "interval:200", maker=True)
    server = server.restarted()
    with pytest.raises(NotNow, match="the maximum"):
        give(server, 1, maker=True)
    with pytest.raises(NotNow, match="the maximum"):
        change(server, "interval:200", maker=True)
    give(server, 1)
    server.close_turn()
    give(server, 1, maker=True)
