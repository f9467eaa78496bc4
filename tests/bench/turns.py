"""The end of a TaE turn: orders executed, every seat's view compared, all of it committed to a real database."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tests.bench.figures import Figure
from tpserver.elsewhere import at_once
from tpserver.games import intake
from tpserver.games.game import Game
from tpserver.games.shelf import NewGame, Shelf
from tpserver.rules.discovery import discover
from tpserver.store import Store

OLD = {2: "5.3 ms", 4: "11.9 ms"}
TARGET = {2: "5 ms", 4: "10 ms"}


def measure(quick: bool) -> list[Figure]:
    figures = []
    for seats in (2, 4):
        wall, cpu, turns = _turns(seats, 2 if quick else 8)
        name = f"TaE with {seats} players, random orders"
        figures.append(Figure(name, wall, "ms", TARGET[seats], OLD[seats], f"{cpu:.2f} ms CPU; {turns} turns"))
    return figures


def _turns(seats: int, games: int) -> tuple[float, float, int]:
    results = []
    for number in range(games):
        with tempfile.TemporaryDirectory(prefix="tpserver-bench-") as folder:
            store = Store.open(f"sqlite:///{Path(folder) / 'bench.sqlite'}", reactor=None)
            clock = Clock()
            clock.advance(1_800_000_000)
            shelf = Shelf(store, discover(), clock, at_once, clock.seconds)
            new = NewGame("g", "tae", seats, seed=f"bench {number}", clock="manual")
            game: Game = _now(Deferred.fromCoroutine(shelf.create(new)))
            people = _accounts(store, seats)
            for account, name in people:
                _now(Deferred.fromCoroutine(shelf.take_seat(game, account, name)))
            results += _played(shelf, game, clock, random.Random(number))
            store.close()
    walls = statistics.median(wall for wall, _ in results)
    return walls * 1000, statistics.median(cpu for _, cpu in results) * 1000, len(results)


def _played(shelf: Shelf, game: Game, clock: Clock, chance: random.Random) -> list[tuple[float, float]]:
    results = []
    while not game.over and len(results) < 200:
        clock.advance(10)
        for seat in game.active():
            for _ in range(2):
                moves = list(game.rules.moves(game.state.plan(seat)))
                if moves:
                    move = chance.choice(moves)
                    intake.insert(shelf.store, game, seat, move.on, move.type, move.args, -1, clock.seconds())
        wall, cpu = time.perf_counter(), time.process_time()
        _now(shelf.close_turn(game))
        results.append((time.perf_counter() - wall, time.process_time() - cpu))
    return results


def _accounts(store: Store, count: int) -> list[tuple[int, str]]:
    from tpserver.people import People

    people = People(store, "open", at_once, time.time, PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    made = [_now(Deferred.fromCoroutine(people.add(f"player{number}", "bench"))) for number in range(count)]
    return [(account.id, account.name) for account in made]


def _now(deferred: Deferred[Any]) -> Any:
    """Return the result of a Deferred that has fired, or raise its failure."""
    results: list[Any] = []
    deferred.addCallbacks(results.append, lambda failure: failure.raiseException())
    failures: list[BaseException] = []
    deferred.addErrback(lambda failure: failures.append(failure.value))
    if failures:
        raise failures[0]
    if not results:
        raise RuntimeError("this should have happened at once")
    return results[0]
