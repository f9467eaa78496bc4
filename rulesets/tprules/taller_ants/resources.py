"""The resources."""

from __future__ import annotations

from tprules.kit.words import fact, resource

HIT_POINT, MOVE_POINT, FOOD, WEB, WEB_POINT, BLACK_ANT, RED_ANT, COCOONED_ANT, CAPTIVE = range(1, 10)
SPIDER_EGG, FED_EGG, ANT_EGG, FUNGUS, WARD, EXCAVATED, HOLE, BRIDGE, SPIDER, HOME_PLANET = range(10, 20)

RESOURCES = (
    resource(HIT_POINT, "Hit Point", "A spider or queen without one is dead"),
    resource(MOVE_POINT, "Move Point", "What a unit can still do in this phase"),
    resource(FOOD, "Food Point", "Colonies store it below", "food|food"),
    resource(WEB, "Web", "Spiders walk faster on it, ants slower"),
    resource(WEB_POINT, "Web Point", "Ants collect webs; a queen makes eggs of them"),
    resource(BLACK_ANT, "Black Ant", "Moves and digs twice as much as a red one"),
    resource(RED_ANT, "Red Ant", "Counts twice in battle"),
    resource(COCOONED_ANT, "Cocooned Ant", "Food for spiders, eggs and ants"),
    resource(CAPTIVE, "Captive", "A living ant that a spider carries"),
    resource(SPIDER_EGG, "Spider Egg", "Hatches after it has been fed an ant"),
    resource(FED_EGG, "Fed Egg", "Hatches at the beginning of the spider's next phase"),
    resource(ANT_EGG, "Ant Egg", "Hatches by itself"),
    resource(FUNGUS, "Fungus|Fungus", "Ants harvest it, spiders die of it", "square|squares of fungus"),
    resource(WARD, "Ward", "Fungus that ants made; it neither grows nor feeds"),
    resource(EXCAVATED, "Excavated Square", "Where ants can be, and store food"),
    resource(HOLE, "Ant Hole", "The way between above and below, unless a web covers it"),
    resource(BRIDGE, "Bridge Square", "Water that a group of ants bridges"),
    resource(SPIDER, "Spider", "Living spiders"),
    fact(HOME_PLANET, "Home Planet", "Where a player's goals are shown", "home"),
)
