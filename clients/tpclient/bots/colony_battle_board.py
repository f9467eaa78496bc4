"""The boards of Colony Battle as a client sees them: what stands where, and how one gets about.

Squares are (board, x, y) as in the names of star systems; y grows to the north. Players are ids as on the wire.
"""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..objects import SpaceObject

Square = tuple[int, int, int]

WORKER, SOLDIER, DRONE, YOUNG_QUEEN, QUEEN = "Worker", "Soldier", "Drone", "Young Queen", "Queen"
ANTLION, TERMITE_BOMB = "Antlion", "Termite Bomb"
UNITS = (WORKER, SOLDIER, DRONE, YOUNG_QUEEN, QUEEN, ANTLION, TERMITE_BOMB)
STEPS = {WORKER: 3, SOLDIER: 2, DRONE: 3, YOUNG_QUEEN: 5, QUEEN: 1, ANTLION: 0, TERMITE_BOMB: 2}

HIT_POINTS, WEB, EXCAVATION, OPEN, CARRIED, BROOD = 1, 3, 6, 7, 9, 11
"""Resource ids."""

ANTLION_DESIGN = 6
"""What an item in hand shows if it is an antlion; else it is a termite bomb."""

ANTLION_REACH = 3
"""How near enemy ants may not come to an antlion, unless the game has other options."""
AHEAD_OF_WORMS = 3
"""So many squares ahead of a worm's head are dangerous."""

_NAME = re.compile(r"(\d+):(\d+),(\d+)")


@dataclass(slots=True)
class Unit:
    """One unit; `orders` is how many orders wait in its queue, as far as that is ours to see."""

    id: int
    kind: str
    owner: int
    square: Square
    hit_points: int = 1
    carries: bool = False
    orders: int = 0


@dataclass(frozen=True, slots=True)
class Site:
    """An entrance, or the burrow throne; `left` are the rounds until it opens."""

    square: Square
    left: int


@dataclass(slots=True)
class Board:
    """All that is public, and the own hand."""

    me: int
    systems: dict[Square, int] = field(default_factory=dict)
    units: dict[int, Unit] = field(default_factory=dict)
    taken: dict[Square, int] = field(default_factory=dict)
    """What is on a square: a unit, a worm's segment or a spider."""
    segments: dict[int, Square] = field(default_factory=dict)
    spiders: list[Square] = field(default_factory=list)
    heads: list[tuple[Square, int]] = field(default_factory=list)
    """Worms' heads, and -1 or 1 for where they face."""
    webs: set[Square] = field(default_factory=set)
    items: dict[int, Square] = field(default_factory=dict)
    """Items that lie on the ground, or are carried there."""
    hand: dict[int, bool] = field(default_factory=dict)
    """Items in hand, and whether they are antlions."""
    sites: dict[int, Site] = field(default_factory=dict)
    """By board."""
    brood: int = 0
    """Turns for which the own queen is locked."""
    _danger: set[Square] | None = None

    def queen(self, mine: bool = True) -> Unit | None:
        """The own queen, or the enemy's."""
        return next((one for one in self.units.values() if one.kind == QUEEN and (one.owner == self.me) == mine), None)

    def own(self, *kinds: str) -> list[Unit]:
        """The own units of these kinds, by rising id."""
        units = (self.units[number] for number in sorted(self.units))
        return [unit for unit in units if unit.owner == self.me and unit.kind in kinds]

    def enemies(self) -> list[Unit]:
        return [self.units[number] for number in sorted(self.units) if self.units[number].owner != self.me]

    def move(self, unit: Unit, square: Square) -> None:
        """Note that a unit will have gone to another square."""
        self.taken.pop(unit.square, None)
        unit.square = square
        self.taken[square] = unit.id

    # --- ways

    def is_open(self, board: int) -> bool:
        """Whether the site of a board is open."""
        site = self.sites.get(board)
        return site is not None and not site.left

    def around(self, square: Square) -> Iterator[Square]:
        """The neighbours on the same board: north, east, south, west."""
        board, x, y = square
        for near in ((board, x, y + 1), (board, x + 1, y), (board, x, y - 1), (board, x - 1, y)):
            if near in self.systems:
                yield near

    def beside(self, square: Square) -> Iterator[Square]:
        """All neighbours, the other end of an open shaft included."""
        yield from self.around(square)
        board, x, y = square
        for upper, other in ((board, board + 1), (board - 1, board - 1)):
            site = self.sites.get(upper)
            if upper in (0, 1) and site is not None and not site.left and site.square[1:] == (x, y):
                yield (other, x, y)

    def is_closed(self, square: Square) -> bool:
        site = self.sites.get(square[0])
        return site is not None and site.left > 0 and site.square == square

    def way(
        self, start: Square, is_goal: Callable[[Square], bool], avoided: Container[Square], most: int | None = None
    ) -> list[Square] | None:
        """The squares of a shortest way to the nearest goal, `start` left out; None if there is none.

        Nothing that is `avoided` or a closed site is entered; with `most` no longer way is looked for.
        """
        if is_goal(start):
            return []
        before = {start: start}
        layer = [start]
        length = 0
        while layer and length != most:
            length += 1
            following = []
            for square in layer:
                for near in self.beside(square):
                    if near in before or near in avoided or self.is_closed(near):
                        continue
                    before[near] = square
                    if is_goal(near):
                        return _traced(near, before)
                    following.append(near)
            layer = following
        return None

    # --- dangers

    @property
    def danger(self) -> set[Square]:
        """Squares in a web, beside a spider, or not far ahead of a worm's head."""
        if self._danger is None:
            found = set(self.webs)
            for spider in self.spiders:
                found.update((spider, *self.around(spider)))
            for head, facing in self.heads:
                found.update(self._ahead(head, facing))
            self._danger = found
        return self._danger

    def _ahead(self, head: Square, facing: int) -> Iterator[Square]:
        """Where a worm's head will be in the next rounds: at the right end it goes up and turns, at the left down."""
        board, x, y = head
        for _ in range(AHEAD_OF_WORMS):
            if (board, x + facing, y) in self.systems:
                x += facing
            else:
                y += facing if (board, x, y + facing) in self.systems else -facing
                facing = -facing
            yield (board, x, y)

    def deadly(self) -> set[Square]:
        """Squares that cost an ant its life: dangers, and the surroundings of enemy antlions."""
        found = set(self.danger)
        for unit in self.enemies():
            if unit.kind == ANTLION:
                found.update(square for square in self.systems if distance(square, unit.square) <= ANTLION_REACH)
        return found


