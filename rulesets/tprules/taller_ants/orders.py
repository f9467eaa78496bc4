"""Parameters, refusals and execution that all orders share; Wait and Move.

RULES.md, sections 4 and 5. Every unit takes Wait and Move.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from tprules import api
from tprules.kit.compass import DIRECTIONS
from tprules.kit.dijkstra import costs_from, costs_to, next_step
from tprules.kit.once_per_plan import once_per_plan
from tprules.kit.single_choice import choosing, one_of
from tprules.kit.unit_queues import Verdict
from tprules.kit.words import with_article
from tprules.taller_ants.board import FUNGUS_DISTANCE, Place
from tprules.taller_ants.views import SLOTS, known, owner_of, seen_kind
from tprules.taller_ants.world import OWN, RED, Group, Queen, Spider, Unit, World

# Reasons against an order: when it is given, and when it is executed.

REASONS: dict[str, tuple[api.Code, str]] = {
    "form": (api.Code.FRAME, "BadOrder"),
    "choice": (api.Code.FRAME, "BadOrder"),
    "kind": (api.Code.UNAVAILABLE_PERMANENTLY, "NotHere"),
    "owner": (api.Code.PERMISSION_DENIED, "NotYours"),
    "nosuch": (api.Code.NO_SUCH_THING, "NoSuchThing"),
    "phase": (api.Code.UNAVAILABLE_TEMPORARILY, "WrongPhase"),
    "active": (api.Code.UNAVAILABLE_TEMPORARILY, "WrongPhase"),
    "over": (api.Code.UNAVAILABLE_PERMANENTLY, "GameOver"),
    "full": (api.Code.UNAVAILABLE_TEMPORARILY, "QueueFull"),
    "place": (api.Code.UNAVAILABLE_PERMANENTLY, "Illegal"),
}
"""Common refusal, or "place" in the setup -> its code and class in RULES.md, section 4."""

ILLEGAL: dict[str, str] = {
    "bad start": "the spider starts on land, three squares or more from all fungus, and not on an ant hole",
    "bad hole": "an ant hole is on soil or grass without fungus, in your own half",
    "no path": "no way leads there",
    "bridging": "the group is a bridge, or stands on one",
    "below": "spiders never reach below the ground, and this cannot be done there",
    "above ground": "ants dig below the ground only",
    "edge": "the board ends there",
    "already open": "there is no dirt left to dig out",
    "not carried": "it does not carry that much",
    "not touching": "it does not touch that, or that is gone",
    "nothing there": "nothing of that is there, or there is no room for it",
    "no egg": "there are not so many eggs for that",
    "no ant": "it does not carry so many ants of that kind",
    "cap": "there would be more spiders than are allowed",
    "web there": "a web is there already",
    "ants there": "ants are there",
    "fungus": "fungus grows there",
    "wide water": "the water is too wide",
    "hp": "there are not enough hit points left",
    "no far bank": "there is no water that ends at land in that direction",
    "too few ants": "the group has too few ants for so much water",
    "occupied": "somebody is in the way",
    "no web": "no web is there",
    "occupied water": "somebody stands on that web, and water is under it",
    "not on web": "the ants do not stand on a web",
    "too many": "the group does not have the right number of ants",
    "no captive": "it carries no captive",
    "already attacked": "it has attacked in this phase",
    "water": "water is under the web, and the ants would drown",
    "not bridging": "the group is no bridge",
    "ward": "a ward cannot be harvested",
    "exhausted": "that fungus has been harvested to its last square in this round",
    "no capacity": "the group cannot carry more",
    "not free": "a ward needs land without web, hole, fungus, ward and enemies",
    "no food": "there is not enough food within reach",
    "limit": "each ant of a group makes one ward in a phase",
    "covered hole": "a web covers the hole",
    "queen lives": "the colony has a queen",
    "not together": "both groups must be yours, in the same place",
    "colour": "red and black ants do not mix",
    "too big": "a group has at most six ants, and gives no more than it has",
    "no web point": "no web point is within reach",
    "full": "the queen has all her hit points",
}
"""Reason word in RULES.md, section 4 -> the text for the player."""


class Illegal(Exception):
    """An order cannot be executed in the present position. Nothing was used. ``reason`` is a key of ``ILLEGAL``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def illegal_if(is_so: object, reason: str) -> None:
    """Raise Illegal with this reason if the condition is true."""
    if is_so:
        raise Illegal(reason)


