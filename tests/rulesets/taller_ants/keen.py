"""A bot that seeks the typical events of the game.

Spiders go for webs, captives and eggs. Ants go for food, fights and eggs.
"""

from __future__ import annotations

from tprules.api import BotTurn
from tprules.taller_ants.world import World

LIKED = {
    "Cocoon": 30,
    "Feed Egg": 25,
    "Wrap": 15,
    "Attack": 20,
    "Build Web": 12,
    "Span Web": 4,
    "Heal": 3,
    "Lay Eggs": 4,
    "Collect Web": 20,
    "Harvest": 30,
    "Group Attack": 15,
    "Bridge": 6,
    "Unbridge": 3,
    "Lay": 12,
    "Feed Queen": 8,
    "Raise Queen": 30,
    "Excavate": 6,
    "Drop": 5,
    "Pick Up": 5,
    "Ward": 3,
    "Merge": 4,
    "Move": 12,
}
"""Weight of each type, in the choice of the bot. Others count 1."""


MOST_ORDERS = 12
"""Orders in a turn."""


def keen_bot(turn: BotTurn[World]) -> None:
    """Choose among the types that are possible, the liked ones more often."""
    while len(turn.plan.before) < MOST_ORDERS:
        legal = turn.legal_orders()
        if not legal:
            return
        types = sorted({order.type for order in legal})
        ticket = turn.dice.below(sum(LIKED.get(name, 1) for name in types))
        for name in types:
            ticket -= LIKED.get(name, 1)
            if ticket < 0:
                break
        if turn.give(turn.dice.pick([order for order in legal if order.type == name])) is not None:
            return
