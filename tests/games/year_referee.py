"""Expected results of a `Year`, computed from the actions of its people.

The rules here are separate: nothing asks the server or its code. The referee computes deadlines, awaited and absent
players, bots, kept and missed turns, and due notifications as `tpserver/docs` states them. Then it compares.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from tests.games.year import DAY, HOUR, Form, Person, Table

FOREVER = float("inf")
CLOSE = 0.01
"""Seconds by which two times may differ that are the same: they were sums of numbers in another order."""
LATE = 1.0
"""Seconds by which a turn may end after it should."""
EVE = 15 * 60.0
"""Seconds before quiet hours in which a notification goes out that would fall into them."""
PROMPT = 150.0
"""Seconds in which a notification is delivered: several for one contact go five seconds apart."""


ENDINGS = {
    "time": "by time",
    "done": "all were done",
    "operator": "by operator",
    "players": "by agreement",
    "nobody": "nobody plays",
}
"""Endings of turns and their names. By agreement: the players agreed that the game is over."""


# --- the clock on the wall --------------------------------------------------------------------------------------------


def wall(at: float, zone: str) -> datetime:
    """Return what the clock on the wall shows."""
    return datetime.fromtimestamp(at, ZoneInfo(zone)).replace(tzinfo=None)


@lru_cache(maxsize=4096)
def first_minute(day: date, time: str, zone: str) -> float:
    """Return the first minute of a day at which the clock on the wall shows a time ("0230") or a later one."""
    at = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).timestamp()
    wanted = datetime(day.year, day.month, day.day, int(time[:2]), int(time[2:]))
    while wall(at, zone) < wanted:
        at += 60
    return at


def next_of(form: Form, after: float, least: float = CLOSE) -> float:
    """Return the first time of a calendar that is more than, or for ``least`` -CLOSE at least, ``after``."""
    day = wall(after, form.zone).date() - timedelta(days=1)
    while True:
        if day.weekday() in form.days:
            found = [first_minute(day, time, form.zone) for time in form.times]
            if later := [time for time in found if time > after + least]:
                return min(later)
        day += timedelta(days=1)


def is_quiet(person: Person, at: float) -> bool:
    minute = wall(at, person.times.zone).hour * 60 + wall(at, person.times.zone).minute
    start, end = person.times.quiet_from, person.times.quiet_to
    return start != end and (minute >= start or minute < end)


def loud(person: Person, at: float) -> float:
    """Return the first time from ``at`` on outside of a person's quiet hours."""
    while is_quiet(person, at):
        at = (at // 60 + 1) * 60
    return at


def _digits(minute: int) -> str:
    return f"{minute // 60:02}{minute % 60:02}"


# --- games ------------------------------------------------------------------------------------------------------------


@dataclass
class Seat:
    account: int | None
    bot: bool
    vacant: bool = False
    due: int = 0
    kept: int = 0
    missed: int = 0
    autopilot: int = 0
    bank: float = 0.0
    fresh: float | None = None
    """The time at which its player took it, if in the present turn."""

    @property
    def is_person(self) -> bool:
        return self.account is not None and not self.bot


@dataclass
class Played:
    """A game as it must be: its present turn, and the players in its seats."""

    name: str
    table: Table
    first: float | None
    seats: list[Seat] = field(default_factory=list)
    state: str = "waiting"
    turn: int = -1
    active: list[int] = field(default_factory=list)
    form: Form = field(default_factory=lambda: Form("manual"))
    began: float = 0.0
    due: float | None = None
    paused: float = 0.0
    finished: set[int] = field(default_factory=set)
    used: dict[int, float] = field(default_factory=dict)
    ordered: set[int] = field(default_factory=set)
    since: float = 0.0
    """The time of the last event in it."""
    operator_closes: bool = False
    removed: set[int] = field(default_factory=set)
    resigned: set[int] = field(default_factory=set)
    vacations: dict[int, list[tuple[float, float]]] = field(default_factory=dict)
    """Of all accounts, by account."""
    waited: Counter[int] = field(default_factory=Counter)
    """For how many seconds turns have waited for each seat on vacation."""
    step: str = ""
    """The agreement of the players that ends the turn without its rules."""
    paused_by_players: bool = False
    proposals: dict[str, set[int]] = field(default_factory=dict)
    """By kind: the seats that agree to what is proposed."""
    proposers: dict[str, int] = field(default_factory=dict)
    """By kind: the seat that has proposed it."""
    nudges: Counter[int] = field(default_factory=Counter)
    """The number of reminders to players, by turn."""
    history: list[tuple[float, int, str, frozenset[int], float | None]] = field(default_factory=list)
    """From when on: the turn, the state, the accounts that are awaited, and the end that they count."""

    def is_absent(self, seat: Seat) -> bool:
        after = self.table.policy.absent_after
        return seat.vacant or bool(after and seat.missed >= after)

    def somebody_is_there(self) -> bool:
        return any(not self.is_absent(seat) for seat in self.people())

    def people(self) -> list[Seat]:
        return [seat for one, seat in enumerate(self.seats) if seat.is_person and one not in self.resigned]

    def bot_plays(self, number: int) -> bool:
        seat = self.seats[number]
        if number in self.resigned:
            return False
        if seat.bot or seat.autopilot:
            return True
        return self.table.policy.absent == "bot" and self.is_absent(seat) and self.somebody_is_there()

    def nobody_plays(self) -> bool:
        people = self.people()
        return bool(people) and all(seat.autopilot or self.is_absent(seat) for seat in people)

    def waited_for(self) -> list[int]:
        active = [one for one in self.active if one not in self.resigned]
        present = [one for one in active if not self.is_absent(self.seats[one]) or self.bot_plays(one)]
        return present if self.somebody_is_there() else active

    def awaited(self) -> list[int]:
        return [one for one in self.waited_for() if one not in self.finished]

    def deadline(self) -> float | None:
        ends = self.time_is_up()
        return None if ends is None else max((self.back_at(one, ends) or ends for one in self.awaited()), default=ends)

    def time_is_up(self) -> float | None:
        """Return when the turn ends that waits for nobody on vacation."""
        if self.due is None:
            return None
        seats = [(self.seats[one].bank, self.late_before(one)) for one in self.awaited()] if self.table.bank else []
        banks = [bank + late if bank else bank for bank, late in seats]
        return self.due + self.table.grace + max(banks, default=0.0)

    def late_before(self, number: int) -> float:
        """Return for how many seconds the turn had been late when the player took the seat in it."""
        fresh = self.seats[number].fresh
        return 0.0 if fresh is None or self.due is None else max(0.0, fresh - self.due - self.table.grace)

    def changes_player(self, number: int, seat: Seat) -> None:
        """Somebody else has a seat, or nobody: nothing of before counts for it."""
        seat.bank = float(self.table.bank[0]) if self.table.bank else 0.0
        self.seats[number] = seat
        self.waited.pop(number, None)
        self.used.pop(number, None)
        for kind, agreeing in list(self.proposals.items()):
            if self.proposers.get(kind) == number:
                del self.proposals[kind]
            agreeing.discard(number)

    def vacation(self, number: int, at: float) -> float | None:
        """Return until when a player is on vacation for whom the game waits."""
        if self.vacation_left(number) <= 0:
            return None
        away = self.vacations.get(self.seats[number].account or 0, [])
        return next((end for start, end in away if start <= at < end), None)

    def vacation_left(self, number: int) -> float:
        return DAY * self.table.vacation - self.waited[number]

    def back_at(self, number: int, ends: float) -> float | None:
        """Return until when a turn whose time is up then waits for a player on vacation, and a day longer."""
        back = self.vacation(number, ends)
        return None if back is None else min(back, ends + self.vacation_left(number)) + DAY

    def is_agreed(self, kind: str, at: float) -> bool:
        """Return True if all present players agree, and at least one is present."""
        asked = {
            one
            for one, seat in enumerate(self.seats)
            if seat.is_person and one not in self.resigned and (not seat.missed or one in self.finished)
            if self.vacation(one, at) is None
        }
        agree = self.proposals.get(kind, set()) - self.resigned
        return asked <= agree and len(agree) >= (2 if kind == "draw" else 1)

    def counted_down(self) -> float | None:
        """Return the end of the turn as players see it.

        That is the time at which the turn is due. Where all time is in the banks, it is the time when these are empty.
        """
        return self.due if self.due is None or self.due > self.began else self.deadline()

    def ends(self) -> float:
        """Return when the turn must end if nothing else happens."""
        if self.state != "running":
            return FOREVER
        deadline, done = self.deadline(), FOREVER
        if not self.awaited():
            waits = self.table.wait and self.form.kind in ("interval", "threshold", "calendar")
            if waits or (self.nobody_plays() and self.due is not None):
                done = FOREVER if self.due is None else self.due
            elif self.form.kind != "manual":
                done = self.since
        return max(self.since, min(FOREVER if deadline is None else deadline, done))

    def bank_used(self, number: int, at: float) -> float:
        if number in self.finished:
            return self.used.get(number, 0.0)
        if self.due is None or number not in self.active:
            return 0.0
        return min(self.seats[number].bank, max(0.0, at - self.due - self.table.grace - self.late_before(number)))

    def finish(self, number: int, at: float) -> None:
        if number not in self.finished:
            self.used[number] = self.bank_used(number, at)
            self.finished.add(number)

    def is_back(self, number: int) -> bool:
        """Note that the player of a seat does something; return whether the game did not wait for it before."""
        seat = self.seats[number]
        was_absent = self.is_absent(seat)
        if was_absent or seat.autopilot:
            seat.missed = seat.autopilot = 0
        return was_absent

    def moved(self, lost: float, now: float) -> None:
        """Give back the time that was lost until now."""
        if self.due is None:
            return
        calendar = self.table.form if self.table.form.kind == "calendar" else None
        if calendar is None or abs(next_of(calendar, self.due - 1, 0) - self.due) > CLOSE:
            self.due += lost
            return
        least = now + min(HOUR, max(0.0, self.due - (now - lost)))
        if self.due < least - CLOSE:
            self.due = self.due + lost if lost <= HOUR else next_of(calendar, least, -CLOSE)

    def begins(self, at: float) -> float | None:
        """Return when a turn that begins now is due."""
        if self.form.kind == "interval":
            return at + self.form.seconds
        if self.form.kind == "calendar":
            before = after = next_of(self.form, at - 16 * DAY)
            while after <= at:
                before, after = after, next_of(self.form, after)
            return next_of(self.form, at + min(HOUR, (after - before) / 2))
        return at if self.form.kind == "all-done" and self.table.bank else None


# --- the referee ------------------------------------------------------------------------------------------------------


class Referee:
    """Goes through the log of a year. ``judge`` raises AssertionError at the first thing that should not have been."""

    def __init__(self, log: Iterable[str], tables: Iterable[Table], people: Iterable[Person]) -> None:
        self._log = [json.loads(line) for line in log]
        self._tables = {table.name: table for table in tables}
        self.people = {person.account: person for person in people}
        self.games: dict[str, Played] = {}
        self.counts: Counter[str] = Counter()
        self.due: Counter[int] = Counter()
        self.kept: Counter[int] = Counter()
        self.turns: Counter[tuple[str, str]] = Counter()
        """The number of turns, by their clock and ending (ENDINGS)."""
        self.bot_turns: Counter[tuple[str, int, int]] = Counter()
        """The number of times that a bot has finished a turn of a seat."""
        self.finishes: Counter[tuple[str, int, int]] = Counter()
        """The number of times that a turn of a seat was finished."""
        self.addresses: defaultdict[int, set[int]] = defaultdict(set)
        self.told: defaultdict[tuple[int, str, str, int], list[float]] = defaultdict(list)
        """Times of each notification, by contact, kind, game and turn. For digests the turn is the day."""
        self.online: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
        self.down: list[tuple[float, float]] = []
        self._sessions: Counter[int] = Counter()
        """The number of connections of each account."""
        self._came: dict[int, float] = {}
        self._rolls: dict[str, set[int]] = {}
        self._begun: list[tuple[str, int, int, float]] = []
        """Game, turn, account and time of each turn that awaits a person."""
        self._ended: list[tuple[str, int, float]] = []
        self._agreed: dict[str, str] = {}
        """By game: what has to come into force next."""
        self.vacations: dict[int, list[tuple[float, float]]] = {}
        self._deadlines: dict[tuple[str, int], list[tuple[float, float | None]]] = {}

    def judge(self) -> None:
        """Look at all that has happened."""
        number = 0
        for number, (kind, at, name, *facts) in enumerate(self._log):
            self._where = f"{kind} {name} {facts} on {datetime.fromtimestamp(at, ZoneInfo('UTC'))}, line {number}"
            after = self._log[number + 1] if number + 1 < len(self._log) else [""]
            if name in self._agreed and kind != "told":
                wanted = self._agreed.pop(name)
                assert kind == wanted, self._say(f"all had agreed on {wanted}")
            if kind in ("takes", "joins"):
                self._admitted(name, facts[1], after[0] == "refused")
                if after[0] == "refused":
                    continue
            if name and kind not in ("made", "turn", "closes", "told"):
                self._not_late(name, at)
            getattr(self, f"_{kind.replace(' ', '_')}")(at, name, *facts)
            if name in self.games and kind != "told":
                self._settle(self.games[name], at)
        for account, start in self._came.items():
            self.online[account].append((start, FOREVER))

    def _say(self, found: object) -> str:
        return f"{found}: {self._where}"

    def _not_late(self, name: str, at: float) -> None:
        game = self.games[name]
        assert at <= game.ends() + LATE, self._say(f"the turn should have ended at {game.ends()}")

    def _settle(self, game: Played, at: float) -> None:
        """Have bots play, and a threshold begin; then note how the game stands."""
        if game.state == "running":
            for seat in game.active:
                if game.bot_plays(seat) and seat not in game.finished:
                    game.finish(seat, at)
                    self.bot_turns[game.name, game.turn, seat] += 1
                    self.counts["turns a bot played for somebody absent"] += game.is_absent(game.seats[seat])
                    self.finishes[game.name, game.turn, seat] += 1
            expected, awaited = game.waited_for(), game.awaited()
            done = len(expected) - len(awaited)
            is_enough = done and done * 100 >= game.form.percent * len(expected)
            if game.form.kind == "threshold" and game.due is None and is_enough:
                game.due = at + game.form.seconds
            absent = [one for one in awaited if game.is_absent(game.seats[one])]
            assert not absent or not game.somebody_is_there(), self._say("somebody absent is awaited")
        waiting = frozenset(
            account for one in game.awaited() if (account := game.seats[one].account) is not None
        ) if game.state in ("running", "paused") else frozenset()  # fmt: skip
        game.history.append((at, game.turn, game.state, waiting, game.counted_down()))

    # --- games --------------------------------------------------------------------------------------------------------

    def _made(self, at: float, name: str, label: str, number: int, first: float | None) -> None:
        self.games[name] = Played(name, self._tables[label], first, since=at, vacations=self.vacations)

    def _admitted(self, name: str, account: int, refused: bool) -> None:
        """Check that exactly the unreliable and the removed players are refused."""
        game, due, kept = self.games[name], self.due[account], self.kept[account]
        asked = game.table.policy.reliability
        unreliable = bool(asked) and due >= 10 and 100 * kept < asked * due
        assert refused == (unreliable or account in game.removed), self._say(f"kept {kept} of {due}")
        self.counts["refused because of their reliability"] += unreliable
        self.counts["admitted where reliability is asked for"] += bool(asked) and not refused

    def _joins(self, at: float, name: str, seat: int, account: int) -> None:
        pass

    def _joined(self, at: float, name: str, seat: int, account: int) -> None:
        self.counts["joined"] += 1

    def _roll(self, at: float, name: str, here: list[int], due: float) -> None:
        self._rolls[name] = set(here)
        assert abs(due - at - self.games[name].table.policy.roll_call) < CLOSE, self._where

    def _here(self, at: float, name: str, account: int) -> None:
        self._rolls[name].add(account)

    def _roll_ends(self, at: float, name: str, there: list[int], due: float) -> None:
        assert set(there) == self._rolls[name], self._say("who was there has lost the seat, or who was not has it")
        assert abs(at - due) < LATE, self._where
        self.counts["roll calls that were not answered by all"] += 1

    def _turn(
        self, at: float, name: str, turn: int, state: str, active: list[int], group: str, seats: list[Any],
        records: list[list[int]], due: float | None, deadline: float | None,
    ) -> None:  # fmt: skip
        game = self.games[name]
        if turn == game.turn and state == "running" and game.state == "running":
            return  # it goes on after a pause
        if game.turn < 0:
            bank = float(game.table.bank[0]) if game.table.bank else 0.0
            game.seats = [Seat(account, bot, bank=bank) for account, bot in seats]
        else:
            self._ends(game, at, turn)
        game.turn, game.active, game.began, game.since = turn, active, at, at
        game.form = game.table.phases.get(group, game.table.form)
        if group in game.table.phases:
            self.counts[f"turns with a clock for {group}"] += 1
        game.finished, game.used, game.ordered = set(), {}, set()
        game.state = "over" if state == "over" else "running" if game.state == "waiting" else game.state
        if state == "over":
            game.due = None
            self.counts["games played to the end"] += 1
            for seat in game.seats:
                if seat.is_person and seat.account is not None:
                    self._ended.append((name, seat.account, at))
            return
        game.due = game.begins(at)
        if turn == 0 and game.first is not None and game.first > at:
            game.due = game.first
            self.counts["first deadlines"] += 1
        self._check(game, seats, records, due)
        for one in active:
            account = game.seats[one].account
            if account is not None and game.seats[one].is_person:
                self._begun.append((name, turn, account, at))

    def _check(self, game: Played, seats: list[Any], records: list[list[int]], due: float | None) -> None:
        found = [[seat.account, seat.bot] for seat in game.seats]
        assert seats == found, self._say(f"others should have the seats: {found}")
        kept = [[seat.due, seat.kept, seat.missed, seat.autopilot] for seat in game.seats]
        assert records == kept, self._say(f"what was kept and missed should be {kept}")
        assert (due is None) == (game.due is None), self._say(f"due should be {game.due}")
        if due is not None and game.due is not None:
            assert abs(due - game.due) < CLOSE, self._say(f"due should be {game.due}")
            if game.form.kind == "calendar":
                self._is_in_calendar(game.form, due, is_first=game.due == game.first)

    def _is_in_calendar(self, form: Form, due: float, is_first: bool) -> None:
        """By the clock on the wall a deadline is at a named time of a named day, but for a time that a day lacks."""
        if is_first:
            return
        shown = wall(due, form.zone)
        assert shown.weekday() in form.days, self._where
        if shown.strftime("%H%M") not in form.times:
            assert wall(due - 60, form.zone).hour != (shown - timedelta(minutes=1)).hour, self._say("no time of it")
            self.counts["deadlines at a time that the day does not have"] += 1
        zone = ZoneInfo(form.zone)
        offsets = {datetime.fromtimestamp(due + side * DAY, zone).utcoffset() for side in (-1, 1)}
        self.counts["calendar deadlines around a change of clocks"] += len(offsets) - 1
        self.counts["calendar deadlines"] += 1

    def _ends(self, game: Played, at: float, turn: int) -> None:
        """A turn ends: exactly then, and for a reason."""
        assert turn == game.turn + 1, self._where
        awaited, ends = game.awaited(), game.ends()
        deadline = game.deadline()
        game.proposals.pop("extension", None)
        how = "done"
        if game.step:
            how = "players"
            self.counts[f"games ended by players: {game.step}"] += 1
        elif game.operator_closes:
            how = "operator"
            self.counts["turns closed by the operator"] += 1
        else:
            assert at >= ends - CLOSE, self._say(f"it should have ended at {ends} ({awaited} are awaited)")
            assert at <= ends + LATE, self._say(f"it should have ended at {ends}")
            if awaited or (game.table.wait and game.due is not None):
                how = "time"
                self.counts["turns closed by time"] += 1
                if deadline is not None and game.due is not None and at > game.due + CLOSE:
                    self.counts["turns that went on in grace or by a time bank"] += 1
            elif game.nobody_plays():
                how = "nobody"
                self.counts["turns of games that nobody plays"] += 1
            else:
                self.counts["turns closed as all were done"] += 1
        self.turns[self._clock(game), how] += 1
        ran_out = not game.operator_closes and bool(awaited)
        time_is_up = game.time_is_up()
        for one in awaited if time_is_up is not None and at > time_is_up else ():
            back = game.back_at(one, time_is_up or 0.0)
            if back is not None and time_is_up is not None:
                game.waited[one] += min(at, back - DAY) - time_is_up  # type: ignore[assignment] # seconds
                self.counts["turns that waited for a vacation"] += 1
        banks = {one: game.bank_used(one, at) for one in game.active}
        for one in game.active:
            seat = game.seats[one]
            acted = one in game.finished or one in game.ordered
            plays = seat.is_person and one not in game.resigned and not game.bot_plays(one) and seat.fresh is None
            if plays and not game.step and (acted or (ran_out and one in awaited)):
                assert seat.account is not None
                self.due[seat.account] += 1
                self.kept[seat.account] += acted
                self.counts["turns kept" if acted else "turns missed"] += 1
                seat.due, seat.kept, seat.missed = seat.due + 1, seat.kept + acted, 0 if acted else seat.missed + 1
            if seat.autopilot and not game.step:
                seat.autopilot -= 1
                self.counts["turns on autopilot"] += 1
            if game.table.bank:
                most, plus = game.table.bank
                seat.bank = min(most, seat.bank - banks[one] + plus)
        for seat in game.seats:
            seat.fresh = None
        game.operator_closes, game.step = False, ""

    def _clock(self, game: Played) -> str:
        """Return what the clock of the present turn is called."""
        words = [game.form.kind]
        if game.table.wait:
            words.append("wait")
        if game.table.grace:
            words.append("grace")
        if game.table.bank:
            words.append("time banks")
        if game.table.vacation:
            words.append("vacation")
        return ", ".join(words)

    # --- what people do -----------------------------------------------------------------------------------------------

    def _order(self, at: float, name: str, seat: int) -> None:
        game = self.games[name]
        game.ordered.add(seat)
        self.counts["players who came back"] += game.is_back(seat)
        game.since = at
        self.counts["orders of people"] += 1

    def _finish(self, at: float, name: str, seat: int) -> None:
        game = self.games[name]
        self.counts["players who came back"] += game.is_back(seat)
        self.finishes[name, game.turn, seat] += seat not in game.finished
        game.finish(seat, at)
        game.since = at

    def _unfinish(self, at: float, name: str, seat: int) -> None:
        game = self.games[name]
        game.finished.discard(seat)
        game.used.pop(seat, None)
        self.counts["players who came back"] += game.is_back(seat)
        game.since = at

    def _autopilot(self, at: float, name: str, seat: int, turns: int) -> None:
        game = self.games[name]
        game.seats[seat].missed, game.seats[seat].autopilot = 0, turns
        self.counts["autopilots"] += 1
        game.since = at

    def _back(self, at: float, name: str, seat: int) -> None:
        game = self.games[name]
        self.counts["players who came back"] += game.is_back(seat)
        game.since = at

    def _takes(self, at: float, name: str, seat: int, account: int) -> None:
        game = self.games[name]
        game.changes_player(seat, Seat(account, False, fresh=at))
        game.since = at
        self.counts["seats that others took"] += 1

    def _taken(self, at: float, name: str, seat: int, account: int) -> None:
        pass

    def _refused(self, at: float, name: str, seat: int, account: int) -> None:
        pass

    def _removed(self, at: float, name: str, seat: int, bot: bool) -> None:
        game, before = self.games[name], self.games[name].seats[seat]
        assert before.account is not None
        game.removed.add(before.account)
        game.changes_player(seat, Seat(None, bot, vacant=not bot))
        game.since = at
        self.counts["players removed"] += 1

    # --- the operator -------------------------------------------------------------------------------------------------

    def _closes(self, at: float, name: str) -> None:
        self._not_late(name, at)
        self.games[name].operator_closes = True

    def _pause(self, at: float, name: str, by_players: bool) -> None:
        game = self.games[name]
        if by_players:
            self._in_force(game, "pause", at)
        game.state, game.paused, game.paused_by_players = "paused", at, by_players
        self.counts["pauses"] += 1

    def _resume(self, at: float, name: str, by_players: bool) -> None:
        game = self.games[name]
        if by_players:
            assert game.paused_by_players, self._where
            self._in_force(game, "resume", at)
        game.state, game.since = "running", at
        game.proposals.pop("resume", None)
        game.moved(at - game.paused, at)

    def _extend(self, at: float, name: str, by_players: bool, seconds: int) -> None:
        game = self.games[name]
        assert game.due is not None
        if by_players:
            self._in_force(game, "extension", at)
        game.due, game.since = game.due + seconds, at
        self.counts["turns that were given more time"] += 1

    # --- agreements ---------------------------------------------------------------------------------------------------

    def _proposes(self, at: float, name: str, seat: int, kind: str, seconds: int) -> None:
        game = self.games[name]
        self.counts[f"proposals: {kind}"] += 1
        if kind == "nudge":
            game.nudges[game.turn] += 1
        elif kind == "resign":
            game.resigned.add(seat)
            game.since = at
        else:
            game.proposals[kind], game.proposers[kind] = {seat}, seat
            self._expect(game, kind, at)

    def _votes(self, at: float, name: str, seat: int, kind: str, agrees: bool) -> None:
        game = self.games[name]
        self.counts["votes"] += 1
        if not agrees:
            game.proposals.pop(kind)
            self.counts["proposals refused"] += 1
            return
        game.proposals[kind].add(seat)
        self._expect(game, kind, at)

    def _expect(self, game: Played, kind: str, at: float) -> None:
        if game.is_agreed(kind, at):
            self._agreed[game.name] = {"extension": "extend", "draw": "steps"}.get(kind, kind)

    def _in_force(self, game: Played, kind: str, at: float) -> None:
        """Check that a proposal takes effect when all present players have agreed, and not before."""
        assert game.is_agreed(kind, at), self._say(f"{game.proposals} are not all")
        game.proposals.pop(kind)
        self.counts[f"agreements: {kind}"] += 1

    def _steps(self, at: float, name: str, kind: str) -> None:
        game = self.games[name]
        if kind == "resign":
            assert game.resigned, self._where
        else:
            self._in_force(game, kind, at)
        game.step = kind

    def _vacation(self, at: float, name: str, account: int, begins: float, ends: float) -> None:
        self.vacations.setdefault(account, []).append((begins, ends))
        self.counts["vacations"] += 1

    def _restart(self, at: float, name: str, later: float) -> None:
        for game in self.games.values():
            self._not_late(game.name, at)
        for account, start in self._came.items():
            self.online[account].append((start, at))
        self._came.clear()
        self._sessions.clear()
        self._stopped = at

    def _up(self, at: float, name: str) -> None:
        lost = at - self._stopped
        self.down.append((self._stopped, at))
        self.counts["restarts"] += 1
        for game in self.games.values():
            if game.state == "running":
                if lost >= 60:
                    self.counts["turns that got time back"] += game.due is not None
                    game.moved(lost, at)
                game.since = at
                self._settle(game, at)

    # --- notices ------------------------------------------------------------------------------------------------------

    def _in(self, at: float, name: str, account: int) -> None:
        self._sessions[account] += 1
        self._came.setdefault(account, at)

    def _out(self, at: float, name: str, account: int) -> None:
        self._sessions[account] -= 1
        if self._sessions[account] <= 0:
            self._sessions[account] = 0
            if account in self._came:
                self.online[account].append((self._came.pop(account), at))

    def _told(
        self, at: float, name: str, address: int, account: int, kind: str, turn: int, subject: str, channel: str
    ) -> None:
        person = self.people[account]
        if kind == "code":
            self.addresses[account].add(address)
            return
        self.counts[f"notices told: {kind}"] += 1
        self.counts[f"by mail: {kind}"] += channel == "mail"
        assert self._sessions[account] == 0, self._say("told somebody who is there")
        assert person.mode != "off", self._say("told somebody who wants to hear nothing")
        if kind == "digest":
            assert person.mode == "digest", self._where
            games = [game for game in self.games.values() if game.state == "running" and self._waits(game, account)]
            assert games, self._say("no game awaits him")
            shown = wall(at, person.times.zone)
            is_early = shown.hour * 60 + shown.minute < person.times.digest
            turn = shown.toordinal() - is_early  # that of the day before, which could not be told in time
        else:
            assert not is_quiet(person, at), self._say("told at night")
            game = self.games[name]
            assert turn == game.turn, self._say(f"it is turn {game.turn}")
            if kind == "over":
                assert game.state == "over", self._where
            else:
                assert self._waits(game, account), self._say("the turn does not await him")
                assert kind != "turn" or person.mode == "turn", self._where
            if kind == "deadline":
                end, last = game.counted_down(), game.deadline()
                assert person.hours and end is not None and last is not None, self._where
                asked = end - 3600 * person.hours
                is_evening = is_quiet(person, asked) and is_quiet(person, at + EVE)
                assert asked - CLOSE <= at < last or is_evening, self._say(f"it ends at {end}")
        key = address, kind, name, turn
        most = 1 + (self.games[name].nudges[turn] if kind == "turn" else 0)
        assert len(self.told[key]) < most, self._say(f"told already at {self.told[key]}")
        self.told[key].append(at)

    def _waits(self, game: Played, account: int) -> bool:
        return any(game.seats[one].account == account for one in game.awaited())

    def judge_missing(self, outages: list[tuple[float, float]], end: float) -> None:
        """Check that each wanted notification was sent, unless its turn ended too early."""
        for name, turn, account, at in self._begun:
            person = self.people[account]
            if person.mode != "turn" or not self.addresses[account]:
                continue
            latest = self._latest(person, loud(person, at), outages)
            self._must_be_told(self.games[name], "turn", turn, account, at, latest, end)
        for name, account, at in self._ended:
            person = self.people[account]
            ready = loud(person, at)
            latest = self._latest(person, ready, outages)
            online = any(start <= latest and ready <= stop for start, stop in self.online[account])
            if person.mode == "off" or online or latest > end:
                continue
            for address in self.addresses[account]:
                came = self.told.get((address, "over", name, self.games[name].turn))
                assert came and came[0] <= latest, f"{person.name} did not hear of the end of {name} at {at}"
                self.counts["notices that had to be told: over"] += 1
        self._judge_digests(outages, end)
        self._judge_deadlines(outages, end)

    def _latest(self, person: Person, ready: float, outages: list[tuple[float, float]]) -> float:
        """Return the latest time for a notification that is possible from ``ready`` on."""
        latest = ready + PROMPT
        for _ in range(100):
            found = latest
            lost = [(self.down, 0.0), (outages, HOUR), (self.online[person.account], 300.0)]
            for times, wait in lost:
                for start, stop in times:
                    if start <= found and ready <= stop + wait:
                        found = max(found, stop + wait + PROMPT)
            found = loud(person, found - PROMPT) + PROMPT
            if found <= latest:
                break
            latest = found
        return latest

    def _awaited_throughout(self, game: Played, turn: int, account: int, start: float, end: float) -> bool:
        """Return whether a turn awaited an account all the time, without a moment in which it did not."""
        before: tuple[float, int, str, frozenset[int], float | None] | None = None
        for one in game.history:
            if one[0] <= start:
                before = one
            elif one[0] <= end and not (one[1] == turn and account in one[3]):
                return False
        return before is not None and before[1] == turn and account in before[3]

    def _must_be_told(
        self, game: Played, kind: str, turn: int, account: int, start: float, latest: float, end: float
    ) -> None:
        if latest > end or not self._awaited_throughout(game, turn, account, start, latest):
            self.counts[f"notices that need not be told: {kind}"] += 1
            return
        for address in self.addresses[account]:
            came = self.told.get((address, kind, game.name, turn))
            what = f"{kind} of turn {turn} of {game.name}: {self.people[account].name} was to be told"
            assert came, f"{what} after {start}"
            assert start <= came[0] <= latest, f"{what} from {start} to {latest}, not at {came}"
            self.counts[f"notices that had to be told: {kind}"] += 1

    def _judge_digests(self, outages: list[tuple[float, float]], end: float) -> None:
        for (address, kind, _, day), times in self.told.items():
            if kind == "digest":
                (account,) = (one for one, mine in self.addresses.items() if address in mine)
                person = self.people[account]
                at = first_minute(date.fromordinal(day), _digits(person.times.digest), person.times.zone)
                latest = self._latest(person, at, outages)
                assert at <= times[0] <= latest, f"{person.name} had the digest of {at} at {times[0]}"
        for account, person in self.people.items():
            if person.mode != "digest" or not self.addresses[account]:
                continue
            games = [game for game in self.games.values() if game.seats]
            day = wall(games[0].began, person.times.zone).date() - timedelta(days=1) if games else date.min
            day = min((wall(game.history[0][0], person.times.zone).date() for game in games), default=day)
            time = _digits(person.times.digest)
            while (at := first_minute(day, time, person.times.zone)) + PROMPT < end:
                disturbed = any(
                    start <= at + PROMPT and at <= stop + HOUR
                    for start, stop in (*self.down, *outages, *self.online[account])
                )
                waits = not disturbed and any(self._awaited_for_a_while(game, account, at) for game in games)
                if waits:
                    for address in self.addresses[account]:
                        came = self.told.get((address, "digest", "", day.toordinal()))
                        assert came, f"{person.name} had no digest at {at}, {day}"
                        assert at <= came[0] <= at + PROMPT, (
                            f"{person.name}: the digest of {day} came at {came}, not {at}"
                        )
                        self.counts["notices that had to be told: digest"] += 1
                day += timedelta(days=1)

    def _awaited_for_a_while(self, game: Played, account: int, at: float) -> bool:
        """Return whether a running turn awaits an account at a time, and has since it began, and goes on a while."""
        before = [one for one in game.history if one[0] <= at + PROMPT]
        if not before or before[-1][2] != "running" or account not in before[-1][3]:
            return False
        turn = before[-1][1]
        of_turn = [one for one in before if one[1] == turn]
        return of_turn[0][0] < at - 1 and all(account in one[3] and one[2] == "running" for one in of_turn)

    def _judge_deadlines(self, outages: list[tuple[float, float]], end: float) -> None:
        """Check the reminders of turns whose deadline did not move, at the hours that people chose."""
        for name, turn, account, at in self._begun:
            person, game = self.people[account], self.games[name]
            if not person.hours or person.mode == "off" or not self.addresses[account]:
                continue
            of_turn = [one for one in game.history if one[1] == turn]
            if game.table.form.kind == "threshold" or any(one[2] == "paused" for one in of_turn):
                continue  # its end came later than it began
            deadlines = {one[4] for one in of_turn}
            if len(deadlines) != 1 or (deadline := deadlines.pop()) is None:
                continue
            ready = deadline - 3600 * person.hours
            if ready <= at:
                came = [self.told.get((one, "deadline", name, turn)) for one in self.addresses[account]]
                assert not any(came), f"{person.name} was told at {came} that turn {turn} of {name}, of {at}, ends soon"
                continue
            if is_quiet(person, ready):
                begin = ready // 60 * 60
                while is_quiet(person, begin - 60):
                    begin -= 60
                ready = max(at, loud(person, begin - EVE)) if at < begin else loud(person, ready)
            self._must_be_told(game, "deadline", turn, account, ready, self._latest(person, ready, outages), end)
