"""The state of a game of Antshouse."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tprules.antshouse.board import CORNERS, COURSES, NEXT, SQUARES, STEPS, Course
from tprules.antshouse.pieces import ON_THE_PAD
from tprules.api import Oid, Seat, stored_as_row
from tprules.kit.compass import OFF
from tprules.kit.grid import Square

UNIVERSE: Oid = 0
PAVEMENT: Oid = 1
_FIRST_SQUARE: Oid = 2
"""Squares have even numbers; the ground of a square has the number after it."""
FIRST_HOME: Oid = _FIRST_SQUARE + 2 * len(SQUARES)
OF_A_SEAT = 3
"""Objects of each seat: its home, its kid, its ant.  Behind them come the pine cones as they fall."""

OFF_BOARD: Square = OFF
"""The place of an ant that has still to enter."""

SETUP, PLAN, PUSH, WATER, RESPAWN, OVER = PHASES = ("setup", "plan", "push", "water", "respawn", "over")
"""A phase's place here is its number in the universe."""

BACK, THERE = GOALS = ("back", "there")
GESTURE, RNG = CONTESTS = ("gesture", "rng")


@stored_as_row
@dataclass(frozen=True, slots=True)
class Settings:
    """The options that matter once the game has begun."""

    layout: str
    goal: str
    contest: str
    guard: bool
    """Whether a pine cone may not close the last way of a seat."""
    max_rounds: int


@stored_as_row
@dataclass(slots=True)
class Player:
    """What one seat has."""

    ant: Square
    """Where the ant is, or ``OFF_BOARD``."""
    turned: bool
    """Whether the ant has been on the far side."""
    pad: list[int]
    """Pyramids on the stash pad, by weapon."""
    used: list[int]
    """Pyramids used up, by weapon; pine cones are on the board instead."""
    deaths: int = 0


class Throw(NamedTuple):
    """A pyramid that is thrown in this round and has not been resolved."""

    seat: Seat
    weapon: int
    square: Square


class Shove(NamedTuple):
    """A choice to come: ``chooser`` moves the ant of ``seat`` one square (R21, R25)."""

    chooser: Seat
    seat: Seat


@dataclass(slots=True)
class World:
    """All of a game."""

    settings: Settings
    players: list[Player]
    cones: OrderedDict[Square, Seat] = field(default_factory=OrderedDict)
    """Whose pine cone lies on a square, in the order in which they fell."""
    round: int = 0
    """The number of the round; 0 until the ants have entered."""
    gestures: list[int] = field(default_factory=list)
    """By seat, as chosen for this round; empty between rounds."""
    pushes: list[Shove] = field(default_factory=list)
    """Losers of clashes that the winners have still to move."""
    throws: list[Throw] = field(default_factory=list)
    """Thrown in this round, not resolved; in the order of resolution once all pushes are done."""
    flush: Shove | None = None
    """Whom the water is about to take away, and who chooses where to."""
    resolved: list[Square] = field(default_factory=list)
    """Where throws of this round have been resolved."""
    hits: list[Square] = field(default_factory=list)
    """Where throws of the last round were resolved."""
    ended: str = ""
    """Why the game is over, or empty."""
    winners: list[Seat] = field(default_factory=list)

    @property
    def phase(self) -> str:
        """The name of the phase that the game is in."""
        if self.ended:
            return OVER
        if self.pushes:
            return PUSH
        if self.flush:
            return WATER
        if not self.round:
            return SETUP
        return RESPAWN if any(player.ant == OFF_BOARD for player in self.players) else PLAN

    @property
    def shove(self) -> Shove | None:
        """The choice of a push or a water phase, if this is one."""
        return self.pushes[0] if self.pushes else self.flush

    # Objects.

    def system(self, square: Square) -> Oid:
        return _FIRST_SQUARE + 2 * square

    def square(self, oid: Oid) -> Square | None:
        """Return the square that this is, or whose ground it is; None for anything else."""
        return (oid - _FIRST_SQUARE) // 2 if _FIRST_SQUARE <= oid < FIRST_HOME else None

    def home(self, seat: Seat) -> Oid:
        return FIRST_HOME + OF_A_SEAT * seat

    def kid(self, seat: Seat) -> Oid:
        return FIRST_HOME + OF_A_SEAT * seat + 1

    def ant(self, seat: Seat) -> Oid:
        return FIRST_HOME + OF_A_SEAT * seat + 2

    def first_cone(self) -> Oid:
        return FIRST_HOME + OF_A_SEAT * len(self.players)

    def end(self) -> Oid:
        """Return the first number that no object has yet."""
        return self.first_cone() + len(self.cones)

    # The board.

    def course(self, seat: Seat) -> Course:
        return COURSES[self.settings.layout][seat]

    def ants(self) -> dict[Square, Seat]:
        """Return who is where; of ants that share a square the last one."""
        return {player.ant: seat for seat, player in enumerate(self.players) if player.ant != OFF_BOARD}

    def to_goal(self, seat: Seat, square: Square) -> int:
        """Return how many steps it is from ``square`` to where the seat's ant goes now."""
        course = self.course(seat)
        return (course.to_home if self.players[seat].turned else course.to_far)[square]

    def directions(self, square: Square) -> list[int]:
        """Return the directions in which an ant on ``square`` can step (R18)."""
        row, cones = NEXT[square], self.cones
        return [way for way in STEPS if row[way] != OFF and row[way] not in cones]

    def vacant(self, square: Square) -> list[int]:
        """Return the directions in which an ant on ``square`` can be moved by others: to squares without ants (R21)."""
        row, ants = NEXT[square], self.ants()
        return [way for way in self.directions(square) if row[way] not in ants]

    def offered(self, seat: Seat) -> list[Square]:
        """Return where an ant of ``seat`` may enter: at home, or in the nearest ring with a free square (R17, R34)."""
        ants = self.ants()
        for ring in self.course(seat).rings:
            free = [square for square in ring if square not in self.cones and square not in ants]
            if free:
                return free
        raise AssertionError("20 pine cones and 4 ants leave squares free")


def opened(options: Mapping[str, Any], seats: int) -> World:
    """Return the world in which a game begins (R1, R2)."""
    guard = options["cone_guard"]
    return World(
        settings=Settings(
            layout=options["layout"],
            goal=options["goal"],
            contest=options["contest"],
            guard=options["layout"] == CORNERS if guard == "auto" else guard == "on",
            max_rounds=options["max_rounds"],
        ),
        players=[Player(OFF_BOARD, False, list(ON_THE_PAD), [0, 0, 0, 0]) for _ in range(seats)],
    )
