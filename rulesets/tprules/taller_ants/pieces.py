"""How clients are told about the pieces: resources, designs (RULES.md, section 7)."""

from __future__ import annotations

from tprules.api import Catalogue, Component, Design, DesignProperty, Resource

HIT_POINT, MOVE_POINT, FOOD, WEB, WEB_POINT, BLACK_ANT, RED_ANT, COCOONED_ANT, CAPTIVE = range(1, 10)
SPIDER_EGG, FED_EGG, ANT_EGG, FUNGUS, WARD, EXCAVATED, HOLE, BRIDGE, SPIDER, HOME_PLANET = range(10, 20)

SLOTS, SETUP_SLOTS = 16, 1
"""Maximum orders in the queue of a unit, and of an object that takes orders only in the setup (RULES.md, section 4)."""

RESOURCES = (
    Resource(HIT_POINT, "Hit Point", "Hit Points", help="A spider or queen without one is dead"),
    Resource(MOVE_POINT, "Move Point", "Move Points", help="What a unit can still do in this phase"),
    Resource(FOOD, "Food Point", "Food Points", help="Colonies store it below"),
    Resource(WEB, "Web", "Webs", help="Spiders walk faster on it, ants slower"),
    Resource(WEB_POINT, "Web Point", "Web Points", help="Ants collect webs; a queen makes eggs of them"),
    Resource(BLACK_ANT, "Black Ant", "Black Ants", help="Moves and digs twice as much as a red one"),
    Resource(RED_ANT, "Red Ant", "Red Ants", help="Counts twice in battle"),
    Resource(COCOONED_ANT, "Cocooned Ant", "Cocooned Ants", help="Food for spiders, eggs and ants"),
    Resource(CAPTIVE, "Captive", "Captives", help="A living ant that a spider carries"),
    Resource(SPIDER_EGG, "Spider Egg", "Spider Eggs", help="Hatches after it has been fed an ant"),
    Resource(FED_EGG, "Fed Egg", "Fed Eggs", help="Hatches at the beginning of the spider's next phase"),
    Resource(ANT_EGG, "Ant Egg", "Ant Eggs", help="Hatches by itself"),
    Resource(FUNGUS, "Fungus", "Fungus", help="Ants harvest it, spiders die of it"),
    Resource(WARD, "Ward", "Wards", help="Fungus that ants made; it neither grows nor feeds"),
    Resource(EXCAVATED, "Excavated Square", "Excavated Squares", help="Where ants can be, and store food"),
    Resource(HOLE, "Ant Hole", "Ant Holes", help="The way between above and below, unless a web covers it"),
    Resource(BRIDGE, "Bridge Square", "Bridge Squares", help="Water that a group of ants bridges"),
    Resource(SPIDER, "Spider", "Spiders", help="Living spiders"),
    Resource(HOME_PLANET, "Home Planet", "Home Planets", help="Where a player's goals are shown"),
)

SPIDER_DESIGN = 1
ANT_DESIGNS = (2, 3)
"""The designs of ants, by colour, as ANT_EGG_DESIGNS has those of eggs."""
QUEEN_DESIGN = 4
EGG_DESIGN, FED_EGG_DESIGN = 5, 6
ANT_EGG_DESIGNS = (7, 8)
COCOON_DESIGN = 9
FUNGUS_DESIGN = 10

_STRENGTH = 1

_NAMES = (
    (SPIDER_DESIGN, "Spider", "Builds webs and catches ants", 0),
    (ANT_DESIGNS[0], "Black Ant", "Moves and digs fast", 1),
    (ANT_DESIGNS[1], "Red Ant", "Fights well", 2),
    (QUEEN_DESIGN, "Queen", "Lays the eggs of a colony", 6),
    (EGG_DESIGN, "Spider Egg", "Hatches after it has been fed", 0),
    (FED_EGG_DESIGN, "Fed Egg", "Hatches soon", 0),
    (ANT_EGG_DESIGNS[0], "Black Ant Egg", "Becomes a black ant", 0),
    (ANT_EGG_DESIGNS[1], "Red Ant Egg", "Becomes a red ant", 0),
    (COCOON_DESIGN, "Cocooned Ant", "Food for spiders, eggs and ants", 0),
    (FUNGUS_DESIGN, "Fungus", "Grows by one square a round", 0),
)

CATALOGUE = Catalogue(
    "Creatures",
    "Spiders, ants, and what comes of them",
    designs=tuple(
        Design(number, name, text, components={number: 1}, values={_STRENGTH: str(strength)})
        for number, name, text, strength in _NAMES
    ),
    components=tuple(
        Component(number, name, text, values={_STRENGTH: f"(lambda (design) {strength})"})
        for number, name, text, strength in _NAMES
    ),
    properties=(DesignProperty(_STRENGTH, "Strength", "Strength", "What one adds to the dice of ants in battle"),),
)
