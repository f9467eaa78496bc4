"""Replaced orders in a queue, compared with an independent statement.

The plans are random.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tprules.api import (
    Choice,
    Dice,
    Kind,
    Number,
    Order,
    OrderType,
    Outcome,
    Phase,
    Plan,
    Refusal,
    Role,
    Ruleset,
    Selection,
    Shown,
    canonical,
)
from tprules.api.advance import dump_state, load_state, opening
from tprules.api.order_checks import State, apply, insertion, probe, removal, replacement, replayed_replacement

BOXES = (1, 2)
"""The objects of the one seat that take orders; box 3 is the other seat's."""


def held(plan: Plan[None]) -> set[int]:
    """Return the things that are out of the store after the orders planned before."""
    out: set[int] = set()
    for order in plan.before:
        (out.add if order.type == "Get" else out.discard)(order.args["thing"])
    return out


class Get(OrderType[None]):
    number, name, kinds = 1, "Get", ("box",)
    params = {"thing": Number("Which one", 1, 3)}

    def check(self, plan: Plan[None], order: Order) -> None:
        if order.args["thing"] in held(plan):
            raise Refusal("it is out already", reason="out")


class Give(OrderType[None]):
    number, name, kinds = 2, "Give", ("box",)
    params = {"thing": Number("Which one", 1, 3)}

    def check(self, plan: Plan[None], order: Order) -> None:
        if order.args["thing"] not in held(plan):
            raise Refusal("it is not out", "thing", reason="in")


class Sell(OrderType[None]):
    number, name, kinds = 3, "Sell", ("box",)
    params = {"things": Selection("Which ones")}

    def choices(self, plan: Plan[None], on: int, param: str) -> list[Choice]:
        sold = {thing for order in plan.before if order.type == "Sell" for thing, _ in order.args["things"]}
        return [Choice(thing, f"thing {thing}") for thing in (1, 2, 3) if thing not in sold]


