"""The movement of units: ways, steps, trails, and what stops them (R10, R19, R57, R70)."""

from __future__ import annotations

from collections.abc import Container, Iterable

from tprules.api import Oid
from tprules.colony_battle.board import Square
from tprules.colony_battle.course import Course, about
from tprules.colony_battle.pieces import ANTLION, DRONE, QUEEN, STATS, TERMITE
from tprules.colony_battle.world import Unit, World
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
