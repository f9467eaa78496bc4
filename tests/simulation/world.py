"""A simulated world: the time, a server that may crash, clients, faults.

Everything follows from a plan. A plan is a list of steps, each with a name and a number from which its chances follow.
An impossible step does nothing. So steps may be left out of a plan, and the others keep their meaning.
"""

from __future__ import annotations

import gc
import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import greenlet
from twisted.internet.defer import Deferred
from twisted.logger import LogEvent, globalLogPublisher

from tests.durability.ledger import KEPT, Database
from tests.simulation.checker import LATE_SECONDS, Checker, Event, GameMirror, Wrong
from tests.simulation.programs import FLOODS, HANGS, LEAVES, PLAYS, RUBBISH, WATCHES, Program, Wire
from tests.simulation.server import Life, NoThreads
from tests.simulation.threads import THE_PROCESS, keep
from tests.support.server_in_memory import SMALL_BOARD, _empty_database, rulesets
from tpserver.admin.backups import EVERY, prove
from tpserver.fault_points import POINTS, interfering
from tpserver.games.core.game import Game
from tpserver.games.hall.game_factory import NewGame
from tpserver.requests.session.session import Session
from tpserver.rules.call_limits import Escaped, TooSlow
from tpserver.store.copies import database_copy

VERSION = 2
"""Raised with each change after which a seed means something else."""

BEGINNING = 1_700_000_000.0
MEMORY = Path("/dev/shm")

Step = tuple[str, int]

USUAL = {"act": 60, "deliver": 10, "read": 8, "thread": 8, "call": 8, "job": 3, "flow": 26, "wait": 6}
"""Weights of the events in every world."""
TROUBLES = {
    "cut": 2, "slow": 3, "full": 1, "kill": 1, "freeze": 1, "stop": 1, "set clock": 1, "long wait": 1, "rules": 1,
    "operator": 3, "arm": 3, "backup": 2, "restore": 1,
    "outage": 1,
}  # fmt: skip
"""Weights of faults in a world that has such troubles. Each has some of them."""
ALWAYS = {"start": 6, "thaw": 4}
"""Weights of recoveries."""

MAY_FAIL = ("store: begun", "store: written", "snapshot: put", "intake: checked")
"""The points at which something may raise: where what is called next can fail by itself."""
OF_ANY_KIND = ("freeze", "kill")


class Stuck(Exception):
    """Something that must come to an end does not."""


class Injected(Exception):
    """Raised at a point on purpose."""


@dataclass(frozen=True)
class Setting:
    """A game of a world."""

    name: str
    ruleset: str
    seats: int
    clock: str
    options: Mapping[str, Any]
    bots: int = 0


@dataclass
class Setup:
    """The contents of a world, all from its seed."""

    games: list[Setting] = field(default_factory=list)
    programs: list[tuple[str, int, str, str]] = field(default_factory=list)
    """Name, game, dialect and style of each client."""
    troubles: dict[str, int] = field(default_factory=dict)
    begins_well: bool = True
    """True if all players log in before the first fault."""


RULESETS: list[tuple[str, Mapping[str, Any], Sequence[int]]] = [
    ("auction", {"rounds": 1000, "gold": 99}, (2, 3)),
    ("auction", {"rounds": 6}, (2,)),
    ("synthetic", {"objects": 14}, (2, 3)),
    ("tae", {"board": SMALL_BOARD}, (2,)),
    ("swarm", {}, (2,)),
]
CLOCKS = ("all-done", "interval:40", "threshold:50:25", "interval:15")
SPOKEN = ("tp03", "tp04", "padded", "pb", "json")


def setup_of(seed: int) -> Setup:
    """Return what there is in the world of a seed."""
    return made_of(Random(f"setup {VERSION} {seed}"), (1, 2, 2, 3), TROUBLES)


