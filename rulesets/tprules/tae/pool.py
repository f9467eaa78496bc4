"""The pool of colonists that players draw from."""

from __future__ import annotations

from tprules.api import Dice


def drawn(pool: list[int], dice: Dice) -> int:
    """Remove one colonist from the pool and return its type; every ship left is equally likely (R6).

    ``pool`` has the number of ships left of each type, and at least one in all.
    """
    ticket = dice.below(sum(pool))
    for kind, left in enumerate(pool):
        if ticket < left:
            pool[kind] -= 1
            return kind
        ticket -= left
    raise AssertionError("the dice went beyond the pool")
