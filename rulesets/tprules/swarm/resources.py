"""The resources."""

from __future__ import annotations

from tprules.kit.words import fact, resource

ON_BOARD, IN_SUPPLY, DIE, STEPS, TO_PLACE, DOUBLES, CAPTURES, RED, BLUE, LEAVES, HOME = range(1, 12)

RESOURCES = (
    resource(ON_BOARD, "cube|cubes on board", "Obtainable: those in the supply", "cube|cubes on the board", "cube"),
    resource(IN_SUPPLY, "cube|cubes in supply", "Cubes that can come to the board", "cube|cubes in the supply", "cube"),
    resource(DIE, "die|dice", "What the die showed that decided the last movement", "pip|pips on the die", "pip"),
    resource(
        STEPS, "movement|movement", "Steps of this turn; not obtainable: those that lapse", "step|steps to make", "step"
    ),
    resource(TO_PLACE, "cube|cubes to place", "Placements to come after this roll", unit="cube"),
    resource(DOUBLES, "double cube", "Placed for doubles in this round", "cube|cubes placed for doubles", "cube"),
    resource(CAPTURES, "capture", "Enemy cubes turned into own ones", "captured cube", "cube"),
    resource(RED, "red cube", "A cube of the player whose edge is in the south", unit="cube"),
    resource(BLUE, "blue cube", "A cube of the player whose edge is in the north", unit="cube"),
    fact(LEAVES, "must leave|leave", "1 while your orders end where the cube began (R16)", "must leave", "cube"),
    fact(HOME, "Home Planet", "Where a player's orders are given", "home"),
)
