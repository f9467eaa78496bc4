"""Regions and their numbers (R23, R24)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tprules.kit.grid import Neighbours, Square, groups


def numbered(
    occupied: Iterable[Square], neighbours: Neighbours, old: Mapping[Square, int], last: int
) -> tuple[dict[Square, int], int]:
    """Return the region of every occupied system, and the highest number that was given.

    ``old`` has the regions before, ``last`` the highest number given before.  The part with the lowest surviving system
    of an old region is its heir.  A region takes the lowest number to which it is heir, or else the next unused one.
    """
    parts = groups(occupied, neighbours)
    part_of = {square: index for index, part in enumerate(parts) for square in part}
    heirs: dict[int, int] = {}
    for square in sorted(part_of):
        number = old.get(square)
        if number is not None:
            heirs.setdefault(number, part_of[square])
    numbers: dict[int, int] = {}
    for number, index in heirs.items():
        numbers[index] = min(number, numbers.get(index, number))
    regions = {}
    for index, part in enumerate(parts):
        number = numbers.get(index)
        if number is None:
            last += 1
            number = last
        for square in part:
            regions[square] = number
    return regions, last
