"""Turn clock of a game: the rule by which its turns close.

Deadlines are absolute times in the store, timers hold no state. A clock is one text: a form, followed by settings in
any order, separated by spaces, each at most once. ``parse_clock`` reads it, ``str`` writes it in its canonical form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import MINYEAR, UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, available_timezones

NO_DEADLINE = 2147483647
"""Seconds reported if there is no deadline; 0 would mean that the turn is being computed (TP04, TimeRemaining)."""

LONGEST = 31_536_000
"""Maximum seconds of each part of a clock, and from now to any deadline that a user chooses."""
LONGEST_TEXT = 500
"""Maximum characters of a clock."""
MOST_TIMES = 24
"""Maximum times of a day in a calendar."""
MOST_PHASES = 8
"""Maximum groups of phases with a separate clock."""
HOUR = 3600.0
"""Maximum margin in seconds: a turn that begins closer to a time of the calendar ends at the next one."""

FORMS = "manual, all-done, interval:SECONDS, threshold:PERCENT:SECONDS or calendar:DAYS:TIMES:ZONE"
MOST_VACATION = 90
"""Maximum days of vacation of a player in a game."""

SETTINGS = "wait, first:YYYY-MM-DDTHH:MM:ZONE, grace:SECONDS, bank:SECONDS[:PLUS], vacation:DAYS or phase:NAME=FORM"
EXAMPLE = "calendar:mon-fri:2000:Europe/Berlin"

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_GROUP = re.compile(r"[a-z][a-z0-9_-]{0,31}")
_FIRST = re.compile(r"(\d{4})-(\d\d)-(\d\d)t(\d\d):(\d\d):(.+)", re.ASCII | re.IGNORECASE)
_FIRST_YEAR, _LAST_YEAR = 1970, 9000
_DAY = timedelta(days=1)


class ClockError(ValueError):
    """The text names no valid clock; the message says what is allowed."""


# --- times of day in a time zone --------------------------------------------------------------------------------------


def instant(day: date, minute: int, zone: str) -> float:
    """Return a local time in unix seconds: ``minute`` minutes after midnight on a day in a time zone.

    A time that is skipped as clocks are set forward counts as the first time after the gap. Of a time that occurs
    twice, the first counts.
    """
    info = ZoneInfo(zone)
    local = datetime(day.year, day.month, day.day, minute // 60, minute % 60)
    at = local.replace(tzinfo=info).timestamp()
    if datetime.fromtimestamp(at, info).replace(tzinfo=None) == local:
        return at
    # By the offset after the change, the time comes before it; by the one before, after it.  The change is between.
    before, after = int(local.replace(tzinfo=info, fold=1).timestamp()), int(at)
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, info).replace(tzinfo=None) < local:
            before = middle
        else:
            after = middle
    return float(after)


@lru_cache(maxsize=1)
def _zones() -> dict[str, str]:
    """Return the time zones by their names in lower case, without "localtime", which differs by machine."""
    return {name.casefold(): name for name in available_timezones() if name != "localtime"}


@dataclass(frozen=True)
class Calendar:
    """Times of day, in minutes after midnight, on some days of the week (0: Monday), in a time zone."""

    days: tuple[int, ...]
    times: tuple[int, ...]
    zone: str

    def __str__(self) -> str:
        times = "+".join(f"{minute // 60:02}{minute % 60:02}" for minute in self.times)
        return f"{_days_text(self.days)}:{times}:{self.zone}"

    def after(self, at: float) -> float:
        """Return the first time of the calendar after ``at``, both in unix seconds."""
        for week in range(3):  # the first may have one day only, and that one missing
            if later := [time for time in self._times(at, range(7 * week - 2, 7 * week + 8)) if time > at]:
                return min(later)
        raise AssertionError("every week has its seven days")

    def before(self, at: float) -> float:
        """Return the last time of the calendar up to ``at``, both in unix seconds."""
        for week in range(3):
            if earlier := [time for time in self._times(at, range(-7 * week - 7, -7 * week + 3)) if time <= at]:
                return max(earlier)
        raise AssertionError("every week has its seven days")

    def _times(self, at: float, days: Iterable[int]) -> list[float]:
        """Return the times of the calendar on days, counted from that of ``at``."""
        today = datetime.fromtimestamp(at, ZoneInfo(self.zone)).date()
        return [
            instant(day, minute, self.zone)
            for day in (today + _DAY * number for number in days)
            if day.year > MINYEAR and day.weekday() in self.days
            for minute in self.times
        ]

    def end_of_turn(self, begins: float) -> float:
        """Return when a turn ends that begins at ``begins``, both in unix seconds.

        That is the first time of the calendar that is further away than the margin.
        """
        return self.after(begins + self.margin(begins))

    def margin(self, at: float) -> float:
        """Return the minimum length of a turn in seconds.

        That is an hour, or half the interval between the calendar's times around ``at`` if that is shorter.
        """
        return min(HOUR, (self.after(at) - self.before(at)) / 2)

    def has(self, at: float) -> bool:
        """Return whether ``at`` is a time of the calendar."""
        return self.after(at - 0.5) == at

    def words(self) -> str:
        times = _listed([f"{minute // 60:02}:{minute % 60:02}" for minute in self.times])
        return f"{_days_words(self.days)} at {times} ({self.zone})"


class First(NamedTuple):
    """End of the first turn of a clock: a local time, in minutes after midnight, in a time zone."""

    day: date
    minute: int
    zone: str

    def __str__(self) -> str:
        return f"{self.day.isoformat()}T{self.minute // 60:02}:{self.minute % 60:02}:{self.zone}"

    def at(self) -> float:
        """Return it in unix seconds."""
        return instant(self.day, self.minute, self.zone)


class Bank(NamedTuple):
    """The time bank of a seat.

    ``seconds`` is the bank at the start of the game, and its maximum. Each turn adds ``plus`` seconds.
    """

    seconds: int
    plus: int = 0

    def __str__(self) -> str:
        return f"{self.seconds}:{self.plus}" if self.plus else f"{self.seconds}"


# --- clocks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clock:
    """Rule by which the turns of a game close, apart from the operator.

    - ``manual``: turns do not close by themselves.
    - ``all-done``: a turn closes when all awaited seats have finished.
    - ``interval``: likewise, or ``seconds`` after the turn began.
    - ``threshold``: likewise, or ``seconds`` after ``percent`` of the awaited seats finished.
    - ``calendar``: likewise, or at a time of the calendar.

    With ``wait``, finishing does not close a turn before its deadline, if it has one. ``first`` is when the first turn
    is due. After its deadline a turn waits ``grace`` seconds for awaited seats. After that it waits while one of them
    has time in its ``bank``. Under ``all-done`` all time is taken from the bank. Then it waits while one of them is on
    ``vacation``, for so many days of each player in the whole game. ``phases`` has other forms for the turns of groups
    of phases.
    """

    kind: Literal["manual", "all-done", "interval", "threshold", "calendar"]
    seconds: int = 0
    percent: int = 0
    calendar: Calendar | None = None
    wait: bool = False
    first: First | None = None
    grace: int = 0
    bank: Bank | None = None
    vacation: int = 0
    phases: tuple[tuple[str, Clock], ...] = ()

    def __str__(self) -> str:
        words = [self.form]
        if self.wait:
            words.append("wait")
        if self.first is not None:
            words.append(f"first:{self.first}")
        if self.grace:
            words.append(f"grace:{self.grace}")
        if self.bank is not None:
            words.append(f"bank:{self.bank}")
        if self.vacation:
            words.append(f"vacation:{self.vacation}")
        words += [f"phase:{name}={clock.form}" for name, clock in self.phases]
        return " ".join(words)

    @property
    def form(self) -> str:
        """The clock without its settings."""
        if self.kind == "interval":
            return f"interval:{self.seconds}"
        if self.kind == "threshold":
            return f"threshold:{self.percent}:{self.seconds}"
        return f"calendar:{self.calendar}" if self.kind == "calendar" else self.kind

    def of_group(self, group: str) -> Clock:
        """Return the clock of the turns of a group of phases: with its form, and the settings of this one."""
        form = dict(self.phases).get(group)
        if form is None:
            return self
        return replace(self, kind=form.kind, seconds=form.seconds, percent=form.percent, calendar=form.calendar)

    def closes_when_all_are_done(self, due: float | None, now: float) -> bool:
        """Return whether a turn that is ``due`` then closes now, if it awaits no seat."""
        if self.waits():
            return due is not None and due <= now
        return self.kind != "manual"

    def waits(self) -> bool:
        """Return whether turns wait for their end, even if all have finished before."""
        return self.wait and self.kind in ("interval", "threshold", "calendar")

    def due_of_new_turn(self, now: float) -> float | None:
        """Return the due time of a turn that begins at ``now``; None if it has no deadline."""
        if self.kind == "interval":
            return now + self.seconds
        if self.calendar is not None:
            return self.calendar.end_of_turn(now)
        return now if self.kind == "all-done" and self.bank is not None else None

    def length(self, now: float) -> float:
        """Return the seconds of a turn that begins at ``now``; a day if the clock does not say."""
        due = self.due_of_new_turn(now)
        return self.seconds or (due or now) - now or 24 * HOUR

    def due_of_first_turn(self, now: float) -> float | None:
        """Return the due time of the first turn; a ``first`` that has passed is ignored."""
        if self.first is not None and self.kind != "manual" and self.first.at() > now:
            return self.first.at()
        return self.due_of_new_turn(now)

    def due_after_mark(self, done: int, awaited: int, now: float) -> float | None:
        """Return the deadline that begins when ``done`` seats of ``awaited`` have finished; None if none does."""
        if self.kind == "threshold" and awaited and done * 100 >= self.percent * awaited:
            return now + self.seconds
        return None

    def deadline(self, due: float | None, banks: Iterable[float]) -> float | None:
        """Return the latest end of a turn that is ``due``; ``banks`` are the time banks of awaited seats in seconds."""
        return None if due is None else due + self.grace + max(banks, default=0.0)

    def moved(self, due: float, lost: float, now: float) -> float:
        """Return the due time of a turn after its clock could not run for the last ``lost`` seconds.

        The turn keeps its remaining seconds, unless it was ``due`` at a time of the calendar. That time stays if it
        leaves the margin, or the seconds that remained. Otherwise it moves by the lost seconds, if these are not more
        than the margin. If they are, or ``lost`` is negative, it moves to the next time of the calendar that leaves as
        much. ``lost`` is negative if the system's clock was set back.
        """
        calendar = next((each for each in self._calendars() if each.has(due)), None)
        if calendar is None:
            return due + lost
        margin = calendar.margin(now)
        least = now + min(margin, max(0.0, due - (now - lost)))
        if lost >= 0 and due >= least:
            return due
        return due + lost if 0 <= lost <= margin else calendar.after(least - 0.5)

    def _calendars(self) -> list[Calendar]:
        return [clock.calendar for clock in (self, *(each for _, each in self.phases)) if clock.calendar is not None]

    def is_simple(self) -> bool:
        """Return whether it is a form without settings, which old clients can read."""
        return self.kind != "calendar" and str(self) == self.form

    def words(self) -> str:
        """Return for people when a turn ends; no semicolons."""
        said = [_form_words(self, "a turn ends", wait=self.wait)]
        if self.first is not None:
            said.append(f"the first at {self.time_words(self.first.at())}")
        if self.grace:
            said.append(f"with {duration(self.grace)} of grace for late players")
        if self.bank is not None:
            more = f" and {duration(self.bank.plus)} more for each turn" if self.bank.plus else ""
            said.append(f"each player has a time bank of {duration(self.bank.seconds)}{more}")
        if self.vacation:
            days = "1 day" if self.vacation == 1 else f"{self.vacation} days"
            said.append(f"it waits for players on vacation, {days} for each of them")
        said += [
            _form_words(clock, f"a turn of {name.replace('_', ' ')} ends", wait=self.wait)
            for name, clock in self.phases
        ]
        return ", ".join(said)

    def has_deadlines(self) -> bool:
        """Return whether turns other than the first have a time limit."""
        return self.bank is not None or any(
            form.kind in ("interval", "threshold", "calendar") for form in (self, *(form for _, form in self.phases))
        )

    def notes(self, absent_after: int = 0) -> list[str]:
        """Return the settings without effect under this clock, each as a sentence without its full stop.

        ``absent_after`` is that of the game's seat policy.
        """
        found = []
        if not self.has_deadlines():
            if absent_after > (1 if self.first is not None else 0):
                found.append("absent-after has no effect, as no turn of this clock has a deadline")
            found += [
                f"{name} has an effect in the first turn only, as the others have no deadline"
                for name, is_set in (("grace", self.grace), ("vacation", self.vacation))
                if is_set
            ]
        found += [
            f"phase {name} has no effect, as its turns end like all others"
            for name, form in self.phases
            if form.form == self.form
        ]
        return found

    def with_notes(self, text: str, absent_after: int) -> str:
        """Return an answer without a full stop, with a sentence for each setting without effect."""
        return ". Note: ".join([text, *self.notes(absent_after)])

    def time_words(self, at: float) -> str:
        """Return a time in unix seconds for people, in the time zone of the clock if it names one, else in UTC."""
        zones = [calendar.zone for calendar in self._calendars()] or ([] if self.first is None else [self.first.zone])
        zone = zones[0] if zones else "UTC"
        local = datetime.fromtimestamp(at, ZoneInfo(zone) if zones else UTC)
        return f"{local.isoformat(sep=' ', timespec='minutes')[:16]} ({zone})"

    def needs_operator(self) -> bool:
        """Return whether there are turns that only the operator ends."""
        return "manual" in (self.kind, *(form.kind for _, form in self.phases))

    def is_endless(self) -> bool:
        """Return whether some turns can last forever while a seat is awaited and the operator does not close them."""
        forms = [self, *(form for _, form in self.phases)]
        return any(form.kind == "threshold" or (form.kind == "all-done" and self.bank is None) for form in forms)

    def unfit(self, groups: Collection[str]) -> str:
        """Return why a game with these groups of phases cannot have the clock; empty if it can."""
        for name, _ in self.phases:
            if name not in groups:
                known = f"they have {_listed(sorted(groups))}" if groups else "they have none"
                return f"clock {str(self)!r}: phase {name!r} is no group of the turns of these rules; {known}"
        return ""

    def unfit_now(self, now: float) -> str:
        """Return why the clock cannot be chosen at ``now``; empty if it can."""
        if self.first is None or now < self.first.at() <= now + LONGEST:
            return ""
        return f"clock {str(self)!r}: the first deadline must be later than now, and within {LONGEST // 86400} days"


# --- reading ----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def parse_clock(text: str) -> Clock:
    """Return the clock that ``text`` names. Raises ClockError."""
    if len(text) > LONGEST_TEXT:
        raise ClockError(f"clock {text[:80]!r}… is too long: a clock has at most {LONGEST_TEXT} characters")
    first, *words = text.split() or [""]
    clock = _form(text, first)
    settings: dict[str, str] = {}
    phases: dict[str, Clock] = {}
    for word in words:
        name, _, value = word.partition(":")
        name = name.lower()
        is_known = name in ("wait", "first", "grace", "bank", "vacation", "phase")
        if not is_known or (name == "wait") != (word.lower() == "wait"):
            raise ClockError(f"clock {text[:80]!r}: {word[:40]!r} is no setting; say {SETTINGS}")
        if name == "phase":
            group, _, form = value.partition("=")
            group = group.lower()
            if not _GROUP.fullmatch(group) or group in phases:
                raise ClockError(f"clock {text[:80]!r}: say phase:NAME=FORM once for each group, not {word[:40]!r}")
            phases[group] = _form(text, form)
        elif name in settings:
            raise ClockError(f"clock {text[:80]!r}: {name} is said twice")
        else:
            settings[name] = value
    if len(phases) > MOST_PHASES:
        raise ClockError(f"clock {text[:80]!r}: at most {MOST_PHASES} groups of turns have clocks of their own")
    clock = replace(
        clock,
        wait="wait" in settings,
        first=_first(text, settings["first"]) if "first" in settings else None,
        grace=_number(text, settings["grace"], "seconds of grace", 1, LONGEST) if "grace" in settings else 0,
        bank=_bank(text, settings["bank"]) if "bank" in settings else None,
        vacation=_number(text, settings["vacation"], "days of vacation", 1, MOST_VACATION)
        if "vacation" in settings
        else 0,
        phases=tuple(sorted(phases.items())),
    )
    _check(text, clock)
    return clock


def known_clock(text: str) -> Clock | None:
    """Return the clock of a game; None if this machine no longer knows its time zone."""
    try:
        return parse_clock(text)
    except ClockError:
        return None


def _check(text: str, clock: Clock) -> None:
    """Raise ClockError if the parts of a clock do not fit together."""
    forms = [clock, *(form for _, form in clock.phases)]
    if clock.kind == "manual" and (clock.wait or clock.first or clock.grace or clock.bank or clock.vacation):
        raise ClockError(
            f"clock {text[:80]!r}: with manual nothing but the operator ends a turn; only phase can be said"
        )
    late = clock.grace or clock.vacation
    if clock.kind == "all-done" and (clock.wait or (late and not clock.bank and not clock.first)):
        word = "wait" if clock.wait else "grace" if clock.grace else "vacation"
        raise ClockError(f"clock {text[:80]!r}: {word} needs a deadline, and all-done has none")
    if clock.bank is not None and not clock.bank.plus and any(form.kind == "all-done" for form in forms):
        raise ClockError(
            f"clock {text[:80]!r}: with all-done a bank needs seconds for each turn (bank:SECONDS:PLUS), "
            "or turns would end at once when it is empty"
        )


def _form(text: str, word: str) -> Clock:
    kind, *parts = word.split(":")
    kind = kind.lower()
    if kind in ("manual", "all-done") and not parts:
        return Clock("manual" if kind == "manual" else "all-done")
    if kind == "interval" and len(parts) == 1 and parts[0]:
        return Clock("interval", _number(text, parts[0], "seconds", 1, LONGEST))
    if kind == "threshold" and len(parts) == 2:
        percent = _number(text, parts[0], "percent", 1, 100)
        return Clock("threshold", _number(text, parts[1], "seconds", 1, LONGEST), percent)
    if kind == "calendar" and len(parts) == 3:
        return Clock(
            "calendar", calendar=Calendar(_days(text, parts[0]), _times(text, parts[1]), _zone(text, parts[2]))
        )
    raise ClockError(f"{word[:80]!r} is not a clock; say {FORMS}")


def _number(text: str, number: str, name: str, low: int, high: int) -> int:
    if not number.isascii() or not number.isdigit() or len(number) > 12 or not low <= int(number) <= high:
        raise ClockError(f"clock {text[:80]!r}: {name} go from {low} to {high}, not {number[:40]!r}")
    return int(number)


def _days(text: str, words: str) -> tuple[int, ...]:
    found: set[int] = set()
    for word in words.lower().split("+"):
        low, dash, high = word.partition("-")
        if word == "daily":
            found.update(range(7))
        elif low in DAYS and (high in DAYS if dash else True):
            begin = DAYS.index(low)
            length = (DAYS.index(high) - begin) % 7 if dash else 0
            found.update((begin + number) % 7 for number in range(length + 1))
        else:
            raise ClockError(
                f"clock {text[:80]!r}: days are daily, or {', '.join(DAYS)} and ranges such as mon-fri with + between "
                f"them, not {word[:40]!r}"
            )
    return tuple(sorted(found))


def _times(text: str, words: str) -> tuple[int, ...]:
    found = set()
    for word in words.split("+"):
        hour, minute = word[:2], word[2:]
        if not (re.fullmatch(r"[0-9]{4}", word) and int(hour) < 24 and int(minute) < 60):
            raise ClockError(
                f"clock {text[:80]!r}: times are hours and minutes from 0000 to 2359 with + between them, not "
                f"{word[:40]!r}"
            )
        found.add(int(hour) * 60 + int(minute))
    if len(found) > MOST_TIMES:
        raise ClockError(f"clock {text[:80]!r}: a day has at most {MOST_TIMES} times, not {len(found)}")
    return tuple(sorted(found))


def _zone(text: str, word: str) -> str:
    zone = _zones().get(word.casefold())
    if zone is None:
        raise ClockError(f"clock {text[:80]!r}: there is no time zone {word[:40]!r}; say UTC, or one as Europe/Berlin")
    return zone


def _first(text: str, words: str) -> First:
    parts = _FIRST.fullmatch(words)
    problem = f"clock {text[:80]!r}: say first:YYYY-MM-DDTHH:MM:ZONE, not first:{words[:60]}"
    if parts is None:
        raise ClockError(problem)
    year, month, day, hour, minute = map(int, parts.groups()[:5])
    try:
        found = datetime(year, month, day, hour, minute)
    except ValueError:
        raise ClockError(problem) from None
    if not _FIRST_YEAR < year < _LAST_YEAR:
        raise ClockError(problem)
    return First(found.date(), hour * 60 + minute, _zone(text, parts[6]))


def _bank(text: str, words: str) -> Bank:
    seconds, *more = words.split(":")
    if len(more) > 1:
        raise ClockError(f"clock {text[:80]!r}: say bank:SECONDS or bank:SECONDS:PLUS, not bank:{words[:40]}")
    whole = _number(text, seconds, "seconds of a bank", 1, LONGEST)
    return Bank(whole, _number(text, more[0], "seconds for each turn", 0, whole) if more else 0)


# --- words ------------------------------------------------------------------------------------------------------------


def seconds_left(deadline: float | None, now: float) -> int:
    """Return the seconds to report before a deadline: at least 1, as 0 means that the turn is being computed."""
    if deadline is None:
        return NO_DEADLINE
    return max(1, min(NO_DEADLINE, math.ceil(deadline - now)))


def duration(seconds: float) -> str:
    """Return a number of seconds for people, as "1 day 2 hours"; at most two units."""
    rest, parts = round(seconds), []
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        number, rest = divmod(rest, size)
        if number:
            parts.append(f"{number} {unit}{'' if number == 1 else 's'}")
    return " ".join(parts[:2]) or "0 seconds"


def group_words(groups: Mapping[str, str]) -> str:
    """Return the groups of a ruleset's turns with their descriptions, in one line."""
    return _listed([f"{name} ({words})" for name, words in groups.items()])


