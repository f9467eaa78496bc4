"""A cluster of real processes that loses nodes, links and its database.

Clients of old and new dialects play meanwhile. `tests.durability.ledger` compares the responses to clients with the
journal, as after the kills of one server.

Each client checks that each request is answered once, in order, and that no turn goes back. It is a fault if a client
loses its connection although its node was not ended, or if a client gets no more responses.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from sqlalchemy import text as sql
from sqlalchemy.exc import SQLAlchemyError

from tests.cluster.databases import ClusterDatabase, SharedDatabase
from tests.cluster.namespaces import Namespace
from tests.durability.ledger import Database, GameLedger, Setting, Violation
from tests.durability.players import Player
from tests.support.server import HOST, ServerProcess, free_port
from tests.support.wire import Failed, Gone, Line, everything
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect
from tpproto.errors import FailCode
from tprules.api import Order
from tpserver.admin.socket_client import ask_running
from tpserver.admin.socket_protocol import Fault, OperationError
from tpserver.games.stored.replay import ReplayError, read_recorded, run_again
from tpserver.rules.discovery import discover
from tpserver.store.games import journal as stored_journal

LEASE = int(os.environ.get("TP_SHOW_LEASE", "3"))
"""Seconds of the leases; 3 is the shortest that is allowed."""
SEATS = 2
"""Of each game."""
ORDER_ENTRIES = 10
"""Changes of orders that the journal keeps in a turn: so few that it is often made shorter."""
PADDED_STRINGS = 0x1D00
"""The feature that a client of padded TP04 asks for."""
PATIENCE = 90.0
"""Seconds after an event in which each client has to be answered."""
AT_ONCE = 8
"""Maximum clients that log in at once for the first time."""
NOT_ITS_OWN = 0.5
"""Seconds after a kill in which answers of the killed node may still arrive."""

WAYS: tuple[Dialect, ...] = (TP03, TP04, TP04.padded, PB)

KINDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("auction", "all-done", {"rounds": 1000, "gold": 99}),
    ("synthetic", "interval:4", {"objects": 62}),
    ("auction", "threshold:50:3", {"rounds": 1000, "gold": 99}),
)
"""Ruleset, clock and options of the games that are played side by side."""


class ClusterNode:
    """A node in a process of its own, which others reach through a gate, as it does its database.

    The latter is in a network of its own, if one is given.
    """

    def __init__(self, name: str, directory: Path, network: Namespace | None, database: ClusterDatabase) -> None:
        self.name = name
        self.network = network
        store_host = HOST if network is None else network.host
        self.link_gate, self.listens = free_port(), free_port()
        ports = {target: free_port() for target in database.targets()}
        self.gates = {
            f"link-{name}": f"link-{name}={self.link_gate}={self.listens}",
            f"store-{name}": "=".join([f"store-{name}", *(f"{port}={target}" for target, port in ports.items())]),
        }
        """By name of a gate: its argument for the program of the gates."""
        hosts = "&".join(f"host={store_host}:{port}" for port in ports.values())
        url = f"postgresql+psycopg://{database.user}@/postgres?{hosts}&target_session_attrs=read-write"
        config = directory / f"{name}.toml"
        config.write_text(
            f'[server]\nstore = "{url}"\n'
            f"order_entries = {ORDER_ENTRIES}\n"
            f'[cluster]\naddress = "{self.address}"\nlisten = "127.0.0.1:{self.listens}"\nlease_seconds = {LEASE}\n'
            "[limits]\nlogin_seconds = 3600\n"
        )
        self.server = ServerProcess(
            directory / name, "--no-parent", "--web", "off", "--config", str(config), preloaded=True
        )
        self.lives = 0
        """The number of ends so far. Connections to an earlier life are lost."""
        self.is_up = False

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.link_gate}"

    def start(self) -> None:
        self.server.start()
        self.is_up = True

    def kill(self) -> None:
        self.lives += 1
        self.is_up = False
        self.server.kill()

    def stop(self) -> None:
        """End it as its operator does."""
        self.lives += 1
        self.is_up = False
        if code := self.server.stop():
            raise Violation(f"node {self.name} was asked to stop and ended with {code}: {self.server.tail()}")


class Gates:
    """A process of gates, see gates.py, and maybe the network in which it is."""

    def __init__(self, words: Sequence[str], network: Namespace | None = None) -> None:
        self._network = network
        program = [sys.executable, str(Path(__file__).with_name("gates.py"))]
        self._process = subprocess.Popen(
            [
                *([] if network is None else network.command),
                *program,
                HOST if network is None else network.host,
                *words,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._wait("ready")

    def hold(self, gate: str) -> None:
        if self._network is None:
            self.say("hold", gate)
        else:
            self._network.hold()

    def let_pass(self, gate: str) -> None:
        if self._network is None:
            self.say("pass", gate)
        else:
            self._network.let_pass()

    def say(self, *words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(words) + "\n")
        self._process.stdin.flush()
        self._wait("done")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()

    def _wait(self, word: str) -> None:
        assert self._process.stdout is not None
        if (said := self._process.stdout.readline().strip()) != word:
            raise Violation(f"the gates have said {said!r}, not {word!r}")


@dataclass
class Figures:
    """Counts and measurements."""

    tally: Counter[str] = field(default_factory=Counter)
    rounds: Counter[str] = field(default_factory=Counter)
    asked: int = 0
    answered: int = 0
    refusals: Counter[tuple[int, str]] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)
    """Connections lost with their nodes, by kind of event."""
    longest: dict[str, tuple[float, str]] = field(default_factory=dict)
    """By kind of event: the longest wait for an answer on a connection that was kept, and whose and for what."""
    back: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By kind of event: seconds until a game of the node was first answered for again, one for each game."""
    first_back: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """The same of the first game of each event."""


