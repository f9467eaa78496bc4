"""The board of 36 squares, a1 to f6: steps, captures, remaining steps.

Squares are numbered row by row from a1, so a1 to f1 are 0 to 5. A set of squares is an integer with a bit for each
square. This makes the search for legal moves fast, with the same result on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tprules.api import stored_as_row
from tprules.kit.compass import DIRECTIONS, OFF, compass
from tprules.kit.grid import Square

# --- Squares, their neighbors, and the two edges (R2, R5, R6, R33)

Squares = int
"""A set of squares. Bit number n is square n."""

SIDE = 6
MOST_STEPS = 6
"""Maximum steps of a movement phase: the highest number on a die (R14)."""
FILES = "abcdef"
EVERYWHERE: Squares = (1 << SIDE * SIDE) - 1

NAMES = tuple(f"{file}{rank + 1}" for rank in range(SIDE) for file in FILES)

EDGES = (tuple(range(SIDE)), tuple(range(SIDE * (SIDE - 1), SIDE * SIDE)))
"""The squares of each seat's edge, from file a."""

_TOWARD = tuple(
    tuple(row[DIRECTIONS.index(name)] for name in ("S", "SE", "E", "NE", "N", "NW", "W", "SW"))
    for row in compass(SIDE, SIDE)
)
"""The square, or ``OFF``, in each direction clockwise from the north. North is where row numbers rise."""

_EVERY_WAY, _STRAIGHT = range(8), range(0, 8, 2)


def _around(ways: range) -> tuple[tuple[Square, ...], ...]:
    return tuple(tuple(row[way] for way in ways if row[way] != OFF) for row in _TOWARD)


BESIDE = {False: _around(_STRAIGHT), True: _around(_EVERY_WAY)}
"""With or without diagonals -> the neighbors of each square (R8).

Clockwise from the north.
"""

NEAR: dict[bool, tuple[Squares, ...]] = {
    diagonals: tuple(sum(1 << near for near in around) for around in neighbours)
    for diagonals, neighbours in BESIDE.items()
}
"""The same with neighbors as sets."""

FLANKS: tuple[tuple[tuple[Square, Squares, Squares], ...], ...] = tuple(
    tuple(
        (row[way], 1 << row[way], 1 << _TOWARD[row[way]][way])
        for way in _STRAIGHT
        if row[way] != OFF and _TOWARD[row[way]][way] != OFF
    )
    for row in _TOWARD
)
"""For each square and direction N, E, S, W: the square beside it, its bit, and the bit of the one behind (R22, R24)."""


def members(squares: Squares) -> Iterator[Square]:
    """Yield the squares of a set by rising number."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


# --- The position in a movement phase (R8, R15, R16, R22 to R27, R38 to R41). It knows no numbers of cubes, queues or
# messages, so that the same code checks orders, completes a queue and executes steps


@stored_as_row
@dataclass(frozen=True, slots=True)
class Settings:
    """The options that matter after the opening."""

    cubes_total: int
    diagonal_moves: bool
    chain_swarm: bool
    double_limit: int
    max_rounds: int


class Position(NamedTuple):
    """The squares of the cubes during a movement phase."""

    own: Squares
    enemy: Squares
    moved: tuple[tuple[Square, Square], ...] = ()
    """For each own cube that has moved: its square, and the start tile on which it must not end (R16)."""


class Capture(NamedTuple):
    """An enemy cube that the mover has captured, and the cube whose arrival captured it."""

    by: Square
    square: Square


class Step(NamedTuple):
    """The result of one step, or of a cube's arrival on the board."""

    position: Position
    captures: tuple[Capture, ...]
    won: bool


Memory = dict[tuple[int, Position], bool]
"""Cache: steps left and position -> whether the steps can be spent."""