def refusal(step: str, text: str, param: str = "") -> api.Refusal:
    """Return a refusal with the code and class of ``step``, a key of ``REASONS``."""
    code, reason = REASONS[step]
    return api.Refusal(text, param, reason=reason, code=code)


def in_class(common: api.Refusal) -> api.Refusal:
    """Return a common refusal with the code and class of this game, if it has one for it."""
    return refusal(common.reason, common.text, common.param) if common.reason in REASONS else common


@dataclass
class Outlook:
    """The position as a seat knows it, for the doubts of many orders."""

    world: World
    _reach: dict[api.Oid, dict[Place, int]] = field(default_factory=dict)
    """Cache: the places that a unit reaches in any time, with the ticks of the cheapest way to each."""

    def reach(self, unit: Unit) -> dict[Place, int]:
        """Return the places that a unit reaches in any time, with the ticks of the cheapest way to each."""
        found = self._reach.get(unit.id)
        if found is None:
            found = self._reach[unit.id] = within_reach(self.world, unit, ANY_COST)
        return found


@once_per_plan
def _outlook(plan: api.Plan[World]) -> Outlook:
    return Outlook(known(plan.world, plan.seat))


@dataclass
class Scene:
    """A turn during execution: its world, its dice, and its reports (RULES.md, section 7)."""

    turn: api.Turn[World]
    dice: api.Dice
    executed: int = 0
    """Number of orders that were executed, at least in part."""
    pocket: tuple[api.Oid, Container[Place]] | None = None
    """Cache: a unit that has found no way, and the places that it can reach until the world changes.

    It makes many orders without a way fast.
    """

    @property
    def world(self) -> World:
        return self.turn.world

    def tell(self, to: Iterable[api.Seat], subject: str, body: str, place: Place) -> None:
        """Report an event at a place to some seats."""
        for seat in sorted(set(to)):
            self.turn.report(seat, subject, body, [self.world.system(place)])

    def tell_fight(self, one: Unit, other: Unit, what: str) -> None:
        """Report to both sides, each with the place of its own unit, as the other may be hidden below a hole."""
        what = f"{what[0].upper()}{what[1:]}"
        for unit in (one, other):
            self.tell([unit.seat], "Combat", f"{what}, at {self.world.board.name_of(unit.place)}.", unit.place)

    def tell_all(self, subject: str, body: str, place: Place, owner: api.Seat) -> None:
        """Report to all players, or only to the owner if the place is below ground and hidden from others."""
        hidden = self.world.settings.underground == OWN and self.world.board.below(place)
        self.turn.report(owner if hidden else None, subject, body, [self.world.system(place)])

    def tell_hole(self, place: Place, what: str) -> None:
        """If there is a hole at a place where a web was built or removed, report it to all players."""
        for seat, colony in enumerate(self.world.colonies, 1):
            if colony.hole == place:
                body = f"The ant hole of {api.player(seat)} at {self.world.board.name_of(place)} is {what}."
                self.tell_all(f"Hole {what}", body, place, seat)

    def failed(self, order: api.Order, illegal: Illegal) -> None:
        """Report to a player that an order was dropped."""
        self.invalid(order, f"{ILLEGAL[illegal.reason]} ({illegal.reason})")

    def invalid(self, order: api.Order, why: str) -> None:
        """Report to a player that an order, or a part of it, was dropped."""
        is_there = order.on in self.world.units or order.on < self.world.homes_end()
        references = (api.ORDER_INVALID, order.on) if is_there else (api.ORDER_INVALID,)
        self.turn.report(order.seat, "Order Invalid", f"{order.type}: Illegal: {why}.", references, by=order.seat)


# The base of all orders.

UNIT_KINDS = ("spider", "group", "queen")

SQUARE, GROUP, EGG, NUMBER, CHOICE, WITH = "Square", "Group", "Egg", "Number", "Choice", "With"
DIRECTION, TARGET = "Direction", "Target"
"""Parameters of several orders. Parameters of a single order are next to it."""

A_SQUARE = api.ObjectRef("The square", ("square", "ground"))
ONE_DIRECTION = one_of("One direction")

Args = Mapping[str, Any]
U = TypeVar("U", bound=Unit)


