"""Broken rules, one kind after the other, beside a healthy game whose players measure how long they must wait.

    python tests/durability/rotten_test.py [--only WORD]... [--memory MIB]

A real `tpserver run`; for each kind a game of the test ruleset `rotten` is made, and a player gives it the bid, or
closes the turn, that does it. Two players of another game give and remove orders all the time, come back when they are
cut off, and keep a ledger of what was acknowledged. Prints for each kind what became of the game, and the longest
silence of the healthy players from one answer to the next, reconnecting and logging in included. Exit code 1 if
something was lost, if a game was held that was not to blame, or if one that should be held is not.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "plugins"))


from tests.support.server import ServerProcess
from tests.support.wire import Failed, Gone, Line
from tpproto import tp_pb2 as tp

HOME = 2
TURN_SECONDS = 3
"""What the turns of the rotten games may take here."""

HELD, REFUSED, EITHER = "held", "goes on", "either"


@dataclass(frozen=True)
class Kind:
    """Words of the bid, how often it is given, and what should become of the game.

    What catches everything is given often too: the limit may strike where it catches nothing, and then ends the call.
    """

    words: str
    expected: str = HELD
    times: int = 1
    ask: str = ""
    """What is asked for after the turn: time, choices, watch."""


CHECKS = (
    Kind("check regex", EITHER), Kind("check power", EITHER), Kind("check sort"), Kind("check in-c"),
    Kind("check loop", HELD, 6), Kind("check catch", HELD, 6), Kind("check catch-all", HELD, 6),
    Kind("check finally", HELD, 6), Kind("check endless", HELD, 6), Kind("check deep", REFUSED), Kind("check deeper"),
    Kind("check sleep", HELD, 6), Kind("check exit"), Kind("check keyboard"), Kind("check generator"),
    Kind("check ghost"), Kind("check no-memory"), Kind("check leave"), Kind("check crash"),
    Kind("check gigabyte", EITHER), Kind("check grow", HELD, 12), Kind("check eat", EITHER),
    Kind("check thread", EITHER), Kind("check signals"), Kind("check close"),
)  # fmt: skip
TURNS = (
    Kind("stage regex"), Kind("stage in-c"), Kind("stage loop"), Kind("stage catch-all"), Kind("stage exit"),
    Kind("stage eat"), Kind("stage report"), Kind("absent loop"), Kind("outcome in-c"), Kind("offered catch"),
    Kind("title loop", ask="time"), Kind("title in-c", ask="time"), Kind("title long", EITHER, ask="time"),
    Kind("active catch", ask="time"), Kind("active endless", EITHER, ask="time"), Kind("dump long", EITHER),
    Kind("choices loop", HELD, 6, ask="choices"), Kind("choices in-c", ask="choices"), Kind("sight in-c", ask="watch"),
    Kind("load in-c", ask="restart"),
)  # fmt: skip


@dataclass
class Healthy:
    """A player of the good game, who never stops asking."""

    server: ServerProcess
    name: str
    line: Line | None = None
    heard: float = 0.0
    longest: float = 0.0
    answers: int = 0
    efforts: list[int] = field(default_factory=list)
    """What the ledger says that is in the queue of the player's home."""
    unsure: list[int] | None = None
    """What is there instead if the last request was carried out, whose answer never came."""
    home: int = 0
    lost: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """What could not be done in that moment; nothing was acknowledged then."""

    async def play(self) -> None:
        number = 0
        self.heard = time.monotonic()
        while True:
            try:
                if self.line is None:
                    await self._enter()
                await self._order(number % 10)
                number += 1
            except (Gone, OSError, TimeoutError, Failed) as error:
                self.refusals += [str(error)] if isinstance(error, Failed) else []
                if self.line is not None:
                    self.line.close()
                self.line = None
                await asyncio.sleep(0.02)

    async def _enter(self) -> None:
        line = await Line.open(self.server.port)
        await line.enter(f"{self.name}@good")
        await line.learn_orders()
        self.home = HOME - 1 + await line.me()
        self.line = line
        await self._compare()

    async def _compare(self) -> None:
        assert self.line is not None
        queue = await self.line.one("get_order_queue", tp.GetWithID(ids=[self.home]), tp.OrderQueue)
        slots = range(queue.num_orders)
        orders = await self.line.ask("get_order", tp.GetWithIDSlot(id=self.home, slots=slots)) if slots else []
        there = [int(order.parameters[1].string.string) for order in orders]
        if there not in (self.efforts, self.unsure):
            self.lost.append(f"{self.name}: acknowledged {self.efforts} or {self.unsure}, there is {there}")
        self.efforts, self.unsure = there, None
        self._answered()

    async def _order(self, number: int) -> None:
        assert self.line is not None
        if self.efforts:
            self.unsure = []
            await self.line.ask("remove_order", tp.GetWithIDSlot(id=self.home, slots=[0]))
        else:
            self.unsure = [number]
            await self.line.one("order_insert", bid(self.home, str(number)), tp.Order)
        self.efforts, self.unsure = self.unsure, None
        self._answered()
        await asyncio.sleep(0.005)

    def _answered(self) -> None:
        now = time.monotonic()
        self.longest, self.heard = max(self.longest, now - self.heard), now
        self.answers += 1


def bid(home: int, words: str) -> tp.Order:
    parameters = [
        tp.OrderParameter(range=tp.OrderRange(value=0)),
        tp.OrderParameter(string=tp.OrderString(string=words)),
    ]
    return tp.Order(id=home, slot=-1, otype=1, parameters=parameters)