class Store(Ruleset[None]):
    """Things are got out of a store and given back; plans are what is tested, nothing else happens."""

    name = "store"
    seats = range(2, 3)
    orders = (Get, Give, Sell)
    kinds = {"world": Kind(Role.UNIVERSE, "World"), "box": Kind(Role.PLANET, "Box", slots=4)}
    phases = (Phase("plan", lambda world: (0, 1), (Get, Give, Sell), (), lambda world: "plan"),)

    def setup(self, options: Mapping[str, Any], seats: int, dice: Dice) -> None:
        return None

    def dump(self, world: None) -> Any:
        return None

    def load(self, data: Any, version: int) -> None:
        return None

    def sight(self, world: None, seat: int | None) -> Mapping[int, str]:
        return {0: "", 1: "", 2: "", 3: ""}

    def show(self, world: None, oid: int, level: str) -> Shown:
        return Shown("box", "Box", owner=oid // 3) if oid else Shown("world", "World")

    def outcome(self, world: None) -> Outcome | None:
        return None

    def legal_orders(self, plan: Plan[None]) -> Iterable[Order]:
        return ()


class Free(Store):
    """The same where an order may be taken out though a later one needs it."""

    phases = (Phase("plan", lambda world: (0, 1), (Get, Give, Sell), (), lambda world: "plan", removal="free"),)


STRICT, FREE = Store(), Free()


class Request(NamedTuple):
    """One request for box ``on``; ``thing`` None is the default of a client whose user has not chosen yet."""

    verb: str
    on: int
    slot: int
    type: str
    thing: int | None


REQUESTS = st.lists(
    st.builds(
        Request,
        st.sampled_from(["insert", "insert", "remove", "replace", "replace"]),
        st.sampled_from(BOXES),
        st.sampled_from([-1, -1, 0, 0, 1, 2, 4]),
        st.sampled_from(["Get", "Give"]),
        st.sampled_from([1, 1, 1, 2, 3, None]),
    ),
    min_size=10,
    max_size=30,
)
"""Mostly of one thing, so that orders depend on each other across the two boxes."""

Row = tuple[int, str, int | None]
"""Stamp, type and thing; drafts have no thing."""


def rows(state: State[None]) -> dict[int, list[Row]]:
    """Return the queues in the words of the statement below."""
    return {
        on: [(one.stamp, one.type, None if one.draft else one.args["thing"]) for one in queue]
        for on, queue in state.queues.items()
    }


def is_legal(queues: Mapping[int, list[Row]]) -> bool:
    """Return whether everything planned can be done in the order of the stamps."""
    out: set[int] = set()
    for _, kind, thing in sorted(row for queue in queues.values() for row in queue if row[2] is not None):
        if (kind == "Get") == (thing in out):
            return False
        (out.add if kind == "Get" else out.discard)(thing)  # type: ignore[arg-type] # no draft is here
    return True


def replaced(queues: dict[int, list[Row]], last: int, asked: Request) -> dict[int, list[Row]]:
    """Return the queues with the new order in the slot; the queue's stamps, with the next one, rise from the first."""
    queue = list(queues[asked.on])
    del queue[asked.slot]
    stamps = [*(stamp for stamp, _, _ in queue), last + 1]
    queue.insert(asked.slot, (0, asked.type, asked.thing))
    dealt = [(stamp, kind, thing) for stamp, (_, kind, thing) in zip(sorted(stamps), queue, strict=True)]
    return {**queues, asked.on: dealt}


def removed(queues: dict[int, list[Row]], asked: Request) -> dict[int, list[Row]]:
    """Return the queues without the order in the slot."""
    rest = {**queues, asked.on: [*queues[asked.on][: asked.slot], *queues[asked.on][asked.slot + 1 :]]}
    return {on: queue for on, queue in rest.items() if queue}


def opened(rules: Store) -> State[None]:
    return opening(rules, {}, 2, b"seed").state


def ask(rules: Store, state: State[None], asked: Request) -> bool:
    """Ask for it; return whether it was done."""
    args = {"thing": asked.thing}
    try:
        if asked.verb == "insert":
            change = insertion(rules, state, 0, asked.on, asked.type, args, asked.slot)
        elif asked.verb == "remove":
            change = removal(rules, state, 0, asked.on, asked.slot)
        else:
            change = replacement(rules, state, 0, asked.on, asked.type, args, asked.slot)
    except Refusal:
        return False
    apply(state, change)
    return True


@settings(max_examples=100)
@given(REQUESTS)
def test_a_replacement_or_removal_is_taken_if_and_only_if_the_new_plan_is_legal(requests: list[Request]) -> None:
    state = opened(STRICT)
    for asked in requests:
        before, dumped = rows(state), canonical(dump_state(STRICT, state))
        done = ask(STRICT, state, asked)
        if not done:
            assert canonical(dump_state(STRICT, state)) == dumped
        if asked.verb == "insert":
            continue
        is_there = 0 <= asked.slot < len(before.get(asked.on, []))
        expected = before
        if is_there:
            last = state.stamp - done
            expected = removed(before, asked) if asked.verb == "remove" else replaced(before, last, asked)
        assert done == (is_there and is_legal(expected))
        assert rows(state) == (expected if done else before)


@given(REQUESTS)
def test_a_plan_that_is_kept_is_the_one_that_is_worked_out_anew(requests: list[Request]) -> None:
    """After each change, and in a game that was loaded."""
    state = opened(FREE)
    for asked in requests:
        ask(FREE, state, asked)
        again = load_state(FREE, dump_state(FREE, state))
        assert state.plan(0) == again.plan(0)
        assert rows(state) == rows(again)


@given(REQUESTS)
def test_what_the_journal_replays_is_what_was_done(requests: list[Request]) -> None:
    state = opened(STRICT)
    for asked in requests:
        before = load_state(STRICT, dump_state(STRICT, state))
        if ask(STRICT, state, asked) and asked.verb == "replace":
            order = state.queues[asked.on][asked.slot]._replace(stamp=0)
            apply(before, replayed_replacement(before, order, asked.slot))
            assert dump_state(STRICT, before) == dump_state(STRICT, state)


@pytest.mark.parametrize(
    ("seat", "on", "slot", "expected"),
    [
        (0, 1, 1, "slot"),
        (0, 1, -1, "slot"),
        (0, 2, 0, "slot"),
        (0, 3, 0, "owner"),
        (1, 1, 0, "owner"),
        (0, 9, 0, "nosuch"),
    ],
)
def test_only_an_own_order_that_is_there_is_replaced(seat: int, on: int, slot: int, expected: str) -> None:
    """The refusal reveals nothing of another's queue, not even if it has an order."""
    state = opened(STRICT)
    for owner, box in ((0, 1), (1, 3)):
        apply(state, insertion(STRICT, state, owner, box, "Get", {"thing": 1}))
    with pytest.raises(Refusal) as refused:
        replacement(STRICT, state, seat, on, "Get", {"thing": 2}, slot)
    assert refused.value.reason == expected


def test_what_a_later_order_needs_is_not_replaced() -> None:
    """The refusal says so; where orders may be taken out freely it is allowed."""
    for rules in (STRICT, FREE):
        state = opened(rules)
        for on, kind in ((1, "Get"), (2, "Give")):
            apply(state, insertion(rules, state, 0, on, kind, {"thing": 1}))
        if rules is STRICT:
            with pytest.raises(
                Refusal, match=r"an order given later needs this one; remove that first \(it is not out\)"
            ):
                replacement(rules, state, 0, 1, "Get", {"thing": 2}, 0)
        else:
            assert replacement(rules, state, 0, 1, "Get", {"thing": 2}, 0).queue[0].args == {"thing": 2}


def test_an_order_in_a_full_queue_is_replaced() -> None:
    """It needs no slot of its own."""
    state = opened(STRICT)
    for thing, kind in ((1, "Get"), (1, "Give"), (1, "Get"), (2, "Get")):
        apply(state, insertion(STRICT, state, 0, 1, kind, {"thing": thing}))
    with pytest.raises(Refusal, match="at most 4 orders"):
        insertion(STRICT, state, 0, 1, "Get", {"thing": 3})
    assert replacement(STRICT, state, 0, 1, "Get", {"thing": 3}, 3).queue[3].args == {"thing": 3}


def test_a_probe_may_choose_what_the_orders_of_its_own_queue_have_taken() -> None:
    """It is judged as if the object had no orders; those of other objects count."""
    state = opened(STRICT)
    for box, thing in ((1, 1), (2, 2)):
        apply(state, insertion(STRICT, state, 0, box, "Sell", {"things": [[thing, 1]]}))
    assert probe(STRICT, state, 0, 1, "Sell", {"things": [[1, 1]]}).args == {"things": [[1, 1]]}
    with pytest.raises(Refusal, match="1 of 2 is not offered here"):
        probe(STRICT, state, 0, 1, "Sell", {"things": [[2, 1]]})
