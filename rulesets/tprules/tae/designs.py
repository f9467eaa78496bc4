"""The designs of ships (RULES.md, section 2)."""

from __future__ import annotations

from tprules import api
from tprules.kit.designs import alone, constant, counted, named
from tprules.kit.words import called, with_article
from tprules.tae.world import TYPES, WORDS

SHIP = tuple(1 + kind for kind in TYPES)
"""The design of a colonist ship, by type."""
LEADER_SHIP = tuple(5 + kind for kind in TYPES)
BOMBER_SHIP = 9
UNKNOWN_SHIP = 10
"""The design that stands for a colonist ship of another player."""

_PASSENGERS, _BOMBS = 1, 2
_ALONE = alone("Nothing fits into the ship beside this component")
_CARRIED = ("Unknown", *(words.colonists for words in WORDS), *(words.passenger for words in WORDS))

_SHIPS = (
    *((f"{w.ship}Ship", f"{w.ship.lower()} ship", "A ship full of colonists") for w in WORDS),
    *((f"{w.ship}LeaderShip", w.leader.lower(), "The ship of a leader") for w in WORDS),
    ("Bomber", "bomber", "Destroys one star system"),
    ("ColonistShip", "colonist ship", "A colonist ship with passengers unknown to you"),
)
_CARGOES = (
    *((f"{w.ship}Cargo", f"Room for {w.colonists.lower()}") for w in WORDS),
    *((f"{w.ship}LeaderCargo", f"Room for {with_article(w.leader.lower())}") for w in WORDS),
    ("Weapon", "A bomb that makes a star explode"),
    ("UnknownCargo", "Room for colonists"),
)
"""By design, from 1: names, words and help of the ship, and of the component that fills it."""


def _carried(number: int) -> tuple[int, int, str]:
    """Return the property of a design, its value, and the text displayed for it."""
    if number == BOMBER_SHIP:
        return _BOMBS, 1, "1 bombs"
    value = 0 if number == UNKNOWN_SHIP else number
    return _PASSENGERS, value, _CARRIED[value]


def _design(number: int, name: str, words: str, text: str) -> api.Design:
    prop, _, shown = _carried(number)
    return api.Design(number, name, text, {number: 1}, {prop: shown}, called(words))


def _cargo(number: int, name: str, text: str) -> api.Component:
    prop, value, _ = _carried(number)
    return api.Component(number, name, text, _ALONE, {prop: constant(value)})


CATALOGUE = api.Catalogue(
    "Ships",
    "Ships and what they carry",
    designs=tuple(_design(number, *row) for number, row in enumerate(_SHIPS, 1)),
    components=tuple(_cargo(number, *row) for number, row in enumerate(_CARGOES, 1)),
    properties=(
        api.DesignProperty(
            _PASSENGERS, "Passengers", "Passengers", "The passengers of the ship", 0, named(enumerate(_CARRIED))
        ),
        api.DesignProperty(
            _BOMBS, "Bombs", "Supernova Bombs", "How many star systems the ship can destroy", 0, counted("bombs")
        ),
    ),
)
