"""Check that hidden information does not leak.

Anything that a seat cannot see must not change a response to it. So worlds that look the same to a seat must give it
the same responses. Such worlds come from three sources. They are openings with different seeds, turns with other orders
of the other seats, and the author's ``disguise`` function.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, TypeAlias, TypeVar

from tprules.api import Dice, Number, Oid, Order, OrderType, Refusal, ResourceList, Ruleset, Seat, Selection, canonical
from tprules.api.advance import Advanced, advance, copied, opening
from tprules.api.bots import Bot, has_bot
from tprules.api.legal import legal_orders
from tprules.api.order_checks import State, apply, insertion, probe
from tprules.api.ruleset import find_order_type, find_phase
from tprules.testing.differences import first_difference
from tprules.testing.failures import fail
from tprules.testing.play import give_orders
from tprules.testing.views import knowledge, standing, view

W = TypeVar("W")

Answer: TypeAlias = list[Any]

Disguise: TypeAlias = Callable[[Any, Seat | None, Dice], Any]
"""Takes a world, a seat and dice. Returns a world with other secrets that must look and answer the same to the seat."""

_PAIRS = 6
"""Maximum pairs of openings that are continued for each seat."""
_TURNS = 8
"""Maximum turns of a pair."""
_ASKED = 24
"""Maximum legal orders that are tried in each pair of worlds. Half as many are also tried on other objects."""

_KNOWN = "known() keeps what the seat sees, and replaces what is hidden from it by something that is always the same"
_ADVICE = (
    "check(), choices() and offered() may use only what the seat sees; judge the rest when the order is executed, "
    "or show the fact to the seat"
)


def compare_openings(rules: Ruleset[W], options: Mapping[str, Any], seats: int, seed: str, twins: int) -> int:
    """Compare openings that look the same to a seat, and play them while they do.

    Returns the number of equal answers.
    """
    first = [opening(rules, dict(options), seats, f"{seed} twin {number}".encode()) for number in range(twins)]
    agreed = 0
    for seat in range(seats):
        alike: dict[str, list[int]] = {}
        for number, opened in enumerate(first):
            alike.setdefault(knowledge(rules, opened.state, seat), []).append(number)
        pairs = [pair for group in alike.values() for pair in pairwise(group)]
        different = [pair for pair in pairs if _differ(rules, first[pair[0]].state, first[pair[1]].state)]
        for one, other in different[:_PAIRS]:
            keys = (f"{seed} twin {one}".encode(), f"{seed} twin {other}".encode())
            states = (copied(rules, first[one].state), copied(rules, first[other].state))
            agreed += _follow(rules, states, keys, seat, Dice.named(seed.encode(), "pair", one, other))
    return agreed


def compare_orders(rules: Ruleset[W], state: State[W], seed: bytes, bot: Bot | None, dice: Dice) -> int:
    """Close a phase several times with different orders of the other seats, and compare the results.

    Only results that look the same to a seat are compared. Returns the number of equal answers.
    """
    agreed = 0
    for seat in find_phase(rules, state.phase).active(state.world):
        same: dict[str, Advanced[W]] = {}
        for _ in range(3):
            branch = copied(rules, state)
            for other in find_phase(rules, state.phase).active(state.world):
                if other != seat:
                    for on in [on for on, queue in branch.queues.items() if queue[0].seat == other]:
                        del branch.queues[on]
                    give_orders(rules, branch, bot, dice, only=other)
            done = advance(rules, branch, seed)
            told = knowledge(rules, done.state, seat) + repr(_told(done, seat))
            if told in same and _differ(rules, same[told].state, done.state):
                _same_known(rules, same[told].state, done.state, seat)
                agreed += _compare(rules, same[told].state, done.state, seat, dice)
            same.setdefault(told, done)
    return agreed


def compare_disguised(rules: Ruleset[W], state: State[W], seats: int, disguise: Disguise, dice: Dice) -> int:
    """Compare the state with disguised ones. Return the number of equal answers."""
    agreed = 0
    for seat in [None, *range(seats)]:
        other = copied(rules, state)
        other.world = disguise(other.world, seat, dice)
        where = first_difference(view(rules, state.world, seat), view(rules, other.world, seat), "object")
        if where:
            who = "a spectator" if seat is None else f"seat {seat}"
            fail(
                f"{rules.name}: what {who} sees tells a secret: {where}",
                "compare show() for both worlds; sight() must give such objects a level that hides the secret",
            )
        _same_standing(rules, state, other, seats, seat)
        if seat is not None and not state.over:
            _same_known(rules, state, other, seat)
            agreed += _compare(rules, state, other, seat, dice)
    return agreed


def check_known(rules: Ruleset[W], state: State[W], seat: Seat, dice: Dice) -> int:
    """Compare the world as the seat knows it with the true one. Return the number of equal answers."""
    if not _has_known(rules):
        return 0
    other = copied(rules, state)
    other.world = rules.known(other.world, seat)
    where = first_difference(view(rules, state.world, seat), view(rules, other.world, seat), "object")
    if where:
        fail(f"{rules.name}: the world that known() gives seat {seat} looks different to it: {where}", _KNOWN)
    where = first_difference(_dumped(rules, other.world), _dumped(rules, rules.known(other.world, seat)), "dump")
    if where:
        fail(f"{rules.name}: known() of the world that seat {seat} knows is another world: {where}", _KNOWN)
    return _compare(rules, state, other, seat, dice)


def _same_known(rules: Ruleset[W], one: State[W], other: State[W], seat: Seat) -> None:
    """Fail if ``known`` differs for two worlds that look the same to the seat."""
    if _has_known(rules):
        known = [_dumped(rules, rules.known(state.world, seat)) for state in (one, other)]
        where = first_difference(known[0], known[1], "dump")
        if where:
            fail(
                f"{rules.name}: two worlds look the same to seat {seat}, but known() tells them apart: {where}", _KNOWN
            )


def _same_standing(rules: Ruleset[W], one: State[W], other: State[W], seats: int, seat: Seat | None) -> None:
    """Fail if the scores, actions or regions of a seat differ for two worlds that look the same to it."""
    names = ("scores", "actions", "regions")
    told = [dict(zip(names, standing(rules, state, seats, seat), strict=True)) for state in (one, other)]
    where = first_difference(told[0], told[1], "standing")
    if where:
        who = "a spectator" if seat is None else f"seat {seat}"
        fail(
            f"{rules.name}: two worlds look the same to {who}, but scores(), actions() or regions() tells them apart: "
            f"{where}",
            "leave out what the seat cannot know; None stands for a spectator",
        )


def _has_known(rules: Ruleset[Any]) -> bool:
    """Return whether the ruleset defines the knowledge of a seat.

    It does so with ``known``, or because its bot gets the world itself.
    """
    return type(rules).known is not Ruleset.known or has_bot(rules)


def _dumped(rules: Ruleset[W], world: W) -> Any:
    return json.loads(canonical(rules.dump(world)))


def _follow(
    rules: Ruleset[W], states: tuple[State[W], State[W]], keys: tuple[bytes, bytes], seat: Seat, dice: Dice
) -> int:
    agreed = 0
    for number in range(_TURNS):
        one, other = states
        if one.over or other.over:
            break
        agreed += _compare(rules, one, other, seat, dice)
        for order in _asked(rules, one, other, seat, dice)[:1]:
            if _same_answer(rules, one, other, seat, order)[0] == "accepted":
                for state in states:
                    apply(state, insertion(rules, state, seat, order.on, order.type, order.args))
        done = tuple(advance(rules, state, key) for state, key in zip(states, keys, strict=True))
        told = [(knowledge(rules, each.state, seat), _told(each, seat)) for each in done]
        if told[0] != told[1]:
            break
        states = (done[0].state, done[1].state)
        dice = Dice.named(b"follow", dice.below(2**32), number)
    return agreed


def _compare(rules: Ruleset[W], one: State[W], other: State[W], seat: Seat, dice: Dice) -> int:
    where = first_difference(offers(rules, one, seat), offers(rules, other, seat), "offers")
    if where:
        fail(f"{rules.name}: two worlds look the same to seat {seat}, but other orders are offered: {where}", _ADVICE)
    _same_standing(rules, one, other, max(rules.seats), seat)
    asked = _asked(rules, one, other, seat, dice)
    for order in asked:
        _same_answer(rules, one, other, seat, order)
    return len(asked)


def _same_answer(rules: Ruleset[W], one: State[W], other: State[W], seat: Seat, order: Order) -> Answer:
    answers = answer(rules, one, order), answer(rules, other, order)
    if answers[0] != answers[1]:
        what = f"{order.type} on {order.on} with {dict(order.args)}"
        fail(
            f"{rules.name}: two worlds look the same to seat {seat}, but {what} is answered with {answers[0]} in "
            f"one and with {answers[1]} in the other",
            _ADVICE,
        )
    return answers[0]


def _asked(rules: Ruleset[W], one: State[W], other: State[W], seat: Seat, dice: Dice) -> list[Order]:
    """Return the orders to try.

    They are orders that are legal in either world, and some of them on other objects of the seat. There are also orders
    without any choice, because an accepted draft must not reveal more than a refusal.
    """
    found: dict[bytes, Order] = {}
    for state in (one, other):
        for order in legal_orders(rules, state, seat):
            found.setdefault(canonical(order.dump()), order)
    moves = dice.shuffled(found[key] for key in sorted(found))[:_ASKED]
    own = sorted(oid for oid, shown in view(rules, one.world, seat).items() if shown.owner == seat)
    swapped = [Order(seat, dice.pick(own), order.type, order.args) for order in moves[: _ASKED // 2]] if own else []
    types = [kind() for kind in find_phase(rules, one.phase).takes()]
    blank = [Order(seat, dice.pick(own), kind.name, unset(kind)) for kind in types] if own else []
    return moves + swapped + blank


def _told(done: Advanced[Any], seat: Seat) -> list[Any]:
    """Return the information about a closing that the seat gets."""
    mine = [report[1:] for report in done.reports if report.to in (None, seat)]
    return [mine, [(event.name, dict(event.facts)) for event in done.events]]


def _differ(rules: Ruleset[W], one: State[W], other: State[W]) -> bool:
    return canonical(rules.dump(one.world)) != canonical(rules.dump(other.world))


# The responses to a seat's orders, in a form for comparison between worlds that look the same.


def answer(rules: Ruleset[W], state: State[W], order: Order) -> Answer:
    """Return the answers of insertion and probe to the order: accepted, draft, or the complete refusal."""
    said: Answer = []
    for ask in (insertion, probe):
        try:
            found = ask(rules, state, order.seat, order.on, order.type, order.args)
            taken = found if isinstance(found, Order) else found.order
            said.append("draft" if taken.draft else "accepted")
            kind = find_order_type(rules, taken.type)
            if kind is not None and not taken.draft:
                said.append(kind.doubt(state.plan(taken.seat), taken))
        except Refusal as refusal:
            said.append([int(refusal.code), refusal.reason, refusal.text, refusal.param])
    return said


def unset(kind: OrderType[Any]) -> dict[str, Any]:
    """Return the arguments that clients send before any choice of their user."""
    return {name: None if isinstance(param, Number) else param.default for name, param in kind.params.items()}


def offers(rules: Ruleset[W], state: State[W], seat: Seat) -> list[tuple[Oid, str, Answer]]:
    """Return the orders offered on the seat's own objects, with the choices of their lists."""
    found: list[tuple[Oid, str, Answer]] = []
    for oid, shown in sorted(view(rules, state.world, seat).items()):
        if shown.owner != seat:
            continue
        for declared in find_phase(rules, state.phase).takes():
            kind = find_order_type(rules, declared.name)
            if kind is None or shown.kind not in kind.kinds or not kind.offered(state.world, seat, oid, shown):
                continue
            lists = [name for name, param in kind.params.items() if isinstance(param, Selection | ResourceList)]
            found.append((oid, kind.name, [list(kind.choices(state.plan(seat), oid, name)) for name in lists]))
    return found
