"""The orders: what they ask for, when they are refused, and which deed each one is (page, 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tprules.api import (
    Choice,
    Number,
    ObjectRef,
    Oid,
    Order,
    OrderType,
    Param,
    Pick,
    Plan,
)
from tprules.kit.compass import DIRECTIONS
from tprules.kit.pick_one import chosen, one_of
from tprules.kit.sequence import Verdict
from tprules.taller_ants import ants, queens, spiders
from tprules.taller_ants.board import Place
from tprules.taller_ants.opening import SQUARE
from tprules.taller_ants.paths import move
from tprules.taller_ants.refusals import refusal
from tprules.taller_ants.scene import Scene
from tprules.taller_ants.views import kind_of, owner_of, sees
from tprules.taller_ants.world import Group, Queen, Spider, Unit, World

SLOTS = 16
"""Orders in the queue of a unit."""
SETUP_SLOTS = 1

UNIT_KINDS = ("spider", "group", "queen")

GOODS, TARGET, GROUP, EGG, NUMBER, CHOICE = "Goods", "Target", "Group", "Egg", "Number", "Choice"
DIRECTION, DIRECTIONS_DUG, END, SIZE, WITH, LIMIT = "Direction", "Directions", "End", "Size", "With", "Limit"
POINTS, CAPTIVES, COCOONED, RED_EGGS, BLACK_EGGS = "Points", "Captives", "Cocooned", "Red", "Black"

_MANY = 9999
"""More of anything than can be carried: a selection is about what will be there when it is carried out."""

_SQUARE = ObjectRef("The square", ("square", "ground"))
_ONE_DIRECTION = one_of("One direction")

Args = Mapping[str, Any]


class Deed(OrderType[World]):
    """An order of a unit: it is given at any time and carried out in the phase of its player."""

    lists: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """What a list parameter offers, numbered from 1 (directions from 0)."""
    most: ClassVar[int] = 1
    """How many of one thing on a list can be selected."""
    is_action: ClassVar[bool] = True
    """Whether a spider that has done this can no more lay eggs in the phase (R27)."""

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        """Carry the order out, or raise Illegal."""
        raise NotImplementedError

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        first = 0 if self.lists[param] is DIRECTIONS else 1
        return [Choice(number, name, self.most) for number, name in enumerate(self.lists[param], first)]

    def judge(self, order: Order) -> None:
        """Raise a Refusal for arguments that are bad whatever the position is."""

    def check(self, plan: Plan[World], order: Order) -> None:
        """Judge only the length of the queue: the position will be another one."""
        if sum(before.on == order.on for before in plan.before) >= SLOTS:
            raise refusal("full", f"this queue is full; it holds {SLOTS} orders")


class _OfSpider(Deed):
    kinds = ("spider",)

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        assert isinstance(unit, Spider), "only spiders take this order"
        return self.by_spider(scene, unit, order.args)

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        raise NotImplementedError


class _OfGroup(Deed):
    kinds = ("group",)

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        assert isinstance(unit, Group), "only groups take this order"
        return self.by_group(scene, unit, order.args)

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        raise NotImplementedError


class _OfQueen(Deed):
    kinds = ("queen",)

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        assert isinstance(unit, Queen), "only queens take this order"
        return self.by_queen(scene, unit, order)

    def by_queen(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        raise NotImplementedError


# Setup.


class _Setup(OrderType[World]):
    params: ClassVar[Mapping[str, Param]] = {SQUARE: _SQUARE}

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


class Move(Deed):
    number = 2
    name = "Move"
    help = "Go to a square by the cheapest way, over several phases if need be"
    kinds = UNIT_KINDS
    params = {SQUARE: _SQUARE}

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        return move(scene, unit, square(scene.world, order.args))


class Wait(Deed):
    number = 3
    name = "Wait"
    help = "Let all other units act first"
    kinds = UNIT_KINDS
    is_action = False

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        return Verdict.LAST


class _Goods(Deed):
    """An order about goods; spiders and groups have different kinds of them."""

    kinds = ("spider", "group")
    most = _MANY
    of_spiders: ClassVar[tuple[str, ...]] = ("captives", "cocooned ants", "eggs", "fed eggs")
    of_groups: ClassVar[tuple[str, ...]] = ("food", "cocooned ants", "eggs", "web points")
    not_of_spiders: ClassVar[int] = 0
    not_of_groups: ClassVar[int] = 0
    """The kind on the list that this order has no use for."""

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
    params = {GOODS: Pick("What to put down, and how much")}
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
    params = {SQUARE: _SQUARE, GOODS: Pick("What to pick up, and how much")}
    not_of_spiders = spiders.CAPTIVES

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        place, goods = square(scene.world, order.args), spiders.numbers(order.args[GOODS])
        if isinstance(unit, Spider):
            return spiders.pick_up(scene, unit, place, goods)
        assert isinstance(unit, Group), "queens carry nothing"
        return ants.pick_up(scene, unit, place, goods)


# Spiders.


class Heal(_OfSpider):
    number = 10
    name = "Heal"
    help = "Regain hit points, one for each move point"
    params = {POINTS: Number("Hit points", 1, 10)}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.heal(scene, spider, args[POINTS])


class Eat(_OfSpider):
    number = 11
    name = "Eat"
    help = "Eat ants that it carries: a captive gives 2 hit points, a cocooned ant 4"
    params = {CAPTIVES: Number("Captives", 0, 50), COCOONED: Number("Cocooned ants", 0, 50)}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.eat(scene, spider, args[CAPTIVES], args[COCOONED])


class FeedEgg(_OfSpider):
    number = 12
    name = "Feed Egg"
    help = "Feed eggs, one ant each; a spider hatches from each at the beginning of your next phase"
    params = {
        EGG: ObjectRef("A touching clutch, or the spider itself for eggs that it carries", ("clutch", "spider")),
        WITH: one_of("What to feed them"),
        NUMBER: Number("How many eggs", 1, 5),
    }
    lists = {WITH: ("captive", "cocooned ant")}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.feed_egg(scene, spider, args[EGG], chosen(args, WITH), args[NUMBER])


class BuildWeb(_OfSpider):
    number = 13
    name = "Build Web"
    help = "Build a web on a touching square, for 1 move point and 1 hit point"
    params = {SQUARE: _SQUARE}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.build_web(scene, spider, square(scene.world, args))


class SpanWeb(_OfSpider):
    number = 14
    name = "Span Web"
    help = "Build webs across water, for 1 move point and 1 hit point a square"
    params = {DIRECTION: _ONE_DIRECTION}
    lists = {DIRECTION: DIRECTIONS}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.span_web(scene, spider, chosen(args, DIRECTION))


class DestroyWeb(_OfSpider):
    number = 15
    name = "Destroy Web"
    help = "Destroy a touching web"
    params = {SQUARE: _SQUARE}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.destroy_web(scene, spider, square(scene.world, args))


class Cocoon(_OfSpider):
    number = 16
    name = "Cocoon"
    help = (
        "Cocoon ants that stand on a touching web: one or two for 2 move points and 1 hit point, "
        "or a whole group of up to five for 5 move points and 3 hit points"
    )
    params = {
        GROUP: ObjectRef("The group of ants", ("group",)),
        SIZE: one_of("One or two ants, or the whole group"),
        NUMBER: Number("How many, if small", 1, 2),
    }
    lists = {SIZE: ("small", "large")}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.cocoon(scene, spider, args[GROUP], chosen(args, SIZE), args[NUMBER])


class Wrap(_OfSpider):
    number = 17
    name = "Wrap"
    help = "Cocoon captives, for 1 move point each"
    params = {NUMBER: Number("How many", 1, 50)}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.wrap(scene, spider, args[NUMBER])


class Attack(_OfSpider):
    number = 18
    name = "Attack"
    help = "Attack touching ants, once in a phase"
    params = {
        TARGET: ObjectRef("A group of ants or a queen", ("group", "queen")),
        CHOICE: one_of("What to do with ants that lose"),
        LIMIT: Number("How many to kill at most, 0 for all", 0, 6),
    }
    lists = {CHOICE: ("kill", "take one")}

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.attack(scene, spider, args[TARGET], chosen(args, CHOICE), args[LIMIT])


class LayEggs(_OfSpider):
    number = 19
    name = "Lay Eggs"
    help = "Lay ten eggs for 10 hit points and a whole phase; without a hit point left the spider dies"

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        return spiders.lay_eggs(scene, spider)


class Reaction(_OfSpider):
    number = 20
    name = "Reaction"
    help = "What to do with ants that attack the spider and lose"
    params = {CHOICE: one_of("Kill them, or take one")}
    lists = {CHOICE: ("kill", "take one")}
    is_action = False

    def by_spider(self, scene: Scene, spider: Spider, args: Args) -> Verdict:
        spider.reaction = chosen(args, CHOICE)
        return Verdict.DONE


# Groups of ants.


class Excavate(_OfGroup):
    number = 30
    name = "Excavate"
    help = "Dig out dirt around, below: for a move point as many squares as the group has ants, twice that if black"
    params = {DIRECTIONS_DUG: Pick("Where to dig", most=8)}
    lists = {DIRECTIONS_DUG: DIRECTIONS}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.excavate(scene, group, [direction for direction, _ in args[DIRECTIONS_DUG]])


class CollectWeb(_OfGroup):
    number = 31
    name = "Collect Web"
    help = "Take the web away on which the group stands, for a whole phase"

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.collect_web(scene, group)


class Bridge(_OfGroup):
    number = 32
    name = "Bridge"
    help = "Be a bridge across water, as long as the group has ants, for all move points that are left"
    params = {DIRECTION: _ONE_DIRECTION}
    lists = {DIRECTION: DIRECTIONS}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.bridge(scene, group, chosen(args, DIRECTION))


class Unbridge(_OfGroup):
    number = 33
    name = "Unbridge"
    help = "Stop being a bridge, at the end where it began (near) or at the other (far)"
    params = {END: one_of("The end")}
    lists = {END: ("near", "far")}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.unbridge(scene, group, chosen(args, END))


class Harvest(_OfGroup):
    number = 34
    name = "Harvest"
    help = "Harvest touching fungus, for a whole phase"
    params = {SQUARE: _SQUARE}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.harvest(scene, group, square(scene.world, args))


class Ward(_OfGroup):
    number = 35
    name = "Ward"
    help = "Turn 2 food into fungus that only wards spiders off, on touching land"
    params = {SQUARE: _SQUARE}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.ward(scene, group, square(scene.world, args))


class GroupAttack(_OfGroup):
    number = 36
    name = "Group Attack"
    help = "Attack a touching enemy, also through an open hole, for all move points that are left"
    params = {TARGET: ObjectRef("A spider, or a group or queen of another colony", UNIT_KINDS)}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.attack(scene, group, args[TARGET])


class RaiseQueen(_OfGroup):
    number = 37
    name = "Raise Queen"
    help = "Turn an egg into a queen, if the colony has none, for a whole phase and 5 food"
    params = {EGG: ObjectRef("A touching egg, or the group itself for one that it carries", ("egg", "group"))}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return ants.raise_queen(scene, group, args[EGG])


class Stance(_OfGroup):
    number = 38
    name = "Stance"
    help = "Whether to avoid a spider's attack with a 6"
    params = {CHOICE: one_of("Avoid it, or fight")}
    lists = {CHOICE: ("avoid", "fight")}

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        group.stance = chosen(args, CHOICE)
        return Verdict.DONE


class _Regroup(_OfGroup):
    """An order that waits for the end of the phase (R41)."""

    def by_group(self, scene: Scene, group: Group, args: Args) -> Verdict:
        return Verdict.STOPS

    def regroup(self, scene: Scene, group: Group, order: Order) -> None:
        raise NotImplementedError


class Merge(_Regroup):
    number = 39
    name = "Merge"
    help = "Give ants to a group of the same colour in the same place, at the end of the phase"
    params = {GROUP: ObjectRef("The other group", ("group",)), NUMBER: Number("How many ants", 1, 6)}

    def regroup(self, scene: Scene, group: Group, order: Order) -> None:
        ants.merge(scene, group, order.args[GROUP], order.args[NUMBER])


class Split(_Regroup):
    number = 40
    name = "Split"
    help = "Part with ants, who become a group of their own, at the end of the phase"
    params = {NUMBER: Number("How many ants", 1, 5)}

    def regroup(self, scene: Scene, group: Group, order: Order) -> None:
        ants.split(scene, group, order.args[NUMBER])


# Queens.


class Lay(_OfQueen):
    number = 50
    name = "Lay"
    help = "Lay eggs: each for 1 move point and 1 hit point, or for 1 web point within reach"
    params = {
        RED_EGGS: Number("Eggs of red ants", 0, 20),
        BLACK_EGGS: Number("Eggs of black ants; they are laid first", 0, 20),
        WITH: one_of("What they are made of"),
    }
    lists = {WITH: ("body", "web point")}

    def by_queen(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        args = order.args
        verdict, short = queens.lay(scene, queen, args[RED_EGGS], args[BLACK_EGGS], chosen(args, WITH))
        if short:
            scene.invalid(order, short)
        return verdict


class FeedQueen(_OfQueen):
    number = 51
    name = "Feed Queen"
    help = "Let her eat food within reach, one hit point for each"
    params = {NUMBER: Number("How much", 1, 10)}

    def by_queen(self, scene: Scene, queen: Queen, order: Order) -> Verdict:
        return queens.feed(scene, queen, order.args[NUMBER])


SETUP_ORDERS: tuple[type[OrderType[World]], ...] = (PlaceSpider, ChooseHole)

REGROUPING: dict[str, _Regroup] = {kind.name: kind() for kind in (Merge, Split)}

_DEEDS: tuple[type[Deed], ...] = (
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
UNIT_ORDERS: tuple[type[OrderType[World]], ...] = _DEEDS
ORDERS = SETUP_ORDERS + UNIT_ORDERS

DEEDS: dict[str, Deed] = {kind.name: kind() for kind in _DEEDS}

_TYPES: dict[str, OrderType[World]] = {kind.name: kind() for kind in ORDERS}


def judge(plan: Plan[World], order: Order) -> None:
    """Raise the first Refusal from ``BadOrder`` to ``NoSuchThing`` that comes after the form (page, 4)."""
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


def square(world: World, args: Args) -> Place:
    """Return the square that an order names."""
    place = world.place_of(args[SQUARE])
    assert place is not None, "only squares are accepted"
    return place


def _judge_object(world: World, order: Order, name: str, kinds: Sequence[str]) -> None:
    """Refuse what the seat sees and what can never be meant."""
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
