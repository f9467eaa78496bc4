"""What a map shows of each star system: who is there, and how much of which resource.

Only objects right under a universe or a galaxy get an icon; whatever such an object contains, at any depth, belongs to
it. This is computed from the frames alone, so it is the same for every ruleset.
"""

from collections import defaultdict
from dataclasses import dataclass

from .objects import NOBODY, SpaceObject
from .universe import ROOT, Universe

UNIVERSE, GALAXY = 0, 1
"""The object types that hold icons and have none themselves (TP03, Object frame)."""


@dataclass(frozen=True, slots=True)
class Icon:
    """One star system: `owners` are the players who own it or anything in it, by rising id.

    `amounts` are by resource id over all that belongs to it, the three columns of each row added up; `slices` the same
    over its direct contents only, the largest first (of equal ones the lower id), as pairs of resource id and amount.
    """

    thing: SpaceObject
    owners: tuple[int, ...]
    amounts: dict[int, int]
    slices: tuple[tuple[int, int], ...]

    @property
    def amount(self) -> int:
        """How much of all resources there is."""
        return sum(self.amounts.values())

    @property
    def largest(self) -> tuple[int, ...]:
        """The resources here, that of the largest slice first; those of no slice last."""
        sliced = [resource for resource, _ in self.slices]
        rest = [resource for resource, _ in _by_size(self.amounts) if resource not in sliced]
        return (*sliced, *rest)


@dataclass(frozen=True, slots=True)
class Board:
    """One galaxy, or the universe itself, with the icons of what it contains directly, by rising id."""

    thing: SpaceObject
    icons: tuple[Icon, ...]


def holds_icons(thing: SpaceObject) -> bool:
    """Whether an object is a universe or a galaxy."""
    return thing.id == ROOT or thing.role in (UNIVERSE, GALAXY)


def icon_of(universe: Universe, thing: SpaceObject) -> SpaceObject | None:
    """The object whose icon stands for `thing`; None for a universe, a galaxy, and what is in none of them."""
    if holds_icons(thing):
        return None
    inner = thing
    for outer in universe.ancestors(thing.id):
        if holds_icons(outer):
            return inner
        inner = outer
    return None


def boards(universe: Universe) -> list[Board]:
    """Every galaxy that has icons, by rising id."""
    members: dict[int, list[SpaceObject]] = defaultdict(list)
    for thing in universe.where(lambda thing: not holds_icons(thing)):
        icon = icon_of(universe, thing)
        if icon is not None:
            members[icon.id].append(thing)
    holders: dict[int, list[Icon]] = defaultdict(list)
    for number in sorted(members):
        holders[universe.objects[number].parent].append(_icon(universe.objects[number], members[number]))
    return [Board(universe.objects[number], tuple(holders[number])) for number in sorted(holders)]


def _icon(system: SpaceObject, members: list[SpaceObject]) -> Icon:
    owners = sorted({thing.owner for thing in members} - {NOBODY})
    amounts: dict[int, int] = defaultdict(int)
    slices: dict[int, int] = defaultdict(int)
    for thing in members:
        for resource, amount in thing.resources.items():
            if amount.total:
                amounts[resource] += amount.total
                if thing.parent == system.id:
                    slices[resource] += amount.total
    return Icon(system, tuple(owners), dict(amounts), tuple(_by_size(slices)))


def _by_size(amounts: dict[int, int]) -> list[tuple[int, int]]:
    return sorted(amounts.items(), key=lambda row: (-row[1], row[0]))
