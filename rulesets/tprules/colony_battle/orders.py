"""The orders: parameters, refusals, legal orders (RULES.md, section 4)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import ClassVar

from tprules.api import (
    Choice,
    Code,
    ObjectRef,
    Oid,
    Order,
    OrderType,
    OrderWords,
    Param,
    Plan,
    Seat,
    Shown,
    Turns,
    player,
)
from tprules.colony_battle import world as worlds
from tprules.colony_battle.board import Layout, Square
from tprules.colony_battle.movement import reachable, steps_from
from tprules.colony_battle.world import SPAWNED, STATS, Unit, World
from tprules.kit.once_per_plan import once_per_plan
from tprules.kit.refusals import Reasons
from tprules.kit.single_choice import choosing, chosen, one_of

DESTINATION, ITEM, TARGET, KIND, WHERE, DURATION = "destination", "item", "target", "kind", "where", "duration"

ANTS = tuple(STATS[kind].kind for kind in (*SPAWNED, worlds.QUEEN))
TERMITE_BOMB = STATS[worlds.TERMITE].kind
WALKERS = (*ANTS, TERMITE_BOMB)
FIGHTERS = (*(STATS[kind].kind for kind in SPAWNED), TERMITE_BOMB)
COLONY = "colony"
QUEENS = (STATS[worlds.QUEEN].kind, COLONY)
"""The kinds that take orders for a queen's brood and hand: the queen and her home planet."""
SQUARES = ("square", "ground", "site")

_UNITS = tuple(stats.kind for stats in STATS)


class Outlook:
    """The ways of units before a turn, for the doubts of many orders."""

    def __init__(self, plan: Plan[World]) -> None:
        self._world = plan.world
        self.busy = {before.on for before in plan.before}
        self.movers = {before.on for before in plan.before if before.type == Move.name}
        self._ways: dict[Oid, Mapping[Square, int]] = {}
        self._free_ways: dict[Oid, Mapping[Square, int]] = {}

    def ways(self, oid: Oid) -> Mapping[Square, int]:
        """Return the squares that a unit can reach as things are now, with the number of steps to each."""
        found = self._ways.get(oid)
        if found is None:
            found = self._ways[oid] = reachable(self._world, self._world.units[oid])
        return found

    def free_ways(self, oid: Oid) -> Mapping[Square, int]:
        """Return the squares that a unit can reach wherever the movers before it stop, without their squares."""
        found = self._free_ways.get(oid)
        if found is None:
            world = self._world
            closed = set(world.occupied)
            for mover in self.movers:
                closed.update(_reach(world, world.units[mover]))
            steps = steps_from(world, world.units[oid].square, closed)
            found = {square: number for square, number in steps.items() if square not in closed}
            self._free_ways[oid] = found
        return found


outlook = once_per_plan(Outlook)


class Command(OrderType[World]):
    """An order that stays in its queue until its owner's turn."""

    def judge(self, plan: Plan[World], order: Order) -> None:
        """Raise a Refusal if the arguments are not acceptable. Called once, when the order is inserted.

        ``check`` would be called again later. By then the order's target may have changed, which must not refuse later
        orders.
        """

    def against(self, world: World, order: Order) -> str:
        """Return why the order would fail in the present position, or ""."""
        return ""

    def against_now(self, plan: Plan[World], order: Order) -> str:
        """Return ``against`` for the world before a turn."""
        return self.against(plan.world, order)

    def in_the_way(self, plan: Plan[World], order: Order) -> bool:
        """Return whether earlier orders of other own units may make this one fail."""
        return any(
            before.args.get(name) == order.args[name]
            for before in plan.before
            for name in (TARGET, ITEM)
            if name in order.args
        )

    def doubt(self, plan: Plan[World], order: Order) -> str:
        """Return a reason against the order now, else a warning about the units that act before.

        See RULES.md, sections 4 and 5.
        """
        if order.on in outlook(plan).busy:
            return "it is carried out after the orders before it, and things may have changed by then"
        why = self.against_now(plan, order)
        if why:
            return f"as things are now, {why}"
        if plan.world.seat != order.seat:
            return f"{player(plan.world.seat)} has a turn before it is carried out"
        if self.in_the_way(plan, order):
            return "your orders before it are carried out first, and may be in its way"
        return ""


