"""Paths of units and spiders, compared with a second statement (R71).

The boards are random. See section 4 of the rule page.
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tprules.api import Turn, parse_options
from tprules.api.advance import opening
from tprules.colony_battle import RULESET
from tprules.colony_battle.movement import Course, _way_to_prey, way
from tprules.colony_battle.world import ANTLION, SOLDIER, WORKER, Spider, World

WIDTH, HEIGHT = 13, 9
SITES = {"entrance1": "0:6,4", "entrance2": "1:6,6", "throne": "2:6,3"}
ENTRANCES, LANDINGS, THRONE = ((0, 6, 4), (1, 6, 6)), ((1, 6, 4), (2, 6, 6)), (2, 6, 3)
NEAR = {
    4: ((0, 1), (1, 0), (0, -1), (-1, 0)),
    8: ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)),
}
"""North is y + 1; clockwise."""

Spot = tuple[int, int, int]


class Scene(NamedTuple):
    """A position in the page's own terms: squares are (board, x, y)."""

    adjacency: int
    open: tuple[bool, bool, bool]
    taken: list[Spot]
    """Where a soldier of somebody stands."""
    guards: list[Spot]
    """Enemy antlions."""
    trail: list[Spot]
    webs: list[tuple[Spot, int]]
    start: Spot
    goal: Spot

    def beside(self, spot: Spot) -> list[Spot]:
        board, x, y = spot
        found = [(board, x + dx, y + dy) for dx, dy in NEAR[self.adjacency]]
        return [one for one in found if 0 <= one[1] < WIDTH and 0 <= one[2] < HEIGHT]

    def steps(self, spot: Spot) -> list[Spot]:
        """The squares to which a unit can step, in the order of the page."""
        found = self.beside(spot)
        for entrance, is_open in zip(ENTRANCES, self.open, strict=False):
            landing = (entrance[0] + 1, *entrance[1:])
            if is_open and spot in (entrance, landing):
                found.append(landing if spot == entrance else entrance)
        closed = [site for site, is_open in zip((*ENTRANCES, THRONE), self.open, strict=True) if not is_open]
        return [one for one in found if one not in (*closed, *self.taken, *self.guards)]

    def distance(self, one: Spot, other: Spot) -> int:
        if one[0] != other[0]:
            return 10**6
        dx, dy = abs(one[1] - other[1]), abs(one[2] - other[2])
        return dx + dy if self.adjacency == 4 else max(dx, dy)

    def is_hazard(self, spot: Spot) -> bool:
        return any(self.distance(centre, spot) <= radius for centre, radius in self.webs) or any(
            self.distance(guard, spot) <= 3 for guard in self.guards
        )

    def best_way(self) -> list[Spot] | None:
        """Return the best way to the goal, or None.

        It has the fewest steps, then the fewest hazards, then the most of the own trail, then the first directions. The
        search finds the best way to each square that can be reached in a number of steps, one more step at a time.
        """
        best: dict[Spot, tuple[int, int, list[int], list[Spot]]] = {self.start: (0, 0, [], [])}
        seen = {self.start}
        while best and self.goal not in best:
            further: dict[Spot, tuple[int, int, list[int], list[Spot]]] = {}
            for spot, (hazards, untrailed, directions, squares) in best.items():
                for direction, near in enumerate(self.steps(spot)):
                    if near in seen:
                        continue
                    through = (
                        hazards + self.is_hazard(near),
                        untrailed + (near not in self.trail),
                        [*directions, direction],
                        [*squares, near],
                    )
                    if near not in further or through[:3] < further[near][:3]:
                        further[near] = through
            seen.update(further)
            best = further
        return best[self.goal][3] if best else None

    def world(self) -> World:
        options = {
            "width": WIDTH,
            "height": HEIGHT,
            "adjacency": str(self.adjacency),
            "starts": "0:0,0 0:12,8",
            "items": "",
            "item_kinds": "0,0",
            "worms": "",
            "spiders": "",
            "spider_relocate": 5,
            **SITES,
        }
        world = opening(RULESET, parse_options(RULESET.options, options), 2, b"ways").state.world
        world.units.clear()
        world.left = [0 if is_open else 3 for is_open in self.open]
        square = world.layout.square
        world.colonies[0].trail = {square(spot): 0 for spot in self.trail}
        world.webs = [(square(centre), radius) for centre, radius in self.webs]
        world.occupy()
        for number, spot in enumerate(self.taken):
            world.add_unit(SOLDIER, number % 2, square(spot))
        for spot in self.guards:
            world.add_unit(ANTLION, 1, square(spot))
        return world