class Command(api.OrderType[World]):
    """An order. The common checks judge the phase, this class everything else."""

    slots: ClassVar[int] = SLOTS
    full: ClassVar[str] = f"this queue is full; it holds {SLOTS} orders"
    against_others: ClassVar[bool] = False
    """True if the named objects must not belong to the player of the order."""

    def judge(self, plan: api.Plan[World], order: api.Order) -> None:
        """Raise the first remaining Refusal from ``BadOrder`` to ``NoSuchThing`` (RULES.md, section 4).

        The form check has run before.
        """
        world, seat = plan.world, order.seat
        unseen = ""
        for name, kinds in self._objects.items():
            oid = order.args[name]
            kind = seen_kind(world, seat, oid)
            if kind is None:
                unseen = unseen or name
                continue
            if kind not in kinds:
                raise refusal("form", f"{name}: object {oid} is no {' or '.join(kinds)}", name)
            if name == EGG and oid in world.units and oid != order.on:
                raise refusal("form", f"{name}: give {with_article(kinds[0])}, or the number of the unit itself", name)
            if self.against_others and owner_of(world, oid) == seat:
                raise refusal("form", f"{name}: object {oid} is your own", name)
        kind = seen_kind(world, seat, order.on)
        if kind is None:
            raise refusal("nosuch", f"there is no object {order.on}")
        if kind not in self.kinds:
            raise refusal("kind", f"object {order.on} does not take the order {order.type}")
        if owner_of(world, order.on) != seat:
            raise refusal("owner", f"object {order.on} is not yours to command")
        if unseen:
            raise refusal("nosuch", f"there is no object {order.args[unseen]}", unseen)

    @cached_property
    def _objects(self) -> dict[str, tuple[str, ...]]:
        return {name: param.kinds for name, param in self.params.items() if isinstance(param, api.ObjectRef)}

    def check(self, plan: api.Plan[World], order: api.Order) -> None:
        """Check the length of the queue, but not the position, which will change before the order is executed."""
        if sum(before.on == order.on for before in plan.before) >= self.slots:
            raise refusal("full", self.full)