class Move(Command):
    number = 1
    name = "Move"
    words = OrderWords("Move", "Move to {destination}", {DESTINATION: "square"}, stays=True)
    help = "Go to a square on the shortest free way, as far as the steps of a turn lead, turn after turn"
    kinds = WALKERS
    params: ClassVar[Mapping[str, Param]] = {DESTINATION: ObjectRef("The square to go to", SQUARES)}

    def judge(self, plan: Plan[World], order: Order) -> None:
        square = square_argument(plan.world, order, DESTINATION)
        is_here = square == plan.world.units[order.on].square
        if is_here and not any(before.on == order.on and before.type == Move.name for before in plan.before):
            raise refusal("here", DESTINATION, place=plan.world.layout.name(square))

    def against(self, world: World, order: Order) -> str:
        return self._against(world, order, reachable(world, world.units[order.on]))

    def against_now(self, plan: Plan[World], order: Order) -> str:
        return self._against(plan.world, order, outlook(plan).ways(order.on))

    def _against(self, world: World, order: Order, ways: Container[Square]) -> str:
        goal = square_argument(world, order, DESTINATION)
        if world.occupied.get(goal, order.on) != order.on:
            return f"{world.layout.name(goal)} is occupied"
        return "" if goal in ways else f"there is no free way to {world.layout.name(goal)}"

    def in_the_way(self, plan: Plan[World], order: Order) -> bool:
        """Return whether earlier moves may block the way.

        A unit that moves first may stop on any square that it can reach, so a safe way avoids all of these.
        ``move_cap`` limits the number of units that move in a turn.
        """
        if len(outlook(plan).movers) >= plan.world.settings.move_cap:
            return True
        return square_argument(plan.world, order, DESTINATION) not in outlook(plan).free_ways(order.on)

    def doubt(self, plan: Plan[World], order: Order) -> str:
        """Return a doubt also about a closed site (R49), and about a way that takes more than one turn."""
        world, unit = plan.world, plan.world.units[order.on]
        goal = square_argument(world, order, DESTINATION)
        if world.is_closed(goal):
            rounds = world.left[world.layout.sites.index(goal)]
            digging = f"{rounds} more round{'s' if rounds > 1 else ''} of digging"
            return f"{world.layout.name(goal)} needs {digging} by a worker beside it"
        why = super().doubt(plan, order)
        if why:
            return why
        if unit.kind == worlds.QUEEN and world.colonies[order.seat].locked:
            return "the queen stays until her brood is done, and things may have changed by then"
        is_far = outlook(plan).ways(order.on)[goal] > STATS[unit.kind].steps
        return "the way takes more than this turn, and others move meanwhile" if is_far else ""


class PickUp(Command):
    number = 2
    name = "PickUp"
    words = OrderWords("Pick up", "Pick up {item}", {ITEM: "item"})
    help = "Pick up an item here or on a square beside this one"
    kinds = (STATS[0].kind,)
    params: ClassVar[Mapping[str, Param]] = {ITEM: ObjectRef("The item to pick up", ("item",))}

    def judge(self, plan: Plan[World], order: Order) -> None:
        item = order.args[ITEM]
        _check_exists(plan.world, item, ITEM)
        if item not in plan.world.items:
            raise refusal("notitem", ITEM, id=item)

    def against(self, world: World, order: Order) -> str:
        unit, item = world.units[order.on], world.items.get(order.args[ITEM])
        if unit.item:
            return "the worker carries an item already"
        if item is None or item.square == worlds.NOWHERE:
            return "the item is no longer on the ground"
        if item.square != unit.square and item.square not in world.beside(unit.square):
            return f"the item at {world.layout.name(item.square)} is not beside the worker"
        if item.square in world.occupied and world.occupied[item.square] not in world.units:
            return f"something lies on the item at {world.layout.name(item.square)}"
        return ""


class Drop(Command):
    number = 3
    name = "Drop"
    words = OrderWords("Drop", "Drop the carried item")
    help = "Put down the item that is carried"
    kinds = (STATS[0].kind,)

    def against(self, world: World, order: Order) -> str:
        return "" if world.units[order.on].item else "the worker carries nothing"