def arrived(position: Position, square: Square, settings: Settings) -> Step:
    """Return the result of an own cube's arrival on ``square``, which must already be among its own.

    Triggers are handled in the order in which they arise, directions N, E, S, W (R40). A win ends the chain (R9, R10,
    R41).
    """
    own, enemy, moved = position
    captures: list[Capture] = []
    triggers = [square]
    for trigger in triggers:  # the list grows during the loop: the chain
        for between, bit, far in FLANKS[trigger]:
            if enemy & bit and own & far:
                own |= bit
                enemy ^= bit
                captures.append(Capture(trigger, between))
                if own.bit_count() >= settings.cubes_total or enemy.bit_count() <= 1:
                    return Step(Position(own, enemy, moved), tuple(captures), True)
                if settings.chain_swarm:
                    triggers.append(between)
    return Step(Position(own, enemy, moved), tuple(captures), False)


def step(position: Position, origin: Square, target: Square, settings: Settings) -> Step:
    """Return the result if the own cube on ``origin`` steps to ``target``, which must be free and beside it."""
    starts = dict(position.moved)
    starts[target] = starts.pop(origin, origin)
    own = position.own ^ (1 << origin) | (1 << target)
    return arrived(Position(own, position.enemy, tuple(sorted(starts.items()))), target, settings)


def steps(position: Position, settings: Settings) -> Iterator[tuple[Square, Square]]:
    """Yield all possible single steps, even if the rest cannot be spent afterwards."""
    taken = position.own | position.enemy
    beside = BESIDE[settings.diagonal_moves]
    for origin in members(position.own):
        for target in beside[origin]:
            if not taken >> target & 1:
                yield origin, target


def on_start(position: Position) -> list[Square]:
    """Return the squares of cubes that have moved and are on their start tile again."""
    return [square for square, start in position.moved if square == start]


def completable(position: Position, left: int, settings: Settings, memory: Memory | None = None) -> bool:
    """Return whether exactly ``left`` more steps, or fewer that win, are possible.

    No cube may end on its start tile.
    """
    returned = on_start(position)
    if not left:
        return not returned
    if not returned and _has_room(position, left, settings):
        return True
    if memory is None:
        memory = {}
    known = memory.get((left, position))
    if known is None:
        known = memory[left, position] = _search(position, left, settings, memory, returned)
    return known


def leaves_rest(
    position: Position, origin: Square, target: Square, left: int, settings: Settings, memory: Memory | None = None
) -> bool:
    """Return whether this step wins, or allows exactly ``left`` more (``completable``)."""
    start, returned = origin, False
    for square, first in position.moved:
        if square == origin:
            start = first
        elif square == first:
            returned = True
    if not returned:  # no search is needed if the cube can obviously do it alone
        if left % 2 == 0:
            if target != start:
                return True
        elif NEAR[settings.diagonal_moves][target] & ~(position.own ^ 1 << origin | position.enemy | 1 << start):
            return True
    after = step(position, origin, target, settings)
    return after.won or completable(after.position, left, settings, memory)


def movement(position: Position, budget: int, settings: Settings) -> int:
    """Return the number of steps to make: the budget, or the largest number below it that can be spent (R15, R38)."""
    memory: Memory = {}
    return next(count for count in range(budget, -1, -1) if completable(position, count, settings, memory))


def _has_room(position: Position, left: int, settings: Settings) -> bool:
    """Return whether one cube alone can obviously spend all steps by going to and fro, ending off its start tile.

    An odd number needs one free square that is not its start tile. An even number needs a second step from there to yet
    another square. False proves nothing, because two cubes together may spend the steps.
    """
    near = NEAR[settings.diagonal_moves]
    free = EVERYWHERE & ~(position.own | position.enemy)
    starts = dict(position.moved)
    for square in members(position.own):
        start = 1 << starts.get(square, square)
        first = near[square] & free & ~start
        if not first:
            continue
        if left % 2:
            return True
        beyond = (free | 1 << square) & ~start
        if any(near[target] & beyond for target in members(first)):
            return True
    return False


def _search(position: Position, left: int, settings: Settings, memory: Memory, returned: list[Square]) -> bool:
    found = list(steps(position, settings))
    if returned:
        found.sort(key=lambda each: each[0] not in returned)  # cubes that must leave first: the search ends sooner
    for origin, target in found:
        after = step(position, origin, target, settings)
        if after.won or completable(after.position, left - 1, settings, memory):
            return True
    return False
