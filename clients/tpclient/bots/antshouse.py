"""A bot for Antshouse.

Its ant goes straight for its goal, now and then by the second best step. Each round its kid throws something at a
square to which the opponent who is furthest along may well step. When it has to move an ant, it brings its own one
nearer to the goal and others away from theirs. It plays from what the wire shows: squares, ants, cones and its pad.
"""

import random
from dataclasses import dataclass

from tpproto import tp_pb2

from ..errors import RequestFailed
from ..objects import SpaceObject
from ..universe import Universe
from .play import Turn

ENTER, GO, THROW = "Enter", "Go", "Throw"
PUSH, FLUSH = "Push", "Flush"
MOST_REFUSALS = 4
"""So many refusals of one order, and the server does what it does for the absent."""

WEAPONS = {1: "Pine Cone", 2: "Water", 3: "Magnifying Glass"}
"""Numbers that orders name, and the resources that count what is on the pad."""
GESTURES = (1, 2, 3)
SECOND_BEST = 5
"""One step in so many is the second best."""
GUESSES = 3
"""An opponent takes one of so many best steps."""

SIDE = 8
SPACING = 1000
"""Distance of neighbouring squares; a1 is at 0, 0."""

Square = tuple[int, int]
STAY = 0
STEPS = {1: (0, 1), 2: (1, 1), 3: (1, 0), 4: (1, -1), 5: (0, -1), 6: (-1, -1), 7: (-1, 0), 8: (-1, 1)}


@dataclass(frozen=True, slots=True)
class Edge:
    """A side of the pavement, or a corner: the column and the row that it stands for, None where any will do."""

    column: int | None
    row: int | None

    def distance(self, square: Square) -> int:
        """Steps from a square."""
        x = 0 if self.column is None else abs(square[0] - self.column)
        y = 0 if self.row is None else abs(square[1] - self.row)
        return max(x, y)

    def opposite(self) -> "Edge":
        return Edge(*(None if line is None else SIDE - 1 - line for line in (self.column, self.row)))


@dataclass(slots=True)
class Board:
    """What stands where. Ants and homes are by player; an ant that has still to enter is in no square."""

    squares: dict[Square, int]
    """Their ids."""
    cones: set[Square]
    homes: dict[int, Edge]
    ants: dict[int, Square]
    turned: set[int]
    """Whose ants are on the way home."""

    def to_goal(self, player: int, square: Square) -> int:
        """Steps from a square to where a player's ant goes now."""
        home = self.homes[player]
        return (home if player in self.turned else home.opposite()).distance(square)

    def steps(self, player: int, chance: random.Random) -> list[int]:
        """The directions that a player's ant can take, the best first, equal ones by chance; `STAY` if none."""
        square = self.ants[player]
        free = self.squares.keys() - self.cones
        possible = [way for way in STEPS if after(square, way) in free]
        chance.shuffle(possible)
        return sorted(possible, key=lambda way: self.to_goal(player, after(square, way))) or [STAY]

    def entrances(self, player: int) -> list[Square]:
        """Where an ant can enter: the free squares that are nearest to its home."""
        taken = self.cones | set(self.ants.values())
        free = [square for square in self.squares if square not in taken]
        least = min((self.homes[player].distance(square) for square in free), default=0)
        return [square for square in free if self.homes[player].distance(square) == least]


