"""An auction whose rules do any harm that a bid asks for, at any place.

The words of a bid are a place and a deed, such as "check regex". If the check of that bid must not do the harm itself,
the harm begins after the turn has closed.
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from test_games import auction
from test_games.auction import Auction, Bid, Gift, sell
from tprules.api import Choice, Dice, Oid, Order, Outcome, Phase, Plan, Seat, Shown, Turn

KEPT: list[Any] = []
"""Objects that rules should not keep."""


@dataclass
class World(auction.World):
    curse: str = ""
    """Place and deed."""


class Ghost(BaseException):
    """No Exception, and none of Python's own."""


def _loop() -> None:
    while True:
        pass


def _loop_that_catches(what: type[BaseException]) -> None:
    while True:
        with contextlib.suppress(what):
            _loop()


def _last_words() -> None:
    try:
        _loop()
    finally:
        try:
            _loop()
        finally:
            _loop()


def _endless() -> None:
    for _ in (number for number in itertools.count() if number < 0):
        pass


def _recursion(limit: int | None = None) -> None:
    if limit is not None:
        sys.setrecursionlimit(limit)
    _recursion()


def _raise(error: BaseException) -> None:
    raise error


def _grow(size: int, times: int) -> None:
    for _ in range(times):
        KEPT.append(bytearray(os.urandom(1)) * size)


def _thread() -> None:
    threading.Thread(target=_loop, daemon=True).start()


def _signals() -> None:
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, signal.SIG_IGN)
    _in_c()


def _in_c() -> None:
    sum(itertools.repeat(1, 10**13))


DEEDS: Mapping[str, Callable[[], object]] = {
    "regex": lambda: re.match(r"(a+)+$", "a" * 60 + "b"),
    "power": lambda: 10**10**8,
    "sort": lambda: sorted(os.urandom(30_000_000)),
    "in-c": _in_c,
    "loop": _loop,
    "catch": lambda: _loop_that_catches(Exception),
    "catch-all": lambda: _loop_that_catches(BaseException),
    "finally": _last_words,
    "endless": _endless,
    "deep": _recursion,
    "deeper": lambda: _recursion(10**9),
    "sleep": lambda: time.sleep(1000),
    "exit": lambda: sys.exit(3),
    "keyboard": lambda: _raise(KeyboardInterrupt()),
    "generator": lambda: _raise(GeneratorExit()),
    "ghost": lambda: _raise(Ghost("boo")),
    "no-memory": lambda: _raise(MemoryError()),
    "leave": lambda: os._exit(0),
    "crash": lambda: ctypes.string_at(0),
    "gigabyte": lambda: b"x" * (1 << 30),
    "grow": lambda: _grow(100 << 20, 1),
    "eat": lambda: _grow(10 << 20, 10**6),
    "thread": _thread,
    "signals": _signals,
    "close": lambda: os.closerange(3, 200),
}


def _do(where: str, words: str) -> None:
    place, _, deed = words.partition(" ")
    if place == where and deed in DEEDS:
        DEEDS[deed]()


def _only_here(where: str, world: World) -> None:
    """On the reactor's thread alone: in that of the turn it would have a minute."""
    if threading.current_thread() is threading.main_thread():
        _do(where, world.curse)


class RottenBid(Bid):
    def check(self, plan: Plan[Any], order: Order) -> None:
        _do("check", order.args["words"])
        super().check(plan, order)

    def offered(self, world: Any, seat: Seat, on: Oid, shown: Shown) -> bool:
        _do("offered", world.curse)
        return True


class RottenGift(Gift):
    def choices(self, plan: Plan[Any], on: Oid, param: str) -> Sequence[Choice]:
        _do("choices", plan.world.curse)
        return super().choices(plan, on, param)


def close(turn: Turn[World]) -> None:
    said = [order.args["words"] for order in turn.orders() if order.type == "Bid"]
    for words in said:
        _do("stage", words)
    if "stage report" in said:
        turn.report(None, "Long", "x" * (64 << 20))
    sell(turn)
    turn.world.curse = next((words for words in said if words), turn.world.curse)


def named(world: World) -> str:
    _only_here("title", world)
    return "x" * (64 << 20) if world.curse == "title long" else f"Round {world.round + 1}"


def active(world: World) -> Iterable[Seat]:
    _only_here("active", world)
    return itertools.count() if world.curse == "active endless" else range(len(world.gold))


def absent(world: World, seat: Seat) -> Iterable[Order]:
    _do("absent", world.curse)
    return ()


class Rotten(Auction):
    name = "rotten"
    title = "Rotten auction"
    version = 1
    orders = (RottenBid, RottenGift)
    phases = (
        Phase(
            "bidding",
            active,
            (RottenBid, RottenGift),
            (close,),
            lambda world: "bidding",
            title=named,
            default_orders=absent,
        ),
    )

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> World:
        return World(**asdict(super().setup(options, seats, dice)))

    def load(self, data: Any, version: int) -> World:
        world = World(**data)
        _only_here("load", world)
        return world

    def dump(self, world: auction.World) -> Any:
        assert isinstance(world, World)
        return {**asdict(world), "curse": "x" * (256 << 20)} if world.curse == "dump long" else asdict(world)

    def sight(self, world: auction.World, seat: Seat | None) -> Mapping[Oid, str]:
        assert isinstance(world, World)
        if seat is None:
            _do("sight", world.curse)
        return super().sight(world, seat)

    def outcome(self, world: auction.World) -> Outcome | None:
        assert isinstance(world, World)
        _do("outcome", world.curse)
        return super().outcome(world)


RULESET = Rotten()

if "ROTTEN_TURN_SECONDS" in os.environ:  # for tests that do not want to wait a minute for each turn
    from tpserver.games.core import next_turn

    next_turn.TURN_SECONDS = float(os.environ["ROTTEN_TURN_SECONDS"])