class Action(Command, Generic[U]):
    """An order of a unit. It may be given at any time, and is executed in the phase of its player."""

    lists: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Parameter name -> the items of its list, numbered from 1 (directions from 0)."""
    ticks: ClassVar[int] = 0
    """Ticks that it costs, if that is the same in all positions, else the least that it may cost."""
    counts_as_done: ClassVar[bool] = True
    """True if a spider that did this cannot lay eggs in the phase (R27, R87)."""

    def check_position(self, world: World, unit: U, args: Args) -> None:
        """Raise Illegal if the order cannot be carried out in this position, with any number of ticks."""

    def cost(self, world: World, unit: U, args: Args) -> int:
        """Return the cost in ticks in a position that has been checked. With fewer ticks the unit waits."""
        return self.ticks

    def expected_cost(self, outlook: Outlook, unit: U, args: Args) -> int:
        """Return ``cost`` in a position as a seat knows it."""
        return self.cost(outlook.world, unit, args)

    def execute(self, scene: Scene, unit: U, args: Args) -> None:
        """Execute the order, which is legal and paid."""
        raise NotImplementedError

    def do(self, scene: Scene, unit: U, order: api.Order) -> Verdict:
        """Check the order, pay for it and execute it. Nothing is used if it is Illegal or the unit cannot pay."""
        self.check_position(scene.world, unit, order.args)
        ticks = self.cost(scene.world, unit, order.args)
        if unit.ticks < ticks:
            return Verdict.STOPS
        unit.ticks -= ticks
        self.execute(scene, unit, order.args)
        return Verdict.DONE

    def offers(self, world: World, unit: U) -> Iterator[Args]:
        """Yield plausible arguments, even if they are not possible now. Of many equal numbers, only a few are included.

        By default, each touching square for an order of a square, each item for an order of a list.
        """
        (name,) = self.params or ("",)
        if name == SQUARE:
            yield from ({SQUARE: world.system(place)} for place in world.around(unit))
        elif name:
            yield from ({name: choosing(item)} for item in self._items(name))
        else:
            yield {}

    def legal(self, world: World, unit: U) -> Iterator[Args]:
        """Yield the offers with which the order is legal now, for bots and tests."""
        if self.ticks > unit.ticks:
            return
        for args in self.offers(world, unit):
            try:
                self.check_position(world, unit, args)
            except Illegal:
                continue
            if self.cost(world, unit, args) <= unit.ticks:
                yield args

    def doubt(self, plan: api.Plan[World], order: api.Order) -> str:
        """Return a reason against the order in the position as the seat knows it.

        Without such a reason, return the units that act before it. They matter if its phase begins later, or if it
        costs more than the unit has left (RULES.md, sections 4 and 5).
        """
        seat = order.seat
        if any(before.on == order.on for before in plan.before):
            return "it is carried out after the orders before it, and things may have changed by then"
        outlook = _outlook(plan)
        world = outlook.world
        unit: Any = world.units[order.on]
        try:
            self.check_position(world, unit, order.args)
            ticks = self.expected_cost(outlook, unit, order.args)
        except Illegal as illegal:
            return f"as things are now, {ILLEGAL[illegal.reason]} ({illegal.reason})"
        if world.active != seat or unit.id >= world.newest:
            return "others act before it is carried out"
        if unit.ended or ticks > unit.ticks:
            return "it needs more than one phase, and others act meanwhile"
        return "your other orders of this phase may come first, and be in its way" if plan.before else ""

    def choices(self, plan: api.Plan[World], on: api.Oid, param: str) -> Sequence[api.Choice]:
        return [api.Choice(number, name, 1) for number, name in self._items(param).items()]

    def _items(self, param: str) -> dict[int, str]:
        return dict(enumerate(self.lists[param], 0 if self.lists[param] is DIRECTIONS else 1))


def touching_square(world: World, unit: Unit, args: Args) -> Place:
    """Return the square that an order names, or raise Illegal if the unit does not touch it."""
    place = world.place_of(args[SQUARE])
    illegal_if(not world.touches(unit, place), "not touching")
    return place


class SpiderAction(Action[Spider]):
    kinds = ("spider",)


class GroupAction(Action[Group]):
    kinds = ("group",)


class QueenAction(Action[Queen]):
    kinds = ("queen",)


# Orders of every unit: wait, and move (R8, R10, R11, R15, R42, R54, R60, R64, R67).

_SPIDER_STEP, _SPIDER_ON_WEB = 2, 1
_BLACK_STEP, _RED_STEP, _QUEEN_STEP = 1, 2, 4
ANY_COST = 10**9
"""More ticks than any way costs."""
_ANTS_ON_WEB = 2
"""Factor by which ants are slower on a web."""

_ROAMS, _QUEEN_ROAMS = 4, 8
"""Maximum ticks of a move that bots are offered. Moves to the holes have no limit."""

Step: TypeAlias = tuple[Place, int]
"""(place, ticks of the step to it)."""


class Wait(Action[Unit]):
    number = 3
    name = "Wait"
    words = api.OrderWords("Wait", "Wait for the others")
    help = "Let all other units act first"
    kinds = UNIT_KINDS
    counts_as_done = False

    def do(self, scene: Scene, unit: Unit, order: api.Order) -> Verdict:
        return Verdict.LAST


class Move(Action[Unit]):
    """A move towards the target as far as the ticks allow. The order stays until the unit has arrived."""

    number = 2
    name = "Move"
    words = api.OrderWords("Move", "Move to {Square}", {SQUARE: "square"}, stays=True)
    help = "Go to a square by the cheapest way, over several phases if need be"
    kinds = UNIT_KINDS
    params = {SQUARE: A_SQUARE}

    def check_position(self, world: World, unit: Unit, args: Args) -> None:
        check_target(world, unit, world.place_of(args[SQUARE]))

    def expected_cost(self, outlook: Outlook, unit: Unit, args: Args) -> int:
        """Return the ticks of the cheapest way, or raise Illegal if there is none."""
        ticks = outlook.reach(unit).get(outlook.world.place_of(args[SQUARE]))
        if ticks is None:
            raise Illegal("no path")
        return ticks

    def do(self, scene: Scene, unit: Unit, order: api.Order) -> Verdict:
        return move(scene, unit, scene.world.place_of(order.args[SQUARE]))

    def legal(self, world: World, unit: Unit) -> Iterator[Args]:
        """Yield places nearby, and for groups also the holes."""
        places = list(within_reach(world, unit, min(unit.ticks, _QUEEN_ROAMS if isinstance(unit, Queen) else _ROAMS)))
        if isinstance(unit, Group) and not unit.bridge and unit.ticks:
            for colony in world.colonies:
                places += [colony.hole, world.board.other_side(colony.hole)]
        return ({SQUARE: world.system(place)} for place in places if place != unit.place)


def check_target(world: World, unit: Unit, target: Place) -> None:
    """Raise Illegal if the unit has no way to a place."""
    illegal_if(isinstance(unit, Spider) and world.board.below(target), "below")
    illegal_if(isinstance(unit, Group) and unit.bridge, "bridging")


def move(scene: Scene, unit: Unit, target: Place) -> Verdict:
    """Move a unit towards the target as far as its ticks allow. The order stays until the unit has arrived."""
    world = scene.world
    check_target(world, unit, target)
    if unit.place == target:
        return Verdict.DONE
    illegal_if(scene.pocket is not None and scene.pocket[0] == unit.id and target not in scene.pocket[1], "no path")
    ground = _Ground(world, unit)
    costs = costs_to(target, ground.ways_to, unit.place)
    if unit.place not in costs:
        scene.pocket = unit.id, costs_from(unit.place, ground.ways_from, ANY_COST)
        raise Illegal("no path")
    started = unit.place
    while unit.place != target:
        step = next_step(costs, unit.place, ground.ways_from)
        assert step is not None, "from every place of the path a step leads on"
        place, ticks = step
        if ticks > unit.ticks:
            break
        unit.ticks -= ticks
        unit.place = place
    if unit.place != started:
        scene.executed += 1
        if isinstance(unit, Spider):
            unit.acted = True
    return Verdict.DONE if unit.place == target else Verdict.STOPS


# The steps of a unit, and their costs.


def within_reach(world: World, unit: Unit, ticks: int) -> dict[Place, int]:
    """Return the places that a unit reaches with this number of ticks, with their costs, including its own place."""
    if isinstance(unit, Group) and unit.bridge:
        return {unit.place: 0}
    ground = _Ground(world, unit)
    return costs_from(unit.place, ground.ways_from, ticks)


def fungus_distances(world: World) -> dict[Place, int]:
    """Return the squares too near to fungus or a ward for spiders, with the distance to the nearest one."""
    near = world.board.near
    edge = [*world.wards, *(square for fungus in world.fungi.values() for square in fungus.squares)]
    distances = dict.fromkeys(edge, 0)
    for distance in range(1, FUNGUS_DISTANCE):
        reached = []
        for square in edge:
            for beside in near[square]:
                if beside not in distances:
                    distances[beside] = distance
                    reached.append(beside)
        edge = reached
    return distances


class _Ground:
    """The steps that one unit can make in the present position."""

    def __init__(self, world: World, unit: Unit) -> None:
        board = world.board
        is_spider = isinstance(unit, Spider)
        self._beside = board.beside
        self._webs = world.webs
        self._open = bytearray(board.open_to_spiders if is_spider else board.open_to_ants)
        """For each place, whether the unit may enter it."""
        for place in world.webs:
            self._open[place] = 1
        if not is_spider:
            for place in world.dug:
                self._open[place] = 1
        for other in world.units.values():
            if other.seat == unit.seat and isinstance(other, Group):
                for place in other.bridge:
                    self._open[place] = 1
        for other in world.units.values():
            if other.seat != unit.seat:
                for place in other.places:
                    self._open[place] = 0
        self._distances: dict[Place, int] = {}
        self._through: dict[Place, Place] = {}
        """Place of an open hole -> the place on its other side."""
        if isinstance(unit, Spider):
            self._step, self._step_on_web = _SPIDER_STEP, _SPIDER_ON_WEB
            self._distances = fungus_distances(world)
            return
        for colony in world.colonies:
            if colony.hole not in world.webs:
                below = board.other_side(colony.hole)
                self._through[colony.hole], self._through[below] = below, colony.hole
        if isinstance(unit, Queen):
            self._step = _QUEEN_STEP
        else:
            self._step = _RED_STEP if unit.colour == RED else _BLACK_STEP
        self._step_on_web = _ANTS_ON_WEB * self._step

    def ways_from(self, place: Place) -> list[Step]:
        """Return the steps from a place: by direction, then through the hole."""
        ticks = self._step_on_web if place in self._webs else self._step
        is_open = self._open
        steps = [(after, ticks) for after in self._beside[place] if is_open[after]]
        if self._distances:
            steps = [step for step in steps if self._may_near_fungus(place, step[0])]
        through = self._through.get(place)
        if through is not None and is_open[through]:
            steps.append((through, ticks))
        return steps

    def ways_to(self, place: Place) -> list[Step]:
        """Return the places from which a step leads to ``place``, with the ticks of that step."""
        if not self._open[place]:
            return []
        beside = self._beside[place]
        through = self._through.get(place)
        befores = beside if through is None else (*beside, through)
        webs, step, on_web = self._webs, self._step, self._step_on_web
        steps = [(before, on_web if before in webs else step) for before in befores]
        if place in self._distances:
            steps = [found for found in steps if self._may_near_fungus(found[0], place)]
        return steps

    def _may_near_fungus(self, before: Place, after: Place) -> bool:
        """Return whether a spider may step from one place to another near fungus (R15)."""
        if after not in self._distances:
            return True
        return before in self._distances and self._distances[after] > self._distances[before]
