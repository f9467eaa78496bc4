"""Colony Battle worlds with other secrets, for the conformance check."""

from __future__ import annotations

import json

from tprules.api import Dice, canonical
from tprules.colony_battle import RULESET
from tprules.colony_battle.world import NOBODY, NOWHERE, World


def disguise(world: World, seat: int | None, dice: Dice) -> World:
    """Return the world with the kinds of unknown items dealt anew, other goals of spiders, and other broods of the
    other player: nobody sees any of that."""
    other = RULESET.load(json.loads(canonical(RULESET.dump(world))), RULESET.version)
    unknown = [item for item in other.items.values() if item.hand == NOBODY] if other.settings.items_hidden else []
    for item, kind in zip(unknown, dice.shuffled([item.kind for item in unknown]), strict=True):
        item.kind = kind
    for spider in other.spiders.values():
        if spider.goal != NOWHERE:
            spider.goal = dice.below(other.layout.area)
    for number, colony in enumerate(other.colonies):
        if number != seat and colony.locked:
            colony.brood = 1 + dice.below(3)
    return other
