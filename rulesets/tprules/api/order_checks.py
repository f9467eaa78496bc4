"""Insert, replace, remove and probe orders: checks, drafts and stamps.

Also checks the whole plan. ``insertion``, ``replacement`` and ``removal`` change nothing. They return the Change, or
raise a Refusal. ``apply`` makes the change in the state. A host prepares its response between the two calls, and stores
the change after them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar

from tprules.api.objects import LONGEST_QUEUE as LONGEST_QUEUE
from tprules.api.objects import Shown
from tprules.api.orders import Order, OrderType, Plan
from tprules.api.params import Choice, ResourceList, Selection
from tprules.api.ruleset import Ruleset, find_order_type, find_phase
from tprules.api.turns import Phase
from tprules.api.types import Code, Oid, Refusal, Seat

W = TypeVar("W")


@dataclass
class State(Generic[W]):
    """The state of a game: the world, its phase, the order queues, and values cached from them."""

    world: W
    phase: str
    turn: int = 0
    """Number of turns that have been closed."""
    queues: dict[Oid, list[Order]] = field(default_factory=dict)
    stamp: int = 0
    """The last stamp of the state."""
    over: bool = False
    seen: dict[Seat | None, Mapping[Oid, str]] = field(default_factory=dict, repr=False, compare=False)
    """Cache: ``rules.sight`` of each seat, computed once a turn."""
    planned: dict[Seat, Plan[W]] = field(default_factory=dict, repr=False, compare=False)
    """Cache: the plan of each seat: one object until an order of the seat changes."""
    looks: dict[tuple[Oid, str], Shown] = field(default_factory=dict, repr=False, compare=False)
    """Cache: ``rules.show`` by object and level, computed once a turn."""
    found: dict[Seat, dict[str, tuple[list[Oid], list[Oid]]]] = field(default_factory=dict, repr=False, compare=False)
    """Cache: visible objects by seat and kind, the seat's own and all others, computed once a turn."""
    listing: Callable[[Seat], Iterable[tuple[Oid, Shown]]] | None = field(default=None, repr=False, compare=False)
    """Returns all objects that a seat sees, for hosts that already have them. If None, the rules compute them."""

    def sight(self, rules: Ruleset[W], seat: Seat | None) -> Mapping[Oid, str]:
        """Return ``rules.sight`` of the present world for this seat."""
        found = self.seen.get(seat)
        if found is None:
            found = self.seen[seat] = rules.sight(self.world, seat)
        return found

    def visible(self, rules: Ruleset[W], seat: Seat, kinds: tuple[str, ...], *, own: bool = False) -> list[Oid]:
        """Return the objects of these kinds (empty: all) that a seat sees, its own first, with ``own`` only those."""
        index = self.found.get(seat)
        if index is None:
            index = self.found[seat] = self._by_kind(rules, seat)
        groups = [group for kind, group in index.items() if not kinds or kind in kinds]
        found = sorted(oid for mine, _ in groups for oid in mine)
        if not own:
            found += sorted(oid for _, others in groups for oid in others)
        return found

    def _by_kind(self, rules: Ruleset[W], seat: Seat) -> dict[str, tuple[list[Oid], list[Oid]]]:
        if self.listing is not None:
            looks = self.listing(seat)
        else:
            looks = ((oid, self.look(rules, seat, oid)) for oid in self.sight(rules, seat))
        index: dict[str, tuple[list[Oid], list[Oid]]] = {}
        for oid, shown in looks:
            index.setdefault(shown.kind, ([], []))[shown.owner != seat].append(oid)
        return index

    def of_seat(self, seat: Seat) -> list[Order]:
        """Return the seat's orders in the order of their stamps, drafts included."""
        mine = [order for queue in self.queues.values() for order in queue if order.seat == seat]
        return sorted(mine, key=lambda order: order.stamp)

    def plan(self, seat: Seat) -> Plan[W]:
        """Return the plan that decides about an order appended now."""
        plan = self.planned.get(seat)
        if plan is None or plan.world is not self.world or plan.phase != self.phase:
            before = tuple(order for order in self.of_seat(seat) if not order.draft)
            plan = self.planned[seat] = Plan(self.world, self.phase, seat, before)
        return plan

    def plan_apart_from(self, seat: Seat, on: Oid) -> Plan[W]:
        """Return the seat's plan without the orders on the object ``on``. It decides about a probe."""
        plan = self.plan(seat)
        return plan._replace(before=tuple(order for order in plan.before if order.on != on))

    def without(self, on: Oid, slot: int) -> State[W]:
        """Return the state without the order in this slot. The world is shared with ``self``."""
        queue = self.queues[on]
        return replace(self, queues={**self.queues, on: [*queue[:slot], *queue[slot + 1 :]]}, planned={})

    def look(self, rules: Ruleset[W], seat: Seat, oid: Oid) -> Shown:
        """Return the look of an object for a seat. Raises KeyError if the seat does not see it."""
        key = (oid, self.sight(rules, seat)[oid])
        found = self.looks.get(key)
        if found is None:
            found = self.looks[key] = rules.show(self.world, *key)
        return found


