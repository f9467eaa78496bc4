"""Why an order is refused, each reason with its code and its sentence (RULES.md, section 4)."""

from __future__ import annotations

from tprules.api import Code, Refusal

REASONS: dict[str, tuple[Code, str]] = {
    "gone": (Code.GONE, "object {id} is not there any more"),
    "nosuch": (Code.NO_SUCH_THING, "there is no object {id}"),
    "notsquare": (Code.FRAME, "object {id} is not a square; name a star system of a board, or a site"),
    "notitem": (Code.FRAME, "object {id} is not an item"),
    "nottarget": (Code.FRAME, "object {id} is neither a unit nor a segment of a worm"),
    "notunit": (Code.FRAME, "object {id} is not a unit that can be converted"),
    "queen": (Code.FRAME, "queens cannot be converted"),
    "here": (Code.UNAVAILABLE_PERMANENTLY, "the unit is at {place} already"),
    "own": (Code.UNAVAILABLE_PERMANENTLY, "object {id} is your own"),
    "invincible": (Code.UNAVAILABLE_PERMANENTLY, "nothing can hurt {what}"),
    "nothand": (Code.UNAVAILABLE_TEMPORARILY, "you have no item to place now"),
    "placing": (Code.UNAVAILABLE_TEMPORARILY, "items are placed when their owner is asked to, right after delivery"),
    "shaft": (
        Code.UNAVAILABLE_PERMANENTLY,
        "{place} is an entrance, a landing or the throne; no antlion may stand there",
    ),
    "apart": (Code.UNAVAILABLE_PERMANENTLY, "a termite bomb must be put beside the queen, and {place} is not"),
    "taken": (Code.UNAVAILABLE_TEMPORARILY, "{place} is not free now"),
}


def refusal(reason: str, param: str = "", **details: str | int) -> Refusal:
    """Return the refusal for a reason."""
    code, text = REASONS[reason]
    return Refusal(code, reason, text.format(**details), param)
