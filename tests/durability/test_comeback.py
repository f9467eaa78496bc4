"""A restart under two hundred players, some with old protocols.

Each player is back in the same seat, and finds there everything that was acknowledged.

A real `tpserver run` on a real SQLite file restarts in both ways. It is killed, so that its supervisor starts the next
one. It is also stopped and started by its operator. Clients connect again as soon as they can, as people's clients do.
The times are printed (`pytest -m soak -s`), not checked. The goal is five seconds.
"""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import time
from dataclasses import dataclass, field

import pytest

from tests.support.orders import number, order
from tests.support.server import ServerProcess, running_server
from tests.support.wire import Failed, Gone, Line
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB, TP03, TP04, Dialect

DIALECTS = (TP03, TP04, PB)
SEATS, OBJECTS = 8, 62
PAUSE = 0.1
"""Seconds after which a client that cannot connect tries again."""
LONGEST = 60.0
"""Seconds after which a missing player is reported."""


@dataclass
class Seat:
    """A player, and what the server has acknowledged."""

    game: str
    name: str
    dialect: Dialect
    line: Line | None = None
    me: int = 0
    queue: int = 0
    order: bytes = b""
    letters: int = 0
    refusals: list[str] = field(default_factory=list)

    async def enter(self, port: int) -> None:
        self.line = await Line.open(port, self.dialect)
        await self.line.enter(self.name, f"{self.name}'s word", self.game)
        await self.line.learn_orders()

    async def begin(self) -> None:
        """Give an order and remember what is there."""
        assert self.line is not None
        self.me = await self.line.me()
        self.queue = 4 + 3 * (self.me - 1)  # a fleet of each seat, one after the other
        (given,) = await self.line.ask("order_insert", order(self.queue, 1, number(self.me)))
        assert not isinstance(given, tp.Fail), given
        self.order, self.letters = await self.seen()
        assert self.order

    async def seen(self) -> tuple[bytes, int]:
        """The player's order, and the number of messages."""
        assert self.line is not None
        found = await self.line.ask("get_order", tp.GetWithIDSlot(id=self.queue, slots=[0]))
        board = await self.line.one("get_boards", tp.GetWithID(ids=[0]), tp.Board)
        return b"".join(one.SerializeToString(deterministic=True) for one in found), board.messages

    async def come_back(self, port: int) -> float:
        """Connect until the player is in the same seat again; return the time of that."""
        assert self.line is not None
        await self.line.gone.wait()
        while True:
            try:
                await self.enter(port)
                break
            except Failed as refusal:  # many log in at once: it says when to try again
                self.refusals.append(refusal.text)
                await asyncio.sleep(1.0)
            except (OSError, Gone):
                await asyncio.sleep(PAUSE)
        back = time.monotonic()
        assert await self.line.me() == self.me, f"{self.name} sits in another seat"
        assert await self.seen() == (self.order, self.letters), f"{self.name} misses something"
        return back


@pytest.mark.soak
def test_all_are_back_in_their_seats_after_a_restart() -> None:
    seats = [Seat(f"game {number // SEATS}", f"anna {number}", DIALECTS[number % 3]) for number in range(200)]
    with running_server() as server:
        for name in sorted({seat.game for seat in seats}):
            server.create_game(name, "synthetic", SEATS, objects=OBJECTS)
        asyncio.run(_restarts(server, seats))


async def _restarts(server: ServerProcess, seats: list[Seat]) -> None:
    for seat in seats:
        await seat.enter(server.port)
    for seat in seats:
        await seat.begin()
    for way in ("killed", "stopped and started"):
        begun = time.monotonic()
        back = [asyncio.create_task(asyncio.wait_for(seat.come_back(server.port), LONGEST)) for seat in seats]
        if way == "killed":
            os.kill(server.serving(), signal.SIGKILL)
        else:
            await asyncio.to_thread(server.stop)
            await asyncio.to_thread(server.start)
        times = sorted(when - begun for when in await asyncio.gather(*back))
        refused = sum(len(seat.refusals) for seat in seats)
        median = statistics.median(times)
        print(f"{way}: {len(times)} back after {median:.2f} s (median), {times[-1]:.2f} s (the last),", end=" ")
        print(f"{refused} times told to try again")
