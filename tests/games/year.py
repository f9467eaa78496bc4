"""Ten games on a server in memory, played for months by simulated people.

Time jumps to the next event. `Year` is the server, its people and its operator. It writes to `log` what the people do
and the turns that begin, one line of JSON each. From that, `year_referee` computes the expected results. Everything
follows from the seed.
"""

from __future__ import annotations

import gc
import hashlib
import heapq
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import text
from twisted.internet.defer import Deferred, fail, succeed

from tests.support.server_in_memory import Client, Server, making_servers, result_of
from tpproto import tp_pb2 as tp
from tprules.api import Dice, Order
from tprules.api.bots import bot_orders
from tprules.api.ruleset import find_order_type, find_phase
from tpserver.day_times import DayTimes
from tpserver.games.core import attendance, phases
from tpserver.games.core.events import TurnBegan
from tpserver.games.core.game import Game
from tpserver.games.hall.hibernation import IdleGames
from tpserver.games.stored.replay import read_recorded, run_again
from tpserver.games.terms.initiator import Initiator
from tpserver.games.terms.seat_policy import SeatPolicy
from tpserver.games.turns.clock_service import ClockService
from tpserver.games.turns.turn_timers import WallClock
from tpserver.notices.channels import MAIL, WEBHOOKS, NotDelivered
from tpserver.notices.contacts import Terms
from tpserver.notices.content import Letter
from tpserver.notices.delivery import NoticeDelivery
from tpserver.requests.play.order_parameters import parameter
from tpserver.requests.session.session import Session
from tpserver.store import reliability as stored_reliability
from tpserver.store.games import outbox
from tpserver.store.games.outbox import Notice
from tpserver.store.people import accounts as stored_accounts
from tpserver.subscriptions import subscribe_notices

BEGINNING = datetime(2026, 3, 23, tzinfo=UTC).timestamp()
"""A Monday; in the week after it clocks go forward in Europe, and a year from then on has all changes of clocks."""

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
CHANNELS = [MAIL, *WEBHOOKS]


# --- what is played ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Form:
    """The rule for deadlines as the referee reads it; ``days`` are 0 (Monday) to 6, ``times`` as "2000"."""

    kind: str
    seconds: int = 0
    percent: int = 0
    days: tuple[int, ...] = ()
    times: tuple[str, ...] = ()
    zone: str = ""

    def text(self) -> str:
        """Return it in the notation of the server."""
        if self.kind == "interval":
            return f"interval:{self.seconds}"
        if self.kind == "threshold":
            return f"threshold:{self.percent}:{self.seconds}"
        if self.kind == "calendar":
            days = "+".join(("mon", "tue", "wed", "thu", "fri", "sat", "sun")[day] for day in self.days)
            return f"calendar:{days}:{'+'.join(self.times)}:{self.zone}"
        return self.kind


def interval(seconds: float) -> Form:
    return Form("interval", int(seconds))


@dataclass(frozen=True)
class Table:
    """A place where one game of a kind is played after the other."""

    name: str
    ruleset: str
    seats: int
    form: Form
    options: dict[str, str] = field(default_factory=dict)
    phases: dict[str, Form] = field(default_factory=dict)
    wait: bool = False
    grace: int = 0
    bank: tuple[int, int] | None = None
    first: str = ""
    """The local time of the day after the creation at which the first turn is due, as "18:00", and its zone."""
    vacation: int = 0
    """For how many days of each player turns wait for vacations."""
    bots: int = 0
    policy: SeatPolicy = field(default_factory=SeatPolicy)

    def clock(self, now: float) -> tuple[str, float | None]:
        """Return the clock of a game that is made now, and when its first turn is due, if it says so."""
        words, due = [self.form.text()], None
        if self.wait:
            words.append("wait")
        if self.first:
            wall, zone = self.first.split(" ")
            day = datetime.fromtimestamp(now, ZoneInfo(zone)).date() + timedelta(days=2)
            words.append(f"first:{day.isoformat()}T{wall}:{zone}")
            due = datetime.fromisoformat(f"{day.isoformat()}T{wall}").replace(tzinfo=ZoneInfo(zone)).timestamp()
        if self.grace:
            words.append(f"grace:{self.grace}")
        if self.bank:
            words.append(f"bank:{self.bank[0]}:{self.bank[1]}")
        if self.vacation:
            words.append(f"vacation:{self.vacation}")
        words += [f"phase:{name}={form.text()}" for name, form in self.phases.items()]
        return " ".join(words), due


