"""What the numbers of an object mean, and what tells the ground of places apart, in the words that the server sends.

The description of a named number may list what its values stand for (TP04, ObjectDesc): "0 soil, 1 grass, 2 rock", or
"1 if the star is destroyed". So clients need not know any game to say "soil".
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from .objects import SpaceObject
from .universe import Universe

YES, NO = "yes", "no"

MOST_GROUNDS = 7
"""So many kinds of ground are told apart; a number that has more values is no ground."""

_LISTED = re.compile(r"\s*(?:or )?(\d{1,10}) (?:is |= ?|means |for )?(?:the )?(?!and )(.+?)\s*")


@dataclass(frozen=True, slots=True)
class Ground:
    """The ground of a place: `rank` counts the kinds of ground from 0, the commonest first."""

    rank: int
    words: str


@lru_cache(maxsize=1000)
def meanings_in(description: str) -> Mapping[int, str]:
    """What a description says that each value means; the first of a value counts.

    Of "0 soil, 1 grass; below 0" 1 is "grass"; of "1 if the star is destroyed" 1 is "yes" and 0 "no".
    """
    if re.match(r"1 if\b", description):
        return {1: YES, 0: NO}
    found: dict[int, str] = {}
    for part in re.split("[,;]", description):
        listed = _LISTED.fullmatch(part)
        if listed:
            found.setdefault(int(listed[1]), listed[2])
    return found


def meaning_of(universe: Universe, thing: SpaceObject, group: str, name: str) -> str:
    """What the number of this name means for an object; nothing if its description does not tell."""
    description = universe.object_descriptions.get(thing.role)
    told = next(
        (
            parameter.description
            for one in (description.property_groups if description is not None else ())
            if one.name == group
            for parameter in one.parameters
            if parameter.name == name
        ),
        "",
    )
    return meanings_in(told).get(thing.numbers.get((group, name), -1), "")


def grounds_of(universe: Universe, systems: Iterable[SpaceObject]) -> dict[int, Ground]:
    """The ground of each star system by its id: what the first of their numbers says that has few values, but several.

    Systems that have no such number are left out, and if no number is such, all are.
    """
    known = list(systems)
    for key in dict.fromkeys(key for thing in known for key in thing.numbers):
        having = [thing for thing in known if key in thing.numbers]
        values = Counter(thing.numbers[key] for thing in having)
        if 1 < len(values) <= MOST_GROUNDS:
            ranks = {value: rank for rank, value in enumerate(sorted(values, key=lambda one: (-values[one], one)))}
            return {thing.id: Ground(ranks[thing.numbers[key]], _words(universe, thing, *key)) for thing in having}
    return {}


def _words(universe: Universe, thing: SpaceObject, group: str, name: str) -> str:
    meaning = meaning_of(universe, thing, group, name)
    if meaning in (YES, NO):
        return f"{name}: {meaning}"
    return meaning or f"{name} {thing.numbers[group, name]}"
