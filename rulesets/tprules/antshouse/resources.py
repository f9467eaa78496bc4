"""The resources (RULES.md, section 7)."""

from __future__ import annotations

from tprules.kit.words import fact, resource

CONES, WATERS, GLASSES, TO_GOAL, TURNED, HOME, DEATHS, HITS, HOME_PLANET = range(1, 10)

RESOURCES = (
    resource(CONES, "Pine Cone", "On a pad: ready; on a square: no ant may enter"),
    resource(WATERS, "Water", "On a pad: ready; not obtainable: used up"),
    resource(GLASSES, "Magnifying Glass|Glasses", "On a pad: ready; not obtainable: used up"),
    resource(TO_GOAL, "Goal Distance|Distance", "From the ant to where it goes", "step|steps to the goal", "step"),
    fact(TURNED, "Turned|Turned", "An ant that has been on the far side and goes home", "has turned", "ant"),
    fact(HOME, "Home|Home", "Whether the square is a home of any player; the regions say whose", "home row", "square"),
    resource(DEATHS, "Death", "Ants lost", "ant|ants lost", "ant"),
    fact(HITS, "Hit", "Something was thrown here in the last round", "hit in the last round", "throw"),
    fact(HOME_PLANET, "Home Planet", "Where a player's pad is", "pad"),
)