class Attack(Command):
    number = 4
    name = "Attack"
    words = OrderWords("Attack", "Attack {target}", {TARGET: "unit or segment"})
    help = "Attack a unit beside this one, and lose a hit point as it does (queens do not fight back), or eat a segment"
    kinds = FIGHTERS
    params: ClassVar[Mapping[str, Param]] = {TARGET: ObjectRef("The unit or segment to attack", (*_UNITS, "segment"))}

    def judge(self, plan: Plan[World], order: Order) -> None:
        world, target = plan.world, order.args[TARGET]
        _check_exists(world, target, TARGET)
        unit = world.units.get(target)
        if target in world.spiders:
            raise refusal("invincible", TARGET, what="a spider")
        if unit is None:
            if world.worm_of(target) is None:
                raise refusal("nottarget", TARGET, id=target)
        elif unit.owner == order.seat:
            raise refusal("own", TARGET, id=target)
        elif unit.kind == worlds.ANTLION:
            raise refusal("invincible", TARGET, what="an antlion")

    def against(self, world: World, order: Order) -> str:
        target = order.args[TARGET]
        worm = world.worm_of(target)
        if worm is None:
            return _against_unit(world, order)
        eaten = world.worms[worm]
        return _too_far(world, order, eaten.squares[eaten.segments.index(target)])


class Convert(Command):
    number = 5
    name = "Convert"
    words = OrderWords("Convert", "Convert {target}", {TARGET: "unit"})
    help = "Sacrifice this young queen to bring an enemy unit beside her over to your side"
    kinds = (STATS[worlds.YOUNG_QUEEN].kind,)
    params: ClassVar[Mapping[str, Param]] = {
        TARGET: ObjectRef("The unit to convert", tuple(kind for kind in _UNITS if kind != STATS[worlds.QUEEN].kind))
    }

    def judge(self, plan: Plan[World], order: Order) -> None:
        world, target = plan.world, order.args[TARGET]
        _check_exists(world, target, TARGET)
        unit = world.units.get(target)
        if unit is None:
            raise refusal("notunit", TARGET, id=target)
        if unit.kind == worlds.QUEEN:
            raise refusal("queen", TARGET)
        if unit.owner == order.seat:
            raise refusal("own", TARGET, id=target)

    def against(self, world: World, order: Order) -> str:
        why = _against_unit(world, order)
        if why:
            return why
        # The sacrifice leaves before the units are counted (R25, R29).
        kind = world.units[order.args[TARGET]].kind
        return "" if kind == worlds.YOUNG_QUEEN or world.has_room(order.seat, kind) else too_many(kind)


class Spawn(Command):
    number = 6
    name = "Spawn"
    words = OrderWords("Spawn", "Spawn {kind}; square: {where}", {KIND: "kind of unit", WHERE: "square"}, stays=True)
    help = "Spawn a unit beside the queen; all but workers keep her from moving for some turns"
    kinds = QUEENS
    params: ClassVar[Mapping[str, Param]] = {
        KIND: one_of("The kind of unit"),
        WHERE: ObjectRef("The square for it, or 0 for the first one that is free", ("universe", *SQUARES)),
    }

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        return [Choice(kind + 1, STATS[kind].name) for kind in SPAWNED]

    def judge(self, plan: Plan[World], order: Order) -> None:
        if order.args[WHERE] != worlds.UNIVERSE:
            square_argument(plan.world, order, WHERE)

    def against(self, world: World, order: Order) -> str:
        kind = spawned_kind(order)
        if not world.has_room(order.seat, kind):
            return too_many(kind)
        queen = world.queen(order.seat)
        assert queen is not None, "the game is over without a queen"
        if not world.settings.brood[kind] and not any(map(world.is_free, world.beside(queen.square))):
            return "no square beside the queen is free"
        return ""

    def doubt(self, plan: Plan[World], order: Order) -> str:
        """Return a doubt also about a second brood, as a colony spawns one at a time (R34)."""
        brood = plan.world.colonies[order.seat].brood
        waits = brood not in (worlds.NO_KIND, spawned_kind(order))
        why = super().doubt(plan, order)
        return why or ("another brood comes first, and things may have changed by then" if waits else "")

    def turns(self, world: World, order: Order) -> int:
        if not order.args[KIND]:
            return 1
        kind = spawned_kind(order)
        colony = world.colonies[order.seat]
        return colony.brood_left if colony.brood == kind else max(1, world.settings.brood[kind])


