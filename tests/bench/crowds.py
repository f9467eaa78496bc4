"""Benchmark: many closings or logins in the same second.

Meanwhile, other players give orders.
"""

from __future__ import annotations

import shutil
import sqlite3
import statistics
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import update
from twisted.internet.task import Clock

from tests.bench.figures import Figure
from tests.bench.server import MEMORY, answered, measured_server
from tests.support.orders import number, order
from tests.support.process import PLUGINS
from tests.support.server import ServerProcess, short_directory
from tests.support.wire import Client
from tpproto import tp_pb2 as tp
from tpserver.accounts.accounts import Accounts
from tpserver.concurrency import at_once, result_now
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.hall.registry import GameRegistry
from tpserver.rules.discovery import discover
from tpserver.store import Store
from tpserver.store.people import accounts as stored_accounts
from tpserver.store.people import notices
from tpserver.store.people.notices import CodeLimits
from tpserver.store.tables import games as games_table

GAMES, QUICK_GAMES = 1000, 100
LOGINS, QUICK_LOGINS = 1000, 100
RULESET = "swarm"
SEATS = 2
BYSTANDERS = 2
PASSWORD = "SecretWord"
ALONE_SECONDS = 3.0
"""Seconds for which orders are given before the crowd comes."""
PLACE = "bystanders"


def measure(quick: bool) -> list[Figure]:
    sys.path.insert(0, str(PLUGINS))  # for the synthetic game
    return [*_closings(QUICK_GAMES if quick else GAMES), *_logins(QUICK_LOGINS if quick else LOGINS)]


