"""Send malformed and senseless orders to a ruleset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from tprules.api import Dice, Order, OrderType, Refusal, Ruleset, Seat
from tprules.api.order_checks import State, insertion, probe, removal
from tprules.testing.failures import fail
from tprules.testing.play import first_of_each_type
from tprules.testing.views import view

W = TypeVar("W")

VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2**31, 2**64, -(2**70), 1.5, float("nan"), "", "a\x00b", "x" * 70000, [], {}),
    *([None], [[]], [[1]], [[0, 0]], [[-1, 1]], [[2**70, 1]], [[1, 1], [1, 1]], [["a", "b"]]),
    *([0, 0, 0], [2**80, -1, 2.5], {"a": [1]}),
)

_VALUES_TRIED = 6
"""Bad values that are tried for each parameter, while the other parameters have good values."""

_IDS = (-1, 0, 1, 2**31, 2**32 - 1, 2**40)

_ADVICE = "bad input ends in a Refusal that names the parameter and what is allowed, whatever was sent"


def check_garbage(rules: Ruleset[W], state: State[W], seats: int, dice: Dice, number: int) -> int:
    """Send bad orders for each seat, ``number`` times of a random type, and return the number of refusals.

    Raises Nonconforming if one is neither refused with a Refusal nor accepted.
    """
    refused = 0
    for seat in range(seats):
        seen = view(rules, state.world, seat)
        own = sorted(oid for oid, shown in seen.items() if shown.owner == seat)
        others = sorted(oid for oid, shown in seen.items() if shown.owner != seat)
        good = first_of_each_type(rules, state, seat)
        for _ in range(number):
            kind = dice.pick(rules.orders)
            on = dice.pick(dice.pick([group for group in (own, others, list(_IDS)) if group]))
            sample = good.get(kind.name)
            for name, args, must_refuse in _bad_orders(kind, sample, dice):
                refused += _send(rules, state, seat, on, name, args, must_refuse or on not in own)
                if sample is not None:
                    refused += _send(rules, state, seat, sample.on, name, args, must_refuse)
            refused += _remove(rules, state, seat, on, dice.pick([-2, -1, 0, 1, 1000, 2**31]))
    return refused


def _bad_orders(
    kind: type[OrderType[Any]], sample: Order | None, dice: Dice
) -> Iterator[tuple[str, Mapping[str, Any], bool]]:
    """Yield order type, arguments, and whether any rules must refuse them."""
    junk: dict[str, Any] = {param: dice.pick(VALUES) for param in kind.params}
    args = junk if sample is None else dict(sample.args)
    yield kind.name, junk, False
    for param in kind.params:
        for bad in dice.shuffled(VALUES)[:_VALUES_TRIED]:
            yield kind.name, {**args, param: bad}, False
    yield kind.name, {**args, "no such parameter": 1}, True
    yield dice.pick(["", "no such order", kind.name.upper() + "!"]), args, True
    if kind.params:
        yield kind.name, {}, False


def _send(
    rules: Ruleset[W], state: State[W], seat: Seat, on: int, name: str, args: Mapping[str, Any], must_refuse: bool
) -> int:
    refused = 0
    for ask in (insertion, probe):
        what = f"{rules.name}: seat {seat} sends {name!r} on {on} with {str(args)[:200]}"
        try:
            ask(rules, state, seat, on, name, args)
        except Refusal as refusal:
            refused += 1
            if not refusal.text or not refusal.reason:
                fail(f"{what}: refused without a word", _ADVICE)
        except Exception as error:
            fail(f"{what}: {error!r} was raised", _ADVICE)
        else:
            if must_refuse:
                fail(f"{what}: accepted", "refuse unknown order types and parameters, and objects of others")
    return refused


def _remove(rules: Ruleset[W], state: State[W], seat: Seat, on: int, slot: int) -> int:
    try:
        removal(rules, state, seat, on, slot)
    except Refusal:
        return 1
    except Exception as error:
        fail(f"{rules.name}: seat {seat} removes slot {slot} of {on}: {error!r} was raised", _ADVICE)
    return 0
