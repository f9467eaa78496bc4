"""The orders: those of the setup and of any unit, the list of all, and when they are refused (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tprules.api import Choice, ObjectRef, Oid, Order, OrderType, Param, Plan, Selection
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants import ants, spiders
from tprules.taller_ants.actions import A_SQUARE, EGG, GOODS, SQUARE, UNIT_KINDS, Action, Scene, refusal, square
from tprules.taller_ants.ant_orders import (
    Bridge,
    CollectWeb,
    Excavate,
    FeedQueen,
    GroupAttack,
    Harvest,
    Lay,
    Merge,
    RaiseQueen,
    Regroup,
    Split,
    Stance,
    Unbridge,
    Ward,
)
from tprules.taller_ants.paths import move
from tprules.taller_ants.pieces import SETUP_SLOTS
from tprules.taller_ants.spider_orders import (
    Attack,
    BuildWeb,
    Cocoon,
    DestroyWeb,
    Eat,
    FeedEgg,
    Heal,
    LayEggs,
    Reaction,
    SpanWeb,
    Wrap,
)
from tprules.taller_ants.views import kind_of, owner_of, sees
from tprules.taller_ants.world import Group, Spider, Unit, World

_MANY = 9999
"""More of anything than can be carried: a selection may exceed what is there now, as it is executed later."""

# Setup.


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


# Everybody.


class Move(Action):
    number = 2
    name = "Move"
    help = "Go to a square by the cheapest way, over several phases if need be"
    kinds = UNIT_KINDS
    params = {SQUARE: A_SQUARE}

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        return move(scene, unit, square(scene.world, order.args))


class Wait(Action):
    number = 3
    name = "Wait"
    help = "Let all other units act first"
    kinds = UNIT_KINDS
    counts_as_done = False

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        return Verdict.LAST


class _Goods(Action):
    """An order about goods; spiders and groups have different kinds of them."""

    kinds = ("spider", "group")
    most = _MANY
    of_spiders: ClassVar[tuple[str, ...]] = ("captives", "cocooned ants", "eggs", "fed eggs")
    of_groups: ClassVar[tuple[str, ...]] = ("food", "cocooned ants", "eggs", "web points")
    not_of_spiders: ClassVar[int] = 0
    not_of_groups: ClassVar[int] = 0
    """The kind of goods on the list that groups cannot use in this order."""

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        mine = owner_of(plan.world, on) == plan.seat
        kind = kind_of(plan.world, on) if mine else None
        offers: dict[int, str] = {}
        if kind != "group":
            offers |= {n: name for n, name in enumerate(self.of_spiders, 1) if n != self.not_of_spiders}
        if kind != "spider":
            offers |= {n: name for n, name in enumerate(self.of_groups, 1) if n != self.not_of_groups}
        return [Choice(number, name, self.most) for number, name in sorted(offers.items())]


class Drop(_Goods):
    number = 4
    name = "Drop"
    help = "Put down what is carried; below, ants spread food over the squares of their colony that they touch"
    params = {GOODS: Selection("What to put down, and how much")}
    not_of_groups = ants.COCOONED

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        goods = spiders.numbers(order.args[GOODS])
        if isinstance(unit, Spider):
            return spiders.drop(scene, unit, goods)
        assert isinstance(unit, Group), "queens carry nothing"
        return ants.drop(scene, unit, goods)


class PickUp(_Goods):
    number = 5
    name = "Pick Up"
    help = "Pick up what lies on a touching square, as much as is there and can be carried"
    params = {SQUARE: A_SQUARE, GOODS: Selection("What to pick up, and how much")}
    not_of_spiders = spiders.CAPTIVES

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        place, goods = square(scene.world, order.args), spiders.numbers(order.args[GOODS])
        if isinstance(unit, Spider):
            return spiders.pick_up(scene, unit, place, goods)
        assert isinstance(unit, Group), "queens carry nothing"
        return ants.pick_up(scene, unit, place, goods)


# All of them.

SETUP_ORDERS: tuple[type[OrderType[World]], ...] = (PlaceSpider, ChooseHole)

REGROUPING: dict[str, Regroup] = {kind.name: kind() for kind in (Merge, Split)}

_ACTIONS: tuple[type[Action], ...] = (
    Move,
    Wait,
    Drop,
    PickUp,
    Heal,
    Eat,
    FeedEgg,
    BuildWeb,
    SpanWeb,
    DestroyWeb,
    Cocoon,
    Wrap,
    Attack,
    LayEggs,
    Reaction,
    Excavate,
    CollectWeb,
    Bridge,
    Unbridge,
    Harvest,
    Ward,
    GroupAttack,
    RaiseQueen,
    Stance,
    Merge,
    Split,
    Lay,
    FeedQueen,
)
UNIT_ORDERS: tuple[type[OrderType[World]], ...] = _ACTIONS
ORDERS = SETUP_ORDERS + UNIT_ORDERS

ACTIONS: dict[str, Action] = {kind.name: kind() for kind in _ACTIONS}

_TYPES: dict[str, OrderType[World]] = {kind.name: kind() for kind in ORDERS}


def judge(plan: Plan[World], order: Order) -> None:
    """Raise the first Refusal from ``BadOrder`` to ``NoSuchThing`` that is left after the form check (RULES.md, section
    4)."""
    world, seat = plan.world, order.seat
    kind = _TYPES[order.type]
    objects = {name: param.kinds for name, param in kind.params.items() if isinstance(param, ObjectRef)}
    for name, kinds in objects.items():
        _judge_object(world, order, name, kinds)
    if not sees(world, seat, order.on):
        raise refusal("nosuch", f"there is no object {order.on}")
    if kind_of(world, order.on) not in kind.kinds:
        raise refusal("kind", f"object {order.on} does not take the order {order.type}")
    if owner_of(world, order.on) != seat:
        raise refusal("owner", f"object {order.on} is not yours to command")
    for name in objects:
        if not sees(world, seat, order.args[name]):
            raise refusal("nosuch", f"there is no object {order.args[name]}", name)


def _judge_object(world: World, order: Order, name: str, kinds: Sequence[str]) -> None:
    """Refuse an object that the seat sees and that cannot be meant by the parameter ``name``."""
    oid = order.args[name]
    if not sees(world, order.seat, oid):
        return
    wanted = " or ".join(kinds)
    if kind_of(world, oid) not in kinds:
        raise refusal("form", f"{name}: object {oid} is no {wanted}", name)
    if name == EGG and oid in world.units and oid != order.on:
        raise refusal("form", f"{name}: give a {kinds[0]}, or the number of the unit itself", name)
    if order.type == GroupAttack.name and owner_of(world, oid) == order.seat:
        raise refusal("form", f"{name}: object {oid} is your own", name)
