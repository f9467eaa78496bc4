"""Repeated kills of a server: every promise to the clients is kept.

A real `tpserver run` works on a real SQLite file. Clients insert and remove orders, write and remove messages, and
finish turns. SIGKILL comes at random moments: any, while a turn is computed and saved, or while the server starts.
After each restart everything that was acknowledged must be there, and no change may be half done. `ledger.py` compares
it all. At the end `tpserver replay` must agree, too.

SIGKILL ends the process, not the machine: data that the operating system has not yet written to disk survives.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.durability.ledger import Database, GameLedger, Promise, Setting, Violation
from tests.durability.players import Player
from tests.support.process import ProcessFailed
from tests.support.server import ServerProcess
from tests.support.wire import Failed, Gone
from tpproto.dialects import PB, TP04
from tpserver.rules.discovery import Rulesets, discover

SEATS = 2
"""Of each game."""
CLIENTS = 8

KINDS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("auction", "all-done", {"rounds": 1000, "gold": 99}),
    ("synthetic", "interval:1", {"objects": 62}),
    ("tae", "all-done", {}),
    ("auction", "threshold:50:1", {"rounds": 1000, "gold": 99}),
)
"""Ruleset, clock and options of the games that are played side by side."""

ORDER_ENTRIES = 10
"""Changes of orders that the journal keeps in a turn: so few that it is often made shorter."""

PATIENCE = 30
"""Checks that a closing in between may spoil."""


@dataclass
class Killing:
    """One run: the server, its games and players, and what was counted."""

    server: ServerProcess
    seed: int
    chance: random.Random
    games: list[GameLedger] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    tally: Counter[str] = field(default_factory=Counter)
    restarts: list[float] = field(default_factory=list)
    logins: list[float] = field(default_factory=list)
    retired: list[GameLedger] = field(default_factory=list)

    def found(self, clients: int) -> None:
        """Make the games and the players, as many as there are clients."""
        rulesets = discover()
        for number in range((clients + SEATS - 1) // SEATS):
            kind, clock, options = KINDS[number % len(KINDS)]
            setting = Setting(f"{kind} {number}", kind, SEATS, f"{self.seed} {number}", clock, options)
            self._open(setting, rulesets, [f"person {number} {seat}" for seat in range(SEATS)])

    def _open(self, setting: Setting, rulesets: Rulesets, names: Sequence[str]) -> None:
        self.server.create_game(
            setting.name, setting.ruleset, setting.seats, clock=setting.clock, seed=setting.seed, **setting.options
        )
        game = GameLedger(setting, rulesets.named(setting.ruleset), self.tally)
        self.games.append(game)
        for place, name in enumerate(names):
            chance = random.Random(f"{setting.seed} {place}")
            self.players.append(Player(name, game, (TP04, PB)[place % 2], chance, self.tally))

    def renew(self) -> None:
        """Put a new game in the place of each that is over."""
        for game in [game for game in self.games if game.over]:
            self.games.remove(game)
            self.retired.append(game)
            former = [player for player in self.players if player.game is game]
            self.players = [player for player in self.players if player.game is not game]
            name, _, _ = game.setting.name.partition(" again")
            number = sum(other.setting.name.startswith(name) for other in self.retired)
            old = game.setting
            setting = Setting(f"{name} again {number}", old.ruleset, old.seats, f"{old.seed}+", old.clock, old.options)
            self._open(setting, discover(), [player.name for player in former])

    async def check(self, database: Database) -> None:
        """Everybody logs in again, and everything is compared."""
        while self.chance.random() < (0.04 if self.logins else 0.5):
            await self._kill_at_the_door()
        begun = time.monotonic()
        coming = [player.enter(self.server.port) for player in self.players]
        for outcome in await asyncio.gather(*coming, return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome
        self.logins.append(time.monotonic() - begun)
        unseen = set(self.players)
        for _ in range(PATIENCE):
            self.audit(database)
            for player in sorted(unseen, key=lambda player: player.name):
                if await player.look():
                    unseen.discard(player)
            if not unseen:
                return
        raise Violation(f"{', '.join(player.name for player in unseen)} never saw the turn of the ledger")

    async def _kill_at_the_door(self) -> None:
        """Kill the server while all log in; the first time they also get their accounts and seats."""
        coming = [asyncio.create_task(player.enter(self.server.port)) for player in self.players]
        await asyncio.sleep(self.chance.uniform(0.0, statistics.median(self.logins or [2.0])))
        self.server.kill()
        self.tally["killed while clients logged in"] += 1
        for outcome in await asyncio.gather(*coming, return_exceptions=True):
            if isinstance(outcome, BaseException) and not isinstance(outcome, Gone | ConnectionError):
                raise outcome
        self.restart()

    def audit(self, database: Database) -> None:
        with database.connect() as connection:
            for game in self.games:
                game.audit(connection)

    async def round(self, database: Database, *, last: bool = False) -> None:
        """Let everybody play for a moment, then kill the server; or stop it properly."""
        moment = asyncio.Event()
        playing = [asyncio.create_task(player.play(database)) for player in self.players]
        playing.append(asyncio.create_task(self._operate()))
        try:
            kind = self.chance.choice(("any", "computing", "computing"))
            await asyncio.sleep(self.chance.uniform(0.0, 0.5))
            for player in self.players:
                player.computing = moment.set
            if kind == "computing":
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(moment.wait(), 2.0)
                # From here on a turn is computed and saved within a few milliseconds.
                await asyncio.sleep(self.chance.uniform(0.0, self.chance.choice((0.003, 0.006, 0.02))))
            if last:
                if code := await asyncio.to_thread(self.server.stop):
                    raise Violation(f"the server was asked to stop and ended with {code}")
            else:
                if self.chance.random() < 0.3:
                    await asyncio.to_thread(self._kill_the_child)
                    self.tally["killed the server without its parent"] += 1
                self.server.kill()
                self.tally[f"killed at {'any moment' if kind == 'any' else 'the closing of a turn'}"] += 1
            done, late = await asyncio.wait(playing, timeout=30.0)
            if late:
                raise Violation("a connection outlived the server")
            for task in done:
                task.result()
        finally:
            for task in playing:
                task.cancel()
            for player in self.players:
                player.line.close()
                player.computing = lambda: None

    async def _operate(self) -> None:
        """The operator lets paused games go on and pauses one now and then."""
        for game in self.games:
            if game.paused:
                await self._ask_of_server("resume", game)
        while self.chance.random() < 0.3:
            await asyncio.sleep(self.chance.uniform(0.0, 0.4))
            game = self.chance.choice(self.games)
            await self._ask_of_server("pause", game)
            if self.chance.random() < 0.7:
                await self._ask_of_server("resume", game)

    async def _ask_of_server(self, what: str, game: GameLedger) -> None:
        """Do one operation at the server's control socket; its words are those of the command line."""
        promise = Promise(what, (), 0)
        request = {"tpserver": 1, "operation": f"game {what}", "arguments": {"name": game.setting.name}}
        try:
            reading, writing = await asyncio.open_unix_connection(str(self.server.data / "control.socket"))
        except OSError:
            return
        game.operator.take(promise)
        try:
            writing.write(json.dumps(request).encode() + b"\n")
            line = await reading.readline()
        except OSError:
            return
        finally:
            writing.close()
        if line:
            answer = json.loads(line)
            if "lines" in answer:
                promise.ended = 0
            elif "refused" in answer:
                game.operator.refuse(promise)
            else:
                game.fail(f"game {what} was answered with {answer}")

    def first_start(self) -> None:
        """Kill the very first start while it makes its tables, then start."""
        self.server.spawn()
        self.server.wait_until(self.server.database.exists, "has no database")
        time.sleep(self.chance.uniform(0.0, 0.1))
        self.server.kill()
        self.tally["killed while it started"] += 1
        self.restarts.append(self.server.start())

    def _kill_the_child(self) -> None:
        """Kill the server, so that its supervisor starts another, and wait for a random part of that start."""
        os.kill(self.server.serving(), signal.SIGKILL)
        time.sleep(self.chance.uniform(0.0, statistics.median(self.restarts)))

    def restart(self) -> None:
        """Start the server again; now and then it is killed before it has started."""
        while self.chance.random() < 0.06:
            self.server.spawn()
            time.sleep(self.chance.uniform(0.0, statistics.median(self.restarts)))
            self.server.kill()
            self.tally["killed while it started"] += 1
        self.restarts.append(self.server.start())

    def replay(self) -> None:
        """Ask the server's own program whether journals and snapshots agree."""
        for game in [*self.retired, *self.games]:
            self.server.command("replay", game.setting.name)


