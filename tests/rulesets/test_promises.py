"""An order without doubts does not fail.

The exception: its player gives more orders after it.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.rulesets.test_legal import GAMES
from tprules.api import ORDER_INVALID, Oid, RefKind, Refusal, Report, Seat, order_checks, parse_options
from tprules.api.advance import advance, opening
from tprules.api.ruleset import find_order_type, find_phase

MOST_ORDERS = 4
"""Maximum orders that a seat gives in a turn."""


def failures(report: Report) -> list[Oid] | None:
    """The objects whose orders came to nothing, or None if the report is about something else."""
    if ORDER_INVALID not in report.references:
        return None
    return [one.id for one in report.references if one.kind == RefKind.OBJECT]


def kept(name: str, chance: Random, closings: int) -> Counter[str]:
    """Play games of random legal orders; fail at the first order that failed although nothing spoke against it."""
    rules, seats, options = GAMES[name]
    if name == "tae":
        options = {}  # on the small board nearly all that is left to order is nothing
    counted: Counter[str] = Counter()
    while counted["closings"] < closings:
        seed = str(chance.random()).encode()
        state = opening(rules, parse_options(rules.options, options), seats, seed).state
        doubted: dict[tuple[Seat, Oid], str] = {}
        while counted["closings"] < closings and not state.over:
            for seat in list(find_phase(rules, state.phase).active(state.world)):
                for _ in range(chance.randint(1, MOST_ORDERS)):
                    plan = state.plan(seat)
                    offered = list(rules.legal_orders(plan))
                    if not offered:
                        break
                    one = chance.choice(offered)
                    try:
                        change = order_checks.insertion(rules, state, seat, one.on, one.type, one.args)
                    except Refusal:
                        continue
                    why = find_order_type(rules, one.type).doubt(plan, change.order)
                    order_checks.apply(state, change)
                    counted["doubts" if why else "promises"] += 1
                    doubted |= {(seat, other.on): "more was ordered" for other in plan.before}
                    if why:
                        doubted[seat, one.on] = why
            closed = advance(rules, state, seed)
            counted["closings"] += 1
            for report in closed.reports:
                failed = failures(report)
                if failed is not None:
                    counted["failed"] += 1
                    owners = {(seat, on) for seat, on in doubted if seat == report.to and (on in failed or not failed)}
                    assert owners, f"{report.body!r} in turn {closed.state.turn}, and nothing had been said against it"
            state = closed.state
            # An order that waits for a later turn keeps what was said of it.
            doubted = {key: why for key, why in doubted.items() if state.queues.get(key[1])}
    return counted


@pytest.mark.parametrize("name", GAMES)
def test_an_order_without_a_doubt_does_not_fail(name: str):
    assert kept(name, Random(11), 80)["promises"] >= 15


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["tae", "swarm", "antshouse", "colony_battle", "taller_ants"])
def test_nor_in_long_games(name: str):
    """Orders do fail in these games, but for those of Swarm: what is looked for is there."""
    counted = kept(name, Random(12), 1000)
    assert name == "swarm" or counted["failed"]