class AntshousePolicy:
    """Plays Antshouse; `give_orders` is what `play` calls each turn."""

    async def give_orders(self, turn: Turn) -> None:
        """Give all orders that the phase asks for."""
        universe = turn.universe
        board = read_board(universe)
        for thing in universe.own():
            names = [description.name for description in universe.offers(thing)]
            if ENTER in names:
                await self._enter(turn, board, thing)
            if GO in names:
                await self._go(turn, board, thing)
            if THROW in names:
                await self._throw(turn, board, thing)
            for name in (PUSH, FLUSH):
                if name in names:
                    await self._choose(turn, board, thing, name)

    async def _enter(self, turn: Turn, board: Board, kid: SpaceObject) -> None:
        entrances = board.entrances(kid.owner)
        for square in turn.chance.sample(entrances, min(len(entrances), MOST_REFUSALS)):
            if not isinstance(await turn.order(kid.queue, ENTER, {"square": board.squares[square]}), RequestFailed):
                return

    async def _go(self, turn: Turn, board: Board, ant: SpaceObject) -> None:
        if ant.owner not in board.ants:
            return
        steps = board.steps(ant.owner, turn.chance)
        if len(steps) > 1 and turn.chance.randrange(SECOND_BEST) == 0:
            steps[:2] = steps[1], steps[0]
        gesture = turn.chance.choice(GESTURES)
        for way in steps[:MOST_REFUSALS]:
            arguments = {"direction": [way], "gesture": [gesture]}
            if not isinstance(await turn.order(ant.queue, GO, arguments), RequestFailed):
                return

    async def _throw(self, turn: Turn, board: Board, kid: SpaceObject) -> None:
        weapons = [number for number, name in WEAPONS.items() if amount(turn.universe, kid, name)]
        others = sorted(player for player in board.ants if player != kid.owner)
        if not weapons or not others:
            return
        leader = min(others, key=lambda one: (one not in board.turned, board.to_goal(one, board.ants[one])))
        way = turn.chance.choice(board.steps(leader, turn.chance)[:GUESSES])
        target = after(board.ants[leader], way)
        if target in board.cones or target == board.ants.get(kid.owner):
            return
        arguments = {"weapon": [turn.chance.choice(weapons)], "target": board.squares[target]}
        await turn.order(kid.queue, THROW, arguments)

    async def _choose(self, turn: Turn, board: Board, kid: SpaceObject, name: str) -> None:
        """Move an ant: the list of a probed order says which directions are possible, and to which squares."""
        probed = await turn.probe(kid.queue, name)
        if isinstance(probed, RequestFailed):
            return
        targets = read_targets(probed, {thing.name: square_of(thing) for thing in turn.universe.of_kind("Square")})
        if not targets:
            return
        way, target = next(iter(targets.items()))
        moved = mover(board, kid.owner, after(target, way, -1))
        sign = 1 if moved == kid.owner else -1
        best = min(targets, key=lambda way: sign * board.to_goal(moved, targets[way]))
        await turn.order(kid.queue, name, {"direction": [best]})


def after(square: Square, way: int, steps: int = 1) -> Square:
    """Where so many steps in a direction lead; the square itself for `STAY`."""
    x, y = STEPS.get(way, (0, 0))
    return square[0] + steps * x, square[1] + steps * y


def mover(board: Board, me: int, square: Square) -> int:
    """Whose ant is moved away from a square: where two or more are, never the one of the player who chooses."""
    here = sorted(player for player, place in board.ants.items() if place == square)
    others = [player for player in here if player != me]
    return others[0] if others else me


def read_board(universe: Universe) -> Board:
    """What stands where. Where a kid sits says where its ant starts."""
    squares = {square_of(thing): thing.id for thing in universe.of_kind("Square")}
    ants = universe.of_kind("Ant")
    places = set(squares.values())
    return Board(
        squares,
        {square_of(thing) for thing in universe.of_kind("Pine Cone")},
        {kid.owner: Edge(_line(kid.position[0]), _line(kid.position[1])) for kid in universe.of_kind("Kid")},
        {ant.owner: square_of(ant) for ant in ants if ant.parent in places},
        {ant.owner for ant in ants if ant.number("Turned")},
    )


def read_targets(order: tp_pb2.Order, squares: dict[str, Square]) -> dict[int, Square]:
    """The directions that an order offers, with the squares to which they lead: the last words of their names."""
    offered = [one for parameter in order.parameters for one in parameter.list.possible_selections]
    named = {one.id: one.name.rpartition(" ")[2] for one in offered}
    return {way: squares[name] for way, name in sorted(named.items()) if name in squares}


def amount(universe: Universe, thing: SpaceObject, name: str) -> int:
    """How much of the resource with this name is at hand."""
    known = [number for number, resource in universe.resources.items() if resource.singular_name == name]
    return sum(thing.resources[number].stored for number in known if number in thing.resources)


def square_of(thing: SpaceObject) -> Square:
    """The column and the row of what is on the pavement, both from 0."""
    return thing.position[0] // SPACING, thing.position[1] // SPACING


def _line(coordinate: int) -> int | None:
    """The first or last line of squares, if a kid sits beyond it."""
    if coordinate < 0:
        return 0
    return SIDE - 1 if coordinate > (SIDE - 1) * SPACING else None