def database_of(server: ServerProcess) -> Database:
    """The database of a server, to be looked at."""
    return Database(server.database)


async def kill_again_and_again(
    killing: Killing, kills: int, clients: int, opened: Callable[[ServerProcess], Database] = database_of
) -> None:
    """The whole test. Raises Violation."""
    killing.first_start()
    killing.found(clients)
    database = opened(killing.server)
    try:
        while True:
            await killing.check(database)
            done = sum(count for what, count in killing.tally.items() if what.startswith("killed"))
            if done >= kills:
                break
            await killing.round(database)
            killing.restart()
            killing.renew()
        await killing.round(database, last=True)
        killing.audit(database)
    finally:
        database.close()
        killing.server.kill()
    killing.replay()
    faults = [line for line in killing.server.said.splitlines() if " critical " in line]
    if faults:
        raise Violation("the server's log tells of what should not happen:\n" + "\n".join(faults[:10]))


def report(killing: Killing, seconds: float) -> list[str]:
    """The summary."""
    tally = killing.tally
    kinds = sorted((what, count) for what, count in tally.items() if what.startswith("killed"))
    kills = sum(count for _, count in kinds)
    restarts, logins = sorted(killing.restarts), sorted(killing.logins)
    games = len(killing.games) + len(killing.retired)
    when = ", ".join(f"{count} {what}" for what, count in kinds)
    return [
        f"{kills} kills ({when}) in {seconds:.0f} s: no promise broken",
        f"acknowledged: {tally['orders inserted']} orders inserted, {tally['orders removed']} removed",
        f"              {tally['messages posted']} messages posted, {tally['messages removed']} removed",
        f"              {tally['turns']} turns in {games} games; all digests equal those of the undisturbed games",
        f"              {tally['pauses and resumptions']} times a game was paused or resumed",
        f"in flight at a kill: {tally['in flight, found']} found, {tally['in flight, not found']} not found",
        f"journals made shorter within a turn: {tally['journals made shorter']} times",
        f"refused: {tally['refused']} requests",
        f"restart until it answers: {_milliseconds(restarts)}; all {len(killing.players)} logged in after that: "
        + _milliseconds(logins),
    ]


