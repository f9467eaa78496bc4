"""TaE worlds with other secrets that one seat cannot tell apart.

See section 5 of the rule page.
"""

from __future__ import annotations

from tprules.api import Dice, Seat
from tprules.tae.world import World


def disguise(world: World, seat: Seat | None, dice: Dice) -> World:
    """Return the world with other types in the others' hands, other scores of theirs and another mix of the pool."""
    for number, player in enumerate(world.players):
        if number != seat:
            player.colonists = {ship: dice.below(4) for ship in player.colonists}
            player.scores = [score + dice.below(3) for score in player.scores]
            player.artifacts += dice.below(3)
    left = sum(world.pool)
    merchants = dice.below(left + 1)
    world.pool = [merchants, 0, left - merchants, 0]
    return world
