"""A greedy bot for Swarm.

For each step of its movement, and for each cube that it places, it tries all that is possible and takes what is worth
most: cubes, then enemy cubes half surrounded and own ones that are not, then ground won and a free edge for cubes to
come. It plays from what the wire shows: tiles, cubes and its own Swarm.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from ..errors import RequestFailed
from ..objects import SpaceObject
from ..universe import Universe
from .play import Turn

PLACE, MOVE = "Place Cube", "Move Cube"
MOST_REFUSALS = 6
"""So many refusals in one turn, and it is finished: the server makes what is missing."""

SIDE = 6
SPACING = 1000
"""Distance of neighbouring tiles; the first is at 0, 0."""

Square = tuple[int, int]
STRAIGHT = ((0, 1), (1, 0), (0, -1), (-1, 0))
AROUND = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0))


@dataclass(slots=True)
class Board:
    """Where cubes stand: own ones with the id by which an order names them, captured ones by the id of their tile."""

    tiles: dict[Square, int]
    edge: int
    """The rank of the own edge."""
    own: dict[Square, int]
    enemy: set[Square]
    starts: dict[Square, Square] = field(default_factory=dict)
    """Where an own cube that has moved stands -> where it stood before the turn, and must not end."""

    def after(self, target: Square, origin: Square | None = None) -> "Board":
        """The board after a step from `origin`, or after a placement if there is none, with all captures."""
        own, starts = dict(self.own), dict(self.starts)
        if origin is None:
            own[target] = self.tiles[target]
        else:
            own[target] = own.pop(origin)
            starts[target] = starts.pop(origin, origin)
        board = Board(self.tiles, self.edge, own, set(self.enemy), starts)
        board._capture(target)
        return board

    def _capture(self, square: Square) -> None:
        came = [square]
        for x, y in came:  # grows while it is read: captured cubes capture in their turn
            for dx, dy in STRAIGHT:
                between, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if between in self.enemy and far in self.own:
                    self.enemy.remove(between)
                    self.own[between] = self.tiles[between]
                    came.append(between)

    def steps(self, is_last: bool) -> Iterator[tuple[Square, Square]]:
        """All steps to free tiles; the last of a movement brings no cube back to its start, and leaves none there."""
        returned = {square for square, start in self.starts.items() if square == start}
        for origin in sorted(self.own):
            if is_last and returned - {origin}:
                continue
            for dx, dy in AROUND:
                target = origin[0] + dx, origin[1] + dy
                if target not in self.tiles or target in self.own or target in self.enemy:
                    continue
                if not (is_last and target == self.starts.get(origin, origin)):
                    yield origin, target

    def free_edge(self) -> list[Square]:
        """Where a cube could be placed, from file a."""
        squares = [(x, self.edge) for x in range(SIDE)]
        return [square for square in squares if square not in self.own and square not in self.enemy]

    def worth(self) -> float:
        """What the position is worth to us."""
        advanced = sum(abs(y - self.edge) for _, y in self.own)
        return (
            10 * (len(self.own) - len(self.enemy))
            - 1.5 * self._half_surrounded(self.own, self.enemy)
            + 1.0 * self._half_surrounded(self.enemy, self.own)
            + 0.15 * advanced
            + 0.3 * min(len(self.free_edge()), 3)
        )

    def _half_surrounded(self, cubes: Collection[Square], by: Collection[Square]) -> int:
        """How many cubes have one of the others on one side and a free tile on the opposite one."""
        return sum(
            any(
                (x + dx, y + dy) in by
                and (x - dx, y - dy) in self.tiles
                and (x - dx, y - dy) not in self.own
                and (x - dx, y - dy) not in self.enemy
                for dx, dy in STRAIGHT
            )
            for x, y in cubes
        )


class SwarmPolicy:
    """Plays Swarm; `give_orders` is what `play` calls each turn."""

    async def give_orders(self, turn: Turn) -> None:
        """Place a cube, or make all steps of a movement."""
        universe = turn.universe
        for thing in universe.own():
            names = [description.name for description in universe.offers(thing)]
            if PLACE in names:
                await self._place(turn, thing, read_board(universe, thing))
            elif MOVE in names:
                await self._move(turn, thing, read_board(universe, thing))

    async def _place(self, turn: Turn, swarm: SpaceObject, board: Board) -> None:
        values = {square: self._worth(turn, board.after(square)) for square in board.free_edge()}
        for square in sorted(values, key=lambda each: -values[each])[:MOST_REFUSALS]:
            if not isinstance(await turn.order(swarm.queue, PLACE, {"tile": board.tiles[square]}), RequestFailed):
                return

    async def _move(self, turn: Turn, swarm: SpaceObject, board: Board) -> None:
        left = amount(turn.universe, swarm, "movement")
        total = len(board.own) + amount(turn.universe, swarm, "cube in supply")
        refusals = 0
        while left and len(board.own) < total and len(board.enemy) > 1:
            values = {}
            for origin, target in board.steps(left == 1):
                values[origin, target] = self._worth(turn, board.after(target, origin))
            for origin, target in sorted(values, key=lambda each: -values[each]):
                arguments = {"cube": board.own[origin], "to": board.tiles[target]}
                if not isinstance(await turn.order(swarm.queue, MOVE, arguments), RequestFailed):
                    board = board.after(target, origin)
                    left -= 1
                    break
                refusals += 1
                if refusals == MOST_REFUSALS:
                    return
            else:
                return

    def _worth(self, turn: Turn, board: Board) -> float:
        """What a position is worth, with a little noise, so that no two games are alike."""
        return board.worth() + turn.chance.random() / 2


def read_board(universe: Universe, swarm: SpaceObject) -> Board:
    """What stands where; `swarm` lies beyond the own edge."""
    tiles = {_square(tile): tile.id for tile in universe.of_kind("Tile")}
    cubes = universe.of_kind("Cube")
    own = {_square(cube): cube.id for cube in cubes if cube.owner == universe.me}
    enemy = {_square(cube) for cube in cubes if cube.owner != universe.me}
    return Board(tiles, 0 if swarm.position[1] < 0 else SIDE - 1, own, enemy)


def amount(universe: Universe, swarm: SpaceObject, name: str) -> int:
    """How much of the resource with this name the Swarm has."""
    known = [number for number, resource in universe.resources.items() if resource.singular_name == name]
    return sum(swarm.resources[number].stored for number in known if number in swarm.resources)


def _square(thing: SpaceObject) -> Square:
    return thing.position[0] // SPACING, thing.position[1] // SPACING