def _milliseconds(seconds: list[float]) -> str:
    return f"median {1000 * statistics.median(seconds):.0f} ms, longest {1000 * seconds[-1]:.0f} ms"


@pytest.mark.parametrize(
    ("kills", "seed"),
    [
        pytest.param(3, 3, marks=pytest.mark.thorough),
        pytest.param(200, 1, marks=[pytest.mark.soak, pytest.mark.timeout(20_000)]),
    ],
)
def test_a_killed_server_has_kept_every_promise(directory: Path, tmp_path: Path, kills: int, seed: int) -> None:
    """Orders, removals, messages, finished marks and turns survive SIGKILL, and no turn is half done.

    The seed decides games and players, while moments differ each time. The traces of a fault are kept.
    """
    begun = time.monotonic()
    config = directory / "tpserver.toml"
    config.write_text(f"[server]\norder_entries = {ORDER_ENTRIES}\n")
    with ServerProcess(directory / "data", "--config", str(config)) as server:
        killing = Killing(server, seed, random.Random(seed))
        try:
            asyncio.run(kill_again_and_again(killing, kills, CLIENTS))
        except (Violation, ProcessFailed, Failed, Gone, TimeoutError) as problem:
            server.kill()
            shutil.copytree(directory, tmp_path / "kept", ignore=shutil.ignore_patterns("*.socket"))
            pytest.fail(f"after {dict(killing.tally)}\n{type(problem).__name__}: {problem}\n"
                        f"the data is in {tmp_path}, the end of the server's log:\n{server.tail(15)}")  # fmt: skip
    print(*report(killing, time.monotonic() - begun), sep="\n")