class PlaceItem(Command):
    number = 7
    name = "PlaceItem"
    words = OrderWords("Place", "Place {item} on {where}", {ITEM: "item", WHERE: "square"})
    help = "Put an item from the hand on a square: an antlion anywhere, a termite bomb beside the queen"
    kinds = QUEENS
    params: ClassVar[Mapping[str, Param]] = {
        ITEM: one_of("The item to place"),
        WHERE: ObjectRef("The square for it", SQUARES),
    }

    def offered(self, world: World, seat: Seat, on: Oid, shown: Shown) -> bool:
        return world.placing and seat == world.seat

    def choices(self, plan: Plan[World], on: Oid, param: str) -> Sequence[Choice]:
        items = plan.world.items
        return [Choice(oid, STATS[items[oid].kind].name) for oid in plan.world.hand(plan.seat)]

    def judge(self, plan: Plan[World], order: Order) -> None:
        world = plan.world
        if not world.hand(order.seat):
            raise refusal("nothand")
        if not world.placing or order.seat != world.seat:
            raise refusal("placing")

    def check(self, plan: Plan[World], order: Order) -> None:
        world = plan.world
        square = square_argument(world, order, WHERE)
        place = world.layout.name(square)
        if world.items[placed_item(order)].kind == worlds.ANTLION:
            if world.layout.is_shaft(square):
                raise refusal("shaft", WHERE, place=place)
        elif not world.takes_termite(order.seat, square):
            raise refusal("apart", WHERE, place=place)
        if not world.is_free(square):
            raise refusal("taken", WHERE, place=place)


class NoOp(Command):
    number = 0
    name = "NoOp"
    words = OrderWords("Wait", "Wait for {duration}", {DURATION: "turns"}, stays=True)
    help = "Wait for some of your turns"
    kinds = WALKERS
    params: ClassVar[Mapping[str, Param]] = {DURATION: Turns("For how many turns", 1, 50)}
    stored_names: ClassVar[Mapping[str, str]] = {DURATION: "turns"}

    def turns(self, world: World, order: Order) -> int:
        turns: int = order.args[DURATION]
        return turns


MAIN_ORDERS: tuple[type[Command], ...] = (NoOp, Move, PickUp, Drop, Attack, Convert, Spawn)


def square_argument(world: World, order: Order, param: str) -> Square:
    """Return the square of an argument, by its system, ground or site, or raise a Refusal."""
    oid: Oid = order.args[param]
    square = world.square_of(oid)
    if square is None:
        _check_exists(world, oid, param)
        raise refusal("notsquare", param, id=oid)
    return square


def spawned_kind(order: Order) -> int:
    """Return the kind of unit in a Spawn order."""
    return chosen(order.args, KIND) - 1


def placed_item(order: Order) -> Oid:
    """Return the item of a PlaceItem order."""
    return chosen(order.args, ITEM)


def _reach(world: World, unit: Unit) -> Iterable[Square]:
    """Return the squares on which a unit may stop in this turn, whatever is in its way."""
    most = STATS[unit.kind].steps + 1  # touching a trail gives one more step (R19)
    return [square for square, steps in steps_from(world, unit.square, ()).items() if steps <= most]


def too_many(kind: int) -> str:
    """Return the reason that a seat has the maximum of units of a kind (R12)."""
    return f"you have as many {STATS[kind].name.lower()}s as you may"


def _against_unit(world: World, order: Order) -> str:
    """Return why a unit cannot be attacked or converted on its present square, or ""."""
    target = world.units.get(order.args[TARGET])
    if target is None:
        return "the target no longer exists"
    if target.owner == order.seat:
        return "the target is your own now"
    return _too_far(world, order, target.square)


def _too_far(world: World, order: Order, square: Square) -> str:
    if square in world.beside(world.units[order.on].square):
        return ""
    return f"the target at {world.layout.name(square)} is not beside the unit"


def _check_exists(world: World, oid: Oid, param: str) -> None:
    if world.is_gone(oid):
        raise refusal("gone", param, id=oid)
    if not world.exists(oid):
        raise refusal("nosuch", param, id=oid)


# --- Reasons for refusals, each with its code and its sentence (RULES.md, section 4)

_NEVER, _LATER = Code.UNAVAILABLE_PERMANENTLY, Code.UNAVAILABLE_TEMPORARILY

REASONS: dict[str, tuple[Code, str]] = {
    "gone": (Code.GONE, "object {id} no longer exists"),
    "nosuch": (Code.NO_SUCH_THING, "there is no object {id}"),
    "notsquare": (Code.FRAME, "object {id} is not a square; name a star system of a board, or a site"),
    "notitem": (Code.FRAME, "object {id} is not an item"),
    "nottarget": (Code.FRAME, "object {id} is neither a unit nor a segment of a worm"),
    "notunit": (Code.FRAME, "object {id} is not a unit that can be converted"),
    "queen": (Code.FRAME, "queens cannot be converted"),
    "here": (_NEVER, "the unit is at {place} already"),
    "own": (_NEVER, "object {id} is your own"),
    "invincible": (_NEVER, "nothing can hurt {what}"),
    "nothand": (_LATER, "you have no item to place now"),
    "placing": (_LATER, "items are placed when their owner is asked to, right after delivery"),
    "shaft": (_NEVER, "{place} is an entrance, a landing or the throne; no antlion may stand there"),
    "apart": (_NEVER, "a termite bomb must be put beside the queen, and {place} is not"),
    "taken": (_LATER, "{place} is not free now"),
}