WEEKDAYS, EVERY_DAY = (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5, 6)
TABLES = (
    Table(
        "worlds", "tae", 3, interval(DAY), {"max_turns": "14"}, phases={"combat": interval(4 * HOUR)},
        policy=SeatPolicy(absent_after=3),
    ),
    Table("quick", "swarm", 2, Form("all-done"), {"max_rounds": "10"}),
    Table(
        "half", "antshouse", 4, Form("threshold", 12 * 3600, 50), {"max_rounds": "12"},
        policy=SeatPolicy(absent_after=2, absent="bot"),
    ),
    Table(
        "evening", "colony_battle", 2, Form("calendar", 0, 0, WEEKDAYS, ("2000",), "Europe/Berlin"),
        {"max_rounds": "10"}, vacation=8, policy=SeatPolicy(absent_after=3, seeks=True),
    ),
    Table(
        "meadow", "taller_ants", 3, interval(16 * HOUR), {"max_rounds": "8"}, grace=3 * 3600, vacation=5,
        policy=SeatPolicy(absent_after=2),
    ),
    Table(
        "twice", "tae", 2, Form("calendar", 0, 0, EVERY_DAY, ("0700", "1900"), "America/New_York"),
        {"max_turns": "14"}, bank=(10 * 3600, 900), bots=1, policy=SeatPolicy(absent_after=4, seeks=True),
    ),
    Table("chess", "swarm", 2, Form("all-done"), {"max_rounds": "10"}, bank=(5 * 86400, 6 * 3600)),
    Table(
        "waiting", "antshouse", 3, interval(20 * HOUR), {"max_rounds": "12"}, wait=True, grace=2 * 3600, bots=1,
        policy=SeatPolicy(absent_after=2, absent="bot", seeks=True),
    ),
    Table("host", "colony_battle", 2, Form("manual"), {"max_rounds": "10"}),
    Table(
        "night", "taller_ants", 2, Form("calendar", 0, 0, (1, 5, 6), ("0230",), "Europe/Berlin"), {"max_rounds": "8"},
        first="18:00 Europe/Berlin", policy=SeatPolicy(absent_after=2, seeks=True, reliability=80, roll_call=86400),
    ),
)  # fmt: skip

NAMES = (
    *("anna", "berta", "carlos", "doris", "emil", "frida", "gustav", "hanna", "igor", "judith"),
    *("konrad", "lotte", "moritz", "nadia", "oskar", "petra", "quentin", "rosa", "stefan", "tilda"),
    *("ulrich", "vera", "walter", "xenia", "yannick", "zora", "amelie", "bruno", "clara", "dietmar"),
)


@dataclass
class Person:
    """A person with an account. ``away``: from when to when nothing is played; ``gone``: from when on forever."""

    name: str
    number: int
    habit: str
    dialect: str
    account: int = 0
    away: list[tuple[float, float]] = field(default_factory=list)
    gone: float = float("inf")
    mode: str = "turn"
    hours: int = 0
    times: DayTimes = field(default_factory=DayTimes)
    addresses: int = 0

    def plays(self, now: float) -> bool:
        return now < self.gone and not any(start <= now < end for start, end in self.away)


