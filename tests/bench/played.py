"""Stored games with many turns, for a real server to load."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher
from twisted.internet.task import Clock

from tprules.api import Dice, Refusal
from tprules.api.bots import bot_orders
from tpserver.accounts.accounts import Accounts
from tpserver.concurrency import at_once, result_now
from tpserver.games.core import phases
from tpserver.games.core.game import Game
from tpserver.games.hall.game_factory import NewGame
from tpserver.games.hall.registry import GameRegistry
from tpserver.games.turns import order_intake
from tpserver.rules.discovery import discover
from tpserver.store import Store
from tpserver.store.people.accounts import Account

PLAYERS = ("first", "second")
PASSWORD = "secret"


@dataclass(frozen=True)
class Wanted:
    """A game of two that is to be played until a turn, with orders of the game's own bots in every so many turns."""

    ruleset: str
    turns: int
    every: int = 1
    options: Mapping[str, str] = field(default_factory=dict)
    or_over: bool = False
    """If true, a game that is over sooner will do."""


LONG = (
    Wanted("tae", 200, 5),
    Wanted(
        "taller_ants", 200, 3,
        {"spider_hp": "100", "queen_hp": "100", "seal_rounds": "0", "food_goal": "1000", "ants_goal": "200",
         "web_goal_percent": "100", "cocoon_goal": "100", "max_rounds": "500"},
    ),
    Wanted("colony_battle", 200, 5),
)  # fmt: skip
"""Games of 200 turns."""

MOST_TRIES = 20
"""So many games are begun until one goes on for long enough."""


def play(directory: Path, wanted: Iterable[Wanted]) -> dict[str, str]:
    """Play the games and store them in a new data directory; return the name of each by its ruleset."""
    directory.mkdir(exist_ok=True)
    store = Store.open(f"sqlite:///{directory / 'tpserver.sqlite'}", reactor=None)
    try:
        clock: Any = Clock()
        clock.advance(time.time() - 1_000_000)
        registry = GameRegistry(store, discover(), clock, at_once, clock.seconds)
        hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        accounts = Accounts(store, "open", at_once, clock.seconds, hasher)
        players = [result_now(accounts.add(name, PASSWORD)) for name in PLAYERS]
        return {one.ruleset: _played(registry, clock, players, one) for one in wanted}
    finally:
        store.close()


def _played(registry: GameRegistry, clock: Clock, players: list[Account], wanted: Wanted) -> str:
    for number in range(MOST_TRIES):
        name, seed = f"{wanted.ruleset}-{number}", f"bench {number}"
        new = NewGame(name, wanted.ruleset, 2, options=wanted.options, seed=seed, clock="all-done")
        game: Game = result_now(registry.lobby.create(new))
        for account in players:
            result_now(registry.lobby.take_seat(game, account.id, account.name))
        for turn in count():
            if game.over or turn >= wanted.turns:
                break
            clock.advance(10)
            if turn % wanted.every == 0:
                _give_orders(game, seed, clock.seconds())
            if game.state.turn == turn:  # where orders do not end the turn themselves
                result_now(registry.turns.close_turn(game))
        if wanted.or_over or not game.over:
            return name
    raise RuntimeError(f"{MOST_TRIES} games of {wanted.ruleset} were over before turn {wanted.turns}")


def _give_orders(game: Game, seed: str, now: float) -> None:
    for seat in phases.active(game):
        for order in bot_orders(game.rules, game.state, seat, Dice.named(seed.encode(), game.state.turn, seat), None):
            with suppress(Refusal):
                order_intake.make(
                    game, order_intake.insertion(game, seat, order.on, order.type, order.args, -1, now), now
                )
