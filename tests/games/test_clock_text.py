"""Turn clocks as texts and rules: calendars, settings, daylight saving.

Wrong texts are refused.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, example, given
from hypothesis import settings as settings_of_hypothesis
from hypothesis import strategies as st

from tpserver.games.terms.clock import (
    FORMS,
    HOUR,
    LONGEST,
    LONGEST_TEXT,
    MOST_PHASES,
    MOST_TIMES,
    SETTINGS,
    Bank,
    Calendar,
    Clock,
    ClockError,
    duration,
    instant,
    parse_clock,
)

ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia")
MOMENTS = st.integers(1_000_000_000, 3_000_000_000).map(float)

calendars = st.builds(
    Calendar,
    st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))),
    st.sets(st.integers(0, 1439), min_size=1, max_size=4).map(lambda times: tuple(sorted(times))),
    st.sampled_from(ZONES),
)
seconds = st.integers(1, LONGEST)
forms = st.one_of(
    st.sampled_from(["manual", "all-done"]),
    seconds.map("interval:{}".format),
    st.builds("threshold:{}:{}".format, st.integers(1, 100), seconds),
    calendars.map("calendar:{}".format),
)
settings = st.lists(
    st.one_of(
        st.just("wait"),
        seconds.map("grace:{}".format),
        seconds.map(lambda whole: f"bank:{whole}:{whole // 3}"),
        st.builds("first:{:%Y-%m-%dT%H:%M}:{}".format, st.datetimes(datetime(2026, 1, 1), datetime(2040, 1, 1)),
                  st.sampled_from(ZONES)),
        st.builds("phase:{}={}".format, st.sampled_from(["combat", "setup", "a_b-1"]), forms),
    ),
    max_size=4,
)  # fmt: skip


def local(at: float, zone: str) -> str:
    return datetime.fromtimestamp(at, ZoneInfo(zone)).strftime("%a %d %H:%M")


def at(text: str, zone: str = "UTC") -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp()


# --- the text -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("calendar:mon-fri:2000:Europe/Berlin", "calendar:mon-fri:2000:Europe/Berlin"),
        (" Calendar:FRI+thu+wed+TUE+mon:2000+0800:europe/berlin ", "calendar:mon-fri:0800+2000:Europe/Berlin"),
        ("calendar:sat-sun:0000:UTC", "calendar:sat+sun:0000:UTC"),
        ("calendar:fri-mon:2359:utc", "calendar:mon+fri-sun:2359:UTC"),
        ("calendar:mon-sun:0800:UTC", "calendar:daily:0800:UTC"),
        ("calendar:daily+mon:0800+0800:Asia/Kathmandu", "calendar:daily:0800:Asia/Kathmandu"),
        ("interval:60  GRACE:30 Wait", "interval:60 wait grace:30"),
        ("all-done bank:60:9", "all-done bank:60:9"),
        ("interval:60 bank:60:0", "interval:60 bank:60"),
        ("interval:9 first:2026-12-01t20:00:europe/berlin", "interval:9 first:2026-12-01T20:00:Europe/Berlin"),
        (
            "interval:9 phase:z=all-done phase:combat=interval:5 grace:1",
            "interval:9 grace:1 phase:combat=interval:5 phase:z=all-done",
        ),
        ("manual phase:combat=interval:60", "manual phase:combat=interval:60"),
    ],
)
def test_a_clock_has_one_spelling(text: str, canonical: str):
    assert str(parse_clock(text)) == canonical
    assert parse_clock(canonical) == parse_clock(text)


@given(form=forms, more=settings)
def test_every_clock_that_is_accepted_is_read_back_from_its_spelling(form: str, more: list[str]):
    try:
        clock = parse_clock(" ".join([form, *more]))
    except ClockError:
        assume(False)
    assert parse_clock(str(clock)) == clock
    assert str(parse_clock(str(clock))) == str(clock)
    assert ";" not in clock.words()


@given(text=st.text(alphabet="calendr:mon-fi+20 UTCgbkwhsp=/_1", max_size=60) | st.text(max_size=40))
@example("calendar:mon:2000:../../etc/passwd")
@example("calendar:mon:2000:localtime")
@example("calendar:mon:٢٠٠٠:UTC")
@example("interval:5 first:٢٠٢٦-12-01T20:00:UTC")
def test_what_is_no_clock_is_one_sentence(text: str):
    try:
        parse_clock(text)
    except ClockError as refused:
        assert len(str(refused)) < 400


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("calendar", FORMS),
        ("calendar:mon:2000", FORMS),
        ("calendar:mon:2000:UTC:5", FORMS),
        ("calendar:someday:2000:UTC", "days are daily"),
        ("calendar:mon-:2000:UTC", "days are daily"),
        ("calendar::2000:UTC", "days are daily"),
        ("calendar:mon:2400:UTC", "0000 to 2359"),
        ("calendar:mon:0060:UTC", "0000 to 2359"),
        ("calendar:mon:800:UTC", "0000 to 2359"),
        ("calendar:mon::UTC", "0000 to 2359"),
        ("calendar:mon:" + "+".join(f"{hour:02}00" for hour in range(24)) + "+0030:UTC", f"at most {MOST_TIMES} times"),
        ("calendar:mon:2000:Mars/Olympus", "no time zone 'Mars/Olympus'"),
        ("calendar:mon:2000:localtime", "no time zone"),
        ("calendar:mon:2000:../etc/passwd", "no time zone"),
        ("interval:60 sometimes", SETTINGS),
        ("interval:60 wait:5", SETTINGS),
        ("interval:60 interval:60", SETTINGS),
        ("interval:60 grace", "seconds of grace go from 1"),
        ("interval:60 grace:0", "seconds of grace go from 1"),
        ("interval:60 grace:5 grace:6", "grace is said twice"),
        ("interval:60 wait wait", "wait is said twice"),
        ("interval:60 bank:0", "seconds of a bank go from 1"),
        ("interval:60 bank:5:6", "seconds for each turn go from 0 to 5"),
        ("interval:60 bank:5:1:1", "bank:SECONDS:PLUS"),
        ("all-done bank:60", "seconds for each turn"),
        ("interval:5 bank:60 phase:combat=all-done", "seconds for each turn"),
        ("all-done wait", "wait needs a deadline"),
        ("all-done grace:5", "grace needs a deadline"),
        ("manual bank:5:5", "nothing but the operator"),
        ("manual first:2026-12-01T20:00:UTC", "nothing but the operator"),
        ("interval:5 first:tomorrow", "YYYY-MM-DDTHH:MM:ZONE"),
        ("interval:5 first:2026-02-30T20:00:UTC", "YYYY-MM-DDTHH:MM:ZONE"),
        ("interval:5 first:0001-02-03T20:00:UTC", "YYYY-MM-DDTHH:MM:ZONE"),
        ("interval:5 first:2026-12-01T20:00:Mars", "no time zone"),
        ("interval:5 phase:=interval:5", "phase:NAME=FORM"),
        ("interval:5 phase:combat", "not a clock"),
        ("interval:5 phase:combat=interval:5 phase:combat=manual", "once for each group"),
        ("interval:5 " + " ".join(f"phase:p{n}=manual" for n in range(MOST_PHASES + 1)), f"at most {MOST_PHASES}"),
        ("interval:5" + " " * LONGEST_TEXT, f"at most {LONGEST_TEXT} characters"),
    ],
)
def test_what_is_wrong_is_named_with_what_is_allowed(text: str, named: str):
    with pytest.raises(ClockError) as refused:
        parse_clock(text)
    assert named in str(refused.value)


WORDS = {
    "interval:3600": "a turn ends when all are done, after 1 hour at the latest",
    "calendar:mon-fri:2000:Europe/Berlin wait": "a turn ends on Monday to Friday at 20:00 (Europe/Berlin)",
    "calendar:mon+wed+sat-sun:0800+2000:UTC wait": (
        "a turn ends on Monday, Wednesday, Saturday and Sunday at 08:00 and 20:00 (UTC)"
    ),
    "calendar:daily:0800:UTC grace:5400 phase:combat=interval:3600": (
        "a turn ends when all are done, every day at 08:00 (UTC) at the latest, with 1 hour 30 minutes of grace for "
        "late players, a turn of combat ends when all are done, after 1 hour at the latest"
    ),
    "all-done bank:86400:60": (
        "a turn ends when all are done, each player has a time bank of 1 day and 1 minute more for each turn"
    ),
    "interval:60 first:2026-12-01T20:00:UTC": (
        "a turn ends when all are done, after 1 minute at the latest, the first at 2026-12-01 20:00 (UTC)"
    ),
}


@pytest.mark.parametrize("text", WORDS)
def test_a_clock_in_words(text: str):
    assert parse_clock(text).words() == WORDS[text]


ABSENT = "absent-after has no effect, as no turn of this clock has a deadline"
GRACE, VACATION = (
    f"{name} has an effect in the first turn only, as the others have no deadline" for name in ("grace", "vacation")
)
SAME = "phase combat has no effect, as its turns end like all others"


@pytest.mark.parametrize(
    ("text", "absent_after", "notes"),
    [
        ("manual", 0, []),
        ("manual", 1, [ABSENT]),
        ("all-done", 3, [ABSENT]),
        ("all-done bank:600:30", 3, []),
        ("threshold:50:60", 3, []),
        ("all-done phase:combat=interval:60", 3, []),
        ("manual phase:combat=calendar:daily:2000:UTC", 3, []),
        ("manual phase:combat=all-done", 3, [ABSENT]),
        ("all-done first:2026-12-01T20:00:UTC", 1, []),
        ("all-done first:2026-12-01T20:00:UTC", 2, [ABSENT]),
        ("all-done first:2026-12-01T20:00:UTC grace:60 vacation:3", 0, [GRACE, VACATION]),
        ("all-done first:2026-12-01T20:00:UTC grace:60 bank:60:60", 0, []),
        ("all-done first:2026-12-01T20:00:UTC grace:60 phase:combat=interval:60", 0, []),
        ("interval:60 wait grace:60 vacation:3 first:2026-12-01T20:00:UTC", 5, []),
        ("interval:60 phase:combat=interval:60", 0, [SAME]),
        ("all-done phase:combat=all-done", 0, [SAME]),
    ],
)
def test_what_has_no_effect_under_a_clock(text: str, absent_after: int, notes: list[str]):
    assert parse_clock(text).notes(absent_after) == notes


def test_durations_in_words():
    assert [duration(each) for each in (0, 1, 60, 3601, 90000, 200000)] == [
        "0 seconds", "1 second", "1 minute", "1 hour 1 second", "1 day 1 hour", "2 days 7 hours",
    ]  # fmt: skip


# --- calendars ------------------------------------------------------------------------------------------------------


@given(calendar=calendars, now=MOMENTS)
@example(calendar=Calendar((4,), (600,), "Pacific/Apia"), now=at("2011-12-29T00:00"))  # whose Friday was left out
def test_the_next_time_of_a_calendar_is_later_within_nine_days_and_there_is_none_before_it(
    calendar: Calendar, now: float
):
    found = calendar.after(now)
    assert now < found <= now + 9 * 86400
    assert calendar.has(found)
    if found - now > 2:
        assert not calendar.has(found - 1)
        assert calendar.after((now + found) / 2) == found


@given(calendar=calendars, now=MOMENTS, later=st.floats(0, 10_000_000))
def test_later_moments_have_no_earlier_times(calendar: Calendar, now: float, later: float):
    assert calendar.after(now + later) >= calendar.after(now)


@given(day=st.dates(date(1990, 1, 1), date(2037, 12, 31)), minute=st.integers(0, 1439), zone=st.sampled_from(ZONES))
@example(date(2026, 3, 29), 150, "Europe/Berlin")
@example(date(2026, 10, 25), 150, "Europe/Berlin")
@example(date(2026, 10, 4), 135, "Australia/Lord_Howe")
def test_a_time_that_is_there_is_that_time_the_first_if_there_are_two_and_else_the_next_that_is(
    day: date, minute: int, zone: str
):
    found = instant(day, minute, zone)
    wanted = datetime.combine(day, datetime.min.time()) + timedelta(minutes=minute)
    shown = datetime.fromtimestamp(found, ZoneInfo(zone)).replace(tzinfo=None)
    assert shown >= wanted
    before = datetime.fromtimestamp(found - 1, ZoneInfo(zone)).replace(tzinfo=None)
    assert before < wanted, "a second earlier it was not there yet, neither shown for the first time nor passed over"
    if shown != wanted:
        assert wanted not in {
            datetime.fromtimestamp(found + hours * 1800, ZoneInfo(zone)).replace(tzinfo=None)
            for hours in range(-100, 101)
        }


def test_half_past_two_on_the_night_that_has_none_is_three():
    """29 March 2026 in Berlin: after 01:59 comes 03:00; two times of that hour are one."""
    calendar = Calendar(tuple(range(7)), (120, 150), "Europe/Berlin")
    evening = at("2026-03-28T20:00", "Europe/Berlin")
    first = calendar.after(evening)
    assert local(first, "Europe/Berlin") == "Sun 29 03:00"
    assert local(calendar.after(first), "Europe/Berlin") == "Mon 30 02:00"


def test_half_past_two_on_the_night_that_has_it_twice_is_the_first_and_only_once():
    """25 October 2026 in Berlin: after 02:59 comes 02:00 again."""
    calendar = Calendar(tuple(range(7)), (150,), "Europe/Berlin")
    first = calendar.after(at("2026-10-24T20:00", "Europe/Berlin"))
    assert datetime.fromtimestamp(first, UTC).isoformat() == "2026-10-25T00:30:00+00:00"
    assert local(calendar.after(first), "Europe/Berlin") == "Mon 26 02:30"


def test_a_calendar_keeps_its_hour_over_the_change():
    calendar = Calendar((5, 6), (1200,), "America/New_York")
    found, times = at("2026-03-06T00:00"), []
    for _ in range(4):
        found = calendar.after(found)
        times.append(local(found, "America/New_York"))
    assert times == ["Sat 07 20:00", "Sun 08 20:00", "Sat 14 20:00", "Sun 15 20:00"]


# --- when a turn is due ---------------------------------------------------------------------------------------------


@given(form=forms, now=MOMENTS)
def test_no_new_turn_is_due_in_the_past(form: str, now: float):
    due = parse_clock(form).due_of_new_turn(now)
    assert due is None or due > now


QUARTER = 900
"""Seconds between the moments that are looked at: no zone of today differs from UTC by other than quarters."""

_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def stated_times(words: str, begin: int, end: int) -> list[int]:
    """Return the times that the words of a clock name, from its calendar's words alone.

    Goes through all quarters of an hour, and looks for those at which a wall clock shows a named time, or has passed
    it, for the first time.
    """
    found = re.search(r"(every day|on [^,]*(?:, [^,]*)*?) at ([0-9:, and]+) \(([^)]+)\)", words)
    assert found is not None, words
    days, zone = set[int](), ZoneInfo(found[3])
    for part in re.split(", | and ", found[1].removeprefix("on ")):
        low, _, high = part.partition(" to ")
        if part == "every day":
            days |= set(range(7))
        else:
            days |= set(range(_WEEK.index(low), _WEEK.index(high or low) + 1))
    minutes = [int(time[:2]) * 60 + int(time[3:]) for time in re.split(", | and ", found[2])]
    shown = datetime.fromtimestamp(begin, zone).replace(tzinfo=None)
    times = []
    for moment in range(begin + QUARTER, end, QUARTER):
        now = datetime.fromtimestamp(moment, zone).replace(tzinfo=None)
        if now <= shown:
            continue
        passed = (
            datetime.combine(day, datetime.min.time()) + timedelta(minutes=minute)
            for day in {shown.date() + timedelta(days=number) for number in range((now.date() - shown.date()).days + 1)}
            if day.weekday() in days
            for minute in minutes
        )
        if any(shown < time <= now for time in passed):
            times.append(moment)
        shown = now
    return times


@pytest.mark.thorough
@settings_of_hypothesis(max_examples=15)
@given(
    days=st.sets(st.integers(0, 6), min_size=1),
    quarters=st.sets(st.integers(0, 95), min_size=1, max_size=24),
    zone=st.sampled_from(ZONES),
    began=st.integers(1_200_000_000 // QUARTER, 1_900_000_000 // QUARTER).map(lambda quarter: quarter * QUARTER),
    late=st.integers(0, QUARTER - 1),
    lost=st.integers(0, 3 * 86400) | st.integers(0, 7200),
    way=st.sampled_from(["{}", "{} wait grace:60", "interval:60 phase:combat={}", "all-done phase:combat={}"]),
)
@example({0, 1, 2, 3, 4, 5, 6}, {80, 84, 88}, "UTC", 1_781_899_200, 1, 1800, "{}")  # 20:00, 21:00 and 22:00
@example({0, 1, 2, 3, 4, 5, 6}, {80, 81, 82, 83}, "UTC", 1_781_900_100, 0, 1000, "{}")  # 20:15, away since 19:58
@example({0, 1, 2, 3, 4, 5, 6}, {8, 10}, "Europe/Berlin", 1_774_666_800, 30, 1800, "{}")  # the night without 02:30
@example({4}, {40}, "Pacific/Apia", 1_325_203_200, 0, 1800, "{}")  # whose Friday was left out
def test_turns_of_a_calendar_end_when_its_words_say(
    days: set[int], quarters: set[int], zone: str, began: int, late: int, lost: int, way: str
):
    """By the words alone: a turn ends at the first time that is named and that is far enough away.

    That is more than an hour, or than half the gap in which the turn begins. A turn that begins at a named time ends
    at the next one, and none is skipped, however near they are to each other. A turn to which time is given back keeps
    as much, or what it had left.
    """
    calendar = Calendar(tuple(sorted(days)), tuple(sorted(quarter * 15 for quarter in quarters)), zone)
    whole = parse_clock(way.format(f"calendar:{calendar}"))
    clock = whole.of_group("combat")
    times = stated_times(whole.words(), began - 16 * 86400, began + 32 * 86400)
    now = began + late
    before = max(time for time in times if time <= now)
    after = min(time for time in times if time > now)
    margin = min(3600, (after - before) / 2)
    assert clock.due_of_new_turn(now) == min(time for time in times if time > now + margin)
    assert clock.due_of_new_turn(before) == after
    assert calendar.before(now) == before
    assert clock.due_of_new_turn(before + (after - before) / 3) == after or after - before > 5400
    due = min(time for time in times if time > now - lost)
    least = now + min(margin, due - (now - lost))
    later = due + lost if lost <= margin else min(time for time in times if time >= least)
    assert whole.moved(due, lost, now) == (due if due >= least else later)


def test_the_first_deadline_counts_for_the_first_turn_as_long_as_it_is_ahead():
    clock = parse_clock("interval:60 first:2026-12-01T20:00:Europe/Berlin")
    first = at("2026-12-01T19:00")
    assert clock.due_of_first_turn(first - 5) == first
    assert clock.due_of_first_turn(first) == first + 60
    assert clock.due_of_new_turn(first - 5) == first + 55
    assert not clock.unfit_now(first - 5)
    assert clock.unfit_now(first)
    assert clock.unfit_now(first - LONGEST - 1)


def test_waiting_closes_at_the_deadline_only():
    for form in ("interval:60", "calendar:daily:2000:UTC", "threshold:50:60"):
        assert parse_clock(form).closes_when_all_are_done(100.0, 99.0)
        assert not parse_clock(f"{form} wait").closes_when_all_are_done(100.0, 99.0)
        assert parse_clock(f"{form} wait").closes_when_all_are_done(100.0, 100.0)
        assert not parse_clock(f"{form} wait").closes_when_all_are_done(None, 100.0)
    assert parse_clock("interval:60 wait phase:combat=all-done").of_group("combat").closes_when_all_are_done(None, 0.0)


def test_a_group_of_turns_has_its_form_and_the_settings_of_the_game():
    clock = parse_clock("calendar:daily:2000:UTC wait grace:5 bank:60:6 phase:combat=interval:60")
    combat = clock.of_group("combat")
    assert (combat.kind, combat.seconds, combat.wait, combat.grace, combat.bank) == (
        "interval",
        60,
        True,
        5,
        Bank(60, 6),
    )
    assert combat.due_of_new_turn(5.0) == 65
    assert clock.of_group("") is clock.of_group("else") is clock
    assert clock.unfit({"combat": "fights"}) == ""
    assert "they have none" in clock.unfit({})
    assert "setup" in clock.unfit({"setup": "before"})


def test_the_deadline_is_later_by_grace_and_the_fullest_bank():
    clock = parse_clock("interval:60 grace:5 bank:100")
    assert clock.deadline(1000.0, [30, 70, 10]) == 1075
    assert clock.deadline(1000.0, []) == 1005
    assert clock.deadline(None, [30]) is None


# --- time that is given back ----------------------------------------------------------------------------------------

BERLIN = parse_clock("interval:60 phase:combat=calendar:daily:2000:Europe/Berlin")
TUESDAY = at("2026-11-24T20:00", "Europe/Berlin")
HOURS = 3600.0


@given(left=st.floats(1, 10_000_000), lost=st.floats(-10_000_000, 10_000_000), now=MOMENTS)
def test_a_turn_keeps_the_seconds_that_it_had_left(left: float, lost: float, now: float):
    due = now - lost + left
    assert parse_clock("interval:60").moved(due, lost, now) - now == pytest.approx(left, abs=1e-3)


@given(calendar=calendars, before=MOMENTS, lost=st.floats(0, 10_000_000), share=st.floats(0, 1))
def test_a_time_of_a_calendar_leaves_what_was_left_or_an_hour_and_is_never_earlier(
    calendar: Calendar, before: float, lost: float, share: float
):
    due = calendar.after(before)
    stopped = due - share * (due - before)
    now = stopped + lost
    moved = Clock("calendar", calendar=calendar).moved(due, lost, now)
    assert moved >= due
    assert moved - now >= min(due - stopped, HOUR, (calendar.after(now) - calendar.before(now)) / 2) - 1e-3
    assert moved in (due, due + lost) or calendar.has(moved)


def test_a_time_of_a_calendar_stays_as_long_as_an_hour_is_left():
    assert BERLIN.moved(TUESDAY, 5 * HOURS, TUESDAY - HOURS) == TUESDAY
    assert BERLIN.moved(TUESDAY, 60, TUESDAY - 2 * HOURS) == TUESDAY


def test_a_short_while_moves_a_time_of_a_calendar_that_has_passed_by_what_was_lost():
    """Ten seconds were left, and the server was away for half a minute: ten seconds are left."""
    assert BERLIN.moved(TUESDAY, 30, TUESDAY + 20) == TUESDAY + 30


def test_a_long_while_moves_it_to_the_next_time_that_leaves_an_hour():
    assert BERLIN.moved(TUESDAY, 26 * HOURS, TUESDAY + 16 * HOURS) == TUESDAY + 24 * HOURS
    assert BERLIN.moved(TUESDAY, 30 * HOURS, TUESDAY + 23.5 * HOURS) == TUESDAY + 48 * HOURS


def test_a_time_that_is_not_of_the_calendar_moves_like_any_other():
    """The owner has given a turn more time, or a combat turn has its own clock."""
    assert BERLIN.moved(TUESDAY + 7, 5 * HOURS, TUESDAY) == TUESDAY + 7 + 5 * HOURS


def test_a_system_clock_that_was_set_back_brings_back_the_time_of_the_calendar():
    """It had shown Wednesday, with three hours left; it is Monday, 17:00."""
    wednesday, monday = TUESDAY + 24 * HOURS, TUESDAY - 27 * HOURS
    assert BERLIN.moved(wednesday, -48 * HOURS, monday) == TUESDAY - 24 * HOURS
