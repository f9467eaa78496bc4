"""A simulated cluster: three machines with a node each, and a database.

Links connect the nodes. Each client connects to a node, and reconnects at another one. The faults of a single server
happen here, too, and also others. Nodes are killed, frozen, drained, started again under another id, or cut off from
each other or from the database. Each node has its own clocks, which drift and are set. The database is slow, down or
read-only, does not answer a COMMIT, or is restored to its state a moment ago.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import psycopg
from twisted.internet.error import ConnectionLost

import tpserver.store.database as store_database
from tests.durability.ledger import Database
from tests.simulation.checker import GameMirror, Wrong
from tests.simulation.links import Link
from tests.simulation.node import LEASE_SECONDS, Machine, NodeLife
from tests.simulation.programs import PLAYS, Program
from tests.simulation.server import Life
from tests.simulation.shared_database import URL, SharedBackend, SharedDatabase
from tests.simulation.threads import THE_PROCESS, WAITING, Process, wait_until
from tests.simulation.world import (
    ALWAYS,
    BEGINNING,
    USUAL,
    VERSION,
    Setup,
    Step,
    Stuck,
    World,
    made_of,
    plan_made,
)
from tests.support.server_in_memory import _empty_database
from tpserver.store import writer as store_writer
from tpserver.store.backends.backend import Backend, Timeouts

NODES = 3

TROUBLES = {
    "cut": 2, "kill": 2, "freeze": 2, "stop": 1, "drain": 1, "part": 2, "break": 2, "long wait": 1, "rules": 1,
    "operator": 3, "arm": 4, "slow database": 2, "no database": 2, "restart database": 1, "read only": 1,
    "lose commit": 3, "full": 1, "set clock": 2, "keep copy": 2, "go back": 1, "end of lease": 1, "lose answers": 2,
}  # fmt: skip
"""Weights of faults in a cluster that has such troubles. Each has some of them."""

LINKS = {"link": 14}
"""Weight of deliveries by a link."""
HEALS = {"heal": 4}
"""Weight of the end of a blocked link."""

TOLERANCE = 4.0
"""Seconds by which a turn may end early: the clocks of two nodes may differ by one, and one that drifts faster than any
real one does counts as set when it was not looked at for some time."""

HALF_DONE = ("store: committed", "store: told", "session: answered", "take-over: taken", "closing: saved")

UNKNOWN = ("may have been done or not", "this was done, but", "has not said whether")
"""Responses to a client if it is unknown whether its request was done."""

MOST_DRIFT = 0.06
"""The part by which the clock that nobody sets goes too fast, or too slowly; less than a lease allows."""


def setup_of(seed: int) -> Setup:
    """Return what there is in the cluster of a seed."""
    return made_of(Random(f"cluster {VERSION} {seed}"), (1, 1, 2), TROUBLES)


def plan_of(seed: int, steps: int) -> list[Step]:
    """Return what happens in the cluster of a seed."""
    weights = {**USUAL, **LINKS, **setup_of(seed).troubles, **ALWAYS, **HEALS}
    return plan_made(Random(f"cluster plan {VERSION} {seed}"), weights, steps)


class ClusterWorld(World):
    """See the module."""

    def __init__(self, seed: int, plan: Sequence[Step], directory: Path) -> None:
        super().__init__(seed, plan, directory)
        chance = Random(f"machines {VERSION} {seed}")
        self.machines = [
            Machine(
                number,
                directory / f"node{number}.json",
                BEGINNING,
                1000.0 * chance.randint(1, 900),
                1.0 + chance.uniform(-MOST_DRIFT, MOST_DRIFT),
                chance.uniform(-0.5, 0.5),
            )
            for number in range(NODES)
        ]
        self.checker.tolerance = TOLERANCE
        self.nodes: list[NodeLife | None] = [None] * NODES
        self.open_links: list[Link] = []
        self.blocked: set[tuple[int, int]] = set()
        """From which machine to which nothing arrives."""
        self.without_database: dict[int, float] = {}
        """By machine: until when it cannot reach the database."""
        path = directory / "shared.sqlite"
        _empty_database(path)
        Database(path).close()  # with a trigger that keeps what is removed from the journal
        self.database = SharedDatabase(path, lambda: self.time, self._saw_commit, self._is_cut_off)
        self._ids = 0

    def _setup(self) -> Setup:
        return setup_of(self.seed)

    # --- history

    def answered(self, request: int, done: bool, said: Any) -> None:
        if done or not any(text in str(said).lower() for text in UNKNOWN):
            super().answered(request, done, said)

    def looked(self, program: Program, asked: int, turn: int) -> None:
        self.note("looked", self.step, self.time, asked, program.name, program.game.number, turn)

    # --- what there is

    def alive(self) -> list[NodeLife]:
        """Return the processes that have not ended, by machine."""
        return [life for life in self.nodes if life is not None and not life.is_dead]

    def where_to_connect(self, program: Program) -> Life | None:
        serving = [life for life in self.alive() if life.serves and not life.may_be_older]
        if not serving:
            return None
        return serving[crc32(f"{self.seed} {program.number} {self.connections}".encode()) % len(serving)]

    def _life_of(self, mirror: GameMirror) -> Life:
        serving = [life for life in self.alive() if life.serves] or self.alive()
        held = self._read_now("SELECT node FROM games WHERE id = ?", (mirror.number,))
        holding = [life for life in serving if life.is_up and life.node.id == held[0][0]]
        return (holding or serving)[0]

    def _read_now(self, query: str, words: Sequence[Any] = ()) -> list[Any]:
        """Return rows of what is committed."""
        if self._reader is None:
            self.observe()
        assert self._reader is not None
        return self._reader.execute(query, words).fetchall()

    def _is_cut_off(self, process: Process) -> bool:
        assert isinstance(process, NodeLife)
        return self.without_database.get(process.machine.number, 0.0) > self.time

    def is_blocked(self, source: int, target: int) -> bool:
        return (source, target) in self.blocked

    def open_link(self, life: NodeLife, machine: int, factory: Any, timeout: float) -> None:
        """Begin to connect a node to a machine."""
        give_up = self.time + timeout / life.machine.rate
        self.open_links.append(
            Link(life, machine, factory, give_up, self.nodes.__getitem__, self.is_blocked, lambda: self.time)
        )

    # --- what the database tells

    def _database_path(self) -> Path:
        return self.database.path

    def _saw_commit(self, process: Process, has_changed: bool) -> None:
        if not has_changed:
            return
        assert isinstance(process, NodeLife)
        self.life = process
        before = dict(self._seen)
        self.observe()
        changed = [game for game, last in self._seen.items() if last != before.get(game)]
        self._look_at_fences(process, changed)

    def cannot_find_out(self) -> None:
        """A node cannot find out whether a COMMIT was done."""
        self.interfered["not found out what was saved"] += 1

    def _look_at_fences(self, life: NodeLife, games: Sequence[int]) -> None:
        """Check that each entry of the journal was written by the lease holder, under its newest epoch."""
        assert self._reader is not None
        for game in games:
            row = self._reader.execute("SELECT id, epoch, node FROM games WHERE id = ?", (game,)).fetchone()
            if tuple(row) not in life.fences:
                mine = [fence for fence in life.fences if fence is not None and fence[0] == game]
                self._found_wrong(
                    Wrong(f"the journal of game {game} was written under {mine}, and it is held by {row}")
                )

    def _found_wrong(self, error: Exception) -> None:
        if self.wrong is None:
            self.wrong = error

    def _has_committed(self) -> None:
        """Note that the database reports a commit, with or without a response at the node."""

    def _true(self, at: float) -> float:
        assert isinstance(self.life, NodeLife)
        return at - self.life.machine.wrong_by

    def _arm(self, chance: Random) -> None:
        super()._arm(chance)
        if chance.random() < 0.5:  # where something is half done for the others
            how, left = self.armed.popitem()[1]
            self.armed[chance.choice(HALF_DONE)] = how if how != "fail" else "kill", left

    def _may_interfere(self, name: str, life: Any) -> bool:
        # Most groups of a writer are about no game: they note that clocks go on.
        return not name.startswith("store") or any(fence is not None for fence in life.fences)

    def _disk_error(self, said: str, code: int) -> Exception:
        return psycopg.errors.DiskFull(said) if code == sqlite3.SQLITE_FULL else psycopg.errors.IoError(said)

    # --- beginning and ending of nodes

    def start(self) -> None:
        for machine in self.machines:
            self.start_at(machine)
        self.flow()
        self.life = self.nodes[0]

    def start_at(self, machine: Machine) -> None:
        """Start a node on what the one before has left on its machine."""
        self.lives += 1
        self.note("server", self.step, self.time, f"node {machine.number} started")
        follows, machine.last_was_ended = machine.last_was_ended, False
        life = NodeLife.__new__(NodeLife)
        self.nodes[machine.number] = life
        life.__init__(self, f"life {self.lives} at node {machine.number}", machine, follows=follows)  # type: ignore[misc]
        self._after()

    def cannot_start(self, life: NodeLife, why: str) -> None:
        self.note("server", self.step, self.time, f"node {life.machine.number} could not start")
        self.to_kill = life

    def ends_itself(self, life: NodeLife) -> None:
        self.to_kill = life

    def _kill_it(self, life: Life) -> None:
        assert isinstance(life, NodeLife)
        self.kill_node(life)

    def kill_node(self, life: NodeLife) -> None:
        """End a node where it is; its system closes its connections."""
        if life.is_dead:
            return
        self.note("server", self.step, self.time, f"node {life.machine.number} killed")
        for program in self.programs:
            wire = program.wire
            if wire is not None and wire.life is life and wire.transport is not None:
                wire.transport.write = lambda data: None  # type: ignore[method-assign]
        life.end()
        self.database.ended(life)
        for link in self.open_links:
            for end in link.ends:
                if end.life is life:
                    end.die()
        life.machine.last_was_ended = True

    def _end_all(self) -> None:
        for life in self.alive():
            life.end()
            self.database.ended(life)

    # --- steps

    def _ready_threads(self) -> list[tuple[NodeLife, Any]]:
        return [(life, thread) for life in self.alive() for thread in life.ready_threads(self.time)]

    def _thread(self, chance: Random) -> None:
        if ready := self._ready_threads():
            life, thread = chance.choice(ready)
            life.run_thread(thread)

    def _call(self, chance: Random) -> None:
        if able := [life for life in self.alive() if life.calls and not life.is_standing]:
            chance.choice(able).run_call()

    def _job(self, chance: Random) -> None:
        if able := [life for life in self.alive() if life.jobs]:
            chance.choice(able).run_job()

    def _link(self, chance: Random) -> None:
        """Something arrives by a link, or one is opened; or a node that waits for its database goes on."""
        if able := [life for life in self.alive() if life.is_standing and not life.is_frozen and life.may_go_on()]:
            chance.choice(able).go_on()
        elif self.open_links:
            chance.choice(self.open_links).move(chance.randrange(2), chance.choice((1, 40, 300, 1 << 30, 1 << 30)))
            self._forget_links()

    def _forget_links(self) -> None:
        self.open_links = [link for link in self.open_links if not link.is_over]

    def run_step(self, name: str, number: int) -> None:
        super().run_step(name, number)
        self._look_who_has_noticed()
        self._look_at_holders()

    def flow(self, rounds: int = 30) -> bool:
        for _ in range(rounds):
            self.database.look()
            moved = self._flow_of_clients()
            for life in self.alive():
                moved |= self._flow_of(life)
            for link in list(self.open_links):
                for here in (0, 1):
                    while link.move(here):
                        self._after()
                        moved = True
                    self._after()
            self._forget_links()
            moved |= self._clients_read()
            if not moved:
                return True
        return False

    def _flow_of_clients(self) -> bool:
        moved = False
        for program in self._wires():
            wire = program.wire
            if wire is not None and wire.sent and not wire.life.is_standing:
                before = len(wire.sent)
                wire.deliver(1 << 20)
                self._after()
                moved |= len(wire.sent) < before
        return moved

    def _flow_of(self, life: NodeLife) -> bool:
        moved = life.go_on()
        self._after()
        if not life.is_standing and life.reactor.due():
            life.do(life.reactor.ring)
            self._after()
            moved = True
        for thread in life.ready_threads(self.time):
            life.run_thread(thread)
            self._after()
            moved = True
        while life.run_job():
            moved = True
        while not life.is_standing and life.run_call():
            self._after()
            moved = True
        return moved

    def pass_time(self, seconds: float, flows: bool = False) -> None:
        end = self.time + seconds
        while True:
            able = [life for life in self.alive() if not life.is_standing]
            rings = [(life, life.reactor.next()) for life in able]
            moments = [life.machine.time_of(ring) for life, ring in rings if ring is not None]
            if flows:
                look = self.database.next_look()
                moments += [moment for moment in (*WAITING, *self._ends_of_troubles()) if moment > self.time]
                moments += [] if look is None else [look]
            following = min(moments, default=end + 1)
            if following > end:
                break
            self.time = max(self.time, following)
            for life in able:
                if life.reactor.due():
                    life.do(life.reactor.ring)
                    self._after()
            if flows:
                self.flow()
                self._look_who_has_noticed()
                self._look_at_holders()
        self.time = end

    def _ends_of_troubles(self) -> list[float]:
        database = self.database
        return [database.slow_until, database.away_until, database.read_only_until, *self.without_database.values()]

    def _wait(self, chance: Random) -> None:
        seconds = chance.choice((0.01, 0.3, 1.0, 2.0, 5.0, 11.0))
        self.pass_time(seconds, flows=seconds > 1.0 or chance.random() < 0.5)

    def _long_wait(self, chance: Random) -> None:
        self.pass_time(chance.choice((15.0, 30.0, 70.0)), flows=True)

    def _start(self, chance: Random) -> None:
        for life in self.alive():
            if life.is_stopping:
                self.kill_node(life)
        gone = [machine for machine in self.machines if self.nodes[machine.number] not in self.alive()]
        if gone:
            self.start_at(chance.choice(gone))

    def _kill(self, chance: Random) -> None:
        if alive := self.alive():
            self.kill_node(chance.choice(alive))

    def _stop(self, chance: Random) -> None:
        """A node is stopped in good order; what is left of it when another one starts is killed."""
        if serving := [life for life in self.alive() if life.serves]:
            life = chance.choice(serving)
            self.note("server", self.step, self.time, f"node {life.machine.number} stopped")
            life.stop()
            self._after()

    def _drain(self, chance: Random) -> None:
        if serving := [life for life in self.alive() if life.serves]:
            holding = [life for life in serving if life.registry.games]
            life = chance.choice(holding if holding and chance.random() < 0.7 else serving)
            self.interfered["drained"] += 1
            life.drain(not life.node.draining)
            self._after()
            if chance.random() < 0.5:  # the operator changes their mind, however far that has got
                for _ in range(chance.choice((0, 1, 3, 8))):
                    self._thread(chance)
                    self._call(chance)
                    self._after()
                if life.serves:
                    self.interfered["drained, and not"] += 1
                    life.drain(not life.node.draining)
                    self._after()

    def _part(self, chance: Random) -> None:
        """Block the ways between some machines, in one direction or both."""
        one, other, third = chance.sample(range(NODES), NODES)
        ways = [(one, other), (other, one), (one, third), (third, one)]
        self.blocked |= set(ways[: chance.choice((1, 2, 4))])
        self.interfered["ways blocked"] += 1

    def _heal(self, chance: Random) -> None:
        self.blocked.clear()
        self.without_database.clear()

    def _slow_database(self, chance: Random) -> None:
        """COMMITs take a while."""
        self.database.slow_until = self.time + chance.choice((0.5, 3.0, 12.0))

    def _no_database(self, chance: Random) -> None:
        """Nothing gets through between a machine and the database."""
        self.without_database[chance.randrange(NODES)] = self.time + chance.choice((2.0, 7.0, 15.0, 40.0))
        self.interfered["cut off from the database"] += 1

    def _restart_database(self, chance: Random) -> None:
        self.database.restart(chance.choice((0.0, 1.0, 4.0, 12.0)))
        self.interfered["database restarted"] += 1

    def _read_only(self, chance: Random) -> None:
        self.database.read_only_until = self.time + chance.choice((1.0, 5.0, 15.0))

    def _lose_commit(self, chance: Random) -> None:
        """Lose the answer to one of the next COMMITs, which may be done or not.

        Sometimes no node can look for its result in time.
        """
        what = chance.choice(("nothing arrives", "no answer", "no answer"))
        away = chance.choice((0.0, 0.0, 0.0, 25.0, 45.0))
        self.database.troubles = [(chance.choice((0, 0, 0, 1, 3)), what, chance.random() < 0.75, away)]

    def _set_clock(self, chance: Random) -> None:
        """The clock of a machine is set wrong, or right again; sometimes its games go to other nodes just then."""
        holding = [life.machine for life in self.alive() if life.serves and life.registry.games]
        machine = chance.choice(holding if holding and chance.random() < 0.5 else self.machines)
        if abs(machine.wrong_by) > 1.0:
            machine.wrong_by = chance.uniform(-0.5, 0.5)
        else:
            machine.wrong_by += chance.choice((-3600.0, -100.0, 100.0, 3600.0))
        self.note(
            "server", self.step, self.time, f"the clock of node {machine.number} is wrong by {machine.wrong_by:g}"
        )
        self.interfered["clock set"] += 1
        if chance.random() < 0.5:
            self.pass_time(6.0, flows=True)
            life = self.nodes[machine.number]
            if life is not None and not life.is_dead and life.serves and not life.node.draining:
                life.drain(True)
                self._after()
                self.pass_time(3.0, flows=True)

    def _keep_copy(self, chance: Random) -> None:
        """The database is copied, as a standby has it that gets nothing more."""
        path = self.directory / f"copy{self.step}.sqlite"
        self.database.copy(path)
        self.backup = path, len(self._timeline), dict(self._seen), dict(self._turns)

    def _go_back(self, chance: Random) -> None:
        """That standby takes over: what came after the copy is gone. Nodes that have more of it must notice."""
        if self.backup is None:
            return
        for program in self.programs:
            program.hang_up()
        path, events, self._seen, self._turns = self.backup
        self.backup = None
        beats = dict(self._read_now("SELECT id, beats FROM nodes"))  # some of which their nodes may not know yet
        self.database.replace(path)
        self._forget_reader()
        self._undo_history(events)
        self.history.append(("server", self.step, self.time, "the database has gone back"))
        self.interfered["database gone back"] += 1
        reader = sqlite3.connect(path)
        for life in self.alive():
            if hasattr(life, "node"):
                life.may_be_older, life.must_notice = True, self._lacks_something(reader, life)
                life.has_outlived = True
                life.beats_before = max(life.node.life[3], beats.get(life.node.life[0], 0))
        reader.close()

    @staticmethod
    def _lacks_something(reader: sqlite3.Connection, life: NodeLife) -> bool:
        """Return whether the database lacks something that it has confirmed to a node."""
        writer, saved = life.store.saved
        there = reader.execute("SELECT committed FROM writers WHERE id = ?", (writer,)).fetchone()
        node, _, _, beats = life.node.life
        known = reader.execute("SELECT beats FROM nodes WHERE id = ?", (node,)).fetchone()
        return bool((saved and (there is None or there[0] < saved)) or known is None or known[0] < beats)

    def _look_who_has_noticed(self) -> None:
        """Check that a node stops once it could know that the database has gone back in time.

        Such a node may send and continue nothing. Clients connect again to nodes that have checked and may continue.
        """
        for life in self.alive():
            if not life.may_be_older:
                continue
            if life.node.life[3] > life.beats_before:
                if life.must_notice:
                    raise Wrong(f"{life.name} goes on, though its database has gone back")
                life.may_be_older = False

    def _break(self, chance: Random) -> None:
        """A connection between two nodes ends, as something on its way does."""
        if found := [link for link in self.open_links if link.is_open]:
            answering = [link for link in found if link.ends[1].sent]
            self._break_link(chance.choice(answering or found))

    def _break_link(self, link: Link) -> None:
        self.interfered["link broken"] += 1
        for end in link.ends:
            end.sent.clear()
            if end.life is not None:
                end.life.do(partial(end.end, ConnectionLost()))
                self._after()

    def _end_of_lease(self, chance: Random) -> None:
        """Cut a node with games off from the database until about the end of its lease.

        At that moment players connect to the other nodes.
        """
        holding = [life for life in self.alive() if life.serves and life.node.id and life.registry.games]
        if not holding:
            return
        life = chance.choice(holding)
        known = self._read_now("SELECT until FROM nodes WHERE id = ?", (life.node.id,))
        if not known:  # the database has gone back behind it
            return
        until = float(known[0][0])
        self.without_database[life.machine.number] = until + chance.choice((1.0, 5.0))
        moment = until + chance.choice((-0.2, 0.01, 0.05, 0.05, 0.3))
        self.pass_time(max(0.0, moment - self.time), flows=True)
        self.interfered["lease about to end"] += 1
        for program in self.programs:
            others = [other for other in self.alive() if other.serves and other is not life]
            if program.style == PLAYS and others:
                program.hang_up()
                program.connect(chance.choice(others))
                self.flow(4)
                if program.wire is not None:
                    program.come_in()
                    self.flow()

    def _lose_answers(self, chance: Random) -> None:
        """A client asks at one node what another one does, and the link between them ends before the answers arrive."""
        able = [
            (link, program)
            for link in self.open_links
            if link.is_open and not any(end.is_closing for end in link.ends)
            for program in self._wires()
            if program.wire is not None and program.wire.life is link.ends[0].life and program.style == PLAYS
        ]
        if not able:
            return
        link, program = chance.choice(able)
        way_back = link.ends[1].machine, link.ends[0].machine
        self.flow()
        was_blocked = way_back in self.blocked
        self.blocked.add(way_back)
        if chance.random() < 0.5 and program.wire is not None and program.is_in and program.seat is not None:
            program.ask_ahead(chance)
        else:
            program.act(chance)
            program.act(chance)
        self.flow(4)
        self._break_link(link)
        if not was_blocked:
            self.blocked.discard(way_back)

    def _operator(self, chance: Random) -> None:
        if any(life.serves for life in self.alive()):
            mirror = self.checker.games[1 + chance.randrange(len(self.setup.games))]
            self.operate(mirror, chance.choice(("close", "close", "pause", "resume", "resume")))

    def _freeze(self, chance: Random) -> None:
        if running := [life for life in self.alive() if not life.is_frozen]:
            life = chance.choice(running)
            self.note("server", self.step, self.time, f"node {life.machine.number} frozen")
            life.is_frozen = True
            life.frozen_until = self.time + chance.choice((3.0, 6.0, 12.0, 30.0))

    def _thaw(self, chance: Random) -> None:
        if frozen := [life for life in self.alive() if life.is_frozen]:
            self._thaw_node(chance.choice(frozen))

    def _thaw_node(self, life: NodeLife) -> None:
        self.note("server", self.step, self.time, f"node {life.machine.number} thawed")
        life.thaw()
        self._after()

    def _wake_frozen(self) -> None:
        for life in self.alive():
            if life.is_frozen and self.time > life.frozen_until:
                self._thaw_node(life)

    def _freeze_there(self, life: Any) -> None:
        life.is_frozen = True
        life.frozen_until = self.time + 20.0

    # --- what must be so at any time

    def _look_at_holders(self) -> None:
        """Check that no two nodes serve the same game from memory, and only the lease holder of a game does."""
        holders: dict[int, NodeLife] = {}
        held = dict(self._read_now("SELECT id, node FROM games"))
        for life in self.alive():
            if not life.is_up or life.is_stopping or life.may_be_older or not life.node.may_speak():
                continue
            for number, game in life.registry.games.items():
                # That the database has lost only that it took a game, it cannot notice before it saves something of it.
                if game.saving.stale or (life.has_outlived and held[number] != life.node.id):
                    continue
                other = holders.setdefault(number, life)
                if other is not life:
                    raise Wrong(f"{other.name} and {life.name} both tell of game {number} from memory")
                if held[number] != life.node.id:
                    raise Wrong(f"{life.name} tells of game {number} from memory, and does not hold it")

    # --- the end

    def _end(self) -> None:
        self.blocked.clear()
        self.without_database.clear()
        database = self.database
        database.slow_until = database.away_until = database.read_only_until = 0.0
        database.troubles.clear()
        for machine in self.machines:
            machine.wrong_by = max(-0.5, min(0.5, machine.wrong_by))
        self.armed.clear()
        self.is_disk_full, self.bad_rules = 0, None
        for life in self.alive():
            if life.is_frozen:
                self._thaw_node(life)
        self.pass_time(3.0, flows=True)
        self._start_all()
        self.pass_time(2 * LEASE_SECONDS, flows=True)
        self._start_all()
        for life in self.alive():
            if life.is_up:  # its row may say that it is drained yet, as the database could not be reached
                life.drain(False)
        self.flow()
        self._games_go_on()
        self._all_are_answered()
        for program in self.programs:
            program.hang_up()
        self._come_to_rest()
        self._see_what_is_left()
        self._stop_in_good_order()
        if self.logged:
            raise Wrong(f"a node has logged what it did not expect: {self.logged[0]}")

    def _games_go_on(self) -> None:
        # What a writer does first after its connection was lost may fail, and is tried again.
        for mirror in self.checker.games.values():
            if mirror.held or mirror.paused:
                self.operate(mirror, "resume")
                self.flow()
        super()._games_go_on()

    def _all_are_answered(self) -> None:
        """See that nobody waits for an answer whose connection is still there."""
        self.pass_time(5.0, flows=True)
        for program in self.programs:
            if program.style == PLAYS and program.wire is not None and program.waiting:
                kinds = sorted(pending.what for pending in program.waiting.values())
                raise Stuck(f"{program.title} waits for answers that do not come: {', '.join(kinds)}")

    def _start_all(self) -> None:
        for life in self.alive():
            if life.is_stopping:
                self.kill_node(life)
        for machine in self.machines:
            if self.nodes[machine.number] not in self.alive():
                self.start_at(machine)
        self.flow()

    def _come_to_rest(self) -> None:
        self.pass_time(60.0, flows=True)
        if not self.flow():
            raise Stuck("the nodes do not come to rest, though nobody is there")

    def _see_what_is_left(self) -> None:
        for life in self.alive():
            for what, count in self._counts(life).items():
                self.note("left", what, count)
        self._see_what_is_stored()

    def _counts(self, life: Life) -> dict[str, int]:
        assert isinstance(life, NodeLife)
        links, found = life.links, super()._counts(life)
        running = sum(not mirror.over for mirror in self.checker.games.values())
        ends = sum(end.life is life for link in self.open_links for end in link.ends)
        found["timers"] = max(0, len(life.reactor.calls) - 20 - 3 * running - 3 * ends)
        return {
            **found,
            "sessions at other nodes": len(links.routed),
            "sessions without a place": len(links.without_place),
            "sessions on links": sum(len(link.sessions) for link in links.peers.values()),
            "sessions of other nodes": sum(len(holder.relays) for holder in links.holders),
            "questions who holds a game": len(links.lookups),
            "requests that are being done": len(life.once.running),
        }

    def _stop_in_good_order(self) -> None:
        for life in self.alive():
            life.stop()
            self.flow()
            self.pass_time(2.0, flows=True)
            if not life.has_stopped or not all(thread.is_over for thread in life.threads):
                raise Stuck(f"{life.name} does not stop")
            self.kill_node(life)
        self.prove(self.database.path)

    # --- what is replaced in the product

    @contextmanager
    def _replaced(self) -> Iterator[None]:
        before = store_database.backend_of, store_writer.time, secrets.token_hex
        WAITING.clear()

        def token_hex(size: int | None = None) -> str:
            self._ids += 1
            return f"{self._ids:0{2 * (size or 32)}x}"

        def sleep(seconds: float) -> None:
            wait_until(lambda: False, seconds, lambda: self.time)

        def present() -> float:
            life = THE_PROCESS[-1]
            assert isinstance(life, NodeLife)
            return life.now()

        def backend(url: str, timeouts: Timeouts | None = None) -> Backend:
            return SharedBackend(self.database, url, timeouts) if url == URL else before[0](url, timeouts)

        store_database.backend_of = backend
        store_writer.time = SimpleNamespace(time=present, monotonic=lambda: self.time, sleep=sleep)  # type: ignore[assignment]
        secrets.token_hex = token_hex
        try:
            with super()._replaced():
                yield
        finally:
            store_database.backend_of, store_writer.time, secrets.token_hex = before
