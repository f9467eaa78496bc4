"""Units with their strengths, creatures, and how clients are told about them (RULES.md, sections 2 and 7)."""

from __future__ import annotations

from typing import NamedTuple

from tprules.api import Catalogue, Component, Design, DesignProperty, Resource

WORKER, SOLDIER, DRONE, YOUNG_QUEEN, QUEEN, ANTLION, TERMITE = UNITS = range(7)
"""Kinds of unit.  The first four are spawned, the first five are ants, the last two come from items."""

SPAWNED = (WORKER, SOLDIER, DRONE, YOUNG_QUEEN)
ITEMS = (ANTLION, TERMITE)


class Stats(NamedTuple):
    """The name and strengths of a kind of unit."""

    name: str
    kind: str
    """The kind of object."""
    hit_points: int
    """0 for a unit without hit points (R38)."""
    steps: int


STATS = (
    Stats("Worker", "worker", 1, 3),
    Stats("Soldier", "soldier", 3, 2),
    Stats("Drone", "drone", 1, 3),
    Stats("Young Queen", "young queen", 1, 5),
    Stats("Queen", "queen", 10, 1),
    Stats("Antlion", "antlion", 0, 0),
    Stats("Termite Bomb", "termite bomb", 1, 2),
)

HIT_POINTS, STEPS, WEBS, RED_TRAIL, BLUE_TRAIL, EXCAVATION, OPEN, KILLS, CARRIED, IN_HAND, BROOD = range(1, 12)
ALIVE = (12, 13, 14, 15)
"""By kind: the resource that counts the living units."""
CAUGHT, HOME_PLANET = 16, 17

RESOURCES = (
    Resource(HIT_POINTS, "Hit Point", "Hit Points", "HP", "HP", "What a unit has left; obtainable: what it has lost"),
    Resource(STEPS, "Step", "Steps", "step", "steps", "Steps a turn, without the one for a chemical trail"),
    Resource(WEBS, "Web", "Webs", help="A square under a spider's web; of a spider: the radius of its web"),
    Resource(RED_TRAIL, "Red Trail", "Red Trails", help="The chemical trail of the first player's drones"),
    Resource(BLUE_TRAIL, "Blue Trail", "Blue Trails", help="The chemical trail of the second player's drones"),
    Resource(EXCAVATION, "Excavation Turn left", "Excavation Turns left", "round", "rounds", "Until the site opens"),
    Resource(OPEN, "Open", "Open", help="1 when the site is open"),
    Resource(KILLS, "Kill left", "Kills left", "kill", "kills", "After so many the antlion dies as well"),
    Resource(CARRIED, "Carried Item", "Carried Items", "item", "items", "Items that a worker carries"),
    Resource(IN_HAND, "Item in hand", "Items in hand", "item", "items", "Items that can be placed"),
    Resource(BROOD, "Brood Turn", "Brood Turns", "turn", "turns", "Turns for which the queen stays locked"),
    *(
        Resource(
            ALIVE[kind], STATS[kind].name, f"{STATS[kind].name}s", help="Alive; not obtainable yet: up to the limit"
        )
        for kind in SPAWNED
    ),
    Resource(CAUGHT, "Caught", "Caught", help="1 if the unit is caught in a web"),
    Resource(HOME_PLANET, "Home Planet", "Home Planets", help="Where a colony keeps its items"),
)

TRAILS = (RED_TRAIL, BLUE_TRAIL)

UNKNOWN_ITEM, WORM, SEGMENT, SPIDER = 8, 9, 10, 11
"""Designs.  The designs of units and of known items have the number of the kind plus 1."""


def design(kind: int) -> int:
    """Return the design of a unit, or of an item whose kind is known."""
    return kind + 1


_HIT_POINTS, _STEPS = 1, 2

_DESCRIBED = {
    WORKER: "Excavates, and carries items",
    SOLDIER: "Fights",
    DRONE: "Leaves a trail that speeds up its colony",
    YOUNG_QUEEN: "Can be sacrificed to convert an enemy unit beside her",
    QUEEN: "Spawns all others; the colony lives as long as she does",
    ANTLION: "Destroys enemy ants that come near",
    TERMITE: "Hurts everything around when it dies",
}


def _unit(kind: int) -> Design:
    stats = STATS[kind]
    values = {_HIT_POINTS: f"{stats.hit_points} HP", _STEPS: f"{stats.steps} steps"}
    return Design(design(kind), stats.name, _DESCRIBED[kind], {design(kind): 1}, values)


_ALONE = (
    "(lambda (design) (if (= (designType._num-components design) 1)"
    ' (cons #t "") (cons #f "A body is all there is to an animal")))'
)


def _body(number: int, name: str, text: str, hit_points: int, steps: int) -> Component:
    values = {_HIT_POINTS: f"(lambda (design) {hit_points})", _STEPS: f"(lambda (design) {steps})"}
    return Component(number, f"{name} Body", text, _ALONE, values)


def _shown(unit: str) -> str:
    return f'(lambda (design bits) (let ((n (apply + bits))) (cons n (string-append (number->string n) " {unit}"))))'


_OTHERS = (
    (UNKNOWN_ITEM, "Unknown Item", "Either an antlion or a termite bomb", 0, 0),
    (WORM, "Earthworm", "Crawls on whatever comes, and crushes what is in its way", 0, 1),
    (SEGMENT, "Worm Segment", "Can be eaten through", 1, 0),
    (SPIDER, "Spider", "Invincible; comes for whatever trips its web", 0, 6),
)

CATALOGUE = Catalogue(
    "Animals",
    "Ants, what they find, and what crawls about",
    designs=(
        *(_unit(kind) for kind in UNITS),
        *(
            Design(number, name, text, {number: 1}, {_HIT_POINTS: f"{hit_points} HP", _STEPS: f"{steps} steps"})
            for number, name, text, hit_points, steps in _OTHERS
        ),
    ),
    components=(
        *(_body(design(k), STATS[k].name, _DESCRIBED[k], STATS[k].hit_points, STATS[k].steps) for k in UNITS),
        *(_body(*other) for other in _OTHERS),
    ),
    properties=(
        DesignProperty(_HIT_POINTS, "HitPoints", "Hit Points", "What it can bear", 0, _shown("HP")),
        DesignProperty(_STEPS, "Steps", "Steps", "How far it goes in a turn", 0, _shown("steps")),
    ),
)
