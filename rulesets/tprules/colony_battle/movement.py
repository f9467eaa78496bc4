"""Movement on the boards, and its effects.

Deaths, ways, trails, earthworms and spiders.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from tprules.api import ORDER_COMPLETED, Dice, Oid, Order, Seat, Turn
from tprules.colony_battle import world as worlds
from tprules.colony_battle.board import Layout, Square
from tprules.colony_battle.world import SPAWNED, STATS, Spider, Unit, World, Worm
from tprules.kit.bfs import found_from, path_to
from tprules.kit.dijkstra import costs_to, next_step

# --- Deaths and their consequences (R8, R37 to R42, R72)


@dataclass
class Course:
    """A turn, with state that is needed only while it closes."""

    turn: Turn[World]
    blasts: list[Square] = field(default_factory=list)
    """Squares of dead termite bombs that must still explode, in this order."""

    @property
    def world(self) -> World:
        return self.turn.world

    # Orders.

    def is_waiting(self, order: Order) -> bool:
        """Return whether an order is still in its queue."""
        return order in self.turn.queues.get(order.on, ())

    def remove(self, order: Order) -> None:
        """Remove an order from its queue."""
        self.turn.queues[order.on].remove(order)

    def complete(self, order: Order, text: str, *, called: str = "") -> None:
        """Remove an executed order and report it. ``called`` is its name for players, if it differs from the type."""
        self.remove(order)
        body = f"{called or order.type}: {text}"
        self.turn.report(order.seat, "Order complete", body, [ORDER_COMPLETED, order.on], by=order.seat)

    def fail(self, order: Order, why: str) -> None:
        """Remove an order that cannot be executed, and report why."""
        self.remove(order)
        self.turn.failed(order, why)

    # Deaths.

    def kill(self, oid: Oid, cause: str) -> None:
        """Remove a dead unit and its orders. Its item drops (R47). A termite bomb is noted and explodes later."""
        world = self.world
        unit = world.units.pop(oid)
        del world.occupied[unit.square]
        if unit.item:
            item = world.items[unit.item]
            item.carrier, item.square = 0, unit.square
        self.turn.queues.pop(oid, None)
        if unit.kind == worlds.TERMITE:
            self.blasts.append(unit.square)
        place = world.layout.name(unit.square)
        body = f"Your {STATS[unit.kind].name} at {place} is lost: {cause}."
        self.turn.report(unit.owner, "Unit lost", body, [oid])
        self.turn.event("unit lost", seat=unit.owner, kind=STATS[unit.kind].kind, place=place, cause=cause)

    def kill_dead(self, oids: Iterable[Oid], cause: str) -> None:
        """Kill the units that have no hit points left, in the order of their numbers."""
        for oid in sorted(oids):
            if self.world.units[oid].hit_points <= 0:
                self.kill(oid, cause)

    def settle(self) -> None:
        """Let dead termite bombs explode, one after the other, until none is left (R42)."""
        if not self.blasts:
            return
        world = self.world
        reach, damage = world.settings.blast_range, world.settings.blast_damage
        while self.blasts:
            centre = self.blasts.pop(0)
            hurt = [
                oid
                for oid, unit in world.units.items()
                if unit.kind != worlds.ANTLION and world.layout.within(centre, unit.square, reach)
            ]
            for oid in hurt:
                unit = world.units[oid]
                unit.hit_points -= damage
                if unit.kind == worlds.QUEEN and unit.hit_points > 0:
                    self.tell_queen(oid, unit, "Queen hit")
            self.kill_dead(hurt, "blast")
        self.check_queens()

    def check_queens(self) -> None:
        """End the game if a queen is dead (R8)."""
        world = self.world
        missing = [seat for seat in range(len(world.colonies)) if world.queen(seat) is None]
        if missing and not world.ended:
            world.ended = "queens" if len(missing) > 1 else "queen"
            world.winner = worlds.NOBODY if len(missing) > 1 else 1 - missing[0]

    def tell_queen(self, oid: Oid, queen: Unit, subject: str) -> None:
        """Report to the owner the hit points that a queen has left."""
        self.turn.report(queen.owner, subject, f"Your queen has {queen.hit_points} hit points left.", [oid])

    # Dangers for units that come near.

    def greet(self, oid: Oid) -> None:
        """Let antlions, and then spiders, strike at a unit that has just arrived on its square (R37, R72)."""
        unit = self.world.units[oid]
        if unit.kind in SPAWNED:
            self._meet_antlion(oid, unit)
        if oid in self.world.units:
            self._meet_spiders(unit.square)

    def _meet_antlion(self, oid: Oid, unit: Unit) -> None:
        world = self.world
        near = []
        for other, antlion in world.units.items():
            if antlion.kind == worlds.ANTLION and antlion.owner != unit.owner:
                distance = world.layout.distance(antlion.square, unit.square)
                if distance is not None and distance <= world.settings.antlion_range:
                    near.append((distance, other))
        if not near:
            return
        striker = min(near)[1]
        antlion = world.units[striker]
        self.kill(oid, "antlion")
        antlion.kills -= 1
        if not antlion.kills:
            body = f"The antlion at {world.layout.name(antlion.square)} has destroyed its last ant."
            self.kill(striker, "spent")
            self.turn.report(None, "Antlion spent", body, [striker])

    def _meet_spiders(self, square: Square) -> None:
        world = self.world
        around = world.layout.around[square]
        for spider in sorted(world.spiders):
            if world.spiders[spider].square in around:
                self.strike(spider)

    def strike(self, spider: Oid) -> None:
        """Let a spider kill all units around it, and bite queens (R72, R73). Termite bombs explode afterwards (R74)."""
        world = self.world
        around = world.layout.around[world.spiders[spider].square]
        found = [world.occupied[square] for square in around if square in world.occupied]
        for oid in sorted(oid for oid in found if oid in world.units):
            unit = world.units[oid]
            if unit.kind != worlds.QUEEN:
                self.kill(oid, "spider")
            elif (spider, oid) not in world.bitten:
                world.bitten.append((spider, oid))
                unit.hit_points -= unit.hit_points // 2
                self.tell_queen(oid, unit, "Queen bitten")
        self.settle()

    def spawned(self, seat: Seat, kind: int, square: Square) -> Oid:
        """Put a new unit on a square, let antlions and spiders strike at it, and return its number (R34)."""
        oid = self.world.add_unit(kind, seat, square)
        body = f"A new {STATS[kind].name} is at {self.world.layout.name(square)}."
        self.turn.report(seat, "Unit spawned", body, [oid], by=seat)
        self.greet(oid)
        return oid


# --- The movement of units: ways, steps, trails and obstacles (R10, R19, R57, R70)

_STEP, _HAZARD, _TRAIL = 1 << 40, 1 << 20, 1
"""Weights in the choice of a way: steps count first, then hazards, then trails.

