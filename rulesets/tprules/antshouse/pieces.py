"""The three weapons, the gestures, and how clients are told about the pieces (RULES.md, sections 2 and 7)."""

from __future__ import annotations

from tprules.api import Amount, Catalogue, Component, Design, DesignProperty, Resource

CONE, WATER, GLASS = WEAPONS = (1, 2, 3)
"""The number of a weapon is its size, from small to large, and also the number of its resource (R22)."""

WEAPON_NAMES = ("", "pine cone", "water", "magnifying glass")

ON_THE_PAD = (0, 5, 4, 4)
"""Pyramids on the pad at the start, by weapon: five of each size, without a medium one, which is the ant, and a large
one, which is the direction piece (R2)."""

NO_PREFERENCE, ROCK, PAPER, SCISSORS = GESTURES = range(4)
GESTURE_NAMES = ("no preference", "rock", "paper", "scissors")

CONES, WATERS, GLASSES, GOAL_DISTANCE, TURNED, HOME, DEATHS, HITS, HOME_PLANET = range(1, 10)

RESOURCES = (
    Resource(CONES, "Pine Cone", "Pine Cones", help="On a pad: ready; on a square: no ant may enter"),
    Resource(WATERS, "Water", "Waters", help="On a pad: ready; not obtainable: used up"),
    Resource(GLASSES, "Magnifying Glass", "Magnifying Glasses", help="On a pad: ready; not obtainable: used up"),
    Resource(GOAL_DISTANCE, "Goal Distance", "Goal Distance", "step", "steps", "From the ant to where it goes"),
    Resource(TURNED, "Turned", "Turned", "ant", "ants", "An ant that has been on the far side and goes home"),
    Resource(HOME, "Home", "Home", "seats", "seats", "Whose home the square is: 1, 2, 4 and 8 for the four seats"),
    Resource(DEATHS, "Death", "Deaths", "ant", "ants", "Ants lost"),
    Resource(HITS, "Hit", "Hits", "throw", "throws", "Something was thrown here in the last round"),
    Resource(HOME_PLANET, "Home Planet", "Home Planets", help="Where a player's pad is"),
)

HOME_PLANET_AMOUNT = Amount(HOME_PLANET, 1)

ANT, PINE_CONE = 1, 2
"""Designs.  An ant is a medium pyramid on its side, so that it differs from water (R36)."""

_SIZE = 1
_SIZES = ("None", "small", "medium", "large")
_NAMED = " ".join(f'((= n {size}) "{_SIZES[size]}")' for size in WEAPONS)
_SHOWN = f'(lambda (design bits) (let ((n (apply + bits))) (cons n (cond {_NAMED} (else "None")))))'
_ALONE = (
    '(lambda (design) (if (= (designType._num-components design) 1) (cons #t "") (cons #f "A piece is one pyramid")))'
)

CATALOGUE = Catalogue(
    "Pyramids",
    "The pieces on the pavement",
    designs=(
        Design(ANT, "Ant", "A medium pyramid that lies on its side", {ANT: 1}, {_SIZE: "medium"}),
        Design(PINE_CONE, "PineCone", "A small pyramid that stands", {PINE_CONE: 1}, {_SIZE: "small"}),
    ),
    components=(
        Component(ANT, "LyingPyramid", "What an ant is made of", _ALONE, {_SIZE: "(lambda (design) 2)"}),
        Component(PINE_CONE, "SmallPyramid", "What a pine cone is made of", _ALONE, {_SIZE: "(lambda (design) 1)"}),
    ),
    properties=(DesignProperty(_SIZE, "Size", "Size", "How large the pyramid is", 0, _SHOWN),),
)
