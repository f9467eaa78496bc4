"""Where units may go, the cost of steps, and the way of a move (R8, R10, R11, R15, R42, R54, R60, R64, R67)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from tprules.api import Order
from tprules.kit.dijkstra import costs_from, costs_to, next_step
from tprules.kit.unit_queues import Verdict
from tprules.taller_ants.board import FUNGUS_DISTANCE, Place
from tprules.taller_ants.orders import A_SQUARE, SQUARE, UNIT_KINDS, Action, Args, Illegal, Scene, illegal_if
from tprules.taller_ants.world import RED, Group, Queen, Spider, Unit, World

_SPIDER_STEP, _SPIDER_ON_WEB = 2, 1
_BLACK_STEP, _RED_STEP, _QUEEN_STEP = 1, 2, 4
ANY_COST = 10**9
"""More ticks than any way takes."""
_ANTS_ON_WEB = 2
"""Factor by which ants are slower on a web."""

_ROAMS, _QUEEN_ROAMS = 4, 8
"""Maximum ticks of a move that is offered to bots, but of moves to the holes."""

Step: TypeAlias = tuple[Place, int]
"""(place, ticks of the step to it)."""


class Move(Action[Unit]):
    """Goes as far towards the target as the ticks allow; the order stays until the unit has arrived."""

    number = 2
    name = "Move"
    help = "Go to a square by the cheapest way, over several phases if need be"
    kinds = UNIT_KINDS
    params = {SQUARE: A_SQUARE}

    def do(self, scene: Scene, unit: Unit, order: Order) -> Verdict:
        return move(scene, unit, scene.world.place_of(order.args[SQUARE]))

    def legal(self, world: World, unit: Unit) -> Iterator[Args]:
        """Yield places in the neighbourhood, and for groups the holes."""
        places = list(within_reach(world, unit, min(unit.ticks, _QUEEN_ROAMS if isinstance(unit, Queen) else _ROAMS)))
        if isinstance(unit, Group) and not unit.bridge and unit.ticks:
            for colony in world.colonies:
                places += [colony.hole, world.board.other_side(colony.hole)]
        return ({SQUARE: world.system(place)} for place in places if place != unit.place)


def move(scene: Scene, unit: Unit, target: Place) -> Verdict:
    """Move a unit as far towards the target as its ticks allow; the order stays until the unit has arrived."""
    world = scene.world
    if isinstance(unit, Spider) and world.board.below(target):
        raise Illegal("below")
    if isinstance(unit, Group) and unit.bridge:
        raise Illegal("bridging")
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


def within_reach(world: World, unit: Unit, ticks: int) -> dict[Place, int]:
    """Return the places that a unit reaches with this number of ticks, with their costs, including its own place."""
    if isinstance(unit, Group) and unit.bridge:
        return {unit.place: 0}
    ground = _Ground(world, unit)
    return costs_from(unit.place, ground.ways_from, ticks)


def fungus_distances(world: World) -> dict[Place, int]:
    """Return, for each square that is too near to fungus or a ward for spiders, its distance to the nearest one."""
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
        """Whether each place may be entered."""
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
        """Return whether a spider may step from one place to another although fungus is near (R15)."""
        if after not in self._distances:
            return True
        return before in self._distances and self._distances[after] > self._distances[before]