def distance(one: Square, other: Square) -> int:
    """Steps from one square to another of the same board; on another board it is far."""
    if one[0] != other[0]:
        return 1000 * abs(one[0] - other[0])
    return abs(one[1] - other[1]) + abs(one[2] - other[2])


def _traced(square: Square, before: Mapping[Square, Square]) -> list[Square]:
    way = []
    while before[square] != square:
        way.append(square)
        square = before[square]
    return way[::-1]


def read_board(me: int, things: Iterable[SpaceObject], orders: Mapping[int, int]) -> Board:
    """The board as this player's objects show it; `orders` is how many orders wait in each own queue."""
    board = Board(me)
    known = {thing.id: thing for thing in things}
    places: dict[int, Square] = {}
    for thing in known.values():
        named = _NAME.fullmatch(thing.name) if thing.kind == "Square" else None
        if named is not None:
            places[thing.id] = (int(named[1]), int(named[2]), int(named[3]))
            board.systems[places[thing.id]] = thing.id
    for thing in known.values():
        square = places.get(thing.parent)
        if square is not None:
            _read(board, thing, square, orders)
        elif thing.kind == "Item" and thing.owner == me:
            board.hand[thing.id] = ANTLION_DESIGN in thing.ships
    queen = board.queen()
    if queen is not None:
        board.brood = _stored(known[queen.id], BROOD)
    return board


def _read(board: Board, thing: SpaceObject, square: Square, orders: Mapping[int, int]) -> None:
    if thing.kind in UNITS:
        waiting = orders.get(thing.queue, 0) if thing.queue else 0
        carries = bool(_stored(thing, CARRIED))
        unit = Unit(thing.id, thing.kind, thing.owner, square, _stored(thing, HIT_POINTS), carries, waiting)
        board.units[thing.id] = unit
        board.taken[square] = thing.id
    elif thing.kind == "Ground":
        if _stored(thing, WEB):
            board.webs.add(square)
    elif thing.kind == "Site":
        board.sites[square[0]] = Site(square, _stored(thing, EXCAVATION))
    elif thing.kind == "Item":
        board.items[thing.id] = square
    elif thing.kind == "Spider":
        board.spiders.append(square)
        board.taken[square] = thing.id
    elif thing.kind == "Worm Segment":
        board.segments[thing.id] = square
        board.taken[square] = thing.id
    elif thing.kind == "Worm":
        board.heads.append((square, 1 if thing.number("Facing") else -1))


def _stored(thing: SpaceObject, resource: int) -> int:
    amount = thing.resources.get(resource)
    return 0 if amount is None else amount.stored
