"""The position in a movement phase: steps, captures, and whether the remaining steps can be spent (R8, R15, R16, R22 to
R27, R38 to R41).

It does not use numbers of cubes, queues or messages, so that the same code checks orders, completes a queue and
executes steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from tprules.kit.grid import Square
from tprules.swarm.board import BESIDE, EVERYWHERE, FLANKS, NEAR, Squares, members


class Variant(Protocol):
    """The options that decide how cubes step and capture."""

    @property
    def diagonal_moves(self) -> bool: ...

    @property
    def chain_swarm(self) -> bool: ...

    @property
    def cubes_total(self) -> int: ...


class Position(NamedTuple):
    """Where cubes stand during a movement phase."""

    own: Squares
    enemy: Squares
    moved: tuple[tuple[Square, Square], ...] = ()
    """For each own cube that has made a step: where it stands, and the start tile on which it must not end (R16)."""


class Capture(NamedTuple):
    """An enemy's cube that became the mover's, and the cube whose arrival captured it."""

    by: Square
    square: Square


class Arrival(NamedTuple):
    """The result of an own cube's arrival on a square."""

    own: Squares
    enemy: Squares
    captures: tuple[Capture, ...]
    won: bool


class Step(NamedTuple):
    """The result of one step."""

    position: Position
    captures: tuple[Capture, ...]
    won: bool


Memory = dict[tuple[int, Position], bool]
"""Cache: steps left and position -> whether the steps can be spent."""


def arrived(own: Squares, enemy: Squares, square: Square, variant: Variant) -> Arrival:
    """Return the result of an own cube's arrival on ``square``, which must be in ``own`` already.

    Triggers are handled in the order in which they arise, directions N, E, S, W (R40); a win ends the chain (R9, R10,
    R41).
    """
    captures: list[Capture] = []
    triggers = [square]
    for trigger in triggers:  # the list grows during the loop: the chain
        for between, bit, far in FLANKS[trigger]:
            if enemy & bit and own & far:
                own |= bit
                enemy ^= bit
                captures.append(Capture(trigger, between))
                if own.bit_count() >= variant.cubes_total or enemy.bit_count() <= 1:
                    return Arrival(own, enemy, tuple(captures), True)
                if variant.chain_swarm:
                    triggers.append(between)
    return Arrival(own, enemy, tuple(captures), False)


def step(position: Position, origin: Square, target: Square, variant: Variant) -> Step:
    """Return the result if the own cube on ``origin`` steps to ``target``, which must be free and beside it."""
    starts = dict(position.moved)
    starts[target] = starts.pop(origin, origin)
    own = position.own ^ (1 << origin) | (1 << target)
    came = arrived(own, position.enemy, target, variant)
    return Step(Position(came.own, came.enemy, tuple(sorted(starts.items()))), came.captures, came.won)


def steps(position: Position, variant: Variant) -> Iterator[tuple[Square, Square]]:
    """Yield all single steps that are possible, whether or not the rest can then be spent."""
    taken = position.own | position.enemy
    beside = BESIDE[variant.diagonal_moves]
    for origin in members(position.own):
        for target in beside[origin]:
            if not taken >> target & 1:
                yield origin, target


def on_start(position: Position) -> list[Square]:
    """Return the squares of cubes that have moved and are on their start tile again."""
    return [square for square, start in position.moved if square == start]


def completable(position: Position, left: int, variant: Variant, memory: Memory | None = None) -> bool:
    """Return whether exactly ``left`` more steps, or fewer that win, can be made so that no cube ends on its start
    tile."""
    returned = on_start(position)
    if not left:
        return not returned
    if not returned and _has_room(position, left, variant):
        return True
    if memory is None:
        memory = {}
    known = memory.get((left, position))
    if known is None:
        known = memory[left, position] = _search(position, left, variant, memory, returned)
    return known


def leaves_rest(
    position: Position, origin: Square, target: Square, left: int, variant: Variant, memory: Memory | None = None
) -> bool:
    """Return whether this step wins, or exactly ``left`` more can be made after it (``completable``)."""
    start, returned = origin, False
    for square, first in position.moved:
        if square == origin:
            start = first
        elif square == first:
            returned = True
    if not returned:  # if the cube can obviously do it alone, no search is needed
        if left % 2 == 0:
            if target != start:
                return True
        elif NEAR[variant.diagonal_moves][target] & ~(position.own ^ 1 << origin | position.enemy | 1 << start):
            return True
    after = step(position, origin, target, variant)
    return after.won or completable(after.position, left, variant, memory)


def movement(position: Position, budget: int, variant: Variant) -> int:
    """Return how many steps must be made: the budget, or the largest number below it that can be spent (R15, R38)."""
    memory: Memory = {}
    return next(count for count in range(budget, -1, -1) if completable(position, count, variant, memory))


def _has_room(position: Position, left: int, variant: Variant) -> bool:
    """Return whether one cube alone can obviously spend all steps by going to and fro, ending off its start tile.

    An odd number needs one free square that is not its start tile; an even one needs a second step from there to yet
    another square.  False proves nothing, because two cubes together may spend them.
    """
    near = NEAR[variant.diagonal_moves]
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


def _search(position: Position, left: int, variant: Variant, memory: Memory, returned: list[Square]) -> bool:
    found = list(steps(position, variant))
    if returned:
        found.sort(key=lambda each: each[0] not in returned)  # cubes that must leave first: the search ends sooner
    for origin, target in found:
        after = step(position, origin, target, variant)
        if after.won or completable(after.position, left - 1, variant, memory):
            return True
    return False
