"""The orders: those of the setup, the list of all, when they are refused, and which are legal (RULES.md, section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from tprules.api import ObjectRef, Order, OrderType, Param, Plan
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import ants, combat, goods, paths, spiders
from tprules.taller_ants.actions import A_SQUARE, EGG, SQUARE, UNIT_KINDS, Action, Scene, refusal
from tprules.taller_ants.views import SETUP_SLOTS, kind_of, owner_of, sees
from tprules.taller_ants.world import SETUP, SPIDER_SEAT, Unit, World

MOST_PLANNED = 4
"""Maximum orders of one unit for which legal ones are offered: the position in which later ones are executed is
unknown."""


class _Setup(OrderType[World]):
    params: ClassVar[Mapping[str, Param]] = {SQUARE: A_SQUARE}

    def check(self, plan: Plan[World], order: Order) -> None:
        if sum(before.on == order.on for before in plan.before) >= SETUP_SLOTS:
            raise refusal("full", "you have chosen already; remove that order first")


class PlaceSpider(_Setup):
    number = 0
    name = "Place Spider"
    help = "Choose where the first spider starts: on land, three squares or more from fungus, not on an ant hole"
    kinds = ("brood",)


class ChooseHole(_Setup):
    number = 1
    name = "Choose Hole"
    help = "Choose where your ant hole is: on soil or grass in your half (seat 1 has the south)"
    kinds = ("colony",)


class Wait(Action[Unit]):
    number = 3
    name = "Wait"
    help = "Let all other units act first"
    kinds = UNIT_KINDS
    counts_as_done = False

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        return Verdict.LAST


SETUP_ORDERS: tuple[type[OrderType[World]], ...] = (PlaceSpider, ChooseHole)
UNIT_ORDERS: tuple[type[Action[Any]], ...] = (
    paths.Move,
    Wait,
    goods.Drop,
    goods.PickUp,
    spiders.Heal,
    spiders.Eat,
    spiders.FeedEgg,
    spiders.BuildWeb,
    spiders.SpanWeb,
    spiders.DestroyWeb,
    spiders.Cocoon,
    spiders.Wrap,
    combat.Attack,
    spiders.LayEggs,
    spiders.Reaction,
    ants.Excavate,
    ants.CollectWeb,
    ants.Bridge,
    ants.Unbridge,
    ants.Harvest,
    ants.Ward,
    combat.GroupAttack,
    ants.RaiseQueen,
    ants.Stance,
    ants.Merge,
    ants.Split,
    ants.Lay,
    ants.FeedQueen,
)
ORDERS = SETUP_ORDERS + UNIT_ORDERS

ACTIONS: dict[str, Action[Any]] = {kind.name: kind() for kind in UNIT_ORDERS}
_TYPES = {kind.name: kind for kind in ORDERS}


def judge(plan: Plan[World], order: Order) -> None:
    """Raise the first Refusal from ``BadOrder`` to ``NoSuchThing`` that is left after the form check (RULES.md, section
    4)."""
    world, seat = plan.world, order.seat
    kind = _TYPES[order.type]
    objects = {name: param.kinds for name, param in kind.params.items() if isinstance(param, ObjectRef)}
    for name, kinds in objects.items():
        oid = order.args[name]
        if not sees(world, seat, oid):
            continue
        if kind_of(world, oid) not in kinds:
            raise refusal("form", f"{name}: object {oid} is no {' or '.join(kinds)}", name)
        if name == EGG and oid in world.units and oid != order.on:
            raise refusal("form", f"{name}: give a {kinds[0]}, or the number of the unit itself", name)
        if kind is combat.GroupAttack and owner_of(world, oid) == seat:
            raise refusal("form", f"{name}: object {oid} is your own", name)
    if not sees(world, seat, order.on):
        raise refusal("nosuch", f"there is no object {order.on}")
    if kind_of(world, order.on) not in kind.kinds:
        raise refusal("kind", f"object {order.on} does not take the order {order.type}")
    if owner_of(world, order.on) != seat:
        raise refusal("owner", f"object {order.on} is not yours to command")
    for name in objects:
        if not sees(world, seat, order.args[name]):
            raise refusal("nosuch", f"there is no object {order.args[name]}", name)


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``, in its own phase: not all of many equal ones."""
    world, seat = plan.world, plan.seat
    if world.ended:
        return
    if world.stage == SETUP:
        if not plan.before:
            name = PlaceSpider.name if seat == SPIDER_SEAT else ChooseHole.name
            for place in range(world.board.area):
                if world.start_allowed(place) if seat == SPIDER_SEAT else world.hole_allowed(seat, place):
                    yield Order(seat, world.home(seat) + 1, name, {SQUARE: world.system(place)})
        return
    if seat != world.active:
        return
    if world.offers is None:
        world.offers = [
            Order(seat, unit.id, action.name, args)
            for unit in world.own(seat)
            for action in ACTIONS.values()
            if kind_of(world, unit.id) in action.kinds
            for args in action.legal(world, unit)
        ]
    planned = Counter(before.on for before in plan.before)
    for order in world.offers:
        if planned[order.on] < MOST_PLANNED:
            yield order
