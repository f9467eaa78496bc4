"""Why an order is refused when it is given, and why it fails when it is executed (RULES.md, section 4)."""

from __future__ import annotations

from tprules.api import Code, Refusal

REASONS: dict[str, tuple[Code, str]] = {
    "form": (Code.FRAME, "BadOrder"),
    "choice": (Code.FRAME, "BadOrder"),
    "kind": (Code.UNAVAILABLE_PERMANENTLY, "NotHere"),
    "owner": (Code.PERMISSION_DENIED, "NotYours"),
    "nosuch": (Code.NO_SUCH_THING, "NoSuchThing"),
    "phase": (Code.UNAVAILABLE_TEMPORARILY, "WrongPhase"),
    "active": (Code.UNAVAILABLE_TEMPORARILY, "WrongPhase"),
    "over": (Code.UNAVAILABLE_PERMANENTLY, "GameOver"),
    "full": (Code.UNAVAILABLE_TEMPORARILY, "QueueFull"),
}
"""Common refusal -> its code and class in RULES.md, section 4."""

ILLEGAL: dict[str, str] = {
    "bad start": "the spider starts on land, three squares or more from all fungus, and not on an ant hole",
    "bad hole": "an ant hole is on soil or grass without fungus, in your own half",
    "no path": "no way leads there",
    "bridging": "the group is a bridge, or stands on one",
    "below": "spiders never reach below the ground, and this cannot be done there",
    "above ground": "ants dig below the ground only",
    "edge": "the board ends there",
    "already open": "there is no dirt left to dig out",
    "not carried": "it does not carry that much",
    "not touching": "it does not touch that, or that is gone",
    "nothing there": "nothing of that is there, or there is no room for it",
    "no egg": "there are not so many eggs for that",
    "no ant": "it does not carry so many ants of that kind",
    "cap": "there would be more spiders than are allowed",
    "web there": "a web is there already",
    "ants there": "ants are there",
    "fungus": "fungus grows there",
    "wide water": "the water is too wide",
    "hp": "there are not enough hit points left",
    "no far bank": "there is no water that ends at land in that direction",
    "too few ants": "the group has too few ants for so much water",
    "occupied": "somebody is in the way",
    "no web": "no web is there",
    "occupied water": "somebody stands on that web, and water is under it",
    "not on web": "the ants do not stand on a web",
    "too many": "the group does not have the right number of ants",
    "no captive": "it carries no captive",
    "already attacked": "it has attacked in this phase",
    "water": "water is under the web, and the ants would drown",
    "not bridging": "the group is no bridge",
    "ward": "a ward cannot be harvested",
    "exhausted": "that fungus has been harvested to its last square in this round",
    "no capacity": "the group cannot carry any more",
    "not free": "a ward needs land without web, hole, fungus, ward and enemies",
    "no food": "there is not enough food within reach",
    "limit": "each ant of a group makes one ward in a phase",
    "covered hole": "a web covers the hole",
    "queen lives": "the colony has a queen",
    "not together": "both groups must be yours, in the same place",
    "colour": "red and black ants do not mix",
    "too big": "a group has at most six ants, and gives no more than it has",
    "no web point": "no web point is within reach",
    "full": "the queen has all her hit points",
}
"""Reason word in RULES.md, section 4 -> the text for the player."""


class Illegal(Exception):
    """An order cannot be executed in the present position; nothing was used.  ``reason`` is a key of ``ILLEGAL``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    @property
    def sentence(self) -> str:
        return ILLEGAL[self.reason]


def refusal(step: str, text: str, param: str = "") -> Refusal:
    """Return a refusal with the code and class of ``step``, a key of ``REASONS``."""
    code, reason = REASONS[step]
    return Refusal(code, reason, text, param)
