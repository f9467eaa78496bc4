"""The boards of Taller-Ants as a client sees them: what lies and stands where, and how far it is.

Squares are (x, y, is below), counted from the north-west. Players are ids as on the wire.
"""

import heapq
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import RequestFailed
from ..objects import SpaceObject
from ..universe import Universe
from .play import Turn

Square = tuple[int, int, bool]

SPACING = 1000

HIT_POINT, MOVE_POINT, FOOD, WEB, WEB_POINT, BLACK_ANT, RED_ANT, COCOONED, CAPTIVE = range(1, 10)
SPIDER_EGG, FED_EGG, ANT_EGG, FUNGUS, WARD, EXCAVATED, HOLE, BRIDGE, SPIDER = range(10, 19)
"""Resource ids."""

WATER, NARROW = 3, 4
"""Terrains; a spider wades through narrow water."""

STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
"""From north, clockwise, as directions are numbered."""

MOST_ANTS = 6
LOAD = 5
"""Food points that one ant carries."""
STORE = 5
"""Food on an excavated square, unless the game has another option."""
TICKS, TICKS_OF_ANTS = 2, 10
"""Of one move point, and of a group or queen in a phase."""
BLACK_PACE, RED_PACE = 1, 2
"""Ticks of a step; on a web twice that."""
SAFE = 3
"""How far from fungus a spider is safe."""


@dataclass(slots=True)
class Piece:
    """A spider, a group of ants or a queen. `amounts` are by resource id."""

    id: int
    queue: int
    owner: int
    kind: str
    square: Square
    amounts: dict[int, int]
    orders: int = 0
    """How many are in its queue, if it is ours."""

    def amount(self, resource: int) -> int:
        return self.amounts.get(resource, 0)

    @property
    def ants(self) -> int:
        return self.amount(BLACK_ANT) + self.amount(RED_ANT)

    @property
    def strength(self) -> int:
        """What ants add to their die; red ones count twice."""
        return self.amount(BLACK_ANT) + 2 * self.amount(RED_ANT)

    @property
    def room(self) -> int:
        """Food that a group can still load."""
        return LOAD * (self.ants - self.amount(ANT_EGG)) - self.amount(FOOD)

    @property
    def ticks(self) -> int:
        """What is left of its phase, in half move points."""
        return TICKS * self.amount(MOVE_POINT)

    @property
    def pace(self) -> int:
        """Ticks that a group needs for a step."""
        return RED_PACE if self.amount(RED_ANT) else BLACK_PACE


@dataclass(slots=True)
class Routes:
    """The cheapest ways from one square: ticks to each square, the nearest first, and the square before it."""

    ticks: dict[Square, int] = field(default_factory=dict)
    before: dict[Square, Square] = field(default_factory=dict)

    def as_far_as(self, goal: Square, ticks: int) -> Square:
        """Return the last square on the way to a goal that can be reached with so many ticks."""
        while self.ticks[goal] > ticks:
            goal = self.before[goal]
        return goal