def _form_words(clock: Clock, ends: str, *, wait: bool) -> str:
    """Return when a turn ends by the form of a clock alone; ``ends`` begins the sentence."""
    if clock.kind == "manual":
        return f"{ends} when the operator says so"
    if clock.kind == "all-done":
        return f"{ends} when all are done"
    if clock.kind == "threshold":
        return f"{ends} {duration(clock.seconds)} after {clock.percent} % are done"
    when = f"after {duration(clock.seconds)}" if clock.calendar is None else clock.calendar.words()
    return f"{ends} {when}" if wait else f"{ends} when all are done, {when} at the latest"


def _runs(days: Iterable[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for day in days:
        if runs and runs[-1][1] == day - 1:
            runs[-1] = runs[-1][0], day
        else:
            runs.append((day, day))
    return [part for low, high in runs for part in ([(low, low), (high, high)] if high == low + 1 else [(low, high)])]


def _days_text(days: tuple[int, ...]) -> str:
    if len(days) == 7:
        return "daily"
    return "+".join(DAYS[low] if low == high else f"{DAYS[low]}-{DAYS[high]}" for low, high in _runs(days))


def _days_words(days: tuple[int, ...]) -> str:
    if len(days) == 7:
        return "every day"
    return "on " + _listed([_NAMES[a] if a == b else f"{_NAMES[a]} to {_NAMES[b]}" for a, b in _runs(days)])


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