def made_of(chance: Random, games: Sequence[int], troubles: Mapping[str, int]) -> Setup:
    """Return a world with one of so many games, and some of these troubles."""
    made = Setup(begins_well=chance.random() < 0.8)
    for index in range(chance.choice(games)):
        ruleset, options, seats = chance.choices(RULESETS, weights=(6, 2, 4, 1, 1))[0]
        setting = Setting(f"game{index}", ruleset, chance.choice(seats), chance.choice(CLOCKS), options)
        made.games.append(setting)
        for seat in range(setting.seats):
            name = f"p{index}{seat}"
            made.programs.append((name, index, chance.choice(SPOKEN), PLAYS))
            if chance.random() < 0.3:
                made.programs.append((name, index, chance.choice(SPOKEN), chance.choice((PLAYS, LEAVES, HANGS))))
        if chance.random() < 0.6:
            made.programs.append((f"w{index}", index, chance.choice(SPOKEN), WATCHES))
    for style in (FLOODS, RUBBISH, HANGS):
        if chance.random() < 0.3:
            made.programs.append(("p00", 0, chance.choice(SPOKEN), style))
    for name, weight in troubles.items():
        if chance.random() < 0.55:
            made.troubles[name] = weight
    return made


def plan_of(seed: int, steps: int) -> list[Step]:
    """Return what happens in the world of a seed."""
    weights = {**USUAL, **setup_of(seed).troubles, **ALWAYS}
    return plan_made(Random(f"plan {VERSION} {seed}"), weights, steps)


def plan_made(chance: Random, weights: Mapping[str, int], steps: int) -> list[Step]:
    """Return so many steps, each as often as it weighs."""
    names = chance.choices(list(weights), weights=list(weights.values()), k=steps)
    return [(name, chance.getrandbits(32)) for name in names]