@dataclass(slots=True)
class Board:
    """What is seen. `goods` are clutches, eggs and cocoons: id, kind and square of each."""

    me: int
    systems: dict[Square, int] = field(default_factory=dict)
    terrain: dict[Square, int] = field(default_factory=dict)
    ground: dict[Square, dict[int, int]] = field(default_factory=dict)
    """Amounts by resource, where there are any."""
    diggers: dict[Square, int] = field(default_factory=dict)
    """The seats of the colonies that excavated squares."""
    covered: set[Square] = field(default_factory=set)
    """Holes under a web, both sides."""
    exhausted: set[Square] = field(default_factory=set)
    """First squares of fungus groups that cannot be harvested any more in this round."""
    pieces: list[Piece] = field(default_factory=list)
    goods: list[tuple[int, str, Square]] = field(default_factory=list)
    totals: dict[int, dict[int, tuple[int, int, int]]] = field(default_factory=dict)
    """Of each player's Brood or Colony: amounts by resource as stored, minable and unavailable."""
    seats: dict[int, int] = field(default_factory=dict)
    """Of the players: homes stand in a row by seat."""
    round: int = 0

    def has(self, square: Square, resource: int) -> int:
        return self.ground.get(square, {}).get(resource, 0)

    def own(self, kind: str) -> list[Piece]:
        return [piece for piece in self.pieces if piece.owner == self.me and piece.kind == kind]

    def enemies(self, kind: str) -> list[Piece]:
        return [piece for piece in self.pieces if piece.owner != self.me and piece.kind == kind]

    def around(self, square: Square) -> Iterator[Square]:
        """The squares one step away on the same board, by direction."""
        x, y, below = square
        for dx, dy in STEPS:
            if (x + dx, y + dy, below) in self.systems:
                yield (x + dx, y + dy, below)

    def touching(self, square: Square) -> list[Square]:
        return [square, *self.around(square)]

    def ways(self, square: Square) -> Iterator[Square]:
        """The squares one step away for ants, through an open hole too."""
        yield from self.around(square)
        if self.has(square, HOLE) and square not in self.covered:
            yield self.other_side(square)

    def is_water(self, square: Square) -> bool:
        return self.terrain.get(square, 0) in (WATER, NARROW)

    def poison(self) -> set[Square]:
        """Fungus and wards."""
        return {square for square, marks in self.ground.items() if FUNGUS in marks or WARD in marks}

    def holds_ants(self, square: Square) -> bool:
        """Whether ants may stand here, enemies apart."""
        if square[2]:
            return bool(self.has(square, EXCAVATED))
        return not self.is_water(square) or bool(self.has(square, WEB))

    def holds_spider(self, square: Square) -> bool:
        return not square[2] and (self.terrain.get(square) != WATER or bool(self.has(square, WEB)))

    def other_side(self, square: Square) -> Square:
        return (square[0], square[1], not square[2])

    def distances(self, start: Square, may_enter: Callable[[Square], bool], through: bool = False) -> dict[Square, int]:
        """Steps to every square that can be reached, with `through` also by open holes; the nearest first."""
        found = {start: 0}
        waiting = deque([start])
        while waiting:
            square = waiting.popleft()
            for way in self.ways(square) if through else self.around(square):
                if way not in found and may_enter(way):
                    found[way] = found[square] + 1
                    waiting.append(way)
        return found

    def routes(self, start: Square, pace: int, may_enter: Callable[[Square], bool]) -> Routes:
        """Return the cheapest ways for ants, also through open holes; a step from a web takes twice as long."""
        routes = Routes({}, {})
        waiting = [(0, 0, start, start)]
        found = 0
        while waiting:
            ticks, _, square, before = heapq.heappop(waiting)
            if square in routes.ticks:
                continue
            routes.ticks[square], routes.before[square] = ticks, before
            step = 2 * pace if self.has(square, WEB) else pace
            for way in self.ways(square):
                if way not in routes.ticks and may_enter(way):
                    found += 1
                    heapq.heappush(waiting, (ticks + step, found, way, square))
        return routes


def apart(one: Square, other: Square) -> int:
    """Steps between two squares if nothing is in the way; far for the two boards."""
    if one[2] != other[2]:
        return 10**6
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))


def nearest(square: Square, others: Collection[Square]) -> int:
    """Steps to the nearest of some squares; far if there are none."""
    return min((apart(square, other) for other in others), default=10**6)


async def give(turn: Turn, piece: Piece, order: str, arguments: Mapping[str, Any] | None = None) -> bool:
    """Give an order to a piece; return whether it was accepted."""
    return not isinstance(await turn.order(piece.queue, order, arguments or {}), RequestFailed)


def read_board(universe: Universe) -> Board:
    """Read what this player sees."""
    board = Board(universe.me)
    for thing in universe.objects.values():
        square = _square(thing)
        amounts = {number: amount.stored for number, amount in thing.resources.items() if amount.stored}
        if thing.kind == "Board":
            board.round = thing.number("Round") or 0
        elif thing.kind == "Square":
            board.systems[square] = thing.id
            board.terrain[square] = thing.number("Terrain") or 0
            if thing.number("Colony"):
                board.diggers[square] = thing.number("Colony") or 0
        elif thing.kind == "Ground":
            if amounts:
                board.ground[square] = amounts
            if HOLE in thing.resources and thing.resources[HOLE].unavailable:
                board.covered.add(square)
        elif thing.kind in ("Spider", "Group", "Queen"):
            queue = universe.queue_of(thing)
            orders = queue.num_orders if queue is not None else 0
            board.pieces.append(Piece(thing.id, thing.queue, thing.owner, thing.kind, square, amounts, orders))
        elif thing.kind in ("Clutch", "Ant Egg", "Cocoon"):
            board.goods.append((thing.id, thing.kind, square))
        elif thing.kind == "Fungus Group":
            if thing.resources[FUNGUS].unavailable:
                board.exhausted.add(square)
        elif thing.kind in ("Brood", "Colony"):
            rows = thing.resources.items()
            board.seats[thing.owner] = square[0]
            board.totals[thing.owner] = {number: (row.stored, row.minable, row.unavailable) for number, row in rows}
    board.pieces.sort(key=lambda piece: piece.id)
    board.goods.sort()
    return board


def _square(thing: SpaceObject) -> Square:
    x, y, z = thing.position
    return (x // SPACING, y // SPACING, z == 0)
