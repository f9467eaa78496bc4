"""The state of a game of Antshouse."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tprules.antshouse.board import CORNERS, COURSES, NEXT, SQUARES, STEPS, Course
from tprules.api import Dice, Oid, Seat, stored_as_row
from tprules.kit.compass import OFF
from tprules.kit.grid import Square

# --- The three weapons and the gestures (RULES.md, section 2)

CONE, WATER, GLASS = WEAPONS = (1, 2, 3)
"""The numbers of the weapons. A number is a size, from small to large, and the number of a resource (R22)."""

WEAPON_NAMES = ("", "pine cone", "water", "magnifying glass")

ON_THE_PAD = (0, 5, 4, 4)
"""Pyramids on the pad at the start, by weapon: five of each size (R2).

One medium pyramid is missing, which is the ant, and a large one, which is the direction piece.
"""

NO_PREFERENCE, ROCK, PAPER, SCISSORS = GESTURES = range(4)
GESTURE_NAMES = ("no preference", "rock", "paper", "scissors")


# --- The state

UNIVERSE: Oid = 0
PAVEMENT: Oid = 1
_FIRST_SQUARE: Oid = 2
"""The number of the first square. Squares have even numbers; the ground of a square has the next number."""
FIRST_HOME: Oid = _FIRST_SQUARE + 2 * len(SQUARES)
OF_A_SEAT = 3
"""Number of objects of each seat: its home, its kid, its ant. Pine cones get the numbers after all seats."""

OFF_BOARD: Square = OFF
"""The square of an ant that has not entered."""

SETUP, PLAN, PUSH, FLUSH, RESPAWN, OVER = PHASES = ("setup", "plan", "push", "water", "respawn", "over")
"""The phases. The universe shows the index of the present one."""

BACK, THERE = GOALS = ("back", "there")
GESTURE, RNG = CONTESTS = ("gesture", "rng")


@stored_as_row
@dataclass(frozen=True, slots=True)
class Settings:
    """The options that are used after the opening."""

    layout: str
    goal: str
    contest: str
    guard: bool
    """True if pine cones must not close the last way of a seat."""
    max_rounds: int


@stored_as_row
@dataclass(slots=True)
class Player:
    """The state of one seat."""

    ant: Square
    """The square of the ant, or ``OFF_BOARD``."""
    turned: bool
    """True if the ant has reached the far side."""
    pad: list[int]
    """Number of pyramids on the stash pad, by weapon."""
    used: list[int]
    """Number of pyramids used up, by weapon. Pine cones do not count, as they stay on the board."""
    deaths: int = 0


class Throw(NamedTuple):
    """A pyramid that is thrown in this round and not yet resolved."""

    seat: Seat
    weapon: int
    square: Square


class Shove(NamedTuple):
    """A pending choice: ``chooser`` moves the ant of ``seat`` one square (R21, R25)."""

    chooser: Seat
    seat: Seat


@dataclass(slots=True)
class World:
    """The complete state of a game."""

    settings: Settings
    players: list[Player]
    cones: OrderedDict[Square, Seat] = field(default_factory=OrderedDict)
    """Square -> owner of the pine cone on it, in the order in which the cones fell."""
    round: int = 0
    """The number of the round; 0 until the ants have entered."""
    gestures: list[int] = field(default_factory=list)
    """The gesture of each seat in this round; empty between rounds."""
    pushes: list[Shove] = field(default_factory=list)
    """Losers of clashes that the winners must still move."""
    throws: list[Throw] = field(default_factory=list)
    """Throws of this round that are not resolved; in the order of resolution once all pushes are done."""
    flush: Shove | None = None
    """The ant that water will move, and the seat that chooses the direction."""
    resolved: list[Square] = field(default_factory=list)
    """The targets of throws of this round that are resolved."""
    hits: list[Square] = field(default_factory=list)
    """The targets of throws of the last round."""
    ended: str = ""
    """The reason why the game is over, or empty."""
    winners: list[Seat] = field(default_factory=list)

    @property
    def phase(self) -> str:
        """The name of the present phase."""
        if self.ended:
            return OVER
        if self.pushes:
            return PUSH
        if self.flush:
            return FLUSH
        if not self.round:
            return SETUP
        return RESPAWN if self.dead() else PLAN

    @property
    def shove(self) -> Shove | None:
        """The pending choice, in a push or water phase; else None."""
        return self.pushes[0] if self.pushes else self.flush

    # Objects.

    def system(self, square: Square) -> Oid:
        return _FIRST_SQUARE + 2 * square

    def square(self, oid: Oid) -> Square | None:
        """Return the square with this number or with this ground; None for other objects."""
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
        """Return the lowest number that no object has had yet."""
        return self.first_cone() + len(self.cones)

    # The board.

    def course(self, seat: Seat) -> Course:
        return COURSES[self.settings.layout][seat]

    def ants(self) -> dict[Square, Seat]:
        """Return square -> seat of the ant on it; the highest seat if several ants share a square."""
        return {player.ant: seat for seat, player in enumerate(self.players) if player.ant != OFF_BOARD}

    def dead(self) -> list[Seat]:
        """Return the seats whose ants are not on the board."""
        return [seat for seat, player in enumerate(self.players) if player.ant == OFF_BOARD]

    def to_goal(self, seat: Seat, square: Square) -> int:
        """Return the number of steps from ``square`` to the present goal of the seat's ant."""
        course = self.course(seat)
        return (course.to_home if self.players[seat].turned else course.to_far)[square]

    def steps_left(self, seat: Seat) -> int:
        """Return the minimum of steps until a seat's ant wins, including the way home. A dead ant enters at home."""
        player, course = self.players[seat], self.course(seat)
        there = self.to_goal(seat, course.home[0] if player.ant == OFF_BOARD else player.ant)
        if player.turned or self.settings.goal == THERE:
            return there
        return there + min(course.to_home[square] for square in course.far)

    def directions(self, square: Square) -> list[int]:
        """Return the directions in which an ant on ``square`` can step (R18)."""
        row, cones = NEXT[square], self.cones
        return [way for way in STEPS if row[way] != OFF and row[way] not in cones]

    def vacant(self, square: Square) -> list[int]:
        """Return the directions in which others can move an ant on ``square``: to squares without ants (R21)."""
        row, ants = NEXT[square], self.ants()
        return [way for way in self.directions(square) if row[way] not in ants]

    def offered(self, seat: Seat) -> list[Square]:
        """Return the squares on which an ant of ``seat`` may enter (R17, R34).

        They are the free squares at home, or else those in the nearest ring that has one.
        """
        ants = self.ants()
        for ring in self.course(seat).rings:
            free = [square for square in ring if square not in self.cones and square not in ants]
            if free:
                return free
        raise AssertionError("20 pine cones and 4 ants leave squares free")


def opened(options: Mapping[str, Any], seats: int, dice: Dice) -> World:
    """Return the opening world (R1, R2)."""
    layout, guard = options["layout"], options["cone_guard"]
    is_guarded = layout == CORNERS if guard == "auto" else guard == "on"
    settings = Settings(layout, options["goal"], options["contest"], is_guarded, options["max_rounds"])
    return World(settings, [Player(OFF_BOARD, False, list(ON_THE_PAD), [0, 0, 0, 0]) for _ in range(seats)])
