"""Benchmark: compute the legal orders in the middle of each shipped game."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from functools import partial
from random import Random
from time import process_time
from typing import TypeVar

from tests.bench.figures import Figure
from tprules.api import Refusal, legal, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import apply, insertion
from tprules.api.ruleset import find_phase
from tpserver.rules.discovery import discover

T = TypeVar("T")

RULESETS = ("tae", "swarm", "antshouse", "colony_battle", "taller_ants")
SEED = b"bench"
GOAL_MS = 5.0
BEGUN = 6
"""Turns after which a game is in its middle."""


def measure(quick: bool) -> list[Figure]:
    """Return the median milliseconds for all that a seat can order, and for the values of one parameter."""
    figures = []
    for name in RULESETS:
        whole, values = _measured(name, 12 if quick else 40)
        figures += [
            Figure(f"{name}: which orders can be given", whole, "ms CPU", GOAL_MS),
            Figure(f"{name}: the values of a parameter", values, "ms CPU", GOAL_MS),
        ]
    return figures


def _measured(name: str, turns: int) -> tuple[float, float]:
    rules = discover().named(name)
    seats = max(2, rules.seats[0])
    state = opening(rules, parse_options(rules.options, {}), seats, SEED).state
    chance = Random(1)
    whole: list[float] = []
    values: list[float] = []
    for turn in range(turns):
        for seat in list(find_phase(rules, state.phase).active(state.world)):
            state.visible(rules, seat, ())  # as a host has a view of all that the seat sees
            state.found.clear()
            spent, (possible, _) = _spent(partial(legal.possible_orders, rules, state, seat, seats, [], 0, _never))
            if turn >= BEGUN:
                whole.append(spent)
                for one in chance.sample(possible, min(6, len(possible))):
                    chosen = [] if one.named is None else [one.named]
                    ask = partial(legal.legal_values, rules, state, seat, seats, one.on, one.type, chosen, 0, _never)
                    values.append(_spent(ask)[0])
            offered = list(rules.legal_orders(state.plan(seat)))
            if offered:
                order = chance.choice(offered)
                try:
                    apply(state, insertion(rules, state, seat, order.on, order.type, order.args))
                except Refusal:
                    continue
        state = advance(rules, state, SEED).state
        if state.over:
            break
    return statistics.median(whole or [0.0]), statistics.median(values or [0.0])


def _spent(work: Callable[[], T]) -> tuple[float, T]:
    begun = process_time()
    result = work()
    return (process_time() - begun) * 1000, result


def _never() -> bool:
    return False