class Change(NamedTuple):
    """A checked change of one order queue: the new queue, and the order inserted or removed."""

    on: Oid
    slot: int
    order: Order
    queue: tuple[Order, ...]
    stamp: int
    """The state's last stamp afterwards."""
    made_by: str = "insert"
    """The kind of the request: "insert", "remove" or "replace"."""


def plan_before(state: State[W], change: Change) -> Plan[W]:
    """Return the plan that decided about the order that a change inserts: the orders of its seat before it.

    ``state`` is the state before the change. A draft has no effect yet and comes after all other orders.
    """
    order = change.order
    before = state.without(order.on, change.slot) if change.made_by == "replace" else state
    plan = before.plan(order.seat)
    if order.draft or order.stamp > state.stamp:
        return plan
    return plan._replace(before=tuple(other for other in _planned_with(plan, change) if other.stamp < order.stamp))


def _planned_with(plan: Plan[W], change: Change) -> list[Order]:
    """Return the orders of a plan after a change, by stamp."""
    rest = [other for other in plan.before if other.on != change.on]
    return sorted((*rest, *(other for other in change.queue if not other.draft)), key=lambda other: other.stamp)


def apply(state: State[Any], change: Change) -> None:
    """Apply a checked change to the state."""
    order = change.order
    plan = state.planned.pop(order.seat, None)
    if plan is not None and change.made_by == "insert" and order.stamp > state.stamp and not order.draft:
        state.planned[order.seat] = plan._replace(before=(*plan.before, order))
    if change.queue:
        state.queues[change.on] = list(change.queue)
    else:
        state.queues.pop(change.on, None)
    state.stamp = max(state.stamp, change.stamp)


def insertion(
    rules: Ruleset[W], state: State[W], seat: Seat, on: Oid, name: str, args: Mapping[str, Any], slot: int = -1
) -> Change:
    """Return the change that inserts an order into the queue of the object ``on``, or raise a Refusal.

    ``name`` is the order type. ``args`` are raw arguments by parameter name. The order is inserted before position
    ``slot``, or at the end if that is -1. It becomes a draft if a refused argument is the default of its parameter.
    """
    order, blanks = screened(rules, state, Order(seat, on, name, args), slot)
    queue = state.queues.get(on, [])
    if slot == -1:
        slot = len(queue)
    if slot > len(queue):
        text = f"slot {slot} is beyond the end; this queue has {len(queue)} orders"
        raise _refuse(rules, "slot", Code.NO_SUCH_THING, text)
    if len(queue) >= LONGEST_QUEUE:
        raise _refuse(rules, "full", Code.UNAVAILABLE_TEMPORARILY, f"a queue holds at most {LONGEST_QUEUE} orders")
    change = replayed_insertion(state, order, slot)
    if order.draft:
        return change
    try:
        later = _check_inserted(rules, state, change)
    except Refusal as refusal:
        return replayed_insertion(state, drafted(rules, state, order, blanks, refusal), slot)
    _check_plan(rules, state, seat, later, later.index(change.order) + 1)
    _check_room(rules, state, change)
    return change


