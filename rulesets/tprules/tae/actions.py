"""The actions of a normal turn: whether the board allows them, and their effects on it (R13 to R35).

Functions named ``against_...`` change nothing; they return the first reason why the action is illegal, a key of
``refusals.BOARD_REASONS``, or None.  The others execute the action, which must be legal.
"""

from __future__ import annotations

from collections.abc import Sequence

from tprules.api import Dice, Oid, Seat
from tprules.kit.grid import Square, groups
from tprules.tae.pieces import ROBOTS, SETTLERS, TYPES
from tprules.tae.world import AT_HOME, EXTERNAL, INTERNAL, Contest, World


def against_colonizing(world: World, square: Square, kind: int) -> str | None:
    """Return why a colony of this type cannot be placed on a system, or None (R13, R14, R33)."""
    taken = _taken(world, square)
    if taken:
        return taken
    if world.board.inhabitable(square) == (kind == ROBOTS):
        return "ground"
    return "contested" if _beside_contest(world, square) else None


def colonize(world: World, seat: Seat, ship: Oid, square: Square) -> None:
    """Use up the ship and place a colony, which founds, joins or connects regions (R27 to R31)."""
    kind = world.players[seat].colonists.pop(ship)
    beside = world.regions_beside(square)
    world.colonies[square] = kind
    if len(beside) == 1:
        region = next(iter(beside))
        scorer = world.leads(region, kind)
        if scorer is None:
            scorer = world.leads(region, SETTLERS)
        if scorer is not None:
            world.players[scorer].scores[kind] += 1
    elif _rivals_in(world, beside):
        world.contests.append(Contest(EXTERNAL, square, seat))
    world.settle(square)


def against_moving(world: World, seat: Seat, kind: int, square: Square) -> str | None:
    """Return why the leader of this type cannot move to a system, or None (R14 to R18, R33, R35)."""
    taken = _taken(world, square)
    if taken:
        return taken
    if not world.board.inhabitable(square):
        return "ground"
    if not world.science_beside(square):
        return "science"
    left = world.players[seat].places[kind]
    if _would_join(world, square, left):
        return "joins"
    return "contested" if _beside_contest(world, square) or _in_contest(world, left) else None


def move(world: World, seat: Seat, kind: int, square: Square) -> None:
    """Move the leader; a leader of the same type in the region that it enters becomes a rival (R32)."""
    places = world.players[seat].places
    left, places[kind] = places[kind], square
    if left == AT_HOME:
        world.settle(square)
    else:
        world.renumber()
    region = world.regions[square]
    if any(
        world.regions.get(player.places[kind]) == region for other, player in enumerate(world.players) if other != seat
    ):
        world.contests.append(Contest(INTERNAL, square, seat, kind))


def against_withdrawing(world: World, seat: Seat, kind: int) -> str | None:
    """Return why the leader of this type cannot be withdrawn, or None (R19, R33)."""
    place = world.players[seat].places[kind]
    if place == AT_HOME:
        return "home"
    return "contested" if _in_contest(world, place) else None


def withdraw(world: World, seat: Seat, kind: int) -> None:
    world.players[seat].places[kind] = AT_HOME
    world.renumber()


def against_attacking(world: World, square: Square) -> str | None:
    """Return why a system cannot be attacked, or None (R20, R33)."""
    if square in world.destroyed:
        return "destroyed"
    if world.has_leader(square):
        return "leader"
    if square in world.artifacts:
        return "artifact"
    return "contested" if _in_contest(world, square) else None


def attack(world: World, seat: Seat, bomber: Oid, square: Square) -> list[tuple[Seat, int]]:
    """Destroy the system with the bomber, and return the leaders that lost their support (R21, R25)."""
    world.players[seat].bombers.remove(bomber)
    world.colonies.pop(square, None)
    world.destroyed.add(square)
    stranded = world.send_home_stranded()
    world.renumber()
    return stranded


def against_exchanging(world: World, ships: Sequence[Oid]) -> str | None:
    """Return why these ships cannot be exchanged, or None (R22)."""
    return "pool" if sum(world.pool) < len(ships) else None


def exchange(world: World, seat: Seat, ships: Sequence[Oid], dice: Dice | None) -> None:
    """Remove the ships from the game and draw as many; without dice, as in a plan, nothing is drawn (R11, R22)."""
    for ship in ships:
        del world.players[seat].colonists[ship]
    if dice is not None:
        world.draw(seat, len(ships), dice)


def _taken(world: World, square: Square) -> str | None:
    if square in world.destroyed:
        return "destroyed"
    if world.has_leader(square):
        return "leader"
    return "colony" if square in world.colonies else None


def _rivals_in(world: World, regions: set[int]) -> bool:
    """Return whether two or more of these regions have a leader of the same type (R30)."""
    for kind in TYPES:
        held = {world.regions.get(player.places[kind]) for player in world.players}
        if len(held & regions) > 1:
            return True
    return False


def _would_join(world: World, square: Square, left: Square) -> bool:
    """Return whether a leader on ``square`` would join regions after leaving ``left`` (R16)."""
    regions = world.regions
    beside = [near for near in world.board.neighbours[square] if near in regions and near != left]
    if len(beside) < 2:
        return False
    numbers = {regions[near] for near in beside}
    if len(numbers) > 1 or left == AT_HOME or regions[left] not in numbers:
        return len(numbers) > 1
    # All neighbours belong to the region that the leader leaves, which may fall apart without it.
    rest = [near for near, number in regions.items() if number == regions[left] and near != left]
    parts = groups(rest, world.board.neighbours)
    return not any(set(beside).issubset(part) for part in parts)


def _beside_contest(world: World, square: Square) -> bool:
    beside = world.board.neighbours[square]
    return any(not world.area(contest).isdisjoint(beside) for contest in world.contests)


def _in_contest(world: World, square: Square) -> bool:
    return any(square in world.area(contest) for contest in world.contests)
