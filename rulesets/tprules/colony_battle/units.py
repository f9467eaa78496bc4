"""The pieces of Colony Battle: units, items, earthworms, spiders, and the state of a seat besides its units."""

from __future__ import annotations

from dataclasses import dataclass, field

from tprules.api import Oid, Seat, stored_as_row
from tprules.colony_battle.board import Square

NOWHERE: Square = -1
NOBODY: Seat = -1
NO_KIND = -1

LEFT, RIGHT = 0, 1
"""The directions in which a worm faces."""


@stored_as_row
@dataclass(slots=True)
class Unit:
    """One piece of a player."""

    kind: int
    owner: Seat
    square: Square
    hit_points: int
    kills: int = 0
    """Number of kills that an antlion has left."""
    item: Oid = 0
    """The item that a worker carries, or 0."""
    caught: bool = False


@stored_as_row
@dataclass(slots=True)
class Item:
    """One token: on a square, with the worker that carries it, or in a hand."""

    kind: int
    square: Square = NOWHERE
    carrier: Oid = 0
    hand: Seat = NOBODY


@stored_as_row
@dataclass(slots=True)
class Worm:
    """An earthworm: its segments and their squares, the head first."""

    segments: list[Oid]
    squares: list[Square]
    facing: int


@stored_as_row
@dataclass(slots=True)
class Spider:
    """A spider.  It weaves around ``centre``, or travels to ``goal`` (NOWHERE: it waits for one that it can reach)."""

    square: Square
    centre: Square
    radius: int = 0
    weaves: bool = True
    goal: Square = NOWHERE


@stored_as_row
@dataclass(slots=True)
class Colony:
    """The state of one seat besides its units.  ``home`` is its Star System; its Planet has the next number."""

    home: Oid
    queen: Oid
    trail: dict[Square, int] = field(default_factory=dict)
    """Squares of the chemical trail -> the number of rounds for which they have been there."""
    brood: int = NO_KIND
    """The kind of the running or waiting brood."""
    brood_left: int = 0

    @property
    def locked(self) -> bool:
        """Whether a brood prevents the queen from moving."""
        return self.brood != NO_KIND and self.brood_left > 0
