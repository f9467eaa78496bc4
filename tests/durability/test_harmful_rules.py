"""Harmful rules of every kind, beside a healthy game under load.

On one real `tpserver run`, the test creates a game of the test ruleset `rotten` for each kind of fault. A player gives
the bid or closes the turn that causes it. Two players of another game insert and remove orders all the time. They log
in again when their connection breaks, and keep a ledger of what was acknowledged.

Nothing may be lost. Every game that is to blame is suspended, and no other. The test prints the longest time that the
healthy players waited between two responses, including reconnect and login.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.support.orders import chosen, number, order, target, text
from tests.support.server import ServerProcess, short_directory
from tests.support.wire import Failed, Gone, Line
from tpproto import tp_pb2 as tp

HOME = 2
TURN_SECONDS = 3
"""Seconds that the turns of the rotten games may take here."""
MEMORY = 700 << 20

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
    """The request after the turn: time, choices, watch."""


KINDS = (
    Kind("check regex", EITHER), Kind("check power", EITHER), Kind("check sort"), Kind("check in-c"),
    Kind("check loop", REFUSED, 6), Kind("check catch", REFUSED, 6), Kind("check catch-all", EITHER, 6),
    Kind("check finally", EITHER, 6), Kind("check endless", EITHER, 6), Kind("check deep", REFUSED),
    Kind("check deeper"), Kind("check sleep", REFUSED, 6), Kind("check exit"), Kind("check keyboard"),
    Kind("check generator"), Kind("check ghost"), Kind("check no-memory"), Kind("check leave"), Kind("check crash"),
    Kind("check gigabyte", EITHER), Kind("check grow", HELD, 12), Kind("check eat", EITHER),
    Kind("check thread", EITHER), Kind("check signals"), Kind("check close"),
    Kind("stage regex"), Kind("stage in-c"), Kind("stage loop"), Kind("stage catch-all"), Kind("stage exit"),
    Kind("stage eat"), Kind("stage report"), Kind("absent loop"), Kind("outcome in-c"), Kind("offered catch"),
    Kind("title loop", ask="time"), Kind("title in-c", ask="time"), Kind("title long", EITHER, ask="time"),
    Kind("active catch", ask="time"), Kind("active endless", EITHER, ask="time"), Kind("dump long", EITHER),
    Kind("choices loop", REFUSED, 6, ask="choices"), Kind("choices in-c", ask="choices"),
    Kind("sight in-c", ask="watch"), Kind("load in-c", ask="restart"),
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
    """The queue of the player's home, as the ledger has it."""
    unsure: list[int] | None = None
    """The queue if the last request was carried out, whose response never came."""
    home: int = 0
    is_over: bool = False
    lost: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """Refusals of that moment, in which nothing was acknowledged."""

    async def play(self) -> None:
        """Give and remove an order again and again, until this is over."""
        number = 0
        self.heard = time.monotonic()
        self.is_over = False
        while not self.is_over:
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
    return order(home, 1, number(0), text(words))


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    """A server with little memory, turns that have to be short, and a healthy game; it must stop well, too."""
    with pytest.MonkeyPatch.context() as environment, short_directory() as directory:
        environment.setenv("ROTTEN_TURN_SECONDS", str(TURN_SECONDS))
        config = directory / "tpserver.toml"
        config.write_text(f"[limits]\nmemory_bytes = {MEMORY}\n")
        with ServerProcess(directory / "data", "--config", str(config)) as started:
            started.start()
            started.create_game("good", "auction", 2, clock="manual", rounds=1000)
            yield started
            assert started.stop() == 0, started.tail()


@pytest.fixture(scope="module")
def players(server: ServerProcess) -> list[Healthy]:
    """The healthy players, who keep their ledgers from one test to the next."""
    return [Healthy(server, name) for name in ("gus", "hal")]


async def harm(server: ServerProcess, kind: Kind, name: str) -> None:
    """Give a game the bid, or close its turn, so that its rules do what this kind does."""
    line = await Line.open(server.port)
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
        gift = order(HOME, 2, target(HOME), chosen())
        for _ in range(kind.times):
            await line.ask("order_probe", gift)
    elif kind.ask == "watch":
        other = await Line.open(server.port)
        await other.enter(f"eve@{name}/watch")
    elif kind.ask == "restart":
        os.kill(server.serving(), 9)
    line.close()


def row(server: ServerProcess, name: str) -> tuple[str, str]:
    """The state of a game, and why it is held."""
    with contextlib.closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
        found = database.execute("SELECT state, held_reason FROM games WHERE name = ?", (name,)).fetchone()
    return (str(found[0]), str(found[1] or ""))


async def tried(kind: Kind, name: str, server: ServerProcess, players: list[Healthy]) -> str:
    """Do harm while the others play; return the state of the harmful game."""
    playing = [asyncio.create_task(player.play()) for player in players]
    while not all(player.line for player in players):
        await asyncio.sleep(0.05)
    await asyncio.to_thread(server.create_game, name, "rotten", 1, clock="all-done")
    before = server.serving()
    begun = time.monotonic()
    for player in players:
        player.longest, player.heard = 0.0, begun
    with contextlib.suppress(Gone, OSError, TimeoutError):
        await harm(server, kind, name)
    state, why = "", ""
    while time.monotonic() < begun + 30.0:
        state, why = row(server, name)
        answered = all(player.line is not None and player.heard > begun for player in players)
        if answered and (state == "held" or (kind.expected != HELD and time.monotonic() > begun + 8.0)):
            break
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.5)
    silence = max(max(player.longest, time.monotonic() - player.heard) for player in players)
    ended = "the same server" if before in server.children() else "the next server"
    print(f"{kind.words}: {state} by {ended}; silence of {silence:.3f} s; {why}")
    for player in players:
        player.is_over = True
    await asyncio.gather(*playing)
    for player in players:
        if player.line is not None:
            player.line.close()
            player.line = None
    return state


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.words)
def test_harmful_rules_are_held_and_all_others_go_on(server: ServerProcess, players: list[Healthy], kind: Kind) -> None:
    state = asyncio.run(tried(kind, f"bad {kind.words}", server, players))
    assert kind.expected != HELD or state == "held"
    assert row(server, "good")[0] == "running"
    assert [lost for player in players for lost in player.lost] == []
    print(*(f"{player.name} was told: {refusal}" for player in players for refusal in player.refusals), sep="\n")
