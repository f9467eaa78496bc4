"""Benchmark: the closing of a turn, committed to a real database.

A closing executes the orders and compares the view of every seat. Also measured is the pure part alone: turns a second
of random legal play in one process.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from twisted.internet.task import Clock

from tests.bench.figures import Figure
from tests.support.process import PLUGINS
from tprules.api import Dice, Ruleset, parse_options
from tprules.api.advance import advance, opening
from tprules.testing import random_bot
from tprules.testing.play import give_orders
from tpserver.accounts.accounts import Accounts
from tpserver.concurrency import at_once, result_now
from tpserver.games.core.game import Game
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.hall.registry import GameRegistry
from tpserver.rules.discovery import discover
from tpserver.server.running import collect_garbage_rarely
from tpserver.store import Store
from tpserver.store.people import notices
from tpserver.store.people.notices import CodeLimits

MOST_TURNS = 200

WHOLE = {("tae", 2): (5.0, "5.3 ms"), ("tae", 4): (9.0, "11.9 ms")}
"""Ruleset and seats -> target and old C++ server."""
PURE = {"swarm": 2000, "antshouse": 1000, "colony_battle": 200, "taller_ants": 300}
SHIPPED = ("tae", "colony_battle", "antshouse", "swarm", "taller_ants")


def measure(quick: bool) -> list[Figure]:
    sys.path.insert(0, str(PLUGINS))  # for the synthetic game
    found = discover().usable
    figures = []
    for name in SHIPPED:
        if name not in found:
            continue
        rules = found[name]
        for seats in sorted({rules.seats[0], rules.seats[-1]}):
            wall, cpu, turns = _whole(name, seats, 1 if quick else 6)
            target, old = WHOLE.get((name, seats), (10.0, ""))
            title = f"end of turn, {name} with {seats}"
            figures.append(Figure(title, wall, "ms", target, old, f"{cpu:.2f} ms CPU; {turns} turns"))
            if name == "tae" and seats == 2:
                wall, cpu, turns = _whole(name, seats, 1 if quick else 6, addresses=2)
                title = f"{title}, 2 addresses for notices each"
                figures.append(Figure(title, wall, "ms", target, "", f"{cpu:.2f} ms CPU; {turns} turns"))
        rate, turns = _pure(rules, 1 if quick else 6)
        figures.append(Figure(f"advance alone, {name} with {rules.seats[0]}", rate, "turns/s", PURE.get(name)))
    for objects, goal in ((5_000, 20.0), (20_000, 100.0)):
        wall, cpu, turns = _whole("synthetic", 2, 1, objects=str(objects))
        title = f"end of turn, {objects:,} objects"
        figures.append(Figure(title, wall, "ms", goal, "", f"{cpu:.1f} ms CPU; {turns} turns"))
    return figures


def _whole(name: str, seats: int, games: int, addresses: int = 0, **options: str) -> tuple[float, float, int]:
    """Return the wall and processor time of a closing, in ms, and how many there were.

    Each player has so many addresses to which a notice is written with each closing.
    """
    results: list[tuple[float, float]] = []
    for number in range(games):
        with tempfile.TemporaryDirectory(prefix="tpserver-bench-") as folder:
            store = Store.open(f"sqlite:///{Path(folder) / 'bench.sqlite'}", reactor=None)
            clock: Any = Clock()
            clock.advance(1_800_000_000)
            registry = GameRegistry(store, discover(), clock, at_once, clock.seconds)
            new = NewGame("g", name, seats, seed=f"bench {number}", clock="manual", options=options)
            game: Game = result_now(registry.lobby.create(new))
            for account, person in _accounts(store, seats):
                result_now(registry.lobby.take_seat(game, account, person))
            for number, player in enumerate(game.players * addresses):
                assert player.account is not None
                result_now(store.write(_address, player.account, f"https://hooks.example/{number}"))
            collect_garbage_rarely()  # as the server does
            results += _played(registry, game, clock, f"bench {number}".encode(), MOST_TURNS if not options else 30)
            store.close()
    walls = statistics.median(wall for wall, _ in results)
    return walls * 1000, statistics.median(cpu for _, cpu in results) * 1000, len(results)


def _played(registry: GameRegistry, game: Game, clock: Clock, seed: bytes, turns: int) -> list[tuple[float, float]]:
    results: list[tuple[float, float]] = []
    while not game.over and len(results) < turns:
        clock.advance(10)
        give_orders(game.rules, game.state, random_bot, Dice.named(seed, len(results)))
        wall, cpu = time.perf_counter(), time.process_time()
        result_now(registry.turns.close_turn(game))
        results.append((time.perf_counter() - wall, time.process_time() - cpu))
    return results


def _pure(rules: Ruleset[Any], games: int) -> tuple[float, int]:
    """Return turns per second of CPU time spent in ``advance``, and how many turns that was."""
    rates, turns = [], 0
    for number in range(games):
        seed = f"bench {number}".encode()
        state = opening(rules, parse_options(rules.options, {}), rules.seats[0], seed).state
        spent, closed = 0.0, 0
        while not state.over and closed < MOST_TURNS:
            give_orders(rules, state, random_bot, Dice.named(seed, "policy", closed))
            begun = time.process_time()
            state = advance(rules, state, seed).state
            spent += time.process_time() - begun
            closed += 1
        rates.append(closed / spent)
        turns += closed
    return statistics.median(rates), turns


def _address(c: Any, account: int, target: str) -> None:
    limits = CodeLimits(99, 99, 99)
    added = notices.add(c, account, "json", target, "", "1", target.encode(), most=99, limits=limits, now=1.0)
    notices.verify(c, added.id, "1", 9)


def _accounts(store: Store, count: int) -> list[tuple[int, str]]:
    accounts = Accounts(store, "open", at_once, time.time, PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
    made = [result_now(accounts.add(f"player{number}", "bench")) for number in range(count)]
    return [(account.id, account.name) for account in made]