def removal(rules: Ruleset[W], state: State[W], seat: Seat, on: Oid, slot: int) -> Change:
    """Return the change that removes the order in ``slot`` from the queue of ``on``, or raise a Refusal."""
    for step in ("over", "nosuch", "owner"):
        _STEPS[step](rules, state, Order(seat, on, ""))
    gone = _order_in(rules, state, on, slot)
    later = state.plan(seat).before[-1:]
    if later and later[0].stamp > gone.stamp:
        _check_not_needed(rules, state, gone, state.without(on, slot))
    return replayed_removal(state, on, slot)


def replacement(
    rules: Ruleset[W], state: State[W], seat: Seat, on: Oid, name: str, args: Mapping[str, Any], slot: int
) -> Change:
    """Return the change that replaces the order in ``slot``, or raise a Refusal.

    The result is that of a removal and an insertion into the same slot, but checked as one change. The new order is
    checked without the old one. Later orders are checked with the new one in place of the old.
    """
    if not 0 <= slot < len(state.queues.get(on, ())):
        screened(rules, state, Order(seat, on, name, args))  # other refusals come first
    old = _order_in(rules, state, on, slot)
    rest = state.without(on, slot)
    change = insertion(rules, rest, seat, on, name, args, slot)
    apply(rest, change)
    _check_not_needed(rules, state, old, rest)
    return change._replace(made_by="replace")


def _order_in(rules: Ruleset[W], state: State[W], on: Oid, slot: int) -> Order:
    queue = state.queues.get(on, [])
    if not 0 <= slot < len(queue):
        text = f"there is no order in slot {slot}; this queue has {len(queue)}"
        raise _refuse(rules, "slot", Code.NO_SUCH_THING, text)
    return queue[slot]


def _check_not_needed(rules: Ruleset[W], state: State[W], gone: Order, after: State[W]) -> None:
    """Refuse the removal of the order ``gone`` if a later order is illegal in ``after``, the state after it."""
    if gone.draft or find_phase(rules, state.phase).removal == "free":
        return
    orders = list(after.plan(gone.seat).before)
    first = sum(order.stamp < gone.stamp for order in orders)
    try:
        _check_plan(rules, after, gone.seat, orders, first)
    except Refusal as refusal:
        text = f"an order given later needs this one; remove that first ({refusal.text})"
        raise Refusal(text, reason="needed") from None


def probe(rules: Ruleset[W], state: State[W], seat: Seat, on: Oid, name: str, args: Mapping[str, Any]) -> Order:
    """Return the order as it would be accepted if ``on`` had no orders, or raise a Refusal. Nothing changes.

    An order type that is not offered on the object is refused. Source: TP04, OrderProbe frame.
    """
    plan = state.plan_apart_from(seat, on)
    order, blanks = screened(rules, state, Order(seat, on, name, args), plan=plan)
    if order.draft:
        return order
    try:
        _type(rules, order).check(plan, order)
    except Refusal as refusal:
        return drafted(rules, state, order, blanks, refusal)
    _check_offered(rules, state, order)
    return order


class Blanks(NamedTuple):
    """The arguments of an order that are defaults of clients.

    Clients send them before their user has chosen a value.
    """

    defaults: frozenset[str] = frozenset()
    """Names of the parameters with such an argument."""
    unsaid: bool = False
    """True if one of these may not be the player's choice.

    Its declaration excludes the default, or leaves it open.
    """

    def excuse(self, refusal: Refusal) -> bool:
        """Return whether a missing choice may be the cause of the refusal."""
        return refusal.param in self.defaults if refusal.param else self.unsaid


_NO_BLANKS = Blanks()


