"""The designs of creatures."""

from __future__ import annotations

from tprules import api
from tprules.kit.designs import constant
from tprules.kit.words import called

SPIDER = 1
ANTS = (2, 3)
"""By colour, as ANT_EGGS."""
QUEEN = 4
EGG, FED_EGG = 5, 6
ANT_EGGS = (7, 8)
COCOON = 9
FUNGUS = 10

_STRENGTH = 1

_ROWS = (
    (SPIDER, "Spider", "Builds webs and catches ants", 0),
    (ANTS[0], "Black Ant", "Moves and digs fast", 1),
    (ANTS[1], "Red Ant", "Fights well", 2),
    (QUEEN, "Queen", "Lays the eggs of a colony", 6),
    (EGG, "Spider Egg", "Hatches after it has been fed", 0),
    (FED_EGG, "Fed Egg", "Hatches soon", 0),
    (ANT_EGGS[0], "Black Ant Egg", "Becomes a black ant", 0),
    (ANT_EGGS[1], "Red Ant Egg", "Becomes a red ant", 0),
    (COCOON, "Cocooned Ant", "Food for spiders, eggs and ants", 0),
    (FUNGUS, "Fungus", "Grows by one square a round", 0),
)
"""Design, name, what it does, strength."""


def _design(number: int, name: str, text: str, strength: int) -> api.Design:
    look = called("square of fungus", "squares of fungus") if number == FUNGUS else called(name.lower())
    return api.Design(number, name, text, {number: 1}, {_STRENGTH: str(strength)}, look)


CATALOGUE = api.Catalogue(
    "Creatures",
    "Spiders, ants, and what comes of them",
    designs=tuple(_design(*row) for row in _ROWS),
    components=tuple(
        api.Component(number, name, text, values={_STRENGTH: constant(strength)})
        for number, name, text, strength in _ROWS
    ),
    properties=(api.DesignProperty(_STRENGTH, "Strength", "Strength", "What one adds to the dice of ants in battle"),),
)