class WatchedLine(Line):
    """A connection whose waits for answers are measured."""

    client: ClusterClient

    def send(self, kind: str, message: Message) -> asyncio.Future[list[Message]]:
        answer = super().send(kind, message)
        self.client.lives.figures.asked += 1
        begun = time.monotonic()
        self.client.waiting.append(kind)

        def come(answered: asyncio.Future[list[Message]]) -> None:
            self.client.waiting.remove(kind)
            self.client.waited(kind, begun, answered)

        answer.add_done_callback(come)
        return answer


class ClusterClient(Player):
    """A player that goes to another node if its own is ended."""

    def __init__(self, lives: ClusterLives, name: str, game: GameLedger, dialect: Dialect, seed: str) -> None:
        super().__init__(name, game, dialect, random.Random(seed), lives.figures.tally)
        self.lives = lives
        self.is_in = False
        self.rests = False
        """If true, it sends no requests, as all clients are to be quiet."""
        self.heard = 0.0
        """The time at which the last answered request was sent, by the monotonic clock."""
        self.waiting: list[str] = []
        """Requests without a response so far."""
        self._node: ClusterNode
        self._life = 0

    async def live(self, database: Database) -> None:
        """Play for ever, over one connection after the other."""
        while True:
            try:
                if not self.is_in:
                    await self.come_in()
                while True:
                    await self._one_turn(database)
            except Gone:
                self._lost()
            except ConnectionError:
                await asyncio.sleep(0.1)

    async def come_in(self) -> None:
        """Connect to any node that is up, and log in; again if that is refused for the moment."""
        self.is_in = False
        while True:
            up = [node for node in self.lives.nodes if node.is_up]
            self._node = self.chance.choice(up)
            self._life = self._node.lives
            try:
                await self.enter(self._node.server.port)
            except Failed as refusal:
                self.line.close()
                if refusal.code not in (FailCode.UNAVAILABLE_TEMPORARILY, FailCode.UNAVAILABLE_PERMANENTLY):
                    raise Violation(f"{self.name} may not come in: {refusal}") from refusal
                await asyncio.sleep(0.2)
                continue
            self.is_in = True
            return

    async def _open(self, port: int) -> Line:
        first = TP04 if self.dialect is TP04.padded else self.dialect
        line = await WatchedLine.open(port, first, self._pushed)
        assert isinstance(line, WatchedLine)
        line.client = self
        self.line = line  # closed by who fails
        if self.dialect is TP04.padded:
            await line.one("connect", tp.Connect(client="test"), tp.Okay)
            await line.one("set_filters", tp.SetFilters(filters=[PADDED_STRINGS]), tp.Okay)
            line.use(TP04.padded)
        return line

    def _lost(self) -> None:
        self.is_in = False
        if self.line.strange:
            self.game.fail(f"{self.name} was answered by no good server: {self.line.strange}")
        if self._life == self._node.lives:
            raise Violation(f"{self.name} has lost its connection to node {self._node.name}, which lives")
        self.lives.figures.lost[self.lives.event] += 1

    def __str__(self) -> str:
        clock = self.line.clock
        told = "nothing" if clock is None else f"turn {clock.turn}, {clock.time} s left"
        return (
            f"{self.name} ({self.dialect.name}, turn {self.turn}, told {told}, waits for {self.waiting or 'nothing'}) "
            f"in {self.game.setting.name} at {self._node.name}{'' if self.is_in else ', not in'}"
        )

    async def _one_turn(self, database: Database) -> None:
        lives = self.lives
        if not lives.may_play.is_set():
            self.rests = True
            await lives.may_play.wait()
            self.rests = False
        try:
            await self._attend(database)
        except (Failed, SQLAlchemyError):
            await asyncio.sleep(0.1)
        await asyncio.sleep(lives.pace * self.chance.random())

    async def _await_turn(self, turn: int) -> None:
        """Ask whether it is over, as clients do that show a clock; what is asked tells how long nobody answers."""
        while self.lives.may_play.is_set():
            clock = await self.line.time()
            self._hears(clock)
            if clock.time and self._latest_turn() != turn:
                return
            await asyncio.sleep(self.lives.pace * self.chance.uniform(0.5, 1.5))
            await self.line.ask("get_object_ids", everything())

    async def _watch_the_end(self) -> None:
        await self.line.time()

    def _hears(self, clock: tp.TimeRemaining) -> None:
        super()._hears(clock)
        self._latest_turn()

    def _latest_turn(self) -> int:
        if self.dialect is TP03:
            self.turn = max(self.turn, self.lives.turn_of(self.game))
        return self.turn

    def _is_shown(self, answer: Message, order: Order) -> bool:
        # Done before its node died it is shown as it stands now, which may be another one, see `done_before`.
        return isinstance(answer, tp.Order)

    def waited(self, kind: str, begun: float, answered: asyncio.Future[list[Message]]) -> None:
        """Note the answer to a request."""
        if answered.cancelled() or answered.exception() is not None:
            return
        figures, now = self.lives.figures, time.monotonic()
        figures.answered += 1
        event, waited = self.lives.event, now - begun
        if waited > figures.longest.get(event, (0.0, ""))[0]:
            figures.longest[event] = waited, f"{self.name} ({self.dialect.name}) at {self._node.name}, {kind}"
        refusals = [frame for frame in answered.result() if isinstance(frame, tp.Fail)]
        for refusal in refusals:
            figures.refusals[refusal.code, re.sub(r"\d+", "N", refusal.result)] += 1
        if not refusals:
            self.heard = begun
            self.lives.answered(self.game.setting.name, now)


