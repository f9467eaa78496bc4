"""The pieces of Taller-Ants: spiders, groups of ants, queens, goods on the ground, fungus, colonies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from tprules.api import Oid, Seat, stored, stored_as_row
from tprules.taller_ants.board import Place

SPIDER_SEAT: Seat = 0

BLACK, RED = COLOURS = range(2)
COLOUR_WORDS = ("black", "red")

TICKS_OF_SPIDER, TICKS_OF_ANTS = 20, 10
"""Ticks (half move points) of a spider, and of ants, in a phase."""
TICKS = 2
"""Ticks of one move point."""

MOST_ANTS = 6
"""Maximum ants in a group (R39)."""
LOAD = 5
"""Maximum food points that one ant carries, and also the food points of an egg (R28, R30, R47)."""
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
    place: Place
    hp: int
    ticks: int
    cocooned: int = 0
    """Number of cocooned ants that it carries."""
    eggs: int = 0
    fed: int = 0
    """Number of fed eggs, which are not counted in ``eggs``."""
    captives: list[list[int]] = field(default_factory=list)
    """[seat, colour] of each captive, in the order in which they were taken."""
    attacked: bool = False
    """Whether it has attacked in this phase."""
    acted: bool = False
    """Whether it has done anything in this phase."""
    ended: bool = False
    """Whether it may do nothing more in this phase."""
    reaction: int = KILL

    @property
    def seat(self) -> Seat:
        return SPIDER_SEAT

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place,)


@stored_as_row
@dataclass(slots=True)
class Group:
    """A group of ants.  If it is a bridge, it is on all places of ``bridge``, and ``place`` is the first of these."""

    id: Oid
    seat: Seat
    colour: int
    ants: int
    place: Place
    ticks: int
    food: int = 0
    web_points: int = 0
    eggs: list[list[int]] = field(default_factory=list)
    """[colour, own phases to wait] of each ant egg that it carries."""
    stance: int = AVOID
    wards: int = 0
    """Number of wards made in this phase."""
    bridge: list[Place] = field(default_factory=list)
    near: Place = -1
    """The land at the near end of a bridge."""
    far: Place = -1
    """The land at the far end of a bridge."""
    ended: bool = field(default=False, metadata=stored(since=2))
    """Whether it may only regroup in the rest of this phase (R80)."""

    @property
    def places(self) -> tuple[Place, ...]:
        return tuple(self.bridge) if self.bridge else (self.place,)

    @property
    def strength(self) -> int:
        """The strength in fights: the number of ants, red ones counted twice (R31, R37)."""
        return 2 * self.ants if self.colour == RED else self.ants

    @property
    def room(self) -> int:
        """The food points that it can still load (R30, R47); below 0 while ants are being removed."""
        return LOAD * (self.ants - len(self.eggs)) - self.food


@stored_as_row
@dataclass(slots=True)
class Queen:
    id: Oid
    seat: Seat
    place: Place
    hp: int
    ticks: int

    @property
    def places(self) -> tuple[Place, ...]:
        return (self.place,)


Unit: TypeAlias = Spider | Group | Queen
Ants: TypeAlias = Group | Queen


@stored_as_row
@dataclass(slots=True)
class Clutch:
    """Spider eggs on the ground."""

    id: Oid
    place: Place
    eggs: int
    fed: int = 0


@stored_as_row
@dataclass(slots=True)
class AntEgg:
    id: Oid
    seat: Seat
    place: Place
    colour: int
    wait: int
    """Number of its owner's phases that must still begin until it hatches."""


@stored_as_row
@dataclass(slots=True)
class Cocoon:
    """Cocooned ants on the ground."""

    id: Oid
    place: Place
    ants: int


Goods: TypeAlias = Clutch | AntEgg | Cocoon


@stored_as_row
@dataclass(slots=True)
class Fungus:
    """A fungus group, with its squares in rising order."""

    squares: list[Place]
    exhausted: bool = False


@stored_as_row
@dataclass(slots=True)
class Colony:
    """An ant player."""

    hole: Place = -1
    """The square of the hole above ground; -1 before it is chosen."""
    eliminated: bool = False
    hatched: int = 0
    """Number of ants that hatched, including those at the start."""
    killed: int = 0
    cocooned: int = 0
    """Number of ants that were cocooned."""
