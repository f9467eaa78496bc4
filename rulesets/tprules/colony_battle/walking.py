"""The movement of units: ways, steps, trails, and what stops them (R10, R19, R57, R70)."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from tprules.api import ORDER_COMPLETED, Oid, Order, Reference, RefKind, Seat, Turn
from tprules.colony_battle.board import Square
from tprules.colony_battle.pieces import ANTLION, DRONE, QUEEN, SPAWNED, STATS, TERMITE
from tprules.colony_battle.world import NOBODY, Unit, World
from tprules.kit.bfs import found_from
from tprules.kit.dijkstra import costs_to, next_step

_STEP, _HAZARD, _TRAIL = 1 << 40, 1 << 20, 1
"""Weights in the choice of a way: steps count first, then hazards, then trails.  No way has so many squares that lower
weights add up to a higher one."""


def way(world: World, unit: Unit, goal: Square) -> list[Square] | None:
    """Return the squares of a unit's way to ``goal``, or None: the way with fewest steps, then fewest hazards, then
    most squares of the own trail, then the first directions (RULES.md, section 4)."""
    if not world.is_free(goal):
        return None
    ways, occupied, start = world.ways(), world.occupied, unit.square
    guards = [one.square for one in world.units.values() if one.kind == ANTLION and one.owner != unit.owner]
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
    """Return the cost of a step onto the square; ``guards`` are the squares of enemy antlions."""
    cost = _STEP
    reach = world.settings.antlion_range
    if world.in_web(square) or any(world.layout.within(guard, square, reach) for guard in guards):
        cost += _HAZARD
    if square in world.colonies[unit.owner].trail:
        cost -= _TRAIL
    return cost


def reachable(world: World, unit: Unit) -> Container[Square]:
    """Return the squares to which a unit has a way, including its own square."""
    return found_from(unit.square, world.ways(), world.occupied)


class Walk:
    """The movement of one unit in one turn, over as many waypoints as its steps allow."""

    def __init__(self, course: Course, oid: Oid) -> None:
        self._course = course
        self._oid = oid
        self._unit = course.world.units[oid]
        self._is_ant = self._unit.kind != TERMITE
        self._laid: set[Square] = set()
        """Squares that had no trail before this movement laid one."""
        self._on_trail = False
        self.steps = 0
        self.stopped = False
        self._touch()

    def may_step(self) -> bool:
        """Return whether the unit has a step left; touching a trail gives one more (R19)."""
        return not self.stopped and self.steps < STATS[self._unit.kind].steps + self._on_trail

    def follow(self, squares: list[Square]) -> None:
        """Walk along a way until its end, or until something stops the unit."""
        for square in squares:
            if not self.may_step():
                return
            self._step(square)

    def _step(self, square: Square) -> None:
        course, unit, world = self._course, self._unit, self._course.world
        if unit.kind == DRONE:
            trail = world.colonies[unit.owner].trail
            if unit.square not in trail:
                self._laid.add(unit.square)
            trail[unit.square] = 0
        course.move_unit(self._oid, square)
        self.steps += 1
        course.greet(self._oid)
        if self._oid not in world.units or world.ended:
            self.stopped = True
            return
        if unit.kind == QUEEN and square == world.layout.sites[-1]:
            world.ended, world.winner = "throne", unit.owner
            self.stopped = True
            return
        is_free = not world.in_web(square)
        if not is_free:
            self.stopped = True
            if not unit.caught:
                body = f"Your {STATS[unit.kind].name} at {world.layout.name(square)} is caught in a web."
                course.turn.report(unit.owner, "Caught in a web", body, about(self._oid))
        unit.caught = not is_free
        self._touch()

    def _touch(self) -> None:
        trail = self._course.world.colonies[self._unit.owner].trail
        if self._is_ant and self._unit.square in trail and self._unit.square not in self._laid:
            self._on_trail = True


# --- What happens during one closing: deaths, their consequences, and reports to players (R8, R37 to R42, R72)


def about(*oids: Oid) -> list[Reference]:
    """Return references to objects."""
    return [Reference(RefKind.OBJECT, oid) for oid in oids]


@dataclass
class Course:
    """A turn, and state that is needed only while it is closed."""

    turn: Turn[World]
    blasts: list[Square] = field(default_factory=list)
    """Squares of dead termite bombs that must still go off, in this order."""

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

    def complete(self, order: Order, text: str) -> None:
        """Remove an order that was executed, and report it."""
        self.remove(order)
        body = f"{order.type}: {text}"
        self.turn.report(order.seat, "Order complete", body, [ORDER_COMPLETED, *about(order.on)])

    def fail(self, order: Order, why: str) -> None:
        """Remove an order that cannot be executed, and report why."""
        self.remove(order)
        self.turn.failed(order, why)

    # Deaths.

    def kill(self, oid: Oid, cause: str) -> None:
        """Remove a dead unit and its orders.  Its item drops (R47); a termite bomb is noted to go off later."""
        world = self.world
        unit = world.units.pop(oid)
        del world.occupied[unit.square]
        if unit.item:
            item = world.items[unit.item]
            item.carrier, item.square = 0, unit.square
        self.turn.queues.pop(oid, None)
        if unit.kind == TERMITE:
            self.blasts.append(unit.square)
        place = world.layout.name(unit.square)
        body = f"Your {STATS[unit.kind].name} at {place} is lost: {cause}."
        self.turn.report(unit.owner, "Unit lost", body, about(oid))
        self.turn.event("unit lost", seat=unit.owner, kind=STATS[unit.kind].kind, place=place, cause=cause)

    def kill_dead(self, oids: Iterable[Oid], cause: str) -> None:
        """Kill the units that have no hit points left, in the order of their numbers."""
        for oid in sorted(oids):
            if self.world.units[oid].hit_points <= 0:
                self.kill(oid, cause)

    def settle(self) -> None:
        """Let dead termite bombs go off, one after the other, until none is left (R42)."""
        if not self.blasts:
            return
        world = self.world
        reach, damage = world.settings.blast_range, world.settings.blast_damage
        while self.blasts:
            centre = self.blasts.pop(0)
            hurt = [
                oid
                for oid, unit in world.units.items()
                if unit.kind != ANTLION and world.layout.within(centre, unit.square, reach)
            ]
            for oid in hurt:
                unit = world.units[oid]
                unit.hit_points -= damage
                if unit.kind == QUEEN and unit.hit_points > 0:
                    self.tell_queen(oid, unit, "Queen hit")
            self.kill_dead(hurt, "blast")
        self.check_queens()

    def check_queens(self) -> None:
        """End the game if a queen is dead (R8)."""
        world = self.world
        missing = [seat for seat in range(len(world.colonies)) if world.queen(seat) is None]
        if missing and not world.ended:
            world.ended = "queens" if len(missing) > 1 else "queen"
            world.winner = NOBODY if len(missing) > 1 else 1 - missing[0]

    def tell_queen(self, oid: Oid, queen: Unit, subject: str) -> None:
        """Report to the owner how many hit points a queen has left."""
        self.turn.report(queen.owner, subject, f"Your queen has {queen.hit_points} hit points left.", about(oid))

    # What waits for those who come near.

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
            if antlion.kind == ANTLION and antlion.owner != unit.owner:
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
            self.turn.report(None, "Antlion spent", body, about(striker))

    def _meet_spiders(self, square: Square) -> None:
        world = self.world
        around = world.layout.around()[square]
        for spider in sorted(world.spiders):
            if world.spiders[spider].square in around:
                self.strike(spider)

    def strike(self, spider: Oid) -> None:
        """Let a spider kill all units around it, and bite queens (R72, R73); termite bombs go off afterwards (R74)."""
        world = self.world
        around = world.layout.around()[world.spiders[spider].square]
        found = [world.occupied[square] for square in around if square in world.occupied]
        for oid in sorted(oid for oid in found if oid in world.units):
            unit = world.units[oid]
            if unit.kind != QUEEN:
                self.kill(oid, "spider")
            elif (spider, oid) not in world.bitten:
                world.bitten.append((spider, oid))
                unit.hit_points -= unit.hit_points // 2
                self.tell_queen(oid, unit, "Queen bitten")
        self.settle()

    def move_unit(self, oid: Oid, square: Square) -> None:
        """Move a unit to another square."""
        world = self.world
        unit = world.units[oid]
        del world.occupied[unit.square]
        unit.square = square
        world.occupied[square] = oid

    def spawned(self, seat: Seat, kind: int, square: Square) -> Oid:
        """Put a new unit on a square, let antlions and spiders strike at it, and return its number (R34)."""
        oid = self.world.add_unit(kind, seat, square)
        body = f"A new {STATS[kind].name} is at {self.world.layout.name(square)}."
        self.turn.report(seat, "Unit spawned", body, about(oid))
        self.greet(oid)
        return oid
