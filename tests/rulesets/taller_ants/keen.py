"""A policy that seeks what makes the game: webs, captives and eggs for spiders, food, fights and eggs for ants."""

from __future__ import annotations

from typing import Any

from tprules.api import Dice, Order, Plan, Ruleset

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
"""How much each type is liked; others count 1."""


def keen_policy(rules: Ruleset[Any], plan: Plan[Any], dice: Dice) -> Order | None:
    """Choose among the types that are possible, the liked ones more often; at most a dozen orders in a turn."""
    moves = list(rules.legal_orders(plan))
    if not moves or len(plan.before) >= 12:
        return None
    types = sorted({order.type for order in moves})
    ticket = dice.below(sum(LIKED.get(name, 1) for name in types))
    for name in types:
        ticket -= LIKED.get(name, 1)
        if ticket < 0:
            return dice.pick([order for order in moves if order.type == name])
    raise AssertionError("the dice went beyond the types")