No way has so many squares that lower weights add up to a higher one.
"""


def way(world: World, unit: Unit, goal: Square) -> list[Square] | None:
    """Return the squares of a unit's way to ``goal``, or None (RULES.md, section 4).

    It is the way with the fewest steps, then the fewest hazards, then the most squares of the own trail. Among equal
    ones, the first directions count.
    """
    if not world.is_free(goal):
        return None
    ways, occupied, start = world.ways(), world.occupied, unit.square
    guards = [one.square for one in world.units.values() if one.kind == worlds.ANTLION and one.owner != unit.owner]
    cost_of: dict[Square, int] = {}

    def cost(square: Square) -> int:
        found = cost_of.get(square)
        if found is None:
            found = cost_of[square] = _cost(world, unit, square, guards)
        return found

    def ways_to(square: Square) -> Iterable[tuple[Square, int]]:
        here = cost(square)
        return [(near, here) for near in ways[square] if near == start or near not in occupied]

    def ways_from(square: Square) -> Iterable[tuple[Square, int]]:
        return [(near, cost(near)) for near in ways[square] if near not in occupied]

    costs = costs_to(goal, ways_to, start)
    squares = []
    square = start
    while square != goal:
        step = next_step(costs, square, ways_from)
        if step is None:
            return None
        square = step[0]
        squares.append(square)
    return squares


def _cost(world: World, unit: Unit, square: Square, guards: list[Square]) -> int:
    """Return the cost of a step onto the square. ``guards`` are the squares of enemy antlions."""
    cost = _STEP
    reach = world.settings.antlion_range
    if world.in_web(square) or any(world.layout.within(guard, square, reach) for guard in guards):
        cost += _HAZARD
    if square in world.colonies[unit.owner].trail:
        cost -= _TRAIL
    return cost


def reachable(world: World, unit: Unit) -> Mapping[Square, int]:
    """Return the squares to which a unit has a way, including its own square, with the number of steps to each."""
    return steps_from(world, unit.square, world.occupied)


def steps_from(world: World, start: Square, blocked: Container[Square]) -> Mapping[Square, int]:
    """Return the squares that can be reached from ``start``, with the number of steps to each."""
    steps = {start: 0}
    for place, last in found_from(start, world.ways(), blocked).items():
        steps.setdefault(place, steps[last] + 1)
    return steps


class Walk:
    """The movement of one unit in one turn, over as many waypoints as its steps allow."""

    def __init__(self, course: Course, oid: Oid) -> None:
        self._course = course
        self._oid = oid
        self._unit = course.world.units[oid]
        self._is_ant = self._unit.kind != worlds.TERMITE
        self._laid: set[Square] = set()
        """Squares that had no trail before this movement laid one."""
        self._on_trail = False
        self.steps = 0
        self.stopped = False
        self._touch()

    def may_step(self) -> bool:
        """Return whether the unit has a step left. A touched trail gives one more (R19)."""
        return not self.stopped and self.steps < STATS[self._unit.kind].steps + self._on_trail

    def follow(self, squares: list[Square]) -> None:
        """Walk along a way until its end, or until something stops the unit."""
        for square in squares:
            if not self.may_step():
                return
            self._step(square)

    def _step(self, square: Square) -> None:
        course, unit, world = self._course, self._unit, self._course.world
        if unit.kind == worlds.DRONE:
            trail = world.colonies[unit.owner].trail
            if unit.square not in trail:
                self._laid.add(unit.square)
            trail[unit.square] = 0
        del world.occupied[unit.square]
        unit.square = square
        world.occupied[square] = self._oid
        self.steps += 1
        course.greet(self._oid)
        if self._oid not in world.units or world.ended:
            self.stopped = True
            return
        if unit.kind == worlds.QUEEN and square == world.layout.sites[-1]:
            world.ended, world.winner = "throne", unit.owner
            self.stopped = True
            return
        is_free = not world.in_web(square)
        if not is_free:
            self.stopped = True
            if not unit.caught:
                body = f"Your {STATS[unit.kind].name} at {world.layout.name(square)} is caught in a web."
                course.turn.report(unit.owner, "Caught in a web", body, [self._oid])
        unit.caught = not is_free
        self._touch()

    def _touch(self) -> None:
        trail = self._course.world.colonies[self._unit.owner].trail
        if self._is_ant and self._unit.square in trail and self._unit.square not in self._laid:
            self._on_trail = True


# --- Creatures without an owner: earthworms and spiders (R58 to R72)

# Earthworms.


def eat_segment(course: Course, segment: Oid) -> None:
    """Remove a segment from its worm. If it is an inner one, the worm splits (R62, R64)."""
    world = course.world
    oid = world.worm_of(segment)
    assert oid is not None, "only segments that are there are eaten"
    worm = world.worms[oid]
    place = worm.segments.index(segment)
    del world.occupied[worm.squares[place]]
    front, rear = slice(0, place), slice(None, place, -1)
    rear_segments, rear_squares = worm.segments[rear], worm.squares[rear]
    facing = worm.facing
    if place:
        worm.segments, worm.squares = worm.segments[front], worm.squares[front]
        if rear_segments:
            other = world.new_id()
            world.worms[other] = Worm(rear_segments, rear_squares, _facing_away(course, rear_squares, facing))
            body = f"An earthworm was split at {world.layout.name(rear_squares[-1])}."
            course.turn.report(None, "Worm split", body, [oid, other])
    elif rear_segments:
        worm.segments, worm.squares = rear_segments[::-1], rear_squares[::-1]
    else:
        del world.worms[oid]


def _facing_away(course: Course, squares: list[Square], before: int) -> int:
    """Return the facing of a worm whose head is its old tail (R64, R75).

    It faces away from its second segment. If these two are not in the same row, it is the reverse of ``before``.
    """
    spot = course.world.layout.spot
    if len(squares) > 1:
        (_, head_x, head_y), (_, next_x, next_y) = spot(squares[0]), spot(squares[1])
        if head_y == next_y:
            return worlds.RIGHT if head_x > next_x else worlds.LEFT
    return 1 - before


def next_heads(layout: Layout, head: Square, facing: int) -> list[tuple[Square, int]]:
    """Return the squares to which a worm's head may crawl, with the facing afterwards (R60, R65).

    The first choice comes first. Squares may be occupied.
    """
    board, x, y = layout.spot(head)
    step = 1 if facing == worlds.RIGHT else -1
    choices = (((board, x + step, y), facing), ((board, x, y + step), 1 - facing), ((board, x, y - step), 1 - facing))
    return [(layout.square(spot), after) for spot, after in choices if layout.holds(spot)]


def crawl(course: Course, oid: Oid) -> None:
    """Move a worm by one square, and crush the units on that square (R60, R61, R65, R66).

    If a worm cannot move, its tail becomes its head (R75).
    """
    world = course.world
    worm = world.worms[oid]
    for square, facing in next_heads(world.layout, worm.squares[0], worm.facing):
        if square not in world.occupied or world.occupied[square] in world.units:  # the own tail is in its way (R76)
            worm.facing = facing
            _crawl_to(course, worm, square)
            return
    worm.segments.reverse()
    worm.squares.reverse()
    worm.facing = _facing_away(course, worm.squares, worm.facing)


def _crawl_to(course: Course, worm: Worm, square: Square) -> None:
    world = course.world
    if square in world.occupied:
        course.kill(world.occupied[square], "worm")
    del world.occupied[worm.squares[-1]]
    worm.squares = [square, *worm.squares[:-1]]
    world.occupied.update(zip(worm.squares, worm.segments, strict=True))
    course.settle()


# Spiders.


def react(course: Course, oid: Oid) -> None:
    """Move a spider towards the units caught in its web, the nearest first, as far as its steps suffice (R71)."""
    world = course.world
    spider = world.spiders[oid]
    left = world.settings.spider_speed
    while spider.weaves and not world.ended:
        path = _way_to_prey(course, oid, spider)
        if not path or not left:
            return
        _walk(course, oid, spider, path[:left])
        left = max(0, left - len(path))
        course.strike(oid)


def _way_to_prey(course: Course, oid: Oid, spider: Spider) -> list[Square] | None:
    """Return the shortest free path to a square beside a caught unit, or None if there is no such unit.

    Units that are already beside the spider do not count. It strikes after a walk, an arrival, or at the end of a round
    (R72).
    """
    world = course.world
    around = world.layout.around
    prey = {
        unit.square: caught
        for caught, unit in world.units.items()
        if unit.caught
        and unit.square not in around[spider.square]
        and world.layout.within(spider.centre, unit.square, spider.radius)
        and not (unit.kind == worlds.QUEEN and (oid, caught) in world.bitten)
    }
    if not prey:
        return None
    before = found_from(spider.square, world.layout.lairs, world.occupied)
    steps = {spider.square: 0}
    nearest: tuple[int, Oid] | None = None
    best = spider.square
    for place, last in before.items():
        if place != last:
            steps[place] = steps[last] + 1
        if nearest is not None and steps[place] > nearest[0]:
            break
        for near in around[place]:
            if near in prey and (nearest is None or (steps[place], prey[near]) < nearest):
                nearest, best = (steps[place], prey[near]), place
    return None if nearest is None else path_to(best, before)


def weave(course: Course, oid: Oid, dice: Dice) -> None:
    """Let a spider extend its web, or travel to the place of the next one, and strike (R68, R69, R72)."""
    world = course.world
    spider = world.spiders[oid]
    if not spider.weaves:
        _travel(course, oid, spider, dice)
    elif spider.radius < world.settings.web_max:
        spider.radius += 1
    else:
        _leave_web(course, spider)
        _travel(course, oid, spider, dice)
    course.strike(oid)


def _leave_web(course: Course, spider: Spider) -> None:
    """Give up a web and free the units caught in it (R69)."""
    world = course.world
    if world.settings.web_persists:
        world.webs.append((spider.centre, spider.radius))
    spider.weaves, spider.goal = False, worlds.NOWHERE
    for unit in world.units.values():
        held = unit.caught and world.layout.within(spider.centre, unit.square, spider.radius)
        if held and not world.in_web(unit.square):
            unit.caught = False
    spider.radius = 0


def _travel(course: Course, oid: Oid, spider: Spider, dice: Dice) -> None:
    """Travel to the goal and begin a web on arrival. Draw a new goal if there is none or it cannot be reached."""
    world = course.world
    before = found_from(spider.square, world.layout.lairs, world.occupied)
    if spider.goal not in before:
        goals = [place for place in before if _is_far(course, spider, place)]
        goals.sort(key=lambda place: world.layout.spot(place)[1:])
        spider.goal = dice.pick(goals) if goals else worlds.NOWHERE
    if spider.goal == worlds.NOWHERE:
        return
    _walk(course, oid, spider, path_to(spider.goal, before)[: world.settings.spider_speed])
    if spider.square == spider.goal:
        spider.centre, spider.radius, spider.weaves, spider.goal = spider.square, 0, True, worlds.NOWHERE


def _is_far(course: Course, spider: Spider, place: Square) -> bool:
    """Return whether a new web may begin here."""
    world = course.world
    is_near = world.layout.within(spider.centre, place, world.settings.spider_relocate - 1)
    return place != spider.square and not is_near and not world.layout.is_shaft(place)


def _walk(course: Course, oid: Oid, spider: Spider, path: list[Square]) -> None:
    if path:
        occupied = course.world.occupied
        del occupied[spider.square]
        spider.square = path[-1]
        occupied[spider.square] = oid