def _spots(boards: int = 3) -> st.SearchStrategy[Spot]:
    """Squares of a small part of the boards, around the shafts, so that much is in each other's way."""
    return st.tuples(st.integers(0, boards - 1), st.integers(4, 8), st.integers(3, 7))


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    is_open = draw(st.tuples(st.booleans(), st.booleans(), st.booleans()))
    closed = [site for site, opened in zip((*ENTRANCES, THRONE), is_open, strict=True) if not opened]
    places = [spot for spot in draw(st.lists(_spots(), min_size=14, max_size=30, unique=True)) if spot not in closed]
    start, *others = places
    board, x, y = start
    goals = _spots() | st.sampled_from([(board, x + dx, y + dy) for dx, dy in NEAR[4]])
    guards = draw(st.integers(0, 2))
    return Scene(
        adjacency=draw(st.sampled_from((4, 8))),
        open=is_open,
        taken=others[guards + 1 :],
        guards=others[:guards],
        trail=draw(st.lists(_spots(), max_size=40)),
        webs=draw(st.lists(st.tuples(_spots(), st.integers(0, 2)), max_size=2)),
        start=start,
        goal=draw(goals.filter(lambda spot: spot != start and spot not in closed)),
    )


@settings(max_examples=50)
@given(scenes())
def test_a_unit_takes_the_way_of_the_page(scene: Scene):
    """And has none exactly where there is none."""
    world = scene.world()
    unit = world.units[world.add_unit(WORKER, 0, world.layout.square(scene.start))]
    found = way(world, unit, world.layout.square(scene.goal))
    expected = None if scene.goal in (*scene.taken, *scene.guards) else scene.best_way()
    assert (None if found is None else [world.layout.spot(square) for square in found]) == expected


@settings(max_examples=40)
@given(scenes(), st.integers(2, 6))
def test_a_spider_goes_for_the_nearest_unit_in_its_web(scene: Scene, radius: int):
    """R71: it takes the shortest free path to a square beside the unit, never onto sites and landings.

    Of units at the same distance it takes the one with the lowest number.
    """
    assume(scene.start not in (*ENTRANCES, *LANDINGS, THRONE))
    world = scene.world()
    layout = world.layout
    oid = world.new_id()
    spider = world.spiders[oid] = Spider(layout.square(scene.start), layout.square(scene.start), radius)
    world.occupy()
    prey: dict[Spot, int] = {}
    for number, unit in world.units.items():
        unit.caught = unit.kind != ANTLION
        spot = layout.spot(unit.square)
        if unit.caught and scene.distance(scene.start, spot) <= radius and spot not in scene.beside(scene.start):
            prey[spot] = number
    found = _way_to_prey(Course(Turn(world, 0, "main", {}, b"")), oid, spider)
    assert (None if found is None else [layout.spot(square) for square in found]) == _way_to_any(scene, prey)


def _way_to_any(scene: Scene, prey: dict[Spot, int]) -> list[Spot] | None:
    """All paths of one length before those of the next, each once for every square, in the order of the directions."""
    paths, seen = [[scene.start]], {scene.start}
    while paths:
        ends = [(number, path) for path in paths for spot, number in prey.items() if spot in scene.beside(path[-1])]
        if ends:
            return min(ends, key=lambda end: end[0])[1][1:]
        further = []
        for path in paths:
            for near in scene.beside(path[-1]):
                if near not in (*seen, *scene.taken, *scene.guards, *ENTRANCES, *LANDINGS, THRONE):
                    seen.add(near)
                    further.append([*path, near])
        paths = further
    return None