class ClusterLives:
    """The nodes, games and clients, and what happens to them. Use within ``with``.

    With ``networks`` the way to the database is cut by the kernel, not by a gate.
    """

    def __init__(
        self,
        directory: Path,
        database: ClusterDatabase,
        games: int,
        clients: int,
        seed: int,
        networks: bool = False,
    ) -> None:
        self.directory = directory
        self._networks = networks
        self.postgres = database
        self.seed = seed
        self.chance = random.Random(seed)
        self.figures = Figures()
        self.pace = clients / 150
        """Seconds between two things that a client does, so that there is processor time for all."""
        self.event = "nothing"
        self.story = ""
        """Promises in a game and its journal, if they do not agree."""
        self.may_play = asyncio.Event()
        self.nodes: list[ClusterNode] = []
        self.gates: dict[str, Gates] = {}
        """By name of a gate: the process that it is in."""
        self.games: list[GameLedger] = []
        self.clients: list[ClusterClient] = []
        self._counts = games, clients
        self._parts = ExitStack()
        self._awaited: dict[str, float] = {}
        self._since = 0.0
        self._is_first = False
        self._faults: list[BaseException] = []

    def __enter__(self) -> ClusterLives:
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _begin(self) -> None:
        for name in ("one", "two", "three"):
            network = self._parts.enter_context(Namespace()) if self._networks else None
            node = ClusterNode(name, self.directory, network, self.postgres)
            self.nodes.append(node)
            self._open_gate(f"link-{name}", node.gates[f"link-{name}"])
            self._open_gate(f"store-{name}", node.gates[f"store-{name}"], network)
        for node in self.nodes:
            self._parts.callback(node.server.kill)
            node.start()
        self.database = SharedDatabase(self.postgres.url)
        self._parts.callback(self.database.close)
        self._make_games()

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            if node.server.is_running:
                node.server.send_signal(signal.SIGCONT)
        self._parts.close()

    def _open_gate(self, name: str, word: str, network: Namespace | None = None) -> None:
        made = self.gates[name] = Gates([word], network)
        self._parts.callback(made.close)

    def _make_games(self) -> None:
        rulesets = discover()
        games, clients = self._counts
        for count in range(games):
            kind, clock, options = KINDS[count % len(KINDS)]
            if clock.startswith("interval"):
                clock = f"interval:{max(4, games // 4)}"
            setting = Setting(f"{kind} {count}", kind, SEATS, f"{self.seed} {count}", clock, options)
            try:
                self.nodes[count % len(self.nodes)].server.create_game(
                    setting.name, kind, SEATS, clock=clock, seed=setting.seed, **options
                )
            except OperationError as refusal:  # it is made, and another node had it first
                if "it is played on the node at" not in str(refusal):
                    raise
                self.figures.tally["games that another node had first"] += 1
            self.games.append(GameLedger(setting, rulesets.named(kind), self.figures.tally))
        for count in range(clients):
            game = self.games[count // SEATS % games]
            # So that each game has clients of two dialects, and each dialect plays each kind of game.
            dialect = WAYS[(count + count // SEATS // len(WAYS)) % len(WAYS)]
            self.clients.append(ClusterClient(self, f"client {count}", game, dialect, f"{self.seed} {count}"))

    # --- the course of it

    async def live_through(self, events: Sequence[str], seconds: float = math.inf) -> None:
        """Have all play while one event after the other happens, none after so many seconds. Raises Violation."""
        enough = time.monotonic() + seconds
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._note_fault)
        for start in range(0, len(self.clients), AT_ONCE):
            await asyncio.gather(*(client.come_in() for client in self.clients[start : start + AT_ONCE]))
        lives = [asyncio.create_task(client.live(self.database)) for client in self.clients]
        try:
            await self.audit(lives)
            await self._answered_since(time.monotonic(), lives)
            for count, event in enumerate(events):
                if time.monotonic() > enough:
                    break
                await asyncio.sleep(self.chance.uniform(0.0, 4 * self.pace + 0.5))
                self.event = event
                begun = time.monotonic()
                await getattr(self, event.replace(" ", "_"))(self.nodes[count % len(self.nodes)])
                await self._answered_since(time.monotonic(), lives)
                self.figures.rounds[event] += 1
                await self.audit(lives)
                print(f"{count + 1}. {event}: {time.monotonic() - begun:.1f} s", flush=True)
                self.event = "nothing"
            self.may_play.clear()
            await self._until(lambda: all(client.rests for client in self.clients), lives, self._not_resting)
        finally:
            for life in lives:
                life.cancel()
            await asyncio.wait(lives)
            for client in self.clients:
                client.line.close()

    async def audit(self, lives: Sequence[asyncio.Task[None]]) -> None:
        """Have all be quiet for a moment, and hold everything against the database."""
        self.may_play.clear()
        await self._until(lambda: all(client.rests for client in self.clients), lives, self._not_resting)
        self.compare()
        self.may_play.set()

    def compare(self) -> None:
        """Hold everything that was acknowledged against the database; what a fault was found in is in `story`."""
        with self.database.connect() as connection:
            for game in self.games:
                owed = [f"seat {seat}: {promise}" for seat, desk in enumerate(game.desks) for promise in desk.orders]
                last = game.last_entry
                try:
                    game.audit(connection)
                except Violation:
                    entries = stored_journal.after(connection, game.id, last)
                    self.story = "\n".join([game.setting.name, *owed, *map(str, entries)])
                    raise

    def replay(self) -> None:
        """Run each journal again in this process, as `tpserver replay` does, and compare all digests."""
        rulesets = discover()
        with self.database.connect() as connection:
            for game in self.games:
                try:
                    run_again(*read_recorded(connection, game.setting.name, rulesets))
                except ReplayError as error:
                    raise Violation(
                        f"the journal of {game.setting.name} does not lead to its digests: {error}"
                    ) from None

    def check_logs(self) -> None:
        for node in self.nodes:
            faults = [line for line in node.server.said.splitlines() if " critical " in line or "Traceback" in line]
            if faults:
                raise Violation(f"the log of {node.name} tells of what should not happen:\n" + "\n".join(faults[:10]))

    def turn_of(self, game: GameLedger) -> int:
        """The turn of a game by the database; 0 if that cannot be asked now."""
        try:
            with self.database.connect() as connection:
                query = sql("SELECT turn FROM games WHERE name = :name")
                return int(connection.execute(query, {"name": game.setting.name}).scalar_one())
        except SQLAlchemyError:
            return 0

    def answered(self, game: str, now: float) -> None:
        """Note that a client was answered in a game, which may have been that of the node that was ended."""
        if game in self._awaited and now > self._since + NOT_ITS_OWN:
            waited = now - self._awaited.pop(game)
            self.figures.back[self.event].append(waited)
            if self._is_first:
                self.figures.first_back[self.event].append(waited)
                self._is_first = False

    def _await_games_of(self, node: ClusterNode) -> None:
        """Measure from now on how long each game of a node is not answered for."""
        with self.database.connect() as connection:
            query = sql("SELECT g.name FROM games g JOIN nodes n ON n.id = g.node WHERE n.address = :address")
            names = list(connection.scalars(query, {"address": node.address}))
        self._since = time.monotonic()
        self._awaited = dict.fromkeys(names, self._since)
        self._is_first = True

    async def _answered_since(self, moment: float, lives: Sequence[asyncio.Task[None]]) -> None:
        """Wait until each client was answered what it has asked since then."""
        await self._until(
            lambda: all(client.is_in and client.heard > moment for client in self.clients),
            lives,
            lambda: [client for client in self.clients if not client.is_in or client.heard <= moment],
        )

    def _not_resting(self) -> list[ClusterClient]:
        return [client for client in self.clients if not client.rests]

    async def _until(
        self, test: Callable[[], bool], lives: Sequence[asyncio.Task[None]], late: Callable[[], list[ClusterClient]]
    ) -> None:
        give_up = time.monotonic() + PATIENCE
        while not test():
            self._raise_faults(lives)
            if time.monotonic() > give_up:
                told = [str(client) for client in late()]
                raise Violation(f"{PATIENCE:g} s after {self.event} nobody answers: {'; '.join(told[:10])}")
            await asyncio.sleep(0.05)
        self._raise_faults(lives)

    def _raise_faults(self, lives: Sequence[asyncio.Task[None]]) -> None:
        for fault in self._faults:
            raise fault
        for life in lives:
            if life.done():
                life.result()

    def _note_fault(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self._faults.append(context.get("exception") or Violation(str(context["message"])))

    # --- the events

    async def kill(self, node: ClusterNode) -> None:
        """End a node as a power cut does, and start it again when others have its games, or before."""
        await asyncio.to_thread(self._await_games_of, node)
        node.kill()
        begun = time.monotonic()
        while self._awaited and time.monotonic() < begun + PATIENCE:
            await asyncio.sleep(0.05)
            if not any(client.game.setting.name in self._awaited for client in self.clients):
                break
        await asyncio.to_thread(node.start)

    async def freeze(self, node: ClusterNode) -> None:
        """Stop a node for longer than its lease, and let it go on."""
        await asyncio.to_thread(self._await_games_of, node)
        os.kill(node.server.pid, signal.SIGSTOP)
        await asyncio.sleep(LEASE + self.chance.uniform(0.5, 2.0))
        os.kill(node.server.pid, signal.SIGCONT)

    async def cut_links(self, node: ClusterNode) -> None:
        """Let nothing through to a node from the others; its database still hears of it."""
        await self._held([f"link-{node.name}"])

    async def cut_database(self, node: ClusterNode) -> None:
        """Let nothing through between a node and the database, so that it loses its lease without knowing."""
        await asyncio.to_thread(self._await_games_of, node)
        await self._held([f"store-{node.name}"])

    async def cut_off(self, node: ClusterNode) -> None:
        """Both: a partition."""
        await asyncio.to_thread(self._await_games_of, node)
        await self._held([f"link-{node.name}", f"store-{node.name}"])

    async def _held(self, gates: Sequence[str]) -> None:
        for gate in gates:
            await asyncio.to_thread(self.gates[gate].hold, gate)
        await asyncio.sleep(LEASE + self.chance.uniform(0.5, 2.0))
        for gate in gates:
            await asyncio.to_thread(self.gates[gate].let_pass, gate)

    async def drain(self, node: ClusterNode) -> None:
        """Have a node hand its games over, then stop and start it as for an upgrade, or let it take games again."""
        give_up = time.monotonic() + PATIENCE
        while True:
            try:
                await asyncio.to_thread(ask_running, node.server.data, "node drain", {})
                break
            except (OperationError, Fault) as error:  # the others may not live again yet
                if time.monotonic() > give_up:
                    raise Violation(f"node {node.name} cannot be drained: {error}") from error
                await asyncio.sleep(0.2)
        await asyncio.sleep(self.chance.uniform(0.0, 1.0))
        if self.chance.random() < 0.5:
            await asyncio.to_thread(node.stop)
            await asyncio.to_thread(node.start)
        else:
            await asyncio.to_thread(ask_running, node.server.data, "node undrain", {})

    async def fail_over(self, node: ClusterNode) -> None:
        """Lose the leader of the database."""
        await asyncio.to_thread(self.postgres.fail_over)


def report(lives: ClusterLives, seconds: float) -> list[str]:
    """The figures."""
    figures, tally = lives.figures, lives.figures.tally
    rounds = ", ".join(f"{count} {event}" for event, count in sorted(figures.rounds.items()))
    orders = f"{tally['orders inserted']} orders inserted, {tally['orders removed']} removed"
    letters = f"{tally['messages posted']} messages posted, {tally['messages removed']} removed"
    in_flight = f"{tally['in flight, found']} found, {tally['in flight, not found']} not found"
    size = f"{len(lives.nodes)} nodes, {len(lives.games)} games, {len(lives.clients)} clients"
    lines = [
        f"{sum(figures.rounds.values())} events ({rounds}) in {seconds:.0f} s, leases of {LEASE} s, {size}",
        f"asked: {figures.asked} requests, answered: {figures.answered}, each once and in order",
        f"acknowledged, and in the journal once: {orders}, {letters}",
        f"turns closed: {tally['turns']}, with the digests of undisturbed games",
        f"in flight when a connection was lost: {in_flight}",
        f"journals made shorter within a turn: {tally['journals made shorter']} times",
        f"connections lost with their nodes: {dict(figures.lost)}; others: none",
    ]
    for event, (longest, who) in sorted(figures.longest.items()):
        lines.append(f"longest wait of a connection that was kept, {event}: {longest:.2f} s ({who})")
    for event, waits in sorted(figures.back.items()):
        first = figures.first_back[event]
        lines.append(
            f"games of the node answered for again after {event}: first after {min(first):.2f} to {max(first):.2f} s, "
            f"median game {statistics.median(waits):.2f} s, last {max(waits):.2f} s ({len(waits)} games)"
        )
    for (code, text), count in figures.refusals.most_common(30):
        lines.append(f"refused {count} times, code {code}: {text[:110]}")
    return lines
