"""Benchmark: ten thousand games without connected players.

Measured are the server's memory, its start, lists of games, and the time to load one game.
"""

from __future__ import annotations

import shutil
import statistics
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, literal, select
from twisted.internet.task import Clock

from tests.bench.figures import Figure
from tests.bench.server import MEMORY, measured_server
from tests.support.server import ServerProcess, short_directory
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tprules.api import Dice
from tprules.testing import random_bot
from tprules.testing.play import give_orders
from tpserver.concurrency import at_once, result_now
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.hall.registry import GameRegistry
from tpserver.rules.discovery import discover
from tpserver.store import Store
from tpserver.store.games import rows as stored_games
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.tables import boards, games, messages, seats, snapshots, views

GAMES, QUICK_GAMES = 10_000, 500
READ, READS = ("tae", "taller_ants"), 30
SEATS = {"tae": 4, "taller_ants": 2}
TURNS = 20
"""Turns after which a game is in its middle."""
CLOCK = "interval:864000"


def measure(quick: bool) -> list[Figure]:
    count = QUICK_GAMES if quick else GAMES
    with short_directory(MEMORY if MEMORY.is_dir() else None) as made:
        figures = _fill(made, count)

        def fill(data: Path) -> None:
            data.mkdir(mode=0o700)
            shutil.move(made / "tpserver.sqlite", data)

        with measured_server("--web", "off") as server:
            alone, alone_cpu = server.memory(), server.cpu_seconds()
        with measured_server("--web", "off", fill=fill, in_memory=True) as server:
            _restart(server)  # with the files in the system's memory, as those of a server that is there all day
            begun, cpu = server.memory(), server.cpu_seconds()
            figures += [
                Figure(
                    f"start with {count:,} idle games",
                    1000 * cpu,
                    "ms CPU",
                    2000.0,
                    "",
                    f"without games {1000 * alone_cpu:.0f} ms",
                ),
                Figure("memory after it", begun / 1e6, "MB", 300.0, "", f"without games {alone / 1e6:.0f} MB"),
                *_listed(server, count),
                Figure("memory after lists of them", server.memory() / 1e6, "MB", 300.0),
            ]
    return figures


def _restart(server: ServerProcess) -> None:
    server.stop()
    server.start()


def _listed(server: ServerProcess, count: int) -> list[Figure]:
    with closing(Client(server.port)) as client:
        client.one("connect", tp.Connect(client="bench"), tp.Okay)
        seconds = []
        for _ in range(3):
            cpu = server.cpu_seconds()
            client.ask("get_games", tp.GetGames())
            seconds.append(server.cpu_seconds() - cpu)
    return [
        Figure(f"the list of {count:,} games, first", 1000 * seconds[0], "ms CPU"),
        Figure(f"the list of {count:,} games, again", 1000 * min(seconds[1:]), "ms CPU"),
    ]


def _fill(data: Path, count: int) -> list[Figure]:
    """Make a database with so many games in their middle, of which nobody is in one; return what reading one takes."""
    figures = []
    with closing(Store.open(f"sqlite:///{data / 'tpserver.sqlite'}", reactor=None)) as store:
        clock: Any = Clock()
        clock.advance(time.time() - 10 * TURNS * len(READ))
        registry = GameRegistry(store, discover(), clock, at_once, clock.seconds)
        registry.load_all()
        for name in READ:
            _play(registry, name, clock)
        registry.stop()
        for name in READ:
            figures.append(_read(store, name, clock))
        result_now(store.write(_copy, READ[0], count - len(READ)))
        # Else all of them would get time back.
        result_now(store.write(stored_games.clocks_run, time.time(), []))
    return figures


def _play(registry: GameRegistry, name: str, clock: Any) -> None:
    new = NewGame(name, name, SEATS[name], seed=name, clock=CLOCK)
    game = result_now(registry.lobby.create(new))
    for seat in range(SEATS[name]):
        add = lambda c, who: stored_accounts.add(c, who, "no hash", now=1.0)  # noqa: E731
        account = result_now(registry.store.write(add, f"{name}{seat}"))
        result_now(registry.lobby.take_seat(game, account.id, account.name))
    for turn in range(TURNS):
        clock.advance(10)
        give_orders(game.rules, game.state, random_bot, Dice.named(name.encode(), turn))
        result_now(registry.turns.close_turn(game))


def _read(store: Store, name: str, clock: Any) -> Figure:
    seconds = []
    for _ in range(READS):
        registry = GameRegistry(store, discover(), clock, at_once, clock.seconds)
        registry.directory.rows()
        begun = time.process_time()
        registry.named(name)
        seconds.append(time.process_time() - begun)
    title = f"reading a game of {name} with {SEATS[name]} in turn {TURNS}"
    return Figure(title, 1000 * statistics.median(seconds), "ms CPU", 50.0, "", f"slowest {1000 * max(seconds):.1f} ms")


def _copy(c: Connection, name: str, count: int) -> None:
    """Copy a game with what is needed to read it."""
    (first,) = c.execute(select(games).where(games.c.name == name)).mappings()
    last = c.scalar(select(games.c.id).order_by(games.c.id.desc()).limit(1)) or 0
    numbers = range(last + 1, last + 1 + count)
    rows = [{**first, "id": number, "name": f"{name}{number}", "name_key": f"{name}{number}"} for number in numbers]
    c.execute(insert(games), rows)
    newest = snapshots.c.turn == first["turn"]
    for table in (seats, snapshots, views, boards, messages):
        names = [column.name for column in table.c]
        for number in numbers:
            row = select(*(literal(number) if one == "game" else table.c[one] for one in names))
            of_first = row.where(table.c.game == first["id"], newest if table is snapshots else literal(True))
            c.execute(insert(table).from_select(names, of_first))
