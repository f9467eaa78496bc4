"""The base of all orders of units, and the names of their parameters (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tprules.api import Choice, ObjectRef, Oid, Order, OrderType, Plan
from tprules.kit.compass import DIRECTIONS
from tprules.kit.single_choice import one_of
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants.board import Place
from tprules.taller_ants.opening import SQUARE
from tprules.taller_ants.pieces import SLOTS
from tprules.taller_ants.refusals import refusal
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.units import Group, Queen, Spider, Unit
from tprules.taller_ants.world import World

UNIT_KINDS = ("spider", "group", "queen")

GOODS, TARGET, GROUP, EGG, NUMBER, CHOICE = "Goods", "Target", "Group", "Egg", "Number", "Choice"
DIRECTION, DIRECTIONS_DUG, END, SIZE, WITH, LIMIT = "Direction", "Directions", "End", "Size", "With", "Limit"
POINTS, CAPTIVES, COCOONED, RED_EGGS, BLACK_EGGS = "Points", "Captives", "Cocooned", "Red", "Black"

A_SQUARE = ObjectRef("The square", ("square", "ground"))
ONE_DIRECTION = one_of("One direction")

Args = Mapping[str, Any]


class Deed(OrderType[World]):
    """An order of a unit.  It may be given at any time, and is executed in the phase of its player."""

    lists: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Parameter name -> the items of its list, numbered from 1 (directions from 0)."""
    most: ClassVar[int] = 1
    """Maximum number of one item that can be selected."""
    is_action: ClassVar[bool] = True
    """Whether a spider that has done this cannot lay eggs in the same phase (R27)."""

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        """Execute the order and return the verdict, or raise Illegal."""
        raise NotImplementedError

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        first = 0 if self.lists[param] is DIRECTIONS else 1
        return [Choice(number, name, self.most) for number, name in enumerate(self.lists[param], first)]

    def judge(self, order: Order) -> None:
        """Raise a Refusal for arguments that are wrong in any position."""

    def check(self, plan: Plan[World], order: Order) -> None:
        """Check only the length of the queue, because the position will change before the order is executed."""
        if sum(before.on == order.on for before in plan.before) >= SLOTS:
            raise refusal("full", f"this queue is full; it holds {SLOTS} orders")


class OfSpider(Deed):
    kinds = ("spider",)

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        assert isinstance(unit, Spider), "only spiders take this order"
        return self.by_spider(scene, unit, order.args)

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        raise NotImplementedError


class OfGroup(Deed):
    kinds = ("group",)

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        assert isinstance(unit, Group), "only groups take this order"
        return self.by_group(scene, unit, order.args)

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        raise NotImplementedError


class OfQueen(Deed):
    kinds = ("queen",)

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        assert isinstance(unit, Queen), "only queens take this order"
        return self.by_queen(scene, unit, order)

    def by_queen(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        raise NotImplementedError


def square(world: World, args: Args) -> Place:
    """Return the square that an order names."""
    place = world.place_of(args[SQUARE])
    assert place is not None, "only squares are accepted"
    return place