def judge(
    rules: Ruleset[W], state: State[W], seat: Seat, on: Oid, name: str
) -> Callable[[Mapping[str, Any]], Order | Refusal]:
    """Return a function that judges raw arguments of an order at the end of the queue of ``on``.

    It returns the order as it would be accepted, without drafts, or the refusal. The result is that of ``insertion``,
    but faster for many arguments. Raises a Refusal if no arguments would be accepted.
    """
    bare = Order(seat, on, name)
    for step in rules.checks.steps:
        if step in _STEPS:
            _STEPS[step](rules, state, bare)
    kind = _type(rules, bare)
    queue = state.queues.get(on, [])
    if len(queue) >= LONGEST_QUEUE:
        raise _refuse(rules, "full", Code.UNAVAILABLE_TEMPORARILY, f"a queue holds at most {LONGEST_QUEUE} orders")
    steps = rules.checks.steps
    own = [step for step in steps if not isinstance(step, str)]
    has_check = type(kind).check is not OrderType.check
    has_choice = "choice" in steps and any(isinstance(p, Selection | ResourceList) for p in kind.params.values())
    plan = state.plan(seat)
    stamp = state.stamp + 1
    offers: dict[str, dict[int, Choice]] = {}
    has_room = False
    """Becomes true with the first order that has a slot, as all others have one then."""

    def judged(args: Mapping[str, Any]) -> Order | Refusal:
        nonlocal has_room
        try:
            values, is_draft, _ = _arguments(rules, kind, args)
            if is_draft or None in values.values():
                return _refuse(rules, "form", Code.FRAME, "something is still to be chosen")
            order = Order(seat, on, name, values, stamp)
            if has_choice:
                _check_choice(rules, state, plan, order, offers)
            for check in own:
                check(plan, order)
            if has_check:
                kind.check(plan, order)
            if not has_room:
                _check_room(rules, state, replayed_insertion(state, order, len(queue)))
                has_room = True
        except Refusal as refused:
            return refused
        return order

    return judged


def screened(
    rules: Ruleset[W], state: State[W], order: Order, slot: int = -1, plan: Plan[W] | None = None
) -> tuple[Order, Blanks]:
    """Run the steps of ``rules.checks``, and return the parsed order and its blanks.

    The order becomes a draft if a default is not accepted. ``slot`` is the position of the insertion. ``plan`` decides
    about the order; None means the seat's whole plan. Raises Refusal.
    """
    blanks = _NO_BLANKS
    excused: Refusal | None = None
    for step in rules.checks.steps:
        if step == "form":
            order, blanks = _parsed(rules, order, slot)
        elif not isinstance(step, str):
            try:
                step(plan or state.plan(order.seat), _filled(rules, order))
            except Refusal as refusal:
                if not blanks.excuse(refusal):
                    raise
                excused = excused or refusal
                order = order._replace(draft=True)
        elif step == "choice":
            _check_choice(rules, state, plan, order)
        else:
            _STEPS[step](rules, state, order)
    if order.draft:
        _check_draft(rules, state, order, excused)
    return order, blanks


def drafted(rules: Ruleset[W], state: State[W], order: Order, blanks: Blanks, refusal: Refusal) -> Order:
    """Return an order refused by ``check`` as a draft, or raise the refusal if no missing choice is its cause."""
    if not blanks.excuse(refusal):
        raise refusal
    _check_draft(rules, state, order, refusal)
    return order._replace(draft=True)


def replayed_insertion(state: State[Any], order: Order, slot: int) -> Change:
    """Return the change of an insertion that was accepted earlier, without checks, to replay a journal.

    The stamps in the queue and a new one are assigned again from first to last. So they rise within the queue.
    """
    queue = state.queues.get(order.on, [])
    last = state.stamp + 1
    if slot == len(queue):
        order = Order(order.seat, order.on, order.type, order.args, last, order.draft)
        return Change(order.on, slot, order, (*queue, order), last)
    queue = [*queue[:slot], order, *queue[slot:]]
    stamps = sorted([*(other.stamp for other in queue if other is not order), last])
    queue = [
        Order(other.seat, other.on, other.type, other.args, stamp, other.draft)
        for other, stamp in zip(queue, stamps, strict=True)
    ]
    return Change(order.on, slot, queue[slot], tuple(queue), last)


def replayed_removal(state: State[Any], on: Oid, slot: int) -> Change:
    """Return the change of a removal that was accepted earlier, without checks, to replay a journal."""
    queue = state.queues[on]
    return Change(on, slot, queue[slot], (*queue[:slot], *queue[slot + 1 :]), state.stamp, "remove")


def replayed_replacement(state: State[Any], order: Order, slot: int) -> Change:
    """Return the change of a replacement that was accepted earlier, without checks, to replay a journal."""
    return replayed_insertion(state.without(order.on, slot), order, slot)._replace(made_by="replace")