@dataclass
class Trial:
    """The server, its healthy players, and what was found."""

    server: ServerProcess
    players: list[Healthy]
    faults: list[str] = field(default_factory=list)
    number: int = 0

    async def run(self, kinds: list[Kind]) -> None:
        playing = [asyncio.create_task(player.play()) for player in self.players]
        await asyncio.sleep(2.0)
        print(f"{'kind':<18} {'the game':<9} {'server':<9} {'silence':>8}   why", flush=True)
        calm = await self._calm()
        print(f"{'(nothing)':<18} {'':<9} {'':<9} {calm:8.3f}", flush=True)
        for kind in kinds:
            await self._try(kind)
        for task in playing:
            if task.done():
                self.faults.append(f"a healthy player has stopped: {task.exception()!r}")
            task.cancel()
        for player in self.players:
            self.faults += player.lost
            for refusal in player.refusals:
                print(f"  {player.name} was told: {refusal}")

    async def _calm(self) -> float:
        for player in self.players:
            player.longest = 0.0
        await asyncio.sleep(5.0)
        return max(player.longest for player in self.players)

    async def _try(self, kind: Kind) -> None:
        self.number += 1
        name = f"bad{self.number}"
        await asyncio.to_thread(self.server.create_game, name, "rotten", 1, clock="all-done")
        before = self.server.serving()
        for player in self.players:
            player.longest = 0.0
        begun = time.monotonic()
        with contextlib.suppress(Gone, OSError, TimeoutError):
            await self._do(kind, name)
        state, why = "", ""
        while time.monotonic() < begun + 30.0:
            state, why = self._row(name)
            answered = all(player.line is not None and player.heard > begun for player in self.players)
            if answered and (state == "held" or (kind.expected != HELD and time.monotonic() > begun + 8.0)):
                break
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)
        silence = max(max(player.longest, time.monotonic() - player.heard) for player in self.players)
        ended = "same" if before in self.server.children() else "next"
        print(f"{kind.words:<18} {state:<9} {ended:<9} {silence:8.3f}   {why[:100]}", flush=True)
        if kind.expected == HELD and state != "held":
            self.faults.append(f"{kind.words}: the game is {state}")
        if self._row("good")[0] != "running":
            self.faults.append(f"{kind.words}: the good game is {self._row('good')}")

    async def _do(self, kind: Kind, name: str) -> None:
        line = await Line.open(self.server.port)
        await line.enter(f"ann@{name}")
        await line.learn_orders()
        for _ in range(kind.times if kind.words.startswith("check") else 1):
            with contextlib.suppress(Failed):
                await line.one("order_insert", bid(HOME, kind.words), tp.Order)
            if kind.words.startswith("check grow"):
                with contextlib.suppress(Failed):
                    await line.ask("remove_order", tp.GetWithIDSlot(id=HOME, slots=[0]))
                await asyncio.sleep(0.3)
        if not kind.words.startswith("check"):
            for _ in range(2):
                await line.finish()
                await asyncio.sleep(1.0)
        if kind.ask == "time":
            await line.ask("get_time_remaining", tp.GetTimeRemaining())
        elif kind.ask == "choices":
            gift = tp.Order(id=HOME, slot=-1, otype=2, parameters=[
                tp.OrderParameter(object=tp.OrderObject(object_id=HOME)), tp.OrderParameter(list=tp.OrderList())
            ])  # fmt: skip
            for _ in range(kind.times):
                await line.ask("order_probe", gift)
        elif kind.ask == "watch":
            other = await Line.open(self.server.port)
            await other.enter(f"eve@{name}/watch")
        elif kind.ask == "restart":
            os.kill(self.server.serving(), 9)
        line.close()

    def _row(self, name: str) -> tuple[str, str]:
        with contextlib.closing(sqlite3.connect(f"file:{self.server.database}?mode=ro", uri=True)) as database:
            found = database.execute("SELECT state, held_reason FROM games WHERE name = ?", (name,)).fetchone()
        return (str(found[0]), str(found[1] or ""))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="only kinds with this word")
    parser.add_argument("--memory", type=int, default=700, metavar="MIB", help="limits.memory_bytes")
    given = parser.parse_args()
    os.environ["ROTTEN_TURN_SECONDS"] = str(TURN_SECONDS)
    kinds = [kind for kind in CHECKS + TURNS if not given.only or any(word in kind.words for word in given.only)]
    work = Path(tempfile.mkdtemp(prefix="tp-"))
    (work / "tpserver.toml").write_text(f"[limits]\nmemory_bytes = {given.memory << 20}\n")
    try:
        with ServerProcess(work / "data", "--config", str(work / "tpserver.toml")) as server:
            server.start()
            server.create_game("good", "auction", 2, clock="manual", rounds=1000)
            trial = Trial(server, [Healthy(server, "gus"), Healthy(server, "hal")])
            asyncio.run(trial.run(kinds))
            if code := server.stop():
                trial.faults.append(f"the server was asked to stop and ended with {code}")
            answers = sum(player.answers for player in trial.players)
            print(f"{answers} answers to the healthy players; {len(trial.faults)} faults")
            for fault in trial.faults:
                print(f"  {fault}")
            if trial.faults:
                print(server.tail(30))
            return 1 if trial.faults else 0
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    sys.exit(main())
