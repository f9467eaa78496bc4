"""The designs of animals."""

from __future__ import annotations

from tprules import api
from tprules.colony_battle import world as worlds
from tprules.colony_battle.world import STATS
from tprules.kit.designs import alone, constant, counted
from tprules.kit.words import called

UNKNOWN_ITEM, WORM, SEGMENT, SPIDER = 8, 9, 10, 11
"""The designs of units and of known items have the number of the kind plus 1."""


def design(kind: int) -> int:
    """Return the design of a unit, or of an item whose kind is known."""
    return kind + 1


_HIT_POINTS, _STEPS = 1, 2

_DESCRIBED = {
    worlds.WORKER: "Excavates, and carries items",
    worlds.SOLDIER: "Fights",
    worlds.DRONE: "Leaves a trail that speeds up its colony",
    worlds.YOUNG_QUEEN: "Can be sacrificed to convert an enemy unit beside her",
    worlds.QUEEN: "Spawns all others; the colony lives as long as she does",
    worlds.ANTLION: "Destroys enemy ants that come near",
    worlds.TERMITE: "Hurts everything around when it dies",
}

_ANIMALS = (
    *(
        (design(kind), STATS[kind].name, text, STATS[kind].hit_points, STATS[kind].steps)
        for kind, text in _DESCRIBED.items()
    ),
    (UNKNOWN_ITEM, "Unknown Item", "Either an antlion or a termite bomb", 0, 0),
    (WORM, "Earthworm", "Crawls on whatever comes, and crushes what is in its way", 0, 1),
    (SEGMENT, "Worm Segment", "Can be eaten through", 1, 0),
    (SPIDER, "Spider", "Invincible; comes for whatever trips its web", 0, 6),
)
"""Design, name, what it does, hit points and steps."""


def _animal(number: int, name: str, text: str, hit_points: int, steps: int) -> api.Design:
    values = {_HIT_POINTS: f"{hit_points} HP", _STEPS: f"{steps} steps"}
    return api.Design(number, name, text, {number: 1}, values, called(name.lower()))


def _body(number: int, name: str, text: str, hit_points: int, steps: int) -> api.Component:
    values = {_HIT_POINTS: constant(hit_points), _STEPS: constant(steps)}
    return api.Component(number, f"{name} Body", text, alone("A body is all there is to an animal"), values)


CATALOGUE = api.Catalogue(
    "Animals",
    "Ants, what they find, and what crawls about",
    designs=tuple(_animal(*row) for row in _ANIMALS),
    components=tuple(_body(*row) for row in _ANIMALS),
    properties=(
        api.DesignProperty(_HIT_POINTS, "HitPoints", "Hit Points", "What it can bear", 0, counted("HP")),
        api.DesignProperty(_STEPS, "Steps", "Steps", "How far it goes in a turn", 0, counted("steps")),
    ),
)
