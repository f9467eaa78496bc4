"""The answers of a ruleset to a seat's orders, in a form that can be compared between worlds that look the same."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

from tprules.api import Oid, Order, OrderType, Refusal, Ruleset, Seat
from tprules.api.order_checks import State, insertion, probe
from tprules.api.params import Number, ResourceList, Selection
from tprules.testing.views import view

W = TypeVar("W")

Answer: TypeAlias = list[Any]


def answer(rules: Ruleset[W], state: State[W], order: Order) -> Answer:
    """Return the answers of insertion and probe to the order: accepted, draft, or the complete refusal."""
    said: Answer = []
    for ask in (insertion, probe):
        try:
            found = ask(rules, state, order.seat, order.on, order.type, order.args)
            taken = found if isinstance(found, Order) else found.order
            said.append("draft" if taken.draft else "accepted")
        except Refusal as refusal:
            said.append([int(refusal.code), refusal.reason, refusal.text, refusal.param])
    return said


def unset(kind: OrderType[Any]) -> dict[str, Any]:
    """Return the arguments that clients send before their user has chosen anything."""
    return {name: None if isinstance(param, Number) else param.default for name, param in kind.params.items()}


def offers(rules: Ruleset[W], state: State[W], seat: Seat) -> list[tuple[Oid, str, Answer]]:
    """Return the orders offered on the seat's own objects, with the choices of their lists."""
    found: list[tuple[Oid, str, Answer]] = []
    for oid, shown in sorted(view(rules, state.world, seat).items()):
        if shown.owner != seat:
            continue
        for declared in rules.phase(state.phase).takes():
            kind = rules.order_type(declared.name)
            if kind is None or shown.kind not in kind.kinds or not kind.offered(state.world, seat, oid, shown):
                continue
            lists = [name for name, param in kind.params.items() if isinstance(param, Selection | ResourceList)]
            found.append((oid, kind.name, [list(kind.choices(state.plan(seat), oid, name)) for name in lists]))
    return found