class World:
    """See the module. ``run`` does all; what is wrong is raised as Wrong, Stuck or what else went wrong."""

    def __init__(self, seed: int, plan: Sequence[Step], directory: Path) -> None:
        self.seed = seed
        self.plan = plan
        self.directory = directory
        self.setup = self._setup()
        self.time = BEGINNING
        self.clock_is_wrong_by = 0.0
        self.step = 0
        self.history: list[Event] = []
        self._timeline: list[Event] = []
        """The history without what a backup that was put back has undone."""
        self.checker = Checker()
        self.reached: Counter[str] = Counter()
        self.interfered: Counter[str] = Counter()
        self.steps_done: Counter[str] = Counter()
        self.life: Life | None = None
        self.lives = 0
        self.programs: list[Program] = []
        self.is_disk_full = 0
        self.slow_until = 0.0
        self.armed: dict[str, tuple[str, int]] = {}
        self.to_kill: Life | None = None
        """A process that ends where it is kept."""
        self.bad_rules: tuple[int, str] | None = None
        self.settings_by_id: dict[int, Setting] = {}
        self.requests = 0
        self.connections = 0
        self.logged: list[str] = []
        self.frozen_until = 0.0
        self.well_since = BEGINNING
        """Since when all that is on its way arrives, and nothing goes wrong."""
        self._seen: dict[int, int] = {}
        self._turns: dict[int, int] = {}
        self._reader: sqlite3.Connection | None = None
        self.wrong: Exception | None = None
        self.undone = 0
        """The number of restored backups, which undo the events since."""
        self.backup: tuple[Path, int, dict[int, int], dict[int, int]] | None = None
        """A file, how long the history was as it was made, and what had been seen of journals and turns."""

    def _setup(self) -> Setup:
        return setup_of(self.seed)

    # --- history

    def digest(self) -> str:
        """Return what is the same for equal histories only."""
        return sha256(repr(self.history).encode()).hexdigest()

    def note(self, *event: Any) -> None:
        """Put an event into the history, and check it.

        An error of the check is raised after the step. Here the server would handle it as an error of its own.
        """
        self.history.append(event)
        self._timeline.append(event)
        if self.wrong is None:
            try:
                self.checker.see(event)
            except Exception as error:
                self.wrong = error

    def asked(self, program: Program, connection: int, kind: str, body: Any) -> int:
        self.requests += 1
        game = program.game.number
        self.note(
            "asked", self.step, self.time, self.requests, program.name, connection, program.seat, game, kind, body
        )
        return self.requests

    def answered(self, request: int, done: bool, said: Any) -> None:
        self.note("answered", self.step, self.time, request, done, said)

    def told(self, program: Program, connection: int, turn: int) -> None:
        self.note("told", self.step, self.time, connection, program.name, program.game.number, turn)

    def looked(self, program: Program, asked: int, turn: int) -> None:
        """Note the turn that a client got for its question at a step; see `tests.simulation.cluster`."""

    def heard(self, program: Program, wire: Wire) -> None:
        self.note("heard", wire.number, program.name, program.seat, program.game.number, bytes(wire.got))

    def token(self, program: int, number: int) -> int:
        return crc32(f"{self.seed} {program} {number} {self.lives}".encode())

    def next_connection(self) -> int:
        self.connections += 1
        return self.connections

    def where_to_connect(self, program: Program) -> Life | None:
        life = self.life
        return None if life is None or life.is_dead or life.is_frozen else life

    # --- what is other in a twin, see `tests.simulation.twins`

    def seed_of(self, game: int) -> str:
        """Return the seed of a game, from which all follows that nobody chooses."""
        return f"{self.seed} {game}"

    def order_of(self, program: Program, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with which a client gives an order that it has decided on."""
        return arguments

    def letter_of(self, program: Program, board: int, text: str) -> str:
        """Return what a client writes to a board that has decided on a text."""
        return text

    def least_at_once(self, program: Program) -> int:
        """Return how many bytes arrive together at least that a client, or the server to it, has written."""
        return 0

    def connected(self, program: Program, wire: Wire) -> None:
        """Called when a client has a connection on which nothing was said."""

    # --- what the server calls

    def rules_are_called(self, whose: Any) -> None:
        if self.bad_rules is None or self.bad_rules[0] != whose.game:
            return
        how, self.bad_rules = self.bad_rules[1], None
        self.well_since = self.time
        self.note("rules", self.step, whose.game, how)
        if how == "slow":
            raise TooSlow("it took longer than allowed")
        if how == "escapes":
            raise Escaped("SystemExit")
        raise ValueError("the rules are bad")

    def at_point(self, name: str) -> None:
        """Called at each point of `tpserver.fault_points`."""
        life = THE_PROCESS[-1] if THE_PROCESS else None
        if life is None or life.is_dead:
            return
        self.reached[name] += 1
        if name == "store: committed":
            self._has_committed()
        if name == "store: written" and self.is_disk_full:
            self.is_disk_full -= 1
            self.interfered["full disk"] += 1
            self.well_since = self.time
            raise self._disk_error("database or disk is full", sqlite3.SQLITE_FULL)
        if greenlet.getcurrent().parent is None:
            return  # nobody could go on meanwhile
        if name in ("store: begun", "store: committed") and self.slow_until > self.time:
            thread = life.current_thread()
            if thread is not None:
                thread.until = self.slow_until
                self.interfered["slow disk"] += 1
                keep()
        how, left = self.armed.get(name, ("", 0))
        if not how or not self._may_interfere(name, life):
            return
        if left:
            self.armed[name] = (how, left - 1)
            return
        del self.armed[name]
        self.interfered[f"{how} at {name}"] += 1
        self.well_since = self.time
        self.note("server", self.step, self.time, f"{how} at {name}")
        if how == "kill":
            self.to_kill = life
            keep()
        elif how == "freeze":
            self._freeze_there(life)
            keep()
        elif how == "fail":
            if name.startswith(("store", "snapshot")):
                raise self._disk_error("disk I/O error", sqlite3.SQLITE_IOERR)
            raise Injected(name)

    def _may_interfere(self, name: str, life: Any) -> bool:
        """Return whether what is armed at a point happens this time."""
        return True

    def _freeze_there(self, life: Any) -> None:
        life.is_frozen = True
        self.frozen_until = self.time + 20.0

    def _disk_error(self, said: str, code: int) -> Exception:
        error = sqlite3.OperationalError(said)
        error.sqlite_errorcode = code
        return error

    def _has_committed(self) -> None:
        self.observe()

    def _database_path(self) -> Path:
        assert self.life is not None
        return self.life.path

    def observe(self) -> None:
        """See what a COMMIT has put into the database."""
        if self._reader is None:
            self._reader = sqlite3.connect(f"file:{self._database_path()}?mode=ro", uri=True, isolation_level=None)
        where = " OR ".join(f"(game = {game} AND number > {last})" for game, last in self._seen.items())
        tables = [f"SELECT * FROM {table} WHERE {where or '0'}" for table in ("journal", KEPT)]
        query = f"SELECT game, number, turn, at, seat, kind, body FROM ({' UNION ALL '.join(tables)}) ORDER BY 1, 2"
        for row in self._reader.execute(query).fetchall():
            self._seen[row[0]] = row[1]
            game, number, turn, at, *rest = row[:-1]
            self.note("entry", self.step, self.time, game, number, turn, self._true(at), *rest, _loaded(row[-1]))
        where = " OR ".join(f"(game = {game} AND turn > {last})" for game, last in self._turns.items())
        query = f"SELECT game, turn, digest, journal_number FROM snapshots WHERE {where or '0'} ORDER BY game, turn"
        for row in self._reader.execute(query).fetchall():
            self._turns[row[0]] = row[1]
            self.note("turn", self.step, self.time, *row)

    def _true(self, at: float) -> float:
        """Return the time of an entry for the checker, which knows how the clock of the one server was set."""
        return at

    # --- beginning and ending of the server

    def start(self) -> None:
        """Start a server on what the one before has left."""
        self.lives += 1
        path = self.directory / f"life{self.lives}.sqlite"
        if self.life is None:
            _empty_database(path)
            Database(path).close()  # with a trigger that keeps what is removed from the journal
        else:
            for suffix in ("", "-wal"):
                source = self.life.path.with_name(self.life.path.name + suffix)
                if source.exists():
                    shutil.move(source, path.with_name(path.name + suffix))
        self._forget_reader()
        self.note("server", self.step, self.time, "started")
        self.life = Life(self, f"life {self.lives}", path)
        self._after()

    def _forget_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def kill(self) -> None:
        """End the server where it is; what is committed stays."""
        life = self.life
        if life is None or life.is_dead:
            return
        self.note("server", self.step, self.time, "killed")
        kept: dict[Path, bytes] = {}
        for suffix in ("", "-wal"):
            path = life.path.with_name(life.path.name + suffix)
            if path.exists():
                kept[path] = path.read_bytes()
        self._forget_reader()
        life.end()
        self._close_files(life)
        for path, data in kept.items():
            path.write_bytes(data)

    @staticmethod
    def _close_files(life: Life) -> None:
        store = getattr(life, "store", None)
        if store is None:
            return
        THE_PROCESS.append(life)
        try:
            store.release()
        finally:
            THE_PROCESS.pop()

    def _after(self) -> None:
        """After anything that was done in the server: kill it if it is to be killed there."""
        if self.to_kill is not None:
            self._kill_it(self.to_kill)
            self.to_kill = None
        if self.wrong is not None:
            raise self.wrong

    def _kill_it(self, life: Life) -> None:
        self.kill()

    # --- steps

    def do(self, work: Callable[[], Any]) -> None:
        if self.life is not None:
            self.life.do(work)
            self._after()

    def run_step(self, name: str, number: int) -> None:
        chance = Random(number)
        self.steps_done[name] += 1
        getattr(self, f"_{name.replace(' ', '_')}")(chance)
        self._after()

    def _wires(self) -> list[Program]:
        return [program for program in self.programs if program.wire is not None]

    def _act(self, chance: Random) -> None:
        program = chance.choice(self.programs)
        for _ in range(chance.choice((1, 1, 2, 4))):
            program.act(chance)
            self._after()

    def _deliver(self, chance: Random) -> None:
        ready = [program for program in self._wires() if program.wire is not None and program.wire.sent]
        if ready:
            wire = chance.choice(ready).wire
            assert wire is not None
            wire.deliver(chance.choice((1, 7, 40, 1 << 20, 1 << 20)))
            self._after()

    def _read(self, chance: Random) -> None:
        ready = self._wires()
        if ready:
            chance.choice(ready).read(chance.choice((3, 50, 1 << 20, 1 << 20)))
            self._after()

    def _thread(self, chance: Random) -> None:
        if self.life is not None and (ready := self.life.ready_threads(self.time)):
            self.life.run_thread(chance.choice(ready))
            self._after()

    def _call(self, chance: Random) -> None:
        if self.life is not None:
            self.life.run_call()
            self._after()

    def _job(self, chance: Random) -> None:
        if self.life is not None:
            self.life.run_job()
            self._after()

    def flow(self, rounds: int = 30) -> bool:
        """Let all that is on its way arrive, and the server do all that it can; return whether it has come to rest."""
        for _ in range(rounds):
            life = self.life
            moved = False
            for program in self._wires():
                wire = program.wire
                if wire is not None and wire.sent:
                    before = len(wire.sent)
                    wire.deliver(1 << 20)
                    self._after()
                    moved |= wire.sent is not None and len(wire.sent) < before
            if life is not None:
                if life.reactor.due():
                    self.do(life.reactor.ring)
                    moved = True
                for thread in life.ready_threads(self.time):
                    life.run_thread(thread)
                    self._after()
                    moved = True
                while life.run_job():
                    moved = True
                while life.run_call():
                    self._after()
                    moved = True
            moved |= self._clients_read()
            if not moved:
                return True
        return False

    def _clients_read(self) -> bool:
        """Let all that read do so; return whether there was anything."""
        moved = False
        for program in self._wires():
            wire = program.wire
            if wire is not None and wire.unread and program.style != HANGS:
                program.read(1 << 20)
                self._after()
                moved = True
            elif wire is not None and wire.server_is_gone and program.style != HANGS:
                program.read(1)
        return moved

    def _flow(self, chance: Random) -> None:
        self.flow(chance.choice((1, 2, 4, 30)))

    def pass_time(self, seconds: float, flows: bool = False) -> None:
        """Let time pass; timers ring as they come."""
        end = self.time + seconds
        while True:
            life = self.life
            if not flows or life is None or life.is_dead or life.is_frozen or self.slow_until > self.time:
                self.well_since = end
            following = None if life is None or life.is_dead or life.is_frozen else life.reactor.next()
            if following is None or following > end:
                break
            self.time = max(self.time, following)
            assert life is not None
            self.do(life.reactor.ring)
            if flows:
                self.flow()
        self.time = end
        if end - self.well_since > LATE_SECONDS:
            self.note("well", end, self.well_since)

    def _wait(self, chance: Random) -> None:
        self.pass_time(chance.choice((0.01, 0.3, 1.0, 2.0, 5.0, 11.0)), flows=chance.random() < 0.7)

    def _long_wait(self, chance: Random) -> None:
        self.pass_time(chance.choice((30.0, 70.0, 200.0, 700.0)), flows=chance.random() < 0.5)

    def _cut(self, chance: Random) -> None:
        if ready := self._wires():
            chance.choice(ready).hang_up()
            self._after()

    def _slow(self, chance: Random) -> None:
        self.slow_until = self.time + chance.choice((0.5, 3.0, 12.0))

    def _full(self, chance: Random) -> None:
        self.is_disk_full = chance.choice((1, 1, 2, 5))

    def _kill(self, chance: Random) -> None:
        self.kill()

    def _start(self, chance: Random) -> None:
        if self.life is None or self.life.is_dead:
            self.start()

    def _stop(self, chance: Random) -> None:
        """Stop the server in good order, as far as it gets."""
        life = self.life
        if life is None or life.is_dead or life.is_frozen:
            return
        self.note("server", self.step, self.time, "stopped")
        life.stop()
        self._after()
        self.flow(8)
        self.kill()

    def _freeze(self, chance: Random) -> None:
        if self.life is not None and not self.life.is_dead and not self.life.is_frozen:
            self.life.is_frozen = True
            self.frozen_until = self.time + 20.0
            self.note("server", self.step, self.time, "frozen")

    def _thaw(self, chance: Random) -> None:
        life = self.life
        if life is not None and life.is_frozen and not life.is_dead:
            self.note("server", self.step, self.time, "thawed")
            life.thaw()
            self._after()

    def _set_clock(self, chance: Random) -> None:
        if self.life is not None and not self.life.is_dead:  # what happens meanwhile nobody can know afterwards
            self.clock_is_wrong_by += chance.choice((-100.0, -10.0, 10.0, 30.0, 5000.0, -3600.0))
            self.note("clock", self.time, self.clock_is_wrong_by)
            self.pass_time(chance.choice((0.0, 0.0, 6.0, 60.0)), flows=True)

    def _outage(self, chance: Random) -> None:
        """There is no server for a while; then there is one, and time goes on."""
        self.kill()
        self.pass_time(chance.choice((20.0, 70.0, 200.0, 4000.0)))
        self.start()
        self.interfered["outage"] += 1
        self.pass_time(chance.choice((1.0, 10.0)), flows=True)

    def _backup(self, chance: Random) -> None:
        """The operator makes a backup beside the server, which may be in the middle of anything, and has it proven."""
        life = self.life
        if life is None or life.is_dead or not self._seen:
            return
        target = self.directory / f"backup{self.step}.sqlite"
        database_copy.copy(f"sqlite:///{life.path}", target)
        self.prove(target)
        self.interfered["backup made"] += 1
        self.backup = target, len(self._timeline), dict(self._seen), dict(self._turns)

    def prove(self, file: Path) -> None:
        """Have all games of a database run again from their journals, as the operator may."""
        spared, self.bad_rules = self.bad_rules, None
        proof = prove(file, rulesets(), EVERY, lambda line: None)
        self.bad_rules = spared
        if proof.differences:
            raise Wrong(f"what is stored is not what the journal leads to: {proof.differences}")

    def _restore(self, chance: Random) -> None:
        """The operator puts the last backup in the place of the database: what came after it is gone."""
        if self.backup is None or self.life is None:
            return
        self.kill()
        for program in self.programs:  # what is still on its way would tell of what is gone
            program.hang_up()
        file, events, self._seen, self._turns = self.backup
        self.backup = None
        path = self.life.path
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        database_copy.fill(file, f"sqlite:///{path}")
        self._undo_history(events)
        self.history.append(("server", self.step, self.time, "restored"))
        self.interfered["backup restored"] += 1

    def _undo_history(self, events: int) -> None:
        """Go on as if nothing had happened after so many events."""
        self.undone += 1
        before, self.checker = self.checker, Checker()
        self.checker.tolerance = before.tolerance
        del self._timeline[events:]
        self.checker.see_all(self._timeline)
        self.checker.follow(before)
        for program in self.programs:
            program.game = self.checker.games[program.game.number]
            program.seat = None

    def _rules(self, chance: Random) -> None:
        self.bad_rules = (1 + chance.randrange(len(self.setup.games)), chance.choice(("slow", "escapes", "fail")))

    def _arm(self, chance: Random) -> None:
        name = chance.choice(list(POINTS))
        how = chance.choice((*OF_ANY_KIND, *(("fail",) * 3 if name in MAY_FAIL else ())))
        self.armed[name] = (how, chance.choice((0, 0, 1, 3, 8)))

    def _operator(self, chance: Random) -> None:
        """The operator pauses, resumes or closes a turn."""
        life = self.life
        if life is None or life.is_dead or life.is_frozen:
            return
        mirror = self.checker.games[1 + chance.randrange(len(self.setup.games))]
        what = chance.choice(("close", "close", "pause", "resume", "resume"))
        self.operate(mirror, what)

    def operate(self, mirror: GameMirror, what: str) -> None:
        life, undone = self._life_of(mirror), self.undone
        self.requests += 1
        number = self.requests
        self.note("asked", self.step, self.time, number, "operator", 0, None, mirror.number, what, None)

        def ended(is_done: bool, said: str) -> None:
            if not life.is_dead and self.undone == undone:
                self.answered(number, is_done, said)

        def perform() -> None:
            try:
                game: Game = life.registry.with_id(mirror.number)
                turns, control = life.registry.turns, life.registry.control
                if what == "close":
                    doing: Deferred[Any] = turns.close_turn(game)
                else:
                    doing = Deferred.fromCoroutine((control.pause if what == "pause" else control.resume)(game))
            except Exception as error:
                ended(False, str(error))
                return
            doing.addCallbacks(lambda _: ended(True, ""), lambda failure: ended(False, failure.getErrorMessage()))

        life.do(perform)
        self._after()

    def _life_of(self, mirror: GameMirror) -> Life:
        """Return the process in which the operator does something with a game."""
        assert self.life is not None
        return self.life

    # --- the whole

    def run(self) -> None:
        """Do all steps, then let the world get well, and see whether all is as it should be."""
        with self._replaced():
            try:
                self._begin()
                for index, (name, number) in enumerate(self.plan):
                    self.step = index + 1
                    self.run_step(name, number)
                    self._wake_frozen()
                self.step = len(self.plan) + 1
                self._end()
            finally:
                self._forget_reader()
                self._end_all()

    def _wake_frozen(self) -> None:
        if self.life is not None and self.life.is_frozen and self.time > self.frozen_until:
            self._thaw(Random(0))

    def _end_all(self) -> None:
        if self.life is not None and not self.life.is_dead:
            self.life.end()
            self._close_files(self.life)

    @contextmanager
    def _replaced(self) -> Iterator[None]:
        collecting, hashed = gc.isenabled(), Session.__hash__
        gc.disable()
        # Sessions are in sets, which must not come in an order that depends on addresses in memory.
        Session.__hash__ = lambda session: crc32(session.peer.address.encode())  # type: ignore[method-assign]
        with ExitStack() as stack:
            stack.enter_context(NoThreads(self).replaced())
            stack.enter_context(interfering(self.at_point))
            globalLogPublisher.addObserver(self._log)
            stack.callback(globalLogPublisher.removeObserver, self._log)
            try:
                yield
            finally:
                Session.__hash__ = hashed  # type: ignore[method-assign]
                if collecting:
                    gc.enable()

    def _log(self, event: LogEvent) -> None:
        failure = event.get("log_failure")
        if failure is None:
            return
        if event.get("log_namespace") == "twisted.internet.defer" and self.interfered["kill at session: answered"]:
            return  # a response was about to wait for the store, and its process has ended there
        told = f"{event.get('log_namespace')}: {event.get('log_format')}: {failure.type.__name__}: {failure.value}"
        if failure.check(Injected, TooSlow, Escaped, greenlet.GreenletExit) or any(
            said in str(failure.value)
            for said in ("the rules are bad", "SystemExit", "longer than allowed", "rules have failed")
        ):
            return
        self.logged.append(told)

    def _begin(self) -> None:
        self.start()
        first = self.life
        assert first is not None
        for index, setting in enumerate(self.setup.games):
            new = NewGame(
                setting.name, setting.ruleset, setting.seats, setting.options, self.seed_of(index), setting.clock,
                bots=setting.bots,
            )  # fmt: skip
            first.do(partial(self._create, first, new))
            self._after()
            self.flow()
            number = index + 1
            self._seen[number], self._turns[number] = 0, -1
            self.note(
                "game", number, setting.name, setting.ruleset, setting.seats, self.seed_of(index), setting.clock,
                dict(setting.options),
            )  # fmt: skip
        self.observe()
        for name, game, dialect, style in self.setup.programs:
            self.programs.append(Program(self, name, self.checker.games[game + 1], dialect, style))
        if self.setup.begins_well:
            for program in self.programs:
                if program.style == PLAYS:
                    for _ in range(3):
                        program.act(Random(0))
                        self.flow()

    @staticmethod
    def _create(life: Life, new: NewGame) -> None:
        Deferred.fromCoroutine(life.registry.lobby.create(new))

    def _end(self) -> None:
        """Let everything get well, and see that the games go on, that nothing is lost, and that nothing is left."""
        self.armed.clear()
        self.is_disk_full, self.slow_until, self.bad_rules = 0, 0.0, None
        self._thaw(Random(0))
        self._start(Random(0))
        self.pass_time(30.0, flows=True)
        self._games_go_on()
        for program in self.programs:
            program.hang_up()
        self._come_to_rest()
        self._see_what_is_left()
        self._stop_in_good_order()
        if self.logged:
            raise Wrong(f"the server has logged what it did not expect: {self.logged[0]}")

    def _games_go_on(self) -> None:
        """Have the operator let games go on, and the players finish their turns: each game must come to the next."""
        mirrors = list(self.checker.games.values())
        before = {mirror.number: mirror.state.turn for mirror in mirrors}
        for mirror in mirrors:
            if mirror.held or mirror.paused:
                self.operate(mirror, "resume")
        players = [program for program in self.programs if program.style == PLAYS]
        for _ in range(12):
            waiting = [one for one in mirrors if one.state.turn == before[one.number] and not one.over]
            if not waiting:
                return
            for program in players:
                if program.wire is None:
                    program.connect()
                    self.flow()
                if program.wire is not None and not program.is_in:
                    program.come_in()
                    self.flow()
            for program in players:
                if program.wire is not None and program.is_in and program.seat is not None and program.game in waiting:
                    program.finish()
            self.flow()
            self.pass_time(11.0, flows=True)
        stuck = [one.name for one in waiting]
        raise Stuck(f"the turns of {', '.join(stuck)} do not end, though all have finished and time has passed")

    def _come_to_rest(self) -> None:
        self.pass_time(300.0, flows=True)
        if not self.flow():
            raise Stuck("the server does not come to rest, though nobody is there")

    def _see_what_is_left(self) -> None:
        assert self.life is not None
        for what, count in self._counts(self.life).items():
            self.note("left", what, count)
        self._see_what_is_stored()

    def _counts(self, life: Life) -> dict[str, int]:
        """Return how many of what there are in a process, beyond what there may be when nobody is there."""
        host, registry = life.host, life.registry
        running = sum(not mirror.over for mirror in self.checker.games.values())
        unused = registry.steady() - registry.idle.seconds - 10.0  # a game may have come to its end a moment ago
        return {
            "connections": len(life.connections.connections),
            "connections that were turned away": len(life.connections.turned_away),
            "connections in the limits": life.connections.limiter.count,
            "bytes of connections": life.connections.memory.total,
            "sessions": len(host.sessions),
            "jobs of the store": life.store.pending,
            "jobs": len(life.jobs) + len(life.calls),
            "subscribers": sum(len(game.subscribers) for game in registry.games.values()),
            "turns that are computed": len(registry.turns.line),
            "games in memory": sum(game.over and game.last_used < unused for game in registry.games.values()),
            "timers": max(0, len(life.reactor.calls) - 12 - 3 * running),
        }  # fmt: skip

    def _see_what_is_stored(self) -> None:
        self.observe()
        assert self._reader is not None
        for mirror in self.checker.games.values():
            query = "SELECT board, sender, body FROM messages WHERE game = ? ORDER BY board, number"
            rows = self._reader.execute(query, (mirror.number,))
            letters = [[board, sender, _loaded(body)] for board, sender, body in rows]
            self.note("letters", mirror.number, letters)
            query = "SELECT turn, state FROM games WHERE id = ?"
            self.note("row", mirror.number, *self._reader.execute(query, (mirror.number,)).fetchone())
            query = "SELECT number, kind FROM journal WHERE game = ? ORDER BY number"
            self.note("journal", mirror.number, [list(row) for row in self._reader.execute(query, (mirror.number,))])
        self._after()

    def _stop_in_good_order(self) -> None:
        life = self.life
        assert life is not None
        life.stop()
        self.flow()
        self.prove(life.path)
        if not all(thread.is_over for thread in life.threads):
            raise Stuck("the server does not stop")


def _loaded(body: str | None) -> Any:
    return None if body is None else json.loads(body)


def run(seed: int, plan: Sequence[Step], kind: type[World] = World) -> World:
    """Run the world of a seed with a plan, and return it. Raises what it finds, which has the world as ``world``."""
    with TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None, prefix="tpserver-tests-") as directory:
        world = kind(seed, plan, Path(directory))
        try:
            world.run()
        except Exception as error:
            error.world = world  # type: ignore[attr-defined] # for whoever shows what has happened
            raise
        return world