def _check_inserted(rules: Ruleset[W], state: State[W], change: Change) -> list[Order]:
    """Check the inserted order, and return the orders among which later ones need another check.

    They are the seat's whole plan, or only the new order if it comes last.
    """
    order = change.order
    kind = _type(rules, order)
    if order.stamp > state.stamp:
        if type(kind).check is not OrderType.check:
            kind.check(state.plan(order.seat), order)
        return [order]
    plan = state.plan(order.seat)
    orders = _planned_with(plan, change)
    kind.check(plan._replace(before=tuple(orders[: orders.index(order)])), order)
    return orders


def _check_room(rules: Ruleset[W], state: State[W], change: Change) -> None:
    """Refuse an order for which the queue has no slot.

    It runs after the ruleset's check, which may give a better reason.
    """
    most = rules.kinds[state.look(rules, change.order.seat, change.on).kind].slots
    if len(change.queue) > most and sum(not order.draft for order in change.queue) > most:
        raise _refuse(rules, "full", Code.UNAVAILABLE_TEMPORARILY, f"this queue holds at most {most} orders")


def _check_plan(rules: Ruleset[W], state: State[W], seat: Seat, orders: list[Order], first: int) -> None:
    for index in range(first, len(orders)):
        order = orders[index]
        kind = _type(rules, order)
        if type(kind).check is not OrderType.check:
            kind.check(Plan(state.world, state.phase, seat, tuple(orders[:index])), order)


def _type(rules: Ruleset[W], order: Order) -> OrderType[W]:
    kind = find_order_type(rules, order.type)
    if kind is None:
        raise _refuse(rules, "kind", Code.NO_SUCH_THING, f"there is no order {order.type!r} in this game")
    return kind


def _refuse(rules: Ruleset[Any], step: str, code: Code, text: str, param: str = "") -> Refusal:
    return rules.checks.reword(Refusal(text, param, reason=step, code=code))


def _check_over(rules: Ruleset[W], state: State[W], order: Order) -> None:
    if state.over:
        raise _refuse(rules, "over", Code.UNAVAILABLE_PERMANENTLY, "the game is over; no more orders are taken")


def _check_seen(rules: Ruleset[W], state: State[W], order: Order) -> None:
    if order.on not in state.sight(rules, order.seat):
        if rules.is_gone(state.world, order.seat, order.on):
            raise _refuse(rules, "gone", Code.GONE, f"object {order.on} no longer exists")
        raise _refuse(rules, "nosuch", Code.NO_SUCH_THING, f"there is no object {order.on}")


def _check_owner(rules: Ruleset[W], state: State[W], order: Order) -> None:
    if state.look(rules, order.seat, order.on).owner != order.seat:
        raise _refuse(rules, "owner", Code.PERMISSION_DENIED, f"object {order.on} is not yours to command")


def _check_kind(rules: Ruleset[W], state: State[W], order: Order) -> None:
    shown = state.look(rules, order.seat, order.on)
    if shown.kind not in _type(rules, order).kinds:
        text = f"{shown.name} does not take the order {order.type}"
        raise _refuse(rules, "kind", Code.UNAVAILABLE_PERMANENTLY, text)


def _check_phase(rules: Ruleset[W], state: State[W], order: Order) -> None:
    phase: Phase[W] = find_phase(rules, state.phase)
    if not any(kind.name == order.type for kind in (*phase.orders, *phase.deferred_orders)):
        possible = ", ".join(kind.name for kind in phase.takes()) or "none"
        text = f"{order.type} is not possible in this phase of the game (possible now: {possible})"
        raise _refuse(rules, "phase", Code.UNAVAILABLE_TEMPORARILY, text)


def _check_active(rules: Ruleset[W], state: State[W], order: Order) -> None:
    phase: Phase[W] = find_phase(rules, state.phase)
    if order.seat not in phase.active(state.world) and order.seat not in phase.planners(state.world):
        raise _refuse(rules, "active", Code.UNAVAILABLE_TEMPORARILY, "it is not your turn to give orders")


