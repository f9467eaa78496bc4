"""Why an order is refused, or fails when it is executed (RULES.md, section 4)."""

from __future__ import annotations

from tprules.api import Code, Refusal

_TOO_LATE, _NOT_NOW = Code.UNAVAILABLE_PERMANENTLY, Code.UNAVAILABLE_TEMPORARILY

ORDER_REASONS: dict[str, tuple[Code, str]] = {
    "off": (_TOO_LATE, "exchanging colonists is switched off in this game"),
    "nosuch": (Code.NO_SUCH_THING, "there is no object {id}"),
    "notsystem": (Code.FRAME, "object {id} is not a star system; name one of the board"),
    "offboard": (_TOO_LATE, "a home system is not on the board; only leaders go there, and only to their own"),
    "choice": (Code.FRAME, "name each ship once"),
    "owner": (Code.PERMISSION_DENIED, "object {id} is not yours to command"),
    "side": (Code.PERMISSION_DENIED, "you are not a side of this combat"),
    "kind": (_TOO_LATE, "{what}"),
    "busy": (_NOT_NOW, "object {id} has its order for this turn already; remove that first"),
    "actions": (_NOT_NOW, "you have used all actions of this turn; at most {most} orders are allowed"),
    "target": (_NOT_NOW, "you have an order for {place} already; only one a turn is allowed for a system"),
}

BOARD_REASONS: dict[str, tuple[Code, str]] = {
    "pool": (_NOT_NOW, "the pool has fewer colonists left than you want to exchange"),
    "home": (_NOT_NOW, "the leader is at home"),
    "destroyed": (_TOO_LATE, "{place} is destroyed"),
    "leader": (_NOT_NOW, "a leader is at {place}"),
    "artifact": (_TOO_LATE, "the alien artifact at {place} must not be destroyed"),
    "colony": (_NOT_NOW, "a colony is at {place}"),
    "ground": (
        _TOO_LATE,
        "{place} has the wrong ground; mining robots need an uninhabitable system, all others an inhabitable one",
    ),
    "science": (_NOT_NOW, "{place} borders no scientist colony, and a leader needs one"),
    "joins": (_NOT_NOW, "a leader at {place} would join two or more regions; only a colony may"),
    "contested": (
        _NOT_NOW,
        "leaders are contesting the area of {place}; nothing can change there until combat is over",
    ),
}

_ALL = ORDER_REASONS | BOARD_REASONS


def sentence(reason: str, **details: str | int) -> str:
    """Return a reason as a sentence for the player."""
    return _ALL[reason][1].format(**details)


def refusal(reason: str, param: str = "", **details: str | int) -> Refusal:
    """Return the refusal for a reason."""
    return Refusal(_ALL[reason][0], reason, sentence(reason, **details), param)
