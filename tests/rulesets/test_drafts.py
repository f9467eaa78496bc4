"""Drafts: orders with default values, as graphical clients insert them.

They are tested for every type of parameter (wire.md, "pywx"). A default that the declaration excludes makes the order a
draft. For any other default the rules are asked, and if they refuse the order because of it, that is a draft, too. A
legal default is taken as chosen. An order with another fault is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tprules.api import (
    Checks,
    Choice,
    Code,
    Coordinates,
    Kind,
    Number,
    ObjectRef,
    Oid,
    Order,
    OrderType,
    Outcome,
    Param,
    Phase,
    Plan,
    PlayerRef,
    Refusal,
    ResourceList,
    Role,
    Ruleset,
    Selection,
    Shown,
    String,
    Turns,
    canonical,
)
from tprules.api.advance import advance, dump_state, load_state, opening
from tprules.api.order_checks import State, apply, insertion, plan_before, probe

UNIVERSE, MINE, OTHERS = range(3)
IT = "it"

LEGAL, BLAMES, SILENT, BUSY = "legal", "blames", "silent", "busy"
"""Answers of the rules to the default: none; it is wrong; something is wrong; you are too late."""


class Form(OrderType[list[str]]):
    """An order with one parameter."""

    kinds = ("box",)
    says: ClassVar[str]
    default: ClassVar[Any]

    def choices(self, plan: Plan[list[str]], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(1, "one", 3), Choice(2, "two", 3)]

    def offered(self, world: list[str], seat: int, on: Oid, shown: Shown) -> bool:
        return "closed" not in world

    def check(self, plan: Plan[list[str]], order: Order) -> None:
        if self.says == BUSY:
            raise Refusal("too late", reason="busy")
        if self.says != LEGAL and order.args[IT] == self.default:
            raise Refusal("that is wrong", IT if self.says == BLAMES else "", reason="wrong", code=Code.FRAME)


class Case(NamedTuple):
    """A declaration, a raw default, what a draft keeps of it, and whether the declaration allows it."""

    param: Param
    raw: Any
    kept: Any
    allows: bool | None


CASES = {
    "object": Case(ObjectRef("", ("box",)), 0, 0, False),
    "object or none": Case(ObjectRef("", ("universe", "box")), 0, 0, True),
    "any object": Case(ObjectRef(""), 0, 0, None),
    "player": Case(PlayerRef(""), -1, None, False),
    "place": Case(Coordinates(""), [0, 0, 0], [0, 0, 0], None),
    "turns": Case(Turns("", 1, 9), 0, None, False),
    "turns -1": Case(Turns("", 1, 9), -1, None, False),
    "turns or none": Case(Turns("", 0, 9), 0, 0, True),
    "turns -1 or none": Case(Turns("", 0, 9), -1, 0, True),
    "number": Case(Number("", 1, 9), None, None, False),
    "number in steps": Case(Number("", -5, 9, 3), None, None, False),
    "number below 0": Case(Number("", -5, 9, 2), None, -1, True),
    "pick": Case(Selection(""), [], [], False),
    "pick or none": Case(Selection("", least=0), (), [], True),
    "words": Case(String(""), "", "", True),
    "amounts": Case(ResourceList(""), [], [], None),
}
ILLEGAL: dict[type[Param], Any] = {
    ObjectRef: -1,
    PlayerRef: -2,
    Coordinates: [0, 0],
    Turns: -2,
    Number: -7,
    Selection: [[9, 1]],
    String: 7,
    ResourceList: [[9, 1]],
}


def _types() -> dict[tuple[str, str], type[Form]]:
    made = {}
    for at, case in CASES.items():
        for says in (LEGAL, BLAMES, SILENT, BUSY):
            name = f"{at}, {says}"
            body = {"number": len(made), "name": name, "params": {IT: case.param}, "says": says, "default": case.kept}
            made[at, says] = type("Made", (Form,), body)
    return made


TYPES = _types()
WAYS = sorted(TYPES)


class Forms(Ruleset[list[str]]):
    name, version = "forms", 1
    seats = range(2, 3)
    orders = tuple(TYPES.values())
    kinds = {"universe": Kind(Role.UNIVERSE, "Universe"), "box": Kind(Role.PLANET, "Box")}
    phases = (Phase("fill", lambda world: (0, 1), orders, (lambda turn: turn.queues.clear(),), lambda world: "fill"),)

    def setup(self, options: Mapping[str, Any], seats: int, dice: Any) -> list[str]:
        return []

    def dump(self, world: list[str]) -> Any:
        return list(world)

    def load(self, data: Any, version: int) -> list[str]:
        return list(data)

    def sight(self, world: list[str], seat: int | None) -> Mapping[Oid, str]:
        return dict.fromkeys(range(3), "")

    def show(self, world: list[str], oid: Oid, level: str) -> Shown:
        return Shown("universe", "All") if oid == UNIVERSE else Shown("box", "Box", owner=oid - MINE)

    def outcome(self, world: list[str]) -> Outcome | None:
        return None

    def legal_orders(self, plan: Plan[list[str]]) -> Iterable[Order]:
        return ()


RULES = Forms()


@pytest.fixture
def state() -> State[list[str]]:
    return opening(RULES, {}, 2, b"").state


def expected(at: str, says: str) -> str:
    """Return what becomes of an order with the default: accepted, draft, or the reason of its refusal."""
    allows = CASES[at].allows
    if allows is False:
        return "draft"
    if says == LEGAL:
        return "accepted"
    if says == BLAMES:
        return "draft"
    return "draft" if allows is None else {SILENT: "wrong", BUSY: "busy"}[says]


def answered(ask: Any, state: State[list[str]], at: str, says: str, raw: Any, on: Oid = MINE) -> tuple[str, Any]:
    try:
        found = ask(RULES, state, 0, on, TYPES[at, says].name, {IT: raw})
    except Refusal as refusal:
        return refusal.reason, None
    order = found if isinstance(found, Order) else found.order
    return "draft" if order.draft else "accepted", order.args[IT]


@pytest.mark.parametrize("ask", [insertion, probe])
@pytest.mark.parametrize(("at", "says"), WAYS)
def test_a_default_is_taken_as_said_or_makes_a_draft(state, ask, at, says):
    """Whatever the declaration excludes, or the rules refuse because of it; all else stays refused."""
    case = CASES[at]
    found, kept = answered(ask, state, at, says, case.raw)
    assert found == expected(at, says)
    if found in ("draft", "accepted"):
        assert kept == case.kept
    assert not state.queues


@pytest.mark.parametrize("ask", [insertion, probe])
@pytest.mark.parametrize("at", CASES)
def test_any_other_illegal_value_is_refused(state, ask, at):
    """And a legal one is never a draft, whatever the rules say."""
    found, _ = answered(ask, state, at, LEGAL, ILLEGAL[type(CASES[at].param)])
    assert found in ("form", "choice")


@pytest.mark.parametrize("says", [SILENT, BUSY, BLAMES])
def test_a_number_that_is_only_too_low_is_no_default(state, says):
    """Graphical clients send -1 in all fields of a range; a -1 for a number from 1 is a mistake like any other."""
    assert answered(insertion, state, "number", says, -1)[0] == "form"


@pytest.mark.parametrize("ask", [insertion, probe])
def test_what_the_common_checks_refuse_is_refused(state, ask):
    """Not yours, not there, not offered, over: nothing could be made of such a draft."""
    for at in CASES:
        for says in (BLAMES, SILENT):
            if expected(at, says) == "draft":
                raw = CASES[at].raw
                assert answered(ask, state, at, says, raw, OTHERS)[0] == "owner"
                assert answered(ask, state, at, says, raw, UNIVERSE)[0] == "owner"
                assert answered(ask, state, at, says, raw, 77)[0] == "nosuch"
    state.world.append("closed")
    for at in CASES:
        if expected(at, BLAMES) == "draft":
            assert answered(ask, state, at, BLAMES, CASES[at].raw)[0] == "kind"
    assert answered(probe, state, "words", LEGAL, "hello")[0] == "kind", "a probe of what is not offered"
    state.over = True
    assert answered(ask, state, "object", LEGAL, 0)[0] == "over"


def test_a_draft_counts_for_nothing_is_kept_and_dropped(state):
    """It survives a dump, is no order before another, and its owner alone hears that it is gone."""
    for at, says in WAYS:
        if expected(at, says) == "draft":
            apply(state, insertion(RULES, state, 0, MINE, TYPES[at, says].name, {IT: CASES[at].raw}))
    assert len(state.queues[MINE]) > len(CASES)
    assert state.plan(0).before == ()
    again = load_state(RULES, json.loads(canonical(dump_state(RULES, state))))
    assert again.queues == state.queues
    done = advance(RULES, again, b"")
    assert done.state.queues == {}
    assert [(report.to, report.subject) for report in done.reports] == [(0, "Drafts dropped")]


def test_a_draft_may_stand_before_another_order(state):
    """As graphical clients put it there; the orders behind it are not asked again."""
    apply(state, insertion(RULES, state, 0, MINE, TYPES["words", LEGAL].name, {IT: "hello"}))
    change = insertion(RULES, state, 0, MINE, TYPES["any object", BLAMES].name, {IT: 0}, 0)
    assert plan_before(state, change) == state.plan(0), "it has no effect yet, and comes after all others"
    apply(state, change)
    assert [order.draft for order in state.queues[MINE]] == [True, False]


class Bazaar(OrderType[list[str]]):
    """An order with one parameter of each type, none of whose defaults is allowed."""

    number, name, kinds = 1000, "Bazaar", ("box",)
    params = {name: case.param for name, case in CASES.items() if case.allows is False}

    def choices(self, plan: Plan[list[str]], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(1, "one", 3), Choice(2, "two", 3)]


def names_a_box(plan: Plan[list[str]], order: Order) -> None:
    for name, value in order.args.items():
        Bazaar.params[name].parse(name, value)
    if order.args["object"] not in (MINE, OTHERS):
        raise Refusal("that is no box", "object", reason="nobox", code=Code.NO_SUCH_THING)


class AllForms(Forms):
    """Its own check is asked about drafts, too: with values that would parse."""

    name = "all_forms"
    orders = (Bazaar,)
    phases = (Phase("fill", lambda world: (0, 1), orders, (lambda turn: turn.queues.clear(),), lambda world: "fill"),)

    checks = Checks((*Checks().steps, names_a_box))


ALL = AllForms()
LEGAL_VALUES = {
    "object": OTHERS,
    "player": 1,
    "turns": 3,
    "turns -1": 3,
    "number": 4,
    "number in steps": -2,
    "pick": [[2, 1]],
}


@given(st.sets(st.sampled_from(sorted(LEGAL_VALUES))), st.sampled_from([UNIVERSE, MINE, OTHERS, 9]))
def test_a_draft_is_what_has_a_default_and_nothing_else_wrong(unset, on):
    """It is a draft if any parameter is still a default, and only on an object of the player."""
    state = opening(ALL, {}, 2, b"").state
    args = {name: CASES[name].raw if name in unset else value for name, value in LEGAL_VALUES.items()}
    for ask in (insertion, probe):
        try:
            found = ask(ALL, state, 0, on, Bazaar.name, args)
        except Refusal as refusal:
            assert on != MINE
            assert refusal.reason in ("owner", "nosuch")
            continue
        order = found if isinstance(found, Order) else found.order
        assert on == MINE
        assert order.draft == bool(unset)
        assert {name: order.args[name] for name in args if name not in unset} == {
            name: value for name, value in LEGAL_VALUES.items() if name not in unset
        }
