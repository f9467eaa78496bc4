"""The resources."""

from __future__ import annotations

from tprules.colony_battle.world import SPAWNED, STATS
from tprules.kit.words import fact, resource

HIT_POINTS, STEPS, WEBS, RED_TRAIL, BLUE_TRAIL, EXCAVATION, OPEN, KILLS, CARRIED, IN_HAND, BROOD = range(1, 12)
ALIVE = (12, 13, 14, 15)
"""By kind: the resource that counts the living units."""
CAUGHT, HOME_PLANET = 16, 17

TRAILS = (RED_TRAIL, BLUE_TRAIL)

RESOURCES = (
    resource(HIT_POINTS, "Hit Point", "What a unit has left; obtainable: what it has lost", unit="HP|HP"),
    resource(STEPS, "Step", "Steps a turn, without the one for a chemical trail", "step|steps a turn", "step"),
    resource(WEBS, "Web", "A square under a spider's web; of a spider: the radius of its web", "square|squares of web"),
    fact(RED_TRAIL, "Red Trail", "The chemical trail of the first player's drones"),
    fact(BLUE_TRAIL, "Blue Trail", "The chemical trail of the second player's drones"),
    resource(EXCAVATION, "Excavation Turn|Turns left", "Until the site opens", "round|rounds of digging left", "round"),
    fact(OPEN, "Open|Open", "1 when the site is open", "open"),
    resource(KILLS, "Kill|Kills left", "After so many the antlion dies as well", unit="kill"),
    resource(CARRIED, "Carried Item", "Items that a worker carries", unit="item"),
    resource(IN_HAND, "Item|Items in hand", "Items that can be placed", unit="item"),
    resource(BROOD, "Brood Turn", "Turns for which the queen stays locked", "turn|turns of the brood left", "turn"),
    *(resource(ALIVE[kind], STATS[kind].name, "Alive; not obtainable yet: up to the limit") for kind in SPAWNED),
    fact(CAUGHT, "Caught|Caught", "1 if the unit is caught in a web", "caught in a web"),
    fact(HOME_PLANET, "Home Planet", "Where a colony keeps its items", "home"),
)
