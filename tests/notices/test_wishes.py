"""Kinds and times of notifications: turn, reminder, digest, quiet hours."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from told import Told
from twisted.internet.defer import Deferred

from tests.support.server_in_memory import SMALL_BOARD, Server, result_of
from tpserver.day_times import DayTimes, zone_named
from tpserver.notices.channels import NotDelivered
from tpserver.notices.content import iso
from tpserver.notices.delivery import SETTLING_SECONDS
from tpserver.store.people import notices as stored_notices

HOUR, DAY = 3600.0, 86400.0


def at(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


# --- times of the day -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "quiet", "until"),
    [
        ("2026-03-01T21:59", False, "2026-03-01T21:59"),
        ("2026-03-01T22:00", True, "2026-03-02T07:30"),
        ("2026-03-02T03:00", True, "2026-03-02T07:30"),
        ("2026-03-02T07:30", False, "2026-03-02T07:30"),
    ],
)
def test_quiet_hours_may_go_over_midnight(now: str, quiet: bool, until: str) -> None:
    times = DayTimes("Europe/Zurich", 22 * 60, 7 * 60 + 30)
    assert times.is_quiet(at(now, "Europe/Zurich")) is quiet
    assert times.loud(at(now, "Europe/Zurich")) == at(until, "Europe/Zurich")


def test_quiet_hours_end_by_the_clock_on_the_wall_when_it_is_set() -> None:
    """In the night of 29 March 2026 clocks in Zurich go from 2 to 3, and in that of 25 October from 3 to 2."""
    times = DayTimes("Europe/Zurich", 22 * 60, 7 * 60)
    begin = at("2026-03-28T23:00", "Europe/Zurich")
    assert times.loud(begin) - begin == 7 * HOUR
    gap = DayTimes("Europe/Zurich", 60, 150)  # 2:30 is not there that day
    assert gap.loud(at("2026-03-29T01:30", "Europe/Zurich")) == at("2026-03-29T03:00", "Europe/Zurich")
    twice = at("2026-10-25T02:00", "Europe/Zurich")
    assert gap.loud(twice + 10 * 60) == twice + 30 * 60
    assert gap.loud(twice + HOUR + 10 * 60) == twice + HOUR + 30 * 60, "2:30 comes twice, and not a day later"


@pytest.mark.parametrize("day", ["2026-03-29", "2026-03-30", "2026-10-25", "2026-10-26"])
def test_a_reminder_comes_on_the_evening_of_a_day_on_which_the_clock_is_set(day: str) -> None:
    """Such a day has 23 or 25 hours: it is not that of the day before."""
    times = DayTimes("Europe/Zurich", 22 * 60, 7 * 60)
    for wall in (f"{day}T22:00", f"{day}T22:30", f"{day}T23:59"):
        assert times.before_quiet(at(wall, "Europe/Zurich"), 0.0) == at(f"{day}T21:45", "Europe/Zurich")


def test_a_reminder_that_would_fall_into_quiet_hours_comes_on_their_eve() -> None:
    times = DayTimes("UTC", 22 * 60, 6 * 60)
    night = at("2026-03-02T03:00")
    assert times.before_quiet(at("2026-03-01T21:50"), 0.0) == at("2026-03-01T21:50"), "this is not quiet"
    assert times.before_quiet(night, at("2026-03-01T12:00")) == at("2026-03-01T21:45")
    assert times.before_quiet(night, at("2026-03-01T21:52")) == at("2026-03-01T21:52"), "there is time left"
    assert times.before_quiet(night, at("2026-03-01T22:00")) == at("2026-03-02T06:00"), "unless they have begun"
    short = DayTimes("UTC", 22 * 60, 21 * 60 + 50)
    assert short.before_quiet(night, at("2026-03-01T12:00")) == at("2026-03-01T21:50"), "not in those of yesterday"


@pytest.mark.parametrize(
    "name", ["", "Nowhere/At/All", "../../etc/passwd", "/etc/localtime", "America", "x" * 65, "\0"]
)
def test_a_zone_that_there_is_not_is_no_zone(name: str) -> None:
    with pytest.raises(ValueError, match="there is no time zone"):
        zone_named(name)
    assert DayTimes(name).next_digest(0.0) == 8 * HOUR, "and counts as UTC"


# --- what is told -----------------------------------------------------------------------------------------------------


def test_off_is_nothing(told: Told) -> None:
    told.game(options={"rounds": 2}, clock="interval:86400")
    told.address("ann")
    told.wish("off", 5)
    told.server.close_turn()
    told.server.close_turn()
    told.pass_time(2 * DAY, 600)
    assert told.box.came == []


def test_what_is_said_of_a_game_goes_before_what_is_said_of_all(told: Told) -> None:
    one, other = told.game("one"), told.game("other")
    told.address("ann")
    told.wish("off")
    told.wish("turn", game=other.row.id)
    for game in (one, other):
        told.server.close_turn(game.name)
    told.pass_time(60)
    assert told.box.subjects == ["Your turn in other"]


def test_the_end_of_a_turn_is_told_so_many_hours_before(told: Told) -> None:
    told.game(clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(21 * HOUR - 120, 60)
    assert told.box.subjects == ["Your turn in first"]
    told.pass_time(240, 10)
    assert told.box.subjects[1:] == ["3 hours left in first"]
    told.pass_time(2.9 * HOUR, 60)
    assert len(told.box.came) == 2


def test_who_has_finished_is_not_told_of_the_end(told: Told) -> None:
    told.game(clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.finish("ann")
    told.pass_time(23.5 * HOUR, 60)
    assert told.box.subjects == ["Your turn in first"] or told.box.subjects == []


def test_a_turn_shorter_than_the_hours_is_told_once(told: Told) -> None:
    told.game(clock="interval:3600")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(0.9 * HOUR, 60)
    assert told.box.subjects == ["Your turn in first"]


def test_a_deadline_that_begins_within_a_turn_is_told(told: Told) -> None:
    """Of a clock `threshold`: the end is set when others have finished, and may be nearer than the hours."""
    told.game(clock="threshold:50:7200")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(60)
    told.finish("ben")
    told.pass_time(60)
    assert told.box.subjects == ["Your turn in first", "2 hours left in first"]


def test_a_deadline_that_is_moved_moves_its_reminder(told: Told) -> None:
    """Here a pause moves it. No reminder comes twice."""
    told.game(clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(60)
    result_of(told.server.registry.control.pause(told.server.game()))
    told.pass_time(2 * DAY, 600)
    assert told.box.subjects == ["Your turn in first"]
    result_of(told.server.registry.control.resume(told.server.game()))
    told.pass_time(22 * HOUR, 60)
    assert told.box.subjects[1:] == ["3 hours left in first"]
    result_of(told.server.registry.control.pause(told.server.game()))
    result_of(told.server.registry.control.resume(told.server.game()))
    told.pass_time(HOUR, 60)
    assert len(told.box.came) == 2, "what was told once is not told again, though the end was moved since"


@pytest.mark.thorough
def test_the_hours_count_to_when_the_turn_is_due_not_to_the_end_of_its_grace(told: Told) -> None:
    """As players count the time; when it ends at the latest stands beside it, in words and for programs."""
    told.game(clock="interval:86400 grace:36000")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(21 * HOUR - 120, 60)
    assert told.box.subjects == ["Your turn in first"]
    letter = told.box.came[0][1]
    begun = told.server.game().row.due - 86400
    assert letter.data["deadline"] == iso(begun + 24 * HOUR)
    assert letter.data["ends"] == iso(begun + 34 * HOUR)
    assert "with grace and time banks" in letter.lines[1]
    told.pass_time(240, 10)
    assert told.box.subjects[1:] == ["3 hours left in first"]
    told.pass_time(12 * HOUR, 60)
    assert len(told.box.came) == 2, "of the end of the grace nobody is told"


@pytest.mark.thorough
def test_the_hours_count_to_the_time_of_a_calendar(told: Told) -> None:
    told.game(clock="calendar:daily:2000:Europe/Zurich grace:3600")
    told.address("ann")
    told.wish("turn", 2)
    told.server.close_turn()
    due = told.server.game().row.due
    told.pass_time(due - 2 * HOUR - told.server.now() - 120, 60)
    before = len(told.box.came)
    told.pass_time(240, 10)
    assert told.box.subjects[before:] == ["2 hours left in first"]
    assert told.box.came[-1][1].data["deadline"] == iso(due)


def test_of_a_turn_that_is_all_time_bank_the_hours_count_to_its_end(told: Told) -> None:
    """Under `all-done` a turn is due at once, and lasts as long as the banks of those who are awaited."""
    told.game(clock="all-done bank:36000:3600")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    ends = told.server.game().row.deadline
    told.pass_time(ends - 3 * HOUR - told.server.now() - 120, 60)
    assert told.box.subjects == ["Your turn in first"]
    told.pass_time(240, 10)
    assert told.box.subjects[1:] == ["3 hours left in first"]


def test_an_end_that_banks_move_a_little_is_no_news(told: Told) -> None:
    """If the turn is shorter than the hours, there is no reminder as the player with the fullest bank finishes.

    If the turn gets so much time that it is longer than the hours, its end is announced.
    """
    told.game(clock="all-done bank:7200:1")
    told.address("ann")
    told.wish("turn", 3)
    told.finish("ben")
    told.pass_time(600)
    told.finish("ann")
    told.pass_time(60)
    ends = told.server.game().row.deadline
    told.finish("ben")
    told.pass_time(600)
    assert told.server.game().row.deadline < ends
    assert told.box.subjects == ["Your turn in first"]
    result_of(told.server.registry.clock_changes.give_time(told.server.game(), 5 * 3600, "The operator"))
    told.pass_time(5 * HOUR, 60)
    assert told.box.subjects[1:] == ["3 hours left in first"]


def test_a_reminder_comes_before_the_quiet_hours_in_which_it_would_fall(told: Told) -> None:
    """In the quarter of an hour before them, also if its player goes only then, and with as many others as there are:

    in their last minute there was no time for that, and it came after them, or never.
    """
    games = ("one", "two", "three", "four")
    for name in games:
        told.game(name, clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    minute = int(told.server.now() % DAY // 60)
    quiet_from, quiet_to = (minute + 18 * 60) % 1440, (minute + 23 * 60) % 1440
    result_of(told.server.host.notices.set_times(told.account("ann"), DayTimes("UTC", quiet_from, quiet_to)))
    for name in games:
        told.server.close_turn(name)
    told.pass_time(17.7 * HOUR, 600)
    assert len(told.box.came) == 4
    ann = told.server.player("ann", game="one")
    told.pass_time(0.2 * HOUR, 30)
    assert len(told.box.came) == 4
    ann.session.connection_lost()
    told.pass_time(0.1 * HOUR, 10)
    assert set(told.box.subjects[4:]) == {f"6 hours left in {name}" for name in games}


def _of_a_week(told: Told) -> stored_notices.Address:
    """A turn of a week, six minutes before its reminder is due, which was written a week ago."""
    told.game(clock="interval:604800")
    address = told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(7 * DAY - 3.1 * HOUR, 600)
    assert told.box.subjects == ["Your turn in first"]
    return address


def test_the_reminder_of_a_long_turn_waits_while_its_player_is_online(told: Told) -> None:
    """It is as old as it is due, not as the turn that wrote it: it was dropped, as what has waited for days."""
    _of_a_week(told)
    ann = told.server.player("ann", game="first")
    told.pass_time(0.2 * HOUR, 60)
    ann.session.connection_lost()
    told.pass_time(0.4 * HOUR, 60)
    assert told.box.subjects[1:] == ["3 hours left in first"]
    assert told.box.came[-1][0].created == told.server.game().row.due - 3 * HOUR, "its date, in a mail"


def test_the_reminder_of_a_long_turn_is_tried_again(told: Told) -> None:
    """Its address was given up at the first failure, as one at which nothing has come for days."""
    address = _of_a_week(told)
    told.box.problem = NotDelivered("nobody answers")
    told.pass_time(0.2 * HOUR, 60)
    told.box.problem = None
    told.pass_time(0.4 * HOUR, 60)
    assert told.box.subjects[1:] == ["3 hours left in first"]
    found = told.server.store.read(stored_notices.by_id, address.id)
    assert found is not None and found.state == "verified"


def test_a_reminder_that_is_being_tried_stays_the_same_when_its_end_moves(told: Told) -> None:
    """Under its id, so that a receiver which has it already knows it again; and its pauses go on."""
    told.game(clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(20 * HOUR, 60)
    told.box.is_slow = True
    told.pass_time(1.1 * HOUR, 30)
    result_of(told.server.registry.clock_changes.give_time(told.server.game(), 60, "The operator"))
    told.pass_time(1.5 * HOUR, 30)
    ids = {notice.notice for notice, _ in told.box.came if notice.kind == "deadline"}
    assert len(ids) == 1


def test_once_a_day_all_games_are_told_together(told: Told) -> None:
    for name in ("one", "other"):
        told.game(name)
    told.address("ann")
    told.wish("digest")
    for name in ("one", "other"):
        told.server.close_turn(name)
    told.pass_time(DAY, 600)
    assert told.box.subjects == ["2 games await you"]
    assert [line.partition(":")[0] for line in told.box.came[0][1].lines] == ["other (Auction)", "one (Auction)"]
    told.finish("ann", game="one")
    told.pass_time(DAY, 600)
    assert told.box.subjects[1:] == ["A game awaits you"], "as long as something waits there is one each day"
    assert len({notice.notice for notice, _ in told.box.came}) == 2
    told.finish("ann", game="other")
    told.pass_time(2 * DAY, 600)
    assert len(told.box.came) == 2


def while_a_turn_is_computed(told: Told) -> Callable[[], None]:
    """Let both finish their turn, just before it is time for the digest; return what ends the computing."""
    told.game()
    told.address("ann")
    told.wish("digest")
    told.server.close_turn()
    computing: list[tuple[Callable[[], Any], Deferred[Any]]] = []

    def later(work: Callable[[], Any]) -> Deferred[Any]:
        computing.append((work, Deferred()))
        return computing[-1][1]

    told.server.registry.turns.compute = later
    told.pass_time(8 * HOUR - told.server.now() % DAY + DAY - 10, 600)
    told.finish("ann", "ben")
    ((work, result),) = computing
    return lambda: result.callback(work())


def test_a_digest_waits_for_a_turn_that_is_just_computed(told: Told) -> None:
    """Turns of a calendar end at the hours of the digests."""
    compute = while_a_turn_is_computed(told)
    told.pass_time(20)
    assert told.box.came == []
    compute()
    told.pass_time(2)
    assert [letter.lines for _, letter in told.box.came] == [["first (Auction): Round 3"]]


def test_a_digest_that_cannot_wait_for_a_turn_any_longer_comes_the_next_day(
    make_server: Callable[..., Server],
) -> None:
    """The turn is saved after the digest was taken, and adds none, as there is one."""
    told = Told(lambda: make_server(delayed=True))
    compute = while_a_turn_is_computed(told)
    told.delivery.stop()
    told.pass_time(10 + SETTLING_SECONDS + 10)
    disk = told.server.disk
    disk.at_once = False
    told.deliver()
    assert disk.commit(1) == 1, "now the digest is taken"
    compute()
    disk.commit()
    disk.at_once = True
    told.pass_time(DAY - 120, 600)
    assert told.box.came == []
    told.pass_time(120)
    assert told.box.subjects == ["A game awaits you"]
    told.delivery.stop()


def test_what_was_put_off_does_not_come_in_quiet_hours_either(told: Told) -> None:
    """The turn begins before they do, while its player is online, who leaves as they begin."""
    told.game()
    told.address("ann")
    minute = int(told.server.now() % DAY // 60)
    result_of(told.server.host.notices.set_times(1, DayTimes("UTC", minute + 2, (minute + 122) % 1440)))
    ann = told.server.player("ann", game="first")
    told.server.close_turn()
    told.pass_time(180)
    ann.session.connection_lost()
    told.pass_time(1.5 * HOUR, 60)
    assert told.box.came == []
    told.pass_time(HOUR, 60)
    assert told.box.subjects == ["Your turn in first"]


def test_nothing_is_told_in_quiet_hours_but_after_them(told: Told) -> None:
    told.game()
    told.address("ann")
    now = told.server.now()
    minute = int(now % DAY // 60)
    quiet = DayTimes("UTC", minute, (minute + 120) % 1440)
    result_of(told.server.host.notices.set_times(1, quiet))
    told.server.close_turn()
    told.pass_time(1.8 * HOUR, 60)
    assert told.box.came == []
    told.pass_time(0.4 * HOUR, 60)
    assert told.box.subjects == ["Your turn in first"]


def test_whoever_was_removed_from_a_game_is_told_no_more_of_it(told: Told) -> None:
    """Even waiting notifications are dropped."""
    told.game(clock="interval:86400")
    told.address("ann")
    told.wish("turn", 3)
    told.server.close_turn()
    told.pass_time(HOUR, 60)
    assert told.box.subjects == ["Your turn in first"]
    result_of(told.server.registry.seat_changes.remove_player(told.server.game(), 0, "The operator"))
    told.pass_time(25 * HOUR, 60)
    assert told.box.subjects == ["Your turn in first"]


def test_nobody_is_told_of_a_turn_that_the_bot_plays_for_them(told: Told) -> None:
    """Also not while it is still choosing, which it is here for ever."""
    game = told.game(ruleset="tae", options={"board": SMALL_BOARD}, clock="interval:86400")
    told.address("ann")
    result_of(told.server.registry.seat_changes.set_autopilot(game, 0, 2))
    told.server.close_turn()
    told.pass_time(60)
    assert told.box.subjects == []
    told.server.close_turn()
    told.pass_time(60)
    assert told.box.subjects == ["Your turn in first"]
