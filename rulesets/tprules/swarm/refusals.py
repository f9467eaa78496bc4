"""Why an order is refused (RULES.md, section 4): seven classes, each with a code; texts begin with the class name."""

from __future__ import annotations

from tprules.api import Code, Refusal

BAD_ORDER = (Code.FRAME, "BadOrder")
NOT_HERE = (Code.UNAVAILABLE_PERMANENTLY, "NotHere")
NOT_YOURS = (Code.PERMISSION_DENIED, "NotYours")
NO_SUCH_THING = (Code.NO_SUCH_THING, "NoSuchThing")
GAME_OVER = (Code.UNAVAILABLE_PERMANENTLY, "GameOver")
WRONG_PHASE = (Code.UNAVAILABLE_TEMPORARILY, "WrongPhase")
ILLEGAL = (Code.UNAVAILABLE_TEMPORARILY, "Illegal")

COMMON = {
    "form": BAD_ORDER,
    "kind": NOT_HERE,
    "owner": NOT_YOURS,
    "nosuch": NO_SUCH_THING,
    "over": GAME_OVER,
    "phase": WRONG_PHASE,
    "active": WRONG_PHASE,
    "slot": NO_SUCH_THING,
    "full": ILLEGAL,
}
"""The classes of the common refusals."""

PLACING = "already placing"
NOT_EDGE = "not your edge"
OCCUPIED = "occupied"
USED = "all movement already used"
NO_CUBE = "no cube of yours there"
NOT_ADJACENT = "not adjacent"
WON = "the game is won by then"
RETURNS = "would end on its start tile"
NO_COMPLETION = "no legal completion"
BROKEN = "an order before it is not possible any more"


def refusal(kind: tuple[Code, str], text: str, param: str = "") -> Refusal:
    """Return a refusal of this class."""
    code, name = kind
    return Refusal(code, name, f"{name}: {text}", param)