def people(seed: str, days: float) -> list[Person]:
    """Return all people: every habit several times, with their wishes for notifications."""
    made = []
    for number, name in enumerate(NAMES):
        chance = random.Random(f"{seed} {name}")
        habit = ("punctual", "late", "away", "punctual", "pilot", "gone", "late", "away")[number % 8]
        one = Person(name, number, habit, ("pb", "tp04", "json", "tp03", "pb")[number % 5])
        if habit == "away":
            start = BEGINNING + chance.uniform(1.5, min(12, days / 4)) * DAY
            while start < BEGINNING + days * DAY:
                one.away.append((start, start + chance.uniform(3, max(4, min(28, days / 3))) * DAY))
                start = one.away[-1][1] + chance.uniform(20, 80) * DAY
        if habit == "gone":
            one.gone = BEGINNING + max(4.0, chance.uniform(0.1, 0.9) * days * (number // 8 + 1) / 3) * DAY
        one.mode, one.hours = (("turn", 0), ("digest", 0), ("turn", 6), ("off", 0), ("turn", 0), ("digest", 12))[
            (number * 5 + number // 6) % 6
        ]
        one.addresses = (1, 1, 0, 1, 2)[(number // 2) % 5]
        zone = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo")[number % 4]
        quiet = (22 * 60, 7 * 60) if number % 3 else (0, 0)
        one.times = DayTimes(zone, *quiet, 8 * 60 + 15 * (number % 4))
        made.append(one)
    return made


class Visitor(Client):
    """The connection of a person, who logs in again after a restart of the server."""

    def __init__(self, server: Server, person: Person, game: str, dialect: str) -> None:
        super().__init__(server, dialect)
        self._words = {"username": f"{person.name}@{game}", "password": f"{person.name}'s word"}
        self._log_in()

    def come_again(self, server: Server) -> None:
        self.server = server
        self.session = Session(server.host, self.session.peer, self._push)
        self._log_in()

    def _log_in(self) -> None:
        answer = self.ask("login", **self._words)
        assert answer.name == "okay", answer


# --- the year ---------------------------------------------------------------------------------------------------------


class _Box:
    """Where all notices come: it notes them, or has nothing delivered while it is out of order."""

    def __init__(self, year: Year) -> None:
        self._year = year

    def send(self, notice: Notice, letter: Letter) -> Deferred[str]:
        year = self._year
        if any(start <= year.now < end for start, end in year.outages):
            return fail(NotDelivered("nobody answers"))
        facts = [notice.address, notice.account, notice.kind, notice.turn, letter.subject, notice.channel]
        year.note("told", year.names.get(notice.game, ""), *facts)
        if notice.kind != outbox.CODE:
            year.letters.append(json.dumps([round(year.now, 3), notice.game, *facts, letter.lines]))
        else:
            year.codes[notice.address] = notice.code
        return succeed(f"m{notice.address}")


_HOUSEKEEPING = (WallClock.watch, ClockService.beat, IdleGames.look, NoticeDelivery.look)
"""Timers that look whether something is to be done; a step goes to what is to be done, at which they ring, too."""


class Year:
    """A server whose games are played for some days. ``make_server`` makes one in memory.

    ``restarts``: restart it at times, with a time in which it is down (``downtime``) or without.
    """

    def __init__(
        self, make_server: Callable[..., Server], seed: str, days: float, restarts: bool = True, downtime: bool = True
    ) -> None:
        self.seed, self.days = seed, days
        self.end = BEGINNING + days * DAY
        self.log: list[str] = []
        self.letters: list[str] = []
        self.codes: dict[int, str] = {}
        self.memory: list[tuple[float, int, int, int]] = []
        """At each quarter: the day, the objects in memory, the games there, and those that have been made."""
        self.names: dict[int, str] = {}
        self.current: dict[str, str] = {}
        self.tables = {table.name: table for table in TABLES}
        self.people = people(seed, days)
        self.outages: list[tuple[float, float]] = []
        self._acts: dict[tuple[str, int], float] = {}
        self._made: dict[str, int] = {}
        self._online: list[Visitor] = []
        self._agenda: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers = count()
        self._last = BEGINNING
        self.server = make_server(now=BEGINNING)
        self._start()
        chance = random.Random(f"{seed} operator")
        for number in range(max(2, round(days / 14))):
            start = BEGINNING + (number + chance.uniform(0.2, 0.8)) * self.days * DAY / max(2, round(days / 14))
            self.outages.append((start, start + chance.uniform(0.2, 5) * HOUR))
        self._sign_up()
        for number, table in enumerate(TABLES):
            self.at(BEGINNING + number * HOUR + 60.25, self._open_table, table.name)
        for day in range(int(days)):
            self.at(BEGINNING + day * DAY + 12 * HOUR + 0.25, self._operator, day)
            self.at(BEGINNING + day * DAY + 10 * HOUR + 0.25, self._newcomers, day)
        for person in self.people:
            for start, end in person.away:
                self.at(start + 0.25, self._goes_on_vacation, person, end)
                self.at(end + 8 * HOUR + person.number + 0.25, self._returns, person)
        for quarter in (1, 2, 3, 4):
            self.at(BEGINNING + quarter * days * DAY / 4 - 1, self._count_memory)
        if restarts:
            downs = (0.0, 3 * HOUR, 20.0, 30 * HOUR, 0.0, 700.0, 0.5 * HOUR, 50 * HOUR)
            for number in range(max(3, round(days / 30))):
                at = BEGINNING + (number + chance.uniform(0.2, 0.8)) * days * DAY / max(3, round(days / 30))
                self.at(at, self._restart, downs[number % len(downs)] if downtime else 0.0)

    # --- time ---------------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        return float(self.server.now())

    def at(self, when: float, call: Callable[..., None], *args: Any) -> None:
        """Have something happen at a time; what comes while the server is away happens when it is there again."""
        heapq.heappush(self._agenda, (when, next(self._numbers), call, args))

    def note(self, kind: str, game: str, *facts: Any) -> None:
        """Note that something happens now."""
        self.log.append(json.dumps([kind, self.now, game, *facts]))

    def run(self) -> None:
        """Let all days pass."""
        while True:
            step = min(self._next_timer(), self._agenda[0][0] if self._agenda else self.end, self.end)
            clock = self.server.clock
            clock.rightNow = max(clock.rightNow, step)
            clock.advance(0)
            while self._agenda and self._agenda[0][0] <= self.now:
                _, _, call, args = heapq.heappop(self._agenda)
                call(*args)
            if self.now >= self.end:
                return

    def _next_timer(self) -> float:
        looks = self.end
        for timer in self.server.clock.calls:
            if getattr(timer.func, "__func__", None) not in _HOUSEKEEPING:
                looks = min(looks, timer.getTime())
        wake = self.server.registry.idle.next_wake()
        if wake is not None:
            looks = min(looks, max(wake, self.now + 5.0))
        due = self.server.store.read(outbox.next_try, CHANNELS)
        if due is None:
            return looks
        return min(looks, due if due > self.now else self.now + 5.0)

    # --- the server ---------------------------------------------------------------------------------------------------

    def _start(self, there: Sequence[Client] = ()) -> None:
        """Start the server, with bots and notifications. New turns are logged before both.

        The people who were ``there`` log in again before any notification.
        """
        server = self.server
        publish = server.registry.bus.publish

        def noted(event: object) -> None:
            if isinstance(event, TurnBegan):
                self._began(event.game)
            publish(event)

        server.registry.bus.publish = noted  # type: ignore[method-assign] # before all subscribers
        self.bots = server.start_bots()
        server.registry.load_all()
        server.settle()
        self.bots.look_at_all()
        for client in there:
            client.come_again(server)
            self.note("in", "", client.session.account_id)
            self._online.append(client)
        self.delivery = NoticeDelivery(
            server.registry,
            server.host.is_online,
            dict.fromkeys(CHANNELS, _Box(self)),
            "our server",
            "https://example/",
        )
        server.host.notices.terms = Terms(CHANNELS)
        subscribe_notices(server.registry.bus, self.delivery)
        self.delivery.start()
        registry, clock_changes = server.registry, server.registry.clock_changes
        parts: tuple[tuple[str, object, str], ...] = (
            ("pause", registry.control, "pause"),
            ("resume", registry.control, "resume"),
            ("steps", registry.turns, "go"),
        )
        for kind, part, name in parts:
            setattr(part, name, self._noting(kind, getattr(part, name)))
        clock_changes.give_time = self._noting("extend", clock_changes.give_time)

    def _noting(self, kind: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return what notes, and then does, something that the operator does or the players have agreed on."""

        def noted(game: Game, *args: Any, **more: Any) -> Any:
            cause = more.get("cause") or next((one for one in args if isinstance(one, Initiator)), None)
            if kind == "steps":
                (step,) = args
                proposals = step.cause.proposals
                self.note(kind, game.name, proposals[0].kind if proposals else "resign")
            else:
                seconds = [one for one in args if isinstance(one, int)]
                self.note(kind, game.name, cause is not None and cause.players, *seconds)
            return call(game, *args, **more)

        return noted

    def _restart(self, later: float) -> None:
        """Stop the server, and start another ``later``. After an immediate start its visitors log in again."""
        there, self._online = self._online, []
        for client in there:
            client.hang_up()
        self.note("restart", "", later)
        self.bots.stop()
        self.delivery.stop()
        before = self.server
        before.stop()
        before.registry.games.clear()  # whoever has made the first one keeps it to the end
        self.server = Server(before.path, now=before.now() + later, found=before.found)
        self.note("up", "")
        self._start([] if later else there)

    def _count_memory(self) -> None:
        for client in list(self._online):
            self._leave(client)
        idle = self.server.registry.idle
        usual, idle.seconds = idle.seconds, 0.0
        idle.let_go()  # all games, but those in which something is due now
        idle.seconds = usual
        gc.collect()
        objects, games = len(gc.get_objects()) - 3 * len(self._agenda), len(self.server.registry.games)
        self.memory.append(((self.now - BEGINNING) / DAY, objects, games, len(self.names)))

    # --- people -------------------------------------------------------------------------------------------------------

    def _sign_up(self) -> None:
        for person in self.people:
            client = self.server.connect("pb")
            name, word = person.name, f"{person.name}'s word"
            assert client.ask("login_account", username=name, password=word).name == "account"
            client.hang_up()
            found = self.server.store.read(stored_accounts.by_name, name)
            assert found is not None
            person.account = found.id
            notices = self.server.host.notices
            for number in range(person.addresses):
                kind, target = (MAIL, f"{name}@example.org") if number else ("json", f"https://hooks.example/{name}")
                added = result_of(notices.add(person.account, kind, target, "token"))
                self.server.settle()
                assert result_of(notices.verify(person.account, added.id, added.code))
            result_of(notices.set_wish(person.account, 0, person.mode, person.hours))
            result_of(notices.set_times(person.account, person.times))
            self.server.clock.advance(1)

    def _person(self, account: int | None) -> Person | None:
        return next((person for person in self.people if person.account == account), None)

    def _game(self, name: str) -> Game | None:
        """Return the game that is played under this name now; None if that is over."""
        if name not in self.current.values():
            return None
        game = self.server.game(name)
        return None if game.over else game

    def _come(self, person: Person, name: str, dialect: str = "") -> Client:
        """Log in to a game."""
        client = Visitor(self.server, person, name, dialect or person.dialect)
        self.note("in", "", person.account)
        return client

    def _go(self, client: Client, stays: float = 0.0) -> None:
        """Leave, or after so many seconds."""
        if not isinstance(client, Visitor):
            self.note("out", "", client.session.account_id)
            client.hang_up()
            return
        self._online.append(client)
        if stays:
            self.at(self.now + stays, self._leave, client)
        else:
            self._leave(client)

    def _leave(self, client: Visitor) -> None:
        if client in self._online:  # or the server was started anew
            self._online.remove(client)
            self.note("out", "", client.session.account_id)
            client.hang_up()

    # --- games --------------------------------------------------------------------------------------------------------

    def _open_table(self, label: str) -> None:
        table, number = self.tables[label], self._made.get(label, 0) + 1
        self._made[label], name = number, f"{label}-{number}"
        clock, first = table.clock(self.now)
        game = self.server.create(
            name, table.ruleset, table.seats, clock=clock, options=table.options, bots=table.bots, policy=table.policy,
            seed=f"{self.seed} {name}",
        )  # fmt: skip
        self.names[game.row.id], self.current[label] = name, name
        self.note("made", name, label, game.row.id, first)
        self.bots.look(game)
        self._fill(label, name, 0)

    def _candidates(self, game: Game, chance: random.Random) -> list[Person]:
        """Return the people who may join a game, in order, without those who have many games already."""
        busy = dict.fromkeys((person.account for person in self.people), 0)
        for name in self.current.values():
            for player in self.server.game(name).players:
                if player.account in busy:
                    busy[player.account] += 1
        found = [
            person
            for person in self.people
            if person.plays(self.now) and busy[person.account] < 3 and game.seat_of(person.account) is None
        ]
        chance.shuffle(found)
        return found

    def _fill(self, label: str, name: str, tries: int) -> None:
        """Somebody joins a game that has not begun, and others later."""
        game = self._game(name)
        if game is None or game.started or game.roll_is_called():
            return
        chance = random.Random(f"{self.seed} {name} joins {tries}")
        found = self._candidates(game, chance)
        if found:
            self._join(label, game, found[0], chance)
        self.at(self.now + chance.uniform(0.3, 4) * HOUR, self._fill, label, name, tries + 1)

    def _join(self, label: str, game: Game, person: Person, chance: random.Random) -> None:
        name, seat = game.name, game.open_seats()[0]
        self.note("joins", name, seat, person.account)
        client = self.server.connect("pb")
        answer = client.ask("login", username=f"{person.name}@{name}", password=f"{person.name}'s word")
        if answer.name == "fail":
            assert "% of their turns" in answer.text, answer
            self.note("refused", name, seat, person.account)
            client.hang_up()
            return
        self.note("joined", name, seat, person.account)
        self.note("in", "", person.account)
        self._go(client)
        if game.roll_is_called():
            assert game.row.due is not None
            self.note("roll", name, [player.account for player in game.players if player.record.here], game.row.due)
            for player in game.players:
                if player.is_person and not player.record.here and chance.random() < 0.6:
                    late = chance.uniform(0.05, 0.95) * (game.row.due - self.now)
                    self.at(self.now + late, self._is_here, name, player.account, chance.random() < 0.5)
            self.at(game.row.due + 0.5, self._roll_ends, label, name, game.row.due)

    def _is_here(self, name: str, account: int, by_finishing: bool) -> None:
        game, person = self._game(name), self._person(account)
        if game is None or person is None or game.started or game.seat_of(account) is None:
            return
        if not person.plays(self.now):
            return
        client = self._come(person, name, dialect="pb")
        self.note("here", name, account)
        assert client.ask("finished_turn" if by_finishing else "say_here").name == "okay"
        self._go(client)

    def _roll_ends(self, label: str, name: str, due: float) -> None:
        game = self._game(name)
        if game is None:
            return
        if not game.started:
            self.note("roll ends", name, [player.account for player in game.players if player.account], due)
        self.at(self.now + HOUR, self._fill, label, name, int(self.now - BEGINNING))

    def _began(self, game: Game) -> None:
        """Note a turn, before anything is done about it, and plan what people do in it."""
        name, row = game.name, game.row
        label = name.rpartition("-")[0]
        active = list(phases.active(game))
        group = "" if game.over else find_phase(game.rules, game.state.phase).clock_group
        seats = [[player.account, player.bot] for player in game.players]
        records = [
            [player.record.due, player.record.kept, player.record.missed, player.record.autopilot]
            for player in game.players
        ]
        self.note("turn", name, row.turn, row.state, active, group, seats, records, row.due, row.deadline)
        if game.over:
            if self.current.get(label) == name:
                self.at(self.now + HOUR, self._open_table, label)
            return
        if row.state != "running":
            return
        for seat in active:
            person = self._person(game.players[seat].account)
            if person is not None:
                self._plan(person, name, row.turn, row.due)

    def _plan(self, person: Person, name: str, turn: int, due: float | None) -> None:
        """Plan when somebody comes to play a turn."""
        chance = random.Random(f"{self.seed} {name} {turn} {person.name}")
        if chance.random() < 0.04:
            kind = chance.choice(["extension", "extension", "pause", "nudge", "nudge", "nudge", "draw", "resign"])
            self.at(self.now + chance.uniform(0.2, 9) * HOUR, self._propose, person, name, kind)
        span = due - self.now if due is not None else 10 * HOUR
        if span <= 60:
            span = 12 * HOUR
        span = min(span, 3 * DAY)
        has_deadline = due is not None and due > self.now + 60
        if person.habit == "late":
            self.at(self.now + chance.uniform(0.6, 1.5) * span, self._visit, person, name, turn, "play", False)
            if not has_deadline:
                self.at(self.now + 30 * HOUR + person.number, self._visit, person, name, turn, "play", True)
            return
        chosen = chance.random()
        act = "play"
        if chosen < 0.07:
            act = "order"
        elif chosen < 0.12:
            act = "finish"
        elif chosen < 0.17:
            act = "undecided"
        elif chosen < (0.35 if person.habit == "pilot" else 0.17):
            act = "pilot"
        delay = chance.uniform(0.04, 0.7) * span
        self.at(self.now + delay, self._visit, person, name, turn, act, True)
        if act in ("order", "undecided"):
            self.at(self.now + delay + chance.uniform(0.5, 9) * HOUR, self._visit, person, name, turn, "play", True)

    # --- agreements ---------------------------------------------------------------------------------------------------

    def _propose(self, person: Person, name: str, kind: str) -> None:
        """Propose something to the other players, who log in and vote, if it can be proposed now."""
        game = self._game(name)
        seat = None if game is None else game.seat_of(person.account)
        if game is None or seat is None or seat in game.resigned or not game.started or not person.plays(self.now):
            return
        chance = random.Random(f"{self.seed} {name} {person.name} {kind} {self.now}")
        client = self._come(person, name, "pb")
        offers = {one.kind: one for one in client.ask("get_proposals", game=name).message.offers}
        if kind in offers and not offers[kind].problem:
            seconds = chance.randint(3600, 90_000) if offers[kind].most else 0
            self._acts[name, seat] = self.now
            self.note("proposes", name, seat, kind, seconds)
            assert client.ask("propose", game=name, kind=kind, seconds=seconds).name == "okay"
            for other in self.people:
                if other is not person and game.seat_of(other.account) is not None:
                    self.at(self.now + chance.uniform(0.5, 30) * HOUR, self._visit, other, name, -1, "vote", False)
            if kind == "pause":
                self.at(self.now + chance.uniform(35, 60) * HOUR, self._propose, person, name, "resume")
                self.at(self.now + 6 * DAY, self._resume, name)
        self._go(client)

    def _vote(self, person: Person, name: str, seat: int) -> None:
        """Vote on all that is proposed."""
        game = self.server.game(name)
        for one in list(game.proposals):
            game = self.server.game(name)
            if one.state != "open" or any(voter == seat for voter, _ in one.votes) or game.over:
                continue
            found = next((other for other in game.proposals if other.number == one.number), None)
            if found is None or found.state != "open":
                continue
            chance = random.Random(f"{self.seed} {name} {one.number} {person.name}")
            client = self._come(person, name, "pb")
            listed = [each.id for each in client.ask("get_proposals", game=name).message.proposals
                      if each.state == "open"]  # fmt: skip
            if one.number in listed:
                agrees = chance.random() < 0.85
                self.note("votes", name, seat, one.kind, agrees)
                answer = client.ask("vote", game=name, id=one.number, vote="agree" if agrees else "refuse")
                assert answer.name == "okay", answer
            self._go(client)

    def _goes_on_vacation(self, person: Person, end: float) -> None:
        """Some say so; 30 days a year are what there is."""
        if random.Random(f"{self.seed} {person.name} {end}").random() < 0.3:
            return
        client = self.server.connect("pb")
        answer = client.ask("login_account", username=person.name, password=f"{person.name}'s word")
        assert answer.name == "account", answer
        self.note("in", "", person.account)
        now = self.now
        if client.ask("add_vacation", begins=0, ends=int(end)).name == "okay":
            self.note("vacation", "", person.account, now, int(end))
        self._go(client)

    # --- coming -------------------------------------------------------------------------------------------------------

    def _returns(self, person: Person) -> None:
        """A person who was away views all games."""
        for name in list(self.current.values()):
            game = self._game(name)
            if game is not None and game.started and game.seat_of(person.account) is not None:
                self._visit(person, name, -1, "return", False)

    def _visit(self, person: Person, name: str, turn: int, act: str, only_then: bool) -> None:
        game = self._game(name)
        if game is None or not person.plays(self.now) or not game.started:
            return
        seat = game.seat_of(person.account)
        if seat is None or seat in game.resigned:
            return
        self._vote(person, name, seat)
        game = self._game(name)
        if game is None or game.row.state != "running" or act == "vote" or (only_then and game.state.turn != turn):
            return
        chance = random.Random(f"{self.seed} {name} {turn} {person.name} {self.now}")
        client = self._come(person, name, "pb" if act in ("pilot", "return") else "")  # old programs cannot say such
        self._acts[name, seat] = self.now
        turn = game.state.turn
        if act == "pilot":
            turns = chance.randint(1, 3)
            self.note("autopilot", name, seat, turns)
            assert client.ask("set_autopilot", turns=turns).name == "okay"
        elif act == "return" and (seat not in phases.active(game) or chance.random() < 0.3):
            self.note("back", name, seat)
            assert client.ask("say_here").name == "okay"
        elif seat in phases.active(game) and (seat not in game.finished or attendance.bot_plays(game, seat)):
            self._play(client, name, seat, act, chance)
        self._go(client, chance.uniform(5, 150) * MINUTE if chance.random() < 0.2 else 0.0)

    def _play(self, client: Client, name: str, seat: int, act: str, chance: random.Random) -> None:
        game = self.server.game(name)
        if act != "finish":
            for order in self._chosen(game, seat, chance):
                self.note("order", name, seat)
                self._give(client, game, order)
        if act == "order":
            return
        turn = game.state.turn
        self.note("finish", name, seat)
        assert client.ask("finished_turn").name == "okay"
        if act == "undecided" and client.knows("unfinish_turn") and self.server.game(name).state.turn == turn:
            self.note("unfinish", name, seat)
            assert client.ask("unfinish_turn").name == "okay"

    def _chosen(self, game: Game, seat: int, chance: random.Random) -> list[Order]:
        own = {on: list(queue) for on, queue in game.state.queues.items() if queue[0].seat == seat}
        dice = Dice.named(hashlib.sha256(f"{chance.random()}".encode()).digest(), seat, game.state.turn)
        return bot_orders(game.rules, replace(game.state, queues=own), seat, dice)

    def _give(self, client: Client, game: Game, order: Order) -> None:
        """Send an order, as the person's program speaks."""
        kind = find_order_type(game.rules, order.type)
        assert kind is not None
        parameters = [
            parameter(game, None, kind, order, name, param, order.args[name]) for name, param in kind.params.items()
        ]
        message = tp.Order(id=order.on, slot=-1, otype=game.description.order_number[order.type], parameters=parameters)
        answer = client.say("order_insert", message)
        assert answer.name in ("okay", "order"), (game.name, order, answer)

    # --- the operator, and who looks for a game -----------------------------------------------------------------------

    def _operator(self, day: int) -> None:
        for label, name in list(self.current.items()):
            game = self._game(name)
            if game is None or not game.started:
                continue
            chance = random.Random(f"{self.seed} operator {day} {label}")
            if self._sends_away(game):
                continue
            if label == "host" and chance.random() < 0.8 and game.row.state == "running":
                self.note("closes", name)
                result_of(self.server.registry.turns.close_turn(game))
            elif chance.random() < 0.02 and game.row.state == "running":
                result_of(self.server.registry.control.pause(game))
                self.at(self.now + chance.uniform(0.01, 3) * DAY, self._resume, name)
            elif chance.random() < 0.04 and game.row.state == "running" and game.row.due is not None:
                seconds = chance.randint(600, 50_000)
                result_of(self.server.registry.clock_changes.give_time(game, seconds, "The operator"))

    def _resume(self, name: str) -> None:
        game = self._game(name)
        if game is not None and game.row.state == "paused":
            result_of(self.server.registry.control.resume(game))

    def _sends_away(self, game: Game) -> bool:
        """Remove a player who has not come for ten days and whom the game does not offer by itself."""
        for player in game.players:
            last = max(self._acts.get((game.name, player.seat), 0.0), game.row.started or 0.0, player.record.since)
            if player.seat in game.resigned:
                continue
            if player.is_person and self.now - last > 10 * DAY and game.row.state == "running":
                if game.policy.seeks and attendance.is_absent(game, player.seat):
                    continue
                self.note("removed", game.name, player.seat, game.policy.absent == "bot")
                result_of(self.server.registry.seat_changes.remove_player(game, player.seat, "The operator"))
                return True
        return False

    def _newcomers(self, day: int) -> None:
        """People look for seats that seek somebody, and some of them take one."""
        chance = random.Random(f"{self.seed} newcomers {day}")
        looking = [person for person in self.people if person.plays(self.now)]
        person = chance.choice(looking)
        client = self.server.connect("pb")
        answer = client.ask("login_account", username=person.name, password=f"{person.name}'s word")
        assert answer.name == "account", answer
        self.note("in", "", person.account)
        for seat in client.ask("get_open_seats").message.seats:
            game = self._game(seat.game)
            if game is None or chance.random() < 0.4 or game.seat_of(person.account) is not None:
                continue
            if game.row.state != "running":
                continue
            self.note("takes", seat.game, seat.player - 1, person.account)
            answer = client.ask("take_seat", game=seat.game, player=seat.player)
            if answer.name == "fail":
                assert "% of their turns" in answer.text or "were removed" in answer.text, answer
                self.note("refused", seat.game, seat.player - 1, person.account)
                continue
            self._acts[seat.game, seat.player - 1] = self.now
            self.note("taken", seat.game, seat.player - 1, person.account)
            self._plan(person, seat.game, game.state.turn, game.row.due)
        self._go(client)

    # --- what has become of it ----------------------------------------------------------------------------------------

    def replay(self) -> dict[str, int]:
        """Run all games again from their journals; return their turns by name. Raises ReplayError."""
        turns = {}
        for name in self.names.values():
            again = run_again(*self.server.store.read(read_recorded, name, self.server.found))
            turns[name] = again.state.turn
        return turns

    def reliability(self) -> dict[int, tuple[int, int]]:
        accounts = [person.account for person in self.people]
        found: dict[int, tuple[int, int]] = self.server.store.read(stored_reliability.of_accounts, accounts)
        return found

    def finishes(self) -> Iterator[tuple[str, int, int]]:
        """Yield the game, turn and seat of all marks that a seat has finished, as the journal has them."""
        statement = text("SELECT game, turn, seat FROM journal WHERE kind = 'finished' ORDER BY game, number")
        for game, turn, seat in self.server.store.read(lambda c: list(c.execute(statement))):
            yield self.names[game], turn, seat

    def fingerprints(self) -> dict[str, str]:
        """Return a hash each of all digests, of all reports, and of all notices."""
        return {
            "digests": self._hash("SELECT game, turn, digest FROM snapshots ORDER BY game, turn"),
            "reports": self._hash("SELECT game, board, number, turn, at, subject, body FROM messages ORDER BY 1, 2, 3"),
            "notices": hashlib.sha256("\n".join(self.letters).encode()).hexdigest(),
        }

    def _hash(self, statement: str) -> str:
        digest = hashlib.sha256()
        for row in self.server.store.read(lambda c: list(c.execute(text(statement)))):
            digest.update(repr(tuple(row)).encode())
        return digest.hexdigest()


def run_year(make_server: Callable[..., Server], seed: str, days: float, **more: Any) -> Year:
    """Let so many days pass on a server, and return what has become of it."""
    year = Year(make_server, seed, days, **more)
    year.run()
    return year


if __name__ == "__main__":
    # Another process has other hashes and addresses, on which nothing may depend.
    with making_servers() as make:
        print(json.dumps(run_year(make, sys.argv[1], float(sys.argv[2])).fingerprints()))