def _closings(count: int) -> list[Figure]:
    due = 0.0

    def fill(data: Path) -> None:
        nonlocal due
        _fill(data, count, accounts=SEATS * count // 5)
        due = time.time() + 5 + count / 50
        with closing(Store.open(f"sqlite:///{data / 'tpserver.sqlite'}", reactor=None)) as store:
            of_crowd = games_table.c.name != PLACE
            at_same_second = update(games_table).where(of_crowd).values(due=due, deadline=due, ran=time.time())
            result_now(store.write(lambda c: c.execute(at_same_second) and None))

    with measured_server("--web", "off", fill=fill) as server, _Orders(server) as orders:
        begun = due - ALONE_SECONDS
        time.sleep(max(0.0, begun - time.time()))
        orders.start()
        time.sleep(max(0.0, due - time.time()))
        cpu, alone = server.cpu_seconds(), orders.taken()
        while _closed(server) < count:
            time.sleep(0.1)
        seconds, cpu = time.time() - due, server.cpu_seconds() - cpu
        during = orders.taken()
        orders.stop()
    title = f"{count:,} games due at the same second, notices written"
    note = f"{1000 * cpu / count:.2f} ms CPU each, with the orders"
    return [Figure(title, count / seconds, "closings/s", None, "", note), *_order_figures("closings", alone, during)]


def _logins(count: int) -> list[Figure]:
    def fill(data: Path) -> None:
        _fill(data, 1, accounts=count)

    with measured_server("--web", "off", fill=fill) as server, _Orders(server) as orders:
        orders.start()
        time.sleep(ALONE_SECONDS)
        clients = [Client(server.port) for _ in range(count)]
        bursts = [
            client.request("connect", tp.Connect(client="crowd"))
            + client.request("login", tp.Login(username=f"player{place}@{PLACE}/watch", password=PASSWORD))
            for place, client in enumerate(clients)
        ]
        alone, cpu = orders.taken(), server.cpu_seconds()
        seconds = answered(clients, bursts, 2)
        during, cpu = orders.taken(), server.cpu_seconds() - cpu
        orders.stop()
        for client in clients:
            client.close()
    title, note = f"{count:,} players who log in at once", f"{1000 * cpu / count:.1f} ms CPU each, with the orders"
    return [Figure(title, count / seconds, "logins/s", None, "", note), *_order_figures("logins", alone, during)]


def _order_figures(crowd: str, alone: list[float], during: list[float]) -> list[Figure]:
    """Return the figures of orders that follow each other: the rate, and the slowest of a hundred."""
    rate = len(during) / sum(during) if during else 0.0
    slow = sorted(during or [0.0])[int(len(during) * 0.99)] if during else 0.0
    note = f"alone {len(alone) / sum(alone):.0f}/s; slowest {1000 * max(during, default=0.0):.0f} ms"
    return [
        Figure(f"orders, one at a time, during the {crowd}", rate, "orders/s", None, "", note),
        Figure(f"99 of 100 of these orders take, during the {crowd}", 1000 * slow, "ms", None, "",
               f"alone {1000 * statistics.quantiles(alone, n=100)[98]:.1f} ms"),
    ]  # fmt: skip


def _closed(server: ServerProcess) -> int:
    with closing(sqlite3.connect(f"file:{server.database}?mode=ro", uri=True)) as database:
        found = database.execute("SELECT count(*) FROM games WHERE turn > 0 AND name != ?", (PLACE,)).fetchone()
    return int(found[0])


class _Orders:
    """A player who gives one order after the other in a separate game, in a thread."""

    def __init__(self, server: ServerProcess) -> None:
        self._client = Client(server.port)
        self._client.one("connect", tp.Connect(client="bystander"), tp.Okay)
        self._client.one("login", tp.Login(username=f"player0@{PLACE}", password=PASSWORD), tp.Okay)
        self._client.learn_orders()
        self._ended = threading.Event()
        self._seconds: list[float] = []
        self._thread = threading.Thread(target=self._give, daemon=True)

    def __enter__(self) -> _Orders:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()
        self._client.close()

    def taken(self) -> list[float]:
        """Return the seconds that each order took since this was called last."""
        seconds, self._seconds = self._seconds, []
        return seconds

    def _give(self) -> None:
        turn = 0
        while not self._ended.is_set():
            turn += 1
            begun = time.perf_counter()
            self._client.ask("order_insert", order(4 + 6 * (turn % 200), 1, number(1 + turn % 100)))
            self._seconds.append(time.perf_counter() - begun)


def _fill(data: Path, count: int, accounts: int) -> None:
    """Create a database with that many games and accounts, each with an address for notices.

    It is built in memory where possible, as that takes thousands of commits.
    """
    data.mkdir(mode=0o700)
    with short_directory(MEMORY if MEMORY.is_dir() else None) as made:
        _fill_in(made, count, accounts)
        shutil.copy(made / "tpserver.sqlite", data)


def _fill_in(data: Path, count: int, accounts: int) -> None:
    fill_store(f"sqlite:///{data / 'tpserver.sqlite'}", count, accounts)


def fill_store(url: str, count: int, accounts: int) -> None:
    """Make so many games and accounts in a database, and one for bystanders."""
    with closing(Store.open(url, reactor=None)) as store:
        clock: Any = Clock()
        clock.advance(time.time())
        people = Accounts(store, "open", at_once, time.time)
        first = result_now(people.add("player0", PASSWORD))
        add: Callable[..., Any] = lambda c, name: stored_accounts.add(c, name, first.password_hash, now=1.0)  # noqa: E731
        made = [first, *(result_now(store.write(add, f"player{place}")) for place in range(1, accounts))]
        for account in made:
            result_now(store.write(_address, account.id))
        registry = GameRegistry(store, discover(), clock, at_once, clock.seconds)
        new = NewGame(PLACE, "synthetic", BYSTANDERS, seed="x", clock="manual", options={"objects": str(2 + 3 * 400)})
        game = result_now(registry.lobby.create(new))
        for account in made[:BYSTANDERS]:
            result_now(registry.lobby.take_seat(game, account.id, account.name))
        for place in range(count):
            new = NewGame(f"game {place}", RULESET, SEATS, seed=f"{place}", clock="interval:86400", options={})
            game = result_now(registry.lobby.create(new))
            for seat in range(SEATS):
                account = made[(SEATS * place + seat) % accounts]
                result_now(registry.lobby.take_seat(game, account.id, account.name))


def _address(c: Any, account: int) -> None:
    target, limits = f"https://hooks.example/{account}", CodeLimits(9, 9, 1 << 30)
    added = notices.add(c, account, "json", target, "", "1", target.encode(), most=9, limits=limits, now=1.0)
    notices.verify(c, added.id, "1", 9)
