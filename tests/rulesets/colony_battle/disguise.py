"""Colony Battle worlds with other secrets, for the conformance check."""

from __future__ import annotations

import json

from tprules.api import Dice, canonical
from tprules.colony_battle import RULESET
from tprules.colony_battle.world import NO_KIND, NOBODY, NOWHERE, World


def disguise(world: World, seat: int | None, dice: Dice) -> World:
    """Return the world with other secrets, which the seat cannot see.

    These are other kinds of unknown items, other goals of spiders, other bites in this turn, and for the other player
    other broods and another age of the trail.
    """
    other = RULESET.load(json.loads(canonical(RULESET.dump(world))), RULESET.version)
    unknown = [item for item in other.items.values() if item.hand == NOBODY] if other.settings.items_hidden else []
    for item, kind in zip(unknown, dice.shuffled([item.kind for item in unknown]), strict=True):
        item.kind = kind
    for spider in other.spiders.values():
        if spider.goal != NOWHERE:
            spider.goal = dice.below(other.layout.area)
    for number, colony in enumerate(other.colonies):
        if number != seat:
            colony.brood = 1 + dice.below(3) if colony.locked else dice.pick((NO_KIND, 1, 2, 3))
            colony.trail = {square: dice.below(9) for square in dice.shuffled(sorted(colony.trail))}
    other.bitten = [(spider, colony.queen) for spider in other.spiders for colony in other.colonies if dice.below(2)]
    return other
