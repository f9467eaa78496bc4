"""The state of a game of Swarm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tprules.api import Dice, Oid, Seat, stored_as_row
from tprules.kit.grid import Square
from tprules.swarm.board import EDGES, SIDE, Capture, Position, Settings

COLOURS = ("Red", "Blue")
"""The color of each seat."""

UNIVERSE: Oid = 0
GALAXY: Oid = 1
_FIRST_SYSTEM: Oid = 2
"""The number of the first system. Systems have even numbers; the planet of a system has the number after it."""
_FIRST_HOME: Oid = _FIRST_SYSTEM + 2 * SIDE * SIDE
FIRST_CUBE: Oid = _FIRST_HOME + 4

SEATS = (0, 1)

METHOD_TWO, METHOD_THREE = 2, 3
"""The reasons for a placement: both seats rolled the same (2), or a 1 (3); the seed's "obtaining more cubes"."""


@stored_as_row
@dataclass(slots=True)
class Cube:
    """A cube on the board. ``number`` counts the cubes of its color, ``captures`` the captures of its arrivals."""

    id: Oid
    seat: Seat
    number: int
    captures: int = 0


@dataclass(slots=True)
class World:
    """The complete state of a game."""

    settings: Settings
    first: Seat
    """The seat that moved first in the previous round (R30)."""
    cubes: dict[Square, Cube] = field(default_factory=dict)
    made: list[int] = field(default_factory=lambda: [0, 0])
    """By seat: the number of cubes that have come to the board since the beginning."""
    captures: list[int] = field(default_factory=lambda: [0, 0])
    """By seat: the number of captured cubes."""
    round: int = 1
    rolls: list[int] = field(default_factory=lambda: [0, 0])
    """By seat: the die that decided the last movement, 0 before the first."""
    double: int = 0
    """The number on both dice, if cubes are being placed for a double; else 0."""
    doubles: int = 0
    """Number of doubles rolled in this round."""
    combined: bool = False
    """True if this round's double 1 has been used (R34)."""
    doubled: list[int] = field(default_factory=lambda: [0, 0])
    """By seat: cubes placed by method two in this round (R31)."""
    pending: list[tuple[Seat, int]] = field(default_factory=list)
    """Placements to come: (seat, method)."""
    movers: list[Seat] = field(default_factory=list)
    """The seats that must still move in this round, in order."""
    movement: int = 0
    """Number of steps that the first of ``movers`` must make."""
    lapsed: int = 0
    """Number of steps that the first of ``movers`` loses because they cannot be made."""
    next_id: Oid = FIRST_CUBE
    ended: str = ""
    """The reason why the game is over, or empty."""
    winner: Seat | None = None
    """The winner of a game that is over; None for a draw."""

    # Objects and places.

    def system(self, square: Square) -> Oid:
        return _FIRST_SYSTEM + 2 * square

    def home(self, seat: Seat) -> Oid:
        """Return a seat's home system. The planet there, its Swarm, has the next number."""
        return _FIRST_HOME + 2 * seat

    def swarm(self, seat: Seat) -> Oid:
        return _FIRST_HOME + 2 * seat + 1

    def square(self, oid: Oid) -> Square | None:
        """Return the square of a tile of the board (its system or its ground), or None for other objects."""
        return (oid - _FIRST_SYSTEM) // 2 if _FIRST_SYSTEM <= oid < _FIRST_HOME else None

    def place_of(self, oid: Oid) -> Square | None:
        """Return the square of the cube with this number, or None if there is none."""
        return next((square for square, cube in self.cubes.items() if cube.id == oid), None)

    def exists(self, oid: Oid) -> bool:
        return 0 <= oid < FIRST_CUBE or self.place_of(oid) is not None

    # Cubes.

    def count(self, seat: Seat) -> int:
        """Return the number of cubes that a seat has on the board."""
        return sum(cube.seat == seat for cube in self.cubes.values())

    def supply(self, seat: Seat) -> int:
        return self.settings.cubes_total - self.count(seat)

    def active(self) -> Seat | None:
        """Return the seat that must place or move now, or None."""
        if self.pending:
            return self.pending[0][0]
        return self.movers[0] if self.movers else None

    def free_edge(self, seat: Seat) -> list[Square]:
        """Return the squares on which a seat can place a cube, from file a (R33)."""
        return [square for square in EDGES[seat] if square not in self.cubes]

    def position(self, seat: Seat) -> Position:
        """Return the board as a seat sees it before it moves."""
        own = sum(1 << square for square, cube in self.cubes.items() if cube.seat == seat)
        return Position(own, sum(1 << square for square in self.cubes) - own)

    def add(self, seat: Seat, square: Square) -> Cube:
        """Put a new cube on a square. It replaces a cube there."""
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


def opened(options: Mapping[str, Any], seats: int, dice: Dice) -> World:
    """Return the opening world (R3, R6, R30)."""
    settings = Settings(**{name: options[name] for name in Settings.__slots__})
    world = World(settings, options["opening_seat"] - 1)
    for seat in SEATS:
        for square in EDGES[seat][: options["initial_cubes"]]:
            world.add(seat, square)
    return world