def _check_choice(
    rules: Ruleset[W],
    state: State[W],
    plan: Plan[W] | None,
    order: Order,
    known: dict[str, dict[int, Choice]] | None = None,
) -> None:
    """Refuse a selection that is not offered. ``known`` caches the offers by parameter, for further arguments."""
    kind = _type(rules, order)
    known = {} if known is None else known
    for name, param in kind.params.items():
        if isinstance(param, Selection | ResourceList) and order.args[name]:
            offers = known.get(name)
            if offers is None:
                plan = plan or state.plan(order.seat)
                offers = known[name] = {offer.id: offer for offer in kind.choices(plan, order.on, name)}
            for chosen, count in order.args[name]:
                if chosen not in offers or count > offers[chosen].most:
                    possible = ", ".join(f"{offer.id} {offer.name} (up to {offer.most})" for offer in offers.values())
                    text = f"{name}: {count} of {chosen} is not offered here (possible: {possible or 'nothing'})"
                    raise _refuse(rules, "choice", Code.FRAME, text, name)


def _filled(rules: Ruleset[Any], order: Order) -> Order:
    """Return the order with values in place of the missing arguments of a draft."""
    if not order.draft:
        return order
    params = _type(rules, order).params
    args = {name: params[name].stand_in(order.seat) if v is None else v for name, v in order.args.items()}
    return order._replace(args=args)


def _check_offered(rules: Ruleset[W], state: State[W], order: Order) -> None:
    shown = state.look(rules, order.seat, order.on)
    if not _type(rules, order).offered(state.world, order.seat, order.on, shown):
        text = f"{shown.name} does not take the order {order.type} now"
        raise _refuse(rules, "kind", Code.UNAVAILABLE_PERMANENTLY, text)


def _check_draft(rules: Ruleset[W], state: State[W], order: Order, excused: Refusal | None = None) -> None:
    """Refuse a draft that no choice could make legal. The ruleset's own check cannot judge it yet.

    ``excused`` is the ruleset's earlier refusal, if any. If it names no parameter, no choice was missing. Its reason
    then has priority.
    """
    try:
        for step, check in _STEPS.items():
            if step not in rules.checks.steps:
                check(rules, state, order)
        _check_offered(rules, state, order)
    except Refusal as refusal:
        raise (excused if excused is not None and not excused.param else refusal) from None


def _parsed(rules: Ruleset[W], order: Order, slot: int) -> tuple[Order, Blanks]:
    kind = _type(rules, order)
    if slot < -1:
        raise _refuse(rules, "form", Code.FRAME, f"a slot is -1 for the end or a number from 0, not {slot}")
    args, draft, blanks = _arguments(rules, kind, order.args)
    return Order(order.seat, order.on, order.type, args, order.stamp, draft), blanks


def _arguments(
    rules: Ruleset[W], kind: OrderType[W], raw_args: Mapping[str, Any]
) -> tuple[dict[str, Any], bool, Blanks]:
    """Return the parsed arguments, whether they make the order a draft, and the blanks."""
    params = kind.params
    for name in raw_args:
        if name not in params:
            raise _refuse(rules, "form", Code.FRAME, f"{kind.name} has no parameter {name!r}", name)
    args = {}
    blanks, draft = _NO_BLANKS, False
    for name, param in params.items():
        raw = raw_args.get(name)
        if name in raw_args and param.is_default(raw):
            allowed = param.allows_default(rules.kinds)
            blanks = Blanks(blanks.defaults | {name}, blanks.unsaid or not allowed)
            draft = draft or allowed is False
            raw = param.default
        try:
            args[name] = param.parse(name, raw)
        except Refusal as refusal:
            if name not in blanks.defaults:
                raise _refuse(rules, refusal.reason, refusal.code, refusal.text, refusal.param or name) from None
            args[name] = None
    return args, draft, blanks


_STEPS: dict[str, Callable[[Ruleset[Any], State[Any], Order], None]] = {
    "over": _check_over,
    "nosuch": _check_seen,
    "owner": _check_owner,
    "kind": _check_kind,
    "phase": _check_phase,
    "active": _check_active,
}
"""Name in ``Checks.steps`` -> the function for it. A draft must pass all of them, even if ``steps`` omits one."""
