"""Clients that only ask for legal orders, beside other players.

The machine is busy.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.synchronize import Event
from typing import Any

import pytest

from tests.support.bots import Enough, bots_at_play, until_enough
from tests.support.process import SECONDS
from tests.support.server import ServerProcess
from tests.support.wire import Gone, Line
from tpclient.bots.play import Turn
from tpclient.bots.random import RandomPolicy
from tpproto import tp_pb2 as tp
from tpproto.dialects import PB

GAMES = {"tae": 2, "swarm": 2, "antshouse": 2, "colony_battle": 2, "taller_ants": 2}
"""The rulesets, and the seats of the game of each."""
USERS = ("asker-0", "asker-1")
TURNS = 4
"""Turns that are played before anybody asks: there is more to ask in the middle of a game than at its start."""
LENGTH = float(os.environ.get("TP_QUESTION_SECONDS", "360"))
"""Seconds of questions."""
LOOPS = 8
"""Busy loops beside the server."""
BETWEEN = 0.02
"""Seconds between two pings."""
MOST_LATER = 0.1
"""Seconds by which the slowest hundredth of the pings may be slower than without questions."""


class _UntilTurn(RandomPolicy):
    """Plays at random until a turn, and no further."""

    async def give_orders(self, turn: Turn) -> None:
        if turn.number >= TURNS:
            raise Enough
        await super().give_orders(turn)


@contextmanager
def busy_loops(number: int) -> Iterator[None]:
    """Keep so many processes busy."""
    with ExitStack() as stack:
        for _ in range(number):
            loop = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(loop.kill)
        yield


async def _ask(line: Line, over: Callable[[], bool]) -> int:
    """Ask for all orders and for the values of their parameters, until it is over; return the number of questions."""
    asked = 0
    while not over():
        start = -1
        while start and not over():
            legal = await line.ask("get_legal_orders", tp.GetLegalOrders(start=max(0, start)))
            asked += 1
            found = legal[0]
            start = found.following if isinstance(found, tp.LegalOrders) else 0
            for order in getattr(found, "orders", ()):
                if over():
                    return asked
                await line.ask("get_legal_values", tp.GetLegalValues(id=order.id, otype=order.otype))
                asked += 1
    return asked


def _askers(port: int, begin: Event, end: Event, told: Any) -> None:
    """Log in to all games with each user, and ask from one event to the other; return the number of questions."""

    async def live() -> int:
        lines = []
        for game in GAMES:
            for user in USERS:
                line = await Line.open(port, PB)
                await line.enter(user, game=game)
                lines.append(line)
        told.send(len(lines))
        await asyncio.to_thread(begin.wait)
        return sum(await asyncio.gather(*(_ask(line, end.is_set) for line in lines)))

    told.send(asyncio.run(live()))


async def _pings(port: int, seconds: float) -> list[float]:
    """Return how long the answers to pings took, of a client that has no game."""
    line = await Line.open(port, PB)
    await line.one("connect", tp.Connect(client="test"), tp.Okay)
    await line.ask("create_account", tp.CreateAccount(username="pinger", password="secret"))
    await line.ask("login_account", tp.LoginAccount(username="pinger", password="secret"))
    took = []
    until = time.monotonic() + seconds
    while (begun := time.monotonic()) < until:
        await line.one("ping", tp.Ping(), tp.Okay)
        took.append(time.monotonic() - begun)
        await asyncio.sleep(BETWEEN)
    line.close()
    return took


async def _play(port: int) -> None:
    for game in GAMES:
        async with bots_at_play(port, USERS, game, lambda _: _UntilTurn()) as (_, lives):
            await until_enough(lives)


def _slowest(took: list[float]) -> float:
    return statistics.quantiles(took, n=100)[-1]


def states(server: ServerProcess) -> dict[str, str]:
    """Return the state of each game as it is stored."""
    with contextlib.closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
        return dict(database.execute("SELECT name, state FROM games"))


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_questions_suspend_no_game_and_keep_nobody_waiting(supervised: Callable[..., ServerProcess]) -> None:
    """All players of the five games ask what is legal for TP_QUESTION_SECONDS (360), beside eight busy loops.

    The pings of another client are at most 100 ms slower in their slowest hundredth than without questions.
    """
    server = supervised()
    server.start()
    for game, seats in GAMES.items():
        server.create_game(game, game, seats, seed="questions")
    asyncio.run(_play(server.port))
    context = multiprocessing.get_context("fork")
    begin, end = context.Event(), context.Event()
    hears, tells = context.Pipe(duplex=False)
    askers = context.Process(target=_askers, args=(server.port, begin, end, tells), daemon=True)
    askers.start()
    assert hears.poll(SECONDS) and hears.recv() == len(GAMES) * len(USERS)
    with busy_loops(LOOPS):
        before = asyncio.run(_pings(server.port, min(LENGTH, 60.0)))
        begin.set()
        try:
            during = asyncio.run(_pings(server.port, LENGTH))
        except Gone:
            pytest.fail(f"a client was cut off:\n{server.tail()}")
        end.set()
        assert hears.poll(SECONDS)
        asked = hears.recv()
    quiet, slow = _slowest(before), _slowest(during)
    print(f"{asked} questions in {LENGTH:g} s; of 100 pings the slowest took {quiet:.3f} s before, {slow:.3f} s then")
    assert set(states(server).values()) == {"running"}, states(server)
    assert slow <= quiet + MOST_LATER
    assert server.stop() == 0
