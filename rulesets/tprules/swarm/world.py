"""The state of a game of Swarm, and how it is written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tprules.api import Oid, Seat
from tprules.kit.grid import Square
from tprules.swarm.board import EDGES, SIDE
from tprules.swarm.position import Capture, Position

UNIVERSE: Oid = 0
GALAXY: Oid = 1
_FIRST_SYSTEM: Oid = 2
"""Systems have even numbers; the planet of a system has the number after it."""
_FIRST_HOME: Oid = _FIRST_SYSTEM + 2 * SIDE * SIDE
FIRST_CUBE: Oid = _FIRST_HOME + 4

SEATS = (0, 1)

METHOD_TWO, METHOD_THREE = 2, 3
"""Why a cube is placed: both rolled the same, or a 1 (seed, obtaining more cubes)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The options that matter after the opening."""

    cubes_total: int
    diagonal_moves: bool
    chain_swarm: bool
    double_limit: int
    max_rounds: int


@dataclass(slots=True)
class Cube:
    """A cube on the board.  ``number`` counts the cubes of its colour; ``captures`` those that its arrivals made."""

    id: Oid
    seat: Seat
    number: int
    captures: int = 0


@dataclass(slots=True)
class World:
    """All of a game."""

    settings: Settings
    cubes: dict[Square, Cube]
    made: list[int]
    """By seat: how many cubes have ever come to the board."""
    captures: list[int]
    """By seat: cubes captured."""
    round: int
    first: Seat
    """Who moved first in the round before (R30)."""
    rolls: list[int]
    """By seat: the dice that decided the last movement, 0 before the first."""
    double: int
    """What both dice of the roll showed for which cubes are being placed; 0 if they differed."""
    doubles: int
    """Doubles rolled in this round."""
    combined: bool
    """Whether this round's double 1 has been used (R34)."""
    doubled: list[int]
    """By seat: cubes placed by method two in this round (R31)."""
    pending: list[tuple[Seat, int]]
    """Placements to come: who, and by which method."""
    movers: list[Seat]
    """Who is still to move in this round, in this order."""
    movement: int
    """Steps that the first of the movers must make."""
    lapsed: int
    """Steps of the first of the movers that cannot be made."""
    next_id: Oid
    ended: str
    """Why the game is over, or empty."""
    winner: Seat | None
    """Of a game that is over; None for a draw."""

    # Objects and places.

    def system(self, square: Square) -> Oid:
        return _FIRST_SYSTEM + 2 * square

    def home(self, seat: Seat) -> Oid:
        """Return a seat's home system; its Swarm, the planet there, has the number after it."""
        return _FIRST_HOME + 2 * seat

    def swarm(self, seat: Seat) -> Oid:
        return _FIRST_HOME + 2 * seat + 1

    def square(self, oid: Oid) -> Square | None:
        """Return the square of a tile of the board (its system or its ground), or None for anything else."""
        return (oid - _FIRST_SYSTEM) // 2 if _FIRST_SYSTEM <= oid < _FIRST_HOME else None

    def swarm_seat(self, oid: Oid) -> Seat | None:
        """Return whose Swarm this is, or None."""
        return next((seat for seat in SEATS if oid == self.swarm(seat)), None)

    def place_of(self, oid: Oid) -> Square | None:
        """Return where the cube with this number stands, or None if there is none."""
        return next((square for square, cube in self.cubes.items() if cube.id == oid), None)

    def exists(self, oid: Oid) -> bool:
        return 0 <= oid < FIRST_CUBE or self.place_of(oid) is not None

    # Cubes.

    def count(self, seat: Seat) -> int:
        """Return how many cubes a seat has on the board."""
        return sum(cube.seat == seat for cube in self.cubes.values())

    def supply(self, seat: Seat) -> int:
        return self.settings.cubes_total - self.count(seat)

    def edge(self, seat: Seat) -> tuple[Square, ...]:
        """Return a seat's edge of the board, from file a."""
        return EDGES[seat]

    def active(self) -> Seat | None:
        """Return who is to place or to move, or None."""
        if self.pending:
            return self.pending[0][0]
        return self.movers[0] if self.movers else None

    def free_edge(self, seat: Seat) -> list[Square]:
        """Return where a seat can place a cube, from file a (R33)."""
        return [square for square in EDGES[seat] if square not in self.cubes]

    def position(self, seat: Seat) -> Position:
        """Return the board as a seat sees it before it moves."""
        own = sum(1 << square for square, cube in self.cubes.items() if cube.seat == seat)
        return Position(own, sum(1 << square for square in self.cubes) - own)

    def add(self, seat: Seat, square: Square) -> Cube:
        """Put a new cube on a square, in place of what was there."""
        self.made[seat] += 1
        cube = self.cubes[square] = Cube(self.next_id, seat, self.made[seat])
        self.next_id += 1
        return cube

    def convert(self, seat: Seat, captures: tuple[Capture, ...]) -> None:
        """Replace captured cubes by new ones of the seat (R25)."""
        for by, square in captures:
            self.add(seat, square)
            self.cubes[by].captures += 1
            self.captures[seat] += 1


def empty(settings: Settings, opening_seat: Seat) -> World:
    """Return a world without cubes, before its first roll."""
    return World(
        settings=settings,
        cubes={},
        made=[0, 0],
        captures=[0, 0],
        round=1,
        first=opening_seat,
        rolls=[0, 0],
        double=0,
        doubles=0,
        combined=False,
        doubled=[0, 0],
        pending=[],
        movers=[],
        movement=0,
        lapsed=0,
        next_id=FIRST_CUBE,
        ended="",
        winner=None,
    )


def opened(options: Mapping[str, Any]) -> World:
    """Return the world in which a game begins (R3, R6, R30)."""
    settings = Settings(**{name: options[name] for name in Settings.__slots__})
    world = empty(settings, options["opening_seat"] - 1)
    for seat in SEATS:
        for square in EDGES[seat][: options["initial_cubes"]]:
            world.add(seat, square)
    return world


def dump(world: World) -> dict[str, Any]:
    """Return the world as JSON-able data."""
    return {
        "settings": [getattr(world.settings, name) for name in Settings.__slots__],
        "cubes": [
            [square, cube.id, cube.seat, cube.number, cube.captures] for square, cube in sorted(world.cubes.items())
        ],
        "made": world.made,
        "captures": world.captures,
        "round": world.round,
        "first": world.first,
        "rolls": world.rolls,
        "double": world.double,
        "doubles": world.doubles,
        "combined": world.combined,
        "doubled": world.doubled,
        "pending": [[seat, method] for seat, method in world.pending],
        "movers": world.movers,
        "movement": world.movement,
        "lapsed": world.lapsed,
        "next_id": world.next_id,
        "ended": world.ended,
        "winner": world.winner,
    }


def load(data: Mapping[str, Any]) -> World:
    """Return the world that ``dump`` gave."""
    return World(
        settings=Settings(*data["settings"]),
        cubes={square: Cube(number, seat, count, captures) for square, number, seat, count, captures in data["cubes"]},
        made=list(data["made"]),
        captures=list(data["captures"]),
        round=data["round"],
        first=data["first"],
        rolls=list(data["rolls"]),
        double=data["double"],
        doubles=data["doubles"],
        combined=data["combined"],
        doubled=list(data["doubled"]),
        pending=[(seat, method) for seat, method in data["pending"]],
        movers=list(data["movers"]),
        movement=data["movement"],
        lapsed=data["lapsed"],
        next_id=data["next_id"],
        ended=data["ended"],
        winner=data["winner"],
    )
