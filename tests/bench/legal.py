"""Benchmark: ask which orders are legal in each shipped game, and play random turns of it."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from time import process_time
from typing import Any, NamedTuple, TypeVar

from tests.bench import calibration
from tests.bench.figures import Figure
from tprules.api import Oid, Order, Refusal, Ruleset, Seat, legal
from tprules.api.advance import copied
from tprules.api.bots import random_bot
from tprules.api.order_checks import State, apply, insertion
from tprules.api.ruleset import find_order_type, find_phase
from tprules.testing import playing
from tpserver.rules.discovery import discover

T = TypeVar("T")

RULESETS = ("tae", "swarm", "antshouse", "colony_battle", "taller_ants")
OBJECT_MS, WORST_OBJECT_MS, SEAT_MS = 5.0, 15.0, 30.0
STEP_MS = {"tae": 2.8, "swarm": 0.63, "antshouse": 0.97, "colony_battle": 1.8, "taller_ants": 2.4}
"""A third of a random step of TaE and Taller-Ants on 29 November 2026, and half of one of the others."""
BEGUN = 6
"""Turns after which a game is in its middle."""
GAMES = 4
TURNS = 40
"""Turns of each game that are played."""
EVERY = 4
"""A position is taken in every so many turns."""
OBJECTS = 4
"""Objects of each position that are asked for."""


def measure(quick: bool) -> list[Figure]:
    """Return the CPU milliseconds of the question for one object and for a seat, and of a random turn."""
    figures = []
    for name in RULESETS:
        spent, count = _measured(name, 1 if quick else GAMES, quick)
        for what, value, target in (
            ("legal orders of one object", statistics.median(spent.objects), OBJECT_MS),
            ("legal orders of one object, at worst", max(spent.objects), WORST_OBJECT_MS),
            ("legal orders of a seat", statistics.median(spent.seats), SEAT_MS),
            ("random step", statistics.fmean(spent.steps), STEP_MS[name]),
        ):
            slower = count / calibration.COUNT_WHEN_SET
            figures.append(Figure(f"{name}: {what}", value, "ms CPU", target, note=f"t = {count:.2f} s", slower=slower))
    return figures


class _Spent(NamedTuple):
    objects: list[float]
    seats: list[float]
    steps: list[float]


def _measured(name: str, games: int, quick: bool) -> tuple[_Spent, float]:
    """Return the milliseconds of all measurements, and the median seconds of the count that alternates with them."""
    rules = discover().named(name)
    seats = max(2, rules.seats[0])
    spent, counts = _Spent([], [], []), [calibration.count(quick)]
    for number in range(games):
        chance = Random(number)
        steps = playing(rules, seats=seats, seed=f"bench {number}", bot=random_bot)
        for turn in range(TURNS):
            took, step = _spent(partial(next, steps, None))
            if step is None:
                break
            if turn:  # the first step also makes the game, and in a new process the codec of its world
                spent.steps.append(took)
            if turn >= BEGUN and turn % EVERY == 0 and not step.done.state.over:
                _ask(rules, copied(rules, step.done.state), seats, chance, spent)
        counts.append(calibration.count(quick))
    return spent, statistics.median(counts)


def _ask(rules: Ruleset[Any], state: State[Any], seats: int, chance: Random, spent: _Spent) -> None:
    seat = chance.choice(list(find_phase(rules, state.phase).active(state.world)))
    offered = list(rules.legal_orders(state.plan(seat)))
    if offered and chance.random() < 0.5:
        order = chance.choice(offered)
        try:
            apply(state, insertion(rules, state, seat, order.on, order.type, order.args))
        except Refusal:
            return
    took, found = _question(rules, state, seat, seats, [])
    spent.seats.append(took)
    commanded = sorted({one.on if one.named is None else one.named for one in found})
    for oid in chance.sample(commanded, min(OBJECTS, len(commanded))):
        spent.objects.append(_question(rules, state, seat, seats, [oid])[0])


def _question(
    rules: Ruleset[Any], state: State[Any], seat: Seat, seats: int, about: Sequence[Oid]
) -> tuple[float, list[legal.Possible]]:
    """Ask for the orders of these objects, the values of their next parameter, and the doubt and turns of each."""
    looks = [(oid, state.look(rules, seat, oid)) for oid in state.sight(rules, seat)]
    state.listing = lambda _: looks  # as a host has a view of all that the seat sees
    state.found.clear()
    plan = state.plan(seat)

    def ask() -> list[legal.Possible]:
        possible, _ = legal.possible_orders(rules, state, seat, seats, about, 0, _never)
        for one in possible:
            for order in _completed(rules, state, seat, seats, one):
                kind = find_order_type(rules, one.type)
                assert kind is not None
                kind.doubt(plan, order)
                kind.turns(state.world, order)
        return possible

    return _spent(ask)


def _completed(rules: Ruleset[Any], state: State[Any], seat: Seat, seats: int, one: legal.Possible) -> Iterator[Order]:
    """Yield the order with each value of its next parameter, if it has no further one."""
    kind = find_order_type(rules, one.type)
    assert kind is not None
    chosen = [] if one.named is None else [one.named]
    values = legal.legal_values(rules, state, seat, seats, one.on, one.type, chosen, 0, _never)
    named = dict(zip(kind.params, chosen, strict=False))
    if len(named) == len(kind.params):
        yield Order(seat, one.on, one.type, named)
    elif len(named) + 1 == len(kind.params):
        for value in values.values:
            yield Order(seat, one.on, one.type, {**named, values.param: value})


def _spent(work: Callable[[], T]) -> tuple[float, T]:
    begun = process_time()
    result = work()
    return (process_time() - begun) * 1000, result


def _never() -> bool:
    return False
