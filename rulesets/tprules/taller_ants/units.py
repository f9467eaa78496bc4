"""What there is in a game of Taller-Ants: spiders, groups of ants, queens, what they leave lying, fungus, colonies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tprules.api import Oid, Seat, stored, stored_as_row
from tprules.taller_ants.board import Coordinates

SPIDER_SEAT: Seat = 0

BLACK, RED = COLOURS = range(2)
COLOUR_WORDS = ("black", "red")

TICKS_OF_SPIDER, TICKS_OF_ANTS = 20, 10
"""Half move points of a phase."""
TICKS = 2
"""Of one move point."""

MOST_ANTS = 6
"""In a group (R39)."""
LOAD = 5
"""Food points that one ant carries, and what an egg is worth (R28, R30, R47)."""
COCOONED_FOOD = 2
"""Food points of a cocooned ant (R23)."""

AVOID, FIGHT = 1, 2
"""Stances of a group."""
KILL, TAKE = 1, 2
"""Reactions of a spider."""


@stored_as_row
@dataclass(slots=True)
class Spider:
    id: Oid
    place: Coordinates
    hp: int
    ticks: int
    cocooned: int = 0
    """Cocooned ants it carries."""
    eggs: int = 0
    fed: int = 0
    """Fed eggs; they are not among ``eggs``."""
    captives: list[list[int]] = field(default_factory=list)
    """Seat and colour of each, in the order in which they were taken."""
    attacked: bool = False
    """In this phase."""
    acted: bool = False
    """Whether it has done anything in this phase."""
    ended: bool = False
    """Whether it may do nothing more in this phase."""
    reaction: int = KILL

    @property
    def seat(self) -> Seat:
        return SPIDER_SEAT

    @property
    def places(self) -> tuple[Coordinates, ...]:
        return (self.place,)


@stored_as_row
@dataclass(slots=True)
class Group:
    """A group of ants.  One that is a bridge stands on all of ``bridge``, and its ``place`` is the first of them."""

    id: Oid
    seat: Seat
    colour: int
    ants: int
    place: Coordinates
    ticks: int
    food: int = 0
    web_points: int = 0
    eggs: list[list[int]] = field(default_factory=list)
    """Colour, and own phases to wait, of each ant egg it carries."""
    stance: int = AVOID
    wards: int = 0
    """Made in this phase."""
    bridge: list[Coordinates] = field(default_factory=list)
    near: Coordinates = -1
    """Where a bridge begins and ..."""
    far: Coordinates = -1
    """... ends."""
    ended: bool = field(default=False, metadata=stored(since=2))
    """Whether it may do nothing more in this phase but regroup (R80)."""

    @property
    def places(self) -> tuple[Coordinates, ...]:
        return tuple(self.bridge) if self.bridge else (self.place,)

    @property
    def strength(self) -> int:
        """R31, R37."""
        return 2 * self.ants if self.colour == RED else self.ants

    @property
    def room(self) -> int:
        """Food that it can still load (R30, R47); below 0 while ants are lost."""
        return LOAD * (self.ants - len(self.eggs)) - self.food


@stored_as_row
@dataclass(slots=True)
class Queen:
    id: Oid
    seat: Seat
    place: Coordinates
    hp: int
    ticks: int

    @property
    def places(self) -> tuple[Coordinates, ...]:
        return (self.place,)


Unit: TypeAlias = Spider | Group | Queen
Ants: TypeAlias = Group | Queen


@stored_as_row
@dataclass(slots=True)
class Clutch:
    """Spider eggs on the ground."""

    id: Oid
    place: Coordinates
    eggs: int
    fed: int = 0


@stored_as_row
@dataclass(slots=True)
class AntEgg:
    id: Oid
    seat: Seat
    place: Coordinates
    colour: int
    wait: int
    """Own phases that still have to begin until it hatches."""


@stored_as_row
@dataclass(slots=True)
class Cocoon:
    """Cocooned ants on the ground."""

    id: Oid
    place: Coordinates
    ants: int


Goods: TypeAlias = Clutch | AntEgg | Cocoon


@stored_as_row
@dataclass(slots=True)
class Fungus:
    """A fungus group: its squares in rising order."""

    squares: list[Coordinates]
    exhausted: bool = False


@stored_as_row
@dataclass(slots=True)
class Colony:
    """An ant player."""

    hole: Coordinates = -1
    """The square above; -1 before it is chosen."""
    eliminated: bool = False
    hatched: int = 0
    """Ants that hatched, those at the start included."""
    killed: int = 0
    cocooned: int = 0
    """Ants that were cocooned."""
