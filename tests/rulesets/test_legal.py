"""Legal orders equal accepted orders, in positions of random games.

Both directions are checked: every listed order is accepted, and every accepted order is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from test_games import auction, synthetic

from tprules.antshouse import RULESET as ANTSHOUSE
from tprules.api import Number, ObjectRef, Order, Refusal, Ruleset, Seat, Selection, legal, order_checks, parse_options
from tprules.api.advance import advance, opening
from tprules.api.order_checks import State
from tprules.api.ruleset import find_order_type, find_phase
from tprules.colony_battle import RULESET as COLONY_BATTLE
from tprules.swarm import RULESET as SWARM
from tprules.tae import RULESET as TAE
from tprules.taller_ants import RULESET as TALLER_ANTS

SEED = b"legal"
GAMES: dict[str, tuple[Ruleset[Any], int, dict[str, Any]]] = {
    "tae": (TAE, 3, {"board": "..A.MM./.....M./A...A.."}),
    "swarm": (SWARM, 2, {}),
    "antshouse": (ANTSHOUSE, 3, {}),
    "colony_battle": (COLONY_BATTLE, 2, {}),
    "taller_ants": (TALLER_ANTS, 3, {}),
    "auction": (auction.RULESET, 3, {}),
    "synthetic": (synthetic.RULESET, 2, {"objects": 20}),
}


def never() -> bool:
    return False


def positions(name: str, chance: Random, most: int) -> Iterator[tuple[Ruleset[Any], State[Any], Seat, int]]:
    """Yield positions of random games, with some orders given already."""
    rules, seats, options = GAMES[name]
    left = most
    while left:
        seed = str(chance.random()).encode()
        state = opening(rules, parse_options(rules.options, options), seats, seed).state
        while left and not state.over:
            for seat in list(find_phase(rules, state.phase).active(state.world)):
                for _ in range(chance.randrange(4)):
                    offered = list(rules.legal_orders(state.plan(seat)))
                    if not offered:
                        break
                    order = chance.choice(offered)
                    order_checks.apply(
                        state, order_checks.insertion(rules, state, seat, order.on, order.type, order.args)
                    )
                if left and chance.random() < 0.3:
                    left -= 1
                    yield rules, state, seat, seats
            state = advance(rules, state, seed).state


def inserted(rules: Ruleset[Any], state: State[Any], order: Order) -> bool:
    """Return True if an insertion accepts an order, and not as a draft."""
    try:
        change = order_checks.insertion(rules, state, order.seat, order.on, order.type, order.args)
    except Refusal:
        return False
    return not change.order.draft


def every(rules: Ruleset[Any], state: State[Any], seat: Seat, seats: int, on: int, kind: Any, name: str) -> list[Any]:
    """All values of a parameter that can be tried."""
    param = kind.params[name]
    if isinstance(param, ObjectRef):
        return [o for o in state.sight(rules, seat) if state.look(rules, seat, o).kind in (param.kinds or rules.kinds)]
    if isinstance(param, Selection):
        return [[[offer.id, 1]] for offer in kind.choices(state.plan(seat), on, name)]
    if isinstance(param, Number) and param.high - param.low < 64:
        return list(range(param.low, param.high + 1, param.step))
    return []


def compare(name: str, chance: Random, most: int) -> int:
    """Compare all of some positions with insertions; return how many values were compared."""
    compared = 0
    for rules, state, seat, seats in positions(name, chance, most):
        found, following = legal.possible_orders(rules, state, seat, seats, [], 0, never)
        assert following == 0
        carried = {(one.on, one.type): one for one in found if one.named is None}
        for order in rules.legal_orders(state.plan(seat)):
            assert (order.on, order.type) in carried, f"{order} is legal"
            first = next(iter(order.args.values()), None)
            if isinstance(first, int) and any(one.named == first for one in found):
                assert any((one.on, one.type, one.named) == (order.on, order.type, first) for one in found)
        for one in chance.sample(found, min(4, len(found))):
            kind = find_order_type(rules, one.type)
            chosen: list[Any] = []
            while len(chosen) < len(kind.params):
                values = legal.legal_values(rules, state, seat, seats, one.on, one.type, chosen, 0, never)
                param = list(kind.params)[len(chosen)]
                assert (values.param, values.following) == (param, 0)
                if len(chosen) + 1 == len(kind.params):
                    for value in every(rules, state, seat, seats, one.on, kind, param):
                        args = dict(zip(kind.params, [*chosen, value], strict=True))
                        told = value in values.values
                        assert told == inserted(rules, state, Order(seat, one.on, one.type, args)), (one, args)
                        compared += 1
                if not values.values:
                    assert one.unsure or chosen or values.free, f"{one} is possible"
                    break
                chosen.append(chance.choice(values.values))
            else:
                assert (
                    legal.legal_values(rules, state, seat, seats, one.on, one.type, chosen, 0, never).refusal is None
                    or one.unsure
                    or not values.values
                )
    return compared


@pytest.mark.parametrize("name", GAMES)
def test_what_is_said_is_what_inserting_says(name: str):
    """Every listed value is accepted, every omitted one is refused, and no legal order is missing."""
    least = {"auction": 3, "synthetic": 0}  # small ranges; one whose numbers are too many to try
    assert compare(name, Random(7), 12) >= least.get(name, 20)


@pytest.mark.thorough
@pytest.mark.parametrize("name", GAMES)
def test_the_same_in_many_positions(name: str):
    compare(name, Random(8), 60)


@pytest.mark.soak
@pytest.mark.parametrize("name", GAMES)
def test_the_same_in_a_thousand_positions(name: str):
    compare(name, Random(9), 1000)


@pytest.mark.parametrize("name", ["swarm", "antshouse", "taller_ants"])
def test_a_value_of_an_earlier_parameter_can_be_completed(name: str):
    """Also where a refusal of one completion has ended the search: none of the others is accepted either."""
    tried = 0
    for rules, state, seat, seats in positions(name, Random(5), 6):
        for one in legal.possible_orders(rules, state, seat, seats, [], 0, never)[0]:
            kind = find_order_type(rules, one.type)
            if len(kind.params) != 2 or tried > 4000:
                continue
            first, second = kind.params
            values = legal.legal_values(rules, state, seat, seats, one.on, one.type, [], 0, never)
            for value in every(rules, state, seat, seats, one.on, kind, first):
                others = every(rules, state, seat, seats, one.on, kind, second)
                accepted = any(
                    inserted(rules, state, Order(seat, one.on, one.type, {first: value, second: other}))
                    for other in others
                )
                tried += len(others)
                assert (value in values.values) == accepted, (one, value)
    assert tried


@pytest.mark.parametrize("name", ["tae", "swarm", "colony_battle", "taller_ants"])
def test_parts_are_the_whole(name: str):
    """Each part makes progress, however few tries it has. No value is listed twice or left out."""
    (rules, state, seat, seats), *_ = positions(name, Random(3), 1)
    whole, _ = legal.possible_orders(rules, state, seat, seats, [], 0, never)

    def parts(ask: Callable[[int], tuple[list[Any], int]]) -> list[Any]:
        found, start = [], 0
        while True:
            more, following = ask(start)
            found += more
            if not following:
                return found
            assert following > start
            start = following

    told = parts(lambda start: legal.possible_orders(rules, state, seat, seats, [], start, lambda: True))
    sure = {(one.on, one.type, one.named) for one in told}
    assert {(one.on, one.type, one.named) for one in whole} <= sure, "what was not found out is told as unsure"
    assert all(one.unsure for one in told if (one.on, one.type, one.named) not in {tuple(w)[:3] for w in whole})
    for one in whole[:5]:
        every_value = legal.legal_values(rules, state, seat, seats, one.on, one.type, [], 0, never)

        def ask(start: int, one: legal.Possible = one) -> tuple[list[Any], int]:
            part = legal.legal_values(rules, state, seat, seats, one.on, one.type, [], start, lambda: True)
            return part.values, part.following

        assert parts(ask) == every_value.values


@pytest.mark.parametrize("name", ["swarm", "antshouse", "auction"])
def test_a_ruleset_that_lists_none_gets_all_legal_orders(name: str):
    """Derived from the checks: each is accepted, none is missing or there twice, and only active seats get any."""
    rules = GAMES[name][0]
    unlisted = type("Unlisted", (type(rules),), {"legal_orders": Ruleset.legal_orders})()
    for _, state, seat, seats in positions(name, Random(4), 8):
        derived = list(legal.legal_orders(unlisted, state, seat))
        assert [order for order in rules.legal_orders(state.plan(seat)) if order not in derived] == []
        assert [order for order in derived if not inserted(rules, state, order)] == []
        assert all(derived.count(order) == 1 for order in derived)
        for other in {*range(seats)} - {*find_phase(rules, state.phase).active(state.world)}:
            assert list(legal.legal_orders(unlisted, state, other)) == []
        assert list(legal.legal_orders(unlisted, replace(state, over=True), seat)) == []


def test_who_cannot_act_is_told_nothing_or_refused():
    rules, seats, options = GAMES["swarm"]
    state = opening(rules, parse_options(rules.options, options), seats, SEED).state
    (active,) = find_phase(rules, state.phase).active(state.world)
    other = 1 - active
    assert legal.possible_orders(rules, state, other, seats, [], 0, never) == ([], 0)
    with pytest.raises(Refusal):
        legal.legal_values(rules, state, other, seats, state.world.swarm(other), "Move Cube", [], 0, never)
    with pytest.raises(LookupError):
        legal.legal_values(rules, state, active, seats, state.world.swarm(active), "Jump", [], 0, never)


def test_a_piece_is_named_by_the_orders_that_another_object_carries():
    """Swarm: the hand carries the orders of all cubes."""
    rules, seats, options = GAMES["swarm"]
    state = opening(rules, parse_options(rules.options, options), seats, SEED).state
    (active,) = find_phase(rules, state.phase).active(state.world)
    cubes = [cube.id for cube in state.world.cubes.values() if cube.seat == active]
    found, _ = legal.possible_orders(rules, state, active, seats, cubes[:2], 0, never)
    if state.world.pending:
        pytest.skip("this seed begins with a double")
    assert {one.named for one in found} == set(cubes[:2])
    assert {one.on for one in found} == {state.world.swarm(active)}