refusal = Reasons(REASONS).refusal

COMMANDS: dict[str, Command] = {kind.name: kind() for kind in MAIN_ORDERS}

# --- Legal orders for bots and tests

_MOST_BUSY = 10
"""Maximum objects with orders. At this number, a seat gets no further orders."""


def legal_orders(plan: Plan[World]) -> Iterator[Order]:
    """Yield legal orders for ``plan.seat`` after ``plan.before``."""
    world, seat = plan.world, plan.seat
    if world.ended:
        return
    if world.placing and seat == world.seat:
        yield from _placements(plan)
    busy = {before.on for before in plan.before if before.type != PlaceItem.name}
    if len(busy) > _MOST_BUSY:
        return
    tracks = {(before.on, before.type) for before in plan.before}
    for oid, unit in world.units.items():
        if unit.owner != seat:
            continue
        if unit.kind == worlds.QUEEN:
            yield from _of_queen(plan, oid, unit, tracks)
        elif oid not in busy:
            yield from _of_unit(plan, oid, unit)


def _of_queen(plan: Plan[World], oid: Oid, unit: Unit, tracks: set[tuple[Oid, str]]) -> Iterator[Order]:
    if not tracks & {(oid, Move.name), (oid, NoOp.name)}:
        yield from _walks(plan, oid, unit)
    home = plan.world.colonies[plan.seat].home + 1
    if not tracks & {(oid, Spawn.name), (home, Spawn.name)}:
        for on in (oid, home):
            for kind in SPAWNED:
                yield Order(plan.seat, on, Spawn.name, {KIND: choosing(kind + 1), WHERE: worlds.UNIVERSE})


def _of_unit(plan: Plan[World], oid: Oid, unit: Unit) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    stats = STATS[unit.kind]
    if stats.steps:
        yield from _walks(plan, oid, unit)
    beside = world.beside(unit.square)
    if stats.kind in FIGHTERS:
        for square in beside:
            target = world.occupied.get(square)
            if target is None or target in world.spiders:
                continue
            other = world.units.get(target)
            if other is not None and other.owner == seat:
                continue
            if other is None or other.kind != worlds.ANTLION:
                yield Order(seat, oid, Attack.name, {TARGET: target})
            if other is not None and unit.kind == worlds.YOUNG_QUEEN and other.kind != worlds.QUEEN:
                yield Order(seat, oid, Convert.name, {TARGET: target})
    if unit.kind == worlds.WORKER:
        if unit.item:
            yield Order(seat, oid, Drop.name)
        for item, token in world.items.items():
            if token.square != worlds.NOWHERE and (token.square == unit.square or token.square in beside):
                yield Order(seat, oid, PickUp.name, {ITEM: item})


def _walks(plan: Plan[World], oid: Oid, unit: Unit) -> Iterator[Order]:
    """Yield Move orders to squares within reach in this turn, and an order to wait."""
    world = plan.world
    occupied, closed = world.occupied, world.closed()
    reach = _within(world.layout, unit.square, STATS[unit.kind].steps)
    for square in (*reach, *world.beside(unit.square)[len(world.layout.around[unit.square]) :]):
        if square not in occupied and square not in closed:
            yield Order(plan.seat, oid, Move.name, {DESTINATION: world.system(square)})
    yield Order(plan.seat, oid, NoOp.name, {DURATION: 1})


@lru_cache(maxsize=8192)
def _within(layout: Layout, centre: Square, reach: int) -> tuple[Square, ...]:
    """Return the squares on the same board at a distance of 1 to ``reach`` from ``centre``."""
    start = centre - centre % layout.area
    return tuple(
        square
        for square in range(start, start + layout.area)
        if square != centre and layout.within(centre, square, reach)
    )


def _placements(plan: Plan[World]) -> Iterator[Order]:
    world, seat = plan.world, plan.seat
    ordered = [placed_item(before) for before in plan.before if before.type == PlaceItem.name]
    for item in world.hand(seat):
        if item not in ordered:
            for square in world.places_for(seat, world.items[item].kind):
                args = {ITEM: choosing(item), WHERE: world.system(square)}
                yield Order(seat, world.colonies[seat].queen, PlaceItem.name, args)
